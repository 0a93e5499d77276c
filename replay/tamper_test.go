package replay_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/events/eventstest"
	"manualslop/replay"
)

// requireRefused checks that a file is refused as a divergence or a file error.
func requireRefused(t *testing.T, file []byte, what string) {
	t.Helper()
	_, err := imported(t, file)
	require.Error(t, err, what)
	var d *replay.Divergence
	var f *replay.FileError
	if !asDivergence(err, &d) {
		require.ErrorAs(t, err, &f, what)
		require.Positive(t, f.Line)
	}
}

func asDivergence(err error, d **replay.Divergence) bool {
	got, ok := err.(*replay.Divergence)
	*d = got
	return ok
}

func someFile(t *testing.T) []byte {
	t.Helper()
	store := shelf{}
	return exported(t, withBlobs(t, store, []byte("one"), []byte("two, which is longer")), store)
}

func TestAChangedByteOfAnExportIsNoticed(t *testing.T) {
	t.Parallel()
	file := someFile(t)
	chance := rand.New(rand.NewPCG(7, 7))
	for range 3000 {
		changed := bytes.Clone(file)
		at := chance.IntN(len(changed))
		was := changed[at]
		changed[at] ^= 1 << chance.IntN(8)
		if lower, upper := bytes.ToLower(changed[at:at+1]), bytes.ToLower([]byte{was}); bytes.Equal(lower, upper) {
			continue // a letter of another case: encoding/json reads names without case
		}
		_, err := imported(t, changed)
		require.Error(t, err, "byte %d of %q", at, around(file, at))
	}
}

func around(b []byte, at int) []byte { return b[max(0, at-30):min(len(b), at+30)] }

func TestAFileCutAnywhereIsNoticed(t *testing.T) {
	t.Parallel()
	file := someFile(t)
	for n := 0; n < len(file)-1; n += 7 {
		requireRefused(t, file[:n], fmt.Sprintf("the first %d bytes", n))
	}
	_, err := imported(t, file[:len(file)-1])
	require.NoError(t, err, "the end of the last line carries nothing")
}

func TestLinesOfAnExportMovedRemovedOrDoubledAreNoticed(t *testing.T) {
	t.Parallel()
	lines := bytes.SplitAfter(someFile(t), []byte("\n"))
	lines = lines[:len(lines)-1]
	for i := range lines {
		requireRefused(t, slices.Concat(slices.Delete(slices.Clone(lines), i, i+1)...), fmt.Sprint("removed ", i))
		requireRefused(t, slices.Concat(slices.Insert(slices.Clone(lines), i, lines[i])...), fmt.Sprint("doubled ", i))
		for j := range i {
			swapped := slices.Clone(lines)
			swapped[i], swapped[j] = swapped[j], swapped[i]
			requireRefused(t, slices.Concat(swapped...), fmt.Sprint("swapped ", j, " and ", i))
		}
	}
}

// TestAForgedEventBreaksTheChainAtItsPlace changes an event and leaves the rest.
func TestAForgedEventBreaksTheChainAtItsPlace(t *testing.T) {
	t.Parallel()
	history := play(1, scenarioNamed("plain"))
	lines := strings.SplitAfter(string(exported(t, history, textShelf())), "\n")
	for i, e := range history {
		line := lines[i+1]
		forged := slices.Clone(lines)
		forged[i+1] = strings.Replace(line, `"data":{`, `"data":{"x":1,`, 1)
		if forged[i+1] == line {
			continue
		}
		_, err := imported(t, []byte(strings.Join(forged, "")))
		var d *replay.Divergence
		require.ErrorAs(t, err, &d)
		require.Equal(t, replay.CodeChain, d.Code)
		require.Equal(t, i, d.Position)
		require.Equal(t, e.Seq, d.Seq)
		require.Equal(t, e.ID, d.Recorded.ID)
	}
}

