//! What is judged of a front matter that is not YAML: what a person sees in its lines.

use super::*;

#[test]
fn of_broken_yaml_only_its_own_fields_are_judged() {
    let colon = ("frontmatter-unquoted-colon", 3, 15);
    for fields in [
        "metadata:\n  name: other\n  version: '1'\n  description: ''\n",
        "allowed-tools:\n  - Read\n  - Bash(git: x)\n",
        "license: >\n  MIT: x\n",
        "compatibility:\n  Python\n",
        "# comment: x\n",
    ] {
        assert_eq!(
            with_fields(&format!("name: a\ndescription: b: c\n{fields}")),
            [colon],
            "{fields}"
        );
    }
    let folded = "name: a\ndescription: >\n  b\nmetadata:\n  x: y: z\n";
    assert_eq!(with_fields(folded), [("frontmatter-unquoted-colon", 6, 7)]);
    let indented = "  name: a\n  description: b: c\n";
    assert_eq!(with_fields(indented), [("frontmatter-unquoted-colon", 3, 17)]);
    let with_comment = "name: a # b\ndescription: 'b' # c\nx: y: z\n";
    assert_eq!(
        with_fields(with_comment),
        [("frontmatter-unquoted-colon", 4, 5), ("field-unknown", 4, 1)]
    );
}

#[test]
fn what_is_wrong_with_the_lines_of_broken_yaml_has_its_place() {
    assert_eq!(
        with_fields("name: 'B'\ndescription: b: c\nlicence: MIT\n"),
        [
            ("name-folder", 2, 7),
            ("name-form", 2, 7),
            ("frontmatter-unquoted-colon", 3, 15),
            ("field-misspelt", 4, 1),
        ]
    );
    assert_eq!(
        with_fields("title: a: b\n"),
        [
            ("description-missing", 1, 1),
            ("name-missing", 1, 1),
            ("frontmatter-unquoted-colon", 2, 9),
            ("field-unknown", 2, 1),
        ]
    );
}
