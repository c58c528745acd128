//! What each fix makes of a file.

use super::*;
use crate::fix::edited;

/// The text after the first fix of the first diagnostic with this code.
pub(super) fn fixed(folder: &str, text: &str, code: &str) -> Option<String> {
    let found = check(folder, &manifest(&[]), text.as_bytes());
    let one = found.iter().find(|one| one.code == code)?;
    match one.fixes.first()? {
        Fix::Edits { edits, file, .. } => {
            assert_eq!(file, "SKILL.md");
            Some(String::from_utf8(edited(text.as_bytes(), edits).unwrap()).unwrap())
        }
        Fix::RenameFolder { to, .. } => Some(format!("folder {to}")),
    }
}

/// The same for a skill in the folder `a` with these lines of front matter.
fn fields_fixed(fields: &str, code: &str) -> Option<String> {
    let after = fixed("a", &format!("---\n{fields}---\nbody\n"), code)?;
    let after = after.strip_prefix("---\n").unwrap_or(&after);
    Some(after.strip_suffix("---\nbody\n").unwrap_or(after).to_owned())
}

#[track_caller]
fn assert_fixed(fields: &str, code: &str, expected: &str) {
    assert_eq!(fields_fixed(fields, code).as_deref(), Some(expected));
}

#[test]
fn an_unquoted_colon_is_quoted_and_nothing_else_changes() {
    assert_fixed(
        "# c\nname:   a   # d\ndescription: Use when: asked\n",
        "frontmatter-unquoted-colon",
        "# c\nname:   a   # d\ndescription: \"Use when: asked\"\n",
    );
}

#[test]
fn the_name_becomes_the_folders() {
    let rest = "description: b\n";
    for (before, after) in [
        ("name: b", "name: a"),
        ("name:   \"b\" # c", "name:   \"a\" # c"),
        ("name: 'b'", "name: 'a'"),
        ("\"name\": b", "\"name\": a"),
    ] {
        assert_fixed(&format!("{before}\n{rest}"), "name-folder", &format!("{after}\n{rest}"));
    }
}

#[test]
fn a_name_that_is_no_text_without_quotes_gets_them() {
    let after = fixed("1", "---\nname: b\ndescription: b\n---\nx\n", "name-folder");
    assert_eq!(after.as_deref(), Some("---\nname: \"1\"\ndescription: b\n---\nx\n"));
    let after = fixed("on", "---\nname: b\ndescription: b\n---\nx\n", "name-folder");
    assert_eq!(after.as_deref(), Some("---\nname: \"on\"\ndescription: b\n---\nx\n"));
}

#[test]
fn the_folder_is_renamed_where_its_own_name_is_none() {
    let text = "---\nname: b\ndescription: b\n---\nx\n";
    assert_eq!(fixed("My Skill", text, "name-folder").as_deref(), Some("folder b"));
    let found = check("a", &manifest(&[]), text.as_bytes());
    assert_eq!(found[0].fixes[1].title(), "rename the folder to `b`");
    assert_eq!(fixed("A", "---\nname: B\ndescription: b\n---\nx\n", "name-folder"), None);
}

#[test]
fn a_missing_name_is_added_in_first_place() {
    assert_fixed("description: b\n", "name-missing", "name: a\ndescription: b\n");
    assert_fixed("# c\ndescription: b\n", "name-missing", "# c\nname: a\ndescription: b\n");
    let crlf = "---\r\ndescription: b\r\n---\r\nx\r\n";
    assert_eq!(
        fixed("a", crlf, "name-missing").as_deref(),
        Some("---\r\nname: a\r\ndescription: b\r\n---\r\nx\r\n")
    );
    assert_eq!(fields_fixed("{description: b}\n", "name-missing"), None);
}

#[test]
fn blanks_are_trimmed() {
    assert_fixed("name: 'a '\ndescription: b\n", "name-form", "name: 'a'\ndescription: b\n");
    assert_fixed(
        "name: a\ndescription: \" b \"\n",
        "description-blanks",
        "name: a\ndescription: \"b\"\n",
    );
}

