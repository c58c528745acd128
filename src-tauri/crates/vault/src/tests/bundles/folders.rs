//! Skills from a folder.

use super::*;

#[test]
fn a_skill_and_a_folder_of_skills_come_in_as_they_are() {
    let home = Home::new();
    let folder = home.path("mine");
    home.write(&folder, &[("pdf/SKILL.md", PDF), ("pdf/data/.hidden", "h"), ("notes.txt", "n")]);
    home.write(&folder, &[("group/a/SKILL.md", &main_of("a"))]);
    let one = home.vault.import_folder(&folder.join("pdf"), "pdf").unwrap();
    assert_eq!((one.skills, one.left_out), (vec!["pdf".to_owned()], vec![]));
    home.vault.remove_server(&one.server.id).unwrap();
    home.assert_nothing_imported();
    let all = home.vault.import_folder(&folder, "mine").unwrap();
    assert_eq!(all.skills, ["a", "pdf"]);
    assert_eq!(
        home.imported(),
        BTreeMap::from([
            ("skills/a/SKILL.md".into(), main_of("a")),
            ("skills/pdf/SKILL.md".into(), PDF.into()),
            ("skills/pdf/data/.hidden".into(), "h".into()),
        ])
    );
    // The source is as it was.
    assert_eq!(home.tree(&folder)["pdf/data/.hidden"], "h");
}

#[test]
fn the_same_skills_from_a_folder_and_from_a_file_are_one_server() {
    let home = Home::new();
    let folder = home.path("mine");
    home.write(&folder, &[("pdf/SKILL.md", PDF)]);
    let first = home.vault.import_folder(&folder, "mine").unwrap();
    let again = home.import("x.zip", Zip::plain(&[("other/SKILL.md", PDF)])).unwrap();
    assert!(!first.already && again.already);
    assert_eq!(first.server, again.server);
}

#[cfg(unix)]
#[test]
fn links_and_special_files_in_a_skill_refuse_it_and_no_link_is_followed() {
    let home = Home::new();
    let folder = home.path("mine");
    home.write(&folder, &[("good/SKILL.md", &main_of("good")), ("pdf/SKILL.md", PDF)]);
    home.write(&home.path("secret"), &[("SKILL.md", &main_of("secret")), ("key", "k")]);
    std::os::unix::fs::symlink(home.path("secret/key"), folder.join("pdf/key")).unwrap();
    std::os::unix::fs::symlink(home.path("secret"), folder.join("linked")).unwrap();
    let imported = home.vault.import_folder(&folder, "mine").unwrap();
    assert_eq!(imported.skills, ["good"]);
    let told: Vec<(&str, &str)> = left_out(&imported);
    assert_eq!(told[0], ("linked", "it is a link, which is not followed"));
    assert_eq!(told[1].0, "pdf");
    assert!(
        told[1].1.ends_with("pdf/key is a link, and a skill holds files only"),
        "{}",
        told[1].1
    );
    assert_eq!(home.imported().len(), 1);
}

#[cfg(unix)]
#[test]
fn a_skill_with_a_file_that_cannot_be_read_is_refused_whole() {
    use std::os::unix::fs::PermissionsExt;
    let home = Home::new();
    let folder = home.path("pdf");
    home.write(&folder, &[("SKILL.md", PDF), ("closed", "x")]);
    fs::set_permissions(folder.join("closed"), fs::Permissions::from_mode(0o000)).unwrap();
    if fs::read(folder.join("closed")).is_ok() {
        // The superuser reads everything.
        return;
    }
    let error = refused(home.vault.import_folder(&folder, "pdf"));
    assert!(error.causes[0].contains("cannot read"), "{:?}", error.causes);
    home.assert_nothing_imported();
}

#[test]
fn a_folder_that_holds_our_own_data_or_lies_in_it_is_refused() {
    let home = Home::new();
    home.write(&home.path("pdf"), &[("SKILL.md", PDF)]);
    home.write(&home.data().join("x"), &[("SKILL.md", PDF)]);
    for folder in [home.path(""), home.path(".local"), home.data(), home.data().join("x")] {
        let error = refused(home.vault.import_folder(&folder, "all"));
        assert!(error.message.contains("Skillhold keeps its own data in"), "{}", error.message);
    }
    home.assert_nothing_imported();
}

#[test]
fn a_folder_without_a_skill_and_one_with_too_much_are_refused() {
    let home = Home::new();
    let folder = home.path("mine");
    fs::create_dir_all(&folder).unwrap();
    let error = refused(home.vault.import_folder(&folder, "mine"));
    assert_eq!(
        error.message,
        "\"mine\" cannot be imported: it holds no skill: there is no SKILL.md in it"
    );
    for n in 0..20_001 {
        fs::write(folder.join(n.to_string()), "").unwrap();
    }
    let error = refused(home.vault.import_folder(&folder, "mine"));
    assert_eq!(
        error.message,
        "\"mine\" cannot be imported: it holds more than 20000 files and folders"
    );
    home.assert_nothing_imported();
}

#[test]
fn what_the_finder_keeps_is_left_out_with_a_word() {
    let home = Home::new();
    let folder = home.path("mine");
    home.write(&folder, &[("pdf/SKILL.md", PDF), ("pdf/.DS_Store", "x")]);
    let imported = home.vault.import_folder(&folder, "mine").unwrap();
    assert_eq!(
        left_out(&imported),
        [(".DS_Store", "macOS keeps there how a window looks; it is no part of a skill")]
    );
    assert_eq!(home.imported(), BTreeMap::from([("skills/pdf/SKILL.md".into(), PDF.into())]));
}
