//! One walk: each step is done to a real vault and told to the model, then both are compared.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use proptest::test_runner::TestCaseError;
use skills::digest::Digest;
use vault::batch::Part as BatchPart;
use vault::change::{Change, ItemResult};
use vault::drift::Drift;
use vault::{Recovered, VaultError};

use super::planning::{Part, Planned, record_in};
use super::steps::{Deed, Edit, Meanwhile, Place, Step};
use super::world::{Files, everything, files, is_ours, look, outside};
use crate::support::{Home, Node, Tree, scratch, write};

/// What the record says of a place: the digests of what was installed.
pub(super) type Record = BTreeMap<String, String>;

/// What is at a place, and what is recorded of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Is {
    pub(super) tree: Option<Tree>,
    pub(super) record: Option<Record>,
}

/// How places are.
type Places = BTreeMap<Place, Is>;

/// A part that was done, and how to tell whether it can be taken back.
#[derive(Debug, Clone)]
pub(super) struct Done {
    before: Places,
    after: Places,
    named: Place,
    at: usize,
    /// When each of its places was touched last before it.
    touched: BTreeMap<Place, usize>,
    pub(super) undone: bool,
}

pub(super) struct Made {
    id: String,
    pub(super) parts: Vec<Done>,
    /// It has to do with links.
    pub(super) loose: bool,
}

/// What somebody else did: the place, as it was, and as it is since.
type Theirs = (Place, Option<Tree>, Option<Tree>);

pub(super) struct Walk {
    pub(super) home: Home,
    /// As it should be.
    pub(super) is: Places,
    pub(super) made: Vec<Made>,
    /// Counts steps; each edit writes its own number.
    pub(super) now: usize,
    /// When a place was last changed in more than its times and bits.
    touched: BTreeMap<Place, usize>,
    /// When the trash was last pruned.
    pruned: usize,
}

macro_rules! ensure {
    ($holds:expr, $($why:tt)*) => {
        if !$holds {
            return Err(format!($($why)*));
        }
    };
}

/// Takes one walk.
pub(super) fn walk(steps: Vec<Step>) -> Result<(), TestCaseError> {
    let dir = scratch();
    let home = Home::new(dir.path());
    write(&home.dir.join("elsewhere"), &[("SKILL.md", "elsewhere\n")]);
    let elsewhere = look(&home.dir.join("elsewhere"));
    let is = Place::all().map(|place| (place, Is { tree: None, record: None })).collect();
    let mut walk = Walk { home, is, made: Vec::new(), now: 0, touched: BTreeMap::new(), pruned: 0 };
    for (number, step) in (1..).zip(&steps) {
        walk.now += 1;
        walk.take(step)
            .and_then(|()| walk.agree())
            .map_err(|why| TestCaseError::fail(format!("step {number}, {step:?}: {why}")))?;
    }
    if look(&walk.home.dir.join("elsewhere")) != elsewhere {
        return Err(TestCaseError::fail("something was written through a link"));
    }
    Ok(())
}

pub(super) fn record_of(files: &Files) -> Record {
    files.iter().map(|(path, text)| (path.clone(), Digest::of(text.as_bytes()).hex())).collect()
}

fn is_crash(error: &VaultError) -> bool {
    error.to_string().starts_with("crashed after")
}

impl Walk {
    fn take(&mut self, step: &Step) -> Result<(), String> {
        match step {
            Step::Outside(place, edit) => {
                self.edit(*place, *edit);
                Ok(())
            }
            Step::Restart => {
                let recovered = self.restart();
                ensure!(recovered.is_empty(), "something to recover: {recovered:?}");
                Ok(())
            }
            Step::Prune { how_many } => self.prune(*how_many),
            Step::Vault(deed, meanwhile) => self.deed(deed, meanwhile),
        }
    }

    fn restart(&mut self) -> Vec<Recovered> {
        let (home, recovered) = Home::open(&self.home.dir);
        self.home = home;
        recovered
    }

