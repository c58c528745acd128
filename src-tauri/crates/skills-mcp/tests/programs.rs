//! Programs that are no servers.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod support;

use skills::origin::Endpoint;
use skills_mcp::{ClientContext, ClientError, Connection, ErrorKind};
use support::{context, impatient};

fn shell(script: &str) -> Endpoint {
    Endpoint::Command {
        program: "/bin/sh".to_owned(),
        args: vec!["-c".to_owned(), script.to_owned()],
    }
}

async fn fails(endpoint: &Endpoint, context: &ClientContext) -> ClientError {
    Connection::open(endpoint, context).await.expect_err("connected")
}

#[tokio::test]
async fn a_command_that_is_not_there_is_named() {
    let endpoint =
        Endpoint::Command { program: "no-such-program-3f1".to_owned(), args: Vec::new() };
    let error = fails(&endpoint, &context()).await;
    assert_eq!(error.kind(), ErrorKind::Unreachable);
    assert_eq!(error.to_string(), "cannot start no-such-program-3f1: the command was not found");
    assert!(error.hint().unwrap().contains("no-such-program-3f1"));
}

#[tokio::test]
async fn a_file_that_may_not_be_run_is_told_from_one_that_is_not_there() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let endpoint =
        Endpoint::Command { program: file.path().to_str().unwrap().to_owned(), args: Vec::new() };
    let error = fails(&endpoint, &context()).await;
    assert!(error.to_string().ends_with("the file may not be run"), "{error}");
}

#[tokio::test]
async fn a_program_that_ends_at_once_is_told_with_its_status_and_last_words() {
    let error = fails(&shell("echo 'no module named x' >&2; exit 3"), &context()).await;
    assert_eq!(error.kind(), ErrorKind::Closed);
    assert_eq!(
        error.to_string(),
        "cannot connect to /bin/sh: the program ended with status 3; it wrote: no module named x"
    );
}

#[tokio::test]
async fn a_program_that_answers_something_else_is_told_to_be_another_command() {
    let answer = r#"read q; echo '{"jsonrpc":"2.0","id":99,"result":{}}'; read q"#;
    let error = fails(&shell(answer), &context()).await;
    assert_eq!(error.kind(), ErrorKind::NotMcp);
    assert_eq!(
        error.hint(),
        Some("check the command: it must be one that speaks MCP on its output".to_owned())
    );
}

#[tokio::test]
async fn a_program_that_never_answers_runs_into_the_time_out_and_is_ended() {
    let dir = tempfile::tempdir().unwrap();
    let pid_file = dir.path().join("pid");
    let script = format!("echo waiting >&2; echo $$ > {}; sleep 1000", pid_file.display());
    let error = fails(&shell(&script), &impatient()).await;
    assert_eq!(error.kind(), ErrorKind::Timeout);
    assert!(error.to_string().contains("it wrote: waiting"), "{error}");
    let pid: i32 = std::fs::read_to_string(&pid_file).unwrap().trim().parse().unwrap();
    let pid = rustix::process::Pid::from_raw(pid).unwrap();
    // It is asked first and ended by force later; either is within a few seconds.
    let gone = async {
        while rustix::process::test_kill_process(pid).is_ok() {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(std::time::Duration::from_secs(20), gone).await.expect("still runs");
}

#[tokio::test]
async fn a_program_that_only_chatters_runs_into_the_time_out() {
    let error =
        fails(&shell("cat > /dev/null & while :; do echo hello; sleep 0.05; done"), &impatient())
            .await;
    assert_eq!(error.kind(), ErrorKind::Timeout);
}

#[tokio::test]
async fn a_program_gets_only_the_environment_it_is_given() {
    let context = ClientContext {
        environment: vec![("PATH".into(), "/usr/bin:/bin".into()), ("LANG".into(), "C".into())],
        ..context()
    };
    let error =
        fails(&shell("env | grep -v '^_=\\|^PWD=\\|^SHLVL=' | sort | tr '\\n' ' ' >&2"), &context)
            .await;
    assert!(error.to_string().ends_with("it wrote: LANG=C PATH=/usr/bin:/bin"), "{error}");
}

/// Waits until nothing runs under this id any more.
async fn is_gone(file: &std::path::Path) {
    let pid = || std::fs::read_to_string(file).ok()?.trim().parse().ok();
    let gone = async {
        let pid = loop {
            match pid().and_then(rustix::process::Pid::from_raw) {
                Some(pid) => break pid,
                None => tokio::time::sleep(std::time::Duration::from_millis(20)).await,
            }
        };
        while rustix::process::test_kill_process(pid).is_ok() {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(std::time::Duration::from_secs(20), gone).await.expect("still runs");
}

/// A program that speaks MCP, and has started another that ignores being asked to end.
fn with_a_child(file: &std::path::Path) -> Endpoint {
    let answer = r#"{"jsonrpc":"2.0","id":0,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{},"ttlMs":0,"cacheScope":"private"}}"#;
    shell(&format!(
        "trap '' TERM; sh -c 'trap \"\" TERM HUP INT; while :; do sleep 1; done' & echo $! > {}; \
         read question; echo '{answer}'; while read question; do :; done",
        file.display()
    ))
}

#[tokio::test]
async fn what_a_program_started_ends_with_the_connection() {
    let dir = tempfile::tempdir().unwrap();
    let connection = Connection::open(&with_a_child(&dir.path().join("closed")), &context()).await;
    connection.unwrap().close().await;
    is_gone(&dir.path().join("closed")).await;

    let connection = Connection::open(&with_a_child(&dir.path().join("dropped")), &context()).await;
    drop(connection.unwrap());
    is_gone(&dir.path().join("dropped")).await;
}

#[tokio::test]
async fn all_programs_can_be_ended_while_their_connections_are_held() {
    let dir = tempfile::tempdir().unwrap();
    let context = context();
    let files = [dir.path().join("one"), dir.path().join("two")];
    let mut held = Vec::new();
    for file in &files {
        held.push(Connection::open(&with_a_child(file), &context.clone()).await.unwrap());
    }
    context.programs.end().await;
    for file in &files {
        is_gone(file).await;
    }
    fails(&with_a_child(&dir.path().join("late")), &context).await;
    drop(held);
}

#[tokio::test]
async fn what_programs_wrote_outlives_their_connections() {
    let words = std::sync::Arc::<skills_mcp::Words>::default();
    let context = ClientContext { words: Some(words.clone()), ..context() };
    for word in ["one", "two"] {
        fails(&shell(&format!("printf '\\033[31m{word}' >&2; exit 1")), &context).await;
    }
    assert_eq!(words.lines(9), ["[31mone", "[31mtwo"]);
}
