//! The disk as the model sees it, and what others than the vault do to it.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::steps::{Edit, NAMES, Place};
use crate::support::{Home, Node, TOOLS, Tree, tree, write};

/// Texts of the files of a skill, by path.
pub(super) type Files = BTreeMap<String, String>;

impl Place {
    pub(super) fn all() -> impl Iterator<Item = Self> {
        (0..TOOLS.len()).flat_map(|tool| (0..NAMES.len()).map(move |name| Self { tool, name }))
    }

    pub(super) fn folder(self, home: &Path) -> PathBuf {
        home.join(format!(".{}/skills/{}", TOOLS[self.tool], NAMES[self.name]))
    }

    /// The place that a folder is.
    pub(super) fn of(home: &Path, folder: &Path) -> Self {
        Self::all().find(|place| place.folder(home) == folder).expect("a folder of no tool")
    }
}

/// What is at a path, itself included; `None` when nothing is.
pub(super) fn look(folder: &Path) -> Option<Tree> {
    let metadata = folder.symlink_metadata().ok()?;
    if metadata.is_symlink() {
        return Some(Tree::from([(String::new(), Node::Link(fs::read_link(folder).unwrap()))]));
    }
    let mut found = tree(folder);
    found.insert(String::new(), Node::Folder);
    Some(found)
}

/// The files of what was seen; `None` where it is no plain folder of a skill.
pub(super) fn files(seen: &Tree) -> Option<Files> {
    let mut files = Files::new();
    for (path, node) in seen {
        match node {
            Node::Link(_) => return None,
            Node::Folder => {}
            Node::File(text, _) => drop(files.insert(path.clone(), text.clone())),
        }
    }
    files.contains_key("SKILL.md").then_some(files)
}

/// What a place looks like once this was copied to it: every file, with its executable bit, and the
/// folders that they need.
pub(super) fn copied(seen: &Tree) -> Tree {
    let mut copy = Tree::from([(String::new(), Node::Folder)]);
    for (path, node) in seen {
        if matches!(node, Node::File(..)) {
            copy.extend(
                path.match_indices('/').map(|(at, _)| (path[..at].to_owned(), Node::Folder)),
            );
            copy.insert(path.clone(), node.clone());
        }
    }
    copy
}

/// The files of a skill of the server.
pub(super) fn offered(skill: usize, version: usize) -> Vec<(&'static str, String)> {
    let name = NAMES[skill];
    let main =
        format!("---\nname: {name}\ndescription: Reads {name} files\n---\nVersion {version}.\n");
    match version {
        0 => vec![("SKILL.md", main), ("a.txt", "a\n".to_owned())],
        1 => vec![("SKILL.md", main), ("b/c.txt", "c\n".to_owned())],
        _ => vec![("SKILL.md", main)],
    }
}

/// The same as it looks where it was installed.
pub(super) fn installed(skill: usize, version: usize) -> Tree {
    let files = offered(skill, version);
    copied(
        &files.into_iter().map(|(path, text)| (path.to_owned(), Node::File(text, false))).collect(),
    )
}

/// Somebody does something to a folder; nothing where it does not apply. Each writes what nobody
/// wrote before, by the number.
pub(super) fn outside(home: &Path, place: Place, edit: Edit, number: usize) {
    let folder = place.folder(home);
    let main = folder.join("SKILL.md");
    let there = folder.symlink_metadata();
    let is_folder = there.as_ref().is_ok_and(fs::Metadata::is_dir);
    match edit {
        Edit::Make if there.is_err() => make(&folder, number),
        // Who writes through a link of ours writes to the shared copy.
        Edit::ChangeFile if main.is_file() && (is_folder || is_ours(home, &folder)) => {
            fs::write(&main, format!("changed {number}\n")).unwrap();
        }
        Edit::AddFile if is_folder => {
            fs::write(folder.join(format!("added-{number}.txt")), "added").unwrap();
        }
        Edit::RemoveFile if is_folder => {
            let found = tree(&folder);
            let file = found.iter().rev().find(|(_, node)| matches!(node, Node::File(..)));
            if let Some((path, _)) = file {
                fs::remove_file(folder.join(path)).unwrap();
            }
        }
        Edit::LineEndings if is_folder && main.is_file() => {
            let text = fs::read_to_string(&main).unwrap();
            fs::write(&main, text.replace("\r\n", "\n").replace('\n', "\r\n")).unwrap();
        }
        Edit::Touch if is_folder && main.is_file() => {
            let time = SystemTime::UNIX_EPOCH + Duration::from_secs(number as u64);
            fs::File::options().append(true).open(&main).unwrap().set_modified(time).unwrap();
        }
        Edit::Executable if is_folder && main.is_file() => {
            fs::set_permissions(&main, fs::Permissions::from_mode(0o755)).unwrap();
        }
        Edit::Delete => delete(&folder),
        Edit::Replace if there.is_ok() => {
            delete(&folder);
            make(&folder, number);
        }
        Edit::ReplaceByLink if there.is_ok() => {
            delete(&folder);
            symlink(home.join("elsewhere"), &folder).unwrap();
        }
        _ => {}
    }
}

/// Whether a link leads to a shared copy.
pub(super) fn is_ours(home: &Path, folder: &Path) -> bool {
    let copies = home.join(".local/share/skillhold/linked");
    fs::read_link(folder).is_ok_and(|leads| leads.starts_with(copies))
}

fn make(folder: &Path, number: usize) {
    write(folder, &[("SKILL.md", &format!("made {number}\n")), ("run.sh", "#!/bin/sh\n")]);
    fs::set_permissions(folder.join("run.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    fs::create_dir(folder.join("empty")).unwrap();
}

fn delete(folder: &Path) {
    match folder.symlink_metadata() {
        Ok(metadata) if metadata.is_dir() => fs::remove_dir_all(folder).unwrap(),
        Ok(_) => fs::remove_file(folder).unwrap(),
        Err(_) => {}
    }
}

/// Everything that is somewhere, each as often as it is: in the tools' folders, behind their links,
/// in the trash and aside.
pub(super) fn everything(home: &Home) -> BTreeMap<Tree, usize> {
    let mut kept: Vec<PathBuf> = Place::all().map(|place| place.folder(&home.dir)).collect();
    kept.extend(home.vault.trash().unwrap().into_iter().map(|trashed| trashed.kept));
    kept.extend(home.vault.aside().unwrap().into_iter().map(|aside| aside.kept));
    for own in fs::read_dir(home.data().join("linked")).into_iter().flatten() {
        let inside = fs::read_dir(own.unwrap().path()).unwrap();
        kept.extend(inside.map(|copy| copy.unwrap().path()));
    }
    let mut all = BTreeMap::new();
    for found in kept.iter().filter_map(|folder| look(folder)) {
        *all.entry(found).or_insert(0) += 1;
    }
    all
}
