//! What was shown and waits for a yes: plans and command lines, by opaque ids.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use skills::origin::{Endpoint, ServerId};
use vault::plan::Plan;

use crate::error::Outcome;
use crate::given::Given;
use crate::view::ErrorView;

/// Drafts of one kind that are kept at once.
const MOST: usize = 32;

/// A command line with all that its program is given, as it was shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandDraft {
    /// The command line.
    pub endpoint: Endpoint,
    /// Its variables among it.
    pub given: Given,
    /// The server that gets it; `None` adds one.
    pub server: Option<ServerId>,
}

/// Drafts by their ids, oldest first.
#[derive(Debug)]
pub struct Drafts<T> {
    kept: Mutex<VecDeque<(String, T)>>,
    most: usize,
}

impl<T> Default for Drafts<T> {
    fn default() -> Self {
        Self::at_most(MOST)
    }
}

impl<T> Drafts<T> {
    /// Keeps no more than this many, for drafts that are large.
    pub fn at_most(most: usize) -> Self {
        Self { kept: Mutex::default(), most }
    }

    /// Keeps a draft; the oldest goes when there are too many.
    pub fn keep(&self, id: String, draft: T) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|(known, _)| *known != id);
        if kept.len() >= self.most {
            kept.pop_front();
        }
        kept.push_back((id, draft));
    }

    /// Takes a draft: it is good once.
    ///
    /// # Errors
    /// When it was taken before or is too old.
    pub fn take(&self, id: &str) -> Outcome<T> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let at = kept.iter().position(|(known, _)| known == id);
        at.and_then(|at| kept.remove(at)).map(|(_, draft)| draft).ok_or_else(|| {
            ErrorView::gone("this preview is out of date").with_hint("look at it again")
        })
    }
}

impl Drafts<Plan> {
    /// Keeps a plan under its own id.
    pub fn add(&self, plan: Plan) {
        self.keep(plan.id.clone(), plan);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::ErrorCode;

    #[test]
    fn a_draft_is_good_once() {
        let drafts = Drafts::default();
        drafts.keep("a".to_owned(), 1);
        assert_eq!(drafts.take("a"), Ok(1));
        assert_eq!(drafts.take("a").unwrap_err().code, ErrorCode::Gone);
    }

    #[test]
    fn of_large_drafts_fewer_are_kept() {
        let drafts = Drafts::at_most(2);
        for n in 0..3 {
            drafts.keep(n.to_string(), n);
        }
        assert!(drafts.take("0").is_err());
        assert_eq!(drafts.take("1"), Ok(1));
    }

    #[test]
    fn the_oldest_draft_goes_first() {
        let drafts = Drafts::default();
        for n in 0..33 {
            drafts.keep(n.to_string(), n);
        }
        assert!(drafts.take("0").is_err());
        assert_eq!(drafts.take("32"), Ok(32));
    }
}
