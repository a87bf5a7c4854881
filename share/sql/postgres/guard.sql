DO $$
DECLARE odd text := (SELECT min(o.name) FROM (
