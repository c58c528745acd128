//! The one table of limits: how much of a server's answers is taken, how much of ours is asked for
//! at once, and how long a server is waited for. Each has a test on both sides.

use std::time::Duration;

use skills::inspect::is_hidden;
pub use skills::manifest::{MAX_BYTES as SKILL_BYTES, MAX_FILES as SKILL_FILES};
pub use skills::path::{MAX_DEPTH as PATH_DEPTH, MAX_PATH as PATH_BYTES};

// What is listed

/// The most pages of one list.
pub const PAGES: usize = 250;

/// The most entries of one list.
pub const ENTRIES: usize = 10_000;

/// The most bytes of JSON of one list, all pages together.
pub const LIST_BYTES: usize = 64 * 1024 * 1024;

/// About the most bytes that the entries of one list may take once they are read, all pages together:
/// a value of two bytes may take some hundreds then.
pub const LIST_MEMORY: usize = 128 * 1024 * 1024;

/// The most entries of one folder, and the most pages that they come on.
pub const FOLDER_ENTRIES: usize = 2048;

/// The most folders that are asked for to see what lies in one skill.
pub const FOLDERS: usize = 256;

/// The longest URI that is taken, in bytes.
pub const URI_BYTES: usize = 4096;

/// The longest mark of a next page that is sent back, in bytes.
pub const MARK_BYTES: usize = 4096;

/// The longest name that is shown, in characters.
pub const NAME_CHARS: usize = 256;

/// The longest description that is shown, in characters.
pub const DESCRIPTION_CHARS: usize = 8192;

/// The most broken rules that are told of one entry, and the most notices of one list.
pub const REASONS: usize = 20;

/// The longest part of a server's own words in one of our messages, in characters.
pub const QUOTED_CHARS: usize = 300;

// What is read

/// The most bytes of one message. A skill may have 16 MiB, base64 makes 21.4 of them, and JSON
/// adds its own.
pub const MESSAGE_BYTES: usize = 32 * 1024 * 1024;

/// The most values of one message, and of one manifest: each takes about a hundred bytes once it is
/// read (a typed resource five times that), and as few as two before.
pub const MESSAGE_VALUES: usize = 400_000;

/// The most bytes of one file: one file may be all of a skill.
pub const FILE_BYTES: u64 = SKILL_BYTES;

/// The most bytes that are kept of one server, all its skills together.
pub const SERVER_BYTES: u64 = 1024 * 1024 * 1024;

/// What a message holds besides the bytes of a file: envelope, URI, type, and what a server adds.
const ENVELOPE_BYTES: usize = 64 * 1024;

/// The most bytes of JSON for one byte of a file: `\u0000` in a text.
const WORST_SPELLING: u64 = 6;

/// The most files that are read from one server at once.
pub const READS_AT_ONCE: usize = 16;

/// The most times that a review begins again because the server changed the skill meanwhile.
pub const RESTARTS: usize = 3;

/// The most skills that are looked up again by their URI with each list.
pub const LOOKED_UP: usize = 64;

/// The most resources that one server is asked to tell about.
pub const WATCHED: usize = 256;

/// Bytes kept of what a started program writes to its standard error.
pub(crate) const STDERR_BYTES: usize = 64 * 1024;

// Signing in

/// The most bytes of one answer of an authorization server.
pub const OAUTH_BYTES: usize = 256 * 1024;

/// The most bytes of the head of a request with which a browser comes back.
pub(crate) const OAUTH_HEAD_BYTES: usize = 16 * 1024;

/// The most scopes that a server asks a person to agree to: more cannot be taken in.
pub const SCOPES: usize = 64;

/// The longest scope, in characters.
pub const SCOPE_CHARS: usize = 256;

// How long

/// How long an answer may take before the server counts as slow and is asked for less at once.
pub const SLOW: Duration = Duration::from_secs(5);

/// When a list is asked for again where the server does not say, or says "at once".
pub const LIST_AGAIN: Duration = Duration::from_secs(60);

/// The soonest that a list is asked for again because it is out of date by the server's own word.
pub const LIST_SOONEST: Duration = Duration::from_secs(15);

/// The latest that a list is asked for again, however long it is good by the server's own word.
pub const LIST_LATEST: Duration = Duration::from_secs(15 * 60);

