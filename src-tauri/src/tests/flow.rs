//! The main job without a window: from the samples to a tool and back.

#![allow(clippy::disallowed_methods)]

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

use skills::paths::Paths;
use skills::provider::{DirectoryProvider, Mode, Options};
use skills_mcp::server::{ServeOptions, serve_http};
use tauri::async_runtime::block_on;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use crate::shell::Shell;
use crate::view::{
    ActivityKind, Changed, ErrorCode, GivenValues, OfferRow, OnConflict, OutcomeResult, PlanAction,
    ReviewView, RowState, ServerState, ServerView, ServersView, Severity, SourceRef, Standing,
    TargetRef, TargetStanding,
};

pub(super) const PLAIN: &str = "skill://meeting-notes/SKILL.md";
pub(super) const ASKING: &str = "skill://release-helper/SKILL.md";
const CHANGING: &str = "skill://style-guide/SKILL.md";
/// Longer than anything here takes; only a failure waits this long.
pub(super) const PATIENCE: Duration = Duration::from_secs(60);

/// A home with Claude Code and Cursor in it, and the program without its window.
pub(super) struct Played {
    pub(super) home: TempDir,
    pub(super) shell: Arc<Shell>,
    pub(super) told: Receiver<Changed>,
}

impl Played {
    pub(super) fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        for tool in [".claude", ".cursor"] {
            fs::create_dir_all(home.path().join(tool).join("skills")).unwrap();
            fs::write(home.path().join(tool).join("settings.json"), "{}").unwrap();
        }
        Self::in_home(home)
    }

    fn in_home(home: TempDir) -> Self {
        let (shell, _) = Shell::open(Paths::under(home.path())).unwrap();
        let (send, told) = mpsc::channel();
        shell.events.tell_with(move |changed| drop(send.send(changed)));
        shell.scan();
        shell.connect().unwrap();
        let played = Self { home, shell, told };
        played.until(|shell| shell.scanned().then_some(()));
        played
    }

    /// The same home in a new run of the program.
    fn again(self) -> Self {
        let Self { home, shell, told } = self;
        shell.connections.stop_all();
        drop((shell, told));
        Self::in_home(home)
    }

    /// Asks again after each change until there is an answer.
    pub(super) fn until<T>(&self, answer: impl Fn(&Arc<Shell>) -> Option<T>) -> T {
        loop {
            if let Some(answer) = answer(&self.shell) {
                return answer;
            }
            self.told.recv_timeout(PATIENCE).expect("a change");
        }
    }

    pub(super) fn offer(&self, uri: &str, fits: impl Fn(&OfferRow) -> bool) -> (String, OfferRow) {
        self.until(|shell| {
            let view: ServersView = shell.servers_view().unwrap();
            let reached =
                |server: &ServerView| matches!(server.state, ServerState::Connected { .. });
            view.servers.into_iter().filter(reached).find_map(|server| {
                let offer =
                    server.offers.into_iter().find(|offer| offer.uri == uri && fits(offer))?;
                Some((server.id, offer))
            })
        })
    }

    pub(super) fn review(&self, uri: &str) -> ReviewView {
        let (server, _) = self.offer(uri, |_| true);
        let stop = CancellationToken::new();
        block_on(self.shell.start_review(&server, uri, &stop, |_| {})).unwrap()
    }

    pub(super) fn approve(&self, uri: &str, grant: bool) {
        let review = self.review(uri);
        let ticked: Vec<String> = review
            .findings
            .iter()
            .filter(|finding| finding.severity == Severity::Grave)
            .map(|finding| finding.code.clone())
            .collect();
        let fingerprint = &review.manifest.fingerprint;
        block_on(self.shell.approve(&review.id, fingerprint, grant, &ticked)).unwrap();
    }

    pub(super) fn source(&self, uri: &str) -> SourceRef {
        let (server, _) = self.offer(uri, |_| true);
        SourceRef::Offer { server, uri: uri.to_owned(), executable: Vec::new() }
    }

    pub(super) fn at(&self, path: &str) -> PathBuf {
        self.home.path().join(path)
    }
}

pub(super) fn into(tool: &str, on_conflict: OnConflict) -> TargetRef {
    TargetRef { tool: tool.to_owned(), on_conflict, name: None, mode: None }
}

