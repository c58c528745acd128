//! Adding, changing and removing servers.

use skills::origin::{Endpoint, ServerId};
use skills_mcp::Secret;
use skills_mcp::headers::decides_what_runs;
use tauri::Url;
use vault::servers::SavedServer;

use crate::drafts::CommandDraft;
use crate::error::Outcome;
use crate::given::{self, Given};
use crate::jobs::new_id;
use crate::render::spelled_out;
use crate::shell::Shell;
use crate::sign_in;
use crate::view::{
    CommandPreview, ErrorView, GivenValues, NamedValue, Scope, ServerChange, ServerSettings,
    ServerStep, ShownVariable, TokenChange,
};

impl Shell {
    /// Adds a server by address and begins to reach it. Gives its id.
    ///
    /// # Errors
    /// When the address cannot be one of an MCP server, a header cannot be sent, or the label is
    /// blank.
    pub fn add_http_server(&self, label: &str, url: &str, given: GivenValues) -> Outcome<String> {
        let endpoint = Endpoint::Http { url: checked_address(url)? };
        let given = Given {
            token: given.token.as_deref().and_then(token_of),
            headers: entered(given.headers),
            variables: Vec::new(),
        };
        given.check(&endpoint)?;
        self.add(label, endpoint, &given)
    }

    /// Splits a command line into words as a POSIX shell would, without running anything or
    /// replacing variables. What is confirmed later is exactly this, with these variables.
    ///
    /// # Errors
    /// When it holds no word, a quote that does not end, or characters that cannot be seen; or when
    /// a variable cannot be set.
    pub fn preview_command(
        &self,
        line: &str,
        variables: Vec<NamedValue>,
    ) -> Outcome<CommandPreview> {
        let endpoint = checked_line(line)?;
        let given = Given { variables: entered(variables), ..Given::default() };
        given.check(&endpoint)?;
        self.preview(CommandDraft { endpoint, given, server: None })
    }

    /// Keeps a command line under a token for when the person confirms it, and says what it is.
    pub(crate) fn preview(&self, draft: CommandDraft) -> Outcome<CommandPreview> {
        let Endpoint::Command { program, args } = draft.endpoint.clone() else {
            return Err(ErrorView::bad_input("only a command line has to be confirmed"));
        };
        for (name, value) in &draft.given.variables {
            seen("the name of a variable", name)?;
            if decides_what_runs(name) {
                seen("a variable that decides what runs", value.expose())?;
            }
        }
        let path = draft.given.variables.iter().find(|(name, _)| name == "PATH");
        let path = path.map(|(_, value)| value.expose());
        let resolved = self.connections.program(&program, path).map(|it| it.display().to_string());
        let variables = draft
            .given
            .variables
            .iter()
            .map(|(name, value)| ShownVariable {
                name: name.clone(),
                value: decides_what_runs(name).then(|| value.expose().to_owned()),
            })
            .collect();
        let token = new_id();
        self.commands.keep(token.clone(), draft);
        Ok(CommandPreview { token, program, args, resolved, variables })
    }

    /// Adds the command that was shown under this token, or gives it to the server that it is for,
    /// and starts it. Gives the server's id.
    ///
    /// # Errors
    /// When the token was used before, the label of a new server is blank, or its server is gone.
    pub fn confirm_command(&self, label: &str, token: &str) -> Outcome<String> {
        let draft = self.commands.take(token)?;
        match &draft.server {
            Some(id) => self.change(&id.clone(), draft.endpoint, &draft.given),
            None if label.trim().is_empty() => {
                // The token stays good: nothing was confirmed.
                self.commands.keep(token.to_owned(), draft);
                Err(ErrorView::bad_input("a server needs a label"))
            }
            None => self.add(label, draft.endpoint, &draft.given),
        }
    }

    pub(crate) fn add(&self, label: &str, endpoint: Endpoint, given: &Given) -> Outcome<String> {
        let server = self.vault.add_server(label, endpoint)?;
        if let Err(error) = given.keep(&server.id, &self.vault, &self.secrets) {
            // Without what it is given it is not the server that was meant.
            self.vault.remove_server(&server.id)?;
            return Err(error);
        }
        let id = server.id.0.clone();
        self.connections.start(server);
        self.events.changed(Scope::Activity);
        Ok(id)
    }

    /// How a server is reached and what it is given, without any value.
    ///
    /// # Errors
    /// When there is no such server.
    pub fn server_settings(&self, id: &str) -> Outcome<ServerSettings> {
        let server = self.server(id)?;
        let values = self.vault.server_values(&server.id)?;
        Ok(ServerSettings {
            address: server.endpoint.shown(),
            token: values.token,
            headers: values.headers,
            variables: values.variables,
            kept: self.secrets.place(),
        })
    }

