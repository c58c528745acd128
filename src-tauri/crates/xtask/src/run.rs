//! `cargo xtask run`: from a clone to the open window.

use crate::program::{cargo, shown};
use crate::setup::{self, For};

/// Sets the machine up, builds, and runs the program with `args`.
pub(crate) fn run(args: &[String]) -> Result<(), String> {
    setup::set_up(For::Run)?;
    if args.is_empty() && !setup::has_display() {
        return Err("there is no screen to open the window on (DISPLAY is not set); \
                    `xvfb-run -a cargo xtask run` opens it on a virtual one"
            .to_owned());
    }
    let mut line = vec!["run", "--package", "skillhold", "--bin", "skillhold", "--"];
    line.extend(args.iter().map(String::as_str));
    // The program may read standard input (`serve --stdio`) and inherits the person's folder.
    let mut program = cargo(&line);
    program.stdin(std::process::Stdio::inherit());
    shown(&mut program)
}
