	HAVING count(*) > 0
);
