//! Every difference that is meant, with its reason. A row that no longer differs fails the test.

use super::Of;

/// Why some cases differ.
pub(crate) struct Meant {
    /// Why ours is right, or right for us.
    pub(crate) reason: &'static str,
    /// Respects, and names of cases; each of these cases differs in each of these respects.
    pub(crate) differ: &'static [(&'static [Of], &'static [&'static str])],
}

pub(crate) const MEANT: &[Meant] = &[
    Meant {
        reason: "The reference's default mode wants a line break after the closing delimiter; \
                 its strict mode, and every other reader, do not.",
        differ: &[
            (
                &[Of::Fields, Of::Description],
                &[
                    "no line break after the closing delimiter",
                    "a block scalar before a closing delimiter without a line break",
                ],
            ),
            (&[Of::Description], &["an empty block at the end of the file"]),
        ],
    },
    Meant {
        reason: "The reference's default mode takes whatever follows the first three dashes \
                 for YAML; to us, as to its strict mode, they stand alone on their line, with \
                 blanks at most.",
        differ: &[(
            &[Of::Fields, Of::Description],
            &[
                "four dashes as the opening delimiter",
                "a comment after the opening delimiter",
                "a field on the line of the opening delimiter",
                "a field a space after the opening delimiter",
                "a zero-width space after the opening delimiter",
            ],
        )],
    },
    Meant {
        reason: "Python takes the four information separators, U+001C to U+001F, for blanks; \
                 Unicode's property White_Space does not have them.",
        differ: &[
            (
                &[Of::Fields, Of::Description],
                &[
                    "an information separator after the opening delimiter",
                    "an information separator after the closing delimiter",
                ],
            ),
            (
                &[Of::Description],
                &["no description and a body that begins with an information separator"],
            ),
            (
                &[Of::Entries, Of::Valid, Of::SkillsRef, Of::Properties],
                &[r#"the description "\"\\x1c\"""#],
            ),
            (
                &[Of::Properties],
                &[
                    r#"the description "\"\\x1fa\"""#,
                    "a name with an information separator at its end",
                ],
            ),
            (&[Of::Fields], &["an unquoted colon and an information separator"]),
        ],
    },
    Meant {
        reason: "A byte order mark before a field is no part of the field's name; strict mode \
                 drops it too.",
        differ: &[(
            &[Of::Fields, Of::SkillsRef],
            &["a byte order mark after the opening delimiter"],
        )],
    },
    Meant {
        reason: "The reference's whole answer fails where a text holds half of a surrogate \
                 pair; ours leaves out the one skill, or joins the two halves.",
        differ: &[
            (
                &[Of::Entries, Of::Valid],
                &[r#"the value "\"\\ud83d\\ude00\"""#, r#"the description "\"\\ud83d\\ude00\"""#],
            ),
            (
                &[Of::Strict, Of::Entries],
                &[
                    r#"the value "\"\\ud83d\"""#,
                    r#"the value "\"\\ude00\"""#,
                    r#"the description "\"\\ud83d\"""#,
                ],
            ),
        ],
    },
    Meant {
        reason: "The reference stops with an exception and publishes nothing at all; ours \
                 leaves out at most the one skill.",
        differ: &[
            (
                &[Of::Published, Of::Fields, Of::Description, Of::Files],
                &[r#"the value "\"\\U00110000\"""#],
            ),
            (&[Of::Published], &["a root that is a file"]),
            (&[Of::Entries], &[r#"the value "!!bool x""#, r#"the value "!!map [a]""#]),
            (
                &[Of::Published, Of::Fields, Of::Description, Of::Files, Of::Entries],
                &["a skill whose folder's name is not UTF-8"],
            ),
        ],
    },
    Meant {
        reason: "Readers of YAML 1.1 end a line at U+0085, U+2028 and U+2029, those of 1.2 do \
                 not: the skill says different things to them, so strict mode leaves it out, \
                 and the text is read as 1.2 reads it.",
        differ: &[
            (&[Of::Fields, Of::Strict, Of::Entries, Of::Valid], &[r#"the value "\"a\u{85}b\"""#]),
            (&[Of::Strict, Of::Entries, Of::Valid], &[r#"the value "'a\u{2028}b'""#]),
            (
                &[Of::Fields, Of::Strict, Of::Entries, Of::Valid, Of::Properties],
                &[
                    "a literal scalar with a next line character",
                    "a literal scalar with a next line character in last place",
                    "a literal scalar with a line separator",
                    "a literal scalar with a line separator in last place",
                ],
            ),
            (
                &[Of::Properties],
                &[
                    "a next line character after the opening delimiter",
                    "a line separator after the opening delimiter",
                ],
            ),
        ],
    },
    Meant {
        reason: "A dash alone in a flow list is no YAML 1.2: its readers drop the skill.",
        differ: &[(&[Of::Strict, Of::Entries, Of::Valid], &[r#"the value "[-]""#])],
    },
    Meant {
        reason: "The header of a block that stands no further in than its key is no YAML 1.2: \
                 its readers drop the skill.",
        differ: &[(
            &[Of::Fields, Of::Strict, Of::Entries, Of::Valid, Of::Properties],
            &[
                "a block's header at the margin of its key",
                "a block's header at the margin of a nested key",
            ],
        )],
    },
    Meant {
        reason: "Readers of YAML 1.1 end an anchor's name at a question mark or colon, and take a \
                 question mark in brackets for the mark of a key; those of 1.2 take both for \
                 letters. The skill says different things to them, so strict mode leaves it out, \
                 and no reading is called the right one.",
        differ: &[(
            &[Of::Fields, Of::Strict, Of::Entries, Of::Valid],
            &[
                "an anchor that a question mark ends",
                "an anchor that a colon ends",
                "a question mark before a word in a flow list",
                "a question mark before a word in a flow mapping",
            ],
        )],
    },
    Meant {
        reason: "Ours reads a front matter with up to 64 levels and 256 KiB, and folders with \
                 up to 64 levels; beyond that nothing is meant for a person.",
        differ: &[
            (&[Of::Fields, Of::Strict, Of::Entries, Of::Valid], &["70 lists inside each other"]),
            (
                &[Of::Strict, Of::Entries, Of::Valid, Of::Properties],
                &["a value of 300,000 characters"],
            ),
            (
                &[Of::Published, Of::Fields, Of::Description, Of::Files, Of::Entries, Of::Valid],
                &["a file 70 folders deep"],
            ),
        ],
    },
    Meant {
        reason: "The reference's later versions (4.2.3) take a list in `allowed-tools` and \
                 values of any type in `metadata`, as hundreds of public skills have them; we \
                 follow these, and warn.",
        differ: &[(
            &[Of::Entries, Of::Valid],
            &[
                "`allowed-tools` as an empty list",
                "`allowed-tools` as a list of texts",
                "`allowed-tools` as a block list of texts",
                "`metadata` as a mapping with a number",
                "`metadata` as a mapping with a boolean",
                "`metadata` as a mapping with null",
                "`metadata` as a mapping with a list",
                "`metadata` as a mapping with a mapping",
                "`allowed-tools` of [Bash(git:*), Read]",
            ],
        )],
    },
    Meant {
        reason: "A name that is not UTF-8 has no URI: the reference's listing cannot be sent.",
        differ: &[(
            &[Of::Published, Of::Fields, Of::Description, Of::Files],
            &["a file whose name is not UTF-8"],
        )],
    },
    Meant {
        reason: "A backslash, also by escape, is in no URI that is read: to some readers it parts \
                 folders. What only such a URI would give is left out with a warning.",
        differ: &[(
            &[Of::Published, Of::Fields, Of::Description, Of::Files],
            &["a name with a back-slash"],
        )],
    },
    Meant {
        reason: "The reference takes a first letter and a colon for a drive of Windows, on \
                 every system, and leaves the skill out; the URI is right, and a warning says \
                 that Windows cannot hold the name.",
        differ: &[(&[Of::Entries, Of::Valid], &[r#"a file "a:b""#])],
    },
    Meant {
        reason: "Roots that are one folder by real path count once; the reference takes each \
                 skill for its own duplicate.",
        differ: &[(&[Of::Entries], &["one root twice", "one root in two spellings"])],
    },
    Meant {
        reason: "A single folder is judged without the root in which it lies.",
        differ: &[(&[Of::Valid], &["the root is a link"])],
    },
    Meant {
        reason: "`skills-ref` also opens a `skill.md`; a skill is a folder with a `SKILL.md`.",
        differ: &[(&[Of::Properties], &["a skill.md in small letters"])],
    },
    Meant {
        reason: "`skills-ref` splits the file at any three dashes and reads an empty \
                 description; ours says that the front matter has three dashes in it.",
        differ: &[(&[Of::SkillsRef], &["three dashes as a whole value"])],
    },
    Meant {
        reason: "`skills-ref` counts the line break at the end of the last block scalar; the \
                 reference does not have it.",
        differ: &[(&[Of::SkillsRef], &["1,024 characters as a literal scalar in last place"])],
    },
    Meant {
        reason: "StrictYAML, in `skills-ref` alone, refuses every tag and every anchor: what \
                 is made of the skill there is told by the reading of `skills-ref`, and no \
                 diagnostic asks the author to change what every other reader takes.",
        differ: &[(
            &[Of::SkillsRef],
            &[
                r#"the value "!""#,
                r#"the value "&a""#,
                r#"the value "&a b""#,
                r#"the value "!!str 12""#,
                r#"the value "!!str""#,
                r#"the value "!!int '12'""#,
                r#"the value "!!float 1""#,
                r#"the value "!!float '1.5'""#,
                r#"the value "!!bool 'yes'""#,
                r#"the value "!!null ''""#,
                r#"the value "!!null x""#,
                r#"the value "!<tag:yaml.org,2002:str> 12""#,
                r#"the value "! 12""#,
                "a tag on its own line",
                "a tag on its own line in last place",
                "an anchor on its own line",
                "an anchor on its own line in last place",
                "an anchor before a block",
                "an anchor before a block in last place",
                "a tag before a block",
                "a tag before a block in last place",
                r#"the description "&ampersand at the start""#,
                "a key with a tag",
                "a key with an anchor",
                "an anchor that nothing uses",
                "a core tag on a mapping",
                "a tagged front matter",
                "an anchored front matter",
                "a description with an anchor",
                "a description with a tag",
            ],
        )],
    },
];
