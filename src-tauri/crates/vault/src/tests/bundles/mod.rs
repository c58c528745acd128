//! Bundles: what comes in from files and folders, and what goes out.

mod exporting;
mod folders;
mod hostile;
mod keeping;
mod layouts;
mod raw;
mod structure;

use std::path::PathBuf;

use super::*;
use crate::VaultError;
use crate::bundle::{BundleError, Imported, LeftOut};
use raw::{Part, Zip};

impl Home {
    /// A file with these bytes, outside of everything.
    fn file(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.path("downloads").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        path
    }

    fn import(&self, name: &str, zip: Zip) -> Result<Imported, VaultError> {
        let path = self.file(name, &zip.bytes());
        self.vault.import_file(&path, "team")
    }

    /// What was imported, as it lies in the data folder.
    fn imported(&self) -> BTreeMap<String, String> {
        let mut files = BTreeMap::new();
        for (path, text) in self.tree(&self.data().join("imported")) {
            let Some((_, path)) = path.split_once('/') else { panic!("{path}") };
            if !path.is_empty() && !path.ends_with('/') {
                files.insert(path.to_owned(), text);
            }
        }
        files.remove("import.json");
        files
    }

    /// Nothing came in: no file, no server.
    fn assert_nothing_imported(&self) {
        assert!(!self.data().join("imported").exists(), "{:?}", self.imported());
        assert_eq!(self.vault.servers().unwrap(), []);
    }
}

fn refused(imported: Result<Imported, VaultError>) -> BundleError {
    match imported {
        Err(VaultError::Bundle(error)) => error,
        other => panic!("{other:?}"),
    }
}

fn left_out(imported: &Imported) -> Vec<(&str, &str)> {
    let pair = |it: &'_ LeftOut| -> (&'static str, &'static str) {
        (it.name.clone().leak(), it.reason.clone().leak())
    };
    imported.left_out.iter().map(pair).collect()
}

/// A `SKILL.md` of a skill with this name.
fn main_of(name: &str) -> String {
    format!("---\nname: {name}\ndescription: Does what {name} says\n---\nDo it.\n")
}

fn pdf() -> Part {
    Part::new("pdf/SKILL.md", PDF)
}

/// The whole file is refused, in these words.
fn whole(zip: Zip, why: &str) {
    whole_bytes(&zip.bytes(), why);
}

fn whole_bytes(bytes: &[u8], why: &str) {
    let home = Home::new();
    let path = home.file("bad.zip", bytes);
    let error = refused(home.vault.import_file(&path, "bad"));
    let told = format!("\"bad.zip\" cannot be imported: it {why}");
    assert!(error.message.starts_with(&told), "{}\nis not\n{told}", error.message);
    home.assert_nothing_imported();
    home.assert_tidy();
}

/// The skill `pdf` is refused, in these words, and the good one beside it is not.
fn skill(part: Part, why: &str) {
    let home = Home::new();
    let zip = Zip::of([pdf(), part.clone()]);
    let error = refused(home.import("bad.zip", zip));
    assert_eq!(error.message, "nothing of \"bad.zip\" can be imported");
    assert_eq!(error.causes, [format!("\"pdf\": {why}")]);
    home.assert_nothing_imported();
    let zip = Zip::of([pdf(), part, Part::new("good/SKILL.md", main_of("good"))]);
    let imported = home.import("bad.zip", zip).unwrap();
    assert_eq!(imported.skills, ["good"]);
    assert_eq!(left_out(&imported), [("pdf", why)]);
    assert_eq!(home.imported(), BTreeMap::from([("skills/good/SKILL.md".into(), main_of("good"))]));
}
