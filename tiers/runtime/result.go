package runtime

import (
	"context"
	"encoding/json"

	"manualslop/events"
	"manualslop/tools"
)

// artifact refers to a whole text in the blob store.
type artifact struct {
	Name string `json:"name"`
	events.BlobRef
	Cut bool `json:"cut,omitempty"` // it is only the beginning
}

// twin is the structured answer of a call as the log keeps it, with a member "artifacts" where whole
// texts were stored. An answer that is too long is left out; its artifacts stay.
func (w *Worker) twin(ctx context.Context, r tools.Result) json.RawMessage {
	artifacts := w.store(ctx, r.Artifacts)
	data := w.bounded(r.Data)
	if len(artifacts) == 0 {
		return data
	}
	members := map[string]json.RawMessage{}
	if data != nil && json.Unmarshal(data, &members) != nil {
		return data // no object, so there is no place for them
	}
	var err error
	if members["artifacts"], err = json.Marshal(artifacts); err != nil {
		return data
	}
	joined, err := json.Marshal(members)
	if err != nil {
		return data
	}
	return joined
}

// bounded is the masked JSON of an answer, nil where it is too long.
func (w *Worker) bounded(answer any) json.RawMessage {
	data, err := json.Marshal(answer)
	if err != nil || answer == nil || len(data) > maxData || encoded(string(data)) > 2*maxData {
		return nil
	}
	if data = []byte(w.mask(string(data))); !json.Valid(data) {
		return nil
	}
	return data
}

// store puts whole texts into the blob store, masked like everything that leaves the worker.
func (w *Worker) store(ctx context.Context, texts []tools.Artifact) []artifact {
	var out []artifact
	for _, text := range texts {
		body := text.Data
		if w.Mask != nil {
			body = w.Mask(body)
		}
		ref, err := w.Blobs.Put(ctx, body, "text/plain; charset=utf-8")
		if err != nil {
			w.Logger.Warn("a whole output could not be stored", "name", text.Name, "bytes", len(body), "error", err)
			continue
		}
		out = append(out, artifact{Name: text.Name, BlobRef: ref, Cut: text.Cut})
	}
	return out
}
