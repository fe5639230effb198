-- What a language model is asked about servers, and what it answered. A unit is a server's tools, or a part of them: equal units
-- stand once, whoever publishes them.
CREATE TABLE IF NOT EXISTS judge_units (
    id INTEGER PRIMARY KEY,
    digest BLOB NOT NULL UNIQUE CHECK (length(digest) = 32),
    document INTEGER NOT NULL REFERENCES json_documents (id)
) STRICT;

-- The parts of what a scan found, under one form of units: a unit with the places of its tools, or why there is none.
CREATE TABLE IF NOT EXISTS judge_parts (
    scan_result INTEGER NOT NULL REFERENCES scan_results (id),
    form INTEGER NOT NULL,
    part INTEGER NOT NULL,
    unit INTEGER REFERENCES judge_units (id),
    places INTEGER NOT NULL REFERENCES json_documents (id),
    PRIMARY KEY (scan_result, form, part)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS judge_parts_unit ON judge_parts (unit);

-- Requests. A row is written before its request is sent, so that no crash makes anybody pay twice. Only ever added to.
CREATE TABLE IF NOT EXISTS judge_calls (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    key BLOB NOT NULL CHECK (length(key) = 32),
    unit INTEGER NOT NULL REFERENCES judge_units (id),
    at INTEGER NOT NULL,
    prompt INTEGER NOT NULL,
    ballot TEXT NOT NULL,
    model TEXT NOT NULL,
    request BLOB NOT NULL CHECK (length(request) = 32),
    reserved_in INTEGER NOT NULL,
    reserved_out INTEGER NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS judge_calls_key ON judge_calls (key);
CREATE INDEX IF NOT EXISTS judge_calls_unit ON judge_calls (unit);
CREATE INDEX IF NOT EXISTS judge_calls_at ON judge_calls (at);

-- What came of a request: the answer as it came, and what it was read as; `outcome` is `used` or a reason.
CREATE TABLE IF NOT EXISTS judge_answers (
    call INTEGER PRIMARY KEY REFERENCES judge_calls (id),
    outcome TEXT NOT NULL,
    body INTEGER REFERENCES json_documents (id),
    answered_by TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    latency_ms INTEGER NOT NULL,
    tokens_in INTEGER NOT NULL,
    tokens_out INTEGER NOT NULL,
    reading INTEGER REFERENCES json_documents (id)
) STRICT;

-- Whose answers count, as the operator's schedule said it last; no row where no judge was ever asked.
CREATE TABLE IF NOT EXISTS judge_use (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    body TEXT NOT NULL
) STRICT;
