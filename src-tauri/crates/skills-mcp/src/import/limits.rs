//! How much of other tools' settings is read.

/// The most bytes of one file, or of what is pasted.
pub const FILE_BYTES: u64 = 4 * 1024 * 1024;

/// The most servers of one file, or of what is pasted.
pub const SERVERS: usize = 500;

/// The most servers of all files together.
pub const SERVERS_IN_ALL: usize = 2000;

/// How deeply values may be nested.
pub(super) const DEPTH: usize = 64;

/// The most values of one file, each alias counted as what it stands for.
pub(super) const NODES: usize = 500_000;

/// The most bytes of text of one file, each alias counted as what it stands for.
pub(super) const TEXT: usize = 16 * 1024 * 1024;

/// The most `[` and `{` of a YAML file, wherever they stand.
pub(super) const BRACKETS: usize = 20_000;

/// The most headers or variables of one server.
pub(super) const VALUES: usize = 100;

/// The longest name of a server, in characters.
pub(super) const NAME_CHARS: usize = 256;

/// The longest address or word of a command line, in bytes.
pub(super) const WORD_BYTES: usize = 32 * 1024;

/// The most words of a command line.
pub(super) const WORDS: usize = 1000;
