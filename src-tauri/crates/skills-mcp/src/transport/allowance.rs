//! How much is taken of what nobody asked for. It knows no clock: who takes says what time passed.

use std::time::Duration;

/// The bytes that are taken with each pause, once the allowance is used up.
const WITH_A_PAUSE: usize = 64 * 1024;

/// How long further bytes are left where they are.
const PAUSE: Duration = Duration::from_millis(50);

/// So many bytes at once, which is more than anybody honest sends, and then some with each pause: who
/// talks without an end takes no processor from the others.
#[derive(Debug)]
pub(super) struct Allowance {
    most: usize,
    left: usize,
}

impl Allowance {
    pub(super) fn new(most: usize) -> Self {
        Self { most, left: most }
    }

    /// How long to wait before more is taken, after these bytes were, `passed` after those before and
    /// what was waited then.
    pub(super) fn after(&mut self, bytes: usize, passed: Duration) -> Option<Duration> {
        let pauses = passed.as_micros() / PAUSE.as_micros();
        let regained = usize::try_from(pauses).unwrap_or(usize::MAX).saturating_mul(WITH_A_PAUSE);
        self.left = self.left.saturating_add(regained).min(self.most);
        let over = bytes.saturating_sub(self.left);
        self.left = self.left.saturating_sub(bytes);
        let pauses = u32::try_from(over.div_ceil(WITH_A_PAUSE)).unwrap_or(u32::MAX);
        (pauses > 0).then(|| PAUSE.saturating_mul(pauses))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: fn(u64) -> Duration = Duration::from_millis;

    #[test]
    fn what_is_allowed_comes_without_a_pause_and_what_is_more_with_some() {
        let mut allowance = Allowance::new(1_000_000);
        assert_eq!(allowance.after(400_000, MS(0)), None);
        assert_eq!(allowance.after(600_000, MS(0)), None);
        assert_eq!(allowance.after(1, MS(0)), Some(MS(50)));
        assert_eq!(allowance.after(65_536, MS(0)), Some(MS(50)));
        assert_eq!(allowance.after(65_537, MS(0)), Some(MS(100)));
        assert_eq!(
            allowance.after(usize::MAX, MS(0)).map(|pause| pause > MS(1_000_000)),
            Some(true)
        );
    }

    #[test]
    fn who_is_silent_is_allowed_more_again_but_no_more_than_at_first() {
        let mut allowance = Allowance::new(100_000);
        assert_eq!(allowance.after(100_000, MS(0)), None);
        assert_eq!(allowance.after(65_536, MS(50)), None);
        assert_eq!(allowance.after(1, MS(49)), Some(MS(50)));
        assert_eq!(allowance.after(100_000, MS(1_000_000)), None);
        assert_eq!(allowance.after(1, MS(0)), Some(MS(50)));
    }
}
