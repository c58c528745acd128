//! Disks that are full, read-only, elsewhere than they seem, or closed to this person: a clear error
//! that says what to do, and everything as it was.
//!
//! Small disks are mounted in a namespace of mounts of their own, which goes with its process.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use rustix::process::getuid;
use vault::VaultError;
use vault::change::ItemResult;
use vault::link::Mode;
use vault::placement::PlacedAs;
use vault::plan::{Action, OnConflict, Target};

use crate::deeds::DEEDS;
use crate::kill;
use crate::support::{Home, PDF, State, URI, target, write};

/// Set for a child: which of [`SCENES`] it plays, and where.
const SCENE: &str = "PROOFS_SCENE";

/// Its name, and what happens in a folder.
type Scene = (&'static str, fn(&Path));

/// What is played by a process of its own, with mounts of its own.
const SCENES: &[Scene] = &[
    ("full target", |dir| full(dir, &["home/.a"])),
    ("full record", |dir| full(dir, &["home/.local"])),
    ("all full", |dir| full(dir, &["home"])),
    ("every deed", every_deed),
    ("no more files", no_more_files),
    ("other disk", other_disk),
    ("seems the same disk", seems_the_same_disk),
    ("own disk", own_disk),
    ("no links", no_links),
    ("read-only", read_only),
    ("closed", closed),
];

#[test]
#[ignore = "what the other tests start"]
fn scene() {
    let Some(given) = std::env::var_os(SCENE) else { return };
    let (name, dir): (String, PathBuf) = serde_json::from_str(given.to_str().unwrap()).unwrap();
    let scene = SCENES.iter().find(|scene| scene.0 == name).unwrap();
    (scene.1)(&dir);
}

/// Plays a scene under `wrapper`; false where the machine does not allow what the wrapper does.
fn play(name: &str, wrapper: &[&str]) -> bool {
    let allowed = Command::new(wrapper[0]).args(&wrapper[1..]).arg("true").output();
    if !allowed.as_ref().is_ok_and(|output| output.status.success()) {
        println!("not tried here: {} is not allowed: {allowed:?}", wrapper.join(" "));
        return false;
    }
    let dir = tempfile::tempdir().unwrap();
    fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o777)).unwrap();
    let output = Command::new(wrapper[0])
        .args(&wrapper[1..])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "disks::scene", "--ignored", "--nocapture"])
        .env(SCENE, serde_json::to_string(&(name, dir.path())).unwrap())
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{}\n{}", text(&output.stdout), text(&output.stderr));
    assert!(text(&output.stdout).contains("1 passed"), "it was not played");
    true
}

/// In a namespace of mounts: as root, or as one who is root in a namespace of users.
fn mounted(name: &str) {
    let root = ["unshare", "--mount"];
    let user = ["unshare", "--map-root-user", "--mount"];
    let _ = if getuid().is_root() { play(name, &root) } else { play(name, &user) };
}

fn mount(options: &[&str], at: &Path) {
    fs::create_dir_all(at).unwrap();
    let output = Command::new("mount").args(options).arg(at).output().unwrap();
    assert!(output.status.success(), "{options:?}: {}", String::from_utf8_lossy(&output.stderr));
}

fn tmpfs(options: &str, at: &Path) {
    mount(&["-t", "tmpfs", "-o", options, "tmpfs"], at);
}

/// Fills the disk but for this many pages.
fn fill(disk: &Path, left: usize) {
    const PAGE: usize = 4096;
    let filler = disk.join("filler");
    let _ = fs::remove_file(&filler);
    let free = rustix::fs::statvfs(disk).unwrap();
    let free = (free.f_bavail * free.f_frsize) as usize;
    fs::write(&filler, vec![b'x'; free.saturating_sub(left * PAGE)]).unwrap();
}

fn files() -> Vec<(&'static str, String)> {
    let page = |letter: &str| letter.repeat(5000);
    vec![
        ("SKILL.md", PDF.to_owned()),
        ("a.txt", page("a")),
        ("b/c.txt", page("c")),
        ("b/d/e.txt", page("e")),
    ]
}

