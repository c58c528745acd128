//! From a refusal to a token.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::json;
use skills::origin::Endpoint;
use skills_mcp::auth::{Keep as _, SignIn};
use skills_mcp::limits::Timeouts;
use skills_mcp::{ClientContext, Connection, ErrorKind};

use crate::scripted::{Reply, Scripted, all_of, metadata, visit};
use crate::support::context;

const METADATA: &str = "GET /.well-known/oauth-authorization-server/as";
const RESOURCE: &str = "GET /.well-known/oauth-protected-resource/mcp";

/// Why no sign-in can begin at a server that answers this request so.
async fn refused(
    what: &'static str,
    reply: impl Fn(&str) -> Reply + Send + Sync + 'static,
) -> String {
    let server = Scripted::new(move |asked, at| (asked.what == what).then(|| reply(at))).await;
    let error = server.discover().await.unwrap_err();
    assert!(server.asked("POST /as/register").is_empty());
    error.to_string().replace(&server.base, "BASE")
}

#[tokio::test]
async fn who_signed_in_is_let_in() {
    let server = Scripted::good().await;
    let error = server.connect().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::SignIn);
    assert_eq!(
        error.to_string(),
        format!("cannot connect to {}/mcp: the server asks to sign in", server.base)
    );

    let sign_in = server.discover().await.unwrap();
    assert_eq!(sign_in.issuer(), format!("{}/as", server.base));
    assert_eq!(sign_in.opens(), format!("{}/as/authorize", server.base));
    assert_eq!(sign_in.scopes(), ["skills:read"]);
    // Nobody was told anything yet.
    assert!(server.asked("POST /as/register").is_empty());

    let opened = Arc::new(Mutex::new(String::new()));
    let (seen, browser) = (Arc::clone(&opened), server.browser(&[("code", "code-1")]));
    let grant = sign_in
        .run(move |page| {
            page.clone_into(&mut seen.lock().unwrap());
            browser(page)
        })
        .await
        .unwrap();
    assert!(opened.lock().unwrap().contains("scope=skills%3Aread"));
    assert!(!format!("{grant:?}").contains("access-1"));
    server.keep.save(&grant.text()).unwrap();
    let connection = server.connect().await.unwrap();
    assert_eq!(connection.list().await.unwrap().offers.len(), 1);
    assert_eq!(server.asked("POST /as/token").len(), 1);
}

#[tokio::test]
async fn metadata_at_a_place_that_is_not_its_issuers_is_nobodys() {
    let message = refused(RESOURCE, |at| {
        let servers = [format!("{at}/.well-known/evil")];
        Reply::Json(
            200,
            json!({ "resource": format!("{at}/mcp"), "authorization_servers": servers }),
        )
    })
    .await;
    assert_eq!(
        message,
        "cannot sign in to BASE/mcp: what it says about BASE/as does not come from there"
    );
}

#[tokio::test]
async fn a_no_in_the_browser_is_told() {
    let server = Scripted::good().await;
    let sign_in = server.discover().await.unwrap();
    let error = sign_in.run(server.browser(&[("error", "access_denied")])).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Refused);
    assert_eq!(
        error.to_string(),
        format!("cannot sign in to {}/mcp: access was denied there", server.base)
    );
    assert!(server.asked("POST /as/token").is_empty());
}

#[tokio::test]
async fn words_of_the_authorization_server_are_not_repeated() {
    let server = Scripted::good().await;
    let sign_in = server.discover().await.unwrap();
    let error = sign_in.run(server.browser(&[("error", "secret-1")])).await.unwrap_err();
    assert!(error.to_string().ends_with(": its authorization server says no"), "{error}");
}

#[tokio::test]
async fn another_state_is_turned_away_and_the_right_one_is_still_waited_for() {
    let server = Scripted::good().await;
    let sign_in = server.discover().await.unwrap();
    let visited = Arc::new(Mutex::new(Vec::new()));
    let (seen, scripted) = (Arc::clone(&visited), &server);
    sign_in
        .run(|page| {
            let good = scripted.agreed(page);
            let mut wrong = good.clone();
            wrong.set_query(Some("code=code-1&state=another"));
            tokio::spawn(async move {
                let (first, _) = visit(&wrong).await.unwrap();
                let (second, page) = visit(&good).await.unwrap();
                *seen.lock().unwrap() = vec![first, second];
                assert!(page.contains("You are back"), "{page}");
            });
            Ok(())
        })
        .await
        .unwrap();
    assert_eq!(server.asked("POST /as/token").len(), 1);
    let both = async {
        while visited.lock().unwrap().is_empty() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), both).await.unwrap();
    assert_eq!(*visited.lock().unwrap(), [400, 200]);
}

