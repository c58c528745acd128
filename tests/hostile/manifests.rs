//! Servers without the extension, whose skills have a `_manifest`.

use serde_json::{Value, json};

use crate::meeting::rows;
use crate::server::{Piece, Say};
use crate::world::{MAIN, RUN, World, chunk, chunked, complete, manifest_file, read_result};

/// The true manifest, and this changed of it.
fn manifest(change: impl FnOnce(&mut Value)) -> World {
    let mut manifest = json!({
        "skill": "review",
        "files": [manifest_file("SKILL.md", MAIN.as_bytes()), manifest_file("run.sh", RUN.as_bytes())],
    });
    change(&mut manifest);
    let mut world = World::honest().manifests(&manifest);
    world.entries.truncate(1);
    world
}

/// The true manifest with one file more, truly declared.
fn file(path: &str) -> World {
    let path = path.to_owned();
    manifest(move |it| {
        it["files"].as_array_mut().unwrap().push(manifest_file(&path, b"out\n"));
    })
}

/// Another text for the manifest.
fn text(text: &str) -> World {
    manifest(|_| {}).serve("skill://review/_manifest", text.as_bytes())
}

fn lists(resources: Value) -> World {
    manifest(|_| {}).at("resources/list", move |_| complete(json!({ "resources": resources })))
}

