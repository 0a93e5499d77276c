package console_test

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/evanw/esbuild/pkg/api"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write dist")

// maxFirstLoad is how many bytes a browser may have to load for the first view, compressed.
const maxFirstLoad = 150 << 10

// TestTheBundleIsThatOfTheSources rewrites dist with -update.
func TestTheBundleIsThatOfTheSources(t *testing.T) {
	t.Parallel()
	here, err := os.Getwd()
	require.NoError(t, err)
	vendored := map[string]string{}
	for name, file := range map[string]string{"preact": "preact", "preact/hooks": "hooks", "@preact/signals": "signals",
		"@preact/signals-core": "signals-core"} {
		vendored[name] = filepath.Join(here, "third_party", file+".mjs")
	}
	built := api.Build(api.BuildOptions{
		AbsWorkingDir: here, EntryPoints: []string{"source/app.tsx", "source/app.css"}, Outdir: "dist", Alias: vendored,
		Bundle: true, MinifyWhitespace: true, MinifySyntax: true, MinifyIdentifiers: true, Format: api.FormatESModule,
		Target: api.ES2022, JSX: api.JSXTransform, JSXFactory: "h", JSXFragment: "Fragment", Charset: api.CharsetASCII,
		LegalComments: api.LegalCommentsInline, TsconfigRaw: "{}",
		Engines: []api.Engine{{Name: api.EngineChrome, Version: "123"}, {Name: api.EngineFirefox, Version: "120"},
			{Name: api.EngineSafari, Version: "17.5"}},
	})
	require.Empty(t, built.Errors)
	require.Empty(t, built.Warnings)
	page, err := os.ReadFile("source/index.html")
	require.NoError(t, err)
	files := map[string][]byte{"index.html": page}
	for _, f := range built.OutputFiles {
		files[filepath.Base(f.Path)] = f.Contents
	}
	require.Len(t, files, 3)
	// a page knows by it whether the gateway serves another program by now
	build := sha256.Sum256(append(bytes.Clone(files["app.js"]), files["app.css"]...))
	require.Contains(t, string(page), `content="BUILD"`)
	files["index.html"] = bytes.Replace(page, []byte("BUILD"), []byte(hex.EncodeToString(build[:8])), 1)
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	for name, body := range files {
		_, err := w.Write(body)
		require.NoError(t, err)
		if *update {
			require.NoError(t, os.WriteFile(filepath.Join("dist", name), body, 0o600))
			continue
		}
		have, err := os.ReadFile(filepath.Join("dist", name))
		require.NoError(t, err)
		require.True(t, bytes.Equal(body, have), "dist/%s is stale: run make generate", name)
	}
	require.NoError(t, w.Close())
	t.Logf("%d bytes compressed", packed.Len())
	require.Less(t, packed.Len(), maxFirstLoad)
}

// TestTheSourcesMakeNoMarkupOfText keeps from the sources what would make it possible.
func TestTheSourcesMakeNoMarkupOfText(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("source/*/*.tsx")
	require.NoError(t, err)
	own, err := filepath.Glob("source/*.ts*")
	require.NoError(t, err)
	require.NotEmpty(t, own)
	for _, path := range append(files, own...) {
		raw, err := os.ReadFile(path)
		require.NoError(t, err)
		for _, no := range []string{"innerHTML", "dangerouslySet", "outerHTML", "insertAdjacentHTML",
			"document.write", "eval(", "http://", "https://"} {
			require.False(t, strings.Contains(string(raw), no), "%s has %s", path, no)
		}
	}
}
