//! The verbs against a server of our own, honest and not.

#![allow(clippy::disallowed_methods)]

mod asking;
mod brings;
mod grave;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};

use clap::Parser as _;
use serde_json::Value;
use skills::digest::Digest;
use skills::entry::{Entry, EntryFile};
use skills::frontmatter::FrontMatter;
use skills::provider::{Content, Entries, Listing, Provider, ReadError, mime_type};
use skills::uri::SkillUri;
use skills_mcp::server::{ServeOptions, serve_http};
use tempfile::TempDir;
use tokio_util::sync::{CancellationToken, DropGuard};
use vault::Vault;

use super::*;

#[derive(Debug, clap::Parser)]
struct Line {
    #[command(flatten)]
    remote: Remote,
}

const ASKING: &str =
    "---\nname: notes\ndescription: Takes notes.\nallowed-tools: Bash(*)\n---\n\n# Notes\n";
const TALK: &str = "---\nname: talk\ndescription: Talks.\n---\n\n# Talk\n";

/// Skills by path, of which some are served otherwise than they are declared.
#[derive(Default)]
struct Told {
    files: BTreeMap<String, Vec<u8>>,
    lies: BTreeMap<String, Vec<u8>>,
    skills: Vec<&'static str>,
    asked: Mutex<Vec<String>>,
}

impl Told {
    fn with(mut self, folder: &'static str, files: &[(&str, &[u8])]) -> Self {
        self.skills.push(folder);
        for (path, bytes) in files {
            self.files.insert(format!("{folder}/{path}"), bytes.to_vec());
        }
        self
    }

    fn but_serving(mut self, path: &str, bytes: &[u8]) -> Self {
        self.lies.insert(path.to_owned(), bytes.to_vec());
        self
    }

    fn entry(&self, folder: &str) -> Entry {
        let uri = SkillUri::for_path(folder).unwrap();
        let prefix = format!("{folder}/");
        let files = self.files.iter().filter_map(|(path, bytes)| {
            let path = path.strip_prefix(&prefix)?;
            Some(EntryFile {
                path: path.to_owned(),
                uri: uri.file_uri(path),
                size: bytes.len() as u64,
                digest: Digest::of(bytes),
            })
        });
        let main = FrontMatter::strict(&self.files[&format!("{folder}/SKILL.md")]).unwrap();
        Entry::new(uri.clone(), Some(main), None, files.collect()).unwrap()
    }
}

impl Provider for Told {
    fn list(&self) -> Listing {
        Listing::default()
    }

    fn read(&self, uri: &str) -> Result<Content, ReadError> {
        self.asked.lock().unwrap().push(uri.to_owned());
        let path = uri.strip_prefix("skill://").unwrap_or_default();
        match self.lies.get(path).or_else(|| self.files.get(path)) {
            Some(bytes) => Ok(Content { bytes: bytes.clone(), mime_type: mime_type(path) }),
            None => Err(ReadError::NotFound(uri.to_owned())),
        }
    }

    fn entries(&self) -> Option<Entries> {
        let entries = self.skills.iter().map(|folder| Arc::new(self.entry(folder))).collect();
        Some(Entries { entries, more: false, warnings: Vec::new() })
    }
}

/// A home, and a server in reach of it.
struct Played {
    home: TempDir,
    url: String,
    told: Arc<Told>,
    _guard: DropGuard,
}

impl Played {
    async fn new(told: Told) -> Self {
        Self::served(told, ServeOptions::default()).await
    }

    async fn served(told: Told, options: ServeOptions) -> Self {
        let home = tempfile::tempdir().unwrap();
        fs::create_dir_all(home.path().join(".claude/skills")).unwrap();
        let told = Arc::new(told);
        let stop = CancellationToken::new();
        let (send, bound) = tokio::sync::oneshot::channel();
        let (provider, until) = (Arc::clone(&told) as Arc<dyn Provider>, stop.clone());
        tokio::spawn(async move {
            let ready = |at| send.send(at).unwrap();
            let any = ([127, 0, 0, 1], 0).into();
            serve_http(provider, any, options, until, ready).await.unwrap();
        });
        let url = format!("http://{}/mcp", bound.await.unwrap());
        Self { home, url, told, _guard: stop.drop_guard() }
    }

