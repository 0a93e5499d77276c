package llmtest

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"manualslop/events"
	"manualslop/tiers/llm"
)

// maxBody limits the size of a request in bytes.
const maxBody = 32 << 20

// Server is a fake of one vendor's API on the loopback interface.
type Server struct {
	// URL is its address, without a trailing slash.
	URL string

	key    string
	wire   wire
	answer func(View) Turn
	done   chan struct{}

	mu       sync.Mutex
	views    []View
	refused  []string
	active   int
	finished func(View) // called after each reply that was sent completely

	embeddings []Embedding
	embedError func(Embedding) string
	vectors    func(Embedding, [][]float32) [][]float32
}

// Start starts the server that o.Vendor names. The returned function stops it and all responses in
// progress.
func Start(o Options) (s *Server, stop func(), err error) {
	switch o.Vendor {
	case "anthropic":
		return start(o, newAnthropic(o))
	case "gemini":
		return start(o, newGemini(o))
	}
	if f, ok := Flavours()[o.Vendor]; ok {
		return start(o, newOpenAI(f, o))
	}
	return nil, nil, fmt.Errorf("no fake of the vendor %q", o.Vendor)
}

// run calls Start for a test.
func run(t testing.TB, o Options) *Server {
	t.Helper()
	s, stop, err := Start(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	return s
}

func start(o Options, w wire) (*Server, func(), error) {
	s := &Server{key: o.Key, wire: w, done: make(chan struct{}), finished: func(View) {},
		embedError: o.EmbedError, vectors: o.Vectors}
	if s.key == "" {
		s.key = Key
	}
	if err := s.answers(o); err != nil {
		return nil, nil, err
	}
	h := httptest.NewServer(http.HandlerFunc(s.serve))
	s.URL = h.URL
	var once sync.Once
	return s, func() {
		once.Do(func() {
			close(s.done)
			h.CloseClientConnections()
			h.Close()
		})
	}, nil
}

// answers selects the source of the turns.
func (s *Server) answers(o Options) error {
	switch {
	case o.Script != "":
		p, err := newPlayer(o)
		if err != nil {
			return err
		}
		s.answer, s.finished = p.answer, p.finished
	case o.Answer != nil:
		s.answer = o.Answer
	default:
		s.answer = func(v View) Turn {
			if v.Number < len(o.Turns) {
				return o.Turns[v.Number]
			}
			return Turn{Error: events.ModelInvalidRequest, Message: fmt.Sprintf("llmtest: there is no turn for request %d",
				v.Number+1)}
		}
	}
	return nil
}

// Endpoint returns the server's address and key.
func (s *Server) Endpoint() llm.Endpoint { return llm.Endpoint{BaseURL: s.URL, Key: s.key} }

// Bases returns the spellings of the base URL that an adapter must accept.
func (s *Server) Bases() []string { return s.wire.bases(s.URL) }

// Requests returns the accepted requests for a reply, in order of arrival.
func (s *Server) Requests() []View {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.views)
}

// Refused returns the reasons why requests were rejected.
func (s *Server) Refused() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.refused)
}

// Active returns the number of responses in progress.
func (s *Server) Active() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.active
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	s.moved(1)
	defer s.moved(-1)
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
	if err != nil {
		return
	}
	if bad := s.admit(r, body); bad != nil {
		s.fail(w, bad)
		return
	}
	if s.embed(w, r, body) || s.wire.other(w, r, body) {
		return
	}
	v, t, u, bad := s.take(r, body)
	if bad != nil {
		s.fail(w, bad)
		return
	}
	p := &playing{s: s, w: w, ctx: r.Context(), view: v, turn: t, usage: u}
	if p.play() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.finished(v)
	}
}

func (s *Server) moved(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.active += n
}

// admit makes the checks that all vendors make first.
func (s *Server) admit(r *http.Request, body []byte) *refusal {
	switch {
	case len(body) > maxBody:
		return &refusal{413, events.ModelContextTooLong, "the request is over its limit"}
	case s.wire.key(r) != s.key:
		return &refusal{s.wire.wrongKey(), events.ModelAuth, "invalid key " + s.wire.key(r)}
	}
	return nil
}

// take checks a request, assigns its number and its turn, and counts its tokens. It handles one
// request at a time, because the result depends on the earlier ones.
func (s *Server) take(r *http.Request, body []byte) (View, Turn, events.Usage, *refusal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v, bad := s.wire.read(r, body)
	if bad != nil {
		return v, Turn{}, events.Usage{}, bad
	}
	v.Number, v.Body = len(s.views), body
	s.views = append(s.views, v)
	t := s.answer(v).prepared(v).within(v.Limit)
	if code, _ := t.Fault.status(); code != 0 || t.Error != "" {
		return v, t, events.Usage{}, nil
	}
	u := s.wire.count(v)
	u.Output = tokens(t.Thinking) + tokens(t.Redacted) + tokens(t.Text)
	u.Thinking = tokens(t.Thinking) + tokens(t.Redacted)
	for _, c := range t.Calls {
		u.Output += tokens(c.Name) + tokens(c.Args)
	}
	if t.Usage != nil {
		u = *t.Usage
	}
	return v, t, u, nil
}

// fail responds with a refusal that repeats the key.
func (s *Server) fail(w http.ResponseWriter, bad *refusal) {
	s.mu.Lock()
	s.refused = append(s.refused, bad.message)
	s.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(bad.status)
	_, _ = w.Write(s.wire.failure(bad.status, bad.kind, s.leak(bad.message)))
}

// leak returns a message that repeats the key, as some gateways do.
func (s *Server) leak(message string) string { return message + " (key " + s.key + ")" }

// charsPerToken is the number of characters that the fakes count as one token.
const charsPerToken = 4

func tokens(text string) int64 {
	return int64((len([]rune(text)) + charsPerToken - 1) / charsPerToken)
}

// isPath reports whether a request is for a path, with or without a trailing slash.
func isPath(r *http.Request, path string) bool { return strings.TrimSuffix(r.URL.Path, "/") == path }
