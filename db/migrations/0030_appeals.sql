-- Appeals against findings: what was filed, and the chain of what happened since. Only ever added to; the state is what the
-- events come to. Whom to write to is kept apart, since it is published nowhere.
CREATE TABLE IF NOT EXISTS appeals (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    identity TEXT NOT NULL,
    body TEXT NOT NULL,
    contact TEXT
) STRICT;
CREATE INDEX IF NOT EXISTS appeals_identity ON appeals (identity);

CREATE TABLE IF NOT EXISTS appeal_events (
    appeal INTEGER NOT NULL REFERENCES appeals (id),
    seq INTEGER NOT NULL,
    body TEXT NOT NULL,
    digest BLOB NOT NULL,
    PRIMARY KEY (appeal, seq)
) STRICT, WITHOUT ROWID;

-- Reports of abuse that somebody submitted, and what a person made of each: claims, never truth. Only ever added to.
CREATE TABLE IF NOT EXISTS submitted_reports (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE,
    at INTEGER NOT NULL,
    body TEXT NOT NULL
) STRICT;

CREATE TABLE IF NOT EXISTS report_decisions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    report INTEGER NOT NULL REFERENCES submitted_reports (id),
    at INTEGER NOT NULL,
    body TEXT NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS report_decisions_report ON report_decisions (report);
