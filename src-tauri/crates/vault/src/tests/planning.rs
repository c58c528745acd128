//! What a plan says before anything is written.

use std::os::unix::fs::{PermissionsExt, symlink};

use super::*;
use crate::plan::{Action, PlanItem, TargetStanding};

const URI: &str = "skill://pdf/SKILL.md";
const ASKS: &str =
    "---\nname: pdf\ndescription: Reads PDF files\nallowed-tools: Bash\n---\nRead it.\n";

fn seen(item: &PlanItem) -> (TargetStanding, Action) {
    (item.standing, item.action)
}

fn message(item: &PlanItem) -> &str {
    item.message.as_deref().unwrap_or_default()
}

/// A plan for one item from a source folder that no tool scans.
fn one(home: &Home, root: PathBuf) -> PlanItem {
    let source = home.path("source/pdf");
    home.write(&source, &[("SKILL.md", PDF)]);
    let target = Target {
        tool: "x".to_owned(),
        root,
        name: None,
        on_conflict: OnConflict::Replace,
        mode: Mode::Copy,
    };
    home.plan(home.local(&source), vec![target]).items.remove(0)
}

#[test]
fn each_standing_has_its_action() {
    let home = Home::new();
    let server = home.server();
    let source = home.approved(&server, URI, &[("SKILL.md", PDF)], false);
    for conflict in [OnConflict::Keep, OnConflict::Replace] {
        let plan = home.plan(source.clone(), vec![target(&home, "a", conflict)]);
        assert_eq!(seen(&plan.items[0]), (TargetStanding::Free, Action::Write));
    }
    home.write(&home.root("a").join("pdf"), &[("SKILL.md", PDF)]);
    let plan = home.plan(source.clone(), vec![target(&home, "a", OnConflict::Replace)]);
    assert_eq!(seen(&plan.items[0]), (TargetStanding::Identical, Action::Keep));
    home.write(&home.root("a").join("pdf"), &[("mine.txt", "x")]);
    let plan = home.plan(source.clone(), vec![target(&home, "a", OnConflict::Keep)]);
    assert_eq!(seen(&plan.items[0]), (TargetStanding::Foreign, Action::Keep));
    assert_eq!(plan.writes(), 0);
    let plan = home.plan(source, vec![target(&home, "a", OnConflict::Replace)]);
    assert_eq!(seen(&plan.items[0]), (TargetStanding::Foreign, Action::Replace));
    assert_eq!(plan.writes(), 1);
}

#[test]
fn ownership_comes_from_the_record_alone() {
    let home = Home::new();
    let server = home.server();
    let source = home.approved(&server, URI, &[("SKILL.md", PDF)], false);
    home.write(&home.root("b").join("pdf"), &[("SKILL.md", PDF)]);
    home.apply(&home.plan(
        source,
        vec![target(&home, "a", OnConflict::Keep), target(&home, "b", OnConflict::Keep)],
    ));
    let other = home.approved(&server, URI, &[("SKILL.md", PDF), ("more.txt", "more")], false);
    let plan = home.plan(
        other,
        vec![target(&home, "a", OnConflict::Keep), target(&home, "b", OnConflict::Keep)],
    );
    assert_eq!(plan.items[0].standing, TargetStanding::Ours);
    assert_eq!(plan.items[1].standing, TargetStanding::Foreign, "the same bytes were there before");
}

#[test]
fn a_local_edit_is_said_before_it_is_replaced() {
    let home = Home::new();
    let server = home.server();
    let source = home.approved(&server, URI, &[("SKILL.md", PDF)], false);
    home.apply(&home.plan(source, vec![target(&home, "a", OnConflict::Keep)]));
    fs::write(home.root("a").join("pdf/SKILL.md"), "mine").unwrap();
    let other = home.approved(&server, URI, &[("SKILL.md", PDF), ("more.txt", "more")], false);
    let plan = home.plan(other, vec![target(&home, "a", OnConflict::Keep)]);
    assert_eq!(seen(&plan.items[0]), (TargetStanding::Ours, Action::Keep));
    assert!(plan.items[0].edited);
    assert!(message(&plan.items[0]).starts_with("it was edited after it was installed"));
}

