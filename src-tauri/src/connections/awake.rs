//! Tells when the machine was asleep: then more time went by than the program saw.

use std::time::{Duration, Instant, SystemTime};

/// How often is looked.
const EACH: Duration = Duration::from_secs(5);
/// How much later than it should be a look may come on a busy machine.
const SLACK: Duration = Duration::from_secs(20);

/// Calls `slept` after each sleep of the machine. Never ends.
pub(super) async fn notice_sleep(slept: impl Fn()) {
    let mut awake = Awake::since(SystemTime::now(), Instant::now());
    loop {
        tokio::time::sleep(EACH).await;
        if awake.slept(SystemTime::now(), Instant::now()) {
            slept();
        }
    }
}

/// The last look. Some systems stop one of the two clocks in a sleep, some do not.
struct Awake {
    wall: SystemTime,
    steady: Instant,
}

impl Awake {
    fn since(wall: SystemTime, steady: Instant) -> Self {
        Self { wall, steady }
    }

    /// Whether there was a sleep between the last look and this one.
    fn slept(&mut self, wall: SystemTime, steady: Instant) -> bool {
        // A wall clock that was put back says nothing.
        let by_wall = wall.duration_since(self.wall).unwrap_or_default();
        let by_steady = steady.saturating_duration_since(self.steady);
        (self.wall, self.steady) = (wall, steady);
        by_wall.max(by_steady) > EACH + SLACK
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_jump_of_either_clock_is_a_sleep() {
        let (wall, steady) = (SystemTime::UNIX_EPOCH, Instant::now());
        let after = |by_wall, by_steady| {
            let mut awake = Awake::since(wall, steady);
            let seconds = Duration::from_secs;
            awake.slept(wall + seconds(by_wall), steady + seconds(by_steady))
        };
        assert!(!after(5, 5));
        assert!(!after(25, 25));
        assert!(after(26, 5));
        assert!(after(5, 26));
        assert!(after(3600, 5));
    }

    #[test]
    fn a_clock_that_is_put_back_is_none_and_each_sleep_is_told_once() {
        let (wall, steady) = (SystemTime::UNIX_EPOCH + Duration::from_secs(7200), Instant::now());
        let mut awake = Awake::since(wall, steady);
        let second = Duration::from_secs(1);
        assert!(!awake.slept(wall - 3600 * second, steady + 5 * second));
        assert!(awake.slept(wall, steady + 10 * second));
        assert!(!awake.slept(wall + 5 * second, steady + 15 * second));
    }
}
