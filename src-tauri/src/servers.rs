//! Adding, changing and removing servers.

use skills::origin::{Endpoint, ServerId};
use tauri::Url;

use crate::error::Outcome;
use crate::jobs::new_id;
use crate::render::spelled_out;
use crate::shell::Shell;
use crate::view::{CommandPreview, ErrorView, Scope};

impl Shell {
    /// Adds a server by address and begins to reach it. Gives its id.
    ///
    /// # Errors
    /// When the address cannot be one of an MCP server, or the label is blank.
    pub fn add_http_server(&self, label: &str, url: &str) -> Outcome<String> {
        let url = checked_address(url)?;
        self.add(label, Endpoint::Http { url })
    }

    /// Splits a command line into words as a POSIX shell would, without running anything or
    /// replacing variables. What is confirmed later is exactly this.
    ///
    /// # Errors
    /// When it holds no word, a quote that does not end, or characters that cannot be seen.
    pub fn preview_command(&self, line: &str) -> Outcome<CommandPreview> {
        if spelled_out(line) != line {
            return Err(ErrorView::bad_input(format!(
                "the command line holds characters that cannot be seen: {}",
                spelled_out(line)
            ))
            .with_hint("type it yourself instead of pasting it"));
        }
        let words = shlex::split(line)
            .ok_or_else(|| ErrorView::bad_input("a quotation in the command line does not end"))?;
        let mut words = words.into_iter();
        let program = words
            .next()
            .filter(|program| !program.is_empty())
            .ok_or_else(|| ErrorView::bad_input("a command line starts with a program"))?;
        let args: Vec<String> = words.collect();
        let token = new_id();
        self.commands.keep(
            token.clone(),
            Endpoint::Command { program: program.clone(), args: args.clone() },
        );
        let resolved = self.connections.program(&program).map(|file| file.display().to_string());
        Ok(CommandPreview { token, program, args, resolved })
    }

    /// Adds the command that was shown under this token and starts it. Gives the server's id.
    ///
    /// # Errors
    /// When the token was used before, or the label is blank.
    pub fn confirm_command(&self, label: &str, token: &str) -> Outcome<String> {
        if label.trim().is_empty() {
            // The token stays good: nothing was confirmed.
            return Err(ErrorView::bad_input("a server needs a label"));
        }
        let endpoint = self.commands.take(token)?;
        self.add(label, endpoint)
    }

    fn add(&self, label: &str, endpoint: Endpoint) -> Outcome<String> {
        let server = self.vault.add_server(label, endpoint)?;
        let id = server.id.0.clone();
        self.connections.start(server);
        self.events.changed(Scope::Activity);
        Ok(id)
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

    /// Removes a server, what was fetched from it, and its approvals. Removed samples are switched
    /// off.
    ///
    /// # Errors
    /// When there is no such server.
    pub fn remove_server(&self, id: &str) -> Outcome<()> {
        let server = self.server(id)?;
        self.connections.stop(&server.id);
        if server.endpoint == Endpoint::Samples {
            self.vault.set_samples(false)?;
        }
        self.vault.remove_server(&server.id)?;
        self.events.changed(Scope::Servers);
        self.events.changed(Scope::Activity);
        Ok(())
    }

    /// Switches a server on or off.
    ///
    /// # Errors
    /// When there is no such server.
    pub fn set_server_enabled(&self, id: &str, enabled: bool) -> Outcome<()> {
        let server = self.server(id)?;
        self.vault.set_server_enabled(&server.id, enabled)?;
        if enabled {
            self.connections.start(vault::servers::SavedServer { enabled, ..server });
        } else {
            self.connections.stop(&server.id);
        }
        Ok(())
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

fn checked_address(text: &str) -> Outcome<String> {
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
    Ok(text.to_owned())
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
