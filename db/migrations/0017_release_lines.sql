-- Packages of npm, and what names packages, are read in full once more: their release lines and the versions that are named
-- were not kept before. What was said stays as it was.
UPDATE listings SET etag = NULL, last_modified = NULL, digest = NULL
WHERE source = 'npm' OR source IN (SELECT id FROM sources WHERE kind = 'npm')
   OR id IN (SELECT listing FROM listing_references WHERE source IN ('npm', 'pypi'));
