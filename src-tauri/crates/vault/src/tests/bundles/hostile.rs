//! Zip files with entries that nobody means well with. Each is refused, says why, and leaves nothing
//! on the disk.

use std::io::Write;

use super::raw::{Part, Zip};
use super::*;

/// Bytes that shrink to a thousandth.
fn bomb(name: &str, bytes: usize) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default();
    writer.start_file("pdf/SKILL.md", options).unwrap();
    writer.write_all(PDF.as_bytes()).unwrap();
    writer.start_file(name, options).unwrap();
    writer.write_all(&vec![0; bytes]).unwrap();
    writer.finish().unwrap().into_inner()
}

#[test]
fn names_that_lead_out_of_the_folder_are_refused() {
    for (name, shown) in [
        ("../evil.md", r#""../evil.md""#),
        ("pdf/../../evil.md", r#""pdf/../../evil.md""#),
        ("pdf/..", r#""pdf/..""#),
        ("/etc/passwd", r#""/etc/passwd""#),
        ("//server/share/x", r#""//server/share/x""#),
        ("C:evil.md", r#""C:evil.md""#),
        ("C:/evil.md", r#""C:/evil.md""#),
        ("pdf\\..\\evil.md", r#""pdf\\..\\evil.md""#),
        ("\\\\server\\x", r#""\\\\server\\x""#),
        ("./pdf/x.md", r#""./pdf/x.md""#),
        ("pdf//x.md", r#""pdf//x.md""#),
        ("pdf/x.md\0.txt", r#""pdf/x.md\0.txt""#),
        ("/", r#""/""#),
        ("", r#""""#),
    ] {
        let why = format!("has an entry that would be written elsewhere: {shown}");
        whole(Zip::of([pdf(), Part::new(name, "x")]), &why);
    }
}

#[test]
fn names_that_are_only_work_are_refused() {
    let long = vec!["n".repeat(200); 11].join("/");
    let why = "has an entry with a name of 2210 bytes, which no disk takes";
    whole(Zip::of([pdf(), Part::new(&long, "x")]), why);
    let deep = vec!["d"; 129].join("/");
    let why = "has an entry with a name of 257 bytes, which no disk takes";
    whole(Zip::of([pdf(), Part::new(&deep, "x")]), why);
}

#[test]
fn many_names_that_are_one_refuse_the_file() {
    let pairs =
        (0..8).flat_map(|n| [Part::new(&format!("x{n}"), ""), Part::new(&format!("X{n}"), "")]);
    whole(
        Zip::of([pdf()].into_iter().chain(pairs)),
        "has many entries that would be one on some disks",
    );
}

#[test]
fn names_that_are_not_utf_8_are_refused() {
    let why = "has an entry whose name is not UTF-8: \"pdf/caf\u{fffd}.md\"";
    whole(Zip::of([pdf(), Part { flags: 0, ..Part::named(b"pdf/caf\xe9.md", "x") }]), why);
}

#[test]
fn names_that_no_other_system_could_write_refuse_their_skill() {
    skill(Part::new("pdf/aux.md", "x"), "\"aux.md\" has a name that Windows keeps for a device");
    skill(Part::new("pdf/notes.", "x"), "\"notes.\" has a name that ends with a dot or a space");
    skill(
        Part::new("pdf/notes /x", "x"),
        "\"notes /x\" has a name that ends with a dot or a space",
    );
    skill(Part::new("pdf/a\tb", "x"), "\"a\\tb\" has the character '\\t'");
    skill(Part::new("pdf/a:b", "x"), "\"a:b\" has the character ':'");
    let long = "n".repeat(256);
    skill(
        Part::new(&format!("pdf/{long}"), "x"),
        &format!("{long:?} has a name of more than 255 bytes"),
    );
    let deep = vec!["d"; 65].join("/");
    skill(
        Part::new(&format!("pdf/{deep}"), "x"),
        &format!("{deep:?} is more than 64 folders deep"),
    );
}

#[test]
fn links_and_special_files_refuse_their_skill() {
    let link = Part { mode: 0o120_777, ..Part::new("pdf/key", "/home/me/.ssh/id_ed25519") };
    skill(link, "\"key\" is a link, and a skill holds files only");
    for mode in [0o010_644, 0o020_644, 0o060_644, 0o140_644] {
        let special = Part { mode, ..Part::new("pdf/x", "") };
        skill(special, "\"x\" is neither a file nor a folder");
    }
    let folder = Part { mode: 0o040_755, ..Part::new("pdf/x", "") };
    skill(folder, "\"x\" is a file by its name and a folder by its kind, or the reverse");
    let file = Part::new("pdf/x/", "");
    skill(file, "\"x\" is a file by its name and a folder by its kind, or the reverse");
}

#[test]
fn a_main_file_that_is_a_link_refuses_its_skill() {
    let home = Home::new();
    let main = Part { mode: 0o120_777, ..Part::new("pdf/SKILL.md", "../x") };
    let error = refused(home.import("bad.zip", Zip::of([main])));
    assert_eq!(error.causes, ["\"pdf\": \"SKILL.md\" is a link, and a skill holds files only"]);
    home.assert_nothing_imported();
}

#[test]
fn what_is_encrypted_or_packed_in_an_unknown_way_refuses_its_skill() {
    skill(Part { flags: 0x801, ..Part::new("pdf/x", "secret") }, "\"x\" is encrypted");
    skill(
        Part { method: 12, ..Part::new("pdf/x", "x") },
        "\"x\" is packed by a method that is not supported (Bzip2)",
    );
    skill(
        Part { method: 99, ..Part::new("pdf/x", "x") },
        "\"x\" is packed by a method that is not supported (Aes)",
    );
}

#[test]
fn a_folder_that_holds_bytes_refuses_its_skill() {
    let folder = Part { mode: 0o040_755, ..Part::new("pdf/x/", "bytes") };
    skill(folder, "\"x\" is a folder that holds bytes");
}

#[test]
fn sizes_that_are_not_true_refuse_their_skill() {
    let short = Part { size: 3, ..Part::new("pdf/x", "four") };
    skill(short, "\"x\" says two different things about its size");
    let more = Part { size: 3, ..Part::deflated("pdf/x", "four") };
    let why = "\"x\" cannot be unpacked: File is larger than its declared uncompressed size";
    skill(more, why);
    let less = Part { size: 5, ..Part::deflated("pdf/x", "four") };
    skill(less, "\"x\" does not have the 5 bytes that it should");
}

#[test]
fn bytes_that_are_damaged_refuse_their_skill() {
    let crc = Part { crc: 1, ..Part::new("pdf/x", "four") };
    skill(crc, "\"x\" cannot be unpacked: Invalid checksum");
    let broken = Part {
        packed: b"\xff\xff\xff".to_vec(),
        packed_size: 3,
        ..Part::deflated("pdf/x", "four")
    };
    skill(broken, "\"x\" cannot be unpacked: corrupt deflate stream");
}

#[test]
fn a_bomb_is_refused_before_it_is_unpacked() {
    let home = Home::new();
    let path = home.file("bad.zip", &bomb("pdf/zeros", 8 * 1024 * 1024));
    let error = refused(home.vault.import_file(&path, "bad"));
    assert_eq!(
        error.causes,
        ["\"pdf\": \"zeros\" unpacks from 8157 to 8388608 bytes, as a zip bomb does"]
    );
    home.assert_nothing_imported();
}

#[test]
fn a_skill_with_more_than_it_may_have_is_refused() {
    skill(
        Part { size: 0xFFFF_0000, ..Part::deflated("pdf/x", vec![b'x'; 60_000]) },
        "\"x\" unpacks from 60005 to 4294901760 bytes, as a zip bomb does",
    );
    let home = Home::new();
    let many = (0..512).map(|n| Part::new(&format!("pdf/{n}"), ""));
    let error = refused(home.import("bad.zip", Zip::of(many.chain([pdf()]))));
    assert_eq!(error.causes, ["\"pdf\": it has 513 files; 512 is the most"]);
    let large = Part::new("pdf/x", vec![b'x'; 16 * 1024 * 1024]);
    let error = refused(home.import("bad.zip", Zip::of([pdf(), large])));
    assert_eq!(error.causes, ["\"pdf\": it has 16777272 bytes; 16777216 is the most"]);
    home.assert_nothing_imported();
}

#[test]
fn more_than_one_import_may_have_is_refused() {
    let skills = |count: usize| {
        (0..count).map(|n| Part::new(&format!("s{n}/SKILL.md"), main_of(&format!("s{n}"))))
    };
    whole(Zip::of(skills(257)), "has 257 skills; 256 is the most");
    let entries = (0..20_000).map(|n| Part::new(&format!("x/{n}"), ""));
    whole(Zip::of(entries.chain([pdf()])), "has 20001 entries; 20000 is the most");
    // 17 of 16 MB, each as large as a skill may be, and larger together than an import may be.
    let large = (0..17).flat_map(|n| {
        let name = format!("s{n}");
        let zeros =
            Part { size: 16_000_000, ..Part::deflated(&format!("{name}/x"), vec![b'x'; 60_000]) };
        let far = Part { packed: vec![0; 90_000], packed_size: 90_000, ..zeros };
        [Part::new(&format!("{name}/SKILL.md"), main_of(&name)), far]
    });
    whole(Zip::of(large), "unpacks to 272000949 bytes; 268435456 is the most");
}

#[test]
fn names_that_are_one_on_some_disks_refuse_their_skill() {
    skill(
        Part::new("pdf/skill.md", "x"),
        "\"pdf/SKILL.md\" and \"pdf/skill.md\" would be one on some disks",
    );
    skill(
        Part::new("PDF/x.md", "x"),
        "\"pdf/SKILL.md\" and \"PDF/x.md\" would be one on some disks",
    );
    let home = Home::new();
    let zip = Zip::of([pdf(), Part::new("pdf/caf\u{e9}", "1"), Part::new("pdf/cafe\u{301}", "2")]);
    let error = refused(home.import("bad.zip", zip));
    assert_eq!(
        error.causes,
        ["\"pdf\": \"pdf/caf\u{e9}\" and \"pdf/cafe\\u{301}\" would be one on some disks"]
    );
    home.assert_nothing_imported();
}

#[test]
fn a_file_that_is_a_folder_too_refuses_its_skill() {
    let home = Home::new();
    let zip = Zip::of([pdf(), Part::new("pdf/x", "1"), Part::new("pdf/x/y", "2")]);
    let error = refused(home.import("bad.zip", zip));
    assert_eq!(error.causes, ["\"pdf\": \"pdf/x\" and \"pdf/x/y\" would be one on some disks"]);
    let folder = Part { mode: 0o040_755, ..Part::new("pdf/x/", "") };
    let error = refused(home.import("bad.zip", Zip::of([pdf(), Part::new("pdf/x", "1"), folder])));
    assert_eq!(error.causes, ["\"pdf\": \"pdf/x\" and \"pdf/x\" would be one on some disks"]);
    let inside = Part::new("pdf/SKILL.md/x", "1");
    let error = refused(home.import("bad.zip", Zip::of([pdf(), inside])));
    assert_eq!(
        error.causes,
        ["\"pdf\": \"pdf/SKILL.md\" and \"pdf/SKILL.md/x\" would be one on some disks"]
    );
    home.assert_nothing_imported();
}

#[test]
fn hidden_characters_in_names_are_spelt_out() {
    let name = "pdf/\u{202e}dm.x\0";
    let why = "has an entry that would be written elsewhere: \"pdf/\\u{202e}dm.x\\0\"";
    whole(Zip::of([pdf(), Part::new(name, "x")]), why);
}
