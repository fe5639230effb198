-- What facts say that a campaign may share, picked out of them once. `version` is that of whoever picked.
CREATE TABLE IF NOT EXISTS campaign_words (
    facts INTEGER PRIMARY KEY REFERENCES facts (id),
    version INTEGER NOT NULL,
    body TEXT NOT NULL
) STRICT;
