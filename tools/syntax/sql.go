package syntax

import (
	"slices"
	"strings"
)

// sqlReader lists what the CREATE statements of a script define. Dialects agree on how a statement begins and on little
// after that, so the rest is read as words and brackets only. It understands the \ lines and the COPY data of psql,
// DELIMITER of MySQL, and GO of Transact-SQL.
type sqlReader struct {
	scanner
	found     []Symbol
	delimiter string // ends a statement
	backticks bool   // around names
	doc       string // first line of the comment directly above the statement
}

func readSQL(text string) Structure {
	r := sqlReader{scanner: scanner{text: text}, delimiter: ";", backticks: strings.Contains(text, "`")}
	for r.at < len(text) {
		r.statement()
	}
	return r.structure(r.found)
}

// sqlKinds maps the word after CREATE to the kind of symbol. Other objects are not listed.
var sqlKinds = map[string]string{
	"TABLE": "table", "VIEW": "view", "INDEX": "index", "FUNCTION": "function",
	"PROCEDURE": "procedure", "PROC": "procedure", "AGGREGATE": "aggregate",
	"TRIGGER": "trigger", "TYPE": "type", "DOMAIN": "domain", "SCHEMA": "schema",
	"SEQUENCE": "sequence",
}

// sqlModifiers may come between CREATE and the kind.
var sqlModifiers = strings.Fields("OR REPLACE ALTER TEMP TEMPORARY GLOBAL LOCAL UNLOGGED FOREIGN EXTERNAL TRANSIENT " +
	"MATERIALIZED RECURSIVE UNIQUE CLUSTERED NONCLUSTERED COLUMNSTORE FULLTEXT SPATIAL BITMAP VIRTUAL CONSTRAINT EVENT " +
	"EDITIONABLE NONEDITIONABLE FORCE SQL SECURITY INVOKER DEFINER ALGORITHM UNDEFINED MERGE TEMPTABLE")

// sqlBodies are the kinds whose statement may contain statements between BEGIN and END.
var sqlBodies = []string{"function", "procedure", "trigger"}

// created is the header of a CREATE statement.
type created struct {
	kind        string
	name, after int // where the name begins and ends; after is 0 until it is read
	body        int // where the body begins; 0 until it is read
}

// statement reads one statement and lists what it creates.
func (r *sqlReader) statement() {
	start := r.blanks()
	if start == len(r.text) || r.line() {
		return
	}
	doc, begin := r.doc, r.word(start)
	creates, copies, stdin := begin == "CREATE", begin == "COPY", false
	var is created
	brackets, blocks, before := 0, 0, ""
	for first := true; ; first = false {
		at := r.blanks()
		over := brackets <= 0 && blocks <= 0 && strings.HasPrefix(r.text[at:], r.delimiter)
		if at == len(r.text) || r.goLine(at) || over {
			break
		}
		if !first && blocks <= 0 && !slices.Contains(sqlBodies, is.kind) && r.beginsCreate(at) {
			break // the end of the statement before it is missing
		}
		word := strings.ToUpper(r.next())
		switch {
		case word == "(":
			brackets++
		case word == ")" && brackets > 0:
			brackets--
		case word == ")":
			r.unread(at)
		}
		if creates && !first {
			is.take(r, at, word)
		}
		if creates && slices.Contains(sqlBodies, is.kind) && brackets <= 0 {
			blocks += blockStep(before, word)
		}
		stdin = stdin || copies && before == "FROM" && word == "STDIN"
		before = word
	}
	if brackets > 0 {
		r.miss(r.at, ")")
	}
	if r.at == len(r.text) && blocks > 0 {
		r.miss(r.at, "END")
	}
	end := len(strings.TrimRight(r.text[:r.at], " \t\r\n\f"))
	if strings.HasPrefix(r.text[r.at:], r.delimiter) {
		r.at += len(r.delimiter)
	}
	switch {
	case creates && is.after > 0:
		r.define(is, start, end, doc)
	case creates && is.kind != "-":
		r.unread(start) // nothing is named
	}
	if stdin {
		r.data()
	}
}

