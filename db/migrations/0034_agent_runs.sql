-- Runs of Agent Scan that somebody kept: what was asked for, what it came to when it was kept, and its transcripts. Only ever
-- added to. Whether a run is published is what the newest row about it says.
CREATE TABLE IF NOT EXISTS agent_runs (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE,
    at INTEGER NOT NULL,
    report INTEGER NOT NULL REFERENCES json_documents (id)
) STRICT;

-- One transcript, as its text.
CREATE TABLE IF NOT EXISTS agent_trials (
    run INTEGER NOT NULL REFERENCES agent_runs (id),
    trial TEXT NOT NULL,
    digest BLOB NOT NULL CHECK (length(digest) = 32),
    transcript INTEGER NOT NULL REFERENCES json_documents (id),
    PRIMARY KEY (run, trial)
) STRICT, WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS agent_publications (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    run INTEGER NOT NULL REFERENCES agent_runs (id),
    at INTEGER NOT NULL,
    is_published INTEGER NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS agent_publications_run ON agent_publications (run);
