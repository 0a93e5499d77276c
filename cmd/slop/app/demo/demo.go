// Package demo is the content of slop demo: a sample project with a bug, and the script of a model that fixes it.
//
// # Contract
//
//   - [Extract] writes the project; its tests fail. [Script] carries out [Goal]
//     on it in one track of five tickets: one that looks, three side by side,
//     one that verifies. Then its tests pass.
//   - The project needs only the Go command: no modules, no network.
//   - The script is honest: its last ticket says that the tests pass only if the
//     test run said so.
package demo

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
)

// Goal is the goal that the script carries out.
const Goal = "Make every test of this project pass, and have the README name every package."

// content holds the project and the script. The sample's go.mod goes by
// another name, because a folder with a go.mod cannot be embedded.
//
//go:embed testdata/sample testdata/script.jsonl
var content embed.FS

const (
	sampleRoot = "testdata/sample"
	scriptFile = "testdata/script.jsonl"
	storedMod  = "go.mod.txt"
	mod        = "go.mod"
)

// Script returns the model's replies as JSON lines that the scripted provider reads.
func Script() []byte {
	b, err := content.ReadFile(scriptFile)
	if err != nil {
		panic("demo: " + err.Error()) // embedded
	}
	return b
}

// Extract writes the sample project into dir, which it creates. It overwrites nothing: if a file of the project exists
// already, the error is fs.ErrExist, and the files written before it remain.
func Extract(dir string) (err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("extract the sample project: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("extract the sample project: %w", err)
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	sample, err := fs.Sub(content, sampleRoot)
	if err != nil {
		return fmt.Errorf("extract the sample project: %w", err)
	}
	return fs.WalkDir(sample, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil {
			err = extract(root, sample, name, d.IsDir())
		}
		if err != nil {
			return fmt.Errorf("extract %s: %w", name, err)
		}
		return nil
	})
}

// extract writes one file or creates one folder.
func extract(root *os.Root, sample fs.FS, name string, folder bool) error {
	if folder {
		return root.MkdirAll(name, 0o755)
	}
	text, err := fs.ReadFile(sample, name)
	if err != nil {
		return err
	}
	if base := path.Base(name); base == storedMod {
		name = strings.TrimSuffix(name, base) + mod
	}
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}
