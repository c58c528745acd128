//! What the person decided once for all that comes from servers, and what servers make of what was
//! installed from them.

#![allow(clippy::disallowed_methods)]

use std::fs;
use std::path::{Path, PathBuf};

use tauri::async_runtime::block_on;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use super::flow::{ASKING, PATIENCE, PLAIN, Played, into, silent_server};
use crate::error::Outcome;
use crate::view::{
    Approvals, BatchView, ChangeRef, CopyRef, CopyState, DiffLine, ErrorCode, GivenValues,
    LineKind, OnConflict, OutcomeResult, OutcomeView, PlanAction, RowState, Scope, ServerState,
    SideRef, Standing,
};

fn main_file(text: &str) -> String {
    format!("---\nname: quiet\ndescription: Says nothing.\n---\n{text}\n")
}

const QUIET: &str = "skill://quiet/SKILL.md";

/// A server of one skill that says nothing when it changes.
struct Served {
    folder: TempDir,
    url: String,
    shutdown: CancellationToken,
}

impl Served {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let served = |folder: &Path| folder.join("quiet/SKILL.md");
        fs::create_dir(folder.path().join("quiet")).unwrap();
        fs::write(served(folder.path()), main_file("first")).unwrap();
        let (url, shutdown) = silent_server(folder.path().to_owned());
        Self { folder, url, shutdown }
    }

    fn says(&self, text: &str) {
        fs::write(self.folder.path().join("quiet/SKILL.md"), main_file(text)).unwrap();
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.shutdown.cancel();
    }
}

impl Played {
    fn install(&self, uri: &str) -> OutcomeView {
        let plan = self.shell.plan(&self.source(uri), &[into("cursor", OnConflict::Keep)]).unwrap();
        block_on(self.shell.apply_plan(&plan.id, CancellationToken::new(), |_| {})).unwrap()
    }

    fn add(&self, label: &str, served: &Served) -> String {
        self.shell.add_http_server(label, &served.url, GivenValues::default()).unwrap()
    }

    /// Waits until the list of a server shows a skill that fits.
    fn shows(&self, server: &str, fits: impl Fn(Option<&Standing>) -> bool) {
        self.until(|shell| {
            let view = shell.servers_view().unwrap();
            let server = view.servers.into_iter().find(|one| one.id == server)?;
            let listed = matches!(server.state, ServerState::Connected { .. });
            let offer = server.offers.iter().find(|offer| offer.uri == QUIET);
            (listed && fits(offer.map(|offer| &offer.standing))).then_some(())
        });
    }

    /// Waits until the page is told that a part is out of date.
    fn hears(&self, what: Scope) {
        while self.told.recv_timeout(PATIENCE).expect("a change").what != what {}
    }

    fn refresh(&self, server: &str) {
        self.shell.connections.refresh(&skills::origin::ServerId(server.to_owned()));
    }

    fn copy(&self, name: &str) -> CopyRef {
        self.shell.library.rescan();
        let view = self.shell.library_view().unwrap();
        let row = view.skills.into_iter().find(|row| row.name == name).unwrap();
        row.copies.into_iter().next().unwrap()
    }

    fn row_state(&self, name: &str) -> RowState {
        let view = self.shell.library_view().unwrap();
        view.skills.into_iter().find(|row| row.name == name).unwrap().state
    }

    fn update(&self, name: &str) -> BatchView {
        let copy = self.copy(name).id;
        let changes = [ChangeRef::Update { copy, on_edited: OnConflict::Keep }];
        self.shell.plan_changes(&changes).unwrap()
    }

    fn apply(&self, batch: &BatchView) -> Outcome<OutcomeView> {
        block_on(self.shell.apply_changes(&batch.id, CancellationToken::new(), |_| {}))
    }

    fn installed_text(&self, name: &str) -> String {
        let file: PathBuf = self.at(&format!(".cursor/skills/{name}/SKILL.md"));
        fs::read_to_string(file).unwrap()
    }
}

