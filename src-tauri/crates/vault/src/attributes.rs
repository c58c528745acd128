//! Extended attributes: lists of who may do what, and whatever else programs attach to files.

use std::fs::File;
use std::io;

/// Gives a file or folder those of another. What the system sets by itself is left to it; a list of
/// who may do what must be taken over.
#[cfg(any(target_os = "linux", target_os = "macos"))]
pub(crate) fn copy(from: &File, to: &File) -> io::Result<()> {
    use rustix::fs::{XattrFlags, fgetxattr, flistxattr, fsetxattr};

    let names = match read(|space| flistxattr(from, space)) {
        Ok(names) => names,
        Err(error) if error == rustix::io::Errno::NOTSUP => return Ok(()),
        Err(error) => return Err(error.into()),
    };
    for name in names.split(|&byte| byte == 0).filter(|name| !name.is_empty()) {
        let grants = name.starts_with(b"system.posix_acl_");
        let own = name.starts_with(b"security.") || name.starts_with(b"trusted.");
        if own {
            continue;
        }
        let copied = read(|space| fgetxattr(from, name, space))
            .and_then(|value| fsetxattr(to, name, &value, XattrFlags::empty()));
        if grants {
            copied?;
        }
    }
    Ok(())
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
pub(crate) fn copy(_: &File, _: &File) -> io::Result<()> {
    Ok(())
}

/// What a call writes into the space that it is given, however much that is.
#[cfg(any(target_os = "linux", target_os = "macos"))]
fn read(call: impl Fn(&mut [u8]) -> rustix::io::Result<usize>) -> rustix::io::Result<Vec<u8>> {
    /// The most that Linux has for one attribute, and for the names of all.
    const MOST: usize = 64 * 1024;
    let mut space = vec![0; 256];
    loop {
        match call(&mut space) {
            Ok(length) => {
                space.truncate(length);
                return Ok(space);
            }
            Err(rustix::io::Errno::RANGE) if space.len() < MOST => space.resize(MOST, 0),
            Err(error) => return Err(error),
        }
    }
}
