//! `cargo xtask test`: every check and every test, one after the other, and one count at the end.
//!
//! A step that fails does not stop the others. What a step prints is kept in
//! `target/xtask/STEP.log`, and shown whole when it fails.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::count::{self, Count, Counts};
use crate::home::Listing;
use crate::program::{Ended, cargo, command, logged, npm, on_path, output};
use crate::setup::{self, For};
use crate::{repository, types};

/// Test targets that must have run at least one test, by crate name.
const SUITES: &[&str] = &[
    "skills",
    "skills_mcp",
    "vault",
    "proofs",
    "skillhold",
    "xtask",
    "all",
    "hostile",
    "interop",
    "e2e",
];

/// Long enough for the slowest machine, short enough that a run that hangs is ended.
const CHECK: Duration = Duration::from_secs(10 * 60);
const BUILD: Duration = Duration::from_secs(40 * 60);

/// What is known so far.
#[derive(Default)]
struct Tally {
    passed: usize,
    failed: usize,
    lines: Vec<String>,
}

impl Tally {
    /// Takes down one step: a step that failed counts as a failure also where no test did.
    fn note(&mut self, name: &str, took: Duration, count: Count, problem: Option<&str>) {
        let failed = if problem.is_some() { count.failed.max(1) } else { count.failed };
        self.passed += count.passed;
        self.failed += failed;
        let word = if failed == 0 { "ok" } else { "FAILED" };
        let tests = match count {
            Count { passed: 0, failed: 0 } => String::new(),
            Count { passed, failed: 0 } => format!("{passed} passed"),
            Count { passed, failed } => format!("{passed} passed, {failed} failed"),
        };
        if let Some(problem) = problem {
            println!("{}", problem.trim_end());
        }
        println!("  {word}{}{tests} ({})", if tests.is_empty() { "" } else { ": " }, time(took));
        self.lines.push(format!("{word:<7} {name:<44} {tests:<24} {:>8}", time(took)));
    }

    fn ends_well(&self) -> bool {
        self.failed == 0 && self.passed > 0
    }
}

/// Runs everything.
///
/// # Errors
/// When anything failed or a suite ran no test.
pub(crate) fn run() -> Result<(), String> {
    let started = Instant::now();
    heading("Set-up");
    if let Err(problem) = setup::set_up(For::Tests) {
        println!("{problem}\n\n0 passed, 1 failed");
        return Err("the machine is not set up".to_owned());
    }
    println!("  ok ({})", time(started.elapsed()));
    let logs = repository::target().join("xtask");
    std::fs::create_dir_all(&logs).map_err(|error| format!("{}: {error}", logs.display()))?;

    let home = Listing::now();
    let mut tally = Tally::default();
    let mut steps = Steps { logs: &logs, tally: &mut tally };
    steps.page();
    steps.rust();
    steps.licences();
    steps.left_alone(&home);

    println!("\n{}", tally.lines.join("\n"));
    println!("\n{} in all\n", time(started.elapsed()));
    println!("{} passed, {} failed", tally.passed, tally.failed);
    if tally.ends_well() { Ok(()) } else { Err("not everything passed".to_owned()) }
}

struct Steps<'a> {
    logs: &'a Path,
    tally: &'a mut Tally,
}

