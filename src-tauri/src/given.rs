//! What a server is given besides its address or command line: a token, headers, variables. Their
//! names are in the ledger, their values with the secrets.

use std::ffi::OsString;

use serde::{Deserialize, Serialize};
use skills::origin::{Endpoint, ServerId};
use skills_mcp::headers::{check_token, check_variables, checked_headers};
use skills_mcp::import::Filled;
use skills_mcp::{ClientContext, Secret};
use vault::Vault;
use vault::servers::ServerValues;

use crate::error::Outcome;
use crate::secrets::Secrets;
use crate::view::ErrorView;

/// Values for one server. Debug output has only their names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Given {
    /// A bearer token, without the word `Bearer`.
    pub token: Option<Secret>,
    /// Further headers.
    pub headers: Vec<(String, Secret)>,
    /// Variables for a started program.
    pub variables: Vec<(String, Secret)>,
}

/// How they are kept: one secret a server.
#[derive(Default, Serialize, Deserialize)]
struct Kept {
    token: Option<String>,
    headers: Vec<(String, String)>,
    variables: Vec<(String, String)>,
}

impl From<Filled> for Given {
    fn from(filled: Filled) -> Self {
        Self { token: filled.token, headers: filled.headers, variables: filled.variables }
    }
}

impl Given {
    /// Their names.
    pub fn names(&self) -> ServerValues {
        let names = |list: &[(String, Secret)]| list.iter().map(|(name, _)| name.clone()).collect();
        ServerValues {
            token: self.token.is_some(),
            headers: names(&self.headers),
            variables: names(&self.variables),
        }
    }

    /// Whether it says who is there, so that nobody need sign in.
    pub fn identifies(&self) -> bool {
        let says = |(name, _): &(String, Secret)| name.eq_ignore_ascii_case("authorization");
        self.token.is_some() || self.headers.iter().any(says)
    }

    /// Whether all of it can be sent, or given to a program.
    ///
    /// # Errors
    /// When one cannot; the message has its name, not its value.
    pub fn check(&self, endpoint: &Endpoint) -> Outcome<()> {
        let bad = |error: skills_mcp::headers::BadValue| ErrorView::bad_input(error.to_string());
        match endpoint {
            Endpoint::Command { .. } => check_variables(texts(&self.variables)).map_err(bad),
            Endpoint::Http { .. } => {
                checked_headers(texts(&self.headers)).map_err(bad)?;
                let Some(token) = &self.token else { return Ok(()) };
                if (Self { token: None, ..self.clone() }).identifies() {
                    return Err(ErrorView::bad_input(
                        "a token is sent as the header Authorization, and there is one already",
                    )
                    .with_hint("give either the token or the header"));
                }
                check_token(token).map_err(bad)
            }
            Endpoint::Samples | Endpoint::Imported { .. } => Ok(()),
        }
    }

    /// Keeps the values with the secrets and the names in the ledger, in place of those before.
    ///
    /// # Errors
    /// When either cannot be written; the server then has what it had, or less.
    pub fn keep(&self, id: &ServerId, vault: &Vault, secrets: &Secrets) -> Outcome<()> {
        let names = self.names();
        let name = secret_of(id);
        if names == ServerValues::default() {
            let before = vault.server_values(id)?;
            vault.set_server_values(id, &names)?;
            return forget(id, &before, secrets);
        }
        let texts = |list: &[(String, Secret)]| {
            list.iter().map(|(name, value)| (name.clone(), value.expose().to_owned())).collect()
        };
        let kept = Kept {
            token: self.token.as_ref().map(|token| token.expose().to_owned()),
            headers: texts(&self.headers),
            variables: texts(&self.variables),
        };
        let text = serde_json::to_string(&kept).unwrap_or_default();
        secrets.set(&name, &text)?;
        Ok(vault.set_server_values(id, &names)?)
    }

