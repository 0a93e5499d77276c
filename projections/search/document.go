package search

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/blevesearch/bleve/v2/analysis"
	"github.com/blevesearch/bleve/v2/document"
	index "github.com/blevesearch/bleve_index_api"

	"manualslop/events"
)

// Fields of a document.
const (
	fieldText    = "text"
	fieldSession = "session"
	fieldType    = "type"
	fieldTier    = "tier"
	fieldTicket  = "ticket"
	fieldTool    = "tool"
	fieldTime    = "time" // milliseconds since 1970
	fieldStored  = "stored"
)

// stored holds the parts of a hit that its event does not contain. Everything else is read from
// the log again, because storing texts would double the size of the index.
type stored struct {
	Tier   int    `json:"tier,omitempty"`
	Ticket string `json:"ticket,omitempty"`
	Tool   string `json:"tool,omitempty"`
}

// wordAnalyzer splits texts into words for the library.
type wordAnalyzer struct{}

// Analyze returns the words of a text in order. It does not keep their byte positions, because a
// snippet searches for its match again.
func (wordAnalyzer) Analyze(raw []byte) analysis.TokenStream {
	var out analysis.TokenStream
	eachWord(string(raw), func(w word) bool {
		out = append(out, &analysis.Token{Term: []byte(w.text), Position: len(out) + 1, Type: analysis.AlphaNumeric})
		return true
	})
	return out
}

// wholeAnalyzer treats a value as one word.
type wholeAnalyzer struct{}

// Analyze returns the whole value as one word.
func (wholeAnalyzer) Analyze(raw []byte) analysis.TokenStream {
	return analysis.TokenStream{{Term: raw, End: len(raw), Position: 1, Type: analysis.AlphaNumeric}}
}

// idOf returns the document id of a sequence; ids sort like sequences.
func idOf(seq uint64) string { return fmt.Sprintf("%016d", seq) }

func seqOf(id string) uint64 {
	seq, _ := strconv.ParseUint(strings.TrimLeft(id, "0"), 10, 64) // ids are made by idOf, so this cannot fail
	return seq
}

// document returns the indexed fields of a decoded event.
func (x *Index) document(ctx context.Context, e *events.Event) (*document.Document, error) {
	about, err := x.subjects.of(ctx, e)
	if err != nil {
		return nil, err
	}
	if about.tier == 0 {
		about.tier = e.Tier
	}
	s := stored{about.tier, about.ticket, about.tool}
	doc := document.NewDocument(idOf(e.Seq))
	if s != (stored{}) {
		raw, err := json.Marshal(s)
		if err != nil {
			return nil, err
		}
		doc.AddField(document.NewTextFieldCustom(fieldStored, nil, raw, index.StoreField, nil))
	}
	doc.AddField(document.NewTextFieldCustom(fieldText, nil, []byte(Text(e)), index.IndexField|index.IncludeTermVectors,
		wordAnalyzer{}))
	for _, f := range []struct{ name, value string }{
		{fieldSession, strings.ToLower(e.Session)}, {fieldType, e.Type}, {fieldTier, tierWord(s.Tier)},
		{fieldTicket, strings.ToLower(s.Ticket)}, {fieldTool, strings.ToLower(s.Tool)},
	} {
		if f.value != "" {
			doc.AddField(document.NewTextFieldCustom(f.name, nil, []byte(f.value), index.IndexField|index.SkipFreqNorm,
				wholeAnalyzer{}))
		}
	}
	doc.AddField(document.NewNumericFieldWithIndexingOptions(fieldTime, nil, float64(e.Time.UnixMilli()),
		index.IndexField))
	return doc, nil
}

func tierWord(tier int) string {
	if tier == 0 {
		return ""
	}
	return strconv.Itoa(tier)
}
