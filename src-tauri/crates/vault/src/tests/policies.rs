//! What the person decided once for all that comes.

use skills::origin::{Endpoint, ServerId};

use super::*;
use crate::ErrorKind;
use crate::activity::ActivityKind;
use crate::approval::Standing;
use crate::policy::Reviews;

const URI: &str = "skill://pdf/SKILL.md";
const FILES: &[(&str, &str)] = &[("SKILL.md", PDF)];

fn other(home: &Home) -> SavedServer {
    home.vault
        .add_server("mirror", Endpoint::Http { url: "http://127.0.0.1:9000/mcp".to_owned() })
        .unwrap()
}

#[test]
fn nothing_of_a_server_is_planned_or_applied_once_the_person_said_never() {
    let home = Home::new();
    let server = home.server();
    let source = home.approved(&server, URI, FILES, false);
    let shown = home.plan(source.clone(), vec![target(&home, "a", OnConflict::Keep)]);
    assert_eq!(shown.writes(), 1);
    home.vault.set_never_installs(&server.id, true).unwrap();
    let why = "nothing of docs is installed: so it was chosen for this server";
    let change = home.apply(&shown);
    assert_eq!(change.items[0].result, ItemResult::Failed);
    assert!(change.items[0].error.as_ref().unwrap().to_string().contains(why));
    assert!(!home.root("a").join("pdf").exists());

    let (home, _) = home.reopen();
    assert!(home.vault.never_installs(&server.id).unwrap());
    let plan = home.plan(source.clone(), vec![target(&home, "a", OnConflict::Keep)]);
    assert_eq!((plan.blockers.as_slice(), plan.writes()), (&[why.to_owned()][..], 0));
    home.vault.set_never_installs(&server.id, false).unwrap();
    home.vault.set_never_installs(&server.id, false).unwrap();
    let told = home.vault.activity(2).unwrap().into_iter().map(|row| (row.kind, row.text));
    assert_eq!(
        told.collect::<Vec<_>>(),
        [
            (ActivityKind::ServerChanged, "what it offers may be installed again".to_owned()),
            (ActivityKind::ServerChanged, "nothing of it is installed any more".to_owned()),
        ]
    );
    let plan = home.plan(source, vec![target(&home, "a", OnConflict::Keep)]);
    assert_eq!(home.apply(&plan).items[0].result, ItemResult::Written);
    let nobody = ServerId("nobody".to_owned());
    let error = home.vault.set_never_installs(&nobody, true).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Gone);
}

#[test]
fn the_same_content_is_accepted_with_the_same_grant_and_a_note_that_says_from_where() {
    let home = Home::new();
    let (server, mirror) = (home.server(), other(&home));
    home.approved(&server, URI, FILES, true);
    let entry = home.offered(&mirror, URI, FILES);
    let refused = home.vault.accept_same(&mirror, &entry).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::NotApproved);

    home.vault.set_reviews(Reviews::NotOfSameContent).unwrap();
    assert_eq!(home.vault.standing(&mirror, &entry).unwrap(), Standing::Unreviewed);
    let same = home.vault.same_content(&mirror, &entry).unwrap().unwrap();
    assert_eq!((same.label.as_str(), same.granted), ("docs", true));
    let approval = home.vault.accept_same(&mirror, &entry).unwrap();
    assert!(approval.granted);
    let note = approval.note.as_deref().unwrap();
    assert!(note.starts_with("the same content as approved from docs on "), "{note}");
    assert_eq!(home.vault.standing(&mirror, &entry).unwrap(), Standing::Approved(approval));
}

#[test]
fn other_content_or_an_approval_that_has_ended_or_a_rejection_stands_for_no_review() {
    let home = Home::new();
    let (server, mirror) = (home.server(), other(&home));
    home.vault.set_reviews(Reviews::NotOfSameContent).unwrap();
    home.approved(&server, URI, FILES, false);
    let more = home.offered(&mirror, URI, &[("SKILL.md", PDF), ("a.txt", "a")]);
    assert_eq!(home.vault.same_content(&mirror, &more).unwrap(), None);
    let entry = home.offered(&mirror, URI, FILES);
    assert!(home.vault.same_content(&mirror, &entry).unwrap().is_some());

    // The first server offers something else now.
    home.vault.notice(&server, &home.offered(&server, URI, &[("SKILL.md", "x")])).unwrap();
    assert_eq!(home.vault.same_content(&mirror, &entry).unwrap(), None);
    home.approved(&server, URI, FILES, false);
    assert!(home.vault.same_content(&mirror, &entry).unwrap().is_some());

    // With another address it would be another server.
    let moved = Endpoint::Http { url: "http://127.0.0.1:8001/mcp".to_owned() };
    let server = home.vault.set_server_endpoint(&server.id, moved).unwrap();
    assert_eq!(home.vault.same_content(&mirror, &entry).unwrap(), None);
    let again = home.approved(&server, URI, FILES, false);
    assert!(home.vault.same_content(&mirror, &entry).unwrap().is_some());

    let Source::Approved { entry: rejected, .. } = again else { unreachable!() };
    home.vault.reject(&server, &rejected).unwrap();
    let third = home
        .vault
        .add_server("third", Endpoint::Http { url: "http://127.0.0.1:9001/mcp".to_owned() })
        .unwrap();
    home.approved(&third, URI, FILES, false);
    assert_eq!(home.vault.same_content(&mirror, &entry).unwrap(), None);
    assert!(home.vault.accept_same(&mirror, &entry).is_err());
}

#[test]
fn what_was_not_fetched_whole_is_not_accepted_because_it_is_the_same() {
    let home = Home::new();
    let (server, mirror) = (home.server(), other(&home));
    home.vault.set_reviews(Reviews::NotOfSameContent).unwrap();
    home.approved(&server, URI, FILES, false);
    let error = home.vault.accept_same(&mirror, &super::entry(URI, FILES)).unwrap_err();
    assert_eq!(error.to_string(), "pdf cannot be approved: SKILL.md was not fetched and verified");
}
