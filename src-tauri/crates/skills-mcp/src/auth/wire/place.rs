//! Which addresses a sign-in may have to do with, by what they say themselves.

use std::net::{Ipv4Addr, Ipv6Addr};

use url::{Host, Url};

use crate::limits::URI_BYTES;
use crate::transport::is_loopback;

const OAUTH: &str = "/.well-known/oauth-authorization-server";
const OPENID: &str = "/.well-known/openid-configuration";

/// Why an address that a server names is not asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NotAsked {
    #[error("it is not an https: address")]
    NotHttps,
    #[error("it is on this machine, and the server is not")]
    ThisMachine,
    #[error("it is on this network, and the server is not")]
    ThisNetwork,
    #[error("it names a user")]
    User,
    #[error("it is too long")]
    Long,
}

/// Whether an address may have to do with a sign-in at this server.
pub(crate) fn check_address(address: &Url, server: &Url) -> Result<(), NotAsked> {
    if address.as_str().len() > URI_BYTES {
        return Err(NotAsked::Long);
    }
    if !address.username().is_empty() || address.password().is_some() {
        return Err(NotAsked::User);
    }
    if !matches!(address.scheme(), "http" | "https") {
        return Err(NotAsked::NotHttps);
    }
    match Distance::of(address) {
        near if near >= Distance::of(server) => {}
        Distance::Machine => return Err(NotAsked::ThisMachine),
        _ => return Err(NotAsked::ThisNetwork),
    }
    if address.scheme() == "https" || is_loopback(address) {
        Ok(())
    } else {
        Err(NotAsked::NotHttps)
    }
}

/// Whether the metadata of this issuer may lie at this address: at one of the places that follow
/// from the issuer's own, and at the root of its host, where rmcp looks last.
pub(super) fn keeps_metadata(issuer: &Url, at: &Url) -> bool {
    let path = issuer.path().trim_end_matches('/');
    let places = [
        format!("{OAUTH}{path}"),
        format!("{OPENID}{path}"),
        format!("{path}{OPENID}"),
        OAUTH.into(),
    ];
    issuer.origin() == at.origin()
        && at.query().is_none()
        && places.iter().any(|it| it == at.path())
}

/// How far away an address is, where it says so. A name says nothing of where it leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Distance {
    Machine,
    Network,
    Anywhere,
}

impl Distance {
    fn of(address: &Url) -> Self {
        match address.host() {
            _ if is_loopback(address) => Self::Machine,
            Some(Host::Ipv4(ip)) => Self::of_ipv4(ip),
            Some(Host::Ipv6(ip)) => Self::of_ipv6(ip),
            _ => Self::Anywhere,
        }
    }

    fn of_ipv4(ip: Ipv4Addr) -> Self {
        let shared = ip.octets()[0] == 100 && ip.octets()[1] & 0xc0 == 64;
        if ip.is_loopback() || ip.octets()[0] == 0 {
            Self::Machine
        } else if ip.is_private()
            || ip.is_link_local()
            || ip.is_broadcast()
            || ip.is_multicast()
            || shared
        {
            Self::Network
        } else {
            Self::Anywhere
        }
    }

    fn of_ipv6(ip: Ipv6Addr) -> Self {
        if ip.is_loopback() || ip.is_unspecified() {
            Self::Machine
        } else if let Some(ip) = ip.to_ipv4() {
            Self::of_ipv4(ip)
        } else if ip.is_unique_local() || ip.is_unicast_link_local() || ip.is_multicast() {
            Self::Network
        } else {
            Self::Anywhere
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn check(address: &str, server: &str) -> Result<(), NotAsked> {
        check_address(&Url::parse(address).unwrap(), &Url::parse(server).unwrap())
    }

    const FAR: &str = "https://mcp.example/mcp";
    const NEAR: &str = "http://127.0.0.1:8000/mcp";

    #[test]
    fn only_https_is_asked_and_this_machine_only_by_a_server_on_it() {
        assert_eq!(check("https://auth.example/authorize", FAR), Ok(()));
        assert_eq!(check("http://auth.example/authorize", FAR), Err(NotAsked::NotHttps));
        assert_eq!(check("http://localhost:9/a", NEAR), Ok(()));
        assert_eq!(check("javascript:alert(1)", NEAR), Err(NotAsked::NotHttps));
        assert_eq!(check("file:///etc/passwd", NEAR), Err(NotAsked::NotHttps));
        assert_eq!(check("https://me@auth.example/", FAR), Err(NotAsked::User));
        let long = format!("https://auth.example/{}", "a".repeat(URI_BYTES));
        assert_eq!(check(&long, FAR), Err(NotAsked::Long));
        for here in [
            "http://localhost:9/a",
            "https://[::1]/a",
            "https://[::ffff:127.0.0.1]/a",
            "https://[::127.0.0.1]/a",
            "https://0.0.0.0/a",
            "https://[::]/a",
            "https://2130706433/a",
        ] {
            assert_eq!(check(here, FAR), Err(NotAsked::ThisMachine), "{here}");
        }
    }

    #[test]
    fn an_address_of_this_network_is_asked_only_by_a_server_on_it_or_nearer() {
        for near in [
            "https://10.0.0.1/a",
            "https://192.168.1.1/a",
            "https://169.254.169.254/a",
            "https://100.64.0.1/a",
            "https://[fd00::1]/a",
            "https://[fe80::1]/a",
            "https://[::ffff:10.0.0.1]/a",
        ] {
            assert_eq!(check(near, FAR), Err(NotAsked::ThisNetwork), "{near}");
            assert_eq!(check(near, "https://10.1.1.1/mcp"), Ok(()), "{near}");
            assert_eq!(check(near, NEAR), Ok(()), "{near}");
        }
        assert_eq!(
            check("https://127.0.0.1/a", "https://10.1.1.1/mcp"),
            Err(NotAsked::ThisMachine)
        );
        assert_eq!(check("https://93.184.215.14/a", FAR), Ok(()));
    }

    #[test]
    fn metadata_lies_where_its_issuer_keeps_it() {
        let kept = |issuer: &str, at: &str| {
            keeps_metadata(&Url::parse(issuer).unwrap(), &Url::parse(at).unwrap())
        };
        for issuer in ["https://a.example", "https://a.example/"] {
            assert!(kept(issuer, "https://a.example/.well-known/oauth-authorization-server"));
            assert!(kept(issuer, "https://a.example:443/.well-known/openid-configuration"));
        }
        let issuer = "https://a.example/t/1";
        for at in [
            "https://a.example/.well-known/oauth-authorization-server/t/1",
            "https://a.example/.well-known/openid-configuration/t/1",
            "https://a.example/t/1/.well-known/openid-configuration",
            "https://a.example/.well-known/oauth-authorization-server",
        ] {
            assert!(kept(issuer, at), "{at}");
        }
        for at in [
            "https://b.example/.well-known/oauth-authorization-server/t/1",
            "http://a.example/.well-known/oauth-authorization-server/t/1",
            "https://a.example:8443/.well-known/oauth-authorization-server/t/1",
            "https://a.example/.well-known/oauth-authorization-server/t/2",
            "https://a.example/t/2/.well-known/openid-configuration",
            "https://a.example/.well-known/anything",
            "https://a.example/.well-known/oauth-authorization-server/t/1?x",
        ] {
            assert!(!kept(issuer, at), "{at}");
        }
    }
}
