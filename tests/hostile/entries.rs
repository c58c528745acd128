//! Entries that break one rule each; the one beside them stands.

use serde_json::{Value, json};

use crate::meeting::rows;
use crate::world::{World, resource};

fn entry(change: impl FnOnce(&mut Value)) -> World {
    World::honest().entry(change)
}

/// With this as the front matter's field.
fn field(name: &str, value: Value) -> World {
    entry(|entry| entry["frontmatter"][name] = value)
}

/// Without a key of the entry.
fn without(key: &str) -> World {
    entry(|entry| drop(entry.as_object_mut().unwrap().remove(key)))
}

/// With this as the value of a key of `run.sh`.
fn of_run(key: &str, value: Value) -> World {
    entry(|entry| entry["resources"][1][key] = value)
}

fn run_without(key: &str) -> World {
    entry(|entry| drop(entry["resources"][1].as_object_mut().unwrap().remove(key)))
}

fn more(resources: Vec<Value>) -> World {
    entry(|entry| entry["resources"].as_array_mut().unwrap().extend(resources))
}

const HEX: &str = "7d865e959b2466918c9863afca942d0fb89d7c9ac0c99bafc3749504ded97730";

rows! {
    front_matter_is_needed:
        without("frontmatter") => ["review refused: frontmatter is missing", "good verified"];
    front_matter_is_an_object:
        entry(|entry| entry["frontmatter"] = json!(["name"])) => [
            "review refused: frontmatter is a list, not an object",
            "good verified",
        ];
    a_name_is_needed:
        entry(|entry| entry["frontmatter"] = json!({ "description": "x" })) => [
            "review refused: frontmatter has no name",
            "good verified",
        ];
    a_name_is_a_text:
        field("name", json!(7)) => [
            "review refused: the name in frontmatter is not a text, or is empty",
            "good verified",
        ];
    a_name_is_not_empty:
        field("name", json!("")) => [
            "review refused: the name in frontmatter is not a text, or is empty",
            "good verified",
        ];
    a_name_is_that_of_the_folder:
        field("name", json!("other")) => [
            "review refused: the name \"other\" is not the last part of the skill's path, \"review\"",
            "good verified",
        ];
    a_name_that_only_looks_the_same_is_another:
        field("name", json!("revi\u{435}w")) => [
            "review refused: the name \"revi\u{435}w\" is not the last part of the skill's path, \"review\"",
            "good verified",
        ];
    a_name_with_hidden_characters_is_another:
        field("name", json!("re\u{200b}view\u{202e}")) => [
            "review refused: the name \"re\\u{200b}view\\u{202e}\" is not the last part of the skill's path, \"review\"",
            "good verified",
        ];
    a_description_is_needed:
        entry(|entry| entry["frontmatter"] = json!({ "name": "review" })) => [
            "review refused: frontmatter has no description",
            "good verified",
        ];
    a_description_is_a_text:
        field("description", json!(["x"])) => [
            "review refused: the description in frontmatter is not a text",
            "good verified",
        ];
    resources_are_needed:
        without("resources") => ["review refused: resources is missing", "good verified"];
    resources_that_are_null_are_refused:
        entry(|entry| entry["resources"] = json!(null)) => [
            "review refused: resources is null, not a list of files or \"dynamic\"",
            "good verified",
        ];
    resources_that_are_an_object_are_refused:
        entry(|entry| entry["resources"] = json!({})) => [
            "review refused: resources is an object, not a list of files or \"dynamic\"",
            "good verified",
        ];
    resources_that_are_another_word_are_refused:
        entry(|entry| entry["resources"] = json!("Dynamic")) => [
            "review refused: resources is a text, not a list of files or \"dynamic\"",
            "good verified",
        ];
    resources_that_are_made_anew_are_unverifiable:
        entry(|entry| entry["resources"] = json!("dynamic")) => [
            "review unverifiable: the server makes this skill anew for each read (dynamic), so there are no digests to check it against",
            "good verified",
        ];
    no_resources_are_refused:
        entry(|entry| entry["resources"] = json!([])) => [
            "review refused: its own SKILL.md is not among its files",
            "good verified",
        ];
    a_resource_is_an_object:
        more(vec![json!("skill://review/a")]) => [
            "review refused: resource 3 has no uri",
            "good verified",
        ];
    a_resource_has_a_uri:
        run_without("uri") => ["review refused: resource 2 has no uri", "good verified"];
    a_resource_has_a_size:
        run_without("size") => [
            "review refused: \"skill://review/run.sh\" has no size",
            "good verified",
        ];
    a_resource_has_a_digest:
        run_without("digest") => [
            "review refused: \"skill://review/run.sh\" has no digest",
            "good verified",
        ];
    a_size_is_no_fraction:
        of_run("size", json!(10.5)) => [
            "review refused: the size of \"skill://review/run.sh\" is not a whole number of bytes",
            "good verified",
        ];
    a_size_with_a_point_is_refused:
        of_run("size", json!(10.0)) => [
            "review refused: the size of \"skill://review/run.sh\" is not a whole number of bytes",
            "good verified",
        ];
    a_size_is_no_text:
        of_run("size", json!("10")) => [
            "review refused: the size of \"skill://review/run.sh\" is not a whole number of bytes",
            "good verified",
        ];
    a_size_is_not_below_zero:
        of_run("size", json!(-1)) => [
            "review refused: the size of \"skill://review/run.sh\" is not a whole number of bytes",
            "good verified",
        ];
    a_size_is_not_null:
        of_run("size", json!(null)) => [
            "review refused: the size of \"skill://review/run.sh\" is not a whole number of bytes",
            "good verified",
        ];
    a_size_beyond_the_limit_is_refused:
        of_run("size", json!(u64::MAX)) => [
            "review refused: the skill has 18446744073709551615 bytes; 16777216 is the most",
            "good verified",
        ];
    sizes_that_run_over_are_refused:
        entry(|entry| {
            entry["resources"][0]["size"] = json!(u64::MAX);
            entry["resources"][1]["size"] = json!(2);
        }) => [
            "review refused: the skill has 18446744073709551615 bytes; 16777216 is the most",
            "good verified",
        ];
    a_byte_more_than_sixteen_mebibytes_is_refused:
        of_run("size", json!(16_777_216 - 62 + 1)) => [
            "review refused: the skill has 16777217 bytes; 16777216 is the most",
            "good verified",
        ];
    a_digest_is_not_empty:
        of_run("digest", json!("")) => [
            "review refused: the digest of \"skill://review/run.sh\" is not `sha256:` and 64 lowercase hexadecimal digits",
            "good verified",
        ];
    a_digest_is_a_text:
        of_run("digest", json!([HEX])) => [
            "review refused: the digest of \"skill://review/run.sh\" is not `sha256:` and 64 lowercase hexadecimal digits",
            "good verified",
        ];
    a_digest_names_its_algorithm:
        of_run("digest", json!(HEX)) => [
            "review refused: the digest of \"skill://review/run.sh\" is not `sha256:` and 64 lowercase hexadecimal digits",
            "good verified",
        ];
    a_digest_of_another_algorithm_is_refused:
        of_run("digest", json!("md5:9e107d9d372bb6826bd81d3542a419d6")) => [
            "review refused: the digest of \"skill://review/run.sh\" is not `sha256:` and 64 lowercase hexadecimal digits",
            "good verified",
        ];
    a_longer_digest_is_refused:
        of_run("digest", json!(format!("sha512:{HEX}{HEX}"))) => [
            "review refused: the digest of \"skill://review/run.sh\" is not `sha256:` and 64 lowercase hexadecimal digits",
            "good verified",
        ];
    a_digest_in_capitals_is_refused:
        of_run("digest", json!(format!("sha256:{}", HEX.to_uppercase()))) => [
            "review refused: the digest of \"skill://review/run.sh\" is not `sha256:` and 64 lowercase hexadecimal digits",
            "good verified",
        ];
    an_algorithm_in_capitals_is_refused:
        of_run("digest", json!(format!("SHA256:{HEX}"))) => [
            "review refused: the digest of \"skill://review/run.sh\" is not `sha256:` and 64 lowercase hexadecimal digits",
            "good verified",
        ];
    a_shortened_digest_is_refused:
        of_run("digest", json!("sha256:7d865e95")) => [
            "review refused: the digest of \"skill://review/run.sh\" is not `sha256:` and 64 lowercase hexadecimal digits",
            "good verified",
        ];
    a_digest_with_a_digit_too_many_is_refused:
        of_run("digest", json!(format!("sha256:{HEX}0"))) => [
            "review refused: the digest of \"skill://review/run.sh\" is not `sha256:` and 64 lowercase hexadecimal digits",
            "good verified",
        ];
    a_digest_with_space_around_it_is_refused:
        of_run("digest", json!(format!("sha256:{HEX}\n"))) => [
            "review refused: the digest of \"skill://review/run.sh\" is not `sha256:` and 64 lowercase hexadecimal digits",
            "good verified",
        ];
    a_digest_of_digits_from_elsewhere_is_refused:
        of_run("digest", json!(format!("sha256:{}\u{ff10}", &HEX[..63]))) => [
            "review refused: the digest of \"skill://review/run.sh\" is not `sha256:` and 64 lowercase hexadecimal digits",
            "good verified",
        ];
    a_file_comes_once:
        more(vec![resource("skill://review/run.sh", b"echo fine\n")]) => [
            "review refused: \"run.sh\" is listed twice",
            "good verified",
        ];
    a_file_comes_once_in_all_spellings:
        more(vec![resource("skill://review/%72un.sh", b"echo fine\n")]) => [
            "review refused: \"run.sh\" is listed twice",
            "good verified",
        ];
    its_own_main_file_is_needed:
        entry(|entry| drop(entry["resources"].as_array_mut().unwrap().remove(0))) => [
            "review refused: its own SKILL.md is not among its files",
            "good verified",
        ];
    its_own_main_file_has_its_own_uri:
        entry(|entry| entry["resources"][0]["uri"] = json!("skill://review/%53KILL.md")) => [
            "review refused: its own SKILL.md is listed as \"skill://review/%53KILL.md\"",
            "good verified",
        ];
    a_main_file_in_small_letters_is_another:
        entry(|entry| entry["resources"][0]["uri"] = json!("skill://review/skill.md")) => [
            "review refused: its own SKILL.md is not among its files",
            "good verified",
        ];
    names_that_differ_in_case_only_are_refused:
        more(vec![resource("skill://review/RUN.sh", b"x")]) => [
            "review refused: \"run.sh\" and \"RUN.sh\" cannot both exist on every file system",
            "good verified",
        ];
    names_that_differ_in_form_only_are_refused:
        more(vec![
            resource("skill://review/caf%C3%A9", b"x"), resource("skill://review/cafe%CC%81", b"x"),
        ]) => [
            "review refused: \"café\" and \"cafe\\u{301}\" cannot both exist on every file system",
            "good verified",
        ];
    names_that_differ_in_hidden_characters_only_are_refused:
        more(vec![resource("skill://review/run%E2%80%8D.sh", b"x")]) => [
            "review refused: \"run.sh\" and \"run\\u{200d}.sh\" cannot both exist on every file system",
            "good verified",
        ];
    a_file_is_not_a_folder_too:
        more(vec![resource("skill://review/run.sh/inner", b"x")]) => [
            "review refused: \"run.sh\" and \"run.sh/inner\" cannot both exist on every file system",
            "good verified",
        ];
    a_file_more_than_the_limit_is_refused:
        more((0..511).map(|n| resource(&format!("skill://review/{n}"), b"x")).collect()) => [
            "review refused: the skill has 513 files; 512 is the most",
            "good verified",
        ];
    keys_that_nobody_knows_are_let_be: entry(|entry| {
        entry["files"] = json!(["/etc/passwd"]);
        entry["resources"][1]["path"] = json!("/etc/passwd");
        entry["_meta"] = json!({ "path": "../../x" });
    }) => ["review verified", "good verified"];
    an_own_note_that_is_no_object_is_refused:
        entry(|entry| entry["_meta"] = json!("x")) => [
            "review refused: _meta is a text, not an object",
            "good verified",
        ];
    what_breaks_a_hundred_rules_is_told_with_twenty:
        more((0..100).map(|_| json!({})).collect()) => [
            "review refused: resource 3 has no uri",
            "review refused: resource 4 has no uri",
            "review refused: resource 5 has no uri",
            "review refused: resource 6 has no uri",
            "review refused: resource 7 has no uri",
            "review refused: resource 8 has no uri",
            "review refused: resource 9 has no uri",
            "review refused: resource 10 has no uri",
            "review refused: resource 11 has no uri",
            "review refused: resource 12 has no uri",
            "review refused: resource 13 has no uri",
            "review refused: resource 14 has no uri",
            "review refused: resource 15 has no uri",
            "review refused: resource 16 has no uri",
            "review refused: resource 17 has no uri",
            "review refused: resource 18 has no uri",
            "review refused: resource 19 has no uri",
            "review refused: resource 20 has no uri",
            "review refused: resource 21 has no uri",
            "review refused: resource 22 has no uri",
            "review refused: and 80 more",
            "good verified",
        ];
}
