package hookgw_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/coder/websocket"
	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/hookgw"
	"manualslop/hookgw/access"
)

// said is the AsyncAPI document as a reader sees it.
type said struct {
	Channels map[string]struct {
		Address  string
		Messages map[string]any
	}
	Operations map[string]struct {
		Action   string
		Channel  struct{ Ref string }
		Messages []struct{ Ref string }
		Writers  []string
	}
	Components struct {
		Messages map[string]struct {
			Name, Title string
			Payload     json.RawMessage
		}
		Schemas map[string]json.RawMessage
	}
}

// readable is the document as JSON, and as its reader sees it.
var readable = sync.OnceValues(func() (out said, raw []byte) {
	raw, err := json.Marshal(document())
	if err != nil {
		panic(err) // a value that is no JSON
	}
	plain := regexp.MustCompile(`"(\$ref|x-writers)":`).ReplaceAllStringFunc(string(raw), func(name string) string {
		return map[string]string{`"$ref":`: `"Ref":`, `"x-writers":`: `"Writers":`}[name]
	})
	if err := json.Unmarshal([]byte(plain), &out); err != nil {
		panic(err)
	}
	return out, raw
})

func TestAsyncAPIDocumentIsYAMLInWhichEachNameStandsOnce(t *testing.T) {
	t.Parallel()
	doc, raw := readable()
	require.YAMLEq(t, string(raw), document().YAML(), "a name that stands twice is no YAML")
	addresses, names := map[string]bool{}, map[string]bool{}
	for name, c := range doc.Channels {
		require.False(t, addresses[c.Address], name)
		addresses[c.Address] = true
	}
	for name, m := range doc.Components.Messages {
		require.Equal(t, name, m.Name)
		require.False(t, names[strings.ToLower(name)], name)
		names[strings.ToLower(name)] = true
	}
}

func TestEveryReferenceOfTheAsyncAPIDocumentLeadsSomewhere(t *testing.T) {
	t.Parallel()
	_, raw := readable()
	var root any
	require.NoError(t, json.Unmarshal(raw, &root))
	found := 0
	eachReference(root, func(ref string) {
		found++
		at, local := strings.CutPrefix(ref, "#/")
		if !local {
			require.FileExists(t, filepath.Join("../docs", filepath.FromSlash(ref)))
			return
		}
		value := root
		for _, part := range strings.Split(at, "/") {
			members, ok := value.(map[string]any)
			require.True(t, ok, ref)
			value = members[part]
			require.NotNil(t, value, ref)
		}
	})
	require.Greater(t, found, 5*len(events.Catalogue().Defs()))
}

func eachReference(value any, do func(string)) {
	switch v := value.(type) {
	case []any:
		for _, item := range v {
			eachReference(item, do)
		}
	case map[string]any:
		for name, item := range v {
			if ref, ok := item.(string); ok && name == "$ref" {
				do(ref)
			}
			eachReference(item, do)
		}
	}
}

func TestEveryOperationIsAboutMessagesOfItsChannel(t *testing.T) {
	t.Parallel()
	doc, _ := readable()
	shown := map[string]bool{}
	for name, o := range doc.Operations {
		require.Contains(t, []string{"send", "receive"}, o.Action, name)
		require.NotEmpty(t, o.Messages, name)
		for _, m := range o.Messages {
			require.True(t, strings.HasPrefix(m.Ref, o.Channel.Ref+"/messages/"), "%s: %s", name, m.Ref)
			shown[m.Ref] = true
		}
	}
	for name, c := range doc.Channels {
		for m := range c.Messages {
			require.True(t, shown["#/channels/"+name+"/messages/"+m], "nobody says %s on %s", m, name)
		}
	}
}

func TestEveryTypeOfTheCatalogueIsInTheAsyncAPIDocument(t *testing.T) {
	t.Parallel()
	doc, raw := readable()
	for _, d := range events.Catalogue().Defs() {
		name := d.Type.Name
		require.Equal(t, events.RootEvents+".{project}.{session}.{actor}."+name+".{topic}", doc.Channels[name].Address)
		o, ok := doc.Operations["send"+name]
		if d.Class == events.Command {
			o, ok = doc.Operations["receive"+name]
		}
		require.True(t, ok, name)
		require.Equal(t, d.Writer, strings.Join(o.Writers, ", "))
		require.Contains(t, string(raw), `"$ref":"schemas/`+name+`.v`, name)
	}
}

// sources are the bytes of the files that match, tests aside.
func sources(t *testing.T, pattern string) string {
	t.Helper()
	files, err := filepath.Glob(pattern)
	require.NoError(t, err)
	var b strings.Builder
	for _, f := range files {
		if !strings.HasSuffix(f, "_test.go") {
			body, err := os.ReadFile(f)
			require.NoError(t, err)
			b.Write(body)
		}
	}
	return b.String()
}

