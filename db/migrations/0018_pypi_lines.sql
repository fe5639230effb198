-- What names projects of PyPI is read in full once more: the versions that are named were not part of the reference before, and
-- so were not fetched. What was said stays as it was.
UPDATE listings SET etag = NULL, last_modified = NULL, digest = NULL
WHERE id IN (SELECT listing FROM listing_references WHERE source = 'pypi');
