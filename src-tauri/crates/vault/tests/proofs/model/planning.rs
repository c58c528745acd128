//! What the vault is to do, and what should come of it.

use std::collections::BTreeMap;
use std::fs;

use skills::fix::{Fix, TextEdit};
use skills::manifest::Manifest;
use vault::batch::{Batch, Part as BatchPart};
use vault::deed::{Deed as Kind, DeedAction, DeedPlan, Subject};
use vault::drift::Drift;
use vault::fix::FixPlan;
use vault::link::Mode;
use vault::placement::Origin;
use vault::plan::{Action, OnConflict, Plan, Source};

use super::steps::{Deed, NAMES, Place};
use super::walk::{Is, Record, Walk, record_of};
use super::world::{copied, files, installed, offered};
use crate::support::{Node, TOOLS, Tree, target};

/// Something that is done to one folder, or to two where it gets another name: whole or not at all.
#[derive(Debug, Clone)]
pub(super) struct Part {
    /// How each place is once it is done.
    pub(super) then: BTreeMap<Place, Is>,
    /// Where the folder was before.
    pub(super) named: Place,
    /// Whether it has to be done where nothing comes in between; `None` where both make sense.
    pub(super) must: Option<bool>,
}

/// What is about to be done.
#[derive(Debug)]
pub(super) enum Planned {
    Place(Box<Plan>),
    Fix(Box<FixPlan>),
    Deed(Box<DeedPlan>),
    Batch(Box<Batch>),
    Undo(usize),
}

/// What is planned, and what should come of each of its items; `None` where links are made or
/// changed: then the model looks at what is kept, and believes the rest.
pub(super) type Expected = (Planned, Option<Vec<Part>>);

impl Walk {
    /// Works out what will be done and what should come of it; `None` where it makes no sense.
    pub(super) fn plan(&self, deed: &Deed) -> Option<Expected> {
        match deed {
            Deed::Install { skill, version, tools, name, replace, link } => {
                let source = self.source(*skill, *version);
                let name = name.map(|name| NAMES[name]);
                let mode = if *link { Mode::Link } else { Mode::Copy };
                let plan = self.placing(source, tools, name, *replace, mode);
                Some(self.parts_of(plan, &installed(*skill, *version)))
            }
            Deed::Copy { from, tools, replace } => {
                let tree = self.is[from].tree.clone()?;
                files(&tree)?;
                let source = self.home.local(&from.folder(&self.home.dir));
                let plan = self.placing(source, tools, None, *replace, Mode::Copy);
                Some(self.parts_of(plan, &copied(&tree)))
            }
            Deed::Fix { at, edit, name } => self.fix(*at, *edit, *name),
            Deed::Name { at, name } => {
                files(self.is[at].tree.as_ref()?)?;
                let folder = at.folder(&self.home.dir);
                let seen = Manifest::read(&folder).unwrap();
                let scanned = self.home.scanned();
                let plan = self.home.vault.plan_rename(&folder, &seen, NAMES[*name], &scanned);
                Some(self.fixed(*at, Place { name: *name, ..*at }, plan.unwrap()))
            }
            Deed::Update { at, version, replace } => {
                self.is[at].record.as_ref()?;
                let skill = at.name.min(1);
                let source = self.source(skill, *version);
                let on_edited = if *replace { OnConflict::Replace } else { OnConflict::Keep };
                let folder = at.folder(&self.home.dir);
                let plan =
                    self.home.vault.plan_update(&folder, source, on_edited, &self.home.scanned());
                // Files that were made executable stay so.
                let mut tree = installed(skill, *version);
                let placement = self.home.vault.placement(&folder).unwrap().unwrap();
                for path in placement.executable {
                    if let Some(Node::File(_, executable)) = tree.get_mut(&path) {
                        *executable = true;
                    }
                }
                Some(self.parts_of(plan.unwrap(), &tree))
            }
            Deed::Remove { at } => self.deed_with(Kind::Remove, at),
            Deed::Disable { at } => self.deed_with(Kind::Disable, at),
            Deed::Adopt { at } => self.deed_with(Kind::Adopt, at),
            Deed::Enable { back } => self.enable(*back),
            Deed::Batch(deeds) => self.batch(deeds),
            Deed::Undo { back } => {
                let at = self.made.len().checked_sub(back + 1)?;
                let parts = self.undoing_all(at);
                let nothing_left = parts.as_ref().is_some_and(Vec::is_empty);
                (!nothing_left).then_some((Planned::Undo(at), parts))
            }
        }
    }

