// Package slug turns titles into names for files and addresses.
package slug

import "strings"

// Make is the title in lower case: letters and digits stay, everything between
// two words becomes one dash, and no dash stands at either end.
func Make(title string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(title) {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			b.WriteRune(r)
		} else {
			b.WriteByte('-')
		}
	}
	return b.String()
}
