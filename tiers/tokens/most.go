package tokens

import "unicode/utf8"

// Most returns the maximum number of tokens of a text for any current model. It is meant for
// reserving money, not for estimating: English prose and code have less than half of it, Chinese
// and Japanese about a third.
//
// Vocabularies of byte pairs, and of SentencePiece with byte fallback, never produce more tokens
// than there are bytes. That is the bound, except for what every vocabulary joins: lower-case
// letters of a word, letters of Latin-1 and Cyrillic, lower-case Greek letters, runs of blanks,
// and runs of the same mark. Digits are not joined: some vocabularies split them all.
//
// The weights are valid, with some margin, for the counts of three vocabularies in
// testdata/counts.json: prose in many languages, code, random letters, base64, digests. An
// adversarial text of unusual letter sequences can have up to twice as many tokens.
func Most(text string) int64 {
	var quarters int64
	var last, before byte
	kind := aMark
	for i := 0; i < len(text); {
		c := text[i]
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(text[i:])
			quarters += foreign(r, n)
			i, kind, last, before = i+n, aMark, c, last
			continue
		}
		next := kindOf(c)
		switch {
		case next > aSpace:
			if next == aCapital && kind <= aSpace {
				next = anInitial
			}
			quarters += letter(kind, next)
		case c == last && c == before && (c == ' ' || c == '\t' || c == '\n'):
			quarters++
		case c == last && c > ' ' && (c < '0' || c > '9'):
			quarters += 3
		default:
			quarters += token
		}
		i, kind, last, before = i+1, next, c, last
	}
	return (quarters + token - 1) / token
}

// token is the cost of one token, in quarters.
const token = 4

// character is the class of an ASCII character in vocabularies.
type character uint8

const (
	aMark      character = iota // anything else, and every non-ASCII character
	aSpace                      // belongs to the following word
	aVowel                      // lower case
	aConsonant                  // lower case
	aCapital                    // inside a word
	anInitial                   // a capital at the start of a word
)

// kinds holds the [character] of each ASCII character, as a digit.
const kinds = "00000000000000000000000000000000" +
	"10000000000000000000000000000000" + // the space, marks and digits
	"0" + "44444444444444444444444444" + "00000" + // @ and capitals
	"0" + "23332333233333233333233323" + "00000" // ` and lower-case letters

func kindOf(c byte) character { return character(kinds[c] - '0') }

// letters holds the cost of a letter, in quarters, by the [character] before it and its own. Words
// have few consonants in a row, and names are in camel case; random letters have many of both.
const letters = "004444" + // after a mark
	"000000" + // after a space, whose cost is included
	"002240" + // after a vowel
	"002340" + // after a consonant
	"004440" + // after a capital
	"002240" // after an initial

func letter(before, kind character) int64 { return int64(letters[before*6+kind] - '0') }

// foreign returns the cost of a non-ASCII character of n bytes, in quarters. Invalid bytes count
// as the three bytes of U+FFFD.
func foreign(r rune, n int) int64 {
	switch {
	case r == utf8.RuneError:
		return 3 * token
	case 'À' <= r && r <= 'ÿ', 'ά' <= r && r <= 'ώ', 'А' <= r && r <= 'я':
		return 6
	}
	return int64(n) * token
}
