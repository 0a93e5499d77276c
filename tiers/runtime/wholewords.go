package runtime

// maxWord bounds the bytes of a word that live text holds back; no key of one
// line is as long.
const maxWord = 4 << 10

// wholeWords hands out a text in whole words. Models write a key in several
// pieces, and in none of them a mask would find it.
type wholeWords struct{ begun string }

// take is what is whole once the next piece is there.
func (w *wholeWords) take(piece string) string {
	all := w.begun + piece
	at := len(all)
	for at > 0 && inWord(all[at-1]) {
		at--
	}
	if len(all)-at > maxWord {
		at = len(all)
	}
	w.begun = all[at:]
	return all[:at]
}

// end is what was held back.
func (w *wholeWords) end() string {
	rest := w.begun
	w.begun = ""
	return rest
}

// inWord tells whether a byte may stand in a key: the visible ones of ASCII.
func inWord(c byte) bool { return c > ' ' && c < 0x7f }
