//! Lists that come in pages, taken within every limit.

use std::collections::HashSet;

use serde_json::Value;

use crate::client::{Calls, List};
use crate::error::ClientError;
use crate::limits::{ENTRIES, FOLDER_ENTRIES, LIST_BYTES, LIST_MEMORY, MARK_BYTES, PAGES, REASONS};

/// All pages of one list, as far as they were taken.
#[derive(Debug, Default)]
pub(super) struct Paged {
    pub(super) items: Vec<Value>,
    /// Why not all of it was taken, where that is so.
    pub(super) notices: Vec<String>,
    /// The least of what the pages say about how long they stay good.
    pub(super) good_for_ms: Option<u64>,
}

/// All items of a list in pages, within the limits on pages, items and bytes, and without going
/// round in a circle. Where a limit ends it, what came until then stands, with a notice.
pub(super) async fn pages(calls: &Calls, list: List<'_>) -> Result<Paged, ClientError> {
    let most = match list {
        List::Skills | List::Resources => ENTRIES,
        List::Folder(_) => FOLDER_ENTRIES,
    };
    let mut taking = Taking::new(list.field(), most);
    let mut cursor = None;
    loop {
        let page = calls.page(list, cursor.take()).await?;
        match taking.take(page).map_err(|why| calls.broken(list.doing(), &why))? {
            Next::Page(next) => cursor = Some(next),
            Next::Done => return Ok(taking.paged),
        }
    }
}

/// What follows a page.
#[derive(Debug, PartialEq, Eq)]
enum Next {
    /// The page with this mark.
    Page(String),
    /// Nothing.
    Done,
}

/// Pages as they are taken, one after the other.
struct Taking {
    field: &'static str,
    most: usize,
    paged: Paged,
    pages: usize,
    bytes: usize,
    memory: usize,
    cursors: HashSet<String>,
}

impl Taking {
    fn new(field: &'static str, most: usize) -> Self {
        let (paged, cursors) = (Paged::default(), HashSet::new());
        Self { field, most, paged, pages: 0, bytes: 0, memory: 0, cursors }
    }

    /// Takes one page; an error says why it is none.
    fn take(&mut self, mut page: Value) -> Result<Next, String> {
        let Some(Value::Array(new)) = page.get_mut(self.field).map(Value::take) else {
            return Err(format!("a page of the list has no {}", self.field));
        };
        self.pages += 1;
        let good_for_ms = page.get("ttlMs").and_then(Value::as_u64);
        self.paged.good_for_ms = least(self.paged.good_for_ms, good_for_ms);
        for item in new {
            self.bytes = self.bytes.saturating_add(weight(&item));
            if self.bytes > LIST_BYTES {
                return Ok(self.cut(&format!("it is longer than {LIST_BYTES} bytes")));
            }
            self.memory = self.memory.saturating_add(memory(&item));
            if self.memory > LIST_MEMORY {
                return Ok(self.cut("it holds more values than are read"));
            }
            if self.paged.items.len() == self.most {
                return Ok(self.cut(&format!("it is longer than {} entries", self.most)));
            }
            self.paged.items.push(item);
        }
        Ok(match page.get_mut("nextCursor").map(Value::take) {
            None | Some(Value::Null) => Next::Done,
            Some(Value::String(_)) if self.pages == PAGES => {
                self.cut(&format!("it has more than {PAGES} pages"))
            }
            Some(Value::String(next)) if next.len() > MARK_BYTES => {
                self.cut(&format!("the mark of the next page has {} bytes", next.len()))
            }
            Some(Value::String(next)) if self.cursors.insert(next.clone()) => Next::Page(next),
            Some(Value::String(_)) => self.cut("the server goes round in a circle"),
            Some(_) => self.cut("the mark of the next page is not a text"),
        })
    }

    fn cut(&mut self, why: &str) -> Next {
        self.paged.notices.push(format!("the server's list was read only in part: {why}"));
        Next::Done
    }
}

fn least(one: Option<u64>, other: Option<u64>) -> Option<u64> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}

/// Each notice once, and not more of them than a person reads.
pub(super) fn bounded(notices: Vec<String>) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    let mut more = 0_usize;
    for notice in notices {
        if kept.contains(&notice) || kept.len() == REASONS {
            more += 1;
        } else {
            kept.push(notice);
        }
    }
    if more > 0 {
        kept.push(format!("and {more} more of this kind"));
    }
    kept
}

/// About as many bytes as a value takes as JSON.
fn weight(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len() + 3,
        Value::Array(list) => list.iter().map(weight).sum::<usize>() + 2,
        Value::Object(map) => {
            map.iter().map(|(key, value)| key.len() + 4 + weight(value)).sum::<usize>() + 2
        }
        _ => 8,
    }
}

