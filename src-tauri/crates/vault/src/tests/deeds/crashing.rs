//! After a crash at any step of a deed, a skill is where it was or where it was to be, whole, and
//! the record agrees.

use super::*;
use crate::apply::Step;
use crate::drift::Drift;

const MOVED: [Step; 6] = [
    Step::Journaled,
    Step::SwapJournaled,
    Step::Swapped,
    Step::OldKept,
    Step::Flushed,
    Step::Committed,
];

const ADOPTED: [Step; 5] =
    [Step::Journaled, Step::SwapJournaled, Step::OldKept, Step::Flushed, Step::Committed];

const MADE: [Step; 7] = [
    Step::Journaled,
    Step::RootMade,
    Step::SwapJournaled,
    Step::Swapped,
    Step::OldKept,
    Step::Flushed,
    Step::Committed,
];

fn crash_at(home: &Home, step: Step) {
    *home.vault.points.crash_after.lock().unwrap() = Some(step);
}

/// Everything that tells one state from another.
type State = (
    BTreeMap<String, String>,
    Vec<crate::placement::Placement>,
    Vec<crate::deed::Aside>,
    Vec<BTreeMap<String, String>>,
);

fn state(home: &Home) -> State {
    let trash = home.vault.trash().unwrap();
    (
        home.tree(&home.path(".a")),
        home.vault.placements().unwrap(),
        home.vault.aside().unwrap(),
        trash.iter().map(|trashed| home.tree(&trashed.kept)).collect(),
    )
}

/// Does the deed, crashes at each step, and compares with a home where it did not crash.
fn crash(deed: Deed, steps: &[Step], prepare: impl Fn(&Home) -> PathBuf) {
    for &step in steps {
        let home = Home::new();
        let folder = prepare(&home);
        let before = state(&home);
        let planned = plan(&home, deed, &[&folder]);
        let batch = batch(&home, vec![Part::Deed(planned)]);
        crash_at(&home, step);
        let crashed = home.vault.apply_batch(&batch, &mut |_| ControlFlow::Continue(()));
        assert!(crashed.unwrap_err().is_crash(), "{deed:?} has no {step:?}");
        let (home, recovered) = home.reopen();
        let what = format!("{deed:?} at {step:?}");
        home.assert_tidy();
        assert_eq!(recovered.len(), usize::from(step != Step::Committed), "{what}");
        let after = state(&home);
        let is_done = match recovered.first() {
            None | Some(Recovered::Finished { .. }) => true,
            Some(Recovered::TakenBack { .. }) => false,
            other => panic!("{what}: {other:?}"),
        };
        if is_done {
            assert_ne!(after, before, "{what}");
            for placement in &after.1 {
                assert_eq!(Drift::on_disk(placement), Drift::InSync, "{what}");
            }
            for aside in &after.2 {
                assert_eq!(home.tree(&aside.kept), new(), "{what}");
                assert_eq!(aside.found.inode, crate::disk::inode(&aside.kept), "{what}");
            }
            let change = home.vault.last_change().unwrap().unwrap();
            assert_eq!(results(&home.vault.undo(&change).unwrap()), [ItemResult::Undone], "{what}");
        }
        let back = state(&home);
        assert_eq!((&back.0, &back.1), (&before.0, &before.1), "{what}");
        assert_eq!(back.2.len(), before.2.len(), "{what}");
        assert_eq!(back.3, before.3, "{what}");
        home.assert_tidy();
    }
}

#[test]
fn a_removal_that_crashes_is_done_or_not() {
    crash(Deed::Remove, &MOVED, |home| install(home).0);
}

#[test]
fn a_disabling_that_crashes_is_done_or_not() {
    crash(Deed::Disable, &MOVED, |home| install(home).0);
    crash(Deed::Disable, &MOVED, |home| by_hand(home, "mine"));
}

#[test]
fn an_enabling_that_crashes_is_done_or_not() {
    crash(Deed::Enable, &MOVED, |home| {
        let (folder, _) = install(home);
        done(home, Deed::Disable, &[&folder]);
        folder
    });
    crash(Deed::Enable, &MADE, |home| {
        let (folder, _) = install(home);
        done(home, Deed::Disable, &[&folder]);
        fs::remove_dir_all(home.path(".a")).unwrap();
        folder
    });
}

#[test]
fn an_adoption_that_crashes_is_done_or_not() {
    crash(Deed::Adopt, &ADOPTED, |home| by_hand(home, "mine"));
}

#[test]
fn an_adoption_that_crashes_is_taken_back_where_the_skill_changed_meanwhile() {
    let home = Home::new();
    let folder = by_hand(&home, "mine");
    let batch = batch(&home, vec![Part::Deed(plan(&home, Deed::Adopt, &[&folder]))]);
    crash_at(&home, Step::SwapJournaled);
    home.vault.apply_batch(&batch, &mut |_| ControlFlow::Continue(())).unwrap_err();
    home.write(&folder, &[("mine.txt", "mine")]);
    let (home, recovered) = home.reopen();
    assert_eq!(recovered, [Recovered::TakenBack { name: "pdf".to_owned(), folder }]);
    assert!(home.vault.placements().unwrap().is_empty());
}

