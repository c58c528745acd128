//! Servers that are programs on this machine, and do not behave. Each is a few lines for the shell.
#![cfg(unix)]

use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Value, json};
use skills::origin::Endpoint;

use crate::meeting::{Meeting, compare, memory_is_bounded};
use crate::world::{GOOD, MAIN, RUN, World, content};

/// Answers every question honestly, but where a row puts other lines (`CASES`) before.
const SERVER: &str = r#"
say() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$1"; }
serve() {
    while IFS= read -r line; do
        id=${line#*\"id\":}; id=${id%%[,\}]*}
        case $line in
            CASES
            *server/discover*) say "$DISCOVER" ;;
            *skills/list*) say "$LIST" ;;
            *resources/read*review/SKILL.md*) say "$MAIN" ;;
            *resources/read*run.sh*) say "$RUN" ;;
            *resources/read*good/SKILL.md*) say "$GOOD" ;;
        esac
    done
}
"#;

/// A program: lines before it serves, other cases, and lines after its input ended.
struct Program {
    before: &'static str,
    cases: &'static str,
    after: &'static str,
    hasty: bool,
}

impl Program {
    const HONEST: Self = Self { before: "", cases: "", after: "", hasty: false };

    fn meeting(&self, notes: &std::path::Path) -> Meeting {
        let serve = SERVER.replace("CASES", self.cases);
        let script = format!("{serve}\n{}\nserve\n{}", self.before, self.after);
        let args = vec!["-c".to_owned(), script];
        let endpoint = Endpoint::Command { program: "/bin/sh".to_owned(), args };
        let complete = |mut result: Value| {
            result["resultType"] = json!("complete");
            result["ttlMs"] = json!(0);
            result["cacheScope"] = json!("private");
            result.to_string()
        };
        let world = World::honest();
        let read = |uri: &str, text: &str| {
            complete(json!({ "contents": [content(uri, text.as_bytes())] }))
        };
        let discover = complete(json!({
            "supportedVersions": ["2026-07-28"], "capabilities": world.capabilities,
        }));
        let environment = [
            ("PATH", "/usr/bin:/bin".to_owned()),
            ("NOTES", notes.to_str().unwrap().to_owned()),
            ("DISCOVER", discover),
            ("LIST", complete(json!({ "skills": world.entries }))),
            ("MAIN", read("skill://review/SKILL.md", MAIN)),
            ("RUN", read("skill://review/run.sh", RUN)),
            ("GOOD", read("skill://good/SKILL.md", GOOD)),
        ];
        Meeting::with(endpoint, self.hasty).change(|context| {
            context.environment =
                environment.map(|(name, value)| (name.into(), value.into())).to_vec();
        })
    }

    /// Meets it, and gives what it noted in its file.
    async fn check(self, expected: &[&str]) -> String {
        let folder = tempfile::tempdir().unwrap();
        let notes = folder.path().join("notes");
        let mut meeting = self.meeting(&notes);
        let said = meeting.run().await;
        compare(&said, expected);
        meeting.nothing_is_left_behind();
        memory_is_bounded();
        std::fs::read_to_string(notes).unwrap_or_default()
    }
}

/// Waits until a process is gone, or is only waiting for somebody to ask how it ended.
async fn is_gone(pid: &str) {
    let status = PathBuf::from(format!("/proc/{}/stat", pid.trim()));
    let gone = async {
        while let Ok(line) = std::fs::read_to_string(&status) {
            if line.rsplit(") ").next().unwrap().starts_with(['Z', 'X']) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), gone).await.expect("it still runs");
}

macro_rules! programs {
    ($($name:ident: { $($field:ident: $value:expr),* } => [$($line:expr),* $(,)?];)*) => {$(
        #[tokio::test]
        async fn $name() {
            Program { $($field: $value,)* ..Program::HONEST }.check(&[$($line),*]).await;
        }
    )*};
}

