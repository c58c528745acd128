//! The one table of media types.

/// The media type of a file by its extension, the same on every machine.
pub fn mime_type(path: &str) -> &'static str {
    let name = path.rsplit('/').next().unwrap_or_default();
    let extension = name
        .rsplit_once('.')
        .filter(|(stem, _)| !stem.is_empty())
        .map(|(_, e)| e.to_ascii_lowercase());
    match extension.as_deref().unwrap_or_default() {
        "md" | "markdown" => "text/markdown",
        "txt" | "text" | "log" | "cfg" | "ini" | "conf" | "env" => "text/plain",
        "html" | "htm" => "text/html",
        "css" => "text/css",
        "csv" => "text/csv",
        "tsv" => "text/tab-separated-values",
        "js" | "mjs" | "cjs" => "text/javascript",
        "ts" | "tsx" | "mts" | "cts" => "text/x-typescript",
        "jsx" => "text/jsx",
        "py" | "pyi" => "text/x-python",
        "sh" | "bash" | "zsh" | "fish" => "text/x-shellscript",
        "ps1" | "psm1" => "text/x-powershell",
        "bat" | "cmd" => "text/x-batch",
        "rb" => "text/x-ruby",
        "pl" | "pm" => "text/x-perl",
        "php" => "text/x-php",
        "rs" => "text/x-rust",
        "go" => "text/x-go",
        "java" => "text/x-java",
        "kt" | "kts" => "text/x-kotlin",
        "swift" => "text/x-swift",
        "c" | "h" => "text/x-c",
        "cc" | "cpp" | "cxx" | "hpp" | "hh" => "text/x-c++",
        "cs" => "text/x-csharp",
        "lua" => "text/x-lua",
        "r" => "text/x-r",
        "sql" => "text/x-sql",
        "yaml" | "yml" => "text/yaml",
        "toml" => "text/x-toml",
        "xsd" | "xsl" | "xslt" | "dtd" => "text/xml",
        "rst" => "text/x-rst",
        "tex" => "text/x-tex",
        "diff" | "patch" => "text/x-diff",
        "j2" | "jinja" | "jinja2" | "tmpl" | "tpl" | "mustache" | "hbs" => "text/x-template",
        "json" => "application/json",
        "jsonl" | "ndjson" => "application/x-ndjson",
        "xml" => "application/xml",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        "webp" => "image/webp",
        "avif" => "image/avif",
        "bmp" => "image/bmp",
        "ico" => "image/x-icon",
        "tif" | "tiff" => "image/tiff",
        "mp3" => "audio/mpeg",
        "wav" => "audio/wav",
        "ogg" => "audio/ogg",
        "mp4" => "video/mp4",
        "webm" => "video/webm",
        "mov" => "video/quicktime",
        "woff" => "font/woff",
        "woff2" => "font/woff2",
        "ttf" => "font/ttf",
        "otf" => "font/otf",
        "pdf" => "application/pdf",
        "zip" => "application/zip",
        "gz" | "tgz" => "application/gzip",
        "tar" => "application/x-tar",
        "7z" => "application/x-7z-compressed",
        "wasm" => "application/wasm",
        "docx" => "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "xlsx" => "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "pptx" => "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        "doc" => "application/msword",
        "xls" => "application/vnd.ms-excel",
        "ppt" => "application/vnd.ms-powerpoint",
        "rtf" => "application/rtf",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::mime_type;

    #[test]
    fn the_type_follows_the_extension_whatever_its_case() {
        assert_eq!(mime_type("SKILL.md"), "text/markdown");
        assert_eq!(mime_type("a.b/READ.MD"), "text/markdown");
        assert_eq!(mime_type("src/x.ts"), "text/x-typescript");
        assert_eq!(mime_type("data.json"), "application/json");
    }

    #[test]
    fn what_has_no_known_extension_is_bytes() {
        assert_eq!(mime_type("LICENSE"), "application/octet-stream");
        assert_eq!(mime_type("a.md/file"), "application/octet-stream");
        assert_eq!(mime_type(".md"), "application/octet-stream");
        assert_eq!(mime_type(""), "application/octet-stream");
    }
}
