//! Two processes and one ledger.

use super::*;
use crate::apply::Step;

#[test]
fn what_others_write_shows_once_and_what_is_written_here_does_not() {
    let home = Home::new();
    assert!(!home.vault.changed_by_others().unwrap());
    home.server();
    assert!(!home.vault.changed_by_others().unwrap());
    let (other, _) = Vault::open(home.vault.paths()).unwrap();
    home.vault.changed_by_others().unwrap();
    assert!(!home.vault.changed_by_others().unwrap());
    other.set_samples(false).unwrap();
    assert!(home.vault.changed_by_others().unwrap());
    assert!(!home.vault.changed_by_others().unwrap());
    // What only reads changes nothing.
    other.servers().unwrap();
    assert!(!home.vault.changed_by_others().unwrap());
}

#[test]
fn what_a_process_was_ended_in_that_made_a_change_at_the_start_is_put_right_later() {
    let home = Home::new();
    let server = home.server();
    let source = home.approved(&server, "skill://pdf/SKILL.md", &[("SKILL.md", PDF)], false);
    let plan = home.plan(source, vec![target(&home, "a", OnConflict::Keep)]);
    *home.vault.points.crash_after.lock().unwrap() = Some(Step::Swapped);
    home.vault.apply(&plan, &mut |_| ControlFlow::Continue(())).unwrap_err();
    let lock = home.vault.lock_changes().unwrap();
    let (other, recovered) = Vault::open(home.vault.paths()).unwrap();
    assert_eq!(recovered, []);
    assert_eq!(other.recover_late().unwrap(), []);
    assert_eq!(other.placements().unwrap(), []);
    drop(lock);
    let folder = home.root("a").join("pdf");
    let done = Recovered::Finished { name: "pdf".to_owned(), folder };
    assert_eq!(other.recover_late().unwrap(), [done]);
    assert_eq!(other.placements().unwrap().len(), 1);
    assert_eq!(other.recover_late().unwrap(), []);
}
