//! What the bytes of a file are, whatever its name says.

use std::borrow::Cow;

/// What a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Text, in whatever encoding.
    Text,
    /// A program of a system; which.
    Program(&'static str),
    /// Code of a virtual machine; which.
    Compiled(&'static str),
    /// Packed files; how.
    Archive(&'static str),
    /// A document of an office program.
    Office,
    /// A Python pickle.
    Pickle,
    /// Pictures.
    Png,
    /// See [`Kind::Png`].
    Jpeg,
    /// See [`Kind::Png`].
    Gif,
    /// See [`Kind::Png`].
    Webp,
    /// A PDF document.
    Pdf,
    /// Something else.
    Other,
}

/// The first bytes of what is told by them alone.
const MAGIC: &[(&[u8], Kind)] = &[
    (b"\x7fELF", Kind::Program("ELF")),
    (b"\xfe\xed\xfa\xce", Kind::Program("Mach-O")),
    (b"\xfe\xed\xfa\xcf", Kind::Program("Mach-O")),
    (b"\xce\xfa\xed\xfe", Kind::Program("Mach-O")),
    (b"\xcf\xfa\xed\xfe", Kind::Program("Mach-O")),
    (b"\0asm", Kind::Program("WebAssembly")),
    (b"dex\n03", Kind::Compiled("Dalvik code")),
    (b"\x1bLua", Kind::Compiled("compiled Lua")),
    (b"BC\xc0\xde", Kind::Compiled("LLVM code")),
    (b"PK\x03\x04", Kind::Archive("ZIP")),
    (b"PK\x05\x06", Kind::Archive("ZIP")),
    (b"\x1f\x8b", Kind::Archive("gzip")),
    (b"BZh", Kind::Archive("bzip2")),
    (b"\xfd7zXZ\0", Kind::Archive("xz")),
    (b"7z\xbc\xaf\x27\x1c", Kind::Archive("7z")),
    (b"Rar!\x1a\x07", Kind::Archive("RAR")),
    (b"\x28\xb5\x2f\xfd", Kind::Archive("zstd")),
    (b"\x04\x22\x4d\x18", Kind::Archive("LZ4")),
    (b"MSCF", Kind::Archive("cabinet")),
    (b"!<arch>\n", Kind::Archive("ar")),
    (b"\xed\xab\xee\xdb", Kind::Archive("RPM")),
    (b"xar!", Kind::Archive("xar")),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", Kind::Office),
    (b"\x89PNG\r\n\x1a\n", Kind::Png),
    (b"\xff\xd8\xff", Kind::Jpeg),
    (b"GIF87a", Kind::Gif),
    (b"GIF89a", Kind::Gif),
    (b"%PDF-", Kind::Pdf),
];

impl Kind {
    pub(super) fn of(bytes: &[u8]) -> Self {
        if let Some((_, kind)) = MAGIC.iter().find(|(magic, _)| bytes.starts_with(magic)) {
            let office = *kind == Self::Archive("ZIP") && holds(bytes, b"[Content_Types].xml");
            return if office { Self::Office } else { *kind };
        }
        match bytes {
            [b'M', b'Z', ..] if is_pe(bytes) => Self::Program("PE"),
            // Programs for several processors and Java classes begin alike; the former hold few.
            [0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 1..=30, ..] => Self::Program("Mach-O"),
            [0xca, 0xfe, 0xba, 0xbe, ..] => Self::Compiled("a Java class"),
            // The word of the version, CR, LF, a header of 8 or 12 bytes, and a code object.
            [_, _, b'\r', b'\n', ..]
                if [8, 12, 16].iter().any(|at| matches!(bytes.get(*at), Some(0x63 | 0xe3))) =>
            {
                Self::Compiled("compiled Python")
            }
            [0x80, 2..=5, ..] if bytes.ends_with(b".") => Self::Pickle,
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Self::Webp,
            _ if bytes.get(257..262) == Some(b"ustar") => Self::Archive("tar"),
            _ if text(bytes).is_some() => Self::Text,
            _ if is_zip_behind(bytes) => Self::Archive("ZIP behind other data"),
            _ => Self::Other,
        }
    }

    /// The word for a person.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Program(which) | Self::Compiled(which) | Self::Archive(which) => which,
            Self::Office => "a document of an office program",
            Self::Pickle => "a Python pickle",
            Self::Png => "a PNG picture",
            Self::Jpeg => "a JPEG picture",
            Self::Gif => "a GIF picture",
            Self::Webp => "a WebP picture",
            Self::Pdf => "a PDF document",
            Self::Other => "something else",
        }
    }
}

