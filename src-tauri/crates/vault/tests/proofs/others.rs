//! Several programs at once: a second Skillhold, an editor, another installer. Nothing that one of
//! them wrote is overwritten, and nothing waits for ever.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use vault::change::{Change, ItemResult};
use vault::plan::OnConflict;
use vault::{ErrorKind, VaultError};

use crate::support::{Home, Node, PDF, PDF_2, State, TOOLS, URI, scratch, tree, write};

/// Set for a child: the home, the tools to install for, and the step to wait at.
const CHILD: &str = "PROOFS_OTHER";

const MINE: [(&str, &str); 2] = [("SKILL.md", "mine"), ("notes.txt", "mine too")];

#[test]
#[ignore = "what the other tests start"]
fn child() {
    let Some(given) = std::env::var_os(CHILD) else { return };
    let (dir, tools, wait): (PathBuf, Vec<String>, String) =
        serde_json::from_str(given.to_str().unwrap()).unwrap();
    let (home, _) = Home::open(&dir);
    let tools: Vec<&str> = tools.iter().map(String::as_str).collect();
    let plan = home.plan(home.approved(URI, &[("SKILL.md", PDF)]), &tools, OnConflict::Replace);
    home.vault.at_each_step(move |step| {
        if step == wait {
            println!("\nat {step}");
            std::io::stdin().read_line(&mut String::new()).unwrap();
        }
        false
    });
    match home.apply(&plan) {
        Ok(change) => {
            let done = change.items.iter().filter(|item| item.result != ItemResult::Failed);
            println!("\ndone {}", done.count());
        }
        Err(VaultError::Busy) => println!("\nbusy"),
        Err(error) => panic!("{error:?}"),
    }
}

fn start(dir: &Path, tools: &[&str], wait: &str) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "others::child", "--ignored", "--nocapture"])
        .env(CHILD, serde_json::to_string(&(dir, tools, wait)).unwrap())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Reads what a child says until it says one of these.
fn wait_for(output: &mut impl BufRead, words: &[&str]) -> String {
    loop {
        let mut line = String::new();
        assert!(output.read_line(&mut line).unwrap() > 0, "the child ended without a word");
        if words.iter().any(|word| line.starts_with(word)) {
            return line.trim_end().to_owned();
        }
    }
}

#[test]
fn a_second_program_is_told_that_a_change_is_being_made_and_reads_meanwhile() {
    for step in ["Journaled", "Staged", "Checked", "Swapped", "OldKept", "Committed"] {
        let dir = scratch();
        let home = Home::new(dir.path());
        write(&home.skill("a", "pdf"), &MINE);
        let source = home.approved(URI, &[("SKILL.md", PDF)]);
        let mut child = start(dir.path(), &["a"], step);
        let mut output = BufReader::new(child.stdout.take().unwrap());
        assert_eq!(wait_for(&mut output, &["at", "done"]), format!("at {step}"));
        // Another start does not touch what is being done, and says what there is.
        let (other, recovered) = Home::open(dir.path());
        assert_eq!(recovered, [], "{step}");
        let plan = other.plan(source.clone(), &["b"], OnConflict::Keep);
        let error = other.apply(&plan).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Busy);
        assert_eq!(error.to_string(), "another change is being made right now");
        assert_eq!(error.hint(), Some("wait until it is done, or close the other Skillhold"));
        assert!(matches!(other.vault.undo("none"), Err(VaultError::Busy)), "{step}");
        child.stdin.take().unwrap().write_all(b"\n").unwrap();
        assert_eq!(wait_for(&mut output, &["done"]), "done 1");
        assert!(child.wait().unwrap().success());
        assert_eq!(other.apply(&plan).unwrap().items[0].result, ItemResult::Written, "{step}");
        assert_eq!(other.vault.placements().unwrap().len(), 2, "{step}");
        assert_eq!(other.problems(), [] as [String; 0], "{step}");
    }
}

