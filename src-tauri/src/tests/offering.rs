//! Offers of servers that change their mind, lie, show more than they list, or declare nothing.

#![allow(clippy::disallowed_methods)]

mod away;
mod looking_up;

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use skills::digest::Digest;
use skills::entry::{Entry, EntryFile};
use skills::frontmatter::FrontMatter;
use skills::paths::Paths;
use skills::provider::{Content, Entries, Listing, Provider, ReadError, Resource, mime_type};
use skills::uri::SkillUri;
use skills_mcp::server::{ServeOptions, serve_http};
use tauri::async_runtime::block_on;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use crate::error::Outcome;
use crate::shell::Shell;
use crate::view::{
    Changed, ErrorCode, FileState, GivenValues, OfferRow, OutcomeResult, ReviewView, ServerState,
    Standing,
};

const URI: &str = "skill://turn/SKILL.md";
const PATIENCE: Duration = Duration::from_secs(60);

fn main_of(text: &str) -> Vec<u8> {
    format!("---\nname: turn\ndescription: Turns.\n---\n\n{text}\n").into_bytes()
}

/// A server whose every answer is told.
#[derive(Default)]
struct Told {
    /// What is listed, and what `skills/get` gives; the text of the `SKILL.md`.
    listed: Option<String>,
    got: Mutex<Vec<String>>,
    read: Mutex<String>,
    /// Whether only resources are published.
    plain: bool,
    /// What its folder shows besides.
    shows: Mutex<Option<String>>,
    reads: AtomicUsize,
}

fn entry(text: &str) -> Arc<Entry> {
    let (uri, bytes) = (SkillUri::parse(URI).unwrap(), main_of(text));
    let file = EntryFile {
        path: "SKILL.md".to_owned(),
        uri: URI.to_owned(),
        size: bytes.len() as u64,
        digest: Digest::of(&bytes),
    };
    let front = FrontMatter::strict(&bytes).unwrap();
    Arc::new(Entry::new(uri, Some(front), None, vec![file]).unwrap())
}

fn resource(uri: &str) -> Resource {
    Resource {
        uri: uri.to_owned(),
        name: uri.to_owned(),
        description: "Turns.".to_owned(),
        mime_type: "text/markdown",
        size: None,
    }
}

impl Provider for Told {
    fn list(&self) -> Listing {
        let uris: &[&str] = if self.plain { &[URI, "skill://turn/run.sh"] } else { &[] };
        let resources = uris.iter().map(|uri| resource(uri)).collect();
        Listing { resources, ..Listing::default() }
    }

    fn read(&self, uri: &str) -> Result<Content, ReadError> {
        self.reads.fetch_add(1, Ordering::SeqCst);
        let bytes = match uri {
            URI => main_of(&self.read.lock().unwrap()),
            "skill://turn/run.sh" if self.plain => b"echo\n".to_vec(),
            _ => return Err(ReadError::NotFound(uri.to_owned())),
        };
        Ok(Content { bytes, mime_type: mime_type("SKILL.md") })
    }

    fn entries(&self) -> Option<Entries> {
        let entries = self.listed.iter().map(|text| entry(text)).collect();
        (!self.plain).then_some(Entries { entries, ..Entries::default() })
    }

    fn entry(&self, uri: &str) -> Option<Arc<Entry>> {
        let mut got = self.got.lock().unwrap();
        // The last answer stays.
        let text = if got.len() > 1 { got.remove(0) } else { got.first()?.clone() };
        (uri == URI).then(|| entry(&text))
    }

    fn directory(&self, uri: &str) -> Option<Vec<Resource>> {
        let shows = self.shows.lock().unwrap();
        let files = std::iter::once(URI).chain(shows.as_deref());
        (uri == "skill://turn").then(|| files.map(resource).collect())
    }
}

struct Played {
    home: TempDir,
    shell: Arc<Shell>,
    told: Receiver<Changed>,
    server: String,
    _stop: tokio_util::sync::DropGuard,
}

