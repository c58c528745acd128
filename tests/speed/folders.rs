//! Folders of skills to measure on, and what the system's own programs need for them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// Skills of five files each, removed when dropped.
pub(crate) struct Folders {
    dir: tempfile::TempDir,
    bytes: usize,
}

impl Folders {
    pub(crate) fn of(count: usize) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let mut bytes = 0;
        for n in 0..count {
            let name = format!("skill-{n}");
            let docs = dir.path().join("skills").join(&name).join("docs");
            fs::create_dir_all(&docs).unwrap();
            let main = format!(
                "---\nname: {name}\ndescription: Does task {n}. Use when task {n} is asked for.\n---\n\n# Task {n}\n\n{}",
                "A line of text that says how the task is done.\n".repeat(95)
            );
            bytes += main.len();
            fs::write(docs.parent().unwrap().join("SKILL.md"), main).unwrap();
            for part in 0..4 {
                let text = format!("part {part} of {n}\n").repeat(4_600 / 16);
                bytes += text.len();
                fs::write(docs.join(format!("part-{part}.txt")), text).unwrap();
            }
        }
        // Nothing that was written within the grain of the clock is taken as unchanged.
        std::thread::sleep(Duration::from_secs(3));
        Self { dir, bytes }
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.dir.path().join("skills")
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// What two processors of the system need to hash every file.
    pub(crate) fn hashed_by_the_system(&self) -> Duration {
        shell(&self.root(), "find . -type f -print0 | xargs -0 -P2 -n 200 sha256sum > /dev/null", 3)
    }

    /// What the system needs to tell every file's identity, size and times.
    pub(crate) fn stated_by_the_system(&self) -> Duration {
        shell(&self.root(), "find . -type f -printf '%s %T@ %C@ %i\\n' > /dev/null", 10)
    }
}

/// The quickest of several runs.
fn shell(folder: &Path, line: &str, times: usize) -> Duration {
    (0..times)
        .map(|_| {
            let start = Instant::now();
            let status =
                Command::new("sh").args(["-c", line]).current_dir(folder).status().unwrap();
            assert!(status.success(), "{line}");
            start.elapsed()
        })
        .min()
        .unwrap()
}
