//! Things that a text can tell a model to do and that a person should see first.

use super::Finding;
use crate::check::{Diagnostic, Place, Severity};
use crate::lines::LineIndex;
use crate::pattern::{Pattern, compile};

/// The most findings of one rule in one file.
const MAX_PLACES: usize = 10;

/// A kind of finding in text.
pub(super) struct Rule {
    pub(super) code: &'static str,
    pub(super) grave: bool,
    pub(super) message: &'static str,
    pub(super) help: &'static str,
    /// Every match holds one of these, without case: a cheap look before the dear one.
    needs: &'static [&'static str],
    pattern: &'static Pattern,
}

macro_rules! rules {
    ($($name:ident $code:literal $grave:literal $message:literal $help:literal $needs:expr, $pattern:expr;)*) => {
        $(static $name: Pattern = Pattern::new(|| compile($pattern));)*

        pub(super) static RULES: &[Rule] = &[$(Rule {
            code: $code,
            grave: $grave,
            message: $message,
            help: $help,
            needs: $needs,
            pattern: &$name,
        }),*];
    };
}

rules! {
    DOWNLOAD_TO_SHELL "download-to-shell" true
    "what is downloaded is run at once"
    "whoever serves the address decides what runs; read it before you approve"
    &["curl", "wget", "iwr", "irm", "invoke-"],
    concat!(
        r"(?i)\b(?:curl|wget|iwr|irm|invoke-webrequest|invoke-restmethod)\b(?:[^\n|]|\\\r?\n)*",
        r"(?:\|(?:[^\n|]|\\\r?\n)*)*\|\s*(?:\\\r?\n\s*)?(?:sudo\s+(?:-\S+\s+)*)?(?:/usr/bin/env\s+)?(?:/\S*/)?",
        r"(?:(?:ba|z|da|k|fi)?sh|python[0-9.]*|node|perl|ruby|php|iex|invoke-expression)\b",
        r"|(?i)\b(?:eval|source|(?:ba|z|da|k)?sh|python[0-9.]*|iex|invoke-expression)\b[^\n]{0,40}[<$]?\(\s*(?:curl|wget|iwr|irm|invoke-webrequest|invoke-restmethod)\b",
    );

    DECODED_TO_SHELL "decoded-to-shell" true
    "encoded text is decoded and run"
    "decode it yourself and read it before you approve"
    &["base64", "b64decode", "atob", "buffer.from", "xxd", "powershell", "pwsh"],
    concat!(
        r"(?i)\bbase64\s+(?:-\S+\s+)*(?:-d|-di|--decode)\b[^\n]*\|\s*(?:sudo\s+)?(?:/\S*/)?(?:(?:ba|z|da|k)?sh|python[0-9.]*|node|perl)\b",
        r"|(?i)\b(?:eval|(?:ba|z|da|k)?sh\s+-c)\b[^\n]{0,40}\$\([^\n)]*base64\s+(?:-d|--decode)",
        r"|(?i)\b(?:exec|eval|system|spawn)\s*\(\s*[^\n]{0,80}(?:b64decode|atob|base64_decode|frombase64string)\s*\(",
        r#"|(?i)\beval\s*\(\s*buffer\.from\s*\([^\n]*["']base64["']"#,
        r"|(?i)\bxxd\s+-r[^\n]*\|\s*(?:ba|z|da|k)?sh\b",
        r"|(?i)\b(?:powershell|pwsh)(?:\.exe)?\b[^\n]*\s-e(?:nc|ncodedcommand)?\s+[A-Za-z0-9+/=]{20,}",
    );

    SECRET_READ "secret-read" true
    "it names a place where secrets are kept"
    "ask why the skill needs it; what a model reads it can also send"
    &[
        ".ssh", ".aws", ".gnupg", ".kube", ".netrc", ".pypirc", ".npmrc", ".git-credentials",
        ".docker", ".config", ".azure", "keychain", ".password-store", ".mozilla", ".electrum",
        "id_", "/etc/shadow", "wallet.dat", "security", "secret-tool", "169.254.169.254", ".env",
    ],
    concat!(
        r#"(?i)(?:^|[\s"'`(=:])(?:~|\$\{?HOME\}?|%USERPROFILE%|\$env:USERPROFILE|/root|/home/[^\s/]+|/Users/[^\s/]+)[/\\]"#,
        r"(?:\.ssh|\.aws|\.gnupg|\.kube|\.netrc|\.pypirc|\.npmrc|\.git-credentials|\.docker[/\\]config\.json|\.config[/\\]gh\b|\.config[/\\]gcloud|\.azure|Library/Keychains|\.password-store|\.mozilla|\.electrum)\b",
        r"|(?i)\bid_(?:rsa|ed25519|ecdsa|dsa)\b|\.aws[/\\]credentials\b|/etc/shadow\b|\bwallet\.dat\b",
        r"|(?i)\bsecurity\s+(?:find-(?:generic|internet)-password|dump-keychain|export)\b|\bsecret-tool\s+(?:lookup|search)\b",
        r"|\b169\.254\.169\.254\b",
        r#"|(?i)\b(?:cat|less|more|head|tail|type|source|grep|cp|scp|base64|open|read|reads|reading|send|upload|get-content)\b[^\n|;&]{0,60}[\s"'`(/\\]\.env(?:\.(?:local|production|prod))?(?:$|[\s"'`),;:|])"#,
    );

    HIDES_FROM_USER "hides-from-user" true
    "it asks to keep something from the user"
    "a skill has no reason to hide what it does"
    &["user", "human", "operator", "person", "developer"],
    concat!(
        r"(?i)\b(?:do\s+not|don['’]t|never|avoid|without)\s+(?:ever\s+)?(?:tell|telling|inform|informing|notify|notifying|alert|alerting|reveal|revealing|disclose|disclosing|mention|mentioning)\b[^.\n]{0,60}\b(?:user|human|operator|person|developer)s?\b",
        r"|(?i)\b(?:hide|conceal|keep)\b[^.\n]{0,60}\b(?:from|secret\s+from|hidden\s+from)\s+(?:the\s+)?(?:user|human|operator|person|developer)s?\b",
        r"|(?i)\bwithout\s+(?:the\s+)?user(?:['’]s)?\s+(?:knowledge|knowing|noticing|consent|awareness)\b",
        r"|(?i)\b(?:the\s+)?(?:user|human)\s+(?:must|should)\s+(?:not|never)\s+(?:know|notice|see|find\s+out|be\s+(?:told|informed))\b",
    );

    IGNORES_INSTRUCTIONS "ignores-instructions" false
    "it asks to ignore other instructions"
    "read the sentence: text that sets rules aside is often an attack"
    &["ignore", "disregard", "forget", "override", "bypass"],
    r"(?i)\b(?:ignore|disregard|forget|override|bypass)\b[^.\n]{0,30}\b(?:previous|prior|earlier|above|preceding|existing|system|safety|security)\b[^.\n]{0,20}\b(?:instructions?|prompts?|rules?|guidelines?|directions?|messages?|checks?)\b";

    RUNS_ON_LOAD "runs-on-load" false
    "a command runs when the skill is loaded, before the model reads it"
    "read the command as if you were about to run it"
    &["!`"],
    r"(?:^|[\s(])!`[^`\n]+`";
}

