package bus

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"manualslop/bus/socket"
	"manualslop/events"
)

// DialConfig configures a connection to a server in another process.
type DialConfig struct {
	// URL of the server. Default: the URL in Creds or Context.
	URL string
	// Creds is a file of tokens that WriteKeys wrote, or a NATS .creds file.
	Creds string
	// Socket is the path of our own server's socket. It replaces URL.
	Socket string
	// Context is the name of one of the user's nats contexts.
	Context string
	// Role of the connection.
	Role Role
	// Replicas of each stream on a cluster. Missing streams are created with this number; if existing streams
	// differ, Dial fails. 0 means any number for existing streams and 1 for new ones.
	Replicas int
	// MaxBytes is the disk budget of new streams. Default 10 GiB.
	MaxBytes int64
	// Recent is shared by the connections of a process. Default: a new one.
	Recent *Recent
	// Logger receives messages about the connection. Default: nothing is logged.
	Logger *slog.Logger
}

// SocketName is the file name of the socket in the data folder.
const SocketName = "bus.sock"

// ListenSocket accepts connections on a socket in the data folder and returns its path. Clients need tokens, as
// over TCP. It fails if the folder's path is too long for a socket or the system does not support sockets.
func (s *Server) ListenSocket(ctx context.Context) (path string, err error) {
	path = filepath.Join(s.cfg.Dir, SocketName)
	if s.socket, err = socket.Listen(ctx, path, s.nats.InProcessConn); err != nil {
		return "", err
	}
	return path, nil
}

// socketURL is a placeholder where the client library requires a URL.
const socketURL = "nats://socket"

// Waits between attempts to reach a lost server.
const (
	reconnectWait   = 200 * time.Millisecond
	reconnectJitter = 100 * time.Millisecond
	dialTimeout     = 5 * time.Second
	// A server that misses this many pings counts as lost.
	pingEvery  = 2 * time.Second
	pingsUnmet = 2
)

// reconnectDelay returns the delay before the nth attempt to reach a lost server. The first attempt has no delay:
// if only the connection was lost, the process is back before it is considered gone; see [Conn.Gone].
func reconnectDelay(n int) time.Duration {
	if n <= 1 {
		return 0
	}
	return reconnectWait + rand.N(reconnectJitter)
}

// Dial connects to our server in another process or to a cluster. If a stream there has a different
// configuration, Dial returns ErrMismatch and does not change the stream. A lost connection is retried forever;
// appends wait as long as their contexts allow.
func Dial(ctx context.Context, cfg DialConfig) (*Conn, error) {
	if err := cfg.Role.Check(); err != nil {
		return nil, err
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	url, opts, err := cfg.credentials()
	if err != nil {
		return nil, fmt.Errorf("dial: %w", err)
	}
	timeout := dialTimeout
	if at, ok := ctx.Deadline(); ok {
		timeout = min(timeout, time.Until(at))
	}
	opts = append(opts, nats.MaxReconnects(-1), nats.CustomReconnectDelay(reconnectDelay), nats.IgnoreAuthErrorAbort(),
		nats.Timeout(timeout), nats.PingInterval(pingEvery), nats.MaxPingsOutstanding(pingsUnmet))
	c, err := newConn(cfg.Role, newProcess(processRemote), cfg.Logger, url, opts...)
	if err != nil {
		return nil, err
	}
	if cfg.Recent != nil {
		c.recent = cfg.Recent
	}
	c.replicated.Store(c.nc.ConnectedClusterName() != "")
	if err := c.meetStream(ctx, cfg.Replicas, cfg.MaxBytes); err != nil {
		c.Close()
		return nil, fmt.Errorf("dial: %w", err)
	}
	return c, nil
}

// meetStream checks the stream of an external server, or creates the streams if the cluster has none yet. For a
// role that may not check, it assumes that the stream is correct; the role's first request would show any
// problem.
func (c *Conn) meetStream(ctx context.Context, replicas int, budget int64) error {
	if !c.role.readsLog() {
		return nil
	}
	wait, cancel := context.WithTimeoutCause(ctx, leaderWait, errNoQuorum)
	defer cancel()
	info, err := c.stream(wait, StreamEvents)
	if errors.Is(err, errNoStream) {
		c.replicated.Store(replicas > 1)
		err := c.Provision(wait, Provision{Replicas: replicas, MaxBytes: budget})
		if errors.Is(err, events.ErrDenied) {
			err = fmt.Errorf("%w and %s may not create it; run \"slop provision\" first: %w", errNoStream, c.role, err)
		}
		return err
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%w (%w)", errNoQuorum, err)
	}
	if err != nil {
		return err
	}
	c.replicated.Store(info.Config.Replicas > 1)
	if err := c.isLog(info.Created, c.Links()); err != nil {
		return err
	}
	if replicas == 0 {
		replicas = info.Config.Replicas
	}
	if diff := differences(info.Config, streamConfigs(defaultBudget, replicas)[0]); len(diff) > 0 {
		return &MismatchError{StreamEvents, diff}
	}
	return nil
}

// credentials converts credential files to options of the client library.
func (cfg *DialConfig) credentials() (string, []nats.Option, error) {
	if cfg.Context != "" {
		return cfg.fromContext()
	}
	url := cfg.URL
	var opts []nats.Option
	switch {
	case cfg.Creds == "":
	case filepath.Ext(cfg.Creds) == ".creds":
		opts = append(opts, nats.UserCredentials(cfg.Creds))
	default:
		keys, err := readKeys(cfg.Creds)
		if err != nil {
			return "", nil, err
		}
		own, err := keys.credential(cfg.Role)
		if err != nil {
			return "", nil, fmt.Errorf("%s: %w", cfg.Creds, err)
		}
		opts = append(opts, own)
		if url == "" {
			url = keys.URL
		}
	}
	if cfg.Socket != "" {
		return socketURL, append(opts, nats.SetCustomDialer(socket.Dialer(cfg.Socket))), nil
	}
	if url == "" {
		return "", nil, fmt.Errorf("%w: no server is given", ErrConfig)
	}
	return url, opts, nil
}

// natsContext holds the fields of a nats context file that are used.
type natsContext struct {
	Description string `json:"description"`
	URL         string `json:"url"`
	Creds       string `json:"creds"`
	NKey        string `json:"nkey"` // path of a file with a seed
	Token       string `json:"token"`
	User        string `json:"user"`
	Password    string `json:"password"`
	CA          string `json:"ca"`
	Cert        string `json:"cert"`
	Key         string `json:"key"`
	Inbox       string `json:"inbox_prefix"`
}

// ContextsDir returns the folder of the user's nats contexts, the same as that of the nats CLI.
func ContextsDir() (string, error) {
	config := os.Getenv("XDG_CONFIG_HOME")
	if config == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("nats context: %w", err)
		}
		config = filepath.Join(home, ".config")
	}
	return filepath.Join(config, "nats", "context"), nil
}

