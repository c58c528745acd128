//! What was approved and where it was placed.
//!
//! The vault remembers servers, approvals and placements, keeps verified bytes, and is the only
//! code that writes into a tool's folder. Every change to a folder is first a [`Plan`](plan::Plan),
//! a [`DeedPlan`](deed::DeedPlan) where it is about what is there, or a [`FixPlan`](fix::FixPlan)
//! where it puts right what a check says, or several of them in a [`Batch`](batch::Batch). It is
//! then applied item by item so that at every moment a skill is whole, the old one or the new one,
//! and can be undone. It knows nothing of MCP or of the window, and trusts neither: what it is
//! handed is checked again against its own record and against the disk.
//!
//! Skills also come in from a file or a folder, and go out into a file: see [`bundle`].

pub mod activity;
mod apply;
pub mod approval;
mod attributes;
pub mod batch;
pub mod blobs;
pub mod bundle;
pub mod change;
pub mod declared;
pub mod deed;
mod disk;
pub mod drift;
mod error;
pub mod fix;
mod inspect;
mod journal;
mod ledger;
pub mod link;
mod own;
pub mod placement;
pub mod plan;
pub mod planner;
#[cfg(any(test, feature = "failure-points"))]
mod points;
pub mod policy;
mod prepare;
mod receipts;
mod recover;
mod room;
pub mod servers;
pub mod settings;
mod swap;
mod target;
pub mod trash;
mod undo;
pub mod upkeep;
mod vault;

#[cfg(test)]
mod tests;

pub use error::{ErrorKind, VaultError};
pub use receipts::Rebuilt;
pub use recover::Recovered;
pub use vault::Vault;
