package tools

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Count returns a number with its noun: "1 line", "2 lines".
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

// JoinNumbers lists numbers, at most 200, which always fit into an answer and are enough to see the pattern.
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

// VisibleName keeps a name on one line and escapes invisible characters.
func VisibleName(name string) string {
	if strings.ContainsFunc(name, func(r rune) bool { return r == utf8.RuneError || !unicode.IsPrint(r) }) {
		return fmt.Sprintf("%q", name)
	}
	return name
}
