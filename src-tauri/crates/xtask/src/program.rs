//! Running other programs.

use std::ffi::OsStr;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A command that reads no standard input, in the clone's top folder.
pub(crate) fn command(program: impl AsRef<OsStr>, args: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(args).current_dir(crate::repository::root()).stdin(Stdio::null());
    command
}

/// `cargo`, the same that runs this.
pub(crate) fn cargo(args: &[&str]) -> Command {
    command(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()), args)
}

/// `npm` in the page's folder.
pub(crate) fn npm(args: &[&str]) -> Command {
    let mut npm = command(if cfg!(windows) { "npm.cmd" } else { "npm" }, args);
    npm.current_dir(crate::repository::ui());
    npm
}

/// The file that a name stands for on `PATH`.
pub(crate) fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .flat_map(|dir| [dir.join(name), dir.join(format!("{name}.exe"))])
        .find(|file| file.is_file())
}

/// Runs it with its output on the terminal.
///
/// # Errors
/// When it cannot be started or ends with anything but 0.
pub(crate) fn shown(command: &mut Command) -> Result<(), String> {
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{} ended with {status}", written(command))),
        Err(error) => Err(format!("cannot start {}: {error}", written(command))),
    }
}

/// What it prints to standard output, or nothing where it fails.
pub(crate) fn output(command: &mut Command) -> Option<String> {
    let output = command.stderr(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// How a program ended that ran with its output in a file.
pub(crate) struct Ended {
    pub(crate) success: bool,
    /// All that it printed, standard output and error as they came, without colours.
    pub(crate) output: String,
}

/// Runs it with all of its output in `log`; ends it after `limit`. A line a minute says that it is
/// still there.
pub(crate) fn logged(command: &mut Command, log: &Path, limit: Duration) -> Result<Ended, String> {
    let name = written(command);
    let begin = |error: std::io::Error| format!("cannot start {name}: {error}");
    let file = File::create(log).map_err(|error| format!("{}: {error}", log.display()))?;
    let started = Instant::now();
    let mut child = command
        .env("NO_COLOR", "1")
        .env("CARGO_TERM_COLOR", "never")
        .env("FORCE_COLOR", "0")
        .stdout(file.try_clone().map_err(begin)?)
        .stderr(file)
        .spawn()
        .map_err(begin)?;
    let mut said = 0;
    let (success, note) = loop {
        if let Some(status) = child.try_wait().map_err(begin)? {
            let note =
                if status.success() { String::new() } else { format!("\n{name}: {status}\n") };
            break (status.success(), note);
        }
        let took = started.elapsed();
        if took > limit {
            let _ = child.kill();
            let _ = child.wait();
            break (false, format!("\n{name} was ended after {} minutes\n", limit.as_secs() / 60));
        }
        if took.as_secs() / 60 > said {
            said = took.as_secs() / 60;
            println!("  … {said} min");
        }
        std::thread::sleep(Duration::from_millis(50));
    };
    let bytes = std::fs::read(log).map_err(|error| format!("{}: {error}", log.display()))?;
    let output = without_colours(&String::from_utf8_lossy(&bytes)) + &note;
    Ok(Ended { success, output })
}

/// The command as one would type it.
pub(crate) fn written(command: &Command) -> String {
    std::iter::once(command.get_program())
        .chain(command.get_args())
        .map(|part| part.to_string_lossy().into_owned())
        .collect::<Vec<_>>()
        .join(" ")
}

/// Leaves out terminal sequences (`ESC [ … letter`, `ESC ( letter`): some programs colour whatever
/// they are told.
fn without_colours(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(char) = chars.next() {
        if char != '\u{1b}' {
            plain.push(char);
        } else if matches!(chars.next(), Some('[' | '(')) {
            chars.by_ref().find(char::is_ascii_alphabetic);
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    #[test]
    fn colours_are_left_out_and_text_stays() {
        let coloured = "\u{1b}[1m\u{1b}[32m Tests \u{1b}(B\u{1b}[39m 3 passed (3)\u{1b}[22m\n✓ é";
        assert_eq!(super::without_colours(coloured), " Tests  3 passed (3)\n✓ é");
    }
}
