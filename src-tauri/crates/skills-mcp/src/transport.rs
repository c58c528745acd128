//! The ways to a server: an HTTP address, a program on this machine; the samples and what was
//! imported, in process.

mod allowance;
mod bounded;
mod child;
mod http;
mod late;
mod leaving;
mod lines;
mod message;
mod post;
mod programs;
mod signed;
mod unasked;
mod values;
mod words;

use skills::origin::Endpoint;

use crate::limits::quoted;

pub(crate) use bounded::AnswerBytes;
pub(crate) use child::Program;
pub use programs::Programs;
pub(crate) use values::{TooMany, few_enough};
pub use words::Words;

/// What a server is called in messages: its address without query and password, or the program
/// without its arguments, either of which may hold a secret.
pub(crate) fn display(endpoint: &Endpoint) -> String {
    match endpoint {
        Endpoint::Http { url } => shown(url),
        Endpoint::Command { program, .. } => quoted(program),
        Endpoint::Samples => "the samples".to_owned(),
        Endpoint::Imported { .. } => "what was imported".to_owned(),
    }
}

/// An address without query and password.
pub(crate) fn shown(url: &str) -> String {
    match url::Url::parse(url) {
        Ok(mut parsed) => {
            parsed.set_query(None);
            parsed.set_fragment(None);
            // Both fail only for addresses that cannot have a user.
            let _ = parsed.set_username("");
            let _ = parsed.set_password(None);
            quoted(parsed.as_str())
        }
        Err(_) => quoted(url),
    }
}

pub(crate) use child::start;
pub(crate) use http::{is_loopback, pool, transport as http_transport};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_shown_without_password_and_query() {
        let endpoint = Endpoint::Http { url: "https://me:pw@example.org/mcp?key=1#x".to_owned() };
        assert_eq!(display(&endpoint), "https://example.org/mcp");
    }

    #[test]
    fn a_command_is_shown_without_its_arguments() {
        let endpoint = Endpoint::Command {
            program: "uvx".to_owned(),
            args: vec!["--token=secret".to_owned()],
        };
        assert_eq!(display(&endpoint), "uvx");
    }
}
