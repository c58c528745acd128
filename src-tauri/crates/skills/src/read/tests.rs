use super::*;

fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = dir.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    dir
}

#[test]
fn every_file_is_in_the_manifest_hidden_ones_too() {
    let dir = folder(&[("SKILL.md", "abc"), (".hidden/.env", ""), ("b.txt", "x"), ("b/c", "x")]);
    let manifest = Manifest::read(dir.path()).unwrap();
    let paths: Vec<_> =
        manifest.files().iter().map(|file| (file.path.as_str(), file.size)).collect();
    assert_eq!(paths, [(".hidden/.env", 0), ("SKILL.md", 3), ("b.txt", 1), ("b/c", 1)]);
    assert_eq!(
        manifest.get("SKILL.md").unwrap().digest.hex(),
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    );
    let files = read_files(dir.path(), &manifest).unwrap();
    assert_eq!(files["SKILL.md"], b"abc");
}

#[test]
fn a_file_that_is_not_as_the_manifest_says_is_an_error() {
    let dir = folder(&[("SKILL.md", "abc")]);
    let manifest = Manifest::read(dir.path()).unwrap();
    fs::write(dir.path().join("SKILL.md"), "abd").unwrap();
    assert!(matches!(read_files(dir.path(), &manifest), Err(ReadManifestError::Changed(_))));
    fs::write(dir.path().join("SKILL.md"), "abcd").unwrap();
    assert!(matches!(read_files(dir.path(), &manifest), Err(ReadManifestError::Changed(_))));
    fs::remove_file(dir.path().join("SKILL.md")).unwrap();
    assert!(matches!(read_files(dir.path(), &manifest), Err(ReadManifestError::Unreadable { .. })));
}

#[test]
fn a_file_that_changed_since_it_was_listed_is_an_error() {
    let dir = folder(&[("SKILL.md", "abc")]);
    let listed = list_files(dir.path()).unwrap();
    fs::write(dir.path().join("SKILL.md"), "abcd").unwrap();
    let error = Manifest::read_listed(dir.path(), listed).unwrap_err();
    assert!(error.to_string().ends_with("SKILL.md changed while it was read"));
}

#[test]
fn a_file_written_while_it_is_read_is_an_error() {
    let dir = folder(&[("SKILL.md", "abc")]);
    let path = dir.path().join("SKILL.md");
    let read = read_with(&path, None, |_| fs::write(&path, "abcdef"));
    assert!(matches!(read, Err(ReadManifestError::Changed(_))));
}

#[test]
fn what_is_no_skill_folder_is_named() {
    let dir = folder(&[("README.md", "x")]);
    assert!(
        Manifest::read(dir.path())
            .unwrap_err()
            .to_string()
            .ends_with("there is no SKILL.md among the files")
    );
    assert!(matches!(
        Manifest::read(&dir.path().join("gone")),
        Err(ReadManifestError::NotAFolder(_))
    ));
}

#[cfg(unix)]
#[test]
fn links_and_special_files_are_errors_that_name_them() {
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;

    let dir = folder(&[("SKILL.md", "x")]);
    symlink("/etc/passwd", dir.path().join("key")).unwrap();
    let error = Manifest::read(dir.path()).unwrap_err();
    assert!(error.to_string().contains("key is a link"));
    fs::remove_file(dir.path().join("key")).unwrap();

    let socket = UnixListener::bind(dir.path().join("socket")).unwrap();
    assert!(matches!(Manifest::read(dir.path()), Err(ReadManifestError::Special(_))));
    drop(socket);
    fs::remove_file(dir.path().join("socket")).unwrap();

    fs::write(dir.path().join(std::ffi::OsStr::from_bytes(b"\xff")), "x").unwrap();
    assert!(matches!(Manifest::read(dir.path()), Err(ReadManifestError::NameNotUtf8(_))));
}

