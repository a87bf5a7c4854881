-- One look at all tables: each that information_schema opens takes long.
SET @odd = (SELECT o.name FROM (
