package bus

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nats-io/nkeys"

	"manualslop/bus/durable"
	"manualslop/events"
)

// Kind is the purpose of a connection. The zero value is invalid.
type Kind string

// Kinds of role.
const (
	// Decider runs a decider; its name is one of events.Deciders.
	Decider Kind = "decider"
	// Models calls models.
	Models Kind = "models"
	// Timers fires timers and reports lost workers.
	Timers Kind = "timers"
	// Gateway serves the Hook API and records its own traffic.
	Gateway Kind = "gateway"
	// Person acts for one person; its name is the person's token.
	Person Kind = "person"
	// Agent is an external program that may post asks; its name begins with "agent-".
	Agent Kind = "agent"
	// Worker runs tools; its name begins with "worker-".
	Worker Kind = "worker"
	// Reader reads the log and publishes nothing.
	Reader Kind = "reader"
	// Live receives new events as they arrive and may do nothing else.
	Live Kind = "live"
	// Admin creates streams and pools.
	Admin Kind = "admin"
)

// Role is the identity of a connection. Name is required for the kinds Decider, Person, Agent and Worker, and
// ignored for the others. Project limits Worker, Models and Timers to the work of one project; empty means every
// project for which the embedded server has pools.
type Role struct {
	Kind    Kind   `json:"kind"`
	Name    string `json:"name,omitempty"`
	Project string `json:"project,omitempty"`
}

// Check returns an error that matches ErrRole if the role is malformed.
func (r Role) Check() error {
	ok := true
	switch r.Kind {
	case Decider:
		ok = events.IsDecider(r.Name)
	case Person:
		ok = events.IsPerson(r.Name)
	case Agent:
		ok = events.ValidToken(r.Name) && strings.HasPrefix(r.Name, events.AgentPrefix)
	case Worker:
		ok = events.ValidToken(r.Name) && events.IsWorker(r.Name)
	case Models, Timers, Gateway, Reader, Live, Admin:
	default:
		return fmt.Errorf("%w: unknown kind %q", ErrRole, r.Kind)
	}
	if !ok {
		return fmt.Errorf("%w: %q is not a valid name for a %s", ErrRole, r.Name, r.Kind)
	}
	if r.Project != "" && !events.ValidToken(r.Project) {
		return fmt.Errorf("%w: project must consist of A-Z a-z 0-9 _ -, got %.80q", ErrRole, r.Project)
	}
	return nil
}

// Actor returns the subject token under which the role writes. For kinds that write nothing it is the kind.
func (r Role) Actor() string {
	switch r.Kind {
	case Decider, Person, Agent, Worker:
		return r.Name
	}
	return string(r.Kind)
}

// consumer returns the name of a worker's only consumer for a project, which its rights refer to. Workers of two
// projects on one host may have the same actor name.
func (r Role) consumer(project string) string { return "outcomes-" + project + "-" + r.Actor() }

// String returns the kind, followed by the name if there is one, for logs.
func (r Role) String() string {
	if a := r.Actor(); a != string(r.Kind) {
		return string(r.Kind) + " " + a
	}
	return string(r.Kind)
}

// readsLog reports whether the role may read the whole log.
func (r Role) readsLog() bool {
	switch r.Kind {
	case Decider, Models, Timers, Gateway, Person, Reader, Admin:
		return true
	}
	return false
}

// inbox returns the prefix of the subjects on which the role receives answers. It includes the kind, so that a
// person named "reader" does not share the inbox of the role.
func (r Role) inbox() string { return "_INBOX_" + string(r.Kind) + "_" + r.Actor() }

// Accounts configures [WriteAccounts].
type Accounts struct {
	// URL of the cluster; several servers are separated by commas.
	URL string
	// Hosts are the names of the machines that run workers. There must be at least one.
	Hosts []string
	// People and Agents are the actors in addition to the roles of the engine.
	People, Agents []string
	// Projects lists the projects whose work the credentials cover. There must be at least one.
	Projects []string
}

// accountsFile is the part of a server's configuration that WriteAccounts writes.
const accountsFile = "accounts.conf"

