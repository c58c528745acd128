//! The server's own words: they come on one line, of bounded length, and steer nothing.

use serde_json::json;

use crate::meeting::{Meeting, rows};
use crate::server::{Hostile, Say};
use crate::world::World;

/// Answers the list with this error.
fn error(code: i64, message: &str) -> World {
    let message = message.to_owned();
    World::honest().at("skills/list", move |_| Say::Error(code, message.clone()))
}

rows! {
    colours_in_an_error_are_taken_out:
        error(-32603, "\u{1b}[31mred\u{1b}[0m") => [
            "Refused: cannot list the skills of SERVER: the server answered with error -32603: [31mred [0m",
        ];
    a_link_of_a_terminal_is_taken_out:
        error(-32603, "\u{1b}]8;;https://example.org\u{7}click\u{1b}]8;;\u{7}") => [
            "Refused: cannot list the skills of SERVER: the server answered with error -32603: ]8;;https://example.org click ]8;;",
        ];
    a_title_of_a_terminal_is_taken_out:
        error(-32603, "\u{9d}0;owned\u{9c}text") => [
            "Refused: cannot list the skills of SERVER: the server answered with error -32603: 0;owned text",
        ];
    lines_in_an_error_become_one:
        error(-32603, "no\r\n\n2026-01-01 INFO all is well\n") => [
            "Refused: cannot list the skills of SERVER: the server answered with error -32603: no 2026-01-01 INFO all is well",
        ];
    markup_in_an_error_stays_text:
        error(-32603, "<img src=x onerror=alert(1)> [a](javascript:alert(1)) &lt;") => [
            "Refused: cannot list the skills of SERVER: the server answered with error -32603: <img src=x onerror=alert(1)> [a](javascript:alert(1)) &lt;",
        ];
    text_that_runs_backwards_is_taken_out:
        error(-32603, "ab\u{202e}cd\u{2066}ef\u{2069}") => [
            "Refused: cannot list the skills of SERVER: the server answered with error -32603: ab cd ef",
        ];
    characters_without_a_width_are_taken_out:
        error(-32603, "a\u{200b}b\u{feff}c\u{e0041}d") => [
            "Refused: cannot list the skills of SERVER: the server answered with error -32603: a b c d",
        ];
    an_error_of_a_megabyte_is_cut:
        error(-32603, &"long ".repeat(200_000)) => [
            "Refused: cannot list the skills of SERVER: the server answered with error -32603: long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long …",
        ];
    an_error_of_nothing_is_still_told:
        error(-32603, "") => [
            "Refused: cannot list the skills of SERVER: the server answered with error -32603: ",
        ];
    a_code_without_meaning_is_told:
        error(i64::from(i32::MIN), "x") => [
            "Refused: cannot list the skills of SERVER: the server answered with error -2147483648: x",
        ];
    a_code_beyond_all_codes_is_told:
        error(i64::MAX, "x").hasty() => [
            "Protocol: cannot list the skills of SERVER: the answer is not MCP",
        ];
    an_error_with_a_megabyte_beside_it_is_told:
        World::honest().at("skills/list", |asked| Say::Body(json!({
            "jsonrpc": "2.0", "id": asked.id,
            "error": { "code": -32603, "message": "x", "data": "y".repeat(1 << 20) },
        }).to_string())) => [
            "Refused: cannot list the skills of SERVER: the server answered with error -32603: x",
        ];
    a_name_with_escapes_is_told_with_them_spelled_out:
        World::honest().entry(|entry| entry["frontmatter"]["name"] = json!("\u{1b}[31m\nreview\u{202e}")) => [
            "review refused: the name \"\\u{1b}[31m\\nreview\\u{202e}\" is not the last part of the skill's path, \"review\"",
            "good verified",
        ];
    a_name_of_a_megabyte_is_cut:
        World::honest().entry(|entry| entry["frontmatter"]["name"] = json!("n".repeat(1 << 20))) => [
            "review refused: the name in frontmatter has 1048576 characters",
            "good verified",
        ];
    a_name_that_is_markup_is_told_as_text:
        World::honest().entry(|entry| entry["frontmatter"]["name"] = json!("</td><script>alert(1)</script>")) => [
            "review refused: the name \"</td><script>alert(1)</script>\" is not the last part of the skill's path, \"review\"",
            "good verified",
        ];
    a_uri_with_a_long_name_is_cut:
        World::honest().resource(&format!("skill://good/{}", "x".repeat(4000))) => [
            "review refused: \"skill://good/xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…",
            "good verified",
        ];
    another_field_with_escapes_is_told_with_them_spelled_out:
        World::honest().entry(|entry| entry["frontmatter"]["\u{1b}[31mx\n"] = json!("\u{1b}[2J")) => [
            "review \"\\u{1b}[31mx\\n\": \"\\u001b[2J\" declared, nothing served",
            "good verified",
        ];
}

#[tokio::test]
async fn a_description_of_a_megabyte_is_cut_for_the_screen() {
    let world = World::honest().entry(|entry| {
        entry["frontmatter"]["description"] = json!("d".repeat(1 << 20));
    });
    let server = Hostile::listen(world.script()).await;
    let meeting = Meeting::with(skills::origin::Endpoint::Http { url: server.url() }, false);
    let offers = meeting.connect().await.unwrap().list().await.unwrap().offers;
    assert_eq!(offers[0].description.chars().count(), 8193);
    assert!(offers[0].description.ends_with("d\u{2026}"));
}

#[tokio::test]
async fn a_token_that_the_server_repeats_is_not_told_further() {
    let world = World::honest().on(|asked| {
        let token = asked.headers.lines().find(|line| line.starts_with("authorization"));
        Say::Error(-32603, format!("you sent {}", token.unwrap_or("nothing")))
    });
    let server = Hostile::listen(world.script()).await;
    let endpoint = skills::origin::Endpoint::Http { url: server.url() };
    let meeting = Meeting::with(endpoint, false)
        .change(|context| context.token = Some("s3cr3t-t0k3n".to_owned()));
    let error = meeting.connect().await.expect_err("connected");
    assert!(!error.to_string().contains("s3cr3t-t0k3n"), "{error}");
}

#[tokio::test]
async fn a_notice_of_a_flood_is_short() {
    let uris: Vec<_> = (0..3000)
        .map(|n| json!({ "uri": format!("skill://{n}{}/SKILL.md", "a".repeat(5000)) }))
        .collect();
    let world = World::honest().at("skills/list", move |_| crate::world::page(&uris, None));
    let server = Hostile::listen(world.script()).await;
    let meeting = Meeting::with(skills::origin::Endpoint::Http { url: server.url() }, false);
    let offers = meeting.connect().await.unwrap().list().await.unwrap();
    assert!(offers.offers.is_empty());
    assert!(offers.notices.len() <= 21, "{} notices", offers.notices.len());
    assert!(offers.notices.iter().all(|notice| notice.len() < 400));
}
