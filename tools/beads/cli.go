package beads

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"manualslop/tools/document"
	"manualslop/tools/sandbox"
)

const (
	// Folder is where a project keeps its database.
	Folder = ".beads"
	// DefaultTimeout is the time limit of one call.
	DefaultTimeout = 30 * time.Second

	maxTitle       = 500    // characters
	maxDescription = 50_000 // characters
	maxOutput      = 16 << 20
)

// CLI is a Tracker that calls bd.
type CLI struct {
	// Program is the absolute path of bd.
	Program string
	// Dir is the folder that contains .beads.
	Dir string
	// Env is the environment for bd, without bd's own variables.
	Env []string
	// Timeout is the time limit of one call; zero means DefaultTimeout.
	Timeout time.Duration
}

var _ Tracker = CLI{}

// Check returns an error if the program cannot be used.
func (c CLI) Check(ctx context.Context) error {
	var is struct{ Version string }
	if err := c.call(ctx, &is, "version"); err != nil {
		return err
	}
	var major, minor int
	if n, _ := fmt.Sscanf(is.Version, "%d.%d", &major, &minor); n < 2 || major < 1 || major == 1 && minor < 1 {
		return problem("bd %s is too old; 1.1 or newer is needed", oneLine(is.Version))
	}
	return nil
}

// List returns all tickets, including closed ones.
func (c CLI) List(ctx context.Context) ([]Bead, error) {
	return c.several(ctx, "list", "--all", "--limit=0", "--readonly")
}

// Ready returns the tickets that can be worked on.
func (c CLI) Ready(ctx context.Context) ([]Bead, error) {
	return c.several(ctx, "ready", "--limit=0", "--readonly")
}

// Create creates a ticket.
func (c CLI) Create(ctx context.Context, title, description string) (Bead, error) {
	title = strings.TrimSpace(title)
	switch {
	case title == "":
		return Bead{}, problem("the title is empty")
	case utf8.RuneCountInString(title) > maxTitle:
		return Bead{}, problem("the title has %d characters, more than the limit of %d; put the rest into the description",
			utf8.RuneCountInString(title), maxTitle)
	case strings.ContainsFunc(title, unicode.IsControl):
		return Bead{}, problem("the title must be one line without control characters")
	case utf8.RuneCountInString(description) > maxDescription:
		return Bead{}, problem("the description has %d characters, more than the limit of %d",
			utf8.RuneCountInString(description), maxDescription)
	case strings.ContainsRune(description, 0):
		return Bead{}, problem("the description contains a NUL character")
	}
	if err := c.checkHooks(); err != nil {
		return Bead{}, err
	}
	var made Bead
	err := c.call(ctx, &made, "create", "--title="+title, "--description="+description)
	if err == nil && made.ID == "" {
		err = fmt.Errorf("beads: bd create returned no id")
	}
	return made, err
}

var (
	idForm = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$`)
	})
	statusForm = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[a-z][a-z0-9_-]{0,63}$`)
	})
)

// Update changes the status of a ticket.
func (c CLI) Update(ctx context.Context, id, status string) (Bead, error) {
	switch {
	case !idForm().MatchString(id):
		return Bead{}, problem("%q is not the id of a bead; use one from bd_list", oneLine(id))
	case !statusForm().MatchString(status):
		return Bead{}, problem("%q is not a status; use open, in_progress, blocked, deferred or closed", oneLine(status))
	}
	if err := c.checkHooks(); err != nil {
		return Bead{}, err
	}
	changed, err := c.several(ctx, "update", "--status="+status, "--", id)
	if err != nil {
		return Bead{}, err
	}
	if len(changed) != 1 {
		return Bead{}, fmt.Errorf("beads: bd update returned %d tickets", len(changed))
	}
	return changed[0], nil
}

// checkHooks rejects changes if bd would run programs of the project.
func (c CLI) checkHooks() error {
	hooks, err := os.ReadDir(filepath.Join(c.Dir, Folder, "hooks"))
	if err != nil {
		return nil
	}
	for _, hook := range hooks {
		if strings.HasPrefix(hook.Name(), "on_") {
			return problem("the project has %s/hooks/%s, a program that bd would run; the user must inspect it and "+
				"remove it first", Folder, oneLine(hook.Name()))
		}
	}
	return nil
}

func (c CLI) several(ctx context.Context, args ...string) ([]Bead, error) {
	out := []Bead{}
	if err := c.call(ctx, &out, args...); err != nil {
		return nil, err
	}
	if out == nil {
		out = []Bead{}
	}
	return out, nil
}

// call runs one command and decodes its output.
func (c CLI) call(ctx context.Context, into any, args ...string) error {
	if err := c.checkFolder(); err != nil {
		return err
	}
	timeout := c.Timeout
	if timeout <= 0 {
		timeout = DefaultTimeout
	}
	o, err := sandbox.Run(ctx, sandbox.Command{
		Path: c.Program, Args: append([]string{"--json", "--sandbox"}, args...), Dir: c.Dir, Timeout: timeout,
		MaxOutput: 2 * maxOutput,
		Env:       slices.Concat(c.Env, c.variables(), embedded()),
	})
	switch {
	case err != nil:
		return err
	case o.TimedOut:
		return problem("bd did not finish within %s; call bd_list to see whether it changed anything", timeout)
	case o.Exit != 0:
		return failure(o)
	case o.StdoutDropped > 0:
		return problem("the output of bd is too long")
	}
	if err := json.Unmarshal([]byte(o.Stdout), into); err != nil {
		return fmt.Errorf("beads: bd %s: unexpected answer: %w", args[0], err)
	}
	return nil
}

// variables returns the environment that restricts bd to this machine and
// database, and keeps its git from running programs that a repository
// configures.
func (c CLI) variables() []string {
	return []string{
		"BD_DISABLE_METRICS=1", "BD_NON_INTERACTIVE=1", "BD_NO_PAGER=1", "NO_COLOR=1", "BEADS_ACTOR=slop", "BEADS_DIR=" +
			filepath.Join(c.Dir, Folder),
		"GIT_TERMINAL_PROMPT=0", "GIT_CONFIG_COUNT=2", "GIT_CONFIG_KEY_0=core.fsmonitor", "GIT_CONFIG_VALUE_0=false",
		"GIT_CONFIG_KEY_1=core.hooksPath", "GIT_CONFIG_VALUE_1=/dev/null",
	}
}

// failure returns bd's error message: the last JSON object on either stream, or else its error output.
func failure(o sandbox.Outcome) error {
	for _, stream := range []string{o.Stdout, o.Stderr} {
		if text := lastError(stream); text != "" {
			return problem("%s", oneLine(text))
		}
	}
	text, _, _ := strings.Cut(strings.TrimSpace(o.Stderr), "\n")
	text = strings.TrimPrefix(text, "Error: ")
	if text == "" {
		text = fmt.Sprintf("bd ended with exit code %d", o.Exit)
	}
	return problem("%s", oneLine(text))
}

// lastError returns the error in the last JSON object of a stream, specific to
// one ticket if available.
func lastError(stream string) string {
	for at := strings.LastIndex(stream, "{"); at >= 0; at = strings.LastIndex(stream[:at], "{") {
		var said struct {
			Error  string
			Failed []struct{ Error string }
		}
		if json.Unmarshal([]byte(stream[at:]), &said) != nil || said.Error == "" {
			continue
		}
		if len(said.Failed) == 1 && said.Failed[0].Error != "" {
			return said.Failed[0].Error
		}
		return said.Error
	}
	return ""
}

func oneLine(text string) string {
	const most = 400
	text = strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text)), " ")
	return document.Clip(text, most)
}
