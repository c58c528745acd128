//! What goes to the client, and which of its requests are not answered yet.

use std::collections::HashSet;
use std::io::{self, Cursor, ErrorKind};
use std::sync::{Mutex as StdMutex, MutexGuard, PoisonError};

use rmcp::model::{JsonRpcMessage, RequestId};
use rmcp::service::{RoleServer, RxJsonRpcMessage, TxJsonRpcMessage};
use serde_json::Value;
use tokio::io::{AsyncWrite, AsyncWriteExt as _};
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;

use crate::server::batch::{self, Batches};

/// Room that is kept for the next message.
const KEPT_BYTES: usize = 64 * 1024;

pub(super) struct Out<W> {
    /// Whether what is not written is not to be written any more.
    pub(super) given_up: CancellationToken,
    /// `None` once it is closed.
    writer: Mutex<Option<Writer<W>>>,
    state: StdMutex<State>,
}

#[derive(Default)]
pub(super) struct State {
    /// Whether the version that was agreed on has batches.
    pub(super) has_batches: bool,
    pub(super) batches: Batches,
    /// The ids of the requests that are being answered. rmcp answers one of each.
    pub(super) open: HashSet<RequestId>,
}

/// What was not written when a call of it was dropped is written by the next one.
pub(super) struct Writer<W> {
    to: W,
    unsent: Cursor<Vec<u8>>,
}

impl State {
    /// A message came; what is wrong with it where it asks under an id that is in use.
    pub(super) fn begin(&mut self, message: &RxJsonRpcMessage<RoleServer>) -> Result<(), Value> {
        let JsonRpcMessage::Request(request) = message else { return Ok(()) };
        match self.open.insert(request.id.clone()) {
            true => Ok(()),
            false => {
                let why = "a request with this id is still being answered";
                Err(batch::error(-32600, why, request.id.clone().into_json_value()))
            }
        }
    }

    /// Nobody waits for this answer any more. Gives all answers of its batch where it was the last.
    pub(super) fn cancel(&mut self, id: &RequestId) -> Option<Vec<u8>> {
        self.open.remove(id);
        self.batches.take(id, None)
    }
}

impl<W> Out<W> {
    pub(super) fn new(to: W) -> Self {
        Self {
            given_up: CancellationToken::new(),
            writer: Mutex::new(Some(Writer { to, unsent: Cursor::default() })),
            state: StdMutex::default(),
        }
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<W: AsyncWrite + Unpin> Out<W> {
    /// Writes what `add` adds, and before it what was not written to its end. May be dropped at
    /// any time.
    pub(super) async fn write(
        &self,
        add: impl FnOnce(&mut Writer<W>) -> io::Result<()>,
    ) -> io::Result<()> {
        let written = async {
            let mut writer = self.writer.lock().await;
            let writer = writer.as_mut().ok_or(ErrorKind::NotConnected)?;
            writer.flush().await?;
            add(writer)?;
            writer.flush().await
        };
        tokio::select! {
            biased;
            () = self.given_up.cancelled() => Err(ErrorKind::NotConnected.into()),
            written = written => written,
        }
    }

    /// Nothing more is written. Waits for what is being written.
    pub(super) async fn close(&self) {
        drop(self.writer.lock().await.take());
    }

    /// Writes what answers messages that nobody else sees.
    pub(super) async fn say(&self, said: &mut Vec<u8>, unsent: &mut bool) -> io::Result<()> {
        self.write(|writer| {
            *unsent = true;
            writer.unsent.get_mut().append(said);
            Ok(())
        })
        .await?;
        *unsent = false;
        Ok(())
    }
}

impl<W: AsyncWrite + Unpin> Writer<W> {
    pub(super) fn line(&mut self, line: &[u8]) {
        let unsent = self.unsent.get_mut();
        unsent.extend_from_slice(line);
        unsent.push(b'\n');
    }

    pub(super) fn message(&mut self, message: &TxJsonRpcMessage<RoleServer>) -> io::Result<()> {
        let unsent = self.unsent.get_mut();
        let before = unsent.len();
        if let Err(error) = serde_json::to_writer(&mut *unsent, message) {
            unsent.truncate(before);
            return Err(error.into());
        }
        unsent.push(b'\n');
        Ok(())
    }

    async fn flush(&mut self) -> io::Result<()> {
        if self.unsent.get_ref().is_empty() {
            return Ok(());
        }
        while (self.unsent.position() as usize) < self.unsent.get_ref().len() {
            if self.to.write_buf(&mut self.unsent).await? == 0 {
                return Err(ErrorKind::WriteZero.into());
            }
        }
        let sent = self.unsent.get_mut();
        sent.clear();
        sent.shrink_to(KEPT_BYTES);
        self.unsent.set_position(0);
        self.to.flush().await
    }
}
