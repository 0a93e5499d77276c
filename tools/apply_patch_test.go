package tools_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/tools"
	"manualslop/tools/builtin"
)

func patch(t *testing.T, env tools.Env, text string) tools.Result {
	t.Helper()
	raw, err := json.Marshal(args{"patch": text})
	require.NoError(t, err)
	prepared, err := builtin.Engine().Prepare(t.Context(), env, "apply_patch", raw)
	require.NoError(t, err)
	return prepared.Run(t.Context(), nil)
}

const numbers = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n"

func TestAPatchIsApplied(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ patch, want string }{
		"as git writes it": {"diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -2,3 +2,3 @@ one\n " +
			"two\n-three\n+drei\n four\n", strings.Replace(numbers, "three", "drei", 1)},
		"with wrong counts": {"--- a/f\n+++ b/f\n@@ -2,9 +2,1 @@\n two\n-three\n+drei\n+vier\n four\n",
			strings.Replace(numbers, "three", "drei\nvier", 1)},
		"with wrong places": {"--- a/f\n+++ b/f\n@@ -40,3 +40,3 @@\n two\n-three\n+drei\n four\n",
			strings.Replace(numbers, "three", "drei", 1)},
		"without places": {"--- f\n+++ f\n@@ @@\n-six\n+sechs\n", strings.Replace(numbers, "six", "sechs",
			1)},
		"two hunks": {"--- a/f\n+++ b/f\n@@ -1,1 +1,1 @@\n-one\n+eins\n\n@@ -7,1 +7,1 " +
			"@@\n-seven\n+sieben\n\n", "eins\ntwo\nthree\nfour\nfive\nsix\nsieben\n"},
		"an insertion": {"--- a/f\n+++ b/f\n@@ -2,0 +3,1 @@\n+new\n",
			"one\ntwo\nnew\nthree\nfour\nfive\nsix\nseven\n"},
		"the end without a line's end": {"--- a/f\n+++ b/f\n@@ -7,1 +7,1 @@\n-seven\n+sieben\n\\ No newline at end of " +
			"file\n", strings.TrimSuffix(numbers, "seven\n") + "sieben"},
		"minus minus in a removed line": {"--- a/f\n+++ b/f\n@@ -1,1 +1,1 @@\n-one\n+-- x\n", strings.Replace(numbers, "one",
			"-- x", 1)},
		"the nearest of equal places":    {"--- a/g\n+++ b/g\n@@ -4,1 +4,1 @@\n-x\n+y\n", "x\na\na\ny\n"},
		"numbers behind the head":        {"--- a/g\n+++ b/g\n@@ -4,1 +4,1 @@ return -1 +1\n-x\n+y\n", "x\na\na\ny\n"},
		"a file with the lines of a DOS": {"--- a/d\n+++ b/d\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n", "a\r\nc\r\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env, dir := setup(t, map[string]string{"f": numbers, "g": "x\na\na\nx\n", "d": "a\r\nb\r\n"})
			r := patch(t, env, c.patch)
			require.False(t, r.Failed, r.Text)
			file := "f"
			for _, other := range []string{"g", "d"} {
				if strings.Contains(c.patch, "a/"+other+"\n") {
					file = other
				}
			}
			require.Equal(t, c.want, get(t, dir, file))
		})
	}
}

func TestAPatchMakesAndRemovesFiles(t *testing.T) {
	t.Parallel()
	env, dir := setup(t, map[string]string{"old": "gone\n"})
	r := patch(t, env, "--- /dev/null\n+++ b/new/x\n@@ -0,0 +1,2 @@\n+a\n+b\n--- a/old\n+++ /dev/null\n@@ -1,1 +0,0 "+
		"@@\n-gone\n")
	require.False(t, r.Failed, r.Text)
	require.Equal(t, "a\nb\n", get(t, dir, "new/x"))
	require.NoFileExists(t, dir+"/old")
}

