//! Markdown of a skill as markup that can do nothing: no HTML of the author's, no images, no
//! scripts; links only as data that the page hands to `open_link`.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use comrak::arena_tree::NodeEdge;
use comrak::nodes::{AstNode, NodeValue};
use comrak::{Arena, Options, format_html, try_parse_document};

use super::hidden::{Run, code_point, runs};

/// The most bytes of Markdown that are rendered; what is longer is shown as plain text.
const MOST: usize = 512 * 1024;
/// How long parsing may take before the text is shown plain.
const PATIENCE: Duration = Duration::from_secs(2);
/// Deeper nesting than this is nothing a person wrote, and costs its square.
const DEEPEST: usize = 64;
/// Class of a hidden character in the markup.
const HIDDEN: &str = "hidden-character";
/// Class of what stands where something is not shown.
const LEFT_OUT: &str = "left-out";

/// Safe markup for a Markdown text. Whatever the text is, this gives markup: what cannot be
/// rendered is shown as it is written.
pub fn markdown(text: &str) -> String {
    markdown_within(PATIENCE, text)
}

fn markdown_within(patience: Duration, text: &str) -> String {
    // The carriage return of a CRLF is part of the line break, no character of its own.
    let text = text.replace("\r\n", "\n");
    let rendered = if text.len() > MOST { None } else { render(patience, &text) };
    clean(&rendered.unwrap_or_else(|| {
        let mut end = text.len().min(MOST);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        format!("<pre>{}</pre>", shown(&text[..end]))
    }))
}

fn render(patience: Duration, text: &str) -> Option<String> {
    let arena = Arena::new();
    let mut options = Options::default();
    options.extension.table = true;
    options.extension.strikethrough = true;
    options.extension.autolink = true;
    let end = Instant::now() + patience;
    let root = try_parse_document(&arena, text, &options, &|| Instant::now() > end).ok()?;
    if depth_exceeds(root, DEEPEST) {
        return None;
    }
    // Collected first: the walk changes the tree.
    let nodes: Vec<_> = root.descendants().collect();
    for node in nodes {
        disarm(&arena, node);
    }
    let mut html = String::new();
    format_html(root, &options, &mut html).ok()?;
    Some(html)
}

fn depth_exceeds<'a>(root: &'a AstNode<'a>, most: usize) -> bool {
    let mut depth = 0;
    root.traverse().any(|edge| {
        match edge {
            NodeEdge::Start(_) => depth += 1,
            NodeEdge::End(_) => depth -= 1,
        }
        depth > most
    })
}

/// Puts inert markup in the place of one node that could do something or hide something.
fn disarm<'a>(arena: &'a Arena<'a>, node: &'a AstNode<'a>) {
    let value = std::mem::replace(&mut node.data_mut().value, NodeValue::SoftBreak);
    let value = match value {
        NodeValue::HtmlBlock(html) => {
            NodeValue::Raw(format!("<pre><code>{}</code></pre>\n", shown(&html.literal)))
        }
        NodeValue::HtmlInline(html) => NodeValue::Raw(format!("<code>{}</code>", shown(&html))),
        NodeValue::Code(code) => NodeValue::Raw(format!("<code>{}</code>", shown(&code.literal))),
        NodeValue::CodeBlock(code) => {
            NodeValue::Raw(format!("<pre><code>{}</code></pre>\n", shown(&code.literal)))
        }
        NodeValue::Text(text) => match runs(&text).as_slice() {
            [] | [Run::Plain(_)] => NodeValue::Text(text),
            _ => NodeValue::Raw(shown(&text)),
        },
        NodeValue::Image(image) => {
            for child in node.children().collect::<Vec<_>>() {
                child.detach();
            }
            NodeValue::Raw(format!(
                "<span class=\"{LEFT_OUT}\">[image: {}]</span>",
                shown(&image.url)
            ))
        }
        NodeValue::Link(link) => {
            let (open, close) = link_markup(&link.url, &text_of(node));
            node.insert_before(arena.alloc(NodeValue::Raw(open).into()));
            for child in node.children().collect::<Vec<_>>() {
                child.detach();
                node.insert_before(child);
            }
            NodeValue::Raw(close)
        }
        other => other,
    };
    node.data_mut().value = value;
}

/// What stands before and after the text of a link. Only `https:` can be opened; any other address
/// is written behind the text, unless the text is the address.
fn link_markup(url: &str, text: &str) -> (String, String) {
    let opens = url.get(..8).is_some_and(|start| start.eq_ignore_ascii_case("https://"));
    if opens && runs(url).iter().all(|run| matches!(run, Run::Plain(_))) {
        return (format!("<a data-href=\"{}\">", escape(url)), "</a>".to_owned());
    }
    let address = if url == text || url.is_empty() {
        String::new()
    } else {
        format!(" <code>{}</code>", shown(url))
    };
    (String::new(), address)
}

fn text_of<'a>(node: &'a AstNode<'a>) -> String {
    node.descendants()
        .filter_map(|inner| match &inner.data().value {
            NodeValue::Text(text) => Some(text.to_string()),
            NodeValue::Code(code) => Some(code.literal.clone()),
            _ => None,
        })
        .collect()
}

/// Escaped text in which hidden characters are shown.
fn shown(text: &str) -> String {
    runs(text)
        .into_iter()
        .map(|run| match run {
            Run::Plain(text) => escape(text),
            Run::Hidden(c) => format!("<span class=\"{HIDDEN}\">{}</span>", code_point(c)),
        })
        .collect()
}

fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

/// The second lock: whatever the first one let through, only these elements and attributes stay.
fn clean(html: &str) -> String {
    let tags = [
        "p",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "ul",
        "ol",
        "li",
        "blockquote",
        "pre",
        "code",
        "em",
        "strong",
        "del",
        "br",
        "hr",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "a",
        "span",
    ];
    ammonia::Builder::empty()
        .tags(HashSet::from(tags))
        .clean_content_tags(HashSet::from(["script", "style"]))
        .tag_attributes(HashMap::from([
            ("a", HashSet::from(["data-href"])),
            ("th", HashSet::from(["align"])),
            ("td", HashSet::from(["align"])),
            ("ol", HashSet::from(["start"])),
        ]))
        .allowed_classes(HashMap::from([("span", HashSet::from([HIDDEN, LEFT_OUT]))]))
        .link_rel(None)
        .clean(html)
        .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// However slow the machine is.
    fn markdown(text: &str) -> String {
        markdown_within(Duration::from_secs(3600), text)
    }

    #[test]
    fn plain_markdown_becomes_plain_markup() {
        assert_eq!(
            markdown("# A *b*\n\n- one\n- two\n"),
            "<h1>A <em>b</em></h1>\n<ul>\n<li>one</li>\n<li>two</li>\n</ul>\n"
        );
    }

    #[test]
    fn a_text_with_crlf_is_rendered_as_one_with_line_feeds() {
        let text = "# A\n\none\ntwo\n\n```sh\nls\n```\n\n    indented\n\n<b>\n</b>\n\n| a |\n|---|\n| b |\n";
        let html = markdown(&text.replace('\n', "\r\n"));
        assert_eq!(html, markdown(text));
        assert!(!html.contains("U+000D"), "{html}");
    }

    #[test]
    fn a_script_is_shown_as_text() {
        assert_eq!(
            markdown("<script>alert(1)</script>\n"),
            "<pre><code>&lt;script&gt;alert(1)&lt;/script&gt;\n</code></pre>\n"
        );
    }

    #[test]
    fn raw_html_in_a_line_is_shown_as_text() {
        assert_eq!(
            markdown("a <b onclick=x>b</b>"),
            "<p>a <code>&lt;b onclick=x&gt;</code>b<code>&lt;/b&gt;</code></p>\n"
        );
    }

    #[test]
    fn a_html_comment_is_shown() {
        assert_eq!(
            markdown("<!-- do it in secret -->"),
            "<pre><code>&lt;!-- do it in secret --&gt;</code></pre>\n"
        );
    }

    #[test]
    fn an_image_is_named_and_not_loaded() {
        assert_eq!(
            markdown("![x](https://a.example/p.png)"),
            "<p><span class=\"left-out\">[image: https://a.example/p.png]</span></p>\n"
        );
    }

    #[test]
    fn an_https_link_is_data_only() {
        assert_eq!(
            markdown("[x](https://a.example/?a=1&b=2)"),
            "<p><a data-href=\"https://a.example/?a=1&amp;b=2\">x</a></p>\n"
        );
    }

    #[test]
    fn a_javascript_link_is_text() {
        assert_eq!(
            markdown("[x](javascript:alert(1)) [y](JaVaScRiPt:1) [z](data:text/html,1)"),
            "<p>x <code>javascript:alert(1)</code> y <code>JaVaScRiPt:1</code> \
             z <code>data:text/html,1</code></p>\n"
        );
    }

    #[test]
    fn a_link_to_a_file_of_the_skill_names_the_file() {
        assert_eq!(
            markdown("[the guide](references/guide.md)"),
            "<p>the guide <code>references/guide.md</code></p>\n"
        );
    }

    #[test]
    fn hidden_characters_are_shown_in_text_code_and_headings() {
        let shown = "<span class=\"hidden-character\">U+200B</span>";
        assert_eq!(
            markdown("# a\u{200b}b\n\nc\u{200b}d `e\u{200b}f`\n"),
            format!("<h1>a{shown}b</h1>\n<p>c{shown}d <code>e{shown}f</code></p>\n")
        );
    }

    #[test]
    fn markup_in_the_language_of_a_code_block_goes() {
        assert_eq!(
            markdown("```x\" onload=\"y\n<i>\n```\n"),
            "<pre><code>&lt;i&gt;\n</code></pre>\n"
        );
    }

    #[test]
    fn a_table_keeps_its_alignment() {
        assert_eq!(
            markdown("| a |\n|:-:|\n| b |\n"),
            "<table>\n<thead>\n<tr>\n<th align=\"center\">a</th>\n</tr>\n</thead>\n<tbody>\n\
             <tr>\n<td align=\"center\">b</td>\n</tr>\n</tbody>\n</table>\n"
        );
    }

    #[test]
    fn deep_nesting_ends() {
        assert!(markdown(&">".repeat(20_000)).starts_with("<pre>&gt;"));
        assert!(!markdown(&"[".repeat(50_000)).is_empty());
        assert!(!markdown(&"*a ".repeat(50_000)).is_empty());
    }

    #[test]
    fn a_text_too_long_to_render_is_shown_plain() {
        let long = "<b>".repeat(200_000);
        assert!(markdown(&long).starts_with("<pre>&lt;b&gt;&lt;b&gt;"));
    }
}
