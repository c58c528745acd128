//! The one place that knows where the person's folders are.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Set this to a folder, and home, settings, data and cache all lie under it.
pub const REDIRECT: &str = "SKILLHOLD_HOME";

/// The folders of one person on this machine. Everything else gets them from here, so that tests
/// never see the real ones.
#[derive(Debug, Clone)]
pub struct Paths {
    home: PathBuf,
    config: PathBuf,
    data: PathBuf,
    cache: PathBuf,
    redirected: bool,
    /// What variables of tools say, where it is not the environment that says it.
    variables: BTreeMap<String, PathBuf>,
}

/// The system does not say where home is.
#[derive(Debug, thiserror::Error)]
#[error("cannot tell where your home folder is: set HOME (on Windows USERPROFILE), or {REDIRECT}")]
pub struct PathsError;

impl Paths {
    /// From the environment: `SKILLHOLD_HOME` redirects all, else the system's own folders.
    ///
    /// # Errors
    /// When there is neither that variable nor a home folder.
    #[expect(clippy::disallowed_methods, reason = "the module that owns the environment")]
    pub fn from_environment() -> Result<Self, PathsError> {
        if let Some(dir) = std::env::var_os(REDIRECT).filter(|dir| !dir.is_empty()) {
            return Ok(Self::under(Path::new(&dir)));
        }
        let home = std::env::home_dir().filter(|home| home.is_absolute()).ok_or(PathsError)?;
        let folder = |variable: &str, default: PathBuf| {
            absolute(std::env::var_os(variable)).unwrap_or(default)
        };
        let (data, cache) = if cfg!(target_os = "macos") {
            (home.join("Library/Application Support"), home.join("Library/Caches"))
        } else if cfg!(windows) {
            let local = folder("LOCALAPPDATA", home.join("AppData/Local"));
            (local.clone(), local.join("Cache"))
        } else {
            (
                folder("XDG_DATA_HOME", home.join(".local/share")),
                folder("XDG_CACHE_HOME", home.join(".cache")),
            )
        };
        Ok(Self {
            config: folder("XDG_CONFIG_HOME", home.join(".config")),
            data: data.join("skillhold"),
            cache: cache.join("skillhold"),
            home,
            redirected: false,
            variables: BTreeMap::new(),
        })
    }

    /// Everything under one folder, with no variable of the environment consulted.
    pub fn under(dir: &Path) -> Self {
        Self {
            home: dir.to_owned(),
            config: dir.join(".config"),
            data: dir.join(".local/share/skillhold"),
            cache: dir.join(".cache/skillhold"),
            redirected: true,
            variables: BTreeMap::new(),
        }
    }

    /// The person's home.
    pub fn home(&self) -> &Path {
        &self.home
    }

    /// `$XDG_CONFIG_HOME` or `~/.config`, on every platform, as the tools use it.
    pub fn config(&self) -> &Path {
        &self.config
    }

    /// Skillhold's own data: the ledger, the store of verified files, logs.
    pub fn data(&self) -> &Path {
        &self.data
    }

    /// Skillhold's own cache.
    pub fn cache(&self) -> &Path {
        &self.cache
    }

    /// Whether everything lies under one folder, as for tests: nothing may reach outside of it then.
    pub fn redirected(&self) -> bool {
        self.redirected
    }

    /// A folder that a tool's own variable names, as `CLAUDE_CONFIG_DIR`; the environment has no say
    /// when redirected.
    #[expect(clippy::disallowed_methods, reason = "the module that owns the environment")]
    pub fn tool_folder(&self, variable: &str) -> Option<PathBuf> {
        if self.redirected {
            self.variables.get(variable).cloned()
        } else {
            absolute(std::env::var_os(variable))
        }
    }

    /// The same, with this folder for a variable of a tool.
    #[cfg(test)]
    pub(crate) fn with_variable(mut self, variable: &str, folder: &Path) -> Self {
        if variable == "XDG_CONFIG_HOME" {
            self.config = folder.to_owned();
        } else {
            self.variables.insert(variable.to_owned(), folder.to_owned());
        }
        self
    }

    /// A folder of the whole system, as `/etc/codex`; below the folder that all is redirected to.
    pub fn system(&self, path: &Path) -> PathBuf {
        match path.strip_prefix("/") {
            Ok(rest) if self.redirected => self.home.join(rest),
            _ => path.to_owned(),
        }
    }

    /// The same path as a person writes it, with `~` for home.
    pub fn display(&self, path: &Path) -> String {
        match path.strip_prefix(&self.home) {
            Ok(rest) if rest.as_os_str().is_empty() => "~".to_owned(),
            Ok(rest) => format!("~/{}", rest.display()).replace('\\', "/"),
            Err(_) => path.display().to_string(),
        }
    }

    /// A text that names paths in full, with `~` for home in each.
    pub fn display_in(&self, text: &str) -> String {
        let of_name = |at: char| at.is_alphanumeric() || "._-~".contains(at);
        let of_path = |at: char| of_name(at) || "/\\".contains(at);
        let home = self.home.display().to_string();
        if home.is_empty() {
            return text.to_owned();
        }
        let mut written = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((before, after)) = rest.split_once(&home) {
            written.push_str(before);
            // What only looks alike, as the home of somebody with a longer name, stays.
            let begins = !written.chars().next_back().is_some_and(of_path);
            let ends = !after.chars().next().is_some_and(of_name);
            written.push_str(if begins && ends { "~" } else { &home });
            rest = after;
        }
        written + rest
    }
}

pub(crate) fn absolute(value: Option<OsString>) -> Option<PathBuf> {
    value.map(PathBuf::from).filter(|path| path.is_absolute())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn home_is_a_tilde_wherever_a_text_names_it() {
        let paths = Paths::under(Path::new("/home/kim"));
        for (text, said) in [
            ("/home/kim/.claude/skills/pdf was removed", "~/.claude/skills/pdf was removed"),
            ("/home/kim/a was renamed to /home/kim/b", "~/a was renamed to ~/b"),
            ("cannot read /home/kim: denied", "cannot read ~: denied"),
            ("(/home/kim)", "(~)"),
            ("/home/kimberly/a is not there", "/home/kimberly/a is not there"),
            ("/home/kim.old/a is not there", "/home/kim.old/a is not there"),
            ("/mnt/home/kim/a is not there", "/mnt/home/kim/a is not there"),
            ("/srv/a is not there", "/srv/a is not there"),
            ("", ""),
        ] {
            assert_eq!(paths.display_in(text), said);
        }
    }
}