func TestAPatchIsAppliedWholeOrNotAtAll(t *testing.T) {
	t.Parallel()
	good := "--- a/f\n+++ b/f\n@@ -1,1 +1,1 @@\n-one\n+eins\n"
	for name, c := range map[string]struct{ patch, why string }{
		"a hunk that does not fit": {good + "--- a/g\n+++ b/g\n@@ -1,1 +1,1 @@\n-nowhere\n+x\n",
			"hunk 1 of g does not fit"},
		"half a line":              {good + "--- a/g\n+++ b/g\n@@ -1,1 +1,1 @@\n-thing\n+x\n", "does not fit"},
		"a file that is not there": {good + "--- a/h\n+++ b/h\n@@ -1,1 +1,1 @@\n-a\n+b\n", "h"},
		"a new file that is there": {good + "--- /dev/null\n+++ b/g\n@@ -0,0 +1,1 @@\n+a\n",
			"creates g, which already exists"},
		"a removal of other lines": {good + "--- a/g\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-some\n", "does not"},
		"a hook of git": {good + "--- /dev/null\n+++ b/.GIT/hooks/pre-commit\n@@ -0,0 +1,1 @@\n+#!/bin/sh\n",
			"belongs to git"},
		"a rename":                 {good + "diff --git a/g b/h\nrename from g\nrename to h\n", "rename from"},
		"another name":             {good + "--- a/g\n+++ b/h\n@@ -1,1 +1,1 @@\n-more\n+less\n", "renames g to h"},
		"words":                    {"Change one to eins.", "names no file"},
		"a place outside":          {good + "--- a/../x\n+++ b/../x\n@@ -1,1 +1,1 @@\n-a\n+b\n", "ACCESS DENIED"},
		"something protected":      {good + "--- /dev/null\n+++ b/.env\n@@ -0,0 +1,1 @@\n+A=1\n", "ACCESS DENIED"},
		"one byte over the limit":  {good + strings.Repeat("x", 100<<10-len(good)+1), "more than the limit"},
		"a hunk before any file":   {"@@ -1,1 +1,1 @@\n-one\n+eins\n", ""},
		"hunks in the wrong order": {"--- a/f\n+++ b/f\n@@ -7,1 +7,1 @@\n-seven\n+x\n@@ -1,1 +1,1 @@\n-one\n+y\n", ""},
		"a binary file":            {good + "diff --git a/b b/b\nGIT binary patch\nliteral 1\nIcmZPo000310RR91\n\n", ""},
		"a hunk without its file":  {good + "diff --git a/g b/g\n@@ -7,1 +7,1 @@\n-seven\n+x\n", "no --- and +++ lines"},
		"half a file's name": {good + "Index: g\n=====\n+++ b/g\n@@ -7,1 +7,1 @@\n-seven\n+x\n",
			"no --- and +++ lines"},
		"an end in the middle": {"--- a/f\n+++ b/f\n@@ -1,1 +1,1 @@\n-one\n+eins\n\\ No newline at end of file\n",
			"the file continues"},
		"a line behind half a line": {good + "--- a/n\n+++ b/n\n@@ -1,0 +2,1 @@\n+b\n", "hunk 1 of n does not fit"},
		"insertions in wrong order": {"--- a/f\n+++ b/f\n@@ -5,0 +6,1 @@\n+late\n@@ -1,0 +2,1 @@\n+early\n",
			"hunk 2 of f does not fit"},
		"a byte that hides the rest":  {"--- a/f\n+++ b/f\n@@ -1,1 +1,1 @@\n-one\n+ei\x00ns\n", "f is not text"},
		"a new file that is not text": {good + "--- /dev/null\n+++ b/new\n@@ -0,0 +1,1 @@\n+\x00\n", "new is not text"},
		"a file in another spelling": {good + "--- a/sub/x\n+++ b/sub/x\n@@ -1,1 +1,1 @@\n-x\n+y\n--- a/sub\\x\n+++ " +
			"b/sub\\x\n@@ -1,1 +1,1 @@\n-x\n+z\n", "names sub/x twice"},
		"the same file a second time": {good + "--- a/f\n+++ b/f\n@@ -2,1 +2,1 @@\n-two\n+zwei\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env, dir := setup(t, map[string]string{"f": numbers, "g": "some thing\nmore\n", "n": "a", "sub/x": "x\n"})
			r := patch(t, env, c.patch)
			require.True(t, r.Failed, r.Text)
			require.Contains(t, r.Text, c.why)
			require.Equal(t, numbers, get(t, dir, "f"))
			require.Equal(t, "some thing\nmore\n", get(t, dir, "g"))
		})
	}
}

func TestAPatchThatNamesAFileTwiceIsToldSo(t *testing.T) {
	t.Parallel()
	for _, again := range []string{"f", "./f"} {
		env, dir := setup(t, map[string]string{"f": numbers})
		r := patch(t, env, "--- a/f\n+++ b/f\n@@ -1,1 +1,1 @@\n-one\n+eins\n--- a/"+again+"\n+++ b/"+again+
			"\n@@ -7,1 +7,1 @@\n-seven\n+sieben\n")
		require.True(t, r.Failed)
		require.Contains(t, r.Text, "names f twice")
		require.Equal(t, numbers, get(t, dir, "f"))
	}
}

// TestAPatchOfManyEqualLinesIsPlacedAtOnce would take long if each place were looked at.
func TestAPatchOfManyEqualLinesIsPlacedAtOnce(t *testing.T) {
	t.Parallel()
	env, dir := setup(t, map[string]string{"f": strings.Repeat("\n", 1<<20)})
	r := patch(t, env, "--- a/f\n+++ b/f\n@@ -900000,1 +900000,1 @@\n"+strings.Repeat(" \n", 40_000)+"+y\n")
	require.False(t, r.Failed, r.Text)
	require.Equal(t, 900_000-1+40_000, strings.Index(get(t, dir, "f"), "y"))
}
