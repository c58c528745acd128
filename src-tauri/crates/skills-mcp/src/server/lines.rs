//! Messages on a pair of streams, one a line; and batches of them, one a line too.

use std::collections::VecDeque;
use std::io::{self, Cursor, ErrorKind};
use std::sync::{Arc, Mutex as StdMutex, MutexGuard, PoisonError};

use futures::StreamExt as _;
use rmcp::model::{ClientNotification, JsonRpcMessage, RequestId, ServerResult};
use rmcp::service::{RoleServer, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _};
use tokio::sync::Mutex;
use tokio_util::bytes::{Bytes, BytesMut};
use tokio_util::codec::{AnyDelimiterCodec, AnyDelimiterCodecError, Decoder, FramedRead};

use super::batch::{self, Answers, Batches};
use crate::limits::REQUEST_BYTES;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Room that is kept for the next message.
const KEPT_BYTES: usize = 64 * 1024;

/// A client on a pair of streams.
pub(super) struct Lines<R, W> {
    read: FramedRead<R, OneALine>,
    /// Messages of a batch.
    come: VecDeque<RxJsonRpcMessage<RoleServer>>,
    /// Lines that answer messages which nobody else sees.
    said: VecDeque<Vec<u8>>,
    /// Whether the last of those were not written to their end.
    unsent: bool,
    out: Arc<Out<W>>,
}

struct Out<W> {
    /// `None` once it is closed.
    writer: Mutex<Option<Writer<W>>>,
    state: StdMutex<State>,
}

#[derive(Default)]
struct State {
    /// Whether the version that was agreed on has batches.
    has_batches: bool,
    batches: Batches,
}

/// Lines; nothing in place of one that is too long. It is no error, after which what came already
/// would wait for what comes next.
struct OneALine(AnyDelimiterCodec);

impl OneALine {
    fn new() -> Self {
        let end = b"\n".to_vec();
        Self(AnyDelimiterCodec::new_with_max_length(end.clone(), end, REQUEST_BYTES))
    }
}

type Line = Option<Bytes>;

fn line(line: Result<Line, AnyDelimiterCodecError>) -> io::Result<Option<Line>> {
    match line {
        Ok(line) => Ok(line.map(Some)),
        Err(AnyDelimiterCodecError::MaxChunkLengthExceeded) => Ok(Some(None)),
        Err(AnyDelimiterCodecError::Io(error)) => Err(error),
    }
}

impl Decoder for OneALine {
    type Item = Line;
    type Error = io::Error;

    fn decode(&mut self, come: &mut BytesMut) -> io::Result<Option<Line>> {
        line(self.0.decode(come))
    }

    fn decode_eof(&mut self, come: &mut BytesMut) -> io::Result<Option<Line>> {
        line(self.0.decode_eof(come))
    }
}

/// What was not written when a call of it was dropped is written by the next one.
struct Writer<W> {
    to: W,
    unsent: Cursor<Vec<u8>>,
}

