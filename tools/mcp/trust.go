package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/gofrs/flock"

	"manualslop/bus/durable"
)

// TrustFile is the name of the file in the user's folder that stores what the user trusts.
const TrustFile = "mcp_trust.json"

// Pin is an approved version of a tool.
type Pin struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema"`
	SHA256      string          `json:"sha256"`
	// Operation means that it is not a tool of the server but a request of the protocol, such as resources/read, that
	// is called like one. Its name is the method.
	Operation bool `json:"operation,omitempty"`
	// Problem says why the tool cannot be offered. It is empty if it can.
	Problem string `json:"problem,omitempty"`
}

// Trust holds the trusted definitions by hash, each with the tools at the time of approval.
type Trust struct {
	Servers map[string][]Pin `json:"servers"`
	// Revisions holds the protocol revisions that the servers used at that time.
	Revisions map[string]string `json:"revisions,omitempty"`
	// Environments are the SHA-256 of the trusted environment files of projects.
	Environments []string `json:"environments,omitempty"`

	file string
}

// LoadTrust reads the user's trust. A missing file trusts nothing.
func LoadTrust(user string) (*Trust, error) {
	t := &Trust{file: filepath.Join(user, TrustFile)}
	defer func() {
		if t.Servers == nil {
			t.Servers = map[string][]Pin{}
		}
		if t.Revisions == nil {
			t.Revisions = map[string]string{}
		}
	}()
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

// Add trusts a definition with its tools and writes the file, which only the user may read. It keeps what other
// processes have added in the meantime.
func (t *Trust) Add(hash string, pins []Pin, revision string) error {
	return t.change(func(now *Trust) {
		now.Servers[hash] = slices.Clone(pins)
		now.Revisions[hash] = revision
	})
}

// AddEnvironment is like Add for an environment file of a project.
func (t *Trust) AddEnvironment(hash string) error {
	return t.change(func(now *Trust) {
		if !slices.Contains(now.Environments, hash) {
			now.Environments = append(now.Environments, hash)
		}
	})
}

func (t *Trust) change(add func(now *Trust)) (err error) {
	dir := filepath.Dir(t.file)
	if err := durable.MakeFolder(dir); err != nil {
		return err
	}
	lock := flock.New(t.file + ".lock")
	if err := lock.Lock(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	now, err := LoadTrust(dir)
	if err != nil {
		return err
	}
	add(now)
	*t = *now
	data, err := json.MarshalIndent(t, "", "  ")
	if err != nil {
		return err
	}
	return durable.WriteFile(t.file, append(data, '\n'))
}

// States of a tool compared with the approved version.
const (
	Unchanged = "unchanged"
	Changed   = "changed"
	New       = "new"
	Gone      = "gone"
)