// take adds the next word of a CREATE statement: a modifier, the kind, a part of the name, or the begin of the body.
func (c *created) take(r *sqlReader, at int, word string) {
	text := r.text[at:r.at]
	switch {
	case c.kind == "":
		if kind := sqlKinds[word]; kind != "" {
			c.kind = kind
		} else if !slices.Contains(sqlModifiers, word) && inWord(text[0]) && !strings.ContainsAny(r.text[at-1:at], "=@") {
			c.kind = "-" // a role, a cast and so on
		}
	case c.after == 0 && slices.Contains([]string{"IF", "NOT", "EXISTS", "CONCURRENTLY", "BODY"}, word):
	case c.after == 0 && c.kind == "index" && word == "ON": // without a name
		c.kind = "-"
	case c.after == 0 && c.kind != "-" && c.kind != "index" && text == "(": // without a name
		r.unread(at)
		c.kind = "-"
	case c.after == 0 && c.kind != "-" && (inWord(text[0]) || strings.Contains("\"`[", text[:1])):
		c.name, c.after = at, r.at
	case c.after == at && text == ".": // the next word belongs to the name
		c.after = r.at
	case c.after == at && r.text[at-1] == '.':
		c.after = r.at
	case c.after > 0 && c.body == 0 && c.begins(word):
		c.body = at
	}
}

// begins reports whether the body of the created object begins at a word.
func (c *created) begins(word string) bool {
	switch c.kind {
	case "table":
		return word == "(" || word == "AS"
	case "view":
		return word == "SELECT" || word == "WITH" || word == "VALUES"
	case "function", "procedure":
		return word == "AS" || word == "BEGIN" || word == "RETURN"
	case "trigger":
		return word == "BEGIN" || word == "EXECUTE"
	}
	return false
}

// blockStep returns by how many levels a word changes the nesting of blocks. IF, LOOP and the like are not
// counted, so END IF and END LOOP leave the nesting unchanged.
func blockStep(before, word string) int {
	switch {
	case before == "END" && slices.Contains([]string{"IF", "LOOP", "WHILE", "REPEAT", "FOR"}, word):
		return 1
	case before == "END" && word == "CASE":
		return 0
	case word == "BEGIN" || word == "CASE":
		return 1
	case before == "BEGIN" && strings.HasPrefix(word, "TRAN"):
		return -1
	case word == "END":
		return -1
	}
	return 0
}

func (r *sqlReader) define(is created, start, end int, doc string) {
	title := strings.NewReplacer(`"`, "", "`", "", "[", "", "]", "").Replace(r.text[is.name:is.after])
	s := Symbol{Title: tidy(title), Kind: is.kind, Start: start, End: end, SignatureEnd: end, Line: is.name, Doc: doc}
	if is.body > 0 {
		s.SignatureEnd = start + len(strings.TrimRight(r.text[start:is.body], " \t\r\n\f"))
	}
	s.Name = s.Title
	r.found = append(r.found, s)
}

// goLine reports whether a line that says only GO begins at an offset.
func (r *sqlReader) goLine(at int) bool {
	return r.lineBegins(at) && strings.EqualFold(strings.TrimSpace(r.restOfLine(at)), "GO")
}

func (r *sqlReader) lineBegins(at int) bool { return at == 0 || r.text[at-1] == '\n' }

func (r *sqlReader) restOfLine(at int) string {
	line, _, _ := strings.Cut(r.text[at:], "\n")
	return line
}

// line reads a psql command, GO or DELIMITER, which end with their line. It reports whether there was one.
func (r *sqlReader) line() bool {
	if r.text[r.at] != '\\' && !r.lineBegins(r.at) {
		return false
	}
	line := r.restOfLine(r.at)
	words := strings.Fields(line)
	switch {
	case line[0] == '\\', r.goLine(r.at):
	case len(words) == 2 && strings.EqualFold(words[0], "DELIMITER"):
		r.delimiter = words[1]
	default:
		return false
	}
	r.at += len(line)
	return true
}

// data skips the rows after COPY … FROM STDIN, up to a line \.
func (r *sqlReader) data() {
	if end := strings.Index(r.text[r.at:], "\n\\."); end >= 0 {
		r.at += end + len("\n\\.")
		return
	}
	r.miss(r.at, `\.`)
	r.at = len(r.text)
}

