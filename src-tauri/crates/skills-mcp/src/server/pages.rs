//! Pages of a list. A cursor names the last item of its page, so that pages stay right when items
//! come and go in between.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use rmcp::model::{ErrorData, PaginatedRequestParams};
use serde_json::Value;

/// The lists that come in pages.
const LISTS: [&str; 3] = ["resources/list", "resources/templates/list", "skills/list"];

/// The key of the last item of the page before, if there was one.
pub(super) fn last_of(
    request: Option<PaginatedRequestParams>,
) -> Result<Option<String>, ErrorData> {
    let Some(cursor) = request.and_then(|request| request.cursor) else { return Ok(None) };
    let bytes = BASE64_URL_SAFE_NO_PAD.decode(cursor.as_bytes()).map_err(|_| no_such_page())?;
    String::from_utf8(bytes).map(Some).map_err(|_| no_such_page())
}

/// Why a list is not given where its parameters are none: rmcp drops parameters that it cannot
/// read where a method can do without, and would answer with the first page.
pub(super) fn misread(message: &Value) -> Option<String> {
    let method = message["method"].as_str().filter(|method| LISTS.contains(method))?;
    message.get("id")?;
    let read = match message.get("params") {
        None | Some(Value::Null) => true,
        Some(Value::Object(params)) => {
            params.get("cursor").is_none_or(|cursor| cursor.is_string() || cursor.is_null())
        }
        Some(_) => false,
    };
    (!read).then(|| format!("the parameters of {method} are not as MCP has them"))
}

/// The cursor of the page after the item with this key.
pub(super) fn cursor_after(key: &str) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(key)
}

/// The cursor is none that was given out, or its item is gone.
pub(super) fn no_such_page() -> ErrorData {
    ErrorData::invalid_params("this cursor is not valid here; list again from the start", None)
}

/// The items after the cursor, at most `size`, and the cursor of the next page.
pub(super) fn page<T>(
    mut items: Vec<T>,
    request: Option<PaginatedRequestParams>,
    size: usize,
    key: impl Fn(&T) -> &str,
) -> Result<(Vec<T>, Option<String>), ErrorData> {
    if let Some(last) = last_of(request)? {
        let at = items.iter().position(|item| key(item) == last).ok_or_else(no_such_page)?;
        items.drain(..=at);
    }
    if items.len() <= size {
        return Ok((items, None));
    }
    items.truncate(size);
    let next = items.last().map(|item| cursor_after(key(item)));
    Ok((items, next))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use serde_json::json;

    use super::*;

    fn from(cursor: Option<String>) -> Option<PaginatedRequestParams> {
        Some(PaginatedRequestParams::default().with_cursor(cursor))
    }

    fn key<'a>(item: &'a &'static str) -> &'a str {
        item
    }

    #[test]
    fn a_cursor_that_is_no_text_is_none() {
        let list = |params: Value| json!({ "jsonrpc": "2.0", "id": 1, "method": "skills/list", "params": params });
        for good in [json!({}), json!(null), json!({ "cursor": "x" }), json!({ "cursor": null })] {
            assert_eq!(misread(&list(good.clone())), None, "{good}");
        }
        for bad in [json!({ "cursor": 5 }), json!({ "cursor": {} }), json!([]), json!(7)] {
            let why = misread(&list(bad.clone()));
            let said = "the parameters of skills/list are not as MCP has them";
            assert_eq!(why.as_deref(), Some(said), "{bad}");
        }
        assert_eq!(misread(&json!({ "id": 1, "method": "ping", "params": 7 })), None);
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
