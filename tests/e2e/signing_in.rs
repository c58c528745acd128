//! A server that asks to sign in, in the window. No browser is opened here.

use crate::support::asking::AskingServer;
use crate::support::home::Home;
use crate::window::Window;

#[test]
fn a_server_that_asks_to_sign_in_says_so_and_shows_where() {
    let (home, server) = (Home::empty().with_tool("claude-code"), AskingServer::start());
    let window = Window::open(&home);
    window.click("button", "Add a server");
    window.fill("textbox", "Label", "Guarded");
    window.fill("textbox", "Address", &server.url);
    window.click("button", "Add");
    window.click_part("button", "About Guarded, needs sign-in");
    window.sees("the server asks to sign in");
    window.click("button", "Sign in…");
    window.find("heading", "Sign in to “Guarded”");
    window.sees(&server.url.replace("/mcp", "/authorize"));
    window.sees("skills:read");
    window.sees("kept in a file that only you may read");
    window.picture("sign-in");
    window.click("button", "Cancel");
    // Nobody was told of this program before a yes.
    assert!(!server.asked().contains(&"POST /register".to_owned()), "{:?}", server.asked());
}
