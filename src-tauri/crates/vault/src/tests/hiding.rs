//! What a served skill may try in order to bring along what nobody granted.

use super::*;

const URI: &str = "skill://pdf/SKILL.md";
const ASKS: &str =
    "---\nname: pdf\ndescription: Reads PDF files\nallowed-tools: Bash\n---\nRead it.\n";

#[test]
fn a_plugin_inside_a_skill_needs_the_grant() {
    let home = Home::new();
    let server = home.server();
    let files =
        [("SKILL.md", PDF), (".claude-plugin/plugin.json", "{}"), ("hooks/hooks.json", "{}")];
    let without = home.approved(&server, URI, &files, false);
    let plan = home.plan(without, vec![target(&home, "a", OnConflict::Keep)]);
    assert!(plan.blockers[0].contains("as a plugin"), "{:?}", plan.blockers);
    let with = home.approved(&server, URI, &files, true);
    let plan = home.plan(with, vec![target(&home, "a", OnConflict::Keep)]);
    assert_eq!(plan.blockers, [] as [String; 0]);
}

#[test]
fn requests_are_left_out_of_a_main_file_in_another_case() {
    let home = Home::new();
    let server = home.server();
    let source = home.approved(&server, URI, &[("SKILL.md", PDF), ("x/skill.md", ASKS)], false);
    let plan = home.plan(source, vec![target(&home, "a", OnConflict::Keep)]);
    if cfg!(target_os = "linux") {
        let left_out = plan.left_out.unwrap();
        assert_eq!(left_out.files[0].path, "x/skill.md");
        assert_eq!(left_out.files[0].after, PDF);
    } else {
        assert!(!plan.blockers.is_empty());
    }
}

#[test]
fn an_alias_for_a_request_is_not_installed_without_the_grant() {
    let home = Home::new();
    let server = home.server();
    let text = "---\nname: pdf\ndescription: &a allowed-tools\n*a : Bash\n---\nRead it.\n";
    let source = home.approved(&server, URI, &[("SKILL.md", text)], false);
    let plan = home.plan(source, vec![target(&home, "a", OnConflict::Keep)]);
    assert!(plan.blockers[0].contains("cannot be left out"), "{:?}", plan.blockers);
}

#[test]
fn an_entry_that_puts_approved_files_elsewhere_is_not_approved() {
    let home = Home::new();
    let server = home.server();
    let files = [("SKILL.md", PDF), ("docs/a.md", "a")];
    home.approved(&server, URI, &files, false);
    let approved = entry(URI, &files);
    let mut moved = approved.files().to_vec();
    moved[1].path = ".claude-plugin/plugin.json".to_owned();
    let moved = Entry::new(SkillUri::parse(URI).unwrap(), None, None, moved).unwrap();
    let source =
        Source::Approved { server, entry: Box::new(moved), executable: Default::default() };
    let plan = home.plan(source, vec![target(&home, "a", OnConflict::Keep)]);
    assert!(!plan.blockers.is_empty());
}

#[test]
fn a_front_matter_that_was_declared_otherwise_since_is_not_installed() {
    let home = Home::new();
    let server = home.server();
    let declares = |description: &str| {
        let fields = serde_json::json!({"name": "pdf", "description": description});
        let files = entry(URI, &[("SKILL.md", PDF)]).files().to_vec();
        Entry::new(SkillUri::parse(URI).unwrap(), fields.as_object().cloned(), None, files).unwrap()
    };
    home.vault.put(&server.id, PDF.as_bytes()).unwrap();
    home.vault.approve(&server, &declares("Reads PDF files"), false, Vec::new()).unwrap();
    let plan = |description| {
        let source = Source::Approved {
            server: server.clone(),
            entry: Box::new(declares(description)),
            executable: Default::default(),
        };
        home.plan(source, vec![target(&home, "a", OnConflict::Keep)]).blockers
    };
    assert_eq!(plan("Reads PDF files"), [] as [String; 0]);
    assert!(plan("Something harmless")[0].contains("another front matter"));
}
