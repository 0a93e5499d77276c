package sandbox

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxPathBytes limits the length of a path as given.
const maxPathBytes = 4096

// formProblem returns what is wrong with the spelling of a path on the given system, or "". It does no I/O, so
// the rules of every system can be tested on any other.
func formProblem(path, goos string) string {
	switch {
	case strings.TrimSpace(path) == "":
		return "the path is empty"
	case len(path) > maxPathBytes:
		return "the path is longer than 4096 bytes"
	case !utf8.ValidString(path):
		return "the path is not valid UTF-8"
	case strings.ContainsFunc(path, unicode.IsControl):
		return "the path contains a control character"
	case strings.ContainsFunc(path, isDirectionOverride):
		return "the path contains a character that changes the direction of text"
	}
	slashed := strings.ReplaceAll(path, `\`, "/")
	switch {
	case strings.HasPrefix(slashed, "//"), strings.HasPrefix(slashed, "/??/"):
		return "network and device paths are not allowed"
	case hasDrive(slashed) && (goos != "windows" || len(slashed) < 3 || slashed[2] != '/'):
		return "paths with a drive letter are not allowed here; use a path relative to the workspace"
	}
	if goos == "windows" {
		return windowsProblem(slashed)
	}
	return ""
}

func isDirectionOverride(r rune) bool {
	return r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069
}

func hasDrive(slashed string) bool {
	return len(slashed) >= 2 && slashed[1] == ':' &&
		(slashed[0] >= 'a' && slashed[0] <= 'z' || slashed[0] >= 'A' && slashed[0] <= 'Z')
}

// windowsProblem returns why Windows may treat a path as another spelling of a different name, or "".
func windowsProblem(slashed string) string {
	if hasDrive(slashed) {
		slashed = slashed[2:]
	}
	for element := range strings.SplitSeq(slashed, "/") {
		switch {
		case element == "." || element == "..":
		case strings.ContainsRune(element, ':'):
			return "alternate data streams are not allowed"
		case strings.HasSuffix(element, ".") || strings.HasSuffix(element, " "):
			return "names that end with a dot or a space are not allowed"
		case isShortName(element):
			return "short (8.3) names are not allowed"
		case isReservedName(element):
			return "device names are not allowed"
		}
	}
	return ""
}

func isShortName(element string) bool {
	at := strings.LastIndexByte(element, '~')
	return at >= 0 && at+1 < len(element) && element[at+1] >= '0' && element[at+1] <= '9'
}

func isReservedName(element string) bool {
	stem, _, _ := strings.Cut(strings.ToUpper(element), ".")
	stem = strings.TrimRight(stem, " ")
	switch stem {
	case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$":
		return true
	}
	if !strings.HasPrefix(stem, "COM") && !strings.HasPrefix(stem, "LPT") {
		return false
	}
	return strings.Contains("0123456789¹²³", stem[3:]) && utf8.RuneCountInString(stem) == 4
}

// visible escapes and shortens a rejected path for one line of text.
func visible(path string) string {
	const most = 200
	var b strings.Builder
	for i, r := range strings.ToValidUTF8(path, "\uFFFD") {
		switch {
		case i >= most:
			return b.String() + "…"
		case unicode.IsControl(r) || isDirectionOverride(r):
			b.WriteRune('\uFFFD')
		default:
			b.WriteRune(r)
		}
	}
	if b.Len() == 0 {
		return `""`
	}
	return b.String()
}
