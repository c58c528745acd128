//! Running jobs of the page: how far they are, and stopping them.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::error::Outcome;
use crate::view::{ErrorView, Progress};

/// The page is told at most 30 times a second.
const PAUSE: Duration = Duration::from_millis(34);

/// A new opaque id.
pub fn new_id() -> String {
    Uuid::new_v4().simple().to_string()
}

/// The jobs that run now, by the id that the page gave them.
#[derive(Debug, Default)]
pub struct Jobs {
    running: Mutex<HashMap<String, CancellationToken>>,
}

/// One running job; it is over when this is dropped.
#[derive(Debug)]
pub struct Job<'a> {
    jobs: &'a Jobs,
    id: String,
    stop: CancellationToken,
}

impl Jobs {
    /// Begins a job.
    ///
    /// # Errors
    /// When a job of this id runs already, as after a double click.
    pub fn begin(&self, id: String) -> Outcome<Job<'_>> {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        if running.contains_key(&id) {
            return Err(ErrorView::bad_input("this is being done already"));
        }
        let stop = CancellationToken::new();
        running.insert(id.clone(), stop.clone());
        Ok(Job { jobs: self, id, stop })
    }

    /// Asks a job to stop. One that is over is left alone.
    pub fn cancel(&self, id: &str) {
        if let Some(stop) = self.running.lock().unwrap_or_else(PoisonError::into_inner).get(id) {
            stop.cancel();
        }
    }
}

impl Job<'_> {
    /// Is cancelled when the job is to stop.
    pub fn stop(&self) -> &CancellationToken {
        &self.stop
    }
}

impl Drop for Job<'_> {
    fn drop(&mut self) {
        self.jobs.running.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.id);
    }
}

/// Passes progress on, not too often; the last step always.
pub struct Reporter<F> {
    send: F,
    last: Mutex<Option<Instant>>,
}

impl<F: Fn(Progress)> Reporter<F> {
    /// `send` gets what is passed on.
    pub fn new(send: F) -> Self {
        Self { send, last: Mutex::new(None) }
    }

    /// Passes this on when it is the last step, or when the one before is long enough ago.
    pub fn report(&self, progress: Progress) {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let due = last.is_none_or(|last| last.elapsed() >= PAUSE);
        if due || progress.done >= progress.of {
            *last = Some(Instant::now());
            (self.send)(progress);
        }
    }
}

impl<F> std::fmt::Debug for Reporter<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reporter").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    fn at(done: usize) -> Progress {
        Progress { what: String::new(), done, of: 1000, bytes: 0, of_bytes: 0 }
    }

    #[test]
    fn progress_is_thinned_out_and_the_last_step_is_told() {
        let told = RefCell::new(Vec::new());
        let reporter = Reporter::new(|progress: Progress| told.borrow_mut().push(progress.done));
        for done in 1..=1000 {
            reporter.report(at(done));
        }
        let told = told.borrow();
        assert_eq!((told.first(), told.last()), (Some(&1), Some(&1000)));
        assert!(told.len() < 500, "{} reports", told.len());
    }

    #[test]
    fn a_running_job_is_stopped_by_its_id_and_only_begun_once() {
        let jobs = Jobs::default();
        let job = jobs.begin("a".to_owned()).unwrap();
        assert!(jobs.begin("a".to_owned()).is_err());
        jobs.cancel("other");
        assert!(!job.stop().is_cancelled());
        jobs.cancel("a");
        assert!(job.stop().is_cancelled());
        drop(job);
        assert!(jobs.begin("a".to_owned()).is_ok());
    }
}
