package client

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"manualslop/cmd/slop/site"
	"manualslop/cmd/slop/term"
	"manualslop/events"
	"manualslop/hookgw/access"
	"manualslop/hookgw/hookclient"
	"manualslop/projections"
	"manualslop/projections/search"
)

// HTTP reaches a running engine through its gateway.
type HTTP struct {
	place  site.Place
	reader *hookclient.Client
	Person *hookclient.Client
}

func NewHTTP(p site.Place, info site.EngineInfo) (*HTTP, error) {
	reader, err := NewAPIClient(info, access.RightRead)
	if err != nil {
		return nil, err
	}
	person, err := NewAPIClient(info, access.RightHuman)
	if err != nil {
		return nil, err
	}
	return &HTTP{place: p, reader: reader, Person: person}, nil
}

func (d *HTTP) Close() {
	d.reader.Close()
	d.Person.Close()
}

// Version returns the output of the engine's program for --version.
func (d *HTTP) Version(ctx context.Context) (string, error) {
	now, err := d.reader.GetSystemTelemetry(ctx)
	return now.Version, err
}

func (d *HTTP) Sessions(ctx context.Context) ([]projections.Summary, string, error) {
	var out struct {
		Current  string                `json:"current"`
		Sessions []projections.Summary `json:"sessions"`
	}
	_, err := d.reader.Call(ctx, http.MethodGet, "/api/sessions", nil, nil, &out)
	return out.Sessions, out.Current, err
}

func (d *HTTP) Asks(ctx context.Context, session string) ([]Ask, error) {
	var out struct {
		Asks []Ask `json:"asks"`
	}
	_, err := d.reader.Call(ctx, http.MethodGet, "/api/asks", url.Values{"session": {session}, "state": {"all"}}, nil,
		&out)
	return out.Asks, err
}

func (d *HTTP) Answer(ctx context.Context, session string, a Ask, given Answer) (bool, *events.Rule, error) {
	body := map[string]any{"request_id": a.RequestID, "response": given}
	var out struct {
		Rule *events.Rule `json:"rule"`
	}
	status, err := d.Person.Call(ctx, http.MethodPost, "/api/ask/respond", url.Values{"session": {session}}, body, &out)
	var refused *hookclient.Error
	if errors.As(err, &refused) {
		switch {
		case refused.SettledAt != nil:
			return false, nil, &SettledError{Ask: a.RequestID, Outcome: refused.Outcome, By: refused.SettledBy,
				At: *refused.SettledAt}
		case refused.Status == http.StatusUnprocessableEntity:
			why := strings.TrimPrefix(refused.Message, errAnswerRefused.Error()+": ")
			return false, nil, wrapped{errAnswerRefused, errors.New(term.Visible(why))}
		}
	}
	return status == http.StatusAccepted, out.Rule, err
}

func (d *HTTP) Control(ctx context.Context, session string, want ControlRequest) (bool, error) {
	raw, err := json.Marshal(want.Payload)
	if err != nil {
		return false, err
	}
	body := map[string]any{}
	if err := json.Unmarshal(raw, &body); err != nil {
		return false, err
	}
	body["action"] = want.Action
	var out json.RawMessage
	status, err := d.Person.Call(ctx, http.MethodPost, "/api/control", url.Values{"session": {session}}, body, &out)
	var refused *hookclient.Error
	if errors.As(err, &refused) && refused.Status == http.StatusConflict {
		err = wrapped{ErrControlRefused, errors.New(term.Visible(refused.Message))}
	}
	return status == http.StatusAccepted, err
}

func (d *HTTP) Changes(ctx context.Context, session string) (projections.Changes, error) {
	var out projections.Changes
	_, err := d.reader.Call(ctx, http.MethodGet, "/api/changes", url.Values{"session": {session}}, nil, &out)
	return out, err
}

func (d *HTTP) Keep(ctx context.Context, session string, want KeepRequest) error {
	var out json.RawMessage
	_, err := d.Person.Call(ctx, http.MethodPost, want.Path, url.Values{"session": {session}}, want.Body, &out)
	return err
}

// wrapped is an error of a kind with the message of another.
type wrapped struct{ kind, err error }

// Error returns the message.
func (w wrapped) Error() string { return w.kind.Error() + ": " + w.err.Error() }

// Unwrap returns both.
func (w wrapped) Unwrap() []error { return []error{w.kind, w.err} }

// retryPause is the pause before a broken stream is opened again, and maxRetries how often that may fail in a row.
const (
	retryPause = 200 * time.Millisecond
	maxRetries = 5
)

