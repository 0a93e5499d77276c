package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"manualslop/tools"
)

// form is a question with a form.
func form(words string) *sdk.ElicitParams {
	return &sdk.ElicitParams{Message: words, RequestedSchema: map[string]any{"type": "object"}}
}

func TestRequirement02QuestionsOfARoundAreAskedAtOnce(t *testing.T) {
	inBubble(t, fix(), nil, func(t *testing.T, s *session, server *sdk.Server) {
		tool(server, "ask", "", func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			switch r.Params.RequestState {
			case "":
				return &sdk.CallToolResult{InputRequests: sdk.InputRequestMap{"a": form("A?"), "b": form("B?")},
					RequestState: "one"}, nil
			case "one":
				if len(r.Params.InputResponses) != 2 {
					return says("answers are missing")
				}
				return &sdk.CallToolResult{InputRequests: sdk.InputRequestMap{"c": form("C?")}, RequestState: "two"}, nil
			}
			got, _ := r.Params.InputResponses["c"].(*sdk.ElicitResult)
			return says(fmt.Sprint(r.Params.RequestState, len(r.Params.InputResponses), got.Content["n"]))
		})
		var mu sync.Mutex
		var asked []tools.Question
		both := make(chan struct{}) // closed when the questions of the first round are both open
		ask := func(ctx context.Context, q tools.Question) (tools.Answer, error) {
			mu.Lock()
			asked = append(asked, q)
			if len(asked) == 2 {
				close(both)
			}
			n := len(asked)
			mu.Unlock()
			<-both
			if q.Key == "a" {
				<-time.After(3 * hardTimeout) // the other answer does not start the time of the call
			}
			return tools.Answer{Accepted: true, Content: map[string]any{"n": n}}, ctx.Err()
		}
		result, err := s.CallTool(t.Context(), "ask", nil, Hooks{Ask: ask})
		require.NoError(t, err)
		require.Equal(t, "two1 3\n", textOf(result.Content))
		require.Equal(t, "C?", asked[2].Message)
		require.Equal(t, []int{2, 2, 1}, []int{asked[0].Of, asked[1].Of, asked[2].Of})
		require.Equal(t, "c", asked[2].Key)
	})
}

func TestRequirement02ARoundWithoutQuestionsIsRepeated(t *testing.T) {
	inBubble(t, fix(), nil, func(t *testing.T, s *session, server *sdk.Server) {
		rounds := 0
		tool(server, "busy", "", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			if rounds++; rounds%3 == 0 {
				return says("done")
			}
			return &sdk.CallToolResult{InputRequests: sdk.InputRequestMap{}}, nil
		})
		began := time.Now()
		result, err := s.CallTool(t.Context(), "busy", nil, Hooks{})
		require.NoError(t, err)
		require.Equal(t, "done\n", textOf(result.Content))
		require.Equal(t, 2*settling, time.Since(began))
	})
}

func TestRequirement02AServerThatOnlyAsksIsGivenUp(t *testing.T) {
	inBubble(t, fix(), nil, func(t *testing.T, s *session, server *sdk.Server) {
		tool(server, "busy", "", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return &sdk.CallToolResult{InputRequests: sdk.InputRequestMap{}}, nil
		})
		for n, want := range map[int]string{maxKey: "", maxKey + 1: "at most 100 bytes"} {
			key := strings.Repeat("k", n)
			tool(server, "name", "", func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
				if r.Params.InputResponses != nil {
					return says("done")
				}
				return &sdk.CallToolResult{InputRequests: sdk.InputRequestMap{key: form("?")}}, nil
			})
			_, err := s.CallTool(t.Context(), "name", nil, Hooks{})
			if want == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, want)
			}
		}
		_, err := s.CallTool(t.Context(), "busy", nil, Hooks{})
		require.ErrorIs(t, err, errTooManyQuestions)
	})
}

