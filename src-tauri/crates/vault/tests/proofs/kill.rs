//! A process that is ended by SIGKILL at each step of what it does. A power cut cannot be tried like
//! this: what was written and not flushed is still there afterwards.

use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use rustix::process::{Signal, getpid, kill_process};
use vault::Recovered;

use crate::deeds::{DEEDS, Deed};
use crate::support::{Home, State, scratch};

/// The home, the deed, the step to end at, and for a recovery the step to end that at.
const CHILD: &str = "PROOFS_CHILD";

fn is_undo(deed: &Deed) -> bool {
    deed.name.starts_with("undo")
}

fn end() -> bool {
    kill_process(getpid(), Signal::KILL).unwrap();
    // It ends when the signal arrives, which may be a moment later.
    std::thread::park();
    true
}

/// Calls `then` at the step with this number, beginning with 1.
fn at(vault: &vault::Vault, step: usize, then: impl Fn(&str) -> bool + Send + Sync + 'static) {
    let taken = AtomicUsize::new(0);
    vault.at_each_step(move |name| taken.fetch_add(1, Ordering::SeqCst) + 1 == step && then(name));
}

#[test]
#[ignore = "what the other tests start and end"]
fn child() {
    let Some(given) = std::env::var_os(CHILD) else { return };
    let given: (String, usize, usize, usize) =
        serde_json::from_str(given.to_str().unwrap()).unwrap();
    let (dir, deed, step, recovery) = given;
    let deed = &DEEDS[deed];
    let (home, recovered) = Home::open(Path::new(&dir));
    assert_eq!(recovered, []);
    if recovery == 0 {
        at(&home.vault, step, |_| end());
        (deed.act)(&home).unwrap();
        return;
    }
    // A second vault crashes, and the first one is ended while it puts that right.
    let (other, _) = Home::open(Path::new(&dir));
    at(&other.vault, step, |_| true);
    if (deed.act)(&other).is_ok() {
        return;
    }
    drop(other);
    at(&home.vault, recovery, |_| end());
    // Every change begins by putting right what was interrupted; this one ends with that.
    home.vault.undo("none").unwrap_err();
}

/// Whether the child was ended by the signal; else it came to the end of what it does.
fn child_is_killed(dir: &Path, deed: usize, step: usize, recovery: usize) -> bool {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "kill::child", "--ignored", "--nocapture"])
        .env(CHILD, serde_json::to_string(&(dir, deed, step, recovery)).unwrap())
        .output()
        .unwrap();
    let killed = output.status.signal() == Some(Signal::KILL.as_raw());
    assert!(killed || output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    killed
}

/// Every state in which the record and the disk agree on the way, the first one before it.
pub(crate) fn states(deed: &Deed) -> Vec<State> {
    let dir = scratch();
    let home = Home::new(dir.path());
    (deed.ready)(&home);
    let states = Arc::new(Mutex::new(vec![home.state()]));
    let (seen, path) = (Arc::clone(&states), home.dir.clone());
    home.vault.at_each_step(move |step| {
        if step == "Committed" {
            let (other, _) = Home::open(&path);
            seen.lock().unwrap().push(other.state());
        }
        false
    });
    (deed.act)(&home).unwrap();
    let mut states = states.lock().unwrap().clone();
    assert!(states.len() > 1, "{} does nothing", deed.name);
    states.push(home.state());
    states
}

/// Opens the vault after the end and looks at everything.
fn assert_sound(dir: &Path, deed: &Deed, states: &[State], what: &str) {
    let (home, recovered) = Home::open(dir);
    let state = home.state();
    let Some(at) = states.iter().position(|known| state.is(known)) else {
        panic!("{what}: neither old nor new: {state:#?}\nbefore: {:#?}", states[0]);
    };
    assert_eq!(home.problems(), [] as [String; 0], "{what}");
    let done = match recovered.as_slice() {
        [] => None,
        [Recovered::Finished { .. }] => Some(true),
        [Recovered::TakenBack { .. }] => Some(false),
        other => panic!("{what}: {other:?}"),
    };
    if let Some(done) = done {
        let (kind, text) = home.told();
        assert_eq!(kind, "Recovered", "{what}");
        let word = if done { "was completed" } else { "was taken back" };
        assert!(text.starts_with("the interrupted change in ~/."), "{what}: {text}");
        assert!(text.ends_with(word), "{what}: {text}");
        assert!(!done || at > 0, "{what}: completed, and as before");
    }
    // Whatever was done can be taken back, and what was not done can be done.
    let (first, last) = (&states[0], &states[states.len() - 1]);
    if at == 0 {
        (deed.act)(&home).unwrap();
        assert_eq!(home.state().tools, last.tools, "{what}");
        assert_eq!(home.state().placed, last.placed, "{what}");
    } else if !is_undo(deed) {
        let change = home.vault.last_change().unwrap().unwrap();
        home.vault.undo(&change).unwrap();
        assert_eq!(home.state().tools, first.tools, "{what}");
        assert_eq!(home.state().placed, first.placed, "{what}");
    }
    assert_eq!(home.problems(), [] as [String; 0], "{what}");
}

