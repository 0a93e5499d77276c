package llmtest

import (
	"fmt"
	"hash/fnv"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"manualslop/events"
)

// Embedding is an accepted request for the vectors of texts.
type Embedding struct {
	Model string
	Texts []string
	// Task is the task type, where the vendor has one.
	Task string
	// Dimensions is the length of the vectors.
	Dimensions int
}

// embedder is a [wire] with embeddings.
type embedder interface {
	// readEmbed parses and checks a request for embeddings; false if it is none.
	readEmbed(r *http.Request, body []byte) (Embedding, *refusal, bool)
	// embedded returns the body of the answer.
	embedded(e Embedding, vectors [][]float32) []byte
}

// Embeddings returns the accepted requests for embeddings, in order of arrival.
func (s *Server) Embeddings() []Embedding {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.embeddings)
}

// embed answers a request for embeddings; false if it is none.
func (s *Server) embed(w http.ResponseWriter, r *http.Request, body []byte) bool {
	wire, ok := s.wire.(embedder)
	if !ok {
		return false
	}
	e, bad, ok := wire.readEmbed(r, body)
	if !ok {
		return false
	}
	if bad == nil {
		bad = s.takeEmbedding(e)
	}
	if bad != nil {
		s.fail(w, bad)
		return true
	}
	vectors := Vectors(e)
	if s.vectors != nil {
		vectors = s.vectors(e, vectors)
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(wire.embedded(e, vectors))
	return true
}

// takeEmbedding records a request, or returns the failure that the test wants.
func (s *Server) takeEmbedding(e Embedding) *refusal {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.embedError != nil {
		if kind := s.embedError(e); kind != "" {
			return &refusal{s.wire.status(kind), kind, "llmtest: " + kind}
		}
	}
	s.embeddings = append(s.embeddings, e)
	return nil
}

// Vectors returns a vector for each text that depends on its words alone: texts with common words have
// similar vectors. They do not have length 1.
func Vectors(e Embedding) [][]float32 {
	out := make([][]float32, len(e.Texts))
	for i, text := range e.Texts {
		v := make([]float32, e.Dimensions)
		for _, word := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsDigit(r)
		}) {
			h := fnv.New32a()
			_, _ = h.Write([]byte(word))
			v[h.Sum32()%uint32(len(v))]++
		}
		v[0] += 0.001 // a text without words has a direction, too
		out[i] = v
	}
	return out
}

// checkTexts refuses what every vendor refuses: no texts, an empty one, one that is too long.
func checkTexts(texts []string, most int64) *refusal {
	if len(texts) == 0 {
		return refuse("'$.input' is invalid: it must not be empty")
	}
	for _, t := range texts {
		switch n := tokens(t); {
		case t == "":
			return refuse("'$.input' is invalid: it must not be an empty string")
		case n > most:
			return &refusal{400, events.ModelContextTooLong, fmt.Sprintf("the input has %d tokens, the model takes %d", n,
				most)}
		}
	}
	return nil
}

// The limits of https://platform.openai.com/docs/api-reference/embeddings/create.
const (
	openAIEmbedTexts   = 2048
	openAIEmbedTokens  = 8192
	openAIEmbedRequest = 300_000
)

func (w *openAI) readEmbed(r *http.Request, body []byte) (Embedding, *refusal, bool) {
	if r.Method != http.MethodPost || !isOpenAI(r, "/embeddings") {
		return Embedding{}, nil, false
	}
	var q struct {
		Model          string   `json:"model"`
		Input          []string `json:"input"`
		EncodingFormat string   `json:"encoding_format"`
		Dimensions     *int     `json:"dimensions"`
		User           string   `json:"user"`
	}
	if bad := decodeStrict(body, &q); bad != nil {
		return Embedding{}, bad, true
	}
	e := Embedding{Model: q.Model, Texts: q.Input, Dimensions: 1536}
	most := openAIEmbedTexts
	if w.flavour.Name == "qwen" {
		most = 10
	}
	sum := int64(0)
	for _, t := range q.Input {
		sum += tokens(t)
	}
	bad := checkTexts(q.Input, openAIEmbedTokens)
	switch {
	case bad != nil:
	case w.flavour.Name == "openai" && !strings.HasPrefix(q.Model, "text-embedding-"):
		bad = w.known("")
	case len(q.Input) > most:
		bad = refuse(fmt.Sprintf("batch size is invalid, it should not be larger than %d: input.contents", most))
	case sum > openAIEmbedRequest:
		bad = refuse(fmt.Sprintf("Requested %d tokens, max %d tokens per request", sum, openAIEmbedRequest))
	case q.EncodingFormat != "float":
		bad = refuse("llmtest: this fake returns floats only; ask with encoding_format float")
	case q.Dimensions != nil && (!strings.Contains(q.Model, "text-embedding-3-") || *q.Dimensions < 1 ||
		*q.Dimensions > e.Dimensions):
		bad = refuse("This model does not support specifying dimensions.")
	case q.Dimensions != nil:
		e.Dimensions = *q.Dimensions
	}
	return e, bad, true
}

