# Integers end at 2^63-1: a column without a type holds what is above as text, exactly.
s/{run}/INTEGER/g
s/ {id}//g
s/ {u64}//g
s/ {nth}//g
s/{int}/INTEGER/g
s/{word}/TEXT/g
s/{text}/TEXT/g
s/{end}//g
s/CREATE OR REPLACE VIEW/CREATE VIEW IF NOT EXISTS/
# sum() gives up above 2^63-1; what is larger is no exact number here.
s/sum(ns) AS total_ns/CASE WHEN total(ns) < 9e18 THEN (sum(ns >> 32) << 32) + sum(ns \& 4294967295) ELSE total(ns) END AS total_ns/