fn is_pe(bytes: &[u8]) -> bool {
    let at = bytes.get(0x3c..0x40).and_then(|at| at.try_into().ok()).map(u32::from_le_bytes);
    // Old programs have no second header, but a NUL among the first bytes, which no text has.
    at.and_then(|at| bytes.get(at as usize..)).is_some_and(|header| header.starts_with(b"PE\0\0"))
        || (bytes.len() >= 64 && bytes[..64].contains(&0))
}

/// A ZIP is read from its end, so that anything can stand before it.
fn is_zip_behind(bytes: &[u8]) -> bool {
    let end = &bytes[bytes.len().saturating_sub(66_000)..];
    holds(end, b"PK\x05\x06") && holds(bytes, b"PK\x01\x02")
}

/// A text and whether it is plain UTF-8.
pub(super) struct Text<'a> {
    pub(super) text: Cow<'a, str>,
    pub(super) utf8: bool,
}

/// The bytes as text where they are one: UTF-8, UTF-16 or UTF-32 with its mark or without, or a
/// code page with the odd byte that is not UTF-8.
pub(super) fn text(bytes: &[u8]) -> Option<Text<'_>> {
    match std::str::from_utf8(bytes) {
        Ok(text) if !text.contains('\0') => {
            return Some(Text { text: Cow::Borrowed(text), utf8: true });
        }
        _ => {}
    }
    if let Some((width, big, skip)) = wide(bytes) {
        let text = unwidened(&bytes[skip..], width, big);
        let strange = text.chars().filter(|c| is_strange(*c)).count();
        return (strange * 100 <= text.len())
            .then_some(Text { text: Cow::Owned(text), utf8: false });
    }
    let control = |byte: &&u8| matches!(byte, 0..=8 | 0xe..=0x1a | 0x1c..=0x1f | 0x7f);
    let controls = bytes.iter().filter(control).count();
    let high = bytes.iter().filter(|byte| !byte.is_ascii()).count();
    (controls == 0 && high * 4 <= bytes.len())
        .then(|| Text { text: String::from_utf8_lossy(bytes), utf8: false })
}

/// Bytes that are no text as a whole, as one if half of them can be read: some programs skip what
/// they cannot read, or what a text begins with.
pub(super) fn mostly_text(bytes: &[u8]) -> Option<Text<'_>> {
    let shown = |byte: &&u8| matches!(byte, b' '..=b'~' | b'\t' | b'\n' | b'\r');
    (bytes.iter().filter(shown).count() * 2 >= bytes.len())
        .then(|| Text { text: String::from_utf8_lossy(bytes), utf8: false })
}

/// The bytes of a character, whether the highest comes first, and the length of the mark. Without
/// a mark the place of the NULs in Latin text tells.
fn wide(bytes: &[u8]) -> Option<(usize, bool, usize)> {
    match bytes {
        [0xff, 0xfe, 0, 0, ..] => return Some((4, false, 4)),
        [0, 0, 0xfe, 0xff, ..] => return Some((4, true, 4)),
        [0xff, 0xfe, ..] => return Some((2, false, 2)),
        [0xfe, 0xff, ..] => return Some((2, true, 2)),
        _ => {}
    }
    let mut nul = [0_usize; 4];
    for (at, _) in bytes.iter().enumerate().filter(|(_, byte)| **byte == 0) {
        nul[at % 4] += 1;
    }
    let quarter = bytes.len() / 4;
    let most = |at: usize| quarter > 0 && nul[at] * 10 >= quarter * 9;
    let few = |at: usize| quarter > 0 && nul[at] * 20 <= quarter;
    if most(0) && most(1) && most(2) && few(3) {
        Some((4, true, 0))
    } else if most(1) && most(2) && most(3) && few(0) {
        Some((4, false, 0))
    } else if nul[0] + nul[2] > quarter && few(1) && few(3) {
        Some((2, true, 0))
    } else if nul[1] + nul[3] > quarter && few(0) && few(2) {
        Some((2, false, 0))
    } else {
        None
    }
}

