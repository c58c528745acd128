//! `serve`: skills for other MCP clients, without a window.

mod places;
mod said;
pub(super) mod stop;
mod tokens;

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::{ArgGroup, Args, ValueEnum};
use skills::MAIN_FILE;
use skills::paths::Paths;
use skills::provider::policy::WithoutDiscovery;
use skills::provider::{DirectoryProvider, Mode, Options, Place, Provider, SupportingFiles};
use skills::watch::{Watch, watch_folders};
use skills_mcp::server::{ServeOptions, Token, is_host_name, serve_http, serve_stdio};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use self::places::Places;
use self::said::{Said, hint, own_address, reached_at, say, summary, warning};
use self::stop::end_when_told;
use self::tokens::Tokens;
use super::WRONG_USE;
use crate::secrets::new_token;

/// The name of the one token of a run.
const OF_THIS_RUN: &str = "token";

#[derive(Debug, Args)]
#[command(
    group = ArgGroup::new("transport").required(true).args(["http", "stdio"]),
    group = ArgGroup::new("mode").args(["compatible", "strict"]),
)]
pub(super) struct Serve {
    #[command(flatten)]
    places: Places,

    /// Take skills as lenient tools do: any front matter, the first root wins; nothing is
    /// published through the skills extension.
    #[arg(long)]
    compatible: bool,

    /// Publish through the skills extension what keeps to its rules; the default. A skill that
    /// breaks one is not listed as a skill; its files can still be read as resources.
    #[arg(long)]
    strict: bool,

    /// Serve skills as resources only, in strict mode too.
    #[arg(long)]
    no_discovery: bool,

    /// In strict mode, publish once what several folders hold under one name with equal content.
    /// Without this, and where they differ, none of them is given to anybody.
    #[arg(long)]
    merge_identical: bool,

    /// How files other than the main one appear.
    #[arg(long, value_enum, default_value_t = Files::Template)]
    supporting_files: Files,

    /// In compatible mode, list what was there at the first look.
    #[arg(long)]
    no_reload: bool,

    /// In compatible mode, the file that makes a folder a skill, in place of `SKILL.md`.
    #[arg(long, value_name = "NAME", value_parser = file_name,
          requires = "compatible", conflicts_with = "strict")]
    main_file: Option<String>,

    /// The most items on a page of a list; one page holds all otherwise.
    #[arg(long, value_name = "N", value_parser = page_size)]
    page_size: Option<NonZeroUsize>,

    /// Speak MCP on standard input and output.
    #[arg(long)]
    stdio: bool,

    /// Listen for streamable HTTP, as in `127.0.0.1:8000`; port 0 takes a free one.
    #[arg(long, value_name = "ADDR:PORT", value_parser = address)]
    http: Option<SocketAddr>,

    /// The tokens that requests may carry: one alone, or TOML with a table `[[token]]` for each:
    /// name, token, and where wanted scopes, allow, deny (patterns as `skill://team/*`) and root.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["no_token", "stdio"])]
    token_file: Option<PathBuf>,

    /// Answer requests without a token, on this machine only. Without this and `--token-file` a
    /// token is made for this run and shown.
    #[arg(long)]
    no_token: bool,

    /// Let other machines reach the address; a token is needed then.
    #[arg(long, conflicts_with_all = ["no_token", "stdio"])]
    allow_remote: bool,

    /// With `--allow-remote`, a name under which other machines reach this one, as in
    /// `mybox.local`; may be given again. Requests to other names than this, `localhost` and the
    /// address itself are refused.
    #[arg(long, value_name = "NAME", value_parser = host_name, requires = "allow_remote",
          conflicts_with_all = ["no_token", "stdio"])]
    allow_host: Vec<String>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Files {
    /// Not listed, read by their URI through a template.
    Template,
    /// Listed one by one.
    Resources,
}

/// Whose requests are answered.
struct Access {
    tokens: Tokens,
    /// A token that was made for this run.
    made: Option<String>,
}