#[test]
fn a_sample_is_reviewed_approved_installed_into_two_tools_and_taken_back() {
    let played = Played::new();
    let review = played.review(PLAIN);
    assert_eq!(review.label, "Samples");
    assert_eq!(review.blockers, Vec::<String>::new());
    assert!(review.verifications.iter().all(|check| check.holds));
    assert!(review.html.contains("<h1>"), "{}", review.html);
    played.approve(PLAIN, false);
    played
        .offer(PLAIN, |offer| matches!(offer.standing, Standing::Approved { granted: false, .. }));

    let targets = [into("claude-code", OnConflict::Keep), into("cursor", OnConflict::Keep)];
    let plan = played.shell.plan(&played.source(PLAIN), &targets).unwrap();
    assert_eq!(plan.blockers, Vec::<String>::new());
    let rows: Vec<_> =
        plan.items.iter().map(|item| (item.path.as_str(), item.standing, item.action)).collect();
    assert_eq!(
        rows,
        [
            ("~/.claude/skills/meeting-notes", TargetStanding::Free, PlanAction::Write),
            ("~/.cursor/skills/meeting-notes", TargetStanding::Free, PlanAction::Write),
        ]
    );
    assert!(!played.at(".claude/skills/meeting-notes").exists());

    let outcome =
        block_on(played.shell.apply_plan(&plan.id, CancellationToken::new(), |_| {})).unwrap();
    assert!(outcome.items.iter().all(|item| item.result == OutcomeResult::Written), "{outcome:?}");
    let installed = fs::read(played.at(".claude/skills/meeting-notes/SKILL.md")).unwrap();
    assert!(installed.starts_with(b"---\nname: meeting-notes\n"));
    assert_eq!(installed, fs::read(played.at(".cursor/skills/meeting-notes/SKILL.md")).unwrap());
    let library = played.shell.library_view().unwrap();
    let row = library.skills.iter().find(|row| row.name == "meeting-notes").unwrap();
    assert_eq!((row.state, row.copies.len()), (RowState::Fine, 2));
    let detail = played.shell.skill_detail(&row.copies[0].id).unwrap();
    assert_eq!(detail.placement.unwrap().origin, "Samples");
    assert_eq!(detail.history.len(), 1);

    let undone = block_on(played.shell.undo(outcome.change)).unwrap();
    assert!(undone.items.iter().all(|item| item.result == OutcomeResult::Undone), "{undone:?}");
    assert!(!played.at(".claude/skills/meeting-notes").exists());
    assert!(!played.at(".cursor/skills/meeting-notes").exists());
}

#[test]
fn only_the_copy_that_was_edited_says_so_and_undo_tells_what_was_already_gone() {
    let played = Played::new();
    played.approve(PLAIN, false);
    let targets = [into("claude-code", OnConflict::Keep), into("cursor", OnConflict::Keep)];
    let plan = played.shell.plan(&played.source(PLAIN), &targets).unwrap();
    let outcome =
        block_on(played.shell.apply_plan(&plan.id, CancellationToken::new(), |_| {})).unwrap();
    let told = |shell: &Arc<Shell>| {
        let rows = shell.activity_view().unwrap().rows;
        rows.into_iter().map(|row| (row.kind, row.text)).collect::<Vec<_>>()
    };
    assert_eq!(
        told(&played.shell),
        [
            (ActivityKind::Installed, "from Samples into 2 folders".to_owned()),
            (ActivityKind::Approved, "from Samples".to_owned()),
            (ActivityKind::ServerAdded, "built in".to_owned()),
        ]
    );

    let edited = played.at(".claude/skills/meeting-notes/mine.txt");
    fs::write(&edited, "mine").unwrap();
    played.shell.library.rescan();
    let view = played.shell.library_view().unwrap();
    let row = view.skills.iter().find(|row| row.name == "meeting-notes").unwrap();
    assert_eq!(row.state, RowState::Edited);
    let states: Vec<_> = row
        .copies
        .iter()
        .map(|copy| (copy.path.as_str(), played.shell.skill_detail(&copy.id).unwrap().state))
        .collect();
    assert_eq!(
        states,
        [
            ("~/.claude/skills/meeting-notes", RowState::Edited),
            ("~/.cursor/skills/meeting-notes", RowState::Diverged),
        ]
    );

    fs::remove_dir_all(played.at(".cursor/skills/meeting-notes")).unwrap();
    let undone = block_on(played.shell.undo(outcome.change)).unwrap();
    let error = undone.items[0].error.as_ref().unwrap();
    assert_eq!(undone.items[0].result, OutcomeResult::Failed);
    assert_eq!(
        error.hint.as_deref(),
        Some("copy what you want to keep, or remove the folder yourself")
    );
    assert_eq!(undone.items[1].result, OutcomeResult::Undone);
    assert_eq!(undone.items[1].note.as_deref(), Some("it was already gone"));
    assert_eq!(
        told(&played.shell)[0],
        (ActivityKind::Undone, "in ~/.cursor/skills/meeting-notes".to_owned())
    );
    assert!(edited.exists());
}

