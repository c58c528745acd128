//! Wishes of the page, which names everything by ids, made into parts that the vault works out.

use std::path::PathBuf;

use skills::library::{LocalSkill, Snapshot};
use vault::batch::Part;
use vault::deed::{Deed, Subject};
use vault::placement::{Origin, Placement};
use vault::plan::{OnConflict, Source};
use vault::planner::Planner;
use vault::upkeep::Offered;

use super::{Step, rows};
use crate::copies::Copies;
use crate::error::Outcome;
use crate::offers::approved_entry;
use crate::shell::Shell;
use crate::view::{self, BatchItemView, ChangeRef, DeedKind, ErrorCode, ErrorView};

/// Deeds of one kind that were asked for one after the other.
struct Deeds {
    deed: Deed,
    subjects: Vec<Subject>,
}

/// What is needed to make ids into parts.
pub(super) struct Wishes<'a> {
    pub(super) shell: &'a Shell,
    pub(super) copies: Copies<'a>,
    pub(super) snapshot: &'a Snapshot,
}

/// A copy that was named: there, or only in the record.
enum Named<'a> {
    There(&'a LocalSkill),
    Gone(Vec<&'a Placement>),
}

impl Wishes<'_> {
    /// Each wish as a part, or as a row that says why nothing can be worked out.
    ///
    /// # Errors
    /// When an id is not known, or the ledger fails.
    pub(super) fn steps(&self, changes: &[ChangeRef]) -> Outcome<Vec<Step>> {
        let (scanned, modes) = (self.shell.scanned_folders(), self.copies.last_modes());
        // Thousands of updates look at each root once.
        let planner = self.shell.vault.planner(&scanned);
        let mut steps = Vec::new();
        let mut deeds: Option<Deeds> = None;
        for change in changes {
            let (deed, subjects) = match change {
                ChangeRef::Remove { copy, tool } => {
                    (Deed::Remove, self.subjects(copy, tool.as_deref(), DeedKind::Remove)?)
                }
                ChangeRef::Disable { copy, tool } => {
                    (Deed::Disable, self.subjects(copy, tool.as_deref(), DeedKind::Disable)?)
                }
                ChangeRef::Adopt { copy } => {
                    (Deed::Adopt, self.subjects(copy, None, DeedKind::Adopt)?)
                }
                ChangeRef::Enable { aside } => (Deed::Enable, Ok(vec![self.aside(aside)?])),
                ChangeRef::Place { source, targets } => {
                    self.finish(&mut deeds, &scanned, &mut steps)?;
                    steps.extend(self.shell.place_steps(source, targets, &modes, &planner)?);
                    continue;
                }
                ChangeRef::Update { copy, on_edited } => {
                    self.finish(&mut deeds, &scanned, &mut steps)?;
                    steps.push(self.update(copy, *on_edited, &planner)?);
                    continue;
                }
                ChangeRef::Rename { copy, to } => {
                    self.finish(&mut deeds, &scanned, &mut steps)?;
                    steps.push(self.rename(copy, to, &scanned)?);
                    continue;
                }
            };
            match subjects {
                Ok(subjects) => {
                    if deeds.as_ref().is_some_and(|known| known.deed != deed) {
                        self.finish(&mut deeds, &scanned, &mut steps)?;
                    }
                    deeds
                        .get_or_insert_with(|| Deeds { deed, subjects: Vec::new() })
                        .subjects
                        .extend(subjects);
                }
                Err(row) => {
                    self.finish(&mut deeds, &scanned, &mut steps)?;
                    steps.push(Step::Refused(row));
                }
            }
        }
        self.finish(&mut deeds, &scanned, &mut steps)?;
        Ok(steps)
    }

    /// Works out the deeds that were gathered.
    fn finish(
        &self,
        deeds: &mut Option<Deeds>,
        scanned: &[PathBuf],
        steps: &mut Vec<Step>,
    ) -> Outcome<()> {
        let Some(Deeds { deed, subjects }) = deeds.take() else { return Ok(()) };
        let kind = match deed {
            Deed::Remove => DeedKind::Remove,
            Deed::Disable => DeedKind::Disable,
            Deed::Enable => DeedKind::Enable,
            Deed::Adopt => DeedKind::Adopt,
        };
        let plan = self.shell.vault.plan_deed(deed, subjects, scanned)?;
        steps.push(Step::Part(Box::new(Part::Deed(plan)), kind, None));
        Ok(())
    }

    fn named(&self, id: &str) -> Outcome<Named<'_>> {
        if let Some(skill) = self.snapshot.skill(id) {
            return Ok(Named::There(skill));
        }
        let gone = self.copies.all_of(id);
        if gone.is_empty() {
            return Err(ErrorView::gone("this skill is no longer in any tool's folder"));
        }
        Ok(Named::Gone(gone))
    }

    /// The folders that a copy lies in; a row where nothing may be done with it.
    fn subjects(
        &self,
        id: &str,
        tool: Option<&str>,
        kind: DeedKind,
    ) -> Outcome<Result<Vec<Subject>, Box<BatchItemView>>> {
        let skill = match self.named(id)? {
            Named::There(skill) => skill,
            Named::Gone(placements) => {
                let subjects = placements.into_iter().map(|placement| Subject {
                    folder: placement.folder.clone(),
                    tools: placement.tools.clone(),
                    user_owned: false,
                });
                return Ok(Ok(subjects.collect()));
            }
        };
        if let Some(row) = self.read_only(skill, kind) {
            return Ok(Err(row));
        }
        let user_owned = self.copies.is_user_owned(skill);
        let folder = |through: &skills::library::Through| {
            let root = self.snapshot.roots.iter().find(|root| root.path == through.root);
            let tools = root.map(|root| root.tools.clone()).unwrap_or_default();
            Subject { folder: through.path.clone(), tools, user_owned }
        };
        // The folder itself; a skill of which there are only links is its links.
        let own = skill.through.iter().find(|through| !through.linked);
        let subjects: Vec<Subject> = match own {
            Some(own) => {
                vec![Subject { tools: skill.tools.clone(), ..folder(own) }]
            }
            None if skill.through.is_empty() => {
                vec![Subject { folder: skill.path.clone(), tools: skill.tools.clone(), user_owned }]
            }
            None => skill
                .through
                .iter()
                .map(folder)
                .filter(|subject| {
                    tool.is_none_or(|tool| subject.tools.iter().any(|known| known == tool))
                })
                .collect(),
        };
        if subjects.is_empty() {
            return Err(ErrorView::gone(format!(
                "{} does not see {}",
                tool.unwrap_or_default(),
                skill.name
            )));
        }
        Ok(Ok(subjects))
    }

    /// The row of a skill that is nobody's to change.
    fn read_only(&self, skill: &LocalSkill, kind: DeedKind) -> Option<Box<BatchItemView>> {
        skill.read_only.then(|| {
            let path = self.shell.paths.display(&skill.path);
            let message =
                format!("{path} belongs to a tool or to the system, and is not written to");
            Box::new(rows::refused(&skill.name, path, kind, &skill.tools, message))
        })
    }

    fn aside(&self, id: &str) -> Outcome<Subject> {
        let aside = self.shell.vault.aside()?.into_iter().find(|aside| aside.id == id);
        let aside = aside.ok_or_else(|| ErrorView::gone("this skill is not disabled any more"))?;
        Ok(Subject { folder: aside.kept, tools: aside.tools, user_owned: false })
    }

    fn update(
        &self,
        id: &str,
        on_edited: view::OnConflict,
        planner: &Planner<'_>,
    ) -> Outcome<Step> {
        let on_edited = match on_edited {
            view::OnConflict::Keep => OnConflict::Keep,
            view::OnConflict::Replace => OnConflict::Replace,
        };
        let (name, path, tools, placement) = match self.named(id)? {
            Named::There(skill) => {
                if let Some(row) = self.read_only(skill, DeedKind::Update) {
                    return Ok(Step::Refused(row));
                }
                (&skill.name, &skill.path, &skill.tools, self.copies.placement(skill))
            }
            Named::Gone(placements) => {
                let placement = placements[0];
                (&placement.name, &placement.folder, &placement.tools, Some(placement))
            }
        };
        let refused = |message: String| {
            let path = self.shell.paths.display(path);
            Step::Refused(Box::new(rows::refused(name, path, DeedKind::Update, tools, message)))
        };
        let Some(placement) = placement else {
            let message = "Skillhold did not place it, so nothing is known of where it came from";
            return Ok(refused(message.to_owned()));
        };
        let source = match self.source_of(placement)? {
            Ok(source) => source,
            Err(message) => return Ok(refused(message)),
        };
        let plan = planner.update(&placement.folder, source, on_edited)?;
        Ok(Step::Part(Box::new(Part::Place(plan)), DeedKind::Update, Some(path.clone())))
    }

    /// What is there now where something came from, or why that is not known.
    fn source_of(&self, placement: &Placement) -> Outcome<Result<Source, String>> {
        match &placement.origin {
            Origin::Server { uri, label, .. } => {
                let Some(server) = self.copies.server(placement) else {
                    return Ok(Err(format!(
                        "{label} was removed, or is reached in another way now"
                    )));
                };
                let offered = match self.copies.offered(placement) {
                    Offered::Entry(entry) => Some(entry.clone()),
                    // A server that is away still stands for what was approved from it.
                    _ => {
                        let approvals = self.shell.vault.approvals_of(server)?;
                        let approval = approvals.iter().find(|approval| approval.uri == *uri);
                        approval.and_then(approved_entry)
                    }
                };
                Ok(offered
                    .map(|entry| Source::Approved {
                        server: server.clone(),
                        entry: Box::new(entry),
                        executable: Default::default(),
                    })
                    .ok_or_else(|| format!("it is not known what {} offers now", server.label)))
            }
            Origin::Folder { path } => {
                let skill = self.snapshot.skill(&LocalSkill::id_of(path));
                let manifest = skill.and_then(|skill| skill.manifest.as_ref().ok());
                Ok(manifest
                    .map(|manifest| Source::Local {
                        path: path.clone(),
                        manifest: manifest.clone(),
                    })
                    .ok_or_else(|| {
                        let path = self.shell.paths.display(path);
                        format!("{path}, which it was copied from, cannot be read now")
                    }))
            }
            Origin::Adopted => {
                Ok(Err("it was here before Skillhold: nothing newer can be known of".to_owned()))
            }
        }
    }

    fn rename(&self, id: &str, to: &str, scanned: &[PathBuf]) -> Outcome<Step> {
        let Named::There(skill) = self.named(id)? else {
            return Err(ErrorView::gone("this skill is no longer in any tool's folder"));
        };
        if let Some(row) = self.read_only(skill, DeedKind::Rename) {
            return Ok(Step::Refused(row));
        }
        let seen = skill.manifest.as_ref().map_err(|why| {
            let path = self.shell.paths.display(&skill.path);
            ErrorView::new(ErrorCode::Disk, format!("{path} cannot be renamed: {why}"))
        })?;
        let plan = self.shell.vault.plan_rename(&skill.path, seen, to, scanned)?;
        Ok(Step::Part(Box::new(Part::Fix(plan)), DeedKind::Rename, Some(skill.path.clone())))
    }
}
