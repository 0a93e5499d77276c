package llm_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/llm"
)

// picture returns n bytes that begin as a PNG does.
func picture(n int) []byte {
	return append([]byte("\x89PNG\r\n\x1a\n"), bytes.Repeat([]byte{1}, n-8)...)
}

func TestPicturesAreKnownByTheirFirstBytes(t *testing.T) {
	t.Parallel()
	for data, media := range map[string]string{
		"\x89PNG\r\n\x1a\n": "image/png", "\xff\xd8\xff\xe0": "image/jpeg", "RIFF\x00\x00\x00\x00WEBPVP8 ": "image/webp",
		"GIF89a": "", "<svg/>": "", "": "", "RIFF\x00\x00\x00\x00WAVE": "",
	} {
		require.Equal(t, media, llm.MediaOf([]byte(data)), "%q", data)
	}
}

// shows is a manifest with these pictures behind a heading each.
func shows(pictures ...[]byte) ([]events.Part, llm.Resolve) {
	var parts []events.Part
	for i, b := range pictures {
		parts = append(parts, events.Part{Role: llm.RoleUser, Kind: events.PartImage, Prefix: "## a.png\n", From: "V",
			Index: i, SHA256: events.Digest(b), Size: int64(len(b))})
	}
	return parts, func(p events.Part) (string, []events.ToolCall, json.RawMessage, error) {
		return string(pictures[p.Index]), nil, nil, nil
	}
}

func TestAPictureStandsBehindItsHeading(t *testing.T) {
	t.Parallel()
	a := picture(16)
	parts, resolve := shows(a)
	r, err := llm.Assemble(append(parts, user("What is it?")), nil, resolve)
	require.NoError(t, err)
	image := llm.Image{Media: "image/png", SHA256: events.Digest(a), Data: a}
	require.Equal(t, []llm.Message{{Role: llm.RoleUser, Blocks: []llm.Block{llm.Text("## a.png\n"), image,
		llm.Text("What is it?")}}}, r.Messages)
	require.Equal(t, 1, r.Images())
	wire, err := r.Wire()
	require.NoError(t, err)
	require.Contains(t, string(wire), fmt.Sprintf(`{"kind":"image","media":"image/png","sha256":"%s"}`, image.SHA256))
	require.Greater(t, llm.Estimate(r, "").Input, int64(events.ImageTokens))
}

func TestAPromptRefusesPicturesThatAreNone(t *testing.T) {
	t.Parallel()
	text, resolve := shows([]byte("no picture"))
	behind, fine := shows(picture(16))
	foreign := behind[0]
	foreign.Role = llm.RoleSystem
	for name, parts := range map[string][]events.Part{"is not a PNG, JPEG or WebP image": text,
		"from the user and not after": {foreign},
		"must be an image with bytes": {{Role: llm.RoleUser, Kind: events.PartImage, Text: "x"}}} {
		from := fine
		if parts[0].SHA256 == text[0].SHA256 {
			from = resolve
		}
		_, err := llm.Assemble(append(parts, user("Go.")), nil, from)
		require.ErrorContains(t, err, name)
		require.Equal(t, events.ModelInvalidRequest, llm.AsError(err).Kind)
	}
}

func TestAPromptTakesSoManyPictures(t *testing.T) {
	t.Parallel()
	assembled := func(pictures ...[]byte) error {
		parts, resolve := shows(pictures...)
		_, err := llm.Assemble(parts, nil, resolve)
		return err
	}
	many := make([][]byte, llm.MaxImages)
	for i := range many {
		many[i] = picture(9)
	}
	require.NoError(t, assembled(many...))
	require.ErrorContains(t, assembled(append(many, picture(9))...), "up to 64 images")
	half := picture(llm.MaxImageBytes / 2)
	require.NoError(t, assembled(half, half))
	require.ErrorContains(t, assembled(half, half, picture(8)), "bytes in total")
}

func TestAVendorTakesSoMuchOfPictures(t *testing.T) {
	t.Parallel()
	asks := func(sizes ...int) llm.Request {
		r := llm.Request{Model: "m", Messages: []llm.Message{{Role: llm.RoleUser}}}
		for _, n := range sizes {
			r.Messages[0].Blocks = append(r.Messages[0].Blocks, llm.Image{Data: make([]byte, n)})
		}
		return r
	}
	for _, c := range []struct {
		limits     llm.ImageLimits
		fits, over llm.Request
		says       string
	}{
		{llm.ImageLimits{None: true}, asks(), asks(1), "accepts no images in requests to m"},
		{llm.ImageLimits{Each: 10}, asks(10, 10), asks(10, 11), "up to 10 bytes, got 11"},
		{llm.ImageLimits{Each: 12, Base64: true}, asks(9), asks(10), "up to 12 bytes in base64, got 16"},
		{llm.ImageLimits{Count: 2}, asks(1, 1), asks(1, 1, 1), "up to 2 images in a request, got 3"},
		{llm.ImageLimits{All: 10}, asks(5, 5), asks(5, 6), "up to 10 bytes in total"},
	} {
		require.NoError(t, c.limits.Check(c.fits))
		err := c.limits.Check(c.over)
		require.ErrorContains(t, err, c.says)
		require.Equal(t, events.ModelInvalidRequest, llm.AsError(err).Kind)
	}
}