// contextPath returns the file of a nats context.
func contextPath(name string) (string, error) {
	if name == "" || strings.Contains(name, "..") || strings.ContainsAny(name, `/\`) {
		return "", fmt.Errorf("%w: %q is not the name of a NATS context", ErrConfig, name)
	}
	dir, err := ContextsDir()
	return filepath.Join(dir, name+".json"), err
}

func readContext(path string) (nc natsContext, err error) {
	body, err := os.ReadFile(path)
	if err != nil {
		return nc, fmt.Errorf("nats context: %w", err)
	}
	if err := json.Unmarshal(body, &nc); err != nil {
		return nc, fmt.Errorf("nats context %s: %w", path, err)
	}
	return nc, nil
}

func (cfg *DialConfig) fromContext() (string, []nats.Option, error) {
	path, err := contextPath(cfg.Context)
	if err != nil {
		return "", nil, err
	}
	nc, err := readContext(path)
	if err != nil {
		return "", nil, err
	}
	url := cmp.Or(cfg.URL, nc.URL)
	if url == "" {
		return "", nil, fmt.Errorf("%w: nats context %s has no server URL", ErrConfig, path)
	}
	opts, err := nc.options()
	if err != nil {
		return "", nil, fmt.Errorf("nats context %s: %w", path, err)
	}
	return url, opts, nil
}

func (nc natsContext) options() ([]nats.Option, error) {
	var opts []nats.Option
	if nc.Creds != "" {
		opts = append(opts, nats.UserCredentials(nc.Creds))
	}
	if nc.NKey != "" {
		own, err := nats.NkeyOptionFromSeed(nc.NKey)
		if err != nil {
			return nil, err
		}
		opts = append(opts, own)
	}
	if nc.Token != "" {
		opts = append(opts, nats.Token(nc.Token))
	}
	if nc.User != "" {
		opts = append(opts, nats.UserInfo(nc.User, nc.Password))
	}
	if nc.Inbox != "" {
		opts = append(opts, nats.CustomInboxPrefix(nc.Inbox))
	}
	if nc.CA != "" {
		opts = append(opts, nats.RootCAs(nc.CA))
	}
	if nc.Cert != "" {
		opts = append(opts, nats.ClientCert(nc.Cert, nc.Key))
	}
	return opts, nil
}

// DialStock returns a connection of the plain NATS client with the credentials and rights that [Dial] would use.
// It is the reference for measurements.
func DialStock(cfg DialConfig) (*nats.Conn, error) {
	url, opts, err := cfg.credentials()
	if err != nil {
		return nil, fmt.Errorf("dial: %w", err)
	}
	nc, err := nats.Connect(url, append(opts, nats.CustomInboxPrefix(cfg.Role.inbox()))...)
	if err != nil {
		return nil, fmt.Errorf("dial: %w", mapConn(err))
	}
	return nc, nil
}
