//! Bytes that are not text, as offset, hexadecimal digits and characters.

use std::fmt::Write as _;

/// How many bytes are shown.
const MOST: usize = 4096;
const A_LINE: usize = 16;

/// The first bytes, sixteen a line, and whether there are more.
pub(super) fn hex(bytes: &[u8]) -> (Vec<String>, bool) {
    let shown = &bytes[..bytes.len().min(MOST)];
    let lines = shown.chunks(A_LINE).enumerate().map(|(row, chunk)| line(row * A_LINE, chunk));
    (lines.collect(), bytes.len() > MOST)
}

fn line(offset: usize, chunk: &[u8]) -> String {
    let mut out = format!("{offset:08x} ");
    for at in 0..A_LINE {
        if at % 8 == 0 {
            out.push(' ');
        }
        match chunk.get(at) {
            // Writing to a string does not fail.
            Some(byte) => drop(write!(out, "{byte:02x} ")),
            None => out.push_str("   "),
        }
    }
    out.push(' ');
    out.extend(chunk.iter().map(|&byte| match byte {
        b' '..=b'~' => char::from(byte),
        _ => '.',
    }));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_shown_sixteen_a_line() {
        let (lines, cut) = hex(b"\x89PNG\r\n\x1a\n0123456789");
        assert_eq!(
            lines,
            [
                "00000000  89 50 4e 47 0d 0a 1a 0a  30 31 32 33 34 35 36 37  .PNG....01234567",
                "00000010  38 39                                             89",
            ]
        );
        assert!(!cut);
    }

    #[test]
    fn more_than_4096_bytes_are_cut() {
        let (lines, cut) = hex(&[0; 4097]);
        assert_eq!(lines.len(), 256);
        assert!(cut);
    }
}
