//! Whether a file is one plain zip file that every program reads in the same way. Here the end of it
//! is looked at before the crate that reads it may; that crate then holds the rest against itself.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

use zip::ZipArchive;

use super::MAX_ENTRIES;

/// The most bytes of the directory of a zip file.
const MAX_DIRECTORY: u64 = 4 * 1024 * 1024;

/// Bytes of the record at the end, without its comment.
const END: usize = 22;

/// How that record begins, and how the one begins that larger files have before it.
const END_SIGNATURE: &[u8] = b"PK\x05\x06";
const LARGE_SIGNATURE: &[u8] = b"PK\x06\x07";

/// Bytes of the latter.
const LARGE_END: usize = 20;

/// What the end of a zip file says.
#[derive(Debug, PartialEq, Eq)]
struct End {
    entries: usize,
    /// Where the directory begins.
    directory: u64,
}

/// Opens a zip file of which every part agrees with every other.
///
/// # Errors
/// Why it is none, in words that follow on "it".
pub(super) fn open(mut file: File) -> Result<ZipArchive<File>, String> {
    let end = end_of(&mut file)?;
    let mut archive = ZipArchive::new(file).map_err(|error| no_zip(&error))?;
    if archive.has_duplicate_names() {
        return Err("has two entries of one name".to_owned());
    }
    let read_alike = archive.offset() == 0
        && archive.central_directory_start() == end.directory
        && archive.len() == end.entries;
    if !read_alike {
        return Err("can be read in two ways".to_owned());
    }
    let contradicts = |error: zip::result::ZipError| {
        format!("says two different things about what it holds: {error}")
    };
    if archive.has_overlapping_entries().map_err(contradicts)? {
        return Err("has entries that share bytes".to_owned());
    }
    archive.validate_header_consistency().map_err(contradicts)?;
    let first = (0..archive.len())
        .map(|at| Ok(archive.by_index_data(at)?.header_start()))
        .collect::<Result<Vec<u64>, zip::result::ZipError>>()
        .map_err(contradicts)?
        .into_iter()
        .min();
    if first != Some(0) {
        return Err("begins with something that belongs to no entry".to_owned());
    }
    Ok(archive)
}

fn no_zip(error: &zip::result::ZipError) -> String {
    format!("cannot be read as a zip file: {error}")
}

/// Reads the record at the end, and makes sure that there is one only, and that the directory lies
/// right before it.
fn end_of(file: &mut File) -> Result<End, String> {
    let unreadable = |error: std::io::Error| format!("cannot be read: {error}");
    let length = file.seek(SeekFrom::End(0)).map_err(unreadable)?;
    let most = (END + LARGE_END + usize::from(u16::MAX)) as u64;
    let before = length.saturating_sub(most);
    file.seek(SeekFrom::Start(before)).map_err(unreadable)?;
    let mut tail = Vec::new();
    file.take(most).read_to_end(&mut tail).map_err(unreadable)?;
    let at = tail
        .windows(END)
        .rposition(|record| record.starts_with(END_SIGNATURE))
        .ok_or("is no zip file, or its end is missing")?;
    let number = |from: usize, bytes: usize| {
        let field = tail.get(at + from..at + from + bytes).unwrap_or_default();
        field.iter().rev().fold(0_u64, |sum, byte| sum << 8 | u64::from(*byte))
    };
    if tail.len() != at + END + number(20, 2) as usize {
        return Err("goes on after its end".to_owned());
    }
    if tail.get(at + 1..).is_some_and(|rest| rest.windows(4).any(|four| four == END_SIGNATURE)) {
        return Err("has two ends".to_owned());
    }
    if number(4, 2) != 0 || number(6, 2) != 0 || number(8, 2) != number(10, 2) {
        return Err("is one part of several".to_owned());
    }
    let (entries, size, directory) = (number(10, 2), number(12, 4), number(16, 4));
    let large = entries == u64::from(u16::MAX)
        || size == u64::from(u32::MAX)
        || directory == u64::from(u32::MAX)
        || at.checked_sub(LARGE_END).is_some_and(|at| tail[at..].starts_with(LARGE_SIGNATURE));
    if large {
        return Err("is written in the form for very large files (zip64)".to_owned());
    }
    if entries > MAX_ENTRIES as u64 {
        return Err(format!("has {entries} entries; {MAX_ENTRIES} is the most"));
    }
    if size > MAX_DIRECTORY {
        return Err("has a directory that is too large".to_owned());
    }
    if entries == 0 {
        return Err("is empty".to_owned());
    }
    if directory + size != before + at as u64 {
        return Err("has something before or after its entries that belongs to none".to_owned());
    }
    Ok(End { entries: entries as usize, directory })
}
