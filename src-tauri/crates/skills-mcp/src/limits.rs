//! How much of a server's answers is taken, and how long it is waited for.

use std::time::Duration;

/// The most bytes of one message. A skill may have 16 MiB, base64 makes 21.4 of them, and JSON
/// adds its own.
pub const MESSAGE_BYTES: usize = 32 * 1024 * 1024;

/// The most bytes of one message to our own server: requests are small.
pub(crate) const REQUEST_BYTES: usize = 1024 * 1024;

/// How long one request to our own server may take to arrive, its head and its body each; an idle
/// connection is closed after as long.
pub(crate) const ARRIVAL: Duration = Duration::from_secs(30);

/// The most HTTP connections to our own server at once. A system gives a process 1,024 open files
/// or more; what a connection reads needs some too.
pub(crate) const CONNECTIONS: usize = 400;

/// The most sessions of older clients at once. Clients that come later are answered without one.
pub(crate) const SESSIONS: usize = 256;

/// The most clients without a connection of their own that are told of at once.
pub(crate) const CLIENTS: usize = 256;

/// The most resources that one client, or one `subscriptions/listen`, subscribes to.
pub(crate) const SUBSCRIPTIONS: usize = 256;

/// The most `subscriptions/listen` at once, of all clients together. Fewer than connections, so
/// that listening alone does not use them up.
pub(crate) const LISTENS: usize = 200;

/// The most calls of the provider at once; others wait.
pub(crate) const CALLS_AT_ONCE: usize = 32;

/// The most pages of one list.
pub const PAGES: usize = 250;

/// The most entries of one list.
pub const ENTRIES: usize = 10_000;

/// The most bytes of JSON of one list, all pages together.
pub(crate) const LIST_BYTES: usize = 64 * 1024 * 1024;

/// The longest URI that is taken, in bytes.
pub(crate) const URI_BYTES: usize = 4096;

/// The longest name that is shown, in characters.
pub(crate) const NAME_CHARS: usize = 256;

/// The longest description that is shown, in characters.
pub(crate) const DESCRIPTION_CHARS: usize = 8192;

/// The most broken rules that are told of one entry.
pub(crate) const REASONS: usize = 20;

/// Files that are read at once.
pub const READS_AT_ONCE: usize = 8;

/// Bytes kept of what a started program writes to its standard error.
pub(crate) const STDERR_BYTES: usize = 64 * 1024;

/// The longest part of a server's own words in one of our messages, in characters.
pub(crate) const QUOTED_CHARS: usize = 300;

/// How long a server is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    /// For connecting and the handshake.
    pub connect: Duration,
    /// For a program to start and shake hands: the first time it may have to fetch itself.
    pub start: Duration,
    /// For each call.
    pub call: Duration,
    /// For a whole list, all pages and manifests together.
    pub list: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(15),
            start: Duration::from_secs(90),
            call: Duration::from_secs(60),
            list: Duration::from_secs(300),
        }
    }
}

/// The first `most` characters, with `…` where something was cut off.
pub(crate) fn shorten(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

/// A server's own words on one line: control characters become spaces, and the length is bounded.
pub(crate) fn quoted(text: &str) -> String {
    let line: String =
        text.chars().take(QUOTED_CHARS * 2).map(|c| if c.is_control() { ' ' } else { c }).collect();
    shorten(&line.split_whitespace().collect::<Vec<_>>().join(" "), QUOTED_CHARS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_cut_at_a_character_not_inside_one() {
        assert_eq!(shorten("äöü", 2), "äö…");
        assert_eq!(shorten("äöü", 3), "äöü");
    }

    #[test]
    fn a_servers_words_come_on_one_line() {
        assert_eq!(quoted("no\r\n  such\u{1b}[31mthing"), "no such [31mthing");
    }
}
