//! A transport that is left within a bounded time. rmcp's worker waits until what it has read is
//! taken from it, and its `close` waits for the worker: with a server that never stops talking, both
//! would wait for ever.

use std::time::Duration;

use rmcp::RoleClient;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;

/// How long leaving in good order may take; a session is told of its end in it.
const LEAVING: Duration = Duration::from_secs(2);

/// The transport until it is closed; then it is gone with all that it had under way.
pub(crate) struct Leaving<T>(Option<T>);

impl<T> Leaving<T> {
    pub(crate) fn new(inner: T) -> Self {
        Self(Some(inner))
    }
}

impl<T: Transport<RoleClient>> Transport<RoleClient> for Leaving<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let sending = self.0.as_mut().map(|inner| inner.send(item));
        async move {
            match sending {
                Some(sending) => sending.await,
                // Nobody is left who could be told.
                None => Ok(()),
            }
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        self.0.as_mut()?.receive().await
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        let Some(mut inner) = self.0.take() else { return Ok(()) };
        tokio::time::timeout(LEAVING, inner.close()).await.unwrap_or(Ok(()))
    }
}
