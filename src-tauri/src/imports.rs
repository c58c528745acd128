//! Servers in the settings of other tools, and in what a person pastes: shown first, and added one
//! by one. Values of theirs stay here until they are added, and never go to the page.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use skills::origin::Endpoint;
use skills_mcp::Secret;
use skills_mcp::import::{self, Draft, Found, Platform, Servers};

use crate::drafts::CommandDraft;
use crate::error::Outcome;
use crate::given::Given;
use crate::jobs::new_id;
use crate::render::spelled_out;
use crate::servers::{checked_address, checked_words};
use crate::shell::Shell;
use crate::view::{
    ErrorView, FoundBlank, FoundServer, FoundServers, FoundSource, NamedValue, Reached, ServerStep,
};

/// What can be added, by opaque ids: of the last look, and of what was pasted last.
#[derive(Debug, Default)]
pub struct Imports(Mutex<Lists>);

/// Labels of servers in their order, by how they are reached.
type Added = HashMap<String, Vec<String>>;

#[derive(Debug, Default)]
struct Lists {
    found: HashMap<String, Draft>,
    pasted: HashMap<String, Draft>,
}

impl Imports {
    fn lists(&self) -> MutexGuard<'_, Lists> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn draft(&self, id: &str) -> Outcome<Draft> {
        let lists = self.lists();
        lists.found.get(id).or_else(|| lists.pasted.get(id)).cloned().ok_or_else(|| {
            ErrorView::gone("this list is out of date").with_hint("look at it again")
        })
    }
}

impl Shell {
    /// The servers in the settings of other tools: the person's, and those of added projects.
    /// Nothing is started, reached or written.
    ///
    /// # Errors
    /// When the ledger fails.
    pub fn find_servers(&self) -> Outcome<FoundServers> {
        let look = import::look(&self.paths, Platform::HERE, &self.library.choices().folders);
        let added = self.added_servers()?;
        let mut kept = HashMap::new();
        let mut sources = Vec::new();
        for settings in look.settings {
            let path = spelled_out(&self.paths.display(&settings.file));
            let mut source = match settings.servers {
                Ok(servers) => self.found_source(servers, &added, &mut kept),
                Err(error) => {
                    FoundSource { problem: Some(spelled_out(&error.to_string())), ..empty_source() }
                }
            };
            source.tool = settings.name;
            source.path = path;
            sources.push(source);
        }
        self.imports.lists().found = kept;
        let looked_in =
            look.looked_in.iter().map(|file| spelled_out(&self.paths.display(file))).collect();
        Ok(FoundServers { sources, looked_in, kept: self.secrets.place() })
    }

    /// The servers in a text that the person pasted. Nothing is started, reached or written.
    ///
    /// # Errors
    /// When the text is none of the known forms, or the ledger fails.
    pub fn paste_servers(&self, text: &str) -> Outcome<FoundServers> {
        let servers = import::pasted(text, self.paths.home()).map_err(|error| {
            ErrorView::bad_input(format!("what was pasted cannot be used: {error}"))
        })?;
        let mut kept = HashMap::new();
        let source = self.found_source(servers, &self.added_servers()?, &mut kept);
        self.imports.lists().pasted = kept;
        Ok(FoundServers {
            sources: vec![source],
            looked_in: Vec::new(),
            kept: self.secrets.place(),
        })
    }

    /// Adds a server that was found; one that is a program is only shown, and added when the person
    /// confirms it.
    ///
    /// # Errors
    /// When the list is out of date, a blank is not filled, or the server cannot be used.
    pub fn add_found(
        &self,
        found: &str,
        label: &str,
        filled: Vec<NamedValue>,
    ) -> Outcome<ServerStep> {
        let draft = self.imports.draft(found)?;
        let filled: Vec<(String, Secret)> = filled
            .into_iter()
            .map(|one| (one.name, Secret::from(one.value.unwrap_or_default())))
            .collect();
        let filled = draft.fill(&filled).map_err(|error| {
            ErrorView::bad_input(error.to_string()).with_hint("fill it in, or leave the server out")
        })?;
        let endpoint = checked_endpoint(&filled.endpoint)?;
        let given = Given::from(filled);
        given.check(&endpoint)?;
        if matches!(endpoint, Endpoint::Http { .. }) {
            return Ok(ServerStep::Done { server: self.add(label, endpoint, &given)? });
        }
        let preview = self.preview(CommandDraft { endpoint, given, server: None })?;
        Ok(ServerStep::Confirm { preview })
    }

