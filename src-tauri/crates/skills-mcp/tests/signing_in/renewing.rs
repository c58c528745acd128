//! Tokens that are old or taken back.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::json;
use skills_mcp::ErrorKind;
use skills_mcp::auth::Keep as _;

use crate::scripted::{Reply, Scripted, all_of, metadata};

/// A server that answers this request so once it is switched over.
async fn turning(
    what: &'static str,
    reply: impl Fn(&str) -> Reply + Send + Sync + 'static,
) -> (Scripted, Arc<AtomicBool>) {
    let over = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&over);
    let server = Scripted::new(move |asked, at| {
        (asked.what == what && seen.load(Ordering::SeqCst)).then(|| reply(at))
    })
    .await;
    (server, over)
}

#[tokio::test]
async fn a_token_that_was_taken_back_is_renewed_and_the_request_sent_again() {
    let server = Scripted::good().await;
    server.sign_in().await;
    let connection = server.connect().await.unwrap();
    server.take_back();
    assert_eq!(connection.list().await.unwrap().offers.len(), 1);
    assert!(server.keep.text().unwrap().contains("refresh-2"));
    let asked = server.asked("POST /as/token");
    assert_eq!(asked[1].fields["refresh_token"], "refresh-1");
    assert_eq!(asked[1].fields["resource"], server.url());
}

#[tokio::test]
async fn a_token_that_is_due_is_renewed_before_it_is_sent() {
    let server = Scripted::good().await;
    server.sign_in().await;
    let kept = server.keep.text().unwrap().replace("\"expires_in\":3600", "\"expires_in\":0");
    server.keep.save(&kept.into()).unwrap();
    server.connect().await.unwrap();
    let sent = server.asked("POST /mcp");
    let sent: Vec<&str> = sent.iter().filter_map(|asked| asked.authorization.as_deref()).collect();
    assert!(!sent.is_empty() && sent.iter().all(|token| *token == "Bearer access-2"), "{sent:?}");
}

#[tokio::test]
async fn many_calls_at_once_renew_it_once() {
    let server = Scripted::good().await;
    server.sign_in().await;
    let connection = server.connect().await.unwrap();
    server.take_back();
    let calls = (0..8).map(|_| connection.list());
    for listed in futures::future::join_all(calls).await {
        assert_eq!(listed.unwrap().offers.len(), 1);
    }
    assert_eq!(server.asked("POST /as/token").len(), 2);
}

#[tokio::test]
async fn where_it_cannot_be_renewed_for_good_the_person_signs_in_again() {
    let server = Scripted::good().await;
    server.sign_in().await;
    let connection = server.connect().await.unwrap();
    server.take_back_all();
    let error = connection.list().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::SignIn, "{error}");
    assert_eq!(server.keep.text(), None);
    server.sign_in().await;
    assert_eq!(server.connect().await.unwrap().list().await.unwrap().offers.len(), 1);
}

#[tokio::test]
async fn an_authorization_server_that_is_away_costs_no_sign_in() {
    let (server, away) = turning("POST /as/token", |_| {
        Reply::Json(503, json!({ "error": "secret-1", "error_description": "refresh-1" }))
    })
    .await;
    server.sign_in().await;
    let connection = server.connect().await.unwrap();
    away.store(true, Ordering::SeqCst);
    server.take_back();
    let error = connection.list().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unreachable);
    let told = ": the sign-in cannot be renewed: the authorization server gives no token (HTTP status 503)";
    assert!(error.to_string().ends_with(told), "{error}");
    assert!(!all_of(&error).contains("secret") && !all_of(&error).contains("refresh-1"));
    away.store(false, Ordering::SeqCst);
    assert_eq!(connection.list().await.unwrap().offers.len(), 1);
}

#[tokio::test]
async fn a_token_that_is_repeated_in_a_refusal_is_in_no_message() {
    let (server, over) = turning("POST /as/token", |_| {
        Reply::Json(
            400,
            json!({ "error": "invalid_grant", "error_description": "refresh-1 access-1" }),
        )
    })
    .await;
    server.sign_in().await;
    let connection = server.connect().await.unwrap();
    over.store(true, Ordering::SeqCst);
    server.take_back();
    let error = connection.list().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::SignIn);
    assert!(!all_of(&error).contains("access-1") && !all_of(&error).contains("refresh-1"));
}

#[tokio::test]
async fn another_authorization_server_is_not_given_what_the_first_gave() {
    let (server, over) = turning("GET /.well-known/oauth-authorization-server/as", |at| {
        let mut other = metadata(at);
        other["issuer"] = json!(format!("{at}/as/"));
        other["token_endpoint"] = json!(format!("{at}/evil/token"));
        Reply::Json(200, other)
    })
    .await;
    server.sign_in().await;
    let connection = server.connect().await.unwrap();
    over.store(true, Ordering::SeqCst);
    server.take_back();
    assert!(connection.list().await.is_err());
    assert!(server.asked("POST /evil/token").is_empty());
}

#[tokio::test]
async fn a_document_that_only_calls_itself_the_first_is_not_given_what_the_first_gave() {
    let (server, over) = turning("GET /.well-known/oauth-protected-resource/mcp", |at| {
        let servers = [format!("{at}/.well-known/evil")];
        Reply::Json(
            200,
            json!({ "resource": format!("{at}/mcp"), "authorization_servers": servers }),
        )
    })
    .await;
    server.sign_in().await;
    let connection = server.connect().await.unwrap();
    over.store(true, Ordering::SeqCst);
    server.take_back();
    assert!(connection.list().await.is_err());
    assert_eq!(server.asked("GET /.well-known/evil").len(), 1);
    assert!(server.asked("POST /evil/token").is_empty());
}

#[tokio::test]
async fn what_was_forgotten_is_not_sent() {
    let server = Scripted::good().await;
    server.sign_in().await;
    server.keep.forget().unwrap();
    assert_eq!(server.connect().await.unwrap_err().kind(), ErrorKind::SignIn);
}

#[tokio::test]
async fn a_token_that_the_server_itself_repeats_is_in_no_message() {
    let server = Scripted::new(|asked, _| {
        (asked.body["method"] == "skills/list").then(|| {
            let sent = asked.authorization.clone().unwrap_or_default();
            let error = json!({ "code": -32603, "message": format!("bad token {sent}") });
            Reply::Json(200, json!({ "jsonrpc": "2.0", "id": asked.body["id"], "error": error }))
        })
    })
    .await;
    server.sign_in().await;
    let connection = server.connect().await.unwrap();
    let error = connection.list().await.unwrap_err();
    assert!(error.to_string().ends_with("bad token Bearer …"), "{error}");
    assert!(!all_of(&error).contains("access-1"));
}
