//! The list: its pages, its length, and what stands in it instead of an entry.

use serde_json::{Value, json};

use crate::meeting::{check, rows};
use crate::server::{Asked, Piece, Say};
use crate::world::{World, chunk, chunked, complete, page};

/// Puts these before the two entries.
fn with(items: &[Value]) -> World {
    let mut world = World::honest();
    let rest = std::mem::take(&mut world.entries);
    world.entries = items.iter().cloned().chain(rest).collect();
    world
}

fn lists(say: impl Fn(&Asked) -> Say + Send + Sync + 'static) -> World {
    World::honest().at("skills/list", say)
}

/// An answer to `skills/list` by its text, with `ID` where the id belongs.
fn text(body: impl Into<String>) -> World {
    let body = body.into();
    lists(move |asked| Say::Body(body.replace("ID", &asked.id.to_string())))
}

/// The start of such a text, up to the entries.
const START: &str = r#"{"jsonrpc":"2.0","id":ID,"result":{"resultType":"complete","ttlMs":0,"cacheScope":"private","skills":["#;

/// A page whose entries never end, or nearly.
fn flood(item: &[u8], times: usize) -> World {
    let item = item.repeat(1000);
    lists(move |asked| {
        Say::Wire(vec![
            chunked("application/json"),
            Piece::Bytes(chunk(START.replace("ID", &asked.id.to_string()).as_bytes())),
            Piece::Again(chunk(&item), times / 1000),
            Piece::Bytes(chunk(b"0]}}")),
            Piece::text("0\r\n\r\n"),
        ])
    })
}

fn empty_page(next: Value) -> Say {
    complete(json!({ "skills": [], "nextCursor": next }))
}

