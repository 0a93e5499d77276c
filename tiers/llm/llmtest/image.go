package llmtest

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// imageOf decodes a base64 image as servers do, and returns its media type and size in the form
// that a view shows. The reason says why it is rejected.
func imageOf(media, data string) (shown, reason string) {
	raw, err := base64.StdEncoding.DecodeString(data)
	switch {
	case !slices.Contains([]string{"image/png", "image/jpeg", "image/webp", "image/gif"}, media):
		return "", "the media type " + media + " is not supported"
	case err != nil || len(raw) == 0:
		return "", "the data is not valid base64"
	case http.DetectContentType(raw) != media:
		return "", fmt.Sprintf("the image was specified using %s, but appears to be %s", media,
			http.DetectContentType(raw))
	}
	return fmt.Sprintf("%s of %d bytes", media, len(raw)), ""
}

// imageAt is like [imageOf], for a data: URL.
func imageAt(url string) (shown, reason string) {
	head, data, found := strings.Cut(strings.TrimPrefix(url, "data:"), ";base64,")
	if !found || !strings.HasPrefix(url, "data:") {
		return "", "this server loads no images from other places"
	}
	return imageOf(head, data)
}