impl Serve {
    /// Serves until standard input ends (with `--stdio`) or the process is told to stop. Ends with
    /// 2 where something on the command line or in the file of tokens is no use.
    pub(super) fn run(self) -> ExitCode {
        crate::logging::to_stderr();
        let paths = match Paths::from_environment() {
            Ok(paths) => paths,
            Err(error) => return super::fail(&error),
        };
        let (places, access) = match self.prepare(&paths) {
            Ok(prepared) => prepared,
            Err(error) => {
                super::fail(error.as_ref());
                return ExitCode::from(WRONG_USE);
            }
        };
        let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
            Ok(runtime) => runtime,
            Err(error) => return super::fail(&error),
        };
        let served = runtime.block_on(self.serve(paths, places, access));
        // A thread may still wait for standard input, which nothing can interrupt.
        runtime.shutdown_background();
        match served {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => super::fail(error.as_ref()),
        }
    }

    /// What is served, to whom; an error is wrong use.
    fn prepare(&self, paths: &Paths) -> Result<(Vec<Place>, Access), Box<dyn std::error::Error>> {
        if let Some(address) = self.http {
            reachable(address, self.allow_remote, self.no_token)?;
        }
        let places = self.places.resolve(paths)?;
        self.are_skills(&places)?;
        let nobody = || Tokens { tokens: Vec::new(), policy: None, warnings: Vec::new() };
        let access = match &self.token_file {
            Some(file) => Access { tokens: Tokens::read(file, &places)?, made: None },
            None if self.no_token || self.http.is_none() => Access { tokens: nobody(), made: None },
            None => {
                let secret = new_token()?;
                let token = Token {
                    identity: OF_THIS_RUN.to_owned(),
                    secret: secret.clone(),
                    scopes: Vec::new(),
                };
                Access { tokens: Tokens { tokens: vec![token], ..nobody() }, made: Some(secret) }
            }
        };
        Ok((places, access))
    }

    /// Whether what is to be one skill is one. What is not there yet may become one.
    fn are_skills(&self, places: &[Place]) -> Result<(), NoSkill> {
        let main = self.options().main_file;
        let no_skill = places.iter().find_map(|place| match place {
            Place::Skill(folder) if folder.is_dir() && !folder.join(&main).exists() => Some(folder),
            _ => None,
        });
        match no_skill {
            Some(folder) => Err(NoSkill { folder: folder.clone(), main }),
            None => Ok(()),
        }
    }

    fn options(&self) -> Options {
        Options {
            mode: if self.compatible { Mode::Compatible } else { Mode::Strict },
            supporting_files: match self.supporting_files {
                Files::Template => SupportingFiles::Template,
                Files::Resources => SupportingFiles::Resources,
            },
            main_file: self.main_file.clone().unwrap_or_else(|| MAIN_FILE.to_owned()),
            reload: !(self.compatible && self.no_reload),
            merge_identical: self.merge_identical,
        }
    }

    /// Flags that change nothing beside the others.
    fn without_effect(&self) -> Vec<&'static str> {
        let said = [
            (self.no_reload && !self.compatible, "--no-reload has no effect in strict mode"),
            (
                self.no_discovery && self.compatible,
                "--no-discovery has no effect with --compatible",
            ),
            (
                self.merge_identical && self.compatible,
                "--merge-identical has no effect with --compatible: the first root wins",
            ),
        ];
        said.into_iter().filter_map(|(so, line)| so.then_some(line)).collect()
    }

    async fn serve(
        self,
        paths: Paths,
        places: Vec<Place>,
        access: Access,
    ) -> Result<(), Box<dyn std::error::Error>> {
        let options = self.options();
        let provider: Arc<dyn Provider> =
            Arc::new(DirectoryProvider::of(places.clone(), options.clone()));
        let provider = if self.no_discovery {
            Arc::new(WithoutDiscovery(provider)) as Arc<dyn Provider>
        } else {
            provider
        };
        let shutdown = CancellationToken::new();
        tokio::spawn(end_when_told(shutdown.clone()));
        // Without reload nothing ever changes.
        let changes = options.reload.then(|| changes(&places)).flatten();
        let (_watch, changes) = changes.unzip();
        let said = Arc::new(Said::default());
        let (aloud, ground) = (Arc::clone(&said), (paths.clone(), places.clone()));
        let serving = ServeOptions {
            page_size: self.page_size.map(NonZeroUsize::get),
            tokens: access.tokens.tokens,
            policy: access.tokens.policy,
            changes,
            allow_remote: self.allow_remote,
            hosts: self.allow_host.clone(),
            left_out: Some(Arc::new(move |why: &str| {
                aloud.say(&warning(why, &ground.0, &ground.1));
            })),
            ..ServeOptions::default()
        };
        let mut lines: Vec<String> =
            self.without_effect().into_iter().map(|line| format!("warning: {line}")).collect();
        lines.extend(access.tokens.warnings.iter().map(|why| format!("warning: {why}")));
        let looked_at = Arc::clone(&provider);
        let may_merge = options.mode == Mode::Strict && !options.merge_identical;
        let tell = move || {
            lines.extend(summary(&paths, &places, looked_at.as_ref()));
            lines.extend(hint(looked_at.as_ref()).filter(|_| may_merge));
            for line in lines {
                said.say(&line);
            }
        };
        match self.http {
            Some(address) => {
                let made = access.made;
                let names = self.allow_host;
                let ready = move |address: SocketAddr| {
                    say(&format!("http://{address}/mcp"));
                    if let Some(token) = made {
                        say(&format!("token: {token}"));
                    }
                    if let Some(line) = reached_at(address, &names, own_address(address.ip())) {
                        say(&line);
                    }
                    // The first look may take a while, and nobody has to wait for it.
                    tokio::task::spawn_blocking(tell);
                };
                serve_http(provider, address, serving, shutdown, ready).await?;
            }
            None => {
                let told = tokio::task::spawn_blocking(tell);
                serve_stdio(provider, serving, shutdown.clone()).await?;
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

/// Grows with each change in a place, as long as the watch is kept. Without a watcher clients are
/// not told of changes, and see them when they ask.
fn changes(places: &[Place]) -> Option<(Watch, watch::Receiver<u64>)> {
    let (grow, changes) = watch::channel(0);
    let folders = places.iter().map(|place| place.path().to_owned()).collect();
    match watch_folders(folders, move || grow.send_modify(|count| *count += 1)) {
        Ok(watch) => Some((watch, changes)),
        Err(error) => {
            tracing::warn!(%error, "clients are not told of changes");
            None
        }
    }
}

fn address(text: &str) -> Result<SocketAddr, &'static str> {
    match text.strip_prefix("localhost:").map(str::parse) {
        Some(Ok(port)) => Ok(SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port)),
        _ => text.parse().map_err(|_| "not an address and port, as in 127.0.0.1:8000"),
    }
}

/// How many items a page may hold.
fn page_size(text: &str) -> Result<NonZeroUsize, &'static str> {
    text.parse().map_err(|_| "a page holds at least 1 item: give a whole number from 1 on")
}

