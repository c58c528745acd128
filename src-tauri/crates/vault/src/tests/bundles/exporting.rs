//! From one machine to another in one file.

use std::io::Read;

use super::*;
use crate::activity::ActivityKind;
use crate::bundle::{Exported, SaidApproval, SaidOrigin};

const ASKING: &str =
    "---\nname: asks\ndescription: Asks for tools\nallowed-tools: Bash\n---\nDo it.\n";

impl Home {
    fn export(&self, folders: &[PathBuf], to: &str) -> Result<Exported, VaultError> {
        self.vault.export(folders, &self.path(to), &self.scanned())
    }

    /// Two skills in the folder of tool `a`: one from a server, approved with its requests; one made
    /// by hand with an executable script.
    fn two(&self) -> Vec<PathBuf> {
        let server = self.server();
        let uri = "skill://asks/SKILL.md";
        let files = [("SKILL.md", ASKING), ("data/x.csv", "a,b\n")];
        let source = self.approved(&server, uri, &files, true);
        let plan = self.plan(source, vec![target(self, "a", OnConflict::Keep)]);
        self.apply(&plan);
        let approval = self.vault.approvals_of(&server).unwrap().remove(0);
        self.vault.set_note(approval.id, Some("looked at twice")).unwrap();
        let pdf = self.root("a").join("pdf");
        self.write(&pdf, &[("SKILL.md", PDF), ("run.sh", "#!/bin/sh\n")]);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            fs::set_permissions(pdf.join("run.sh"), fs::Permissions::from_mode(0o755)).unwrap();
        }
        vec![self.root("a").join("asks"), pdf]
    }
}

fn failed(exported: Result<Exported, VaultError>) -> BundleError {
    match exported {
        Err(VaultError::Bundle(error)) => error,
        other => panic!("{other:?}"),
    }
}

fn names(path: &Path) -> Vec<String> {
    let mut archive = zip::ZipArchive::new(fs::File::open(path).unwrap()).unwrap();
    (0..archive.len())
        .map(|at| archive.by_index(at).unwrap().name().unwrap().into_owned())
        .collect()
}

#[test]
fn two_skills_go_out_and_come_in_elsewhere_with_equal_bytes() {
    let (here, there) = (Home::new(), Home::new());
    let folders = here.two();
    let exported = here.export(&folders, "out.zip").unwrap();
    assert_eq!(exported.skills, ["asks", "pdf"]);
    assert_eq!(exported.path, here.path("out.zip"));
    assert_eq!(exported.size, fs::metadata(here.path("out.zip")).unwrap().len());
    assert_eq!(
        names(&here.path("out.zip")),
        ["skillhold-bundle.json", "asks/SKILL.md", "asks/data/x.csv", "pdf/SKILL.md", "pdf/run.sh"]
    );
    let activity = here.vault.activity(1).unwrap().remove(0);
    assert_eq!(activity.kind, ActivityKind::Exported);
    assert_eq!((activity.subject.as_str(), activity.text.as_str()), ("2 skills", "into ~/out.zip"));

    let path = there.file("out.zip", &fs::read(here.path("out.zip")).unwrap());
    let imported = there.vault.import_file(&path, "from elsewhere").unwrap();
    assert_eq!(imported.skills, ["asks", "pdf"]);
    assert_eq!(imported.left_out, []);
    assert!(matches!(
        &imported.server.endpoint,
        Endpoint::Imported { from: skills::origin::ImportedFrom::Bundle, name, .. } if name == "out.zip"
    ));
    assert_eq!(
        there.imported(),
        BTreeMap::from([
            ("skills/asks/SKILL.md".into(), ASKING.into()),
            ("skills/asks/data/x.csv".into(), "a,b\n".into()),
            ("skills/pdf/SKILL.md".into(), PDF.into()),
            ("skills/pdf/run.sh".into(), "#!/bin/sh\n".into()),
        ])
    );
}

#[test]
fn what_is_known_goes_along_and_is_no_approval_there() {
    let (here, there) = (Home::new(), Home::new());
    let folders = here.two();
    here.export(&folders, "out.zip").unwrap();
    let imported = there.vault.import_file(&here.path("out.zip"), "x").unwrap();
    let Endpoint::Imported { content, .. } = &imported.server.endpoint else { panic!() };
    let said = there.vault.said(content, "asks").unwrap().unwrap();
    assert_eq!(
        said.origin,
        Some(SaidOrigin::Server {
            label: "docs".into(),
            address: "http://127.0.0.1:8000/mcp".into(),
            uri: "skill://asks/SKILL.md".into(),
        })
    );
    let Some(SaidApproval { granted, note, fingerprint, .. }) = said.approval else { panic!() };
    assert!(granted);
    assert_eq!(note.as_deref(), Some("looked at twice"));
    assert_eq!(fingerprint, Manifest::read(&folders[0]).unwrap().fingerprint());
    let pdf = there.vault.said(content, "pdf").unwrap().unwrap();
    assert_eq!((pdf.origin, pdf.approval), (None, None));
    #[cfg(unix)]
    assert_eq!(pdf.executable, ["run.sh".to_owned()].into());
    assert_eq!(there.vault.approvals_of(&imported.server).unwrap(), []);
}

