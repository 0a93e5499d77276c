package events

import (
	"encoding/json"
	"strings"
)

// MaxArgs limits the arguments of one tool call in bytes.
const MaxArgs = 128 << 10

// ExternalToolPrefix begins the names of all tools of external MCP servers and of no others.
const ExternalToolPrefix = "mcp__"

// MCPCallPrefix is the prefix of the ids of calls that MCP clients request.
const MCPCallPrefix = "mcp-"

// MCPCall returns the id of a call, given the name of the MCP server and of the call; both names
// are ULIDs.
func MCPCall(server, call string) string { return MCPCallPrefix + server + "-" + call }

// MCPServerOf returns the name of the MCP server that requested a call; false for calls of others.
// The name is empty if [MCPCall] did not make the id.
func MCPServerOf(call string) (string, bool) {
	rest, ok := strings.CutPrefix(call, MCPCallPrefix)
	server, _, named := strings.Cut(rest, "-")
	if !named {
		server = ""
	}
	return server, ok
}

// MaxMCPClient limits the name and the version of an MCP client, each in bytes.
const MaxMCPClient = 200

// MCPClient is an MCP client as it identifies itself. The name is not verified.
type MCPClient struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
}

// CallAbandoned says that the client of a call no longer waits for it. Approval closes the call's
// ask; a running call continues.
type CallAbandoned struct {
	Call   string `json:"call"`
	Reason string `json:"reason"`
}

// EventType returns the type name and version.
func (CallAbandoned) EventType() Type { return Type{"CallAbandoned", 1} }

// EventCorr returns the call.
func (e CallAbandoned) EventCorr() string { return e.Call }

// ToolRequested is a call that a model or an MCP client requested.
type ToolRequested struct {
	Call    string          `json:"call"`
	Tool    string          `json:"tool"`
	Args    json.RawMessage `json:"args"`
	Ticket  string          `json:"ticket"`
	Attempt int             `json:"attempt"`
	Round   int             `json:"round"`
	// Workspace is where the call will run; empty means the person's folder.
	Workspace string `json:"workspace,omitempty"`
	// Check means that the engine requests the call to find out whether a ticket is done. It runs
	// if a rule allows it, and never raises an ask.
	Check bool `json:"check,omitempty"`
	// Known are files as the conversation knows them. The worker compares them after the call; see
	// [ToolSettled.Unchanged].
	Known []FileState `json:"known,omitempty"`
	// Client is set if an MCP client requested the call. Such a call has no ticket.
	Client *MCPClient `json:"client,omitempty"`
}

// EventType returns the type name and version.
func (ToolRequested) EventType() Type { return Type{"ToolRequested", 1} }

// EventCorr returns the call.
func (e ToolRequested) EventCorr() string { return e.Call }

// EventTopic returns the tool.
func (t ToolRequested) EventTopic() string { return Token(t.Tool) }

// ToolApproved allows one call to run, with exactly these arguments. It contains everything that a
// worker needs.
type ToolApproved struct {
	Call       string          `json:"call"`
	Tool       string          `json:"tool"`
	Args       json.RawMessage `json:"args"`
	ArgsSHA256 string          `json:"args_sha256"` // of the canonical arguments
	Effect     string          `json:"effect"`
	Ticket     string          `json:"ticket"`
	Attempt    int             `json:"attempt,omitempty"` // number of the attempt at the ticket; unset for an undo
	Generation int             `json:"generation"`        // from 1; a retry of an interrupted call adds one
	By         string          `json:"by"`                // a person, or "rule"
	Rule       string          `json:"rule,omitempty"`
	Ask        string          `json:"ask,omitempty"`
	Edited     bool            `json:"edited,omitempty"` // a person changed the arguments
	// Changes are the changes that the person was shown. If the call would change anything else,
	// the worker changes nothing. Unset if nothing was shown.
	Changes []FileChange `json:"changes,omitempty"`
	// After are earlier calls of the same reply that changed files in Changes after these were
	// shown; see [FileChange.Moved].
	After     []string `json:"after,omitempty"`
	TimeoutMS int64    `json:"timeout_ms"`
	Workspace string   `json:"workspace,omitempty"` // as requested
	// Known are the files to compare after the call, as requested.
	Known []FileState `json:"known,omitempty"`
}

