package llm

import (
	"encoding/base64"
	"net/http"
)

// Limits for the images of one request. Vendors have limits of their own; see [ImageLimits].
const (
	MaxImages     = 64
	MaxImageBytes = 24 << 20 // of all images together
)

// MediaOf returns the media type of an image, as detected from its first bytes: image/png,
// image/jpeg or image/webp. It returns "" for anything else, because not all vendors accept it.
func MediaOf(data []byte) string {
	switch media := http.DetectContentType(data); media {
	case "image/png", "image/jpeg", "image/webp":
		return media
	}
	return ""
}

// Base64 returns the bytes of the image in base64, as vendors expect them.
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

// ImageLimits are a vendor's limits for images. 0 means no limit.
type ImageLimits struct {
	Vendor string
	None   bool // the model accepts no images
	Count  int  // number of images in a request
	Each   int  // size of one image in bytes, measured in base64 if Base64 is set
	All    int  // total size of the images in a request, measured in the same way
	Base64 bool
}

// Check returns an [*Error] of kind invalid_request if the vendor would reject the images of a
// request, else nil.
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
				return Unsendable("%s accepts no images in requests to %s; remove the images, or ask another model", l.Vendor,
					r.Model)
			case l.Each > 0 && size > l.Each:
				return Unsendable("%s accepts images of up to %d %s, got %d; make the image smaller, or remove it", l.Vendor,
					l.Each, unit, size)
			case l.Count > 0 && count > l.Count:
				return Unsendable("%s accepts up to %d images in a request, got %d; remove some", l.Vendor, l.Count, r.Images())
			case l.All > 0 && sum > l.All:
				return Unsendable("%s accepts images of up to %d %s in total, got more; remove some", l.Vendor, l.All, unit)
			}
		}
	}
	return nil
}
