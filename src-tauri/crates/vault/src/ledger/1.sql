CREATE TABLE servers (
    id       TEXT PRIMARY KEY,
    label    TEXT NOT NULL,
    endpoint TEXT NOT NULL,             -- JSON
    enabled  INTEGER NOT NULL,
    added_at TEXT NOT NULL,
    place    INTEGER NOT NULL           -- order in which they were added
) STRICT;

CREATE TABLE offers (                   -- the last listing, for when the server is away
    server TEXT PRIMARY KEY REFERENCES servers (id) ON DELETE CASCADE,
    json   TEXT NOT NULL,
    at     TEXT NOT NULL
) STRICT;

CREATE TABLE approvals (
    id           INTEGER PRIMARY KEY,
    server       TEXT NOT NULL REFERENCES servers (id) ON DELETE CASCADE,
    endpoint     TEXT NOT NULL,         -- identity: address or exact command line
    uri          TEXT NOT NULL,
    bound        TEXT NOT NULL,         -- digest of the whole set of (URI, size, digest)
    fingerprint  TEXT NOT NULL,
    files        TEXT NOT NULL,         -- JSON
    front_matter TEXT,                  -- JSON
    findings     TEXT NOT NULL,         -- JSON
    granted      INTEGER NOT NULL,
    note         TEXT,
    at           TEXT NOT NULL,
    revoked_at   TEXT,                  -- set when the server offered something else
    UNIQUE (server, endpoint, uri)
) STRICT;

CREATE TABLE rejections (
    server      TEXT NOT NULL REFERENCES servers (id) ON DELETE CASCADE,
    endpoint    TEXT NOT NULL,
    uri         TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    at          TEXT NOT NULL,
    PRIMARY KEY (server, endpoint, uri, fingerprint)
) STRICT;

CREATE TABLE placements (
    folder TEXT PRIMARY KEY,            -- its real path
    json   TEXT NOT NULL
) STRICT;

CREATE TABLE changes (
    id     TEXT PRIMARY KEY,
    json   TEXT NOT NULL,
    undoes TEXT                         -- the change that this one took back
) STRICT;

CREATE TABLE change_items (
    change   TEXT NOT NULL REFERENCES changes (id),
    position INTEGER NOT NULL,
    json     TEXT NOT NULL,
    undone   INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (change, position)
) STRICT;

CREATE TABLE trash (
    id   TEXT PRIMARY KEY,
    json TEXT NOT NULL
) STRICT;

CREATE TABLE journal (                  -- one row for an item that is being worked on
    id   INTEGER PRIMARY KEY,
    step TEXT NOT NULL,
    json TEXT NOT NULL
) STRICT;

CREATE TABLE activity (
    id     INTEGER PRIMARY KEY,
    change TEXT,
    json   TEXT NOT NULL
) STRICT;

CREATE TABLE settings (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL                 -- JSON
) STRICT;
