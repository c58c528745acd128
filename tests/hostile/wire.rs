//! HTTP itself: connections that break, bytes that never end, and what is no HTTP.

use std::collections::HashMap;

use crate::meeting::rows;
use crate::server::{Piece, Say};
use crate::world::{World, chunk, chunked};

const HEAD: &str = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n";

/// Answers a method with these pieces.
fn wire(method: &'static str, pieces: impl Fn() -> Vec<Piece> + Send + Sync + 'static) -> World {
    World::honest().at(method, move |_| Say::Wire(pieces()))
}

/// Answers a method with this text.
fn raw(method: &'static str, text: &str) -> World {
    let text = text.to_owned();
    wire(method, move || vec![Piece::text(text.clone())])
}

/// The reading of `run.sh` only.
fn at_run(pieces: impl Fn() -> Vec<Piece> + Send + Sync + 'static) -> World {
    World::honest().at_run(move |_| Say::Wire(pieces()))
}

/// A body that only grows when it is unpacked: 64 MiB of zeros.
fn bomb() -> Vec<u8> {
    let header = b"\x1f\x8b\x08\0\0\0\0\0\0\x03";
    let packed = miniz_oxide::deflate::compress_to_vec(&vec![0; 64 << 20], 6);
    [header.as_slice(), &packed, &[0; 8]].concat()
}

fn packed(coding: &str, body: &[u8]) -> World {
    let (head, body) = (
        format!("{HEAD}content-encoding: {coding}\r\ncontent-length: {}\r\n\r\n", body.len()),
        body.to_vec(),
    );
    wire("skills/list", move || vec![Piece::text(head.clone()), Piece::Bytes(body.clone())])
}

