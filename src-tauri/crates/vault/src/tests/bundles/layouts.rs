//! The ways in which skills lie in a zip file.

use super::raw::{Part, Zip};
use super::*;

#[test]
fn a_main_file_at_the_top_makes_one_skill_by_the_name_in_it() {
    let home = Home::new();
    let zip = Zip::plain(&[("SKILL.md", PDF), ("scripts/run.py", "print()\n")]);
    let imported = home.import("download (3).skill", zip).unwrap();
    assert_eq!(imported.skills, ["pdf"]);
    assert_eq!(left_out(&imported), []);
    assert_eq!(
        home.imported(),
        BTreeMap::from([
            ("skills/pdf/SKILL.md".into(), PDF.into()),
            ("skills/pdf/scripts/run.py".into(), "print()\n".into()),
        ])
    );
}

#[test]
fn one_that_has_no_name_in_it_is_left_out_and_says_what_is_missing() {
    let home = Home::new();
    let zip = Zip::plain(&[("SKILL.md", "---\ndescription: Reads\n---\nRead it.\n")]);
    let error = refused(home.import("pdf.skill", zip));
    assert_eq!(error.message, "nothing of \"pdf.skill\" can be imported");
    assert_eq!(error.causes, ["\"pdf\": there is no `name`"]);
    home.assert_nothing_imported();
}

#[test]
fn a_folder_and_many_folders_and_folders_in_folders_are_found() {
    let home = Home::new();
    let one = home.import("pdf.zip", Zip::plain(&[("pdf/SKILL.md", PDF)])).unwrap();
    assert_eq!(one.skills, ["pdf"]);
    let (a, b) = (main_of("a"), main_of("b"));
    let zip = Zip::plain(&[
        ("repo-main/README.md", "Read me"),
        ("repo-main/skills/b/SKILL.md", &b),
        ("repo-main/skills/b/x/y/z.md", "deep"),
        ("repo-main/a/SKILL.md", &a),
        ("repo-main/a/empty", ""),
    ]);
    let many = home.import("repo.zip", zip).unwrap();
    assert_eq!(many.skills, ["a", "b"]);
    assert_eq!(left_out(&many), []);
    let there = home.imported();
    assert_eq!(there["skills/b/x/y/z.md"], "deep");
    assert_eq!(there["skills/a/empty"], "");
    assert!(!there.keys().any(|path| path.contains("README")));
}

#[test]
fn what_has_another_name_than_its_folder_comes_in_under_its_own() {
    let home = Home::new();
    let imported = home.import("x.zip", Zip::plain(&[("PDF Tools/SKILL.md", PDF)])).unwrap();
    assert_eq!(imported.skills, ["pdf"]);
    assert!(home.imported().contains_key("skills/pdf/SKILL.md"));
}

#[test]
fn a_skill_inside_of_another_stays_a_part_of_it() {
    let home = Home::new();
    let inner = main_of("inner");
    let zip = Zip::plain(&[("pdf/SKILL.md", PDF), ("pdf/inner/SKILL.md", &inner)]);
    let imported = home.import("x.zip", zip).unwrap();
    assert_eq!(imported.skills, ["pdf"]);
    assert_eq!(home.imported()["skills/pdf/inner/SKILL.md"], inner);
}

#[test]
fn what_macos_adds_is_left_out_with_a_word() {
    let home = Home::new();
    let zip = Zip::plain(&[
        ("pdf/SKILL.md", PDF),
        ("pdf/.DS_Store", "\0\0\0\x01Bud1"),
        ("__MACOSX/pdf/._SKILL.md", "\0\x05\x16\x07"),
        ("__MACOSX/SKILL.md", "x"),
    ]);
    let imported = home.import("x.zip", zip).unwrap();
    assert_eq!(imported.skills, ["pdf"]);
    assert_eq!(
        left_out(&imported),
        [
            ("__MACOSX", "macOS adds it to archives; it is no part of a skill"),
            (".DS_Store", "macOS keeps there how a window looks; it is no part of a skill"),
        ]
    );
    assert_eq!(home.imported(), BTreeMap::from([("skills/pdf/SKILL.md".into(), PDF.into())]));
}