#[test]
fn what_a_skill_asks_for_is_left_out_unless_it_is_granted() {
    let played = Played::new();
    let review = played.review(ASKING);
    let left_out = review.left_out.unwrap();
    assert_eq!(left_out.fields, ["allowed-tools", "hooks"]);
    assert_ne!(left_out.served_fingerprint, left_out.installed_fingerprint);
    assert!(left_out.diff.iter().any(|line| line.text.starts_with("allowed-tools:")));

    played.approve(ASKING, false);
    let plan = played
        .shell
        .plan(&played.source(ASKING), &[into("claude-code", OnConflict::Keep)])
        .unwrap();
    assert_eq!(plan.left_out.unwrap().installed_fingerprint, left_out.installed_fingerprint);
    block_on(played.shell.apply_plan(&plan.id, CancellationToken::new(), |_| {})).unwrap();
    let installed =
        fs::read_to_string(played.at(".claude/skills/release-helper/SKILL.md")).unwrap();
    assert!(!installed.contains("allowed-tools"));
}

#[test]
fn grave_findings_have_to_be_ticked() {
    let played = Played::new();
    let review = played.review(ASKING);
    assert!(review.findings.iter().any(|finding| finding.severity == Severity::Grave));
    let refused =
        block_on(played.shell.approve(&review.id, &review.manifest.fingerprint, false, &[]));
    assert_eq!(refused.unwrap_err().code, ErrorCode::BadInput);
    played.offer(ASKING, |offer| offer.standing == Standing::Unreviewed);
}

#[test]
fn an_approval_ends_when_the_server_changes_the_skill_and_the_review_shows_how() {
    let played = Played::new();
    let stale = played.review(CHANGING);
    played.approve(CHANGING, false);
    played.offer(CHANGING, |offer| matches!(offer.standing, Standing::Changed { .. }));
    // A review that was opened before shows what is no longer offered.
    let refused =
        block_on(played.shell.approve(&stale.id, &stale.manifest.fingerprint, false, &[]));
    let refused = refused.unwrap_err();
    assert_eq!(refused.code, ErrorCode::Changed);
    assert_eq!(refused.hint.as_deref(), Some("fetch it again to see what the server offers now"));

    let played = played.again();
    played.offer(CHANGING, |offer| matches!(offer.standing, Standing::Changed { .. }));
    let review = played.review(CHANGING);
    let changed = review.changed.unwrap();
    assert_eq!(changed.len(), 1);
    assert_eq!(changed[0].path, "SKILL.md");
    assert!(!changed[0].diff.as_ref().unwrap().is_empty());
    played.approve(CHANGING, false);
    played.offer(CHANGING, |offer| matches!(offer.standing, Standing::Approved { .. }));
}

#[test]
fn what_is_no_longer_offered_can_still_be_rejected() {
    let played = Played::new();
    let stale = played.review(CHANGING);
    played.approve(CHANGING, false);
    played.offer(CHANGING, |offer| matches!(offer.standing, Standing::Changed { .. }));
    block_on(played.shell.reject(&stale.id, &stale.manifest.fingerprint)).unwrap();
    let last = &played.shell.activity_view().unwrap().rows[0];
    assert_eq!(last.kind, ActivityKind::Rejected);
    assert_eq!(last.fingerprint.as_deref(), Some(&stale.manifest.fingerprint[..12]));
}

#[test]
fn an_approval_survives_a_restart() {
    let played = Played::new();
    played.approve(PLAIN, true);
    let played = played.again();
    played.offer(PLAIN, |offer| matches!(offer.standing, Standing::Approved { granted: true, .. }));
}

#[test]
fn a_decision_on_other_content_than_the_reviewed_is_refused() {
    let played = Played::new();
    let review = played.review(PLAIN);
    let other = "0".repeat(64);
    for refused in [
        block_on(played.shell.approve(&review.id, &other, false, &[])),
        block_on(played.shell.reject(&review.id, &other)),
    ] {
        assert_eq!(refused.unwrap_err().code, ErrorCode::Changed);
    }
    block_on(played.shell.reject(&review.id, &review.manifest.fingerprint)).unwrap();
    played.offer(PLAIN, |offer| matches!(offer.standing, Standing::Rejected { .. }));
}

