//! Skills in a zip file. Nothing is unpacked before every entry was judged by what the directory says
//! of it, and what is unpacked is held against that.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::Read;
use std::path::Path;

use skills::origin::ImportedFrom;
use zip::{CompressionMethod, ZipArchive};

use super::import::{Contents, LeftOut, Source};
use super::layout::{Candidate, Entry, Kind, Layout};
use super::listing::{Form, LISTING, Listing, VERSION};
use super::structure;
use super::{MAX_SKILLS, MAX_TOTAL};
use crate::disk;

/// A file that becomes so many times larger by unpacking, and larger than [`BOMB`], is none that a
/// person made.
const RATIO: u64 = 200;

/// Up to this size in bytes any ratio will do.
const BOMB: u64 = 1024 * 1024;

/// The longest name of an entry in bytes, and the most folders in it: what is more is work and no
/// skill.
const MAX_NAME: usize = 2048;
const MAX_PARTS: usize = 128;

/// The most bytes of what a bundle says of its skills.
const MAX_LISTING: u64 = 8 * 1024 * 1024;

/// What Unix keeps in the upper half of an entry's attributes: the kind of a file.
const KIND: u32 = 0o170_000;
const REGULAR: u32 = 0o100_000;
const FOLDER: u32 = 0o040_000;
const LINK: u32 = 0o120_000;

/// An open zip file, judged.
#[derive(Debug)]
pub(super) struct Zipped {
    archive: ZipArchive<File>,
    layout: Layout,
    listing: Option<Listing>,
}

impl Zipped {
    /// Opens and judges a file; `stem` is its name without the extension.
    ///
    /// # Errors
    /// Why nothing of it can be imported, in words that follow on "it".
    pub(super) fn open(path: &Path, stem: &str) -> Result<Self, String> {
        let file = disk::open_plain(path).map_err(|error| format!("cannot be opened: {error}"))?;
        let length = file.metadata().map_err(|error| format!("cannot be read: {error}"))?.len();
        if length > MAX_TOTAL {
            return Err(format!("has {length} bytes; {MAX_TOTAL} is the most"));
        }
        let mut archive = structure::open(file)?;
        let entries = (0..archive.len())
            .map(|at| judged(&archive, at))
            .collect::<Result<Vec<Entry>, String>>()?;
        let listed = entries.iter().find(|entry| entry.path == LISTING);
        let is_bundle = listed.is_some() && !entries.iter().any(|it| it.path == skills::MAIN_FILE);
        let listing = match listed {
            Some(entry) if is_bundle => Some(read_listing(&mut archive, entry)?),
            _ => None,
        };
        let mut layout = Layout::of(entries, stem, listing.is_some())?;
        if let Some(listing) = &listing {
            hold_against(&mut layout, listing);
        }
        let open = layout.skills.iter().filter(|skill| skill.refused.is_none());
        let total = open
            .flat_map(|skill| &skill.files)
            .fold(0, |sum: u64, file| sum.saturating_add(file.size));
        if total > MAX_TOTAL {
            return Err(format!("unpacks to {total} bytes; {MAX_TOTAL} is the most"));
        }
        Ok(Self { archive, layout, listing })
    }
}

impl Source for Zipped {
    fn from(&self) -> ImportedFrom {
        if self.listing.is_some() { ImportedFrom::Bundle } else { ImportedFrom::File }
    }

    fn candidates(&self) -> &[Candidate] {
        &self.layout.skills
    }

    fn left_out(&self) -> &[LeftOut] {
        &self.layout.left_out
    }

    fn listing(&self) -> Option<&Listing> {
        self.listing.as_ref()
    }

    fn read(&mut self, number: usize) -> Result<Contents, String> {
        let Some(skill) = self.layout.skills.get(number) else {
            return Err("it is not there".to_owned());
        };
        let mut contents = Contents::default();
        for file in &skill.files {
            let bytes = unpacked(&mut self.archive, file.index, file.size)
                .map_err(|why| format!("{:?} {why}", file.path))?;
            if file.executable {
                contents.executable.insert(file.path.clone());
            }
            contents.files.insert(file.path.clone(), bytes);
        }
        Ok(contents)
    }
}

