//! What is seen of a provider: everything, or what policies let somebody see.

use std::fmt;
use std::sync::Arc;

use super::policy::{Action, Caller, Policy};

/// What is seen of a provider. A provider that knows its places asks this about the very thing that
/// it is about to give, so that nothing can be swapped between the question and the answer.
#[derive(Clone, Default)]
pub struct Sight(Vec<(Arc<dyn Policy>, Caller)>);

/// Without what the policies hold.
impl fmt::Debug for Sight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Sight").field(&self.0.len()).finish()
    }
}

impl Sight {
    /// What a policy lets this caller see.
    pub fn of(policy: Arc<dyn Policy>, caller: Caller) -> Self {
        Self(vec![(policy, caller)])
    }

    /// What both let be seen.
    pub(super) fn and(&self, other: &Self) -> Self {
        Self(self.0.iter().chain(&other.0).cloned().collect())
    }

    /// Whether this may be done with what a place gives under a URI in its listed spelling. The
    /// place is counted from 0, as the provider was given them; `None` where it has none.
    pub fn sees(&self, action: Action, uri: &str, place: Option<usize>) -> bool {
        self.0.iter().all(|(policy, caller)| policy.allows(caller, action, uri, place))
    }
}
