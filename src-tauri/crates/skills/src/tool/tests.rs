mod rows;

use super::*;

fn home() -> (tempfile::TempDir, Paths) {
    let dir = tempfile::tempdir().unwrap();
    let paths = Paths::under(dir.path());
    (dir, paths)
}

fn shown(roots: &[PathBuf], paths: &Paths) -> Vec<String> {
    roots.iter().map(|root| paths.display(root)).collect()
}

#[test]
fn the_table_is_read_and_ids_and_monograms_come_once() {
    let tools = read_table(TABLE).unwrap();
    assert_eq!(tools.len(), 95);
    for tool in &tools {
        assert!(
            tool.id.bytes().all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'-')),
            "{}",
            tool.id
        );
        assert_eq!(tool.monogram.chars().count(), 2, "{}", tool.id);
        assert_eq!(tools.iter().filter(|other| other.id == tool.id).count(), 1);
        assert_eq!(tools.iter().filter(|other| other.monogram == tool.monogram).count(), 1);
        assert!(!tool.user.iter().any(|root| root.starts_with("/etc")), "{}", tool.id);
    }
}

#[test]
fn the_eight_presets_have_exactly_the_roots_of_the_reference() {
    let (_dir, paths) = home();
    let roots = |name: &str| shown(&preset(name).unwrap().roots(&paths), &paths);
    assert_eq!(roots("claude"), ["~/.claude/skills"]);
    assert_eq!(roots("cursor"), ["~/.cursor/skills"]);
    assert_eq!(roots("vscode"), ["~/.copilot/skills"]);
    assert_eq!(roots("copilot"), ["~/.copilot/skills"]);
    assert_eq!(roots("codex"), ["~/etc/codex/skills", "~/.codex/skills"]);
    assert_eq!(roots("gemini"), ["~/.gemini/skills"]);
    assert_eq!(roots("goose"), ["~/.config/agents/skills"]);
    assert_eq!(roots("opencode"), ["~/.config/opencode/skills"]);
    assert_eq!(tools().iter().filter(|tool| tool.preset.is_some()).count(), 8);
}

#[test]
fn copies_never_go_to_the_systems_folders() {
    let (_dir, paths) = home();
    let codex = tool("codex").unwrap();
    assert_eq!(paths.display(&codex.install_root(&paths).unwrap()), "~/.codex/skills");
    let read_only: Vec<_> = codex
        .roots(&paths)
        .into_iter()
        .filter(|root| root.read_only)
        .map(|root| paths.display(&root.path))
        .collect();
    assert_eq!(
        read_only,
        ["~/etc/codex/skills", "~/.codex/skills/.system", "~/.codex/plugins/cache"]
    );
}

#[test]
fn a_left_over_folder_is_no_tool() {
    let (dir, paths) = home();
    let claude = tool("claude-code").unwrap();
    assert_eq!(claude.detection(&paths), Detection::NotFound);
    fs::create_dir_all(dir.path().join(".claude/skills")).unwrap();
    assert_eq!(claude.detection(&paths), Detection::FolderOnly);
    fs::write(dir.path().join(".claude/settings.json"), "{}").unwrap();
    assert_eq!(claude.detection(&paths), Detection::Detected);
}

#[test]
fn another_tool_in_the_same_folder_is_not_this_one() {
    let (dir, paths) = home();
    fs::create_dir_all(dir.path().join(".gemini/antigravity/cache")).unwrap();
    assert_eq!(tool("gemini-cli").unwrap().detection(&paths), Detection::FolderOnly);
    assert_eq!(tool("antigravity").unwrap().detection(&paths), Detection::Detected);
}

#[test]
fn a_shared_folder_finds_only_the_universal_entry() {
    let (dir, paths) = home();
    fs::create_dir_all(dir.path().join(".agents/skills")).unwrap();
    let found: Vec<_> = tools()
        .iter()
        .filter(|tool| tool.detection(&paths) != Detection::NotFound)
        .map(|tool| tool.id.as_str())
        .collect();
    assert_eq!(found, ["universal"]);
}

