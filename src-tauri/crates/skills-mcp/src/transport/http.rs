//! Streamable HTTP over a connection pool of our own: no redirects, and no proxy for this machine.

use std::sync::Arc;
use std::time::Duration;

use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use url::{Host, Url};

use crate::auth::Tokens;
use crate::client::ClientContext;
use crate::error::{ClientError, ErrorKind};
use crate::headers::checked_headers;
use crate::limits::{MESSAGE_BYTES, READS_AT_ONCE, Timeouts};
use crate::secret::Handed;
use crate::transport::bounded::Bounded;
use crate::transport::leaving::Leaving;
use crate::transport::post::Looking;
use crate::transport::signed::Signed;
use crate::transport::unasked::Unasked;

type Transport = Leaving<Unasked<StreamableHttpClientTransport<Signed<Bounded<Looking>>>>>;

/// A transport to this address; nothing is sent yet.
pub(crate) fn transport(
    url: &str,
    server: &str,
    context: &ClientContext,
    handed: &Handed,
) -> Result<Transport, ClientError> {
    let wrong = |reason: &str| {
        ClientError::new(ErrorKind::Unreachable, "connect to", server, reason)
            .with_hint("an address looks like https://example.org/mcp")
    };
    let parsed = Url::parse(url.trim()).map_err(|_| wrong("it is not an address"))?;
    if !matches!(parsed.scheme(), "http" | "https") {
        return Err(wrong("only http:// and https:// addresses can be reached"));
    }
    if !parsed.username().is_empty() || parsed.password().is_some() {
        return Err(wrong("an address with a user name or password in it is not used"));
    }
    let builder = || pool(is_loopback(&parsed), context.timeouts);
    let built = |builder: reqwest::ClientBuilder| {
        let doing = "connect to";
        builder.build().map_err(|error| {
            ClientError::new(ErrorKind::Unreachable, doing, server, "HTTP cannot be set up here")
                .with_source(error)
        })
    };
    let bounded = Bounded {
        calls: Looking(built(builder().read_timeout(context.timeouts.first_byte))?),
        streams: Looking(built(builder())?),
    };
    let own = |(name, _): &(String, String)| name.eq_ignore_ascii_case("authorization");
    let signs = context.token.is_none() && !context.headers.iter().any(own);
    let keep = context.sign_in.as_ref().filter(|_| signs);
    let tokens = keep.map(|keep| Tokens::new(&parsed, Arc::clone(keep), context.timeouts, handed));
    let client = Signed { inner: bounded, tokens };
    let mut config = StreamableHttpClientTransportConfig::with_uri(parsed.as_str())
        .max_json_response_size(MESSAGE_BYTES)
        .max_sse_event_size(MESSAGE_BYTES);
    let headers = context.headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    let headers = checked_headers(headers).map_err(|bad| {
        ClientError::new(ErrorKind::Unreachable, "connect to", server, bad.to_string())
            .with_hint("change its headers in the settings of the server")
    })?;
    config = config.custom_headers(headers);
    if let Some(token) = &context.token {
        config = config.auth_header(token.as_str());
    }
    let transport = StreamableHttpClientTransport::with_client(client, config);
    Ok(Leaving::new(Unasked::new(transport)))
}

/// Connections to servers: no redirects, the roots of the system, and the proxy that the variables of
/// the environment name, but none for this machine.
pub(crate) fn pool(here: bool, timeouts: Timeouts) -> reqwest::ClientBuilder {
    let builder = reqwest::Client::builder()
        .user_agent(concat!("skillhold/", env!("CARGO_PKG_VERSION")))
        .redirect(reqwest::redirect::Policy::none())
        .referer(false)
        .connect_timeout(timeouts.connect)
        .pool_max_idle_per_host(READS_AT_ONCE)
        .pool_idle_timeout(Duration::from_secs(60));
    if here { builder.no_proxy() } else { builder }
}

/// Whether an address is on this machine.
pub(crate) fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(ip)) => ip.is_loopback(),
        Some(Host::Ipv6(ip)) => ip.is_loopback(),
        Some(Host::Domain(name)) => {
            let name = name.trim_end_matches('.');
            name.eq_ignore_ascii_case("localhost")
                || name.to_ascii_lowercase().ends_with(".localhost")
        }
        None => false,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn loopback_is_told_from_other_hosts() {
        let loopback = |url: &str| is_loopback(&Url::parse(url).unwrap());
        assert!(loopback("http://127.0.0.1:8000/mcp"));
        assert!(loopback("http://127.9.9.9/"));
        assert!(loopback("http://[::1]:8000/mcp"));
        assert!(loopback("http://localhost/mcp"));
        assert!(!loopback("http://localhost.example.org/mcp"));
        assert!(!loopback("http://10.0.0.1/mcp"));
    }
}
