//! The program ended in the middle of its work, and another one that is at work.

use std::fs;
use std::process::Command;
use std::time::{Duration, Instant};

use super::{library, skill};
use crate::support::home::{Home, files_in};
use crate::webdriver::key;
use crate::window::{Window, eventually};

/// How many skills are copied at once.
const SKILLS: usize = 30;
/// Which of them is large, so that writing it takes a while.
const LARGE: usize = 15;

#[test]
fn a_program_that_is_killed_in_the_middle_of_many_copies_leaves_each_whole_and_says_what_became() {
    let mut home = Home::empty().with_tool("claude-code").with_tool("cursor");
    let name = |at: usize| format!("skill-{at:02}");
    for at in 0..SKILLS {
        let size = if at == LARGE { 15 << 20 } else { 1000 };
        let data: Vec<u8> = (0..size).map(|byte| (byte % 251) as u8).collect();
        home = home.with_skill(".claude/skills", &skill(&name(at), "one\n").file("data", &data));
    }
    let copied = |at: usize| home.files(&format!(".cursor/skills/{}", name(at)));
    let own = |at: usize| home.files(&format!(".claude/skills/{}", name(at)));
    let window = library(&home);
    window.show(&name(0));
    window.press(&[key::CONTROL, 'a']);
    window.sees(&format!("{SKILLS} skills selected"));
    window.click("button", "Copy to…");
    window.find("heading", &format!("Copy {SKILLS} skills"));
    window.tick("Cursor");
    window.pictures("copy-several");
    window.click("button", &format!("Copy {SKILLS} skills to 1 tool"));
    let process = window.process().to_string();
    // No failure point is in this program: it is met while it writes the large one.
    let staging = home.at(".local/share/skillhold/staging");
    let writes = || {
        let steps = fs::read_dir(&staging).into_iter().flatten().flatten();
        let files = steps.map(|step| step.path().join(name(LARGE)).join("data"));
        files.filter_map(|file| fs::metadata(file).ok()).any(|found| found.len() > 1 << 20)
    };
    let started = Instant::now();
    while !writes() {
        assert!(started.elapsed() < Duration::from_secs(60), "the large one is never written");
    }
    assert!(Command::new("kill").args(["-s", "KILL", &process]).status().unwrap().success());
    drop(window);

    let window = Window::open(&home);
    window.click_part("button", "Activity");
    window.sees("Recovered");
    window.sees(&format!("the interrupted change in ~/.cursor/skills/{} was", name(LARGE)));
    window.pictures("recovered");
    let there: Vec<usize> = (0..SKILLS).filter(|at| !copied(*at).is_empty()).collect();
    assert!(there.len() >= LARGE && there.len() < SKILLS, "{there:?}");
    for at in &there {
        assert_eq!(copied(*at), own(*at), "{} is whole", name(*at));
    }
    assert_eq!(files_in(&staging).len(), 0, "nothing half written is left");
    // What was done before is one change, and is taken back as one.
    window.click_part("button", "Undo: ");
    eventually("the copies are taken back", || home.files(".cursor/skills").is_empty());
    assert!((0..SKILLS).all(|at| own(at).len() == 3));
}

#[test]
fn while_another_program_changes_something_the_window_says_so_and_goes_on_after_it() {
    let home = Home::empty()
        .with_tool("claude-code")
        .with_skill(".claude/skills", &skill("by-hand", "one\n"));
    let window = library(&home);
    window.show("by-hand");
    window.menu("Disable…");
    window.find("heading", "Disable “by-hand”");
    let lock = fs::File::options()
        .write(true)
        .open(home.at(".local/share/skillhold/changes.lock"))
        .unwrap();
    lock.lock().unwrap();
    window.do_it("Disable", "another change is being made right now");
    window.sees("wait until it is done, or close the other Skillhold");
    let is_on = "return document.activeElement.textContent.trim()";
    eventually("Enter tries again", || window.script(is_on) == "Disable in 1 tool");
    window.pictures("busy");
    assert_eq!(home.files(".claude/skills/by-hand").len(), 2);
    drop(lock);
    window.do_it("Disable", "1 folder moved aside");
    assert_eq!(home.files(".claude/skills").len(), 0);
}
