//! Batches: arrays of messages, which 2025-03-26 has and no other version.

use rmcp::model::{ProtocolVersion, RequestId};
use serde_json::{Value, json};

use crate::limits::{BATCH_MESSAGES, MESSAGE_BYTES};

/// The one version that has them.
pub(super) const VERSION: ProtocolVersion = ProtocolVersion::V_2025_03_26;

const TOO_MUCH: &str = "the answers of this batch are too large; ask for this one by itself";

/// Why none of these messages is looked at.
pub(super) fn refused(messages: &[Value], has_batches: bool) -> Option<String> {
    if !has_batches {
        let why = format!("only {VERSION} has batches of messages; send each by itself");
        return Some(why);
    }
    if messages.is_empty() {
        return Some("a batch has at least one message".to_owned());
    }
    if messages.len() > BATCH_MESSAGES {
        return Some(format!("a batch has {BATCH_MESSAGES} messages at most"));
    }
    let shakes_hands = messages.iter().any(|message| message["method"] == "initialize");
    shakes_hands.then(|| "initialize does not go into a batch".to_owned())
}

/// Why one message of a batch is not looked at.
pub(super) fn unfit(message: &Value) -> Option<Value> {
    let refused = |why: &str| Some(error(-32600, why, id(message)));
    if !message.is_object() {
        return refused("a message is one JSON object");
    }
    let version = &message["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"];
    match version.is_null() || version == VERSION.as_str() {
        true => None,
        false => refused("this message is of a version without batches"),
    }
}

/// Whether a message is answered, be it with an error: it is no notification and no answer.
pub(super) fn asks(message: &Value) -> bool {
    match message.get("id") {
        Some(_) => message.get("result").is_none() && message.get("error").is_none(),
        None => !message["method"].is_string(),
    }
}

/// A message that says what is wrong with another.
pub(super) fn error(code: i32, message: &str, id: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } })
}

/// The id of a message where it is one.
pub(super) fn id(message: &Value) -> Value {
    let id = message.get("id").filter(|id| id.is_string() || id.is_i64() || id.is_u64());
    id.cloned().unwrap_or_default()
}

/// The answers of one batch, as they come.
#[derive(Debug, Default)]
pub(super) struct Answers {
    /// The array without its end; empty while there is none.
    text: Vec<u8>,
    /// Whether one had no room. Then all later ones have none, so that nothing is looked up in
    /// vain.
    full: bool,
}

impl Answers {
    /// Whether there is no room for another.
    pub(super) fn is_full(&self) -> bool {
        self.full
    }

    pub(super) fn push(&mut self, answer: &[u8]) {
        self.text.push(if self.text.is_empty() { b'[' } else { b',' });
        self.text.extend_from_slice(answer);
    }

    /// An answer, or that there is no room for it.
    pub(super) fn push_if_it_fits(&mut self, answer: &[u8], id: &Value) {
        match self.full || self.text.len() + answer.len() > MESSAGE_BYTES {
            true => self.push_no_room(id),
            false => self.push(answer),
        }
    }

    pub(super) fn push_no_room(&mut self, id: &Value) {
        self.full = true;
        self.push(error(-32603, TOO_MUCH, id.clone()).to_string().as_bytes());
    }

    /// The array; `None` where nothing was answered.
    pub(super) fn end(mut self) -> Option<Vec<u8>> {
        if self.text.is_empty() {
            return None;
        }
        self.text.push(b']');
        Some(self.text)
    }
}

/// The batches of one connection that are being answered.
#[derive(Debug, Default)]
pub(super) struct Batches {
    open: Vec<Batch>,
}

#[derive(Debug)]
struct Batch {
    waits_for: Vec<RequestId>,
    answers: Answers,
}

impl Batches {
    /// A batch came: what it waits for, and what is answered already. Gives all answers where
    /// nothing is waited for.
    pub(super) fn begin(&mut self, waits_for: Vec<RequestId>, answers: Answers) -> Option<Vec<u8>> {
        if waits_for.is_empty() {
            return answers.end();
        }
        self.open.push(Batch { waits_for, answers });
        None
    }

    /// Whether an answer belongs to a batch.
    pub(super) fn wait_for(&self, id: &RequestId) -> bool {
        self.open.iter().any(|batch| batch.waits_for.contains(id))
    }

    /// An answer came; `None` where its request was cancelled. Gives all answers of the batch
    /// where it was the last.
    pub(super) fn take(&mut self, id: &RequestId, answer: Option<&[u8]>) -> Option<Vec<u8>> {
        let at = self.open.iter().position(|batch| batch.waits_for.contains(id))?;
        let batch = &mut self.open[at];
        let waits = batch.waits_for.iter().position(|waits| waits == id)?;
        batch.waits_for.remove(waits);
        if let Some(answer) = answer {
            batch.answers.push_if_it_fits(answer, &id.clone().into_json_value());
        }
        match batch.waits_for.is_empty() {
            true => self.open.remove(at).answers.end(),
            false => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(id: i64) -> RequestId {
        RequestId::Number(id)
    }

    fn text(answers: Option<Vec<u8>>) -> Option<String> {
        answers.map(|answers| String::from_utf8(answers).unwrap())
    }

    #[test]
    fn a_batch_is_answered_when_the_last_answer_came() {
        let mut batches = Batches::default();
        assert_eq!(batches.begin(vec![number(1), number(2)], Answers::default()), None);
        let mut said = Answers::default();
        said.push(b"0");
        assert_eq!(batches.begin(vec![number(3)], said), None);
        assert!(!batches.wait_for(&number(4)));
        assert_eq!(batches.take(&number(2), Some(b"two")), None);
        assert!(!batches.wait_for(&number(2)) && batches.wait_for(&number(1)));
        assert_eq!(text(batches.take(&number(3), Some(b"three"))).as_deref(), Some("[0,three]"));
        assert_eq!(text(batches.take(&number(1), Some(b"one"))).as_deref(), Some("[two,one]"));
        assert_eq!(batches.take(&number(1), Some(b"one")), None);
    }

    #[test]
    fn nobody_waits_for_a_cancelled_request() {
        let mut batches = Batches::default();
        batches.begin(vec![number(1), number(2)], Answers::default());
        assert_eq!(batches.take(&number(1), None), None);
        assert_eq!(text(batches.take(&number(2), Some(b"two"))).as_deref(), Some("[two]"));
        batches.begin(vec![number(1)], Answers::default());
        assert_eq!(batches.take(&number(1), None), None);
        assert!(batches.open.is_empty());
    }

    #[test]
    fn answers_that_do_not_fit_are_refused_one_by_one() {
        let mut answers = Answers::default();
        let large = vec![b'x'; MESSAGE_BYTES - 1];
        answers.push_if_it_fits(&large, &json!(1));
        assert!(!answers.is_full());
        answers.push_if_it_fits(b"12", &json!("two"));
        assert!(answers.is_full());
        let said = text(answers.end()).unwrap().split_off(MESSAGE_BYTES);
        assert!(said.starts_with(r#",{"#) && said.ends_with("}]"), "{said}");
        let said: Value = serde_json::from_str(&said[1..said.len() - 1]).unwrap();
        assert_eq!((&said["error"]["code"], &said["id"]), (&json!(-32603), &json!("two")));
    }
}
