//! What sources say of how a tool chooses among the skills in its folders.

use serde::Deserialize;

/// How a tool reads its folders, as far as a source says.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reads {
    /// Which of several skills of one name it takes.
    #[serde(default)]
    pub precedence: Precedence,
    /// The order in which it ranks its folders, the strongest first, where that is not the order
    /// of the table.
    #[serde(default)]
    pub(super) strongest: Vec<String>,
    /// Whether it reads a skill whose folder is a link.
    #[serde(default)]
    pub links: Said,
    /// Whether it reads a skill in a folder that groups several.
    #[serde(default)]
    pub groups: Said,
    /// Whether it reads a skill whose front matter is no valid YAML.
    #[serde(default)]
    pub invalid_yaml: Said,
    /// Whether it reads a skill without a description.
    #[serde(default)]
    pub no_description: Said,
    /// What a skill is called.
    #[serde(default)]
    pub name: NamedBy,
    /// How a project's skills stand to those of the person.
    #[serde(default)]
    pub project: ProjectRank,
    /// Where that is said.
    #[serde(default)]
    pub source: Option<String>,
}

/// Which of two skills of one name a tool takes in a project: the project's or the person's.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProjectRank {
    /// The project's.
    Stronger,
    /// The person's.
    Weaker,
    /// Both.
    Equal,
    /// No source says.
    #[default]
    Unknown,
}

/// Which of several skills of one name in a tool's folders it takes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Precedence {
    /// The one in the first folder, in the order that the table gives.
    First,
    /// The one in the last folder.
    Last,
    /// Every one of them.
    All,
    /// No source says.
    #[default]
    Unknown,
}

/// What a source says of a question.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Said {
    /// It does.
    Yes,
    /// It does not.
    No,
    /// No source says.
    #[default]
    Unknown,
}

/// What a tool calls a skill by.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NamedBy {
    /// Its folder's name.
    Folder,
    /// The field `name`.
    Field,
    /// No source says.
    #[default]
    Unknown,
}
