package tokens_test

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/conversation"
	"manualslop/tiers/fence"
	"manualslop/tiers/tokens"
)

// session measures the requests of one conversation.
type session struct {
	t     *testing.T
	all   *tokens.Prompts
	model string
	tools []string
	asked string // the newest request
	count int
}

func newSession(t *testing.T) *session {
	return &session{t: t, all: tokens.NewPrompts(), model: "m"}
}

func (s *session) take(id string, p events.Payload) {
	s.all.Take(&events.Event{ID: id, Payload: p})
}

// ask goes on behind keep parts of the newest request; 0: a conversation of its own.
func (s *session) ask(keep int, parts ...events.Part) int64 {
	s.t.Helper()
	s.count++
	m := events.ModelRequested{Tier: 3, Ticket: "T-1", TicketAttempt: 1, Provider: "p", Model: s.model, Tools: s.tools,
		Manifest: parts}
	if keep > 0 {
		m.Continues, m.Keep = s.asked, keep
	}
	s.asked = "r" + strconv.Itoa(s.count)
	most, err := s.all.Ask(s.asked, &m)
	require.NoError(s.t, err)
	return most
}

// replies says how the vendor counted the newest prompt.
func (s *session) replies(id string, input int64) {
	s.take(id, events.ModelReplied{Request: s.asked, Text: "ok", Usage: events.Usage{Input: input}})
}

func said(text string) events.Part { return events.Part{Role: "user", Text: text} }

// stands is a part whose text of size bytes stands in an event.
func stands(event string, size int, change ...func(*events.Part)) events.Part {
	p := events.Part{Role: "tool", SHA256: "ab", Size: int64(size), From: event}
	for _, c := range change {
		c(&p)
	}
	return p
}

func cut(p *events.Part) { p.Head = conversation.ResultHead }

const (
	aPrompt = 64
	aPart   = 24
)

var (
	chinese = strings.Repeat("人人生而自由,", 2000)
	code    = strings.Repeat("\tif err != nil {\n\t\treturn err\n\t}\n", 500)
)

func TestAResultHasTheTokensOfWhatStandsInIt(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"Chinese": chinese, "code": code,
		"base64": strings.Repeat("aGVsbG8gd29ybGQ4", 600), "emoji": strings.Repeat("👩‍👩‍👧‍👦", 800),
		"a look-alike": strings.Repeat("[SYSTEM: FILES UPDATED]", 10)} {
		s := newSession(t)
		s.take("e", events.ToolSettled{Text: text})
		require.Equal(t, aPrompt+aPart+tokens.Most(fence.Neutralise(text)), s.ask(0, stands("e", len(text))), name)
	}
}

// TestACutResultIsCountedByItsCharacters holds for characters of several bytes,
// of which a cut leaves as many as of others.
func TestACutResultIsCountedByItsCharacters(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"Chinese": chinese, "code": code, "emoji": strings.Repeat("😀", 9000)} {
		s := newSession(t)
		s.take("e", events.ToolSettled{Text: text})
		left := string([]rune(text)[:conversation.ResultHead])
		require.Less(t, len(left), len(text))
		require.Equal(t, aPrompt+aPart+tokens.Most(left), s.ask(0, stands("e", len(text), cut)), name)
		require.Equal(t, int64(aPrompt+aPart+4*100), s.ask(0, stands("e", len(text), func(p *events.Part) { p.Head = 100 })),
			"%s: four tokens for each of fewer characters", name)
	}
}

func TestATextThatNobodyReadHasATokenAByte(t *testing.T) {
	t.Parallel()
	s := newSession(t)
	s.take("e", events.ToolSettled{Text: "its head", TextBlob: &events.BlobRef{SHA256: "ab", Size: 100_000}})
	s.take("v", events.ContextBuilt{Views: []events.View{{Text: "short"}, {Blob: true, Size: 70_000}}})
	s.take("m", events.ModelReplied{Text: "ok", RawBlob: &events.BlobRef{SHA256: "cd", Size: 90_000}})
	require.Equal(t, int64(aPrompt+aPart+100_000), s.ask(0, stands("e", 100_000)))
	require.Equal(t, int64(aPrompt+aPart+32_000), s.ask(0, stands("e", 100_000, cut)))
	require.Equal(t, int64(aPrompt+aPart+70_000), s.ask(0, stands("v", 70_000, func(p *events.Part) { p.Index = 1 })))
	require.Equal(t, int64(aPrompt+aPart+90_000), s.ask(0, stands("m", 2)))
	require.Equal(t, int64(aPrompt+aPart+5_000), s.ask(0, stands("nobody", 5_000)))
	require.Equal(t, int64(aPrompt+aPart+6_000), s.ask(0, stands("", 6_000)))
}

