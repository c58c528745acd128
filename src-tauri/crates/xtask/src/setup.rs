//! Makes a fresh machine ready, and says what it installs.
//!
//! What is looked for is the thing itself (a program, a library, a font), so that a machine that
//! has it from elsewhere is left alone. Debian's packages are the remedy where `apt-get` is there.

use std::path::Path;

use crate::program::{command, npm, on_path, output, shown};
use crate::repository;

/// What the machine is made ready for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum For {
    /// Building and opening the window.
    Run,
    /// That, and every test.
    Tests,
}

/// How to see that something is there.
enum Sign {
    /// One of these programs is on `PATH`.
    Program(&'static [&'static str]),
    /// `pkg-config` knows it.
    Library(&'static str),
    /// `python3` can import these modules.
    Python(&'static str),
    /// One of these files or folders exists.
    File(&'static [&'static str]),
}

struct Need {
    what: &'static str,
    sign: Sign,
    package: &'static str,
    tests_only: bool,
}

const NEEDS: &[Need] = &[
    Need {
        what: "a C compiler",
        sign: Sign::Program(&["cc"]),
        package: "build-essential",
        tests_only: false,
    },
    Need {
        what: "pkg-config",
        sign: Sign::Program(&["pkg-config"]),
        package: "pkg-config",
        tests_only: false,
    },
    Need {
        what: "WebKitGTK 4.1 (development files)",
        sign: Sign::Library("webkit2gtk-4.1"),
        package: "libwebkit2gtk-4.1-dev",
        tests_only: false,
    },
    Need {
        what: "certificates of the public authorities",
        sign: Sign::File(&[
            "/etc/ssl/certs/ca-certificates.crt",
            "/etc/pki/tls/certs/ca-bundle.crt",
            "/etc/ssl/cert.pem",
        ]),
        package: "ca-certificates",
        tests_only: false,
    },
    Need {
        what: "a font",
        sign: Sign::File(&[
            "/usr/share/fonts/truetype",
            "/usr/share/fonts/TTF",
            "/usr/share/fonts/dejavu-sans-fonts",
        ]),
        package: "fonts-dejavu-core",
        tests_only: false,
    },
    Need {
        what: "WebKitWebDriver",
        sign: Sign::Program(&["WebKitWebDriver"]),
        package: "webkit2gtk-driver",
        tests_only: true,
    },
    Need { what: "Xvfb", sign: Sign::Program(&["Xvfb"]), package: "xvfb", tests_only: true },
    // The system's own dialogs are no part of the page.
    Need {
        what: "xdotool",
        sign: Sign::Program(&["xdotool"]),
        package: "xdotool",
        tests_only: true,
    },
    Need {
        what: "Chromium",
        sign: Sign::Program(&["chromium", "chromium-browser", "google-chrome"]),
        package: "chromium",
        tests_only: true,
    },
    Need {
        what: "Python's venv",
        sign: Sign::Python("venv, ensurepip"),
        package: "python3-venv",
        tests_only: true,
    },
    Need {
        what: "a Chinese font",
        sign: Sign::File(&[
            "/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc",
            "/usr/share/fonts/noto-cjk",
            "/usr/share/fonts/google-noto-sans-cjk-fonts",
        ]),
        package: "fonts-noto-cjk",
        tests_only: true,
    },
    Need {
        // Without it WebKit takes the Chinese font for all of the screen, in the pictures too.
        what: "the desktop's own font",
        sign: Sign::File(&[
            "/usr/share/fonts/opentype/cantarell",
            "/usr/share/fonts/cantarell",
            "/usr/share/fonts/abattis-cantarell-fonts",
            "/usr/share/fonts/abattis-cantarell-vf-fonts",
        ]),
        package: "fonts-cantarell",
        tests_only: true,
    },
];

/// The oldest Node that the page's tools run on.
const NODE: (u32, u32) = (20, 19);

/// Installs what is missing: system packages, the page's packages, the tests' Pythons, and what they
/// need of npm.
///
/// # Errors
/// With what is missing and the one line that mends it, where it may not install it itself.
pub(crate) fn set_up(purpose: For) -> Result<(), String> {
    system(purpose)?;
    node()?;
    page_packages()?;
    if purpose == For::Tests {
        pythons()?;
        nodes()?;
    }
    Ok(())
}

