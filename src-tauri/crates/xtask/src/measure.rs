//! What the inspection says of the skills in any folders.

use std::path::Path;

use crate::program::{cargo, shown};

const USAGE: &str = "usage: cargo xtask measure-inspection [--grave] [--code CODE] DIR…

Each folder is one repository: every folder below it with a SKILL.md is a skill.
  --grave       prints each grave finding
  --code CODE   prints each finding of this code";

/// `cargo xtask measure-inspection DIR…`
pub(crate) fn inspection(args: &[String]) -> Result<(), String> {
    if args.is_empty() {
        return Err(USAGE.to_owned());
    }
    let here = std::env::current_dir().map_err(|error| format!("no current folder: {error}"))?;
    let mut run = cargo(&["run", "--quiet", "--release", "--package", "skills"]);
    run.args(["--example", "measure_inspection", "--"]);
    let mut is_code = false;
    for arg in args {
        // Cargo runs in the clone's top folder.
        let plain = is_code || arg.starts_with("--") || Path::new(arg).is_absolute();
        is_code = arg == "--code";
        if plain {
            run.arg(arg);
        } else {
            run.arg(here.join(arg));
        }
    }
    shown(&mut run)
}
