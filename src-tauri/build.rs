//! Builds the page when it is to be embedded, and makes a permission for each command.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::SystemTime;

mod names {
    include!("src/commands/names.rs");
}

#[expect(clippy::disallowed_methods, reason = "how Cargo tells a build script of features")]
fn main() -> Result<(), String> {
    // `tauri dev` serves the page itself and builds without this feature.
    if std::env::var_os("CARGO_FEATURE_CUSTOM_PROTOCOL").is_some() {
        build_page(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../ui"))?;
    }
    println!("cargo::rerun-if-changed=src/commands/names.rs");
    println!("cargo::rerun-if-changed=capabilities");
    println!("cargo::rerun-if-changed=../icons");
    let manifest = tauri_build::AppManifest::new().commands(names::COMMANDS);
    tauri_build::try_build(tauri_build::Attributes::new().app_manifest(manifest))
        .map_err(|error| format!("{error:#}"))
}

fn build_page(ui: &Path) -> Result<(), String> {
    let sources = [
        "src",
        "public",
        "index.html",
        "package.json",
        "package-lock.json",
        "vite.config.ts",
        "svelte.config.js",
        "tsconfig.json",
    ];
    for source in sources.iter().filter(|source| ui.join(source).exists()) {
        println!("cargo::rerun-if-changed={}", ui.join(source).display());
    }
    // npm writes this file at the end of each installation.
    let installed = modified(&ui.join("node_modules/.package-lock.json"));
    if installed.is_none() || installed < modified(&ui.join("package-lock.json")) {
        npm(ui, &["ci", "--no-audit", "--no-fund"])?;
    }
    npm(ui, &["run", "build"])
}

fn modified(path: &Path) -> Option<SystemTime> {
    path.metadata().and_then(|metadata| metadata.modified()).ok()
}

fn npm(ui: &Path, args: &[&str]) -> Result<(), String> {
    let program = if cfg!(windows) { "npm.cmd" } else { "npm" };
    let said =
        Command::new(program).args(args).current_dir(ui).stdin(Stdio::null()).output().map_err(
            |error| format!("cannot start {program} (Node 20.19 or newer is needed): {error}"),
        )?;
    if said.status.success() {
        return Ok(());
    }
    Err(format!(
        "{program} {} failed in {}\n{}{}",
        args.join(" "),
        ui.display(),
        String::from_utf8_lossy(&said.stdout),
        String::from_utf8_lossy(&said.stderr),
    ))
}
