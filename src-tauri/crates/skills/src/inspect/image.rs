//! Text that pictures carry beside what they show, and what stands behind their end.

use miniz_oxide::inflate::{TINFLStatus, decompress_to_vec_zlib_with_limit};

use super::kind::Kind;

/// As many bytes of packed texts are unpacked of any picture; of a larger one as many as it has, so
/// that a small file is not made into a large one.
const MIN_UNPACKED: usize = 16 * 1024;

/// Fewer bytes behind a picture's end are padding.
const MIN_BEHIND: usize = 16;

/// What a picture carries.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Carried {
    /// Comments, titles, descriptions.
    pub(super) texts: Vec<String>,
    /// How many bytes stand behind its end.
    pub(super) behind: usize,
    /// How many packed texts were too large to be looked at whole.
    pub(super) unread: usize,
}

pub(super) fn carried(kind: Kind, bytes: &[u8]) -> Carried {
    let mut carried = Carried::default();
    let end = match kind {
        Kind::Png => png(bytes, &mut carried),
        Kind::Jpeg => jpeg(bytes, &mut carried.texts),
        Kind::Gif => gif(bytes, &mut carried.texts),
        Kind::Webp => webp(bytes, &mut carried.texts),
        _ => None,
    };
    let behind = end.and_then(|end| bytes.get(end..)).unwrap_or_default();
    if behind.len() >= MIN_BEHIND && behind.iter().any(|byte| !matches!(byte, 0 | 0xff)) {
        carried.behind = behind.len();
    }
    carried
}

fn number(bytes: &[u8], at: usize) -> Option<usize> {
    let four = bytes.get(at..at.checked_add(4)?)?;
    Some(u32::from_be_bytes(four.try_into().ok()?) as usize)
}

fn push(texts: &mut Vec<String>, bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes).replace('\0', " ");
    if !text.trim().is_empty() {
        texts.push(text);
    }
}

/// Length, name, data and check sum, again and again (PNG specification, "Chunk layout").
fn png(bytes: &[u8], carried: &mut Carried) -> Option<usize> {
    let mut left = bytes.len().max(MIN_UNPACKED);
    let mut at = 8;
    loop {
        let length = number(bytes, at)?;
        let name = bytes.get(at + 4..at + 8)?;
        let data = bytes.get(at + 8..(at + 8).checked_add(length)?)?;
        let keyword = data.iter().position(|byte| *byte == 0).unwrap_or(data.len());
        let value = data.get(keyword + 1..).unwrap_or_default();
        match name {
            b"tEXt" => push(&mut carried.texts, value),
            b"zTXt" => unpack(value.get(1..).unwrap_or_default(), &mut left, carried),
            b"iTXt" => {
                // Packed or not, how, language NUL, keyword NUL, text.
                let packed = value.first() == Some(&1);
                let mut parts = value.get(2..).unwrap_or_default().splitn(3, |byte| *byte == 0);
                let text = parts.nth(2).unwrap_or_default();
                if packed {
                    unpack(text, &mut left, carried);
                } else {
                    push(&mut carried.texts, text);
                }
            }
            b"eXIf" => exif(data, &mut carried.texts),
            b"IEND" => return Some(at + 12 + length),
            _ => {}
        }
        at = at.checked_add(12)?.checked_add(length)?;
    }
}

/// Adds a packed text, as far as what is `left` reaches.
fn unpack(bytes: &[u8], left: &mut usize, carried: &mut Carried) {
    let text = match decompress_to_vec_zlib_with_limit(bytes, *left) {
        Ok(text) => text,
        Err(failed) => {
            carried.unread += usize::from(failed.status == TINFLStatus::HasMoreOutput);
            failed.output
        }
    };
    *left = left.saturating_sub(text.len());
    push(&mut carried.texts, &text);
}