#[test]
fn a_plan_reads_back_the_same_and_is_the_same_when_made_again() {
    let home = Home::new();
    let server = home.server();
    let source = home.approved(&server, URI, &[("SKILL.md", ASKS)], false);
    let targets =
        vec![target(&home, "a", OnConflict::Keep), target(&home, "b", OnConflict::Replace)];
    let plan = home.plan(source.clone(), targets.clone());
    let text = serde_json::to_string(&plan).unwrap();
    let read: Plan = serde_json::from_str(&text).unwrap();
    assert_eq!(read, plan);
    assert_eq!(home.plan(source, targets), plan);
    assert_eq!(home.apply(&read).items.len(), 2);
}

#[test]
fn targets_that_are_one_folder_by_real_path_are_one_item() {
    let home = Home::new();
    symlink(home.root("a"), home.path("alias")).unwrap();
    let source = home.path("source/pdf");
    home.write(&source, &[("SKILL.md", PDF)]);
    let alias = Target {
        tool: "x".to_owned(),
        root: home.path("alias"),
        name: Some("pdf".to_owned()),
        on_conflict: OnConflict::Keep,
        mode: Mode::Copy,
    };
    let targets = vec![
        target(&home, "a", OnConflict::Replace),
        alias,
        target(&home, "b", OnConflict::Replace),
    ];
    let plan = home.plan(home.local(&source), targets);
    let tools: Vec<_> = plan.items.iter().map(|item| item.tools.join("+")).collect();
    assert_eq!(tools, ["a+x", "b"]);
    home.write(&home.root("a").join("pdf"), &[("SKILL.md", "mine")]);
    let plan = home.plan(home.local(&source), plan.targets);
    assert_eq!(plan.items[0].action, Action::Keep, "one of them said keep");
}

#[test]
fn a_target_that_overlaps_the_data_folder_is_refused_by_real_path() {
    let home = Home::new();
    symlink(home.data(), home.path("innocent")).unwrap();
    for root in [
        home.data(),
        home.data().join("blobs"),
        home.path(".local/share"),
        home.path("innocent/skills"),
    ] {
        let item = one(&home, root);
        assert_eq!(seen(&item), (TargetStanding::Blocked, Action::Refuse));
        assert!(message(&item).contains("overlap"), "{}", message(&item));
    }
}

#[test]
fn nothing_is_placed_while_a_tool_scans_the_data_folder() {
    let home = Home::new();
    let source = home.path("source/pdf");
    home.write(&source, &[("SKILL.md", PDF)]);
    let scanned = [home.root("a"), home.path(".local")];
    let plan = home
        .vault
        .plan(home.local(&source), vec![target(&home, "a", OnConflict::Keep)], &scanned)
        .unwrap();
    assert!(plan.blockers[0].contains("which a tool scans"), "{:?}", plan.blockers);
    assert_eq!(plan.writes(), 0);
}

#[test]
fn a_target_that_overlaps_the_source_is_refused_by_real_path() {
    let home = Home::new();
    let source = home.root("a").join("outer");
    home.write(&source, &[("SKILL.md", PDF), ("inner/SKILL.md", PDF)]);
    symlink(&source, home.path("alias")).unwrap();
    let try_at = |source: &Path, root: PathBuf, name: &str| {
        let target = Target {
            tool: "x".to_owned(),
            root,
            name: Some(name.to_owned()),
            on_conflict: OnConflict::Replace,
            mode: Mode::Copy,
        };
        home.plan(home.local(source), vec![target]).items.remove(0)
    };
    for (source, root, name) in [
        (source.clone(), source.clone(), "new"),
        (source.clone(), home.path("alias/deep"), "new"),
        (source.join("inner"), home.root("a"), "outer"),
        (source.join("inner"), home.root("a"), "other"),
        (home.path("alias"), source.join("inner"), "new"),
    ] {
        let item = try_at(&source, root, name);
        assert_eq!(item.standing, TargetStanding::Blocked, "{} {name}", item.root.display());
        assert!(message(&item).contains("overlap"), "{}", message(&item));
    }
    assert_eq!(try_at(&source, home.root("a"), "outer").standing, TargetStanding::Identical);
    assert_eq!(try_at(&source, home.root("a"), "second").standing, TargetStanding::Free);
}

#[test]
fn a_path_that_cannot_be_resolved_is_refused_before_any_write() {
    let home = Home::new();
    symlink(home.path("nowhere"), home.path("dangling")).unwrap();
    fs::write(home.path("file"), "").unwrap();
    for root in [
        home.path("dangling"),
        home.path("dangling/skills"),
        home.path("file/skills"),
        home.path("new/../skills"),
        PathBuf::from("relative/skills"),
    ] {
        let item = one(&home, root);
        assert_eq!(seen(&item), (TargetStanding::Blocked, Action::Refuse));
        assert!(
            message(&item).contains("cannot resolve") || message(&item).contains("absolute"),
            "{}",
            message(&item)
        );
    }
    assert!(!home.path("nowhere").exists());
}

