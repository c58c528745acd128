//! Answers to the reading of one file that are not that file.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};

use crate::meeting::{check, rows};
use crate::server::{Piece, Say};
use crate::world::{MAIN, World, chunk, chunked, complete, content, resource};

const URI: &str = "skill://review/run.sh";

/// One content with these fields for `run.sh`.
fn one(content: Value) -> World {
    World::honest().run(json!([content]))
}

fn blob(text: &str) -> World {
    one(json!({ "uri": URI, "blob": text }))
}

fn text(text: &str) -> World {
    one(json!({ "uri": URI, "text": text }))
}

/// A binary file, truly declared, that is answered with this.
fn binary(answer: Value) -> World {
    World::honest().files(MAIN, &[("run.sh", b"\x89PNG\xff\0\n")]).run(json!([answer]))
}

/// The bytes of `run.sh` are declared to have this size.
fn declared(size: u64) -> World {
    World::honest().entry(|entry| entry["resources"][1]["size"] = json!(size))
}

/// An answer whose text never ends.
fn endless(field: &'static str, bytes: &'static [u8]) -> World {
    World::honest().at_run(move |asked| {
        let start = format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":{{\"contents\":[{{\"uri\":\"{URI}\",\"{field}\":\"",
            asked.id
        );
        Say::Wire(vec![
            chunked("application/json"),
            Piece::Bytes(chunk(start.as_bytes())),
            Piece::Again(chunk(bytes), usize::MAX),
        ])
    })
}

