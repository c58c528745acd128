//! Servers of before 2026-07-28: their sessions, the stream they speak on by themselves, and what
//! breaks while a skill is asked for once more.

use serde_json::{Value, json};
use skills::origin::Endpoint;

use crate::meeting::{Meeting, check, memory_is_bounded, rows};
use crate::server::{Asked, Hostile, Piece, Say};
use crate::world::{World, chunk, chunked, event};

/// An older server that gives out this session.
fn session(id: &str) -> World {
    let id = id.to_owned();
    let capabilities = World::honest().capabilities;
    World::honest().older().at("initialize", move |asked| {
        let body = json!({
            "jsonrpc": "2.0", "id": asked.id,
            "result": {
                "protocolVersion": "2025-11-25",
                "capabilities": capabilities,
                "serverInfo": { "name": "older", "version": "1" },
            },
        });
        let headers =
            vec![("content-type", "application/json".to_owned()), ("mcp-session-id", id.clone())];
        Say::Http(200, headers, body.to_string().into_bytes())
    })
}

/// What it says on the stream that the client opens.
fn speaks(say: impl Fn(&Asked) -> Say + Send + Sync + 'static) -> World {
    session("s").on(move |asked| if asked.verb == "GET" { say(asked) } else { Say::Usual })
}

fn speaks_for_ever(message: &Value) -> World {
    let messages = chunk(event(message).repeat(100).as_bytes());
    speaks(move |_| {
        Say::Wire(vec![chunked("text/event-stream"), Piece::Again(messages.clone(), usize::MAX)])
    })
}

rows! {
    a_session_is_kept: session("s1") => ["review verified", "good verified"];
    a_session_with_odd_signs_is_only_a_text:
        session("../../etc/passwd?<b>") => ["review verified", "good verified"];
    a_session_that_ends_at_the_list_is_told:
        session("s").at("skills/list", |_| Say::Http(404, Vec::new(), Vec::new())) => [
            "Closed: cannot list the skills of SERVER: the server ended the session",
        ];
    a_session_of_half_a_megabyte_is_only_a_text:
        session(&"s".repeat(500_000)) => ["review verified", "good verified"];
    an_older_handshake_without_capabilities_is_told:
        session("s").at("initialize", |_| Say::Result(json!({ "protocolVersion": "2025-11-25" }))) => [
            "NotMcp: cannot connect to SERVER: the answer to the handshake is not MCP",
        ];
    an_older_handshake_that_breaks_off_is_told:
        session("s").at("initialize", |_| Say::Wire(Vec::new())) => [
            "Closed: cannot connect to SERVER: the connection broke: connection closed before message completed",
        ];
    an_older_handshake_that_is_not_taken_note_of_is_told:
        session("s").at("notifications/initialized", |_| Say::Http(500, Vec::new(), Vec::new())) => [
            "Unreachable: cannot connect to SERVER: the server answers with HTTP status 500",
        ];
    an_older_handshake_whose_last_word_breaks_off_is_told:
        session("s").at("notifications/initialized", |_| Say::Wire(Vec::new())) => [
            "Closed: cannot connect to SERVER: the connection broke: connection closed before message completed",
        ];
    a_stream_that_is_refused_stops_nothing:
        speaks(|_| Say::Http(403, Vec::new(), Vec::new())) => ["review verified", "good verified"];
    a_stream_that_leads_elsewhere_stops_nothing:
        speaks(|_| Say::Http(307, vec![("location", "file:///etc/passwd".to_owned())], Vec::new())) => [
            "review verified",
            "good verified",
        ];
    a_stream_that_breaks_stops_nothing:
        speaks(|_| Say::Wire(vec![chunked("text/event-stream"), Piece::text("zz\r\n")])) => [
            "review verified",
            "good verified",
        ];
    a_stream_that_is_a_page_stops_nothing:
        speaks(|_| Say::Http(200, vec![("content-type", "text/html".to_owned())], b"<h1>".to_vec())) => [
            "review verified",
            "good verified",
        ];
}

#[tokio::test]
async fn changes_without_end_on_the_stream_stop_nothing() {
    let world = speaks_for_ever(
        &json!({ "jsonrpc": "2.0", "method": "notifications/resources/list_changed" }),
    );
    let server = check(world, &["review verified", "good verified"]).await;
    assert_eq!(server.times("skills/list"), 1);
}

#[tokio::test]
async fn questions_without_end_on_the_stream_stop_nothing() {
    let world = speaks_for_ever(&json!({ "jsonrpc": "2.0", "id": 1, "method": "roots/list" }));
    check(world, &["review verified", "good verified"]).await;
}

#[tokio::test]
async fn a_session_that_always_ends_is_begun_again_a_bounded_number_of_times() {
    let world = session("s").at("skills/list", |_| Say::Http(404, Vec::new(), Vec::new()));
    let server =
        check(world, &["Closed: cannot list the skills of SERVER: the server ended the session"])
            .await;
    assert!(server.times("initialize") <= 4, "{}", server.times("initialize"));
}

#[tokio::test]
async fn a_skill_that_is_asked_for_again_breaks_off_and_nothing_else() {
    type Breaks = fn(&Asked) -> Say;
    let ways: [(Breaks, &str); 6] = [
        (
            |_| Say::Wire(Vec::new()),
            "Closed: cannot get a skill of SERVER: the connection broke: connection closed before message completed",
        ),
        (
            |_| Say::Wire(vec![Piece::text("HTTP/1.1 200 OK\r\ncontent-le")]),
            "Closed: cannot get a skill of SERVER: the connection broke: connection closed before message completed",
        ),
        (
            |_| {
                let head = "content-type: application/json\r\ncontent-length: 9\r\n\r\n{";
                Say::Wire(vec![Piece::text(format!("HTTP/1.1 200 OK\r\n{head}"))])
            },
            "Closed: cannot get a skill of SERVER: the connection broke: end of file before message length reached",
        ),
        (
            |_| {
                let spaces = chunk(&[b' '; 65536]);
                Say::Wire(vec![chunked("application/json"), Piece::endless(&spaces)])
            },
            "Protocol: cannot get a skill of SERVER: the answer is larger than 33554432 bytes",
        ),
        (
            |_| Say::Wire(vec![Piece::Hold]),
            "Timeout: cannot get a skill of SERVER: no answer within 1 s",
        ),
        (
            |_| Say::Error(-32602, "\u{1b}[31mno\n<b>".to_owned()),
            "Refused: cannot get a skill of SERVER: the server answered with error -32602: [31mno <b>",
        ),
    ];
    let mut said = Vec::new();
    for (breaks, _) in &ways {
        let server = Hostile::listen(World::honest().at("skills/get", *breaks).script()).await;
        let meeting = Meeting::with(Endpoint::Http { url: server.url() }, true);
        let connection = meeting.connect().await.unwrap();
        let error = connection.get("skill://review/SKILL.md").await.expect_err("taken");
        said.push(meeting.line(&error));
        assert_eq!(connection.list().await.unwrap().offers.len(), 2, "the connection is gone");
        meeting.nothing_is_left_behind();
    }
    let expected: Vec<&str> = ways.iter().map(|(_, line)| *line).collect();
    assert_eq!(said, expected);
    memory_is_bounded();
}