/// A skill made by hand, and the server's, approved.
fn ready(dir: &Path) -> (Home, vault::plan::Plan) {
    fs::create_dir_all(dir).unwrap();
    let home = Home::new(dir);
    write(&home.skill("a", "pdf"), &[("SKILL.md", "mine"), ("notes.txt", "mine too")]);
    let files = files();
    let files: Vec<_> = files.iter().map(|(path, text)| (*path, text.as_str())).collect();
    let plan = home.plan(home.approved(URI, &files), &["a"], OnConflict::Replace);
    assert_eq!(plan.items[0].action, Action::Replace);
    (home, plan)
}

/// Says what came of it, in the person's words, where it failed.
fn failure(outcome: Result<vault::change::Change, VaultError>) -> Option<VaultError> {
    match outcome {
        Err(error) => Some(error),
        Ok(change) => change.items.into_iter().find_map(|item| item.error),
    }
}

fn assert_says_full(error: &VaultError) {
    assert_eq!(error.hint(), Some("make room on the disk"), "{error:?}");
    assert_eq!(error.kind(), vault::ErrorKind::Disk, "{error:?}");
}

/// Nothing is different, also when there is room again and the program starts anew.
fn assert_as_before(home: Home, before: &State, room: &[PathBuf], what: &str) -> Home {
    assert_eq!(home.state(), *before, "{what}");
    for disk in room {
        fs::remove_file(disk.join("filler")).unwrap();
    }
    let (home, recovered) = Home::open(&home.dir);
    assert_eq!(home.state(), *before, "{what}, later: {recovered:?}");
    assert_eq!(home.problems(), [] as [String; 0], "{what}, later: {recovered:?}");
    home
}

/// Everything that a person does, on a disk with a little more room each time: what is refused is as
/// it was, what is done is done, and all of it is still so when there is room again.
fn every_deed(dir: &Path) {
    let disk = dir.join("home");
    tmpfs("size=3m", &disk);
    for (number, deed) in DEEDS.iter().enumerate() {
        let states = kill::states(deed);
        let mut refused = 0;
        for pages in (number % 5..).step_by(5) {
            empty(&disk);
            let home = Home::new(&disk);
            (deed.ready)(&home);
            fill(&disk, pages);
            let act = || (deed.act)(&home);
            // What is fetched before it finds no room either.
            let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(act));
            let what = format!("{} with {pages} pages", deed.name);
            let known = |state: &State| states.iter().rposition(|known| state.is(known));
            let state = home.state();
            let Some(at) = known(&state) else { panic!("{what}: {state:#?}") };
            fs::remove_file(disk.join("filler")).unwrap();
            drop(home);
            let (home, _) = Home::open(&disk);
            // A shared copy to which no link leads may be put away by then.
            let later = home.state();
            assert!(known(&later).is_some(), "{what}, later: {later:#?}");
            assert_eq!((later.tools, later.aside), (state.tools, state.aside), "{what}, later");
            assert_eq!(home.problems(), [] as [String; 0], "{what}");
            if at + 1 == states.len() {
                break;
            }
            refused += 1;
        }
        assert!(refused > 3, "{}: {refused}", deed.name);
    }
}

/// Removes all but the mount points.
fn empty(home: &Path) {
    for entry in fs::read_dir(home).unwrap() {
        let path = entry.unwrap().path();
        let inner = fs::read_dir(&path).into_iter().flatten().map(|inner| inner.unwrap().path());
        inner.for_each(|inner| {
            fs::remove_dir_all(&inner).or_else(|_| fs::remove_file(&inner)).unwrap();
        });
    }
}

/// Replaces and undoes with one page more room each time, until there is enough.
fn full(dir: &Path, disks: &[&str]) {
    let disks: Vec<PathBuf> = disks.iter().map(|disk| dir.join(disk)).collect();
    for disk in &disks {
        tmpfs("size=2m", disk);
    }
    let home = dir.join("home");
    let mut refused = [0, 0];
    for pages in 0.. {
        empty(&home);
        let (mut home, plan) = ready(&home);
        let before = home.state();
        disks.iter().for_each(|disk| fill(disk, pages));
        let outcome = failure(home.apply(&plan));
        if let Some(error) = outcome {
            assert_says_full(&error);
            refused[0] += 1;
            assert_as_before(home, &before, &disks, &format!("replaced with {pages} pages"));
            continue;
        }
        let after = home.state();
        let change = home.vault.last_change().unwrap().unwrap();
        for pages in 0.. {
            disks.iter().for_each(|disk| fill(disk, pages));
            let Some(error) = failure(home.vault.undo(&change)) else { break };
            assert_says_full(&error);
            refused[1] += 1;
            home = assert_as_before(home, &after, &disks, &format!("undone with {pages} pages"));
        }
        assert_eq!(home.state().tools, before.tools);
        break;
    }
    println!("refused {} times to replace and {} times to undo", refused[0], refused[1]);
    assert!(refused[0] > 4, "{refused:?}");
}