#[test]
fn the_same_skills_make_the_same_bytes_wherever_the_file_is() {
    let home = Home::new();
    let mut folders = home.two();
    home.export(&folders, "one.zip").unwrap();
    folders.reverse();
    folders.push(folders[0].clone());
    home.export(&folders, "two.zip").unwrap();
    assert_eq!(fs::read(home.path("one.zip")).unwrap(), fs::read(home.path("two.zip")).unwrap());
}

#[test]
fn what_packs_like_a_bomb_goes_out_as_it_is_and_comes_in_again() {
    let home = Home::new();
    let pdf = home.root("a").join("pdf");
    home.write(&pdf, &[("SKILL.md", PDF), ("zeros", &"\0".repeat(3_000_000))]);
    let exported = home.export(&[pdf], "out.zip").unwrap();
    assert!(exported.size > 3_000_000);
    assert_eq!(home.vault.import_file(&home.path("out.zip"), "x").unwrap().skills, ["pdf"]);
}

#[test]
fn no_path_of_this_machine_and_no_secret_goes_out() {
    let home = Home::new();
    let url = "https://me:pw@docs.example/mcp?key=s3cret".to_owned();
    let server = home.vault.add_server("docs", Endpoint::Http { url }).unwrap();
    let source = home.approved(&server, "skill://pdf/SKILL.md", &[("SKILL.md", PDF)], false);
    let plan = home.plan(source, vec![target(&home, "a", OnConflict::Keep)]);
    home.apply(&plan);
    let placed = home.root("a").join("pdf");
    let copied = home.plan(home.local(&placed), vec![target(&home, "b", OnConflict::Keep)]);
    home.apply(&copied);
    for (number, folder) in [placed, home.root("b").join("pdf")].into_iter().enumerate() {
        let to = format!("{number}.zip");
        home.export(&[folder], &to).unwrap();
        let mut archive = zip::ZipArchive::new(fs::File::open(home.path(&to)).unwrap()).unwrap();
        let mut listing = String::new();
        archive.by_name("skillhold-bundle.json").unwrap().read_to_string(&mut listing).unwrap();
        let own = home.path("").display().to_string();
        for word in ["s3cret", "pw@", own.trim_end_matches('/')] {
            assert!(!listing.contains(word), "{word} in {listing}");
        }
    }
}

#[test]
fn a_skill_that_cannot_be_had_whole_or_could_not_come_in_stops_the_export() {
    let home = Home::new();
    let mut folders = home.two();
    let broken = home.root("b").join("broken");
    home.write(&broken, &[("SKILL.md", "no front matter\n")]);
    folders.extend([home.root("b").join("gone"), broken]);
    #[cfg(unix)]
    {
        let linked = home.root("b").join("linked");
        home.write(&linked, &[("SKILL.md", &main_of("linked"))]);
        std::os::unix::fs::symlink("/etc/hosts", linked.join("hosts")).unwrap();
        folders.push(linked);
    }
    let error = failed(home.export(&folders, "out.zip"));
    assert_eq!(error.message, "nothing was exported: not every skill can be");
    assert!(error.causes[0].starts_with("~/.b/skills/gone: "), "{:?}", error.causes);
    assert!(error.causes[1].starts_with("~/.b/skills/broken: "), "{:?}", error.causes);
    #[cfg(unix)]
    assert!(error.causes[2].ends_with("hosts is a link, and a skill holds files only"));
    assert!(!home.path("out.zip").exists());
}

#[test]
fn two_skills_of_one_name_are_not_exported_together() {
    let home = Home::new();
    home.write(&home.root("a").join("pdf"), &[("SKILL.md", PDF)]);
    home.write(&home.root("b").join("pdf"), &[("SKILL.md", PDF), ("x", "x")]);
    let both = [home.root("a").join("pdf"), home.root("b").join("pdf")];
    let error = failed(home.export(&both, "out.zip"));
    assert_eq!(error.causes, ["~/.b/skills/pdf and ~/.a/skills/pdf are both called pdf"]);
    assert_eq!(failed(home.export(&[], "out.zip")).message, "no skill was chosen");
    assert!(!home.path("out.zip").exists());
}

