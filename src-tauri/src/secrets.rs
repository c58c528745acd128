//! Secrets: in the system's keychain, and where there is none in files that only this person may
//! read. Nothing here ever logs one.

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use skills::paths::Paths;

use crate::view::SecretPlace;

/// Under which name the system's keychain shows what is ours.
const SERVICE: &str = "skillhold";

/// How long a keychain may take. One that asks the person to unlock it takes longer than one that
/// does not answer is waited for: until it is unlocked the files are used.
const PATIENCE: Duration = Duration::from_secs(5);

/// Why there is no answer of a keychain.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NoKeychain(String);

/// A keychain. Its calls may block.
pub trait Keychain: Send + Sync {
    /// The secret of this name, if there is one.
    ///
    /// # Errors
    /// When the keychain does not answer as it should.
    fn get(&self, name: &str) -> Result<Option<String>, NoKeychain>;

    /// Keeps a secret under this name.
    ///
    /// # Errors
    /// When the keychain does not answer as it should.
    fn set(&self, name: &str, secret: &str) -> Result<(), NoKeychain>;

    /// Forgets the secret of this name, if there is one.
    ///
    /// # Errors
    /// When the keychain does not answer as it should.
    fn remove(&self, name: &str) -> Result<(), NoKeychain>;
}

/// The keychain of the system: the Secret Service, Keychain Services or the Credential Manager.
#[derive(Debug)]
struct OfTheSystem;

impl Keychain for OfTheSystem {
    fn get(&self, name: &str) -> Result<Option<String>, NoKeychain> {
        match keyring::Entry::new(SERVICE, name).and_then(|entry| entry.get_password()) {
            Ok(secret) => Ok(Some(secret)),
            Err(keyring::Error::NoEntry) => Ok(None),
            Err(error) => Err(no_keychain(&error)),
        }
    }

    fn set(&self, name: &str, secret: &str) -> Result<(), NoKeychain> {
        keyring::Entry::new(SERVICE, name)
            .and_then(|entry| entry.set_password(secret))
            .map_err(|error| no_keychain(&error))
    }

    fn remove(&self, name: &str) -> Result<(), NoKeychain> {
        match keyring::Entry::new(SERVICE, name).and_then(|entry| entry.delete_credential()) {
            Ok(()) | Err(keyring::Error::NoEntry) => Ok(()),
            Err(error) => Err(no_keychain(&error)),
        }
    }
}

/// Which kind of error, but not what was in it: some hold the secret.
fn no_keychain(error: &keyring::Error) -> NoKeychain {
    NoKeychain(match error {
        keyring::Error::BadEncoding(_) => "what it keeps is no text".to_owned(),
        keyring::Error::BadDataFormat(..) => "what it keeps cannot be read".to_owned(),
        other => other.to_string(),
    })
}

/// A secret can be neither read nor kept.
#[derive(Debug, thiserror::Error)]
#[error("cannot {doing} {}", .path.display())]
pub struct SecretsError {
    doing: &'static str,
    path: PathBuf,
    #[source]
    source: io::Error,
}

/// Keeps secrets. Its calls may block for some seconds.
pub struct Secrets {
    folder: PathBuf,
    keychain: Mutex<Option<Arc<dyn Keychain>>>,
    patience: Duration,
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Secrets").field("folder", &self.folder).finish_non_exhaustive()
    }
}

impl Secrets {
    /// In the system's keychain; in files alone when everything is redirected to another folder,
    /// which the system's keychain is outside of.
    pub fn of_the_system(paths: &Paths) -> Self {
        let keychain = (!paths.redirected()).then(|| Arc::new(OfTheSystem) as Arc<dyn Keychain>);
        Self::new(paths, keychain, PATIENCE)
    }

    /// In this keychain, which is given up for this run when it does not answer for so long.
    pub fn new(paths: &Paths, keychain: Option<Arc<dyn Keychain>>, patience: Duration) -> Self {
        Self { folder: paths.data().join("secrets"), keychain: Mutex::new(keychain), patience }
    }

    /// Where the next secret is kept, as far as the keychain was tried.
    pub fn place(&self) -> SecretPlace {
        match *self.keychain() {
            Some(_) => SecretPlace::Keychain,
            None => SecretPlace::File,
        }
    }

    /// The secret of this name. One that was kept in a file moves into the keychain when there is
    /// one by now.
    ///
    /// # Errors
    /// When it is in a file that cannot be read.
    pub fn get(&self, name: &str) -> Result<Option<String>, SecretsError> {
        let file = self.folder.join(name);
        // A file is newer than what the keychain has: keeping one there removes the file.
        if let Some(secret) = read(&file)? {
            if self.put(name, &secret) {
                remove(&file)?;
            }
            return Ok(Some(secret));
        }
        let asked = name.to_owned();
        Ok(self.ask(move |keychain| keychain.get(&asked)).flatten())
    }

