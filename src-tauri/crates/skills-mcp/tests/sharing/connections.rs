//! Connections: how many, until when, and what is said of them.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use serde_json::json;
use skills_mcp::server::{ClientEvent, Observer, ServeOptions, Served, Transport, serve_http};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::sync::{oneshot, watch};
use tokio_util::sync::CancellationToken;

use crate::callers::{As, LONG, both, next, provider, root, two};
use crate::support::{Memory, served};

#[tokio::test]
async fn idle_and_half_open_connections_keep_nobody_out() {
    let (addr, _guard) = served(Memory::shared(true), ServeOptions::default()).await;
    let mut held = Vec::new();
    for number in 0..450 {
        let mut stream = TcpStream::connect(addr).await.unwrap();
        if number % 2 == 0 {
            stream.write_all(b"POST /mcp HTTP/1.1\r\nhost: loc").await.unwrap();
        }
        held.push(stream);
    }
    let me = As { addr, token: "" };
    let answer = tokio::time::timeout(LONG, me.call("resources/list", json!({}))).await.unwrap();
    assert!(answer["result"].is_object());
    drop(held);
}

#[tokio::test]
async fn bodies_that_stop_after_their_first_byte_keep_nobody_out() {
    let (addr, _guard) = served(Memory::shared(true), ServeOptions::default()).await;
    let mut held = Vec::new();
    for _ in 0..450 {
        let mut stream = TcpStream::connect(addr).await.unwrap();
        let head = "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
                    accept: application/json, text/event-stream\r\ncontent-length: 1000000\r\n\r\n{";
        // Those that had to make room are gone.
        drop(stream.write_all(head.as_bytes()).await);
        held.push(stream);
        let me = As { addr, token: "" };
        if held.len() % 50 == 0 {
            let asked = me.call("resources/list", json!({}));
            let answer = tokio::time::timeout(LONG, asked).await.unwrap();
            assert!(answer["result"].is_object(), "{answer}");
        }
    }
    drop(held);
}

#[tokio::test]
async fn serving_http_ends_with_the_shutdown_though_clients_listen() {
    let (changes, feed) = watch::channel(0);
    let shutdown = CancellationToken::new();
    let (say, bound) = oneshot::channel();
    let (stop, any) = (shutdown.clone(), SocketAddr::from(([127, 0, 0, 1], 0)));
    let options = ServeOptions { changes: Some(feed), ..ServeOptions::default() };
    let serving = tokio::spawn(async move {
        serve_http(Memory::shared(true), any, options, stop, |addr| say.send(addr).unwrap()).await
    });
    let addr = bound.await.unwrap();
    let me = As { addr, token: "" };
    let filter = json!({ "notifications": { "resourcesListChanged": true } });
    let mut stream = me.ask("subscriptions/listen", filter).await;
    next(&mut stream, &mut String::new()).await;
    let _idle = TcpStream::connect(addr).await.unwrap();
    shutdown.cancel();
    tokio::time::timeout(LONG, serving).await.unwrap().unwrap().unwrap();
    assert!(TcpStream::connect(addr).await.is_err());
    tokio::time::timeout(LONG, changes.closed()).await.unwrap();
}

#[derive(Default)]
struct Log {
    clients: Mutex<Vec<ClientEvent>>,
    requests: Mutex<Vec<Served>>,
}

impl Observer for Log {
    fn client(&self, event: ClientEvent) {
        self.clients.lock().unwrap().push(event);
    }

    fn request(&self, request: Served) {
        self.requests.lock().unwrap().push(request);
    }
}

#[tokio::test]
async fn clients_and_requests_are_told_of_in_bounded_words() {
    let root = root();
    let log = Arc::new(Log::default());
    let observer = Some(Arc::clone(&log) as Arc<dyn Observer>);
    let options = ServeOptions { observer, ..two(None) };
    let (addr, guard) = served(provider(root.path()), options).await;
    let (all, some) = both(addr);
    let long = format!("skill://a\n{}", "a".repeat(5000));
    some.call("resources/read", json!({ "uri": "skill://common/docs/a.md" })).await;
    some.call("resources/directory/read", json!({ "uri": long })).await;
    let (session, _) = all.hello("2025-06-18").await;
    let strange = json!({ "jsonrpc": "2.0", "id": 9, "method": "strange/method" });
    all.older(session.as_deref(), "2025-06-18", strange).await.text().await.unwrap();
    {
        let requests = log.requests.lock().unwrap();
        let seen: Vec<_> = requests
            .iter()
            .map(|served| (served.identity.as_deref().unwrap(), &*served.method, served.outcome))
            .collect();
        assert_eq!(
            seen,
            [
                ("some", "resources/read", Ok(())),
                ("some", "resources/directory/read", Err(-32602)),
                ("all", "initialize", Ok(())),
                ("all", "strange/method", Err(-32601)),
            ]
        );
        assert_eq!(requests[0].uri.as_deref(), Some("skill://common/docs/a.md"));
        assert_eq!(requests[0].client.as_deref(), Some("evil test"));
        assert_eq!(requests[0].transport, Transport::Http);
        assert!(requests[1].uri.as_ref().unwrap().chars().count() <= 301);
    }
    let client = |id: u64, identity: &str, client: &str| ClientEvent::Connected {
        id,
        identity: Some(identity.to_owned()),
        client: Some(client.to_owned()),
        transport: Transport::Http,
    };
    assert_eq!(
        *log.clients.lock().unwrap(),
        [client(1, "some", "evil test"), client(2, "all", "old")]
    );
    drop(guard);
    tokio::time::timeout(LONG, async {
        while log.clients.lock().unwrap().len() < 4 {
            tokio::task::yield_now().await;
        }
    })
    .await
    .unwrap();
    let clients = log.clients.lock().unwrap();
    assert!(clients.contains(&ClientEvent::Gone { id: 1 }), "{clients:?}");
    assert!(clients.contains(&ClientEvent::Gone { id: 2 }), "{clients:?}");
}