// WriteAccounts writes to dir the files that an external NATS cluster needs to enforce the rights of each role:
// accounts.conf, which every server of the cluster includes, the key files of [Server.WriteKeys], and admin.json,
// which is used to create the streams. Each user is an nkey: accounts.conf holds public keys only. Existing keys
// in the files are kept; a user whose file was removed gets a new key.
func WriteAccounts(dir string, a Accounts) error {
	if a.URL == "" || len(a.Hosts) == 0 || len(a.Projects) == 0 {
		return fmt.Errorf("%w: accounts need the cluster's URL, at least one host and at least one project", ErrConfig)
	}
	var pools []string
	for _, project := range a.Projects {
		pools = append(pools, poolNames(Pools(project))...)
	}
	only := ""
	if len(a.Projects) == 1 {
		only = a.Projects[0]
	}
	files, err := keyRoles(only, a.Hosts, a.People, a.Agents)
	if err != nil {
		return err
	}
	files["admin.json"] = []Role{{Kind: Admin}}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("write accounts: %w", err)
	}
	users := map[string]Role{}
	for name, roles := range files {
		if err := writeSeeds(filepath.Join(dir, name), a.URL, roles, users); err != nil {
			return fmt.Errorf("write accounts: %s: %w", name, err)
		}
	}
	text, err := accountsText(users, pools)
	if err != nil {
		return fmt.Errorf("write accounts: %w", err)
	}
	return durable.WriteFile(filepath.Join(dir, accountsFile), text)
}

// writeSeeds writes one key file and adds its public keys to users.
func writeSeeds(path, url string, roles []Role, users map[string]Role) error {
	old, err := readKeys(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	file := keyFile{URL: url, Seeds: map[string]string{}}
	for _, r := range roles {
		pair, err := nkeys.FromSeed([]byte(old.Seeds[r.Actor()]))
		if err != nil {
			if pair, err = nkeys.CreateUser(); err != nil {
				return err
			}
		}
		seed, err := pair.Seed()
		if err != nil {
			return err
		}
		public, err := pair.PublicKey()
		if err != nil {
			return err
		}
		file.Seeds[r.Actor()], users[public] = string(seed), r
	}
	body, err := json.MarshalIndent(file, "", "  ")
	if err != nil {
		return err
	}
	return durable.WriteFile(path, append(body, '\n'))
}

// accountsText returns the account of slop in the syntax of the server configuration.
func accountsText(users map[string]Role, pools []string) ([]byte, error) {
	keys := slices.SortedFunc(maps.Keys(users), func(a, b string) int {
		return strings.Compare(users[a].String()+a, users[b].String()+b)
	})
	var out strings.Builder
	out.WriteString("# Written by slop. Include this file in the configuration of every server.\n" +
		"accounts {\n  SLOP {\n    jetstream: enabled\n    users: [\n")
	for _, key := range keys {
		g := rightsOf(users[key], pools)
		if users[key].Kind == Worker {
			// A worker asks the leader before a call, because a replica might lag.
			g.publish = append(g.publish, apiMsgGet+StreamEvents)
		}
		if len(g.publish) == 0 {
			g.denyPublish = []string{">"}
		}
		publish, err := subjectRules(g.publish, g.denyPublish)
		if err != nil {
			return nil, err
		}
		subscribe, err := subjectRules(g.subscribe, nil)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&out, "      # %s\n      { nkey: %s, permissions: {\n        publish: %s,\n        subscribe: %s } }\n",
			users[key], key, publish, subscribe)
	}
	out.WriteString("    ]\n  }\n}\n")
	return []byte(out.String()), nil
}

// subjectRules formats allowed and denied subjects.
func subjectRules(allow, deny []string) (string, error) {
	rules := map[string][]string{}
	if len(allow) > 0 {
		rules["allow"] = allow
	}
	if len(deny) > 0 {
		rules["deny"] = deny
	}
	var text strings.Builder
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(rules); err != nil {
		return "", fmt.Errorf("encode permissions: %w", err)
	}
	return strings.TrimSpace(text.String()), nil
}
