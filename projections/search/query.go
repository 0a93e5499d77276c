package search

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Limits of a query.
const (
	// MaxQuery limits the length of a query, in bytes.
	MaxQuery = 1024
	// MaxTerms limits the total number of words, phrases and qualifiers.
	MaxTerms = 32
	// MinPrefix is the minimum number of characters before a "*".
	MinPrefix = 2
)

// Query is a parsed search. All terms and all kinds of qualifiers must match; if a qualifier has
// several values, any of them.
type Query struct {
	terms    []term
	types    []string
	tiers    []int
	tickets  []string
	tools    []string
	sessions []string
	after    time.Time // zero means no limit
	before   time.Time
}

// term is a word or a phrase.
type term struct {
	words  []string
	prefix bool // the last word is a prefix
	not    bool
}

// QueryError says what is wrong with a query, and where.
type QueryError struct {
	At      int    // position in the query in bytes, from 0
	Message string // what is wrong
	Hint    string // what to write instead
}

// Error returns the message and the hint.
func (e *QueryError) Error() string { return e.Message + ". " + e.Hint }

// Parse parses a query: words, "phrases", word* for a prefix, -word for exclusion, and qualifiers
// NAME:VALUE. Ages such as after:2d are relative to now. The error is a *QueryError.
func Parse(text string, now time.Time) (Query, error) {
	p := parser{text: text, now: now}
	if len(text) > MaxQuery {
		return Query{}, p.wrong(MaxQuery, fmt.Sprintf("the query is over %d bytes", MaxQuery), "Search for fewer words.")
	}
	if !utf8.ValidString(text) {
		return Query{}, p.wrong(0, "the query is not UTF-8", "Send it as UTF-8.")
	}
	for p.skip(); p.at < len(text); p.skip() {
		if p.count++; p.count > MaxTerms {
			return Query{}, p.wrong(p.at, fmt.Sprintf("there are more than %d terms", MaxTerms), "Search for fewer.")
		}
		if err := p.term(); err != nil {
			return Query{}, err
		}
	}
	if p.count == 0 {
		return Query{}, p.wrong(0, "there is nothing to search for",
			`Give a word, a "phrase", or a qualifier such as type:ToolSettled.`)
	}
	return p.query, nil
}

// parser makes one pass over a query.
type parser struct {
	text  string
	now   time.Time
	at    int
	count int
	query Query
}

func (p *parser) wrong(at int, message, hint string) error {
	where := utf8.RuneCountInString(clip(p.text, at)) + 1
	return &QueryError{At: at, Message: message + " at character " + strconv.Itoa(where), Hint: hint}
}

func (p *parser) skip() {
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.at]) >= 0 {
		p.at++
	}
}

// term parses one term or qualifier.
func (p *parser) term() error {
	from := p.at
	not := strings.HasPrefix(p.text[p.at:], "-") && p.at+1 < len(p.text) && !strings.ContainsRune(" \t\r\n",
		rune(p.text[p.at+1]))
	if not {
		p.at++
	}
	name, colon := p.name()
	if colon {
		return p.qualified(from, name, not)
	}
	value, quoted, err := p.value()
	if err != nil {
		return err
	}
	return p.word(from, value, quoted, not)
}

// name parses the name of a qualifier: letters before a colon, if a value follows or the name is
// known; "http://x" is text.
func (p *parser) name() (string, bool) {
	rest := p.text[p.at:]
	n := 0
	for n < len(rest) && (rest[n] >= 'a' && rest[n] <= 'z' || rest[n] >= 'A' && rest[n] <= 'Z') {
		n++
	}
	if n == 0 || n == len(rest) || rest[n] != ':' || strings.HasPrefix(rest[n:], "://") || strings.HasPrefix(rest[n:],
		"::") {
		return "", false
	}
	p.at += n + 1
	return rest[:n], true
}

// value parses up to the next blank, or a text in quotes.
func (p *parser) value() (value string, quoted bool, err error) {
	from := p.at
	if p.at < len(p.text) && p.text[p.at] == '"' {
		end := strings.IndexByte(p.text[p.at+1:], '"')
		if end < 0 {
			return "", true, p.wrong(from, "a quote is not closed", `Close it with ", or remove it.`)
		}
		p.at += end + 2
		return p.text[from+1 : p.at-1], true, nil
	}
	end := strings.IndexAny(p.text[p.at:], " \t\r\n")
	if end < 0 {
		end = len(p.text) - p.at
	}
	p.at += end
	return p.text[from:p.at], false, nil
}

// word adds a word or phrase.
func (p *parser) word(from int, value string, quoted, not bool) error {
	prefix := !quoted && strings.HasSuffix(value, "*")
	t := term{words: words(strings.TrimSuffix(value, "*")), prefix: prefix, not: not}
	switch {
	case quoted:
		t.words = words(value)
	case strings.Contains(strings.TrimSuffix(value, "*"), "*"):
		return p.wrong(from, "* is not allowed inside a word", "Use it only at the end: pars* finds parse and parser.")
	case prefix && len(t.words) != 1:
		return p.wrong(from, "* is not allowed after more than one word", "Write the words separately, with the "+
			"* after the last one.")
	case prefix && utf8.RuneCountInString(t.words[0]) < MinPrefix:
		return p.wrong(from, "the word before * is too short", fmt.Sprintf("Give at least %d characters before "+
			"it.", MinPrefix))
	}
	if len(t.words) == 0 {
		return p.wrong(from, fmt.Sprintf("%q has no word", clip(value, 40)),
			fmt.Sprintf("Words are letters and digits, at most %d bytes each.", maxWord))
	}
	p.query.terms = append(p.query.terms, t)
	return nil
}