// embedded returns the vectors in reverse: their index counts.
func (w *openAI) embedded(e Embedding, vectors [][]float32) []byte {
	data, sum := []any{}, int64(0)
	for i, v := range slices.Backward(vectors) {
		data = append(data, map[string]any{"object": "embedding", "index": i, "embedding": v})
	}
	for _, t := range e.Texts {
		sum += tokens(t)
	}
	return mustJSON(map[string]any{"object": "list", "data": data, "model": e.Model,
		"usage": map[string]any{"prompt_tokens": sum, "total_tokens": sum}})
}

var geminiEmbedPath = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^/v1beta/models/([^/:]+):batchEmbedContents$`)
})

// The limits of https://ai.google.dev/gemini-api/docs/embeddings.
const (
	geminiEmbedTexts  = 100
	geminiEmbedTokens = 2048
	geminiDimensions  = 3072
)

func (g *gemini) readEmbed(r *http.Request, body []byte) (Embedding, *refusal, bool) {
	path := geminiEmbedPath().FindStringSubmatch(r.URL.Path)
	if r.Method != http.MethodPost || path == nil {
		return Embedding{}, nil, false
	}
	var q struct {
		Requests []struct {
			Model   string `json:"model"`
			Content struct {
				Parts []struct {
					Text string `json:"text"`
				} `json:"parts"`
			} `json:"content"`
			TaskType             string `json:"taskType"`
			OutputDimensionality *int   `json:"outputDimensionality"`
		} `json:"requests"`
	}
	if bad := decodeStrict(body, &q); bad != nil {
		return Embedding{}, bad, true
	}
	e := Embedding{Model: path[1], Dimensions: geminiDimensions}
	if !strings.Contains(e.Model, "embedding") {
		return e, &refusal{404, "not_found", "models/" + e.Model + " is not found for API version v1beta, or is not " +
			"supported for embedContent."}, true
	}
	if len(q.Requests) > geminiEmbedTexts {
		return e, refuse(fmt.Sprintf("BatchEmbedContentsRequest.requests: at most %d requests can be in one batch",
			geminiEmbedTexts)), true
	}
	tasks := []string{"", "RETRIEVAL_QUERY", "RETRIEVAL_DOCUMENT", "CODE_RETRIEVAL_QUERY"}
	for _, one := range q.Requests {
		switch {
		case one.Model != "models/"+e.Model:
			return e, refuse("The model in each request must match the model of the batch."), true
		case !slices.Contains(tasks, one.TaskType):
			return e, refuse("Invalid value at 'requests.task_type': " + one.TaskType), true
		case len(one.Content.Parts) != 1:
			return e, refuse("content must have one part"), true
		}
		if d := one.OutputDimensionality; d != nil {
			if *d < 1 || *d > geminiDimensions {
				return e, refuse("output_dimensionality must be between 1 and 3072"), true
			}
			e.Dimensions = *d
		}
		e.Task = one.TaskType
		e.Texts = append(e.Texts, one.Content.Parts[0].Text)
	}
	return e, checkTexts(e.Texts, geminiEmbedTokens), true
}

func (g *gemini) embedded(_ Embedding, vectors [][]float32) []byte {
	list := []any{}
	for _, v := range vectors {
		list = append(list, map[string]any{"values": v})
	}
	return mustJSON(map[string]any{"embeddings": list})
}