impl Played {
    fn new(provider: &Arc<impl Provider + 'static>) -> Self {
        let home = tempfile::tempdir().unwrap();
        fs::create_dir_all(home.path().join(".claude/skills")).unwrap();
        let (shell, _) = Shell::open(Paths::under(home.path())).unwrap();
        shell.offer_samples(false).unwrap();
        let (send, told) = mpsc::channel();
        shell.events.tell_with(move |changed| drop(send.send(changed)));
        let (stop, (say, bound)) = (CancellationToken::new(), mpsc::channel());
        let (provider, until) = (Arc::clone(provider) as Arc<dyn Provider>, stop.clone());
        tauri::async_runtime::spawn(async move {
            let ready = move |address| say.send(address).unwrap();
            let any = ([127, 0, 0, 1], 0).into();
            serve_http(provider, any, ServeOptions::default(), until, ready).await
        });
        let address = bound.recv_timeout(PATIENCE).unwrap();
        let url = format!("http://{address}/mcp");
        let server = shell.add_http_server("Turning", &url, GivenValues::default()).unwrap();
        let played = Self { home, shell, told, server, _stop: stop.drop_guard() };
        played.until(|shell| {
            let view = shell.servers_view().unwrap();
            matches!(view.servers[0].state, ServerState::Connected { .. }).then_some(())
        });
        played
    }

    fn until<T>(&self, answer: impl Fn(&Arc<Shell>) -> Option<T>) -> T {
        loop {
            if let Some(answer) = answer(&self.shell) {
                return answer;
            }
            self.told.recv_timeout(PATIENCE).expect("a change");
        }
    }

    fn row(&self, fits: impl Fn(&OfferRow) -> bool) -> OfferRow {
        self.until(|shell| {
            let view = shell.servers_view().unwrap();
            view.servers[0].offers.iter().find(|row| row.uri == URI && fits(row)).cloned()
        })
    }

    fn review(&self) -> Outcome<ReviewView> {
        let stop = CancellationToken::new();
        block_on(self.shell.start_review(&self.server, URI, &stop, |_| {}))
    }

    fn approve(&self, review: &ReviewView) -> Outcome<()> {
        block_on(self.shell.approve(&review.id, &review.manifest.fingerprint, false, &[]))
    }

    /// The program anew, with the server away.
    fn restarted_alone(self) -> (Arc<Shell>, String, TempDir) {
        let Self { home, shell, server, .. } = self;
        shell.connections.stop_all();
        drop(shell);
        (Shell::open(Paths::under(home.path())).unwrap().0, server, home)
    }

    fn export(&self, understood: bool, to: Option<PathBuf>) -> Outcome<Option<OutcomeResult>> {
        let export = self.shell.export_offer(&self.server, URI, understood, move |_| to);
        Ok(block_on(export)?.map(|outcome| outcome.items[0].result))
    }

    fn at(&self, path: &str) -> PathBuf {
        self.home.path().join(path)
    }
}

fn telling(listed: Option<&str>, got: &[&str], read: &str) -> Arc<Told> {
    Arc::new(Told {
        listed: listed.map(str::to_owned),
        got: Mutex::new(got.iter().map(|text| (*text).to_owned()).collect()),
        read: Mutex::new(read.to_owned()),
        ..Told::default()
    })
}