// Feed reads the stream. It reopens a broken stream at the position where it ended, as long as the engine runs or,
// without follow, as long as new events come: a gateway ends the stream of a slow reader.
func (d *HTTP) Feed(ctx context.Context, session string, after uint64, filters []subjectPattern,
	follow bool) iter.Seq2[events.Event, error] {
	return func(yield func(events.Event, error) bool) {
		at := after
		for failures := 0; ; failures++ {
			from := at
			over, err := d.read(ctx, session, &at, filters, follow, yield)
			if over || ctx.Err() != nil {
				return
			}
			if at > from {
				failures = 0
			}
			var refused *hookclient.Error
			is, gone := errors.As(err, &refused), !d.runs()
			if gone && !is && !errors.Is(err, ErrStreamEnded) { // it ended before the stream was opened again
				err = wrapped{ErrStreamEnded, err}
			}
			if !follow && at == from || failures >= maxRetries || is || gone {
				yield(events.Event{}, err)
				return
			}
			select {
			case <-ctx.Done():
				return
			case <-time.After(retryPause):
			}
		}
	}
}

// ErrStreamEnded means that the gateway ended a stream that should continue.
var ErrStreamEnded = errors.New("the stream ended")

// patterns returns the filters in the form that the gateway expects.
func patterns(filters []subjectPattern) []string {
	var out []string
	for _, f := range filters {
		out = append(out, f.String())
	}
	return out
}

// runs reports whether the engine is still running.
func (d *HTTP) runs() bool {
	_, err := site.FindEngine(d.place.Data)
	return err == nil
}

// read reads one stream from *at on and advances *at. over means that the reader has received everything that it
// wanted.
func (d *HTTP) read(ctx context.Context, session string, at *uint64, filters []subjectPattern, follow bool,
	yield func(events.Event, error) bool) (over bool, err error) {
	s, err := d.reader.In(session).OpenStream(ctx, hookclient.StreamOptions{Since: *at, Filters: patterns(filters),
		Reader: "slop"})
	if err != nil {
		return false, err
	}
	defer s.Close()
	for {
		f, err := s.Next()
		if err != nil {
			*at = s.Position()
			return false, wrapped{ErrStreamEnded, err}
		}
		switch f.Kind {
		case hookclient.FrameSnapshot:
			if !follow {
				return true, nil
			}
		case hookclient.FrameDisconnected:
			*at = s.Position()
			return false, ErrStreamEnded
		case "":
			e, err := s.Event(f)
			if err != nil {
				return false, err
			}
			if !yield(e, nil) {
				return true, nil
			}
			*at = s.Position()
		}
	}
}

// Blobs reads bodies through the gateway.
func (d *HTTP) Blobs() events.Blobs { return apiBlobs{d.reader} }

type apiBlobs struct{ client *hookclient.Client }

// Put always fails: the gateway accepts no bodies.
func (b apiBlobs) Put(context.Context, []byte, string) (events.BlobRef, error) {
	return events.BlobRef{}, events.ErrDenied
}

// Get reads a body and checks its digest.
func (b apiBlobs) Get(ctx context.Context, sha256 string) ([]byte, error) {
	body, err := b.client.GetBlob(ctx, sha256)
	if hookclient.StatusOf(err) == http.StatusNotFound || errors.Is(err, hookclient.ErrOtherBytes) {
		err = wrapped{events.ErrNoBlob, err}
	}
	return body, err
}

// Search sends the search to the engine.
func (d *HTTP) Search(ctx context.Context, text string, page search.Page) (search.Answer, error) {
	var out search.Answer
	_, err := d.reader.Call(ctx, http.MethodGet, "/api/search", url.Values{"q": {text}, "sort": {page.Sort},
		"limit": {strconv.Itoa(page.Limit)}, "offset": {strconv.Itoa(page.Offset)}}, nil, &out)
	var refused *hookclient.Error
	if errors.As(err, &refused) && refused.Status == http.StatusBadRequest {
		err = &search.QueryError{Message: refused.Message, Hint: refused.Hint}
	}
	return out, err
}

func (d *HTTP) Undo(ctx context.Context, session string, want events.UndoRequested) (*events.ToolSettled, error) {
	raw, err := json.Marshal(want)
	if err != nil {
		return nil, err
	}
	body := map[string]any{}
	if err := json.Unmarshal(raw, &body); err != nil {
		return nil, err
	}
	var out struct {
		Call   string             `json:"call"`
		Files  []events.FileState `json:"files"`
		Branch string             `json:"branch"`
	}
	status, err := d.Person.Call(ctx, http.MethodPost, "/api/undo", url.Values{"session": {session}}, body, &out)
	var refused *hookclient.Error
	if errors.As(err, &refused) && refused.Status == http.StatusConflict {
		return nil, wrapped{ErrControlRefused, errors.New(term.EachVisible(refused.Message))}
	}
	if err != nil || status == http.StatusAccepted {
		return nil, err
	}
	return &events.ToolSettled{Call: out.Call, Outcome: events.ToolDone, Files: out.Files, Branch: out.Branch}, nil
}