    /// What a server is given. Asks the keychain, which may take seconds.
    ///
    /// # Errors
    /// When a value is gone or cannot be read: a server is not asked without what it was to get.
    pub fn of(id: &ServerId, vault: &Vault, secrets: &Secrets) -> Outcome<Self> {
        let names = vault.server_values(id)?;
        if names == ServerValues::default() {
            return Ok(Self::default());
        }
        let text = secrets.get(&secret_of(id))?.unwrap_or_default();
        let kept: Kept = serde_json::from_str(&text).unwrap_or_default();
        let gone = |what: &str| {
            ErrorView::gone(format!("{what} is not where secrets are kept any more"))
                .with_hint("enter it again in the settings of the server")
        };
        let find = |names: &[String], list: &[(String, String)], what: &str| {
            let value = |name: &String| {
                let (_, value) = list.iter().find(|(known, _)| known == name)?;
                Some((name.clone(), Secret::from(value.as_str())))
            };
            let found =
                |name: &String| value(name).ok_or_else(|| gone(&format!("{what} {name:?}")));
            names.iter().map(found).collect::<Outcome<Vec<_>>>()
        };
        let token = match (names.token, kept.token) {
            (false, _) => None,
            (true, Some(token)) => Some(token.into()),
            (true, None) => return Err(gone("its token")),
        };
        Ok(Self {
            token,
            headers: find(&names.headers, &kept.headers, "the value of its header")?,
            variables: find(&names.variables, &kept.variables, "the value of its variable")?,
        })
    }

    /// Adds all of it to what a connection needs. A variable takes the place of an inherited one.
    pub fn apply(&self, context: &mut ClientContext) {
        context.token = self.token.as_ref().map(|token| token.expose().to_owned());
        let text = |(name, value): &(String, Secret)| (name.clone(), value.expose().to_owned());
        context.headers = self.headers.iter().map(text).collect();
        for (name, value) in &self.variables {
            let same = |known: &OsString| {
                if cfg!(windows) {
                    known.eq_ignore_ascii_case(name)
                } else {
                    known == name.as_str()
                }
            };
            context.environment.retain(|(known, _)| !same(known));
            context.environment.push((name.into(), value.expose().into()));
        }
    }
}

/// Forgets the values of a server that had these. No keychain is asked about one that had none.
///
/// # Errors
/// When they are in a file that cannot be removed.
pub(crate) fn forget(id: &ServerId, had: &ServerValues, secrets: &Secrets) -> Outcome<()> {
    if *had == ServerValues::default() {
        return Ok(());
    }
    Ok(secrets.remove(&secret_of(id))?)
}

fn secret_of(id: &ServerId) -> String {
    format!("server-{id}")
}

fn texts(list: &[(String, Secret)]) -> impl Iterator<Item = (&str, &str)> {
    list.iter().map(|(name, value)| (name.as_str(), value.expose()))
}