    async fn plain() -> Self {
        let files: &[(&str, &[u8])] = &[("SKILL.md", ASKING.as_bytes()), ("a/run.sh", b"echo\n")];
        Self::new(
            Told::default().with("notes", files).with("talk", &[("SKILL.md", TALK.as_bytes())]),
        )
        .await
    }

    /// A line without the program's name, `URL` and `HOME` in it replaced.
    async fn go(&self, line: &str) -> Result<Said, Ended> {
        let home = self.home.path().to_str().unwrap();
        let line = line.replace("URL", &self.url).replace("HOME", home);
        let words = std::iter::once("remote").chain(line.split(' '));
        let parsed = Line::try_parse_from(words).unwrap_or_else(|error| panic!("{error}"));
        let paths = Paths::under(self.home.path());
        parsed.remote.go(&move || Ok(paths.clone())).await
    }

    async fn json(&self, line: &str) -> (Value, bool) {
        let said = self.go(&format!("{line} --json")).await.unwrap();
        (serde_json::from_str(&said.text).unwrap(), said.refused)
    }

    fn fingerprint(&self, folder: &str) -> String {
        self.told.entry(folder).fingerprint().to_string()
    }

    fn asked(&self) -> usize {
        self.told.asked.lock().unwrap().len()
    }

    fn at(&self, path: &str) -> std::path::PathBuf {
        self.home.path().join(path)
    }
}

fn misused(ended: Result<Said, Ended>) -> ErrorView {
    match ended {
        Err(Ended::Misused(error)) => error,
        other => panic!("{other:?}"),
    }
}

