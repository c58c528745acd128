//! After a crash at any step a skill is whole, the old one or the new one, and the record agrees.

use skills::fix::Fix;

use super::fixing::{QUOTED, WRONG, plan as plan_fixes, quote, rename};
use super::*;
use crate::activity::ActivityKind;
use crate::apply::Step;
use crate::drift::Drift;

const URI: &str = "skill://pdf/SKILL.md";
const NEW: [(&str, &str); 3] = [("SKILL.md", PDF), ("a.txt", "a"), ("b/c.txt", "c")];
const OLD: [(&str, &str); 2] = [("SKILL.md", "mine"), ("notes.txt", "mine too")];

const STEPS: [Step; 9] = [
    Step::Journaled,
    Step::RootMade,
    Step::HalfStaged,
    Step::Staged,
    Step::SwapJournaled,
    Step::Swapped,
    Step::OldKept,
    Step::Flushed,
    Step::Committed,
];

/// From this step on the change is completed, before it is taken back.
fn is_done(step: Step) -> bool {
    matches!(step, Step::Swapped | Step::OldKept | Step::Flushed | Step::Committed)
}

fn with_folders(files: &[(&str, &str)]) -> BTreeMap<String, String> {
    let mut all = tree(files);
    if all.contains_key("b/c.txt") {
        all.insert("b/".to_owned(), String::new());
    }
    all
}

fn crash_at(home: &Home, step: Step) {
    *home.vault.points.crash_after.lock().unwrap() = Some(step);
}

fn expected(step: Step, home: &Home, folder: &Path) -> Vec<Recovered> {
    let (name, folder) = ("pdf".to_owned(), folder.to_owned());
    assert!(folder.starts_with(home.path("")));
    match step {
        Step::Committed => Vec::new(),
        step if is_done(step) => vec![Recovered::Finished { name, folder }],
        _ => vec![Recovered::TakenBack { name, folder }],
    }
}

fn assert_told(home: &Home, recovered: &[Recovered]) {
    let told = home
        .vault
        .activity(10)
        .unwrap()
        .iter()
        .filter(|row| row.kind == ActivityKind::Recovered)
        .count();
    assert_eq!(told, recovered.len());
}

#[test]
fn an_install_that_crashes_is_there_whole_or_not_at_all() {
    for step in STEPS {
        let home = Home::new();
        let server = home.server();
        let source = home.approved(&server, URI, &NEW, false);
        let folder = home.root("c").join("pdf");
        let plan = home.plan(source, vec![target(&home, "c", OnConflict::Keep)]);
        crash_at(&home, step);
        home.vault.apply(&plan, &mut |_| ControlFlow::Continue(())).unwrap_err();
        let (home, recovered) = home.reopen();
        assert_eq!(recovered, expected(step, &home, &folder), "{step:?}");
        if is_done(step) {
            assert_eq!(home.tree(&folder), with_folders(&NEW), "{step:?}");
            let placements = home.vault.placements().unwrap();
            assert_eq!(
                (placements.len(), Drift::on_disk(&placements[0])),
                (1, Drift::InSync),
                "{step:?}"
            );
            let change = home.vault.last_change().unwrap().unwrap();
            assert_eq!(results(&home.vault.undo(&change).unwrap()), [ItemResult::Undone]);
        }
        assert!(!home.path(".c").exists(), "{step:?}");
        assert!(home.vault.placements().unwrap().is_empty());
        assert_told(&home, &recovered);
        home.assert_tidy();
    }
}

#[test]
fn a_replacement_that_crashes_leaves_the_old_one_or_the_new_one_whole() {
    for step in STEPS {
        let home = Home::new();
        let server = home.server();
        let source = home.approved(&server, URI, &NEW, false);
        let folder = home.root("a").join("pdf");
        home.write(&folder, &OLD);
        let plan = home.plan(source, vec![target(&home, "a", OnConflict::Replace)]);
        crash_at(&home, step);
        home.vault.apply(&plan, &mut |_| ControlFlow::Continue(())).unwrap_err();
        let (home, recovered) = home.reopen();
        assert_eq!(recovered, expected(step, &home, &folder), "{step:?}");
        if is_done(step) {
            assert_eq!(home.tree(&folder), with_folders(&NEW), "{step:?}");
            assert_eq!(
                home.tree(&home.vault.trash().unwrap()[0].kept),
                with_folders(&OLD),
                "{step:?}"
            );
            assert_eq!(
                Drift::on_disk(&home.vault.placements().unwrap()[0]),
                Drift::InSync,
                "{step:?}"
            );
            let change = home.vault.last_change().unwrap().unwrap();
            assert_eq!(results(&home.vault.undo(&change).unwrap()), [ItemResult::Undone]);
        } else {
            assert!(home.vault.trash().unwrap().is_empty(), "{step:?}");
        }
        assert_eq!(home.tree(&folder), with_folders(&OLD), "{step:?}");
        assert!(home.vault.placements().unwrap().is_empty());
        assert_told(&home, &recovered);
        home.assert_tidy();
    }
}

