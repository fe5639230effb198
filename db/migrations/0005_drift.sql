-- What the drift pass has compared, so that nothing is compared twice. `turn` is the row of the succession by which the
-- earlier snapshot was the newest last: one that comes back and is followed again is compared again.
CREATE TABLE compared_snapshots (
    before INTEGER NOT NULL REFERENCES snapshots (id),
    after INTEGER NOT NULL REFERENCES snapshots (id),
    turn INTEGER NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (before, after)
) STRICT, WITHOUT ROWID;

-- Up to which version of each listing the pass has compared.
CREATE TABLE compared_listings (
    listing INTEGER PRIMARY KEY REFERENCES listings (id),
    version INTEGER NOT NULL REFERENCES listing_versions (id),
    at INTEGER NOT NULL
) STRICT;

-- What one observation did not see any more: a tool of a capability, or with an empty name the capability itself. `seen` is
-- when a whole observation did not see it first; null while only partial ones did not.
CREATE TABLE removals (
    capability INTEGER NOT NULL REFERENCES capabilities (id),
    tool TEXT NOT NULL,
    before INTEGER NOT NULL REFERENCES snapshots (id),
    seen INTEGER,
    PRIMARY KEY (capability, tool)
) STRICT, WITHOUT ROWID;

-- When the bytes of a snapshot were fetched and hashed again last.
CREATE TABLE rehashed (
    snapshot INTEGER PRIMARY KEY REFERENCES snapshots (id),
    at INTEGER NOT NULL
) STRICT;

-- What a store of before holds counts as compared: only what comes later is news. Each snapshot with all that came after it.
INSERT INTO compared_snapshots (before, after, turn, at)
SELECT o.snapshot, n.snapshot, max(o.id), max(n.at)
FROM succession o
JOIN succession n ON n.identity = o.identity AND n.id > o.id AND n.snapshot <> o.snapshot
GROUP BY o.snapshot, n.snapshot;

INSERT INTO compared_listings (listing, version, at)
SELECT listing, max(id), max(at) FROM listing_versions GROUP BY listing;
