//! A program that starts slowly answers the first question when a second was already asked.
//!
//! rmcp asks `server/discover` first, waits ten seconds and then falls back to `initialize`. What
//! comes back to the abandoned question would be taken for a wrong answer to the second one. When
//! it comes and is good, the program speaks the newer protocol and may refuse the older handshake.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rmcp::RoleClient;
use rmcp::model::{ClientRequest, JsonRpcMessage, RequestId};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;

/// Leaves out answers to other questions while `initialize` is not answered.
pub(crate) struct Late<T> {
    inner: T,
    initialize: Option<RequestId>,
    /// Set when the abandoned question got a good answer.
    discovered: Arc<AtomicBool>,
}

impl<T> Late<T> {
    pub(crate) fn new(inner: T, discovered: Arc<AtomicBool>) -> Self {
        Self { inner, initialize: None, discovered }
    }
}

impl<T: Transport<RoleClient>> Transport<RoleClient> for Late<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        if let JsonRpcMessage::Request(asked) = &item
            && matches!(asked.request, ClientRequest::InitializeRequest(_))
        {
            self.initialize = Some(asked.id.clone());
        }
        self.inner.send(item)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        loop {
            let message = self.inner.receive().await?;
            let answered = match &message {
                JsonRpcMessage::Response(answer) => Some(&answer.id),
                JsonRpcMessage::Error(answer) => answer.id.as_ref(),
                _ => None,
            };
            match (&self.initialize, answered) {
                (Some(waits), Some(answered)) if waits.to_string() != answered.to_string() => {
                    if matches!(message, JsonRpcMessage::Response(_)) {
                        self.discovered.store(true, Ordering::Relaxed);
                    }
                }
                (Some(_), Some(_)) => {
                    self.initialize = None;
                    return Some(message);
                }
                _ => return Some(message),
            }
        }
    }

    fn close(&mut self) -> impl Future<Output = Result<(), Self::Error>> + Send {
        self.inner.close()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use rmcp::transport::async_rw::AsyncRwTransport;
    use serde_json::{Value, json};

    use super::*;

    /// Lines that a program wrote, as a transport.
    fn program(lines: &'static str) -> Late<impl Transport<RoleClient>> {
        let inner = AsyncRwTransport::new_client(lines.as_bytes(), tokio::io::sink());
        Late::new(inner, Arc::default())
    }

    async fn next_id(transport: &mut Late<impl Transport<RoleClient>>) -> Value {
        let message = transport.receive().await.unwrap();
        serde_json::to_value(message).unwrap()["id"].clone()
    }

    fn initialize() -> TxJsonRpcMessage<RoleClient> {
        serde_json::from_value(json!({
            "jsonrpc": "2.0", "id": 1, "method": "initialize",
            "params": {
                "protocolVersion": "2025-11-25",
                "capabilities": {},
                "clientInfo": { "name": "test", "version": "1" },
            },
        }))
        .unwrap()
    }

    #[tokio::test]
    async fn a_late_refusal_of_the_first_question_is_left_out() {
        let mut transport = program(concat!(
            r#"{"jsonrpc":"2.0","id":0,"error":{"code":-32601,"message":"unknown method"}}"#,
            "\n",
            r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
            "\n",
        ));
        transport.send(initialize()).await.unwrap();
        assert_eq!(next_id(&mut transport).await, 1);
        assert!(!transport.discovered.load(Ordering::Relaxed));
    }

    #[tokio::test]
    async fn a_late_answer_to_the_first_question_is_left_out_and_kept_in_mind() {
        let mut transport = program(concat!(
            r#"{"jsonrpc":"2.0","id":0,"result":{}}"#,
            "\n",
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"no initialize here"}}"#,
            "\n",
        ));
        transport.send(initialize()).await.unwrap();
        assert_eq!(next_id(&mut transport).await, 1);
        assert!(transport.discovered.load(Ordering::Relaxed));
    }

    #[tokio::test]
    async fn after_the_handshake_every_answer_passes() {
        let mut transport = program(concat!(
            r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
            "\n",
            r#"{"jsonrpc":"2.0","id":7,"result":{}}"#,
            "\n",
        ));
        transport.send(initialize()).await.unwrap();
        assert_eq!(next_id(&mut transport).await, 1);
        assert_eq!(next_id(&mut transport).await, 7);
    }

    #[tokio::test]
    async fn without_a_second_question_the_first_answer_passes() {
        let mut transport = program("{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{}}\n");
        assert_eq!(next_id(&mut transport).await, 0);
    }
}
