//! Giving a skill another name: the field `name` and the folder, made like any other fixes.

use std::path::{Path, PathBuf};

use skills::MAIN_FILE;
use skills::check::check;
use skills::fix::Fix;
use skills::manifest::Manifest;

use super::{FixPlan, FixPurpose};
use crate::disk;
use crate::error::VaultError;
use crate::vault::Vault;

impl Vault {
    /// Works out what it takes to call a skill `to`: its field `name`, where it has one, and its
    /// folder. `seen` is the folder as it was listed, and `scanned` names every folder that a tool
    /// scans. What stands against it is in [`FixPlan::blockers`].
    ///
    /// # Errors
    /// When the ledger fails.
    pub fn plan_rename(
        &self,
        folder: &Path,
        seen: &Manifest,
        to: &str,
        scanned: &[PathBuf],
    ) -> Result<FixPlan, VaultError> {
        let (field, problem) = match field_fix(folder, seen, to) {
            Ok(field) => (field, None),
            Err(problem) => (None, Some(problem)),
        };
        let named =
            Fix::RenameFolder { title: format!("rename the folder to `{to}`"), to: to.to_owned() };
        let fixes: Vec<Fix> = field.into_iter().chain([named]).collect();
        let mut plan = self.plan_fixes(folder, seen, &fixes, scanned)?;
        plan.purpose = FixPurpose::Rename;
        plan.blockers.extend(problem);
        Ok(plan)
    }
}

/// The edit that makes the field `name` say this; `None` where it does, or where there is none.
fn field_fix(folder: &Path, seen: &Manifest, to: &str) -> Result<Option<Fix>, String> {
    if !is_name(to) {
        return Err(format!(
            "{to:?} cannot be the name of a skill: use 1 to 64 of a-z, 0-9 and single hyphens between"
        ));
    }
    // What does not fit what was listed is told by the plan itself.
    let Some(listed) = seen.get(MAIN_FILE) else { return Ok(None) };
    let Ok(bytes) = disk::read_plain_file(&folder.join(MAIN_FILE), listed.size) else {
        return Ok(None);
    };
    // In a folder of that name the check says that the field is another, and how to change it.
    let said = check(to, seen, &bytes).into_iter().find(|said| said.code == "name-folder");
    let Some(said) = said else { return Ok(None) };
    let edits = said.fixes.into_iter().find(|fix| matches!(fix, Fix::Edits { .. }));
    edits.map(Some).ok_or_else(|| {
        format!(
            "the field `name` of {} cannot be changed by itself: put right what its check says first",
            folder.join(MAIN_FILE).display()
        )
    })
}

/// True for what a skill may be called: 1 to 64 of a-z, 0-9 and single hyphens between.
pub(crate) fn is_name(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    name.len() <= 64 && name.split('-').all(|word| !word.is_empty() && word.bytes().all(plain))
}
