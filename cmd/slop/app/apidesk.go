package app

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"net/http"
	"net/url"
	"strings"
	"time"

	"manualslop/events"
	"manualslop/hookgw/access"
	"manualslop/hookgw/hookclient"
	"manualslop/projections"
)

// apiDesk reaches a running engine through its gateway.
type apiDesk struct {
	place  place
	reader *hookclient.Client
	person *hookclient.Client
}

func newAPIDesk(p place, info engineInfo) (*apiDesk, error) {
	reader, err := newAPIClient(info, access.RightRead)
	if err != nil {
		return nil, err
	}
	person, err := newAPIClient(info, access.RightHuman)
	if err != nil {
		return nil, err
	}
	return &apiDesk{place: p, reader: reader, person: person}, nil
}

func (d *apiDesk) close() {
	d.reader.Close()
	d.person.Close()
}

func (d *apiDesk) sessions(ctx context.Context) ([]projections.Summary, string, error) {
	var out struct {
		Current  string                `json:"current"`
		Sessions []projections.Summary `json:"sessions"`
	}
	_, err := d.reader.Call(ctx, http.MethodGet, "/api/sessions", nil, nil, &out)
	return out.Sessions, out.Current, err
}

func (d *apiDesk) asks(ctx context.Context, session string) ([]askLine, error) {
	var out struct {
		Asks []askLine `json:"asks"`
	}
	_, err := d.reader.Call(ctx, http.MethodGet, "/api/asks", url.Values{"session": {session}, "state": {"all"}}, nil, &out)
	return out.Asks, err
}

func (d *apiDesk) answer(ctx context.Context, session string, a askLine, given answer) (bool, error) {
	body := map[string]any{"request_id": a.RequestID, "response": given}
	var out json.RawMessage
	status, err := d.person.Call(ctx, http.MethodPost, "/api/ask/respond", url.Values{"session": {session}}, body, &out)
	var refused *hookclient.Error
	if errors.As(err, &refused) {
		switch {
		case refused.SettledAt != nil:
			return false, &settledError{ask: a.RequestID, outcome: refused.Outcome, by: refused.SettledBy, at: *refused.SettledAt}
		case refused.Status == http.StatusUnprocessableEntity:
			why := strings.TrimPrefix(refused.Message, errAnswerRefused.Error()+": ")
			return false, wrapped{errAnswerRefused, errors.New(visible(why))}
		}
	}
	return status == http.StatusAccepted, err
}

func (d *apiDesk) control(ctx context.Context, session string, want controlRequest) (bool, error) {
	raw, err := json.Marshal(want.payload)
	if err != nil {
		return false, err
	}
	body := map[string]any{}
	if err := json.Unmarshal(raw, &body); err != nil {
		return false, err
	}
	body["action"] = want.action
	var out json.RawMessage
	status, err := d.person.Call(ctx, http.MethodPost, "/api/control", url.Values{"session": {session}}, body, &out)
	var refused *hookclient.Error
	if errors.As(err, &refused) && refused.Status == http.StatusConflict {
		err = wrapped{errControlRefused, errors.New(visible(refused.Message))}
	}
	return status == http.StatusAccepted, err
}

func (d *apiDesk) keep(ctx context.Context, session string, want keepRequest) error {
	var out json.RawMessage
	_, err := d.person.Call(ctx, http.MethodPost, want.path, url.Values{"session": {session}}, want.body, &out)
	return err
}

// wrapped is an error of a kind, worded by another.
type wrapped struct{ kind, err error }

// Error is the wording.
func (w wrapped) Error() string { return w.kind.Error() + ": " + w.err.Error() }

// Unwrap gives both.
func (w wrapped) Unwrap() []error { return []error{w.kind, w.err} }

// retryPause is between two attempts to take up a stream that broke, and
// maxRetries how often that may fail in a row.
const (
	retryPause = 200 * time.Millisecond
	maxRetries = 5
)

// feed reads the stream. With follow a stream that breaks is taken up again
// where it ended, for as long as the engine runs.
func (d *apiDesk) feed(ctx context.Context, session string, after uint64, filters []subjectPattern, follow bool) iter.Seq2[events.Event, error] {
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
			if !follow || failures >= maxRetries || errors.As(err, &refused) || !d.runs() {
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

// errStreamEnded says that the gateway ended a stream that should go on.
var errStreamEnded = errors.New("the stream ended")

// patterns are filters as the gateway takes them.
func patterns(filters []subjectPattern) []string {
	var out []string
	for _, f := range filters {
		out = append(out, f.String())
	}
	return out
}

// runs tells whether the engine still runs.
func (d *apiDesk) runs() bool {
	_, err := findEngine(d.place.data)
	return err == nil
}

// read reads one stream from *at on and moves *at along. over says that the
// reader has all that it wanted.
func (d *apiDesk) read(ctx context.Context, session string, at *uint64, filters []subjectPattern, follow bool, yield func(events.Event, error) bool) (over bool, err error) {
	s, err := d.reader.In(session).OpenStream(ctx, hookclient.StreamOptions{Since: *at, Filters: patterns(filters), Reader: "slop"})
	if err != nil {
		return false, err
	}
	defer s.Close()
	for {
		f, err := s.Next()
		if err != nil {
			*at = s.Position()
			return false, wrapped{errStreamEnded, err}
		}
		switch f.Kind {
		case hookclient.FrameSnapshot:
			if !follow {
				return true, nil
			}
		case hookclient.FrameDisconnected:
			*at = s.Position()
			return false, errStreamEnded
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

// blobs reads bodies through the gateway.
func (d *apiDesk) blobs() events.Blobs { return apiBlobs{d.reader} }

type apiBlobs struct{ client *hookclient.Client }

// Put is refused: the gateway takes no bodies.
func (b apiBlobs) Put(context.Context, []byte, string) (events.BlobRef, error) {
	return events.BlobRef{}, events.ErrDenied
}

// Get reads a body and compares it with its digest.
func (b apiBlobs) Get(ctx context.Context, sha256 string) ([]byte, error) {
	body, err := b.client.GetBlob(ctx, sha256)
	if hookclient.StatusOf(err) == http.StatusNotFound || errors.Is(err, hookclient.ErrOtherBytes) {
		err = wrapped{events.ErrNoBlob, err}
	}
	return body, err
}