#[tokio::test]
async fn a_code_is_taken_once() {
    let server = Scripted::good().await;
    let sign_in = server.discover().await.unwrap();
    let page = Arc::new(Mutex::new(None));
    let (kept, browser) = (Arc::clone(&page), server.browser(&[("code", "code-1")]));
    sign_in
        .run(|page| {
            *kept.lock().unwrap() = Some(page.to_owned());
            browser(page)
        })
        .await
        .unwrap();
    let again = server.agreed(page.lock().unwrap().as_deref().unwrap());
    assert_eq!(visit(&again).await, None);
    assert_eq!(server.asked("POST /as/token").len(), 1);
}

#[tokio::test]
async fn a_person_who_does_not_come_back_is_not_waited_for_for_ever() {
    let server = Scripted::good().await;
    let timeouts = Timeouts { sign_in: Duration::from_millis(100), ..context().timeouts };
    let sign_in = SignIn::discover(&server.url(), None, timeouts).await.unwrap();
    let error = sign_in.run(|_| Ok(())).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Timeout);
    assert!(error.to_string().ends_with(": nobody came back from the browser"), "{error}");
}

#[tokio::test]
async fn without_a_browser_that_is_said() {
    let server = Scripted::good().await;
    let sign_in = server.discover().await.unwrap();
    let error = sign_in.run(|_| Err("no browser could be started".to_owned())).await.unwrap_err();
    assert!(error.to_string().ends_with(": no browser could be started"), "{error}");
}

#[tokio::test]
async fn an_authorization_server_that_is_silent_is_given_up() {
    let server = Scripted::new(|asked, _| (asked.what == METADATA).then_some(Reply::Silence)).await;
    let timeouts = Timeouts { connect: Duration::from_millis(200), ..context().timeouts };
    let error = SignIn::discover(&server.url(), None, timeouts).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Timeout, "{error}");
}

#[tokio::test]
async fn metadata_that_is_too_large_is_not_read() {
    let told = refused(METADATA, |at| {
        let mut large = metadata(at);
        large["padding"] = json!("x".repeat(256 * 1024));
        Reply::Json(200, large)
    });
    assert_eq!(
        told.await,
        "cannot sign in to BASE/mcp: 127.0.0.1 was asked how: its answer is larger than 262144 bytes"
    );
}

#[tokio::test]
async fn metadata_of_exactly_the_limit_are_read() {
    let server = Scripted::new(|asked, at| {
        (asked.what == METADATA).then(|| {
            let mut large = metadata(at);
            large["padding"] = json!("");
            let room = 256 * 1024 - large.to_string().len();
            large["padding"] = json!("x".repeat(room));
            Reply::Json(200, large)
        })
    })
    .await;
    assert!(server.discover().await.is_ok());
}

#[tokio::test]
async fn a_browser_that_comes_back_with_too_much_is_turned_away() {
    let server = Scripted::good().await;
    let (scripted, answers) = (&server, Arc::new(Mutex::new(Vec::new())));
    let seen = Arc::clone(&answers);
    server
        .discover()
        .await
        .unwrap()
        .run(|page| {
            let good = scripted.agreed(page);
            let with = |bytes| {
                let mut other = good.clone();
                other.set_query(Some(&format!("state=wrong&code={}", "x".repeat(bytes))));
                other
            };
            let (fits, over) = (with(15 * 1024), with(17 * 1024));
            tokio::spawn(async move {
                let mut came = Vec::new();
                for address in [&fits, &over] {
                    came.push(visit(address).await.map(|(status, _)| status));
                }
                *seen.lock().unwrap() = came;
                visit(&good).await;
            });
            Ok(())
        })
        .await
        .unwrap();
    assert_eq!(*answers.lock().unwrap(), [Some(400), Some(431)]);
}

#[tokio::test]
async fn metadata_of_another_issuer_are_refused() {
    let told = refused(METADATA, |at| {
        let mut other = metadata(at);
        other["issuer"] = json!("https://evil.example");
        Reply::Json(200, other)
    });
    assert_eq!(
        told.await,
        "cannot sign in to BASE/mcp: the authorization server BASE/as says that it is \
         https://evil.example"
    );
}