fn system(purpose: For) -> Result<(), String> {
    if !cfg!(target_os = "linux") {
        return if purpose == For::Run {
            Ok(())
        } else {
            Err("the window tests need WebKitWebDriver and Xvfb, which are there on Linux only; \
                 `cargo nextest run --workspace` runs the rest"
                .to_owned())
        };
    }
    let missing = missing(purpose);
    if missing.is_empty() {
        return Ok(());
    }
    let what = missing.iter().map(|need| need.what).collect::<Vec<_>>().join(", ");
    if on_path("apt-get").is_none() {
        return Err(format!("missing: {what}; install these with your system's packages"));
    }
    let packages = missing.iter().map(|need| need.package).collect::<Vec<_>>().join(" ");
    let by_hand =
        format!("apt-get update && apt-get install -y --no-install-recommends {packages}");
    let has_sudo = on_path("sudo").is_some();
    let sudo: &[&str] = if user_id() == Some(0) {
        &[]
    } else if has_sudo && output(&mut command("sudo", &["-n", "true"])).is_some() {
        &["sudo", "-n"]
    } else {
        let line = if has_sudo { format!("sudo sh -c '{by_hand}'") } else { by_hand };
        return Err(format!("missing: {what}. Run this once as root, then again:\n\n  {line}\n"));
    };
    println!("installing with apt-get: {packages}");
    let mut update = sudo.to_vec();
    update.extend(["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-qq", "update"]);
    let mut install = sudo.to_vec();
    install.extend(["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-qq", "install"]);
    install.extend(["-y", "--no-install-recommends"]);
    install.extend(missing.iter().map(|need| need.package));
    for line in [update, install] {
        shown(&mut command(line[0], &line[1..]))
            .map_err(|error| format!("{error}\nmissing: {what}"))?;
    }
    match self::missing(purpose).first() {
        None => Ok(()),
        Some(need) => {
            Err(format!("{} is still missing after installing {}", need.what, need.package))
        }
    }
}

fn missing(purpose: For) -> Vec<&'static Need> {
    NEEDS
        .iter()
        .filter(|need| purpose == For::Tests || !need.tests_only)
        .filter(|need| !there(&need.sign))
        .collect()
}

fn there(sign: &Sign) -> bool {
    match sign {
        Sign::Program(names) => names.iter().any(|name| on_path(name).is_some()),
        Sign::Library(name) => {
            command("pkg-config", &["--exists", name]).status().is_ok_and(|status| status.success())
        }
        Sign::Python(modules) => {
            output(&mut command("python3", &["-c", &format!("import {modules}")])).is_some()
        }
        Sign::File(paths) => paths.iter().any(|path| Path::new(path).exists()),
    }
}

fn user_id() -> Option<u32> {
    output(&mut command("id", &["-u"]))?.trim().parse().ok()
}

fn node() -> Result<(), String> {
    let needed = format!("Node {}.{} or newer is needed, with npm", NODE.0, NODE.1);
    let version = output(&mut command("node", &["--version"]))
        .ok_or_else(|| format!("{needed}, and no `node` was found"))?;
    if parse_version(&version).is_none_or(|version| version < NODE) {
        return Err(format!("{needed}, and `node` is {}", version.trim()));
    }
    Ok(())
}

