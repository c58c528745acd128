//! SHA-256 digests of files and the fingerprint of a whole skill.

use std::fmt;
use std::io::{self, Read};
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest as _, Sha256};

/// How many bytes are read at once.
const ROOM: usize = 64 * 1024;

/// The SHA-256 digest of one file's bytes, written `sha256:` and 64 lowercase hexadecimal digits
/// (skills extension, "Entry").
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 32]);

/// A digest that is not `sha256:` followed by 64 lowercase hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not `sha256:` and 64 lowercase hexadecimal digits")]
pub struct DigestError(pub String);

impl Digest {
    /// The digest of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// The digest and the length in bytes of all that `reader` gives; memory stays flat.
    ///
    /// # Errors
    /// Whatever the reader reports.
    pub fn of_reader(reader: impl Read) -> io::Result<(Self, u64)> {
        Self::of_all(reader, &mut vec![0; ROOM], None)
    }

    /// The same of a file that has `size` bytes unless it changed meanwhile: where it has so many,
    /// its end is not asked for. `room` is for the next file too, and grows to 64 KiB at most.
    pub(crate) fn of_file(
        file: impl Read,
        size: u64,
        room: &mut Vec<u8>,
    ) -> io::Result<(Self, u64)> {
        let wanted = usize::try_from(size).map_or(ROOM, |size| size.saturating_add(1).min(ROOM));
        if room.len() < wanted {
            room.resize(wanted, 0);
        }
        Self::of_all(file, room, Some(size))
    }

    fn of_all(
        mut reader: impl Read,
        room: &mut [u8],
        expected: Option<u64>,
    ) -> io::Result<(Self, u64)> {
        let mut hasher = Sha256::new();
        let mut size = 0;
        loop {
            match reader.read(room) {
                Ok(n) => {
                    hasher.update(&room[..n]);
                    size += n as u64;
                    // A file gives all that there is room for, unless that was the rest of it.
                    if n == 0 || n < room.len() && expected == Some(size) {
                        return Ok((Self(hasher.finalize().into()), size));
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// The 64 lowercase hexadecimal digits, without `sha256:`.
    pub fn hex(&self) -> String {
        hex(&self.0)
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sha256:{}", self.hex())
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Digest {
    type Err = DigestError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.strip_prefix("sha256:")
            .and_then(unhex)
            .map(Self)
            .ok_or_else(|| DigestError(text.to_owned()))
    }
}

/// What a whole skill is: SHA-256 over `PATH NUL SIZE NUL DIGEST LF` for each file in byte order
/// of its path relative to the skill. Made by [`Manifest::fingerprint`](crate::manifest::Manifest::fingerprint);
/// written as 64 lowercase hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fingerprint([u8; 32]);

/// A fingerprint that is not 64 lowercase hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not 64 lowercase hexadecimal digits")]
pub struct FingerprintError(pub String);

impl Fingerprint {
    /// The fingerprint of files given as (path, size, digest), which must come in byte order of
    /// their paths.
    pub fn of<'a>(files: impl Iterator<Item = (&'a str, u64, Digest)>) -> Self {
        let mut hasher = Sha256::new();
        for (path, size, digest) in files {
            hasher.update(path.as_bytes());
            hasher.update(format!("\0{size}\0{}\n", digest.hex()));
        }
        Self(hasher.finalize().into())
    }

    /// The first twelve digits: for the eye only, never for a comparison.
    pub fn short(&self) -> String {
        hex(&self.0[..6])
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex(&self.0))
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Fingerprint {
    type Err = FingerprintError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        unhex(text).map(Self).ok_or_else(|| FingerprintError(text.to_owned()))
    }
}

macro_rules! serde_as_text {
    ($type:ty) => {
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = String::deserialize(deserializer)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }
    };
}
serde_as_text!(Digest);
serde_as_text!(Fingerprint);

fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    bytes
        .iter()
        .flat_map(|byte| [DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]])
        .map(char::from)
        .collect()
}

fn unhex(text: &str) -> Option<[u8; 32]> {
    let digit = |c: u8| match c {
        b'0'..=b'9' => Some(c - b'0'),
        b'a'..=b'f' => Some(c - b'a' + 10),
        _ => None,
    };
    let text: &[u8; 64] = text.as_bytes().try_into().ok()?;
    let mut out = [0; 32];
    for (byte, pair) in out.iter_mut().zip(text.chunks_exact(2)) {
        *byte = digit(pair[0])? << 4 | digit(pair[1])?;
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `printf abc | sha256sum`
    const ABC: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

    #[test]
    fn bytes_and_readers_have_the_digest_of_sha256sum() {
        assert_eq!(Digest::of(b"abc").to_string(), format!("sha256:{ABC}"));
        assert_eq!(Digest::of_reader(&b"abc"[..]).unwrap(), (Digest::of(b"abc"), 3));
    }

    #[test]
    fn a_file_has_its_digest_whatever_size_it_should_have() {
        /// Counts how often it is asked.
        struct Asked<'a>(&'a [u8], usize);
        impl Read for Asked<'_> {
            fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
                self.1 += 1;
                self.0.read(room)
            }
        }
        let bytes = vec![b'x'; 150_000];
        let mut room = Vec::new();
        for length in [0, 1, 3, ROOM - 1, ROOM, ROOM + 1, 150_000] {
            let bytes = &bytes[..length];
            let size = length as u64;
            for expected in [size, 0, 1, size + 1, size.saturating_sub(1), u64::MAX] {
                let found = Digest::of_file(bytes, expected, &mut room).unwrap();
                assert_eq!(found, (Digest::of(bytes), size), "{length} {expected}");
            }
        }
        assert_eq!(room.len(), ROOM);
        let mut asked = Asked(b"abc", 0);
        Digest::of_file(&mut asked, 3, &mut room).unwrap();
        assert_eq!(asked.1, 1);
    }

    #[test]
    fn only_64_lowercase_digits_after_sha256_are_a_digest() {
        assert_eq!(format!("sha256:{ABC}").parse(), Ok(Digest::of(b"abc")));
        for bad in [
            ABC.to_owned(),
            format!("sha256:{}", ABC.to_uppercase()),
            format!("sha256:{ABC}0"),
            "sha256:".into(),
        ] {
            assert_eq!(bad.parse::<Digest>(), Err(DigestError(bad)));
        }
    }

    #[test]
    fn the_fingerprint_is_over_path_size_and_digest() {
        // printf 'SKILL.md\0003\000%s\n' $ABC | sha256sum
        let one = Fingerprint::of([("SKILL.md", 3, Digest::of(b"abc"))].into_iter());
        assert_eq!(
            one.to_string(),
            "c43cf2d8a80cde934e789fb9cc4f10f133df9d0963daa2889d8171891f4983fd"
        );
        assert_eq!(one.short(), "c43cf2d8a80c");
        assert_eq!(one.to_string().parse(), Ok(one));
        assert!("abc".parse::<Fingerprint>().is_err());
    }

    #[test]
    fn digests_are_text_in_json() {
        let json = serde_json::to_string(&Digest::of(b"abc")).unwrap();
        assert_eq!(json, format!("\"sha256:{ABC}\""));
        assert_eq!(serde_json::from_str::<Digest>(&json).unwrap(), Digest::of(b"abc"));
        assert!(serde_json::from_str::<Digest>("\"x\"").is_err());
    }
}
