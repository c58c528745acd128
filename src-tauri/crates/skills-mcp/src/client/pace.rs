//! How many reads are under way at once: as many as allowed while a server keeps up, half as many
//! when it slows, one more after a whole round that went well.

use std::time::Duration;

use crate::limits::{READS_AT_ONCE, SLOW};

/// How one read went, as far as the pace is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Went {
    /// It was answered, after this long.
    Answered(Duration),
    /// The server did not answer in time, or said that it is asked too much.
    Overloaded,
}

/// The pace of reads from one server. It knows no clock: what happened is told to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pace {
    at_once: usize,
    /// Reads that went well since the last change.
    well: usize,
    /// Reads that were under way when the pace was last halved: their slowness is old news.
    old: usize,
}

impl Pace {
    pub(crate) fn new() -> Self {
        Self { at_once: READS_AT_ONCE, well: 0, old: 0 }
    }

    /// How many reads may be under way now.
    pub(crate) fn at_once(&self) -> usize {
        self.at_once
    }

    /// One read came to its end while `others` are still under way.
    pub(crate) fn ended(&mut self, went: Went, others: usize) {
        let slow = match went {
            Went::Answered(after) => after > SLOW,
            Went::Overloaded => true,
        };
        let old = self.old > 0;
        self.old = self.old.saturating_sub(1);
        if !slow {
            self.well += 1;
            if self.well >= self.at_once && self.at_once < READS_AT_ONCE {
                self.at_once += 1;
                self.well = 0;
            }
        } else if !old {
            self.at_once = (self.at_once / 2).max(1);
            self.well = 0;
            self.old = others;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUICK: Went = Went::Answered(Duration::from_millis(20));
    const JUST_IN_TIME: Went = Went::Answered(Duration::from_secs(5));
    const LATE: Went = Went::Answered(Duration::from_millis(5001));

    fn after(ends: &[(Went, usize)]) -> Vec<usize> {
        let mut pace = Pace::new();
        ends.iter()
            .map(|(went, others)| {
                pace.ended(*went, *others);
                pace.at_once()
            })
            .collect()
    }

    #[test]
    fn a_server_that_keeps_up_is_read_from_sixteen_times_at_once() {
        assert_eq!(Pace::new().at_once(), 16);
        assert_eq!(after(&[(QUICK, 15); 100]), [16; 100]);
        assert_eq!(after(&[(JUST_IN_TIME, 15); 20]), [16; 20]);
    }

    #[test]
    fn a_slow_answer_halves_the_pace_once_for_all_that_were_under_way() {
        let mut ends = vec![(LATE, 15)];
        ends.extend([(LATE, 7); 15]);
        let paces = after(&ends);
        assert_eq!(paces, [8; 16]);
        // The next slow answer is news again.
        ends.push((LATE, 7));
        assert_eq!(after(&ends).last(), Some(&4));
    }

    #[test]
    fn a_server_without_an_answer_is_asked_for_one_at_a_time_in_the_end() {
        assert_eq!(after(&[(Went::Overloaded, 0); 6]), [8, 4, 2, 1, 1, 1]);
    }

    #[test]
    fn each_whole_round_that_went_well_adds_one_until_it_is_as_before() {
        let mut pace = Pace::new();
        for _ in 0..4 {
            pace.ended(Went::Overloaded, 0);
        }
        let mut paces = Vec::new();
        for _ in 0..6 {
            pace.ended(QUICK, 0);
            paces.push(pace.at_once());
        }
        assert_eq!(paces, [2, 2, 3, 3, 3, 4]);
        for _ in 0..200 {
            pace.ended(QUICK, 0);
        }
        assert_eq!(pace.at_once(), 16);
    }
}
