//! Watching, on real folders.

use std::fs;

use super::*;
use crate::paths::Paths;

/// Long enough for a slow machine; a test that passes does not wait for it.
const PATIENCE: Duration = Duration::from_secs(20);

struct Watching {
    dir: tempfile::TempDir,
    library: Arc<Library>,
    revisions: Receiver<u64>,
    _watch: Watch,
}

impl Watching {
    fn new(prepare: impl FnOnce(&Path)) -> Self {
        let dir = tempfile::tempdir().unwrap();
        prepare(dir.path());
        let library = Arc::new(Library::new(Paths::under(dir.path())));
        library.rescan();
        let (sender, revisions) = mpsc::channel();
        let watch =
            watch(Arc::clone(&library), move |revision| sender.send(revision).unwrap()).unwrap();
        Self { dir, library, revisions, _watch: watch }
    }

    fn write(&self, path: &str, text: &str) {
        write(self.dir.path(), path, text);
    }

    /// Waits until the library is as expected.
    fn until(&self, expected: impl Fn(&Snapshot) -> bool) {
        while !expected(&self.library.snapshot()) {
            self.revisions.recv_timeout(PATIENCE).unwrap();
        }
    }
}

fn write(home: &Path, path: &str, text: &str) {
    let path = home.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

const SKILL: &str = "---\nname: a\ndescription: b\n---\nx\n";

#[test]
fn a_new_and_a_removed_skill_are_seen() {
    let watching = Watching::new(|home| {
        write(home, ".claude/settings.json", "{}");
        fs::create_dir_all(home.join(".claude/skills")).unwrap();
    });
    watching.write(".claude/skills/a/SKILL.md", SKILL);
    watching.until(|snapshot| snapshot.skills.len() == 1 && snapshot.skills[0].description == "b");
    watching.write(".claude/skills/a/SKILL.md", &SKILL.replace("b\n", "c\n"));
    watching.until(|snapshot| snapshot.skills.iter().any(|skill| skill.description == "c"));
    fs::remove_dir_all(watching.dir.path().join(".claude/skills/a")).unwrap();
    watching.until(|snapshot| snapshot.skills.is_empty());
}

#[test]
fn a_root_that_appears_later_is_seen_and_then_watched() {
    let watching = Watching::new(|home| write(home, ".claude/settings.json", "{}"));
    watching.write(".claude/skills/a/SKILL.md", SKILL);
    watching.until(|snapshot| snapshot.skills.len() == 1);
    watching.write(".claude/skills/b/SKILL.md", SKILL);
    watching.until(|snapshot| snapshot.skills.len() == 2);
    fs::remove_dir_all(watching.dir.path().join(".claude/skills")).unwrap();
    watching.until(|snapshot| snapshot.skills.is_empty());
    watching.write(".claude/skills/c/SKILL.md", SKILL);
    watching.until(|snapshot| snapshot.skills.len() == 1);
}

#[test]
fn a_tool_that_appears_later_is_seen() {
    let watching = Watching::new(|_| {});
    watching.write(".cursor/settings.json", "{}");
    watching.write(".cursor/skills/a/SKILL.md", SKILL);
    watching.until(|snapshot| snapshot.skills.len() == 1);
}

#[test]
fn a_folder_without_its_tool_is_not_watched_until_it_is_switched_on() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().canonicalize().unwrap();
    write(&home, ".cursor/skills/a/SKILL.md", SKILL);
    write(&home, ".agents/skills/b/SKILL.md", SKILL);
    let library = Library::new(Paths::under(&home));
    let (mut watched, _messages, _inbox) = Watched::new().unwrap();
    watched.look(&library, &|_| {});
    let inside = |watched: &Watched| {
        watched
            .folders
            .keys()
            .filter(|folder| folder.components().any(|part| part.as_os_str() == "skills"))
            .cloned()
            .collect::<Vec<_>>()
    };
    assert_eq!(inside(&watched), Vec::<PathBuf>::new());
    // Whether the tool comes is seen in its folder.
    assert!(watched.folders.contains_key(&home.join(".cursor")));
    let mut choices = library.choices();
    choices.set_on("cursor", Some(true)).unwrap();
    library.choose(choices);
    watched.look(&library, &|_| {});
    // It reads the shared folder, too.
    assert_eq!(inside(&watched), [home.join(".agents/skills"), home.join(".cursor/skills")]);
}

#[test]
fn a_tool_that_comes_to_a_folder_that_was_left_behind_is_seen() {
    let watching = Watching::new(|home| write(home, ".cursor/skills/a/SKILL.md", SKILL));
    assert_eq!(watching.library.snapshot().unread.len(), 1);
    watching.write(".cursor/argv.json", "{}");
    watching.until(|snapshot| snapshot.skills.len() == 1 && snapshot.unread.is_empty());
}