// EventType returns the type name and version.
func (ToolApproved) EventType() Type { return Type{"ToolApproved", 1} }

// EventCorr returns the call.
func (e ToolApproved) EventCorr() string { return e.Call }

// EventTopic returns the tool.
func (t ToolApproved) EventTopic() string { return Token(t.Tool) }

// ToolDenied ends a call without running it; the model gets the reason.
type ToolDenied struct {
	Call    string `json:"call"`
	Tool    string `json:"tool"`
	Ticket  string `json:"ticket"`
	Reason  string `json:"reason"`
	By      string `json:"by"`
	Ask     string `json:"ask,omitempty"`
	Invalid bool   `json:"invalid,omitempty"` // not forbidden: the tool or its arguments are invalid
	HeldBy  string `json:"held_by,omitempty"` // ticket whose attempt has locked a file of the call
	File    string `json:"file,omitempty"`    // that file
}

// EventType returns the type name and version.
func (ToolDenied) EventType() Type { return Type{"ToolDenied", 1} }

// EventCorr returns the call.
func (e ToolDenied) EventCorr() string { return e.Call }

// EventTopic returns the tool.
func (t ToolDenied) EventTopic() string { return Token(t.Tool) }

// PreviewRequested asks a worker what a writing call would change.
type PreviewRequested struct {
	Call   string          `json:"call"`
	Tool   string          `json:"tool"`
	Args   json.RawMessage `json:"args"`
	Ticket string          `json:"ticket"`
	// Workspace is that of the call.
	Workspace string `json:"workspace,omitempty"`
}

// EventType returns the type name and version.
func (PreviewRequested) EventType() Type { return Type{"PreviewRequested", 1} }

// EventCorr returns the call.
func (e PreviewRequested) EventCorr() string { return e.Call }

// EventTopic returns the tool.
func (t PreviewRequested) EventTopic() string { return Token(t.Tool) }

// PreviewBuilt shows what a writing call would change. Nothing was changed.
type PreviewBuilt struct {
	Call     string       `json:"call"`
	Diff     string       `json:"diff,omitempty"`
	DiffBlob *BlobRef     `json:"diff_blob,omitempty"`
	Changes  []FileChange `json:"changes,omitempty"`
	Error    string       `json:"error,omitempty"`
	Denied   bool         `json:"denied,omitempty"`   // Error says that no tool may touch a path of the call
	GivenUp  bool         `json:"given_up,omitempty"` // Error says why no worker could tell whether the call would fail
}

// EventType returns the type name and version.
func (PreviewBuilt) EventType() Type { return Type{"PreviewBuilt", 2} }

// EventCorr returns the call.
func (e PreviewBuilt) EventCorr() string { return e.Call }

// FileChange is one file before and after a change; an empty digest means that it does not exist.
type FileChange struct {
	Path   string `json:"path"`
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
	// Edits are the places of the change; unset if not known.
	Edits []Edit `json:"edits,omitempty"`
	// Moved means that Before is the file as earlier calls of the same reply left it, and Edits
	// are the shown edits, adapted to that content. After is unset.
	Moved bool `json:"moved,omitempty"`
}

// FileState is a file as a call or a view found it.
type FileState struct {
	Path    string `json:"path"`
	SHA256  string `json:"sha256,omitempty"` // empty if the file does not exist
	Size    int64  `json:"size,omitempty"`
	Written bool   `json:"written,omitempty"`
	Before  string `json:"before,omitempty"` // of a written file: its digest before; empty if it did not exist
	// Mode and BeforeMode are the permission bits of a written file, after and before, as decimal
	// numbers; unset if the file did not exist or they are not known.
	Mode       uint32 `json:"mode,omitempty"`
	BeforeMode uint32 `json:"before_mode,omitempty"`
}

// MaxNotUndoable limits the paths in ToolSettled.NotUndoable.
const MaxNotUndoable = 16

// Outcomes of a tool call.
const (
	ToolDone        = "done"
	ToolFailed      = "failed"
	ToolKilled      = "killed"      // its ticket was killed or its session closed; the text says which
	ToolInterrupted = "interrupted" // its worker died; it is not known how far it got
)

// MaxContent limits the entries of ToolSettled.Content.
const MaxContent = 32

// MaxNotices limits the entries of ToolSettled.Notices.
const MaxNotices = 32

