	) o
	JOIN information_schema.tables t ON t.table_schema = {schema} AND t.table_name = o.name
	WHERE NOT EXISTS (
		SELECT 1 FROM information_schema.columns c
		WHERE c.table_schema = t.table_schema AND c.table_name = o.name AND c.column_name = o.has
	)
