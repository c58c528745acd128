//! Who is told of which change.

use serde_json::{Value, json};
use skills_mcp::server::{ServeOptions, serve_stream};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::callers::{As, LONG, answer, both, client, next, provider, root, two, write};
use crate::support::{Memory, served};

#[tokio::test]
async fn a_listener_is_told_of_the_resources_that_changed_and_that_it_may_see() {
    let root = root();
    let (changes, feed) = watch::channel(0);
    let (addr, _guard) = served(provider(root.path()), two(Some(feed))).await;
    let (all, some) = both(addr);
    let uris = json!([
        "skill://common/docs/a.md",
        "skill://hidden/docs/a.md",
        "skill://mixed/docs/a.md",
        "skill://mixed/docs/later.md",
    ]);
    let filter = json!({ "notifications": {
        "resourceSubscriptions": uris, "resourcesListChanged": true,
    } });
    let mut of_all = all.ask("subscriptions/listen", filter.clone()).await;
    let mut of_some = some.ask("subscriptions/listen", filter).await;
    let (mut rest, mut rest_of_some) = (String::new(), String::new());
    for (stream, rest) in [(&mut of_all, &mut rest), (&mut of_some, &mut rest_of_some)] {
        let told = next(stream, rest).await;
        assert_eq!(told["method"], "notifications/subscriptions/acknowledged");
        assert_eq!(told["params"]["notifications"]["resourceSubscriptions"], uris);
    }
    write(root.path(), "hidden/docs/a.md", "another\n");
    write(root.path(), "mixed/docs/a.md", "another\n");
    write(root.path(), "mixed/docs/later.md", "new\n");
    changes.send_modify(|count| *count += 1);
    let told = async |stream: &mut reqwest::Response, rest: &mut String, count: usize| {
        let list = next(stream, rest).await;
        assert_eq!(list["method"], "notifications/resources/list_changed");
        let mut uris = Vec::new();
        for _ in 0..count {
            let told = next(stream, rest).await;
            assert_eq!(told["method"], "notifications/resources/updated");
            uris.push(told["params"]["uri"].as_str().unwrap().to_owned());
        }
        uris
    };
    assert_eq!(
        told(&mut of_all, &mut rest, 3).await,
        ["skill://hidden/docs/a.md", "skill://mixed/docs/a.md", "skill://mixed/docs/later.md"]
    );
    assert_eq!(
        told(&mut of_some, &mut rest_of_some, 2).await,
        ["skill://mixed/docs/a.md", "skill://mixed/docs/later.md"]
    );
    // Had there been more, it would come before what is told of the next change.
    write(root.path(), "common/docs/a.md", "another\n");
    changes.send_modify(|count| *count += 1);
    assert_eq!(told(&mut of_some, &mut rest_of_some, 1).await, ["skill://common/docs/a.md"]);
}

#[tokio::test]
async fn a_session_is_its_owners_and_tells_what_that_caller_subscribed_to() {
    let root = root();
    let (changes, feed) = watch::channel(0);
    let (addr, _guard) = served(provider(root.path()), two(Some(feed))).await;
    let (all, some) = both(addr);
    let receivers = changes.receiver_count();
    let version = "2025-11-25";
    let (session, hello) = some.hello(version).await;
    let session = session.unwrap();
    let told = &hello["result"]["capabilities"]["resources"];
    assert_eq!(*told, json!({ "subscribe": true, "listChanged": true }));
    let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    let foreign = all.older(Some(&session), version, ready.clone()).await;
    assert_eq!(foreign.status(), 404);
    assert_eq!(some.older(Some(&session), version, ready).await.status(), 202);

    let subscribe = |uri: &str| json!({ "jsonrpc": "2.0", "id": 3, "method": "resources/subscribe", "params": { "uri": uri } });
    for uri in ["skill://common/docs/a.md", "skill://mixed/docs/a.md"] {
        let done = answer(some.older(Some(&session), version, subscribe(uri)).await).await;
        assert_eq!(done["result"], json!({}), "{done}");
    }
    let hidden = subscribe("skill://hidden/docs/a.md");
    let refused = answer(some.older(Some(&session), version, hidden).await).await;
    assert_eq!(refused["error"]["code"], -32002);
    let alone = some.older(None, version, subscribe("skill://common/docs/a.md")).await;
    assert_eq!(answer(alone).await["error"]["code"], -32601);
    let unsubscribe = json!({
        "jsonrpc": "2.0", "id": 4, "method": "resources/unsubscribe",
        "params": { "uri": "skill://common/docs/a.md" },
    });
    let done = answer(some.older(Some(&session), version, unsubscribe).await).await;
    assert_eq!(done["result"], json!({}));

    let stream = |token: &'static str| {
        client()
            .get(format!("http://{addr}/mcp"))
            .bearer_auth(token)
            .header("accept", "text/event-stream")
            .header("mcp-session-id", &session)
            .header("mcp-protocol-version", version)
            .send()
    };
    assert_eq!(stream("all-secret").await.unwrap().status(), 404);
    let mut stream = stream("some-secret").await.unwrap();
    assert_eq!(stream.status(), 200);
    for path in ["common/docs/a.md", "hidden/docs/a.md", "mixed/docs/a.md"] {
        write(root.path(), path, "another\n");
    }
    changes.send_modify(|count| *count += 1);
    let mut rest = String::new();
    let list = next(&mut stream, &mut rest).await;
    assert_eq!(list["method"], "notifications/resources/list_changed");
    let updated = next(&mut stream, &mut rest).await;
    assert_eq!(updated["params"], json!({ "uri": "skill://mixed/docs/a.md" }));

    let close = |who: As<'static>| {
        client()
            .delete(format!("http://{addr}/mcp"))
            .bearer_auth(who.token)
            .header("mcp-session-id", &session)
            .header("mcp-protocol-version", version)
            .send()
    };
    assert_eq!(close(all).await.unwrap().status(), 404);
    assert!(close(some).await.unwrap().status().is_success());
    let list = json!({ "jsonrpc": "2.0", "id": 5, "method": "resources/list" });
    assert_eq!(some.older(Some(&session), version, list).await.status(), 404);
    // Nothing waits for the next change to notice that the client is gone.
    tokio::time::timeout(LONG, async {
        while changes.receiver_count() > receivers {
            tokio::task::yield_now().await;
        }
    })
    .await
    .unwrap();
}