impl Steps<'_> {
    fn page(&mut self) {
        self.check("Page: format", "page-format", npm(&["run", "--silent", "format:check"]), CHECK);
        self.check("Page: lint", "page-lint", npm(&["run", "--silent", "lint"]), CHECK);
        self.check("Page: types", "page-types", npm(&["run", "--silent", "check"]), CHECK);
        self.vitest("Page: unit tests", "page-unit", npm(&["run", "--silent", "test"]));
        self.vitest("Page: in Chromium", "page-chromium", npm(&["run", "--silent", "test:page"]));
    }

    fn rust(&mut self) {
        self.check("Rust: format", "format", cargo(&["fmt", "--all", "--check"]), CHECK);
        let clippy =
            ["clippy", "--workspace", "--all-targets", types::FEATURE, "--", "-D", "warnings"];
        self.check("Rust: clippy", "clippy", cargo(&clippy), BUILD);
        self.types();
        if cargo(&["nextest", "--version"]).output().is_ok_and(|output| output.status.success()) {
            let filter = format!("not test({})", types::WRITERS);
            let line =
                ["nextest", "run", "--workspace", types::FEATURE, "--no-fail-fast", "-E", &filter];
            self.rust_tests(
                "Rust: tests, window and peers",
                "tests",
                cargo(&line),
                count::nextest,
                SUITES,
            );
        } else {
            println!("\ncargo-nextest is not there; the tests run with cargo test");
            let line = [
                "test",
                "--workspace",
                types::FEATURE,
                "--no-fail-fast",
                "--",
                "--skip",
                types::WRITERS,
            ];
            self.rust_tests(
                "Rust: tests, window and peers",
                "tests",
                cargo(&line),
                count::cargo_test,
                SUITES,
            );
        }
    }

    /// The types that the page is written against are those of the program.
    fn types(&mut self) {
        heading("Rust: the page's types are up to date");
        let started = Instant::now();
        let outcome = types::empty(&types::fresh())
            .and_then(|()| logged(&mut types::writer(&types::fresh()), &self.log("types"), BUILD))
            .and_then(|ended| if ended.success { types::compare() } else { Err(ended.output) });
        self.told("the page's types", started, outcome);
    }

    fn licences(&mut self) {
        if on_path("cargo-deny").is_none() {
            println!("\ncargo-deny is not there; licences, bans and sources are not checked");
            return;
        }
        // It asks for the packages of every system, of which a build takes those of this one.
        let _ = output(&mut cargo(&["fetch", "--locked", "--quiet"]));
        let offline = ["deny", "--workspace", "--offline", "check", "licenses", "bans", "sources"];
        self.check("Licences, bans, sources", "deny", cargo(&offline), CHECK);
        // Advisories need a database from outside: without it there is nothing to say.
        heading("Advisories");
        let started = Instant::now();
        match logged(
            &mut cargo(&["deny", "--workspace", "check", "advisories"]),
            &self.log("advisories"),
            CHECK,
        ) {
            Ok(ended)
                if !ended.success && ended.output.contains("failed to fetch advisory database") =>
            {
                println!("  the database could not be fetched; not checked");
            }
            ended => self.finish("Advisories", started, ended, Count::default(), None),
        }
    }

    fn left_alone(&mut self, home: &Listing) {
        heading("The person's own folders are as they were");
        let started = Instant::now();
        let changes = Listing::now().changes_since(home);
        let outcome = if changes.is_empty() { Ok(String::new()) } else { Err(changes.join("\n")) };
        self.told("the person's own folders", started, outcome);

        // A developer may well be editing while the tests run; a build server is not.
        if std::env::var_os("CI").is_some() {
            heading("No committed file was changed");
            let started = Instant::now();
            let outcome = match command("git", &["status", "--porcelain"]).output() {
                Ok(output) if output.status.success() && output.stdout.is_empty() => {
                    Ok(String::new())
                }
                Ok(output) => {
                    Err(String::from_utf8_lossy(&[output.stdout, output.stderr].concat())
                        .into_owned())
                }
                Err(error) => Err(format!("cannot start git: {error}")),
            };
            self.told("no committed file was changed", started, outcome);
        }
    }

    /// A step without tests.
    fn check(&mut self, name: &str, log: &str, mut command: Command, limit: Duration) {
        heading(name);
        let started = Instant::now();
        let ended = logged(&mut command, &self.log(log), limit);
        self.finish(name, started, ended, Count::default(), None);
    }

    fn vitest(&mut self, name: &str, log: &str, mut command: Command) {
        heading(name);
        let started = Instant::now();
        let ended = logged(&mut command, &self.log(log), CHECK);
        let count =
            ended.as_ref().map_or_else(|_| Count::default(), |ended| count::vitest(&ended.output));
        let none = (count == Count::default()).then(|| "no test ran".to_owned());
        self.finish(name, started, ended, count, none);
    }

    fn rust_tests(
        &mut self,
        name: &str,
        log: &str,
        mut command: Command,
        read: fn(&str) -> Counts,
        suites: &[&str],
    ) {
        heading(name);
        let started = Instant::now();
        let ended = logged(&mut command, &self.log(log), BUILD);
        let counts = ended.as_ref().map_or_else(|_| Counts::new(), |ended| read(&ended.output));
        let mut sum = Count::default();
        for (suite, count) in &counts {
            sum.passed += count.passed;
            sum.failed += count.failed;
            if *count != Count::default() {
                println!("  {suite}: {} passed, {} failed", count.passed, count.failed);
            }
        }
        let idle: Vec<&str> = suites
            .iter()
            .copied()
            .filter(|suite| counts.get(*suite).is_none_or(|count| *count == Count::default()))
            .collect();
        let none = (!idle.is_empty()).then(|| format!("no test ran in: {}", idle.join(", ")));
        self.finish(name, started, ended, sum, none);
    }

    fn finish(
        &mut self,
        name: &str,
        started: Instant,
        ended: Result<Ended, String>,
        count: Count,
        none: Option<String>,
    ) {
        let problem = match ended {
            Err(error) => Some(error),
            Ok(ended) if !ended.success => Some(match none {
                Some(none) => format!("{}\n{none}", ended.output),
                None => ended.output,
            }),
            Ok(_) => none,
        };
        self.tally.note(name, started.elapsed(), count, problem.as_deref());
    }

    fn told(&mut self, name: &str, started: Instant, outcome: Result<String, String>) {
        self.tally.note(
            name,
            started.elapsed(),
            Count::default(),
            outcome.as_ref().err().map(String::as_str),
        );
    }

    fn log(&self, name: &str) -> std::path::PathBuf {
        self.logs.join(format!("{name}.log"))
    }
}

fn heading(text: &str) {
    println!("\n== {text}");
}

fn time(took: Duration) -> String {
    let seconds = took.as_secs();
    if seconds < 60 {
        format!("{:.1} s", took.as_secs_f32())
    } else {
        format!("{} min {:02} s", seconds / 60, seconds % 60)
    }
}

#[cfg(test)]
mod tests {
    use super::{Count, Tally};
    use std::time::Duration;

    #[test]
    fn a_step_that_fails_without_a_test_counts_as_one_failure() {
        let mut tally = Tally::default();
        tally.note("unit", Duration::ZERO, Count { passed: 3, failed: 0 }, None);
        assert!(tally.ends_well());
        tally.note("format", Duration::ZERO, Count::default(), Some("a file is not formatted"));
        assert_eq!((tally.passed, tally.failed), (3, 1));
        assert!(!tally.ends_well());
    }

    #[test]
    fn failed_tests_are_counted_once_each() {
        let mut tally = Tally::default();
        tally.note("unit", Duration::ZERO, Count { passed: 3, failed: 2 }, Some("output"));
        assert_eq!((tally.passed, tally.failed), (3, 2));
    }

    #[test]
    fn a_run_without_any_test_does_not_end_well() {
        assert!(!Tally::default().ends_well());
    }
}
