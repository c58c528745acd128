//! What an honest server has and says, and the ways to break one thing of it.

use std::collections::BTreeMap;
use std::sync::Arc;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};
use skills::digest::Digest;

use crate::server::{Asked, Piece, Say, Script};

/// The main file of the skill that things happen to.
pub(crate) const MAIN: &str =
    "---\nname: review\ndescription: Looks at changes.\n---\n\n# Review\n";
/// Its other file.
pub(crate) const RUN: &str = "echo fine\n";
/// The main file of the skill beside it, which is always honest.
pub(crate) const GOOD: &str = "---\nname: good\ndescription: Is good.\n---\n\n# Good\n";

type Override = Box<dyn Fn(&Asked) -> Say + Send + Sync>;

/// A server: honest until something of it is broken.
pub(crate) struct World {
    /// What it says of itself.
    pub(crate) capabilities: Value,
    /// The entries of its list, in order.
    pub(crate) entries: Vec<Value>,
    /// What it serves, by URI.
    pub(crate) files: BTreeMap<String, Vec<u8>>,
    overrides: Vec<Override>,
    /// Whether the client's patience is short: the row ends in a time-out.
    pub(crate) hasty: bool,
}

impl World {
    /// Breaks nothing.
    pub(crate) fn honest() -> Self {
        let mut world = Self {
            capabilities: json!({
                "resources": {}, "extensions": { "io.modelcontextprotocol/skills": {} },
            }),
            entries: Vec::new(),
            files: BTreeMap::new(),
            overrides: Vec::new(),
            hasty: false,
        };
        world.add("review", MAIN, &[("run.sh", RUN.as_bytes())]);
        world.add("good", GOOD, &[]);
        world
    }

    /// A skill more, or another one in place of that of the same name. What it declares is true.
    fn add(&mut self, name: &str, main: &str, more: &[(&str, &[u8])]) {
        let mut files: Vec<(&str, &[u8])> = vec![("SKILL.md", main.as_bytes())];
        files.extend(more);
        let entry = entry(name, &files);
        for (path, bytes) in files {
            self.files.insert(format!("skill://{name}/{path}"), bytes.to_vec());
        }
        match self.entries.iter_mut().find(|one| one["uri"] == entry["uri"]) {
            Some(before) => *before = entry,
            None => self.entries.push(entry),
        }
    }

    /// With other files of the skill, truly declared.
    pub(crate) fn files(mut self, main: &str, more: &[(&str, &[u8])]) -> Self {
        self.add("review", main, more);
        self
    }

    /// With another entry of the skill.
    pub(crate) fn entry(mut self, change: impl FnOnce(&mut Value)) -> Self {
        change(&mut self.entries[0]);
        self
    }

    /// With one more resource in the entry, truly declared, under this URI.
    pub(crate) fn resource(self, uri: &str) -> Self {
        let resource = resource(uri, b"out\n");
        self.entry(|entry| entry["resources"].as_array_mut().unwrap().push(resource))
            .serve(uri, b"out\n")
    }

    /// Serves these bytes under a URI, whatever is declared.
    pub(crate) fn serve(mut self, uri: &str, bytes: &[u8]) -> Self {
        self.files.insert(uri.to_owned(), bytes.to_vec());
        self
    }

    /// Answers the reading of `run.sh` with this.
    pub(crate) fn run(self, contents: Value) -> Self {
        self.at_run(move |_| read_result(contents.clone()))
    }

    /// Says something else when `run.sh` is read.
    pub(crate) fn at_run(self, say: impl Fn(&Asked) -> Say + Send + Sync + 'static) -> Self {
        self.on(move |asked| match asked.uri.as_str() {
            "skill://review/run.sh" if asked.method == "resources/read" => say(asked),
            _ => Say::Usual,
        })
    }

    /// Says something else to a method.
    pub(crate) fn at(
        self,
        method: &'static str,
        say: impl Fn(&Asked) -> Say + Send + Sync + 'static,
    ) -> Self {
        self.on(move |asked| if asked.method == method { say(asked) } else { Say::Usual })
    }

    /// Says something else to whatever it likes.
    pub(crate) fn on(mut self, say: impl Fn(&Asked) -> Say + Send + Sync + 'static) -> Self {
        self.overrides.push(Box::new(say));
        self
    }

    /// The client waits only a little.
    pub(crate) fn hasty(mut self) -> Self {
        self.hasty = true;
        self
    }

    /// As a server of before the extension: its skills have manifests.
    pub(crate) fn manifests(mut self, manifest: &Value) -> Self {
        self.capabilities = json!({ "resources": {} });
        let bytes = manifest.to_string().into_bytes();
        self.serve("skill://review/_manifest", &bytes)
    }

    /// As a server of before 2026-07-28.
    pub(crate) fn older(mut self) -> Self {
        let capabilities = self.capabilities.take();
        self.at("server/discover", |_| Say::Error(-32601, "no such method".to_owned())).at(
            "initialize",
            move |_| {
                Say::Result(json!({
                    "protocolVersion": "2025-11-25",
                    "capabilities": capabilities,
                    "serverInfo": { "name": "older", "version": "1" },
                }))
            },
        )
    }