    /// Somebody else's work: what is there afterwards is what the person has.
    fn edit(&mut self, place: Place, edit: Edit) -> Theirs {
        let theirs = edited(&self.home.dir, place, edit, self.now);
        self.noticed(&theirs);
        theirs
    }

    fn noticed(&mut self, (place, before, after): &Theirs) {
        // Whoever only touches the times or bits has changed nothing of a skill.
        let same = before.as_ref().and_then(files) == after.as_ref().and_then(files)
            && before.is_some() == after.is_some();
        if !same {
            self.touched.insert(*place, self.now);
        }
        self.is.get_mut(place).unwrap().tree = look(&place.folder(&self.home.dir));
    }

    fn prune(&mut self, how_many: usize) -> Result<(), String> {
        let mut trash = self.home.vault.trash().unwrap();
        trash.sort_by_key(|trashed| trashed.at);
        let Some(first_to_stay) = trash.get(how_many) else { return Ok(()) };
        let mut expected = everything(&self.home);
        for gone in &trash[..how_many] {
            *expected.get_mut(&look(&gone.kept).unwrap()).unwrap() -= 1;
        }
        self.home.vault.prune_trash(first_to_stay.at).unwrap();
        self.pruned = self.now;
        self.kept(&expected)
    }

    /// Everything that was somewhere is somewhere still.
    fn kept(&self, expected: &BTreeMap<Tree, usize>) -> Result<(), String> {
        let now = everything(&self.home);
        for (tree, &times) in expected {
            let has = now.get(tree).copied().unwrap_or(0);
            ensure!(has >= times, "LOST, {has} of {times} are left of {tree:?}");
        }
        Ok(())
    }

    /// How a part that was done is to be taken back: what somebody changed since must stay, and what
    /// nobody touched must be possible.
    pub(super) fn undoing(&self, done: &Done) -> Part {
        let changed = |(place, after): (&Place, &Is)| match (&self.is[place].tree, &after.tree) {
            (Some(now), Some(then)) => files(now) != files(then),
            _ => false,
        };
        let is_changed = done.after.iter().any(changed);
        let mut part = Part { then: done.before.clone(), named: done.named, must: None };
        // What is only moved back, or only leaves the record, stays as it is now, with its times and
        // bits.
        for (place, is) in &mut part.then {
            let whole =
                done.after.iter().find(|(_, after)| is.tree.is_some() && after.tree == is.tree);
            let Some((at, _)) = whole else { continue };
            if *at == *place || !is_changed {
                is.tree.clone_from(&self.is[at].tree);
            }
        }
        let only_record = done.before.iter().all(|(place, is)| is.tree == done.after[place].tree);
        if is_changed && !only_record {
            part.must = Some(false);
        }
        let untouched = |place| self.touched.get(place).is_none_or(|&last| last <= done.at);
        if !is_changed && done.before.keys().all(untouched) && self.pruned < done.at {
            part.must = Some(true);
        }
        part
    }

    /// The same of all that is left of a change; `None` where it has to do with links.
    pub(super) fn undoing_all(&self, made: usize) -> Option<Vec<Part>> {
        let made = &self.made[made];
        let left = made.parts.iter().filter(|part| !part.undone);
        (!made.loose).then(|| left.map(|done| self.undoing(done)).collect())
    }

    /// How a place differs from its record.
    pub(super) fn drift(&self, place: Place, is: &Is) -> Option<Drift> {
        let record = is.record.as_ref()?;
        let Some(tree) = &is.tree else { return Some(Drift::Missing) };
        if tree[""] != Node::Folder {
            return Some(Drift::Replaced);
        }
        let folder = place.folder(&self.home.dir);
        let placement = self.home.vault.placement(&folder).unwrap()?;
        let same_folder = placement.found.inode == inode(&folder);
        let Some(now) = files(tree) else {
            let edited = Drift::Edited { only_line_endings: false };
            return Some(if same_folder { edited } else { Drift::Replaced });
        };
        if record_of(&now) == *record {
            return Some(Drift::InSync);
        }
        let unix = |text: &String| text.replace("\r\n", "\n");
        let only_line_endings =
            record_of(&now.iter().map(|(path, text)| (path.clone(), unix(text))).collect())
                == *record;
        let edited = Drift::Edited { only_line_endings };
        Some(if same_folder || only_line_endings { edited } else { Drift::Replaced })
    }

