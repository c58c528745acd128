//! Headers that a person gives for a server, and variables for a program: which may be, and why not.

use std::collections::HashMap;

use http::{HeaderName, HeaderValue};

use crate::secret::Secret;

/// Headers of the connection, and those that the protocol sets by itself. Whoever sets them can make
/// two readers of one request disagree about where it ends or whom it is for.
const OURS: &[&str] = &[
    "accept",
    "accept-encoding",
    "connection",
    "expect",
    "host",
    "keep-alive",
    "last-event-id",
    "proxy-authenticate",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// The same by how they begin.
const OUR_PREFIXES: &[&str] = &["content-", "mcp-"];

/// Why a header or a variable cannot be used. Its value is not told.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadValue(String);

/// Whether a header belongs to the connection or the protocol, so that nobody else sets it.
pub fn is_reserved(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    OURS.contains(&name.as_str()) || OUR_PREFIXES.iter().any(|start| name.starts_with(start))
}

/// Headers as they are sent, marked as sensitive.
///
/// # Errors
/// When a name or value is not one of a header, a header comes twice, or it is not the person's to
/// set.
pub fn checked_headers<'a>(
    headers: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> Result<HashMap<HeaderName, HeaderValue>, BadValue> {
    let mut checked = HashMap::new();
    for (text, value) in headers {
        let refused = |why: &str| BadValue(format!("the header {text:?} cannot be sent: {why}"));
        let name = HeaderName::from_bytes(text.as_bytes())
            .map_err(|_| refused("its name holds other than letters, digits and hyphens"))?;
        if is_reserved(name.as_str()) {
            return Err(refused("the connection or the protocol sets it"));
        }
        let mut value = HeaderValue::from_str(value)
            .map_err(|_| refused("its value holds a line break or other than ASCII"))?;
        value.set_sensitive(true);
        if checked.insert(name, value).is_some() {
            return Err(refused("it is there twice"));
        }
    }
    Ok(checked)
}

/// Whether a token can be sent as `Authorization: Bearer`.
///
/// # Errors
/// When it is empty, or holds a space or what no header may hold.
pub fn check_token(token: &Secret) -> Result<(), BadValue> {
    match token.expose() {
        "" => Err(BadValue("the token is empty".to_owned())),
        token if token.chars().all(|c| c.is_ascii_graphic()) => Ok(()),
        _ => Err(BadValue("the token holds a space, a line break or other than ASCII".to_owned())),
    }
}

/// Whether variables can be given to a program.
///
/// # Errors
/// When a name is empty or holds `=`, a name or value holds a NUL, or a variable comes twice.
pub fn check_variables<'a>(
    variables: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> Result<(), BadValue> {
    let mut seen = Vec::new();
    for (name, value) in variables {
        let refused =
            |why: &str| Err(BadValue(format!("the variable {name:?} cannot be set: {why}")));
        if name.is_empty()
            || name.contains(|c: char| c == '=' || c.is_control() || c.is_whitespace())
        {
            return refused("its name is empty or holds a space or an equals sign");
        }
        if value.contains('\0') {
            return refused("its value holds a NUL character");
        }
        if seen.contains(&name) {
            return refused("it is there twice");
        }
        seen.push(name);
    }
    Ok(())
}

/// Variables that decide which code a program loads, so that their values are no secrets but part of
/// what a person confirms.
const LOADING: &[&str] = &[
    "PATH",
    "PATHEXT",
    "COMSPEC",
    "SHELL",
    "HOME",
    "USERPROFILE",
    "APPDATA",
    "LOCALAPPDATA",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_DATA_DIRS",
    "BASH_ENV",
    "ENV",
    "ZDOTDIR",
    "PROMPT_COMMAND",
    "PS4",
    "IFS",
    "SHELLOPTS",
    "BASHOPTS",
    "BROWSER",
    "EDITOR",
    "VISUAL",
    "PAGER",
    "CLASSPATH",
    "CORECLR_PROFILER",
    "GCONV_PATH",
    "LOCPATH",
    "GLIBC_TUNABLES",
    "JAVA_HOME",
    "JAVA_OPTS",
    "JAVA_TOOL_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "_JAVA_OPTIONS",
    "MAVEN_OPTS",
    "GRADLE_OPTS",
    "GRADLE_USER_HOME",
    "LUA_INIT",
    "LUA_PATH",
    "LUA_CPATH",
    "ELECTRON_RUN_AS_NODE",
    "BUN_OPTIONS",
    "BUN_INSTALL",
    "OPENSSL_CONF",
    "OPENSSL_MODULES",
    "OPENSSL_ENGINES",
    "PHPRC",
    "PHP_INI_SCAN_DIR",
    "RUSTC",
    "RUSTFLAGS",
    "RUSTC_WRAPPER",
    "RUSTC_WORKSPACE_WRAPPER",
    "RUSTUP_HOME",
    "RUSTUP_TOOLCHAIN",
    "GOFLAGS",
    "GOPROXY",
    "GOROOT",
    "GOPATH",
    "GOENV",
    "GOTOOLCHAIN",
    "CC",
    "CXX",
    "LD",
];

/// The same by how they begin: the loaders of Linux and macOS, interpreters, and the settings of
/// what fetches packages, images and sources.
const LOADING_PREFIXES: &[&str] = &[
    "LD_",
    "DYLD_",
    "BASH_FUNC_",
    "NODE_",
    "NPM_CONFIG_",
    "YARN_",
    "PNPM_",
    "COREPACK_",
    "DENO_",
    "PYTHON",
    "PIP_",
    "PIPX_",
    "UV_",
    "POETRY_",
    "CONDA_",
    "VIRTUAL_ENV",
    "PERL",
    "RUBY",
    "GEM_",
    "BUNDLE_",
    "CARGO_",
    "DOTNET_",
    "COR_",
    "CORECLR_",
    "NUGET_",
    "GIT_",
    "DOCKER_",
    "PODMAN_",
    "CONTAINER_HOST",
];

/// Whether a variable decides which code a program loads.
pub fn decides_what_runs(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    LOADING.contains(&name.as_str()) || LOADING_PREFIXES.iter().any(|start| name.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn why(name: &str, value: &str) -> String {
        checked_headers([(name, value)]).unwrap_err().to_string()
    }

    #[test]
    fn a_header_of_the_persons_own_is_sent_and_marked_as_sensitive() {
        let headers =
            checked_headers([("X-Api-Key", "k1"), ("authorization", "Basic eA==")]).unwrap();
        let key = &headers[&HeaderName::from_static("x-api-key")];
        assert_eq!(key, "k1");
        assert!(headers.values().all(HeaderValue::is_sensitive));
        assert_eq!(format!("{key:?}"), "Sensitive");
    }

    #[test]
    fn headers_of_the_connection_and_the_protocol_are_refused_whatever_their_case() {
        for name in [
            "Host",
            "content-length",
            "Content-Type",
            "Transfer-Encoding",
            "Connection",
            "TE",
            "Accept",
            "Mcp-Session-Id",
            "MCP-Protocol-Version",
            "Last-Event-ID",
            "Proxy-Authorization",
        ] {
            assert_eq!(
                why(name, "x"),
                format!(
                    "the header {name:?} cannot be sent: the connection or the protocol sets it"
                )
            );
        }
    }

    #[test]
    fn a_value_that_would_begin_another_header_is_refused_and_not_told() {
        let text = why("X-Key", "secret\r\nHost: evil");
        assert_eq!(
            text,
            "the header \"X-Key\" cannot be sent: its value holds a line break or other than ASCII"
        );
        assert!(why("X Key", "x").contains("its name holds"));
        assert!(why("", "x").contains("its name holds"));
    }

    #[test]
    fn a_header_that_is_there_twice_is_refused() {
        let twice = checked_headers([("X-Key", "a"), ("x-key", "b")]).unwrap_err();
        assert_eq!(twice.to_string(), "the header \"x-key\" cannot be sent: it is there twice");
    }

    #[test]
    fn a_token_is_one_word() {
        assert!(check_token(&"abc.DEF-123_~+/=".into()).is_ok());
        for bad in ["", "a b", "a\nb", "ä"] {
            assert!(check_token(&bad.into()).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn variables_have_names_and_no_nul() {
        assert!(check_variables([("API_KEY", "a b=c\n"), ("x.y", "")]).is_ok());
        for (name, value) in [("", "x"), ("A=B", "x"), ("A B", "x"), ("A", "x\0")] {
            assert!(check_variables([(name, value)]).is_err(), "{name:?}");
        }
        assert!(check_variables([("A", "1"), ("A", "2")]).is_err());
    }

    #[test]
    fn variables_that_choose_code_are_known() {
        for name in [
            "PATH",
            "HOME",
            "LD_PRELOAD",
            "DYLD_INSERT_LIBRARIES",
            "node_options",
            "PYTHONPATH",
            "PYTHONUSERBASE",
            "GIT_SSH_COMMAND",
            "GIT_CONFIG_COUNT",
            "CARGO_HOME",
            "DOCKER_HOST",
            "npm_config_registry",
            "BASH_FUNC_echo%%",
        ] {
            assert!(decides_what_runs(name), "{name}");
        }
        for name in ["API_KEY", "GITHUB_TOKEN", "MY_PATH", "GITLAB_TOKEN", "HTTPS_PROXY"] {
            assert!(!decides_what_runs(name), "{name}");
        }
    }
}