    /// What its server says.
    pub(crate) fn script(self) -> Script {
        let world = Arc::new(self);
        Arc::new(move |asked| {
            let said = world.overrides.iter().rev().map(|say| say(asked));
            said.into_iter()
                .find(|said| !matches!(said, Say::Usual))
                .unwrap_or_else(|| world.usual(asked))
        })
    }

    fn usual(&self, asked: &Asked) -> Say {
        match (asked.verb.as_str(), asked.method.as_str()) {
            ("POST", "server/discover") => discovered(self.capabilities.clone()),
            ("POST", "skills/list") => page(&self.entries, None),
            ("POST", "skills/get") => {
                let asked_for = |entry: &&Value| entry["uri"] == asked.uri.as_str();
                match self.entries.iter().find(asked_for) {
                    Some(entry) => complete(json!({ "skill": entry })),
                    None => Say::Error(-32602, "no such skill".to_owned()),
                }
            }
            ("POST", "resources/list") => {
                let uris = self.entries.iter().map(|entry| {
                    json!({ "uri": entry["uri"], "name": "a skill", "description": "Is listed." })
                });
                complete(json!({ "resources": uris.collect::<Vec<_>>() }))
            }
            ("POST", "resources/read") => match self.files.get(&asked.uri) {
                Some(bytes) => read_result(json!([content(&asked.uri, bytes)])),
                None => Say::Error(-32602, "no such resource".to_owned()),
            },
            ("POST", method) if method.starts_with("notifications/") => {
                Say::Http(202, Vec::new(), Vec::new())
            }
            ("POST", _) => Say::Error(-32601, "no such method".to_owned()),
            _ => Say::Http(405, Vec::new(), Vec::new()),
        }
    }
}

/// A true resource of an entry.
pub(crate) fn resource(uri: &str, bytes: &[u8]) -> Value {
    json!({ "uri": uri, "digest": Digest::of(bytes).to_string(), "size": bytes.len() })
}

/// A true entry.
pub(crate) fn entry(name: &str, files: &[(&str, &[u8])]) -> Value {
    let description = if name == "good" { "Is good." } else { "Looks at changes." };
    let resources: Vec<Value> = files
        .iter()
        .map(|(path, bytes)| resource(&format!("skill://{name}/{path}"), bytes))
        .collect();
    json!({
        "uri": format!("skill://{name}/SKILL.md"),
        "frontmatter": { "name": name, "description": description },
        "resources": resources,
    })
}

/// A true file of a `_manifest`.
pub(crate) fn manifest_file(path: &str, bytes: &[u8]) -> Value {
    json!({ "path": path, "hash": Digest::of(bytes).to_string(), "size": bytes.len() })
}

/// A true content: text where it is text, else base64.
pub(crate) fn content(uri: &str, bytes: &[u8]) -> Value {
    match std::str::from_utf8(bytes) {
        Ok(text) => json!({ "uri": uri, "mimeType": "text/plain", "text": text }),
        Err(_) => json!({ "uri": uri, "blob": BASE64_STANDARD.encode(bytes) }),
    }
}

/// A result with the fields that the newer protocol asks of each.
pub(crate) fn complete(mut result: Value) -> Say {
    result["resultType"] = json!("complete");
    result["ttlMs"] = json!(0);
    result["cacheScope"] = json!("private");
    Say::Result(result)
}

/// The answer of `resources/read`.
pub(crate) fn read_result(contents: Value) -> Say {
    complete(json!({ "contents": contents }))
}

/// The answer of `server/discover`.
pub(crate) fn discovered(capabilities: Value) -> Say {
    complete(json!({ "supportedVersions": ["2026-07-28"], "capabilities": capabilities }))
}

/// A page of `skills/list`.
pub(crate) fn page(entries: &[Value], next: Option<&str>) -> Say {
    let mut page = json!({ "skills": entries });
    if let Some(next) = next {
        page["nextCursor"] = json!(next);
    }
    complete(page)
}

/// A stream of events, as it is written, that then ends.
pub(crate) fn stream(events: impl Into<String>) -> Say {
    let headers = vec![("content-type", "text/event-stream".to_owned())];
    Say::Http(200, headers, events.into().into_bytes())
}

/// A message as an event.
pub(crate) fn event(message: &Value) -> String {
    format!("data: {message}\n\n")
}

/// The start of an answer in chunks.
pub(crate) fn chunked(kind: &str) -> Piece {
    Piece::text(format!(
        "HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ntransfer-encoding: chunked\r\n\r\n"
    ))
}

/// One chunk.
pub(crate) fn chunk(bytes: &[u8]) -> Vec<u8> {
    [format!("{:x}\r\n", bytes.len()).as_bytes(), bytes, b"\r\n"].concat()
}
