package replay

import (
	"reflect"

	"manualslop/events"
)

// blobRefs lists the blobs that a payload names, in field order.
func blobRefs(p events.Payload) []events.BlobRef {
	var out []events.BlobRef
	if p != nil {
		walkRefs(reflect.ValueOf(p), &out)
	}
	return out
}

func walkRefs(v reflect.Value, out *[]events.BlobRef) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			walkRefs(v.Elem(), out)
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return
		}
		for i := range v.Len() {
			walkRefs(v.Index(i), out)
		}
	case reflect.Struct:
		if ref, ok := refOf(v.Interface()); ok {
			*out = append(*out, ref)
			return
		}
		if v.Type().PkgPath() == reflect.TypeFor[events.Event]().PkgPath() {
			for i := range v.NumField() {
				if v.Type().Field(i).IsExported() {
					walkRefs(v.Field(i), out)
				}
			}
		}
	}
}

// refOf returns the blob that a struct names, if it names one itself.
func refOf(v any) (events.BlobRef, bool) {
	switch x := v.(type) {
	case events.BlobRef:
		return x, x.SHA256 != ""
	case events.View:
		return events.BlobRef{SHA256: x.SHA256, Size: x.Size}, x.Blob
	case events.PromptText:
		return events.BlobRef{SHA256: x.SHA256, Size: x.Size}, true
	case events.Part:
		return events.BlobRef{SHA256: x.SHA256, Size: x.Size}, x.SHA256 != "" && x.From == ""
	}
	return events.BlobRef{}, false
}
