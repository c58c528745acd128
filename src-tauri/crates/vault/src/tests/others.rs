//! Two processes and one ledger.

use super::*;

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
