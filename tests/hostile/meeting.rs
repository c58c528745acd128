//! A person's program meets a hostile server: it connects, lists, reviews all that can be reviewed,
//! and tries to install it without an approval. What it says, what it left on the disk and what
//! memory it took is looked at here, for every row alike.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;
use skills::digest::Digest;
use skills::entry::Entry;
use skills::origin::Endpoint;
use skills::paths::Paths;
use skills_mcp::limits::Timeouts;
use skills_mcp::{
    ClientContext, ClientError, Connection, Fetched, FileOutcome, FrontMatterCheck, Offers, Verdict,
};
use tokio_util::sync::CancellationToken;
use vault::Vault;
use vault::plan::{OnConflict, Plan, Source, Target};
use vault::servers::SavedServer;

use crate::server::Hostile;
use crate::support::home::Home;
use crate::world::World;

/// The most memory that a server can make the program take, in bytes. A message may have 32 MiB, and
/// is there as it came, as text and as values.
const MOST_MEMORY: u64 = 256 * 1024 * 1024;

/// The program's own folder, under the home.
const OWN: &str = ".local/share/skillhold";

/// A program with one server.
pub(crate) struct Meeting {
    pub(crate) home: Home,
    pub(crate) vault: Vault,
    pub(crate) server: SavedServer,
    context: ClientContext,
    /// Digests of what was declared by entries that could be verified.
    declared: BTreeSet<String>,
}

impl Meeting {
    /// Saves the server; nothing is asked of it.
    pub(crate) fn with(endpoint: Endpoint, hasty: bool) -> Self {
        let home = Home::empty().with_folder(".claude/skills");
        let (vault, _) = Vault::open(&Paths::under(home.path())).unwrap();
        let server = vault.add_server("the server", endpoint).unwrap();
        // Long enough for a busy machine; the short ones are for servers that never answer.
        let (long, short) = (Duration::from_secs(60), Duration::from_secs(1));
        let call = if hasty { short } else { long };
        let context = ClientContext {
            timeouts: Timeouts {
                connect: long,
                start: long,
                call,
                list: long,
                ..Timeouts::default()
            },
            token: None,
            ..ClientContext::default()
        };
        Self { home, vault, server, context, declared: BTreeSet::new() }
    }

    /// With another context.
    pub(crate) fn change(mut self, change: impl FnOnce(&mut ClientContext)) -> Self {
        change(&mut self.context);
        self
    }

    /// Connects.
    pub(crate) async fn connect(&self) -> Result<Connection, ClientError> {
        Connection::open(&self.server.endpoint, &self.context).await
    }

    /// The whole way, as lines: what each row of the screen says.
    pub(crate) async fn run(&mut self) -> Vec<String> {
        let connection = match self.connect().await {
            Ok(connection) => connection,
            Err(error) => return vec![self.line(&error)],
        };
        let mut lines = Vec::new();
        match connection.list().await {
            Ok(offers) => lines.extend(self.review(&connection, &offers).await),
            Err(error) => lines.push(self.line(&error)),
        }
        connection.close().await;
        lines
    }

    /// Reviews what is offered.
    async fn review(&mut self, connection: &Connection, offers: &Offers) -> Vec<String> {
        let mut lines: Vec<String> =
            offers.notices.iter().map(|notice| format!("notice: {notice}")).collect();
        for offer in &offers.offers {
            assert!(offer.name.chars().count() <= 257, "a name without a bound");
            assert!(offer.description.chars().count() <= 8193, "a description without a bound");
            let name = match offer.uri.as_str() {
                "skill://review/SKILL.md" => "review".to_owned(),
                "skill://good/SKILL.md" => "good".to_owned(),
                uri => format!("{uri:?}"),
            };
            match &offer.verdict {
                Verdict::Refused(rules) => {
                    lines.extend(rules.iter().map(|rule| format!("{name} refused: {rule}")));
                }
                Verdict::Unverifiable(why) => lines.push(format!("{name} unverifiable: {why}")),
                Verdict::Verifiable(entry) => {
                    self.declared.extend(entry.files().iter().map(|file| file.digest.hex()));
                    match self.fetch(connection, entry).await {
                        Ok(fetched) => {
                            lines.extend(
                                told(&fetched).into_iter().map(|it| format!("{name} {it}")),
                            );
                            self.cannot_come_in(entry, fetched.verified().is_some());
                        }
                        Err(error) => {
                            lines.push(format!("{name} not fetched: {}", self.line(&error)));
                            self.cannot_come_in(entry, false);
                        }
                    }
                }
            }
        }
        lines
    }

    /// What a review does: reads and checks all files, and keeps the verified ones.
    pub(crate) async fn fetch(
        &self,
        connection: &Connection,
        entry: &Entry,
    ) -> Result<Fetched, ClientError> {
        let cancel = CancellationToken::new();
        connection.fetch(entry, &self.server.id, self.vault.blobs(), &|_| {}, &cancel).await
    }

    /// Without an approval nothing is written, and what is not verified cannot be approved.
    fn cannot_come_in(&self, entry: &Entry, verified: bool) {
        if !verified {
            let refused = self.vault.approve(&self.server, entry, true, Vec::new());
            refused.expect_err("what is not verified was approved");
        }
        let plan = self.plan(entry);
        assert!(!plan.blockers.is_empty(), "nothing stands against installing it");
        self.vault
            .apply(&plan, &mut |_| std::ops::ControlFlow::Continue(()))
            .expect_err("what is not approved was installed");
    }

