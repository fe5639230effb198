-- Local lists of abuse: every version that was imported, as it was; append-only. The newest of each name counts.
CREATE TABLE abuse_lists (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    version INTEGER NOT NULL,
    digest BLOB NOT NULL CHECK (length(digest) = 32),
    body INTEGER NOT NULL REFERENCES documents (id),
    at INTEGER NOT NULL,
    UNIQUE (name, version)
) STRICT;

-- What the newest version of each list says of whom; derived from the documents above and kept here so that looking up
-- is quick. The subject is a locator's identity.
CREATE TABLE abuse_reports (
    id INTEGER PRIMARY KEY,
    list INTEGER NOT NULL REFERENCES abuse_lists (id),
    subject TEXT NOT NULL,
    report TEXT NOT NULL
) STRICT;
CREATE INDEX abuse_reports_by_subject ON abuse_reports (subject);
CREATE INDEX abuse_reports_by_list ON abuse_reports (list);