/// A disk that has room and no more entries for files.
fn no_more_files(dir: &Path) {
    let mut refused = 0;
    for inodes in 6.. {
        let dir = dir.join(format!("home-{inodes}"));
        tmpfs(&format!("size=2m,nr_inodes={inodes}"), &dir.join(".a"));
        let (home, plan) = ready(&dir);
        let before = home.state();
        let Some(error) = failure(home.apply(&plan)) else { break };
        assert_says_full(&error);
        refused += 1;
        assert_as_before(home, &before, &[], &format!("with {inodes} entries"));
    }
    println!("refused {refused} times");
    assert!(refused > 4, "{refused}");
}

/// Another disk than the record's is as good.
fn other_disk(dir: &Path) {
    tmpfs("size=2m", &dir.join(".a"));
    let (home, plan) = ready(dir);
    let before = home.state();
    assert!(failure(home.apply(&plan)).is_none());
    assert!(home.vault.trash().unwrap()[0].kept.starts_with(home.dir.join(".a/.skillhold")));
    let change = home.vault.last_change().unwrap().unwrap();
    assert_eq!(home.vault.undo(&change).unwrap().items[0].result, ItemResult::Undone);
    assert_eq!(home.state().tools, before.tools);
    assert_eq!(home.problems(), [] as [String; 0]);
}

/// A folder that is on the same disk and yet nothing can be renamed into it.
fn seems_the_same_disk(dir: &Path) {
    fs::create_dir(dir.join("real")).unwrap();
    mount(&["--bind", dir.join("real").to_str().unwrap()], &dir.join(".a/skills"));
    let (home, plan) = ready(dir);
    let before = home.state();
    let error = failure(home.apply(&plan)).unwrap();
    assert_eq!(error.hint(), Some("the folder lies on another disk than it seems to"), "{error:?}");
    assert_as_before(home, &before, &[], "a bind mount");
}

/// A skill that is a disk of its own cannot be moved away.
fn own_disk(dir: &Path) {
    tmpfs("size=2m", &dir.join(".a/skills/pdf"));
    let (home, plan) = ready(dir);
    let before = home.state();
    let error = failure(home.apply(&plan)).unwrap();
    assert_eq!(error.kind(), vault::ErrorKind::Disk, "{error:?}");
    assert_as_before(home, &before, &[], "a mount point");
}

/// A disk on which links can be made and lead nowhere: what is to be linked there is a copy, which
/// is said once and recorded, and on the next disk it is a link.
fn no_links(dir: &Path) {
    tmpfs("size=2m,nosymfollow", &dir.join(".a"));
    let (home, _) = ready(dir);
    let source = home.approved("skill://docx/SKILL.md", &[("SKILL.md", PDF)]);
    let link = |tool: &str| Target {
        mode: Mode::Link,
        ..target(&home.root(tool), tool, OnConflict::Keep)
    };
    let named = Target { name: Some("docx-2".to_owned()), ..link("a") };
    let targets = vec![link("a"), named, link("b")];
    let plan = home.vault.plan(source, targets, &home.scanned()).unwrap();
    assert_eq!(
        plan.notices,
        [format!(
            "the disk of {} takes no links, so what is placed there is a copy",
            home.root("a").display()
        )]
    );
    assert!(failure(home.apply(&plan)).is_none());
    let mode = |tool: &str, name: &str| {
        home.vault.placement(&home.skill(tool, name)).unwrap().unwrap().mode
    };
    for name in ["docx", "docx-2"] {
        assert!(home.skill("a", name).symlink_metadata().unwrap().is_dir());
        assert_eq!(mode("a", name), PlacedAs::Copy);
    }
    assert!(home.skill("b", "docx").symlink_metadata().unwrap().is_symlink());
    assert!(matches!(mode("b", "docx"), PlacedAs::Link { .. }));
    assert!(!home.dir.join(".a/.skillhold").exists(), "trying left nothing");
    assert_eq!(home.problems(), [] as [String; 0]);
}