/// One entry, by what the directory says.
fn judged(archive: &ZipArchive<File>, index: usize) -> Result<Entry, String> {
    let entry = archive.by_index_data(index).map_err(|error| format!("cannot be read: {error}"))?;
    let name = std::str::from_utf8(entry.name_raw()).map_err(|_| {
        format!(
            "has an entry whose name is not UTF-8: {:?}",
            String::from_utf8_lossy(entry.name_raw())
        )
    })?;
    if name.len() > MAX_NAME || name.split('/').count() > MAX_PARTS {
        return Err(format!(
            "has an entry with a name of {} bytes, which no disk takes",
            name.len()
        ));
    }
    if leads_away(name) {
        return Err(format!("has an entry that would be written elsewhere: {name:?}"));
    }
    let (path, is_folder) = match name.strip_suffix('/') {
        Some(path) => (path, true),
        None => (name, false),
    };
    let mode = entry.external_attributes() >> 16;
    let trouble = match mode & KIND {
        LINK => Some("is a link, and a skill holds files only".to_owned()),
        0 => None,
        FOLDER if is_folder => None,
        REGULAR if !is_folder => None,
        FOLDER | REGULAR => {
            Some("is a file by its name and a folder by its kind, or the reverse".to_owned())
        }
        _ => Some("is neither a file nor a folder".to_owned()),
    };
    let (size, packed) = (entry.size(), entry.compressed_size());
    let trouble = trouble.or_else(|| match entry.compression() {
        _ if entry.encrypted() => Some("is encrypted".to_owned()),
        _ if is_folder && size > 0 => Some("is a folder that holds bytes".to_owned()),
        CompressionMethod::Stored if size != packed => {
            Some("says two different things about its size".to_owned())
        }
        CompressionMethod::Stored => None,
        CompressionMethod::Deflated if is_a_bomb(size, packed) => {
            Some(format!("unpacks from {packed} to {size} bytes, as a zip bomb does"))
        }
        CompressionMethod::Deflated => None,
        other => Some(format!("is packed by a method that is not supported ({other})")),
    });
    Ok(Entry {
        path: path.to_owned(),
        kind: if is_folder { Kind::Folder } else { Kind::File },
        size,
        executable: mode & 0o111 != 0 && !is_folder,
        index,
        trouble,
    })
}

/// Whether a file becomes so much larger by unpacking that nobody made it so.
pub(super) fn is_a_bomb(size: u64, packed: u64) -> bool {
    size > BOMB && size / RATIO > packed
}

/// Whether some program would write an entry of this name outside of the folder it unpacks into.
fn leads_away(name: &str) -> bool {
    let drive = name.as_bytes().get(1) == Some(&b':');
    let within = name.strip_suffix('/').unwrap_or(name);
    drive
        || name.contains(['\\', '\0'])
        || within.split('/').any(|part| part.is_empty() || part == "." || part == "..")
}

/// The bytes of one entry, which must be exactly so many.
fn unpacked(archive: &mut ZipArchive<File>, index: usize, size: u64) -> Result<Vec<u8>, String> {
    let failed = |error: &dyn std::fmt::Display| format!("cannot be unpacked: {error}");
    let mut entry = archive.by_index(index).map_err(|error| failed(&error))?;
    let mut bytes = Vec::new();
    let more = size.saturating_add(1);
    entry.by_ref().take(more).read_to_end(&mut bytes).map_err(|error| failed(&error))?;
    if bytes.len() as u64 != size {
        return Err(format!("does not have the {size} bytes that it should"));
    }
    Ok(bytes)
}

fn read_listing(archive: &mut ZipArchive<File>, entry: &Entry) -> Result<Listing, String> {
    let damaged = |why: &dyn std::fmt::Display| {
        format!("is a bundle of Skillhold whose {LISTING} is damaged: {why}")
    };
    if let Some(trouble) = &entry.trouble {
        return Err(damaged(trouble));
    }
    if entry.size > MAX_LISTING {
        return Err(damaged(&"it is too large"));
    }
    let bytes = unpacked(archive, entry.index, entry.size).map_err(|why| damaged(&why))?;
    let form: Form = serde_json::from_slice(&bytes).map_err(|error| damaged(&error))?;
    if form.version != VERSION {
        return Err("was exported by a newer version of Skillhold".to_owned());
    }
    let listing: Listing = serde_json::from_slice(&bytes).map_err(|error| damaged(&error))?;
    if listing.skills.len() > MAX_SKILLS {
        return Err(format!("has {} skills; {MAX_SKILLS} is the most", listing.skills.len()));
    }
    Ok(listing)
}

/// A bundle holds what it lists, in folders of those names, and nothing else.
fn hold_against(layout: &mut Layout, listing: &Listing) {
    let listed: BTreeMap<&str, _> =
        listing.skills.iter().map(|skill| (skill.name.as_str(), skill)).collect();
    for skill in &mut layout.skills {
        if skill.refused.is_some() {
            continue;
        }
        match listed.get(skill.at.as_str()) {
            None => skill.refused = Some("the bundle does not list it".to_owned()),
            Some(one) => {
                let says: BTreeSet<(&str, u64)> =
                    one.files.iter().map(|file| (file.path.as_str(), file.size)).collect();
                let has: BTreeSet<(&str, u64)> =
                    skill.files.iter().map(|file| (file.path.as_str(), file.size)).collect();
                if says != has {
                    skill.refused =
                        Some("its files are not those that the bundle lists".to_owned());
                }
            }
        }
    }
    let there: BTreeSet<String> = layout.skills.iter().map(|skill| skill.at.clone()).collect();
    for skill in listing.skills.iter().filter(|skill| !there.contains(&skill.name)) {
        let reason = "the bundle lists it and does not hold it".to_owned();
        layout.left_out.push(LeftOut { name: skill.name.clone(), reason });
    }
}