#[test]
fn a_skill_that_no_list_shows_is_looked_up_reviewed_and_approved() {
    let told = telling(None, &["one"], "one");
    let played = Played::new(&told);
    assert!(played.shell.servers_view().unwrap().servers[0].offers.is_empty());
    let row = block_on(played.shell.look_up(&played.server, &format!(" {URI}\n"))).unwrap();
    assert_eq!((row.listed, row.standing), (false, Standing::Unreviewed));
    assert_eq!(told.reads.load(Ordering::SeqCst), 0, "no file was read for it");
    let review = played.review().unwrap();
    assert_eq!(review.blockers, Vec::<String>::new());
    played.approve(&review).unwrap();
    played.row(|row| matches!(row.standing, Standing::Approved { .. }));

    // It is asked for again with each list, and an approval ends when it changed.
    *told.got.lock().unwrap() = vec!["two".to_owned()];
    played.shell.refresh_server(&played.server).unwrap();
    let row = played.row(|row| matches!(row.standing, Standing::Changed { .. }));
    assert!(!row.listed);
    // What the server does not give any more is not forgotten.
    told.got.lock().unwrap().clear();
    played.shell.refresh_server(&played.server).unwrap();
    played.row(|row| row.standing == Standing::NoLongerOffered);
}

#[test]
fn what_is_no_uri_of_a_skill_is_not_asked_for() {
    let played = Played::new(&telling(None, &["one"], "one"));
    for uri in
        ["", "turn", "file:///etc/SKILL.md", "skill://turn/notes.md", "skill://t\u{200b}/SKILL.md"]
    {
        let error = block_on(played.shell.look_up(&played.server, uri)).unwrap_err();
        assert_eq!(error.code, ErrorCode::BadInput, "{uri}");
    }
    let none = block_on(played.shell.look_up(&played.server, "skill://none/SKILL.md"));
    assert_eq!(none.unwrap_err().code, ErrorCode::Protocol);
    assert!(played.shell.servers_view().unwrap().servers[0].offers.is_empty());
}

#[test]
fn a_server_that_lies_about_a_file_has_a_row_that_says_so_until_it_does_not() {
    let told = telling(Some("one"), &["one"], "other");
    let played = Played::new(&told);
    let review = played.review().unwrap();
    assert_eq!(review.blockers, ["SKILL.md is not what the server declared"]);
    let row = played.row(|row| matches!(row.standing, Standing::Mismatched { .. }));
    assert_eq!(
        row.standing,
        Standing::Mismatched { reason: "SKILL.md is not what the server declares".to_owned() }
    );
    assert_eq!(played.approve(&review).unwrap_err().code, ErrorCode::NotApproved);
    *told.read.lock().unwrap() = "one".to_owned();
    let review = played.review().unwrap();
    assert_eq!(review.blockers, Vec::<String>::new());
    played.row(|row| row.standing == Standing::Unreviewed);
    played.approve(&review).unwrap();
}

#[test]
fn a_skill_that_changes_while_it_is_fetched_is_reviewed_as_it_became() {
    // `skills/get` gives what was listed once more, and then what is read.
    let told = telling(Some("one"), &["one", "two"], "two");
    let played = Played::new(&told);
    let review = played.review().unwrap();
    assert_eq!(review.note.as_deref(), Some("it changed on Turning while it was fetched"));
    assert_eq!(review.blockers, Vec::<String>::new());
    assert_eq!(review.manifest.fingerprint, entry("two").fingerprint().to_string());
    played.approve(&review).unwrap();
}

#[test]
fn an_approved_skill_that_changes_while_it_is_fetched_is_no_longer_approved() {
    let told = telling(Some("one"), &["one"], "one");
    let played = Played::new(&told);
    let review = played.review().unwrap();
    played.approve(&review).unwrap();
    *told.got.lock().unwrap() = vec!["two".to_owned()];
    *told.read.lock().unwrap() = "two".to_owned();
    let review = played.review().unwrap();
    assert!(matches!(review.standing, Standing::Changed { .. }), "{:?}", review.standing);
    assert_eq!(review.changed.unwrap().len(), 1);
}

#[test]
fn a_skill_that_changes_each_time_is_given_up_after_three_more_tries() {
    let turns: Vec<String> = (0..40).map(|n| n.to_string()).collect();
    let turns: Vec<&str> = turns.iter().map(String::as_str).collect();
    let told = telling(Some("0"), &turns, "never this");
    let played = Played::new(&told);
    let error = played.review().unwrap_err();
    assert_eq!(error.code, ErrorCode::Changed);
    assert_eq!(error.message, "turn changes faster than it can be fetched");
    assert_eq!(told.reads.load(Ordering::SeqCst), 4);
}