#[test]
fn a_link_or_a_file_in_the_way_is_never_replaced() {
    let home = Home::new();
    let elsewhere = home.path("elsewhere");
    home.write(&elsewhere, &[("SKILL.md", "mine")]);
    symlink(&elsewhere, home.root("a").join("pdf")).unwrap();
    fs::write(home.root("b").join("pdf"), "a file").unwrap();
    let link = one(&home, home.root("a"));
    assert!(message(&link).contains("is a link"), "{}", message(&link));
    let file = one(&home, home.root("b"));
    assert!(message(&file).contains("is not a folder"), "{}", message(&file));
    assert_eq!((link.action, file.action), (Action::Refuse, Action::Refuse));
}

#[test]
fn what_cannot_be_read_whole_is_not_replaced() {
    let home = Home::new();
    home.write(&home.root("a").join("pdf"), &[("SKILL.md", "mine")]);
    symlink("/etc/passwd", home.root("a").join("pdf/secret")).unwrap();
    home.write(&home.root("b").join("pdf"), &[("notes.txt", "no skill")]);
    let linked = one(&home, home.root("a"));
    assert!(
        message(&linked).starts_with("cannot tell what would be replaced"),
        "{}",
        message(&linked)
    );
    let other = one(&home, home.root("b"));
    assert!(message(&other).contains("is not a skill"), "{}", message(&other));
    assert_eq!((linked.action, other.action), (Action::Refuse, Action::Refuse));
}

