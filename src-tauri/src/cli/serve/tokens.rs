//! A file of tokens: one token alone, or TOML with what each may see.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Deserialize;
use skills::provider::Place;
use skills::provider::policy::{Action, Caller, Pattern, PatternError, Patterns, Policy};
use skills_mcp::server::Token;
use toml::Spanned;

/// Shorter ones can be guessed.
const SHORTEST: usize = 16;

/// Bytes of a file of tokens.
const LARGEST: u64 = 1024 * 1024;

/// The name of a token that is alone in its file.
const ALONE: &str = "token";

/// What is in a file of tokens.
pub(super) struct Tokens {
    pub(super) tokens: Vec<Token>,
    /// `None` where everybody may see everything.
    pub(super) policy: Option<Arc<dyn Policy>>,
    /// What to say of the file.
    pub(super) warnings: Vec<String>,
}

/// Without the tokens.
impl fmt::Debug for Tokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tokens").field("tokens", &self.tokens.len()).finish_non_exhaustive()
    }
}

/// Why a file of tokens cannot be used. No message holds anything of what is in the file but names.
#[derive(Debug, thiserror::Error)]
pub(super) enum TokensError {
    #[error("cannot read {}", .0.display())]
    Unreadable(PathBuf, #[source] io::Error),
    #[error("{} is too large for a file of tokens", .0.display())]
    TooLarge(PathBuf),
    #[error("{}:{line}: {why}", .file.display())]
    Wrong { file: PathBuf, line: usize, why: Wrong },
}

/// What is wrong in a line.
#[derive(Debug, thiserror::Error)]
pub(super) enum Wrong {
    #[error(
        "neither one token alone nor TOML as it should be: a table [[token]] with name and token, \
         and where wanted scopes, allow, deny and root"
    )]
    Form,
    #[error("there is no token in it")]
    Nothing,
    #[error("the token is shorter than {SHORTEST} characters")]
    Short,
    #[error("a token is made of visible ASCII characters without blanks")]
    Characters,
    #[error("a token needs a name")]
    Unnamed,
    #[error("{0:?} has another token further up")]
    OtherToken(String),
    #[error("{0:?} has the token of another name")]
    OtherName(String),
    #[error(transparent)]
    Pattern(PatternError),
    #[error("{0:?} is none of the folders that are served")]
    Root(PathBuf),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    token: Vec<Row>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    name: Spanned<String>,
    token: Spanned<String>,
    #[serde(default)]
    scopes: Vec<String>,
    #[serde(default)]
    allow: Vec<Spanned<String>>,
    #[serde(default)]
    deny: Vec<Spanned<String>>,
    root: Option<Spanned<PathBuf>>,
}

impl Tokens {
    /// Reads a file; roots in it are held against the places that are served.
    pub(super) fn read(file: &Path, places: &[Place]) -> Result<Self, TokensError> {
        let unreadable = |error| TokensError::Unreadable(file.to_owned(), error);
        let opened = fs::File::open(file).map_err(unreadable)?;
        let metadata = opened.metadata().map_err(unreadable)?;
        let mut bytes = Vec::new();
        // A pipe or a device has no length to go by.
        opened.take(LARGEST + 1).read_to_end(&mut bytes).map_err(unreadable)?;
        if bytes.len() as u64 > LARGEST {
            return Err(TokensError::TooLarge(file.to_owned()));
        }
        // Without the bytes, which the other error of this holds.
        let text = String::from_utf8(bytes).map_err(|error| {
            unreadable(io::Error::new(io::ErrorKind::InvalidData, error.utf8_error()))
        })?;
        let at = |offset: usize, why| TokensError::Wrong {
            file: file.to_owned(),
            line: text[..offset.min(text.len())].matches('\n').count() + 1,
            why,
        };
        let (tokens, sets) = match alone(&text) {
            Some((offset, secret)) => {
                let secret = checked(secret).map_err(|why| at(offset, why))?;
                let (identity, scopes) = (ALONE.to_owned(), Vec::new());
                (vec![Token { identity, secret, scopes }], BTreeMap::new())
            }
            None => {
                let rows = toml::from_str::<File>(&text).map_err(|error| {
                    let offset = error.span().map_or(0, |span| span.start);
                    at(offset, Wrong::Form)
                })?;
                let folder = file.parent().unwrap_or(file);
                of_rows(rows.token, folder, places).map_err(|(offset, why)| at(offset, why))?
            }
        };
        if tokens.is_empty() {
            return Err(at(0, Wrong::Nothing));
        }
        let limits = sets.values().flatten().any(Set::limits);
        let policy = limits.then(|| Arc::new(PerToken { sets }) as Arc<dyn Policy>);
        let mut warnings = Vec::new();
        if others_may_read(&metadata) {
            warnings.push(format!(
                "others than you may read {}: take that away, as with chmod 600",
                file.display()
            ));
        }
        Ok(Self { tokens, policy, warnings })
    }
}

