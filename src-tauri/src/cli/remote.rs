//! `remote`: what an MCP server offers, and bringing it here.

mod fetching;
mod offered;
mod shown;
mod taking;
#[cfg(test)]
mod tests;

use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Subcommand};
use skills::digest::Fingerprint;
use skills::origin::Endpoint;
use skills::paths::{Paths, PathsError};
use skills_mcp::headers::checked_headers;
use skills_mcp::{ClientContext, ClientError, Connection, ErrorKind};

use super::WRONG_USE;
use super::check::say;
use crate::servers::checked_address;
use crate::view::ErrorView;

/// The exit code when something was refused.
const REFUSED: u8 = 1;

/// The exit code when the server cannot be reached or does not speak MCP.
const UNREACHABLE: u8 = 3;

/// Finds the person's folders, for the verbs that need them.
type FindPaths = dyn Fn() -> Result<Paths, PathsError> + Send + Sync;

/// The most bytes of a file with a token or with headers.
const SECRET_BYTES: u64 = 16 * 1024;

/// What to do where a server asks who is there.
const SIGN_IN_HINT: &str = "give it a token that it takes, with --token-file FILE, or what else it \
                            asks for, with --header-file FILE";

#[derive(Debug, Args)]
pub(super) struct Remote {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Say what a server offers. No file is read.
    List(List),
    /// Say which files a skill has, with size and SHA-256. No file is read.
    Manifest(Manifest),
    /// Bring one skill here, every file checked.
    Download(Download),
    /// Bring all skills here, every file checked.
    Sync(SyncAll),
}

/// What every verb takes.
#[derive(Debug, Args)]
struct Server {
    /// The address of the server, as in `https://example.org/mcp`.
    url: String,

    /// A file with the token that the server wants, and nothing else.
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,

    /// A file with headers that the server wants, one a line, as in `X-Api-Key: abc`.
    #[arg(long, value_name = "FILE")]
    header_file: Option<PathBuf>,

    /// Write the result as JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
struct List {
    #[command(flatten)]
    server: Server,
}

#[derive(Debug, Args)]
struct Manifest {
    #[command(flatten)]
    server: Server,

    /// The skill's name, where only one has it, or the URI of its SKILL.md.
    skill: String,
}

/// Where skills go.
#[derive(Debug, Args)]
struct Target {
    /// The folder that each skill gets a folder of its own in.
    #[arg(long, value_name = "DIR")]
    to: PathBuf,

    /// The fingerprint of a skill that you have looked at and approve, all 64 digits of it. Into a
    /// folder that a tool reads a skill comes only with it; without it you are told the fingerprint
    /// and what was found in the skill. The server is then kept among those of the window, switched
    /// off, as an approval is bound to it.
    #[arg(long, value_name = "FINGERPRINT", value_parser = fingerprint)]
    approve: Vec<Fingerprint>,

    /// With `--approve`, the code of something grave that was found, as in `download-to-shell`, and
    /// that you accept. Each needs its own.
    #[arg(long, value_name = "CODE", value_parser = code, requires = "approve")]
    accept: Vec<String>,
}

#[derive(Debug, Args)]
struct Download {
    #[command(flatten)]
    server: Server,

    /// The skill's name, where only one has it, or the URI of its SKILL.md.
    skill: String,

    #[command(flatten)]
    into: Target,

    /// Put it in the place of what is there; that is kept, and the window can undo it.
    #[arg(long)]
    overwrite: bool,
}

#[derive(Debug, Args)]
struct SyncAll {
    #[command(flatten)]
    server: Server,

    #[command(flatten)]
    into: Target,

    /// Put skills in the place of what is there; that is kept, and the window can undo it.
    #[arg(long)]
    overwrite: bool,
}

/// What a verb has to say when it could do its work.
#[derive(Debug)]
struct Said {
    /// For standard output.
    text: String,
    /// Whether something was refused; the text says what.
    refused: bool,
    /// The server went away on the way; the text says what had been done.
    lost: Option<ErrorView>,
}

/// How a verb ended, besides well.
#[derive(Debug)]
enum Ended {
    /// What was asked for makes no sense.
    Misused(ErrorView),
    /// The server could not be asked.
    Unreachable(ErrorView),
    /// Something here failed.
    Failed(ErrorView),
}

impl Ended {
    fn code(self) -> ExitCode {
        let (code, error) = match self {
            Self::Misused(error) => (WRONG_USE, error),
            Self::Unreachable(error) => (UNREACHABLE, error),
            Self::Failed(error) => (REFUSED, error),
        };
        super::fail(&error);
        ExitCode::from(code)
    }
}

impl From<ClientError> for Ended {
    fn from(error: ClientError) -> Self {
        match error.kind() {
            ErrorKind::Refused => Self::Failed(view_of(&error)),
            _ => Self::Unreachable(view_of(&error)),
        }
    }
}

/// What a server did, with what to do next on the command line.
fn view_of(error: &ClientError) -> ErrorView {
    let view = ErrorView::from(error);
    match error.kind() {
        ErrorKind::SignIn => view.with_hint(SIGN_IN_HINT),
        _ => view,
    }
}

impl Remote {
    /// Ends with 0 where all was done, 1 where something was refused, 2 where it was used wrongly,
    /// 3 where the server cannot be reached.
    pub(super) fn run(self) -> ExitCode {
        crate::logging::ours_to_stderr();
        let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
            Ok(runtime) => runtime,
            Err(error) => return super::fail(&error),
        };
        let said = match runtime.block_on(self.go(&Paths::from_environment)) {
            Ok(said) => said,
            Err(ended) => return ended.code(),
        };
        if let Err(error) = say(&said.text) {
            return super::fail(&error);
        }
        match said.lost {
            Some(error) => Ended::Unreachable(error).code(),
            None => ExitCode::from(if said.refused { REFUSED } else { 0 }),
        }
    }

