package hookgw_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	_ "github.com/oapi-codegen/runtime" // the generated client imports it, so go.mod has to name it
	"github.com/stretchr/testify/require"

	"manualslop/hookgw/access"
)

// generatorConfig asks oapi-codegen for a client of every operation.
const generatorConfig = `package: main
generate:
  models: true
  client: true
`

func TestAClientGeneratedFromTheDocumentCallsTheGateway(t *testing.T) {
	t.Parallel()
	program := generatedClient(t)
	f := open(t)
	f.approve()
	run := exec.CommandContext(t.Context(), program, f.gw.URL())
	run.Env = append(os.Environ(), "SLOP_TOKEN="+f.token(access.RightHuman))
	said, err := run.CombinedOutput()
	require.NoError(t, err, string(said))
	require.Equal(t, `status ok
mma_status idle true 0
diagnostics false false false
performance true
gui_health true
openapi 200 true
gui {"status": "queued"}
value Add a parser.
session {"status": "updated"}
entries 1
events 0
problem 404 no such session
respond {"status": "ok"}
ask {"status": "ok", "response": {"approved":true}}
`, string(said))
}

// generatedClient makes a client of docs/openapi.yaml, builds the program in
// testdata with it and returns the program's path. It reads the module cache
// and no network.
func generatedClient(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go command to build a client with")
	}
	dir := t.TempDir()
	document, err := filepath.Abs(openAPIPath)
	require.NoError(t, err)
	config, made := filepath.Join(dir, "config.yaml"), filepath.Join(dir, "client.gen.go")
	require.NoError(t, os.WriteFile(config, []byte(generatorConfig+"output: "+made+"\n"), 0o600))
	goRun(t, "tool", "oapi-codegen", "-config", config, document)

	place, err := filepath.Abs(filepath.Join("testdata", "generatedclient", "client.gen.go"))
	require.NoError(t, err)
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{place: made}})
	require.NoError(t, err)
	list, program := filepath.Join(dir, "overlay.json"), filepath.Join(dir, "generatedclient")
	require.NoError(t, os.WriteFile(list, overlay, 0o600))
	goRun(t, "build", "-overlay", list, "-o", program, "./testdata/generatedclient")
	return program
}

func goRun(t *testing.T, args ...string) {
	t.Helper()
	command := exec.CommandContext(t.Context(), "go", args...)
	command.Env = append(os.Environ(), "GOPROXY=off", "GOFLAGS=-mod=readonly")
	out, err := command.CombinedOutput()
	require.NoError(t, err, "go %v: %s", args, out)
}