#[test]
fn a_read_only_root_and_a_read_only_skill_are_said() {
    let home = Home::new();
    let read_only =
        |path: &Path| fs::set_permissions(path, fs::Permissions::from_mode(0o555)).unwrap();
    read_only(&home.root("a"));
    home.write(&home.root("b").join("pdf"), &[("SKILL.md", "mine")]);
    read_only(&home.root("b").join("pdf"));
    let root = one(&home, home.root("a"));
    assert_eq!(message(&root), format!("{} is read-only", home.root("a").display()));
    let skill = one(&home, home.root("b"));
    assert_eq!(message(&skill), format!("{} is read-only", home.root("b").join("pdf").display()));
    assert_eq!((root.standing, skill.standing), (TargetStanding::Blocked, TargetStanding::Blocked));
    fs::set_permissions(home.root("a"), fs::Permissions::from_mode(0o755)).unwrap();
    fs::set_permissions(home.root("b").join("pdf"), fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn another_name_must_be_one_that_every_disk_and_tool_takes() {
    let home = Home::new();
    let source = home.path("source/pdf");
    home.write(&source, &[("SKILL.md", PDF)]);
    let with = |name: &str| {
        let target = Target { name: Some(name.to_owned()), ..target(&home, "a", OnConflict::Keep) };
        home.plan(home.local(&source), vec![target]).items.remove(0)
    };
    for name in [
        "",
        ".",
        "..",
        ".git",
        "../b",
        "a/b",
        "PDF",
        "my pdf",
        "-pdf",
        "pdf-",
        "a--b",
        "con",
        "a\0b",
        &"x".repeat(65),
    ] {
        assert_eq!(with(name).action, Action::Refuse, "{name:?}");
    }
    let item = with("pdf-2");
    assert_eq!(item.action, Action::Write);
    assert_eq!(message(&item), "only the folder is called pdf-2; the skill still calls itself pdf");
}

#[test]
fn a_name_that_differs_only_in_case_from_one_that_is_there_is_refused() {
    let home = Home::new();
    home.write(&home.root("a").join("PDF"), &[("SKILL.md", PDF)]);
    let item = one(&home, home.root("a"));
    assert_eq!(item.action, Action::Refuse);
    assert_eq!(message(&item), "PDF is already there, which is the same name on many disks");
}

#[test]
fn files_that_are_one_file_on_another_disk_are_refused_before_writing() {
    let home = Home::new();
    let server = home.server();
    let files = [("SKILL.md", PDF), ("README.md", "one"), ("Readme.md", "two")];
    let plan = home.plan(
        home.approved(&server, URI, &files, false),
        vec![target(&home, "a", OnConflict::Keep)],
    );
    assert_eq!(plan.blockers, ["README.md and Readme.md are one file on many disks"]);
    let files = [("SKILL.md", PDF), ("aux.txt", "x")];
    let plan = home.plan(
        home.approved(&server, URI, &files, false),
        vec![target(&home, "a", OnConflict::Keep)],
    );
    assert!(plan.blockers[0].contains("Windows keeps"), "{:?}", plan.blockers);
}

#[test]
fn a_root_that_is_not_there_yet_is_free() {
    let home = Home::new();
    let item = one(&home, home.root("c"));
    assert_eq!(seen(&item), (TargetStanding::Free, Action::Write));
    assert_eq!(item.folder, home.root("c").join("pdf"));
    assert!(!home.path(".c").exists(), "a plan writes nothing");
}

#[test]
fn only_what_is_approved_now_can_be_installed() {
    let home = Home::new();
    let server = home.server();
    let entry = home.offered(&server, URI, &[("SKILL.md", PDF)]);
    let blockers = |home: &Home| {
        let source = Source::Approved {
            server: server.clone(),
            entry: Box::new(entry.clone()),
            executable: Default::default(),
        };
        home.plan(source, vec![target(home, "a", OnConflict::Keep)]).blockers
    };
    assert_eq!(blockers(&home), ["pdf from docs is not approved"]);
    home.vault.approve(&server, &entry, false, Vec::new()).unwrap();
    assert!(blockers(&home).is_empty());
    home.vault.notice(&server, &super::entry(URI, &[("SKILL.md", "other")])).unwrap();
    assert_eq!(blockers(&home), ["pdf changed on docs after it was approved: review it again"]);
    home.vault.reject(&server, &entry).unwrap();
    assert_eq!(blockers(&home), ["pdf from docs was rejected"]);
    home.vault.remove_server(&server.id).unwrap();
    assert!(blockers(&home)[0].starts_with("there is no server"));
}

#[test]
fn approved_bytes_that_are_gone_are_to_be_reviewed_again() {
    let home = Home::new();
    let server = home.server();
    let source = home.approved(&server, URI, &[("SKILL.md", PDF), ("a.txt", "a")], false);
    home.vault.blobs().forget(&server.id).unwrap();
    home.vault.put(&server.id, PDF.as_bytes()).unwrap();
    let plan = home.plan(source, vec![target(&home, "a", OnConflict::Keep)]);
    assert_eq!(plan.blockers, ["the approved bytes of a.txt are no longer here: review it again"]);
}

#[test]
fn bytes_that_are_not_here_say_nothing_where_nothing_is_approved() {
    let home = Home::new();
    let server = home.server();
    let entry = super::entry(URI, &[("SKILL.md", PDF)]);
    let blockers = |home: &Home, server: &SavedServer| {
        let source = Source::Approved {
            server: server.clone(),
            entry: Box::new(entry.clone()),
            executable: Default::default(),
        };
        home.plan(source, vec![target(home, "a", OnConflict::Keep)]).blockers
    };
    assert_eq!(blockers(&home, &server), ["pdf from docs is not approved"]);
    home.vault.reject(&server, &entry).unwrap();
    assert_eq!(blockers(&home, &server), ["pdf from docs was rejected"]);
    let home = Home::new();
    let server = home.server();
    home.approved(&server, URI, &[("SKILL.md", "other")], false);
    home.vault.notice(&server, &entry).unwrap();
    home.vault.blobs().forget(&server.id).unwrap();
    assert_eq!(
        blockers(&home, &server),
        ["pdf changed on docs after it was approved: review it again"]
    );
}

#[test]
fn requests_that_were_not_granted_are_left_out_with_both_fingerprints() {
    let home = Home::new();
    let server = home.server();
    let plan = home.plan(
        home.approved(&server, URI, &[("SKILL.md", ASKS), ("a.txt", "a")], false),
        vec![target(&home, "a", OnConflict::Keep)],
    );
    let left_out = plan.left_out.as_ref().unwrap();
    assert_eq!(left_out.files.len(), 1);
    assert_eq!(left_out.files[0].fields, ["allowed-tools"]);
    assert_eq!(left_out.files[0].before, ASKS);
    assert_eq!(left_out.files[0].after, PDF);
    assert_eq!(left_out.served, entry(URI, &[("SKILL.md", ASKS), ("a.txt", "a")]).fingerprint());
    assert_eq!(left_out.installed, entry(URI, &[("SKILL.md", PDF), ("a.txt", "a")]).fingerprint());
    assert_eq!(plan.files.fingerprint(), left_out.installed);
}

#[test]
fn granted_requests_are_installed_as_they_are() {
    let home = Home::new();
    let server = home.server();
    let plan = home.plan(
        home.approved(&server, URI, &[("SKILL.md", ASKS)], true),
        vec![target(&home, "a", OnConflict::Keep)],
    );
    assert_eq!(plan.left_out, None);
    assert_eq!(plan.files.fingerprint(), entry(URI, &[("SKILL.md", ASKS)]).fingerprint());
}

#[test]
fn a_request_that_cannot_be_left_out_stands_against_installing() {
    let home = Home::new();
    let server = home.server();
    let flow = "---\n{name: pdf, description: x, allowed-tools: Bash}\n---\n";
    let plan = home.plan(
        home.approved(&server, URI, &[("SKILL.md", flow)], false),
        vec![target(&home, "a", OnConflict::Keep)],
    );
    assert!(
        plan.blockers[0].starts_with("SKILL.md asks for something that was not granted"),
        "{:?}",
        plan.blockers
    );
    assert!(plan.blockers[0].ends_with("approve it again with the grant to install it as it is"));
    let plan = home.plan(
        home.approved(&server, URI, &[("SKILL.md", flow)], true),
        vec![target(&home, "a", OnConflict::Keep)],
    );
    assert!(plan.blockers.is_empty());
}

#[test]
fn a_nested_skill_does_not_ride_in_on_the_approval_around_it() {
    let home = Home::new();
    let server = home.server();
    let outer = home.approved(
        &server,
        URI,
        &[("SKILL.md", PDF), ("in/SKILL.md", ASKS), ("in/b.txt", "b")],
        false,
    );
    let blockers = || home.plan(outer.clone(), vec![target(&home, "a", OnConflict::Keep)]).blockers;
    let missing =
        "the skill inside it, skill://pdf/in/SKILL.md, is not approved by itself as it is here";
    assert_eq!(blockers(), [missing]);
    let inner_uri = "skill://pdf/in/SKILL.md";
    home.approved(&server, inner_uri, &[("SKILL.md", ASKS)], false);
    assert_eq!(blockers(), [missing], "approved with other files");
    let twin = home.server();
    home.approved(&twin, inner_uri, &[("SKILL.md", ASKS), ("b.txt", "b")], false);
    assert_eq!(blockers(), [missing], "approved from another server");
    home.approved(&server, inner_uri, &[("SKILL.md", ASKS), ("b.txt", "b")], false);
    let plan = home.plan(outer.clone(), vec![target(&home, "a", OnConflict::Keep)]);
    assert!(plan.blockers.is_empty());
    assert_eq!(plan.left_out.as_ref().unwrap().files[0].after, PDF);
    assert_eq!(plan.left_out.unwrap().files[0].path, "in/SKILL.md", "its own grant decides");
    home.vault.notice(&server, &entry(inner_uri, &[("SKILL.md", "other")])).unwrap();
    assert_eq!(blockers(), [missing], "revoked");
}

#[test]
fn a_local_skill_with_a_link_in_it_is_refused() {
    let home = Home::new();
    let source = home.path("source/pdf");
    home.write(&source, &[("SKILL.md", PDF)]);
    let local = home.local(&source);
    symlink("/etc/passwd", source.join("example")).unwrap();
    let plan = home.plan(local, vec![target(&home, "a", OnConflict::Keep)]);
    assert!(plan.blockers[0].contains("is a link"), "{:?}", plan.blockers);
}

#[test]
fn a_local_skill_that_changed_since_it_was_listed_is_refused() {
    let home = Home::new();
    let source = home.path("source/pdf");
    home.write(&source, &[("SKILL.md", PDF)]);
    let local = home.local(&source);
    fs::write(source.join(".hidden"), "x").unwrap();
    let plan = home.plan(local.clone(), vec![target(&home, "a", OnConflict::Keep)]);
    assert_eq!(plan.blockers, [format!("{} changed since it was listed", source.display())]);
    fs::remove_dir_all(&source).unwrap();
    let plan = home.plan(local, vec![target(&home, "a", OnConflict::Keep)]);
    assert!(plan.blockers[0].starts_with("cannot resolve"), "{:?}", plan.blockers);
}
