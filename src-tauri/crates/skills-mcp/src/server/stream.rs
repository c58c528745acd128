//! One client on a pair of streams, as standard input and output are.

use std::sync::Arc;
use std::time::Duration;

use rmcp::ServiceExt as _;
use rmcp::service::ServerInitializeError;
use skills::provider::Provider;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;

use super::handler::AnySpelling;
use super::http::GRACE;
use super::lines::Lines;
use super::shared::Shared;
use super::{ServeError, ServeOptions};

/// Serves on standard input and output until the input ends or `shutdown` fires. Answers that are
/// not read within three seconds from then are given up; a thread of the runtime may go on waiting
/// for standard output. That belongs to the protocol: logs must go elsewhere.
///
/// # Errors
/// When the client does not speak MCP.
pub async fn serve_stdio(
    provider: Arc<dyn Provider>,
    options: ServeOptions,
    shutdown: CancellationToken,
) -> Result<(), ServeError> {
    let (read, write) = rmcp::transport::stdio_pipes();
    serve_stream(provider, read, write, options, shutdown).await
}

/// Serves one client on a pair of streams, a message a line, until the input ends or `shutdown`
/// fires, and three seconds longer at most, whether the answers are read or not. Tokens are not
/// asked for: whoever holds the streams started this.
///
/// # Errors
/// When the client does not speak MCP.
pub async fn serve_stream<R, W>(
    provider: Arc<dyn Provider>,
    read: R,
    write: W,
    options: ServeOptions,
    shutdown: CancellationToken,
) -> Result<(), ServeError>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    serve_within(GRACE, provider, Lines::new(read, write), options, shutdown).await
}

async fn serve_within<R, W>(
    grace: Duration,
    provider: Arc<dyn Provider>,
    lines: Lines<R, W>,
    options: ServeOptions,
    shutdown: CancellationToken,
) -> Result<(), ServeError>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let input_ended = lines.input_ended();
    // Writing ends with this call: rmcp closes the stream only when nothing is being written.
    let _writes = lines.given_up().drop_guard();
    let told = shutdown.clone();
    let served = async {
        let server = AnySpelling::stream(Arc::new(Shared::new(provider, &options).await?));
        match server.serve_with_ct(lines, shutdown).await {
            Ok(running) => running.waiting().await.map(drop).map_err(ServeError::Ended),
            Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => {
                Ok(())
            }
            Err(error) => Err(ServeError::Handshake(Box::new(error))),
        }
    };
    let too_late = async {
        tokio::select! {
            () = told.cancelled() => {}
            () = input_ended.cancelled() => {}
        }
        tokio::time::sleep(grace).await;
    };
    tokio::select! {
        served = served => served,
        () = too_late => {
            tracing::debug!("answers were not read to their end");
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use skills::provider::{Content, Entries, Listing, ReadError};
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, ReadBuf};
    use tokio::task::JoinHandle;

    use super::*;

    /// Has one large file.
    struct Large;

    impl Provider for Large {
        fn list(&self) -> Listing {
            Listing::default()
        }

        fn read(&self, _: &str) -> Result<Content, ReadError> {
            Ok(Content { bytes: vec![b'x'; 2 << 20], mime_type: "text/plain" })
        }

        fn entries(&self) -> Option<Entries> {
            None
        }
    }

    const HELLO: &str = concat!(
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"#,
        r#""2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}"#,
        "\n",
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        "\n",
    );
    const READ: &str =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/read\",\"params\":{\"uri\":\"a\"}}\n";
    const BROKEN: &str = "{\"jsonrpc\":\"2.0\",\"id\":2}\n";

    /// No time at all for answers.
    struct Served {
        input: DuplexStream,
        output: DuplexStream,
        shutdown: CancellationToken,
        serving: JoinHandle<Result<(), ServeError>>,
    }

    impl Served {
        fn start() -> Self {
            let (input, read) = tokio::io::duplex(1 << 16);
            let (write, output) = tokio::io::duplex(1 << 10);
            let shutdown = CancellationToken::new();
            let lines = Lines::new(read, write);
            let (options, stop) = (ServeOptions::default(), shutdown.clone());
            let provider = Arc::new(Large) as Arc<dyn Provider>;
            let serving = tokio::spawn(async move {
                serve_within(Duration::ZERO, provider, lines, options, stop).await
            });
            Self { input, output, shutdown, serving }
        }

        async fn send(&mut self, text: &str) {
            self.input.write_all(text.as_bytes()).await.unwrap();
        }

        /// Reads one byte more than a part of the first answer, so that it is being written.
        async fn begin_to_read(&mut self) {
            self.send(HELLO).await;
            let mut byte = [0];
            while byte != *b"\n" {
                self.output.read_exact(&mut byte).await.unwrap();
            }
            self.send(READ).await;
            self.output.read_exact(&mut byte).await.unwrap();
        }
    }

    #[tokio::test]
    async fn serving_ends_with_the_shutdown_though_an_answer_is_not_read() {
        let mut served = Served::start();
        served.begin_to_read().await;
        served.shutdown.cancel();
        served.serving.await.unwrap().unwrap();
        // What was being written is given up, and the stream closed.
        served.output.read_to_end(&mut Vec::new()).await.unwrap();
    }

    #[tokio::test]
    async fn serving_ends_with_the_input_though_an_answer_is_not_read() {
        let mut served = Served::start();
        served.begin_to_read().await;
        drop(served.input);
        served.serving.await.unwrap().unwrap();
        served.output.read_to_end(&mut Vec::new()).await.unwrap();
    }

    #[tokio::test]
    async fn serving_ends_though_the_answer_to_the_handshake_is_not_read() {
        let mut served = Served::start();
        // More than there is room for, so that writing waits.
        served.send(&BROKEN.repeat(100)).await;
        served.send(HELLO).await;
        served.shutdown.cancel();
        served.serving.await.unwrap().unwrap();
    }

    /// A stream that ends, and says when it was read to its end.
    struct Noted {
        read: DuplexStream,
        ended: CancellationToken,
    }

    impl AsyncRead for Noted {
        fn poll_read(
            mut self: std::pin::Pin<&mut Self>,
            context: &mut std::task::Context<'_>,
            buffer: &mut ReadBuf<'_>,
        ) -> std::task::Poll<std::io::Result<()>> {
            let before = buffer.filled().len();
            let polled = std::pin::Pin::new(&mut self.read).poll_read(context, buffer);
            if polled.is_ready() && buffer.filled().len() == before {
                self.ended.cancel();
            }
            polled
        }
    }

    #[tokio::test]
    async fn the_end_of_the_input_is_seen_behind_refusals_that_nobody_reads() {
        let (mut input, read) = tokio::io::duplex(1 << 16);
        let (write, _output) = tokio::io::duplex(1 << 10);
        let ended = CancellationToken::new();
        let lines = Lines::new(Noted { read, ended: ended.clone() }, write);
        let serving = tokio::spawn(serve_within(
            Duration::ZERO,
            Arc::new(Large),
            lines,
            ServeOptions::default(),
            CancellationToken::new(),
        ));
        // Their refusals are more than are kept.
        for _ in 0..200 {
            input.write_all(BROKEN.repeat(100).as_bytes()).await.unwrap();
        }
        drop(input);
        ended.cancelled().await;
        serving.await.unwrap().unwrap();
    }
}