    /// Has the vault do something, and compares.
    fn deed(&mut self, deed: &Deed, meanwhile: &Meanwhile) -> Result<(), String> {
        let Some((planned, mut parts)) = self.plan(deed) else { return Ok(()) };
        let mut expected = everything(&self.home);
        let mut theirs: Vec<Theirs> = Vec::new();
        if let Meanwhile::Before(place, edit) = meanwhile {
            theirs.push(self.edit(*place, *edit));
            if let Planned::Undo(at) = &planned {
                parts = self.undoing_all(*at);
            }
        }
        let written = self.hook(meanwhile);
        let outcome = self.carry_out(&planned);
        self.home.vault.at_each_step(|_| false);
        let crashed = outcome.as_ref().is_err_and(is_crash);
        let recovered = if crashed { self.restart() } else { Vec::new() };
        let during = std::mem::take(&mut *written.lock().unwrap());
        theirs.extend(during.iter().cloned());
        for (_, before, after) in &theirs {
            if let Some(times) = before.as_ref().and_then(|before| expected.get_mut(before)) {
                *times = times.saturating_sub(1);
            }
            if let Some(after) = after {
                *expected.entry(after.clone()).or_insert(0) += 1;
            }
        }
        self.kept(&expected)?;
        let change = outcome.as_ref().ok();
        if let Some(parts) = &mut parts {
            // Who writes in between may have made it impossible.
            if !matches!(meanwhile, Meanwhile::Nothing) {
                parts.iter_mut().for_each(|part| part.must = None);
            }
            let mut disturbed: Vec<Place> = during.iter().map(|(place, ..)| *place).collect();
            // Nobody notices who only sets a bit, and what is written then may or may not have it.
            if let Meanwhile::Before(place, Edit::Executable) = meanwhile {
                disturbed.push(*place);
            }
            let done = self.judge(parts, change, crashed, &disturbed)?;
            for one in &recovered {
                let finished = matches!(one, Recovered::Finished { .. });
                let taken_back = matches!(one, Recovered::TakenBack { .. });
                ensure!(finished || taken_back, "{one}");
                ensure!(!finished || !done.is_empty(), "{one}, but it is as before");
            }
            self.remember(&planned, done, change, &disturbed);
        } else {
            self.believe(&planned, change)?;
        }
        self.now += 1;
        for one in &during {
            self.noticed(one);
        }
        for (place, is) in &mut self.is {
            is.tree = look(&place.folder(&self.home.dir));
        }
        Ok(())
    }

    /// What happens at the steps on the way.
    fn hook(&self, meanwhile: &Meanwhile) -> Arc<Mutex<Vec<Theirs>>> {
        let written = Arc::default();
        let steps = Mutex::new(0_usize);
        let turn = move |at: usize| {
            let mut steps = steps.lock().unwrap();
            *steps += 1;
            *steps == at + 1
        };
        match *meanwhile {
            Meanwhile::Nothing | Meanwhile::Before(..) => {}
            Meanwhile::Crash(at) => self.home.vault.at_each_step(move |_| turn(at)),
            Meanwhile::During(at, place, edit) => {
                let (dir, number) = (self.home.dir.clone(), self.now);
                let theirs: Arc<Mutex<Vec<Theirs>>> = Arc::clone(&written);
                self.home.vault.at_each_step(move |_| {
                    if turn(at) {
                        theirs.lock().unwrap().push(edited(&dir, place, edit, number));
                    }
                    false
                });
            }
        }
        written
    }

    fn carry_out(&self, planned: &Planned) -> Result<Change, VaultError> {
        let vault = &self.home.vault;
        match planned {
            Planned::Place(plan) => self.home.apply(plan),
            Planned::Fix(plan) => vault.apply_fixes(plan),
            Planned::Deed(plan) => {
                let batch = vault.plan_batch(vec![BatchPart::Deed((**plan).clone())])?;
                vault.apply_batch(&batch, &mut |_| ControlFlow::Continue(()))
            }
            Planned::Batch(batch) => vault.apply_batch(batch, &mut |_| ControlFlow::Continue(())),
            Planned::Undo(at) => vault.undo(&self.made[*at].id),
        }
    }