#[test]
fn a_file_in_the_folder_that_is_not_listed_means_that_the_skill_has_changed() {
    let told = telling(Some("one"), &["one"], "one");
    let played = Played::new(&told);
    let detail = played.shell.offer_detail(&played.server, URI).unwrap();
    assert!(detail.shows_folder && !detail.can_export);
    let folder = || block_on(played.shell.offer_folder(&played.server, URI)).unwrap();
    let shown = folder();
    assert!(!shown.changed && shown.files.len() == 1 && shown.files[0].listed, "{shown:?}");
    *told.shows.lock().unwrap() = Some("skill://turn/new.sh".to_owned());
    let shown = folder();
    assert!(shown.changed);
    let unlisted: Vec<_> = shown.files.iter().filter(|file| !file.listed).collect();
    assert_eq!((unlisted.len(), unlisted[0].path.as_str()), (1, "new.sh"));
    let row = played.row(|row| matches!(row.standing, Standing::Mismatched { .. }));
    let Standing::Mismatched { reason } = row.standing else { panic!() };
    assert_eq!(reason, "the server shows new.sh in its folder and does not list it");
    assert_eq!(told.reads.load(Ordering::SeqCst), 0);
}

#[test]
fn a_skill_that_declares_nothing_is_looked_at_and_exported_but_never_approved() {
    let told = Arc::new(Told { plain: true, ..Told::default() });
    *told.read.lock().unwrap() = "plain".to_owned();
    let played = Played::new(&told);
    let row = played.row(|_| true);
    assert!(matches!(row.standing, Standing::Unverifiable { .. }), "{row:?}");
    assert_eq!(played.review().unwrap_err().code, ErrorCode::Protocol);
    let shown = block_on(played.shell.offer_file(&played.server, URI, "SKILL.md")).unwrap();
    assert_eq!(shown.state, FileState::Unverified);
    assert!(played.shell.offer_detail(&played.server, URI).unwrap().can_export);

    let out = played.at("out");
    assert_eq!(played.export(false, Some(out.clone())).unwrap_err().code, ErrorCode::BadInput);
    assert_eq!(played.export(true, None), Ok(None));
    assert!(!out.exists());
    assert_eq!(played.export(true, Some(out.clone())), Ok(Some(OutcomeResult::Written)));
    let folder = out.join("turn-unverified");
    assert_eq!(fs::read(folder.join("SKILL.md")).unwrap(), main_of("plain"));
    assert_eq!(fs::read(folder.join("run.sh")).unwrap(), b"echo\n");
    // Never over what is there.
    fs::write(folder.join("run.sh"), "mine").unwrap();
    assert_eq!(played.export(true, Some(out)).unwrap_err().code, ErrorCode::BadInput);
    assert_eq!(fs::read(folder.join("run.sh")).unwrap(), b"mine");
}

#[test]
fn an_export_never_goes_where_a_tool_reads_or_where_the_program_keeps_its_own() {
    let told = Arc::new(Told { plain: true, ..Told::default() });
    let played = Played::new(&told);
    played.row(|_| true);
    let mut folders =
        vec![".claude/skills", ".claude/skills/deep", ".claude", ".", "work/.codex/skills"];
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(played.at(".claude/skills"), played.at("link")).unwrap();
        folders.extend(["link", "link/deep"]);
    }
    folders.push(".local/share/skillhold/mine");
    for folder in folders {
        let error = played.export(true, Some(played.at(folder))).unwrap_err();
        assert_eq!(error.code, ErrorCode::BadInput, "{folder}: {error}");
        assert!(error.hint.is_some(), "{folder}");
    }
    assert!(fs::read_dir(played.at(".claude/skills")).unwrap().next().is_none());
}