#[test]
fn an_undo_that_crashes_has_taken_back_or_has_not() {
    let steps = [Step::SwapJournaled, Step::Swapped, Step::OldKept, Step::Flushed, Step::Committed];
    for step in steps {
        for old in [None, Some(OLD)] {
            let home = Home::new();
            let server = home.server();
            let source = home.approved(&server, URI, &NEW, false);
            let folder = home.root("a").join("pdf");
            if let Some(old) = old {
                home.write(&folder, &old);
            }
            let before = home.tree(&home.root("a"));
            let change =
                home.apply(&home.plan(source, vec![target(&home, "a", OnConflict::Replace)]));
            crash_at(&home, step);
            home.vault.undo(&change.id).unwrap_err();
            let (home, recovered) = home.reopen();
            assert_eq!(recovered, expected(step, &home, &folder), "{step:?}");
            if !is_done(step) {
                assert_eq!(home.tree(&folder), with_folders(&NEW), "{step:?}");
                assert_eq!(
                    Drift::on_disk(&home.vault.placements().unwrap()[0]),
                    Drift::InSync,
                    "{step:?}"
                );
                assert_eq!(results(&home.vault.undo(&change.id).unwrap()), [ItemResult::Undone]);
            }
            assert_eq!(home.tree(&home.root("a")), before, "{step:?}");
            assert!(home.vault.placements().unwrap().is_empty());
            assert_eq!(home.vault.last_change().unwrap(), None);
            home.assert_tidy();
        }
    }
}

#[test]
fn a_bulk_change_that_crashes_keeps_the_items_that_were_done() {
    let home = Home::new();
    let server = home.server();
    let source = home.approved(&server, URI, &NEW, false);
    home.write(&home.root("b").join("pdf"), &OLD);
    let targets = ["a", "b"].map(|tool| target(&home, tool, OnConflict::Replace));
    let plan = home.plan(source, targets.to_vec());
    let mut calls = 0;
    home.vault
        .apply(&plan, &mut |_| {
            calls += 1;
            if calls == 5 {
                crash_at(&home, Step::Staged);
            }
            ControlFlow::Continue(())
        })
        .unwrap_err();
    let (home, recovered) = home.reopen();
    assert_eq!(recovered, expected(Step::Staged, &home, &home.root("b").join("pdf")));
    assert_eq!(home.tree(&home.root("a").join("pdf")), with_folders(&NEW));
    assert_eq!(home.tree(&home.root("b").join("pdf")), with_folders(&OLD));
    assert_eq!(home.vault.placements().unwrap().len(), 1);
    let change = home.vault.last_change().unwrap().unwrap();
    assert_eq!(results(&home.vault.undo(&change).unwrap()), [ItemResult::Undone]);
    assert!(home.tree(&home.root("a")).is_empty());
}

#[test]
fn a_crash_between_two_renames_is_completed() {
    let home = Home::new();
    let server = home.server();
    let source = home.approved(&server, URI, &NEW, false);
    let folder = home.root("a").join("pdf");
    home.write(&folder, &OLD);
    let plan = home.plan(source, vec![target(&home, "a", OnConflict::Replace)]);
    crash_at(&home, Step::SwapJournaled);
    home.vault.apply(&plan, &mut |_| ControlFlow::Continue(())).unwrap_err();
    // A disk without an exchange: the first of the two renames was made.
    let (_, pending) = home.vault.pending().unwrap().remove(0);
    let kept = pending.outgoing.unwrap().kept;
    fs::create_dir_all(kept.parent().unwrap()).unwrap();
    fs::rename(&folder, &kept).unwrap();
    let (home, recovered) = home.reopen();
    assert_eq!(recovered, [Recovered::Finished { name: "pdf".to_owned(), folder: folder.clone() }]);
    assert_eq!(home.tree(&folder), with_folders(&NEW));
    assert_eq!(home.tree(&kept), with_folders(&OLD));
    home.assert_tidy();
}

#[test]
fn an_old_skill_is_put_back_when_the_new_one_was_lost_between_two_renames() {
    let home = Home::new();
    let server = home.server();
    let source = home.approved(&server, URI, &NEW, false);
    let folder = home.root("a").join("pdf");
    home.write(&folder, &OLD);
    let plan = home.plan(source, vec![target(&home, "a", OnConflict::Replace)]);
    crash_at(&home, Step::SwapJournaled);
    home.vault.apply(&plan, &mut |_| ControlFlow::Continue(())).unwrap_err();
    let (_, pending) = home.vault.pending().unwrap().remove(0);
    let kept = pending.outgoing.unwrap().kept;
    fs::create_dir_all(kept.parent().unwrap()).unwrap();
    fs::rename(&folder, &kept).unwrap();
    fs::remove_dir_all(pending.incoming.unwrap().path).unwrap();
    let (home, recovered) = home.reopen();
    assert_eq!(
        recovered,
        [Recovered::TakenBack { name: "pdf".to_owned(), folder: folder.clone() }]
    );
    assert_eq!(home.tree(&folder), with_folders(&OLD));
    assert!(home.vault.trash().unwrap().is_empty());
    home.assert_tidy();
}

