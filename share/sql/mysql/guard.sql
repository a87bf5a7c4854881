SET @odd = (SELECT min(o.name) FROM (
