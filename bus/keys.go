package bus

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"manualslop/bus/durable"
	"manualslop/events"
)

// WorkerSlots is the number of workers per host that have names and tokens.
const WorkerSlots = 16

// keyFile holds the credentials of one process by actor: tokens for our own
// server, or seeds of nkeys for a cluster.
type keyFile struct {
	URL    string            `json:"url,omitempty"`
	Tokens map[string]string `json:"tokens,omitempty"`
	Seeds  map[string]string `json:"seeds,omitempty"`
}

// MCPKeys is the file of tokens of MCP servers.
const MCPKeys = "mcp.json"

// WorkerName returns the actor of the n-th worker slot of a host, from 1.
func WorkerName(host string, n int) string {
	suffix := "-" + strconv.Itoa(n)
	room := events.MaxToken - len(events.WorkerPrefix) - len(suffix)
	host = events.Token(host)
	return events.WorkerPrefix + host[:min(len(host), room)] + suffix
}

// WriteKeys writes the token files with which other processes connect: orchestrator.json, worker.json,
// gateway.json (with the people and agents that it speaks for), person-<name>.json, reader.json and live.json.
// Only this user can read them. Valid tokens in the files are kept. Tokens that are no longer in the files become
// invalid, so deleting a file before the call revokes its tokens. If only is given, just these files are written,
// and all other tokens of dir become invalid.
func (s *Server) WriteKeys(dir string, only ...string) error {
	if err := s.writeKeys(dir, only); err != nil {
		return fmt.Errorf("write keys: %w", err)
	}
	return nil
}

func (s *Server) writeKeys(dir string, only []string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		return err
	}
	files, err := keyRoles(s.cfg.Project, []string{s.cfg.Host}, s.cfg.People, s.cfg.Agents)
	if err != nil {
		return err
	}
	bodies, tokens := map[string][]byte{}, map[string]Role{}
	for name, roles := range files {
		if len(only) > 0 && !slices.Contains(only, name) {
			continue
		}
		if bodies[name], err = s.keyBody(filepath.Join(dir, name), roles, tokens); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	// First update what the server accepts, then what clients present.
	if err := s.keys.replace(dir, tokens); err != nil {
		return err
	}
	for name, body := range bodies {
		if err := durable.WriteFile(filepath.Join(dir, name), body); err != nil {
			return err
		}
	}
	return nil
}

// keyRoles returns the roles whose tokens are in each file. An empty project means the work of all projects.
func keyRoles(project string, hosts, people, agents []string) (map[string][]Role, error) {
	files := map[string][]Role{
		"orchestrator.json": {{Kind: Reader}, {Kind: Models, Project: project}, {Kind: Timers, Project: project}},
		"gateway.json":      {{Kind: Gateway}, {Kind: Reader}},
		"reader.json":       {{Kind: Reader}},
		"live.json":         {{Kind: Live}},
		MCPKeys:             {{Kind: Agent, Name: events.ActorMCP}, {Kind: Reader}},
	}
	for _, d := range events.Deciders() {
		files["orchestrator.json"] = append(files["orchestrator.json"], Role{Kind: Decider, Name: d})
	}
	for _, host := range hosts {
		for n := range WorkerSlots {
			files["worker.json"] = append(files["worker.json"], Role{Kind: Worker, Name: WorkerName(host, n+1),
				Project: project})
		}
	}
	for _, p := range people {
		r := Role{Kind: Person, Name: p}
		files["person-"+p+".json"] = []Role{r}
		files["gateway.json"] = append(files["gateway.json"], r)
	}
	for _, a := range agents {
		files["gateway.json"] = append(files["gateway.json"], Role{Kind: Agent, Name: a})
	}
	for _, roles := range files {
		for _, r := range roles {
			if err := r.Check(); err != nil {
				return nil, err
			}
		}
	}
	return files, nil
}

