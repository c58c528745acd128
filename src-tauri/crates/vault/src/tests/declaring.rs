//! What servers declared, and what they were seen not to give.

use skills::origin::{Endpoint, ServerId};

use super::*;
use crate::declared::Doubt;

fn declared(uris: &[(&str, &str)]) -> Vec<(String, String)> {
    uris.iter().map(|(uri, json)| ((*uri).to_owned(), (*json).to_owned())).collect()
}

#[test]
fn what_a_server_declared_is_kept_until_it_declares_something_else() {
    let home = Home::new();
    let server = home.server();
    home.vault.keep_declared(&server.id, &declared(&[("a", "1"), ("b", "2")])).unwrap();
    home.vault.keep_declared(&server.id, &declared(&[("b", "3"), ("c", "4")])).unwrap();
    let (home, _) = home.reopen();
    let of = |uri| home.vault.declared(&server.id, uri).unwrap();
    assert_eq!((of("a"), of("b"), of("c")), (None, Some("3".into()), Some("4".into())));
    let nobody = ServerId("nobody".to_owned());
    assert!(home.vault.keep_declared(&nobody, &[]).is_err());
    assert_eq!(home.vault.declared(&nobody, "b").unwrap(), None);
}

#[test]
fn what_a_server_does_not_give_is_kept_until_it_does() {
    let home = Home::new();
    let server = home.server().id;
    let doubt = |uri: &str, why: &str| Doubt {
        server: server.clone(),
        uri: uri.to_owned(),
        fingerprint: "f".to_owned(),
        why: why.to_owned(),
    };
    for (uri, why) in [("a", "first"), ("b", "second"), ("a", "third")] {
        home.vault.doubt(&doubt(uri, why)).unwrap();
    }
    let (home, _) = home.reopen();
    assert_eq!(home.vault.doubts().unwrap(), [doubt("b", "second"), doubt("a", "third")]);
    home.vault.forget_doubt(&server, "a").unwrap();
    assert_eq!(home.vault.doubts().unwrap(), [doubt("b", "second")]);
}

#[test]
fn with_its_address_or_with_the_server_itself_what_it_declared_goes() {
    let home = Home::new();
    let server = home.server();
    let fill = || {
        home.vault.keep_declared(&server.id, &declared(&[("a", "1")])).unwrap();
        let (uri, fingerprint, why) = ("a".to_owned(), "f".to_owned(), "w".to_owned());
        let doubt = Doubt { server: server.id.clone(), uri, fingerprint, why };
        home.vault.doubt(&doubt).unwrap();
    };
    let is_gone = || {
        assert_eq!(home.vault.declared(&server.id, "a").unwrap(), None);
        assert_eq!(home.vault.doubts().unwrap(), []);
    };
    fill();
    let url = "https://other.example/mcp".to_owned();
    home.vault.set_server_endpoint(&server.id, Endpoint::Http { url }).unwrap();
    is_gone();
    fill();
    home.vault.remove_server(&server.id).unwrap();
    is_gone();
}