fn empty(folder: &Path) -> bool {
    fs::read_dir(folder).map_or(true, |mut entries| entries.next().is_none())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_says_what_is_offered_and_reads_no_file() {
    let played = Played::plain().await;
    let said = played.go("list URL").await.unwrap();
    let lines: Vec<&str> = said.text.lines().collect();
    assert_eq!(lines[0], "notes: 2 files, 83 bytes, skill://notes/SKILL.md");
    assert_eq!(lines[1].trim(), played.fingerprint("notes"));
    assert_eq!(lines.last(), Some(&"2 skills offered"));
    let (json, refused) = played.json("list URL").await;
    assert!(!refused);
    assert_eq!(json["protocol"], "2026-07-28");
    assert_eq!(json["source"], "extension");
    assert_eq!(json["skills"][1]["name"], "talk");
    assert_eq!(json["skills"][1]["state"], "verifiable");
    assert_eq!(json["skills"][1]["fingerprint"], played.fingerprint("talk"));
    assert_eq!(played.asked(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_is_in_the_order_of_the_window() {
    let files: &[(&str, &[u8])] = &[("SKILL.md", TALK.as_bytes())];
    let told = Told::default().with("z/talk", files).with("b/talk", files);
    let told = told.with("notes", &[("SKILL.md", ASKING.as_bytes())]);
    let (json, _) = Played::new(told).await.json("list URL").await;
    let uris: Vec<&str> = json["skills"]
        .as_array()
        .unwrap()
        .iter()
        .map(|skill| skill["uri"].as_str().unwrap())
        .collect();
    // Of one name, as the server has them.
    assert_eq!(
        uris,
        ["skill://notes/SKILL.md", "skill://z/talk/SKILL.md", "skill://b/talk/SKILL.md"]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sync_takes_no_more_than_is_kept_of_one_server_and_names_what_it_leaves() {
    // 83 bytes, 47 bytes.
    let played = Played::plain().await;
    for (room, results) in
        [(130, ["written", "written"]), (129, ["written", "refused"]), (82, ["refused", "written"])]
    {
        let line = format!(
            "remote sync {} --to {}/{room} --json",
            played.url,
            played.home.path().display()
        );
        let parsed = Line::try_parse_from(line.split(' ')).unwrap();
        let Verb::Sync(sync) = parsed.remote.verb else { panic!("{line}") };
        let paths = Paths::under(played.home.path());
        let find = move || Ok(paths.clone());
        let mut place = sync.place(&find).unwrap();
        place.room = room;
        let said = sync.bring(place).await.unwrap();
        let json: Value = serde_json::from_str(&said.text).unwrap();
        let became = |at: usize| json["skills"][at]["result"].as_str().unwrap();
        assert_eq!([became(0), became(1)], results, "{room}");
        assert_eq!(said.refused, results.contains(&"refused"));
    }
    assert!(!played.at("129/talk").exists() && !played.at("82/notes").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_manifest_names_every_file_by_name_or_by_uri() {
    let played = Played::plain().await;
    for skill in ["notes", "skill://notes/SKILL.md"] {
        let (json, refused) = played.json(&format!("manifest URL {skill}")).await;
        assert!(!refused);
        assert_eq!(json["frontMatter"]["allowed-tools"], "Bash(*)");
        let paths: Vec<&str> = json["resources"]
            .as_array()
            .unwrap()
            .iter()
            .map(|file| file["path"].as_str().unwrap())
            .collect();
        assert_eq!(paths, ["SKILL.md", "a/run.sh"]);
        assert_eq!(json["resources"][1]["size"], 5);
    }
    let none = misused(played.go("manifest URL nothing").await);
    assert_eq!(none.message, "no skill is called \"nothing\"");
    assert_eq!(played.asked(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_that_two_skills_have_is_wrong_use_and_both_are_named() {
    let files: &[(&str, &[u8])] = &[("SKILL.md", TALK.as_bytes())];
    let told = Told::default().with("a/talk", files).with("b/talk", files);
    let played = Played::new(told).await;
    let error = misused(played.go("manifest URL talk").await);
    assert_eq!(
        error.message,
        "2 skills are called \"talk\": skill://a/talk/SKILL.md, skill://b/talk/SKILL.md"
    );
    let (_, refused) = played.json("manifest URL skill://b/talk/SKILL.md").await;
    assert!(!refused);
    // They would have one folder.
    let (json, refused) = played.json("sync URL --to HOME/out").await;
    assert!(refused);
    assert_eq!(json["skills"][0]["result"], "refused");
    assert!(!played.at("out").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_download_brings_every_byte_where_no_tool_reads() {
    let played = Played::plain().await;
    let (json, refused) = played.json("download URL notes --to HOME/out").await;
    assert!(!refused, "{json}");
    assert_eq!(json["skills"][0]["result"], "written");
    assert_eq!(fs::read_to_string(played.at("out/notes/SKILL.md")).unwrap(), ASKING);
    assert_eq!(fs::read(played.at("out/notes/a/run.sh")).unwrap(), b"echo\n");
    // A second time nothing is touched, nor asked for, and whether it is the same is said.
    let before = played.asked();
    let (json, refused) = played.json("download URL notes --to HOME/out").await;
    assert!(!refused);
    assert_eq!(json["skills"][0]["result"], "skipped");
    assert_eq!(json["skills"][0]["reason"], "it is there already, byte for byte");
    fs::write(played.at("out/notes/mine"), "mine").unwrap();
    let (json, refused) = played.json("download URL notes --to HOME/out").await;
    assert!(!refused);
    assert_eq!(json["skills"][0]["result"], "skipped");
    assert_eq!(
        json["skills"][0]["reason"],
        "something else is there already; --overwrite replaces it, and the window can undo that"
    );
    assert_eq!(played.asked(), before);
    let (json, _) = played.json("download URL notes --to HOME/out --overwrite").await;
    assert_eq!(json["skills"][0]["result"], "replaced");
    assert!(!played.at("out/notes/mine").exists());
    // The window can undo it.
    let (vault, _) = Vault::open(&Paths::under(played.home.path())).unwrap();
    vault.undo(&vault.last_change().unwrap().unwrap()).unwrap();
    assert!(played.at("out/notes/mine").exists());
    assert!(vault.servers().unwrap().is_empty(), "no server was added for it");
}

#[tokio::test(flavor = "multi_thread")]
async fn into_a_tools_folder_nothing_comes_without_its_whole_fingerprint() {
    let played = Played::plain().await;
    for folder in [".claude/skills", ".claude", "work/.claude/skills", "."] {
        let (json, refused) = played.json(&format!("download URL talk --to HOME/{folder}")).await;
        assert!(refused, "{folder}");
        let reason = json["skills"][0]["reason"].as_str().unwrap();
        assert!(reason.contains(&format!("--approve {}", played.fingerprint("talk"))), "{reason}");
    }
    assert!(empty(&played.at(".claude/skills")));
    let (vault, _) = Vault::open(&Paths::under(played.home.path())).unwrap();
    assert!(vault.servers().unwrap().is_empty(), "no server is kept for what is refused");
    drop(vault);

    // One of another skill does not count.
    let other = played.fingerprint("notes");
    let line = format!("download URL talk --to HOME/.claude/skills --approve {other}");
    assert!(played.go(&line).await.unwrap().refused);
    // A shortened one is wrong use.
    let short = &played.fingerprint("talk")[..12];
    for wrong in [short, &format!("{short}g"), &played.fingerprint("talk").to_uppercase()] {
        let words = ["remote", "download", "u", "s", "--to", "d", "--approve", wrong];
        let error = Line::try_parse_from(words).unwrap_err();
        assert_eq!(error.exit_code(), 2);
        assert!(error.to_string().contains("64 lowercase hexadecimal digits"), "{error}");
    }

    let own = played.fingerprint("talk");
    let line = format!("download URL talk --to HOME/.claude/skills --approve {own}");
    let (json, refused) = played.json(&line).await;
    assert!(!refused, "{json}");
    assert_eq!(fs::read_to_string(played.at(".claude/skills/talk/SKILL.md")).unwrap(), TALK);
    let (vault, _) = Vault::open(&Paths::under(played.home.path())).unwrap();
    let servers = vault.servers().unwrap();
    assert_eq!(servers.len(), 1);
    assert!(!servers[0].enabled, "it stays off until the person switches it on");
    assert_eq!(vault.approvals_of(&servers[0]).unwrap().len(), 1);
    vault.undo(&vault.last_change().unwrap().unwrap()).unwrap();
    assert!(empty(&played.at(".claude/skills")));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_skill_asks_for_is_left_out_of_a_tools_folder() {
    let played = Played::plain().await;
    let own = played.fingerprint("notes");
    let line = format!("download URL notes --to HOME/.claude/skills --approve {own}");
    let (json, refused) = played.json(&line).await;
    assert!(!refused, "{json}");
    assert_eq!(json["skills"][0]["leftOut"], serde_json::json!(["allowed-tools"]));
    let installed = fs::read_to_string(played.at(".claude/skills/notes/SKILL.md")).unwrap();
    assert_eq!(installed, ASKING.replace("allowed-tools: Bash(*)\n", ""));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_skill_inside_another_needs_its_own_fingerprint() {
    let inner = "---\nname: inner\ndescription: Inside.\n---\n";
    let files: &[(&str, &[u8])] =
        &[("SKILL.md", TALK.as_bytes()), ("inner/SKILL.md", inner.as_bytes())];
    let played = Played::new(Told::default().with("talk", files)).await;
    let outer = played.fingerprint("talk");
    let line = format!("download URL talk --to HOME/.claude/skills --approve {outer}");
    let (json, refused) = played.json(&line).await;
    assert!(refused);
    let reason = json["skills"][0]["reason"].as_str().unwrap();
    assert!(reason.contains("the skill inside it, inner/SKILL.md,"), "{reason}");
    let inner = reason.rsplit(' ').next().unwrap();
    let (json, refused) = played.json(&format!("{line} --approve {inner}")).await;
    assert!(!refused, "{json}");
    assert!(played.at(".claude/skills/talk/inner/SKILL.md").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sync_brings_what_it_may_and_names_what_it_refuses() {
    let files: &[(&str, &[u8])] = &[("SKILL.md", ASKING.as_bytes()), ("a", b"aa")];
    let told = Told::default()
        .with("notes", files)
        .with("talk", &[("SKILL.md", TALK.as_bytes())])
        .but_serving("notes/a", b"zz");
    let played = Played::new(told).await;
    let (json, refused) = played.json("sync URL --to HOME/out").await;
    assert!(refused);
    let results: Vec<&str> = json["skills"]
        .as_array()
        .unwrap()
        .iter()
        .map(|skill| skill["result"].as_str().unwrap())
        .collect();
    assert_eq!(results, ["refused", "written"]);
    let reason = json["skills"][0]["reason"].as_str().unwrap();
    assert!(
        reason.starts_with("it does not match what it declares: a: expected 2 bytes"),
        "{reason}"
    );
    assert!(!played.at("out/notes").exists());
    assert!(played.at("out/talk/SKILL.md").exists());

    // Into a tool's folder only what is approved.
    let own = played.fingerprint("talk");
    let line = format!("sync URL --to HOME/.claude/skills --approve {own}");
    assert!(played.go(&line).await.unwrap().refused);
    assert!(played.at(".claude/skills/talk").exists());
    assert!(!played.at(".claude/skills/notes").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_reached_and_what_makes_no_sense_are_told_apart() {
    let played = Played::plain().await;
    let nowhere = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let unreachable = played.go(&format!("list http://{nowhere}/mcp")).await;
    assert!(matches!(unreachable, Err(Ended::Unreachable(_))), "{unreachable:?}");
    for url in ["ftp://example.org", "not-an-address", "stdio:sh"] {
        misused(played.go(&format!("list {url}")).await);
    }
    misused(played.go("list URL --token-file HOME/none").await);
    fs::write(played.at("blank"), " \n").unwrap();
    misused(played.go("list URL --token-file HOME/blank").await);
    fs::write(played.at("token"), "abcdefghijklmnopqrstuvwxyz\n").unwrap();
    assert!(played.go("list URL --token-file HOME/token").await.is_ok());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_steers_a_terminal_is_spelled_out() {
    let main = "---\nname: talk\ndescription: \"a\\e[31mb\"\n---\n";
    let played = Played::new(Told::default().with("talk", &[("SKILL.md", main.as_bytes())])).await;
    for line in ["list URL", "list URL --json", "manifest URL talk --json", "manifest URL talk"] {
        let said = played.go(line).await.unwrap();
        assert!(!said.text.contains('\u{1b}'), "{line}");
    }
    let (json, _) = played.json("list URL").await;
    assert_eq!(json["skills"][0]["description"], "a\u{1b}[31mb");
    let error = misused(played.go("manifest URL \u{1b}[31mx").await);
    assert!(!error.message.contains('\u{1b}'), "{}", error.message);
}

#[tokio::test(flavor = "multi_thread")]
async fn names_that_not_every_system_can_write_are_refused_with_their_rule() {
    let main = "---\nname: con\ndescription: Takes notes.\n---\n";
    let files: &[(&str, &[u8])] = &[("SKILL.md", TALK.as_bytes()), ("aux.txt", b"x")];
    let told = Told::default().with("con", &[("SKILL.md", main.as_bytes())]).with("talk", files);
    let played = Played::new(told).await;
    let (json, refused) = played.json("list URL").await;
    assert!(refused);
    for (skill, name) in [(0, "\"con\""), (1, "\"aux.txt\"")] {
        let skill = &json["skills"][skill];
        assert_eq!((&skill["state"], &skill["fingerprint"]), (&"refused".into(), &Value::Null));
        assert_eq!(skill["rules"][0]["code"], "path");
        assert_eq!(skill["rules"][0]["expected"], "a path that every system can write");
        assert_eq!(skill["rules"][0]["actual"], name);
    }
    let (_, refused) = played.json("sync URL --to HOME/out").await;
    assert!(refused);
    assert!(!played.at("out").exists());
    assert_eq!(played.asked(), 0);
}