/// A folder that was to be one skill.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{} holds no {main}, so it is no skill; --root takes a folder whose sub-folders are skills",
    folder.display()
)]
struct NoSkill {
    folder: PathBuf,
    main: String,
}

/// An address that others can reach.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
enum TooOpen {
    #[error(
        "{0} is not on this machine alone; use 127.0.0.1 or [::1], or add --allow-remote with a \
         token"
    )]
    Remote(IpAddr),
    #[error(
        "{0} is not on this machine alone, and there a token is always needed; replace --no-token \
         by --allow-remote"
    )]
    Open(IpAddr),
}

/// Only this machine is served, unless the person says otherwise; others only with a token.
fn reachable(address: SocketAddr, allow_remote: bool, no_token: bool) -> Result<(), TooOpen> {
    match address.ip() {
        ip if ip.is_loopback() => Ok(()),
        ip if no_token => Err(TooOpen::Open(ip)),
        ip if !allow_remote => Err(TooOpen::Remote(ip)),
        _ => Ok(()),
    }
}

/// The name of a machine.
fn host_name(text: &str) -> Result<String, &'static str> {
    match is_host_name(text) {
        true => Ok(text.to_owned()),
        false => Err("not the name of a machine, without a port, as in mybox.local"),
    }
}

/// The name of a file, not a path.
fn file_name(text: &str) -> Result<String, &'static str> {
    let is_name = !text.is_empty()
        && ![".", ".."].contains(&text)
        && !text.contains(|c: char| c == '/' || c == '\\' || c.is_control());
    if is_name { Ok(text.to_owned()) } else { Err("not the name of a file") }
}

#[cfg(test)]
mod tests;
