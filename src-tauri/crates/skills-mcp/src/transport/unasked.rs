//! What a server sends without being asked is taken with pauses, and few of its own requests at
//! once: each is a task of rmcp and an answer that waits to be sent.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use rmcp::RoleClient;
use rmcp::model::JsonRpcMessage;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::sync::Semaphore;
use tokio::time::Sleep;

/// Requests of a server that wait for an answer of ours at once; there is little that one can ask.
const REQUESTS: usize = 16;

/// The most messages that are taken without a pause, answers to our own requests aside.
const AT_ONCE: usize = 256;

/// How long further messages are left where they are.
const PAUSE: Duration = Duration::from_millis(50);

/// A transport through which nobody can talk without an end.
pub(crate) struct Unasked<T> {
    inner: T,
    taken: usize,
    rest: Option<Pin<Box<Sleep>>>,
    /// A place for each request that is not answered yet.
    places: Arc<Semaphore>,
}

impl<T> Unasked<T> {
    pub(crate) fn new(inner: T) -> Self {
        Self { inner, taken: 0, rest: None, places: Arc::new(Semaphore::new(REQUESTS)) }
    }

    /// Whether a message is taken. A request for which there is no place is lost: nobody who needs
    /// an answer asks so much.
    fn takes(&mut self, message: &RxJsonRpcMessage<RoleClient>) -> bool {
        if matches!(message, JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_)) {
            return true;
        }
        self.taken += 1;
        if self.taken >= AT_ONCE {
            self.taken = 0;
            self.rest = Some(Box::pin(tokio::time::sleep(PAUSE)));
        }
        match message {
            JsonRpcMessage::Request(_) => match self.places.try_acquire() {
                // It is given back with the answer.
                Ok(place) => {
                    place.forget();
                    true
                }
                Err(_) => false,
            },
            _ => true,
        }
    }
}

impl<T: Transport<RoleClient>> Transport<RoleClient> for Unasked<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let answer = matches!(item, JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_));
        let place = answer.then(|| Place(Arc::clone(&self.places)));
        let sending = self.inner.send(item);
        async move {
            let _place = place;
            sending.await
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        loop {
            if let Some(rest) = &mut self.rest {
                rest.as_mut().await;
                self.rest = None;
            }
            let message = self.inner.receive().await?;
            if self.takes(&message) {
                return Some(message);
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.inner.close().await
    }
}

/// Gives a place back once an answer was sent, or will not be.
struct Place(Arc<Semaphore>);

impl Drop for Place {
    fn drop(&mut self) {
        self.0.add_permits(1);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::collections::VecDeque;
    use std::convert::Infallible;

    use serde_json::{Value, json};

    use super::*;

    /// Says these, and takes what is sent to it.
    struct Says(VecDeque<Value>);

    impl Transport<RoleClient> for Says {
        type Error = Infallible;

        fn send(
            &mut self,
            _: TxJsonRpcMessage<RoleClient>,
        ) -> impl Future<Output = Result<(), Infallible>> + Send + 'static {
            std::future::ready(Ok(()))
        }

        async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
            Some(serde_json::from_value(self.0.pop_front()?).unwrap())
        }

        async fn close(&mut self) -> Result<(), Infallible> {
            Ok(())
        }
    }

    fn saying(message: &Value, times: usize) -> Unasked<Says> {
        Unasked::new(Says(vec![message.clone(); times].into()))
    }

    async fn received(transport: &mut Unasked<Says>) -> usize {
        let mut count = 0;
        while transport.receive().await.is_some() {
            count += 1;
        }
        count
    }

    #[tokio::test]
    async fn sixteen_requests_of_a_server_wait_for_answers_and_one_more_after_an_answer() {
        let ping = json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" });
        let mut server = saying(&ping, 20);
        assert_eq!(received(&mut server).await, 16);
        let answer = json!({ "jsonrpc": "2.0", "id": 1, "result": {} });
        server.send(serde_json::from_value(answer).unwrap()).await.unwrap();
        server.inner.0.extend(vec![ping; 3]);
        assert_eq!(received(&mut server).await, 1);
    }

    #[tokio::test]
    async fn news_comes_with_pauses_and_none_is_lost_and_answers_wait_for_nothing() {
        let news = json!({ "jsonrpc": "2.0", "method": "notifications/resources/list_changed" });
        let mut server = saying(&news, 600);
        for _ in 0..255 {
            server.receive().await.unwrap();
        }
        assert!(server.rest.is_none());
        server.receive().await.unwrap();
        assert!(server.rest.is_some());
        assert_eq!(received(&mut server).await, 344);

        let answer = json!({ "jsonrpc": "2.0", "id": 1, "result": {} });
        let mut server = saying(&answer, 600);
        assert_eq!(received(&mut server).await, 600);
        assert!(server.rest.is_none());
    }
}