#[test]
fn what_lies_beside_skills_does_them_no_harm() {
    let home = Home::new();
    let link = Part { mode: 0o120_777, ..Part::new("repo/CLAUDE.md", "AGENTS.md") };
    let zip = Zip::plain(&[
        ("repo/skills/pdf/SKILL.md", PDF),
        ("repo/README.md", "1"),
        ("repo/readme.md", "2"),
        ("repo/aux.c", "int main;"),
    ]);
    let imported = home.import("repo.zip", zip.with(link)).unwrap();
    assert_eq!(imported.skills, ["pdf"]);
}

#[test]
fn skills_that_break_a_rule_are_named_with_their_reasons_and_the_others_come_in() {
    let home = Home::new();
    let zip = Zip::plain(&[
        ("good/SKILL.md", &main_of("good")),
        ("loud/SKILL.md", "---\nname: Loud\ndescription: Shouts\n---\nx\n"),
        ("none/SKILL.md", "just text\n"),
        ("up/SKILL.md", "---\nname: ../up\ndescription: Leads up\n---\nx\n"),
    ]);
    let imported = home.import("x.zip", zip).unwrap();
    assert_eq!(imported.skills, ["good"]);
    let names: Vec<&str> = left_out(&imported).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["loud", "none", "up"]);
    assert!(imported.left_out.iter().all(|it| !it.reason.is_empty()));
    assert_eq!(home.imported().len(), 1);
}

#[test]
fn of_two_skills_with_one_name_neither_comes_in_unless_they_are_equal() {
    let home = Home::new();
    let other = "---\nname: pdf\ndescription: Other\n---\nOther.\n";
    let zip = Zip::plain(&[("a/SKILL.md", PDF), ("b/SKILL.md", other), ("c/SKILL.md", PDF)]);
    let error = refused(home.import("x.zip", zip));
    assert_eq!(
        error.causes,
        [
            "\"a\": \"b\" has the same name, pdf, and other files",
            "\"b\": \"a\" has the same name, pdf, and other files",
            "\"c\": others have the same name, pdf, and other files",
        ]
    );
    home.assert_nothing_imported();
    let zip = Zip::plain(&[("a/SKILL.md", PDF), ("b/SKILL.md", PDF)]);
    let imported = home.import("x.zip", zip).unwrap();
    assert_eq!(imported.skills, ["pdf"]);
    assert_eq!(left_out(&imported), [("b", "it is the same as \"a\"")]);
}

#[test]
fn a_file_without_a_skill_says_so() {
    let home = Home::new();
    let error = refused(home.import("x.zip", Zip::plain(&[("README.md", "x")])));
    assert_eq!(
        error.message,
        "\"x.zip\" cannot be imported: it holds no skill: there is no SKILL.md in it"
    );
    let error = refused(home.import("x.zip", Zip::plain(&[("pdf/skill.md", PDF)])));
    assert_eq!(
        error.message,
        "\"x.zip\" cannot be imported: it has no SKILL.md; there is \"pdf/skill.md\""
    );
    home.assert_nothing_imported();
}

#[test]
fn bits_are_remembered_and_no_imported_file_has_one() {
    let home = Home::new();
    let zip = Zip::of([
        Part::new("pdf/SKILL.md", PDF),
        Part { mode: 0o100_755, ..Part::new("pdf/scripts/run.sh", "#!/bin/sh\n") },
    ]);
    let imported = home.import("x.zip", zip).unwrap();
    let Endpoint::Imported { content, .. } = &imported.server.endpoint else { panic!() };
    let said = home.vault.said(content, "pdf").unwrap().unwrap();
    assert_eq!(said.executable, ["scripts/run.sh".to_owned()].into());
    assert_eq!((said.origin, said.approval), (None, None));
    assert_eq!(home.vault.said(content, "other").unwrap(), None);
    let folder = home.vault.imported_skills(content).unwrap();
    assert!(!crate::disk::is_executable(&folder.join("pdf/scripts/run.sh")));
}

#[test]
fn files_of_programs_that_write_sizes_behind_the_bytes_come_in() {
    let home = Home::new();
    let bytes = {
        use std::io::Write;
        let mut writer = zip::ZipWriter::new_stream(Vec::new());
        let options = zip::write::SimpleFileOptions::default();
        writer.start_file("pdf/SKILL.md", options).unwrap();
        writer.write_all(PDF.as_bytes()).unwrap();
        writer.finish().unwrap().into_inner()
    };
    let path = home.file("x.zip", &bytes);
    assert_eq!(home.vault.import_file(&path, "team").unwrap().skills, ["pdf"]);
    assert_eq!(home.imported()["skills/pdf/SKILL.md"], PDF);
}
