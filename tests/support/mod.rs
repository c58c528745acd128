//! What the test programs share: a home to test in, skills to put there, Python peers.
#![allow(dead_code, reason = "each test program uses its part")]

pub(crate) mod asking;
pub(crate) mod grant;
pub(crate) mod home;
pub(crate) mod python;
pub(crate) mod skill;
