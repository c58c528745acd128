//! Bundles and Python's `zipfile`: what one writes the other reads, with the same bytes and bits.

use std::fs;
use std::path::Path;
use std::process::Command;

use skills::paths::Paths;
use vault::Vault;
use vault::bundle::Imported;

use crate::support::python::python;

const MAIN: &str = "---\nname: pdf\ndescription: Reads PDF files\n---\nRead it.\n";

/// Runs a few lines of Python with these arguments; gives what they print.
fn said(lines: &str, arguments: &[&Path]) -> String {
    let mut command = Command::new(python());
    command.arg("-c").arg(lines).args(arguments).env("PYTHONUTF8", "1");
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// A folder with a skill called `pdf`, in a home.
fn home() -> (tempfile::TempDir, Vault) {
    let home = tempfile::tempdir().unwrap();
    let skill = home.path().join("work/pdf");
    for (path, text) in [
        ("SKILL.md", MAIN),
        ("scripts/run.sh", "#!/bin/sh\n"),
        ("ü b.txt", "x"),
        ("empty", ""),
        ("zeros.bin", &"\0".repeat(40_000)),
    ] {
        let path = skill.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let executable = fs::Permissions::from_mode(0o755);
        fs::set_permissions(skill.join("scripts/run.sh"), executable).unwrap();
    }
    let (vault, _) = Vault::open(&Paths::under(home.path())).unwrap();
    (home, vault)
}

fn assert_equal(home: &Path, vault: &Vault, imported: &Imported) {
    let skills::origin::Endpoint::Imported { content, .. } = &imported.server.endpoint else {
        panic!("{:?}", imported.server)
    };
    let read = |folder: &Path| skills::manifest::Manifest::read(folder).unwrap();
    let there = vault.imported_skills(content).unwrap().join("pdf");
    assert_eq!(read(&there), read(&home.join("work/pdf")));
    #[cfg(unix)]
    assert_eq!(
        vault.said(content, "pdf").unwrap().unwrap().executable,
        ["scripts/run.sh".to_owned()].into()
    );
}

/// Writes `sys.argv[1]` from the folder `sys.argv[2]`, whose parent is left out of the names.
const WRITE: &str = r#"
import os, sys, zipfile

def files():
    for folder, _, names in os.walk(sys.argv[2]):
        for name in names:
            path = os.path.join(folder, name)
            yield path, os.path.relpath(path, os.path.dirname(sys.argv[2]))
"#;

#[test]
fn zip_files_of_python_come_in_however_they_are_written() {
    let ways = [
        "with zipfile.ZipFile(sys.argv[1], 'w') as out: [out.write(*it) for it in files()]",
        "with zipfile.ZipFile(sys.argv[1], 'w', zipfile.ZIP_DEFLATED) as out: [out.write(*it) for it in files()]",
        // One that is sent on while it is written has sizes behind the bytes.
        "
class Pipe:
    def __init__(self, file): self.file = file
    def write(self, data): return self.file.write(data)
    def flush(self): self.file.flush()
with open(sys.argv[1], 'wb') as file, zipfile.ZipFile(Pipe(file), 'w', zipfile.ZIP_DEFLATED) as out:
    [out.write(*it) for it in files()]",
        // With folders of their own, and a word behind the end.
        "
import shutil
shutil.make_archive(sys.argv[1][:-4], 'zip', os.path.dirname(sys.argv[2]), 'pdf')
with zipfile.ZipFile(sys.argv[1], 'a') as out: out.comment = b'by hand'",
    ];
    for way in ways {
        let (home, vault) = home();
        let file = home.path().join("out.zip");
        said(&format!("{WRITE}{way}"), &[&file, &home.path().join("work/pdf")]);
        let imported = vault.import_file(&file, "out").unwrap();
        assert_eq!(imported.skills, ["pdf"], "{way}");
        assert_eq!(imported.left_out, [], "{way}");
        assert_equal(home.path(), &vault, &imported);
    }
}

#[test]
fn python_reads_a_bundle_and_finds_nothing_wrong_with_it() {
    let (home, vault) = home();
    let file = home.path().join("out.zip");
    vault.export(&[home.path().join("work/pdf")], &file, &[]).unwrap();
    let told = said(
        r#"
import json, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as bundle:
    assert bundle.testzip() is None
    for one in bundle.infolist():
        print(one.filename, oct(one.external_attr >> 16), one.date_time[:3])
    listing = json.loads(bundle.read("skillhold-bundle.json"))
    print(listing["version"], [skill["name"] for skill in listing["skills"]])
    bundle.extractall(sys.argv[2])
"#,
        &[&file, &home.path().join("unpacked")],
    );
    assert_eq!(
        told,
        "skillhold-bundle.json 0o100644 (1980, 1, 1)\n\
         pdf/SKILL.md 0o100644 (1980, 1, 1)\n\
         pdf/empty 0o100644 (1980, 1, 1)\n\
         pdf/scripts/run.sh 0o100755 (1980, 1, 1)\n\
         pdf/zeros.bin 0o100644 (1980, 1, 1)\n\
         pdf/\u{fc} b.txt 0o100644 (1980, 1, 1)\n\
         1 ['pdf']\n"
    );
    let read = |folder: &str| skills::manifest::Manifest::read(&home.path().join(folder)).unwrap();
    assert_eq!(read("unpacked/pdf"), read("work/pdf"));
    let imported = vault.import_folder(&home.path().join("unpacked"), "unpacked").unwrap();
    assert_eq!(imported.skills, ["pdf"]);
}
