package cli

import (
	"errors"
	"io"
	"log/slog"
	"time"

	"loopc/runtime/sched"
	"loopc/runtime/transport"
)

// logModes are the values of --log. Without a log (""), messages about the network, for example about
// strangers that connect, are printed between the ordinary lines of the run.
var logModes = []string{"", "text", "json"}

// logEvery is the time between a rank's lines about its progress.
const logEvery = 10 * time.Second

// newLogger returns the logger for a mode. Lines of all processes of a run can be
// merged and sorted by their time, which is UTC, and searched by rank and step.
func newLogger(w io.Writer, mode string) *slog.Logger {
	options := &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		switch {
		case a.Key != slog.TimeKey:
		case mode == "":
			return slog.Attr{} // ordinary lines have no time
		default:
			a.Value = slog.StringValue(a.Value.Time().UTC().Format("2006-01-02T15:04:05.000000Z"))
		}
		return a
	}}
	if mode == "json" {
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}

// newLog returns the log of the launcher or of a rank. Each line has attrs, which say of whom it is. Without a log there are no lines.
func newLog(w io.Writer, mode string, attrs ...any) *slog.Logger {
	if mode == "" {
		return slog.New(slog.DiscardHandler)
	}
	return newLogger(w, mode).With(attrs...)
}

// did describes the work of a rank or a run. Its step is the last completed one, counted from 0 as
// in errors.
func did(s *sched.Summary) []any {
	return []any{
		"step", s.Steps - 1, "points", s.Points, "seconds", s.Seconds, "bytes", s.Bytes, "compute_s", s.Compute, "pack_s", s.Pack,
		"wait_data_s", s.WaitData, "wait_credit_s", s.WaitCredit, "wait_sync_s", s.WaitSync,
	}
}

// logFailure logs why a rank fails, and in which step, if known.
func logFailure(log *slog.Logger, live *sched.Live, err error) {
	attrs := []any{"err", err.Error()}
	var edge *transport.Error
	ranks := live.Ranks()
	switch {
	case errors.As(err, &edge):
		attrs = append(attrs, "step", edge.Step, "peer", edge.Peer)
	case len(ranks) == 1:
		attrs = append(attrs, "step", ranks[0].Steps)
	}
	log.Error("failed", attrs...)
}
