package app

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"manualslop/cmd/slop/term"
	"manualslop/events"
)

// editable are the arguments whose text a person edits as it is, by precedence: a script, what a write puts into a
// file, and the task of a start.
func editable() []string { return []string{"script", "content", "new_content", "new_string", "prompt"} }

// edited returns the payload that the person wants instead of that of an ask: the JSON that was typed, or what $EDITOR
// makes of its text, or with "json", or if there is none, of the whole payload.
func edited(typed string, ask events.AskRaised) (json.RawMessage, error) {
	raw := []byte(strings.TrimSpace(typed))
	if len(raw) == 0 || string(raw) == "json" {
		var args map[string]json.RawMessage
		if err := json.Unmarshal(ask.Args, &args); err != nil {
			return nil, fmt.Errorf("the payload cannot be edited: %w", err)
		}
		name, text := textOf(args)
		var err error
		if name == "" || len(raw) > 0 {
			raw, err = editPayload(ask.Args)
		} else {
			raw, err = editText(args, name, text)
		}
		if err != nil {
			return nil, err
		}
	}
	if !json.Valid(raw) {
		return nil, errors.New("the edited payload is not JSON")
	}
	return raw, nil
}

// textOf returns the argument that is edited as a text; without a name if there is none.
func textOf(args map[string]json.RawMessage) (name, text string) {
	for _, name := range editable() {
		if raw, has := args[name]; has && json.Unmarshal(raw, &text) == nil {
			return name, text
		}
	}
	return "", ""
}

// plainEnding matches an ending that a temporary file may have; the path is a model's.
var plainEnding = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\.[A-Za-z0-9]{1,16}$`) })

// editText opens one argument in $EDITOR, as a file with the ending of the file that the call writes. A line end that
// an editor adds at the end of the text is not part of it.
func editText(args map[string]json.RawMessage, name, text string) ([]byte, error) {
	ending := ".txt"
	if name == "script" {
		ending = ".sh"
	}
	var path string
	if json.Unmarshal(args["path"], &path) == nil && name != "prompt" && plainEnding().MatchString(filepath.Ext(path)) {
		ending = filepath.Ext(path)
	}
	got, err := editFile([]byte(text), ending)
	if err != nil {
		return nil, err
	}
	if !strings.HasSuffix(text, "\n") {
		got = bytes.TrimSuffix(got, []byte("\n"))
	}
	if string(got) == text {
		return nil, errors.New("nothing was changed: type y to say yes to it as it is, e json to edit all arguments")
	}
	if args[name], err = json.Marshal(string(got)); err != nil {
		return nil, err
	}
	return json.Marshal(args)
}

// editPayload opens the whole payload in $EDITOR.
func editPayload(args json.RawMessage) ([]byte, error) {
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, args, "", "  "); err != nil {
		return nil, err
	}
	return editFile(append(pretty.Bytes(), '\n'), ".json")
}

// editFile opens a text in $EDITOR and returns the result.
func editFile(text []byte, ending string) ([]byte, error) {
	editor := term.FirstOf(os.Getenv("VISUAL"), os.Getenv("EDITOR"))
	if editor == "" {
		return nil, errors.New("set EDITOR to edit, or type e {JSON}")
	}
	f, err := os.CreateTemp("", "slop-ask-*"+ending)
	if err != nil {
		return nil, err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(text)
	if err := errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	words := strings.Fields(editor)
	cmd := exec.Command(words[0], append(words[1:], f.Name())...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%s: %w", editor, err)
	}
	return os.ReadFile(f.Name())
}
