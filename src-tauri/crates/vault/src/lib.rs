//! What was approved and where it was placed.
//!
//! The vault remembers servers, approvals and placements, keeps verified bytes, and is the only
//! code that writes into a tool's folder. Every change to a folder is first a [`Plan`](plan::Plan),
//! or a [`FixPlan`](fix::FixPlan) where it puts right what a check says, then applied item by item
//! so that at every moment a skill is whole, the old one or the new one, and can be undone. It knows
//! nothing of MCP or of the window, and trusts neither: what it is handed is checked again against
//! its own record and against the disk.

pub mod activity;
mod apply;
pub mod approval;
mod attributes;
pub mod blobs;
pub mod change;
mod disk;
pub mod drift;
mod error;
pub mod fix;
mod journal;
mod ledger;
pub mod placement;
pub mod plan;
mod prepare;
mod recover;
pub mod servers;
pub mod settings;
mod swap;
mod target;
pub mod trash;
mod undo;
mod vault;

#[cfg(test)]
mod tests;

pub use error::{ErrorKind, VaultError};
pub use recover::Recovered;
pub use vault::Vault;
