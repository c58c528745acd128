//! Messages on a pair of streams, one a line; and batches of them, one a line too.

mod out;

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;

use futures::StreamExt as _;
use rmcp::model::{ClientNotification, ClientRequest, JsonRpcMessage, RequestId, ServerResult};
use rmcp::service::{RoleServer, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::bytes::{Bytes, BytesMut};
use tokio_util::codec::{AnyDelimiterCodec, AnyDelimiterCodecError, Decoder, FramedRead};
use tokio_util::sync::CancellationToken;

use self::out::Out;
use super::batch::{self, Answers};
use super::pages::misread;
use crate::limits::REQUEST_BYTES;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// A client on a pair of streams.
pub(super) struct Lines<R, W> {
    read: FramedRead<R, OneALine>,
    /// Messages of a batch.
    come: VecDeque<RxJsonRpcMessage<RoleServer>>,
    /// Lines that answer messages which nobody else sees.
    said: Vec<u8>,
    /// Whether the last of those were not written to their end.
    unsent: bool,
    input_ended: CancellationToken,
    out: Arc<Out<W>>,
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

impl<R, W> Lines<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    pub(super) fn new(read: R, write: W) -> Self {
        Self {
            read: FramedRead::new(read, OneALine::new()),
            come: VecDeque::new(),
            said: Vec::new(),
            unsent: false,
            input_ended: CancellationToken::new(),
            out: Arc::new(Out::new(write)),
        }
    }

    /// Fires when nothing more comes.
    pub(super) fn input_ended(&self) -> CancellationToken {
        self.input_ended.clone()
    }

    /// What is not written when this fires is not written at all.
    pub(super) fn given_up(&self) -> CancellationToken {
        self.out.given_up.clone()
    }

    /// The next line, while what was said is written. May be dropped at any time.
    async fn next(&mut self) -> Option<io::Result<Line>> {
        loop {
            tokio::select! {
                biased;
                written = self.out.say(&mut self.said, &mut self.unsent),
                    if self.unsent || !self.said.is_empty() =>
                {
                    if let Err(error) = written {
                        return Some(Err(error));
                    }
                }
                // Nobody may read, and then the end is to be seen all the same.
                line = self.read.next() => return line,
            }
        }
    }

    /// Says what is wrong with a message. Whoever sends one after the other and reads nothing is
    /// not told of all of them.
    fn refuse(&mut self, refusal: &[u8]) {
        if self.said.len() < REQUEST_BYTES {
            self.answer(refusal);
        }
    }

    fn answer(&mut self, line: &[u8]) {
        self.said.extend_from_slice(line);
        self.said.push(b'\n');
    }

    /// What is on a line.
    fn come(&mut self, line: &[u8]) {
        let line = line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line).trim_ascii();
        if line.is_empty() {
            return;
        }
        if let Ok(message) = serde_json::from_slice(line) {
            return match wrong_list(&message, line) {
                Some(wrong) => self.refuse(&in_bytes(wrong)),
                None => self.message(message),
            };
        }
        match serde_json::from_slice(line) {
            Ok(Value::Array(messages)) => self.batch(messages),
            Ok(message) => {
                if let Some(wrong) = broken(&message) {
                    self.refuse(&in_bytes(wrong));
                }
            }
            // Whoever sends what is no JSON is no client that waits for an answer: answering might
            // go round in a circle.
            Err(error) => tracing::debug!(%error, "a line is not JSON"),
        }
    }

    fn message(&mut self, message: RxJsonRpcMessage<RoleServer>) {
        let begun = self.out.state().begin(&message);
        match begun {
            Ok(()) => self.pass_on(message),
            Err(wrong) => self.refuse(&in_bytes(wrong)),
        }
    }

    fn pass_on(&mut self, message: RxJsonRpcMessage<RoleServer>) {
        if let JsonRpcMessage::Notification(notification) = &message
            && let ClientNotification::CancelledNotification(cancelled) = &notification.notification
            && let Some(id) = &cancelled.params.request_id
        {
            // It is answered no more.
            let ended = self.out.state().cancel(id);
            if let Some(answers) = ended {
                self.answer(&answers);
            }
        }
        self.come.push_back(message);
    }

    fn batch(&mut self, messages: Vec<Value>) {
        let has_batches = self.out.state().has_batches;
        if let Some(why) = batch::refused(&messages, has_batches) {
            self.refuse(&in_bytes(batch::error(-32600, &why, Value::Null)));
            return;
        }
        let (mut waits_for, mut answers) = (Vec::new(), Answers::default());
        let mut come = Vec::new();
        for message in messages {
            if let Some(wrong) = batch::unfit(&message) {
                answers.push(&in_bytes(wrong));
                continue;
            }
            if let Some(why) = misread(&message) {
                answers.push(&in_bytes(batch::error(-32602, &why, batch::id(&message))));
                continue;
            }
            let wrong = broken(&message);
            let begun = match serde_json::from_value(message) {
                Ok(message) => self.out.state().begin(&message).map(|()| come.push(message)),
                Err(_) => wrong.map_or(Ok(()), Err),
            };
            if let Err(wrong) = begun {
                answers.push(&in_bytes(wrong));
            }
        }
        waits_for.extend(come.iter().filter_map(|message| match message {
            JsonRpcMessage::Request(request) => Some(request.id.clone()),
            _ => None,
        }));
        let ended = self.out.state().batches.begin(waits_for, answers);
        if let Some(answers) = ended {
            self.refuse(&answers);
        }
        for message in come {
            self.pass_on(message);
        }
    }
}

