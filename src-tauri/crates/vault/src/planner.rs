//! Working out plans: one, or many over one look at what tools scan.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::disk;
use crate::error::VaultError;
use crate::link::Mode;
use crate::placement::Placement;
use crate::plan::{Action, OnConflict, Plan, Source, Target};
use crate::target::{Ground, Wish, merged};
use crate::vault::Vault;

/// Works out plans over one look at the folders that tools scan, so that thousands take no longer
/// than they must. For one preview: what changes on the disk meanwhile is seen when it is applied.
#[derive(Debug)]
pub struct Planner<'a> {
    vault: &'a Vault,
    scanned: Vec<PathBuf>,
    ground: Ground<'a>,
}

impl Vault {
    /// Begins to work out plans. `scanned` names every folder that a tool scans.
    pub fn planner(&self, scanned: &[PathBuf]) -> Planner<'_> {
        let ground = Ground::of(self.data(), scanned).looking_once();
        Planner { vault: self, scanned: scanned.to_vec(), ground }
    }
}

impl Planner<'_> {
    /// As [`Vault::plan`].
    ///
    /// # Errors
    /// As [`Vault::plan`].
    pub fn plan(&self, source: Source, targets: Vec<Target>) -> Result<Plan, VaultError> {
        self.work_out(source, targets, None)
    }

    /// As [`Vault::plan_update`].
    ///
    /// # Errors
    /// As [`Vault::plan_update`].
    pub fn update(
        &self,
        folder: &Path,
        source: Source,
        on_edited: OnConflict,
    ) -> Result<Plan, VaultError> {
        let vault = self.vault;
        let placement = vault.placement(folder)?.ok_or_else(|| VaultError::Gone {
            what: "placement",
            id: folder.display().to_string(),
        })?;
        let shared = placement.canonical().map(Path::to_owned);
        let shared = shared.or_else(|| vault.is_canonical(folder).then(|| folder.to_owned()));
        let (folder, tools) = match &shared {
            None => (folder, placement.tools.clone()),
            Some(canonical) => {
                let mut tools: Vec<String> =
                    vault.links_to(canonical)?.into_iter().flat_map(|link| link.tools).collect();
                tools.sort();
                tools.dedup();
                (canonical.as_path(), tools)
            }
        };
        let name = folder.file_name().and_then(|name| name.to_str());
        let (Some(root), Some(name)) = (folder.parent(), name) else {
            return Err(VaultError::BadInput(format!(
                "{} is no folder of a skill",
                folder.display()
            )));
        };
        let wish = Wish {
            tools,
            root: root.to_owned(),
            name: name.to_owned(),
            on_conflict: OnConflict::Replace,
            mode: if shared.is_some() { Mode::Link } else { Mode::Copy },
            shared: shared.is_some(),
            keeps_edited: on_edited == OnConflict::Keep,
        };
        self.work_out(keep_executable(source, &placement), Vec::new(), Some(wish))
    }

    /// The plan for targets, or for one folder that is known already.
    fn work_out(
        &self,
        source: Source,
        targets: Vec<Target>,
        known: Option<Wish>,
    ) -> Result<Plan, VaultError> {
        let prepared = self.vault.prepare(&source)?;
        let mut blockers = prepared.blockers.clone();
        blockers.extend(self.ground.problem());
        let mut items = Vec::new();
        let mut notices = Vec::new();
        let mut told = BTreeSet::new();
        let wishes = known.map_or_else(|| merged(&targets, &prepared.name), |wish| vec![wish]);
        for wish in wishes {
            let item = self.vault.inspect(&wish, &prepared, &self.ground)?;
            let instead = wish.mode == Mode::Link && item.mode == Mode::Copy;
            let written = item.action != Action::Refuse && !prepared.secluded;
            if instead && written && told.insert(disk::device(&wish.root)) {
                notices.push(format!(
                    "the disk of {} takes no links, so what is placed there is a copy",
                    wish.root.display()
                ));
            }
            items.push(item);
        }
        let mut plan = Plan {
            id: String::new(),
            name: prepared.name,
            source,
            targets,
            scanned: self.scanned.clone(),
            items,
            files: prepared.files,
            left_out: prepared.left_out,
            blockers,
            notices,
        };
        plan.id = plan.computed_id()?;
        Ok(plan)
    }
}

/// What a file was made executable for is as good for its next version.
fn keep_executable(mut source: Source, placement: &Placement) -> Source {
    if let Source::Approved { entry, executable, .. } = &mut source {
        let kept = placement.executable.iter().filter(|path| entry.manifest().get(path).is_some());
        executable.extend(kept.cloned());
    }
    source
}
