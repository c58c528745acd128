//! The commands are named in four places; these hold them against each other.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::commands::COMMANDS;

fn read(path: &str) -> String {
    let path: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn names() -> BTreeSet<String> {
    COMMANDS.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn the_handler_knows_exactly_the_named_commands() {
    let source = read("src/window.rs");
    let start = source.find("generate_handler![").unwrap();
    let list = &source[start..][..source[start..].find(']').unwrap()];
    let handled: BTreeSet<String> = list
        .lines()
        .filter_map(|line| line.trim().strip_prefix("commands::"))
        .map(|path| path.trim_end_matches(',').rsplit("::").next().unwrap().to_owned())
        .collect();
    assert_eq!(handled, names());
}

#[test]
fn the_window_may_call_exactly_the_named_commands_and_listen() {
    let capability: serde_json::Value =
        serde_json::from_str(&read("capabilities/main.json")).unwrap();
    assert_eq!(capability["windows"], serde_json::json!(["main"]));
    let mut granted: BTreeSet<String> = capability["permissions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|permission| permission.as_str().unwrap().to_owned())
        .collect();
    assert!(granted.remove("core:event:allow-listen"));
    assert!(granted.remove("core:event:allow-unlisten"));
    let expected: BTreeSet<String> =
        names().iter().map(|name| format!("allow-{}", name.replace('_', "-"))).collect();
    assert_eq!(granted, expected);
}

#[test]
fn the_page_has_a_method_for_exactly_the_named_commands() {
    let source = read("../ui/src/lib/host/types.ts");
    let start = source.find("export interface Host {").unwrap();
    let methods: BTreeSet<String> = source[start..]
        .lines()
        .filter_map(|line| line.strip_prefix("  ")?.split_once('('))
        .map(|(name, _)| name)
        .filter(|name| name.chars().all(|c| c.is_ascii_alphanumeric()))
        .filter(|name| *name != "onChanged")
        .map(snake)
        .collect();
    assert_eq!(methods, names());
}

fn snake(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        if c.is_ascii_uppercase() {
            out.push('_');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}