    /// Keeps a secret under this name, in place of the one before.
    ///
    /// # Errors
    /// When there is no keychain, and the file cannot be written.
    pub fn set(&self, name: &str, secret: &str) -> Result<(), SecretsError> {
        let file = self.folder.join(name);
        if self.put(name, secret) { remove(&file) } else { write(&file, secret) }
    }

    /// Forgets the secret of this name. A keychain that does not answer keeps its own.
    ///
    /// # Errors
    /// When it is in a file that cannot be removed.
    pub fn remove(&self, name: &str) -> Result<(), SecretsError> {
        let asked = name.to_owned();
        self.ask(move |keychain| keychain.remove(&asked));
        remove(&self.folder.join(name))
    }

    fn put(&self, name: &str, secret: &str) -> bool {
        let (name, secret) = (name.to_owned(), secret.to_owned());
        self.ask(move |keychain| keychain.set(&name, &secret)).is_some()
    }

    /// Asks the keychain, if there is one. One that fails or does not answer is not asked again.
    fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&dyn Keychain) -> Result<T, NoKeychain> + Send + 'static,
    ) -> Option<T> {
        let keychain = self.keychain().clone()?;
        let (send, answer) = mpsc::channel();
        // A thread of its own: nothing can end a call that hangs.
        thread::spawn(move || drop(send.send(question(keychain.as_ref()))));
        let why = match answer.recv_timeout(self.patience) {
            Ok(Ok(answer)) => return Some(answer),
            Ok(Err(error)) => error.to_string(),
            Err(RecvTimeoutError::Timeout) => "it does not answer".to_owned(),
            Err(RecvTimeoutError::Disconnected) => "it broke".to_owned(),
        };
        tracing::warn!(why, "the keychain is not used");
        *self.keychain() = None;
        None
    }

    fn keychain(&self) -> MutexGuard<'_, Option<Arc<dyn Keychain>>> {
        self.keychain.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn failed(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> SecretsError {
    move |source| SecretsError { doing, path: path.to_owned(), source }
}

fn read(file: &Path) -> Result<Option<String>, SecretsError> {
    match fs::read_to_string(file) {
        Ok(secret) => Ok(Some(secret).filter(|secret| !secret.is_empty())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failed("read", file)(error)),
    }
}

#[expect(clippy::disallowed_methods, reason = "a secret is no part of a plan")]
fn remove(file: &Path) -> Result<(), SecretsError> {
    match fs::remove_file(file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed("remove", file)(error)),
        _ => Ok(()),
    }
}

/// Written beside its place and moved there, so that there is never half a secret, and readable by
/// its owner alone from the first byte on.
#[expect(clippy::disallowed_methods, reason = "a secret is no part of a plan")]
fn write(file: &Path, secret: &str) -> Result<(), SecretsError> {
    use io::Write as _;
    let new = file.with_extension("new");
    let (mut folder, mut options) = (fs::DirBuilder::new(), fs::OpenOptions::new());
    folder.recursive(true);
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        std::os::unix::fs::DirBuilderExt::mode(&mut folder, 0o700);
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    }
    let at = file.parent().unwrap_or(file);
    folder.create(at).map_err(failed("make", at))?;
    remove(&new)?;
    options
        .open(&new)
        .and_then(|mut opened| {
            opened.write_all(secret.as_bytes())?;
            opened.sync_all()
        })
        .and_then(|()| fs::rename(&new, file))
        .map_err(failed("write", file))
}

/// A token that nobody can guess: 32 bytes of the system's randomness.
///
/// # Errors
/// When the system gives none.
pub fn new_token() -> Result<String, getrandom::Error> {
    use base64::Engine as _;
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes)?;
    Ok(format!("skh_{}", base64::prelude::BASE64_URL_SAFE_NO_PAD.encode(bytes)))
}

/// Whether this may be a token that [`new_token`] made.
pub fn is_token(text: &str) -> bool {
    let random = text.strip_prefix("skh_").unwrap_or_default();
    random.len() == 43 && random.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b))
}

