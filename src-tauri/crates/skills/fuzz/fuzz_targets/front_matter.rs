//! Any bytes as a `SKILL.md`: nothing panics, strict fields are what the file is compared equal to,
//! and what is left out is gone.

#![no_main]

use libfuzzer_sys::fuzz_target;
use serde_json::Map;
use skills::frontmatter::{FrontMatter, REQUEST_FIELDS, same_as, same_field, without};

fuzz_target!(|bytes: &[u8]| {
    let read = FrontMatter::read(bytes);
    let strict = FrontMatter::strict(bytes);
    let _ = same_as(bytes, &Map::new());
    if let Ok(fields) = strict {
        assert!(same_as(bytes, &fields).is_ok(), "strict fields are not the file's");
    } else {
        assert!(!read.problems().is_empty(), "refused without a word");
    }
    if let Ok(left) = without(bytes, REQUEST_FIELDS) {
        let after = FrontMatter::read(&left.bytes);
        let asks = |name: &String| REQUEST_FIELDS.iter().any(|field| same_field(field, name));
        let is_yaml = FrontMatter::strict(&left.bytes).is_ok();
        assert!(!is_yaml || !after.fields().keys().any(asks), "a request was left");
    }
});
