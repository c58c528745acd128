//! Counts the values of a message before it is read: a few bytes may stand for a value that takes
//! fifty times as many in memory.

use crate::limits::MESSAGE_VALUES;

/// How far the count of one message is; bytes may come in parts.
#[derive(Debug, Default)]
pub(crate) struct Values {
    found: usize,
    in_text: bool,
    escaped: bool,
}

impl Values {
    /// Counts on. Whether there are still few enough.
    pub(crate) fn within(&mut self, bytes: &[u8]) -> bool {
        for byte in bytes {
            if self.in_text {
                match byte {
                    _ if self.escaped => self.escaped = false,
                    b'\\' => self.escaped = true,
                    b'"' => self.in_text = false,
                    _ => {}
                }
            } else {
                match byte {
                    b'"' => self.in_text = true,
                    // Each begins a value, or is followed by one.
                    b'[' | b'{' | b',' => self.found += 1,
                    _ => {}
                }
            }
        }
        self.found <= MESSAGE_VALUES
    }
}

/// Whether a whole message has few enough. Each value has a byte of its own, so that short messages
/// need no count.
pub(crate) fn few_enough(bytes: &[u8]) -> bool {
    bytes.len() <= MESSAGE_VALUES || Values::default().within(bytes)
}

/// There are more.
#[derive(Debug, thiserror::Error)]
#[error("the answer has more than {MESSAGE_VALUES} values")]
pub(crate) struct TooMany;

#[cfg(test)]
mod tests {
    use super::*;

    fn found(parts: &[&str]) -> usize {
        let mut values = Values::default();
        for part in parts {
            values.within(part.as_bytes());
        }
        values.found
    }

    #[test]
    fn values_are_counted_and_what_stands_in_texts_is_not() {
        assert_eq!(found(&["7"]), 0);
        assert_eq!(found(&["[1,2,3]"]), 3);
        assert_eq!(found(&[r#"{"a":[],"b":{}}"#]), 4);
        assert_eq!(found(&[r#"["[,{","\",[","\\",1]"#]), 4);
    }

    #[test]
    fn a_message_may_come_in_parts() {
        assert_eq!(found(&["[\"a\\", "\",[", "\",", "[]]"]), 3);
    }

    #[test]
    fn a_value_more_than_the_limit_is_too_many() {
        assert!(few_enough(format!("[{}0]", "0,".repeat(MESSAGE_VALUES - 1)).as_bytes()));
        assert!(!few_enough(format!("[{}0]", "0,".repeat(MESSAGE_VALUES)).as_bytes()));
    }
}