#[test]
fn an_undo_of_a_deed_that_crashes_has_taken_back_or_has_not() {
    for deed in [Deed::Remove, Deed::Disable, Deed::Enable, Deed::Adopt] {
        let steps: &[Step] = if deed == Deed::Adopt { &ADOPTED } else { &MOVED };
        for &step in steps {
            let home = Home::new();
            let folder =
                if deed == Deed::Adopt { by_hand(&home, "mine") } else { install(&home).0 };
            if deed == Deed::Enable {
                done(&home, Deed::Disable, &[&folder]);
            }
            let before = state(&home);
            let change = done(&home, deed, &[&folder]);
            let after = state(&home);
            crash_at(&home, step);
            let what = format!("{deed:?} at {step:?}");
            assert!(home.vault.undo(&change.id).unwrap_err().is_crash(), "{what}");
            let (home, recovered) = home.reopen();
            home.assert_tidy();
            if matches!(recovered.first(), Some(Recovered::TakenBack { .. })) {
                assert_eq!(state(&home), after, "{what}");
                assert_eq!(results(&undo(&home, &change)), [ItemResult::Undone], "{what}");
            }
            assert_eq!(state(&home), before, "{what}");
        }
    }
}

#[test]
fn a_batch_that_crashes_keeps_what_was_done_and_one_undo_takes_it_back() {
    for step in MOVED {
        let home = Home::new();
        let (pdf, _) = install(&home);
        let mine = by_hand(&home, "mine");
        let third = by_hand(&home, "third");
        let before = state(&home);
        let parts = vec![
            Part::Deed(plan(&home, Deed::Remove, &[&pdf])),
            Part::Deed(plan(&home, Deed::Disable, &[&mine, &third])),
        ];
        let batch = batch(&home, parts);
        home.vault
            .apply_batch(&batch, &mut |progress| {
                if progress.folder == mine {
                    crash_at(&home, step);
                }
                ControlFlow::Continue(())
            })
            .unwrap_err();
        let (home, recovered) = home.reopen();
        assert!(!pdf.exists() && third.exists(), "{step:?}");
        let finished = !matches!(recovered.first(), Some(Recovered::TakenBack { .. }));
        assert_eq!(mine.exists(), !finished, "{step:?}");
        let rows = home.vault.activity(10).unwrap();
        let told = rows.iter().filter(|row| row.change.is_some() && !row.undone).count();
        assert_eq!(told, 2, "the install and the batch: {step:?}");
        let change = home.vault.last_change().unwrap().unwrap();
        let undone = home.vault.undo(&change).unwrap();
        assert_eq!(undone.items.len(), if finished { 2 } else { 1 }, "{step:?}");
        assert_eq!(state(&home), before, "{step:?}");
        home.assert_tidy();
    }
}

#[test]
fn a_disabled_skill_whose_disk_is_away_waits_for_it() {
    let home = Home::new();
    let (folder, _) = install(&home);
    done(&home, Deed::Disable, &[&folder]);
    let batch = batch(&home, vec![Part::Deed(plan(&home, Deed::Enable, &[&folder]))]);
    crash_at(&home, Step::SwapJournaled);
    home.vault.apply_batch(&batch, &mut |_| ControlFlow::Continue(())).unwrap_err();
    fs::remove_dir_all(home.path(".a")).unwrap();
    let (home, recovered) = home.reopen();
    assert_eq!(
        recovered,
        [Recovered::TakenBack { name: "pdf".to_owned(), folder: folder.clone() }]
    );
    assert_eq!(home.vault.aside().unwrap().len(), 1);
    assert_eq!(results(&done(&home, Deed::Enable, &[&folder])), [ItemResult::Enabled]);
}

#[test]
fn a_folder_that_somebody_else_made_first_is_not_taken_back() {
    let home = Home::new();
    let (folder, _) = install(&home);
    let about = crate::change::About::of(
        crate::change::Act::Enable,
        &home.vault.placement(&folder).unwrap().unwrap(),
    );
    let head = crate::change::ChangeHead::new("pdf".to_owned());
    let root = home.path("new/skills");
    let mut pending = crate::journal::Pending::of(&head, 0, about, &root.join("pdf"), &home.data());
    pending.created = vec![home.path("new"), root.clone(), root.join("x")];
    fs::create_dir(home.path("new")).unwrap();
    pending.make_created().unwrap_err();
    home.vault.take_back(&pending).unwrap();
    assert!(home.path("new").is_dir(), "it is not ours");
}
