package hookgw_test

import (
	"bufio"
	"bytes"
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/oklog/ulid/v2"
	"github.com/stretchr/testify/require"

	"manualslop/bus"
	"manualslop/bus/bustest"
	"manualslop/events"
	"manualslop/hookgw/access"
	"manualslop/hookgw/core"
)

// BenchmarkAnEventIsVisibleInTheStatus measures from publishing a fact to
// having read it over HTTP, durability relaxed, beside the bare publish of the
// same bytes by the plain client, in alternating turns of one run.
func BenchmarkAnEventIsVisibleInTheStatus(b *testing.B) {
	server := bustest.Open(b)
	ada := bustest.Connect(b, server, bus.Role{Kind: bus.Person, Name: person})
	plain, err := server.Stock(bus.Role{Kind: bus.Person, Name: person})
	require.NoError(b, err)
	defer plain.Close()
	all := bustest.Connect(b, server, bus.Role{Kind: bus.Reader})
	f := openEmpty(b, func(c *core.Config) {
		c.Log, c.Models = bustest.Connect(b, server, bus.Role{Kind: bus.Gateway}), openModels(b, all, 1000)
		c.PersonLog = func(string) events.Log { return ada }
	})
	f.log, f.as = all, func(string) events.Log { return ada }
	f.put(person, events.SessionOpened{Folder: "20260102_030405"})
	conn, err := net.Dial("tcp", strings.TrimPrefix(f.gw.URL(), "http://"))
	require.NoError(b, err)
	defer conn.Close()
	answers, body := bufio.NewReader(conn), &bytes.Buffer{}
	request := f.plain(f.gw.URL()+"/api/gui/mma_status", access.RightRead)
	shows := func(want []byte) bool {
		body.Reset()
		require.NoError(b, exchange(conn, answers, request, body))
		return bytes.Contains(body.Bytes(), want)
	}
	var seen, bare []time.Duration
	step := func(on bool) events.Event {
		e, err := events.New(events.Origin{ID: ulid.Make().String(), Time: time.Now(), Project: project, Session: session,
			Actor: person}, events.StepModeSet{On: on})
		require.NoError(b, err)
		return e
	}
	on := false
	for b.Loop() {
		on = !on
		e, want := step(on), fmt.Appendf(nil, `"mma_step_mode":%t`, on)
		begun := time.Now()
		_, err := ada.Append(b.Context(), e, nil)
		require.NoError(b, err)
		for !shows(want) {
		}
		seen = append(seen, time.Since(begun))

		e = step(on)
		raw, err := e.MarshalJSON()
		require.NoError(b, err)
		begun = time.Now()
		_, err = plain.Request(e.Subject(), raw, time.Minute)
		require.NoError(b, err)
		bare = append(bare, time.Since(begun))
	}
	report := func(name string, took []time.Duration) {
		slices.Sort(took)
		b.ReportMetric(float64(took[len(took)/2].Microseconds()), name+"-p50-µs")
		b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), name+"-p99-µs")
	}
	report("visible", seen)
	report("bare-publish", bare)
}
