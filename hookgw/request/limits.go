package request

import (
	"errors"
	"time"
)

// Limits bound the resources that clients can make the gateway use. A zero field has the default in its comment.
type Limits struct {
	// Body is the largest request body in bytes (1 MiB).
	Body int64
	// SessionBody is the largest body of POST /api/session in bytes (10 MiB).
	SessionBody int64
	// AskBytes is the largest posted question and the largest answer in bytes, as they are stored (256 KiB). Approval
	// copies both into its own events, which must fit, too.
	AskBytes int
	// Bodies is how many bytes of bodies are held at once for all requests with one right (128 MiB); further bodies
	// are refused.
	Bodies int64
	// Asked is how many bytes the waiting questions of /api/ask may have in total, for those with one right (16 MiB):
	// the inbox shows them all.
	Asked int64
	// Depth is how deep a body may nest (64).
	Depth int
	// HeaderBytes limits the request's head, including its first line and the empty line at its end (16 KiB; at least
	// 4 KiB and a byte are accepted).
	HeaderBytes int
	// Conns is the number of connections (10240).
	Conns int
	// Waiting is the number of asks that wait at once (6000). Together with Feeds it is below Conns, so that waiting
	// clients cannot lock out the user who would answer.
	Waiting int
	// FeedsPerClient is the number of live feeds, of either kind, of one token
	// and client name (16).
	FeedsPerClient int
	// Feeds is the number of live feeds of all clients (2048).
	Feeds int
	// FeedBytes is how many bytes of the newest messages of a session are kept
	// for its live feeds (4 MiB); a reader further behind is disconnected.
	FeedBytes int
	// SocketBytes is the largest message that a client may send on /ws (64 KiB).
	SocketBytes int
	// FeedWindow is how long a live feed may collect messages before it sends them together (20 ms).
	FeedWindow time.Duration
	// Batch is the number of entries that one GET /api/events returns (1000).
	Batch int
	// BatchBytes ends a batch early, once its payloads are over it (8 MiB).
	BatchBytes int
	// Refusals is how many refused requests are recorded per second (5).
	Refusals int
	// RefusalBurst is how many may be recorded at once (50).
	RefusalBurst int

	// HeaderTimeout is for the request's head (5 s), BodyTimeout for its body
	// (20 s), WriteTimeout for an answer or one event of a feed (10 s),
	// IdleTimeout for a connection between requests (60 s).
	HeaderTimeout, BodyTimeout, WriteTimeout, IdleTimeout time.Duration
	// FeedGrace is how long a feed waits, beyond WriteTimeout, for a client that stopped reading (50 s). A client that
	// reads again within it gets its position; then the feed ends.
	FeedGrace time.Duration
	// Heartbeat is the interval of the comments in a quiet feed (15 s).
	Heartbeat time.Duration
	// AskGrace is how much longer than the ask's own limit the handler waits for
	// the settlement (2 s).
	AskGrace time.Duration
	// Generate is how long POST /api/v1/generate waits for its worker (5 min).
	Generate time.Duration
	// SettleWait is how long an answer waits to learn whether it counted, and a request for its decider's answer (5
	// s).
	SettleWait time.Duration
	// CatchUp is how long a write, or the first request over a new link to the bus,
	// waits for the read models (10 s).
	CatchUp time.Duration
	// Shutdown is how long running requests may take when the gateway stops (5 s).
	Shutdown time.Duration
}

// WithDefaults sets the defaults of zero fields.
func (l Limits) WithDefaults() Limits {
	setDefault(&l.Body, 1<<20)
	setDefault(&l.SessionBody, 10<<20)
	setDefault(&l.AskBytes, 256<<10)
	setDefault(&l.Bodies, 128<<20)
	setDefault(&l.Asked, 16<<20)
	setDefault(&l.Depth, 64)
	setDefault(&l.HeaderBytes, 16<<10)
	setDefault(&l.Conns, 10240)
	setDefault(&l.Waiting, 6000)
	setDefault(&l.FeedsPerClient, 16)
	setDefault(&l.Feeds, 2048)
	setDefault(&l.FeedBytes, 4<<20)
	setDefault(&l.SocketBytes, 64<<10)
	setDefault(&l.FeedWindow, 20*time.Millisecond)
	setDefault(&l.Batch, 1000)
	setDefault(&l.BatchBytes, 8<<20)
	setDefault(&l.Refusals, 5)
	setDefault(&l.RefusalBurst, 50)
	setDefault(&l.HeaderTimeout, 5*time.Second)
	setDefault(&l.BodyTimeout, 20*time.Second)
	setDefault(&l.WriteTimeout, 10*time.Second)
	setDefault(&l.IdleTimeout, time.Minute)
	setDefault(&l.FeedGrace, 50*time.Second)
	setDefault(&l.Heartbeat, 15*time.Second)
	setDefault(&l.AskGrace, 2*time.Second)
	setDefault(&l.Generate, 5*time.Minute)
	setDefault(&l.SettleWait, 5*time.Second)
	setDefault(&l.CatchUp, 10*time.Second)
	setDefault(&l.Shutdown, 5*time.Second)
	return l
}

// Check returns an error if a limit is negative.
func (l Limits) Check() error {
	f := l.WithDefaults()
	least := min(f.Body, f.SessionBody, f.Bodies, f.Asked, int64(f.AskBytes), int64(f.Depth), int64(f.HeaderBytes),
		int64(f.Conns), int64(f.Waiting), int64(f.FeedsPerClient),
		int64(f.Feeds), int64(f.FeedBytes), int64(f.SocketBytes), int64(f.Batch), int64(f.BatchBytes), int64(f.Refusals),
		int64(f.RefusalBurst))
	shortest := min(f.FeedWindow, f.HeaderTimeout, f.BodyTimeout, f.WriteTimeout, f.IdleTimeout, f.FeedGrace, f.Heartbeat,
		f.AskGrace, f.Generate, f.SettleWait, f.CatchUp, f.Shutdown)
	if least < 1 || shortest < 0 {
		return errors.New("a limit is negative")
	}
	return nil
}

func setDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}
