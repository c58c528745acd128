//! What an HTTP request must show before anything else is looked at. Pages in a browser reach local
//! addresses too, so it must be addressed to this machine and not come from somebody else's page.

use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};

use http::header::{AUTHORIZATION, HOST, ORIGIN};
use http::{HeaderMap, Uri};
use skills::digest::Digest;
use skills::provider::policy::{Caller, Transport};
use subtle::{Choice, ConstantTimeEq as _};
use url::{Host, Url};

use super::{ServeOptions, Token};
use crate::limits::quoted;

/// The most names of refused requests that are said, each once.
const SAID: usize = 10;

/// Where a request came from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Address(pub(super) IpAddr);

/// Why a request is not answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refusal {
    /// Its name is none of this machine.
    Host,
    /// As `Host`, where a name can be let in.
    Name,
    Origin,
    NoToken,
    WrongToken,
    /// It does not say who asks, but several.
    TwoTokens,
}

pub(super) struct Gate {
    tokens: Vec<Known>,
    remote: bool,
    hosts: Vec<Host<String>>,
    /// Names of requests that were refused, as they were said.
    said: Mutex<Vec<String>>,
}

/// A token by the digest of its secret: digests are of one length, and comparing them tells nothing
/// of the secret.
struct Known {
    digest: String,
    caller: Caller,
}

impl Gate {
    pub(super) fn new(options: &ServeOptions) -> Self {
        let known = |token: &Token| Known {
            digest: Digest::of(token.secret.as_bytes()).hex(),
            caller: Caller {
                identity: Some(token.identity.clone()),
                scopes: token.scopes.clone(),
                transport: Transport::Http,
            },
        };
        Self {
            tokens: options.tokens.iter().map(known).collect(),
            remote: options.allow_remote,
            hosts: options.hosts.iter().filter_map(|name| named(name)).collect(),
            said: Mutex::default(),
        }
    }

    /// Whether the request is for this machine and from no foreign page. `local` is the address at
    /// which it arrived.
    pub(super) fn addressed(
        &self,
        uri: &Uri,
        headers: &HeaderMap,
        local: IpAddr,
    ) -> Result<(), Refusal> {
        let mut hosts = headers.get_all(HOST).iter();
        let header = match (hosts.next(), hosts.next()) {
            (Some(host), None) => Some(host.to_str().map_err(|_| Refusal::Host)?),
            (None, _) => None,
            (Some(_), Some(_)) => return Err(Refusal::Host),
        };
        // A target may name a machine as well, and then counts more than the header.
        let target = uri.authority().map(http::uri::Authority::as_str);
        if header.is_none() && target.is_none() {
            return Err(Refusal::Host);
        }
        let scheme = uri.scheme_str().unwrap_or("http");
        for (scheme, name) in [(scheme, target), ("http", header)] {
            let Some(name) = name else { continue };
            if !self.is_here(&format!("{scheme}://{name}"), local) {
                return Err(match self.remote {
                    true => self.unknown(quoted(name)),
                    false => Refusal::Host,
                });
            }
        }
        // Browsers send Origin, other clients do not.
        let here = |origin: &str| self.is_here(origin, local);
        let all = headers.get_all(ORIGIN).iter().all(|origin| origin.to_str().is_ok_and(here));
        if all { Ok(()) } else { Err(Refusal::Origin) }
    }

    /// Who asks. Every token is compared, and each in the same time wherever it differs.
    pub(super) fn caller(&self, headers: &HeaderMap) -> Result<Caller, Refusal> {
        if headers.get_all(AUTHORIZATION).iter().nth(1).is_some() {
            return Err(Refusal::TwoTokens);
        }
        if self.tokens.is_empty() {
            let (identity, scopes) = (None, Vec::new());
            return Ok(Caller { identity, scopes, transport: Transport::Http });
        }
        let shown = bearer(headers).ok_or(Refusal::NoToken)?;
        let mut caller = None;
        for known in &self.tokens {
            let same: Choice = known.digest.as_bytes().ct_eq(shown.as_bytes());
            if bool::from(same) {
                caller = Some(&known.caller);
            }
        }
        caller.cloned().ok_or(Refusal::WrongToken)
    }