#[test]
fn a_change_whose_disk_is_away_waits_and_stops_nothing() {
    let home = Home::new();
    let server = home.server();
    let source = home.approved(&server, URI, &NEW, false);
    let folder = home.root("a").join("pdf");
    let plan = home.plan(source.clone(), vec![target(&home, "a", OnConflict::Replace)]);
    crash_at(&home, Step::Swapped);
    home.vault.apply(&plan, &mut |_| ControlFlow::Continue(())).unwrap_err();
    fs::rename(home.root("a"), home.path("away")).unwrap();
    let (home, recovered) = home.reopen();
    assert_eq!(recovered, [Recovered::Waiting { name: "pdf".to_owned(), folder: folder.clone() }]);
    let both = ["a", "b"].map(|tool| target(&home, tool, OnConflict::Replace));
    let change = home.apply(&home.plan(source, both.to_vec()));
    assert_eq!(results(&change), [ItemResult::Failed, ItemResult::Written]);
    assert_eq!(
        error(&change, 0),
        format!("an interrupted change of {} is not finished yet", folder.display())
    );
    fs::rename(home.path("away"), home.root("a")).unwrap();
    let (home, recovered) = home.reopen();
    assert_eq!(recovered, [Recovered::Finished { name: "pdf".to_owned(), folder }]);
    assert_eq!(home.vault.placements().unwrap().len(), 2);
}

