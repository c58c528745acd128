//! How fast the provider is beside the reference.

use crate::program::{cargo, shown};
use crate::setup::{self, For};

/// `cargo xtask compare`: prints figures and ratios of one run, and judges nothing.
pub(crate) fn run() -> Result<(), String> {
    setup::set_up(For::Tests)?;
    shown(&mut cargo(&["bench", "--package", "skillhold-tests", "--bench", "speed"]))
}