    /// Compares every place with what may be there; says which parts were done, each with how its
    /// places were before.
    fn judge(
        &mut self,
        parts: &[Part],
        change: Option<&Change>,
        crashed: bool,
        disturbed: &[Place],
    ) -> Result<Vec<(Places, Part)>, String> {
        let outcomes: Vec<_> =
            (0..parts.len()).map(|at| change.and_then(|change| change.items.get(at))).collect();
        let claims = |at: usize| {
            outcomes[at]
                .is_some_and(|item| !matches!(item.result, ItemResult::Failed | ItemResult::Kept))
        };
        // A place that two parts wanted is that of the one that got it.
        let came = |part: &Part| {
            let is_so = |(place, is): (&Place, &Is)| self.seen(*place) == *is;
            part.then.iter().all(is_so) && part.then.iter().any(|(place, is)| self.is[place] != *is)
        };
        let mut order: Vec<usize> = (0..parts.len()).collect();
        order.sort_by_key(|&at| !(claims(at) || crashed && came(&parts[at])));
        let mut judged: BTreeSet<Place> = BTreeSet::new();
        let mut done = Vec::new();
        for at in order {
            let part = &parts[at];
            let places = || part.then.keys();
            if places().any(|place| judged.contains(place)) {
                continue;
            }
            judged.extend(places());
            let now: Places = places().map(|place| (*place, self.seen(*place))).collect();
            let old: Places = places().map(|place| (*place, self.is[place].clone())).collect();
            let records = |all: &Places| -> Vec<Option<Record>> {
                all.values().map(|is| is.record.clone()).collect()
            };
            let is_done = if places().any(|place| disturbed.contains(place)) {
                // Somebody wrote there at the same time: only the record can be told.
                let (is, was, will) = (records(&now), records(&old), records(&part.then));
                ensure!(is == was || is == will, "the record is half: {now:?}");
                if crashed { is == will && is != was } else { claims(at) }
            } else if crashed {
                let whole = now == old || now == part.then || self.is_of_another(parts, &now);
                ensure!(whole, "half: {now:?}\nold {old:?}\nnew {part:?}");
                now == part.then && now != old
            } else {
                let should = if claims(at) { &part.then } else { &old };
                let outcome = outcomes[at];
                ensure!(now == *should, "{outcome:?}, but it is {now:?}\nshould be {should:?}");
                claims(at)
            };
            if let Some(must) = part.must {
                ensure!(is_done == must, "must be done: {must}, but {:?}", outcomes[at]);
            }
            for (place, is) in &now {
                self.is.get_mut(place).unwrap().record.clone_from(&is.record);
            }
            if is_done {
                done.push((at, old, part.clone()));
            }
        }
        for place in Place::all() {
            if judged.contains(&place) || disturbed.contains(&place) {
                continue;
            }
            let (now, was) = (self.seen(place), &self.is[&place]);
            ensure!(now == *was, "{place:?} is not concerned and became {now:?}, was {was:?}");
        }
        done.sort_by_key(|(at, ..)| *at);
        Ok(done.into_iter().map(|(_, old, part)| (old, part)).collect())
    }

    /// Whether the places are as another part of a batch wants them.
    fn is_of_another(&self, parts: &[Part], now: &Places) -> bool {
        now.iter().all(|(place, is)| {
            *is == self.is[place] || parts.iter().any(|part| part.then.get(place) == Some(is))
        })
    }

    /// What the disk and the record say of a place.
    fn seen(&self, place: Place) -> Is {
        let folder = place.folder(&self.home.dir);
        let placement = self.home.vault.placement(&folder).unwrap();
        Is { tree: look(&folder), record: placement.as_ref().map(record_in) }
    }

