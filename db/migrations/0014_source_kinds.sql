-- The id of the source that is asked, where an operator keeps it under a name of its own. Null for sources that were last
-- walked before kinds were kept: such a source counts as one of the kind that has its name.
ALTER TABLE sources ADD COLUMN kind TEXT;