func TestWhatStandsAroundATextCounts(t *testing.T) {
	t.Parallel()
	s := newSession(t)
	args := json.RawMessage(`{"path":"世界"}`)
	s.take("m", events.ModelReplied{Text: "I look.", Calls: []events.ToolCall{{ID: "01J-0", Name: "read_file",
		Args: args}}})
	require.Equal(t, aPrompt+aPart+tokens.Most("I look.")+aPart+tokens.Most("01J-0")+tokens.Most("read_file")+
		tokens.Most(string(args)), s.ask(0, stands("m", 7)))
	bare := s.ask(0, said("x"))
	fenced := events.Part{Role: "user", Text: "x", Prefix: "a heading\n", Suffix: "\n", Origin: fence.Repo,
		Fence: fence.Nonce("e", 0)}
	require.GreaterOrEqual(t, s.ask(0, fenced), bare+tokens.Most("a heading\n"+fence.Wrap(fence.Repo, fenced.Fence, "",
		true)))
	s.take("t", events.ToolsOffered{Tools: []events.ToolOffer{{Name: "a", Description: "reads",
		Schema: json.RawMessage(`{}`)}, {Name: "b", Description: strings.Repeat("x ", 99)}}})
	s.tools = []string{"a"}
	require.Equal(t, bare+600+32+tokens.Most("a")+tokens.Most("reads")+tokens.Most("{}"), s.ask(0, said("x")))
}

func TestACountedPromptHasItsCountAndTheBoundOfWhatIsNew(t *testing.T) {
	t.Parallel()
	s := newSession(t)
	first := s.ask(0, said(code), said("do it"))
	s.replies("m1", first/2)
	s.take("e", events.ToolSettled{Text: chinese})
	fresh := aPart + tokens.Most("ok") + aPart + tokens.Most(chinese)
	require.Equal(t, first/2+fresh, s.ask(2, stands("m1", 2), stands("e", len(chinese))))
	require.Equal(t, first/2+fresh, s.ask(4), "a retry, of which nobody has counted the first attempt")
	s.replies("m2", first/2+100)
	require.Equal(t, first/2+100+aPart+tokens.Most("more"), s.ask(4, said("more")))
	s.replies("m3", 10)
	require.Equal(t, first/2+100+2*(aPart+tokens.Most("more")), s.ask(5, said("more")), "ten tokens are no count of that")
}

// TestAShortenedPromptHasNoMoreThanTheWholeOne holds although little of the
// beginning is the same: what was cut stood in the prompt before, uncut.
func TestAShortenedPromptHasNoMoreThanTheWholeOne(t *testing.T) {
	t.Parallel()
	s := newSession(t)
	s.take("e", events.ToolSettled{Text: "head", TextBlob: &events.BlobRef{SHA256: "ab", Size: 300_000}})
	s.ask(0, said("do it"), stands("e", 300_000), said("the block of changed files"))
	s.replies("m", 75_000)
	note := "\n[cut to make room]"
	got := s.ask(1, stands("e", 300_000, cut, func(p *events.Part) { p.Suffix = note }), said("new"))
	require.Equal(t, int64(aPrompt+aPart+tokens.Most("do it")+aPart+32_000+tokens.Most(note)+aPart+tokens.Most("new")),
		got, "here the measure is less than the count")
	s.ask(0, said("do it"), stands("e", 300_000))
	s.replies("m", 20_000)
	require.Equal(t, 20_000+aPart+tokens.Most(note)+aPart+tokens.Most("new"),
		s.ask(1, stands("e", 300_000, cut, func(p *events.Part) { p.Suffix = note }), said("new")))
	s.ask(0, said("do it"), stands("e", 300_000, cut))
	s.replies("m", 2_500)
	require.Greater(t, s.ask(1, stands("e", 300_000)), int64(300_000), "what was cut and is whole again is new")
}

func TestACountHoldsForItsModelAndToolsOnly(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*session){
		"another model": func(s *session) { s.model = "n" },
		"another tool":  func(s *session) { s.tools = []string{"a"} },
	} {
		s := newSession(t)
		s.take("t", events.ToolsOffered{Tools: []events.ToolOffer{{Name: "a"}}})
		whole := s.ask(0, said(code))
		s.replies("m", whole/3)
		change(s)
		require.GreaterOrEqual(t, s.ask(1, said("more")), whole, name)
	}
}

