//! Many changes as one.

use super::*;
use crate::activity::ActivityKind;
use crate::tests::fixing;

/// Skills of three kinds of change: installed `pdf`, hand-made `mine`, and `docx` to be installed.
fn several(home: &Home) -> (PathBuf, PathBuf, Vec<Part>) {
    let (pdf, _) = install(home);
    let mine = by_hand(home, "mine");
    let docx = home.path("docx");
    home.write(&docx, &[("SKILL.md", "---\nname: docx\ndescription: d\n---\n")]);
    let parts = vec![
        Part::Deed(plan(home, Deed::Remove, &[&pdf])),
        Part::Place(home.plan(home.local(&docx), vec![target(home, "b", OnConflict::Keep)])),
        Part::Deed(plan(home, Deed::Disable, &[&mine])),
    ];
    (pdf, mine, parts)
}

#[test]
fn a_batch_is_one_change_one_row_of_activity_and_one_undo() {
    let home = Home::new();
    let (pdf, mine, parts) = several(&home);
    let before = (home.tree(&home.root("a")), home.tree(&home.root("b")));
    let (rows, record) = (kinds(&home).len(), home.vault.placements().unwrap());
    let batch = batch(&home, parts);
    assert_eq!(batch.writes(), 3);
    let change = apply(&home, &batch);
    assert_eq!(results(&change), [ItemResult::Removed, ItemResult::Written, ItemResult::Disabled]);
    let names: Vec<_> = change.items.iter().map(|item| item.name.as_str()).collect();
    assert_eq!(names, ["pdf", "docx", "pdf"]);
    assert_eq!(change.name, "pdf and docx");
    assert!(!pdf.exists() && !mine.exists() && home.root("b").join("docx").exists());
    let told = kinds(&home);
    assert_eq!(told.len(), rows + 1);
    assert_eq!(
        told[0],
        (
            ActivityKind::Several,
            "pdf and docx".to_owned(),
            "1 placed, 1 removed, 1 disabled".to_owned()
        )
    );
    let row = &home.vault.activity(1).unwrap()[0];
    assert_eq!(row.folders, [pdf, home.root("b").join("docx"), mine]);
    let (home, _) = home.reopen();
    assert_eq!(home.vault.last_change().unwrap(), Some(change.id.clone()));
    assert_eq!(results(&undo(&home, &change)), [ItemResult::Undone; 3]);
    assert_eq!((home.tree(&home.root("a")), home.tree(&home.root("b"))), before);
    assert_eq!(home.vault.placements().unwrap(), record);
    assert!(home.vault.aside().unwrap().is_empty());
    home.assert_tidy();
}

#[test]
fn one_failure_never_stops_the_rest() {
    let home = Home::new();
    let (pdf, _, parts) = several(&home);
    let batch = batch(&home, parts);
    home.write(&pdf, &[("mine.txt", "mine")]);
    let change = apply(&home, &batch);
    assert_eq!(results(&change), [ItemResult::Failed, ItemResult::Written, ItemResult::Disabled]);
    assert_eq!(error(&change, 0), format!("{} changed since the preview", pdf.display()));
    assert_eq!(kinds(&home)[0].2, "1 placed, 1 disabled");
    assert_eq!(results(&undo(&home, &change)), [ItemResult::Undone; 2]);
}

#[test]
fn a_part_with_a_blocker_fails_by_itself() {
    let home = Home::new();
    let (_, _, mut parts) = several(&home);
    let server = home.vault.servers().unwrap().remove(0);
    let entry = home.offered(&server, "skill://new/SKILL.md", &[("SKILL.md", "x")]);
    let source =
        Source::Approved { server, entry: Box::new(entry), executable: Default::default() };
    parts.insert(0, Part::Place(home.plan(source, vec![target(&home, "b", OnConflict::Keep)])));
    let change = apply(&home, &batch(&home, parts));
    assert_eq!(
        results(&change),
        [ItemResult::Failed, ItemResult::Removed, ItemResult::Written, ItemResult::Disabled]
    );
    assert_eq!(error(&change, 0), "new from docs is not approved");
    assert_eq!(change.items[0].error.as_ref().unwrap().kind(), crate::ErrorKind::NotApproved);
}