#[test]
fn programs_that_begin_at_once_change_one_after_the_other_or_not_at_all() {
    let dir = scratch();
    let home = Home::new(dir.path());
    write(&home.skill("a", "pdf"), &MINE);
    home.approved(URI, &[("SKILL.md", PDF)]);
    let children: Vec<Child> = (0..8).map(|_| start(dir.path(), &TOOLS, "never")).collect();
    let mut told = Vec::new();
    for mut child in children {
        let mut output = BufReader::new(child.stdout.take().unwrap());
        told.push(wait_for(&mut output, &["done", "busy"]));
        assert!(child.wait().unwrap().success());
    }
    assert!(told.contains(&"done 3".to_owned()), "{told:?}");
    assert_eq!(home.vault.placements().unwrap().len(), 3, "{told:?}");
    let trash = home.vault.trash().unwrap();
    assert_eq!(trash.len(), 1, "{told:?}");
    assert_eq!(tree(&trash[0].kept).len(), MINE.len());
    assert_eq!(home.problems(), [] as [String; 0], "{told:?}");
}

/// Every text of a file that is somewhere: with the tools or in the trash.
fn texts(state: &State) -> Vec<&str> {
    let trees = std::iter::once(&state.tools).chain(state.trash.iter().map(|(_, tree)| tree));
    let nodes = trees.flat_map(|tree| tree.values());
    nodes
        .filter_map(|node| match node {
            Node::File(text, _) => Some(text.as_str()),
            _ => None,
        })
        .collect()
}