#[test]
fn an_added_folder_that_goes_comes_back_or_gets_a_folder_of_a_tool_is_seen() {
    let watching = Watching::new(|home| {
        write(home, ".claude/settings.json", "{}");
        write(home, "work/site/README.md", "x");
    });
    let site = watching.dir.path().join("work/site");
    let mut choices = watching.library.choices();
    choices.add_folder(&site, watching.library.paths()).unwrap();
    watching.library.choose(choices);
    watching.until(|snapshot| snapshot.folders.len() == 1);
    watching.write("work/site/.claude/skills/a/SKILL.md", SKILL);
    watching.until(|snapshot| snapshot.skills.len() == 1);
    fs::remove_dir_all(&site).unwrap();
    watching.until(|snapshot| snapshot.skills.is_empty() && snapshot.folders[0].problem.is_some());
    watching.write("work/site/.claude/skills/b/SKILL.md", SKILL);
    watching.until(|snapshot| snapshot.skills.len() == 1 && snapshot.folders[0].problem.is_none());
}

#[test]
fn the_watch_follows_what_the_person_chose() {
    let watching = Watching::new(|home| {
        write(home, "mine/a/SKILL.md", SKILL);
        write(home, "project/README.md", "x");
    });
    let (mine, project) = (watching.dir.path().join("mine"), watching.dir.path().join("project"));
    let mut choices = watching.library.choices();
    choices.add_folder(&mine, watching.library.paths()).unwrap();
    choices.add_folder(&project, watching.library.paths()).unwrap();
    watching.library.choose(choices.clone());
    watching.until(|snapshot| snapshot.skills.len() == 1);
    // New ones are seen in what was added, and where a project gets its first.
    watching.write("mine/b/SKILL.md", SKILL);
    watching.until(|snapshot| snapshot.skills.len() == 2);
    watching.write("project/.claude/skills/c/SKILL.md", SKILL);
    watching.until(|snapshot| snapshot.skills.len() == 3);
    choices.remove_folder(&mine);
    watching.library.choose(choices);
    watching.until(|snapshot| snapshot.skills.len() == 1);
}

#[cfg(unix)]
#[test]
fn a_change_of_what_a_link_leads_to_is_seen() {
    let watching = Watching::new(|home| {
        write(home, ".claude/settings.json", "{}");
        write(home, "elsewhere/a/SKILL.md", SKILL);
        fs::create_dir_all(home.join(".claude/skills")).unwrap();
        std::os::unix::fs::symlink(home.join("elsewhere/a"), home.join(".claude/skills/a"))
            .unwrap();
    });
    watching.until(|snapshot| snapshot.skills.len() == 1 && snapshot.skills[0].linked);
    watching.write("elsewhere/a/SKILL.md", &SKILL.replace("b\n", "c\n"));
    watching.until(|snapshot| snapshot.skills[0].description == "c");
}

#[test]
fn a_change_in_a_folder_and_one_that_appears_later_are_told() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), "here/a/SKILL.md", SKILL);
    let (sender, told) = mpsc::channel();
    let folders = vec![dir.path().join("here"), dir.path().join("later/skills")];
    let _watch = watch_folders(folders, move || sender.send(()).unwrap()).unwrap();
    write(dir.path(), "here/a/more.txt", "x");
    told.recv_timeout(PATIENCE).unwrap();
    // Each is told in the end, however many of its events come together.
    write(dir.path(), "later/skills/b/SKILL.md", SKILL);
    told.recv_timeout(PATIENCE).unwrap();
    fs::remove_dir_all(dir.path().join("here")).unwrap();
    told.recv_timeout(PATIENCE).unwrap();
}

#[test]
fn what_happens_beside_a_folder_is_not_told() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), "here/a/SKILL.md", SKILL);
    let (mut watched, _messages, _inbox) = Watched::new().unwrap();
    watched.adjust(Wish::of_folders(&[dir.path().join("here")]));
    assert!(watched.is_wanted(&dir.path().join("here/a/SKILL.md")));
    assert!(watched.is_wanted(&dir.path().join("here")));
    assert!(!watched.is_wanted(&dir.path().join("beside/b/SKILL.md")));
    assert!(!watched.is_wanted(&dir.path().join("beside")));
}

#[test]
fn folders_that_were_taken_out_are_watched_no_longer() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), "mine/a/SKILL.md", SKILL);
    let mine = dir.path().join("mine").canonicalize().unwrap();
    let library = Library::new(Paths::under(dir.path()));
    let (mut watched, _messages, _inbox) = Watched::new().unwrap();
    let mut choices = library.choices();
    choices.add_folder(&mine, library.paths()).unwrap();
    library.choose(choices.clone());
    watched.look(&library, &|_| {});
    assert_eq!(watched.folders.get(&mine).map(|(mode, _)| *mode), Some(RecursiveMode::Recursive));
    choices.remove_folder(&mine);
    library.choose(choices);
    watched.look(&library, &|_| {});
    assert_eq!(watched.folders.get(&mine), None);
}