#[test]
fn nothing_of_a_server_is_installed_when_the_person_said_so_once() {
    let played = Played::new();
    played.approve(PLAIN, false);
    let (server, _) = played.offer(PLAIN, |_| true);
    let targets = [into("cursor", OnConflict::Keep)];
    let before = played.shell.plan(&played.source(PLAIN), &targets).unwrap();
    assert_eq!(before.writes, 1);
    played.shell.set_never_install(&server, true).unwrap();
    let why = "nothing of Samples is installed: so it was chosen for this server";

    // Also a plan that was made before.
    let refused = block_on(played.shell.apply_plan(&before.id, CancellationToken::new(), |_| {}));
    let refused = refused.unwrap().items.remove(0);
    assert_eq!(refused.result, OutcomeResult::Failed);
    assert!(refused.error.unwrap().message.contains(why));
    let plan = played.shell.plan(&played.source(PLAIN), &targets).unwrap();
    assert_eq!((plan.blockers, plan.writes), (vec![why.to_owned()], 0));
    let source = played.source(PLAIN);
    let changes = [ChangeRef::Place { source, targets: targets.to_vec() }];
    let batch = played.shell.plan_changes(&changes).unwrap();
    assert_eq!((batch.items[0].action, batch.writes), (PlanAction::Refuse, 0));
    assert_eq!(batch.items[0].message.as_deref(), Some(why));
    assert!(!played.at(".cursor/skills/meeting-notes").exists());
    let view = played.shell.servers_view().unwrap();
    assert!(view.servers.iter().any(|one| one.id == server && one.never_install));

    played.shell.set_never_install(&server, false).unwrap();
    let outcome = played.install(PLAIN);
    assert_eq!(outcome.items[0].result, OutcomeResult::Written);
}

#[test]
fn the_same_content_from_another_server_is_accepted_only_where_the_settings_say_so() {
    let (served, again) = (Served::new(), Served::new());
    let played = Played::new();
    played.add("First", &served);
    played.approve(QUIET, false);
    let second = played.add("Second", &again);
    played.shows(&second, |standing| standing == Some(&Standing::Unreviewed));
    let same_as = || {
        let view = played.shell.servers_view().unwrap();
        let server = view.servers.into_iter().find(|one| one.id == second).unwrap();
        server.offers.into_iter().find(|offer| offer.uri == QUIET).unwrap().same_as
    };
    assert_eq!(same_as(), None);
    let refused = block_on(played.shell.accept_same(&second, QUIET)).unwrap_err();
    assert_eq!(refused.code, ErrorCode::NotApproved);

    played.shell.set_approvals(Approvals::SameContent).unwrap();
    assert_eq!(played.shell.settings_view().unwrap().approvals, Approvals::SameContent);
    assert_eq!(same_as().as_deref(), Some("First"));
    // Never by itself.
    played.shows(&second, |standing| standing == Some(&Standing::Unreviewed));
    block_on(played.shell.accept_same(&second, QUIET)).unwrap();
    played.shows(&second, |standing| {
        matches!(standing, Some(Standing::Approved { granted: false, .. }))
    });
    let told = played.shell.activity_view().unwrap().rows.remove(0);
    assert!(told.text.contains("the same content as approved from First"), "{}", told.text);

    again.says("other");
    played.refresh(&second);
    played.shows(&second, |standing| matches!(standing, Some(Standing::Changed { .. })));
    // The approval ends before the new list is there.
    played.until(|_| same_as().is_none().then_some(()));
    let refused = block_on(played.shell.accept_same(&second, QUIET)).unwrap_err();
    assert_eq!(refused.code, ErrorCode::NotApproved);
}

#[test]
fn a_remark_on_an_approval_is_kept_and_told() {
    let played = Played::new();
    let review = played.review(PLAIN);
    let fingerprint = review.manifest.fingerprint.clone();
    let approve = |note: &str| {
        block_on(played.shell.approve_noting(&review.id, &fingerprint, false, &[], Some(note)))
    };
    let long = approve(&"é".repeat(501)).unwrap_err();
    assert_eq!(long.code, ErrorCode::BadInput);
    played.offer(PLAIN, |offer| offer.standing == Standing::Unreviewed);
    approve("  read twice ").unwrap();
    let told = played.shell.activity_view().unwrap().rows.remove(0);
    assert_eq!(told.text, "from Samples: read twice");
}

