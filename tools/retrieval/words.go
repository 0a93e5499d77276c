package retrieval

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
)

// The usual parameters of BM25: how quickly further repetitions of a word stop counting, and how much the length of a
// passage counts.
const (
	saturation = 1.2
	lengthness = 0.75
)

// maxWords limits the distinct words of a question that are used, so that a pasted file cannot make a
// search slow.
const maxWords = 64

// byWords returns the best passages for the words of a question by BM25, best first; only those with
// at least one of the words. An index of all words would have to be kept current, while all files are
// read for each question anyway.
func byWords(question string, all []Passage, most int) []Passage {
	at := map[string]int{} // index of each word of the question
	eachWord(question, func(word string) {
		if _, known := at[word]; !known && len(at) < maxWords {
			at[word] = len(at)
		}
	})
	type counted struct {
		index, length int
		counts        []int
	}
	var found []counted
	having := make([]int, len(at)) // number of passages with each word
	total := 0
	counts := make([]int, len(at))
	for i, p := range all {
		clear(counts)
		length, hit := 0, false
		count := func(word string) {
			length++
			if n, asked := at[word]; asked {
				counts[n]++
				hit = true
			}
		}
		eachWord(p.Path, count)
		eachWord(p.Text, count)
		total += length
		if !hit {
			continue
		}
		for n, c := range counts {
			if c > 0 {
				having[n]++
			}
		}
		found = append(found, counted{i, length, slices.Clone(counts)})
	}
	out := make([]Passage, 0, len(found))
	average := float64(total) / float64(max(len(all), 1))
	for _, f := range found {
		p := all[f.index]
		p.Score = 0
		for n, c := range f.counts {
			rare := math.Log(1 + (float64(len(all)-having[n])+0.5)/(float64(having[n])+0.5))
			often := float64(c)
			p.Score += rare * often * (saturation + 1) /
				(often + saturation*(1-lengthness+lengthness*float64(f.length)/average))
		}
		out = append(out, p)
	}
	return best(out, most)
}

// best returns the passages with the highest scores, best first; of equal ones the first in the order
// of files.
func best(ps []Passage, most int) []Passage {
	slices.SortStableFunc(ps, func(a, b Passage) int { return cmp.Compare(b.Score, a.Score) })
	return ps[:min(len(ps), most)]
}

// eachWord calls f with each word of a text in lower case, and with the parts of names such as
// parse_line and parseLine.
func eachWord(text string, f func(string)) {
	between := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	for run := range strings.FieldsFuncSeq(text, between) {
		from, parts := 0, 0
		var before rune
		for i, r := range run {
			if i > from && unicode.IsUpper(r) && unicode.IsLower(before) {
				f(strings.ToLower(run[from:i]))
				from, parts = i, parts+1
			}
			before = r
		}
		if parts > 0 {
			f(strings.ToLower(run[from:]))
		}
		f(strings.ToLower(run))
	}
}