/// `v20.19.2` → (20, 19)
fn parse_version(text: &str) -> Option<(u32, u32)> {
    let mut parts = text.trim().trim_start_matches('v').split('.');
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

/// `npm ci`, when the lock file is not the one that was installed last.
fn page_packages() -> Result<(), String> {
    let lock = repository::ui().join("package-lock.json");
    let installed = repository::ui().join("node_modules/.installed-lock.json");
    once_for(&lock, &installed, || {
        println!("installing the page's packages with npm (ui/package-lock.json)");
        shown(&mut npm(&["ci", "--no-audit", "--no-fund", "--loglevel=error"]))
    })
}

/// A virtual environment for each version of FastMCP that the tests talk to: its list in
/// tests/peers, its folder beside the profile's, what it holds.
const PYTHONS: &[(&str, &str, &str)] = &[
    ("requirements-3.4.txt", "peers-venv-3.4", "FastMCP 3.4.11"),
    ("requirements.txt", "peers-venv", "FastMCP 4.1.7 and skills-ref"),
    ("requirements-4.2.txt", "peers-venv-4.2", "FastMCP 4.2.3"),
];

/// The virtual environments of the programs that the tests talk to.
fn pythons() -> Result<(), String> {
    PYTHONS.iter().try_for_each(|(list, folder, what)| {
        let requirements = repository::root().join("tests/peers").join(list);
        let venv = repository::target().join(folder);
        once_for(&requirements, &venv.join("installed-requirements.txt"), || {
            println!("installing {what} with pip into {}", venv.display());
            shown(&mut command("python3", &["-m", "venv", "--clear", &venv.to_string_lossy()]))?;
            let list = requirements.to_string_lossy();
            let inside = if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" };
            let install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
            shown(command(venv.join(inside), &install).args(["--requirement", &list]))
        })
    })
}

/// What the tests need of npm: its folder in tests/peers and beside the profile's, what it holds.
const NODES: &[(&str, &str)] = &[
    ("conformance", "MCP's conformance suite"),
    ("ts-server", "MCP's TypeScript SDK for servers"),
];

/// The packages of the programs that the tests talk to.
fn nodes() -> Result<(), String> {
    NODES.iter().try_for_each(|(name, what)| {
        let folder = repository::target().join(name);
        let pinned = repository::root().join("tests/peers").join(name);
        let lock = pinned.join("package-lock.json");
        once_for(&lock, &folder.join("installed-lock.json"), || {
            println!("installing {what} with npm into {}", folder.display());
            std::fs::create_dir_all(&folder)
                .map_err(|error| format!("{}: {error}", folder.display()))?;
            for name in ["package.json", "package-lock.json"] {
                std::fs::copy(pinned.join(name), folder.join(name))
                    .map_err(|error| format!("{}: {error}", pinned.join(name).display()))?;
            }
            // The suite brings the Node that it needs; the one that runs npm may be older.
            let install = ["ci", "--omit=dev", "--no-audit", "--no-fund", "--loglevel=error"];
            shown(npm(&install).current_dir(&folder))
        })
    })
}

/// Does `work` unless `mark` holds the same bytes as `list`, and makes it so.
fn once_for(
    list: &Path,
    mark: &Path,
    work: impl FnOnce() -> Result<(), String>,
) -> Result<(), String> {
    let wanted = std::fs::read(list).map_err(|error| format!("{}: {error}", list.display()))?;
    if std::fs::read(mark).is_ok_and(|done| done == wanted) {
        return Ok(());
    }
    work()?;
    std::fs::write(mark, wanted).map_err(|error| format!("{}: {error}", mark.display()))
}

/// Whether a window can be opened here.
pub(crate) fn has_display() -> bool {
    !cfg!(target_os = "linux")
        || ["DISPLAY", "WAYLAND_DISPLAY"]
            .iter()
            .any(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::{NODE, once_for, parse_version};

    #[test]
    fn an_older_node_is_told_from_a_newer_one() {
        assert_eq!(parse_version("v20.19.2\n"), Some((20, 19)));
        assert!(parse_version("v20.18.9").is_some_and(|version| version < NODE));
        assert!(parse_version("v22.0.0").is_some_and(|version| version > NODE));
        assert_eq!(parse_version("not node"), None);
    }

    #[test]
    fn a_set_up_step_is_done_once_for_each_list() {
        let dir = std::env::temp_dir().join(format!("skillhold-setup-{}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        let (list, mark) = (dir.join("list"), dir.join("mark"));
        let mut times = 0;
        for text in ["one", "one", "two"] {
            std::fs::write(&list, text).unwrap();
            once_for(&list, &mark, || {
                times += 1;
                Ok(())
            })
            .unwrap();
        }
        assert_eq!(times, 2);
        assert_eq!(
            once_for(&dir.join("list"), &dir.join("never"), || Err("no net".to_owned())),
            Err("no net".to_owned())
        );
        assert!(!dir.join("never").exists());
        std::fs::remove_dir_all(&dir).unwrap();
    }
}
