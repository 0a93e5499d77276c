package doctor

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"

	"manualslop/cmd/slop/site"
	"manualslop/cmd/slop/term"
)

// printModelTable prints the known models in 80 columns, followed by the sources of the figures.
func printModelTable(g *site.Flags, models []modelLine) {
	var sources []string
	rows := [][]string{{"MODEL", "TIERS", "WINDOW", "REPLY", "INPUT", "OUTPUT", "CACHED", "FROM"}}
	for _, m := range models {
		source := cmp.Or(m.AsOf, "-") + "  " + cmp.Or(term.Visible(m.Source), "-")
		at := slices.Index(sources, source)
		if at < 0 {
			at, sources = len(sources), append(sources, source)
		}
		rows = append(rows, append(modelRow(m), strconv.Itoa(at+1)))
	}
	term.PrintTable(g.Out, rows)
	for i, source := range sources {
		if i == 0 {
			g.Printf("\nThe figures are from:\n")
		}
		g.Printf("%3d  %s\n", i+1, source)
	}
}

func modelRow(m modelLine) []string {
	name := m.Provider + "/" + m.Model
	if m.Listed != nil && !*m.Listed {
		name += " (not in the provider's list)"
	}
	row := []string{term.Visible(name), tierList(m.Tiers), tokenCount(m.ContextWindow), tokenCount(m.MaxOutputTokens),
		unknownFigure, unknownFigure, unknownFigure}
	if price, known := m.Price(time.Now(), 0); known {
		row[4], row[5] = perMillion(&price.Input), perMillion(&price.Output)
		row[6] = perMillion(price.CacheRead)
	}
	return row
}

// unknownFigure is printed in place of an unknown figure.
const unknownFigure = "?"

// tokenCount formats a limit, in thousands if it is large.
func tokenCount(n int64) string {
	switch {
	case n == 0:
		return unknownFigure
	case n < 10_000:
		return strconv.FormatInt(n, 10)
	}
	return fmt.Sprintf("%.0fk", float64(n)/1000)
}

func perMillion(micro *int64) string {
	if micro == nil {
		return unknownFigure
	}
	return fmt.Sprintf("$%.4g", float64(*micro)/1e6)
}
