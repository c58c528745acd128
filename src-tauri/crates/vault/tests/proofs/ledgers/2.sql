-- A record as version 2 made it, with rows in every table; @HOME@ stands for the home.
PRAGMA foreign_keys = OFF;
CREATE TABLE activity (
    id     INTEGER PRIMARY KEY,
    change TEXT,
    json   TEXT NOT NULL
) STRICT;
INSERT INTO "activity" VALUES(1,NULL,'{"at":"2026-11-01T10:00:11.5Z","kind":"serverAdded","subject":"docs","text":"http://127.0.0.1:8000/mcp","fingerprint":null,"server":"00000000-0000-4000-8000-000000000001","uri":null,"folders":[]}');
INSERT INTO "activity" VALUES(2,NULL,'{"at":"2026-11-01T10:00:12.5Z","kind":"approved","subject":"pdf","text":"from docs, with what it asks for","fingerprint":"85d50e6109de8def999fb6b6bfbd56d7fcbbb70c098621b3845e3f1a77c18ba5","server":"00000000-0000-4000-8000-000000000001","uri":"skill://pdf/SKILL.md","folders":[]}');
INSERT INTO "activity" VALUES(3,'000000000000000000000000000000a2','{"at":"2026-11-01T10:00:13.5Z","kind":"installed","subject":"pdf","text":"from docs into ~/.a/skills/pdf","fingerprint":"85d50e6109de8def999fb6b6bfbd56d7fcbbb70c098621b3845e3f1a77c18ba5","server":"00000000-0000-4000-8000-000000000001","uri":"skill://pdf/SKILL.md","folders":["@HOME@/.a/skills/pdf"]}');
INSERT INTO "activity" VALUES(4,'000000000000000000000000000000a3','{"at":"2026-11-01T10:00:14.5Z","kind":"copied","subject":"pdf","text":"from ~/.a/skills/pdf into ~/.b/skills/pdf","fingerprint":"85d50e6109de8def999fb6b6bfbd56d7fcbbb70c098621b3845e3f1a77c18ba5","server":null,"uri":null,"folders":["@HOME@/.b/skills/pdf"]}');
INSERT INTO "activity" VALUES(5,'000000000000000000000000000000a4','{"at":"2026-11-01T10:00:15.5Z","kind":"undone","subject":"pdf","text":"in ~/.b/skills/pdf","fingerprint":"85d50e6109de8def999fb6b6bfbd56d7fcbbb70c098621b3845e3f1a77c18ba5","server":null,"uri":null,"folders":["@HOME@/.b/skills/pdf"]}');
INSERT INTO "activity" VALUES(6,NULL,'{"at":"2026-11-01T10:00:16.5Z","kind":"rejected","subject":"csv","text":"from docs","fingerprint":"b783a8c4ec27a5cf6f1d4329c32465c94c06c8c6e6b08cc44f9068f7be654599","server":"00000000-0000-4000-8000-000000000001","uri":"skill://csv/SKILL.md","folders":[]}');
INSERT INTO "activity" VALUES(7,'000000000000000000000000000000a5','{"at":"2026-11-01T10:00:17.5Z","kind":"fixed","subject":"documents","text":"in SKILL.md of ~/.b/skills/documents, renamed to docs","fingerprint":"61fc1aeec9970dabdf0ad1bb493cb9ec6be83504804a3f2512f01affb68ba31e","server":null,"uri":null,"folders":["@HOME@/.b/skills/docs","@HOME@/.b/skills/documents"]}');
INSERT INTO "activity" VALUES(8,NULL,'{"at":"2026-11-01T10:00:18.5Z","kind":"approved","subject":"doc","text":"from docs","fingerprint":"1b19ce0821914bdd9ad07bc406c219bb892ccd3a731b4ead0c41de15a5546385","server":"00000000-0000-4000-8000-000000000001","uri":"skill://doc/SKILL.md","folders":[]}');
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
INSERT INTO "approvals" VALUES(1,'00000000-0000-4000-8000-000000000001','http://127.0.0.1:8000/mcp','skill://pdf/SKILL.md','b6c039d0e7f487b781c65fed6f9da818418f4fdb8fecb529a79a949718185f91','85d50e6109de8def999fb6b6bfbd56d7fcbbb70c098621b3845e3f1a77c18ba5','[{"path":"SKILL.md","uri":"skill://pdf/SKILL.md","size":56,"digest":"sha256:1ed3acddab5685d93b68b10d2ea5d7c53c0498cafbf9c4b492236928d0d646ba"},{"path":"b/c.txt","uri":"skill://pdf/b/c.txt","size":2,"digest":"sha256:a3a5e715f0cc574a73c3f9bebb6bc24f32ffd5b67b387244c2c909da779a1478"}]',NULL,'[]',1,NULL,'2026-11-01T10:00:19.5Z',NULL);
INSERT INTO "approvals" VALUES(2,'00000000-0000-4000-8000-000000000001','http://127.0.0.1:8000/mcp','skill://doc/SKILL.md','1940ccc50262a1345804ad59b28c88cc810febf00939a40ba1d7ff3dc680993a','1b19ce0821914bdd9ad07bc406c219bb892ccd3a731b4ead0c41de15a5546385','[{"path":"SKILL.md","uri":"skill://doc/SKILL.md","size":56,"digest":"sha256:7fde3cd2095d3d43cf01eaec730567aa9ba05bd2f53ecd57d610ac487340e8d0"}]',NULL,'[]',0,NULL,'2026-11-01T10:00:20.5Z',NULL);
CREATE TABLE change_items (
    change   TEXT NOT NULL REFERENCES changes (id),
    position INTEGER NOT NULL,
    json     TEXT NOT NULL,
    undone   INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (change, position)
) STRICT;
INSERT INTO "change_items" VALUES('000000000000000000000000000000a2',0,'{"position":0,"tools":["a"],"folder":"@HOME@/.a/skills/pdf","store":"@HOME@/.local/share/skillhold","created":[],"displaced":"000000000000000000000000000000a6","before":null,"after":{"folder":"@HOME@/.a/skills/pdf","name":"pdf","tools":["a"],"origin":{"kind":"server","server":"00000000-0000-4000-8000-000000000001","label":"docs","address":"http://127.0.0.1:8000/mcp","uri":"skill://pdf/SKILL.md"},"source":"85d50e6109de8def999fb6b6bfbd56d7fcbbb70c098621b3845e3f1a77c18ba5","installed":[{"path":"SKILL.md","size":56,"digest":"sha256:1ed3acddab5685d93b68b10d2ea5d7c53c0498cafbf9c4b492236928d0d646ba"},{"path":"b/c.txt","size":2,"digest":"sha256:a3a5e715f0cc574a73c3f9bebb6bc24f32ffd5b67b387244c2c909da779a1478"}],"found":{"inode":null,"fingerprint":"85d50e6109de8def999fb6b6bfbd56d7fcbbb70c098621b3845e3f1a77c18ba5"},"at":"2026-11-01T10:00:21.5Z","change":"000000000000000000000000000000a2"},"moved":null,"written":null}',0);
INSERT INTO "change_items" VALUES('000000000000000000000000000000a3',0,'{"position":0,"tools":["b"],"folder":"@HOME@/.b/skills/pdf","store":"@HOME@/.local/share/skillhold","created":[],"displaced":null,"before":null,"after":{"folder":"@HOME@/.b/skills/pdf","name":"pdf","tools":["b"],"origin":{"kind":"folder","path":"@HOME@/.a/skills/pdf"},"source":"85d50e6109de8def999fb6b6bfbd56d7fcbbb70c098621b3845e3f1a77c18ba5","installed":[{"path":"SKILL.md","size":56,"digest":"sha256:1ed3acddab5685d93b68b10d2ea5d7c53c0498cafbf9c4b492236928d0d646ba"},{"path":"b/c.txt","size":2,"digest":"sha256:a3a5e715f0cc574a73c3f9bebb6bc24f32ffd5b67b387244c2c909da779a1478"}],"found":{"inode":null,"fingerprint":"85d50e6109de8def999fb6b6bfbd56d7fcbbb70c098621b3845e3f1a77c18ba5"},"at":"2026-11-01T10:00:22.5Z","change":"000000000000000000000000000000a3"},"moved":null,"written":null}',1);
INSERT INTO "change_items" VALUES('000000000000000000000000000000a4',0,'{"position":0,"tools":["b"],"folder":"@HOME@/.b/skills/pdf","store":"@HOME@/.local/share/skillhold","created":[],"displaced":"000000000000000000000000000000a7","before":{"folder":"@HOME@/.b/skills/pdf","name":"pdf","tools":["b"],"origin":{"kind":"folder","path":"@HOME@/.a/skills/pdf"},"source":"85d50e6109de8def999fb6b6bfbd56d7fcbbb70c098621b3845e3f1a77c18ba5","installed":[{"path":"SKILL.md","size":56,"digest":"sha256:1ed3acddab5685d93b68b10d2ea5d7c53c0498cafbf9c4b492236928d0d646ba"},{"path":"b/c.txt","size":2,"digest":"sha256:a3a5e715f0cc574a73c3f9bebb6bc24f32ffd5b67b387244c2c909da779a1478"}],"found":{"inode":null,"fingerprint":"85d50e6109de8def999fb6b6bfbd56d7fcbbb70c098621b3845e3f1a77c18ba5"},"at":"2026-11-01T10:00:22.5Z","change":"000000000000000000000000000000a3"},"after":null,"moved":null,"written":null}',0);
INSERT INTO "change_items" VALUES('000000000000000000000000000000a5',0,'{"position":0,"tools":[],"folder":"@HOME@/.b/skills/docs","store":"@HOME@/.local/share/skillhold","created":[],"displaced":"000000000000000000000000000000a8","before":null,"after":null,"moved":{"from":"@HOME@/.b/skills/documents","before":null,"after":null},"written":[{"path":"SKILL.md","size":55,"digest":"sha256:75bd985ab82fdbfac4a6522d25202d895c9dce435b9862dce320590fbb29d1d6"}]}',0);
CREATE TABLE changes (
    id     TEXT PRIMARY KEY,
    json   TEXT NOT NULL,
    undoes TEXT                         -- the change that this one took back
) STRICT;
INSERT INTO "changes" VALUES('000000000000000000000000000000a2','{"id":"000000000000000000000000000000a2","at":"2026-11-01T10:00:21.5Z","name":"pdf","origin":{"kind":"server","server":"00000000-0000-4000-8000-000000000001","label":"docs","address":"http://127.0.0.1:8000/mcp","uri":"skill://pdf/SKILL.md"},"fingerprint":"85d50e6109de8def999fb6b6bfbd56d7fcbbb70c098621b3845e3f1a77c18ba5","undoes":null,"fixed":null}',NULL);
INSERT INTO "changes" VALUES('000000000000000000000000000000a3','{"id":"000000000000000000000000000000a3","at":"2026-11-01T10:00:22.5Z","name":"pdf","origin":{"kind":"folder","path":"@HOME@/.a/skills/pdf"},"fingerprint":"85d50e6109de8def999fb6b6bfbd56d7fcbbb70c098621b3845e3f1a77c18ba5","undoes":null,"fixed":null}',NULL);
INSERT INTO "changes" VALUES('000000000000000000000000000000a4','{"id":"000000000000000000000000000000a4","at":"2026-11-01T10:00:23.5Z","name":"pdf","origin":{"kind":"folder","path":"@HOME@/.a/skills/pdf"},"fingerprint":"85d50e6109de8def999fb6b6bfbd56d7fcbbb70c098621b3845e3f1a77c18ba5","undoes":"000000000000000000000000000000a3","fixed":null}','000000000000000000000000000000a3');
INSERT INTO "changes" VALUES('000000000000000000000000000000a5','{"id":"000000000000000000000000000000a5","at":"2026-11-01T10:00:24.5Z","name":"documents","origin":{"kind":"folder","path":"@HOME@/.b/skills/documents"},"fingerprint":"61fc1aeec9970dabdf0ad1bb493cb9ec6be83504804a3f2512f01affb68ba31e","undoes":null,"fixed":{"folder":"@HOME@/.b/skills/documents","files":["SKILL.md"],"to":"docs"}}',NULL);
CREATE TABLE journal (                  -- one row for an item that is being worked on
    id   INTEGER PRIMARY KEY,
    step TEXT NOT NULL,
    json TEXT NOT NULL
) STRICT;
INSERT INTO "journal" VALUES(1,'swapping','{"change":{"id":"000000000000000000000000000000a9","at":"2026-11-01T10:00:25.5Z","name":"doc","origin":{"kind":"server","server":"00000000-0000-4000-8000-000000000001","label":"docs","address":"http://127.0.0.1:8000/mcp","uri":"skill://doc/SKILL.md"},"fingerprint":"1b19ce0821914bdd9ad07bc406c219bb892ccd3a731b4ead0c41de15a5546385","undoes":null,"fixed":null},"position":0,"tools":["b"],"folder":"@HOME@/.b/skills/doc","incoming":{"path":"@HOME@/.local/share/skillhold/staging/000000000000000000000000000000aa/doc","staging":"@HOME@/.local/share/skillhold/staging/000000000000000000000000000000aa","trash":null,"found":{"inode":null,"fingerprint":"1b19ce0821914bdd9ad07bc406c219bb892ccd3a731b4ead0c41de15a5546385"}},"outgoing":null,"store":"@HOME@/.local/share/skillhold","created":[],"emptied":[],"before":null,"after":{"folder":"@HOME@/.b/skills/doc","name":"doc","tools":["b"],"origin":{"kind":"server","server":"00000000-0000-4000-8000-000000000001","label":"docs","address":"http://127.0.0.1:8000/mcp","uri":"skill://doc/SKILL.md"},"source":"1b19ce0821914bdd9ad07bc406c219bb892ccd3a731b4ead0c41de15a5546385","installed":[{"path":"SKILL.md","size":56,"digest":"sha256:7fde3cd2095d3d43cf01eaec730567aa9ba05bd2f53ecd57d610ac487340e8d0"}],"found":{"inode":null,"fingerprint":"1b19ce0821914bdd9ad07bc406c219bb892ccd3a731b4ead0c41de15a5546385"},"at":"2026-11-01T10:00:25.5Z","change":"000000000000000000000000000000a9"},"moved":null,"written":null}');
CREATE TABLE offers (                   -- the last listing, for when the server is away
    server TEXT PRIMARY KEY REFERENCES servers (id) ON DELETE CASCADE,
    json   TEXT NOT NULL,
    at     TEXT NOT NULL
) STRICT;
INSERT INTO "offers" VALUES('00000000-0000-4000-8000-000000000001','{"skills":[]}','2026-11-01T10:00:26.5Z');
CREATE TABLE placements (
    folder TEXT PRIMARY KEY,            -- its real path
    json   TEXT NOT NULL
) STRICT;
INSERT INTO "placements" VALUES('@HOME@/.a/skills/pdf','{"folder":"@HOME@/.a/skills/pdf","name":"pdf","tools":["a"],"origin":{"kind":"server","server":"00000000-0000-4000-8000-000000000001","label":"docs","address":"http://127.0.0.1:8000/mcp","uri":"skill://pdf/SKILL.md"},"source":"85d50e6109de8def999fb6b6bfbd56d7fcbbb70c098621b3845e3f1a77c18ba5","installed":[{"path":"SKILL.md","size":56,"digest":"sha256:1ed3acddab5685d93b68b10d2ea5d7c53c0498cafbf9c4b492236928d0d646ba"},{"path":"b/c.txt","size":2,"digest":"sha256:a3a5e715f0cc574a73c3f9bebb6bc24f32ffd5b67b387244c2c909da779a1478"}],"found":{"inode":null,"fingerprint":"85d50e6109de8def999fb6b6bfbd56d7fcbbb70c098621b3845e3f1a77c18ba5"},"at":"2026-11-01T10:00:21.5Z","change":"000000000000000000000000000000a2"}');
CREATE TABLE rejections (
    server      TEXT NOT NULL REFERENCES servers (id) ON DELETE CASCADE,
    endpoint    TEXT NOT NULL,
    uri         TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    at          TEXT NOT NULL,
    PRIMARY KEY (server, endpoint, uri, fingerprint)
) STRICT;
INSERT INTO "rejections" VALUES('00000000-0000-4000-8000-000000000001','http://127.0.0.1:8000/mcp','skill://csv/SKILL.md','b783a8c4ec27a5cf6f1d4329c32465c94c06c8c6e6b08cc44f9068f7be654599','2026-11-01T10:00:27.5Z');
CREATE TABLE server_values (            -- what a server is given besides its address or command line
    server TEXT NOT NULL REFERENCES servers (id) ON DELETE CASCADE,
    kind   TEXT NOT NULL,               -- token, header or variable
    name   TEXT NOT NULL,               -- empty for the token; the values are kept elsewhere
    place  INTEGER NOT NULL,            -- their order
    PRIMARY KEY (server, kind, name)
) STRICT;
INSERT INTO "server_values" VALUES('00000000-0000-4000-8000-000000000001','token','',0);
INSERT INTO "server_values" VALUES('00000000-0000-4000-8000-000000000001','header','X-Team',1);
CREATE TABLE servers (
    id       TEXT PRIMARY KEY,
    label    TEXT NOT NULL,
    endpoint TEXT NOT NULL,             -- JSON
    enabled  INTEGER NOT NULL,
    added_at TEXT NOT NULL,
    place    INTEGER NOT NULL           -- order in which they were added
) STRICT;
INSERT INTO "servers" VALUES('00000000-0000-4000-8000-000000000001','docs','{"kind":"http","url":"http://127.0.0.1:8000/mcp"}',1,'2026-11-01T10:00:28.5Z',1);
CREATE TABLE settings (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL                 -- JSON
) STRICT;
INSERT INTO "settings" VALUES('theme','"dark"');
CREATE TABLE trash (
    id   TEXT PRIMARY KEY,
    json TEXT NOT NULL
) STRICT;
INSERT INTO "trash" VALUES('000000000000000000000000000000a6','{"id":"000000000000000000000000000000a6","folder":"@HOME@/.a/skills/pdf","kept":"@HOME@/.local/share/skillhold/trash/000000000000000000000000000000a6/pdf","found":{"inode":null,"fingerprint":"fabe209245029efbbef407b3cbf2ad57dacf296c63c03009d12dcb9b257559a0"},"size":14,"at":"2999-01-01T00:00:00Z","change":"000000000000000000000000000000a2"}');
INSERT INTO "trash" VALUES('000000000000000000000000000000a7','{"id":"000000000000000000000000000000a7","folder":"@HOME@/.b/skills/pdf","kept":"@HOME@/.local/share/skillhold/trash/000000000000000000000000000000a7/pdf","found":{"inode":null,"fingerprint":"85d50e6109de8def999fb6b6bfbd56d7fcbbb70c098621b3845e3f1a77c18ba5"},"size":58,"at":"2999-01-01T00:00:00Z","change":"000000000000000000000000000000a4"}');
INSERT INTO "trash" VALUES('000000000000000000000000000000a8','{"id":"000000000000000000000000000000a8","folder":"@HOME@/.b/skills/documents","kept":"@HOME@/.local/share/skillhold/trash/000000000000000000000000000000a8/documents","found":{"inode":null,"fingerprint":"06a411c0b6199387e9705fa0a6a1de69a382a7ed390f2f1a2685f7fa9f196b10"},"size":53,"at":"2999-01-01T00:00:00Z","change":"000000000000000000000000000000a5"}');
PRAGMA user_version = 2;
