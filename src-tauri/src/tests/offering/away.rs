//! What is shown of a server that is away after a restart.

use super::*;
use crate::view::FileBody;

#[test]
fn what_a_server_listed_last_is_shown_in_full_while_it_is_away() {
    let played = Played::new(&telling(Some("one"), &["one"], "one"));
    let (shell, server, _home) = played.restarted_alone();
    let detail = shell.offer_detail(&server, URI).unwrap();
    assert_eq!(detail.row.standing, Standing::Unreviewed);
    let fields: Vec<&str> = detail.front_matter.iter().map(|field| field.key.as_str()).collect();
    assert_eq!(fields, ["name", "description"]);
    let manifest = detail.manifest.unwrap();
    assert_eq!(manifest.fingerprint, entry("one").fingerprint().to_string());
    let files: Vec<_> = manifest.files.iter().map(|file| (file.path.as_str(), file.size)).collect();
    assert_eq!(files, [("SKILL.md", 44)]);
    assert!(!detail.can_export && !detail.shows_folder);
    // Nothing of it was fetched before, so there is nothing to look at.
    let error = block_on(shell.offer_file(&server, URI, "SKILL.md")).unwrap_err();
    assert_eq!(error.code, ErrorCode::Unreachable);
}

#[test]
fn what_was_checked_before_can_be_looked_at_while_the_server_is_away() {
    let played = Played::new(&telling(Some("one"), &["one"], "one"));
    let review = played.review().unwrap();
    played.approve(&review).unwrap();
    let (shell, server, _home) = played.restarted_alone();
    let detail = shell.offer_detail(&server, URI).unwrap();
    assert!(matches!(detail.row.standing, Standing::Approved { .. }), "{:?}", detail.row.standing);
    let shown = block_on(shell.offer_file(&server, URI, "SKILL.md")).unwrap();
    assert_eq!(shown.state, FileState::Verified { line_endings_restored: false });
    assert_eq!(shown.size, 44);
    assert!(!matches!(shown.body, FileBody::Binary { .. }), "{:?}", shown.body);
    let none = block_on(shell.offer_file(&server, URI, "none.md")).unwrap_err();
    assert_eq!(none.code, ErrorCode::Unreachable);
}

#[test]
fn what_does_not_match_is_not_new_after_a_restart() {
    let played = Played::new(&telling(Some("one"), &["one"], "other"));
    played.review().unwrap();
    let (shell, server, _home) = played.restarted_alone();
    assert_eq!(
        shell.offer_detail(&server, URI).unwrap().row.standing,
        Standing::Mismatched { reason: "SKILL.md is not what the server declares".to_owned() }
    );
}

#[test]
fn why_a_skill_cannot_be_checked_is_told_while_the_server_is_away() {
    let told = Arc::new(Told { plain: true, ..Told::default() });
    let played = Played::new(&told);
    let before = played.row(|_| true).standing;
    assert!(matches!(before, Standing::Unverifiable { .. }), "{before:?}");
    let (shell, server, _home) = played.restarted_alone();
    assert_eq!(shell.offer_detail(&server, URI).unwrap().row.standing, before);
}
