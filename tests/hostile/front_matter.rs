//! A true digest of another front matter than the declared one: what a server says of a skill is
//! compared with what the skill says, field by field.

use serde_json::{Value, json};

use crate::meeting::rows;
use crate::world::World;

/// A file with these lines in its front matter, truly declared, and an entry that says this.
fn says(lines: &str, declared: Value) -> World {
    let main = format!("---\nname: review\n{lines}---\n\n# Review\n");
    World::honest().files(&main, &[]).entry(|entry| {
        entry["frontmatter"] = declared;
    })
}

/// One field of the file and of the entry; name and description agree.
fn field(line: &str, declared: Value) -> World {
    let name = line.split(':').next().unwrap().to_owned();
    let mut front_matter = json!({ "name": "review", "description": "Looks." });
    front_matter[name] = declared;
    says(&format!("description: Looks.\n{line}\n"), front_matter)
}

/// A whole file, truly declared.
fn file(main: &str) -> World {
    World::honest().files(main, &[])
}

rows! {
    another_description_is_shown_on_both_sides:
        says("description: Deletes everything.\n", json!({ "name": "review", "description": "Looks." })) => [
            "review \"description\": \"Looks.\" declared, \"Deletes everything.\" served",
            "good verified",
        ];
    a_description_that_differs_in_a_hidden_character_differs:
        says("description: Looks.\u{200b}\n", json!({ "name": "review", "description": "Looks." })) => [
            "review \"description\": \"Looks.\" declared, \"Looks.\u{200b}\" served",
            "good verified",
        ];
    a_description_that_differs_in_a_look_alike_differs:
        says("description: L\u{43e}oks.\n", json!({ "name": "review", "description": "Looks." })) => [
            "review \"description\": \"Looks.\" declared, \"L\u{43e}oks.\" served",
            "good verified",
        ];
    a_description_in_another_form_of_the_same_characters_differs:
        says("description: Cafe\u{301}.\n", json!({ "name": "review", "description": "Caf\u{e9}." })) => [
            "review \"description\": \"Café.\" declared, \"Cafe\u{301}.\" served",
            "good verified",
        ];
    a_description_that_ends_with_a_space_differs:
        says("description: 'Looks. '\n", json!({ "name": "review", "description": "Looks." })) => [
            "review \"description\": \"Looks.\" declared, \"Looks. \" served",
            "good verified",
        ];
    another_name_in_the_file_is_shown:
        file("---\nname: other\ndescription: Looks at changes.\n---\n") => [
            "review \"name\": \"review\" declared, \"other\" served",
            "good verified",
        ];
    no_name_in_the_file_is_shown:
        file("---\ndescription: Looks at changes.\n---\n") => [
            "review \"name\": \"review\" declared, nothing served",
            "good verified",
        ];
    a_field_that_is_only_declared_is_shown:
        says("description: Looks.\n", json!({ "name": "review", "description": "Looks.", "license": "MIT" })) => [
            "review \"license\": \"MIT\" declared, nothing served",
            "good verified",
        ];
    a_field_that_is_only_in_the_file_is_shown:
        says("description: Looks.\nallowed-tools: Bash(*)\n", json!({ "name": "review", "description": "Looks." })) => [
            "review \"allowed-tools\": nothing declared, \"Bash(*)\" served",
            "good verified",
        ];
    a_field_that_is_null_is_not_a_field_that_is_missing:
        field("license:", json!("")) => [
            "review \"license\": \"\" declared, null served",
            "good verified",
        ];
    a_text_is_not_a_number:
        field("version: '1.0'", json!(1.0)) => [
            "review \"version\": 1.0 declared, \"1.0\" served",
            "good verified",
        ];
    a_number_is_not_a_text:
        field("version: 1.0", json!("1.0")) => [
            "review \"version\": \"1.0\" declared, 1.0 served",
            "good verified",
        ];
    a_whole_number_is_not_another:
        field("version: 1", json!(2)) => [
            "review \"version\": 2 declared, 1 served",
            "good verified",
        ];
    a_number_too_large_to_count_is_not_its_neighbour:
        field("version: 9007199254740993", json!(9_007_199_254_740_992_u64)) => [
            "review \"version\": 9007199254740992 declared, 9007199254740993 served",
            "good verified",
        ];
    true_is_not_a_text:
        field("draft: true", json!("true")) => [
            "review \"draft\": \"true\" declared, true served",
            "good verified",
        ];
    a_date_is_not_another:
        field("date: 2026-01-01", json!("2026-01-02")) => [
            "review \"date\": \"2026-01-02\" declared, \"2026-01-01\" served",
            "good verified",
        ];
    a_list_is_not_a_text:
        field("allowed-tools: [Read, Bash]", json!("Read Bash")) => [
            "review \"allowed-tools\": \"Read Bash\" declared, [\"Read\",\"Bash\"] served",
            "good verified",
        ];
    a_list_in_another_order_differs:
        field("allowed-tools: [Read, Bash]", json!(["Bash", "Read"])) => [
            "review \"allowed-tools\": [\"Bash\",\"Read\"] declared, [\"Read\",\"Bash\"] served",
            "good verified",
        ];
    a_list_with_one_more_differs:
        field("allowed-tools: [Read, Bash]", json!(["Read"])) => [
            "review \"allowed-tools\": [\"Read\"] declared, [\"Read\",\"Bash\"] served",
            "good verified",
        ];
    a_value_inside_differs:
        field("metadata: { author: a, team: { name: b } }", json!({ "author": "a", "team": { "name": "c" } })) => [
            "review \"metadata\": {\"author\":\"a\",\"team\":{\"name\":\"c\"}} declared, {\"author\":\"a\",\"team\":{\"name\":\"b\"}} served",
            "good verified",
        ];
    a_key_inside_that_is_missing_differs:
        field("metadata: { author: a, hidden: b }", json!({ "author": "a" })) => [
            "review \"metadata\": {\"author\":\"a\"} declared, {\"author\":\"a\",\"hidden\":\"b\"} served",
            "good verified",
        ];
    a_key_inside_in_another_order_is_the_same:
        field("metadata: { a: x, b: y }", json!({ "b": "y", "a": "x" })) => [
            "review verified",
            "good verified",
        ];
    fields_in_another_order_are_the_same:
        says("description: Looks.\nlicense: MIT\n", json!({ "license": "MIT", "description": "Looks.", "name": "review" })) => [
            "review verified",
            "good verified",
        ];
    a_key_that_comes_twice_in_the_file_differs:
        says("description: Looks.\ndescription: Deletes everything.\n", json!({ "name": "review", "description": "Looks." })) => [
            "review \"description\": \"Looks.\" declared, \"Deletes everything.\" served",
            "good verified",
        ];
    a_key_that_comes_twice_is_not_its_last_value:
        says("description: Looks.\ndescription: Deletes everything.\n", json!({ "name": "review", "description": "Deletes everything." })) => [
            "review \"description\": \"Deletes everything.\" declared, \"Looks.\" served",
            "review \"description\": \"Deletes everything.\" declared, \"Deletes everything.\" served",
            "good verified",
        ];
    a_merged_key_is_not_its_fields:
        says("<<: { description: Looks. }\n", json!({ "name": "review", "description": "Looks." })) => [
            "review \"<<\": nothing declared, \"{ description: Looks. }\" served",
            "review \"description\": \"Looks.\" declared, nothing served",
            "good verified",
        ];
    no_front_matter_in_the_file_is_shown:
        file("# Review\n") => [
            "review \"\": {\"name\":\"review\",\"description\":\"Looks at changes.\"} declared, nothing served",
            "good verified",
        ];
    a_front_matter_that_does_not_end_is_shown:
        file("---\nname: review\ndescription: Looks at changes.\n") => [
            "review \"\": {\"name\":\"review\",\"description\":\"Looks at changes.\"} declared, nothing served",
            "good verified",
        ];
    a_front_matter_that_is_no_yaml_is_shown:
        file("---\nname: [review\n---\n") => [
            "review \"\": {\"name\":\"review\",\"description\":\"Looks at changes.\"} declared, nothing served",
            "good verified",
        ];
    a_front_matter_that_is_a_list_is_shown:
        file("---\n- name\n---\n") => [
            "review \"\": {\"name\":\"review\",\"description\":\"Looks at changes.\"} declared, nothing served",
            "good verified",
        ];
    a_front_matter_behind_an_empty_line_is_none:
        file("\n---\nname: review\ndescription: Looks at changes.\n---\n") => [
            "review \"\": {\"name\":\"review\",\"description\":\"Looks at changes.\"} declared, nothing served",
            "good verified",
        ];
    a_second_document_is_none_of_it:
        file("---\nname: review\n--- \ndescription: Looks at changes.\n---\n") => [
            "review \"description\": \"Looks at changes.\" declared, nothing served",
            "good verified",
        ];
    aliases_that_grow_without_bound_are_not_unfolded:
        file(&format!(
            "---\nname: review\ndescription: Looks at changes.\na0: &a0 [x]\n{}---\n",
            (1..12).map(|n| format!("a{n}: &a{n} [{}]\n", vec![format!("*a{}", n - 1); 10].join(", "))).collect::<String>(),
        )) => [
            "review \"a0\": nothing declared, [\"x\"] served",
            "review \"a1\": nothing declared, \"&a1 [*a0, *a0, *a0, *a0, *a0, *a0, *a0, *a0, *a0, *a0]\" served",
            "review \"a2\": nothing declared, \"&a2 [*a1, *a1, *a1, *a1, *a1, *a1, *a1, *a1, *a1, *a1]\" served",
            "review \"a3\": nothing declared, \"&a3 [*a2, *a2, *a2, *a2, *a2, *a2, *a2, *a2, *a2, *a2]\" served",
            "review \"a4\": nothing declared, \"&a4 [*a3, *a3, *a3, *a3, *a3, *a3, *a3, *a3, *a3, *a3]\" served",
            "review \"a5\": nothing declared, \"&a5 [*a4, *a4, *a4, *a4, *a4, *a4, *a4, *a4, *a4, *a4]\" served",
            "review \"a6\": nothing declared, \"&a6 [*a5, *a5, *a5, *a5, *a5, *a5, *a5, *a5, *a5, *a5]\" served",
            "review \"a7\": nothing declared, \"&a7 [*a6, *a6, *a6, *a6, *a6, *a6, *a6, *a6, *a6, *a6]\" served",
            "review \"a8\": nothing declared, \"&a8 [*a7, *a7, *a7, *a7, *a7, *a7, *a7, *a7, *a7, *a7]\" served",
            "review \"a9\": nothing declared, \"&a9 [*a8, *a8, *a8, *a8, *a8, *a8, *a8, *a8, *a8, *a8]\" served",
            "review \"a10\": nothing declared, \"&a10 [*a9, *a9, *a9, *a9, *a9, *a9, *a9, *a9, *a9, *a9]\" served",
            "review \"a11\": nothing declared, \"&a11 [*a10, *a10, *a10, *a10, *a10, *a10, *a10, *a10, *a10, *a10]\" served",
            "good verified",
        ];
    a_value_nested_ten_thousand_times_is_shown:
        file(&format!(
            "---\nname: review\ndescription: Looks at changes.\na: {}{}\n---\n", "[".repeat(10_000), "]".repeat(10_000),
        )) => [
            "review \"\": {\"name\":\"review\",\"description\":\"Looks at changes.\"} declared, nothing served",
            "good verified",
        ];
    millions_of_values_in_a_front_matter_are_not_read:
        file(&format!(
            "---\nname: review\ndescription: Looks at changes.\na: [{}x]\n---\n", "x,".repeat(2_000_000),
        )) => [
            "review \"\": {\"name\":\"review\",\"description\":\"Looks at changes.\"} declared, nothing served",
            "good verified",
        ];
    millions_of_lines_in_a_front_matter_are_not_read:
        file(&format!(
            "---\nname: review\ndescription: Looks at changes.\n{}---\n", (0..300_000).map(|n| format!("f{n}: x\n")).collect::<String>(),
        )) => [
            "review \"\": {\"name\":\"review\",\"description\":\"Looks at changes.\"} declared, nothing served",
            "good verified",
        ];
    a_main_file_that_is_no_text_is_shown:
        World::honest().on(|_| crate::server::Say::Usual).serve("skill://review/SKILL.md", b"\xff\xfe---\n").entry(|entry| {
            entry["resources"][0] = crate::world::resource("skill://review/SKILL.md", b"\xff\xfe---\n");
        }) => [
            "review \"\": {\"name\":\"review\",\"description\":\"Looks at changes.\"} declared, nothing served",
            "good verified",
        ];
}