#[test]
fn values_are_quoted_where_a_text_is_wanted() {
    let ok = "name: a\ndescription: b\n";
    for (before, code, after) in [
        ("license: 1.10 # c", "license-type", "license: \"1.10\" # c"),
        ("compatibility: 3", "compatibility-type", "compatibility: \"3\""),
        ("metadata:\n  v: 1.0\n  w: x", "metadata-values", "metadata:\n  v: \"1.0\"\n  w: x"),
        ("metadata: {v: true}", "metadata-values", "metadata: {v: \"true\"}"),
        ("model: yes", "yaml-versions-differ", "model: \"yes\""),
        ("disable-model-invocation: yes", "yaml-versions-differ", "disable-model-invocation: true"),
    ] {
        assert_fixed(&format!("{ok}{before}\n"), code, &format!("{ok}{after}\n"));
    }
    assert_eq!(fields_fixed(&format!("{ok}license: [x]\n"), "license-type"), None);
    assert_eq!(fields_fixed(&format!("{ok}metadata:\n  v:\n"), "metadata-values"), None);
    assert_eq!(fields_fixed(&format!("{ok}metadata:\n  v: [1]\n"), "metadata-values"), None);
}

#[test]
fn a_list_of_tools_becomes_one_text() {
    let ok = "name: a\ndescription: b\n";
    for (before, after) in [
        ("allowed-tools: [Read, \"Write\"] # c", "allowed-tools: Read Write # c"),
        ("allowed-tools:\n  - Read\n  - Bash(git add:*)", "allowed-tools: Read Bash(git add:*)"),
        ("allowed-tools:\n  - Read\n  - 'Write' # c\n# d", "allowed-tools: Read Write # c\n# d"),
        ("allowed-tools:\n- Read\nlicense: MIT", "allowed-tools: Read\nlicense: MIT"),
    ] {
        let code = "allowed-tools-list";
        assert_fixed(&format!("{ok}{before}\n"), code, &format!("{ok}{after}\n"));
    }
    let none = |field: &str| fields_fixed(&format!("{ok}{field}\n"), "allowed-tools-list");
    assert_eq!(none("allowed-tools:\n  - Read # why\n  - Write"), None);
    assert_eq!(none("allowed-tools: [Read file]"), None);
    assert_eq!(none("allowed-tools: []"), None);
}

#[test]
fn a_misspelt_field_is_corrected_where_that_is_certain() {
    let ok = "name: a\ndescription: b\n";
    for (before, after) in [
        ("allowed_tools: Read", "allowed-tools: Read"),
        ("licence: MIT", "license: MIT"),
        ("\"License\": MIT", "license: MIT"),
    ] {
        let code = "field-misspelt";
        assert_fixed(&format!("{ok}{before}\n"), code, &format!("{ok}{after}\n"));
    }
    let none = |field: &str| fields_fixed(&format!("{ok}{field}\n"), "field-misspelt");
    assert_eq!(none("license: MIT\nlicence: x"), None);
    assert_eq!(none("licences: [MIT]"), None);
    // With the right name, the value would be of the wrong type.
    assert_eq!(none("License: [MIT]"), None);
}

#[test]
fn line_ends_become_those_of_most_lines() {
    let text = "---\nname: a\ndescription: |\n  b\r\n  c\n---\nx\r\ny\rz";
    assert_eq!(
        fixed("a", text, "line-endings").as_deref(),
        Some("---\nname: a\ndescription: |\n  b\n  c\n---\nx\ny\nz")
    );
    let text = "---\r\nname: a\r\ndescription: b\r\n---\r\nx\n";
    assert_eq!(
        fixed("a", text, "line-endings").as_deref(),
        Some("---\r\nname: a\r\ndescription: b\r\n---\r\nx\r\n")
    );
}

#[test]
fn a_byte_order_mark_is_removed() {
    let text = "---\nname: a\ndescription: b\n---\nx\n";
    assert_eq!(fixed("a", &format!("\u{feff}{text}"), "byte-order-mark").as_deref(), Some(text));
}

#[test]
fn a_file_that_is_not_utf_8_is_left_to_its_author() {
    let found = check("a", &manifest(&[]), b"---\nname: b\ndescription: b\n---\n\xff\n");
    let edits = found.iter().flat_map(|one| &one.fixes).any(|fix| matches!(fix, Fix::Edits { .. }));
    assert!(!edits);
}
