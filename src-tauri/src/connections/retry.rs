//! When a server that could not be reached is tried again.

use std::time::Duration;

/// The pause after a first failure; it doubles with each further one.
const FIRST: Duration = Duration::from_secs(2);
/// The longest pause, before chance has its part.
const LONGEST: Duration = Duration::from_secs(120);

/// The pause before the next attempt, after so many failures before this one. `share` is a number
/// by chance and moves it by up to a quarter either way, so that many clients of a server that comes
/// back do not all come at once.
pub(super) fn pause(failures: u32, share: u16) -> Duration {
    let even = FIRST.saturating_mul(2_u32.saturating_pow(failures)).min(LONGEST);
    even * 3 / 4 + even / 2 * u32::from(share) / u32::from(u16::MAX)
}

/// A number by chance; the middle where the system gives none.
pub(super) fn share() -> u16 {
    let mut bytes = u16::MAX.div_ceil(2).to_ne_bytes();
    if let Err(error) = getrandom::fill(&mut bytes) {
        tracing::warn!(%error, "the system has no numbers by chance");
    }
    u16::from_ne_bytes(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_two_minutes() {
        let middle = |failures| pause(failures, u16::MAX / 2).as_secs_f64().round();
        let pauses: Vec<f64> = (0..8).map(middle).collect();
        assert_eq!(pauses, [2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 120.0, 120.0]);
        assert_eq!(middle(u32::MAX), 120.0);
    }

    #[test]
    fn chance_moves_a_pause_by_a_quarter() {
        assert_eq!(pause(0, 0), Duration::from_millis(1500));
        assert_eq!(pause(0, u16::MAX), Duration::from_millis(2500));
        assert_eq!(pause(9, 0), Duration::from_secs(90));
        assert_eq!(pause(9, u16::MAX), Duration::from_secs(150));
    }
}