#[cfg(test)]
#[allow(clippy::disallowed_methods)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use skills::paths::Paths;

    use super::*;
    use crate::secrets::{Keychain, NoKeychain};

    fn given() -> Given {
        Given {
            token: Some("hunter2".into()),
            headers: vec![("X-Key".to_owned(), "hunter3".into())],
            variables: vec![("PATH".to_owned(), "/hunter4".into())],
        }
    }

    #[test]
    fn values_are_with_the_secrets_names_in_the_ledger_and_none_in_its_files() {
        let home = tempfile::tempdir().unwrap();
        let paths = Paths::under(home.path());
        let (vault, _) = Vault::open(&paths).unwrap();
        let secrets = Secrets::of_the_system(&paths);
        let endpoint = Endpoint::Http { url: "http://127.0.0.1/".to_owned() };
        let id = vault.add_server("a", endpoint).unwrap().id;
        assert_eq!(Given::of(&id, &vault, &secrets).unwrap(), Given::default());
        given().keep(&id, &vault, &secrets).unwrap();
        assert_eq!(Given::of(&id, &vault, &secrets).unwrap(), given());
        let file = paths.data().join("secrets").join(format!("server-{id}"));
        assert!(std::fs::read_to_string(&file).unwrap().contains("hunter3"));
        for entry in std::fs::read_dir(paths.data()).unwrap().map(Result::unwrap) {
            if entry.path().is_file() {
                let bytes = std::fs::read(entry.path()).unwrap();
                assert!(!bytes.windows(6).any(|part| part == b"hunter"), "{entry:?}");
            }
        }
        assert!(!format!("{:?}", given()).contains("hunter"));

        std::fs::remove_file(&file).unwrap();
        let error = Given::of(&id, &vault, &secrets).unwrap_err();
        assert_eq!(error.message, "its token is not where secrets are kept any more");

        given().keep(&id, &vault, &secrets).unwrap();
        Given::default().keep(&id, &vault, &secrets).unwrap();
        assert_eq!(Given::of(&id, &vault, &secrets).unwrap(), Given::default());
        assert!(!file.exists());
    }

    /// A keychain that must not be asked.
    #[derive(Debug)]
    struct Untouched;

    impl Keychain for Untouched {
        fn get(&self, name: &str) -> Result<Option<String>, NoKeychain> {
            panic!("asked for {name}")
        }

        fn set(&self, name: &str, _: &str) -> Result<(), NoKeychain> {
            panic!("given {name}")
        }

        fn remove(&self, name: &str) -> Result<(), NoKeychain> {
            panic!("told to forget {name}")
        }
    }

    #[test]
    fn a_server_that_is_given_nothing_touches_no_keychain() {
        let home = tempfile::tempdir().unwrap();
        let paths = Paths::under(home.path());
        let (vault, _) = Vault::open(&paths).unwrap();
        let secrets = Secrets::new(&paths, Some(Arc::new(Untouched)), Duration::from_secs(60));
        let endpoint = Endpoint::Http { url: "http://127.0.0.1/".to_owned() };
        let id = vault.add_server("a", endpoint).unwrap().id;
        Given::default().keep(&id, &vault, &secrets).unwrap();
        assert_eq!(Given::of(&id, &vault, &secrets).unwrap(), Given::default());
        forget(&id, &vault.server_values(&id).unwrap(), &secrets).unwrap();
        // One that panicked would have been given up.
        assert_eq!(secrets.place(), crate::view::SecretPlace::Keychain);
    }

    #[test]
    fn a_connection_gets_it_all_and_a_variable_replaces_the_inherited_one() {
        let inherited = vec![
            (OsString::from("PATH"), OsString::from("/usr/bin")),
            (OsString::from("HOME"), OsString::from("/home/me")),
        ];
        let mut context = ClientContext { environment: inherited, ..ClientContext::default() };
        given().apply(&mut context);
        assert_eq!(context.token.as_deref(), Some("hunter2"));
        assert_eq!(context.headers, [("X-Key".to_owned(), "hunter3".to_owned())]);
        let names: Vec<_> = context.environment.iter().map(|(name, _)| name.clone()).collect();
        assert_eq!(names, ["HOME", "PATH"]);
        assert_eq!(context.environment[1].1, "/hunter4");
    }

    #[test]
    fn a_token_and_its_header_are_not_both_sent() {
        let http = Endpoint::Http { url: "http://x".to_owned() };
        let both = Given {
            token: Some("t".into()),
            headers: vec![("authorization".to_owned(), "Basic x".into())],
            ..Given::default()
        };
        assert_eq!(
            both.check(&http).unwrap_err().hint.as_deref(),
            Some("give either the token or the header")
        );
        assert!(Given { token: None, ..both }.check(&http).is_ok());
        let host = Given { headers: vec![("Host".to_owned(), "x".into())], ..Given::default() };
        assert!(host.check(&http).is_err());
    }
}