// beginsCreate reports whether a line that creates something begins at an offset.
func (r *sqlReader) beginsCreate(at int) bool {
	if !r.lineBegins(at) || r.word(at) != "CREATE" {
		return false
	}
	for _, word := range strings.Fields(strings.ToUpper(r.restOfLine(at)))[1:] {
		if _, is := sqlKinds[word]; is || !slices.Contains(sqlModifiers, word) {
			return is
		}
	}
	return false
}

// word returns the word at an offset, in upper case.
func (r *sqlReader) word(at int) string {
	end := at
	for end < len(r.text) && inWord(r.text[end]) && r.text[end] != '.' {
		end++
	}
	return strings.ToUpper(r.text[at:end])
}

// blanks skips blanks and comments, keeps the first line of a comment that ends on the line above, and returns the
// offset of the next token.
func (r *sqlReader) blanks() int {
	comment, end := -1, 0
	for r.at < len(r.text) {
		rest, length := r.text[r.at:], 1
		switch {
		case isBlank(rest[0]):
			r.at++
			continue
		case strings.HasPrefix(rest, "--"):
			if length = strings.IndexAny(rest, "\r\n"); length < 0 {
				length = len(rest)
			}
		case strings.HasPrefix(rest, "/*"):
			length = r.remark(rest)
		default:
			length = 0
		}
		if length == 0 {
			break
		}
		if comment < 0 || lineEnds(r.text[end:r.at]) > 1 {
			comment = r.at
		}
		r.at += length
		end = r.at
	}
	if r.doc = ""; comment >= 0 && lineEnds(r.text[end:r.at]) == 1 {
		r.doc = FirstLine(r.text[comment:end])
	}
	return r.at
}

// remark returns the length of a comment between /* and */, which may contain others.
func (r *sqlReader) remark(text string) int {
	depth := 0
	for at := 0; at+1 < len(text); at++ {
		switch text[at : at+2] {
		case "/*":
			depth++
			at++
		case "*/":
			depth--
			at++
		}
		if depth == 0 {
			return at + 1
		}
	}
	r.miss(r.at, "*/")
	return len(text)
}

// next reads a word, a string, a quoted name or a sign.
func (r *sqlReader) next() string {
	rest := r.text[r.at:]
	length := 1
	switch c := rest[0]; {
	case c == '\'' || c == '"' || c == '`':
		length = r.quoted(rest, c)
	case c == '$':
		length = r.dollar(rest)
	case c == '[':
		length = r.bracketed(rest)
	case inWord(c) && c != '.':
		for length < len(rest) && inWord(rest[length]) && rest[length] != '.' {
			length++
		}
	}
	r.at += length
	return rest[:length]
}

// bracketed returns the length of a name in square brackets, or 1 if there is none.
func (r *sqlReader) bracketed(text string) int {
	const most = 128 // characters in a name
	end := strings.IndexAny(text[:min(len(text), most+2)], "]\n\r")
	if end < 2 || text[end] != ']' {
		return 1
	}
	return end + 1
}

// quoted returns the length of a text in quotes, which are doubled inside. A backslash escapes a quote in strings of
// MySQL, whose scripts have names between backticks, and in those of PostgreSQL that begin with E.
func (r *sqlReader) quoted(text string, quote byte) int {
	escapes := quote == '\'' && (r.backticks || r.at > 0 && (r.text[r.at-1] == 'e' || r.text[r.at-1] == 'E'))
	for at := 1; at < len(text); at++ {
		switch {
		case escapes && text[at] == '\\':
			at++
		case text[at] != quote:
		case at+1 < len(text) && text[at+1] == quote:
			at++
		default:
			return at + 1
		}
	}
	r.miss(r.at, string(quote))
	return len(text)
}

// dollar returns the length of a dollar-quoted text, such as $tag$ … $tag$, or of the word that begins with the dollar
// sign.
func (r *sqlReader) dollar(text string) int {
	end := 1
	for end < len(text) && inWord(text[end]) && text[end] != '.' {
		end++
	}
	if end == len(text) || text[end] != '$' {
		return end
	}
	tag := text[:end+1]
	if closed := strings.Index(text[len(tag):], tag); closed >= 0 {
		return closed + 2*len(tag)
	}
	r.miss(r.at, tag)
	return len(text)
}
