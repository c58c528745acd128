//! What a server tells by itself, in both protocols.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::review;
use crate::support::{Answer, Told, discovered, page};

#[tokio::test]
async fn resources_are_listened_to_in_the_newer_protocol_once_each_and_at_most_256() {
    let filters: Arc<Mutex<Vec<Value>>> = Arc::default();
    let kept = Arc::clone(&filters);
    let told = Told::new(move |method, params| match method {
        "server/discover" => discovered(json!({
            "resources": { "subscribe": true, "listChanged": true },
            "extensions": { "io.modelcontextprotocol/skills": {} },
        })),
        "subscriptions/listen" => {
            kept.lock().unwrap().push(params["notifications"].clone());
            Answer::Error(-32603, "not now")
        }
        _ => page(vec![review(&[])], None),
    })
    .await;
    let connection = told.connect().await;
    assert_eq!(filters.lock().unwrap()[0], json!({ "resourcesListChanged": true }));
    let uris: Vec<String> = (0..300).map(|n| format!("skill://{n:03}/SKILL.md")).collect();
    connection.watch(uris.iter().map(String::as_str));
    while filters.lock().unwrap().len() < 2 {
        tokio::task::yield_now().await;
    }
    let wanted = filters.lock().unwrap()[1]["resourceSubscriptions"].clone();
    assert_eq!(wanted.as_array().unwrap().len(), 256);
    assert_eq!(wanted[255], "skill://255/SKILL.md");
}

/// A server of the older protocol that tells of resources.
async fn older(tell: impl Fn(&str, &Value) -> Answer + Send + Sync + 'static) -> Told {
    Told::new(move |method, params| match method {
        "server/discover" => Answer::Error(-32601, "no such method"),
        "initialize" => Answer::Result(json!({
            "protocolVersion": "2025-11-25",
            "capabilities": { "resources": { "subscribe": true, "listChanged": true } },
            "serverInfo": { "name": "x", "version": "1" },
        })),
        "resources/subscribe" | "resources/unsubscribe" => Answer::Result(json!({})),
        "notifications/initialized" => Answer::Raw(202, "text/plain", String::new()),
        _ => tell(method, params),
    })
    .await
}

#[tokio::test]
async fn resources_are_subscribed_to_in_the_older_protocol_and_given_up_again() {
    let told = older(|_, _| Answer::Error(-32601, "no such method")).await;
    let connection = told.connect().await;
    let until = |what: &'static str| {
        let asked = Arc::clone(&told.asked);
        async move {
            while !asked.lock().unwrap().iter().any(|asked| asked == what) {
                tokio::task::yield_now().await;
            }
        }
    };
    connection.watch(["skill://a/SKILL.md", "skill://a/SKILL.md"]);
    until("resources/subscribe skill://a/SKILL.md").await;
    connection.watch(["skill://b/SKILL.md"]);
    until("resources/subscribe skill://b/SKILL.md").await;
    assert_eq!(told.times_asked("resources/subscribe skill://a/SKILL.md"), 1);
    assert_eq!(told.times_asked("resources/unsubscribe skill://a/SKILL.md"), 1);
}

#[tokio::test]
async fn both_kinds_of_news_of_the_older_protocol_are_counted() {
    for method in ["notifications/resources/updated", "notifications/resources/list_changed"] {
        let told = older(move |_, _| {
            let news = match method {
                "notifications/resources/updated" => {
                    json!({ "jsonrpc": "2.0", "method": method, "params": { "uri": "skill://a/b" } })
                }
                _ => json!({ "jsonrpc": "2.0", "method": method }),
            };
            let answer = json!({ "jsonrpc": "2.0", "id": 2, "result": { "resources": [] } });
            let stream = format!("data: {news}\n\ndata: {answer}\n\n");
            Answer::Raw(200, "text/event-stream", stream)
        })
        .await;
        let connection = told.connect().await;
        let mut changes = connection.changes();
        changes.mark_unchanged();
        let listed = tokio::spawn(async move { connection.list().await.map(|_| connection) });
        changes.changed().await.unwrap();
        listed.abort();
    }
}
