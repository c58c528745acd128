//! Settings as the tools' own documentation shows them, and settings as nobody should write them.

mod files;
mod formats;
mod odd;
mod pasting;
mod places;

use std::path::Path;

use super::shape::{self, Shape};
use super::{Draft, Found, Servers, tree};
use crate::secret::Secret;

fn servers(shape: Shape, text: &str) -> Vec<Found> {
    in_project(shape, text, None)
}

fn in_project(shape: Shape, text: &str, project: Option<&Path>) -> Vec<Found> {
    let tree = tree::read(text, shape.language()).unwrap();
    let home = Path::new("/home/me");
    shape::servers(shape, &tree, home, project).unwrap().found
}

fn pasted(text: &str) -> Servers {
    super::pasted(text, Path::new("/home/me")).unwrap()
}

fn named<'a>(found: &'a [Found], name: &str) -> &'a Found {
    found.iter().find(|server| server.name == name).unwrap()
}

fn draft<'a>(found: &'a [Found], name: &str) -> &'a Draft {
    named(found, name).draft.as_ref().unwrap()
}

fn reason<'a>(found: &'a [Found], name: &str) -> &'a str {
    named(found, name).draft.as_ref().unwrap_err()
}

/// What a filled draft says, on one line each.
fn told(draft: &Draft, values: &[(&str, &str)]) -> Vec<String> {
    let values: Vec<(String, Secret)> =
        values.iter().map(|&(name, value)| (name.to_owned(), value.into())).collect();
    let filled = draft.fill(&values).unwrap();
    let mut told = vec![filled.endpoint.shown()];
    told.extend(filled.token.map(|token| format!("token {}", token.expose())));
    let lines = |list: Vec<(String, Secret)>| {
        list.into_iter().map(|(name, value)| format!("{name}={}", value.expose()))
    };
    told.extend(lines(filled.headers));
    told.extend(lines(filled.variables));
    told
}

fn blanks(draft: &Draft) -> Vec<&str> {
    draft.blanks().iter().map(|blank| blank.name.as_str()).collect()
}