func TestFilesThatAreNoExportAreRefusedWithTheirLine(t *testing.T) {
	t.Parallel()
	history := play(1, scenarioNamed("plain"))
	envelope, err := json.Marshal(history[0])
	require.NoError(t, err)
	other := history[1]
	other.Session = "another"
	stranger, err := json.Marshal(other)
	require.NoError(t, err)
	header := `{"slop_export":1,"project":"p1","session":"S"}` + "\n"
	for name, c := range map[string]struct {
		file string
		line int
		want error
	}{
		"nothing":               {"", 1, replay.ErrFormat},
		"an empty line":         {"\n", 1, replay.ErrFormat},
		"no JSON":               {"hello\n", 1, replay.ErrFormat},
		"other JSON":            {"{}\n", 1, replay.ErrFormat},
		"a list":                {"[]\n", 1, replay.ErrFormat},
		"a newer file":          {strings.Replace(header, ":1", ":2", 1), 1, replay.ErrFormat},
		"an older file":         {strings.Replace(header, ":1", ":0", 1), 1, replay.ErrFormat},
		"more in the header":    {strings.Replace(header, `"S"`, `"S","x":1`, 1), 1, replay.ErrFormat},
		"two objects on a line": {strings.TrimSpace(header) + "{}\n", 1, replay.ErrFormat},
		"only a header":         {header, 2, replay.ErrTruncated},
		"an unknown line":       {header + "{}\n", 2, replay.ErrFormat},
		"an unknown member": {header + `{"end":{"events":0,"blobs":0,"chain":""},"x":1}` + "\n", 2,
			replay.ErrFormat},
		"an envelope in an export": {header + string(envelope) + "\n", 2, replay.ErrFormat},
		"a blob that nobody names": {header + `{"blob":{"sha256":"ab","size":1},"data":"eA=="}` + "\n", 2,
			replay.ErrFormat},
		"plain lines of two sessions": {string(envelope) + "\n" + string(stranger) + "\n", 2, replay.ErrFormat},
		"plain lines with a gap":      {string(envelope) + "\n\n", 2, replay.ErrFormat},
		"plain lines that repeat seqs": {fmt.Sprintf(`{"seq":5,"event":%s}`+"\n"+`{"seq":5,"event":%s}`+"\n", envelope,
			envelope), 2, replay.ErrFormat},
		"a header among plain lines": {string(envelope) + "\n" + header, 2, replay.ErrFormat},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := imported(t, []byte(c.file))
			var f *replay.FileError
			require.ErrorAs(t, err, &f)
			require.ErrorIs(t, err, c.want)
			require.Equal(t, c.line, f.Line)
			require.Contains(t, err.Error(), fmt.Sprintf("line %d: ", c.line))
		})
	}
}

func TestAStoredBodyNeverCountsEvenIfItCanBeRead(t *testing.T) {
	t.Parallel()
	history := play(1, scenarioNamed("asked"))
	i := position(history, "AskAnswered", 0)
	answer := &history[i]
	body, err := json.Marshal(answer)
	require.NoError(t, err)
	answer.Data, answer.Payload = json.RawMessage("null"), events.Unreadable(answer.Type, answer.V, body,
		"the server copied it here")
	file := exported(t, history[:i+1], textShelf())
	require.Contains(t, string(file), `"stored":{`)
	back, err := imported(t, file)
	require.NoError(t, err)
	got := back.Events[i]
	bad, uncounted := got.Payload.(events.Malformed)
	require.True(t, uncounted, "%T", got.Payload)
	require.Equal(t, body, []byte(bad.Raw))
	require.Equal(t, answer.Payload.(events.Malformed).Reason, bad.Reason)
	require.Equal(t, answer.ID, got.ID)
	require.Equal(t, string(file), string(exported(t, back.Events, shelf(back.Blobs))))
}

func TestALineIsAnEventOrAStoredBody(t *testing.T) {
	t.Parallel()
	header := `{"slop_export":1,"project":"p1","session":"S"}`
	body := `{"msg_id":"M","time":"2026-01-02T03:04:05Z","body":"eA=="}`
	for name, line := range map[string]string{
		"both": `{"seq":1,"subject":"slop.ev.p1.S.ada.AskAnswered.-","chain":"","event":{},"stored":` + body +
			`}`,
		"a foreign subject": `{"seq":1,"subject":"slop.sig.x","chain":"","stored":` + body + `}`,
		"an unknown member": `{"seq":1,"subject":"slop.ev.p1.S.ada.AskAnswered.-","chain":"","stored":{"x":1}}`,
	} {
		_, err := imported(t, []byte(header+"\n"+line+"\n"))
		require.ErrorIs(t, err, replay.ErrFormat, name)
	}
}

func FuzzRead(f *testing.F) {
	store := shelf{}
	history := play(1, scenarioNamed("noisy"))[:12]
	var b bytes.Buffer
	_, err := replay.Export(f.Context(), &b, eventstest.Each(history), store)
	require.NoError(f, err)
	f.Add(b.Bytes())
	f.Add([]byte(`{"slop_export":1,"project":"p","session":"s"}` + "\n" + `{"end":{"events":0,"blobs":0,"chain":"x"}}`))
	f.Fuzz(func(t *testing.T, file []byte) {
		back, err := replay.Import(t.Context(), bytes.NewReader(file))
		if err != nil || back.Summary.Chain == "" {
			return
		}
		for _, e := range back.Events {
			require.NotNil(t, e.Payload)
		}
		if len(back.Events) > 0 && back.Summary.Missing == 0 {
			_, err = replay.Export(t.Context(), &bytes.Buffer{}, eventstest.Each(back.Events), shelf(back.Blobs))
			require.NoError(t, err)
		}
	})
}