    fn source(&self, skill: usize, version: usize) -> Source {
        let offered = offered(skill, version);
        let offered: Vec<_> = offered.iter().map(|(path, text)| (*path, text.as_str())).collect();
        self.home.approved(&format!("skill://{}/SKILL.md", NAMES[skill]), &offered)
    }

    fn placing(
        &self,
        source: Source,
        tools: &[usize],
        name: Option<&str>,
        replace: bool,
        mode: Mode,
    ) -> Plan {
        let on_conflict = if replace { OnConflict::Replace } else { OnConflict::Keep };
        let targets = tools.iter().map(|&tool| {
            let tool = TOOLS[tool];
            let mut target = target(&self.home.root(tool), tool, on_conflict);
            target.name = name.map(str::to_owned);
            target.mode = mode;
            target
        });
        self.home.vault.plan(source, targets.collect(), &self.home.scanned()).unwrap()
    }

    fn parts_of(&self, plan: Plan, tree: &Tree) -> Expected {
        assert_eq!(plan.blockers, [] as [String; 0]);
        let is_link = |place: &Place| {
            self.is[place].tree.as_ref().is_some_and(|tree| tree[""] != Node::Folder)
        };
        let mut parts = Vec::new();
        for item in &plan.items {
            if item.canonical.is_some() || item.mode == Mode::Link {
                return (Planned::Place(Box::new(plan)), None);
            }
            let place = Place::of(&self.home.dir, &item.folder);
            let planned = matches!(item.action, Action::Write | Action::Replace);
            if planned && is_link(&place) {
                return (Planned::Place(Box::new(plan)), None);
            }
            let free = self.is[&place].tree.is_none();
            assert!(planned || !free, "{item:?} is refused, though nothing is there");
            let record = Some(record_of(&files(tree).unwrap()));
            let then = BTreeMap::from([(place, Is { tree: Some(tree.clone()), record })]);
            parts.push(Part { then, named: place, must: Some(planned) });
        }
        (Planned::Place(Box::new(plan)), Some(parts))
    }

    fn fix(&self, at: Place, edit: bool, name: Option<usize>) -> Option<Expected> {
        let read = files(self.is[&at].tree.as_ref()?)?;
        let folder = at.folder(&self.home.dir);
        let mut fixes = Vec::new();
        if edit {
            let replacement = format!("fixed {}\n", self.now);
            fixes.push(Fix::Edits {
                title: "write it".to_owned(),
                file: "SKILL.md".to_owned(),
                edits: vec![TextEdit { range: 0..0, replacement }],
            });
        }
        if let Some(name) = name {
            let title = "rename the folder".to_owned();
            fixes.push(Fix::RenameFolder { title, to: NAMES[name].to_owned() });
        }
        let to = name.map_or(at, |name| Place { name, ..at });
        let free = to == at || self.is[&to].tree.is_none();
        let seen = Manifest::read(&folder).unwrap();
        let plan =
            self.home.vault.plan_fixes(&folder, &seen, &fixes, &self.home.scanned()).unwrap();
        let possible = free && (edit || to != at);
        assert_eq!(plan.blockers.is_empty(), possible, "{:?}", plan.blockers);
        if let Some(fixed) = plan.files.first() {
            let after = format!("fixed {}\n{}", self.now, read["SKILL.md"]);
            assert_eq!(fixed.after, after.into_bytes());
        }
        Some(self.fixed(at, to, plan))
    }

    /// The folder as the plan says, with its record.
    fn fixed(&self, at: Place, to: Place, plan: FixPlan) -> Expected {
        let is = &self.is[&at];
        let mut tree = is.tree.clone().unwrap();
        for fixed in &plan.files {
            let text = String::from_utf8(fixed.after.clone()).unwrap();
            let executable = matches!(tree[&fixed.path], Node::File(_, true));
            tree.insert(fixed.path.clone(), Node::File(text, executable));
        }
        // A record of what is not there any more stays; else it goes where the folder goes. What was
        // adopted has no source to differ from: its record says what the person made of it here.
        let drift = self.drift(at, is);
        let ours = matches!(drift, Some(Drift::InSync | Drift::Edited { .. }));
        let placement = self.home.vault.placement(&at.folder(&self.home.dir)).unwrap();
        let adopted = placement.is_some_and(|placement| placement.origin == Origin::Adopted);
        let record = if adopted && drift == Some(Drift::InSync) {
            Some(record_of(&files(&tree).unwrap()))
        } else {
            is.record.clone()
        };
        let mut then = BTreeMap::new();
        if to == at {
            then.insert(at, Is { tree: Some(tree), record });
        } else {
            let (stays, goes) = if ours {
                (None, record)
            } else {
                (is.record.clone(), self.is[&to].record.clone())
            };
            then.insert(at, Is { tree: None, record: stays });
            then.insert(to, Is { tree: Some(tree), record: goes });
        }
        let must = Some(plan.blockers.is_empty());
        (Planned::Fix(Box::new(plan)), Some(vec![Part { then, named: at, must }]))
    }