func TestEveryChannelOfTheSocketIsInTheAsyncAPIDocument(t *testing.T) {
	t.Parallel()
	_, raw := readable()
	var names []string
	for _, c := range hookgw.SocketChannels() {
		names = append(names, c.Name)
	}
	for _, m := range regexp.MustCompile(`(?m)^\s*Channel[A-Z]\w+\s+= "(\w+)"`).FindAllStringSubmatch(sources(t,
		"streams/*.go"), -1) {
		names = append(names, m[1])
	}
	require.Greater(t, len(names), len(hookgw.SocketChannels())+4, "the pattern finds what the gateway says by itself")
	for _, name := range names {
		require.Contains(t, string(raw), `"channel":{"const":"`+name+`"}`)
	}
	for _, action := range regexp.MustCompile(`\[\]string\{("subscribe"[^}]*)\}, o\.action`).FindStringSubmatch(sources(t,
		"streams/*.go"))[1:] {
		for _, name := range strings.Split(action, ", ") {
			require.Contains(t, string(raw), `"action":{"const":`+name+`}`)
		}
	}
}

func TestEveryKindOfFrameIsInTheAsyncAPIDocument(t *testing.T) {
	t.Parallel()
	doc, _ := readable()
	titles := map[string]bool{}
	for _, m := range doc.Components.Messages {
		titles[m.Title] = true
	}
	code, kinds := sources(t, "*/*.go"), map[string]bool{}
	for _, pattern := range []string{`"event: (\w+)\\n`, `return "(\w+)", [tT]old`, `return "(\w+)", state\b`,
		`f\.write\([^",]+, "(\w+)"`} {
		found := regexp.MustCompile(pattern).FindAllStringSubmatch(code, -1)
		require.NotEmpty(t, found, pattern)
		for _, m := range found {
			kinds[m[1]] = true
		}
	}
	require.GreaterOrEqual(t, len(kinds), 9)
	for kind := range kinds {
		require.True(t, titles["Frames with event: "+kind+"."], kind)
	}
}

// satisfies checks JSON against the payload of a message of the document.
func satisfies(t *testing.T, message, body string) {
	t.Helper()
	doc, _ := readable()
	require.Contains(t, doc.Components.Messages, message)
	raw, err := json.Marshal(map[string]any{"allOf": []any{doc.Components.Messages[message].Payload},
		"$defs": doc.Components.Schemas})
	require.NoError(t, err)
	var schema jsonschema.Schema
	require.NoError(t, json.Unmarshal([]byte(strings.NewReplacer(`"Ref":`, `"$ref":`, "#/components/schemas/",
		"#/$defs/").Replace(string(raw))), &schema))
	resolved, err := schema.Resolve(nil)
	require.NoError(t, err)
	var value any
	require.NoError(t, json.Unmarshal([]byte(body), &value))
	require.NoError(t, resolved.Validate(value), "%s: %s", message, body)
}

func TestWhatTheStreamShowsSatisfiesTheAsyncAPIDocument(t *testing.T) {
	t.Parallel()
	f := contractFixture(t)
	feed, _ := f.feed("/api/stream")
	for {
		fr := feed.must()
		if fr.event == "snapshot" {
			satisfies(t, "Snapshot", fr.data)
			return
		}
		satisfies(t, "Fact", fr.data)
	}
}

func TestWhatTheSocketShowsSatisfiesTheAsyncAPIDocument(t *testing.T) {
	t.Parallel()
	say, listening, spoken := speaking()
	f := open(t, spoken)
	open := map[string]bool{"hello": true, "subscribed": true, "pong": true, "error": true}
	var all []string
	for _, c := range hookgw.SocketChannels() {
		open[c.Name], all = true, append(all, c.Name)
	}
	conn, _, err := websocket.Dial(t.Context(), f.gw.URL()+"/ws", &websocket.DialOptions{HTTPHeader: http.Header{
		"Authorization": {"Bearer " + f.token(access.RightRead)}}})
	require.NoError(t, err)
	defer conn.CloseNow()
	conn.SetReadLimit(-1)
	<-listening
	for _, text := range []string{`{"action":"ping"}`, `{"action":"fly"}`, `{"action":"subscribe","channels":["` +
		strings.Join(all, `","`) + `"]}`} {
		require.NoError(t, conn.Write(t.Context(), websocket.MessageText, []byte(text)))
	}
	for len(open) > 0 {
		_, raw, err := conn.Read(t.Context())
		require.NoError(t, err)
		var m message
		require.NoError(t, json.Unmarshal(raw, &m))
		satisfies(t, socketName(m.Channel), string(raw))
		delete(open, m.Channel)
		if m.Channel == "subscribed" {
			f.push(1)
			say <- delta(`{"stream_id":"Tier 1","request":"r","piece":0,"delta":"x"}`)
		}
	}
}
