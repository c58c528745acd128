//! What tells that a file is still the one that was read: identity, size and times.

use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::path::Path;
use std::time::SystemTime;

/// Equal stamps mean that nothing was written in between, up to the grain of the clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Stamp {
    device: u64,
    inode: u64,
    size: u64,
    modified: i128,
    changed: i128,
}

/// The stamp of metadata of either kind: their methods have the same names in two traits.
#[cfg(unix)]
macro_rules! stamp {
    ($metadata:expr) => {
        Stamp {
            device: $metadata.dev(),
            inode: $metadata.ino(),
            size: $metadata.size(),
            modified: nanoseconds($metadata.mtime(), $metadata.mtime_nsec()),
            changed: nanoseconds($metadata.ctime(), $metadata.ctime_nsec()),
        }
    };
}

impl Stamp {
    /// The stamp of what this is about.
    pub(crate) fn of(metadata: &Metadata) -> Self {
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            stamp!(metadata)
        }
        #[cfg(not(unix))]
        Self {
            device: 0,
            inode: 0,
            size: metadata.len(),
            modified: metadata.modified().map_or(0, since_epoch),
            changed: metadata.created().map_or(0, since_epoch),
        }
    }

    /// The same of what is looked at through a folder's handle.
    #[cfg(unix)]
    #[allow(clippy::unnecessary_cast, reason = "the numbers differ between systems")]
    pub(crate) fn of_stat(stat: &rustix::fs::Stat) -> Self {
        Self {
            device: stat.st_dev as u64,
            inode: stat.st_ino as u64,
            size: u64::try_from(stat.st_size).unwrap_or(0),
            modified: nanoseconds(stat.st_mtime, stat.st_mtime_nsec),
            changed: nanoseconds(stat.st_ctime, stat.st_ctime_nsec),
        }
    }

    /// The same of what is looked at through a folder's handle.
    #[cfg(any(not(unix), test))]
    pub(crate) fn of_handle(metadata: &cap_std::fs::Metadata) -> Self {
        #[cfg(unix)]
        {
            use cap_std::fs::MetadataExt;
            stamp!(metadata)
        }
        #[cfg(not(unix))]
        Self {
            device: 0,
            inode: 0,
            size: metadata.len(),
            modified: metadata.modified().map_or(0, |time| since_epoch(time.into_std())),
            changed: metadata.created().map_or(0, |time| since_epoch(time.into_std())),
        }
    }

    /// The later of the two times, in nanoseconds since 1970.
    pub(crate) fn newest(&self) -> i128 {
        self.modified.max(self.changed)
    }

    /// Tells a file from another one at the same path, whatever is written to it.
    pub(crate) fn identity(&self) -> (u64, i128) {
        // Without inodes, `changed` holds when it was made.
        if cfg!(unix) { (self.device, i128::from(self.inode)) } else { (0, self.changed) }
    }

    /// In bytes.
    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    /// True when a write just now could leave this stamp as it is, because clocks have a grain.
    pub(crate) fn is_fresh(&self, now: SystemTime) -> bool {
        is_fresh(self.newest(), now)
    }
}

/// True when a write at `now` could leave times as late as `newest` as they are.
pub(crate) fn is_fresh(newest: i128, now: SystemTime) -> bool {
    const GRAIN: i128 = 2_000_000_000;
    since_epoch(now) - newest < GRAIN
}

#[cfg(unix)]
fn nanoseconds(seconds: impl Into<i128>, rest: impl Into<i128>) -> i128 {
    seconds.into() * 1_000_000_000 + rest.into()
}

fn since_epoch(time: SystemTime) -> i128 {
    time.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |passed| passed.as_nanos() as i128)
}

/// Opens a regular file for reading, never through a link at its last component and never
/// waiting for the other end of a pipe.
#[expect(
    clippy::disallowed_methods,
    reason = "opens for reading only, with flags that `File::open` lacks"
)]
pub(crate) fn open_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt;
        options.custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC).bits() as i32);
    }
    options.open(path)
}
