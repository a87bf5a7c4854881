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