/// The three kinds of fixes, what each makes of a folder `documents`, and its steps.
fn fixes() -> [(Vec<Fix>, &'static str, &'static str, &'static [Step]); 3] {
    const STAGED: &[Step] = &[
        Step::Journaled,
        Step::HalfStaged,
        Step::Staged,
        Step::SwapJournaled,
        Step::Swapped,
        Step::OldKept,
        Step::Flushed,
        Step::Committed,
    ];
    const MOVED: &[Step] = &[
        Step::Journaled,
        Step::SwapJournaled,
        Step::Swapped,
        Step::OldKept,
        Step::Flushed,
        Step::Committed,
    ];
    [
        (vec![quote()], "documents", QUOTED, STAGED),
        (vec![quote(), rename("pdf")], "pdf", QUOTED, STAGED),
        (vec![rename("pdf")], "pdf", WRONG, MOVED),
    ]
}

fn skill(name: &str, skill_md: &str) -> BTreeMap<String, String> {
    let folder = format!("{name}/");
    let main = format!("{name}/SKILL.md");
    let (inner, file) = (format!("{name}/b/"), format!("{name}/b/c.txt"));
    tree(&[(&folder, ""), (&main, skill_md), (&inner, ""), (&file, "c")])
}

fn told(step: Step, name: &str, old: &Path, new: &Path) -> Vec<Recovered> {
    let name = name.to_owned();
    match step {
        Step::Committed => Vec::new(),
        step if is_done(step) => vec![Recovered::Finished { name, folder: new.to_owned() }],
        _ => vec![Recovered::TakenBack { name, folder: old.to_owned() }],
    }
}

/// A skill called `documents`, made by hand or installed.
fn documents(home: &Home, installed: bool) -> PathBuf {
    let folder = home.root("a").join("documents");
    let files = [("SKILL.md", WRONG), ("b/c.txt", "c")];
    if installed {
        let server = home.server();
        let source = home.approved(&server, "skill://documents/SKILL.md", &files, false);
        home.apply(&home.plan(source, vec![target(home, "a", OnConflict::Keep)]));
    } else {
        home.write(&folder, &files);
    }
    folder
}

#[test]
fn a_fix_that_crashes_is_made_whole_or_not_at_all() {
    for ((fixes, name, text, steps), installed) in
        fixes().into_iter().flat_map(|fix| [(fix.clone(), false), (fix, true)])
    {
        for &step in steps {
            let home = Home::new();
            let folder = documents(&home, installed);
            let there = home.root("a").join(name);
            let record = home.vault.placements().unwrap();
            let before = home.vault.last_change().unwrap();
            let plan = plan_fixes(&home, &folder, &fixes);
            crash_at(&home, step);
            assert!(home.vault.apply_fixes(&plan).unwrap_err().is_crash(), "{step:?} is no step");
            let (home, recovered) = home.reopen();
            let what = format!("{step:?} of {fixes:?}");
            assert_eq!(recovered, told(step, "documents", &folder, &there), "{what}");
            assert_told(&home, &recovered);
            if is_done(step) {
                assert_eq!(home.tree(&home.root("a")), skill(name, text), "{what}");
                let drift: Vec<_> =
                    home.vault.placements().unwrap().iter().map(Drift::on_disk).collect();
                let edited = Drift::Edited { only_line_endings: false };
                let is = if text == WRONG { Drift::InSync } else { edited };
                assert_eq!(drift, if installed { vec![is] } else { Vec::new() }, "{what}");
                let change = home.vault.last_change().unwrap().unwrap();
                assert_eq!(results(&home.vault.undo(&change).unwrap()), [ItemResult::Undone]);
            } else {
                assert!(home.vault.trash().unwrap().is_empty(), "{what}");
            }
            assert_eq!(home.tree(&home.root("a")), skill("documents", WRONG), "{what}");
            assert_eq!(home.vault.placements().unwrap(), record, "{what}");
            assert_eq!(home.vault.last_change().unwrap(), before, "{what}");
            home.assert_tidy();
        }
    }
}

#[test]
fn an_undo_of_a_fix_that_crashes_has_taken_back_or_has_not() {
    let steps = [Step::SwapJournaled, Step::Swapped, Step::OldKept, Step::Flushed, Step::Committed];
    for (fixes, name, text, _) in fixes() {
        for step in steps {
            let home = Home::new();
            let folder = documents(&home, true);
            let there = home.root("a").join(name);
            let record = home.vault.placements().unwrap();
            let change = home.vault.apply_fixes(&plan_fixes(&home, &folder, &fixes)).unwrap();
            let fixed = home.vault.placements().unwrap();
            crash_at(&home, step);
            home.vault.undo(&change.id).unwrap_err();
            let (home, recovered) = home.reopen();
            let what = format!("{step:?} of {fixes:?}");
            assert_eq!(recovered, told(step, "documents", &there, &folder), "{what}");
            if !is_done(step) {
                assert_eq!(home.tree(&home.root("a")), skill(name, text), "{what}");
                assert_eq!(home.vault.placements().unwrap(), fixed, "{what}");
                assert_eq!(results(&home.vault.undo(&change.id).unwrap()), [ItemResult::Undone]);
            }
            assert_eq!(home.tree(&home.root("a")), skill("documents", WRONG), "{what}");
            assert_eq!(home.vault.placements().unwrap(), record, "{what}");
            home.assert_tidy();
        }
    }
}

/// Ends a fix with a new name when both folders are there.
fn both_there(home: &Home) -> (PathBuf, PathBuf) {
    let folder = documents(home, false);
    let plan = plan_fixes(home, &folder, &[quote(), rename("pdf")]);
    crash_at(home, Step::Swapped);
    home.vault.apply_fixes(&plan).unwrap_err();
    let there = home.root("a").join("pdf");
    assert!(folder.is_dir() && there.is_dir());
    (folder, there)
}

#[test]
fn an_old_folder_that_was_written_to_after_a_crash_stays() {
    let home = Home::new();
    let (folder, _) = both_there(&home);
    home.write(&folder, &[("b/c.txt", "mine")]);
    let (home, recovered) = home.reopen();
    assert_eq!(recovered, [Recovered::TakenBack { name: "documents".to_owned(), folder }]);
    let mut mine = skill("documents", WRONG);
    mine.insert("documents/b/c.txt".to_owned(), "mine".to_owned());
    assert_eq!(home.tree(&home.root("a")), mine);
    home.assert_tidy();
}

#[test]
fn of_two_folders_that_were_written_to_after_a_crash_none_is_lost() {
    let home = Home::new();
    let (folder, there) = both_there(&home);
    home.write(&folder, &[("b/c.txt", "mine")]);
    home.write(&there, &[("b/c.txt", "mine too")]);
    let (home, recovered) = home.reopen();
    assert_eq!(
        recovered,
        [Recovered::Finished { name: "documents".to_owned(), folder: there.clone() }]
    );
    assert_eq!(fs::read_to_string(there.join("b/c.txt")).unwrap(), "mine too");
    let kept = home.vault.trash().unwrap()[0].kept.clone();
    assert_eq!(fs::read_to_string(kept.join("b/c.txt")).unwrap(), "mine");
    home.assert_tidy();
}

#[test]
fn an_old_folder_that_was_removed_after_a_crash_stops_nothing() {
    let home = Home::new();
    let (folder, there) = both_there(&home);
    fs::remove_dir_all(&folder).unwrap();
    let (home, recovered) = home.reopen();
    assert_eq!(recovered, [Recovered::Finished { name: "documents".to_owned(), folder: there }]);
    assert_eq!(home.tree(&home.root("a")), skill("pdf", QUOTED));
    home.assert_tidy();
}
