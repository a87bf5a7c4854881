SET VARIABLE odd = (
SELECT error('table ' || min(o.name) || ' is not of ct-tosql: rename it, or load with --prefix') FROM (
