//! Plain renames, for systems and disks without an exchange. Between the two renames the place is
//! empty; the journal says how to complete them.

use std::io;
use std::path::Path;

/// Moves `from` to `to` and fails when something is there.
pub(super) fn place(from: &Path, to: &Path) -> io::Result<()> {
    // A rename replaces an empty folder without a word, so that is ruled out first.
    match to.symlink_metadata() {
        Ok(_) => Err(io::ErrorKind::AlreadyExists.into()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => rename(from, to),
        Err(error) => Err(error),
    }
}

/// Moves `folder` to `outgoing` and `incoming` to `folder`.
pub(super) fn exchange(incoming: &Path, folder: &Path, outgoing: &Path) -> io::Result<()> {
    place(folder, outgoing)?;
    place(incoming, folder).or_else(|error| {
        place(outgoing, folder)?;
        Err(error)
    })
}

#[expect(clippy::disallowed_methods, reason = "this is how the vault puts a folder in its place")]
pub(super) fn rename(from: &Path, to: &Path) -> io::Result<()> {
    std::fs::rename(from, to)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::disallowed_methods)]

    use std::fs;

    use super::*;

    fn folder(dir: &Path, name: &str) -> std::path::PathBuf {
        let folder = dir.join(name);
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("who"), name).unwrap();
        folder
    }

    #[test]
    fn an_empty_folder_is_not_replaced_without_a_word() {
        let dir = tempfile::tempdir().unwrap();
        let new = folder(dir.path(), "new");
        let there = dir.path().join("there");
        fs::create_dir(&there).unwrap();
        assert_eq!(place(&new, &there).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(
            super::super::place(&new, &there).unwrap_err().kind(),
            io::ErrorKind::AlreadyExists
        );
        assert!(new.exists());
    }

    #[test]
    fn two_renames_leave_the_old_where_it_is_to_be_kept() {
        let dir = tempfile::tempdir().unwrap();
        let (new, old, kept) =
            (folder(dir.path(), "new"), folder(dir.path(), "old"), dir.path().join("kept"));
        exchange(&new, &old, &kept).unwrap();
        assert_eq!(fs::read_to_string(old.join("who")).unwrap(), "new");
        assert_eq!(fs::read_to_string(kept.join("who")).unwrap(), "old");
        assert!(!new.exists());
        super::super::exchange_back(&new, &old, &kept, super::super::Old::AtOutgoing).unwrap();
        assert_eq!(fs::read_to_string(old.join("who")).unwrap(), "old");
        assert_eq!(fs::read_to_string(new.join("who")).unwrap(), "new");
        assert!(!kept.exists());
    }

    #[test]
    fn two_renames_put_the_old_back_when_the_new_cannot_come() {
        let dir = tempfile::tempdir().unwrap();
        let (old, kept) = (folder(dir.path(), "old"), dir.path().join("kept"));
        assert!(exchange(&dir.path().join("absent"), &old, &kept).is_err());
        assert_eq!(fs::read_to_string(old.join("who")).unwrap(), "old");
        assert!(!kept.exists());
    }
}
