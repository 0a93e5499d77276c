package bus

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/gofrs/flock"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"manualslop/bus/durable"
	"manualslop/bus/socket"
	"manualslop/events"
)

// Limits of the embedded server.
const (
	startTimeout = 30 * time.Second
	memoryLimit  = 64 << 20 // JetStream's own memory, for the state of in-memory consumers
	storeLimit   = 1 << 50  // effectively none, because each stream has its own budget
)

// Server is an embedded NATS server on one data folder.
type Server struct {
	cfg    Config
	log    *slog.Logger
	lock   *flock.Flock
	keys   *keyring
	nats   *server.Server
	socket *socket.Listener // nil if there is none
	admin  *Conn

	opened time.Time

	guard    *guard   // nil until the store was found intact
	remarks  []string // notes on lost or rebuilt data
	room     *room
	gauge    *gauge
	recent   *Recent
	unwatch  context.CancelFunc // stops the background tasks
	watching sync.WaitGroup
	stopping sync.Once
	stopErr  error
	closing  sync.Once
	closeErr error
}

// Open locks the data folder, starts the server on it and creates or checks the streams. It returns ErrLocked if
// another process uses the folder, ErrDamaged if the existing store cannot be read completely, and ErrConfig if a
// setting is invalid.
func Open(ctx context.Context, cfg Config) (*Server, error) {
	if err := cfg.complete(); err != nil {
		return nil, err
	}
	if err := durable.MakeFolder(cfg.Dir); err != nil {
		return nil, fmt.Errorf("data folder: %w", err)
	}
	lock, err := lockFolder(cfg.Dir, cfg.Serves)
	if err != nil {
		return nil, err
	}
	settled, err := settleRewrite(cfg.Dir)
	if err == nil {
		err = durable.MakeFolder(cfg.store())
	}
	if err != nil {
		return nil, fmt.Errorf("data folder: %w", joinUnlock(err, lock))
	}
	s := &Server{cfg: cfg, log: cfg.Logger, lock: lock, room: newRoom(), gauge: &gauge{}, recent: NewRecent(),
		unwatch: func() {}}
	if err := s.start(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	if settled != "" {
		s.log.Warn(settled)
		s.remarks = append(s.remarks, settled)
	}
	return s, nil
}

func (s *Server) start(ctx context.Context) error {
	var err error
	if s.keys, err = openKeyring(s.cfg.Dir, poolNames(s.cfg.Pools), s.log); err != nil {
		return err
	}
	before, err := surveyStore(&s.cfg)
	if err != nil {
		return err
	}
	opts, err := s.options(ctx)
	if err != nil {
		return err
	}
	if s.nats, err = server.NewServer(opts); err != nil {
		return fmt.Errorf("embedded server: %w", err)
	}
	s.nats.SetLoggerV2(serverLog{s.log}, false, false, false)
	s.nats.Start()
	if !s.nats.ReadyForConnections(startTimeout) {
		return fmt.Errorf("embedded server: %w", context.DeadlineExceeded)
	}
	s.opened = time.Now()
	if s.admin, err = s.Connect(Role{Kind: Admin}); err != nil {
		return err
	}
	if err := s.tellAge(); err != nil {
		return err
	}
	return s.prepare(ctx, before)
}

// prepare creates or checks the streams and pools of the running server, and
// starts the guard.
func (s *Server) prepare(ctx context.Context, before *survey) error {
	if err := s.prepareStreams(ctx, before); err != nil {
		return err
	}
	if err := s.holdEnds(ctx, before); err != nil {
		return err
	}
	if before.ends.ClaimsLost || before.ends.powerLost() {
		n, err := s.admin.claimOpenCalls(ctx)
		if err != nil {
			return err
		}
		if n > 0 {
			before.remark("%d approved calls may have started; each is reported to a person as interrupted", n)
		}
	}
	for _, p := range s.cfg.Pools {
		if err := s.admin.EnsurePool(ctx, p); err != nil {
			return err
		}
	}
	if err := s.restorePools(ctx, before); err != nil {
		return err
	}
	if err := s.giveBackOfBefore(ctx); err != nil {
		return err
	}
	if err := s.remarkClock(ctx, before); err != nil {
		return err
	}
	s.remarks = before.remarks
	if err := s.beginGuard(ctx, before); err != nil {
		return err
	}
	s.watch(ctx, before)
	return nil
}

// beginGuard completes the creation of the store: after it, events may be acknowledged. It flushes everything
// that the server does not flush, except after an orderly stop, which has already done so; a flush takes longer
// the longer the log is.
func (s *Server) beginGuard(ctx context.Context, before *survey) (err error) {
	first := ends{Made: true, Boot: bootID(), Durability: s.cfg.Durability}
	flush := !before.ends.Made || s.cfg.Durability == Relaxed && !before.ends.Closed
	if before.ends.Closed {
		first.Log, first.Claims, first.Blobs = before.ends.Log, before.ends.Claims, before.ends.Blobs
	}
	s.guard, err = startGuard(ctx, s, first, flush)
	return err
}

// Remarks lists data that was lost within the guarantees of the store, or that was damaged and is being rebuilt.
func (s *Server) Remarks() []string { return s.remarks }

func (s *Server) options(ctx context.Context) (*server.Options, error) {
	o := &server.Options{
		ServerName: "slop", DontListen: s.cfg.Listen == "", NoSigs: true, NoSystemAccount: true,
		JetStream: true, DisableJetStreamBanner: true, StoreDir: s.cfg.store(),
		JetStreamMaxMemory: memoryLimit, JetStreamMaxStore: storeLimit,
		SyncAlways:                 s.cfg.Durability == Sync,
		CustomClientAuthentication: s.keys,
		MaxPayload:                 server.MAX_PAYLOAD_SIZE,
	}
	if s.cfg.Listen == "" {
		return o, nil
	}
	host, port, err := net.SplitHostPort(s.cfg.Listen)
	if err == nil {
		o.Host = host
		o.Port, err = strconv.Atoi(port)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: listen %q: %w", ErrConfig, s.cfg.Listen, err)
	}
	if o.Port == 0 {
		o.Port = server.RANDOM_PORT
		return o, nil
	}
	return o, canListen(ctx, s.cfg.Listen)
}

// canListen checks that an address is free, because otherwise the server would only log that it is in use and
// never become ready.
func canListen(ctx context.Context, addr string) error {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", addr)
	if err != nil {
		return fmt.Errorf("accept connections on %s: %w", addr, err)
	}
	return l.Close()
}

// Connect returns a connection inside this process with the rights of role.
func (s *Server) Connect(role Role) (*Conn, error) {
	if err := role.Check(); err != nil {
		return nil, err
	}
	token := s.keys.mint(role)
	c, err := newConn(role, newProcess(processEmbedded), s.log, "", nats.InProcessServer(s.nats), nats.Token(token),
		nats.NoReconnect())
	if err == nil {
		c.room, c.gauge, c.recent, c.anew = s.room, s.gauge, s.recent, s.opened
	}
	return c, err
}

// Stock returns a connection of the plain NATS client with the rights of role, for tests and benchmarks that show
// what the bus adds to it.
func (s *Server) Stock(role Role) (*nats.Conn, error) {
	c, err := s.Connect(role)
	if err != nil {
		return nil, err
	}
	return c.nc, nil
}

// URL returns the URL for other processes, or "" without a listener.
func (s *Server) URL() string {
	if s.cfg.Listen == "" {
		return ""
	}
	return s.nats.ClientURL()
}

// Close ends every connection, stops the server and unlocks the folder. It waits until the store is closed, so
// that the next start does not have to repair it.
func (s *Server) Close() error {
	s.closing.Do(func() { s.closeErr = joinUnlock(s.stop(), s.lock) })
	return s.closeErr
}

// stop is like Close but keeps the folder locked.
func (s *Server) stop() error {
	s.stopping.Do(func() {
		s.unwatch()
		s.watching.Wait()
		if s.guard != nil {
			s.stopErr = s.guard.close()
		}
		if s.socket != nil {
			s.stopErr = errors.Join(s.stopErr, s.socket.Close())
		}
		if s.admin != nil {
			s.admin.Close()
		}
		if s.keys != nil {
			s.keys.outside.close()
		}
		if s.nats != nil {
			s.nats.Shutdown()
			s.nats.WaitForShutdown()
		}
	})
	return s.stopErr
}

func joinUnlock(err error, lock *flock.Flock) error { return errors.Join(err, lock.Unlock()) }

// serverLog passes the server's log to slog. A fatal message must not end the
// process, so it is logged as an error.
type serverLog struct{ log *slog.Logger }

const serverMessage = "bus server"

func (l serverLog) Noticef(f string, v ...any) {
	l.log.Debug(serverMessage, "said", fmt.Sprintf(f, v...))
}
func (l serverLog) Warnf(f string, v ...any) { l.log.Warn(serverMessage, "said", fmt.Sprintf(f, v...)) }
func (l serverLog) Errorf(f string, v ...any) {
	l.log.Error(serverMessage, "said", fmt.Sprintf(f, v...))
}
func (l serverLog) Fatalf(f string, v ...any) {
	l.log.Error(serverMessage, "said", fmt.Sprintf(f, v...))
}
func (l serverLog) Debugf(string, ...any) {}
func (l serverLog) Tracef(string, ...any) {}

// clockBehind is how far the clock may be behind the newest event before that is remarked on.
const clockBehind = time.Second

// remarkClock adds a remark if the clock was set back while no server was
// running.
func (s *Server) remarkClock(ctx context.Context, before *survey) error {
	info, err := s.admin.stream(ctx, StreamEvents)
	if err != nil {
		return fmt.Errorf("time of the newest event: %w", err)
	}
	if behind := time.Until(info.State.LastTime); behind > clockBehind {
		before.remark("the clock is %v behind the newest event; was it set back?", behind.Round(time.Second))
	}
	return nil
}

// Values of Config.Durability: what an acknowledged append survives.
const (
	// Sync survives a crash of the process and a loss of power.
	Sync = "sync"
	// Relaxed survives a crash of the process. A loss of power may lose the last seconds or minutes, always a
	// suffix of the log.
	Relaxed = "relaxed"
)

// ErrConfig means that a setting is invalid.
var ErrConfig = errors.New("bus: bad configuration")

// defaultBudget is the default limit on the disk space of all streams together, if the disk is large enough.
const defaultBudget = 10 << 30

// MinBudget is the minimum disk budget: every stream must have room for some
// messages.
const MinBudget = 8 << 20

// Config configures [Open]. Only Dir is required.
type Config struct {
	// Dir is the data folder; the store is <Dir>/bus. Created if missing.
	Dir string
	// Durability of acknowledged appends. Default Sync.
	Durability string
	// Listen is the "host:port" on which other processes may connect with their tokens; port 0 selects a free
	// one. Default: no listener.
	Listen string
	// MaxBytes is the disk budget in bytes; half of it is for events. Default 10 GiB, or nine tenths of the free
	// disk space if that is less; at least MinBudget. It is set when the store is created; later it can be raised
	// but not lowered.
	MaxBytes int64
	// Serves describes the process, for the error that a second process on the same folder gets.
	Serves string
	// Project is the project whose work queues the server creates. Default: none.
	Project string
	// Pools are the work queues. Default: [Pools] of Project.
	Pools []Pool
	// People and Agents are the actors for whom WriteKeys writes tokens.
	People, Agents []string
	// Host is the host part of worker names. Default: the machine's host name.
	Host string
	// Repair replaces a damaged record of started calls: every open call that may
	// have started is then reported to a person. Without it such a store is
	// rejected.
	Repair bool
	// Thorough reads every stored message at the start, even after an orderly stop.
	Thorough bool
	// Logger receives the server's log. Default: nothing is logged.
	Logger *slog.Logger
}

func (cfg *Config) complete() error {
	switch {
	case cfg.Dir == "":
		return fmt.Errorf("%w: no data folder", ErrConfig)
	case cfg.Durability == "":
		cfg.Durability = Sync
	case cfg.Durability != Sync && cfg.Durability != Relaxed:
		return fmt.Errorf("%w: durability must be %q or %q, got %q", ErrConfig, Sync, Relaxed, cfg.Durability)
	}
	if cfg.MaxBytes != 0 && cfg.MaxBytes < MinBudget {
		return fmt.Errorf("%w: the disk budget is %d bytes, but must be at least %d", ErrConfig, cfg.MaxBytes, MinBudget)
	}
	if cfg.Project != "" && !events.ValidToken(cfg.Project) {
		return fmt.Errorf("%w: project must consist of A-Z a-z 0-9 _ -, got %.80q", ErrConfig, cfg.Project)
	}
	if cfg.Pools == nil && cfg.Project != "" {
		cfg.Pools = Pools(cfg.Project)
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.Host == "" {
		if name, err := os.Hostname(); err == nil {
			cfg.Host = events.Token(name)
		} else {
			cfg.Host = "host"
		}
	}
	return nil
}

func (cfg *Config) store() string { return filepath.Join(cfg.Dir, "bus") }

// budget returns the disk budget of a new store.
func (cfg *Config) budget() int64 {
	if cfg.MaxBytes > 0 {
		return cfg.MaxBytes
	}
	free, _, err := diskRoom(cfg.Dir)
	if err != nil {
		return defaultBudget
	}
	return max(min(defaultBudget, free/10*9), MinBudget)
}
