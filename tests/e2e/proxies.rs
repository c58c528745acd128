//! The variables that name a proxy: servers elsewhere are asked through it, this machine never.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};
use std::thread;

use crate::serve::program;
use crate::support::home::Home;

/// A proxy that reaches nothing; gives its address and the first line of each request.
fn proxy() -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let asked = Arc::<Mutex<Vec<String>>>::default();
    let seen = Arc::clone(&asked);
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let mut line = String::new();
            if BufReader::new(&stream).read_line(&mut line).is_ok() {
                seen.lock().unwrap().push(line.trim().to_owned());
            }
            let _ = (&stream).write_all(b"HTTP/1.1 502 x\r\nContent-Length: 0\r\n\r\n");
        }
    });
    (address, asked)
}

/// What the proxy is asked for when this address is listed, with this variable set to it.
fn asked(variable: &str, url: &str, except: &str) -> Vec<String> {
    let (address, asked) = proxy();
    let mut program = program(&Home::empty());
    program.args(["remote", "list", url]).env(variable, address).env("NO_PROXY", except);
    let output = program.output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", String::from_utf8_lossy(&output.stderr));
    asked.lock().unwrap().clone()
}

#[test]
fn servers_elsewhere_are_asked_through_the_proxy() {
    let plain = asked("HTTP_PROXY", "http://skills.invalid/mcp", "");
    assert_eq!(plain[0], "POST http://skills.invalid/mcp HTTP/1.1");
    let tls = asked("HTTPS_PROXY", "https://skills.invalid/mcp", "");
    assert_eq!(tls[0], "CONNECT skills.invalid:443 HTTP/1.1");
}

#[test]
fn what_is_excepted_and_this_machine_are_not() {
    assert!(asked("HTTP_PROXY", "http://skills.invalid/mcp", "skills.invalid").is_empty());
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = nobody.local_addr().unwrap().port();
    drop(nobody);
    for host in ["127.0.0.1", "localhost", "[::1]"] {
        let url = format!("http://{host}:{port}/mcp");
        assert!(asked("HTTP_PROXY", &url, "").is_empty(), "{url}");
        assert!(asked("ALL_PROXY", &url, "").is_empty(), "{url}");
    }
}
