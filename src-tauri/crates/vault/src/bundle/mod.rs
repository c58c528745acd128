//! Bundles: skills in one file. Skills are imported from a bundle, from any other zip file, and from
//! a folder; what comes in is a server of its own, whose skills are reviewed like any other's.
//!
//! What is imported is hostile until it was looked at. Everything that can be known without
//! unpacking is judged before a byte is written: names, kinds, sizes, and whether the parts of a zip
//! file agree. Files are then written into a folder of Skillhold's own, read back, and put in place
//! whole.

mod error;
mod export;
mod folder;
mod import;
mod judge;
mod kept;
mod layout;
mod listing;
mod structure;
mod zipped;

pub use error::BundleError;
pub use export::Exported;
pub use import::{Imported, LeftOut};
pub use listing::{Said, SaidApproval, SaidOrigin};

/// The most skills of one import or export.
pub const MAX_SKILLS: usize = 256;

/// The most bytes of all files of one import or export, and of a file that is imported.
pub const MAX_TOTAL: u64 = 256 * 1024 * 1024;

/// The most entries of a zip file, and of a folder that is searched for skills.
pub const MAX_ENTRIES: usize = 20_000;
