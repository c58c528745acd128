//! One server as settings describe it, whichever tool wrote them: the names of what is the same
//! differ, and no two tools give one name two meanings.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::blanks::{Blanks, Spelling, Template};
use super::draft::{Draft, Reach};
use super::limits::{VALUES, WORD_BYTES, WORDS};
use crate::headers;

/// What is known besides the server's own table.
pub(super) struct Around<'a> {
    pub(super) spelling: Spelling<'a>,
    /// VS Code's questions to the person, by id.
    pub(super) inputs: HashMap<&'a str, &'a Map<String, Value>>,
}

/// Reads one server, or says why it cannot be added.
pub(super) fn read(settings: &Value, around: &Around<'_>) -> Result<Draft, String> {
    let Value::Object(table) = settings else {
        return Err(format!("its settings are {}, not a table", kind(settings)));
    };
    let mut reader = Reader { table, around, blanks: Blanks::default(), notes: Vec::new() };
    let reach = reader.reach()?;
    let mut token = None;
    let mut headers = Vec::new();
    let mut variables = Vec::new();
    match reach {
        Reach::Http(_) => (token, headers) = reader.headers()?,
        Reach::Command(_) => variables = reader.variables()?,
    }
    reader.leave_out(matches!(reach, Reach::Command(_)));
    let Reader { mut blanks, notes, .. } = reader;
    for (id, input) in &around.inputs {
        blanks.explain(&format!("input:{id}"), input);
    }
    let (blanks, defaults) = blanks.into_parts();
    Ok(Draft { reach, token, headers, variables, blanks, defaults, notes })
}

impl Blanks {
    /// Adds what VS Code's question says, where it is asked.
    fn explain(&mut self, name: &str, input: &Map<String, Value>) {
        let text = |key: &str| input.get(key).and_then(Value::as_str).filter(|it| !it.is_empty());
        self.describe(name, text("description"), text("default"));
    }
}

struct Reader<'a> {
    table: &'a Map<String, Value>,
    around: &'a Around<'a>,
    blanks: Blanks,
    notes: Vec<String>,
}

/// A token, and headers by name.
type Headers = (Option<Template>, Vec<(String, Template)>);

impl<'a> Reader<'a> {
    fn get(&self, keys: &[&str]) -> Option<(&'a str, &'a Value)> {
        let entry = keys.iter().find_map(|key| self.table.get_key_value(*key))?;
        (!entry.1.is_null()).then_some((entry.0.as_str(), entry.1))
    }

