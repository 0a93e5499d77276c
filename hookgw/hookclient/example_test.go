package hookclient_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"time"

	"manualslop/events"
	"manualslop/events/eventstest"
	"manualslop/hookgw"
	"manualslop/hookgw/core"
	"manualslop/hookgw/hookclient"
	"manualslop/projections/live"
)

// gateway serves a fresh session until stop is called.
func gateway() (url string, stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	log := eventstest.NewMemory()
	models, err := live.Open(ctx, log, "p1", live.Options{})
	must(err)
	opened, err := events.New(events.Origin{ID: "01J0000000000000000000000A", Time: time.Now(), Project: "p1",
		Session: "s1", Actor: "ada"}, events.SessionOpened{Folder: "20260102_030405"})
	must(err)
	seq, err := log.Append(ctx, opened, nil)
	must(err)
	must(models.WaitFor(ctx, seq))
	everybody := func(string) events.Log { return log }
	gw, err := hookgw.New(ctx, core.Config{Listen: "127.0.0.1:0", Auth: core.AuthNone, Project: "p1", Person: "ada",
		Log: log, PersonLog: everybody, AgentLog: everybody, Models: models, Logger: slog.New(slog.DiscardHandler)})
	must(err)
	done := make(chan error, 1)
	go func() { done <- gw.Serve(ctx) }()
	<-gw.Ready()
	return gw.URL(), func() {
		cancel()
		must(<-done)
		must(models.Close())
	}
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		panic(err)
	}
}

func Example() {
	url, stop := gateway() // or the address that slop serve prints
	defer stop()
	ctx := context.Background()

	c, err := hookclient.New(hookclient.Options{BaseURL: url}) // TokenFile: ".slop/tokens/human.token"
	must(err)
	defer c.Close()
	must(c.WaitForServer(ctx, 3*time.Second))

	must(c.SetValue(ctx, "mma_epic_input", "make the tests pass"))
	epic, err := c.GetValue(ctx, "mma_epic_input")
	must(err)
	fmt.Println(epic)
	// Output: make the tests pass
}

func ExampleClient_WaitForEvent() {
	url, stop := gateway()
	defer stop()
	ctx := context.Background()
	c, err := hookclient.New(hookclient.Options{BaseURL: url, Reader: "example"})
	must(err)
	defer c.Close()

	must(c.PushEvent(ctx, "build_done", map[string]any{"ok": true}))
	event, err := c.WaitForEvent(ctx, "build_done", 5*time.Second)
	must(err)
	fmt.Println(string(event.Payload))
	// Output: {"ok":true}
}

func ExampleClient_OpenStream() {
	url, stop := gateway()
	defer stop()
	ctx := context.Background()
	c, err := hookclient.New(hookclient.Options{BaseURL: url})
	must(err)
	defer c.Close()

	stream, err := c.OpenStream(ctx, hookclient.StreamOptions{Filters: []string{"ada.>"}})
	must(err)
	defer stream.Close()
	frame, err := stream.Next()
	must(err)
	e, err := stream.Event(frame)
	must(err)
	fmt.Println(e.Actor, e.Type, stream.Position())
	// Output: ada SessionOpened 1
}

func ExampleStatusOf() {
	url, stop := gateway()
	defer stop()
	c, err := hookclient.New(hookclient.Options{BaseURL: url})
	must(err)
	defer c.Close()

	err = c.RespondToAsk(context.Background(), "nobody-asked", true)
	fmt.Println(hookclient.StatusOf(err), err)
	// Output: 404 no such ask. GET /api/asks lists the open asks.
}

func ExampleMethod_Call() {
	url, stop := gateway()
	defer stop()
	c, err := hookclient.New(hookclient.Options{BaseURL: url})
	must(err)
	defer c.Close()

	m, _ := hookclient.FindMethod("get_gui_diagnostics")
	out, err := m.Call(context.Background(), c, nil)
	must(err)
	text, err := json.Marshal(out)
	must(err)
	fmt.Println(m.Usage(), string(text))
	// Output: get_gui_diagnostics {"thinking":false,"live":false,"prior":false}
}
