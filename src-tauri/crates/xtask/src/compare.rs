//! How fast the provider and the client are beside the reference.

use crate::program::{cargo, shown};
use crate::setup::{self, For};

/// `cargo xtask compare`: prints figures and ratios of one run, and judges nothing.
pub(crate) fn run(parts: &[String]) -> Result<(), String> {
    setup::set_up(For::Tests)?;
    let bench = ["bench", "--package", "skillhold-tests", "--bench", "speed", "--"];
    shown(cargo(&bench).args(parts))
}
