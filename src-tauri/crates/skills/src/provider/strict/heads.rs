//! The names and descriptions under which skills are listed as resources.

use std::io;
use std::sync::PoisonError;

use super::{Scan, Spot, Strict};
use crate::MAIN_FILE;
use crate::check::publishable;
use crate::handle::Folder;
use crate::manifest::MAX_BYTES;
use crate::provider::Resource;
use crate::provider::compatible::bytes;
use crate::provider::shown::uri;

/// Name and description of a valid front matter.
pub(super) type Head = Option<(String, String)>;

impl Strict {
    /// Name and description for the `SKILL.md` itself.
    pub(super) fn head(&self, scan: &Scan, name: &str, spot: &Spot) -> Result<Head, String> {
        let Some(stamp) = spot.tree.file(MAIN_FILE) else {
            return Err(format!("{MAIN_FILE:?} is a link"));
        };
        let heads = || self.heads.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, at, head)) = heads().get(name)
            && known == stamp
            && !stamp.is_fresh(*at)
        {
            return Ok(head.clone());
        }
        let now = (self.clock)();
        let folder = scan.folder(name, spot).map_err(|error| error.to_string())?;
        let head = match main_file(&folder) {
            Ok(bytes) => head_of(&bytes, name),
            Err(_) => None,
        };
        heads().insert(name.to_owned(), (*stamp, now, head.clone()));
        Ok(head)
    }
}

fn last_segment(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

/// Name and description, where the front matter is valid by itself.
pub(super) fn head_of(skill_md: &[u8], path: &str) -> Head {
    let fields = publishable(skill_md, last_segment(path)).ok();
    let text = |field: &str| Some(fields.as_ref()?.get(field)?.as_str()?.to_owned());
    text("name").zip(text("description"))
}

/// How a `SKILL.md` is listed.
pub(super) fn main_resource(path: &str, head: Head, size: Option<u64>) -> Resource {
    let (name, description) =
        head.unwrap_or_else(|| (format!("{path}/{MAIN_FILE}"), format!("Skill: {path}")));
    Resource { uri: uri(path, MAIN_FILE), name, description, mime_type: "text/markdown", size }
}

/// The bytes of a folder's `SKILL.md`.
pub(super) fn main_file(folder: &Folder) -> io::Result<Vec<u8>> {
    Ok(bytes(folder, &[MAIN_FILE.to_owned()], MAX_BYTES)?)
}