/// The one word that is all of the file, and where it begins. `token="secret"` is none: whoever
/// wrote it means what stands between the quotes.
fn alone(text: &str) -> Option<(usize, &str)> {
    let word = text.trim();
    let is_word = !word.is_empty() && !word.contains(char::is_whitespace) && !word.starts_with('[');
    let is_pair = || toml::from_str::<toml::Table>(word).is_ok_and(|table| !table.is_empty());
    (is_word && !is_pair()).then(|| (text.find(word).unwrap_or_default(), word))
}

fn checked(secret: &str) -> Result<String, Wrong> {
    if secret.is_empty() {
        Err(Wrong::Nothing)
    } else if !secret.chars().all(|c| c.is_ascii_graphic()) {
        Err(Wrong::Characters)
    } else if secret.len() < SHORTEST {
        Err(Wrong::Short)
    } else {
        Ok(secret.to_owned())
    }
}

type Sets = BTreeMap<String, Vec<Set>>;

/// The tokens and what each name may see. An error is where it is and what.
fn of_rows(
    rows: Vec<Row>,
    folder: &Path,
    places: &[Place],
) -> Result<(Vec<Token>, Sets), (usize, Wrong)> {
    let mut tokens: Vec<Token> = Vec::new();
    let mut sets = Sets::new();
    for row in rows {
        let (name_at, name) = (row.name.span().start, row.name.into_inner());
        let secret_at = row.token.span().start;
        if name.trim().is_empty() {
            return Err((name_at, Wrong::Unnamed));
        }
        let secret = checked(row.token.get_ref()).map_err(|why| (secret_at, why))?;
        match tokens.iter_mut().find(|known| known.identity == name || known.secret == secret) {
            Some(known) if known.identity != name => {
                return Err((secret_at, Wrong::OtherName(name)));
            }
            Some(known) if known.secret != secret => {
                return Err((secret_at, Wrong::OtherToken(name)));
            }
            Some(known) => known.scopes.extend(row.scopes),
            None => tokens.push(Token { identity: name.clone(), secret, scopes: row.scopes }),
        }
        let patterns = |texts: Vec<Spanned<String>>| {
            let pattern = |text: Spanned<String>| {
                let at = text.span().start;
                Pattern::parse(text.get_ref()).map_err(|why| (at, Wrong::Pattern(why)))
            };
            texts.into_iter().map(pattern).collect::<Result<Vec<_>, _>>()
        };
        let place = match row.root {
            None => None,
            Some(root) => {
                let at = root.span().start;
                let path = folder.join(root.get_ref());
                let wrong = || (at, Wrong::Root(root.get_ref().clone()));
                Some(place_at(&path, places).ok_or_else(wrong)?)
            }
        };
        let patterns = Patterns { allow: patterns(row.allow)?, deny: patterns(row.deny)? };
        sets.entry(name).or_default().push(Set { place, patterns });
    }
    Ok((tokens, sets))
}

/// Which of the places a path is.
fn place_at(path: &Path, places: &[Place]) -> Option<usize> {
    let real = path.canonicalize().ok();
    places.iter().position(|place| {
        let served = place.path();
        served == path || (real.is_some() && served.canonicalize().ok() == real)
    })
}

/// What one table of the file says.
#[derive(Debug)]
struct Set {
    /// Of which place it speaks; of all where it does not say.
    place: Option<usize>,
    patterns: Patterns,
}

impl Set {
    fn limits(&self) -> bool {
        self.place.is_some() || self.patterns != Patterns::default()
    }
}

/// What each name may see: what one of its tables shows and none hides. A table with a root speaks
/// only of what is served from there; what no table speaks of is hidden.
struct PerToken {
    sets: Sets,
}

impl Policy for PerToken {
    fn allows(&self, caller: &Caller, action: Action, uri: &str, place: Option<usize>) -> bool {
        let sets = caller.identity.as_ref().and_then(|name| self.sets.get(name));
        let speaks = |set: &&Set| set.place.is_none() || set.place == place;
        let mut speaking = sets.into_iter().flatten().filter(speaks).peekable();
        if speaking.peek().is_none() {
            return false;
        }
        let (mut shown, mut hidden) = (false, false);
        for set in speaking {
            shown |= set.patterns.allow(action, uri);
            hidden |= set.patterns.deny.iter().any(|pattern| pattern.matches(uri));
        }
        shown && !hidden
    }
}

#[cfg(unix)]
fn others_may_read(metadata: &fs::Metadata) -> bool {
    std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o077 != 0
}

#[cfg(not(unix))]
fn others_may_read(_: &fs::Metadata) -> bool {
    false
}

#[cfg(test)]
mod tests;