/// Segments up to the picture itself, then its data up to the end mark (ITU T.81, annex B).
fn jpeg(bytes: &[u8], texts: &mut Vec<String>) -> Option<usize> {
    let mut at = 2;
    loop {
        let [0xff, mark] = *bytes.get(at..at + 2)? else { return None };
        match mark {
            0xd9 => return Some(at + 2),
            0xff => at += 1,
            0x01 | 0xd0..=0xd8 => at += 2,
            _ => {
                let length = bytes.get(at + 2..at + 4)?;
                let length = usize::from(u16::from_be_bytes(length.try_into().ok()?));
                let data = bytes.get(at + 4..(at + 2).checked_add(length)?)?;
                match mark {
                    0xfe => push(texts, data),
                    0xe1 if data.starts_with(b"Exif\0\0") => exif(&data[6..], texts),
                    0xe1 => xmp(data, texts),
                    0xed => {
                        texts.extend(super::binary::runs(data));
                    }
                    _ => {}
                }
                at += 2 + length;
                if mark == 0xda {
                    // In the picture's data FF stands for itself before 00 and before restarts.
                    at += bytes.get(at..)?.windows(2).position(
                        |pair| matches!(pair, [0xff, mark] if !matches!(mark, 0 | 0xd0..=0xd7)),
                    )?;
                }
            }
        }
    }
}

/// Blocks: comments and applications' data are text, others are skipped (GIF89a, appendix A).
fn gif(bytes: &[u8], texts: &mut Vec<String>) -> Option<usize> {
    let table = |flags: u8| if flags & 0x80 == 0 { 0 } else { 3 << ((flags & 7) + 1) };
    let mut at = 13 + table(*bytes.get(10)?);
    loop {
        match *bytes.get(at)? {
            0x3b => return Some(at + 1),
            0x2c => {
                at += 11 + table(*bytes.get(at + 9)?);
                at = blocks(bytes, at, &mut Vec::new())?;
            }
            0x21 => {
                let label = *bytes.get(at + 1)?;
                let mut data = Vec::new();
                at = blocks(bytes, at + 2, &mut data)?;
                match label {
                    0xfe | 0x01 => push(texts, &data),
                    0xff => xmp(&data, texts),
                    _ => {}
                }
            }
            _ => return None,
        }
    }
}

/// Blocks that each begin with their length, up to an empty one.
fn blocks(bytes: &[u8], mut at: usize, data: &mut Vec<u8>) -> Option<usize> {
    loop {
        let length = usize::from(*bytes.get(at)?);
        if length == 0 {
            return Some(at + 1);
        }
        data.extend_from_slice(bytes.get(at + 1..at + 1 + length)?);
        at += 1 + length;
    }
}

/// Chunks of a RIFF file.
fn webp(bytes: &[u8], texts: &mut Vec<String>) -> Option<usize> {
    let little = |at: usize| {
        let four = bytes.get(at..at + 4)?;
        Some(u32::from_le_bytes(four.try_into().ok()?) as usize)
    };
    let end = little(4)?.checked_add(8)?;
    let mut at = 12;
    while at + 8 <= end.min(bytes.len()) {
        let length = little(at + 4)?;
        let data = bytes.get(at + 8..(at + 8).checked_add(length)?)?;
        match bytes.get(at..at + 4)? {
            b"EXIF" => exif(data, texts),
            b"XMP " => xmp(data, texts),
            _ => {}
        }
        at = (at + 8).checked_add(length)?.checked_add(length % 2)?;
    }
    Some(end)
}

/// The text of Exif data lies open in it, in ASCII or in UTF-16.
fn exif(data: &[u8], texts: &mut Vec<String>) {
    texts.extend(super::binary::runs(data));
    texts.extend(super::binary::wide_runs(data));
}

