//! Pages of a list. A cursor names the last item of its page, so that pages stay right when items
//! come and go in between.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use rmcp::model::{ErrorData, PaginatedRequestParams};

/// The items after the cursor, at most `size`, and the cursor of the next page.
pub(super) fn page<T>(
    mut items: Vec<T>,
    request: Option<PaginatedRequestParams>,
    size: usize,
    key: impl Fn(&T) -> &str,
) -> Result<(Vec<T>, Option<String>), ErrorData> {
    if let Some(cursor) = request.and_then(|request| request.cursor) {
        let last = BASE64_URL_SAFE_NO_PAD
            .decode(cursor.as_bytes())
            .ok()
            .and_then(|bytes| String::from_utf8(bytes).ok());
        let at = last.and_then(|last| items.iter().position(|item| key(item) == last));
        let Some(at) = at else {
            return Err(ErrorData::invalid_params(
                "this cursor is not valid here; list again from the start",
                None,
            ));
        };
        items.drain(..=at);
    }
    if items.len() <= size {
        return Ok((items, None));
    }
    items.truncate(size);
    let next = items.last().map(|item| BASE64_URL_SAFE_NO_PAD.encode(key(item)));
    Ok((items, next))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn from(cursor: Option<String>) -> Option<PaginatedRequestParams> {
        Some(PaginatedRequestParams::default().with_cursor(cursor))
    }

    fn key<'a>(item: &'a &'static str) -> &'a str {
        item
    }

    #[test]
    fn pages_follow_one_another_to_the_end() {
        let (first, cursor) = page(vec!["a", "b", "c"], None, 2, key).unwrap();
        assert_eq!(first, ["a", "b"]);
        let (second, end) = page(vec!["a", "b", "c"], from(cursor), 2, key).unwrap();
        assert_eq!((second, end), (vec!["c"], None));
    }

    #[test]
    fn items_that_came_before_the_cursor_move_nothing() {
        let (_, cursor) = page(vec!["a", "b", "c"], None, 2, key).unwrap();
        let (second, _) = page(vec!["0", "a", "b", "c"], from(cursor), 2, key).unwrap();
        assert_eq!(second, ["c"]);
    }

    #[test]
    fn a_cursor_of_an_item_that_is_gone_is_refused() {
        let (_, cursor) = page(vec!["a", "b", "c"], None, 2, key).unwrap();
        let error = page(vec!["a", "c"], from(cursor), 2, key).unwrap_err();
        assert_eq!(error.code.0, -32602);
        assert!(page(vec!["a"], from(Some("%%%".to_owned())), 2, key).is_err());
    }
}