impl<R, W> Lines<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    pub(super) fn new(read: R, write: W) -> Self {
        Self {
            read: FramedRead::new(read, OneALine::new()),
            come: VecDeque::new(),
            said: VecDeque::new(),
            unsent: false,
            out: Arc::new(Out {
                writer: Mutex::new(Some(Writer { to: write, unsent: Cursor::default() })),
                state: StdMutex::default(),
            }),
        }
    }

    /// Writes what answers messages that nobody else sees. May be dropped at any time.
    async fn say(&mut self) -> io::Result<()> {
        if self.said.is_empty() && !self.unsent {
            return Ok(());
        }
        let mut writer = self.out.writer.lock().await;
        let writer = writer.as_mut().ok_or(ErrorKind::NotConnected)?;
        self.unsent = true;
        for line in self.said.drain(..) {
            writer.line(&line);
        }
        writer.flush().await?;
        self.unsent = false;
        Ok(())
    }

    /// What is on a line.
    fn come(&mut self, line: &[u8]) {
        let line = line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line).trim_ascii();
        if line.is_empty() {
            return;
        }
        if let Ok(message) = serde_json::from_slice(line) {
            return self.message(message);
        }
        match serde_json::from_slice(line) {
            Ok(Value::Array(messages)) => self.batch(messages),
            Ok(message) => self.said.extend(broken(&message).map(in_bytes)),
            // Whoever sends what is no JSON is no client that waits for an answer: answering might
            // go round in a circle.
            Err(error) => tracing::debug!(%error, "a line is not JSON"),
        }
    }

    fn message(&mut self, message: RxJsonRpcMessage<RoleServer>) {
        if let JsonRpcMessage::Notification(notification) = &message
            && let ClientNotification::CancelledNotification(cancelled) = &notification.notification
            && let Some(id) = &cancelled.params.request_id
        {
            // It is answered no more.
            self.said.extend(self.out.state().batches.take(id, None));
        }
        self.come.push_back(message);
    }

    fn batch(&mut self, messages: Vec<Value>) {
        let has_batches = self.out.state().has_batches;
        if let Some(why) = batch::refused(&messages, has_batches) {
            self.said.push_back(in_bytes(batch::error(-32600, &why, Value::Null)));
            return;
        }
        let (mut waits_for, mut answers) = (Vec::new(), Answers::default());
        let mut come = Vec::new();
        for message in messages {
            if let Some(wrong) = batch::unfit(&message) {
                answers.push(&in_bytes(wrong));
                continue;
            }
            let wrong = broken(&message);
            match serde_json::from_value(message) {
                Ok(message) => come.push(message),
                Err(_) => wrong.into_iter().for_each(|wrong| answers.push(&in_bytes(wrong))),
            }
        }
        waits_for.extend(come.iter().filter_map(|message| match message {
            JsonRpcMessage::Request(request) => Some(request.id.clone()),
            _ => None,
        }));
        let ended = self.out.state().batches.begin(waits_for, answers);
        self.said.extend(ended);
        for message in come {
            self.message(message);
        }
    }
}

/// What to say of JSON that is no message.
fn broken(message: &Value) -> Option<Value> {
    let said = || batch::error(-32600, "the message is not as MCP has it", batch::id(message));
    batch::asks(message).then(said)
}

fn in_bytes(message: Value) -> Vec<u8> {
    message.to_string().into_bytes()
}

impl<W> Out<W> {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether an answer goes into a batch.
    fn is_of_a_batch(&self, id: Option<&RequestId>) -> bool {
        id.is_some_and(|id| self.state().batches.wait_for(id))
    }
}

impl<W: AsyncWrite + Unpin> Writer<W> {
    fn line(&mut self, line: &[u8]) {
        let unsent = self.unsent.get_mut();
        unsent.extend_from_slice(line);
        unsent.push(b'\n');
    }

    fn message(&mut self, message: &TxJsonRpcMessage<RoleServer>) -> io::Result<()> {
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

impl<R, W> Transport<RoleServer> for Lines<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let out = Arc::clone(&self.out);
        if let JsonRpcMessage::Response(response) = &item
            && let ServerResult::InitializeResult(agreed) = &response.result
        {
            out.state().has_batches = agreed.protocol_version == batch::VERSION;
        }
        async move {
            let id = match &item {
                JsonRpcMessage::Response(response) => Some(&response.id),
                JsonRpcMessage::Error(error) => error.id.as_ref(),
                JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => None,
            };
            let mut batch = None;
            if let Some(id) = id.filter(|id| out.is_of_a_batch(Some(id))) {
                let answer = serde_json::to_vec(&item)?;
                batch = out.state().batches.take(id, Some(&answer));
                if batch.is_none() {
                    return Ok(());
                }
            }
            let mut writer = out.writer.lock().await;
            let writer = writer.as_mut().ok_or(ErrorKind::NotConnected)?;
            match batch {
                Some(batch) => writer.line(&batch),
                None => writer.message(&item)?,
            }
            writer.flush().await
        }
    }

    /// May be dropped at any time: a line that came in part is gone on with.
    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            if let Err(error) = self.say().await {
                tracing::debug!(%error, "nobody reads the answers");
                return None;
            }
            if let Some(message) = self.come.pop_front() {
                return Some(message);
            }
            match self.read.next().await {
                Some(Ok(Some(line))) => self.come(&line),
                Some(Ok(None)) => {
                    let why = "a message has 1 MiB at most";
                    self.said.push_back(in_bytes(batch::error(-32600, why, Value::Null)));
                }
                Some(Err(error)) => {
                    tracing::debug!(%error, "a stream ended");
                    return None;
                }
                None => return None,
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        drop(self.out.writer.lock().await.take());
        Ok(())
    }
}