/// Looks for each rule in a text.
pub(super) fn look(path: &str, text: &str, index: &LineIndex<'_>, findings: &mut Vec<Finding>) {
    let on_load = super::is_markdown(path);
    let lower = text.to_ascii_lowercase();
    let worth = |rule: &&Rule| (on_load || rule.code != "runs-on-load") && rule.may_be_in(&lower);
    for rule in RULES.iter().filter(worth) {
        for found in rule.pattern.find_iter(text).take(MAX_PLACES) {
            let skipped = found.as_str().len() - found.as_str().trim_start().len();
            findings.push(rule.say(Some(index.place(path, found.start() + skipped..found.end()))));
        }
    }
}

impl Rule {
    /// A finding of this kind.
    pub(super) fn say(&self, place: Option<Place>) -> Finding {
        Finding {
            grave: self.grave,
            diagnostic: Diagnostic {
                code: self.code,
                severity: if self.grave { Severity::Error } else { Severity::Warning },
                message: self.message.to_owned(),
                help: Some(self.help.to_owned()),
                place,
            },
        }
    }

    /// Whether it is in this text at all.
    pub(super) fn is_in(&self, text: &str) -> bool {
        self.may_be_in(&text.to_ascii_lowercase()) && self.pattern.is_match(text)
    }

    /// Without case, the long s and the Kelvin sign are letters of ASCII too.
    fn may_be_in(&self, lower: &str) -> bool {
        self.needs.iter().any(|word| lower.contains(word))
            || lower.contains(['\u{17f}', '\u{212a}'])
    }
}