/// About as many bytes as a value takes once it is read.
fn memory(value: &Value) -> usize {
    /// One value where it lies.
    const VALUE: usize = 32;
    /// What an allocation costs besides its bytes.
    const APART: usize = 16;
    /// The least that a table takes, however few its keys are.
    const TABLE: usize = 640;
    VALUE
        + match value {
            Value::String(text) => text.len() + APART,
            Value::Array(list) => list.iter().map(memory).sum(),
            Value::Object(map) => {
                map.iter().map(|(key, value)| key.len() + APART + memory(value)).sum::<usize>()
                    + TABLE
            }
            _ => 0,
        }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn page(items: Vec<Value>, next: Value) -> Value {
        json!({ "skills": items, "nextCursor": next })
    }

    #[test]
    fn two_hundred_and_fifty_pages_are_taken_and_one_more_is_not() {
        let last = |next: Value| {
            let mut taking = Taking::new("skills", ENTRIES);
            for n in 1..250 {
                let next = taking.take(page(vec![], json!(n.to_string()))).unwrap();
                assert_eq!(next, Next::Page(n.to_string()));
            }
            assert_eq!(taking.take(page(vec![json!(1)], next)), Ok(Next::Done));
            assert_eq!(taking.paged.items.len(), 1);
            taking.paged.notices
        };
        assert_eq!(last(Value::Null), Vec::<String>::new());
        assert_eq!(
            last(json!("250")),
            ["the server's list was read only in part: it has more than 250 pages"]
        );
    }

    #[test]
    fn ten_thousand_entries_are_taken_and_one_more_is_not() {
        let listed = |count: usize| {
            let mut taking = Taking::new("skills", ENTRIES);
            let items = vec![json!(1); count];
            assert!(taking.take(page(items, json!("2"))).is_ok());
            (taking.paged.items.len(), taking.paged.notices.len())
        };
        assert_eq!(listed(10_000), (10_000, 0));
        assert_eq!(listed(10_001), (10_000, 1));
    }

    #[test]
    fn sixty_four_mebibytes_of_list_are_taken_and_one_more_byte_is_not() {
        let listed = |bytes: usize| {
            let mut taking = Taking::new("skills", ENTRIES);
            let items = vec![json!("x".repeat(bytes - 3 - 4)), json!("x")];
            assert_eq!(taking.take(page(items, Value::Null)), Ok(Next::Done));
            (taking.paged.items.len(), taking.paged.notices.len())
        };
        assert_eq!(listed(67_108_864), (2, 0));
        assert_eq!(listed(67_108_865), (1, 1));
    }

    #[test]
    fn one_hundred_and_twenty_eight_mebibytes_of_values_are_taken_and_one_more_byte_is_not() {
        let listed = |more: usize| {
            let mut taking = Taking::new("skills", ENTRIES);
            // An empty table counts 672 bytes: 134,217,248 in all, and 480 are left.
            let items = vec![json!(vec![json!({}); 199_728]), json!("x".repeat(432 + more))];
            assert_eq!(taking.take(page(items, Value::Null)), Ok(Next::Done));
            (taking.paged.items.len(), taking.paged.notices)
        };
        assert_eq!(listed(0), (2, Vec::new()));
        let (taken, notices) = listed(1);
        assert_eq!(taken, 1);
        assert_eq!(
            notices,
            ["the server's list was read only in part: it holds more values than are read"]
        );
    }

    #[test]
    fn marks_that_come_again_or_are_no_text_end_a_list() {
        let mut taking = Taking::new("skills", ENTRIES);
        assert_eq!(taking.take(page(vec![], json!("a"))), Ok(Next::Page("a".to_owned())));
        assert_eq!(taking.take(page(vec![], json!("a"))), Ok(Next::Done));
        assert_eq!(taking.paged.notices.len(), 1);
        let mut taking = Taking::new("skills", ENTRIES);
        assert_eq!(taking.take(page(vec![], json!(2))), Ok(Next::Done));
        assert_eq!(taking.paged.notices.len(), 1);
        assert!(Taking::new("skills", ENTRIES).take(json!({ "resources": [] })).is_err());
    }

    #[test]
    fn a_mark_of_four_kibibytes_is_sent_back_and_one_more_byte_is_not() {
        let next = |bytes: usize| {
            Taking::new("skills", ENTRIES).take(page(vec![], json!("x".repeat(bytes)))).unwrap()
        };
        assert_eq!(next(4096), Next::Page("x".repeat(4096)));
        assert_eq!(next(4097), Next::Done);
    }

    #[test]
    fn the_page_that_stays_good_shortest_decides() {
        assert_eq!(least(None, None), None);
        assert_eq!(least(Some(5), None), Some(5));
        assert_eq!(least(None, Some(5)), Some(5));
        assert_eq!(least(Some(5), Some(3)), Some(3));
    }

    #[test]
    fn twenty_notices_are_told_and_the_twenty_first_is_counted() {
        let many = |count: usize| (0..count).map(|n| format!("n{n}")).collect::<Vec<_>>();
        assert_eq!(bounded(many(20)).len(), 20);
        let told = bounded(many(21));
        assert_eq!((told.len(), told[20].as_str()), (21, "and 1 more of this kind"));
    }

    #[test]
    fn a_value_weighs_about_what_it_takes_as_json() {
        assert_eq!(weight(&json!("abc")), 6);
        assert_eq!(weight(&json!({ "a": ["b", 1] })), 2 + 5 + 2 + 4 + 8);
    }
}
