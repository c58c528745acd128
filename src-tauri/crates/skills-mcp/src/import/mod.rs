//! Servers that other tools have configured: read from their settings, or from what a person pastes.
//!
//! Nothing is written, started or connected to. Files are hostile until proven otherwise: what they
//! may hold is bounded, a broken file or server is a row with the reason, and the others stand.
//! Values of headers and variables are in no debug output and no message. What a tool would fill in
//! from elsewhere (its environment, a question to the person, a file) is not looked up: it is a
//! blank, which the person fills in.
//!
//! Which files are read, and where the tools' own documentation says so, stands in `places.toml`;
//! how they are read, in `shape` and `server`.

mod blanks;
mod command;
mod draft;
pub mod limits;
mod paste;
mod places;
mod server;
mod shape;
#[cfg(test)]
mod tests;
mod tree;

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use skills::paths::Paths;

pub use blanks::Blank;
pub use draft::{Draft, Filled, NotFilled};
pub use paste::pasted;
pub use places::Platform;
pub use tree::Unreadable;

use limits::{FILE_BYTES, SERVERS_IN_ALL};
use places::Place;

/// A server that was found.
#[derive(Debug, Clone)]
pub struct Found {
    /// What it is called there.
    pub name: String,
    /// The project that it is for, where it is for one.
    pub project: Option<PathBuf>,
    /// Whether the tool has it switched off.
    pub disabled: bool,
    /// What to know about it, a sentence each.
    pub notes: Vec<String>,
    /// What can be added, or why nothing can.
    pub draft: Result<Draft, String>,
}

/// The servers of one file or text.
#[derive(Debug, Clone, Default)]
pub struct Servers {
    /// In their order.
    pub found: Vec<Found>,
    /// How many were too many.
    pub left_out: usize,
}

/// A file that is there, and what it holds.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The id of the tool.
    pub tool: String,
    /// What a person calls the tool.
    pub name: String,
    /// The file.
    pub file: PathBuf,
    /// The project that the file belongs to.
    pub project: Option<PathBuf>,
    /// Its servers, or why it cannot be read.
    pub servers: Result<Servers, Unreadable>,
}

/// All that was found.
#[derive(Debug, Clone, Default)]
pub struct Look {
    /// Files with servers, and those that cannot be read.
    pub settings: Vec<Settings>,
    /// Every file that was looked for.
    pub looked_in: Vec<PathBuf>,
}

/// Looks through the settings of all known tools: the person's, and those inside of these projects.
/// Files without servers are not listed.
pub fn look(paths: &Paths, platform: Platform, projects: &[PathBuf]) -> Look {
    let mut look = Look::default();
    let mut room = SERVERS_IN_ALL;
    for place in places::places(paths, platform, projects) {
        if look.looked_in.contains(&place.file) {
            continue;
        }
        look.looked_in.push(place.file.clone());
        let Some(mut servers) = read(&place, paths.home()) else { continue };
        if let Ok(servers) = &mut servers {
            let over = servers.found.len().saturating_sub(room);
            servers.found.truncate(room);
            servers.left_out += over;
            room -= servers.found.len();
        }
        let Place { tool, name, file, project, .. } = place;
        look.settings.push(Settings { tool, name, file, project, servers });
    }
    look
}

/// What a file holds; `None` where there is none, or it has no servers.
fn read(place: &Place, home: &Path) -> Option<Result<Servers, Unreadable>> {
    let text = match text(&place.file) {
        Ok(text) => text?,
        Err(error) => return Some(Err(error)),
    };
    let tree = match tree::read(&text, place.shape.language()) {
        Ok(tree) => tree,
        Err(error) => return Some(Err(error)),
    };
    match shape::servers(place.shape, &tree, home, place.project.as_deref()) {
        Ok(servers) if servers.found.is_empty() => None,
        Ok(servers) => Some(Ok(servers)),
        Err(reason) => Some(Err(Unreadable::plain(reason))),
    }
}

fn text(file: &Path) -> Result<Option<String>, Unreadable> {
    let cannot = |error: io::Error| Unreadable::plain(format!("it cannot be read: {error}"));
    let gone = |error: &io::Error| {
        matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
    };
    match file.metadata() {
        Err(error) if gone(&error) => return Ok(None),
        Err(error) => return Err(cannot(error)),
        // A pipe would be waited for without an end.
        Ok(about) if !about.is_file() => return Err(Unreadable::plain("it is no file")),
        Ok(_) => {}
    }
    let mut bytes = Vec::new();
    let opened = File::open(file).map_err(cannot)?;
    opened.take(FILE_BYTES + 1).read_to_end(&mut bytes).map_err(cannot)?;
    if bytes.len() as u64 > FILE_BYTES {
        return Err(Unreadable::plain(format!("it has more than {} MiB", FILE_BYTES >> 20)));
    }
    String::from_utf8(bytes).map(Some).map_err(|_| Unreadable::plain("it is not UTF-8"))
}
