-- What a pass says later of an alert that it raised before: other content or severity under the same key. The newest counts.
CREATE TABLE alert_versions (
    id INTEGER PRIMARY KEY,
    alert INTEGER NOT NULL REFERENCES alerts (id),
    at INTEGER NOT NULL,
    body BLOB NOT NULL
) STRICT;
CREATE INDEX alert_versions_of ON alert_versions (alert);

-- Who looked at what: only ever added to. `about`, `rule` and `content` are what an acknowledgement is bound to.
CREATE TABLE acks (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    about TEXT NOT NULL,
    rule TEXT NOT NULL,
    content BLOB NOT NULL,
    alert TEXT NOT NULL,
    reason TEXT NOT NULL,
    at INTEGER NOT NULL,
    expires INTEGER
) STRICT;

-- What the operator's schedule keeps back, as the last run found it there.
CREATE TABLE suppressions (
    id INTEGER PRIMARY KEY,
    body TEXT NOT NULL
) STRICT;

-- What each sink is told, frozen when it was decided. `sent` is none until the sink has taken it.
CREATE TABLE messages (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    sink TEXT NOT NULL,
    at INTEGER NOT NULL,
    body BLOB NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    next_try INTEGER NOT NULL DEFAULT 0,
    error TEXT,
    sent INTEGER
) STRICT;
CREATE INDEX messages_unsent ON messages (sink) WHERE sent IS NULL;

-- What became of each alert at each sink: only ever added to. Written in one transaction with the message.
CREATE TABLE alert_fates (
    id INTEGER PRIMARY KEY,
    sink TEXT NOT NULL,
    alert INTEGER NOT NULL REFERENCES alerts (id),
    kind TEXT NOT NULL,
    severity TEXT NOT NULL,
    ack INTEGER NOT NULL,
    message INTEGER REFERENCES messages (id),
    at INTEGER NOT NULL
) STRICT;
CREATE INDEX alert_fates_of ON alert_fates (sink, alert);
CREATE INDEX alert_fates_in ON alert_fates (message) WHERE message IS NOT NULL;

-- How each sink fares: failures in a row, and until when it is left alone.
CREATE TABLE sinks (
    name TEXT NOT NULL PRIMARY KEY,
    failures INTEGER NOT NULL,
    next_try INTEGER NOT NULL,
    error TEXT
) STRICT, WITHOUT ROWID;
