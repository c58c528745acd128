//! What can be added: a server as settings describe it, with blanks that the person fills in.

use std::collections::HashMap;
use std::fmt;

use skills::origin::Endpoint;

use super::blanks::{Blank, Template};
use crate::secret::Secret;

/// A server that can be added, once its blanks are filled. Debug output has no values.
#[derive(Clone)]
pub struct Draft {
    pub(super) reach: Reach,
    pub(super) token: Option<Template>,
    pub(super) headers: Vec<(String, Template)>,
    pub(super) variables: Vec<(String, Template)>,
    pub(super) blanks: Vec<Blank>,
    /// Of the blanks, in their order.
    pub(super) defaults: Vec<Option<String>>,
    pub(super) notes: Vec<String>,
}

#[derive(Clone)]
pub(super) enum Reach {
    Http(Template),
    Command(Vec<Template>),
}

/// How a server is reached, and what it is given: what [`Draft::fill`] makes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filled {
    /// Its address or its command line.
    pub endpoint: Endpoint,
    /// A bearer token, without the word `Bearer`.
    pub token: Option<Secret>,
    /// Further headers, by name.
    pub headers: Vec<(String, Secret)>,
    /// Variables for a started program, by name.
    pub variables: Vec<(String, Secret)>,
}

/// Blanks that were not filled.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{} {} not filled in", .0.join(", "), if .0.len() == 1 { "is" } else { "are" })]
pub struct NotFilled(pub Vec<String>);

impl fmt::Debug for Draft {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Draft")
            .field("command", &self.is_command())
            .field("token", &self.has_token())
            .field("headers", &self.headers().collect::<Vec<_>>())
            .field("variables", &self.variables().collect::<Vec<_>>())
            .field("blanks", &self.blanks)
            .finish_non_exhaustive()
    }
}

impl Draft {
    /// Whether it is a program to be started.
    pub fn is_command(&self) -> bool {
        matches!(self.reach, Reach::Command(_))
    }

    /// The address, or the words of the command line; blanks as they stand in the settings.
    pub fn words(&self) -> Vec<String> {
        match &self.reach {
            Reach::Http(url) => vec![url.shown()],
            Reach::Command(words) => words.iter().map(Template::shown).collect(),
        }
    }

    /// How it is reached, where that has no blanks.
    pub fn endpoint(&self) -> Option<Endpoint> {
        match &self.reach {
            Reach::Http(url) => Some(Endpoint::Http { url: url.text()?.to_owned() }),
            Reach::Command(words) => {
                let words: Option<Vec<&str>> = words.iter().map(Template::text).collect();
                let mut words = words?.into_iter().map(str::to_owned);
                Some(Endpoint::Command { program: words.next()?, args: words.collect() })
            }
        }
    }

    /// Whether it comes with a bearer token.
    pub fn has_token(&self) -> bool {
        self.token.is_some()
    }

    /// The names of its headers, without that of the token.
    pub fn headers(&self) -> impl Iterator<Item = &str> {
        self.headers.iter().map(|(name, _)| name.as_str())
    }

    /// The names of its variables.
    pub fn variables(&self) -> impl Iterator<Item = &str> {
        self.variables.iter().map(|(name, _)| name.as_str())
    }

    /// What the person has to fill in.
    pub fn blanks(&self) -> &[Blank] {
        &self.blanks
    }

    /// What of the settings is not taken along, and why; a sentence each.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Fills in the blanks. One that is empty or not named gets the settings' own default.
    ///
    /// # Errors
    /// When one without a default is not filled.
    pub fn fill(&self, values: &[(String, Secret)]) -> Result<Filled, NotFilled> {
        let given: HashMap<&str, &str> = values
            .iter()
            .map(|(name, value)| (name.as_str(), value.expose()))
            .filter(|(_, value)| !value.is_empty())
            .collect();
        let mut by_name = HashMap::new();
        let mut missing = Vec::new();
        for (blank, default) in self.blanks.iter().zip(&self.defaults) {
            match given.get(blank.name.as_str()).copied().or(default.as_deref()) {
                Some(value) => drop(by_name.insert(blank.name.as_str(), value)),
                None => missing.push(blank.name.clone()),
            }
        }
        if !missing.is_empty() {
            return Err(NotFilled(missing));
        }
        let fill = |template: &Template| {
            template.filled(|name, _| by_name.get(name).copied().unwrap_or_default().to_owned())
        };
        let secrets = |list: &[(String, Template)]| {
            list.iter().map(|(name, value)| (name.clone(), fill(value).into())).collect()
        };
        let endpoint = match &self.reach {
            Reach::Http(url) => Endpoint::Http { url: fill(url) },
            Reach::Command(words) => {
                let mut words = words.iter().map(fill);
                let program = words.next().unwrap_or_default();
                Endpoint::Command { program, args: words.collect() }
            }
        };
        Ok(Filled {
            endpoint,
            token: self.token.as_ref().map(|token| fill(token).into()),
            headers: secrets(&self.headers),
            variables: secrets(&self.variables),
        })
    }
}
