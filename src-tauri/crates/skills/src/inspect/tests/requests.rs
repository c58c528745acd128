//! What a skill asks for.

use super::*;

#[test]
fn requests_are_listed() {
    let text = "---\nname: a\nallowed-tools: Bash(git add:*), Read  Write\nhooks:\n  Stop: x\n---\nRun `python scripts/a.py` and `name`.\n```bash\n# comment\nnpm install \\\n  left-pad\n$ ls\n```\n```json\n{\"a\": 1}\n```\n```\n$ make all\nprinted\n```\nSee https://a.b/c, (http://d.e). Look in ~/x/y, ../z and /etc/hosts; `docs/../b`\n";
    let requests =
        of(&[("SKILL.md", text.as_bytes()), ("docs/a.md", b"[up](../b) [out](../../c)")]).requests;
    assert_eq!(requests.allowed_tools, ["Bash(git add:*)", "Read", "Write"]);
    assert_eq!(requests.hooks, ["Stop: \"x\""]);
    assert_eq!(
        requests.commands,
        ["python scripts/a.py", "npm install left-pad", "ls", "make all"]
    );
    assert_eq!(requests.addresses, ["https://a.b/c", "http://d.e"]);
    assert_eq!(requests.outside, ["~/x/y", "../z", "/etc/hosts", "../../c"]);
}

#[test]
fn a_command_that_runs_on_load_is_a_command() {
    assert_eq!(of_text("Context: !`git status`").requests.commands, ["git status"]);
}

#[test]
fn fences_in_quotes_and_lists_are_fences() {
    let text = "> ```sh\n> x\n- ~~~~bash\ntouch a\n~~~\nrm b\n~~~~\n";
    assert_eq!(
        of_text(&text.replace("> x\n", "ls\n> ```\n")).requests.commands,
        ["ls", "touch a", "~~~", "rm b"]
    );
}

#[test]
fn scripts_and_nested_skills_are_listed() {
    let seen = of(&[
        ("SKILL.md", b"x"),
        ("a.py", b""),
        ("b/SKILL.md", b""),
        ("run", b"#!/bin/sh\n"),
        ("t.txt", b""),
    ]);
    assert_eq!(seen.scripts, ["a.py", "run"]);
    assert_eq!(seen.nested, ["b/SKILL.md"]);
    assert_eq!(seen.requests.outside, [] as [&str; 0]);
}

#[test]
fn a_list_is_bounded() {
    let text: String = (0..2_000).map(|n| format!("https://x.example/{n}\n")).collect();
    assert_eq!(of_text(&text).requests.addresses.len(), 500);
}
