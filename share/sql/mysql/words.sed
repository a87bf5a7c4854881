s/{run}/BIGINT UNSIGNED/g
s/{id}/BIGINT UNSIGNED/g
s/{u64}/BIGINT UNSIGNED/g
s/{nth}/BIGINT UNSIGNED/g
s/{int}/INT UNSIGNED/g
s/{word}/VARCHAR(32)/g
s/{text}/LONGTEXT/g
s/{end}/ ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin/g
s/{schema}/database()/g