    /// Says of a name that it was refused.
    fn unknown(&self, name: String) -> Refusal {
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        if said.len() < SAID && !said.contains(&name) {
            tracing::warn!(host = name, "a request to a name that is not let in was refused");
            said.push(name);
        }
        Refusal::Name
    }

    fn is_here(&self, origin: &str, local: IpAddr) -> bool {
        let Some(host) = host(origin) else { return false };
        let ip = match &host {
            Host::Domain(name) if name == "localhost" => return true,
            Host::Domain(_) => None,
            Host::Ipv4(ip) => Some(IpAddr::V4(*ip)),
            Host::Ipv6(ip) => Some(IpAddr::V6(*ip)),
        };
        // No page can make a browser send the address itself for another name.
        ip.is_some_and(|ip| ip.is_loopback() || (self.remote && ip == local.to_canonical()))
            || (self.remote && self.hosts.contains(&host))
    }
}

/// A name under which a machine is reached: of a host, without a port or anything else.
pub(super) fn named(name: &str) -> Option<Host<String>> {
    let plain = name.chars().all(|c| c.is_alphanumeric() || "-._".contains(c));
    let bracketed = name.starts_with('[') && name.ends_with(']');
    host(&format!("http://{name}")).filter(|_| plain || bracketed)
}

/// The host of an origin: a scheme, a host, perhaps a port, and nothing else.
fn host(origin: &str) -> Option<Host<String>> {
    let url = Url::parse(origin).ok()?;
    let plain = matches!(url.scheme(), "http" | "https")
        && url.username().is_empty()
        && url.password().is_none()
        && url.path() == "/"
        && url.query().is_none()
        && url.fragment().is_none();
    url.host().filter(|_| plain).map(|host| host.to_owned())
}