fn kill_at_each_step(name: &str) {
    let number = DEEDS.iter().position(|deed| deed.name == name).unwrap();
    let deed = &DEEDS[number];
    let states = states(deed);
    for step in 1.. {
        let dir = tempfile::tempdir().unwrap();
        (deed.ready)(&Home::new(dir.path()));
        let killed = child_is_killed(dir.path(), number, step, 0);
        assert_sound(dir.path(), deed, &states, &format!("{name}, ended at step {step}"));
        if !killed {
            assert!(step > 4, "{name} has few steps");
            break;
        }
    }
}

#[test]
fn an_install_that_is_killed_is_whole_or_not_there() {
    kill_at_each_step("install");
}

#[test]
fn an_install_for_several_tools_that_is_killed_is_whole_or_not_there_for_each() {
    kill_at_each_step("install for several");
}

#[test]
fn a_replacement_that_is_killed_leaves_the_old_or_the_new() {
    kill_at_each_step("replace");
}

#[test]
fn an_update_that_is_killed_leaves_the_old_or_the_new() {
    kill_at_each_step("update");
    kill_at_each_step("update what was edited");
}

#[test]
fn a_copy_that_is_killed_is_whole_or_not_there() {
    kill_at_each_step("copy");
}

#[test]
fn a_fix_that_is_killed_leaves_the_old_or_the_new() {
    kill_at_each_step("fix");
    kill_at_each_step("fix and rename");
    kill_at_each_step("rename");
}

#[test]
fn another_name_that_is_killed_is_given_or_not() {
    kill_at_each_step("give another name");
}

#[test]
fn a_removal_that_is_killed_has_removed_or_has_not() {
    kill_at_each_step("remove");
    kill_at_each_step("remove what was edited");
}

#[test]
fn a_skill_that_is_being_moved_aside_and_back_is_here_or_there() {
    kill_at_each_step("disable");
    kill_at_each_step("disable by hand");
    kill_at_each_step("enable");
    kill_at_each_step("adopt");
}

#[test]
fn links_that_are_made_or_taken_away_lead_somewhere_whole() {
    for deed in DEEDS.iter().filter(|deed| deed.name.contains("link") && !is_undo(deed)) {
        kill_at_each_step(deed.name);
    }
}

#[test]
fn a_batch_that_is_killed_has_made_its_first_items_and_no_others() {
    kill_at_each_step("batch");
}

#[test]
fn an_undo_that_is_killed_has_taken_back_or_has_not() {
    for deed in DEEDS.iter().filter(|deed| is_undo(deed)) {
        kill_at_each_step(deed.name);
    }
}

/// Deeds in parts, so that they run beside each other.
fn kill_recoveries(part: usize) {
    const PARTS: usize = 12;
    for (number, deed) in DEEDS.iter().enumerate().filter(|(number, _)| number % PARTS == part) {
        kill_recovery_at_each_step(number, deed);
    }
}

/// How many steps it has.
fn steps(deed: &Deed) -> usize {
    let dir = scratch();
    let home = Home::new(dir.path());
    (deed.ready)(&home);
    let taken = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&taken);
    home.vault.at_each_step(move |_| {
        count.fetch_add(1, Ordering::SeqCst);
        false
    });
    (deed.act)(&home).unwrap();
    taken.load(Ordering::SeqCst)
}

fn kill_recovery_at_each_step(number: usize, deed: &Deed) {
    let states = states(deed);
    for step in 1..=steps(deed) {
        for recovery in 1.. {
            let dir = scratch();
            (deed.ready)(&Home::new(dir.path()));
            let killed = child_is_killed(dir.path(), number, step, recovery);
            let what = format!("{}, crashed at step {step}, then killed at {recovery}", deed.name);
            assert_sound(dir.path(), deed, &states, &what);
            if !killed {
                break;
            }
        }
    }
}

macro_rules! recoveries {
    ($($name:ident $part:literal)*) => {
        $(#[test]
        fn $name() {
            kill_recoveries($part);
        })*
    };
}

recoveries! {
    a_recovery_that_is_killed_is_completed_by_the_next_one 0
    a_recovery_that_is_killed_is_completed_by_the_next_two 1
    a_recovery_that_is_killed_is_completed_by_the_next_three 2
    a_recovery_that_is_killed_is_completed_by_the_next_four 3
    a_recovery_that_is_killed_is_completed_by_the_next_five 4
    a_recovery_that_is_killed_is_completed_by_the_next_six 5
    a_recovery_that_is_killed_is_completed_by_the_next_seven 6
    a_recovery_that_is_killed_is_completed_by_the_next_eight 7
    a_recovery_that_is_killed_is_completed_by_the_next_nine 8
    a_recovery_that_is_killed_is_completed_by_the_next_ten 9
    a_recovery_that_is_killed_is_completed_by_the_next_eleven 10
    a_recovery_that_is_killed_is_completed_by_the_next_twelve 11
}
