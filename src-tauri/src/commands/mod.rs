//! What the page can call: one file for each screen. A command reads its arguments, makes one call
//! and gives back a view or an error; nothing is decided here.

pub mod activity;
pub mod bundles;
pub mod changes;
pub mod fixes;
pub mod folders;
pub mod install;
pub mod library;
#[cfg(test)]
mod names;
pub mod review;
pub mod server;
pub mod settings;
pub mod sharing;

use std::sync::Arc;

#[cfg(test)]
pub(crate) use names::COMMANDS;

use crate::shell::Shell;

/// The parts of the program as commands get them.
pub(crate) type Parts<'a> = tauri::State<'a, Arc<Shell>>;
