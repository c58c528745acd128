//! What is Skillhold's own on a disk. The ledger, its receipts and what lies in Skillhold's folder may
//! have been changed by others, so what they say is not enough for something to be removed or put
//! somewhere: its place must be one that Skillhold makes for that.

use std::io;
use std::path::{Component, Path};

use crate::disk;
use crate::target::BESIDE;
use crate::vault::Vault;

impl Vault {
    /// Whether `place` is `STORE/KIND/NAME` in Skillhold's own folder or in a hidden one of this
    /// person on another disk, and a folder there that no link leads to. What is not there is a place
    /// of ours as far as its path tells.
    pub(crate) fn is_own_place(&self, place: &Path, kind: &str) -> bool {
        let named = |up: usize| place.ancestors().nth(up).and_then(Path::file_name);
        let Some(store) = place.ancestors().nth(2) else { return false };
        named(0).is_some() && named(1).is_some_and(|it| it == kind) && self.is_store(store) && {
            match place.symlink_metadata() {
                Ok(_) => place.canonicalize().is_ok_and(|real| real == place),
                Err(error) => error.kind() == io::ErrorKind::NotFound && is_plain(place),
            }
        }
    }

    /// Whether something is kept as `STORE/KIND/ID/NAME` in such a place.
    pub(crate) fn is_own_kept(&self, kept: &Path, kind: &str, id: &str) -> bool {
        kept.file_name().is_some()
            && kept.parent().is_some_and(|place| {
                place.file_name().is_some_and(|own| own == id) && self.is_own_place(place, kind)
            })
    }

    /// Whether a folder is one that Skillhold stages and keeps in, or may be one on a disk that is
    /// away.
    fn is_store(&self, store: &Path) -> bool {
        let beside = || {
            store.file_name().is_some_and(|name| name == BESIDE)
                && disk::owner(store).is_none_or(|owner| Some(owner) == disk::owner(self.data()))
        };
        store == self.data() || beside()
    }
}

/// Whether a path says by itself where it leads, but for links.
pub(crate) fn is_plain(path: &Path) -> bool {
    path.is_absolute()
        && path.components().all(|part| !matches!(part, Component::ParentDir | Component::CurDir))
}

/// Whether something that is made in a folder of ours is made there: every folder from `top`, a real
/// path, down to it is one and no link. What is not there yet is made as such.
pub(crate) fn leads_inside(top: &Path, folder: &Path) -> bool {
    folder.starts_with(top)
        && is_plain(folder)
        && folder.ancestors().take_while(|part| *part != top).all(|part| {
            part.symlink_metadata().map_or_else(
                |error| error.kind() == io::ErrorKind::NotFound,
                |metadata| metadata.is_dir(),
            )
        })
}