// Kinds of [ServerNotice].
const (
	NoticeProgress = "progress"
	NoticeLog      = "log"
	NoticeUpdated  = "updated" // of a resource; a signal only
)

// ServerNotice is a report of an external MCP server during a call.
type ServerNotice struct {
	N        int     `json:"n"` // number in its call, from 1
	Kind     string  `json:"kind"`
	Progress float64 `json:"progress,omitempty"`
	Total    float64 `json:"total,omitempty"`
	Level    string  `json:"level,omitempty"`  // of a log message
	Logger   string  `json:"logger,omitempty"` // that wrote a log message
	Text     string  `json:"text,omitempty"`   // message of a progress, JSON of a log message, or URI of an update
}

// SignalNotice is the name of the signals whose body is a [NoticeSignal].
const SignalNotice = "notice"

// NoticeSignal is a notice as it is sent at once. It may be lost.
type NoticeSignal struct {
	Call   string `json:"call"`
	Server string `json:"server,omitempty"` // of an update
	ServerNotice
}

// SignalOutput is the name of the signals whose body is an [OutputSignal].
const SignalOutput = "output"

// OutputSignal holds the last lines that a running call has written to one of its streams. It may be lost.
type OutputSignal struct {
	Call  string   `json:"call"`
	Lines []string `json:"lines"`
}

// Kinds of [Content].
const (
	ContentText     = "text"
	ContentImage    = "image"
	ContentAudio    = "audio"
	ContentResource = "resource" // text or bytes that have an address
	ContentLink     = "link"     // the address of a resource
)

// ContentTextMedia and ContentBytesMedia are the media types of the blobs of [Content].
const (
	ContentTextMedia  = "text/plain; charset=utf-8"
	ContentBytesMedia = "application/octet-stream"
)

// Content is one block of a result. It has text, or bytes in the blob store, or neither if it is only a link.
type Content struct {
	Kind string `json:"kind"`
	Text string `json:"text,omitempty"` // at most 1 KiB
	// Blob has a longer text, if its media type is [ContentTextMedia], or bytes.
	Blob  *BlobRef `json:"blob,omitempty"`
	Media string   `json:"media,omitempty"` // media type, as the tool gives it
	URI   string   `json:"uri,omitempty"`   // of a resource or link
	Name  string   `json:"name,omitempty"`  // of a link
}

// ToolSettled is the outcome of a call. The first valid one in stream order counts.
type ToolSettled struct {
	Call     string          `json:"call"`
	Tool     string          `json:"tool"`
	Outcome  string          `json:"outcome"`
	Text     string          `json:"text"`                // what the model reads
	TextBlob *BlobRef        `json:"text_blob,omitempty"` // the whole text, if Text is only its head
	SHA256   string          `json:"sha256"`              // of the whole text
	Data     json.RawMessage `json:"data,omitempty"`
	// Own means that Text consists only of words of the engine and of the call itself, as for a fetch that reached no
	// server. It may be unset for such a text.
	Own bool `json:"own,omitempty"`
	// Content are the blocks of a result that is not only text, in their order. Text describes them.
	Content []Content `json:"content,omitempty"`
	// Notices are the first reports of the call's external MCP server, at most [MaxNotices].
	Notices     []ServerNotice `json:"notices,omitempty"`
	Exit        *int           `json:"exit,omitempty"`
	Stderr      string         `json:"stderr,omitempty"`
	Interpreter string         `json:"interpreter,omitempty"`
	Files       []FileState    `json:"files,omitempty"`
	// Edited are the changes of written files whose edits are known.
	Edited []FileChange `json:"edited,omitempty"`
	// Unseen means that the call may have changed files that Files does not list.
	Unseen bool `json:"unseen,omitempty"`
	// NotUndoable lists unseen changes that no undo can restore: links, and files that are too
	// large or cannot be read. It has at most [MaxNotUndoable] entries; if it is set, so is
	// Unseen.
	NotUndoable []string `json:"not_undoable,omitempty"`
	// Unchanged means that after the call every file in Known still had its known content.
	Unchanged bool `json:"unchanged,omitempty"`
	// Branch is the branch with the commit of an undo of merged work.
	Branch     string `json:"branch,omitempty"`
	ArgsSHA256 string `json:"args_sha256"`
	Generation int    `json:"generation"`
	DurationMS int64  `json:"duration_ms"`
}