func TestFieldsThatAnAnswerLeavesOutGetTheirDefaults(t *testing.T) {
	const schema = `{"type":"object","required":["n"],"properties":{"n":{"type":"integer","default":0},` +
		`"s":{"type":"string","default":"d"},"b":{"type":"boolean"}}}`
	for _, era := range []string{legacy, ""} {
		for given, want := range map[string]string{
			"null":                     `{"n":0,"s":"d"}`,
			"{}":                       `{"n":0,"s":"d"}`,
			`{"n":2,"s":"","b":false}`: `{"b":false,"n":2,"s":""}`,
		} {
			t.Run(era+given, func(t *testing.T) {
				inBubble(t, fix(), nil, func(t *testing.T, s *session, server *sdk.Server) {
					s.dial = func(ctx context.Context, c *connection) (*sdk.ClientSession, error) {
						here, there := sdk.NewInMemoryTransports()
						if _, err := server.Connect(ctx, there, nil); err != nil {
							return nil, err
						}
						return c.client().Connect(ctx, here, &sdk.ClientSessionOptions{ProtocolVersion: era})
					}
					tool(server, "ask", "", func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
						got, _ := r.Params.InputResponses["f"].(*sdk.ElicitResult)
						if got == nil {
							return &sdk.CallToolResult{InputRequests: sdk.InputRequestMap{"f": &sdk.ElicitParams{Message: "?",
								RequestedSchema: json.RawMessage(schema)}}}, nil
						}
						content, err := json.Marshal(got.Content)
						require.NoError(t, err)
						return says(string(content))
					})
					ask := func(context.Context, tools.Question) (tools.Answer, error) {
						out := tools.Answer{Accepted: true}
						return out, json.Unmarshal([]byte(given), &out.Content)
					}
					result, err := s.CallTool(t.Context(), "ask", nil, Hooks{Ask: ask})
					require.NoError(t, err)
					require.JSONEq(t, want, textOf(result.Content))
				})
			})
		}
	}
}

func TestFoldersAreAskedForOnlyIfConfigured(t *testing.T) {
	for _, d := range []Definition{{Name: "fix"}, {Name: "fix", Roots: []string{"/of/mine"}},
		{Name: "fix", AskRoots: true}} {
		for _, era := range []string{legacy, ""} {
			t.Run(fmt.Sprint(d.Roots, d.AskRoots, era), func(t *testing.T) {
				inBubble(t, Status{Definition: d}, nil, func(t *testing.T, s *session, server *sdk.Server) {
					s.dial = func(ctx context.Context, c *connection) (*sdk.ClientSession, error) {
						here, there := sdk.NewInMemoryTransports()
						if _, err := server.Connect(ctx, there, nil); err != nil {
							return nil, err
						}
						return c.client().Connect(ctx, here, &sdk.ClientSessionOptions{ProtocolVersion: era})
					}
					tool(server, "ask", "", func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
						//lint:ignore SA1019 current servers still request roots
						got, _ := r.Params.InputResponses["roots"].(*sdk.ListRootsResult)
						if got == nil {
							//lint:ignore SA1019 current servers still request roots
							return &sdk.CallToolResult{InputRequests: sdk.InputRequestMap{"roots": &sdk.ListRootsParams{}}}, nil
						}
						text := fmt.Sprint(len(got.Roots))
						for _, r := range got.Roots {
							text += " " + r.URI
						}
						return says(text)
					})
					asked := 0
					ask := func(_ context.Context, q tools.Question) (tools.Answer, error) {
						asked++
						return tools.Answer{Accepted: q.Roots, Content: map[string]any{"roots": []any{
							map[string]any{"uri": "file:///of/another"}}}}, nil
					}
					result, err := s.CallTool(t.Context(), "ask", nil, Hooks{Ask: ask})
					require.NoError(t, err)
					switch {
					case d.AskRoots:
						require.Equal(t, "1 file:///of/another\n", textOf(result.Content))
					case d.Roots != nil:
						require.Equal(t, "1 file:///of/mine\n", textOf(result.Content))
					default:
						require.Equal(t, "0\n", textOf(result.Content))
					}
					require.Equal(t, d.AskRoots, asked == 1)
				})
			})
		}
	}
}
