//! A skill by a URI that a person pastes.

use serde_json::json;
use skills::digest::Digest;
use skills_mcp::{ErrorKind, Verdict};

use crate::support::{Answer, Told, page, text};
use crate::{got, review};

#[tokio::test]
async fn a_skill_that_no_list_shows_is_had_by_its_uri() {
    let told = Told::with_extension(|method, params| match (method, params["uri"].as_str()) {
        ("skills/list", _) => page(vec![], None),
        ("skills/get", Some("skill://review/SKILL.md")) => got(review(&[])),
        _ => Answer::Error(-32602, "no such skill"),
    })
    .await;
    let connection = told.connect().await;
    assert!(connection.list().await.unwrap().offers.is_empty());
    let offer = connection.look_up("skill://review/SKILL.md").await.unwrap();
    assert!(matches!(offer.verdict, Verdict::Verifiable(_)), "{offer:?}");
    let error = connection.look_up("skill://other/SKILL.md").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Refused);
    assert!(error.to_string().ends_with("error -32602: no such skill"), "{error}");
}

#[tokio::test]
async fn a_skill_that_breaks_a_rule_is_refused_when_it_is_looked_up_too() {
    let told = Told::with_extension(|_, _| {
        let mut skill = review(&[]);
        skill["resources"][0]["digest"] = json!("sha256:12");
        got(skill)
    })
    .await;
    let offer = told.connect().await.look_up("skill://review/SKILL.md").await.unwrap();
    let Verdict::Refused(rules) = offer.verdict else { panic!("{:?}", offer.verdict) };
    assert_eq!(rules[0].code, "digest-form");
    assert_eq!(rules[0].actual, "\"sha256:12\"");
}

#[tokio::test]
async fn without_the_extension_a_manifest_is_looked_for_beside_the_skill() {
    let told = Told::with_resources(|_, params| match params["uri"].as_str() {
        Some("skill://review/_manifest") => text(
            &json!({ "skill": "review", "files": [
                { "path": "SKILL.md", "size": 1, "hash": Digest::of(b"x").to_string() },
            ]})
            .to_string(),
        ),
        Some("skill://bare/SKILL.md") => text("# Bare\n"),
        _ => Answer::Error(-32602, "unknown resource"),
    })
    .await;
    let connection = told.connect().await;
    let offer = connection.look_up("skill://review/SKILL.md").await.unwrap();
    assert!(matches!(offer.verdict, Verdict::Verifiable(_)), "{offer:?}");
    // One without a manifest can be read, and no more than that.
    let offer = connection.look_up("skill://bare/SKILL.md").await.unwrap();
    let Verdict::Unverifiable(reason) = offer.verdict else { panic!("{:?}", offer.verdict) };
    assert!(reason.starts_with("the server gives no manifest for it"), "{reason}");
    assert_eq!(connection.unverified_main("skill://bare/SKILL.md").await.unwrap(), b"# Bare\n");
    let error = connection.look_up("skill://nowhere/SKILL.md").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Refused);
}

#[tokio::test]
async fn a_uri_that_is_too_long_is_not_asked_for() {
    let told = Told::with_extension(|_, _| Answer::Error(-32602, "no such skill")).await;
    let connection = told.connect().await;
    let long = |bytes: usize| format!("skill://{}/SKILL.md", "u".repeat(bytes - 17));
    connection.look_up(&long(4097)).await.unwrap_err();
    assert_eq!(told.asked.lock().unwrap().len(), 1, "only the handshake");
    connection.look_up(&long(4096)).await.unwrap_err();
    assert_eq!(told.asked.lock().unwrap().len(), 2);
}