// EventType returns the type name and version.
func (ToolSettled) EventType() Type { return Type{"ToolSettled", 2} }

// EventCorr returns the call.
func (e ToolSettled) EventCorr() string { return e.Call }

// EventTopic returns the tool.
func (t ToolSettled) EventTopic() string { return Token(t.Tool) }

// ToolStarted says that a worker starts a call whose progress cannot be checked, such as a script.
// It is written before the call starts, so that a call whose claim was lost is not run again
// without a person's decision.
type ToolStarted struct {
	Call       string `json:"call"`
	Tool       string `json:"tool"`
	Generation int    `json:"generation,omitempty"` // of the approval
}

// EventType returns the type name and version.
func (ToolStarted) EventType() Type { return Type{"ToolStarted", 1} }

// EventCorr returns the call.
func (e ToolStarted) EventCorr() string { return e.Call }

// EventTopic returns the tool.
func (e ToolStarted) EventTopic() string { return Token(e.Tool) }

// ToolParked says that a call was given up after too many deliveries.
type ToolParked struct {
	Call       string `json:"call"`
	Tool       string `json:"tool"`
	Deliveries int    `json:"deliveries"`
	Reason     string `json:"reason"`
}

// EventType returns the type name and version.
func (ToolParked) EventType() Type { return Type{"ToolParked", 1} }

// EventCorr returns the call.
func (e ToolParked) EventCorr() string { return e.Call }

// EventTopic returns the tool.
func (t ToolParked) EventTopic() string { return Token(t.Tool) }

// Resolutions of an interrupted call.
const (
	InterruptRetry = "retry"
	InterruptDone  = "done"
	InterruptFail  = "fail"
)

// InterruptResolved is a person's decision about an interrupted call. After retry, a ToolApproved
// of the next generation follows.
type InterruptResolved struct {
	Call       string `json:"call"`
	Tool       string `json:"tool"`
	Ticket     string `json:"ticket"`
	Resolution string `json:"resolution"`
	By         string `json:"by"`
	Reason     string `json:"reason,omitempty"`
}

// EventType returns the type name and version.
func (InterruptResolved) EventType() Type { return Type{"InterruptResolved", 1} }

// EventCorr returns the call.
func (e InterruptResolved) EventCorr() string { return e.Call }

// MCPServerChanged reports the new state of an external MCP server. It is recorded in the session
// whose call used the server last.
type MCPServerChanged struct {
	Server string `json:"server"`
	State  string `json:"state"`           // idle, starting, running or error
	Error  string `json:"error,omitempty"` // why it failed
	// Tools are the tools of a running server that differ from what the person approved. They
	// cannot be called.
	Tools []MCPToolChange `json:"tools,omitempty"`
}

// MCPToolChange is a tool of a server that differs from the approved one.
type MCPToolChange struct {
	Name  string `json:"name"`
	State string `json:"state"` // changed, new or gone
	// Diff is the difference between the approved description and schema and the current ones; cut or left out beyond
	// limits.
	Diff string `json:"diff,omitempty"`
}

// EventType returns the type name and version.
func (MCPServerChanged) EventType() Type { return Type{"MCPServerChanged", 1} }

// EventTopic returns the server.
func (e MCPServerChanged) EventTopic() string { return Token(e.Server) }

// InputRequested says that an external MCP server needs input from a person during a call.
// Approval raises an ask; the call continues with the answer.
type InputRequested struct {
	Call    string `json:"call"`
	Server  string `json:"server"`
	Message string `json:"message"` // the server's text, which is not trusted
	// Schema is the JSON Schema of the form; unset if URL is set.
	Schema json.RawMessage `json:"schema,omitempty"`
	// Sampling is set if the server asks for the reply of a model: the parameters of the protocol's
	// sampling/createMessage. The answer is its result.
	Sampling json.RawMessage `json:"sampling,omitempty"`
	// Roots is set if the server asks for folders. The answer is the result of the protocol's roots/list.
	Roots bool `json:"roots,omitempty"`
	// Key is the server's own name for the question and Of the number of questions that it asked at once; empty in the
	// protocol up to 2025-11-25.
	Key string `json:"key,omitempty"`
	Of  int    `json:"of,omitempty"`
	// URL is the address that the person should visit, and Origin its scheme and host.
	URL    string `json:"url,omitempty"`
	Origin string `json:"origin,omitempty"`
}

