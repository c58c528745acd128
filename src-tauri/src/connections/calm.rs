//! How often a server that says that its list changed is asked for it again.

use std::time::Duration;

/// The least pause after a list.
const LEAST: Duration = Duration::from_millis(500);
/// The longest pause of a server that never stops saying so.
const LONGEST: Duration = Duration::from_secs(30);
/// A list costs at most one part of so many of the time.
const PARTS: u32 = 8;

/// What is known of how a server speaks of changes: one that does it without an end is listened to
/// less and less, and one whose list takes long is asked less often.
#[derive(Debug, Default)]
pub(super) struct Calm {
    pause: Duration,
}

impl Calm {
    /// The pause after a list that took so long, in which news waits.
    pub(super) fn after(&mut self, took: Duration) -> Duration {
        self.pause = self.pause.max(took * (PARTS - 1)).clamp(LEAST, LONGEST);
        self.pause
    }

    /// There was news, so long after the last list.
    pub(super) fn told(&mut self, after: Duration) {
        let at_once = after < self.pause;
        self.pause = if at_once { self.pause * 2 } else { Duration::ZERO };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUICK: Duration = Duration::from_millis(5);

    #[test]
    fn a_server_that_tells_of_changes_without_an_end_is_asked_less_and_less() {
        let mut calm = Calm::default();
        let pauses: Vec<u128> = (0..8)
            .map(|_| {
                let pause = calm.after(QUICK);
                calm.told(Duration::ZERO);
                pause.as_millis()
            })
            .collect();
        assert_eq!(pauses, [500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
    }

    #[test]
    fn one_that_was_quiet_is_asked_at_once_again() {
        let mut calm = Calm::default();
        for _ in 0..5 {
            calm.after(QUICK);
            calm.told(Duration::ZERO);
        }
        let pause = calm.after(QUICK);
        calm.told(pause);
        assert_eq!(calm.after(QUICK).as_millis(), 500);
    }

    #[test]
    fn a_list_that_takes_long_is_asked_for_less_often() {
        let after = |millis| Calm::default().after(Duration::from_millis(millis)).as_millis();
        assert_eq!(after(10), 500);
        assert_eq!(after(2000), 14_000);
        assert_eq!(after(60_000), 30_000);
    }
}