rows! {
    a_connection_that_closes_at_once_is_told:
        raw("server/discover", "") => [
            "Closed: cannot connect to SERVER: the connection broke: connection closed before message completed",
        ];
    a_connection_that_closes_in_the_head_is_told:
        raw("server/discover", "HTTP/1.1 20") => [
            "Closed: cannot connect to SERVER: the connection broke: connection closed before message completed",
        ];
    a_connection_that_closes_in_the_handshakes_body_is_told:
        raw("server/discover", &format!("{HEAD}content-length: 500\r\n\r\n{{\"jsonrpc\"")) => [
            "Closed: cannot connect to SERVER: the connection broke: end of file before message length reached",
        ];
    a_connection_that_closes_before_the_list_is_told:
        raw("skills/list", "") => [
            "Closed: cannot list the skills of SERVER: the connection broke: connection closed before message completed",
        ];
    a_connection_that_closes_in_the_head_of_the_list_is_told:
        raw("skills/list", "HTTP/1.1 200 OK\r\ncontent-ty") => [
            "Closed: cannot list the skills of SERVER: the connection broke: connection closed before message completed",
        ];
    a_connection_that_closes_in_the_list_is_told:
        raw("skills/list", &format!("{HEAD}content-length: 500\r\n\r\n{{\"jsonrpc\":\"2.0\",")) => [
            "Closed: cannot list the skills of SERVER: the connection broke: end of file before message length reached",
        ];
    chunks_that_end_in_the_list_are_told:
        wire("skills/list", || vec![chunked("application/json"), Piece::Bytes(chunk(b"{\"jsonrpc\":")), Piece::text("40\r\nhalf")]) => [
            "Closed: cannot list the skills of SERVER: the connection broke: end of file before message length reached",
        ];
    a_connection_that_closes_before_a_file_is_told:
        at_run(Vec::new) => [
            "review not fetched: Closed: cannot read run.sh from SERVER: the connection broke: connection closed before message completed",
            "good verified",
        ];
    a_connection_that_closes_in_the_head_of_a_file_is_told:
        at_run(|| vec![Piece::text("HTTP/1.1 200 OK\r\nconte")]) => [
            "review not fetched: Closed: cannot read run.sh from SERVER: the connection broke: connection closed before message completed",
            "good verified",
        ];
    a_connection_that_closes_in_half_a_file_is_told:
        at_run(|| vec![Piece::text(format!("{HEAD}content-length: 200\r\n\r\n{{\"jsonrpc\":\"2.0\",\"id\":4,\"result\":{{\"contents\":[{{\"text\":\"echo"))]) => [
            "review not fetched: Closed: cannot read run.sh from SERVER: the connection broke: end of file before message length reached",
            "good verified",
        ];
    another_protocol_is_told:
        raw("server/discover", "SSH-2.0-OpenSSH_9.2\r\n") => [
            "NotMcp: cannot connect to SERVER: what answers there does not speak HTTP: invalid HTTP version parsed",
        ];
    http_without_a_head_is_told:
        raw("server/discover", "{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{}}\n") => [
            "NotMcp: cannot connect to SERVER: what answers there does not speak HTTP: invalid HTTP version parsed",
        ];
    a_version_of_http_that_is_none_is_told:
        raw("server/discover", "HTTP/9.9 200 OK\r\ncontent-length: 2\r\n\r\n{}") => [
            "NotMcp: cannot connect to SERVER: what answers there does not speak HTTP: invalid HTTP version parsed",
        ];
    a_status_that_is_no_number_is_told:
        raw("server/discover", "HTTP/1.1 OK\r\ncontent-length: 2\r\n\r\n{}") => [
            "NotMcp: cannot connect to SERVER: what answers there does not speak HTTP: invalid HTTP status-code parsed",
        ];
    a_header_with_a_zero_byte_is_told:
        raw("server/discover", "HTTP/1.1 200 OK\r\nx: a\0b\r\ncontent-length: 2\r\n\r\n{}") => [
            "NotMcp: cannot connect to SERVER: what answers there does not speak HTTP: invalid HTTP header parsed",
        ];
    a_header_that_starts_another_answer_is_not_two:
        raw("skills/list", &format!("HTTP/1.1 200 OK\r\nx: a\rcontent-length: 0\r\n\r\n{HEAD}\r\n{{}}")) => [
            "Protocol: cannot list the skills of SERVER: what answers there does not speak HTTP: invalid HTTP header parsed",
        ];
    a_head_of_a_megabyte_is_told:
        wire("server/discover", || vec![Piece::text("HTTP/1.1 200 OK\r\nx: "), Piece::Again(vec![b'a'; 1024], 1024)]) => [
            "NotMcp: cannot connect to SERVER: what answers there does not speak HTTP: message head is too large",
        ];
    a_head_that_never_ends_is_told:
        wire("server/discover", || vec![Piece::text("HTTP/1.1 200 OK\r\n"), Piece::endless(b"x: y\r\n")]) => [
            "NotMcp: cannot connect to SERVER: what answers there does not speak HTTP: message head is too large",
        ];
    interim_answers_that_never_end_run_into_the_time_out:
        wire("skills/list", || vec![Piece::endless(&b"HTTP/1.1 103 Early Hints\r\n\r\n".repeat(1000))]).hasty() => [
            "Timeout: cannot list the skills of SERVER: no answer within 1 s",
        ];
    a_length_below_zero_is_told:
        raw("skills/list", &format!("{HEAD}content-length: -1\r\n\r\n{{}}")) => [
            "Protocol: cannot list the skills of SERVER: what answers there does not speak HTTP: invalid content-length parsed",
        ];
    two_lengths_are_told:
        raw("skills/list", &format!("{HEAD}content-length: 2\r\ncontent-length: 3\r\n\r\n{{}} ")) => [
            "Protocol: cannot list the skills of SERVER: what answers there does not speak HTTP: invalid content-length parsed",
        ];
    a_length_of_a_petabyte_is_refused_unread:
        raw("skills/list", &format!("{HEAD}content-length: 1125899906842624\r\n\r\n{{}}")) => [
            "Protocol: cannot list the skills of SERVER: the answer is larger than 33554432 bytes",
        ];
    a_chunk_that_is_too_long_to_count_is_told:
        wire("skills/list", || vec![chunked("application/json"), Piece::text("ffffffffffffffffff\r\n{}\r\n")]) => [
            "Closed: cannot list the skills of SERVER: the connection broke: invalid chunk size: overflow",
        ];
    a_chunk_without_an_end_of_its_name_is_told:
        wire("skills/list", || vec![chunked("application/json"), Piece::text("1;"), Piece::endless(&[b'x'; 4096])]) => [
            "Closed: cannot list the skills of SERVER: the connection broke: chunk extensions over limit",
        ];
    a_list_that_never_ends_is_refused:
        wire("skills/list", || vec![chunked("application/json"), Piece::Again(chunk(&[b' '; 65536]), usize::MAX)]) => [
            "Protocol: cannot list the skills of SERVER: the answer is larger than 33554432 bytes",
        ];
    a_list_of_one_endless_text_is_refused:
        wire("skills/list", || vec![chunked("application/json"), Piece::Bytes(chunk(b"{\"jsonrpc\":\"")), Piece::Again(chunk(&[b'2'; 65536]), usize::MAX)]) => [
            "Protocol: cannot list the skills of SERVER: the answer is larger than 33554432 bytes",
        ];
    a_file_that_never_ends_is_refused:
        at_run(|| vec![chunked("application/json"), Piece::Again(chunk(&[b' '; 65536]), usize::MAX)]) => [
            "review run.sh: the answer is larger than 65596 bytes",
            "good verified",
        ];
    an_error_that_never_ends_is_refused:
        wire("skills/list", || vec![Piece::text("HTTP/1.1 500 No\r\ncontent-type: text/plain\r\ntransfer-encoding: chunked\r\n\r\n"), Piece::Again(chunk(&[b'!'; 65536]), usize::MAX)]) => [
            "Unreachable: cannot list the skills of SERVER: the server answers with HTTP status 500",
        ];
    a_json_error_that_never_ends_is_refused:
        wire("skills/list", || vec![Piece::text("HTTP/1.1 500 No\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n"), Piece::Again(chunk(&[b'!'; 65536]), usize::MAX)]) => [
            "Unreachable: cannot list the skills of SERVER: the server answers with HTTP status 500",
        ];
    a_list_that_drips_runs_into_the_time_out:
        wire("skills/list", || vec![Piece::text(format!("{HEAD}content-length: 50000\r\n\r\n")), Piece::Drip(" ".repeat(50_000))]).hasty() => [
            "Timeout: cannot list the skills of SERVER: no answer within 1 s",
        ];
    a_head_that_drips_runs_into_the_time_out:
        wire("skills/list", || vec![Piece::Drip(HEAD.repeat(1000))]).hasty() => [
            "Timeout: cannot list the skills of SERVER: no answer within 1 s",
        ];
    a_file_that_drips_runs_into_the_time_out:
        at_run(|| vec![Piece::text(format!("{HEAD}content-length: 50000\r\n\r\n")), Piece::Drip(" ".repeat(50_000))]).hasty() => [
            "review not fetched: Timeout: cannot read run.sh from SERVER: no answer within 1 s",
            "good verified",
        ];
    a_file_that_never_comes_runs_into_the_time_out:
        at_run(|| vec![Piece::Hold]).hasty() => [
            "review not fetched: Timeout: cannot read run.sh from SERVER: no answer within 1 s",
            "good verified",
        ];
    a_list_that_never_comes_runs_into_the_time_out:
        wire("skills/list", || vec![Piece::Hold]).hasty() => [
            "Timeout: cannot list the skills of SERVER: no answer within 1 s",
        ];
    a_packed_answer_is_not_unpacked:
        packed("gzip", &bomb()) => [
            "Protocol: cannot list the skills of SERVER: the answer is not MCP",
        ];
    an_answer_packed_twice_is_not_unpacked:
        packed("gzip, gzip", &bomb()) => [
            "Protocol: cannot list the skills of SERVER: the answer is not MCP",
        ];
    an_answer_packed_otherwise_is_not_unpacked:
        packed("br", b"\x1b\xff\xff\xff\0\0") => [
            "Protocol: cannot list the skills of SERVER: the answer is not MCP",
        ];
    text_that_is_no_utf8_is_refused:
        wire("skills/list", || vec![Piece::text(format!("{HEAD}content-length: 4\r\n\r\n")), Piece::Bytes(vec![b'"', 0xff, 0xfe, b'"'])]) => [
            "Protocol: cannot list the skills of SERVER: the answer is not MCP",
        ];
}