/// A disk that becomes read-only, before the preview, after it and in the middle.
fn read_only(dir: &Path) {
    tmpfs("size=2m", &dir.join(".a"));
    let (home, plan) = ready(dir);
    let before = home.state();
    let disk = home.dir.join(".a");
    let turn = move |how: &str, disk: &Path| mount(&["-o", &format!("remount,{how}")], disk);
    turn("ro", &disk);
    let refused = home.vault.plan(plan.source.clone(), plan.targets.clone(), &home.scanned());
    let item = refused.unwrap().items.remove(0);
    assert_eq!(item.action, Action::Refuse);
    assert!(item.message.unwrap().ends_with("is read-only"));
    assert!(failure(home.apply(&plan)).is_some());
    assert_eq!(home.state(), before);
    turn("rw", &disk);
    let inner = disk.clone();
    home.vault.at_each_step(move |step| {
        if step == "Checked" {
            turn("ro", &inner);
        }
        false
    });
    let error = failure(home.apply(&plan)).unwrap();
    assert_eq!(error.hint(), Some("the disk is read-only"), "{error:?}");
    assert_eq!(home.state(), before);
    turn("rw", &disk);
    assert_as_before(home, &before, &[], "read-only in the middle");
}

/// A folder that only others may write to; played by somebody who is not root.
fn closed(dir: &Path) {
    let (home, plan) = ready(&dir.join("home"));
    let before = home.state();
    let root = home.root("a");
    let turn = |mode: u32, path: &Path| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    };
    turn(0o555, &root);
    let refused = home.vault.plan(plan.source.clone(), plan.targets.clone(), &home.scanned());
    assert_eq!(refused.unwrap().items[0].action, Action::Refuse);
    assert!(failure(home.apply(&plan)).is_some());
    assert_eq!(home.state(), before);
    turn(0o755, &root);
    let inner = root.clone();
    home.vault.at_each_step(move |step| {
        if step == "Checked" {
            fs::set_permissions(&inner, fs::Permissions::from_mode(0o555)).unwrap();
        }
        false
    });
    let error = failure(home.apply(&plan)).unwrap();
    assert_eq!(error.hint(), Some("check who may write there"), "{error:?}");
    turn(0o755, &root);
    let home = assert_as_before(home, &before, &[], "closed in the middle");
    // A folder that this person cannot even look into.
    let theirs = dir.join("theirs");
    fs::create_dir(&theirs).unwrap();
    turn(0, &theirs);
    let targets = vec![target(&theirs.join("skills"), "a", OnConflict::Keep)];
    let refused = home.vault.plan(plan.source.clone(), targets, &home.scanned()).unwrap();
    assert_eq!(refused.items[0].action, Action::Refuse, "{refused:?}");
    assert_eq!(failure(home.apply(&refused)).unwrap().to_string(), {
        refused.items[0].message.clone().unwrap()
    });
}

#[test]
fn a_tools_disk_that_is_full_changes_nothing() {
    mounted("full target");
    mounted("no more files");
}

#[test]
fn a_full_disk_under_the_record_changes_nothing() {
    mounted("full record");
}

#[test]
fn one_full_disk_under_all_changes_nothing() {
    mounted("all full");
}

#[test]
fn on_a_full_disk_everything_is_done_or_as_it_was() {
    mounted("every deed");
}

#[test]
fn another_disk_is_as_good_and_one_that_only_seems_the_same_is_told() {
    mounted("other disk");
    mounted("seems the same disk");
    mounted("own disk");
}

#[test]
fn a_disk_that_takes_no_links_gets_copies_with_one_notice() {
    mounted("no links");
}

#[test]
fn a_read_only_disk_changes_nothing() {
    mounted("read-only");
}

#[test]
fn a_folder_of_others_changes_nothing() {
    if getuid().is_root() {
        let _ = play("closed", &["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]);
    } else {
        let _ = play("closed", &["env"]);
    }
}
