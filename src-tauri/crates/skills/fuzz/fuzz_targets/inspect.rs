//! Any bytes as a `SKILL.md`, as a file beside it and as a picture: nothing panics, and every
//! finding has its place in a file that there is.

#![no_main]

use std::collections::BTreeMap;

use libfuzzer_sys::fuzz_target;
use skills::inspect::inspect;

fuzz_target!(|bytes: &[u8]| {
    let picture = [b"\x89PNG\r\n\x1a\n", bytes].concat();
    let files = BTreeMap::from([
        ("SKILL.md".to_owned(), bytes.to_vec()),
        ("data.bin".to_owned(), [b"\0", bytes].concat()),
        ("picture.png".to_owned(), picture),
    ]);
    for finding in inspect(&files).findings {
        let place = finding.diagnostic.place.expect("a finding is in a file");
        assert!(files.contains_key(&place.file), "{}", place.file);
        assert!(place.line >= 1 && place.column >= 1, "{place:?}");
    }
});
