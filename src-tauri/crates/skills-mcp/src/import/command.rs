//! Command lines: those by which a tool is told of a server, and those that start one.

use serde_json::{Map, Value, json};

/// Tools whose `mcp add` is understood.
const TOOLS: &[&str] = &["claude", "codex", "gemini", "opencode", "devin", "qwen"];

/// Options of `mcp add` that take a value and say nothing about the server.
const IGNORED: &[&str] = &["-s", "--scope", "--timeout", "--description", "--callback-port"];

/// The same without a value.
const IGNORED_FLAGS: &[&str] = &["--global", "--trust"];

/// Programs that start others. A line that begins with one of them is a command line and nothing else.
const LAUNCHERS: &[&str] = &[
    "bun", "bunx", "cargo", "deno", "docker", "dotnet", "go", "java", "node", "npm", "npx", "php",
    "pipx", "pnpm", "podman", "python", "python3", "ruby", "uv", "uvx", "yarn",
];

/// Reads a command line: the name of the server, and its settings.
pub(super) fn read(text: &str) -> Result<(String, Value), String> {
    let line = text.replace("\\\r\n", " ").replace("\\\n", " ");
    let line = line.trim();
    let line = line.strip_prefix("$ ").unwrap_or(line);
    if line.contains('\n') {
        return Err("it is none of the forms that are known, and a command line would be one line"
            .to_owned());
    }
    let words = shlex::split(line).ok_or("a quotation in it does not end")?;
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        [tool, "mcp", "add", rest @ ..] if TOOLS.contains(&base(tool)) => added(rest),
        [tool, "mcp", "add-json", rest @ ..] if TOOLS.contains(&base(tool)) => added_json(rest),
        _ => started(&words),
    }
}

/// `mcp add [options] NAME URL` or `mcp add [options] NAME [--] PROGRAM ARGUMENTS`.
fn added(words: &[&str]) -> Result<(String, Value), String> {
    let mut settings = Map::new();
    let (mut env, mut headers) = (Map::new(), Map::new());
    let mut plain: Vec<&str> = Vec::new();
    let mut words = words.iter().copied();
    while let Some(word) = words.next() {
        // From the program on, everything is its own.
        if plain.len() >= 2 && !is_url(plain[1]) {
            plain.push(word);
            continue;
        }
        if word == "--" {
            plain.extend(words.by_ref());
            break;
        }
        let (option, inline) = match word.split_once('=') {
            Some((option, value)) if word.starts_with("--") => (option, Some(value)),
            _ => (word, None),
        };
        if !option.starts_with('-') {
            plain.push(word);
            continue;
        }
        if IGNORED_FLAGS.contains(&option) {
            continue;
        }
        let value = inline
            .or_else(|| words.next())
            .ok_or_else(|| format!("its option {option} has no value"))?;
        match option {
            "-t" | "--transport" | "--type" => drop(settings.insert("type".into(), json!(value))),
            "-e" | "--env" => {
                let (name, value) = value
                    .split_once('=')
                    .ok_or_else(|| format!("what follows {option} is no NAME=value"))?;
                env.insert(name.to_owned(), json!(value));
            }
            "-H" | "--header" => {
                let (name, value) = value
                    .split_once(':')
                    .ok_or_else(|| format!("what follows {option} is no \"Name: value\""))?;
                headers.insert(name.trim().to_owned(), json!(value.trim()));
            }
            "--url" => drop(settings.insert("url".into(), json!(value))),
            "--bearer-token-env-var" => {
                settings.insert("bearer_token_env_var".into(), json!(value));
            }
            ignored if IGNORED.contains(&ignored) => {}
            other => return Err(format!("its option {other} is not known")),
        }
    }
    let Some((name, rest)) = plain.split_first() else {
        return Err("it names no server".to_owned());
    };
    match rest {
        [url] if is_url(url) => drop(settings.insert("url".into(), json!(url))),
        [program, args @ ..] => {
            settings.insert("command".into(), json!(program));
            settings.insert("args".into(), json!(args));
        }
        [] => {}
    }
    if !env.is_empty() {
        settings.insert("env".into(), Value::Object(env));
    }
    if !headers.is_empty() {
        settings.insert("headers".into(), Value::Object(headers));
    }
    Ok(((*name).to_owned(), Value::Object(settings)))
}

/// `mcp add-json [options] NAME JSON`.
fn added_json(words: &[&str]) -> Result<(String, Value), String> {
    let mut plain = Vec::new();
    let mut words = words.iter().copied();
    while let Some(word) = words.next() {
        if IGNORED.contains(&word) {
            words.next();
        } else if !word.starts_with("--") {
            plain.push(word);
        }
    }
    let [name, json] = plain.as_slice() else {
        return Err("it is no name and one text of JSON".to_owned());
    };
    let tree = super::tree::read(json, super::tree::Language::Json);
    Ok(((*name).to_owned(), tree.map_err(|error| error.to_string())?.root))
}

/// A program and its arguments, after variables as a shell takes them.
fn started(words: &[&str]) -> Result<(String, Value), String> {
    let is_variable = |word: &&&str| {
        word.split_once('=').is_some_and(|(name, _)| {
            !name.is_empty()
                && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
                && !name.starts_with(|c: char| c.is_ascii_digit())
        })
    };
    let variables: Vec<&&str> = words.iter().take_while(is_variable).collect();
    let command = &words[variables.len()..];
    let unclear = || {
        "it is none of the forms that are known; a command line begins with a well-known launcher \
         or the full path of a program"
            .to_owned()
    };
    let [program, args @ ..] = command else { return Err(unclear()) };
    let is_path =
        program.starts_with('/') || program.chars().nth(1) == Some(':') && program.contains('\\');
    if !is_path && !LAUNCHERS.contains(&base(program)) {
        return Err(unclear());
    }
    if args.iter().any(|word| matches!(*word, "|" | "||" | "&&" | ";" | "&" | ">" | "<" | ">>")) {
        return Err("it is more than one command, and no shell is asked to run it".to_owned());
    }
    let env: Map<String, Value> = variables
        .iter()
        .filter_map(|word| word.split_once('='))
        .map(|(name, value)| (name.to_owned(), json!(value)))
        .collect();
    Ok((name_of(command), json!({ "command": program, "args": args, "env": env })))
}

/// What a command line is called until the person gives it another name: the first word that a
/// launcher is given, else the program.
pub(super) fn name_of(words: &[&str]) -> String {
    let Some((program, args)) = words.split_first() else { return String::new() };
    let program = base(program);
    let verb = |word: &str| matches!(word, "run" | "exec" | "x" | "dlx" | "tool");
    let told = args.iter().find(|word| !word.starts_with('-') && !verb(word));
    match told {
        Some(told) if LAUNCHERS.contains(&program) => base(told).to_owned(),
        _ => program.to_owned(),
    }
}

/// The last part of a path, without the ending of programs on Windows.
fn base(word: &str) -> &str {
    let last = word.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next().unwrap_or(word);
    let last = [".exe", ".cmd"].iter().find_map(|end| last.strip_suffix(end)).unwrap_or(last);
    if last.is_empty() { word } else { last }
}

fn is_url(word: &str) -> bool {
    word.starts_with("http://") || word.starts_with("https://")
}