    fn text(&self, keys: &[&str]) -> Result<Option<&'a str>, String> {
        match self.get(keys) {
            None => Ok(None),
            Some((_, Value::String(text))) => Ok(Some(text.trim()).filter(|it| !it.is_empty())),
            Some((key, other)) => Err(format!("its {key:?} is {}, not text", kind(other))),
        }
    }

    fn template(&mut self, text: &str, value: bool) -> Template {
        Template::of(text, value, self.around.spelling, &mut self.blanks)
    }

    fn reach(&mut self) -> Result<Reach, String> {
        let named = self.text(&["type", "transport"])?.map(str::to_ascii_lowercase);
        match named.as_deref() {
            Some("sse") => {
                return Err(
                    "it speaks the older SSE transport, which Skillhold does not; ask whether the \
                     server has an address for streamable HTTP"
                        .to_owned(),
                );
            }
            Some("ws" | "websocket") => {
                return Err("it speaks over a WebSocket, which Skillhold does not".to_owned());
            }
            Some("builtin" | "platform" | "frontend" | "inline_python") => {
                return Err("it is a part of the tool itself and runs nowhere else".to_owned());
            }
            _ => {}
        }
        let command = self.get(&["command", "cmd"]);
        let url = self.text(&["httpUrl", "serverUrl", "url", "uri"])?;
        match (command, url) {
            (Some(_), Some(_)) => Err("it names both a command and an address".to_owned()),
            (None, None) => Err("it names neither a command nor an address".to_owned()),
            (None, Some(url)) => {
                if url.len() > WORD_BYTES {
                    return Err(format!("its address has more than {WORD_BYTES} bytes"));
                }
                let path = url.split(['?', '#']).next().unwrap_or_default();
                if named.is_none() && path.trim_end_matches('/').ends_with("/sse") {
                    self.notes.push(
                        "Its address ends in /sse: it may speak only the older transport, which \
                         Skillhold does not."
                            .to_owned(),
                    );
                }
                Ok(Reach::Http(self.template(url, false)))
            }
            (Some((key, command)), None) => self.command(key, command),
        }
    }

    fn command(&mut self, key: &str, command: &Value) -> Result<Reach, String> {
        let mut words = match command {
            Value::String(program) => vec![program.trim().to_owned()],
            Value::Array(words) => texts(words, key)?,
            other => return Err(format!("its {key:?} is {}, not text", kind(other))),
        };
        match self.get(&["args"]) {
            None => {}
            Some((_, Value::Array(more))) => words.extend(texts(more, "args")?),
            Some((_, other)) => {
                return Err(format!("its \"args\" are {}, not a list", kind(other)));
            }
        }
        if words.first().is_none_or(String::is_empty) {
            return Err("its command is empty".to_owned());
        }
        if words.len() > WORDS || words.iter().any(|word| word.len() > WORD_BYTES) {
            return Err(format!(
                "its command line has more than {WORDS} words, or one of more than {WORD_BYTES} bytes"
            ));
        }
        if words.len() == 1 && words[0].contains(' ') {
            self.notes.push(
                "Its command holds spaces and no arguments: all of it is taken as the program's name."
                    .to_owned(),
            );
        }
        Ok(Reach::Command(words.iter().map(|word| self.template(word, false)).collect()))
    }

    fn headers(&mut self) -> Result<Headers, String> {
        let mut token = None;
        let mut headers: Vec<(String, Template)> = Vec::new();
        let put = |headers: &mut Vec<(String, Template)>, name: &str, value: Template| {
            headers.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
            headers.push((name.to_owned(), value));
        };
        for key in ["headers", "http_headers"] {
            for (name, value) in self.named(key)? {
                let value = self.template(&value, true);
                put(&mut headers, &name, value);
            }
        }
        for (name, variable) in self.named("env_http_headers")? {
            let value = Template::blank(&variable, &mut self.blanks);
            put(&mut headers, &name, value);
        }
        if let Some(text) = self.text(&["bearer_token"])? {
            token = Some(self.template(text, true));
        }
        if let Some(variable) = self.text(&["bearer_token_env_var"])? {
            token = Some(Template::blank(variable, &mut self.blanks));
        }
        let is_authorization = |name: &str| name.eq_ignore_ascii_case("authorization");
        if let Some(at) = headers.iter().position(|(name, _)| is_authorization(name)) {
            if token.is_some() {
                headers.remove(at);
            } else if let Some(bearer) = headers[at].1.bearer() {
                headers.remove(at);
                token = Some(bearer);
            }
        }
        let (ours, theirs): (Vec<_>, Vec<_>) =
            headers.into_iter().partition(|(name, _)| headers::is_reserved(name));
        for (name, _) in ours {
            self.notes.push(format!("The header {name:?} is left out: Skillhold sets it itself."));
        }
        if theirs.len() > VALUES {
            return Err(format!("it has more than {VALUES} headers"));
        }
        headers::checked_headers(theirs.iter().map(|(name, _)| (name.as_str(), "")))
            .map_err(|error| error.to_string())?;
        Ok((token, theirs))
    }

    fn variables(&mut self) -> Result<Vec<(String, Template)>, String> {
        let mut variables: Vec<(String, Template)> = Vec::new();
        for key in ["env", "environment", "envs"] {
            for (name, value) in self.named(key)? {
                let value = self.template(&value, true);
                variables.push((name, value));
            }
        }
        // Variables that the tool hands on from its own environment or keychain.
        for key in ["env_vars", "env_keys"] {
            let Some((_, Value::Array(names))) = self.get(&[key]) else { continue };
            for name in names {
                let name = name.as_str().or_else(|| name.get("name").and_then(Value::as_str));
                let Some(name) = name else {
                    return Err(format!("its {key:?} holds what is no name"));
                };
                if variables.iter().all(|(known, _)| known != name) {
                    let value = Template::blank(name, &mut self.blanks);
                    variables.push((name.to_owned(), value));
                }
            }
        }
        if variables.len() > VALUES {
            return Err(format!("it has more than {VALUES} variables"));
        }
        headers::check_variables(variables.iter().map(|(name, _)| (name.as_str(), "")))
            .map_err(|error| error.to_string())?;
        Ok(variables)
    }

    /// A table of texts. Numbers and truth values are taken as they are written; nothing is left out.
    fn named(&self, key: &str) -> Result<Vec<(String, String)>, String> {
        let table = match self.get(&[key]) {
            None => return Ok(Vec::new()),
            Some((_, Value::Object(table))) => table,
            Some((_, other)) => return Err(format!("its {key:?} is {}, not a table", kind(other))),
        };
        let mut named = Vec::new();
        for (name, value) in table {
            match value {
                Value::Null => {}
                Value::String(text) => named.push((name.clone(), text.clone())),
                Value::Number(_) | Value::Bool(_) => named.push((name.clone(), value.to_string())),
                other => {
                    return Err(format!("{name:?} in its {key:?} is {}, not text", kind(other)));
                }
            }
        }
        Ok(named)
    }

    /// Says what is not taken along.
    fn leave_out(&mut self, command: bool) {
        if command && let Ok(Some(folder)) = self.text(&["cwd"]) {
            self.notes.push(format!(
                "It is meant to start in {folder}; Skillhold starts it elsewhere, so relative paths \
                 in it lead nowhere."
            ));
        }
        if command && let Ok(Some(file)) = self.text(&["envFile"]) {
            self.notes.push(format!("The variables in {file} are not taken along."));
        }
        if self.get(&["headersHelper"]).is_some() {
            self.notes.push("The command that makes its headers is not run.".to_owned());
        }
    }
}

fn texts(words: &[Value], key: &str) -> Result<Vec<String>, String> {
    let word = |word: &Value| match word {
        Value::String(text) => Ok(text.clone()),
        Value::Number(_) | Value::Bool(_) => Ok(word.to_string()),
        other => Err(format!("its {key:?} holds {}, not text", kind(other))),
    };
    words.iter().map(word).collect()
}

/// What a value is, for messages; never the value.
pub(super) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "empty",
        Value::Bool(_) => "a truth value",
        Value::Number(_) => "a number",
        Value::String(_) => "text",
        Value::Array(_) => "a list",
        Value::Object(_) => "a table",
    }
}