// keyBody returns the content of one file, and adds its tokens to all.
func (s *Server) keyBody(path string, roles []Role, all map[string]Role) ([]byte, error) {
	old, err := readKeys(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	file := keyFile{URL: s.URL(), Tokens: map[string]string{}}
	for _, r := range roles {
		token := old.Tokens[r.Actor()]
		if token == "" || !s.keys.knows(token, r) {
			token = newToken()
		}
		file.Tokens[r.Actor()], all[token] = token, r
	}
	body, err := json.MarshalIndent(file, "", "  ")
	return append(body, '\n'), err
}

func readKeys(path string) (keyFile, error) {
	var f keyFile
	body, err := os.ReadFile(path)
	if err != nil {
		return f, err
	}
	if err := json.Unmarshal(body, &f); err != nil {
		return f, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}

// credential returns the file's credential for a role. It returns ErrRole if there is none.
func (f keyFile) credential(r Role) (nats.Option, error) {
	if token := f.Tokens[r.Actor()]; token != "" {
		return nats.Token(token), nil
	}
	seed := f.Seeds[r.Actor()]
	if seed == "" {
		return nil, fmt.Errorf("%w: no credentials for %s", ErrRole, r)
	}
	pair, err := nkeys.FromSeed([]byte(seed))
	if err != nil {
		return nil, fmt.Errorf("seed of %s: %w", r, err)
	}
	public, err := pair.PublicKey()
	if err != nil {
		return nil, fmt.Errorf("seed of %s: %w", r, err)
	}
	return nats.Nkey(public, pair.Sign), nil
}

// ownContext begins the description of contexts that WriteContext wrote.
const ownContext = "slop: "

// WriteContext writes a nats context with which stock clients connect under a role: the address, the credential and
// the inbox prefix that the role's rights require. role is the name of a key file in dir without its extension; only
// files of a single role can become a context: person-<name>, reader, live and, for a cluster, admin. An nkey is
// also written to a seed file in dir. WriteContext overwrites a context only if it wrote it. It returns fs.ErrNotExist
// if dir has no such file, and the paths that it wrote.
func WriteContext(name, dir, role string) (written []string, err error) {
	path, err := contextPath(name)
	if err != nil {
		return nil, err
	}
	r, err := roleOf(role)
	if err != nil {
		return nil, err
	}
	file := filepath.Join(dir, role+".json")
	keys, err := readKeys(file)
	if err != nil {
		return nil, err
	}
	if keys.URL == "" {
		return nil, fmt.Errorf("%w: %s has no address: start the engine with --nats-listen ADDRESS, which writes it",
			ErrConfig, file)
	}
	switch old, err := readContext(path); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, err
	case !strings.HasPrefix(old.Description, ownContext):
		return nil, fmt.Errorf("%w: the nats context %s was not written by slop; choose another name", ErrConfig, name)
	}
	nc := natsContext{Description: ownContext + r.String(), URL: keys.URL, Token: keys.Tokens[r.Actor()], Inbox: r.inbox()}
	if seed := keys.Seeds[r.Actor()]; seed != "" {
		if nc.NKey, err = filepath.Abs(filepath.Join(dir, role+".nk")); err != nil {
			return nil, err
		}
		if err := durable.WriteFile(nc.NKey, []byte(seed+"\n")); err != nil {
			return nil, err
		}
		written = append(written, nc.NKey)
	} else if nc.Token == "" {
		return nil, fmt.Errorf("%w: %s has no credentials of %s", ErrRole, file, r)
	}
	body, err := json.MarshalIndent(nc, "", "  ")
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	if err := durable.WriteFile(path, append(body, '\n')); err != nil {
		return nil, err
	}
	return append(written, path), nil
}

// roleOf returns the only role of a key file.
func roleOf(file string) (Role, error) {
	person, is := strings.CutPrefix(file, "person-")
	r := Role{Kind: Kind(file)}
	switch {
	case is && events.IsPerson(person):
		return Role{Kind: Person, Name: person}, nil
	case r.Kind == Reader || r.Kind == Live || r.Kind == Admin:
		return r, nil
	}
	return Role{}, fmt.Errorf("%w: a nats context is for person-NAME, reader, live or admin, got %q", ErrRole, file)
}

// keyring maps the SHA-256 of each token to its role. Tokens of this process
// are valid as long as it runs; those of other processes are stored on disk as
// digests, never in plain text.
type keyring struct {
	path    string
	pools   []string
	outside *outside

	mu     sync.Mutex
	minted map[string]Role
	kept   map[string]keptToken
}

var _ server.Authentication = (*keyring)(nil)

// keptToken is a token in a file under Dir. Rewriting the files of a folder replaces all its tokens.
type keptToken struct {
	SHA256 string `json:"sha256"`
	Dir    string `json:"dir"`
	Role
}

func openKeyring(data string, pools []string, log *slog.Logger) (*keyring, error) {
	k := &keyring{path: filepath.Join(data, "bus-tokens.json"), pools: pools, outside: openOutside(data, log),
		minted: map[string]Role{}, kept: map[string]keptToken{}}
	body, err := os.ReadFile(k.path)
	if errors.Is(err, fs.ErrNotExist) {
		// The file exists from the first start on, so that tokens cannot be introduced
		// later by adding a file to the folder.
		return k, durable.WriteFile(k.path, []byte("[]\n"))
	}
	if err != nil {
		return nil, fmt.Errorf("tokens: %w", err)
	}
	var list []keptToken
	if err := json.Unmarshal(body, &list); err != nil {
		return nil, fmt.Errorf("tokens: %s: %w", k.path, err)
	}
	for _, t := range list {
		if err := t.Check(); err != nil {
			return nil, fmt.Errorf("tokens: %s: %w", k.path, err)
		}
		k.kept[t.SHA256] = t
	}
	return k, nil
}

func newToken() string { return rand.Text() + rand.Text() }

func digest(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// mint creates a token that is valid while this process runs.
func (k *keyring) mint(r Role) string {
	token := newToken()
	k.mu.Lock()
	defer k.mu.Unlock()
	k.minted[digest(token)] = r
	return token
}

// knows reports whether token is kept for exactly this role.
func (k *keyring) knows(token string, r Role) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	kept, ok := k.kept[digest(token)]
	return ok && kept.Role == r
}

// replace makes tokens the only valid tokens of the files under dir. This survives a restart.
func (k *keyring) replace(dir string, tokens map[string]Role) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	next := map[string]keptToken{}
	for sum, t := range k.kept {
		if t.Dir != dir {
			next[sum] = t
		}
	}
	for token, r := range tokens {
		sum := digest(token)
		next[sum] = keptToken{sum, dir, r}
	}
	list := slices.SortedFunc(maps.Values(next), func(a, b keptToken) int { return strings.Compare(a.SHA256, b.SHA256) })
	body, err := json.MarshalIndent(list, "", "  ")
	if err != nil {
		return fmt.Errorf("tokens: %w", err)
	}
	if err := durable.WriteFile(k.path, append(body, '\n')); err != nil {
		return err
	}
	k.kept = next
	return nil
}

// Check accepts a connection with a known token and assigns its rights.
func (k *keyring) Check(c server.ClientAuthentication) bool {
	token := c.GetOpts().Token
	if token == "" {
		return false
	}
	sum := digest(token)
	k.mu.Lock()
	r, inside := k.minted[sum]
	kept, ok := k.kept[sum]
	k.mu.Unlock()
	switch {
	case inside:
	case ok:
		r = kept.Role
		k.outside.add(r.Kind) // may wait for the disk
	default:
		return false
	}
	c.RegisterUser(&server.User{Username: r.String(), Permissions: rightsOf(r, k.pools).permissions()})
	return true
}