    /// Changes how a server is reached and what it is given. Another address or command line makes
    /// it another server: no approval carries over. Another command line, and other variables of a
    /// program, are only shown; the person confirms them first.
    ///
    /// # Errors
    /// When there is no such server, or what was entered cannot be used.
    pub fn change_server(&self, id: &str, change: ServerChange) -> Outcome<ServerStep> {
        let server = self.server(id)?;
        let names = self.vault.server_values(&server.id)?;
        let endpoint = match &server.endpoint {
            Endpoint::Http { .. } => Endpoint::Http { url: checked_address(&change.address)? },
            Endpoint::Command { .. } => checked_line(&change.address)?,
            Endpoint::Samples => {
                return Err(ErrorView::bad_input("the samples have nothing to change"));
            }
            Endpoint::Imported { .. } => {
                return Err(ErrorView::bad_input("imported skills have no address to change")
                    .with_hint("import the file or folder again, which makes another server"));
            }
        };
        let keeps = |list: &[NamedValue]| list.iter().any(|one| one.value.is_none());
        let keeps_token = names.token && change.token == TokenChange::Keep;
        let before = if keeps_token || keeps(&change.headers) || keeps(&change.variables) {
            Given::of(&server.id, &self.vault, &self.secrets)?
        } else {
            Given::default()
        };
        let other_variables = keeps_not_all(&change.variables, &names.variables);
        let given = Given {
            token: match change.token {
                TokenChange::Keep => before.token,
                TokenChange::Remove => None,
                TokenChange::Set { value } => token_of(&value),
            },
            headers: with_kept(change.headers, &before.headers)?,
            variables: with_kept(change.variables, &before.variables)?,
        };
        given.check(&endpoint)?;
        if matches!(endpoint, Endpoint::Command { .. }) {
            if endpoint == server.endpoint && !other_variables {
                return Ok(ServerStep::Done { server: server.id.0 });
            }
            let draft = CommandDraft { endpoint, given, server: Some(server.id) };
            return Ok(ServerStep::Confirm { preview: self.preview(draft)? });
        }
        Ok(ServerStep::Done { server: self.change(&server.id, endpoint, &given)? })
    }

    /// Carries out a change, and reaches the server anew. Gives its id.
    fn change(&self, id: &ServerId, endpoint: Endpoint, given: &Given) -> Outcome<String> {
        let before = self.server(&id.0)?;
        // Nothing goes to the old address with what is meant for the new one, or the reverse: where
        // half of it fails, the server stays unreached.
        self.connections.stop(id);
        given.keep(id, &self.vault, &self.secrets)?;
        if endpoint != before.endpoint {
            sign_in::forget(id, &self.vault, &self.secrets)?;
        }
        let server = self.vault.set_server_endpoint(id, endpoint)?;
        if server.enabled {
            self.connections.start(server);
        }
        self.events.changed(Scope::Servers);
        self.events.changed(Scope::Activity);
        Ok(id.0.clone())
    }

    /// Gives a server another label; its approvals stay.
    ///
    /// # Errors
    /// When there is no such server or the label is blank.
    pub fn rename_server(&self, id: &str, label: &str) -> Outcome<()> {
        self.vault.rename_server(&ServerId(id.to_owned()), label)?;
        self.events.changed(Scope::Servers);
        Ok(())
    }

    /// Removes a server, what was fetched from it, its approvals and its secrets. Removed samples
    /// are switched off.
    ///
    /// # Errors
    /// When there is no such server, or its secrets cannot be removed.
    pub fn remove_server(&self, id: &str) -> Outcome<()> {
        let server = self.server(id)?;
        self.connections.stop(&server.id);
        if server.endpoint == Endpoint::Samples {
            self.vault.set_samples(false)?;
        }
        let had = self.vault.server_values(&server.id)?;
        sign_in::forget(&server.id, &self.vault, &self.secrets)?;
        self.vault.remove_server(&server.id)?;
        self.events.changed(Scope::Servers);
        self.events.changed(Scope::Activity);
        given::forget(&server.id, &had, &self.secrets)
    }

    /// Switches a server on or off.
    ///
    /// # Errors
    /// When there is no such server.
    pub fn set_server_enabled(&self, id: &str, enabled: bool) -> Outcome<()> {
        let server = self.server(id)?;
        self.vault.set_server_enabled(&server.id, enabled)?;
        if enabled {
            self.connections.start(SavedServer { enabled, ..server });
        } else {
            self.connections.stop(&server.id);
        }
        Ok(())
    }

    /// The last that a server's program wrote to its standard error, a line each.
    ///
    /// # Errors
    /// When there is no such server.
    pub fn server_words(&self, id: &str) -> Outcome<Vec<String>> {
        let server = self.server(id)?;
        Ok(self.connections.words(&server.id))
    }

