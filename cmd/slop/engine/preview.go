package engine

import (
	"context"
	"log/slog"

	"manualslop/cmd/slop/site"
	"manualslop/events"
	"manualslop/tiers/runtime"
	"manualslop/tools/builtin"
)

// Preview returns the diff of what a call would change, or the error with which it would fail. Nothing is recorded.
type Preview func(ctx context.Context, session string, call events.PreviewRequested) (diff string, err error)

// PreviewIn returns a preview that reads the files of a project in this process, with the workers' code and the gate
// and the mask of this project. Calls of external tools have no preview.
func PreviewIn(p site.Place, mask func([]byte) []byte) Preview {
	return func(ctx context.Context, session string, call events.PreviewRequested) (string, error) {
		env, err := p.ToolEnv()
		if err != nil {
			return "", err
		}
		defer env.Workspace.Close()
		w := runtime.Worker{Tools: builtin.Engine(), Home: env, Workspaces: p.Workspaces(env), Mask: mask,
			Logger: slog.New(slog.DiscardHandler)}
		return w.Preview(ctx, session, call)
	}
}