#[tokio::test]
async fn what_comes_after_an_answer_is_not_taken_for_the_next_one() {
    let lie = "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"skills\":[]}}";
    let world = World::honest().at("server/discover", move |asked| {
        let body = serde_json::json!({
            "jsonrpc": "2.0", "id": asked.id,
            "result": {
                "resultType": "complete", "ttlMs": 0, "cacheScope": "private",
                "supportedVersions": ["2026-07-28"],
                "capabilities": { "resources": {}, "extensions": { "io.modelcontextprotocol/skills": {} } },
            },
        })
        .to_string();
        // Two answers to one question, the second for the question that will come.
        Say::Wire(vec![Piece::text(format!(
            "{HEAD}content-length: {}\r\n\r\n{body}{HEAD}content-length: {}\r\n\r\n{lie}",
            body.len(),
            lie.len(),
        ))])
    });
    crate::meeting::check(world, &["review verified", "good verified"]).await;
}

#[tokio::test]
async fn each_method_is_asked_a_bounded_number_of_times_when_connections_break() {
    let world = raw("skills/list", "");
    let server = crate::meeting::check(world, &["Closed: cannot list the skills of SERVER: the connection broke: connection closed before message completed"]).await;
    let mut times: HashMap<String, usize> = HashMap::new();
    for asked in server.asked() {
        *times.entry(asked.method).or_default() += 1;
    }
    assert!(times["skills/list"] <= 4, "{times:?}");
}