#[test]
fn a_project_folder_of_a_plain_name_is_the_projects_own() {
    let (dir, _) = home();
    for folder in [
        "skills",
        "data/skills",
        "agent/skills",
        "agent/subagents/one/skills",
        ".claude/skills",
        ".skills",
    ] {
        fs::create_dir_all(dir.path().join(folder)).unwrap();
    }
    let owned = |id: &str| -> Vec<(String, bool)> {
        tool(id)
            .unwrap()
            .project_roots(dir.path())
            .into_iter()
            .map(|root| {
                let path = root.path.strip_prefix(dir.path()).unwrap();
                (path.to_string_lossy().into_owned(), root.user_owned)
            })
            .collect()
    };
    assert_eq!(owned("openclaw"), [("skills".to_owned(), true)]);
    assert_eq!(owned("astrbot"), [("data/skills".to_owned(), true)]);
    assert_eq!(
        owned("eve"),
        [("agent/skills".to_owned(), true), ("agent/subagents/one/skills".to_owned(), true)]
    );
    assert_eq!(owned("claude-code"), [(".claude/skills".to_owned(), false)]);
    assert_eq!(owned("letta"), [(".skills".to_owned(), false)]);
    assert_eq!(owned("goose"), []);
}

#[test]
fn a_tool_of_a_project_is_known_by_what_it_keeps_there() {
    let (dir, _) = home();
    let write = |path: &str, text: &str| {
        let path = dir.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    let used = |id: &str| tool(id).unwrap().is_used_in(dir.path());
    assert!(!used("replit"));
    write(".replit", "");
    assert!(used("replit"));
    write("promptscript.yaml", "");
    assert!(used("promptscript"));
    // Eve needs its folder and the dependency.
    write("agent/a", "");
    assert!(!used("eve"));
    write("package.json", r#"{"name": "eve", "dependencies": {"even": "1"}}"#);
    assert!(!used("eve"));
    write("package.json", r#"{"devDependencies": {"eve": "1"}}"#);
    assert!(used("eve"));
    write("package.json", "{");
    assert!(!used("eve"));
}

#[test]
fn the_persons_folders_replace_a_tools_own_and_nothing_else() {
    let (_dir, paths) = home();
    let own = [paths.home().join("mine")];
    let roots: Vec<_> = tool("codex")
        .unwrap()
        .roots_with(Some(&own), &paths)
        .into_iter()
        .map(|root| (paths.display(&root.path), root.read_only, root.cache))
        .collect();
    assert_eq!(
        roots,
        [
            ("~/mine".to_owned(), false, false),
            ("~/.agents/skills".to_owned(), false, false),
            ("~/etc/codex/skills".to_owned(), true, false),
            ("~/.codex/skills/.system".to_owned(), true, false),
            ("~/.codex/plugins/cache".to_owned(), true, true)
        ]
    );
}

#[test]
fn what_no_source_says_is_unknown() {
    let aider = &tool("aiderdesk").unwrap().reads;
    assert_eq!(*aider, Reads::default());
    assert_eq!((aider.precedence, aider.links), (Precedence::Unknown, Said::Unknown));
    // Whatever is said is said somewhere.
    for tool in tools() {
        assert_eq!(tool.reads == Reads::default(), tool.reads.source.is_none(), "{}", tool.id);
    }
}

#[test]
fn tools_that_read_links_and_tools_that_do_not_are_those_that_a_source_names() {
    let with = |said| -> Vec<&str> {
        let named = tools().iter().filter(|tool| tool.reads.links == said);
        named.map(|tool| tool.id.as_str()).collect()
    };
    assert_eq!(
        with(Said::Yes),
        [
            "claude-code",
            "openclaw",
            "codex",
            "gemini-cli",
            "hermes-agent",
            "opencode",
            "pi",
            "reasonix",
            "pochi"
        ]
    );
    assert_eq!(with(Said::No), ["antigravity", "kiro-cli"]);
}

#[test]
fn every_row_of_the_table_expands_to_the_folders_that_its_sources_name() {
    let (_dir, paths) = home();
    assert_eq!(tools().len(), rows::ROWS.len());
    for (tool, (id, roots, project, marks)) in tools().iter().zip(rows::ROWS) {
        assert_eq!(tool.id, *id);
        let found: Vec<_> =
            tool.roots(&paths).iter().map(|root| paths.display(&root.path)).collect();
        assert_eq!(found, *roots, "{id}");
        assert_eq!(tool.project, *project, "{id}");
        assert_eq!(shown(&tool.marks(&paths), &paths), *marks, "{id}");
        assert_eq!(tool.date, "2026-11-30", "{id}");
        if let Some(root) = tool.install_root(&paths) {
            assert_eq!(Some(&paths.display(&root).as_str()), roots.first(), "{id}");
        }
    }
}

#[test]
fn every_tool_is_detected_by_what_is_its_own() {
    for tool in tools() {
        let (_dir, nothing) = home();
        assert_eq!(tool.detection(&nothing), Detection::NotFound, "{}", tool.id);
        for mark in tool.marks(&nothing) {
            let (_dir, paths) = home();
            let mark = paths.home().join(mark.strip_prefix(nothing.home()).unwrap());
            fs::create_dir_all(&mark).unwrap();
            fs::write(mark.join("settings.of-its-own"), "").unwrap();
            assert_eq!(tool.detection(&paths), Detection::Detected, "{}", tool.id);
        }
    }
}

#[test]
fn no_tool_is_detected_by_a_folder_of_skills_alone() {
    for tool in tools() {
        let (_dir, nothing) = home();
        for root in tool.own_roots(&nothing) {
            let (_dir, paths) = home();
            let root = paths.home().join(root.strip_prefix(nothing.home()).unwrap());
            fs::create_dir_all(root.join("a")).unwrap();
            fs::write(root.join("a/SKILL.md"), "---\nname: a\ndescription: b\n---\n").unwrap();
            fs::write(root.parent().unwrap().join(".DS_Store"), "").unwrap();
            assert_ne!(tool.detection(&paths), Detection::Detected, "{}", tool.id);
        }
    }
}

#[test]
fn a_file_that_is_the_mark_of_a_tool_is_enough_and_a_folder_that_may_not_be_listed_too() {
    let (dir, paths) = home();
    let zed = tool("zed").unwrap();
    fs::create_dir_all(dir.path().join(".config/zed")).unwrap();
    assert_eq!(zed.detection(&paths), Detection::FolderOnly);
    fs::write(dir.path().join(".config/zed/settings.json"), "{}").unwrap();
    assert_eq!(zed.detection(&paths), Detection::Detected);
    let (dir, paths) = home();
    fs::write(dir.path().join(".warp"), "").unwrap();
    assert_eq!(tool("warp").unwrap().detection(&paths), Detection::Detected);
}

#[test]
fn a_variable_of_the_environment_wins_over_the_path() {
    let (dir, paths) = home();
    let elsewhere = dir.path().join("elsewhere");
    for tool in tools() {
        let patterns = tool.user.iter().chain(&tool.read_only).chain(&tool.caches);
        for pattern in patterns.chain(&tool.detect) {
            let Some((name, rest)) =
                pattern.strip_prefix("${").and_then(|pattern| pattern.split_once('}'))
            else {
                continue;
            };
            let name = name.split(":-").next().unwrap();
            let set = paths.clone().with_variable(name, &elsewhere);
            let expected = format!("~/elsewhere{rest}");
            assert_eq!(set.display(&expand(pattern, &set).unwrap()), expected, "{}", tool.id);
        }
    }
    let own = |id: &str, name: &str| {
        let set = paths.clone().with_variable(name, &elsewhere);
        set.display(&tool(id).unwrap().install_root(&set).unwrap())
    };
    assert_eq!(own("claude-code", "CLAUDE_CONFIG_DIR"), "~/elsewhere/skills");
    assert_eq!(own("codex", "CODEX_HOME"), "~/elsewhere/skills");
    assert_eq!(own("goose", "XDG_CONFIG_HOME"), "~/elsewhere/goose/skills");
    // Crush does not follow that variable.
    assert_eq!(own("crush", "XDG_CONFIG_HOME"), "~/.config/crush/skills");
}
