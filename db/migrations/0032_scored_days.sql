-- Until which day (days since the epoch, that day not included) a score of a day holds: no age passes a threshold before. Null for
-- those of before, which hold on their own day alone.
ALTER TABLE scores ADD COLUMN until INTEGER;
