-- What an item is about stands beside its JSON, so that many are read without what undo needs.
CREATE TABLE change_items_3 (
    change   TEXT NOT NULL REFERENCES changes (id),
    position INTEGER NOT NULL,
    undone   INTEGER NOT NULL DEFAULT 0,
    folder   TEXT NOT NULL,
    source   TEXT,                      -- the folder that it was before, where it was renamed
    about    TEXT NOT NULL,             -- JSON
    json     TEXT NOT NULL,
    PRIMARY KEY (change, position)
) STRICT;

INSERT INTO change_items_3
SELECT i.change, i.position, i.undone, json_extract(i.json, '$.folder'),
       json_extract(i.json, '$.moved.from'),
       json_object(
           'name', json_extract(c.json, '$.name'),
           'act', iif(json_extract(c.json, '$.fixed') IS NULL, 'place', 'fix'),
           'origin', json(json_extract(c.json, '$.origin')),
           'fingerprint', json_extract(c.json, '$.fingerprint'),
           'fixed', json(json_extract(c.json, '$.fixed'))
       ),
       i.json
FROM change_items i JOIN changes c ON c.id = i.change
WHERE json_valid(i.json) AND json_valid(c.json) AND json_extract(i.json, '$.folder') IS NOT NULL;

DROP TABLE change_items;
ALTER TABLE change_items_3 RENAME TO change_items;
UPDATE change_items SET json = json_set(json, '$.about', json(about));
CREATE INDEX change_items_folder ON change_items (folder) WHERE undone = 0;
CREATE INDEX change_items_source ON change_items (source) WHERE undone = 0 AND source IS NOT NULL;

UPDATE journal SET json = json_set(json, '$.about', json_object(
    'name', json_extract(json, '$.change.name'),
    'act', iif(json_extract(json, '$.change.fixed') IS NULL, 'place', 'fix'),
    'origin', json(json_extract(json, '$.change.origin')),
    'fingerprint', json_extract(json, '$.change.fingerprint'),
    'fixed', json(json_extract(json, '$.change.fixed'))
)) WHERE json_valid(json);

ALTER TABLE servers ADD COLUMN never_install INTEGER NOT NULL DEFAULT 0;

CREATE TABLE aside (                    -- skills that are disabled
    id   TEXT PRIMARY KEY,
    json TEXT NOT NULL
) STRICT;

-- Which links lead to a copy; the query has to have the very same expression.
CREATE INDEX placements_canonical ON placements (
    CASE WHEN json_valid(json) THEN json_extract(json, '$.mode.canonical') END
);

CREATE TABLE declared (                 -- the skills of the last listing in full, for when the server is away
    server TEXT NOT NULL REFERENCES servers (id) ON DELETE CASCADE,
    uri    TEXT NOT NULL,
    json   TEXT NOT NULL,
    PRIMARY KEY (server, uri)
) STRICT;

CREATE TABLE doubts (                   -- content that a server declares and was seen not to give
    server      TEXT NOT NULL REFERENCES servers (id) ON DELETE CASCADE,
    uri         TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    why         TEXT NOT NULL,
    PRIMARY KEY (server, uri)
) STRICT;