#[tokio::test]
async fn metadata_of_another_resource_are_refused() {
    let told = refused(RESOURCE, |at| {
        let servers = [format!("{at}/as")];
        Reply::Json(
            200,
            json!({ "resource": "https://bank.example/mcp", "authorization_servers": servers }),
        )
    });
    assert_eq!(
        told.await,
        "cannot sign in to BASE/mcp: what it says about signing in is about another server, \
         https://bank.example/mcp"
    );
}

#[tokio::test]
async fn a_page_that_is_not_on_the_web_is_not_opened() {
    for (page, why) in [
        ("javascript:alert(1)", "it is not an https: address"),
        ("file:///etc/passwd", "it is not an https: address"),
        ("http://auth.example/authorize", "it is not an https: address"),
        ("https://me:pw@auth.example/authorize", "it names a user"),
        ("calc", "it is no address"),
    ] {
        let told = refused(METADATA, move |at| {
            let mut other = metadata(at);
            other["authorization_endpoint"] = json!(page);
            Reply::Json(200, other)
        });
        assert_eq!(
            told.await,
            format!("cannot sign in to BASE/mcp: the page to sign in at {page} is not used: {why}")
        );
    }
}

#[tokio::test]
async fn tokens_are_asked_for_over_https_alone() {
    for (field, what) in
        [("token_endpoint", "for tokens"), ("registration_endpoint", "for registering")]
    {
        let told = refused(METADATA, move |at| {
            let mut other = metadata(at);
            other[field] = json!("http://auth.example/x");
            Reply::Json(200, other)
        });
        assert_eq!(
            told.await,
            format!(
                "cannot sign in to BASE/mcp: the address {what} http://auth.example/x is not used: \
                 it is not an https: address"
            )
        );
    }
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let told = refused(METADATA, |_| Reply::Redirect("/elsewhere"));
    assert_eq!(
        told.await,
        "cannot sign in to BASE/mcp: 127.0.0.1 was asked how: it answers with a redirect (HTTP \
         status 302), which is not followed"
    );
}

#[tokio::test]
async fn a_server_that_does_not_say_where_is_told() {
    let server = Scripted::new(|asked, _| {
        asked.what.starts_with("GET /.well-known").then(|| Reply::Json(404, json!({})))
    })
    .await;
    let error = server.discover().await.unwrap_err();
    assert!(error.to_string().ends_with(": it does not say where to sign in"), "{error}");
    assert!(error.hint().unwrap().starts_with("if you have a token for it"));
}

#[tokio::test]
async fn without_pkce_nobody_signs_in() {
    let server = Scripted::new(|asked, at| {
        (asked.what == METADATA).then(|| {
            let mut other = metadata(at);
            other["code_challenge_methods_supported"] = json!(["plain"]);
            Reply::Json(200, other)
        })
    })
    .await;
    let error = server.discover().await.unwrap().run(|_| Ok(())).await.unwrap_err();
    assert!(error.to_string().contains("does not know PKCE with S256"), "{error}");
    assert!(server.asked("POST /as/register").is_empty());
}

#[tokio::test]
async fn scopes_that_cannot_be_shown_are_refused() {
    let server = Scripted::good().await;
    let long = format!("Bearer scope=\"{}\"", "x".repeat(257));
    for challenge in ["Bearer scope=\"a \u{202e}b\"", "Bearer scope=\"a\\\\b\"", &long] {
        let found = SignIn::discover(&server.url(), Some(challenge), context().timeouts).await;
        let told = found.unwrap_err().to_string();
        assert!(told.ends_with(": it asks for scopes that cannot be shown"), "{told}");
    }
    let longest = format!("Bearer scope=\"{}\"", "x".repeat(256));
    let found = SignIn::discover(&server.url(), Some(&longest), context().timeouts).await;
    assert_eq!(found.unwrap().scopes()[0].len(), 256);
    let many: Vec<String> = (0..65).map(|n| format!("s{n}")).collect();
    let challenge = format!("Bearer scope=\"{}\"", many.join(" "));
    let found = SignIn::discover(&server.url(), Some(&challenge), context().timeouts).await;
    assert!(found.is_err());
    let challenge = format!("Bearer scope=\"{}\"", many[..64].join(" "));
    let found = SignIn::discover(&server.url(), Some(&challenge), context().timeouts).await;
    assert_eq!(found.unwrap().scopes().len(), 64);
}

