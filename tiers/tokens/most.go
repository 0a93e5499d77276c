package tokens

import "unicode/utf8"

// Most is how many tokens a text has at most, whichever model of today
// reads it. It is for holding money back, not for guessing: English prose and
// code have less than half of it, Chinese and Japanese about a third.
//
// A vocabulary of byte pairs, and one of SentencePiece with bytes to fall back
// on, never makes more tokens than there are bytes. That is the bound, save for
// what every vocabulary joins: small letters of a word, letters of Latin-1 and
// Cyrillic and small Greek ones, blanks in a row, and one mark in a row. Digits
// are not among it: some vocabularies split them all.
//
// The weights hold, each with room to spare, for the counts by three vocabularies
// in testdata/counts.json: prose of many languages, code, random letters,
// base64, digests. A text of letters that no language puts together, written so
// as to have many tokens, can have up to twice this.
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

// token is a token in the quarters in which a text is measured.
const token = 4

// character is what an ASCII character is to a vocabulary.
type character uint8

const (
	aMark      character = iota // whatever is none of the others, and every character that is not ASCII
	aSpace                      // belongs to the word behind it
	aVowel                      // small
	aConsonant                  // small
	aCapital                    // inside of a word
	anInitial                   // a capital that begins a word
)

// kinds is the [character] of each of ASCII, as a digit.
const kinds = "00000000000000000000000000000000" +
	"10000000000000000000000000000000" + // the space, marks and digits
	"0" + "44444444444444444444444444" + "00000" + // @ and capitals
	"0" + "23332333233333233333233323" + "00000" // ` and small letters

func kindOf(c byte) character { return character(kinds[c] - '0') }

// letters is what a letter costs, in quarters, by the [character] before it and
// its own. Words have few consonants in a row, and names have humps; random
// letters have many of both.
const letters = "004444" + // behind a mark
	"000000" + // behind a space, which has paid for it
	"002240" + // behind a vowel
	"002340" + // behind a consonant
	"004440" + // behind a capital
	"002240" // behind an initial

func letter(before, kind character) int64 { return int64(letters[before*6+kind] - '0') }

// foreign is what a character of n bytes costs that is not ASCII, in quarters.
// What is no character is written as the three bytes of U+FFFD.
func foreign(r rune, n int) int64 {
	switch {
	case r == utf8.RuneError:
		return 3 * token
	case 'À' <= r && r <= 'ÿ', 'ά' <= r && r <= 'ώ', 'А' <= r && r <= 'я':
		return 6
	}
	return int64(n) * token
}