#[test]
fn a_batch_that_is_stopped_keeps_what_was_done_and_begins_nothing_more() {
    let home = Home::new();
    let (pdf, mine, parts) = several(&home);
    let batch = batch(&home, parts);
    let mut last = None;
    let change = home
        .vault
        .apply_batch(&batch, &mut |progress| {
            last = Some((progress.done, progress.of));
            if progress.folder == pdf { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })
        .unwrap();
    assert_eq!(results(&change), [ItemResult::Removed, ItemResult::Failed, ItemResult::Failed]);
    assert_eq!(error(&change, 2), format!("stopped; {} is as it was", mine.display()));
    assert_eq!(last, Some((1, 3)), "a folder that is moved counts as one file");
    assert!(!home.root("b").join("docx").exists() && mine.exists());
    assert_eq!(results(&undo(&home, &change)), [ItemResult::Undone]);
    assert_eq!(home.tree(&pdf), new());
    home.assert_tidy();
}

#[test]
fn two_parts_that_write_one_folder_are_told_apart_and_the_second_is_refused() {
    let home = Home::new();
    let (pdf, _) = install(&home);
    let other = home.path("other/pdf");
    home.write(&other, &[("SKILL.md", "---\nname: pdf\ndescription: d\n---\n")]);
    let replace = home.plan(home.local(&other), vec![target(&home, "a", OnConflict::Replace)]);
    let rename = fixing::plan(&home, &pdf, &[fixing::rename("docs")]);
    let batch = batch(
        &home,
        vec![
            Part::Deed(plan(&home, Deed::Remove, &[&pdf, &pdf])),
            Part::Place(replace),
            Part::Fix(rename),
        ],
    );
    assert_eq!(batch.writes(), 1);
    let change = apply(&home, &batch);
    assert_eq!(results(&change), [ItemResult::Removed, ItemResult::Failed, ItemResult::Failed]);
    let shown = pdf.display();
    assert_eq!(
        error(&change, 1),
        format!("pdf is to be placed at {shown}, but pdf is to be removed at {shown} already")
    );
    assert_eq!(
        error(&change, 2),
        format!("pdf is to be changed at {shown}, but pdf is to be removed at {shown} already")
    );
}

#[test]
fn folders_that_lie_in_one_another_are_not_dealt_with_in_one_batch() {
    let home = Home::new();
    let outer = by_hand(&home, "outer");
    let inner = outer.join("inner");
    home.write(&inner, &NEW);
    let planned = plan(&home, Deed::Disable, &[&outer, &inner]);
    assert_eq!(planned.items[0].action, DeedAction::Do);
    assert_eq!(
        planned.items[1].message,
        Some(format!("{} is a part of the skill {}", inner.display(), outer.display()))
    );
    let (a, b) = (home.path("x/one"), home.path("x/one/two"));
    home.write(&a, &NEW);
    home.write(&b, &NEW);
    let planned = plan(&home, Deed::Disable, &[&b, &a]);
    assert_eq!(
        planned.items[1].message,
        Some(format!(
            "{} and {} lie in one another, and pdf is to be disabled at {}",
            a.display(),
            b.display(),
            b.display()
        ))
    );
}

#[test]
fn the_persons_own_work_is_never_removed_in_bulk() {
    let home = Home::new();
    let (mine, other) = (by_hand(&home, "mine"), by_hand(&home, "other"));
    done(&home, Deed::Adopt, &[&mine, &other]);
    let owned = |folder: &Path| Subject { user_owned: true, ..subject(folder) };
    let by_itself =
        format!("{} lies in a folder of your own work: do it by itself", mine.display());
    for deed in [Deed::Remove, Deed::Disable] {
        let subjects = vec![subject(&other), owned(&mine)];
        let planned = home.vault.plan_deed(deed, subjects, &home.scanned()).unwrap();
        assert_eq!(planned.items[0].action, DeedAction::Do);
        assert_eq!(planned.items[1].message.as_ref(), Some(&by_itself));
    }
    let alone = || home.vault.plan_deed(Deed::Remove, vec![owned(&mine)], &home.scanned()).unwrap();
    assert_eq!(alone().items[0].action, DeedAction::Do);
    let both =
        batch(&home, vec![Part::Deed(alone()), Part::Deed(plan(&home, Deed::Remove, &[&other]))]);
    let change = apply(&home, &both);
    assert_eq!(results(&change), [ItemResult::Failed, ItemResult::Removed]);
    assert_eq!(error(&change, 0), by_itself);
    assert_eq!(home.tree(&mine), new());
    let change = apply(&home, &batch(&home, vec![Part::Deed(alone())]));
    assert_eq!(results(&change), [ItemResult::Removed]);
}

#[test]
fn a_batch_that_is_not_as_it_was_made_does_nothing() {
    let home = Home::new();
    let (pdf, mine, parts) = several(&home);
    let made = batch(&home, parts);
    let told = |batch: &Batch| {
        let error = home.vault.apply_batch(batch, &mut |_| ControlFlow::Continue(())).unwrap_err();
        error.to_string()
    };
    let mut other = made.clone();
    other.parts.remove(0);
    assert_eq!(told(&other), "the plan is not as it was made");
    assert_eq!(told(&batch(&home, Vec::new())), "there is nothing to do");
    let mut other = plan(&home, Deed::Disable, &[&mine]);
    other.items[0].folder.clone_from(&pdf);
    let altered = Part::Deed(other);
    let mut altered = batch(&home, vec![altered]);
    if let Part::Deed(plan) = &mut altered.parts[0] {
        plan.id = "0".repeat(32);
    }
    altered.id = String::new();
    assert_eq!(told(&altered), "the plan is not as it was made");
    let text = serde_json::to_string(&made).unwrap();
    assert_eq!(serde_json::from_str::<Batch>(&text).unwrap(), made);
    assert!(pdf.exists() && mine.exists());
}

#[test]
fn a_batch_is_undone_in_part_and_again_for_what_stayed() {
    let home = Home::new();
    let (pdf, mine, parts) = several(&home);
    let change = apply(&home, &batch(&home, parts));
    home.write(&mine, &[("SKILL.md", "new here")]);
    assert_eq!(home.vault.undo_problem(&change.id).unwrap(), None, "a part of it can be");
    let undone = undo(&home, &change);
    assert_eq!(results(&undone), [ItemResult::Undone, ItemResult::Undone, ItemResult::Failed]);
    assert_eq!(error(&undone, 2), format!("there is something else at {} now", mine.display()));
    let taken = Some(format!("there is something else at {} now", mine.display()));
    assert_eq!(home.vault.undo_problem(&change.id).unwrap(), taken);
    assert_eq!(home.tree(&pdf), new());
    fs::remove_dir_all(&mine).unwrap();
    assert_eq!(results(&undo(&home, &change)), [ItemResult::Undone]);
    assert_eq!(home.tree(&mine), new());
    let nothing = home.vault.undo_problem(&change.id).unwrap();
    assert_eq!(
        nothing.as_deref(),
        Some("there is nothing left to undo of this change of pdf and docx")
    );
}

#[test]
fn another_skillhold_that_makes_a_change_is_waited_for() {
    let home = Home::new();
    let (_, _, parts) = several(&home);
    let batch = batch(&home, parts);
    let lock = home.vault.lock_changes().unwrap();
    let busy = home.vault.apply_batch(&batch, &mut |_| ControlFlow::Continue(())).unwrap_err();
    assert_eq!(busy.kind(), crate::ErrorKind::Busy);
    drop(lock);
    assert_eq!(results(&apply(&home, &batch)).len(), 3);
}

#[test]
fn names_of_several_skills_are_one_subject() {
    let together = |names: &[&str]| crate::change::told::together(names.iter().copied());
    assert_eq!(together(&["pdf"]), "pdf");
    assert_eq!(together(&["pdf", "pdf", "docx"]), "pdf and docx");
    assert_eq!(together(&["pdf", "docx", "xlsx", "docx"]), "pdf and 2 more");
}

#[test]
fn a_hundred_skills_are_changed_and_taken_back_as_one() {
    let home = Home::new();
    let folders: Vec<PathBuf> =
        (0..100).map(|number| by_hand(&home, &format!("skill-{number:03}"))).collect();
    let before = home.tree(&home.root("a"));
    let all: Vec<&Path> = folders.iter().map(PathBuf::as_path).collect();
    let change = done(&home, Deed::Disable, &all);
    assert_eq!(results(&change), [ItemResult::Disabled; 100]);
    assert!(home.tree(&home.root("a")).is_empty());
    assert_eq!(kinds(&home).len(), 1);
    assert_eq!(kinds(&home)[0].2, "in 100 folders");
    assert_eq!(results(&undo(&home, &change)), [ItemResult::Undone; 100]);
    assert_eq!(home.tree(&home.root("a")), before);
}

#[test]
fn the_same_batch_a_second_time_does_nothing() {
    let home = Home::new();
    let (_, _, parts) = several(&home);
    let batch = batch(&home, parts);
    let first = apply(&home, &batch);
    let after = (home.tree(&home.root("a")), home.tree(&home.root("b")), kinds(&home));
    let second = apply(&home, &batch);
    assert_eq!(results(&second), [ItemResult::Failed; 3]);
    assert_eq!((home.tree(&home.root("a")), home.tree(&home.root("b")), kinds(&home)), after);
    assert_eq!(home.vault.last_change().unwrap(), Some(first.id));
}

#[test]
fn a_batch_of_skills_of_servers_is_in_the_history_of_each() {
    let home = Home::new();
    let server = home.server();
    let uris = ["skill://pdf/SKILL.md", "skill://docx/SKILL.md"];
    let parts = uris.map(|uri| {
        let source = home.approved(&server, uri, &[("SKILL.md", uri)], false);
        Part::Place(home.plan(source, vec![target(&home, "b", OnConflict::Keep)]))
    });
    let change = apply(&home, &batch(&home, parts.into()));
    let row = home.vault.activity(1).unwrap().remove(0);
    assert_eq!((row.kind, row.change.as_ref()), (ActivityKind::Installed, Some(&change.id)));
    assert_eq!(
        (row.subject.as_str(), row.text.as_str()),
        ("pdf and docx", "from docs into 2 folders")
    );
    assert!(uris.iter().all(|uri| row.is_about(&server.id.0, uri)));
    assert!(!row.is_about(&server.id.0, "skill://other/SKILL.md") && !row.is_about("x", uris[0]));
    let removed = done(&home, Deed::Remove, &[&home.root("b").join("pdf")]);
    let row = home.vault.activity(1).unwrap().remove(0);
    assert_eq!((row.kind, row.change.as_ref()), (ActivityKind::Removed, Some(&removed.id)));
    assert!(row.is_about(&server.id.0, uris[0]) && !row.is_about(&server.id.0, uris[1]));
}

#[test]
fn what_is_placed_again_from_where_it_came_is_an_update() {
    let home = Home::new();
    let server = home.server();
    let uri = "skill://pdf/SKILL.md";
    for text in [PDF, "---\nname: pdf\ndescription: newer\n---\n"] {
        let source = home.approved(&server, uri, &[("SKILL.md", text)], false);
        home.apply(&home.plan(source, vec![target(&home, "a", OnConflict::Replace)]));
    }
    assert_eq!(
        kinds(&home)[0],
        (ActivityKind::Updated, "pdf".to_owned(), "from docs into ~/.a/skills/pdf".to_owned())
    );
}
