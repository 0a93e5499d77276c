package livetail

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func hideKey(s string) string { return strings.ReplaceAll(s, "key-12345", "[secret]") }

func TestLastLinesAreSentWholeMaskedAndAtMostOncePerPause(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var got []string
		var mu sync.Mutex // synctest.Wait orders what came before it, not what a timer sets off after it.
		tail := New(hideKey, func(lines []string) {
			mu.Lock()
			defer mu.Unlock()
			got = append(got, strings.Join(lines, "|"))
		})
		sent := func() []string {
			mu.Lock()
			defer mu.Unlock()
			return slices.Clone(got)
		}
		write := func(pieces ...string) {
			for _, p := range pieces {
				tail.Write([]byte(p))
			}
			synctest.Wait()
		}
		write("")
		write("one\ntw")
		require.Equal(t, []string{"one"}, sent(), "the second line is not whole")
		write("o\nkey-1", "2345 three\n\n \r\nfour\nfi")
		require.Len(t, sent(), 1, "it rests")
		<-time.After(Pause)
		synctest.Wait()
		require.Equal(t, []string{"one", "two|[secret] three|four"}, sent())
		<-time.After(Pause)
		write("ve\r")
		require.Equal(t, "[secret] three|four|five", sent()[2])
		<-time.After(Pause)
		write("nothing whole")
		tail.Write([]byte(" comes\n"))
		tail.Close()
		tail.Write([]byte("after\n"))
		require.LessOrEqual(t, len(sent()), 4)
	})
}

func TestTailIsBounded(t *testing.T) {
	t.Parallel()
	last := func(pieces ...string) []string {
		var s stream
		for _, p := range pieces {
			s.take([]byte(p))
			require.LessOrEqual(t, len(s.kept), MaxKept)
		}
		return s.last(hideKey)
	}
	require.Equal(t, []string{"2", "3", "4"}, last("1\n2\n3\n4\n"))
	require.Equal(t, []string{strings.Repeat("x", MaxLine)}, last(strings.Repeat("x", MaxLine)+"\n"))
	require.Equal(t, []string{strings.Repeat("x", MaxLine)}, last(strings.Repeat("x", MaxLine)+"y\n"))
	require.Equal(t, []string{strings.Repeat("x", MaxLine-1)}, last(strings.Repeat("x", MaxLine-1)+"é\n"))

	// The mask sees a line before it is cut.
	secret := strings.Repeat("x", MaxLine-5) + "key-12345\n"
	require.Equal(t, strings.Repeat("x", MaxLine-5)+"[secr", last(secret)[0])

	// Of a line that is as long as what is kept nothing is shown, not even its end.
	require.Len(t, last(strings.Repeat("x", MaxKept-1)+"\n"), 1)
	require.Empty(t, last(strings.Repeat("x", MaxKept)+"\n"))
	require.Empty(t, last(strings.Repeat("x", MaxKept+1), "key-12", "345\n"))
	require.Equal(t, []string{"next"}, last(strings.Repeat("x", MaxKept+1), "key-12", "345\nnext\n"))
	require.Equal(t, []string{"b"}, last("a\n"+strings.Repeat("x", MaxKept-2)+"\nb\n"), "from the beginning of a line")
}
