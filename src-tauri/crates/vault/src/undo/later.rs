//! What was done to a folder since: that has to be undone first.

use std::path::{Path, PathBuf};

use rusqlite::{OptionalExtension, params};

use crate::change::told::past;
use crate::change::{About, ChangeHead, DoneItem};
use crate::deed::around::below;
use crate::error::VaultError;
use crate::vault::Vault;

/// The newest item of a later change that is still made and has to do with a folder, the folders
/// around it (`?2`, JSON) or what is inside (between `?3` and `?4`).
const NEWEST: &str = "
    WITH around AS (SELECT value FROM json_each(?2)),
    hits (change, position) AS (
        SELECT change, position FROM change_items
        WHERE undone = 0 AND folder IN (SELECT value FROM around)
        UNION ALL SELECT change, position FROM change_items
        WHERE undone = 0 AND folder > ?3 AND folder < ?4
        UNION ALL SELECT change, position FROM change_items
        WHERE undone = 0 AND source IN (SELECT value FROM around)
        UNION ALL SELECT change, position FROM change_items
        WHERE undone = 0 AND source > ?3 AND source < ?4
    )
    SELECT c.rowid, c.json, i.about, i.folder, i.source
    FROM hits JOIN change_items i USING (change, position) JOIN changes c ON c.id = i.change
    WHERE c.undoes IS NULL AND c.rowid > (SELECT rowid FROM changes WHERE id = ?1)
    ORDER BY c.rowid DESC LIMIT 1";

impl Vault {
    /// Says which later change has to be undone before this item, if one has.
    pub(super) fn later(
        &self,
        change: &str,
        item: &DoneItem,
    ) -> Result<Option<VaultError>, VaultError> {
        let mut paths = vec![item.folder.as_path()];
        paths.extend(item.moved.as_ref().map(|moved| moved.from.as_path()));
        paths.extend(item.after.as_ref().and_then(|after| after.canonical()));
        let mut newest: Option<(i64, VaultError)> = None;
        for path in paths {
            if let Some(later) = self.later_at(change, path)?
                && newest.as_ref().is_none_or(|(rowid, _)| *rowid < later.0)
            {
                newest = Some(later);
            }
        }
        Ok(newest.map(|(_, later)| later))
    }

    fn later_at(&self, change: &str, path: &Path) -> Result<Option<(i64, VaultError)>, VaultError> {
        let around: Vec<String> =
            path.ancestors().map(|around| around.display().to_string()).collect();
        let (from, to) = below(path);
        let row: Option<(i64, String, String, String, Option<String>)> = self
            .ledger()
            .prepare_cached(NEWEST)?
            .query_row(params![change, serde_json::to_string(&around)?, from, to], |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?))
            })
            .optional()?;
        let Some((rowid, head, about, folder, source)) = row else { return Ok(None) };
        let head: ChangeHead = serde_json::from_str(&head)?;
        let about: About = serde_json::from_str(&about)?;
        let (at, done) = match source {
            Some(source) => (source, format!("renamed to {folder}")),
            None => (folder, past(about.act).to_owned()),
        };
        let later = VaultError::Later {
            folder: PathBuf::from(at),
            done,
            name: head.name,
            at: head.at,
            change: head.id,
        };
        Ok(Some((rowid, later)))
    }
}
