s/{run}/UInt64/g
s/{id}/UInt64/g
s/{u64}/Nullable(UInt64)/g
s/{int}/Nullable(UInt8)/g
s/{word}/Nullable(String)/g
s/{text}/Nullable(String)/g
s/{end}/ ENGINE = MergeTree ORDER BY run/g
