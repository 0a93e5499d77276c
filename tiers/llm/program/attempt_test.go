package program_test

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/llm"
	"manualslop/tiers/llm/program"
)

// echo is a protocol of which each line is a word of the model; {"end":1} is
// its last.
type echo struct{ talks bool }

func (e echo) Begin(t *program.Transcript) {
	if e.talks {
		t.Send(map[string]string{"prompt": program.Prompt(t.Request())})
	}
}

func (echo) Exit(int) string { return events.ModelIncomplete }

func (echo) Line(t *program.Transcript, line []byte) {
	switch s := string(line); s {
	case `{"end":1}`:
		t.End(llm.FinishStop)
	case `{"own":1}`:
		t.Own("ls")
	case `{"ask":1}`:
		t.Send("no")
	default:
		t.Say(s)
	}
}

func request() llm.Request {
	return llm.Request{Model: "m", Messages: []llm.Message{{Role: llm.RoleUser,
		Blocks: []llm.Block{llm.Text("/quit now")}}}}
}

func ask(t *testing.T, j program.Job) (llm.Reply, error) {
	t.Helper()
	j.Request = request()
	return llm.Collect(j.Stream(t.Context()), nil)
}

// TestAProgramThatDoesNotEndIsEnded gives it a moment behind its last word.
func TestAProgramThatDoesNotEndIsEnded(t *testing.T) {
	t.Parallel()
	run := func(ctx context.Context, p llm.Program) (llm.Ended, error) {
		p.Follow([]byte("{\"a\":1}\n{\"end\":1}\n{\"b\":1}\n"))
		<-ctx.Done()
		return llm.Ended{}, ctx.Err()
	}
	reply, err := ask(t, program.Job{Run: run, Program: llm.Program{Input: []byte("x")}, Protocol: echo{},
		AfterEnd: time.Millisecond})
	require.NoError(t, err)
	require.Equal(t, `{"a":1}`, reply.Text)
	require.Nil(t, reply.CLI.Exit, "we ended it")
}

// TestAProgramThatWritesForEverBehindItsLastWordIsEnded has the whole reply,
// and no more time for what nobody reads.
func TestAProgramThatWritesForEverBehindItsLastWordIsEnded(t *testing.T) {
	t.Parallel()
	run := func(ctx context.Context, p llm.Program) (llm.Ended, error) {
		p.Follow([]byte("{\"a\":1}\n{\"end\":1}\n"))
		noise := []byte(strings.Repeat("x", 64<<10))
		for ctx.Err() == nil {
			p.Follow(noise)
		}
		return llm.Ended{}, ctx.Err()
	}
	reply, err := ask(t, program.Job{Run: run, Program: llm.Program{Input: []byte("x")}, Protocol: echo{},
		AfterEnd: time.Millisecond})
	require.NoError(t, err)
	require.Equal(t, `{"a":1}`, reply.Text)
}

// TestAProgramThatIsTalkedTo reads what it is told, to the end of its input.
func TestAProgramThatIsTalkedTo(t *testing.T) {
	t.Parallel()
	run := func(_ context.Context, p llm.Program) (llm.Ended, error) {
		read, write := io.Pipe()
		go p.Talk(write)
		line := make([]byte, 4096)
		n, err := read.Read(line)
		if err != nil {
			return llm.Ended{}, err
		}
		p.Follow([]byte("{\"n\":1}\n{\"end\":1}\n"))
		rest, err := io.ReadAll(read)
		return llm.Ended{Stdout: string(line[:n]) + string(rest)}, err
	}
	reply, err := ask(t, program.Job{Run: run, Protocol: echo{talks: true}})
	require.NoError(t, err)
	require.Equal(t, `{"n":1}`, reply.Text)
	require.True(t, strings.HasPrefix(reply.CLI.Stdout, `{"prompt":"# Conversation`), reply.CLI.Stdout)
	require.Equal(t, int64(len(reply.CLI.Stdout)), reply.CLI.StdinSize)
	require.Equal(t, events.Digest([]byte(reply.CLI.Stdout)), reply.CLI.StdinSHA256)
}

// TestAPromptIsNoCommandOfTheProgram keeps characters that programs read as
// commands from the beginning of a prompt.
func TestAPromptIsNoCommandOfTheProgram(t *testing.T) {
	t.Parallel()
	require.True(t, strings.HasPrefix(program.Prompt(request()), "# Conversation\n"))
	require.True(t, strings.HasSuffix(program.Prompt(request()), "\n\n/quit now\n"))
}

func TestToolsOfAProgramAreBounded(t *testing.T) {
	t.Parallel()
	says := func(n int) llm.Runner {
		return func(_ context.Context, p llm.Program) (llm.Ended, error) {
			p.Follow([]byte(strings.Repeat("{\"own\":1}\n", n) + "{\"end\":1}\n"))
			return llm.Ended{}, nil
		}
	}
	job := program.Job{Program: llm.Program{Input: []byte("x")}, Protocol: echo{}}
	job.Run = says(program.MaxTools)
	reply, err := ask(t, job)
	require.NoError(t, err)
	require.Len(t, reply.CLI.OwnTools, program.MaxTools)
	job.Run = says(program.MaxTools + 1)
	_, err = ask(t, job)
	require.ErrorContains(t, err, "used more than 256 tools")
}