#[cfg(unix)]
#[test]
fn a_folder_that_became_a_link_is_not_read_through() {
    let dir = folder(&[("SKILL.md", "x"), ("docs/a", "a")]);
    let manifest = Manifest::read(dir.path()).unwrap();
    fs::rename(dir.path().join("docs"), dir.path().join("moved")).unwrap();
    std::os::unix::fs::symlink(dir.path().join("moved"), dir.path().join("docs")).unwrap();
    assert!(matches!(read_files(dir.path(), &manifest), Err(ReadManifestError::Link(_))));
}

/// Gives so many bytes and remembers the most that were asked for at once.
struct Counting {
    left: usize,
    most: usize,
}

impl Read for Counting {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.most = self.most.max(buffer.len());
        let count = buffer.len().min(self.left).min(9_999);
        buffer[..count].fill(b'a');
        self.left -= count;
        Ok(count)
    }
}

#[test]
fn hashing_streams_in_flat_memory() {
    let mut source = Counting { left: 1_000_000, most: 0 };
    let mut heading = Heading { reader: &mut source, head: Vec::new() };
    let (digest, size) = Digest::of_reader(&mut heading).unwrap();
    // The third test vector of FIPS 180-2.
    assert_eq!(digest.hex(), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    assert_eq!(size, 1_000_000);
    assert_eq!(heading.head, [b'a'; HEAD]);
    assert!(source.most <= 64 * 1024, "{}", source.most);
}

#[test]
fn a_file_that_vanishes_while_it_is_read_is_an_error() {
    let dir = folder(&[("SKILL.md", "abc")]);
    let path = dir.path().join("SKILL.md");
    let read = read_with(&path, None, |_| fs::remove_file(&path));
    assert!(matches!(read, Err(ReadManifestError::Changed(_))));
}

#[cfg(unix)]
#[test]
fn what_only_the_disk_tells_is_kept() {
    use std::os::unix::fs::PermissionsExt;

    let dir = folder(&[("SKILL.md", "abc"), ("run.sh", "#!/bin/sh\n")]);
    let run = dir.path().join("run.sh");
    fs::set_permissions(&run, fs::Permissions::from_mode(0o755)).unwrap();
    let listed = list_files(dir.path()).unwrap();
    let (manifest, local) = read_with_heads(dir.path(), listed).unwrap();
    assert_eq!(manifest.files().len(), 2);
    assert_eq!(local.executable, BTreeSet::from(["run.sh".to_owned()]));
    assert_eq!(local.first_bytes["run.sh"], b"#!/bin/sh\n");
}

#[cfg(unix)]
#[test]
fn a_folder_that_cannot_be_read_does_not_hide_the_rest() {
    use std::os::unix::fs::PermissionsExt;

    let dir = folder(&[("SKILL.md", "abc"), ("locked/x", "x"), ("z", "z")]);
    let locked = dir.path().join("locked");
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o000)).unwrap();
    let listing = survey(dir.path()).unwrap();
    let open = fs::read_dir(&locked).is_ok();
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o755)).unwrap();
    // Whoever may read everything sees no lock.
    if !open {
        let paths: Vec<_> = listing.files.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(paths, ["SKILL.md", "z"]);
        assert_eq!(listing.problems.len(), 1);
        assert_eq!(listing.problems[0].path(), locked);
    }
}

#[cfg(unix)]
#[test]
fn everything_in_the_way_is_listed() {
    use std::os::unix::fs::symlink;

    let dir = folder(&[("SKILL.md", "abc"), ("b/x", "x")]);
    symlink("SKILL.md", dir.path().join("a")).unwrap();
    symlink("nowhere", dir.path().join("b/y")).unwrap();
    let listing = survey(dir.path()).unwrap();
    assert_eq!(listing.files.len(), 2);
    let paths: Vec<_> = listing.problems.iter().map(|one| one.path().to_owned()).collect();
    assert_eq!(paths, [dir.path().join("a"), dir.path().join("b/y")]);
}
