package commands

import "strings"

// readPowershell reads PowerShell scripts that mean the same in every shell: words of plain
// characters, in lines and lists. All others are unclear, because there is no parser for
// PowerShell.
func (s *Script) readPowershell(script string) {
	if strings.ContainsFunc(script, beyondWords) {
		s.unclear("the PowerShell script has more than plain words")
	}
	r := reader{out: s}
	for _, line := range strings.FieldsFunc(script, func(c rune) bool { return strings.ContainsRune("\n\r;|&", c) }) {
		var words []word
		for _, text := range strings.FieldsFunc(line, func(c rune) bool { return c == ' ' || c == '\t' }) {
			words = append(words, wordOf(text))
		}
		switch {
		case len(words) == 0:
		case strings.Contains(line, "="):
			s.Commands = append(s.Commands, Command{words: words, Unclear: "it may set a variable"})
		default:
			r.command(words, 0)
		}
	}
}

func beyondWords(c rune) bool {
	return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') &&
		!strings.ContainsRune("_./\\:+- \t\r\n;|&=", c)
}
