//! Files whose parts do not agree, so that two programs would read them in two ways. Each is refused,
//! says why, and leaves nothing on the disk.

use super::raw::{Part, Zip};
use super::*;

#[test]
fn two_entries_of_one_name_are_refused() {
    whole(Zip::of([pdf(), pdf()]), "has two entries of one name");
    whole(
        Zip::of([pdf(), Part::new("pdf/x", "1"), Part::new("pdf/x", "2")]),
        "has two entries of one name",
    );
}

#[test]
fn entries_that_share_bytes_are_refused() {
    let same = Part { at: Some(0), ..Part::new("pdf/x", PDF) };
    whole(Zip::of([pdf(), same]), "has entries that share bytes");
}

#[test]
fn a_directory_that_says_something_else_than_the_headers_is_refused() {
    let two = "says two different things about what it holds: ";
    let x = || Part::new("pdf/x", "four");
    whole(Zip::of([pdf(), x().with_local(|it| it.name = b"pdf/y".to_vec())]), two);
    whole(Zip::of([pdf(), x().with_local(|it| it.size = 9)]), two);
    whole(Zip::of([pdf(), x().with_local(|it| it.crc = 9)]), two);
    whole(Zip::of([pdf(), x().with_local(|it| it.method = 8)]), two);
    whole(Zip::of([pdf(), x().with_local(|it| it.flags = 0x801)]), two);
    whole(Zip::of([pdf(), Part { hidden: true, ..Part::new("pdf/z", "hidden") }]), two);
}

#[test]
fn a_name_in_another_field_that_says_something_else_is_refused() {
    let mut extra = vec![0x75, 0x70, 17, 0, 1];
    extra.extend([0; 4]);
    extra.extend(b"pdf/other.md");
    whole(
        Zip::of([pdf(), Part { extra, ..Part::new("pdf/x", "four") }]),
        "says two different things about what it holds: ",
    );
}

#[test]
fn bytes_that_belong_to_no_entry_are_refused() {
    let zip = || Zip::of([pdf()]);
    let outside = "has something before or after its entries that belongs to none";
    whole(
        Zip { before: b"#!/bin/sh\n".to_vec(), ..zip() },
        "begins with something that belongs to no entry",
    );
    whole(Zip { after: b"more".to_vec(), ..zip() }, "goes on after its end");
    whole(Zip { before_end: vec![0; 7], ..zip() }, outside);
    let mut shifted = b"prefix".to_vec();
    shifted.extend(zip().bytes());
    whole_bytes(&shifted, outside);
}

#[test]
fn a_second_end_is_refused() {
    let comment = Zip::of([Part::new("evil/SKILL.md", main_of("evil"))]).bytes();
    let outside = "has something before or after its entries that belongs to none";
    whole(Zip { comment, ..Zip::of([pdf()]) }, outside);
    whole(Zip { comment: b"PK\x05\x06".to_vec(), ..Zip::of([pdf()]) }, "has two ends");
}

#[test]
fn counts_that_are_not_true_are_refused() {
    let more = Zip { count: Some(2), ..Zip::of([pdf()]) };
    whole(more, "cannot be read as a zip file: ");
    let fewer = Zip { count: Some(1), ..Zip::of([pdf(), Part::new("pdf/x", "x")]) };
    whole(fewer, "");
}

#[test]
fn the_form_for_very_large_files_is_refused() {
    let zip = |before_end: &[u8]| Zip { before_end: before_end.to_vec(), ..Zip::of([pdf()]) };
    let why = "is written in the form for very large files (zip64)";
    whole(zip(b"PK\x06\x07\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"), why);
    whole(Zip { count: Some(0xFFFF), ..Zip::of([pdf()]) }, why);
}

#[test]
fn what_is_no_zip_file_or_only_a_part_of_one_is_refused() {
    whole_bytes(b"", "is no zip file, or its end is missing");
    whole_bytes(b"---\nname: pdf\n---\n", "is no zip file, or its end is missing");
    let zip = Zip::of([pdf()]).bytes();
    whole_bytes(&zip[..zip.len() - 5], "is no zip file, or its end is missing");
    whole_bytes(&Zip::default().bytes(), "is empty");
    let mut part = zip.clone();
    let end = part.len() - 22;
    part[end + 4] = 1;
    whole_bytes(&part, "is one part of several");
}

#[test]
fn a_pipe_or_a_folder_in_place_of_a_file_is_refused_at_once() {
    let home = Home::new();
    let folder = home.path("downloads/x.zip");
    fs::create_dir_all(&folder).unwrap();
    let error = refused(home.vault.import_file(&folder, "x"));
    assert_eq!(
        error.message,
        "\"x.zip\" cannot be imported: it cannot be opened: not a regular file"
    );
    home.assert_nothing_imported();
}

#[test]
fn no_cut_and_no_flipped_byte_makes_anything_but_the_same_skill_or_an_error() {
    let home = Home::new();
    let zip = Zip::of([pdf(), Part::deflated("pdf/x", "four")]).bytes();
    for at in 0..zip.len() {
        let mut flipped = zip.clone();
        flipped[at] ^= 0xFF;
        for bytes in [&zip[..at], &flipped] {
            let path = home.file("bad.zip", bytes);
            if let Ok(imported) = home.vault.import_file(&path, "bad") {
                let whole = [
                    ("skills/pdf/SKILL.md".to_owned(), PDF.to_owned()),
                    ("skills/pdf/x".to_owned(), "four".to_owned()),
                ];
                let only_main = [whole[0].clone()];
                let there = home.imported();
                let is = |files: &[(String, String)]| there == files.iter().cloned().collect();
                assert!(is(&whole) || is(&only_main), "byte {at}: {there:?}");
                home.vault.remove_server(&imported.server.id).unwrap();
            }
            home.assert_nothing_imported();
        }
    }
}

#[test]
fn files_with_wild_changes_never_bring_in_anything_but_what_they_held() {
    let home = Home::new();
    let whole =
        Zip::of([pdf(), Part::deflated("pdf/x", "four"), Part::new("a/SKILL.md", main_of("a"))])
            .bytes();
    // Always the same numbers.
    let mut state = 0x2545_F491_4F6C_DD1D_u64;
    let mut next = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below as u64) as usize
    };
    let telling: [u8; 8] = [0, 1, 0x2F, 0x2E, 0x50, 0x7F, 0x80, 0xFF];
    let held = BTreeMap::from([
        ("skills/pdf/SKILL.md".to_owned(), PDF.to_owned()),
        ("skills/pdf/x".to_owned(), "four".to_owned()),
        ("skills/a/SKILL.md".to_owned(), main_of("a")),
    ]);
    let mut came_in = 0;
    for _ in 0..400 {
        let mut bytes = whole.clone();
        for _ in 0..=next(3) {
            let (at, value) = (next(bytes.len()), telling[next(telling.len())]);
            match next(8) {
                0 => bytes.truncate(at.max(1)),
                1 => bytes.insert(at, value),
                2 => drop(bytes.remove(at)),
                _ => bytes[at] = value,
            }
        }
        let path = home.file("bad.zip", &bytes);
        if let Ok(imported) = home.vault.import_file(&path, "bad") {
            came_in += 1;
            for (path, text) in home.imported() {
                assert_eq!(held.get(&path), Some(&text), "{path}");
            }
            home.vault.remove_server(&imported.server.id).unwrap();
        }
        home.assert_nothing_imported();
    }
    assert!(came_in > 0);
}
