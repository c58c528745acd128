//! `serve`: the skills of some folders for other MCP clients, without a window.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::{ArgGroup, Args, ValueEnum};
use skills::provider::{DirectoryProvider, Options, Provider, SupportingFiles};
use skills_mcp::server::{ServeOptions, serve_http, serve_stdio};
use tokio_util::sync::CancellationToken;

#[derive(Debug, Args)]
#[command(group = ArgGroup::new("transport").required(true).args(["http", "stdio"]))]
pub(super) struct Serve {
    /// A folder whose sub-folders are skills; may come more than once, the first has precedence.
    #[arg(long = "root", value_name = "DIR", required = true)]
    roots: Vec<PathBuf>,

    /// Listen for streamable HTTP on this machine only, as in `127.0.0.1:8000`; port 0 takes a free one.
    #[arg(long, value_name = "ADDR:PORT", value_parser = loopback)]
    http: Option<SocketAddr>,

    /// Speak MCP on standard input and output.
    #[arg(long)]
    stdio: bool,

    /// How files other than `SKILL.md` appear.
    #[arg(long, value_enum, default_value_t = Files::Template)]
    supporting_files: Files,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Files {
    /// Not listed, read by their URI through a template.
    Template,
    /// Listed one by one.
    Resources,
}

impl Serve {
    /// Serves until standard input ends (with `--stdio`) or the process is told to stop.
    pub(super) fn run(self) -> ExitCode {
        crate::logging::to_stderr();
        let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
            Ok(runtime) => runtime,
            Err(error) => return super::fail(&error),
        };
        let served = runtime.block_on(self.serve());
        // A thread may still wait for standard input, which nothing can interrupt.
        runtime.shutdown_background();
        match served {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => super::fail(error.as_ref()),
        }
    }

    async fn serve(self) -> Result<(), Box<dyn std::error::Error>> {
        let roots =
            self.roots.into_iter().map(std::path::absolute).collect::<io::Result<Vec<_>>>()?;
        let supporting_files = match self.supporting_files {
            Files::Template => SupportingFiles::Template,
            Files::Resources => SupportingFiles::Resources,
        };
        let provider: Arc<dyn Provider> = Arc::new(DirectoryProvider::new(
            roots.clone(),
            Options { supporting_files, ..Options::default() },
        ));
        let shutdown = CancellationToken::new();
        let told_to_stop = shutdown.clone();
        tokio::spawn(async move {
            stop_signal().await;
            told_to_stop.cancel();
        });
        let options = ServeOptions::default();
        match self.http {
            Some(address) => {
                let ready = |address| {
                    announce(address);
                    warn_of_missing(&roots);
                };
                serve_http(provider, address, options, shutdown, ready).await?;
            }
            None => {
                warn_of_missing(&roots);
                serve_stdio(provider, options, shutdown).await?;
            }
        }
        Ok(())
    }
}

/// The first line on standard error is the address, for whoever started this.
#[expect(clippy::print_stderr, reason = "a part of the command's interface, not a log")]
fn announce(address: SocketAddr) {
    eprintln!("http://{address}/mcp");
}

fn warn_of_missing(roots: &[PathBuf]) {
    for root in roots.iter().filter(|root| !root.is_dir()) {
        tracing::warn!(root = %root.display(), "there is no such folder; it is skipped until there is");
    }
}

/// Ends when the process is told to stop.
async fn stop_signal() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = tokio::signal::ctrl_c() => {}
            }
            return;
        }
    }
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}

/// An address on this machine: nothing else may reach the skills.
fn loopback(text: &str) -> Result<SocketAddr, String> {
    let address = match text.strip_prefix("localhost:").map(str::parse) {
        Some(Ok(port)) => SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port),
        _ => {
            text.parse().map_err(|_| "not an address and port, as in 127.0.0.1:8000".to_owned())?
        }
    };
    if address.ip().is_loopback() {
        Ok(address)
    } else {
        Err(format!("{} is not on this machine alone; use 127.0.0.1 or [::1]", address.ip()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine_is_served() {
        assert_eq!(loopback("127.0.0.1:80").unwrap().to_string(), "127.0.0.1:80");
        assert_eq!(loopback("localhost:0").unwrap().to_string(), "127.0.0.1:0");
        assert_eq!(loopback("[::1]:8000").unwrap().to_string(), "[::1]:8000");
        assert_eq!(
            loopback("0.0.0.0:80").unwrap_err(),
            "0.0.0.0 is not on this machine alone; use 127.0.0.1 or [::1]"
        );
        assert!(loopback("example.org:80").is_err());
    }
}
