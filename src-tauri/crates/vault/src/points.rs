//! Failure points, compiled in for tests alone: where a test may look, let somebody else write, or
//! end the work as a crash would.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use crate::apply::Step;
use crate::error::VaultError;
use crate::vault::Vault;

/// What a test does at each step; true ends the work there, as a crash would.
type Hook = Arc<dyn Fn(&str) -> bool + Send + Sync>;

/// Where the hook of a test is kept.
#[derive(Default)]
pub(crate) struct Points {
    hook: Mutex<Option<Hook>>,
    /// The step after which the work ends.
    pub(crate) crash_after: Mutex<Option<Step>>,
}

impl fmt::Debug for Points {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Points").finish_non_exhaustive()
    }
}

impl Vault {
    /// Calls `hook` with the name of each step once it is taken, as in `Swapped`. When it says true,
    /// the work ends there with an error, and nothing is tidied up: the disk and the ledger are as a
    /// crash leaves them. It may also end the process itself.
    #[cfg(feature = "failure-points")]
    pub fn at_each_step(&self, hook: impl Fn(&str) -> bool + Send + Sync + 'static) {
        *self.points.hook.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(hook));
    }

    /// A step was taken.
    pub(crate) fn reached(&self, step: Step) -> Result<(), VaultError> {
        let name = format!("{step:?}");
        let hook = self.points.hook.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let ends = *self.points.crash_after.lock().unwrap_or_else(PoisonError::into_inner)
            == Some(step)
            || hook.is_some_and(|hook| hook(&name));
        if ends { Err(VaultError::Crashed(name)) } else { Ok(()) }
    }
}