#[test]
fn nothing_is_installed_that_was_not_approved() {
    let played = Played::new();
    let plan =
        played.shell.plan(&played.source(PLAIN), &[into("claude-code", OnConflict::Keep)]).unwrap();
    assert!(!plan.blockers.is_empty());
    let refused = block_on(played.shell.apply_plan(&plan.id, CancellationToken::new(), |_| {}));
    assert_eq!(refused.unwrap_err().code, ErrorCode::NotApproved);
    assert!(!played.at(".claude/skills/meeting-notes").exists());
}

#[test]
fn every_tool_that_is_asked_for_has_a_row_in_the_order_asked() {
    let played = Played::new();
    played.approve(PLAIN, false);
    let all: Vec<TargetRef> =
        skills::tool::tools().iter().rev().map(|tool| into(&tool.id, OnConflict::Keep)).collect();
    let plan = played.shell.plan(&played.source(PLAIN), &all).unwrap();
    let rows: Vec<&str> = plan.items.iter().map(|item| item.tool.as_str()).collect();
    let asked: Vec<&str> = all.iter().map(|target| target.tool.as_str()).collect();
    assert_eq!(rows, asked);
    // This one reads folders of projects only.
    let eve = plan.items.iter().find(|item| item.tool == "eve").unwrap();
    assert_eq!((eve.standing, eve.action), (TargetStanding::Blocked, PlanAction::Refuse));
    let unknown = played.shell.plan(&played.source(PLAIN), &[into("nothing", OnConflict::Keep)]);
    assert_eq!(unknown.unwrap_err().code, ErrorCode::BadInput);
}

#[test]
fn a_review_that_is_stopped_ends_as_cancelled() {
    let played = Played::new();
    let (server, _) = played.offer(PLAIN, |_| true);
    let stop = CancellationToken::new();
    stop.cancel();
    let stopped = block_on(played.shell.start_review(&server, PLAIN, &stop, |_| {}));
    assert_eq!(stopped.unwrap_err().code, ErrorCode::Cancelled);
}

#[test]
fn a_skill_is_copied_over_a_different_one_and_that_one_comes_back() {
    let played = Played::new();
    let skill = |text: &str| format!("---\nname: pdf\ndescription: {text}\n---\n{text}\n");
    for (tool, text) in [(".claude", "mine"), (".cursor", "yours")] {
        let folder = played.at(tool).join("skills/pdf");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("SKILL.md"), skill(text)).unwrap();
    }
    // The folders are watched.
    let id = played.until(|shell| {
        let view = shell.library_view().unwrap();
        let row = view.skills.into_iter().find(|row| row.name == "pdf" && row.copies.len() == 2)?;
        assert_eq!(row.state, RowState::Diverged);
        row.copies.into_iter().find(|copy| copy.path == "~/.claude/skills/pdf").map(|copy| copy.id)
    });
    let source = SourceRef::Copy { id };
    let kept = played.shell.plan(&source, &[into("cursor", OnConflict::Keep)]).unwrap();
    assert_eq!(
        (kept.items[0].standing, kept.items[0].action),
        (TargetStanding::Foreign, PlanAction::Keep)
    );
    let plan = played.shell.plan(&source, &[into("cursor", OnConflict::Replace)]).unwrap();
    let outcome =
        block_on(played.shell.apply_plan(&plan.id, CancellationToken::new(), |_| {})).unwrap();
    assert_eq!(outcome.items[0].result, OutcomeResult::Replaced);
    let copied = played.at(".cursor/skills/pdf/SKILL.md");
    assert_eq!(fs::read_to_string(&copied).unwrap(), skill("mine"));
    block_on(played.shell.undo(outcome.change)).unwrap();
    assert_eq!(fs::read_to_string(&copied).unwrap(), skill("yours"));
}

/// A server over HTTP that never says when its folder changes.
pub(super) fn silent_server(root: PathBuf) -> (String, CancellationToken) {
    let options = Options { mode: Mode::Strict, ..Options::default() };
    let provider = Arc::new(DirectoryProvider::new(vec![root], options));
    let (shutdown, (send, ready)) = (CancellationToken::new(), mpsc::channel());
    let stop = shutdown.clone();
    tauri::async_runtime::spawn(async move {
        let told = move |address| send.send(address).unwrap();
        let any = ([127, 0, 0, 1], 0).into();
        serve_http(provider, any, ServeOptions::default(), stop, told).await
    });
    let address = ready.recv_timeout(PATIENCE).expect("an address");
    (format!("http://{address}/mcp"), shutdown)
}

