#![allow(clippy::disallowed_methods)]

use std::path::Path;

use skills::provider::policy::{Guarded, Transport};
use skills::provider::{DirectoryProvider, Mode, Options, Provider as _};
use tempfile::TempDir;

use super::*;

const ONE: &str = "0123456789abcdef";
const TWO: &str = "fedcba9876543210";

struct Home(TempDir);

impl Home {
    fn new() -> Self {
        let home = Self(tempfile::tempdir().unwrap());
        for skill in ["shelf/open", "shelf/hidden", "other/more"] {
            let name = skill.rsplit('/').next().unwrap();
            home.write(
                &format!("{skill}/SKILL.md"),
                &format!("---\nname: {name}\ndescription: x\n---\nx\n"),
            );
        }
        home
    }

    fn at(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    fn write(&self, path: &str, text: &str) -> PathBuf {
        let path = self.at(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    fn places(&self) -> Vec<Place> {
        vec![Place::Root(self.at("shelf")), Place::Root(self.at("other"))]
    }

    fn read(&self, text: &str) -> Result<Tokens, TokensError> {
        let file = self.write("tokens", text);
        Tokens::read(&file, &self.places())
    }

    /// What is said of a file that cannot be used, without where it is.
    fn refused(&self, text: &str) -> String {
        let said = self.read(text).unwrap_err().to_string();
        assert!(!said.contains(ONE) && !said.contains("secret"), "{said}");
        said.strip_prefix(&format!("{}:", self.at("tokens").display())).unwrap().to_owned()
    }

    /// What is served, as a name sees it.
    fn guarded(&self, tokens: &Tokens, name: &str, mode: Mode) -> Guarded {
        let provider =
            Arc::new(DirectoryProvider::of(self.places(), Options { mode, ..Options::default() }));
        let caller = Caller {
            identity: Some(name.to_owned()),
            scopes: Vec::new(),
            transport: Transport::Http,
        };
        Guarded::new(provider, tokens.policy.clone().unwrap(), caller)
    }

    /// The URIs that a name sees in a listing.
    fn seen(&self, tokens: &Tokens, name: &str, mode: Mode) -> Vec<String> {
        let listing = self.guarded(tokens, name, mode).list();
        let templates = listing.templates.into_iter().map(|template| template.uri_template);
        listing.resources.into_iter().map(|one| one.uri).chain(templates).collect()
    }
}

#[test]
fn one_token_may_be_alone_in_its_file() {
    let home = Home::new();
    let tokens = home.read(&format!("{ONE}==\n")).unwrap();
    assert_eq!(tokens.tokens[0].secret, format!("{ONE}=="));
    assert_eq!(tokens.tokens[0].identity, "token");
    assert!(tokens.policy.is_none());
    assert_eq!(home.refused("\n\nshort-secret\n"), "3: the token is shorter than 16 characters");
    assert_eq!(home.refused("\n"), "1: there is no token in it");
    assert_eq!(
        home.refused("secret-secret-sécret"),
        "1: a token is made of visible ASCII characters without blanks"
    );
}

#[test]
fn what_is_wrong_is_said_with_its_line_and_without_the_token() {
    let home = Home::new();
    let row = |rest: &str| format!("[[token]]\nname = \"a\"\ntoken = \"{ONE}\"\n{rest}\n");
    assert!(
        home.refused(&format!("[[token]]\nname = \"a\"\ntoken = \"{ONE}\n")).starts_with("3: ")
    );
    assert!(home.refused("[[token]]\nname = \"a\"\ntoken = 1234567890123456\n").starts_with("3: "));
    assert!(home.refused(&row("alow = []")).starts_with("4: neither one token alone"));
    assert_eq!(
        home.refused(&row("allow = [\"team/*\"]")),
        "4: the pattern \"team/*\" does not start with skill://"
    );
    assert_eq!(
        home.refused(&row("root = \"nowhere\"")),
        "4: \"nowhere\" is none of the folders that are served"
    );
    assert_eq!(
        home.refused(&row(&format!("[[token]]\nname = \"b\"\ntoken = \"{ONE}\""))),
        "6: \"b\" has the token of another name"
    );
    assert_eq!(
        home.refused(&row(&format!("[[token]]\nname = \"a\"\ntoken = \"{TWO}\""))),
        "6: \"a\" has another token further up"
    );
    assert!(home.refused(&row("[[token]]\nname = \" \"\ntoken = \"x\"")).starts_with("5: "));
}

#[cfg(unix)]
#[test]
fn a_pair_without_its_table_is_not_taken_for_a_token() {
    let home = Home::new();
    let said = home.refused(&format!("token=\"{ONE}\""));
    assert!(said.starts_with("1: neither one token alone nor TOML"), "{said}");
    // Padding of Base64 makes no pair.
    assert_eq!(home.read("QUJDREVGR0hJSktMTU5PUA==\n").unwrap().tokens.len(), 1);
}

#[test]
#[cfg(unix)]
fn what_has_no_end_is_too_large() {
    let home = Home::new();
    let error = Tokens::read(Path::new("/dev/zero"), &home.places()).unwrap_err();
    assert!(matches!(error, TokensError::TooLarge(_)), "{error}");
}

#[test]
fn a_file_that_others_may_read_is_warned_of() {
    use std::os::unix::fs::PermissionsExt as _;
    let home = Home::new();
    let file = home.write("tokens", ONE);
    let warnings = |mode| {
        fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
        Tokens::read(&file, &[]).unwrap().warnings
    };
    assert_eq!(warnings(0o600), Vec::<String>::new());
    assert_eq!(warnings(0o644).len(), 1);
    let missing = Tokens::read(Path::new("/nothing/here"), &[]).unwrap_err();
    assert_eq!(missing.to_string(), "cannot read /nothing/here");
}

#[test]
fn each_token_sees_what_its_tables_show() {
    let home = Home::new();
    let text = format!(
        "[[token]]\nname = \"all\"\ntoken = \"{ONE}\"\n\n\
         [[token]]\nname = \"some\"\ntoken = \"{TWO}\"\nscopes = [\"x\"]\n\
         allow = [\"skill://**\"]\ndeny = [\"skill://hidden\"]\nroot = \"shelf\"\n"
    );
    for mode in [Mode::Strict, Mode::Compatible] {
        let tokens = home.read(&text).unwrap();
        assert_eq!(tokens.tokens[1].scopes, ["x"]);
        let some = home.seen(&tokens, "some", mode);
        assert_eq!(
            some,
            ["skill://open/SKILL.md", "skill://open/_manifest", "skill://open/{path*}"],
            "{mode:?}"
        );
        assert_eq!(home.seen(&tokens, "all", mode).len(), 9, "{mode:?}");
        assert_eq!(home.seen(&tokens, "nobody", mode), Vec::<String>::new());
    }
}

#[test]
fn a_root_hides_what_another_place_gives_under_the_same_uri() {
    let home = Home::new();
    home.write("other/open/SKILL.md", "---\nname: open\ndescription: other\n---\nother\n");
    let text = format!("[[token]]\nname = \"a\"\ntoken = \"{ONE}\"\nroot = \"other\"\n");
    let tokens = home.read(&text).unwrap();
    // The first place wins, and this token has no part in that one: not even in its template.
    assert_eq!(
        home.seen(&tokens, "a", Mode::Compatible),
        ["skill://more/SKILL.md", "skill://more/_manifest", "skill://more/{path*}"]
    );
    let guarded = home.guarded(&tokens, "a", Mode::Compatible);
    for uri in ["skill://open/SKILL.md", "skill://open/_manifest", "skill://open/none"] {
        assert_eq!(
            guarded.read(uri).unwrap_err().to_string(),
            format!("there is no resource {uri}")
        );
        assert_eq!(guarded.canonical(uri), None);
        assert_eq!(guarded.mark(uri), None);
    }
    assert!(guarded.read("skill://more/SKILL.md").is_ok());
}

#[test]
fn a_root_is_held_against_the_place_that_gives_the_bytes() {
    let home = Home::new();
    let root = |name| format!("[[token]]\nname = \"a\"\ntoken = \"{ONE}\"\nroot = \"{name}\"\n");
    let (shelf, other) = (home.read(&root("shelf")).unwrap(), home.read(&root("other")).unwrap());
    let caller =
        Caller { identity: Some("a".to_owned()), scopes: Vec::new(), transport: Transport::Http };
    // Nothing on the disk is looked at for it: what is there now may be gone when it is read.
    for action in
        [Action::List, Action::Template, Action::Read, Action::Directory, Action::Discover]
    {
        let allows = |tokens: &Tokens, place| {
            let policy = tokens.policy.as_ref().unwrap();
            policy.allows(&caller, action, "skill://nowhere/SKILL.md", place)
        };
        assert_eq!(
            [None, Some(0), Some(1)].map(|place| allows(&shelf, place)),
            [false, true, false]
        );
        assert_eq!(
            [None, Some(0), Some(1)].map(|place| allows(&other, place)),
            [false, false, true]
        );
    }
}