/// The text of wide characters; what is none is U+FFFD.
fn unwidened(bytes: &[u8], width: usize, big: bool) -> String {
    let number = |unit: &[u8]| {
        let add = |sum: u32, byte: &u8| sum << 8 | u32::from(*byte);
        if big { unit.iter().fold(0, add) } else { unit.iter().rev().fold(0, add) }
    };
    let numbers = bytes.chunks_exact(width).map(number);
    if width == 4 {
        return numbers.map(|n| char::from_u32(n).unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
    }
    char::decode_utf16(numbers.map(|n| u16::try_from(n).unwrap_or_default()))
        .map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect()
}

fn is_strange(c: char) -> bool {
    c == char::REPLACEMENT_CHARACTER || (c.is_control() && !matches!(c, '\n' | '\r' | '\t'))
}

/// Whether the bytes hold these, anywhere.
pub(super) fn holds(bytes: &[u8], wanted: &[u8]) -> bool {
    memchr::memmem::find(bytes, wanted).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_bytes_tell_and_not_the_name() {
        for (bytes, kind) in [
            (&b"\x7fELF\x02\x01"[..], Kind::Program("ELF")),
            (b"\xcf\xfa\xed\xfe\x07\0\0\x01", Kind::Program("Mach-O")),
            (b"\xca\xfe\xba\xbe\0\0\0\x02\x01\0\0\x07", Kind::Program("Mach-O")),
            (b"\xca\xfe\xba\xbe\0\0\0\x37", Kind::Compiled("a Java class")),
            (
                b"\xcb\r\r\n\0\0\0\0\x01\x02\x03\x04\x05\x06\0\0\xe3\0",
                Kind::Compiled("compiled Python"),
            ),
            (b"PK\x03\x04\x14\0", Kind::Archive("ZIP")),
            (b"PK\x03\x04\x14\0[Content_Types].xml", Kind::Office),
            (b"\x80\x04\x95\x01K\x01.", Kind::Pickle),
            (b"MZ is a town", Kind::Text),
            (b"plain text", Kind::Text),
            (b"caf\xe9 au lait", Kind::Text),
            (b"\xff\xfea\0b\0", Kind::Text),
            (b"\0\x01\x02\xff", Kind::Other),
            (b"", Kind::Text),
        ] {
            assert_eq!(Kind::of(bytes), kind, "{bytes:?}");
        }
        let mut program = vec![0; 0x48];
        program[..2].copy_from_slice(b"MZ");
        program[0x3c] = 0x40;
        program[0x40..0x44].copy_from_slice(b"PE\0\0");
        assert_eq!(Kind::of(&program), Kind::Program("PE"));
    }

    #[test]
    fn wide_text_is_read() {
        for bytes in [
            &b"\xff\xfeh\0i\0"[..],
            b"\xfe\xff\0h\0i",
            b"h\0i\0",
            b"\0h\0i",
            b"\xff\xfe\0\0h\0\0\0i\0\0\0",
            b"\0\0\xfe\xff\0\0\0h\0\0\0i",
            b"h\0\0\0i\0\0\0",
            b"\0\0\0h\0\0\0i",
        ] {
            let read = text(bytes).unwrap();
            assert_eq!((read.text.as_ref(), read.utf8), ("hi", false), "{bytes:?}");
        }
    }
}
