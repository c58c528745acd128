//! A message as it came over HTTP is made into values, if there are few enough of them.

use std::io;

use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, JsonRpcMessage, JsonRpcResponse, JsonRpcVersion2_0,
    ReadResourceResult, RequestId, ServerJsonRpcMessage, ServerResult,
};
use rmcp::transport::streamable_http_client::StreamableHttpError;
use serde::Deserialize;

use super::post::Failure;
use super::values::{TooMany, few_enough};

/// An answer with the contents of a resource, and nothing beside them.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Contents {
    jsonrpc: JsonRpcVersion2_0,
    id: RequestId,
    result: ReadResourceResult,
}

/// Reads an answer as what was asked for. rmcp tries every kind of message and of result in turn,
/// which for a small file takes longer than all else that is done with it; what is not plainly the
/// contents of a resource is left to it.
///
/// # Errors
/// Those of [`message_of`].
pub(super) fn answer_of(
    asked: &ClientJsonRpcMessage,
    body: &[u8],
) -> Result<ServerJsonRpcMessage, Failure> {
    let reads = match asked {
        JsonRpcMessage::Request(asked) => {
            matches!(asked.request, ClientRequest::ReadResourceRequest(_))
        }
        _ => false,
    };
    if reads
        && few_enough(body)
        && let Ok(Contents { jsonrpc, id, result }) = serde_json::from_slice(body)
    {
        let result = ServerResult::ReadResourceResult(result);
        return Ok(JsonRpcMessage::Response(JsonRpcResponse { jsonrpc, id, result }));
    }
    message_of(body)
}

/// Reads any message.
///
/// # Errors
/// When it has too many values, or is not one of MCP.
pub(super) fn message_of(body: &[u8]) -> Result<ServerJsonRpcMessage, Failure> {
    if !few_enough(body) {
        return Err(StreamableHttpError::Io(io::Error::new(io::ErrorKind::InvalidData, TooMany)));
    }
    Ok(serde_json::from_slice(body)?)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic)]

    use rmcp::model::{
        GetSkillRequest, GetSkillRequestParams, JsonRpcRequest, ReadResourceRequest,
        ReadResourceRequestParams, ResourceContents,
    };

    use super::*;

    fn asked(request: ClientRequest) -> ClientJsonRpcMessage {
        JsonRpcMessage::Request(JsonRpcRequest::new(RequestId::Number(7), request))
    }

    fn read() -> ClientJsonRpcMessage {
        let params = ReadResourceRequestParams::new("skill://a/b");
        asked(ClientRequest::ReadResourceRequest(ReadResourceRequest::new(params)))
    }

    #[test]
    fn the_contents_that_were_asked_for_are_read_as_such() {
        let body =
            br#"{"jsonrpc":"2.0","id":7,"result":{"resultType":"complete","ttlMs":0,"more":1,
            "contents":[{"uri":"skill://a/b","mimeType":"text/plain","text":"a\u00e9"}]}}"#;
        let Ok(JsonRpcMessage::Response(answer)) = answer_of(&read(), body) else {
            panic!("no answer")
        };
        assert_eq!(answer.id, RequestId::Number(7));
        let ServerResult::ReadResourceResult(result) = answer.result else { panic!("no contents") };
        let [ResourceContents::TextResourceContents { text, .. }] = result.contents.as_slice()
        else {
            panic!("{:?}", result.contents)
        };
        assert_eq!(text, "a\u{e9}");
    }

    #[test]
    fn what_is_not_plainly_that_is_read_as_any_message() {
        let of = |body: &str| answer_of(&read(), body.as_bytes());
        let error = of(r#"{"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"none"}}"#);
        assert!(matches!(error, Ok(JsonRpcMessage::Error(_))), "{error:?}");
        let news = of(r#"{"jsonrpc":"2.0","method":"notifications/message","params":{}}"#);
        assert!(matches!(news, Ok(JsonRpcMessage::Notification(_))), "{news:?}");
        // As rmcp has it: nobody says two things at once.
        let contents = r#""result":{"contents":[]}"#;
        for beside in [r#""error":{"code":1,"message":""}"#, r#""method":"ping""#, contents] {
            let both = of(&format!(r#"{{"jsonrpc":"2.0","id":7,{contents},{beside}}}"#));
            assert!(both.is_err(), "{beside}: {both:?}");
        }
        assert!(of(r#"{"jsonrpc":"1.0","id":7,"result":{"contents":[]}}"#).is_err());
        let wrong = of(r#"{"jsonrpc":"2.0","id":7,"result":{"contents":{}}}"#);
        let Ok(JsonRpcMessage::Response(wrong)) = wrong else { panic!("{wrong:?}") };
        assert!(!matches!(wrong.result, ServerResult::ReadResourceResult(_)));
    }

    #[test]
    fn too_many_values_are_not_read_whatever_was_asked_for() {
        let many = "{},".repeat(crate::limits::MESSAGE_VALUES);
        let body = format!(r#"{{"jsonrpc":"2.0","id":7,"result":{{"contents":[{many}{{}}]}}}}"#);
        let skill = GetSkillRequest::new(GetSkillRequestParams::new("skill://a/SKILL.md"));
        for asked in [read(), asked(ClientRequest::GetSkillRequest(skill))] {
            let error = answer_of(&asked, body.as_bytes()).unwrap_err();
            assert!(matches!(error, StreamableHttpError::Io(_)), "{error}");
        }
    }
}
