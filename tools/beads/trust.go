package beads

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// maxSettings limits a settings file, which usually has a dozen lines.
const maxSettings = 256 << 10

// checkFolder rejects a database whose folder would make bd run programs or access other machines. bd takes
// variables, including password commands, from .env; the settings may name a server.
func (c CLI) checkFolder() error {
	if _, err := os.Lstat(filepath.Join(c.Dir, Folder, ".env")); !errors.Is(err, fs.ErrNotExist) {
		return problem("the project has %s/.env, whose variables can make bd run programs; the user must inspect "+
			"it and remove it first", Folder)
	}
	for _, name := range []string{"metadata.json", "config.json"} {
		if err := c.checkSettings(name); err != nil {
			return err
		}
	}
	return nil
}

func (c CLI) checkSettings(name string) error {
	path := filepath.Join(c.Dir, Folder, name)
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxSettings {
		return problem("%s/%s is not a valid database configuration", Folder, name)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return problem("%s/%s is not a valid database configuration", Folder, name)
	}
	var is struct {
		Backend string `json:"backend"`
		Mode    string `json:"dolt_mode"`
	}
	if json.Unmarshal(text, &is) != nil || is.Backend != "" && is.Backend != "dolt" || is.Mode != "" &&
		!strings.EqualFold(is.Mode, "embedded") {
		return problem("%s/%s names a database on a server; the beads tools support only an embedded one", Folder, name)
	}
	return nil
}

// embedded returns the variables that override the project's config.yaml, so
// that it cannot select a server.
func embedded() []string {
	return []string{
		"BD_DOLT_MODE=embedded", "BD_DOLT_SHARED_SERVER=false", "BEADS_DOLT_SERVER_HOST=127.0.0.1", "BEADS_DOLT_AUTO_START=0",
	}
}