    /// Connects again at once, or asks a connected server for its list again.
    ///
    /// # Errors
    /// When there is no such server.
    pub fn refresh_server(&self, id: &str) -> Outcome<()> {
        let server = self.server(id)?;
        self.connections.refresh(&server.id);
        Ok(())
    }
}

/// Values as they were entered; one without a value is empty.
fn entered(list: Vec<NamedValue>) -> Vec<(String, Secret)> {
    list.into_iter()
        .map(|one| (one.name.trim().to_owned(), Secret::from(one.value.unwrap_or_default())))
        .collect()
}

/// The same, with the value from before where none was entered.
fn with_kept(list: Vec<NamedValue>, before: &[(String, Secret)]) -> Outcome<Vec<(String, Secret)>> {
    list.into_iter()
        .map(|one| {
            let name = one.name.trim().to_owned();
            let value = match one.value {
                Some(value) => Secret::from(value),
                None => before
                    .iter()
                    .find(|(known, _)| *known == name)
                    .map(|(_, value)| value.clone())
                    .ok_or_else(|| ErrorView::bad_input(format!("{name:?} has no value")))?,
            };
            Ok((name, value))
        })
        .collect()
}

/// Whether a list is another one than before, as far as can be told without the values.
fn keeps_not_all(list: &[NamedValue], before: &[String]) -> bool {
    list.iter().any(|one| one.value.is_some()) || !list.iter().map(|one| &one.name).eq(before)
}

/// A token as it is sent; many paste it with the word before it.
fn token_of(text: &str) -> Option<Secret> {
    let text = text.trim();
    let text = match text.split_once(char::is_whitespace) {
        Some((scheme, rest)) if scheme.eq_ignore_ascii_case("bearer") => rest.trim(),
        _ => text,
    };
    (!text.is_empty()).then(|| text.into())
}

fn checked_line(line: &str) -> Outcome<Endpoint> {
    checked_words([line])?;
    let words = shlex::split(line)
        .ok_or_else(|| ErrorView::bad_input("a quotation in the command line does not end"))?;
    let mut words = words.into_iter();
    let program = words
        .next()
        .filter(|program| !program.is_empty())
        .ok_or_else(|| ErrorView::bad_input("a command line starts with a program"))?;
    Ok(Endpoint::Command { program, args: words.collect() })
}

/// Nothing in a command line is hidden from the person who confirms it.
pub(crate) fn checked_words<T: AsRef<str>>(words: impl IntoIterator<Item = T>) -> Outcome<()> {
    words.into_iter().try_for_each(|word| seen("the command line", word.as_ref()))
}

fn seen(what: &str, text: &str) -> Outcome<()> {
    let shown = spelled_out(text);
    if shown == text {
        return Ok(());
    }
    let message = format!("{what} holds characters that cannot be seen: {shown}");
    Err(ErrorView::bad_input(message).with_hint("type it yourself instead of pasting it"))
}

/// The address of a server as a person typed it, checked and without blanks around it. A host with
/// letters that may look like others becomes the name by which it is asked for.
pub(crate) fn checked_address(text: &str) -> Outcome<String> {
    let text = text.trim();
    let refused = |why: &str| {
        Err(ErrorView::bad_input(format!(
            "{:?} is not the address of a server: {why}",
            spelled_out(text)
        ))
        .with_hint("an address looks like https://example.org/mcp"))
    };
    if spelled_out(text) != text {
        return refused("it holds characters that cannot be seen");
    }
    let Ok(url) = Url::parse(text) else { return refused("it cannot be read") };
    if !matches!(url.scheme(), "http" | "https") {
        return refused("it has to start with http:// or https://");
    }
    if url.host_str().is_none_or(str::is_empty) {
        return refused("it names no host");
    }
    if !url.username().is_empty() || url.password().is_some() {
        return refused("it holds a name or password, which would be kept in plain text");
    }
    Ok(if text.is_ascii() { text.to_owned() } else { url.into() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_kept_as_it_was_typed() {
        assert_eq!(
            checked_address(" http://127.0.0.1:8000/mcp ").unwrap(),
            "http://127.0.0.1:8000/mcp"
        );
    }

    #[test]
    fn an_address_that_looks_like_another_is_kept_as_it_is_asked_for() {
        // The second letter is Cyrillic.
        assert_eq!(
            checked_address("https://ex\u{430}mple.org/mcp").unwrap(),
            "https://xn--exmple-4nf.org/mcp"
        );
    }

    #[test]
    fn what_cannot_be_an_address_is_refused_with_the_reason() {
        for (text, why) in [
            ("example.org", "it cannot be read"),
            ("ftp://example.org", "it has to start with http:// or https://"),
            (
                "https://me:secret@example.org",
                "it holds a name or password, which would be kept in plain text",
            ),
        ] {
            let message = checked_address(text).unwrap_err().message;
            assert!(message.ends_with(why), "{message}");
        }
    }
}
