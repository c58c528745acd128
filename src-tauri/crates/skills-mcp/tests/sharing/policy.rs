//! Two tokens with different views.

use serde_json::json;
use skills_mcp::server::ServeOptions;

use crate::callers::{As, both, client, provider, root, two};
use crate::support::served;

#[tokio::test]
async fn two_tokens_see_different_listings_templates_reads_folders_and_entries() {
    let root = root();
    let (addr, _guard) = served(provider(root.path()), two(None)).await;
    let (all, some) = both(addr);

    let listed = |who: As<'static>| who.list("resources/list", "resources", "uri", json!({}));
    let of_all = listed(all).await;
    assert!(of_all.iter().any(|uri| uri == "skill://hidden/SKILL.md"), "{of_all:?}");
    let of_some = listed(some).await;
    assert!(of_some.iter().any(|uri| uri == "skill://common/SKILL.md"), "{of_some:?}");
    assert!(of_some.iter().all(|uri| !uri.contains("hidden")), "{of_some:?}");

    let templates = |who: As<'static>| {
        who.list("resources/templates/list", "resourceTemplates", "uriTemplate", json!({}))
    };
    let hidden = "skill://hidden/{path*}".to_owned();
    assert!(templates(all).await.contains(&hidden));
    assert!(!templates(some).await.contains(&hidden));

    let skills = |who: As<'static>| who.list("skills/list", "skills", "uri", json!({}));
    assert_eq!(
        skills(all).await,
        ["skill://common/SKILL.md", "skill://hidden/SKILL.md", "skill://mixed/SKILL.md"]
    );
    // One file of `mixed` may not be read, so it is no entry at all.
    assert_eq!(skills(some).await, ["skill://common/SKILL.md"]);

    for (method, uri) in [
        ("resources/read", "skill://hidden/SKILL.md"),
        ("resources/read", "skill://hidden/docs/a.md"),
        ("resources/read", "skill://mixed/private/key.txt"),
        ("resources/read", "skill://mixed/pri%76ate/key.txt"),
        ("skills/get", "skill://hidden/SKILL.md"),
        ("skills/get", "skill://h%69dden/SKILL.md"),
        ("resources/directory/read", "skill://h%69dden"),
        ("skills/get", "skill://mixed/SKILL.md"),
        ("resources/directory/read", "skill://hidden"),
        ("resources/directory/read", "skill://mixed/private"),
    ] {
        let answer = some.call(method, json!({ "uri": uri })).await;
        assert_eq!(answer["error"]["code"], -32602, "{method} {uri}: {answer}");
        let nothing = uri.replace("h%69dden", "nothing");
        let nothing = nothing.replace("hidden", "nothing").replace("mixed", "nothing");
        let absent = some.call(method, json!({ "uri": nothing })).await;
        assert_eq!(
            answer["error"]["message"].as_str().unwrap().replace(uri, ""),
            absent["error"]["message"].as_str().unwrap().replace(&nothing, ""),
            "{method}"
        );
        if method != "skills/get" && !uri.contains('%') {
            let answer = all.call(method, json!({ "uri": uri })).await;
            assert!(answer["result"].is_object(), "{method} {uri}: {answer}");
        }
    }

    let children = |who: As<'static>| {
        who.list("resources/directory/read", "resources", "uri", json!({ "uri": "skill://mixed" }))
    };
    let private = "skill://mixed/private".to_owned();
    assert!(children(all).await.contains(&private));
    assert!(!children(some).await.contains(&private));
}

#[tokio::test]
async fn a_cursor_of_one_caller_is_invalid_for_another_who_may_not_see_what_it_names() {
    let root = root();
    let options = ServeOptions { page_size: Some(2), ..two(None) };
    let (addr, _guard) = served(provider(root.path()), options).await;
    let (all, some) = both(addr);
    let first = all.call("skills/list", json!({})).await;
    assert_eq!(first["result"]["skills"].as_array().unwrap().len(), 2);
    let cursor = json!({ "cursor": first["result"]["nextCursor"] });
    let second = all.call("skills/list", cursor.clone()).await;
    assert_eq!(second["result"]["skills"][0]["uri"], "skill://mixed/SKILL.md");
    assert_eq!(second["result"].get("nextCursor"), None);
    let foreign = some.call("skills/list", cursor).await;
    let unknown = some.call("skills/list", json!({ "cursor": "bm9uZQ" })).await;
    assert_eq!(foreign["error"]["code"], -32602);
    assert_eq!(foreign["error"], unknown["error"]);
}

#[tokio::test]
async fn the_session_of_another_caller_is_answered_like_none_and_like_one_that_ended() {
    let root = root();
    let (addr, _guard) = served(provider(root.path()), two(None)).await;
    let (all, some) = both(addr);
    let (session, _) = all.hello("2025-03-26").await;
    let (ended, _) = all.hello("2025-03-26").await;
    let (session, ended) = (session.unwrap(), ended.unwrap());
    let ask = async |method: &str, session: &str, version: &str, body: &'static str| {
        let method = reqwest::Method::from_bytes(method.as_bytes()).unwrap();
        let response = client()
            .request(method, format!("http://{addr}/mcp"))
            .bearer_auth(some.token)
            .header("accept", "application/json, text/event-stream")
            .header("content-type", "application/json")
            .header("mcp-session-id", session)
            .header("mcp-protocol-version", version)
            .body(body)
            .send();
        let response = response.await.unwrap();
        let mut headers = response.headers().clone();
        headers.remove("date");
        (response.status().as_u16(), headers, response.text().await.unwrap())
    };
    let gone = client()
        .delete(format!("http://{addr}/mcp"))
        .bearer_auth(all.token)
        .header("mcp-session-id", &ended);
    assert!(gone.send().await.unwrap().status().is_success());
    let list = r#"{"jsonrpc":"2.0","id":1,"method":"resources/list"}"#;
    let hello = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}"#;
    for version in ["2025-03-26", "2025-11-25", "1999-01-01", "2026-07-28"] {
        for (method, body) in [
            ("POST", list),
            ("POST", "[]"),
            ("POST", "{"),
            ("POST", hello),
            ("GET", ""),
            ("DELETE", ""),
        ] {
            let absent = ask(method, "none", version, body).await;
            assert_eq!(ask(method, &session, version, body).await, absent, "{method} {body}");
            assert_eq!(ask(method, &ended, version, body).await, absent, "{method} {body}");
            if version != "2026-07-28" {
                assert_eq!(absent.0, 404, "{method} {body}");
            }
        }
    }
    let list = json!({ "jsonrpc": "2.0", "id": 1, "method": "resources/list" });
    assert_eq!(all.older(Some(&session), "2025-03-26", list).await.status(), 200);
}