programs! {
    an_honest_program_is_verified: {} => ["review verified", "good verified"];
    lines_that_are_no_messages_are_let_be:
        { before: "echo 'Starting up...'; echo; echo '{'; echo '[]'; printf '\\377\\n'" } => [
            "review verified",
            "good verified",
        ];
    ten_thousand_lines_that_are_no_messages_are_let_be:
        { before: "seq 10000" } => ["review verified", "good verified"];
    line_ends_of_windows_are_let_be:
        { cases: "*skills/list*) say \"$LIST\" | sed 's/$/\\r/' ;;" } => [
            "review verified",
            "good verified",
        ];
    answers_to_nobody_are_let_be:
        { cases: "*skills/list*) real=$id; id=12345; say '{}'; id=$real; say \"$LIST\" ;;" } => [
            "review verified",
            "good verified",
        ];
    the_first_of_two_answers_counts:
        { cases: "*skills/list*) say \"$LIST\"; say '{\"skills\":[]}' ;;" } => [
            "review verified",
            "good verified",
        ];
    an_error_of_fifty_megabytes_on_the_side_is_let_be:
        { before: "head -c 50000000 /dev/zero >&2" } => ["review verified", "good verified"];
    a_line_over_the_limit_is_told:
        { cases: "*skills/list*) head -c 33554433 /dev/zero | tr '\\0' x; echo ;;" } => [
            "Closed: cannot list the skills of SERVER: the connection is closed; it sent a line of more than 33554432 bytes",
        ];
    a_message_of_millions_of_values_is_told:
        { cases: "*skills/list*) printf '{\"a\":['; yes '[]' | head -n 3000000 | tr '\\n' ','; echo '0]}' ;;" } => [
            "Closed: cannot list the skills of SERVER: the connection is closed; it sent a message of more than 400000 values",
        ];
    a_line_that_never_ends_is_told:
        { cases: "*skills/list*) tr '\\0' x < /dev/zero ;;" } => [
            "Closed: cannot list the skills of SERVER: the connection is closed; it sent a line of more than 33554432 bytes",
        ];
    a_program_that_ends_at_once_is_told:
        { before: "printf '\\033[31mno\\033[0m\\n' >&2; exit 3" } => [
            "Closed: cannot connect to SERVER: the program ended with status 3; it wrote: [31mno [0m",
        ];
    a_program_that_ends_at_the_list_is_told:
        { cases: "*skills/list*) exit 4 ;;" } => [
            "Closed: cannot list the skills of SERVER: the program ended with status 4",
        ];
    a_program_that_ends_in_half_a_line_is_told:
        { cases: "*skills/list*) printf '{\"jsonrpc\":\"2.0\",\"id\":'; exit 5 ;;" } => [
            "Closed: cannot list the skills of SERVER: the program ended with status 5",
        ];
    a_program_that_ends_at_a_file_is_told:
        { cases: "*resources/read*run.sh*) exit 6 ;;" } => [
            "review not fetched: Closed: cannot read run.sh from SERVER: the program ended with status 6",
            "good not fetched: Closed: cannot read SKILL.md from SERVER: the program ended with status 6",
        ];
    a_program_that_is_killed_is_told:
        { cases: "*skills/list*) kill -9 $$ ;;" } => [
            "Closed: cannot list the skills of SERVER: the program was ended by signal: 9 (SIGKILL)",
        ];
    a_program_that_closes_its_output_and_lives_is_told:
        { cases: "*skills/list*) exec >&-; sleep 1000 ;;" } => [
            "Closed: cannot list the skills of SERVER: the connection is closed",
        ];
    a_program_that_does_not_answer_runs_into_the_time_out:
        { cases: "*skills/list*) ;;", hasty: true } => [
            "Timeout: cannot list the skills of SERVER: no answer within 1 s",
        ];
    a_program_that_answers_with_another_id_runs_into_the_time_out:
        { cases: "*skills/list*) id=999; say \"$LIST\" ;;", hasty: true } => [
            "Timeout: cannot list the skills of SERVER: no answer within 1 s",
        ];
    a_file_that_is_another_is_refused:
        { cases: "*resources/read*run.sh*) say \"$MAIN\" ;;" } => [
            "review run.sh: 10 bytes declared, 62 served",
            "good verified",
        ];
}

#[tokio::test]
async fn a_program_that_will_not_end_is_ended() {
    let pid = Program {
        before: "trap '' TERM HUP INT; echo $$ > \"$NOTES\"",
        after: "while :; do sleep 1; done",
        ..Program::HONEST
    }
    .check(&["review verified", "good verified"])
    .await;
    is_gone(&pid).await;
}

#[tokio::test]
async fn what_a_program_started_ends_with_it() {
    let pids = Program {
        before: "sleep 1000 & echo $! > \"$NOTES\"; (sleep 1000 & echo $! >> \"$NOTES\")",
        ..Program::HONEST
    }
    .check(&["review verified", "good verified"])
    .await;
    assert_eq!(pids.lines().count(), 2);
    for pid in pids.lines() {
        is_gone(pid).await;
    }
}

#[tokio::test]
async fn a_program_is_not_started_by_being_saved_and_no_shell_reads_its_words() {
    let folder = tempfile::tempdir().unwrap();
    let made = folder.path().join("made");
    let program = format!("touch {}; true", made.display());
    let meeting =
        Meeting::with(Endpoint::Command { program, args: vec!["$(touch made)".to_owned()] }, false);
    assert!(!made.exists());
    let error = meeting.connect().await.expect_err("started");
    assert!(error.to_string().ends_with("the command was not found"), "{error}");
    assert!(!made.exists());
}
