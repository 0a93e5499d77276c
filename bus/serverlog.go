package bus

import (
	"fmt"
	"log/slog"
)

// serverLog hands what the server says to slog. A fatal remark must not end
// the process, so it is an error like any other.
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
