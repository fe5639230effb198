-- Look-alikes: what the pass over all names found, each under a key of its own. `standing` is 1 where the last night that
-- looked found it again; what it did not find stays, and counts no more. `at` is the night that found it first.
CREATE TABLE leads (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    at INTEGER NOT NULL,
    standing INTEGER NOT NULL CHECK (standing IN (0, 1)),
    body BLOB NOT NULL
) STRICT;
