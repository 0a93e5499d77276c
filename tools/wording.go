package tools

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Count returns how many there are of a thing: "1 line", "2 lines".
func Count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

func FileCount(n int) string {
	if n == 1 {
		return "1 file"
	}
	return fmt.Sprintf("%d files", n)
}

// JoinNumbers lists numbers; the 200 that fit an answer in any case are enough to see the pattern.
func JoinNumbers(numbers []int) string {
	const most = 200
	var parts []string
	for _, n := range numbers[:min(len(numbers), most)] {
		parts = append(parts, strconv.Itoa(n))
	}
	if len(numbers) > most {
		parts = append(parts, fmt.Sprintf("… and %d more", len(numbers)-most))
	}
	return strings.Join(parts, ", ")
}

// VisibleName keeps a name on one line, and shows characters that cannot be seen by their escapes.
func VisibleName(name string) string {
	if strings.ContainsFunc(name, func(r rune) bool { return r == utf8.RuneError || !unicode.IsPrint(r) }) {
		return fmt.Sprintf("%q", name)
	}
	return name
}