    /// Takes what there is for right, where links are made or changed.
    fn believe(&mut self, planned: &Planned, change: Option<&Change>) -> Result<(), String> {
        for place in Place::all() {
            let now = self.seen(place);
            if now != self.is[&place] {
                self.touched.insert(place, self.now);
                self.is.insert(place, now);
            }
        }
        let Some(id) = self.home.vault.last_change().unwrap() else { return Ok(()) };
        if matches!(planned, Planned::Undo(_)) || self.made.iter().any(|made| made.id == id) {
            return Ok(());
        }
        ensure!(change.is_none_or(|change| change.id == id), "the newest change is another one");
        self.made.push(Made { id, parts: Vec::new(), loose: true });
        Ok(())
    }

    /// Remembers what was done, or that something was taken back.
    fn remember(
        &mut self,
        planned: &Planned,
        done: Vec<(Places, Part)>,
        change: Option<&Change>,
        disturbed: &[Place],
    ) {
        if let Planned::Undo(at) = planned {
            for (_, part) in done {
                let mut undone = self.made[*at].parts.iter_mut();
                let undone = undone.find(|one| one.named == part.named).unwrap();
                undone.undone = true;
                // What was done before it can be taken back again.
                for place in undone.before.keys() {
                    match undone.touched.get(place) {
                        Some(before) => self.touched.insert(*place, *before),
                        None => self.touched.remove(place),
                    };
                }
            }
            return;
        }
        if done.is_empty() {
            return;
        }
        let id = change.map(|change| change.id.clone());
        let id = id.unwrap_or_else(|| self.home.vault.last_change().unwrap().unwrap());
        let mut parts = Vec::new();
        for (before, part) in done {
            let places = part.then.keys();
            let touched = places
                .filter_map(|place| self.touched.get(place).map(|&last| (*place, last)))
                .collect();
            for place in part.then.keys() {
                self.touched.insert(*place, self.now);
            }
            let (after, named, at) = (part.then, part.named, self.now);
            parts.push(Done { before, after, named, at, touched, undone: false });
        }
        // What was there before is not known where somebody wrote at the same time.
        let known = |done: &Done| !done.before.keys().any(|place| disturbed.contains(place));
        let loose = !parts.iter().all(known);
        self.made.push(Made { id, parts: if loose { Vec::new() } else { parts }, loose });
    }

    /// The record and the disk agree, and with the model.
    fn agree(&self) -> Result<(), String> {
        let problems = self.home.problems();
        ensure!(problems.is_empty(), "{problems:?}");
        for (place, is) in &self.is {
            let now = self.seen(*place);
            ensure!(now == *is, "{place:?} is {now:?}\nshould be {is:?}");
            let folder = place.folder(&self.home.dir);
            let placement = self.home.vault.placement(&folder).unwrap();
            let drift = placement.as_ref().map(Drift::on_disk);
            let Some(copy) = placement.as_ref().and_then(|placement| placement.canonical()) else {
                ensure!(drift == self.drift(*place, is), "{place:?} is said to be {drift:?}");
                continue;
            };
            if is_ours(&self.home.dir, &folder) {
                ensure!(copy.is_dir(), "the link {place:?} leads to nothing");
                let known = matches!(drift, Some(Drift::InSync | Drift::Edited { .. }));
                ensure!(known, "the link {place:?} is said to be {drift:?}");
            }
        }
        Ok(())
    }
}

/// Somebody does something to a folder, or to what a link of ours leads to.
fn edited(home: &Path, place: Place, edit: Edit, number: usize) -> Theirs {
    let folder = place.folder(home);
    let behind = |folder: &PathBuf| match std::fs::read_link(folder) {
        Ok(leads) if is_ours(home, folder) && matches!(edit, Edit::ChangeFile) => leads,
        _ => folder.clone(),
    };
    let place_of_bytes = behind(&folder);
    let before = look(&place_of_bytes);
    outside(home, place, edit, number);
    (place, before, look(&place_of_bytes))
}

fn inode(path: &Path) -> Option<u64> {
    path.symlink_metadata().ok().map(|metadata| std::os::unix::fs::MetadataExt::ino(&metadata))
}
