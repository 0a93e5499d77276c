package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// TrustFile is the name of the file in the person's folder that holds what the person trusts.
const TrustFile = "mcp_trust.json"

// Pin is a tool as the person approved it.
type Pin struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema"`
	SHA256      string          `json:"sha256"`
}

// Trust is what the person trusts: definitions by their hash, each with the tools seen at that time.
type Trust struct {
	Servers map[string][]Pin `json:"servers"`

	file string
}

// LoadTrust reads the trust of the person. A missing file trusts nothing.
func LoadTrust(user string) (*Trust, error) {
	t := &Trust{Servers: map[string][]Pin{}, file: filepath.Join(user, TrustFile)}
	data, err := os.ReadFile(t.file)
	if errors.Is(err, fs.ErrNotExist) {
		return t, nil
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(data, t); err != nil {
		return nil, fmt.Errorf("%s: %w", t.file, err)
	}
	return t, nil
}

// Add trusts a definition with its tools and writes the file, which only the person may read.
func (t *Trust) Add(hash string, pins []Pin) error {
	t.Servers[hash] = slices.Clone(pins)
	data, err := json.MarshalIndent(t, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(t.file), 0o700); err != nil {
		return err
	}
	next, err := os.CreateTemp(filepath.Dir(t.file), TrustFile)
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(next.Name()) }()
	if _, err := next.Write(append(bytes.TrimSpace(data), '\n')); err != nil {
		_ = next.Close()
		return err
	}
	if err := next.Close(); err != nil {
		return err
	}
	return os.Rename(next.Name(), t.file)
}

// Change is a tool with how it differs from what the person approved: unchanged, changed, new or gone.
// Before and BeforeSchema are what was approved of a changed tool.
type Change struct {
	Pin
	State        string          `json:"state"`
	Before       string          `json:"before,omitempty"`
	BeforeSchema json.RawMessage `json:"before_schema,omitempty"`
}

// Compare lists the tools that were approved and those that are there now, the latter first.
func Compare(approved, now []Pin) []Change {
	var out []Change
	for _, p := range now {
		i := slices.IndexFunc(approved, func(a Pin) bool { return a.Name == p.Name })
		switch {
		case i < 0:
			out = append(out, Change{Pin: p, State: "new"})
		case approved[i].SHA256 != p.SHA256:
			out = append(out, Change{Pin: p, State: "changed", Before: approved[i].Description,
				BeforeSchema: approved[i].Schema})
		default:
			out = append(out, Change{Pin: p, State: "unchanged"})
		}
	}
	for _, a := range approved {
		if !slices.ContainsFunc(now, func(p Pin) bool { return p.Name == a.Name }) {
			out = append(out, Change{Pin: a, State: "gone"})
		}
	}
	return out
}
