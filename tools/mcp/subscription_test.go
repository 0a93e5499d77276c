package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"manualslop/tools"
)

// subscribers counts what a server was told.
type subscribers struct{ on, off int }

func (n *subscribers) options() *sdk.ServerOptions {
	return &sdk.ServerOptions{
		Capabilities:       &sdk.ServerCapabilities{Resources: &sdk.ResourceCapabilities{Subscribe: true}},
		SubscribeHandler:   func(context.Context, *sdk.SubscribeRequest) error { n.on++; return nil },
		UnsubscribeHandler: func(context.Context, *sdk.UnsubscribeRequest) error { n.off++; return nil }}
}

func following(t *testing.T, s *session, method, uri string, h Hooks) error {
	t.Helper()
	_, err := s.Operate(t.Context(), method, json.RawMessage(fmt.Sprintf(`{"uri":%q}`, uri)), h)
	return err
}

func TestRequirement10ASubscriptionBelongsToItsOwner(t *testing.T) {
	n := &subscribers{}
	inBubble(t, fix(), n.options(), func(t *testing.T, s *session, server *sdk.Server) {
		first, second := &heard{}, &heard{}
		require.NoError(t, following(t, s, Subscribe, "u:0", Hooks{Client: "one", Notify: first.take}))
		require.NoError(t, following(t, s, Subscribe, "u:0", Hooks{Client: "two", Notify: second.take}))
		require.NoError(t, following(t, s, Unsubscribe, "u:0", Hooks{})) // of a model
		require.NoError(t, following(t, s, Unsubscribe, "u:0", Hooks{Client: "two"}))
		require.NoError(t, following(t, s, Unsubscribe, "u:0", Hooks{Client: "two"}))
		synctest.Wait()
		require.Equal(t, subscribers{1, 0}, *n)
		require.NoError(t, server.ResourceUpdated(t.Context(), &sdk.ResourceUpdatedNotificationParams{URI: "u:0"}))
		pass(settling + time.Millisecond)
		require.Len(t, first.list(), 1)
		require.Empty(t, second.list())
		require.NoError(t, following(t, s, Unsubscribe, "u:0", Hooks{Client: "one"}))
		synctest.Wait()
		require.Equal(t, subscribers{1, 1}, *n)
	})
}

func TestRequirement10SubscriptionsOfAKilledClientEnd(t *testing.T) {
	n := &subscribers{}
	inBubble(t, fix(), n.options(), func(t *testing.T, s *session, server *sdk.Server) {
		killed := false
		s.around.Gone = func(client string) (bool, error) { return killed && client == "killed", nil }
		for i := range maxSubscriptions {
			require.NoError(t, following(t, s, Subscribe, fmt.Sprint("u:", i), Hooks{Client: "killed"}))
		}
		require.NoError(t, following(t, s, Subscribe, "u:0", Hooks{Client: "alive"}))
		require.ErrorContains(t, following(t, s, Subscribe, "u:more", Hooks{Client: "alive"}), "at most 256")
		killed = true
		require.NoError(t, following(t, s, Subscribe, "u:more", Hooks{Client: "alive"}))
		synctest.Wait()
		require.Equal(t, maxSubscriptions-1, n.off)
		require.Len(t, s.subscriptions, 2)
	})
}

func TestRequirement10AFurtherSubscriberWaitsForTheServer(t *testing.T) {
	for _, refused := range []bool{false, true} {
		t.Run(fmt.Sprint(refused), func(t *testing.T) {
			n := &subscribers{}
			var release chan struct{}
			options := n.options()
			options.SubscribeHandler = func(context.Context, *sdk.SubscribeRequest) error {
				<-release
				if n.on++; refused && n.on == 1 {
					return errors.New("no")
				}
				return nil
			}
			inBubble(t, fix(), options, func(t *testing.T, s *session, _ *sdk.Server) {
				release = make(chan struct{}, 2) // of the bubble
				ended := make(chan error, 2)
				for _, client := range []string{"one", "two"} {
					go func() { ended <- following(t, s, Subscribe, "u:0", Hooks{Client: client}) }()
				}
				synctest.Wait()
				require.Empty(t, ended, "the server has confirmed nothing")
				release <- struct{}{}
				release <- struct{}{} // for the second attempt
				failed := 0
				for range 2 {
					if <-ended != nil {
						failed++
					}
				}
				require.Equal(t, refused, failed == 1)
				require.Len(t, s.subscriptions["u:0"].owners, 2-failed)
			})
		})
	}
}