/// What to say of a list whose parameters were dropped.
fn wrong_list(message: &RxJsonRpcMessage<RoleServer>, line: &[u8]) -> Option<Value> {
    let JsonRpcMessage::Request(request) = message else { return None };
    let params = match &request.request {
        ClientRequest::ListResourcesRequest(list) => &list.params,
        ClientRequest::ListResourceTemplatesRequest(list) => &list.params,
        ClientRequest::ListSkillsRequest(list) => &list.params,
        _ => return None,
    };
    if params.as_ref().is_some_and(|params| params.cursor.is_some()) {
        return None;
    }
    let message = serde_json::from_slice(line).ok()?;
    Some(batch::error(-32602, &misread(&message)?, batch::id(&message)))
}

/// What to say of JSON that is no message.
fn broken(message: &Value) -> Option<Value> {
    let said = || batch::error(-32600, "the message is not as MCP has it", batch::id(message));
    batch::asks(message).then(said)
}

/// The id of the request that a message answers.
fn answers(message: &TxJsonRpcMessage<RoleServer>) -> Option<&RequestId> {
    match message {
        JsonRpcMessage::Response(response) => Some(&response.id),
        JsonRpcMessage::Error(error) => error.id.as_ref(),
        JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => None,
    }
}

fn in_bytes(message: Value) -> Vec<u8> {
    message.to_string().into_bytes()
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
        if let Some(id) = answers(&item) {
            out.state().open.remove(id);
        }
        async move {
            let mut batch = None;
            if let Some(id) = answers(&item).filter(|id| out.state().batches.wait_for(id)) {
                let answer = serde_json::to_vec(&item)?;
                batch = out.state().batches.take(id, Some(&answer));
                if batch.is_none() {
                    return Ok(());
                }
            }
            out.write(|writer| match batch {
                Some(batch) => {
                    writer.line(&batch);
                    Ok(())
                }
                None => writer.message(&item),
            })
            .await
        }
    }

    /// May be dropped at any time: a line that came in part is gone on with.
    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            if let Some(message) = self.come.pop_front() {
                return Some(message);
            }
            match self.next().await {
                Some(Ok(Some(line))) => self.come(&line),
                Some(Ok(None)) => {
                    let why = "a message has 1 MiB at most";
                    self.refuse(&in_bytes(batch::error(-32600, why, Value::Null)));
                }
                Some(Err(error)) => {
                    tracing::debug!(%error, "a stream ended");
                    self.input_ended.cancel();
                    return None;
                }
                None => {
                    self.input_ended.cancel();
                    let Self { out, said, unsent, .. } = self;
                    if let Err(error) = out.say(said, unsent).await {
                        tracing::debug!(%error, "nobody reads the answers");
                    }
                    return None;
                }
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.out.close().await;
        Ok(())
    }
}
