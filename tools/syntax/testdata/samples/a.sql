-- Users.
CREATE TABLE users (id INT PRIMARY KEY, name TEXT);
CREATE VIEW active AS SELECT * FROM users;
CREATE INDEX idx ON users (name);
CREATE FUNCTION add(a INT, b INT) RETURNS INT LANGUAGE SQL AS 'select a+b';
CREATE TYPE mood AS ENUM ('sad', 'ok');
SELECT * FROM users;
\echo \;
create or replace temp view "Odd name".v as select ';' as "a;b", $q$ CREATE TABLE no (); $q$;
/* Pages.
 /* nested */ */
CREATE FUNCTION page(IN page bytea, OUT magic text)
AS 'MODULE_PATHNAME', 'page'
LANGUAGE C STRICT;
CREATE MATERIALIZED VIEW IF NOT EXISTS s.m AS SELECT 1 WITH NO DATA;
COPY users (id) FROM stdin;
1	CREATE TABLE data (
\.
CREATE TRIGGER after_user AFTER INSERT ON users BEGIN
  UPDATE users SET name = CASE WHEN id > 1 THEN 'a' END;
  SELECT 1;
END;
CREATE PROCEDURE steps() BEGIN
  IF 1 THEN SELECT 2; END IF;
  WHILE 0 DO SELECT 3; END WHILE;
END;
CREATE INDEX ON users (id);
CREATE CAST (bigint AS mood) WITH FUNCTION cast_to(bigint);
CREATE ROLE table;
INSERT INTO users VALUES (1, E'it\'s; CREATE TABLE no');
CREATE DEFINER=`root`@`%` FUNCTION `f`() RETURNS INT RETURN 1;
DELIMITER //
CREATE PROCEDURE p2() SELECT 1; SELECT 2 //
DELIMITER ;
CREATE TABLE [dbo].[Order Details] ([id] int)
GO
CREATE UNIQUE NONCLUSTERED INDEX ix ON [dbo].[t] ([id])
GO
CREATE TABLE last (id INT -- open