#[test]
fn what_was_rejected_anywhere_is_not_accepted_because_it_is_the_same() {
    let (served, again) = (Served::new(), Served::new());
    let played = Played::new();
    let first = played.add("First", &served);
    played.approve(QUIET, false);
    let second = played.add("Second", &again);
    played.shows(&second, |standing| standing == Some(&Standing::Unreviewed));
    played.shell.set_approvals(Approvals::SameContent).unwrap();
    let stop = CancellationToken::new();
    let review = block_on(played.shell.start_review(&first, QUIET, &stop, |_| {})).unwrap();
    block_on(played.shell.reject(&review.id, &review.manifest.fingerprint)).unwrap();
    let refused = block_on(played.shell.accept_same(&second, QUIET)).unwrap_err();
    assert_eq!(refused.code, ErrorCode::NotApproved);
}

#[test]
fn an_update_that_a_server_has_is_told_and_waits_for_its_review() {
    let served = Served::new();
    let played = Played::new();
    let server = played.add("Quiet", &served);
    played.approve(QUIET, false);
    played.install(QUIET);
    assert_eq!(played.copy("quiet").state, CopyState::Fine);
    played.told.try_iter().for_each(drop);

    served.says("second");
    played.refresh(&server);
    // The library says so by itself, after the list is there.
    while played.copy("quiet").state != CopyState::Update {
        played.hears(Scope::Library);
    }
    played.shows(&server, |standing| matches!(standing, Some(Standing::Changed { .. })));
    assert_eq!(played.row_state("quiet"), RowState::Update);
    let detail = played.shell.skill_detail(&played.copy("quiet").id).unwrap();
    let placement = detail.placement.unwrap();
    assert_eq!((placement.drift, placement.server.as_deref()), (CopyState::Update, Some(&*server)));
    assert!(!placement.update.unwrap().approved);
    let batch = played.update("quiet");
    assert_eq!((batch.items[0].action, batch.writes), (PlanAction::Refuse, 0));
    let why = batch.items[0].message.as_deref().unwrap();
    assert!(why.contains("review it again"), "{why}");
    assert!(played.installed_text("quiet").ends_with("first\n"));

    let stop = CancellationToken::new();
    let review = block_on(played.shell.start_review(&server, QUIET, &stop, |_| {})).unwrap();
    assert_eq!(review.same_name, Vec::<String>::new(), "what came from here is no other place");
    played.approve(QUIET, false);
    let detail = played.shell.skill_detail(&played.copy("quiet").id).unwrap();
    assert!(detail.placement.unwrap().update.unwrap().approved);
    let outcome = played.apply(&played.update("quiet")).unwrap();
    assert_eq!(outcome.items[0].result, OutcomeResult::Replaced);
    assert!(played.installed_text("quiet").ends_with("second\n"));
    assert_eq!(played.copy("quiet").state, CopyState::Fine);

    block_on(played.shell.undo(outcome.change)).unwrap();
    assert!(played.installed_text("quiet").ends_with("first\n"));
}

#[test]
fn what_a_server_no_longer_offers_says_so_and_stays() {
    let served = Served::new();
    let played = Played::new();
    let server = played.add("Quiet", &served);
    played.approve(QUIET, false);
    played.install(QUIET);
    fs::remove_dir_all(served.folder.path().join("quiet")).unwrap();
    played.refresh(&server);
    played.shows(&server, |standing| standing == Some(&Standing::NoLongerOffered));
    played.until(|_| (played.copy("quiet").state == CopyState::NoLongerOffered).then_some(()));
    assert_eq!(played.row_state("quiet"), RowState::NoLongerOffered);
    assert!(played.installed_text("quiet").ends_with("first\n"));
}

