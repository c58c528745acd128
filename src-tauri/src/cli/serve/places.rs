//! Where the skills come from: `--tool`, `--root` and `--skill`, in the order of the command line.

use std::path::PathBuf;

use clap::builder::{PathBufValueParser, PossibleValuesParser, TypedValueParser as _};
use clap::{Arg, ArgAction, ArgGroup, ArgMatches, Args, Command, Error, FromArgMatches};
use skills::paths::Paths;
use skills::provider::Place;
use skills::tool::{Preset, tools};

const GROUP: &str = "places";

/// The places as they were given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Places(Vec<Given>);

/// One place as it was given.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Given {
    /// The name of a preset, or the id of the tool that has it.
    Tool(String),
    Root(PathBuf),
    Skill(PathBuf),
}

impl Places {
    /// Where they are for one person; each once, at its first mention.
    pub(super) fn resolve(&self, paths: &Paths) -> std::io::Result<Vec<Place>> {
        let mut places = Vec::new();
        for given in &self.0 {
            let found = match given {
                Given::Tool(name) => preset(name)
                    .map(|preset| preset.roots(paths))
                    .unwrap_or_default()
                    .into_iter()
                    .map(Place::Root)
                    .collect(),
                Given::Root(path) => vec![Place::Root(std::path::absolute(path)?)],
                Given::Skill(path) => vec![Place::Skill(std::path::absolute(path)?)],
            };
            for place in found {
                if !places.contains(&place) {
                    places.push(place);
                }
            }
        }
        Ok(places)
    }
}

/// The preset of this name, or of the tool with this id.
fn preset(name: &str) -> Option<&'static Preset> {
    let presets = || tools().iter().filter_map(|tool| Some((tool, tool.preset.as_ref()?)));
    presets()
        .find(|(_, preset)| preset.name == name)
        .or_else(|| presets().find(|(tool, _)| tool.id == name))
        .map(|(_, preset)| preset)
}

/// What `--tool` takes: the names of the presets, then ids of tools that are not such a name.
fn names() -> Vec<&'static str> {
    let presets = || tools().iter().filter_map(|tool| Some((tool, tool.preset.as_ref()?)));
    let mut names: Vec<&str> = presets().map(|(_, preset)| preset.name.as_str()).collect();
    for (tool, _) in presets() {
        if !names.contains(&tool.id.as_str()) {
            names.push(&tool.id);
        }
    }
    names
}

impl Args for Places {
    fn augment_args(command: Command) -> Command {
        let folder =
            |id: &'static str, wrong: &'static str| {
                Arg::new(id).long(id).value_name("DIR").action(ArgAction::Append).value_parser(
                    PathBufValueParser::new().try_map(move |path| folder(path, wrong)),
                )
            };
        command
            .arg(
                Arg::new("tool")
                    .long("tool")
                    .value_name("ID")
                    .action(ArgAction::Append)
                    .value_parser(PossibleValuesParser::new(names()))
                    .hide_possible_values(true)
                    .help(format!(
                        "The folders of a tool, exactly as FastMCP's provider for it has them, \
                         whatever the environment says; Sharing in the window takes every folder \
                         that the tool reads: {}",
                        names().join(", ")
                    )),
            )
            .arg(
                folder("root", "it is not a folder; name the folder whose sub-folders are skills")
                    .help("A folder whose sub-folders are skills"),
            )
            .arg(
                folder("skill", "it is not a folder; name the folder that holds the SKILL.md")
                    .help("The folder of one skill"),
            )
            .group(
                ArgGroup::new(GROUP).args(["tool", "root", "skill"]).required(true).multiple(true),
            )
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Places {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let mut given: Vec<(usize, Given)> = Vec::new();
        let indices = |id| matches.indices_of(id).into_iter().flatten();
        let paths = |id| matches.get_many::<PathBuf>(id).into_iter().flatten().cloned();
        let tools = matches.get_many::<String>("tool").into_iter().flatten().cloned();
        given.extend(indices("tool").zip(tools.map(Given::Tool)));
        given.extend(indices("root").zip(paths("root").map(Given::Root)));
        given.extend(indices("skill").zip(paths("skill").map(Given::Skill)));
        given.sort_by_key(|(at, _)| *at);
        Ok(Self(given.into_iter().map(|(_, given)| given).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// A place has to be a folder, or nothing yet.
fn folder(path: PathBuf, wrong: &'static str) -> Result<PathBuf, &'static str> {
    if path.exists() && !path.is_dir() { Err(wrong) } else { Ok(path) }
}

#[cfg(test)]
#[allow(clippy::disallowed_methods)]
mod tests {
    use std::ffi::OsStr;

    use clap::Parser;

    use super::*;

    #[derive(Debug, Parser)]
    struct Line {
        #[command(flatten)]
        places: Places,
    }

    fn read<A: AsRef<OsStr>>(arguments: &[A]) -> Result<Places, Error> {
        let line = [OsStr::new("x")].into_iter().chain(arguments.iter().map(AsRef::as_ref));
        Line::try_parse_from(line).map(|line| line.places)
    }

    #[test]
    fn places_keep_the_order_of_the_command_line() {
        let home = tempfile::tempdir().unwrap();
        let (shelf, one) = (home.path().join("shelf"), home.path().join("one"));
        let line = ["--skill", one.to_str().unwrap(), "--tool", "codex", "--root"];
        let line: Vec<&str> = line
            .into_iter()
            .chain([shelf.to_str().unwrap(), "--tool", "vscode", "--tool", "copilot"])
            .collect();
        let places = read(&line).unwrap().resolve(&Paths::under(home.path())).unwrap();
        assert_eq!(
            places,
            [
                Place::Skill(one),
                Place::Root(home.path().join("etc/codex/skills")),
                Place::Root(home.path().join(".codex/skills")),
                Place::Root(shelf),
                // Both tools have this one.
                Place::Root(home.path().join(".copilot/skills")),
            ]
        );
    }

    #[test]
    fn a_tool_is_called_by_its_presets_name_or_its_id() {
        for name in
            ["claude", "cursor", "vscode", "copilot", "codex", "gemini", "goose", "opencode"]
        {
            assert!(preset(name).is_some(), "{name}");
            assert!(names().contains(&name), "{name}");
        }
        assert_eq!(preset("claude-code"), preset("claude"));
        let unknown = read(&["--tool", "zed"]).unwrap_err();
        assert_eq!(unknown.exit_code(), 2);
        assert_eq!(read::<&str>(&[]).unwrap_err().exit_code(), 2);
    }

    #[test]
    fn a_place_is_a_folder_or_not_there_yet() {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("file");
        std::fs::write(&file, "").unwrap();
        for (flag, wrong) in [
            ("--root", "the folder whose sub-folders are skills"),
            ("--skill", "the folder that holds the SKILL.md"),
        ] {
            let refused = read(&[OsStr::new(flag), file.as_os_str()]).unwrap_err();
            assert_eq!(refused.exit_code(), 2);
            let said = refused.to_string();
            assert!(said.contains(&file.display().to_string()) && said.contains(wrong), "{said}");
            assert!(read(&[OsStr::new(flag), home.path().as_os_str()]).is_ok());
            assert!(read(&[OsStr::new(flag), home.path().join("later").as_os_str()]).is_ok());
        }
    }
}