    /// The labels of the servers here, by how they are reached.
    fn added_servers(&self) -> Outcome<Added> {
        let mut added = Added::new();
        for server in self.vault.servers()? {
            added.entry(server.endpoint.identity()).or_default().push(server.label);
        }
        Ok(added)
    }

    fn found_source(
        &self,
        servers: Servers,
        added: &Added,
        kept: &mut HashMap<String, Draft>,
    ) -> FoundSource {
        let left_out = servers.left_out;
        let rows =
            servers.found.into_iter().map(|found| self.found_row(found, added, kept)).collect();
        FoundSource { left_out, servers: rows, ..empty_source() }
    }

    fn found_row(
        &self,
        found: Found,
        added: &Added,
        kept: &mut HashMap<String, Draft>,
    ) -> FoundServer {
        let project = found.project.map(|folder| spelled_out(&self.paths.display(&folder)));
        let mut row = FoundServer {
            id: new_id(),
            name: spelled_out(&found.name),
            reached: None,
            address: String::new(),
            token: false,
            headers: Vec::new(),
            variables: Vec::new(),
            blanks: Vec::new(),
            notes: found.notes.iter().map(|note| spelled_out(note)).collect(),
            refused: None,
            disabled: found.disabled,
            project,
            added: None,
        };
        let draft = match found.draft {
            Ok(draft) => draft,
            Err(reason) => {
                row.refused = Some(spelled_out(&reason));
                return row;
            }
        };
        row.address = spelled_out(&shown(&draft).shown());
        row.notes.extend(draft.notes().iter().map(|note| spelled_out(note)));
        // What has blanks is looked at again once they are filled.
        let endpoint = draft.endpoint().unwrap_or_else(|| shown(&draft));
        let checked = match &endpoint {
            Endpoint::Http { .. } if draft.endpoint().is_none() => Ok(endpoint),
            _ => checked_endpoint(&endpoint),
        };
        match checked {
            Err(error) => row.refused = Some(error.to_string()),
            Ok(endpoint) => {
                // As it would be kept.
                row.address = spelled_out(&endpoint.shown());
                row.reached =
                    Some(if draft.is_command() { Reached::Command } else { Reached::Http });
                row.added = added.get(&endpoint.identity()).and_then(|labels| {
                    let same = labels.iter().find(|label| **label == found.name);
                    same.or(labels.first()).cloned()
                });
                row.token = draft.has_token();
                row.headers = draft.headers().map(spelled_out).collect();
                row.variables = draft.variables().map(spelled_out).collect();
                row.blanks = draft
                    .blanks()
                    .iter()
                    .map(|blank| FoundBlank {
                        name: blank.name.clone(),
                        about: blank.about.as_deref().map(spelled_out),
                        optional: blank.optional,
                    })
                    .collect();
                kept.insert(row.id.clone(), draft);
            }
        }
        row
    }
}

fn empty_source() -> FoundSource {
    FoundSource {
        tool: String::new(),
        path: String::new(),
        problem: None,
        left_out: 0,
        servers: Vec::new(),
    }
}

/// How a draft is reached, with its blanks as they stand in the settings.
fn shown(draft: &Draft) -> Endpoint {
    let mut words = draft.words().into_iter();
    let first = words.next().unwrap_or_default();
    if draft.is_command() {
        Endpoint::Command { program: first, args: words.collect() }
    } else {
        Endpoint::Http { url: first }
    }
}

fn checked_endpoint(endpoint: &Endpoint) -> Outcome<Endpoint> {
    match endpoint {
        Endpoint::Http { url } => Ok(Endpoint::Http { url: checked_address(url)? }),
        Endpoint::Command { program, args } => {
            checked_words(std::iter::once(program).chain(args))?;
            Ok(endpoint.clone())
        }
        Endpoint::Samples | Endpoint::Imported { .. } => {
            Err(ErrorView::bad_input("what is in process is there already"))
        }
    }
}
