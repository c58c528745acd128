use std::fs;
use std::time::{Duration, SystemTime};

use super::*;

/// The same for each kind of handle.
macro_rules! on_every_system {
    ($name:ident, $handle:ty) => {
        mod $name {
            use super::*;

            type Handle = $handle;

            #[test]
            fn every_name_is_shown_with_its_kind_however_often_it_is_asked() {
                let dir = tempfile::tempdir().unwrap();
                fs::create_dir(dir.path().join("folder")).unwrap();
                for n in 0..2000 {
                    fs::write(dir.path().join(format!("file-{n:04}")), "12").unwrap();
                }
                let handle = Handle::open(dir.path()).unwrap();
                for handle in [&handle, &handle.again().unwrap(), &handle] {
                    let mut children = handle.children().unwrap();
                    children.sort_unstable_by(|a, b| a.name.cmp(&b.name));
                    assert_eq!(children.len(), 2001);
                    let (folder, files) = children.split_last().unwrap();
                    assert_eq!((folder.name.to_str(), folder.kind), (Some("folder"), Kind::Folder));
                    assert_eq!(folder.stamp, None);
                    for (n, file) in files.iter().enumerate() {
                        assert_eq!(file.name.to_str(), Some(format!("file-{n:04}").as_str()));
                        assert_eq!(file.stamp.map(|stamp| stamp.size()), Some(2));
                    }
                    let mut names = handle.names().unwrap();
                    names.sort_by(|a, b| a.0.cmp(&b.0));
                    assert_eq!(names.len(), 2001);
                    assert_eq!(names[1999], ("file-1999".to_owned(), Kind::File));
                    assert_eq!(names[2000], ("folder".to_owned(), Kind::Folder));
                    assert!(handle.shows("file-1999".as_ref()).unwrap());
                    assert!(!handle.shows("FILE-1999".as_ref()).unwrap());
                }
            }

            #[cfg(unix)]
            #[test]
            fn links_are_seen_and_not_followed() {
                let dir = tempfile::tempdir().unwrap();
                fs::create_dir(dir.path().join("folder")).unwrap();
                fs::write(dir.path().join("file"), "x").unwrap();
                for name in ["folder", "file"] {
                    let link = dir.path().join(format!("to-{name}"));
                    std::os::unix::fs::symlink(dir.path().join(name), link).unwrap();
                }
                let handle = Handle::open(dir.path()).unwrap();
                let kind = |name: &str| handle.look(name.as_ref()).unwrap().0;
                assert_eq!(
                    ["folder", "file", "to-folder", "to-file"].map(kind),
                    [Kind::Folder, Kind::File, Kind::Link, Kind::Link]
                );
                assert!(handle.folder("folder".as_ref()).is_ok());
                assert!(handle.file("file".as_ref()).is_ok());
                assert!(handle.folder("to-folder".as_ref()).is_err());
                assert!(handle.file("to-file".as_ref()).is_err());
                assert!(handle.file("folder".as_ref()).is_err());
                assert!(handle.folder("file".as_ref()).is_err());
                let gone = handle.look("none".as_ref()).unwrap_err();
                assert_eq!(gone.kind(), io::ErrorKind::NotFound);
            }

            #[test]
            fn a_folders_stamp_if_there_is_one_changes_with_its_names() {
                let dir = tempfile::tempdir().unwrap();
                fs::write(dir.path().join("file"), "x").unwrap();
                let handle = Handle::open(dir.path()).unwrap();
                let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
                File::open(dir.path()).unwrap().set_modified(long_ago).unwrap();
                let before = handle.stamp();
                assert_eq!(handle.stamp(), before);
                fs::write(dir.path().join("another"), "x").unwrap();
                assert!(before.is_none() || handle.stamp() != before);
            }

            #[test]
            fn an_open_file_and_a_look_at_it_have_the_same_stamp() {
                let dir = tempfile::tempdir().unwrap();
                fs::write(dir.path().join("file"), "x").unwrap();
                let handle = Handle::open(dir.path()).unwrap();
                let (_, opened) = handle.file("file".as_ref()).unwrap();
                assert_eq!(handle.look("file".as_ref()).unwrap(), (Kind::File, opened));
                assert_eq!(handle.children().unwrap()[0].stamp, Some(opened));
                fs::write(dir.path().join("file"), "xy").unwrap();
                assert_ne!(handle.look("file".as_ref()).unwrap().1, opened);
            }
        }
    };
}

#[cfg(unix)]
on_every_system!(of_unix, unix::Handle);
on_every_system!(of_cap_std, portable::Handle);

#[test]
fn a_name_is_one_step_down() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir_all(dir.path().join("a/b")).unwrap();
    let folder = Folder::open(dir.path(), &Count::default()).unwrap();
    for name in ["", ".", "..", "a/b", "/", "a/", "../a", "a\0"] {
        assert!(folder.folder(name.as_ref()).is_err(), "{name:?}");
        assert!(folder.look(name.as_ref()).is_err(), "{name:?}");
    }
    assert!(folder.folder("a".as_ref()).unwrap().folder("b".as_ref()).is_ok());
}

#[cfg(unix)]
#[test]
fn a_pipe_without_a_writer_is_not_waited_for() {
    let dir = tempfile::tempdir().unwrap();
    let pipe = dir.path().join("pipe");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &pipe,
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
        0,
    )
    .unwrap();
    let folder = Folder::open(dir.path(), &Count::default()).unwrap();
    assert_eq!(folder.look("pipe".as_ref()).unwrap().0, Kind::Special);
    assert!(folder.file("pipe".as_ref()).is_err());
}
