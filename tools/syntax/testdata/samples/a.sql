-- Users.
CREATE TABLE users (id INT PRIMARY KEY, name TEXT);
CREATE VIEW active AS SELECT * FROM users;
CREATE INDEX idx ON users (name);
CREATE FUNCTION add(a INT, b INT) RETURNS INT LANGUAGE SQL AS 'select a+b';
CREATE TYPE mood AS ENUM ('sad', 'ok');
SELECT * FROM users;
