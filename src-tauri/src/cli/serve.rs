//! `serve`: the skills of some folders for other MCP clients, without a window.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::builder::{PathBufValueParser, TypedValueParser as _};
use clap::{ArgGroup, Args, ValueEnum};
use skills::MAIN_FILE;
use skills::paths::Paths;
use skills::provider::{DirectoryProvider, Listing, Options, Provider, SupportingFiles};
use skills_mcp::server::{ServeOptions, serve_http, serve_stdio};
use tokio_util::sync::CancellationToken;

use crate::render::spelled_out;

#[derive(Debug, Args)]
#[command(group = ArgGroup::new("transport").required(true).args(["http", "stdio"]))]
pub(super) struct Serve {
    /// A folder whose sub-folders are skills; may come more than once, the first has precedence.
    #[arg(long = "root", value_name = "DIR", required = true,
          value_parser = PathBufValueParser::new().try_map(folder))]
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
        let looked_at = Arc::clone(&provider);
        let tell = move || {
            for line in summary(&roots, &looked_at.list()) {
                say(&line);
            }
        };
        match self.http {
            Some(address) => {
                let ready = |address| {
                    say(&format!("http://{address}/mcp"));
                    // The first look may take a while, and nobody has to wait for it.
                    tokio::task::spawn_blocking(tell);
                };
                serve_http(provider, address, options, shutdown, ready).await?;
            }
            None => {
                let told = tokio::task::spawn_blocking(tell);
                serve_stdio(provider, options, shutdown.clone()).await?;
                // Whoever asked one thing only reads it too, unless this is told to stop.
                tokio::select! {
                    _ = told => {}
                    () = shutdown.cancelled() => {}
                }
            }
        }
        Ok(())
    }
}

/// A line on standard error. The first one of `--http` is the address, for whoever started this;
/// standard output belongs to the protocol.
#[expect(clippy::print_stderr, reason = "a part of the command's interface, not a log")]
fn say(line: &str) {
    eprintln!("{line}");
}

/// A root has to be a folder, or nothing yet.
fn folder(path: PathBuf) -> Result<PathBuf, &'static str> {
    if path.exists() && !path.is_dir() {
        Err("it is not a folder; name the folder whose sub-folders are skills")
    } else {
        Ok(path)
    }
}

/// What is served from where, and what is not, a line each.
fn summary(roots: &[PathBuf], listing: &Listing) -> Vec<String> {
    let paths = Paths::from_environment().ok();
    let shown = |root: &PathBuf| {
        let shown = paths.as_ref().map(|paths| paths.display(root));
        spelled_out(&shown.unwrap_or_else(|| root.display().to_string()))
    };
    let (there, missing): (Vec<&PathBuf>, Vec<&PathBuf>) =
        roots.iter().partition(|root| root.is_dir());
    let skills = listing
        .resources
        .iter()
        .filter(|resource| resource.name.split_once('/').is_some_and(|(_, path)| path == MAIN_FILE))
        .count();
    let skills = if skills == 1 { "1 skill".to_owned() } else { format!("{skills} skills") };
    let mut lines = Vec::new();
    if !there.is_empty() {
        let there: Vec<String> = there.into_iter().map(shown).collect();
        lines.push(format!("serving {skills} from {}", there.join(", ")));
    }
    lines.extend(
        missing
            .into_iter()
            .map(|root| format!("warning: {} is not there; it is served once it is", shown(root))),
    );
    lines.extend(listing.warnings.iter().map(|why| format!("warning: {}", spelled_out(why))));
    lines
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
#[allow(clippy::disallowed_methods)]
mod tests {
    use clap::Parser as _;

    use super::*;

    #[test]
    fn a_root_is_a_folder_or_not_there_yet() {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("file");
        std::fs::write(&file, "").unwrap();
        assert!(folder(file.clone()).unwrap_err().starts_with("it is not a folder"));
        assert!(folder(home.path().to_owned()).is_ok());
        assert!(folder(home.path().join("later")).is_ok());

        let refused = crate::cli::Arguments::try_parse_from([
            "skillhold".as_ref(),
            "serve".as_ref(),
            "--stdio".as_ref(),
            "--root".as_ref(),
            file.as_os_str(),
        ])
        .unwrap_err();
        assert_eq!(refused.exit_code(), 2);
        let said = refused.to_string();
        assert!(said.contains(&file.display().to_string()), "{said}");
        assert!(said.contains("it is not a folder"), "{said}");
    }

    #[test]
    fn what_is_served_and_what_is_not_is_a_line_each() {
        let home = tempfile::tempdir().unwrap();
        let (shelf, later) = (home.path().join("shelf"), home.path().join("later"));
        for name in ["one", "two"] {
            let inner = shelf.join(name).join("inner");
            std::fs::create_dir_all(&inner).unwrap();
            for folder in [shelf.join(name), inner] {
                std::fs::write(folder.join(MAIN_FILE), "---\nname: x\n---\n").unwrap();
            }
        }
        let bad = shelf.join("bad\u{1b}");
        std::fs::create_dir(&bad).unwrap();
        std::fs::write(bad.join(MAIN_FILE), b"\xff").unwrap();
        let roots = [shelf.clone(), later.clone()];
        for supporting_files in [SupportingFiles::Template, SupportingFiles::Resources] {
            let options = Options { supporting_files, ..Options::default() };
            let lines = summary(&roots, &DirectoryProvider::new(roots.to_vec(), options).list());
            assert_eq!(lines.len(), 3, "{lines:?}");
            assert_eq!(lines[0], format!("serving 2 skills from {}", shelf.display()));
            assert_eq!(
                lines[1],
                format!("warning: {} is not there; it is served once it is", later.display())
            );
            assert!(lines[2].starts_with("warning: the skill \"bad"), "{}", lines[2]);
            assert!(!lines[2].contains('\u{1b}'), "{}", lines[2]);
        }
    }

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
