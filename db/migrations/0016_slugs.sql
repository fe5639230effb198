-- Slugs are one-to-one: the capability that came first keeps the plain one.
UPDATE capabilities SET slug = slug || '--' || lower(substr(hex(digest), 1, 16))
WHERE id IN (
    SELECT id FROM (SELECT id, row_number() OVER (PARTITION BY slug ORDER BY first_seen, id) AS place FROM capabilities)
    WHERE place > 1
);
CREATE UNIQUE INDEX capabilities_slug ON capabilities (slug);