// TestToolsThatWereLoadedAreCountedApart loads a tool behind another one.
func TestToolsThatWereLoadedAreCountedApart(t *testing.T) {
	t.Parallel()
	s := newSession(t)
	long := events.ToolOffer{Name: "b", Description: code[:4000]}
	s.take("t", events.ToolsOffered{Tools: []events.ToolOffer{{Name: "a"}, long}})
	s.tools = []string{"a"}
	whole := s.ask(0, said(code))
	s.replies("m", whole/3)
	s.tools = []string{"a", "b"}
	got := s.ask(1, said("more"))
	require.GreaterOrEqual(t, got, whole/3+tokens.Most(long.Description))
	require.Less(t, got, whole)
	s.tools = []string{"b", "a"}
	require.GreaterOrEqual(t, s.ask(2, said("more")), whole)
}

func TestACountThatIsNotOfThePromptIsNotBelieved(t *testing.T) {
	t.Parallel()
	for name, reply := range map[string]func(whole int64) events.Usage{
		"an estimate": func(whole int64) events.Usage { return events.Usage{Input: whole / 3, Estimated: true} },
		"too few":     func(whole int64) events.Usage { return events.Usage{Input: whole/16 - 1} },
		"none":        func(int64) events.Usage { return events.Usage{} },
		"too many":    func(int64) events.Usage { return events.Usage{Input: 1<<40 + 1} },
		"negative":    func(int64) events.Usage { return events.Usage{Input: -5000} },
	} {
		s := newSession(t)
		whole := s.ask(0, said(code))
		s.take("m", events.ModelReplied{Request: s.asked, Usage: reply(whole)})
		require.Equal(t, whole+aPart+tokens.Most("more"), s.ask(1, said("more")), name)
	}
	s := newSession(t)
	whole := s.ask(0, said(code))
	s.replies("m", whole/16)
	require.Equal(t, whole/16+aPart+tokens.Most("more"), s.ask(1, said("more")), "as few as a prompt can have")
	s.replies("m2", whole/16+9)
	s.take("m2", events.ModelReplied{Request: s.asked, Usage: events.Usage{Input: whole / 2}})
	require.Equal(t, whole/16+9+aPart+tokens.Most("more"), s.ask(2, said("more")), "the first answer counts")
	all := tokens.NewPrompts()
	program := events.ModelRequested{Tier: 3, Provider: events.ProviderClaudeCLI, Model: "m",
		Manifest: []events.Part{said(code)}}
	whole, err := all.Ask("p", &program)
	require.NoError(t, err)
	all.Take(&events.Event{ID: "m", Payload: events.ModelReplied{Request: "p", Usage: events.Usage{Input: whole / 3}}})
	program.Continues, program.Keep, program.Manifest = "p", 1, nil
	again, err := all.Ask("q", &program)
	require.NoError(t, err)
	require.Equal(t, whole, again, "a program asks more than this")
}

func TestAVendorThatCountsMoreRaisesTheBoundOfItsModel(t *testing.T) {
	t.Parallel()
	s := newSession(t)
	whole := s.ask(0, said(code))
	s.replies("m", whole*2)
	fresh := aPart + tokens.Most(chinese)
	require.InEpsilon(t, whole*2+2*fresh, s.ask(1, said(chinese)), 0.01)
	require.InEpsilon(t, whole*2, s.ask(0, said(code)), 0.01, "in other conversations, too")
	s.model = "n"
	require.Equal(t, whole, s.ask(0, said(code)))
}

func TestNothingIsKeptOfAConversationThatIsOver(t *testing.T) {
	t.Parallel()
	s := newSession(t)
	s.ask(0, said(code))
	s.replies("m", 3000)
	s.take("x", events.TicketResolved{Ticket: "T-1", Attempt: 1})
	_, err := s.all.Ask("late", &events.ModelRequested{Tier: 3, Ticket: "T-1", TicketAttempt: 1, Continues: s.asked,
		Keep: 1})
	require.ErrorContains(t, err, "is over")
}

// BenchmarkRound measures a result of 8 kB, a block of changed files as long, and
// the request behind them, in a conversation of 200 rounds.
func BenchmarkRound(b *testing.B) {
	all, result := tokens.NewPrompts(), code[:8<<10]
	m := events.ModelRequested{Tier: 3, Ticket: "T-1", Provider: "p", Model: "m", Manifest: make([]events.Part, 400)}
	if _, err := all.Ask("0", &m); err != nil {
		b.Fatal(err)
	}
	m.Continues, m.Keep, m.Manifest = "0", 400, []events.Part{stands("e", len(result)), said(result)}
	for i := 1; b.Loop(); i++ {
		all.Take(&events.Event{ID: "e", Payload: events.ToolSettled{Text: result}})
		id := strconv.Itoa(i)
		if _, err := all.Ask(id, &m); err != nil {
			b.Fatal(err)
		}
		m.Continues = id
	}
}
