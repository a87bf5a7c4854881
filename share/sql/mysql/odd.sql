	) o
	JOIN information_schema.columns c ON c.table_schema = {schema} AND c.table_name = o.name
	GROUP BY o.name HAVING sum(c.column_name = o.has) = 0 ORDER BY o.name LIMIT 1