func TestAnswersToAProgramAreBounded(t *testing.T) {
	t.Parallel()
	asks := func(n int) llm.Runner {
		return func(_ context.Context, p llm.Program) (llm.Ended, error) {
			p.Follow([]byte(strings.Repeat("{\"ask\":1}\n", n) + "{\"end\":1}\n"))
			return llm.Ended{}, nil
		}
	}
	job := program.Job{Program: llm.Program{Input: []byte("x")}, Protocol: echo{}}
	job.Run = asks(program.MaxSent)
	_, err := ask(t, job)
	require.NoError(t, err)
	job.Run = asks(program.MaxSent + 1)
	_, err = ask(t, job)
	require.ErrorContains(t, err, "asked for more than 1024 answers")
}

func TestFoldersOfRunsThatWereKilledAreRemoved(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	for name, age := range map[string]time.Duration{"run-old": 25 * time.Hour, "run-new": 23 * time.Hour,
		"mine": 25 * time.Hour} {
		folder := filepath.Join(parent, name)
		require.NoError(t, os.Mkdir(folder, 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(folder, "settings.json"), nil, 0o600))
		at := time.Now().Add(-age)
		require.NoError(t, os.Chtimes(folder, at, at))
	}
	_, remove, failed := program.Open(parent, "run-x", nil)
	require.Nil(t, failed)
	require.NoDirExists(t, filepath.Join(parent, "run-old"))
	require.DirExists(t, filepath.Join(parent, "run-new"))
	require.DirExists(t, filepath.Join(parent, "mine"))
	remove()
}

func TestEachRunHasAFolderThatGoesWithIt(t *testing.T) {
	t.Parallel()
	parent := filepath.Join(t.TempDir(), "a", "b")
	folder, remove, failed := program.Open(parent, "run-x", map[string]string{"x/y": "z"})
	require.Nil(t, failed)
	require.FileExists(t, filepath.Join(folder, "x", "y"))
	remove()
	require.NoDirExists(t, folder)
	for _, wrong := range []string{"", "relative", "/proc/none"} {
		_, _, failed := program.Open(wrong, "run-x", nil)
		require.NotNil(t, failed, wrong)
	}
}

func TestTokensThatCannotBeAreNotPlausible(t *testing.T) {
	t.Parallel()
	require.True(t, program.Plausible(0, llm.MaxTokens))
	require.False(t, program.Plausible(1, -1))
	require.False(t, program.Plausible(llm.MaxTokens+1, 1))
}

// TestTheBlocksOfARequestBeginTheNextOne goes on with a conversation; the block of
// changed files is in one request only.
func TestTheBlocksOfARequestBeginTheNextOne(t *testing.T) {
	t.Parallel()
	says := func(role string, blocks ...llm.Block) llm.Message { return llm.Message{Role: role, Blocks: blocks} }
	r := llm.Request{Tools: []llm.Tool{{Name: "read_file"}}, Messages: []llm.Message{says(llm.RoleSystem,
		llm.Text("You work.")), says(llm.RoleUser, llm.Text("Look."))}}
	before := program.Blocks(r)
	for _, call := range []string{"1", "2", "3"} {
		changed := says(llm.RoleTool, llm.Result{Call: call, Name: "read_file", Text: "result " + call},
			llm.Text("changed "+call))
		changed.Refreshed = true
		r.Messages = append(r.Messages, says(llm.RoleAssistant, llm.Text("I look.\n"), llm.Call{ID: call, Name: "read_file",
			Args: []byte(`{}`)}), changed)
		now := program.Blocks(r)
		require.Equal(t, before, now[:len(before)])
		require.Equal(t, "\nchanged "+call+"\n", now[len(now)-1])
		require.Equal(t, strings.Join(now, ""), program.Prompt(r))
		last := &r.Messages[len(r.Messages)-1]
		last.Refreshed, last.Blocks = false, last.Blocks[:1]
		require.Equal(t, now[:len(now)-1], program.Blocks(r))
		before = now[:len(now)-1]
	}
}

func TestTicketsShareTheToolsAndTheSystemsWords(t *testing.T) {
	t.Parallel()
	of := func(ticket string) []string {
		return program.Blocks(llm.Request{Tools: []llm.Tool{{Name: "read_file"}}, Messages: []llm.Message{
			{Role: llm.RoleSystem, Blocks: []llm.Block{llm.Text("You work.")}},
			{Role: llm.RoleUser, Blocks: []llm.Block{llm.Text(ticket)}}}})
	}
	require.Equal(t, of("one")[:2], of("two")[:2])
	require.Contains(t, of("one")[0], "## read_file")
	require.Equal(t, "\nYou work.\n", of("one")[1])
}

func TestTheFolderOfARunHasTheNameOfItsConversation(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	open := func() (string, func()) {
		folder, remove, failed := program.Open(parent, "run-x", nil)
		require.Nil(t, failed)
		return filepath.Base(folder), remove
	}
	one, remove := open()
	two, _ := open()
	require.Equal(t, []string{"run-x", "run-x-2"}, []string{one, two}, "two runs have two folders")
	remove()
	again, _ := open()
	require.Equal(t, "run-x", again)
	for range 14 {
		open()
	}
	last, remove := open()
	require.True(t, strings.HasPrefix(last, "run-x-"), last)
	remove()
}