#[cfg(test)]
#[allow(clippy::disallowed_methods)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// Keeps in memory.
    #[derive(Debug, Default)]
    struct InMemory(Mutex<BTreeMap<String, String>>);

    impl Keychain for InMemory {
        fn get(&self, name: &str) -> Result<Option<String>, NoKeychain> {
            Ok(self.0.lock().unwrap().get(name).cloned())
        }

        fn set(&self, name: &str, secret: &str) -> Result<(), NoKeychain> {
            self.0.lock().unwrap().insert(name.to_owned(), secret.to_owned());
            Ok(())
        }

        fn remove(&self, name: &str) -> Result<(), NoKeychain> {
            self.0.lock().unwrap().remove(name);
            Ok(())
        }
    }

    /// Never answers.
    struct Hanging;

    impl Keychain for Hanging {
        fn get(&self, _: &str) -> Result<Option<String>, NoKeychain> {
            loop {
                thread::park();
            }
        }

        fn set(&self, _: &str, _: &str) -> Result<(), NoKeychain> {
            Err(NoKeychain("locked".to_owned()))
        }

        fn remove(&self, _: &str) -> Result<(), NoKeychain> {
            Err(NoKeychain("locked".to_owned()))
        }
    }

    fn secrets(home: &Path, keychain: Option<Arc<dyn Keychain>>, patience: Duration) -> Secrets {
        Secrets::new(&Paths::under(home), keychain, patience)
    }

    #[test]
    fn a_secret_is_kept_in_the_keychain_and_in_no_file() {
        let home = tempfile::tempdir().unwrap();
        let kept = secrets(home.path(), Some(Arc::new(InMemory::default())), PATIENCE);
        assert_eq!(kept.get("token").unwrap(), None);
        kept.set("token", "abc").unwrap();
        assert_eq!(kept.get("token").unwrap().as_deref(), Some("abc"));
        assert_eq!(kept.place(), SecretPlace::Keychain);
        assert!(!kept.folder.exists());
    }

    #[test]
    fn without_a_keychain_it_is_in_a_file_for_its_owner_alone() {
        let home = tempfile::tempdir().unwrap();
        let kept = Secrets::of_the_system(&Paths::under(home.path()));
        kept.set("token", "abc").unwrap();
        kept.set("token", "def").unwrap();
        assert_eq!(kept.get("token").unwrap().as_deref(), Some("def"));
        assert_eq!(kept.place(), SecretPlace::File);
        let file = home.path().join(".local/share/skillhold/secrets/token");
        assert_eq!(fs::read_to_string(&file).unwrap(), "def");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
            assert_eq!(mode(&file), 0o600);
            assert_eq!(mode(file.parent().unwrap()), 0o700);
        }
    }

    #[test]
    fn what_is_in_a_file_moves_into_a_keychain_that_is_there_later() {
        let home = tempfile::tempdir().unwrap();
        secrets(home.path(), None, PATIENCE).set("token", "abc").unwrap();
        let keychain = Arc::new(InMemory::default());
        let kept = secrets(home.path(), Some(Arc::clone(&keychain) as Arc<dyn Keychain>), PATIENCE);
        assert_eq!(kept.get("token").unwrap().as_deref(), Some("abc"));
        assert!(!kept.folder.join("token").exists());
        assert_eq!(keychain.get("token").unwrap().as_deref(), Some("abc"));
    }

    #[test]
    fn a_keychain_that_hangs_is_given_up() {
        let home = tempfile::tempdir().unwrap();
        let kept = secrets(home.path(), Some(Arc::new(Hanging)), Duration::from_millis(20));
        assert_eq!(kept.get("token").unwrap(), None);
        assert_eq!(kept.place(), SecretPlace::File);
        kept.set("token", "abc").unwrap();
        assert_eq!(kept.get("token").unwrap().as_deref(), Some("abc"));
    }

    #[test]
    fn what_is_removed_is_neither_in_the_keychain_nor_in_a_file() {
        let home = tempfile::tempdir().unwrap();
        let kept = secrets(home.path(), None, PATIENCE);
        kept.set("token", "abc").unwrap();
        kept.remove("token").unwrap();
        assert_eq!(kept.get("token").unwrap(), None);
        kept.remove("token").unwrap();
        let keychain = Arc::new(InMemory::default());
        let kept = secrets(home.path(), Some(Arc::clone(&keychain) as Arc<dyn Keychain>), PATIENCE);
        kept.set("token", "abc").unwrap();
        kept.remove("token").unwrap();
        assert_eq!(keychain.get("token").unwrap(), None);
    }

    #[test]
    fn tokens_differ_and_are_words() {
        let (one, two) = (new_token().unwrap(), new_token().unwrap());
        assert_ne!(one, two);
        assert_eq!(one.len(), 47);
        assert!(one.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_'), "{one}");
    }
}