#[tokio::test]
async fn metadata_are_found_wherever_the_standards_put_them() {
    for (resource, server_metadata, issuer) in [
        (
            "/.well-known/oauth-protected-resource/mcp",
            "/.well-known/oauth-authorization-server/as",
            "/as",
        ),
        ("/.well-known/oauth-protected-resource", "/.well-known/openid-configuration/as", "/as"),
        ("/.well-known/oauth-protected-resource", "/as/.well-known/openid-configuration", "/as"),
        ("", "/.well-known/oauth-authorization-server", ""),
    ] {
        let server = Scripted::new(move |asked, at| {
            let path = asked.what.strip_prefix("GET ")?;
            if !path.contains("/.well-known") {
                return None;
            }
            Some(if path == resource {
                let servers = [format!("{at}{issuer}")];
                Reply::Json(
                    200,
                    json!({ "resource": format!("{at}/mcp"), "authorization_servers": servers }),
                )
            } else if path == server_metadata {
                let mut found = metadata(at);
                found["issuer"] = json!(format!("{at}{issuer}"));
                Reply::Json(200, found)
            } else {
                Reply::Json(404, json!({}))
            })
        })
        .await;
        let found = SignIn::discover(&server.url(), None, context().timeouts).await;
        let found = found.unwrap_or_else(|error| panic!("{resource} {server_metadata}: {error}"));
        assert_eq!(found.issuer(), format!("{}{issuer}", server.base));
    }
}

#[tokio::test]
async fn a_token_is_not_sent_in_the_clear() {
    let url = "http://mcp.example/mcp";
    let error = SignIn::discover(url, None, context().timeouts).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "cannot sign in to http://mcp.example/mcp: its own address is not one to sign in at: it is \
         not an https: address"
    );
}

#[tokio::test]
async fn what_the_authorization_server_writes_is_in_no_message() {
    for what in ["POST /as/register", "POST /as/token"] {
        let server = Scripted::new(move |asked, _| {
            let echo = json!({ "error": "secret-1", "error_description": "secret-2", "access_token": "secret-3" });
            (asked.what == what).then_some(Reply::Json(400, echo))
        })
        .await;
        let browser = server.browser(&[("code", "secret-4")]);
        let error = server.discover().await.unwrap().run(browser).await.unwrap_err();
        assert!(!all_of(&error).contains("secret"), "{error:?}");
        assert!(error.to_string().ends_with("(HTTP status 400)"), "{error}");
    }
}

#[tokio::test]
async fn a_token_of_another_kind_is_not_taken() {
    let server = Scripted::new(|asked, _| {
        let token = json!({ "access_token": "secret-1", "token_type": "mac" });
        (asked.what == "POST /as/token").then_some(Reply::Json(200, token))
    })
    .await;
    let browser = server.browser(&[("code", "code-1")]);
    let error = server.discover().await.unwrap().run(browser).await.unwrap_err();
    assert!(error.to_string().ends_with(": its authorization server gives no token of use"));
    assert!(!all_of(&error).contains("secret"));
}

#[tokio::test]
async fn a_sign_in_is_sent_to_its_own_server_alone() {
    let (first, second) = (Scripted::good().await, Scripted::good().await);
    let grant = first.sign_in().await;
    second.keep.save(&grant.text()).unwrap();
    assert_eq!(second.connect().await.unwrap_err().kind(), ErrorKind::SignIn);
    assert!(second.asked("POST /mcp").iter().all(|asked| asked.authorization.is_none()));
}

#[tokio::test]
async fn a_token_that_the_person_gave_goes_first() {
    let server = Scripted::good().await;
    server.sign_in().await;
    let given = ClientContext { token: Some("mine".to_owned()), ..server.context() };
    let endpoint = Endpoint::Http { url: server.url() };
    assert_eq!(Connection::open(&endpoint, &given).await.unwrap_err().kind(), ErrorKind::SignIn);
    let headers = vec![("authorization".to_owned(), "Basic mine".to_owned())];
    let given = ClientContext { headers, ..server.context() };
    assert_eq!(Connection::open(&endpoint, &given).await.unwrap_err().kind(), ErrorKind::SignIn);
    let sent = server.asked("POST /mcp");
    let sent: Vec<&str> = sent.iter().filter_map(|it| it.authorization.as_deref()).collect();
    assert!(sent.contains(&"Bearer mine") && sent.contains(&"Basic mine"), "{sent:?}");
    assert!(!sent.contains(&"Bearer access-1"));
}