rows! {
    pages_that_never_end_are_cut_off:
        lists(|asked| empty_page(json!(format!("{}x", asked.cursor.clone().unwrap_or_default())))) => [
            "notice: the server's list was read only in part: it has more than 250 pages",
        ];
    a_list_that_leads_back_to_its_start_is_cut_off: lists(|asked| match asked.cursor.as_deref() {
        Some("b") => empty_page(json!("a")),
        Some("a") => empty_page(json!("b")),
        _ => empty_page(json!("a")),
    }) => ["notice: the server's list was read only in part: the server goes round in a circle"];
    a_mark_that_stays_the_same_is_cut_off:
        lists(|_| empty_page(json!("again"))) => [
            "notice: the server's list was read only in part: the server goes round in a circle",
        ];
    an_empty_mark_is_a_mark_once:
        lists(|_| empty_page(json!(""))) => [
            "notice: the server's list was read only in part: the server goes round in a circle",
        ];
    a_mark_that_is_no_text_is_told:
        lists(|_| empty_page(json!(7))) => [
            "notice: the server's list was read only in part: the mark of the next page is not a text",
        ];
    a_mark_of_a_megabyte_is_not_sent_back:
        lists(|asked| match asked.cursor {
            Some(_) => Say::Error(-32602, "it was sent back".to_owned()),
            None => empty_page(json!("x".repeat(1 << 20))),
        }) => [
            "notice: the server's list was read only in part: the mark of the next page has 1048576 bytes",
        ];
    a_mark_that_is_null_ends_the_list: lists(|_| empty_page(Value::Null)) => [];
    an_error_on_the_second_page_is_told:
        World::honest().at("skills/list", |asked| match asked.cursor {
            Some(_) => Say::Error(-32603, "no more".to_owned()),
            None => empty_page(json!("2")),
        }) => [
            "Refused: cannot list the skills of SERVER: the server answered with error -32603: no more",
        ];
    skills_that_are_no_list_are_told:
        lists(|_| complete(json!({ "skills": {} }))) => [
            "Protocol: cannot list the skills of SERVER: a page of the list has no skills",
        ];
    no_skills_in_the_answer_is_told:
        lists(|_| complete(json!({ "tools": [] }))) => [
            "Protocol: cannot list the skills of SERVER: a page of the list has no skills",
        ];
    what_is_no_entry_is_left_out:
        with(&[json!(null), json!([]), json!("skill://a/SKILL.md"), json!(7), json!({})]) => [
            "notice: an entry that is not an object was left out",
            "notice: an entry without a uri was left out",
            "notice: and 3 more of this kind",
            "review verified",
            "good verified",
        ];
    an_entry_without_a_uri_is_left_out:
        with(&[json!({ "frontmatter": {}, "resources": [] })]) => [
            "notice: an entry without a uri was left out",
            "review verified",
            "good verified",
        ];
    an_entry_whose_uri_is_a_list_is_left_out:
        with(&[json!({ "uri": ["skill://a/SKILL.md"] })]) => [
            "notice: an entry without a uri was left out",
            "review verified",
            "good verified",
        ];
    an_entry_whose_uri_is_too_long_is_left_out:
        with(&[json!({ "uri": format!("skill://\u{1b}{}/SKILL.md", "a".repeat(5000)) })]) => [
            "notice: an entry whose uri has 5018 bytes was left out (4096 is the most): skill:// aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…",
            "review verified",
            "good verified",
        ];
    a_uri_that_comes_twice_is_refused_both_times:
        World::honest().at("skills/list", |_| {
            let entries = World::honest().entries;
            page(&[entries[0].clone(), entries[1].clone(), entries[0].clone()], None)
        }) => [
            "review refused: the server lists this uri more than once",
            "good verified",
            "review refused: the server lists this uri more than once",
        ];
    another_spelling_of_a_uri_is_another_skill_and_asked_for_as_it_is_written:
        with(&[{
            let mut entry = World::honest().entries.remove(0);
            entry["uri"] = json!("skill://%72eview/SKILL.md");
            for resource in entry["resources"].as_array_mut().unwrap() {
                resource["uri"] = json!(resource["uri"].as_str().unwrap().replace("review", "%72eview"));
            }
            entry
        }]) => [
            "\"skill://%72eview/SKILL.md\" SKILL.md: the server answered with error -32602: no such resource",
            "review verified",
            "good verified",
        ];
    an_answer_nested_a_hundred_thousand_times_is_refused:
        text(format!("{START}{}{}]}}}}", "[".repeat(100_000), "]".repeat(100_000))) => [
            "Protocol: cannot list the skills of SERVER: the answer is not MCP",
        ];
    objects_nested_a_hundred_thousand_times_are_refused:
        text(format!("{START}{}1{}]}}}}", "{\"a\":".repeat(100_000), "}".repeat(100_000))) => [
            "Protocol: cannot list the skills of SERVER: the answer is not MCP",
        ];
    an_entry_nested_as_deep_as_json_is_read_is_left_out:
        text(format!("{START}{}{}]}}}}", "[".repeat(100), "]".repeat(100))) => [
            "notice: an entry that is not an object was left out",
        ];
    not_a_number_is_refused:
        text(format!("{START}NaN]}}}}")) => [
            "Protocol: cannot list the skills of SERVER: the answer is not MCP",
        ];
    half_a_character_is_refused:
        text(format!("{START}\"\\ud800\"]}}}}")) => [
            "Protocol: cannot list the skills of SERVER: the answer is not MCP",
        ];
    a_number_beyond_all_numbers_is_refused:
        text(format!("{START}{{\"uri\":\"skill://a/SKILL.md\",\"size\":1e400}}]}}}}")) => [
            "Protocol: cannot list the skills of SERVER: the answer is not MCP",
        ];
    the_last_of_two_lists_under_one_key_is_judged:
        text(format!("{START}],\"skills\":[{{\"uri\":\"skill://a/SKILL.md\"}}]}}}}")) => [
            "\"skill://a/SKILL.md\" refused: frontmatter is missing",
            "\"skill://a/SKILL.md\" refused: resources is missing",
        ];
    a_second_id_under_the_same_key_is_refused:
        text(r#"{"jsonrpc":"2.0","id":ID,"id":77,"result":{"skills":[]}}"#.to_owned()).hasty() => [
            "Protocol: cannot list the skills of SERVER: the answer is not MCP",
        ];
    a_second_digest_under_the_same_key_is_what_is_checked:
        text(format!(
            "{START}{{\"uri\":\"skill://review/SKILL.md\",\"frontmatter\":{{\"name\":\"review\",\"description\":\"Looks at changes.\"}},\"resources\":[{{\"uri\":\"skill://review/SKILL.md\",\"size\":62,\"digest\":\"{}\",\"digest\":\"sha256:{}\"}}]}}]}}}}",
            skills::digest::Digest::of(crate::world::MAIN.as_bytes()), "0".repeat(64),
        )) => ["review SKILL.md: another digest, 62 bytes"];
    a_million_entries_are_refused:
        flood(b"{},", 1_000_000) => [
            "Protocol: cannot list the skills of SERVER: the answer has more than 400000 values",
        ];
    millions_of_lists_are_refused:
        flood(b"[],", 10_000_000) => [
            "Protocol: cannot list the skills of SERVER: the answer has more than 400000 values",
        ];
    entries_without_an_end_are_refused:
        flood(b"{\"uri\":\"skill://a/SKILL.md\"},", 100_000_000) => [
            "Protocol: cannot list the skills of SERVER: the answer is larger than 33554432 bytes",
        ];
    a_million_files_in_one_entry_are_refused:
        lists(|asked| Say::Wire(vec![
            chunked("application/json"),
            Piece::Bytes(chunk(START.replace("ID", &asked.id.to_string()).as_bytes())),
            Piece::Bytes(chunk(br#"{"uri":"skill://review/SKILL.md","frontmatter":{"name":"review","description":"x"},"resources":["#)),
            Piece::Again(chunk(&b"{},".repeat(1000)), 1000),
            Piece::Bytes(chunk(b"{}]}]}}")),
            Piece::text("0\r\n\r\n"),
        ])) => [
            "Protocol: cannot list the skills of SERVER: the answer has more than 400000 values",
        ];
}

#[tokio::test]
async fn pages_are_asked_for_as_often_as_the_limit_says() {
    let world = lists(|asked| empty_page(json!(asked.before.to_string())));
    let notice = "notice: the server's list was read only in part: it has more than 250 pages";
    let server = check(world, &[notice]).await;
    assert_eq!(server.times("skills/list"), 250);
}

#[tokio::test]
async fn nothing_is_read_before_it_is_needed() {
    let server = check(World::honest().at("skills/list", |_| page(&[], None)), &[]).await;
    assert_eq!(server.times("resources/read"), 0);
    assert_eq!(server.times("skills/get"), 0);
}