#[test]
fn a_change_that_a_server_kept_quiet_about_is_found_before_anything_is_installed() {
    let served = tempfile::tempdir().unwrap();
    let main = served.path().join("quiet").join("SKILL.md");
    fs::create_dir(main.parent().unwrap()).unwrap();
    fs::write(&main, "---\nname: quiet\ndescription: Says nothing.\n---\nfirst\n").unwrap();
    let (url, shutdown) = silent_server(served.path().to_owned());
    let played = Played::new();
    played.shell.add_http_server("Quiet", &url, GivenValues::default()).unwrap();
    played.approve("skill://quiet/SKILL.md", false);
    let source = played.source("skill://quiet/SKILL.md");
    let plan = played.shell.plan(&source, &[into("cursor", OnConflict::Keep)]).unwrap();
    assert_eq!(plan.writes, 1);

    fs::write(&main, "---\nname: quiet\ndescription: Says nothing.\n---\nsecond\n").unwrap();
    let refused =
        block_on(played.shell.apply_plan(&plan.id, CancellationToken::new(), |_| {})).unwrap_err();

    assert_eq!(refused.code, ErrorCode::Changed);
    assert!(!played.at(".cursor/skills/quiet").exists());
    played.offer("skill://quiet/SKILL.md", |offer| {
        matches!(offer.standing, Standing::Changed { .. })
    });
    shutdown.cancel();
}

#[test]
fn a_skill_that_tools_would_load_as_a_plugin_is_installed_only_with_the_grant() {
    let served = tempfile::tempdir().unwrap();
    let skill = served.path().join("plugin");
    fs::create_dir_all(skill.join(".claude-plugin")).unwrap();
    fs::write(skill.join("SKILL.md"), "---\nname: plugin\ndescription: More.\n---\n").unwrap();
    fs::write(skill.join(".claude-plugin/plugin.json"), "{\"name\": \"plugin\"}\n").unwrap();
    let (url, shutdown) = silent_server(served.path().to_owned());
    let played = Played::new();
    played.shell.add_http_server("Plugins", &url, GivenValues::default()).unwrap();
    let uri = "skill://plugin/SKILL.md";

    let review = played.review(uri);
    let left_out = review.left_out.expect("something to grant");
    assert_eq!(left_out.fields, [".claude-plugin/plugin.json"]);
    assert!(left_out.impossible.is_some());

    played.approve(uri, false);
    let targets = [into("cursor", OnConflict::Keep)];
    let plan = played.shell.plan(&played.source(uri), &targets).unwrap();
    assert_eq!((plan.blockers.len(), plan.writes), (1, 0));

    played.approve(uri, true);
    let plan = played.shell.plan(&played.source(uri), &targets).unwrap();
    block_on(played.shell.apply_plan(&plan.id, CancellationToken::new(), |_| {})).unwrap();
    assert!(played.at(".cursor/skills/plugin/.claude-plugin/plugin.json").is_file());
    shutdown.cancel();
}

#[test]
fn samples_are_switched_off_and_on_and_keep_their_approvals() {
    let played = Played::new();
    played.approve(PLAIN, false);
    played.shell.offer_samples(false).unwrap();
    assert!(played.shell.servers_view().unwrap().servers.is_empty());
    let played = played.again();
    assert!(played.shell.servers_view().unwrap().servers.is_empty());
    played.shell.offer_samples(true).unwrap();
    played.offer(PLAIN, |offer| matches!(offer.standing, Standing::Approved { .. }));
}

#[test]
fn a_server_that_is_not_there_is_told_and_delays_no_other() {
    let played = Played::new();
    // Bound and closed again: nothing listens there.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let address = format!("http://127.0.0.1:{port}/mcp");
    let id = played.shell.add_http_server("away", &address, GivenValues::default()).unwrap();
    played.offer(PLAIN, |_| true);
    let error = played.until(|shell| {
        let view = shell.servers_view().unwrap();
        view.servers.into_iter().find(|server| server.id == id).and_then(|server| {
            match server.state {
                ServerState::Unreachable { error, .. } => Some(error),
                _ => None,
            }
        })
    });
    assert_eq!(error.code, ErrorCode::Unreachable);
    assert!(error.message.contains(&address), "{}", error.message);
}

#[test]
fn a_file_of_an_offered_skill_is_read_checked_and_shown() {
    let played = Played::new();
    let (server, _) = played.offer(PLAIN, |_| true);
    let file = block_on(played.shell.offer_file(&server, PLAIN, "SKILL.md")).unwrap();
    assert_eq!(file.state, crate::view::FileState::Verified { line_endings_restored: false });
    let refused = block_on(played.shell.offer_file(&server, PLAIN, "../../etc/passwd"));
    assert!(refused.is_err());
}