func TestRequirement10SubscriptionsOutliveNewPins(t *testing.T) {
	n := &subscribers{}
	inBubble(t, fix(), n.options(), func(t *testing.T, s *session, server *sdk.Server) {
		told := &heard{}
		require.NoError(t, following(t, s, Subscribe, "u:0", Hooks{Client: "one", Notify: told.take}))
		without := newSession(fix(), Surroundings{})
		without.pins = []Pin{{Name: "say"}}
		require.False(t, without.inherit(s), "the operation is not approved any more")
		next := newSession(fix(), Surroundings{})
		next.pins, next.dial = []Pin{{Name: Subscribe, Operation: true}}, s.dial
		require.True(t, next.inherit(s))
		require.NoError(t, s.Stop())
		require.NoError(t, next.Start(t.Context()))
		defer func() { require.NoError(t, next.Stop()) }()
		pass(settling + time.Millisecond)
		require.Equal(t, 2, n.on)
		require.Len(t, told.list(), 1, "it may have changed meanwhile")
		require.NoError(t, server.ResourceUpdated(t.Context(), &sdk.ResourceUpdatedNotificationParams{URI: "u:0"}))
		pass(settling + time.Millisecond)
		require.Len(t, told.list(), 2)
	})
}

func TestSecretsAreHiddenBeforeATextIsCut(t *testing.T) {
	const secret = "hunter2-hunter2"
	hide := func(b []byte) []byte { return []byte(strings.ReplaceAll(string(b), secret, "[hidden]")) }
	inBubble(t, fix(), &sdk.ServerOptions{Capabilities: &sdk.ServerCapabilities{
		//lint:ignore SA1019 current servers still log
		Logging: &sdk.LoggingCapabilities{}}}, func(t *testing.T, s *session, server *sdk.Server) {
		s.around.Mask = hide
		across := func(limit int) string { return strings.Repeat("x", limit-5) + secret }
		long := strings.Repeat("y", 2*tools.LeastMaxChars)
		tool(server, "leak", "", func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			if r.Params.InputResponses == nil {
				return &sdk.CallToolResult{InputRequests: sdk.InputRequestMap{"a": form(across(maxDescription))}}, nil
			}
			err := r.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: r.Params.GetProgressToken(),
				Progress: 1, Message: across(maxNotice)})
			//lint:ignore SA1019 current servers still log
			err = errors.Join(err, r.Session.Log(ctx, &sdk.LoggingMessageParams{Level: "debug", Logger: across(maxToolName),
				Data: strings.Repeat("x", maxNotice/2-6) + secret + strings.Repeat("z", maxNotice)}))
			if err != nil {
				return nil, err
			}
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: long + secret + long},
				&sdk.ResourceLink{URI: "file:///" + across(maxURI-8), Name: across(maxToolName), MIMEType: across(maxMedia)}}}, nil
		})
		var asked tools.Question
		told := &heard{}
		env := tools.Env{Notify: told.take, Ask: func(_ context.Context, q tools.Question) (tools.Answer, error) {
			asked = q
			return tools.Answer{Accepted: true}, nil
		}}
		pins, err := s.ListTools(t.Context())
		require.NoError(t, err)
		for cut := range 40 { // wherever the middle of the text is cut
			env.Limits = tools.Limits{MaxChars: len(long) + cut - 20}.Filled()
			out := callPinned(t.Context(), s, pins[0], json.RawMessage(`{}`), env, hide)
			synctest.Wait()
			all, err := json.Marshal([]any{out, told.list(), asked, out.Text, out.Content})
			require.NoError(t, err)
			require.NotContains(t, string(hide(all)), "hunt", "the worker hides whole secrets only")
		}
		require.Contains(t, asked.Message, "xxx[hid")
		require.NotEmpty(t, told.list())
	})
}
