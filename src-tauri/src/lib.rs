//! The desktop shell of Skillhold: the window, the commands its page can call, and the verbs of the
//! command line. It joins what the crates `skills`, `skills-mcp` and `vault` do and decides nothing
//! of its own about skills; every rule lies in one of those.

pub mod activity;
pub mod changes;
pub mod checks;
pub mod cli;
pub mod commands;
pub mod compare;
pub mod connections;
pub mod copies;
pub mod doubts;
pub mod drafts;
pub mod error;
pub mod events;
pub mod fixes;
pub mod folders;
pub mod given;
pub mod imported;
pub mod imports;
pub mod install;
pub mod jobs;
pub mod left_out;
pub mod library;
pub mod link;
pub mod logging;
pub mod offers;
pub mod others;
pub mod outcome;
pub mod policies;
pub mod reach;
pub mod remembered;
pub mod render;
pub mod review;
pub mod secrets;
pub mod servers;
pub mod settings;
pub mod sharing;
pub mod shell;
pub mod sign_in;
pub mod trash;
pub mod verdict;
pub mod view;
pub mod window;

#[cfg(test)]
mod tests;