    fn deed_with(&self, kind: Kind, at: &[Place]) -> Option<Expected> {
        let subjects = at.iter().map(|place| Subject {
            folder: place.folder(&self.home.dir),
            tools: vec![TOOLS[place.tool].to_owned()],
            user_owned: false,
        });
        let scanned = self.home.scanned();
        let plan = self.home.vault.plan_deed(kind, subjects.collect(), &scanned).unwrap();
        let mut parts = Vec::new();
        for item in &plan.items {
            let must = plan.blockers.is_empty() && item.action == DeedAction::Do;
            let place = Place::all().find(|place| place.folder(&self.home.dir) == item.folder);
            let link = |tree: &Tree| tree[""] != Node::Folder;
            let linked = place.is_none_or(|place| self.is[&place].tree.as_ref().is_some_and(link));
            if must && linked {
                return Some((Planned::Deed(Box::new(plan)), None));
            }
            // Nothing that the record does not know is removed.
            let Some(place) = place else { continue };
            let is = &self.is[&place];
            let drift = self.drift(place, is);
            let ours = matches!(drift, Some(Drift::InSync | Drift::Edited { .. } | Drift::Missing));
            assert!(!must || kind != Kind::Remove || ours, "{item:?} is not ours");
            let then = match kind {
                Kind::Adopt => {
                    let record = is.tree.as_ref().and_then(files).map(|files| record_of(&files));
                    Is { tree: is.tree.clone(), record }
                }
                // The record of something else than what is there stays.
                _ => Is { tree: None, record: is.record.clone().filter(|_| !ours) },
            };
            let then = BTreeMap::from([(place, then)]);
            parts.push(Part { then, named: place, must: Some(must) });
        }
        (parts.len() == plan.items.len()).then_some((Planned::Deed(Box::new(plan)), Some(parts)))
    }

    fn enable(&self, back: usize) -> Option<Expected> {
        let mut all = self.home.vault.aside().unwrap();
        let aside = all.remove(all.len().checked_sub(back + 1)?);
        let subject =
            Subject { folder: aside.kept.clone(), tools: aside.tools.clone(), user_owned: false };
        let scanned = self.home.scanned();
        let plan = self.home.vault.plan_deed(Kind::Enable, vec![subject], &scanned).unwrap();
        if fs::read_link(&aside.kept).is_ok() {
            return Some((Planned::Deed(Box::new(plan)), None));
        }
        let place = Place::of(&self.home.dir, &aside.folder);
        let must = plan.blockers.is_empty() && plan.items[0].action == DeedAction::Do;
        let free = self.is[&place].tree.is_none();
        assert_eq!(must, free, "{:?}", plan.items);
        let record = match &aside.placement {
            Some(placement) => Some(record_in(placement)),
            // A record of something that is gone stays as it is.
            None => self.is[&place].record.clone(),
        };
        let is = Is { tree: super::world::look(&aside.kept), record };
        let then = BTreeMap::from([(place, is)]);
        let parts = vec![Part { then, named: place, must: Some(must) }];
        Some((Planned::Deed(Box::new(plan)), Some(parts)))
    }

    fn batch(&self, deeds: &[Deed]) -> Option<Expected> {
        let mut planned = Vec::new();
        let mut parts = Some(Vec::new());
        for (one, expected) in deeds.iter().filter_map(|deed| self.plan(deed)) {
            planned.push(match one {
                Planned::Place(plan) => BatchPart::Place(*plan),
                Planned::Deed(plan) => BatchPart::Deed(*plan),
                Planned::Fix(plan) => BatchPart::Fix(*plan),
                Planned::Batch(_) | Planned::Undo(_) => continue,
            });
            match (&mut parts, expected) {
                (Some(parts), Some(expected)) => parts.extend(expected),
                _ => parts = None,
            }
        }
        if planned.is_empty() {
            return None;
        }
        // One part may stand in the way of another.
        for part in parts.iter_mut().flatten() {
            part.must = None;
        }
        let batch = self.home.vault.plan_batch(planned).unwrap();
        Some((Planned::Batch(Box::new(batch)), parts))
    }
}

/// What a placement says was installed.
pub(super) fn record_in(placement: &vault::placement::Placement) -> Record {
    let files = placement.installed.files().iter();
    files.map(|file| (file.path.clone(), file.digest.hex())).collect()
}
