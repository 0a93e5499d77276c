package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"manualslop/cmd/slop/engine"
	"manualslop/cmd/slop/site"
	"manualslop/cmd/slop/term"
	"manualslop/events"
)

// editable are the arguments that are edited as plain text, by precedence: a script, the content of a written file,
// and the task of a start.
func editable() []string { return []string{"script", "content", "new_content", "new_string", "prompt"} }

// edited returns the replacement for a payload: the JSON that was typed, or else the result of editing its text in
// $EDITOR. With "json", or if it has no such text, the whole payload is edited.
func edited(typed string, before json.RawMessage) (json.RawMessage, error) {
	raw := []byte(strings.TrimSpace(typed))
	if len(raw) == 0 || string(raw) == "json" {
		var args map[string]json.RawMessage
		if err := json.Unmarshal(before, &args); err != nil {
			return nil, fmt.Errorf("the payload cannot be edited: %w", err)
		}
		name, text := textOf(args)
		var err error
		if name == "" || len(raw) > 0 {
			raw, err = editPayload(before)
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

// editPlan opens the tickets of a plan as text in $EDITOR. If the previous attempt could not be parsed, it opens that
// text again.
func (a *asker) editPlan(_ string, before json.RawMessage) (json.RawMessage, error) {
	text, err := term.PlanText(before)
	if err != nil {
		return nil, err
	}
	if a.unread != nil {
		text = a.unread
	}
	got, err := editFile(text, ".md")
	if err != nil {
		return nil, err
	}
	a.unread = nil
	plan, err := term.PlanFrom(before, got)
	if err != nil {
		a.unread = got
		return nil, fmt.Errorf("%w; type e to continue editing", err)
	}
	return plan, nil
}

// textOf returns the argument that is edited as text, or one without a name if there is none.
func textOf(args map[string]json.RawMessage) (name, text string) {
	for _, name := range editable() {
		if raw, has := args[name]; has && json.Unmarshal(raw, &text) == nil {
			return name, text
		}
	}
	return "", ""
}

// plainEnding matches an extension that a temporary file may have; a model chose the path.
var plainEnding = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\.[A-Za-z0-9]{1,16}$`) })

// editText opens one argument in $EDITOR, as a file with the extension of the file that the call writes. A line end
// that an editor adds at the end of the text is ignored.
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
		return nil, errors.New("nothing was changed: type y to approve it as it is, or e json to edit all arguments")
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

// draft is an unsent answer with edited arguments, and the diff of what they would change.
type draft struct {
	answer events.AskAnswered
	diff   string
}

// draftOf precedes the id of the ask whose draft is on the terminal.
const draftOf = "draft of "

// of reports whether this is the draft of an answer to an ask.
func (d *draft) of(ask string) bool { return d != nil && d.answer.Ask == ask }

// print shows the whole diff.
func (d *draft) print(g *site.Flags, w io.Writer) {
	fmt.Fprintln(w, "\n── as edited")
	g.PrintDiff(w, d.diff)
}

// worksHere lets answers be tried on the files of a project in a folder of this machine.
func (a *asker) worksHere(p site.Place, mask func([]byte) []byte) {
	a.edits = engine.PreviewIn(p, mask)
	a.starts = func(of events.SessionOpened, ask events.AskRaised, answer events.AskAnswered) error {
		return engine.CheckStart(p, of, ask, answer)
	}
}

// held returns an answer that can be sent at once. If edited arguments change files, it holds the answer back until
// the user at a terminal has seen the diff; elsewhere it shows the diff and continues. Arguments that cannot be
// previewed are left to the engine, which reports the error.
func (a *asker) held(ctx context.Context, answer *events.AskAnswered) (*events.AskAnswered, error) {
	ask := a.current()
	if a.starts != nil {
		if err := a.starts(a.opened, ask, *answer); err != nil {
			return nil, err
		}
	}
	if ask.Gate != events.GateTool || len(answer.Args) == 0 || a.edits == nil {
		return answer, nil
	}
	call := events.PreviewRequested{Call: ask.Call, Tool: ask.Tool, Args: answer.Args, Ticket: ask.Ticket,
		Workspace: a.about.workspaces[ask.Call]}
	diff, err := a.edits(ctx, a.writer.Session, call)
	if err != nil || diff == "" {
		return answer, nil
	}
	made := &draft{answer: *answer, diff: diff}
	if !term.IsTerminal(a.g.In) {
		if !a.g.JSON {
			made.print(a.g, a.g.Out)
		}
		return answer, nil
	}
	a.draft, a.printed = made, ""
	return nil, nil
}

// confirm parses a line into the answer whose diff was shown, or into one that was edited again. It returns nil for
// neither.
func (a *asker) confirm(ctx context.Context, line string) (*events.AskAnswered, error) {
	answer := a.draft.answer
	verb, rest, _ := strings.Cut(line, " ")
	switch strings.ToLower(verb) {
	case "y", "yes":
		a.draft = nil
		return &answer, nil
	case "n", "no":
		a.draft = nil
		return nil, nil
	case "e", "edit":
		again, err := edited(rest, answer.Args)
		if err != nil {
			return nil, err
		}
		a.draft, answer.Args = nil, again
		return a.held(ctx, &answer)
	}
	return nil, errors.New("type y, n, e, e json or e {JSON}")
}