/// Its name, and the making of it.
type Making = (&'static str, fn(&Home) -> Result<Change, VaultError>);

/// The changes during which somebody else does something to `.a/skills/pdf`.
fn changes() -> [Making; 3] {
    fn place(home: &Home, text: &str) -> Result<Change, VaultError> {
        let source = home.approved(URI, &[("SKILL.md", text), ("a.txt", "a")]);
        home.apply(&home.plan(source, &["a"], OnConflict::Replace))
    }
    [
        ("replace", |home| place(home, PDF)),
        ("update", |home| place(home, PDF_2)),
        ("undo", |home| home.vault.undo(&home.vault.last_change().unwrap().unwrap())),
    ]
}

/// What there is before each of the changes.
fn ready(home: &Home, change: &str) {
    write(&home.skill("a", "pdf"), &MINE);
    if change != "replace" {
        home.place(
            home.approved(URI, &[("SKILL.md", PDF), ("a.txt", "a")]),
            &["a"],
            OnConflict::Replace,
        );
    }
}

/// Lets somebody else do something at each step of each change, and looks at what is left.
fn at_each_step(
    before: fn(&Path) -> Option<fs::File>,
    then: fn(&Path, Option<fs::File>),
    look: fn(&Home, &State, &str),
    may_be: fn(&str) -> bool,
) {
    for (name, change) in changes() {
        for at in 1.. {
            let dir = scratch();
            let home = Home::new(dir.path());
            ready(&home, name);
            let folder = home.skill("a", "pdf");
            let opened = std::sync::Mutex::new(before(&folder));
            let (seen, tell) = std::sync::mpsc::channel();
            let taken = std::sync::atomic::AtomicUsize::new(0);
            home.vault.at_each_step(move |step| {
                if taken.fetch_add(1, std::sync::atomic::Ordering::SeqCst) + 1 == at {
                    then(&folder, opened.lock().unwrap().take());
                    seen.send(step.to_owned()).unwrap();
                }
                false
            });
            let outcome = change(&home);
            let Ok(step) = tell.try_recv() else { break };
            let what = format!("{name}, at {step}: {outcome:?}");
            look(&home, &home.state(), &what);
            let mut problems = home.problems();
            problems.retain(|problem| !may_be(problem));
            assert_eq!(problems, [] as [String; 0], "{what}");
        }
    }
}

#[test]
fn what_an_editor_writes_during_a_change_is_never_lost() {
    at_each_step(
        |_| None,
        |folder, _| {
            if folder.is_dir() {
                fs::write(folder.join("editor.txt"), "written by an editor").unwrap();
            }
        },
        |_, state, what| assert!(texts(state).contains(&"written by an editor"), "{what}"),
        |_| false,
    );
}

#[test]
fn what_an_editor_writes_into_a_file_that_it_has_open_is_never_lost() {
    at_each_step(
        |folder| Some(fs::File::options().append(true).open(folder.join("SKILL.md")).unwrap()),
        |_, file| file.unwrap().write_all(b"written by an editor").unwrap(),
        |_, state, what| {
            let texts = texts(state);
            assert!(texts.iter().any(|text| text.ends_with("written by an editor")), "{what}");
        },
        // It may be in the trash already when it is written to.
        |problem| problem.starts_with("the trash has"),
    );
}

#[test]
fn what_another_installer_puts_there_during_a_change_is_never_lost() {
    at_each_step(
        |_| None,
        |folder, _| {
            if folder.is_dir() {
                fs::remove_dir_all(folder).unwrap();
            }
            write(folder, &[("SKILL.md", "another installer's")]);
        },
        |home, state, what| {
            assert!(texts(state).contains(&"another installer's"), "{what}");
            let main = home.skill("a", "pdf").join("SKILL.md");
            let whole = ["another installer's", PDF, PDF_2, "mine"];
            assert!(whole.contains(&fs::read_to_string(main).unwrap().as_str()), "{what}");
        },
        |_| false,
    );
}

#[test]
fn a_folder_that_another_installer_makes_first_is_not_overwritten() {
    for step in ["Journaled", "Staged", "SwapJournaled", "Checked"] {
        let dir = scratch();
        let home = Home::new(dir.path());
        let plan = home.plan(home.approved(URI, &[("SKILL.md", PDF)]), &["b"], OnConflict::Replace);
        let folder = home.skill("b", "pdf");
        home.vault.at_each_step(move |now| {
            if now == step {
                write(&folder, &[("SKILL.md", "another installer's")]);
            }
            false
        });
        let change = home.apply(&plan).unwrap();
        assert_eq!(change.items[0].result, ItemResult::Failed, "{step}");
        let state = home.state();
        assert_eq!(texts(&state), ["another installer's"], "{step}");
        assert_eq!((state.placed.len(), state.trash.len()), (0, 0), "{step}");
        assert_eq!(home.problems(), [] as [String; 0], "{step}");
    }
}

#[test]
fn what_was_changed_between_preview_and_change_is_left_alone() {
    let dir = scratch();
    let home = Home::new(dir.path());
    write(&home.skill("a", "pdf"), &MINE);
    let plan = home.plan(home.approved(URI, &[("SKILL.md", PDF)]), &["a"], OnConflict::Replace);
    fs::write(home.skill("a", "pdf").join("notes.txt"), "newer").unwrap();
    let state = home.state();
    let change = home.apply(&plan).unwrap();
    let error = change.items[0].error.as_ref().unwrap();
    assert_eq!(error.kind(), ErrorKind::Changed);
    assert_eq!(error.hint(), Some("look at the preview again"));
    assert_eq!(home.state(), state);
}

#[test]
fn what_two_other_programs_put_there_one_after_the_other_is_not_lost() {
    let dir = scratch();
    let home = Home::new(dir.path());
    let folder = home.skill("a", "pdf");
    let own = home.dir.join("own");
    write(&folder, &MINE);
    write(&own.join("first"), &[("SKILL.md", "first")]);
    write(&own.join("second"), &[("SKILL.md", "second")]);
    let source = home.approved(URI, &[("SKILL.md", PDF)]);
    let plan = home.plan(source, &["a"], OnConflict::Replace);
    let at = folder.clone();
    home.vault.at_each_step(move |step| {
        let (next, away) = match step {
            "Checked" => ("first", "mine"),
            "Swapped" => ("second", "placed"),
            _ => return false,
        };
        fs::rename(&at, own.join(away)).unwrap();
        fs::rename(own.join(next), &at).unwrap();
        false
    });
    let change = home.apply(&plan).unwrap();
    assert_eq!(change.items[0].result, ItemResult::Failed);
    let state = home.state();
    let mut texts = texts(&state);
    texts.sort_unstable();
    assert_eq!(texts, ["first", "second"], "{state:?}");
    assert_eq!(home.problems(), [] as [String; 0]);
}
