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

// MCPDir is where MCP servers of other processes find credentials and show that
// they live.
func (p Place) MCPDir() string { return filepath.Join(p.Data, "mcp") }

// ShowMCP shows that the MCP server of this name lives, until hide is called or
// the process ends.
func (p Place) ShowMCP(name string) (hide func(), err error) {
	if err := os.MkdirAll(p.MCPDir(), 0o700); err != nil {
		return nil, fmt.Errorf("show that the MCP server lives: %w", err)
	}
	life := p.mcpLock(name)
	locked, err := life.TryLock()
	if err == nil && !locked {
		err = errors.New("another process has it")
	}
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", life.Path(), err)
	}
	return func() { _, _ = os.Remove(life.Path()), life.Unlock() }, nil
}

// MCPGone tells whether the MCP server of this name lives no more.
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
