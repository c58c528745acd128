//! Removing, disabling, enabling, adopting; for one and for many.

mod adopting;
mod batches;
mod crashing;
mod disabling;
mod links;
mod order;
mod removing;
mod renaming;

use super::*;
use crate::batch::{Batch, Part};
use crate::deed::{Deed, DeedAction, DeedPlan, Subject};

const NEW: [(&str, &str); 2] = [("SKILL.md", PDF), ("b/c.txt", "c")];

/// What [`NEW`] is on the disk.
fn new() -> BTreeMap<String, String> {
    tree(&[("SKILL.md", PDF), ("b/", ""), ("b/c.txt", "c")])
}

fn subject(folder: &Path) -> Subject {
    Subject { folder: folder.to_owned(), tools: vec!["a".to_owned()], user_owned: false }
}

fn plan(home: &Home, deed: Deed, folders: &[&Path]) -> DeedPlan {
    let subjects = folders.iter().map(|folder| subject(folder)).collect();
    home.vault.plan_deed(deed, subjects, &home.scanned()).unwrap()
}

fn batch(home: &Home, parts: Vec<Part>) -> Batch {
    home.vault.plan_batch(parts).unwrap()
}

fn apply(home: &Home, batch: &Batch) -> Change {
    home.vault.apply_batch(batch, &mut |_| ControlFlow::Continue(())).unwrap()
}

/// Plans and does something with folders.
fn done(home: &Home, deed: Deed, folders: &[&Path]) -> Change {
    let plan = plan(home, deed, folders);
    apply(home, &batch(home, vec![Part::Deed(plan)]))
}

/// The refusal of the only item, which is then tried in vain.
fn refused(home: &Home, deed: Deed, folder: &Path) -> String {
    let planned = plan(home, deed, &[folder]);
    assert_eq!(planned.items[0].action, DeedAction::Refuse, "{planned:?}");
    let trees = || [".a", ".b", ".local/share/skillhold/trash"].map(|of| home.tree(&home.path(of)));
    let before = trees();
    let change = apply(home, &batch(home, vec![Part::Deed(planned.clone())]));
    assert_eq!(results(&change), [ItemResult::Failed]);
    let message = planned.items[0].message.clone().unwrap();
    assert_eq!(error(&change, 0), message);
    assert_eq!(trees(), before);
    message
}

/// Installs [`NEW`] as `pdf` for tool `a`.
fn install(home: &Home) -> (PathBuf, Change) {
    let server = home.server();
    let source = home.approved(&server, "skill://pdf/SKILL.md", &NEW, false);
    let change = home.apply(&home.plan(source, vec![target(home, "a", OnConflict::Replace)]));
    assert!(results(&change).iter().all(|result| *result != ItemResult::Failed));
    (home.root("a").join("pdf"), change)
}

/// Writes a skill by hand and says where.
fn by_hand(home: &Home, name: &str) -> PathBuf {
    let folder = home.root("a").join(name);
    home.write(&folder, &NEW);
    folder
}

fn undo(home: &Home, change: &Change) -> Change {
    home.vault.undo(&change.id).unwrap()
}

fn kinds(home: &Home) -> Vec<(crate::activity::ActivityKind, String, String)> {
    let rows = home.vault.activity(100).unwrap();
    rows.into_iter().map(|row| (row.kind, row.subject, row.text)).collect()
}
