//! Where served skills come from: a server's id and how it is reached.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::digest::Fingerprint;

/// The id that a server gets when it is added. Renaming the server keeps it; removing the server
/// and adding it again makes a new one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ServerId(pub String);

impl fmt::Display for ServerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// How a server is reached. Together with its [`ServerId`] this is what an approval is bound to.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum Endpoint {
    /// Streamable HTTP.
    Http {
        /// The address of the MCP endpoint.
        url: String,
    },
    /// A program that speaks MCP on its standard input and output.
    Command {
        /// The program, as written.
        program: String,
        /// Its arguments, one a word; no shell sees them.
        args: Vec<String>,
    },
    /// The program's own samples, in process.
    Samples,
    /// Skills that were imported and lie in Skillhold's own data, in process. Other content is
    /// another server.
    Imported {
        /// Of all files of all skills in it, each below the name of its skill.
        content: Fingerprint,
        /// What they were imported from.
        from: ImportedFrom,
        /// The name of that file or folder, without the folders around it.
        name: String,
    },
}

/// What skills were imported from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ImportedFrom {
    /// A `.zip` or `.skill` file that Skillhold did not make.
    File,
    /// A file that Skillhold exported.
    Bundle,
    /// A folder.
    Folder,
}

impl Endpoint {
    /// One line that is equal exactly when two endpoints give the same: the address, the words of the
    /// command as a JSON array, or what was imported.
    pub fn identity(&self) -> String {
        match self {
            Self::Http { url } => url.clone(),
            Self::Command { program, args } => {
                let words: Vec<&str> = std::iter::once(program.as_str())
                    .chain(args.iter().map(String::as_str))
                    .collect();
                serde_json::Value::from(words).to_string()
            }
            Self::Samples => "samples".to_owned(),
            Self::Imported { content, .. } => format!("imported {content}"),
        }
    }

    /// As a person would type it; words of a command that a shell would take apart are quoted.
    pub fn shown(&self) -> String {
        match self {
            Self::Http { url } => url.clone(),
            Self::Command { program, args } => {
                let words: Vec<String> =
                    std::iter::once(program).chain(args).map(|word| quoted(word)).collect();
                words.join(" ")
            }
            Self::Samples => "built in".to_owned(),
            Self::Imported { from: ImportedFrom::Folder, .. } => {
                "imported from a folder on this machine".to_owned()
            }
            Self::Imported { .. } => "imported from a file".to_owned(),
        }
    }
}

/// A word as a POSIX shell reads it back.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./:=@%+,".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_shown_as_it_is_typed() {
        let shown = |words: &[&str]| {
            let args = words[1..].iter().map(|&word| word.to_owned()).collect();
            Endpoint::Command { program: words[0].to_owned(), args }.shown()
        };
        assert_eq!(shown(&["uvx", "server@1.2", "--root=/a/b"]), "uvx server@1.2 --root=/a/b");
        assert_eq!(
            shown(&["/my tools/x", "", "it's", "$HOME"]),
            r"'/my tools/x' '' 'it'\''s' '$HOME'"
        );
    }
}