rows! {
    an_honest_manifest_is_verified: manifest(|_| {}) => ["review verified"];
    a_manifest_that_is_no_json_is_refused:
        text("<h1>") => [
            "review refused: its manifest is not JSON: expected value at line 1 column 1",
        ];
    a_manifest_that_is_empty_is_refused:
        text("") => [
            "review refused: its manifest is not JSON: EOF while parsing a value at line 1 column 0",
        ];
    a_manifest_nested_a_hundred_thousand_times_is_refused:
        text(&"[".repeat(100_000)) => [
            "review refused: its manifest is not JSON: recursion limit exceeded at line 1 column 128",
        ];
    a_manifest_that_is_a_list_is_refused:
        text("[]") => ["review refused: its manifest has no list of files"];
    a_manifest_without_files_is_refused:
        manifest(|it| drop(it.as_object_mut().unwrap().remove("files"))) => [
            "review refused: its manifest has no list of files",
        ];
    a_manifest_with_no_files_is_refused:
        manifest(|it| it["files"] = json!([])) => [
            "review refused: its own SKILL.md is not among its files",
        ];
    a_manifest_of_a_million_files_is_refused:
        text(&format!("{{\"files\":[{}0]}}", "0,".repeat(1_000_000))) => [
            "review refused: its manifest has more than 400000 values",
        ];
    a_manifest_of_millions_of_values_is_refused:
        text(&format!("{{\"files\":[{}0]}}", "[],".repeat(5_000_000))) => [
            "review refused: its manifest has more than 400000 values",
        ];
    a_manifest_that_never_ends_is_refused:
        manifest(|_| {}).on(|asked| match asked.uri.as_str() {
            "skill://review/_manifest" => Say::Wire(vec![chunked("application/json"), Piece::Again(chunk(&[b' '; 65536]), usize::MAX)]),
            _ => Say::Usual,
        }) => [
            "review unverifiable: the server gives no manifest for it: the answer is larger than 33554432 bytes",
        ];
    a_manifest_of_two_contents_is_unverifiable:
        manifest(|_| {}).on(|asked| match asked.uri.as_str() {
            "skill://review/_manifest" => read_result(json!([{ "uri": "a", "text": "{}" }, { "uri": "b", "text": "{}" }])),
            _ => Say::Usual,
        }) => [
            "review unverifiable: the server gives no manifest for it: the server answered with 2 contents for one file",
        ];
    a_manifest_that_is_not_there_makes_it_unverifiable:
        manifest(|_| {}).on(|asked| match asked.uri.as_str() {
            "skill://review/_manifest" => Say::Error(-32002, "no\u{1b}[31m".to_owned()),
            _ => Say::Usual,
        }) => [
            "review unverifiable: the server gives no manifest for it: the server answered with error -32002: no [31m",
        ];
    a_file_of_a_manifest_has_a_path:
        manifest(|it| it["files"][1]["path"] = json!(7)) => [
            "review refused: file 2 of its manifest has no path",
        ];
    a_file_of_a_manifest_has_a_hash:
        manifest(|it| it["files"][1]["hash"] = json!("")) => [
            "review refused: the hash of \"run.sh\" is not `sha256:` and 64 lowercase hexadecimal digits",
        ];
    a_file_of_a_manifest_has_a_size:
        manifest(|it| it["files"][1]["size"] = json!("10")) => [
            "review refused: the size of \"run.sh\" is not a whole number of bytes",
        ];
    a_file_of_a_manifest_comes_once: manifest(|it| {
        let again = it["files"][1].clone();
        it["files"].as_array_mut().unwrap().push(again);
    }) => ["review refused: \"run.sh\" is listed twice"];
    a_manifest_without_its_main_file_is_refused:
        manifest(|it| drop(it["files"].as_array_mut().unwrap().remove(0))) => [
            "review refused: its own SKILL.md is not among its files",
        ];
    a_way_up_in_a_manifest_is_refused:
        file("../../.ssh/authorized_keys") => [
            "review refused: the path \"../../.ssh/authorized_keys\" has the component `.` or `..`",
        ];
    a_way_up_in_the_middle_of_a_manifest_is_refused:
        file("a/../../b") => [
            "review refused: the path \"a/../../b\" has the component `.` or `..`",
        ];
    an_absolute_path_in_a_manifest_is_refused:
        file("/etc/passwd") => ["review refused: the path \"/etc/passwd\" has an empty component"];
    a_home_in_a_manifest_is_only_a_name:
        file("~/x") => ["review ~/x: the server answered with error -32602: no such resource"];
    a_drive_in_a_manifest_is_refused:
        file("C:\\x") => ["review refused: the path \"C:\\\\x\" has the character ':'"];
    a_uri_in_a_manifest_is_refused:
        file("file:///etc/passwd") => [
            "review refused: the path \"file:///etc/passwd\" has the character ':'",
        ];
    a_backslash_in_a_manifest_is_refused:
        file("a\\..\\b") => ["review refused: the path \"a\\\\..\\\\b\" has the character '\\\\'"];
    a_zero_byte_in_a_manifest_is_refused:
        file("a\0b") => ["review refused: the path \"a\\0b\" has the character '\\0'"];
    a_device_in_a_manifest_is_refused:
        file("aux.md") => [
            "review refused: the path \"aux.md\" has a name that Windows keeps for a device",
        ];
    an_empty_path_in_a_manifest_is_refused:
        file("") => ["review refused: the path \"\" has an empty component"];
    an_encoded_way_up_in_a_manifest_is_only_a_name:
        file("%2e%2e/x") => [
            "review %2e%2e/x: the server answered with error -32602: no such resource",
        ];
    names_that_collide_in_a_manifest_are_refused:
        file("Run.SH") => [
            "review refused: \"run.sh\" and \"Run.SH\" cannot both exist on every file system",
        ];
    resources_that_only_look_like_skills_are_let_be:
        lists(json!([
            { "uri": "file:///etc/SKILL.md" }, { "uri": "skill://x/SKILL.md.txt" }, { "uri": 7 }, 7, null, {},
            { "uri": "SKILL://y/SKILL.md" }, { "uri": "skill://z/skill.md" },
        ])) => [];
    a_skill_of_a_resource_on_a_way_up_is_refused:
        lists(json!([{ "uri": "skill://../../SKILL.md" }])) => [
            "\"skill://../../SKILL.md\" refused: \"skill://../../SKILL.md\" has the segment \"..\", which is not allowed",
        ];
    a_skill_of_a_resource_that_comes_twice_is_refused:
        lists(json!([{ "uri": "skill://review/SKILL.md" }, { "uri": "skill://review/SKILL.md" }])) => [
            "review refused: the server lists this uri more than once",
            "review refused: the server lists this uri more than once",
        ];
    a_file_that_is_not_what_its_manifest_says_is_refused:
        manifest(|_| {}).serve("skill://review/run.sh", b"echo owned\n") => [
            "review run.sh: 10 bytes declared, 11 served",
        ];
    resources_that_are_no_list_are_told:
        lists(json!({})) => [
            "Protocol: cannot list the skills of SERVER: a page of the list has no resources",
        ];
}