#[test]
fn nothing_is_written_where_tools_look_in_a_skill_or_in_our_own_data() {
    let home = Home::new();
    let folders = home.two();
    let elsewhere = home.path("elsewhere/pdf");
    home.write(&elsewhere, &[("SKILL.md", PDF)]);
    for (folders, to, why) in [
        (&folders[..], home.root("b").join("out.zip"), "a tool looks for skills there"),
        (&[elsewhere.clone()][..], elsewhere.join("out.zip"), "it would lie in the skill pdf"),
        (&folders[..], home.data().join("out.zip"), "Skillhold keeps its own data there"),
        (&folders[..], home.path("elsewhere"), "there is something else"),
    ] {
        let error = failed(home.vault.export(folders, &to, &home.scanned()));
        assert!(error.message.ends_with(&format!("cannot be written: {why}")), "{}", error.message);
        assert!(!to.is_file());
    }
    let error = failed(home.export(&folders, "no/such/out.zip"));
    assert!(error.message.contains("its folder cannot be found"), "{}", error.message);
}

#[test]
fn a_file_that_is_there_gives_way_whole_and_nothing_is_left_beside_it() {
    let home = Home::new();
    let folders = home.two();
    let out = home.path("files/out.zip");
    home.write(&home.path("files"), &[("out.zip", "before")]);
    home.export(&folders, "files/out.zip").unwrap();
    assert_eq!(names(&out).len(), 5);
    let before = fs::read(&out).unwrap();
    failed(home.export(&[home.root("a").join("gone")], "files/out.zip"));
    assert_eq!(fs::read(&out).unwrap(), before);
    let files: Vec<_> = fs::read_dir(home.path("files")).unwrap().collect();
    assert_eq!(files.len(), 1);
}

/// A bundle with this list of contents, in front of these files.
fn bundle(listing: &str, files: &[(&str, &str)]) -> Zip {
    let all: Vec<(&str, &str)> =
        [("skillhold-bundle.json", listing)].into_iter().chain(files.iter().copied()).collect();
    Zip::plain(&all)
}

fn listing_of(home: &Home) -> String {
    home.write(&home.root("a").join("pdf"), &[("SKILL.md", PDF)]);
    home.export(&[home.root("a").join("pdf")], "out.zip").unwrap();
    let mut archive = zip::ZipArchive::new(fs::File::open(home.path("out.zip")).unwrap()).unwrap();
    let mut listing = String::new();
    archive.by_name("skillhold-bundle.json").unwrap().read_to_string(&mut listing).unwrap();
    listing
}

#[test]
fn a_bundle_is_held_against_what_it_lists() {
    let home = Home::new();
    let listing = listing_of(&home);
    let import = |files: &[(&str, &str)]| home.import("b.zip", bundle(&listing, files));
    let changed = PDF.replace("Read it", "Rm it!!");
    assert_eq!(changed.len(), PDF.len());
    for files in
        [&[("pdf/SKILL.md", changed.as_str())][..], &[("pdf/SKILL.md", PDF), ("pdf/more", "x")]]
    {
        let error = refused(import(files));
        assert_eq!(error.causes, ["\"pdf\": its files are not those that the bundle lists"]);
    }
    let error = refused(import(&[("a/SKILL.md", &main_of("a"))]));
    assert_eq!(
        error.causes,
        ["\"pdf\": the bundle lists it and does not hold it", "\"a\": the bundle does not list it"]
    );
    home.assert_nothing_imported();
    let imported = import(&[("pdf/SKILL.md", PDF), ("a/SKILL.md", &main_of("a"))]).unwrap();
    assert_eq!(imported.skills, ["pdf"]);
    assert_eq!(left_out(&imported), [("a", "the bundle does not list it")]);
}

#[test]
fn a_bundle_of_a_newer_version_and_a_damaged_one_are_refused() {
    let home = Home::new();
    let newer = bundle(r#"{"version": 2, "parts": []}"#, &[("pdf/SKILL.md", PDF)]);
    assert_eq!(
        refused(home.import("b.zip", newer)).message,
        "\"b.zip\" cannot be imported: it was exported by a newer version of Skillhold"
    );
    for listing in ["", "{}", r#"{"version": 1}"#, r#"{"version": 1, "skills": 3}"#] {
        let error = refused(home.import("b.zip", bundle(listing, &[("pdf/SKILL.md", PDF)])));
        let told = "\"b.zip\" cannot be imported: it is a bundle of Skillhold whose \
                    skillhold-bundle.json is damaged: ";
        assert!(error.message.starts_with(told), "{}", error.message);
    }
    home.assert_nothing_imported();
}

#[test]
fn what_a_bundle_says_is_kept_in_part_only() {
    let home = Home::new();
    let listing = listing_of(&home);
    let long = "x".repeat(5000);
    let origin =
        format!(r#""origin": {{"kind":"server","label":"{long}","address":"a","uri":"u"}}"#);
    let listing = listing.replace(r#""origin": null"#, &origin);
    assert!(listing.contains(&long));
    let imported = home.import("b.zip", bundle(&listing, &[("pdf/SKILL.md", PDF)])).unwrap();
    let Endpoint::Imported { content, .. } = &imported.server.endpoint else { panic!() };
    let said = home.vault.said(content, "pdf").unwrap().unwrap();
    let Some(SaidOrigin::Server { label, .. }) = said.origin else { panic!() };
    assert_eq!(label.chars().count(), 2001);
}