    async fn go(self, paths: &FindPaths) -> Result<Said, Ended> {
        match self.verb {
            Verb::List(list) => list.go().await,
            Verb::Manifest(manifest) => manifest.go().await,
            Verb::Download(download) => download.go(paths).await,
            Verb::Sync(sync) => sync.go(paths).await,
        }
    }
}

impl Server {
    /// Connects. Everything that keeps this from working is said as unreachable.
    async fn connect(&self) -> Result<Connection, Ended> {
        let url = checked_address(&self.url).map_err(Ended::Misused)?;
        let token = self.token_file.as_deref().map(token).transpose().map_err(Ended::Misused)?;
        let headers = self.header_file.as_deref().map(headers).transpose();
        let headers = headers.map_err(Ended::Misused)?.unwrap_or_default();
        let signs = |(name, _): &(String, String)| name.eq_ignore_ascii_case("authorization");
        if token.is_some() && headers.iter().any(signs) {
            let twice = "the header file says who asks, and so does the token file";
            return Err(Ended::Misused(ErrorView::bad_input(twice).with_hint("give one of them")));
        }
        let context = ClientContext { token, headers, ..ClientContext::default() };
        let endpoint = Endpoint::Http { url };
        let opened = Connection::open(&endpoint, &context).await;
        opened.map_err(|error| Ended::Unreachable(view_of(&error)))
    }

    /// The address as it is kept, for finding a server that the window knows too.
    fn endpoint(&self) -> Endpoint {
        Endpoint::Http { url: self.url.trim().to_owned() }
    }
}

/// The one word in a file. Never from the command line, which others on this machine can see.
fn token(file: &Path) -> Result<String, ErrorView> {
    let shown = file.display();
    let bad = |why: String| ErrorView::bad_input(format!("there is no token in {shown}: {why}"));
    let text = secret(file).map_err(|error| bad(error.to_string()))?;
    let token = text.trim();
    if token.is_empty() {
        return Err(bad("it is empty".to_owned()));
    }
    if !token.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(bad("a token is one word of visible ASCII characters".to_owned()));
    }
    Ok(token.to_owned())
}

/// The headers in a file. What is wrong with one is said by its line, as its value is a secret.
fn headers(file: &Path) -> Result<Vec<(String, String)>, ErrorView> {
    let shown = file.display();
    let bad = |why: String| ErrorView::bad_input(format!("there are no headers in {shown}: {why}"));
    let text = secret(file).map_err(|error| bad(error.to_string()))?;
    let mut headers = Vec::new();
    for (line, header) in (1..).zip(text.lines()).filter(|(_, header)| !header.trim().is_empty()) {
        match header.split_once(':') {
            Some((name, value)) if !name.trim().contains(char::is_whitespace) => {
                headers.push((name.trim().to_owned(), value.trim().to_owned()));
            }
            // It may well be a secret, and is not repeated.
            _ => return Err(bad(format!("line {line} is none; one has the form `Name: value`"))),
        }
    }
    if headers.is_empty() {
        return Err(bad("it is empty".to_owned()));
    }
    let given = headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    match checked_headers(given) {
        Ok(_) => Ok(headers),
        Err(wrong) => Err(bad(wrong.to_string())),
    }
}

/// The text of a file, as far as it may be long.
fn secret(file: &Path) -> io::Result<String> {
    let mut text = String::new();
    fs::File::open(file)?.take(SECRET_BYTES).read_to_string(&mut text)?;
    Ok(text)
}

/// All 64 digits: a shortened fingerprint stands for many contents.
fn fingerprint(text: &str) -> Result<Fingerprint, String> {
    text.parse().map_err(|_| {
        "a fingerprint has 64 lowercase hexadecimal digits, and all of them are needed".to_owned()
    })
}

/// The code of something that an inspection can find.
fn code(text: &str) -> Result<String, &'static str> {
    match skills::inspect::rules().iter().any(|rule| rule.code == text) {
        true => Ok(text.to_owned()),
        false => Err("nothing that is looked for has this code"),
    }
}