/// The digest of the token that is shown.
fn bearer(headers: &HeaderMap) -> Option<String> {
    let (scheme, secret) = headers.get(AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    let secret = secret.trim();
    (scheme.eq_ignore_ascii_case("bearer") && !secret.is_empty())
        .then(|| Digest::of(secret.as_bytes()).hex())
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOOPBACK: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

    fn gate(options: ServeOptions) -> Gate {
        Gate::new(&options)
    }

    fn headers(pairs: &[(http::HeaderName, &str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (name.clone(), value.parse().unwrap())).collect()
    }

    #[test]
    fn only_names_of_this_machine_are_here() {
        let gate = gate(ServeOptions::default());
        for good in
            ["http://localhost", "http://localhost:3000", "https://127.0.0.1", "http://[::1]:80"]
        {
            assert!(gate.is_here(good, LOOPBACK), "{good}");
        }
        for bad in [
            "null",
            "http://localhost.example.org",
            "http://example.org",
            "http://127.0.0.1.example.org",
            "http://127.0.0.1@example.org",
            "http://example.org@127.0.0.1",
            "http://localhost/?x",
            "file://localhost",
            "http://",
        ] {
            assert!(!gate.is_here(bad, LOOPBACK), "{bad}");
        }
    }

    #[test]
    fn further_hosts_are_accepted_only_where_other_machines_may_connect() {
        let local: IpAddr = "192.168.1.7".parse().unwrap();
        let hosts = vec!["Skills.Example.org".to_owned()];
        let open =
            gate(ServeOptions { allow_remote: true, hosts: hosts.clone(), ..Default::default() });
        for good in ["http://skills.example.org:80", "http://192.168.1.7:8000", "http://localhost"]
        {
            assert!(open.is_here(good, local), "{good}");
        }
        for bad in ["http://example.org", "http://192.168.1.8", "http://a.skills.example.org"] {
            assert!(!open.is_here(bad, local), "{bad}");
        }
        let uri = Uri::from_static("/mcp");
        let asked = |name| open.addressed(&uri, &headers(&[(HOST, name)]), local);
        assert_eq!(asked("skills.example.org:7341"), Ok(()));
        assert_eq!(asked("mybox.local:7341"), Err(Refusal::Name));
        let closed = gate(ServeOptions { hosts, ..Default::default() });
        assert!(!closed.is_here("http://skills.example.org", local));
        assert!(!closed.is_here("http://192.168.1.7", local));
    }

    #[test]
    fn a_name_has_no_port_and_nothing_else() {
        for good in ["mybox.local", "MYBOX", "192.168.1.7", "[fe80::1]"] {
            assert!(named(good).is_some(), "{good}");
        }
        for bad in ["", "mybox:80", "http://mybox", "a@b", "a/b", "a b", "*", "a?", "[::1]:80"] {
            assert!(named(bad).is_none(), "{bad}");
        }
    }

    #[test]
    fn refused_names_are_said_once_and_not_without_end() {
        let open = gate(ServeOptions { allow_remote: true, ..Default::default() });
        for name in (0..30).chain(0..30) {
            open.unknown(name.to_string());
        }
        assert_eq!(open.said.lock().unwrap().len(), SAID);
    }

    #[test]
    fn a_request_names_one_host() {
        let gate = gate(ServeOptions::default());
        let uri = Uri::from_static("/mcp");
        let checked = |pairs| gate.addressed(&uri, &headers(pairs), LOOPBACK);
        assert_eq!(checked(&[(HOST, "localhost")]), Ok(()));
        assert_eq!(checked(&[]), Err(Refusal::Host));
        let mut two = headers(&[(HOST, "localhost")]);
        two.append(HOST, "localhost".parse().unwrap());
        assert_eq!(gate.addressed(&uri, &two, LOOPBACK), Err(Refusal::Host));
        let foreign = [(HOST, "localhost"), (ORIGIN, "http://example.org")];
        assert_eq!(checked(&foreign), Err(Refusal::Origin));
        let absolute = |target, host: &[_]| {
            gate.addressed(&Uri::from_static(target), &headers(host), LOOPBACK)
        };
        let here = [(HOST, "localhost")];
        assert_eq!(absolute("http://127.0.0.1:80/mcp", &here), Ok(()));
        assert_eq!(absolute("http://127.0.0.1/mcp", &[]), Ok(()));
        assert_eq!(absolute("http://example.org/mcp", &here), Err(Refusal::Host));
        assert_eq!(absolute("ftp://localhost/mcp", &here), Err(Refusal::Host));
        assert_eq!(absolute("http://localhost/mcp", &[(HOST, "a.org")]), Err(Refusal::Host));
    }

    #[test]
    fn a_token_is_known_by_its_secret_and_an_empty_one_opens_nothing() {
        let token = |identity: &str, secret: &str| Token {
            identity: identity.to_owned(),
            secret: secret.to_owned(),
            scopes: vec!["team".to_owned()],
        };
        let tokens = vec![token("a", "one"), token("b", "two"), token("c", "")];
        let gate = gate(ServeOptions { tokens, ..Default::default() });
        let shown = |value| gate.caller(&headers(&[(AUTHORIZATION, value)]));
        assert_eq!(shown("Bearer two").unwrap().identity.as_deref(), Some("b"));
        assert_eq!(shown("bearer one").unwrap().scopes, ["team"]);
        assert_eq!(shown("Bearer three"), Err(Refusal::WrongToken));
        for none in ["Bearer ", "Bearer", "Basic one", "one"] {
            assert_eq!(shown(none), Err(Refusal::NoToken), "{none}");
        }
        assert_eq!(gate.caller(&HeaderMap::new()), Err(Refusal::NoToken));
        let mut both = headers(&[(AUTHORIZATION, "Bearer one")]);
        both.append(AUTHORIZATION, "Bearer two".parse().unwrap());
        assert_eq!(gate.caller(&both), Err(Refusal::TwoTokens));
    }
}
