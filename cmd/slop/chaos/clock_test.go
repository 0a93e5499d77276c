package chaos

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// clockEnv says in seconds how far back the clock of a process is.
const clockEnv = "SLOP_CHAOS_CLOCK_BACK"

// ownClock sets the clock of this process back, as its environment says.
func ownClock() {
	seconds, err := strconv.Atoi(os.Getenv(clockEnv))
	if err != nil {
		return
	}
	if err := clockBack(time.Duration(seconds) * time.Second); err != nil {
		panic(err)
	}
}

// setClock sets the clock of processes that start from now on an hour back, or
// as it was.
func (r *run) setClock(back bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.back = 0
	if back && r.noClock == nil {
		r.back = time.Hour
	}
}

// environment is that of a process that starts now.
func (r *run) environment() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.back != r.lastBack {
		r.lastBack, r.clocks = r.back, r.clocks+1
	}
	if r.back == 0 {
		return r.env
	}
	return append(r.env[:len(r.env):len(r.env)], clockEnv+"="+strconv.Itoa(int(r.back/time.Second)))
}

// clock is the number of the clock of the processes. What is sent again after it was set gets another id, because the
// server compares ids only with those of the last minutes, by its own clock.
func (r *run) clock() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.clocks
}

func TestTheClockOfAProcessIsSetBack(t *testing.T) {
	t.Parallel()
	if err := clockBack(0); err != nil {
		t.Skipf("the clock of a process cannot be set back here: %v", err)
	}
	cmd := exec.Command("now")
	cmd.Env = append(os.Environ(), clockEnv+"=3600")
	before := time.Now().Unix()
	out, err := cmd.Output()
	require.NoError(t, err)
	seconds, err := strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64)
	require.NoError(t, err)
	require.GreaterOrEqual(t, seconds+3600, before)
	require.LessOrEqual(t, seconds+3600, time.Now().Unix())
}