/// How long a server is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    /// For connecting and the handshake.
    pub connect: Duration,
    /// For a program to start and shake hands: the first time it may have to fetch itself.
    pub start: Duration,
    /// For the first byte of an answer over HTTP, and from each to the next.
    pub first_byte: Duration,
    /// For each call.
    pub call: Duration,
    /// For a whole list, all pages and manifests together.
    pub list: Duration,
    /// For all files of one skill.
    pub fetch: Duration,
    /// For a person to sign in in their browser.
    pub sign_in: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(15),
            start: Duration::from_secs(90),
            first_byte: Duration::from_secs(30),
            call: Duration::from_secs(60),
            list: Duration::from_secs(300),
            fetch: Duration::from_secs(900),
            sign_in: Duration::from_secs(600),
        }
    }
}

// Our own server

/// The most bytes of one message to our own server: requests are small.
pub(crate) const REQUEST_BYTES: usize = 1024 * 1024;

/// The most messages of one batch.
pub(crate) const BATCH_MESSAGES: usize = 64;

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

/// The most bytes of files that our own server reads and sends at once, all clients together: as much
/// as the largest file. Who asks for more waits.
pub(crate) const READ_BYTES: u64 = 256 * 1024 * 1024;

/// A file of no more bytes than this does not count towards them.
pub(crate) const SMALL_FILE_BYTES: u64 = 64 * 1024;

/// The most calls of the provider at once; others wait.
pub(crate) const CALLS_AT_ONCE: usize = 32;

/// The most bytes of a message that brings a file of this declared size.
pub(crate) fn answer_bytes(declared: u64) -> usize {
    let spelled = usize::try_from(declared.saturating_mul(WORST_SPELLING)).unwrap_or(usize::MAX);
    spelled.saturating_add(ENVELOPE_BYTES).min(MESSAGE_BYTES)
}

/// When to list again, by the server's word on how long its list stays good, in milliseconds.
pub fn list_again(good_for_ms: Option<u64>) -> Duration {
    match good_for_ms {
        None | Some(0) => LIST_AGAIN,
        Some(ms) => Duration::from_millis(ms).clamp(LIST_SOONEST, LIST_LATEST),
    }
}

/// The first `most` characters, with `…` where something was cut off.
pub(crate) fn shorten(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

/// A server's own words on one line: characters that steer or do not show become spaces, and the
/// length is bounded.
pub(crate) fn quoted(text: &str) -> String {
    let seen = |c: char| if c.is_control() || is_hidden(c) { ' ' } else { c };
    let line: String = text.chars().take(QUOTED_CHARS * 2).map(seen).collect();
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
        assert_eq!(quoted("ab\u{202e}cd\u{200b}\u{e0041}ef"), "ab cd ef");
        assert_eq!(quoted(&"x".repeat(300)), "x".repeat(300));
        assert_eq!(quoted(&"x".repeat(301)), format!("{}…", "x".repeat(300)));
    }

    #[test]
    fn a_list_is_asked_for_again_when_the_server_says_within_bounds() {
        let seconds = |ms| list_again(ms).as_millis();
        assert_eq!(seconds(None), 60_000);
        assert_eq!(seconds(Some(0)), 60_000);
        assert_eq!(seconds(Some(1)), 15_000);
        assert_eq!(seconds(Some(15_000)), 15_000);
        assert_eq!(seconds(Some(15_001)), 15_001);
        assert_eq!(seconds(Some(900_000)), 900_000);
        assert_eq!(seconds(Some(900_001)), 900_000);
        assert_eq!(seconds(Some(u64::MAX)), 900_000);
    }

    #[test]
    fn an_answer_may_be_as_large_as_the_worst_spelling_of_its_file() {
        assert_eq!(answer_bytes(0), 65_536);
        assert_eq!(answer_bytes(1000), 71_536);
        // The largest file as base64 fits.
        assert_eq!(answer_bytes(SKILL_BYTES), 33_554_432);
        assert!(SKILL_BYTES.div_ceil(3) * 4 + 65_536 < 33_554_432);
        assert_eq!(answer_bytes(u64::MAX), 33_554_432);
    }
}
