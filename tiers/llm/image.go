package llm

import (
	"encoding/base64"
	"net/http"
)

// Limits of the images of one request. Vendors have limits of their own; see
// [ImageLimits].
const (
	MaxImages     = 64
	MaxImageBytes = 24 << 20 // of all of them together
)

// MediaOf returns the media type of an image by its first bytes: image/png,
// image/jpeg or image/webp. It is empty for all else, which vendors do not take.
func MediaOf(data []byte) string {
	switch media := http.DetectContentType(data); media {
	case "image/png", "image/jpeg", "image/webp":
		return media
	}
	return ""
}

// Base64 returns the bytes of the image as vendors take them.
func (i Image) Base64() string { return base64.StdEncoding.EncodeToString(i.Data) }

// DataURL returns the image as a data: URL.
func (i Image) DataURL() string { return "data:" + i.Media + ";base64," + i.Base64() }

// Images returns the number of images in a request.
func (r Request) Images() int {
	n := 0
	for _, m := range r.Messages {
		for _, b := range m.Blocks {
			if _, is := b.(Image); is {
				n++
			}
		}
	}
	return n
}

// ImageLimits are what one vendor takes of images. 0 means no limit.
type ImageLimits struct {
	Vendor string
	None   bool // the model takes no images
	Count  int  // images in a request
	Each   int  // bytes of one image, in base64 if Base64 is set
	All    int  // bytes of all images of a request, likewise
	Base64 bool
}

// Check returns why the vendor would refuse the images of a request, as an
// [*Error] of the kind invalid_request; nil if it takes them.
func (l ImageLimits) Check(r Request) error {
	count, sum := 0, 0
	for _, m := range r.Messages {
		for _, b := range m.Blocks {
			image, is := b.(Image)
			if !is {
				continue
			}
			size, unit := len(image.Data), "bytes"
			if l.Base64 {
				size, unit = base64.StdEncoding.EncodedLen(size), "bytes in base64"
			}
			count, sum = count+1, sum+size
			switch {
			case l.None:
				return Unsendable("%s takes no images in requests to %s; take the images out, or ask another model", l.Vendor,
					r.Model)
			case l.Each > 0 && size > l.Each:
				return Unsendable("%s takes images of up to %d %s, got %d; make the image smaller, or take it out", l.Vendor,
					l.Each, unit, size)
			case l.Count > 0 && count > l.Count:
				return Unsendable("%s takes up to %d images in a request, got %d; take some out", l.Vendor, l.Count, r.Images())
			case l.All > 0 && sum > l.All:
				return Unsendable("%s takes images of up to %d %s together, got more; take some out", l.Vendor, l.All, unit)
			}
		}
	}
	return nil
}
