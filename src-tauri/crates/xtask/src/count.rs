//! How many tests ran: read from what each runner prints.

use std::collections::BTreeMap;

/// Tests of one suite.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Count {
    pub(crate) passed: usize,
    pub(crate) failed: usize,
}

/// Counts by suite. For Rust a suite is a test target, by its crate name (`skills_mcp`, `e2e`).
pub(crate) type Counts = BTreeMap<String, Count>;

/// From `cargo nextest run`: one line a test, `PASS [   0.009s] (1/3) skills-mcp::e2e name`.
///
/// A test that failed is printed again at the end, and a flaky one several times: the last line
/// about a test is the one that counts.
pub(crate) fn nextest(output: &str) -> Counts {
    let mut tests: BTreeMap<(String, &str), bool> = BTreeMap::new();
    for line in output.lines() {
        let Some((status, rest)) = line.trim_start().split_once(" [") else { continue };
        // "PASS", "FAIL + LEAK", "SIGABRT", "TIMEOUT"; "SLOW" and the like tell of a test at work.
        let mut words = status.split([' ', '+']).filter(|word| !word.is_empty());
        let failed =
            |word: &str| matches!(word, "FAIL" | "TIMEOUT" | "ABORT") || word.starts_with("SIG");
        let passed = match words.clone().any(failed) {
            true => false,
            false if words.any(|word| matches!(word, "PASS" | "LEAK")) => true,
            false => continue,
        };
        let Some((_, rest)) = rest.split_once("] ") else { continue };
        // "(1/3)", also "(  1/300)"
        let rest = match rest.trim_start().strip_prefix('(').and_then(|rest| rest.split_once(") "))
        {
            Some((_, rest)) => rest,
            None => rest,
        };
        if let Some((binary, test)) = rest.trim().split_once(' ') {
            tests.insert((target_of(binary), test), passed);
        }
    }
    let mut counts = Counts::new();
    for ((target, _), passed) in tests {
        let count = counts.entry(target).or_default();
        if passed { count.passed += 1 } else { count.failed += 1 }
    }
    counts
}

/// `skills-mcp`, `skillhold::e2e`, `xtask::bin/xtask` → the target's crate name.
fn target_of(binary: &str) -> String {
    let name = binary.rsplit("::").next().unwrap_or(binary);
    name.rsplit('/').next().unwrap_or(name).replace('-', "_")
}

/// From `cargo test`: a `Running … (target/debug/deps/NAME-HASH)` line, then its `test result:`.
pub(crate) fn cargo_test(output: &str) -> Counts {
    let mut counts = Counts::new();
    let mut target: Option<String> = None;
    for line in output.lines() {
        let line = line.trim_start();
        if line.starts_with("Running ") {
            target = line.rsplit_once('(').and_then(|(_, path)| {
                let file = path.trim_end_matches(')').rsplit(['/', '\\']).next()?;
                Some(file.rsplit_once('-')?.0.replace('-', "_"))
            });
        } else if let Some(documented) = line.strip_prefix("Doc-tests ") {
            target = Some(format!("{documented} (documentation)"));
        } else if let (Some(result), Some(name)) = (line.strip_prefix("test result: "), &target) {
            let count = counts.entry(name.clone()).or_default();
            count.passed += number_before(result, " passed");
            count.failed += number_before(result, " failed");
            target = None;
        }
    }
    counts
}

/// From `vitest run`: `Tests  1 failed | 11 passed (12)`.
pub(crate) fn vitest(output: &str) -> Count {
    output
        .lines()
        .rev()
        .find_map(|line| line.trim_start().strip_prefix("Tests ").map(str::trim))
        .map(|rest| Count {
            passed: number_before(rest, " passed"),
            failed: number_before(rest, " failed"),
        })
        .unwrap_or_default()
}

/// The number that stands right before a word.
fn number_before(text: &str, word: &str) -> usize {
    let Some((before, _)) = text.split_once(word) else { return 0 };
    let digits = before.trim_end_matches(|char: char| char.is_ascii_digit()).len();
    before[digits..].parse().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::{Count, cargo_test, nextest, vitest};

    #[test]
    fn a_nextest_run_is_counted_by_target() {
        let counts = nextest(
            "    Starting 5 tests across 4 binaries (1 test skipped)\n\
             \x20       PASS [   0.009s] (1/5) skills-mcp wire::tests::an_entry_is_read\n\
             \x20       LEAK [   0.011s] (2/5) skillhold::e2e the_window_opens\n\
             \x20       SLOW [> 30.000s] (───) skillhold::e2e the_window_closes\n\
             \x20FAIL + LEAK [   0.145s] (3/5) skills-mcp wire::tests::a_page_is_read\n\
             \x20    SIGABRT [   0.145s] (4/5) xtask::bin/xtask count::tests::b\n\
             \x20    TIMEOUT [ 180.145s] (5/5) skillhold::e2e the_window_closes\n\
             ────────────\n\
             \x20    Summary [   0.147s] 5 tests run: 2 passed, 3 failed, 1 skipped\n\
             \x20       FAIL [   0.145s] (3/5) skills-mcp wire::tests::a_page_is_read\n",
        );
        let counts: Vec<_> = counts.iter().map(|(name, count)| (name.as_str(), *count)).collect();
        assert_eq!(
            counts,
            [
                ("e2e", Count { passed: 1, failed: 1 }),
                ("skills_mcp", Count { passed: 1, failed: 1 }),
                ("xtask", Count { passed: 0, failed: 1 }),
            ]
        );
    }

    #[test]
    fn a_cargo_test_run_is_counted_by_target() {
        let counts = cargo_test(
            "     Running unittests src/lib.rs (target/debug/deps/skills_mcp-b316e752e014146d)\n\n\
             running 2 tests\ntest a ... ok\ntest b ... FAILED\n\n\
             test result: FAILED. 1 passed; 1 failed; 3 ignored; 0 measured; 0 filtered out\n\n\
             \x20    Running tests/e2e.rs (/cache/target/debug/deps/e2e-b316e752e014146d)\n\
             test result: ok. 12 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n\
             \x20  Doc-tests skills_mcp\n\
             test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n",
        );
        let counts: Vec<_> = counts.iter().map(|(name, count)| (name.as_str(), *count)).collect();
        assert_eq!(
            counts,
            [
                ("e2e", Count { passed: 12, failed: 0 }),
                ("skills_mcp", Count { passed: 1, failed: 1 }),
                ("skills_mcp (documentation)", Count { passed: 0, failed: 0 }),
            ]
        );
    }

    #[test]
    fn a_vitest_run_is_counted() {
        let output =
            " Test Files  1 failed | 2 passed (3)\n      Tests  1 failed | 11 passed (12)\n";
        assert_eq!(vitest(output), Count { passed: 11, failed: 1 });
        assert_eq!(vitest("      Tests  7 passed (7)\n"), Count { passed: 7, failed: 0 });
        assert_eq!(vitest("No test files found, exiting with code 1\n"), Count::default());
    }
}
