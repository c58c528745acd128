//! Streams of events, and messages that answer something else.

use serde_json::{Value, json};

use crate::meeting::{check, rows};
use crate::server::{Asked, Piece, Say};
use crate::world::{World, chunk, chunked, event, stream};

/// The true answer to `skills/list`, with no skill in it.
fn empty(asked: &Asked) -> Value {
    json!({
        "jsonrpc": "2.0", "id": asked.id,
        "result": { "resultType": "complete", "ttlMs": 0, "cacheScope": "private", "skills": [] },
    })
}

fn lists(say: impl Fn(&Asked) -> String + Send + Sync + 'static) -> World {
    World::honest().at("skills/list", move |asked| stream(say(asked)))
}

fn answers(change: impl Fn(&mut Value) + Send + Sync + 'static) -> World {
    World::honest().at("skills/list", move |asked| {
        let mut message = empty(asked);
        change(&mut message);
        Say::Body(message.to_string())
    })
}

fn notification(method: &str) -> String {
    event(&json!({ "jsonrpc": "2.0", "method": method }))
}

rows! {
    an_answer_may_come_as_an_event: lists(|asked| event(&empty(asked))) => [];
    an_event_with_odd_line_ends_is_read:
        lists(|asked| format!("\u{feff}: hello\r\rretry: 0\rid: a\0b\r\nevent: message\r\ndata: {}\r\n\r\n", empty(asked))) => [
        ];
    an_event_in_many_lines_is_read:
        lists(|asked| empty(asked).to_string().split_inclusive(',').map(|part| format!("data: {part}\n")).collect::<String>() + "\n") => [
        ];
    a_stream_without_an_answer_is_told:
        lists(|_| ": nothing\n\n".to_owned()).hasty() => [
            "Closed: cannot list the skills of SERVER: the answer ended before it was whole",
        ];
    an_event_without_data_is_no_answer:
        lists(|_| "event: message\nid: 1\n\n".to_owned()).hasty() => [
            "Timeout: cannot list the skills of SERVER: no answer within 1 s",
        ];
    an_event_that_is_no_json_is_no_answer:
        lists(|_| "data: <h1>\n\n".to_owned()).hasty() => [
            "Closed: cannot list the skills of SERVER: the answer ended before it was whole",
        ];
    an_event_that_is_cut_off_is_no_answer:
        lists(|asked| format!("data: {}", empty(asked))).hasty() => [
            "Closed: cannot list the skills of SERVER: the answer ended before it was whole",
        ];
    comments_that_never_end_run_into_the_time_out:
        World::honest().at("skills/list", |_| Say::Wire(vec![
            chunked("text/event-stream"), Piece::Again(chunk(&b":\n".repeat(8192)), usize::MAX),
        ])).hasty() => ["Timeout: cannot list the skills of SERVER: no answer within 1 s"];
    one_comment_that_never_ends_is_refused:
        World::honest().at("skills/list", |_| Say::Wire(vec![
            chunked("text/event-stream"), Piece::Bytes(chunk(b":")), Piece::Again(chunk(&[b'x'; 65536]), usize::MAX),
        ])) => ["Closed: cannot list the skills of SERVER: the answer ended before it was whole"];
    an_event_that_never_ends_is_refused:
        World::honest().at("skills/list", |_| Say::Wire(vec![
            chunked("text/event-stream"), Piece::Bytes(chunk(b"data: ")), Piece::Again(chunk(&[b'x'; 65536]), usize::MAX),
        ])) => ["Closed: cannot list the skills of SERVER: the answer ended before it was whole"];
    an_event_of_millions_of_values_is_refused:
        World::honest().at("skills/list", |asked| Say::Wire(vec![
            chunked("text/event-stream"),
            Piece::Bytes(chunk(format!("data: {{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":{{\"skills\":[", asked.id).as_bytes())),
            Piece::Again(chunk(&b"[],".repeat(1000)), 5000),
            Piece::Bytes(chunk(b"0]}}\n\n")),
            Piece::text("0\r\n\r\n"),
        ])) => ["Closed: cannot list the skills of SERVER: the answer ended before it was whole"];
    lines_of_one_event_that_never_end_are_refused:
        World::honest().at("skills/list", |_| Say::Wire(vec![
            chunked("text/event-stream"), Piece::Again(chunk(&b"data: x\n".repeat(8192)), usize::MAX),
        ])) => ["Closed: cannot list the skills of SERVER: the answer ended before it was whole"];
    notifications_that_never_end_run_into_the_time_out:
        World::honest().at("skills/list", |_| Say::Wire(vec![
            chunked("text/event-stream"),
            Piece::Again(chunk(notification("notifications/resources/list_changed").repeat(100).as_bytes()), usize::MAX),
        ])).hasty() => ["Timeout: cannot list the skills of SERVER: no answer within 1 s"];
    ten_thousand_changes_before_an_answer_change_nothing:
        lists(|asked| notification("notifications/resources/list_changed").repeat(10_000) + &event(&empty(asked))) => [
        ];
    unknown_notifications_are_let_be:
        lists(|asked| notification("notifications/\u{1b}[31m") + &notification("x") + &event(&empty(asked))) => [
        ];
    progress_that_nobody_asked_for_is_let_be:
        lists(|asked| event(&json!({
            "jsonrpc": "2.0", "method": "notifications/progress", "params": { "progressToken": 99, "progress": 1e308 },
        })) + &event(&empty(asked))) => [];
    a_log_line_of_the_server_is_let_be: lists(|asked| event(&json!({
        "jsonrpc": "2.0", "method": "notifications/message",
        "params": { "level": "error", "data": "\u{1b}[2J".repeat(10_000) },
    })) + &event(&empty(asked))) => [];
    answers_to_nobody_end_the_stream_and_not_the_program:
        lists(|asked| (1000..1100).map(|id| event(&json!({
            "jsonrpc": "2.0", "id": id, "result": { "skills": [7] },
        }))).collect::<String>() + &event(&empty(asked))) => [
            "Closed: cannot list the skills of SERVER: the answer ended before it was whole",
        ];
    the_first_of_two_answers_counts: lists(|asked| event(&empty(asked)) + &event(&json!({
        "jsonrpc": "2.0", "id": asked.id, "error": { "code": 1, "message": "the second" },
    }))) => [];
    what_the_server_asks_for_is_not_given:
        lists(|asked| event(&json!({
            "jsonrpc": "2.0", "id": "s1", "method": "sampling/createMessage",
            "params": { "messages": [], "maxTokens": 1 },
        })) + &event(&json!({ "jsonrpc": "2.0", "id": "s2", "method": "roots/list" })) + &event(&empty(asked))) => [
        ];
    an_answer_under_another_id_runs_into_the_time_out:
        answers(|message| message["id"] = json!(9999)).hasty() => [
            "Timeout: cannot list the skills of SERVER: no answer within 1 s",
        ];
    an_answer_under_the_id_as_a_text_is_taken:
        answers(|message| message["id"] = json!(message["id"].to_string())).hasty() => [];
    an_answer_under_no_id_is_none:
        answers(|message| drop(message.as_object_mut().unwrap().remove("id"))).hasty() => [
            "Protocol: cannot list the skills of SERVER: the answer is not MCP",
        ];
    an_answer_under_null_is_none:
        answers(|message| message["id"] = Value::Null).hasty() => [
            "Protocol: cannot list the skills of SERVER: the answer is not MCP",
        ];
    an_answer_under_a_fraction_is_none:
        answers(|message| message["id"] = json!(1.5)).hasty() => [
            "Protocol: cannot list the skills of SERVER: the answer is not MCP",
        ];
    an_answer_of_another_json_rpc_is_none:
        answers(|message| message["jsonrpc"] = json!("1.0")).hasty() => [
            "Protocol: cannot list the skills of SERVER: the answer is not MCP",
        ];
    an_answer_that_is_also_an_error_is_told:
        answers(|message| message["error"] = json!({ "code": -32603, "message": "both" })).hasty() => [
            "Protocol: cannot list the skills of SERVER: the answer is not MCP",
        ];
    an_answer_with_neither_result_nor_error_is_told:
        answers(|message| drop(message.as_object_mut().unwrap().remove("result"))).hasty() => [
            "Protocol: cannot list the skills of SERVER: the answer is not MCP",
        ];
    a_result_that_is_null_is_told:
        answers(|message| message["result"] = Value::Null).hasty() => [
            "Protocol: cannot list the skills of SERVER: a page of the list has no skills",
        ];
    a_result_that_is_a_text_is_told:
        answers(|message| message["result"] = json!("x")).hasty() => [
            "Protocol: cannot list the skills of SERVER: a page of the list has no skills",
        ];
    an_error_without_a_code_is_told:
        answers(|message| *message = json!({ "jsonrpc": "2.0", "id": message["id"], "error": { "message": "no code" } })).hasty() => [
            "Protocol: cannot list the skills of SERVER: the answer is not MCP",
        ];
    an_error_whose_message_is_no_text_is_told:
        answers(|message| *message = json!({ "jsonrpc": "2.0", "id": message["id"], "error": { "code": -32603, "message": { "a": 1 } } })).hasty() => [
            "Protocol: cannot list the skills of SERVER: the answer is not MCP",
        ];
    a_result_that_asks_for_input_is_told:
        answers(|message| message["result"]["resultType"] = json!("input_required")) => [
            "Protocol: cannot list the skills of SERVER: the server asks for input instead",
        ];
}

#[tokio::test]
async fn a_stream_that_breaks_is_asked_for_again_a_bounded_number_of_times() {
    let world = lists(|_| "id: 7\nretry: 0\ndata:\n\n".to_owned()).hasty();
    let server = check(
        world,
        &["Closed: cannot list the skills of SERVER: the answer ended before it was whole"],
    )
    .await;
    assert!(server.asked().len() < 20, "{} requests", server.asked().len());
}

#[tokio::test]
async fn changes_that_are_told_without_end_are_one_change_to_look_at() {
    let flood = notification("notifications/resources/list_changed").repeat(50);
    let mut world = World::honest();
    world.capabilities["resources"] = json!({ "listChanged": true });
    let world = world.at("subscriptions/listen", move |_| {
        Say::Wire(vec![chunked("text/event-stream"), Piece::Again(chunk(flood.as_bytes()), 200)])
    });
    let server = check(world, &["review verified", "good verified"]).await;
    // Nobody lists again by himself: that is for whoever looks at the counter.
    assert_eq!(server.times("skills/list"), 1);
}