#[test]
fn what_one_server_changed_meanwhile_keeps_nothing_else_from_being_placed() {
    let served = Served::new();
    let played = Played::new();
    played.add("Quiet", &served);
    played.approve(QUIET, false);
    played.approve(PLAIN, false);
    let place = |uri: &str| ChangeRef::Place {
        source: played.source(uri),
        targets: vec![into("cursor", OnConflict::Keep)],
    };
    let batch = played.shell.plan_changes(&[place(QUIET), place(PLAIN)]).unwrap();
    assert_eq!(batch.writes, 2);
    served.says("second");
    let outcome = played.apply(&batch).unwrap();
    let mut results: Vec<_> =
        outcome.items.iter().map(|item| (item.name.as_str(), item.result)).collect();
    results.sort_by_key(|(name, _)| (*name).to_owned());
    assert_eq!(
        results,
        [("meeting-notes", OutcomeResult::Written), ("quiet", OutcomeResult::Failed)]
    );
    let failed = outcome.items.iter().find(|item| item.name == "quiet").unwrap();
    assert_eq!(failed.error.as_ref().unwrap().code, ErrorCode::Changed);
    assert!(!played.at(".cursor/skills/quiet").exists());
    assert!(played.at(".cursor/skills/meeting-notes").exists());
}

#[test]
fn a_copy_is_compared_with_what_was_approved_and_with_what_was_installed_without_its_requests() {
    let played = Played::new();
    played.approve(ASKING, false);
    played.install(ASKING);
    let (server, _) = played.offer(ASKING, |_| true);
    let file = played.at(".cursor/skills/release-helper/SKILL.md");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, format!("{text}mine\n")).unwrap();
    let id = played.copy("release-helper").id;
    let now = SideRef::Copy { id: id.clone() };
    let installed = SideRef::Installed { copy: id };
    let approved = SideRef::Approved { server, uri: ASKING.to_owned() };
    let changed = |left: &SideRef, right: &SideRef| -> Vec<(LineKind, String)> {
        let lines = played.shell.compare_sides_file(left, right, "SKILL.md").unwrap().unwrap();
        let told = |line: &DiffLine| matches!(line.kind, LineKind::Added | LineKind::Removed);
        lines.into_iter().filter(told).map(|line| (line.kind, line.text)).collect()
    };
    assert_eq!(changed(&installed, &now), [(LineKind::Added, "mine".to_owned())]);
    let left_out = changed(&approved, &installed);
    assert!(
        left_out.iter().any(|(kind, text)| {
            *kind == LineKind::Removed && text.starts_with("allowed-tools")
        }),
        "{left_out:?}"
    );
    let view = played.shell.compare(&approved, &now).unwrap();
    assert_eq!(view.left, "as approved from Samples");
    let differ: Vec<&str> =
        view.files.iter().filter(|file| !file.same).map(|file| file.path.as_str()).collect();
    assert_eq!(differ, ["SKILL.md"]);
}

#[test]
fn served_files_that_would_be_programs_are_named_and_become_so_when_chosen() {
    let played = Played::new();
    played.approve(ASKING, false);
    let (server, _) = played.offer(ASKING, |_| true);
    let targets = [into("cursor", OnConflict::Keep)];
    let plan = played.shell.plan(&played.source(ASKING), &targets).unwrap();
    assert_eq!(plan.programs, ["scripts/collect.sh"]);
    let source =
        crate::view::SourceRef::Offer { server, uri: ASKING.to_owned(), executable: plan.programs };
    let plan = played.shell.plan(&source, &targets).unwrap();
    block_on(played.shell.apply_plan(&plan.id, CancellationToken::new(), |_| {})).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = |path: &str| {
            let file = played.at(".cursor/skills/release-helper").join(path);
            file.metadata().unwrap().permissions().mode() & 0o111
        };
        assert_ne!(mode("scripts/collect.sh"), 0);
        assert_eq!(mode("SKILL.md"), 0);
    }
}