#[tokio::test]
async fn what_tells_an_older_client_ends_with_its_connection() {
    let (changes, feed) = watch::channel(0);
    let (client, server) = tokio::io::duplex(1 << 16);
    let (read, write) = tokio::io::split(server);
    let options = ServeOptions { changes: Some(feed), ..ServeOptions::default() };
    let shutdown = CancellationToken::new();
    let serving = tokio::spawn(serve_stream(Memory::shared(true), read, write, options, shutdown));
    let (read, mut write) = tokio::io::split(client);
    let hello = json!({
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": { "name": "old", "version": "1" },
        },
    });
    let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    write.write_all(format!("{hello}\n{ready}\n{ready}\n").as_bytes()).await.unwrap();
    let mut read = BufReader::new(read);
    let mut line = String::new();
    read.read_line(&mut line).await.unwrap();
    line.clear();
    // The notification may arrive after the change otherwise.
    let ping = json!({ "jsonrpc": "2.0", "id": 2, "method": "ping" });
    write.write_all(format!("{ping}\n").as_bytes()).await.unwrap();
    read.read_line(&mut line).await.unwrap();
    line.clear();
    while changes.receiver_count() < 2 {
        tokio::task::yield_now().await;
    }
    changes.send_modify(|count| *count += 1);
    read.read_line(&mut line).await.unwrap();
    let told: Value = serde_json::from_str(&line).unwrap();
    assert_eq!(told["method"], "notifications/resources/list_changed");
    drop((read, write));
    serving.await.unwrap().unwrap();
    tokio::time::timeout(LONG, changes.closed()).await.unwrap();
}

#[tokio::test]
async fn who_sees_nothing_of_a_change_is_not_told_that_the_list_changed() {
    let root = root();
    let (changes, feed) = watch::channel(0);
    let (addr, _guard) = served(provider(root.path()), two(Some(feed))).await;
    let (all, some) = both(addr);
    let common = "skill://common/docs/a.md";
    let filter = json!({ "notifications": {
        "resourcesListChanged": true, "resourceSubscriptions": [common],
    } });
    let version = "2025-11-25";
    let mut streams = Vec::new();
    for who in [all, some] {
        // Who was never shown a list is told of each change.
        who.call("resources/list", json!({})).await;
        let mut newer = who.ask("subscriptions/listen", filter.clone()).await;
        let mut rest = String::new();
        next(&mut newer, &mut rest).await;
        let (session, _) = who.hello(version).await;
        let session = session.unwrap();
        let subscribe = json!({
            "jsonrpc": "2.0", "id": 3, "method": "resources/subscribe", "params": { "uri": common },
        });
        answer(who.older(Some(&session), version, subscribe).await).await;
        let older = client()
            .get(format!("http://{addr}/mcp"))
            .bearer_auth(who.token)
            .header("accept", "text/event-stream")
            .header("mcp-session-id", &session)
            .header("mcp-protocol-version", version)
            .send()
            .await
            .unwrap();
        streams.push([(newer, rest), (older, String::new())]);
    }
    let (list, file) = ("notifications/resources/list_changed", "notifications/resources/updated");
    write(root.path(), "hidden/more.md", "more\n");
    changes.send_modify(|count| *count += 1);
    for (stream, rest) in &mut streams[0] {
        assert_eq!(next(stream, rest).await["method"], list);
    }
    write(root.path(), "common/docs/a.md", "another\n");
    changes.send_modify(|count| *count += 1);
    // Had `some` been told of the first change too, one would be left over.
    for (stream, rest) in streams.iter_mut().flatten() {
        let mut told = [next(stream, rest).await, next(stream, rest).await]
            .map(|told| told["method"].as_str().unwrap().to_owned());
        // The file may be looked at for the first change already.
        told.sort();
        assert_eq!(told, [list, file]);
    }
}
