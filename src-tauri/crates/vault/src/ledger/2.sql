CREATE TABLE server_values (            -- what a server is given besides its address or command line
    server TEXT NOT NULL REFERENCES servers (id) ON DELETE CASCADE,
    kind   TEXT NOT NULL,               -- token, header or variable
    name   TEXT NOT NULL,               -- empty for the token; the values are kept elsewhere
    place  INTEGER NOT NULL,            -- their order
    PRIMARY KEY (server, kind, name)
) STRICT;