// EventType returns the type name and version.
func (InputRequested) EventType() Type { return Type{"InputRequested", 2} }

// EventCorr returns the call.
func (e InputRequested) EventCorr() string { return e.Call }

// InputAsk returns the id of the ask that an InputRequested leads to.
func InputAsk(request Event) string { return DecidedID("ask-"+GateInput, request, 0) }

func toolDefs() []Def {
	args := json.RawMessage(`{"path":"a"}`)
	exit := 1
	return []Def{
		Define(Decision, "contributor, agent-mcp", "A model or an MCP client asked for a tool call.",
			ToolRequested{Call: "01J-0", Tool: "read_file",
				Args: args, Ticket: "T-001", Attempt: 1, Round: 1,
				Known:  []FileState{{Path: "b", SHA256: "cd", Size: 1}},
				Client: &MCPClient{"claude-code", "2.1.0"}}),
		Define(Command, "agent-mcp", "An MCP client stopped waiting for its call.", CallAbandoned{"mcp-01J",
			"the client cancelled the call"}),
		Define(Decision, "approval", "A call may run, with exactly these arguments.", ToolApproved{Call: "01J-0",
			Tool: "edit_file", Args: args,
			ArgsSHA256: "ab", Effect: "writes", Ticket: "T-001", Generation: 1, By: "ada", Ask: "01K", TimeoutMS: 60000}),
		Define(Decision, "approval", "A call will not run; the reason goes to the model.", ToolDenied{Call: "01J-0",
			Tool: "edit_file", Ticket: "T-001", Reason: "not this file", By: "ada", Ask: "01K"}),
		Define(Decision, "approval", "Asks what a writing call would "+
			"change.", PreviewRequested{Call: "01J-0", Tool: "edit_file",
			Args: args, Ticket: "T-001"}),
		Define(Outcome, "worker", "What a writing call would change.", PreviewBuilt{Call: "01J-0", Diff: "-a\n+b\n",
			Changes: []FileChange{{Path: "a", Before: "ab", After: "cd",
				Edits: []Edit{{From: 3, To: 5, Len: 2, SHA256: "ef"}}}}}, optional),
		Define(Outcome, "worker", "The outcome of a call.", ToolSettled{Call: "01J-0", Tool: "run_powershell",
			Outcome: ToolFailed, Text: "STDOUT:\n", SHA256: "ab",
			Exit: &exit, Stderr: "boom", Interpreter: "bash", Files: []FileState{{Path: "a", SHA256: "ab", Size: 1}},
			Own:        true,
			Notices:    []ServerNotice{{N: 1, Kind: NoticeProgress, Progress: 1, Total: 2, Text: "half"}},
			Content:    []Content{{Kind: ContentImage, Media: "image/png", Blob: &BlobRef{"ab", 4, ContentBytesMedia}}},
			ArgsSHA256: "ab", Generation: 1, DurationMS: 3}, optional),
		Define(Outcome, "worker", "A worker starts a call whose effects cannot be checked "+
			"afterwards.", ToolStarted{"01J-0", "run_powershell",
			1}),
		Define(Outcome, "worker", "A call was given up after too many deliveries.", ToolParked{"01J-0", "run_powershell", 20,
			"delivered 20 times"}),
		Define(Decision, "approval", "A person's decision on an interrupted "+
			"call.", InterruptResolved{"01J-0", "run_powershell",
			"T-001", InterruptFail, "ada", "unsure"}),
	}
}

func externalDefs() []Def {
	return []Def{
		Define(Outcome, "worker", "An external MCP server starts, runs, fails or stops, or has other tools than the approved "+
			"ones.", MCPServerChanged{Server: "files", State: "running", Error: "exit status 1",
			Tools: []MCPToolChange{{"read", "changed", "-Reads.\n+Reads all.\n"}}}),
		Define(Outcome, "worker", "An external MCP server asks a person something while its call runs.",
			InputRequested{Call: "01J-0", Server: "files", Message: "Which folder?",
				Schema: json.RawMessage(`{"type":"object"}`), Sampling: json.RawMessage(`{"messages":[],"maxTokens":1}`),
				Roots: true, Key: "folder", Of: 2, URL: "https://example.com/a", Origin: "https://example.com"}, optional),
	}
}
