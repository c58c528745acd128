//! URIs that lead elsewhere, in every spelling: of files, and of skills.

use serde_json::json;

use crate::meeting::rows;
use crate::world::World;

/// With one more file of the skill, truly declared and served, under this URI.
fn file(uri: &str) -> World {
    World::honest().resource(uri)
}

/// With an entry of this URI.
fn skill(uri: &str) -> World {
    World::honest().entry(|entry| entry["uri"] = json!(uri))
}

rows! {
    a_file_of_this_machine_is_refused:
        file("file:///etc/passwd") => [
            "review refused: \"file:///etc/passwd\" points outside the server",
            "good verified",
        ];
    a_file_of_this_machine_in_capitals_is_refused:
        file("FILE:///etc/passwd") => [
            "review refused: \"FILE:///etc/passwd\" points outside the server",
            "good verified",
        ];
    a_file_of_this_machine_without_slashes_is_refused:
        file("file:/etc/passwd") => [
            "review refused: \"file:/etc/passwd\" has no scheme",
            "good verified",
        ];
    a_file_of_this_machine_with_a_host_is_refused:
        file("fILe://localhost/etc/passwd") => [
            "review refused: \"fILe://localhost/etc/passwd\" points outside the server",
            "good verified",
        ];
    a_file_of_this_machine_behind_a_space_is_refused:
        file(" file:///etc/passwd") => [
            "review refused: \" file:///etc/passwd\" has no scheme",
            "good verified",
        ];
    a_path_of_this_machine_is_refused:
        file("/etc/passwd") => ["review refused: \"/etc/passwd\" has no scheme", "good verified"];
    a_path_on_a_share_is_refused:
        file("\\\\host\\share\\x") => [
            "review refused: \"\\\\\\\\host\\\\share\\\\x\" has no scheme",
            "good verified",
        ];
    a_page_of_the_web_is_refused:
        file("https://example.org/review/a") => [
            "review refused: \"https://example.org/review/a\" points outside the server",
            "good verified",
        ];
    data_in_the_uri_is_refused:
        file("data:text/plain,hello") => [
            "review refused: \"data:text/plain,hello\" has no scheme",
            "good verified",
        ];
    a_script_in_the_uri_is_refused:
        file("javascript://review/%0aalert(1)") => [
            "review refused: \"javascript://review/%0aalert(1)\" points outside the server",
            "good verified",
        ];
    an_empty_uri_is_refused: file("") => ["review refused: \"\" has no scheme", "good verified"];
    a_uri_without_its_slashes_is_refused:
        file("skill:review/a") => [
            "review refused: \"skill:review/a\" has no scheme",
            "good verified",
        ];
    a_scheme_in_capitals_is_another:
        file("SKILL://review/a") => [
            "review refused: \"SKILL://review/a\" is not inside \"skill://review/SKILL.md\"",
            "good verified",
        ];
    a_file_of_another_skill_is_refused:
        file("skill://good/a") => [
            "review refused: \"skill://good/a\" is not inside \"skill://review/SKILL.md\"",
            "good verified",
        ];
    a_file_of_a_skill_with_a_longer_name_is_refused:
        file("skill://review2/a") => [
            "review refused: \"skill://review2/a\" is not inside \"skill://review/SKILL.md\"",
            "good verified",
        ];
    a_file_of_a_skill_in_capitals_is_refused:
        file("skill://REVIEW/a") => [
            "review refused: \"skill://REVIEW/a\" is not inside \"skill://review/SKILL.md\"",
            "good verified",
        ];
    the_skill_itself_is_no_file:
        file("skill://review") => [
            "review refused: \"skill://review\" is not inside \"skill://review/SKILL.md\"",
            "good verified",
        ];
    a_way_up_is_refused:
        file("skill://review/../good/a") => [
            "review refused: \"skill://review/../good/a\" has the segment \"..\", which is not allowed",
            "good verified",
        ];
    an_encoded_way_up_is_refused:
        file("skill://review/%2e%2e/good/a") => [
            "review refused: \"skill://review/%2e%2e/good/a\" has the segment \"..\", which is not allowed",
            "good verified",
        ];
    a_half_encoded_way_up_is_refused:
        file("skill://review/.%2E/a") => [
            "review refused: \"skill://review/.%2E/a\" has the segment \"..\", which is not allowed",
            "good verified",
        ];
    an_encoded_slash_is_refused:
        file("skill://review/a%2f..%2f..%2fb") => [
            "review refused: \"skill://review/a%2f..%2f..%2fb\" has the segment \"a/../../b\", which is not allowed",
            "good verified",
        ];
    an_encoded_slash_in_capitals_is_refused:
        file("skill://review/..%2Fb") => [
            "review refused: \"skill://review/..%2Fb\" has the segment \"../b\", which is not allowed",
            "good verified",
        ];
    a_backslash_is_refused:
        file("skill://review/..\\b") => [
            "review refused: \"skill://review/..\\\\b\" has the segment \"..\\\\b\", which is not allowed",
            "good verified",
        ];
    an_encoded_backslash_is_refused:
        file("skill://review/a%5c..%5cb") => [
            "review refused: \"skill://review/a%5c..%5cb\" has the segment \"a\\\\..\\\\b\", which is not allowed",
            "good verified",
        ];
    a_zero_byte_is_refused:
        file("skill://review/a%00.md") => [
            "review refused: \"skill://review/a%00.md\" has the segment \"a\\0.md\", which is not allowed",
            "good verified",
        ];
    a_line_break_in_a_name_is_refused:
        file("skill://review/a%0ab") => [
            "review refused: the path \"a\\nb\" has the character '\\n'",
            "good verified",
        ];
    an_escape_in_a_name_is_refused:
        file("skill://review/%1b[31m") => [
            "review refused: the path \"\\u{1b}[31m\" has the character '\\u{1b}'",
            "good verified",
        ];
    bytes_that_are_no_text_are_refused:
        file("skill://review/%ff") => [
            "review refused: \"skill://review/%ff\" does not decode to UTF-8",
            "good verified",
        ];
    a_slash_in_too_many_bytes_is_refused:
        file("skill://review/..%c0%afb") => [
            "review refused: \"skill://review/..%c0%afb\" does not decode to UTF-8",
            "good verified",
        ];
    two_slashes_are_refused:
        file("skill://review//etc/passwd") => [
            "review refused: \"skill://review//etc/passwd\" has the segment \"\", which is not allowed",
            "good verified",
        ];
    a_slash_at_the_end_is_refused:
        file("skill://review/a/") => [
            "review refused: \"skill://review/a/\" has the segment \"\", which is not allowed",
            "good verified",
        ];
    a_segment_that_is_a_dot_is_refused:
        file("skill://review/./a") => [
            "review refused: \"skill://review/./a\" has the segment \".\", which is not allowed",
            "good verified",
        ];
    a_user_in_the_uri_is_another_skill:
        file("skill://user:pw@review/a") => [
            "review refused: \"skill://user:pw@review/a\" is not inside \"skill://review/SKILL.md\"",
            "good verified",
        ];
    a_port_in_the_uri_is_another_skill:
        file("skill://review:80/a") => [
            "review refused: \"skill://review:80/a\" is not inside \"skill://review/SKILL.md\"",
            "good verified",
        ];
    a_query_is_refused:
        file("skill://review/a?b") => [
            "review refused: the uri \"skill://review/a?b\" has a query or a fragment",
            "good verified",
        ];
    a_fragment_is_refused:
        file("skill://review/a#b") => [
            "review refused: the uri \"skill://review/a#b\" has a query or a fragment",
            "good verified",
        ];
    a_drive_letter_is_refused:
        file("skill://review/C:/x") => [
            "review refused: the path \"C:/x\" has the character ':'",
            "good verified",
        ];
    an_encoded_drive_is_refused:
        file("skill://review/C:%5cWindows") => [
            "review refused: \"skill://review/C:%5cWindows\" has the segment \"C:\\\\Windows\", which is not allowed",
            "good verified",
        ];
    a_second_stream_is_refused:
        file("skill://review/a.txt::$DATA") => [
            "review refused: the path \"a.txt::$DATA\" has the character ':'",
            "good verified",
        ];
    a_name_of_a_device_is_refused:
        file("skill://review/nul") => [
            "review refused: the path \"nul\" has a name that Windows keeps for a device",
            "good verified",
        ];
    a_name_of_a_device_with_an_ending_is_refused:
        file("skill://review/Com1.tar.gz") => [
            "review refused: the path \"Com1.tar.gz\" has a name that Windows keeps for a device",
            "good verified",
        ];
    a_dot_at_the_end_is_refused:
        file("skill://review/a.") => [
            "review refused: the path \"a.\" has a name that ends with a dot or a space",
            "good verified",
        ];
    a_space_at_the_end_is_refused:
        file("skill://review/a%20") => [
            "review refused: the path \"a \" has a name that ends with a dot or a space",
            "good verified",
        ];
    a_name_of_256_bytes_is_refused:
        file(&format!("skill://review/{}", "a".repeat(256))) => [
            "review refused: the path \"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…\" has a name of more than 255 bytes",
            "good verified",
        ];
    a_path_of_more_than_768_bytes_is_refused:
        file(&format!("skill://review/{}a", "abcdefghi/".repeat(77))) => [
            "review refused: the path \"abcdefghi/abcdefghi/abcdefghi/abcdefghi/abcdefghi/abcdefghi/abcdefghi/abcdefghi/abcdefghi/abcdefghi/abcdefghi/abcdefghi/abcdefghi/abcdefghi/abcdefghi/abcdefghi/abcdefghi/abcdefghi/abcdefghi/abcdefghi/…\" has more than 768 bytes",
            "good verified",
        ];
    a_path_of_65_folders_is_refused:
        file(&format!("skill://review/{}a", "b/".repeat(64))) => [
            "review refused: the path \"b/b/b/b/b/b/b/b/b/b/b/b/b/b/b/b/b/b/b/b/b/b/b/b/b/b/b/b/b/b/b/b/b/b/b/b/b/b/b/b/b/b/b/b/b/b/b/b/b/b/b/b/b/b/b/b/b/b/b/b/b/b/b/b/a\" is more than 64 folders deep",
            "good verified",
        ];
    a_uri_of_more_than_4096_bytes_is_refused:
        file(&format!("skill://review/{}", "%61".repeat(1400))) => [
            "review refused: the uri of resource 3 has 4215 bytes",
            "good verified",
        ];
    what_is_encoded_twice_is_decoded_once:
        file("skill://review/%252e%252e%252fa") => ["review verified", "good verified"];

    a_skill_that_is_a_file_of_this_machine_is_refused:
        skill("file:///home/x/review/SKILL.md") => [
            "\"file:///home/x/review/SKILL.md\" refused: \"file:///home/x/review/SKILL.md\" points outside the server",
            "good verified",
        ];
    a_skill_that_is_a_page_is_refused:
        skill("https://example.org/review/SKILL.md") => [
            "\"https://example.org/review/SKILL.md\" refused: \"https://example.org/review/SKILL.md\" points outside the server",
            "good verified",
        ];
    a_skill_on_a_way_up_is_refused:
        skill("skill://../review/SKILL.md") => [
            "\"skill://../review/SKILL.md\" refused: \"skill://../review/SKILL.md\" has the segment \"..\", which is not allowed",
            "good verified",
        ];
    a_skill_on_an_encoded_way_up_is_refused:
        skill("skill://a/%2e%2e/review/SKILL.md") => [
            "\"skill://a/%2e%2e/review/SKILL.md\" refused: \"skill://a/%2e%2e/review/SKILL.md\" has the segment \"..\", which is not allowed",
            "good verified",
        ];
    a_skill_with_an_encoded_slash_is_refused:
        skill("skill://a%2freview/SKILL.md") => [
            "\"skill://a%2freview/SKILL.md\" refused: \"skill://a%2freview/SKILL.md\" has the segment \"a/review\", which is not allowed",
            "good verified",
        ];
    a_skill_without_a_name_is_refused:
        skill("skill:///SKILL.md") => [
            "\"skill:///SKILL.md\" refused: \"skill:///SKILL.md\" has the segment \"\", which is not allowed",
            "good verified",
        ];
    a_skill_with_a_query_is_refused:
        skill("skill://review/SKILL.md?x=1") => [
            "\"skill://review/SKILL.md?x=1\" refused: the uri \"skill://review/SKILL.md?x=1\" has a query or a fragment",
            "good verified",
        ];
    a_skill_that_is_another_file_is_refused:
        skill("skill://review/README.md") => [
            "\"skill://review/README.md\" refused: \"skill://review/README.md\" does not name a SKILL.md inside a skill",
            "good verified",
        ];
    a_skill_without_a_scheme_is_refused:
        skill("review/SKILL.md") => [
            "\"review/SKILL.md\" refused: \"review/SKILL.md\" has no scheme",
            "good verified",
        ];
    a_skill_of_a_device_is_refused:
        skill("skill://aux/SKILL.md") => [
            "\"skill://aux/SKILL.md\" refused: the path \"aux\" has a name that Windows keeps for a device",
            "\"skill://aux/SKILL.md\" refused: the name \"review\" is not the last part of the skill's path, \"aux\"",
            "\"skill://aux/SKILL.md\" refused: \"skill://review/SKILL.md\" is not inside \"skill://aux/SKILL.md\"",
            "\"skill://aux/SKILL.md\" refused: \"skill://review/run.sh\" is not inside \"skill://aux/SKILL.md\"",
            "good verified",
        ];
    a_uri_that_is_empty_is_refused:
        skill("") => ["\"\" refused: \"\" has no scheme", "good verified"];
    a_uri_that_steers_a_terminal_is_refused:
        skill("skill://\u{1b}[31m\u{202e}/SKILL.md") => [
            "\"skill://\\u{1b}[31m\\u{202e}/SKILL.md\" refused: the path \"\\u{1b}[31m\\u{202e}\" has the character '\\u{1b}'",
            "\"skill://\\u{1b}[31m\\u{202e}/SKILL.md\" refused: the name \"review\" is not the last part of the skill's path, \"\\u{1b}[31m\\u{202e}\"",
            "\"skill://\\u{1b}[31m\\u{202e}/SKILL.md\" refused: \"skill://review/SKILL.md\" is not inside \"skill://\\u{1b}[31m\\u{202e}/SKILL.md\"",
            "\"skill://\\u{1b}[31m\\u{202e}/SKILL.md\" refused: \"skill://review/run.sh\" is not inside \"skill://\\u{1b}[31m\\u{202e}/SKILL.md\"",
            "good verified",
        ];
}
