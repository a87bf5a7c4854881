	) o
	JOIN main.sqlite_master t ON t.name = o.name
	WHERE NOT EXISTS (SELECT 1 FROM pragma_table_info(o.name) c WHERE c.name = o.has)
