//! Lists and entries.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;
use skills_mcp::{Connection, ErrorKind, Verdict};

use crate::support::{Answer, Told, context, endpoint, entry, page};
use crate::{review, verdict};

#[tokio::test]
async fn one_bad_entry_is_refused_and_the_others_stand() {
    let told = Told::with_extension(|_, _| {
        page(
            vec![
                review(),
                json!({ "uri": "skill://a/SKILL.md", "frontmatter": { "name": "a" } }),
                json!({ "uri": 7 }),
                json!({
                    "uri": "skill://b/SKILL.md",
                    "frontmatter": { "name": "b", "description": "x" },
                    "resources": "dynamic",
                }),
            ],
            None,
        )
    })
    .await;
    let offers = told.connect().await.list().await.unwrap();
    assert!(matches!(verdict(&offers, "skill://review/SKILL.md"), Verdict::Verifiable(_)));
    let Verdict::Refused(rules) = verdict(&offers, "skill://a/SKILL.md") else { panic!() };
    assert_eq!(rules, &["frontmatter has no description", "resources is missing"]);
    assert!(matches!(verdict(&offers, "skill://b/SKILL.md"), Verdict::Unverifiable(_)));
    assert_eq!(offers.notices, ["an entry without a uri was left out"]);
}

#[tokio::test]
async fn a_uri_listed_twice_is_refused_both_times_also_across_pages() {
    let told = Told::with_extension(|_, params| match params["cursor"].as_str() {
        None => page(vec![review()], Some("2")),
        Some(_) => page(vec![review()], None),
    })
    .await;
    let offers = told.connect().await.list().await.unwrap();
    assert_eq!(offers.offers.len(), 2);
    assert!(offers.offers.iter().all(|offer| matches!(&offer.verdict, Verdict::Refused(_))));
}

#[tokio::test]
async fn endless_pages_end_at_the_limit_with_a_notice() {
    let count = AtomicUsize::new(0);
    let told = Told::with_extension(move |_, _| {
        let n = count.fetch_add(1, Ordering::SeqCst);
        page(vec![entry(&format!("s{n}"), b"x", &[])], Some(&format!("c{n}")))
    })
    .await;
    let offers = told.connect().await.list().await.unwrap();
    assert_eq!(offers.offers.len(), 250);
    assert_eq!(
        offers.notices,
        ["the server's list was read only in part: it has more than 250 pages"]
    );
    assert_eq!(told.times_asked("skills/list"), 250);
}

#[tokio::test]
async fn a_list_that_goes_round_in_a_circle_ends() {
    let told = Told::with_extension(|_, params| match params["cursor"].as_str() {
        Some("a") => page(vec![], Some("b")),
        _ => page(vec![], Some("a")),
    })
    .await;
    let offers = told.connect().await.list().await.unwrap();
    assert_eq!(
        offers.notices,
        ["the server's list was read only in part: the server goes round in a circle"]
    );
    assert_eq!(told.times_asked("skills/list"), 3);
}

#[tokio::test]
async fn more_entries_than_the_limit_are_left_out_with_a_notice() {
    let told = Told::with_extension(|_, _| {
        page(
            (0..10_001).map(|n| json!({ "uri": format!("skill://s{n}/SKILL.md") })).collect(),
            None,
        )
    })
    .await;
    let offers = told.connect().await.list().await.unwrap();
    assert_eq!(offers.offers.len(), 10_000);
    assert_eq!(
        offers.notices,
        ["the server's list was read only in part: it is longer than 10000 entries"]
    );
}

#[tokio::test]
async fn a_flood_of_nonsense_is_a_few_notices() {
    let told = Told::with_extension(|_, _| page(vec![json!({}); 5000], None)).await;
    let offers = told.connect().await.list().await.unwrap();
    assert!(offers.offers.is_empty());
    assert_eq!(
        offers.notices,
        ["an entry without a uri was left out", "and 4999 more of this kind"]
    );
}

#[tokio::test]
async fn a_list_that_is_none_is_a_broken_rule_of_the_protocol() {
    for result in [json!({ "skills": 7 }), json!({ "x": 1 }), json!([1]), json!("x")] {
        let told = Told::with_extension(move |_, _| Answer::Result(result.clone())).await;
        let error = told.connect().await.list().await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Protocol, "{error}");
    }
}

#[tokio::test]
async fn an_error_of_the_server_is_told_in_its_words_on_one_line() {
    let told = Told::with_extension(|_, _| Answer::Error(-32603, "out of\n\u{1b}[31mcheese")).await;
    let error = told.connect().await.list().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Refused);
    assert_eq!(
        error.to_string(),
        format!(
            "cannot list the skills of http://{}/mcp: the server answered with error -32603: out of [31mcheese",
            told.addr
        )
    );
}

#[tokio::test]
async fn a_list_that_never_comes_runs_into_the_time_out() {
    let told = Told::with_extension(|_, _| Answer::Silence).await;
    let mut context = context();
    context.timeouts.call = std::time::Duration::from_millis(200);
    let connection = Connection::open(&endpoint(told.addr), &context).await.unwrap();
    let error = connection.list().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Timeout, "{error}");
}

#[tokio::test]
async fn an_answer_over_the_message_limit_is_refused() {
    let told = Told::with_extension(|_, _| {
        Answer::Raw(200, "application/json", " ".repeat(32 * 1024 * 1024 + 1))
    })
    .await;
    let error = told.connect().await.list().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Protocol, "{error}");
}

#[tokio::test]
async fn the_answer_to_a_get_must_be_about_the_asked_skill() {
    let told = Told::with_extension(|_, _| {
        Answer::Result(json!({
            "resultType": "complete", "ttlMs": 0, "cacheScope": "private", "skill": review(),
        }))
    })
    .await;
    let connection = told.connect().await;
    let offer = connection.get("skill://review/SKILL.md").await.unwrap();
    assert!(matches!(offer.verdict, Verdict::Verifiable(_)));
    let error = connection.get("skill://other/SKILL.md").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Protocol);
    assert!(error.to_string().ends_with("the answer is about another skill"), "{error}");
}
