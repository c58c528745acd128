//! The grant of a sign-in, kept for one run.

use std::sync::Mutex;

use skills_mcp::Secret;
use skills_mcp::auth::{Keep, KeepError};

/// What a sign-in brought, in memory alone.
#[derive(Debug, Default)]
pub(crate) struct Grant(Mutex<Option<Secret>>);

impl Keep for Grant {
    fn load(&self) -> Result<Option<Secret>, KeepError> {
        Ok(self.0.lock().unwrap().clone())
    }

    fn save(&self, grant: &Secret) -> Result<(), KeepError> {
        *self.0.lock().unwrap() = Some(grant.clone());
        Ok(())
    }

    fn forget(&self) -> Result<(), KeepError> {
        *self.0.lock().unwrap() = None;
        Ok(())
    }
}
