package term

import (
	"bytes"
	"regexp"
)

// keyBlocks finds private keys that are written in lines: PEM of every kind, encrypted or not (RFC 7468, and RFC 1421
// with its header lines), OpenSSH, SSH2 (RFC 4716), OpenPGP (RFC 9580, 6.2) and PuTTY. A block may be indented,
// quoted, marked by a diff or numbered, written in one line, or within JSON, where its line ends are escapes. It may
// be cut: its beginning or its end is as secret as all of it. The text around it stays as it is, so that JSON stays
// JSON.
//
// The work is linear: an attempt at a block ends at the next dashes, where the next attempt begins.
type keyBlocks struct{ begun, end, ended *regexp.Regexp }

const (
	lineEnd = `(?:\s|\\+[nrt]|\\+u000[9aAdD])`
	// lineGap matches a part of what separates the lines of a key.
	lineGap = `(?:` + lineEnd + `[+-]?|[|>*#]|[0-9]{1,6}[:|])`
	// armorText matches a character of base64; some encoders of JSON escape the slash.
	armorText   = `(?:[A-Za-z0-9+/=]|\\+/)`
	armorLine   = armorText + `{20,}`
	armorRest   = armorText + `{1,19}`
	armorHeader = `[A-Z][A-Za-z0-9-]{2,40}: (?:\\*"[^\r\n"\\,:]{0,100}\\*"|(?:[^\r\n"\\]|\\+/){0,200})`

	blockKind  = `[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}`
	blockBegin = `-{4,5} ?BEGIN ` + blockKind
	blockEnd   = `-{4,5} ?END ` + blockKind
	// wholeBlock matches a block with its end.
	wholeBlock = blockBegin + `(?:` + lineGap + `|` + armorText + `|` + lineGap + armorHeader + `)*?` + blockEnd
	// cutBlock matches a block without its end, as far as its lines look like those of a key.
	cutBlock = blockBegin + `(?:` + lineGap + `*` + armorHeader + `)*(?:` + lineGap + `*` + armorLine + `)+(?:` +
		lineEnd + `+` + armorRest + `)?`
	puttyBlock = `Private-Lines: [0-9]{1,4}(?:` + lineGap + `*` + armorLine + `)+(?:` + lineEnd + `+` + armorRest + `)?`
	// blockTail matches the end of a block whose beginning is missing. The escape before it, whose last letter looks
	// like a part of it, stays.
	blockTail = `(^|` + lineEnd + `|[^A-Za-z0-9+/=\\])(?:` + armorLine + lineGap + `+)+(?:` + armorRest + lineGap + `+)*` +
		blockEnd + `$`
)

// maxTail limits the end of a block, in bytes.
const maxTail = 32 << 10

func newKeyBlocks() *keyBlocks {
	return &keyBlocks{regexp.MustCompile(wholeBlock + `|` + cutBlock + `|` + puttyBlock), regexp.MustCompile(blockEnd),
		regexp.MustCompile(blockTail)}
}

// among reports whether a text may contain such a key.
func (k *keyBlocks) among(b []byte) bool {
	return bytes.Contains(b, []byte("PRIVATE KEY")) || bytes.Contains(b, []byte("Private-Lines:"))
}

// hide masks such keys in a text.
func (k *keyBlocks) hide(b []byte) []byte {
	if !k.among(b) {
		return b
	}
	b = k.begun.ReplaceAll(b, []byte(masked))
	var out []byte
	done := 0
	for _, end := range k.end.FindAllIndex(b, -1) {
		from := max(done, end[1]-maxTail)
		out = append(out, b[done:from]...)
		out = append(out, k.ended.ReplaceAll(b[from:end[1]], []byte("${1}"+masked))...)
		done = end[1]
	}
	return append(out, b[done:]...)
}
