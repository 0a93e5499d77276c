package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/pelletier/go-toml/v2"

	"manualslop/events"
)

// UserFile returns the path of the user's configuration file.
func UserFile() string { return filepath.Join(UserDir(os.Getenv), "config.toml") }

// KeepRule adds an allow rule to the user's configuration file and returns the rule with its position there.
func KeepRule(r events.Rule) (events.Rule, error) {
	origin, err := AppendRule(UserFile(), r.Tool, r.Args)
	r.Scope, r.Source = "", origin
	return r, err
}

// AppendRule adds a rule that allows calls of a tool to the user's configuration file, and returns its position as
// FILE:LINE. Without patterns it allows every call. If the resulting file would be invalid, nothing is written.
func AppendRule(file, tool string, patterns []string) (origin string, err error) {
	var allow any = true
	if len(patterns) > 0 {
		allow = patterns
	}
	rule, err := toml.Marshal(map[string]any{"rules": []map[string]any{{"tool": tool, "allow": allow}}})
	if err != nil {
		return "", fmt.Errorf("write the rule: %w", err)
	}
	have, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("read the configuration: %w", err)
	}
	if len(have) > 0 && !bytes.HasSuffix(have, []byte("\n")) {
		rule = append([]byte("\n"), rule...)
	}
	if err := validLayer(file, append(bytes.Clone(have), rule...)); err != nil {
		return "", fmt.Errorf("cannot append a rule to %s: %w", file, err)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return "", fmt.Errorf("create the configuration folder: %w", err)
	}
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return "", fmt.Errorf("open the configuration: %w", err)
	}
	_, err = f.Write(rule)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return "", fmt.Errorf("write the configuration: %w", err)
	}
	line := bytes.Count(have, []byte("\n")) + bytes.Index(rule, []byte("[[")) + 1
	return fmt.Sprintf("%s:%d", file, line), nil
}

// validLayer returns why a text cannot be a configuration file with rules, or nil.
func validLayer(file string, text []byte) error {
	if len(text) > maxConfigBytes {
		return fmt.Errorf("it would become larger than %d bytes", maxConfigBytes)
	}
	_, layer, err := decodeLayer(file, text)
	if err != nil {
		return err
	}
	c := Default()
	c.Rules = layer.Rules
	return c.Validate()
}