/// What stands between the tags of XMP.
fn xmp(data: &[u8], texts: &mut Vec<String>) {
    if !super::kind::holds(data, b"<x:xmpmeta") && !super::kind::holds(data, b"<rdf:") {
        return;
    }
    let text = String::from_utf8_lossy(data);
    let between = text.split('<').filter_map(|part| part.split_once('>')).map(|(_, text)| text);
    texts.extend(between.filter(|text| !text.trim().is_empty()).map(str::to_owned));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunk(name: &[u8], data: &[u8]) -> Vec<u8> {
        [&(data.len() as u32).to_be_bytes(), name, data, &[0; 4]].concat()
    }

    fn of_png(chunks: &[Vec<u8>]) -> Vec<u8> {
        [b"\x89PNG\r\n\x1a\n".to_vec(), chunks.concat(), chunk(b"IEND", b"")].concat()
    }

    #[test]
    fn text_of_a_png_is_read_packed_or_not() {
        // "send it" as zlib packs it.
        let packed = miniz_oxide::deflate::compress_to_vec_zlib(b"send it", 6);
        let bytes = of_png(&[
            chunk(b"tEXt", b"Comment\0plain words"),
            chunk(b"zTXt", &[b"Comment\0\0", packed.as_slice()].concat()),
            chunk(b"iTXt", b"Title\0\0\0en\0\0of the world"),
            chunk(b"iTXt", &[b"Title\0\x01\0\0\0", packed.as_slice()].concat()),
        ]);
        let carried = carried(Kind::Png, &bytes);
        assert_eq!(carried.texts, ["plain words", "send it", "of the world", "send it"]);
        assert_eq!(carried.behind, 0);
    }

    #[test]
    fn packed_texts_are_unpacked_to_no_more_than_the_picture_has() {
        let packed = miniz_oxide::deflate::compress_to_vec_zlib(&[b'a'; 60_000], 9);
        let text = chunk(b"zTXt", &[b"Comment\0\0", packed.as_slice()].concat());
        let carried = carried(Kind::Png, &of_png(&[text.clone(), text.clone(), text]));
        assert_eq!(carried.texts.iter().map(String::len).sum::<usize>(), 16 * 1024);
        assert_eq!(carried.unread, 3);
    }

    #[test]
    fn data_behind_the_end_is_counted() {
        let bytes = [of_png(&[]), b"#!/bin/sh\necho behind\n".to_vec()].concat();
        assert_eq!(carried(Kind::Png, &bytes).behind, 22);
        assert_eq!(carried(Kind::Png, &[of_png(&[]), vec![0; 40]].concat()).behind, 0);
    }

    #[test]
    fn text_of_a_jpeg_is_read() {
        let exif = b"Exif\0\0MM\0*\0\0a description here\0";
        let bytes = [
            b"\xff\xd8\xff\xfe\0\x0fa comment too".to_vec(),
            [b"\xff\xe1\0\x21", exif.as_slice()].concat(),
            b"\xff\xda\0\x02\x01\xff\0\x02\xff\xd9".to_vec(),
            b"sixteen bytes and more".to_vec(),
        ]
        .concat();
        let carried = carried(Kind::Jpeg, &bytes);
        assert_eq!(carried.texts, ["a comment too", "a description here"]);
        assert_eq!(carried.behind, 22);
    }

    #[test]
    fn text_of_a_gif_and_a_webp_is_read() {
        let bytes = b"GIF89a\x01\0\x01\0\0\0\0\x21\xfe\x05hello\0\x3b";
        assert_eq!(carried(Kind::Gif, bytes).texts, ["hello"]);
        let xmp = b"<x:xmpmeta><dc:d>a title</dc:d></x:xmpmeta>!";
        let bytes = [
            b"RIFF".as_slice(),
            &(4 + 8 + xmp.len() as u32).to_le_bytes(),
            b"WEBPXMP ",
            &(xmp.len() as u32).to_le_bytes(),
            xmp,
        ]
        .concat();
        assert_eq!(carried(Kind::Webp, &bytes).texts, ["a title", "!"]);
    }

    #[test]
    fn broken_pictures_end_the_look() {
        for bytes in [&b"\x89PNG\r\n\x1a\n\xff\xff\xff\xfftEXt"[..], b"\x89PNG\r\n\x1a\n"] {
            assert_eq!(carried(Kind::Png, bytes), Carried::default());
        }
        assert_eq!(carried(Kind::Jpeg, b"\xff\xd8\xff\xe1\0"), Carried::default());
        assert_eq!(carried(Kind::Gif, b"GIF89a"), Carried::default());
        assert_eq!(carried(Kind::Webp, b"RIFF\xff\xff\xff\xffWEBP"), Carried::default());
    }
}
