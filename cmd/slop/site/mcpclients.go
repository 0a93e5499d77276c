package site

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"

	"manualslop/events"
)

// MCPDir is the folder in which MCP servers of other processes find credentials and mark themselves as running.
func (p Place) MCPDir() string { return filepath.Join(p.Data, "mcp") }

// ShowMCP marks the MCP server of this name as running, until hide is called or the process ends.
func (p Place) ShowMCP(name string) (hide func(), err error) {
	if err := os.MkdirAll(p.MCPDir(), 0o700); err != nil {
		return nil, fmt.Errorf("mark the MCP server as running: %w", err)
	}
	life := p.mcpLock(name)
	locked, err := life.TryLock()
	if err == nil && !locked {
		err = errors.New("another process holds it")
	}
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", life.Path(), err)
	}
	return func() { _, _ = os.Remove(life.Path()), life.Unlock() }, nil
}

// MCPGone reports whether the MCP server of this name is no longer running.
func (p Place) MCPGone(name string) (bool, error) {
	if !events.ValidToken(name) {
		return true, nil // no server is named so
	}
	life := p.mcpLock(name, flock.SetFlag(os.O_RDONLY))
	free, err := life.TryRLock()
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("lock %s: %w", life.Path(), err)
	}
	if free {
		_, _ = os.Remove(life.Path()), life.Unlock()
	}
	return free, nil
}

func (p Place) mcpLock(name string, options ...flock.Option) *flock.Flock {
	return flock.New(filepath.Join(p.MCPDir(), name+".lock"), append(options, flock.SetPermissions(0o600))...)
}
