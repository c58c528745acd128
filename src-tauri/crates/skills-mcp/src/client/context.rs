//! What a connection is given.

use std::ffi::OsString;
use std::fmt;
use std::sync::Arc;

use crate::auth::Keep;
use crate::imported::ImportedSkills;
use crate::limits::Timeouts;
use crate::samples::Samples;
use crate::secret::Handed;
use crate::transport::{Programs, Words};

/// What a connection needs from outside.
#[derive(Clone)]
pub struct ClientContext {
    /// The built-in samples, where they are switched on.
    pub samples: Option<Arc<Samples>>,
    /// Where imported skills are kept, where there can be any.
    pub imported: Option<ImportedSkills>,
    /// How long a server is waited for.
    pub timeouts: Timeouts,
    /// A bearer token for an HTTP server, without the word `Bearer`.
    pub token: Option<String>,
    /// Further headers for an HTTP server: names and values. See
    /// [`checked_headers`](crate::headers::checked_headers) for which may be.
    pub headers: Vec<(String, String)>,
    /// Where the sign-in of an HTTP server is kept. A token or an `Authorization` of the person's own
    /// goes before it.
    pub sign_in: Option<Arc<dyn Keep>>,
    /// Where what a started program writes to its standard error is kept; it outlives the connection.
    pub words: Option<Arc<Words>>,
    /// The started programs; contexts that are cloned share them.
    pub programs: Programs,
    /// The environment of started programs, nothing else: names and values.
    pub environment: Vec<(OsString, OsString)>,
}

impl ClientContext {
    /// What is secret of it and goes to an HTTP server.
    pub(crate) fn handed(&self) -> Handed {
        let headers = self.headers.iter().map(|(_, value)| value.clone());
        Handed::of(headers.chain(self.token.clone()))
    }
}

/// Without the token and the values of headers and of the environment, which may be secret.
impl fmt::Debug for ClientContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientContext")
            .field("samples", &self.samples.is_some())
            .field("timeouts", &self.timeouts)
            .field("token", &self.token.is_some())
            .field("headers", &self.headers.iter().map(|(name, _)| name).collect::<Vec<_>>())
            .finish_non_exhaustive()
    }
}

impl Default for ClientContext {
    fn default() -> Self {
        Self {
            samples: None,
            imported: None,
            timeouts: Timeouts::default(),
            token: None,
            headers: Vec::new(),
            sign_in: None,
            words: None,
            programs: Programs::default(),
            environment: small_environment(),
        }
    }
}

/// Variables that a program needs to run at all. Everything else, keys and tokens of the person
/// among it, stays here.
const PASSED_ON: &[&str] = &[
    "PATH",
    "HOME",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "TMPDIR",
    "TZ",
    "USER",
    "LOGNAME",
    "SHELL",
    "APPDATA",
    "COMSPEC",
    "HOMEDRIVE",
    "HOMEPATH",
    "LOCALAPPDATA",
    "PATHEXT",
    "PROGRAMDATA",
    "PROGRAMFILES",
    "SYSTEMDRIVE",
    "SYSTEMROOT",
    "TEMP",
    "TMP",
    "USERNAME",
    "USERPROFILE",
    "WINDIR",
];

#[expect(clippy::disallowed_methods, reason = "what started programs get of it, by a fixed list")]
fn small_environment() -> Vec<(OsString, OsString)> {
    PASSED_ON
        .iter()
        .filter_map(|name| Some((OsString::from(name), std::env::var_os(name)?)))
        .collect()
}
