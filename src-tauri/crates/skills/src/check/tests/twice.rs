//! A field that comes twice: which one counts is for the author to say.

use super::*;

/// Every fix that is offered for a skill in the folder `a` with these lines of front matter.
fn fixes(fields: &str) -> Vec<(&'static str, String)> {
    let text = format!("---\n{fields}---\nbody\n");
    check("a", &manifest(&[]), text.as_bytes())
        .iter()
        .flat_map(|one| one.fixes.iter().map(|fix| (one.code, fix.title().to_owned())))
        .collect()
}

#[test]
fn no_fix_takes_one_of_two_fields_of_one_name() {
    for fields in [
        "name: a\nname: b\ndescription: c\n",
        "name: b\nname: a\ndescription: c\n",
        "name: b\nname: c\ndescription: c\n",
        "name: b\n'name': c\ndescription: c\n",
        "name: 12\nname: b\ndescription: c\n",
        "name: b\nname: 2024-01-01\ndescription: c\n",
        "&k name: a\n*k : b\ndescription: c\n",
        "name: a\ndescription: ' b '\ndescription: ' c '\n",
        "name: a\ndescription: 12\ndescription: yes\n",
        "name: a\ndescription: b\nlicense: 1\nlicense: 2024-01-01\n",
        "name: a\ndescription: b\nlicence: MIT\nlicence: x\n",
        "name: a\ndescription: b\nallowed-tools: [Read]\nallowed-tools: [Write]\n",
        "name: a\ndescription: b\ncompatibility: 1\ncompatibility: on\n",
        "name: a\ndescription: b\nmetadata: {v: 1}\nmetadata: {v: 2}\n",
        "name: a\ndescription: b\nmetadata: {v: 1, v: .inf}\n",
        "name: a\ndescription: b\nmetadata:\n  v: 012\n  'v': 2024-01-01\n",
        "name: a\ndescription: b\nuser-invocable: on\nuser-invocable: off\n",
        "name: a\ndescription: b\n12: c\n'12': d\n",
        "name: a\ndescription: b\nx:\n  - 1: c\n    1: d\n",
    ] {
        assert_eq!(fixes(fields), [], "{fields}");
    }
}

#[test]
fn what_stands_beside_two_fields_of_one_name_can_be_fixed() {
    let fields = "name: b\ndescription: c\nlicense: 1\nx: 1_0\nx: 2\n";
    assert_eq!(
        fixes(fields),
        [
            ("name-folder", "change `name` to `a`".to_owned()),
            ("name-folder", "rename the folder to `b`".to_owned()),
            ("license-type", "quote the value".to_owned()),
        ]
    );
    let fields = "name: a\ndescription: b\nmetadata:\n  v: 1\n  w: x\n  w: y\n";
    assert_eq!(fixes(fields), [("metadata-values", "quote the value".to_owned())]);
}

#[test]
fn the_folder_keeps_its_name_where_the_front_matter_is_not_yaml() {
    // The name that single lines give may be that of something else.
    let fields = "name: x\ndescription: c: d\nmetadata:\n  name: b\n";
    assert_eq!(fixes(fields), [("frontmatter-unquoted-colon", "quote the value".to_owned())]);
    let fields = "name: a\ndescription: c\u{7}\nmetadata:\n  name: b\n";
    assert_eq!(fixes(fields), []);
    let fields = "name: x\nname: b\ndescription: c: d\n";
    assert_eq!(fixes(fields), [("frontmatter-unquoted-colon", "quote the value".to_owned())]);
}

#[test]
fn which_key_comes_twice_is_named_also_deep_inside() {
    let found = check(
        "a",
        &manifest(&[]),
        b"---\nname: a\ndescription: b\nmetadata:\n  v: x\n  w: y\n  v: z\n---\nbody\n",
    );
    let told: Vec<_> = found.iter().map(|one| (one.code, one.message.as_str())).collect();
    assert_eq!(told, [("frontmatter-duplicate-key", "the field `metadata.v` comes twice")]);
    let place = found[0].place.as_ref().map(|place| (place.line, place.column, place.length));
    assert_eq!(place, Some((7, 3, 1)));
}