    /// What installing it for Claude Code would do.
    pub(crate) fn plan(&self, entry: &Entry) -> Plan {
        let source = Source::Approved {
            server: self.server.clone(),
            entry: Box::new(entry.clone()),
            executable: Default::default(),
        };
        let root = self.root();
        let target = Target {
            tool: "claude-code".to_owned(),
            root: root.clone(),
            name: None,
            on_conflict: OnConflict::Keep,
            mode: vault::link::Mode::Copy,
        };
        self.vault.plan(source, vec![target], &[root]).unwrap()
    }

    fn root(&self) -> PathBuf {
        self.home.at(".claude/skills")
    }

    /// An error as the screen shows it, whatever port the server has.
    pub(crate) fn line(&self, error: &ClientError) -> String {
        let place = match &self.server.endpoint {
            Endpoint::Http { url } => url.clone(),
            Endpoint::Command { program, .. } => program.clone(),
            Endpoint::Samples | Endpoint::Imported { .. } => panic!("nobody is met there"),
        };
        format!("{:?}: {}", error.kind(), error.to_string().replace(&place, "SERVER"))
    }

    /// Nothing but the program's own folder has changed, and there is nothing in that which no
    /// entry declared.
    pub(crate) fn nothing_is_left_behind(&self) {
        let outside: Vec<String> =
            self.home.files("").into_keys().filter(|path| !path.starts_with(OWN)).collect();
        assert_eq!(outside, Vec::<String>::new(), "files outside of the program's own folder");
        for (path, bytes) in self.kept() {
            let hex = Digest::of(&bytes).hex();
            assert!(self.declared.contains(&hex), "{path} was kept and nothing declares it");
        }
    }

    /// Bytes of served files in the program's own folder.
    pub(crate) fn kept(&self) -> BTreeMap<String, Vec<u8>> {
        let mut files = self.home.files(OWN);
        files.retain(|path, _| path.starts_with("blobs/"));
        files
    }
}

/// What a review shows of a fetched skill.
fn told(fetched: &Fetched) -> Vec<String> {
    let mut lines = Vec::new();
    for file in &fetched.files {
        match &file.outcome {
            // What was not asked for is told by the file that stood in its way.
            FileOutcome::Verified { .. } | FileOutcome::NotRead => {}
            FileOutcome::Failed(why) => lines.push(format!("{}: {why}", file.path)),
            FileOutcome::Mismatch {
                expected_size,
                actual_size,
                expected,
                actual,
                only_line_endings,
                ..
            } => {
                let what = if expected_size != actual_size {
                    format!("{expected_size} bytes declared, {actual_size} served")
                } else {
                    assert_ne!(expected, actual);
                    format!("another digest, {expected_size} bytes")
                };
                let endings = if *only_line_endings { ", only line endings" } else { "" };
                lines.push(format!("{}: {what}{endings}", file.path));
            }
        }
    }
    if let FrontMatterCheck::Differs(differences) = &fetched.front_matter {
        let json = |value: &Option<Value>| match value {
            Some(value) => value.to_string(),
            None => "nothing".to_owned(),
        };
        lines.extend(differences.iter().map(|it| {
            format!("{:?}: {} declared, {} served", it.field, json(&it.declared), json(&it.actual))
        }));
    }
    assert_eq!(fetched.verified().is_some(), lines.is_empty(), "{lines:?}");
    if lines.is_empty() {
        lines.push("verified".to_owned());
    }
    lines
}

/// Meets a server and compares everything it brought about.
pub(crate) async fn check(world: World, expected: &[&str]) -> Hostile {
    let hasty = world.hasty;
    let server = Hostile::listen(world.script()).await;
    let mut meeting = Meeting::with(Endpoint::Http { url: server.url() }, hasty);
    let said = meeting.run().await;
    compare(&said, expected);
    meeting.nothing_is_left_behind();
    memory_is_bounded();
    server
}

/// Compares lines, and looks for what could steer a terminal.
pub(crate) fn compare(said: &[String], expected: &[&str]) {
    for line in said {
        let steering = |c: char| c.is_control() || ('\u{202a}'..='\u{202e}').contains(&c);
        assert!(!line.contains(steering), "{line:?}");
        assert!(line.len() < 12_000, "a line of {} bytes", line.len());
    }
    assert_eq!(said, expected, "\nsaid: {said:#?}");
}

/// The most that this process ever had in memory. Each test has a process of its own under nextest;
/// elsewhere the number is that of all tests together and says nothing.
pub(crate) fn memory_is_bounded() {
    if std::env::var_os("NEXTEST_EXECUTION_MODE").is_none_or(|mode| mode != "process-per-test") {
        return;
    }
    // Only Linux tells.
    let Ok(status) = std::fs::read_to_string("/proc/self/status") else { return };
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let kilobytes: u64 = line.trim().trim_end_matches(" kB").parse().unwrap();
    assert!(kilobytes * 1024 < MOST_MEMORY, "{kilobytes} kB were taken");
}

/// One test for each row: its name says what is right, then how the server breaks it, then the
/// lines of the screen.
macro_rules! rows {
    ($($name:ident: $world:expr => [$($line:expr),* $(,)?];)*) => {$(
        #[tokio::test]
        async fn $name() {
            $crate::meeting::check($world, &[$($line),*]).await;
        }
    )*};
}
pub(crate) use rows;