rows! {
    other_bytes_of_the_same_size_are_refused:
        text("echo fima\n") => ["review run.sh: another digest, 10 bytes", "good verified"];
    bytes_too_few_are_refused:
        text("echo fine") => ["review run.sh: 10 bytes declared, 9 served", "good verified"];
    bytes_too_many_are_refused:
        text("echo fine\n\n") => ["review run.sh: 10 bytes declared, 11 served", "good verified"];
    no_bytes_are_refused:
        text("") => ["review run.sh: 10 bytes declared, 0 served", "good verified"];
    a_size_declared_too_small_is_refused:
        declared(9) => ["review run.sh: 9 bytes declared, 10 served", "good verified"];
    a_size_declared_too_large_is_refused:
        declared(11) => ["review run.sh: 11 bytes declared, 10 served", "good verified"];
    an_empty_file_that_is_not_empty_is_refused:
        declared(0) => ["review run.sh: 0 bytes declared, 10 served", "good verified"];
    line_ends_that_came_otherwise_are_named:
        text("echo fine\r\n") => ["review run.sh: 10 bytes declared, 11 served", "good verified"];
    a_mark_at_the_start_is_refused:
        text("\u{feff}echo fine\n") => [
            "review run.sh: 10 bytes declared, 13 served",
            "good verified",
        ];
    the_same_characters_in_another_form_are_refused:
        World::honest().files(MAIN, &[("run.sh", "caf\u{e9}".as_bytes())]).run(json!([{ "uri": URI, "text": "cafe\u{301}" }])) => [
            "review run.sh: 5 bytes declared, 6 served",
            "good verified",
        ];
    no_contents_are_refused:
        World::honest().run(json!([])) => [
            "review run.sh: the server answered with 0 contents for one file",
            "good verified",
        ];
    two_contents_are_refused:
        World::honest().run(json!([content(URI, b"echo fine\n"), content(URI, b"echo fine\n")])) => [
            "review run.sh: the server answered with 2 contents for one file",
            "good verified",
        ];
    a_hundred_thousand_contents_are_refused:
        World::honest().at_run(|asked| Say::Wire(vec![
            chunked("application/json"),
            Piece::Bytes(chunk(format!("{{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":{{\"contents\":[", asked.id).as_bytes())),
            Piece::Again(chunk(&br#"{"uri":"skill://review/run.sh","text":""},"#.repeat(1000)), 100),
            Piece::Bytes(chunk(br#"{"uri":"skill://review/run.sh","text":""}]}}"#)),
            Piece::text("0\r\n\r\n"),
        ])) => ["review run.sh: the answer is larger than 65596 bytes", "good verified"];
    contents_that_are_an_object_are_refused:
        World::honest().run(content(URI, b"echo fine\n")) => [
            "review run.sh: the answer does not have the form that the protocol asks for",
            "good verified",
        ];
    contents_that_are_null_are_refused:
        World::honest().run(Value::Null) => [
            "review run.sh: the answer does not have the form that the protocol asks for",
            "good verified",
        ];
    contents_that_are_missing_are_refused:
        World::honest().at_run(|_| complete(json!({}))) => [
            "review run.sh: the answer does not have the form that the protocol asks for",
            "good verified",
        ];
    a_content_that_is_a_text_is_refused:
        one(json!("echo fine\n")) => [
            "review run.sh: the answer does not have the form that the protocol asks for",
            "good verified",
        ];
    a_content_with_nothing_in_it_is_refused:
        one(json!({ "uri": URI })) => [
            "review run.sh: the answer does not have the form that the protocol asks for",
            "good verified",
        ];
    a_content_that_is_text_and_bytes_is_one_of_them:
        one(json!({ "uri": URI, "text": "echo fine\n", "blob": "b3RoZXI=" })) => [
            "review verified",
            "good verified",
        ];
    a_text_that_is_a_number_is_refused:
        one(json!({ "uri": URI, "text": 7 })) => [
            "review run.sh: the answer does not have the form that the protocol asks for",
            "good verified",
        ];
    bytes_that_are_a_list_are_refused:
        one(json!({ "uri": URI, "blob": [1, 2] })) => [
            "review run.sh: the answer does not have the form that the protocol asks for",
            "good verified",
        ];
    text_may_come_as_bytes: blob("ZWNobyBmaW5lCg==") => ["review verified", "good verified"];
    bytes_that_come_as_text_are_refused:
        binary(json!({ "uri": URI, "text": "\u{fffd}PNG\u{fffd}\0\n" })) => [
            "review run.sh: 7 bytes declared, 11 served",
            "good verified",
        ];
    bytes_that_come_as_their_latin_text_are_refused:
        binary(json!({ "uri": URI, "text": "\u{89}PNG\u{ff}\0\n" })) => [
            "review run.sh: 7 bytes declared, 9 served",
            "good verified",
        ];
    a_type_of_a_link_makes_no_link:
        one(json!({ "uri": URI, "mimeType": "inode/symlink", "text": "echo fine\n" })) => [
            "review verified",
            "good verified",
        ];
    a_type_that_is_markup_is_let_be:
        one(json!({ "uri": URI, "mimeType": "<script>\u{1b}[31m", "text": "echo fine\n" })) => [
            "review verified",
            "good verified",
        ];
    base64_with_other_letters_is_refused:
        blob("ZWNob_BmaW5lCg==") => ["review run.sh: its bytes are not base64", "good verified"];
    base64_without_its_end_is_refused:
        blob("ZWNobyBmaW5lCg") => ["review run.sh: its bytes are not base64", "good verified"];
    base64_with_too_much_of_its_end_is_refused:
        blob("ZWNobyBmaW5lCg====") => ["review run.sh: its bytes are not base64", "good verified"];
    base64_with_line_breaks_is_refused:
        blob("ZWNobyBm\naW5lCg==") => ["review run.sh: its bytes are not base64", "good verified"];
    base64_with_space_is_refused:
        blob(" ZWNobyBmaW5lCg==") => ["review run.sh: its bytes are not base64", "good verified"];
    base64_with_bits_left_over_is_refused:
        blob("ZWNobyBmaW5lCh==") => ["review run.sh: its bytes are not base64", "good verified"];
    base64_of_half_a_group_is_refused:
        blob("ZWNobyBmaW5lCg==Z") => ["review run.sh: its bytes are not base64", "good verified"];
    an_address_of_data_is_no_base64:
        blob("data:text/plain;base64,ZWNobyBmaW5lCg==") => [
            "review run.sh: its bytes are not base64",
            "good verified",
        ];
    a_file_that_is_refused_is_told_in_the_servers_words:
        World::honest().at_run(|_| Say::Error(-32602, "not\n\u{1b}[31m<i>here</i>".to_owned())) => [
            "review run.sh: the server answered with error -32602: not [31m<i>here</i>",
            "good verified",
        ];
    a_file_that_asks_for_input_is_refused:
        World::honest().at_run(|_| complete(json!({ "inputRequests": {} })).with("resultType", "input_required")) => [
            "review run.sh: the server asks for input instead",
            "good verified",
        ];
    a_file_that_would_be_a_task_is_refused:
        World::honest().at_run(|_| complete(json!({ "task": { "taskId": "1" } })).with("resultType", "task")) => [
            "review run.sh: the answer does not have the form that the protocol asks for",
            "good verified",
        ];
    a_text_that_never_ends_is_refused:
        endless("text", &[b'x'; 65536]) => [
            "review run.sh: the answer is larger than 65596 bytes",
            "good verified",
        ];
    base64_that_never_ends_is_refused:
        endless("blob", &[b'A'; 65536]) => [
            "review run.sh: the answer is larger than 65596 bytes",
            "good verified",
        ];
    a_text_of_zero_bytes_that_never_ends_is_refused:
        endless("text", b"\\u0000\\u0000\\u0000\\u0000\\u0000\\u0000\\u0000\\u0000") => [
            "review run.sh: the answer is larger than 65596 bytes",
            "good verified",
        ];
    a_file_much_larger_than_declared_is_refused:
        text(&"x".repeat(1 << 20)) => [
            "review run.sh: the answer is larger than 65596 bytes",
            "good verified",
        ];
    another_file_under_its_own_name_is_refused:
        one(json!({ "uri": "skill://review/SKILL.md", "text": MAIN })) => [
            "review run.sh: 10 bytes declared, 62 served",
            "good verified",
        ];
    the_right_bytes_under_another_name_are_verified_by_their_digest:
        one(json!({ "uri": "file:///etc/passwd", "text": "echo fine\n" })) => [
            "review verified",
            "good verified",
        ];
    the_right_bytes_under_no_name_are_refused:
        one(json!({ "text": "echo fine\n" })) => [
            "review run.sh: the answer does not have the form that the protocol asks for",
            "good verified",
        ];
}

impl Say {
    /// With another field in its result.
    fn with(self, field: &str, value: &str) -> Self {
        match self {
            Self::Result(mut result) => {
                result[field] = json!(value);
                Self::Result(result)
            }
            other => other,
        }
    }
}

#[tokio::test]
async fn a_skill_of_exactly_the_most_bytes_is_read_and_a_byte_more_is_not() {
    let rest = usize::try_from(skills::manifest::MAX_BYTES).unwrap() - MAIN.len();
    let whole = vec![0xff; rest];
    check(
        World::honest().files(MAIN, &[("run.sh", &whole)]),
        &["review verified", "good verified"],
    )
    .await;
    let over = vec![0xff; rest + 1];
    let server = check(
        World::honest().files(MAIN, &[("run.sh", &over)]),
        &["review refused: the skill has 16777217 bytes; 16777216 is the most", "good verified"],
    )
    .await;
    assert_eq!(server.asked().iter().filter(|asked| asked.uri == URI).count(), 0);
}

#[tokio::test]
async fn a_skill_of_the_most_files_is_read() {
    let names: Vec<String> = (0..511).map(|n| format!("f{n}")).collect();
    let files: Vec<(&str, &[u8])> =
        names.iter().map(|name| (name.as_str(), name.as_bytes())).collect();
    let server =
        check(World::honest().files(MAIN, &files), &["review verified", "good verified"]).await;
    assert_eq!(server.times("resources/read"), 513);
}

#[tokio::test]
async fn only_what_the_entry_lists_is_read() {
    let world = World::honest()
        .serve("skill://review/extra.md", b"extra")
        .entry(|entry| entry["frontmatter"]["license"] = json!("skill://review/extra.md"));
    let server = check(
        world,
        &[
            "review \"license\": \"skill://review/extra.md\" declared, nothing served",
            "good verified",
        ],
    )
    .await;
    let asked: Vec<String> = server.asked().into_iter().map(|asked| asked.uri).collect();
    assert!(!asked.contains(&"skill://review/extra.md".to_owned()), "{asked:?}");
}

#[tokio::test]
async fn a_path_that_is_not_listed_is_not_asked_for() {
    use crate::meeting::Meeting;
    use crate::server::Hostile;
    use skills::origin::Endpoint;
    use skills_mcp::{ErrorKind, Verdict};

    let server = Hostile::listen(World::honest().script()).await;
    let meeting = Meeting::with(Endpoint::Http { url: server.url() }, false);
    let connection = meeting.connect().await.unwrap();
    let offer = connection.list().await.unwrap().offers.remove(0);
    let Verdict::Verifiable(entry) = offer.verdict else { panic!("{:?}", offer.verdict) };
    for path in ["../good/SKILL.md", "/etc/passwd", "", "skill.md", "run.sh/", "file:///etc/passwd"]
    {
        let error = connection.read_file(&entry, path).await.expect_err(path);
        assert_eq!(error.kind(), ErrorKind::Refused, "{error}");
    }
    assert_eq!(server.times("resources/read"), 0);
}

#[tokio::test]
async fn an_entry_that_declares_one_file_for_all_is_not_read_more_often_than_it_has_files() {
    let more: Vec<Value> = (0..100)
        .map(|n| {
            let mut same = resource(URI, b"echo fine\n");
            same["uri"] = json!(format!("skill://review/{n}"));
            same
        })
        .collect();
    let world = World::honest()
        .entry(|entry| entry["resources"].as_array_mut().unwrap().extend(more))
        .on(|asked| match asked.uri.strip_prefix("skill://review/") {
            Some(name) if asked.method == "resources/read" && name.parse::<u32>().is_ok() => {
                crate::world::read_result(json!([{
                    "uri": asked.uri, "blob": BASE64_STANDARD.encode("echo fine\n"),
                }]))
            }
            _ => Say::Usual,
        });
    let server = check(world, &["review verified", "good verified"]).await;
    assert!(server.times("resources/read") <= 103);
}
