//! One file ready to show: text, image or bytes.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::hex::hex;
use super::highlight::highlight;
use crate::view::FileBody;

/// Larger images are shown as bytes.
const MOST_IMAGE: usize = 4 * 1024 * 1024;

/// How to show these bytes. What they are is told by the bytes; the path only chooses the syntax.
pub fn file_body(path: &str, bytes: &[u8]) -> FileBody {
    if let Some(kind) = image_type(bytes).filter(|_| bytes.len() <= MOST_IMAGE) {
        return FileBody::Image {
            data_url: format!("data:{kind};base64,{}", STANDARD.encode(bytes)),
        };
    }
    match std::str::from_utf8(bytes) {
        Ok(text) if !text.contains('\0') => {
            let (lines, cut) = highlight(path, text);
            FileBody::Text { lines, cut }
        }
        _ => {
            let (lines, cut) = hex(bytes);
            FileBody::Binary { lines, cut }
        }
    }
}

/// The pictures a page can show, by their first bytes. No SVG: that is text.
fn image_type(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', 0x0d, 0x0a, 0x1a, 0x0a, ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some("image/gif"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_png_is_an_image_whatever_it_is_called() {
        assert_eq!(
            file_body("a.txt", b"\x89PNG\r\n\x1a\n"),
            FileBody::Image { data_url: "data:image/png;base64,iVBORw0KGgo=".to_owned() }
        );
    }

    #[test]
    fn a_drawing_with_a_script_is_text() {
        assert!(matches!(
            file_body("a.svg", b"<svg><script>1</script></svg>"),
            FileBody::Text { .. }
        ));
    }

    #[test]
    fn bytes_that_are_not_utf_8_are_shown_as_bytes() {
        assert!(matches!(file_body("a.md", b"\xff\xfe"), FileBody::Binary { .. }));
        assert!(matches!(file_body("a.md", b"a\0b"), FileBody::Binary { .. }));
    }

    #[test]
    fn an_empty_file_is_a_text_without_lines() {
        assert_eq!(file_body("a", b""), FileBody::Text { lines: vec![], cut: false });
    }
}
