-- What the later of two tools of one name can do more, as it was found when their texts were compared; null where either text
-- was missing. Snapshots never change, so what was found under a version holds as long as the pair is there.
CREATE TABLE IF NOT EXISTS tool_comparisons (
    later INTEGER NOT NULL REFERENCES snapshots (id),
    tool TEXT NOT NULL,
    earlier INTEGER NOT NULL REFERENCES snapshots (id),
    earlier_tool TEXT NOT NULL,
    version TEXT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (later, tool, earlier, earlier_tool)
) STRICT, WITHOUT ROWID;
