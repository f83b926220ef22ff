package gotests

import (
	"fmt"
	"reflect"
)

// differs compares exported fields only and returns the first place where two values differ. It ignores the
// remembered spelling of values, and treats nil lists and maps as empty.
func differs(a, b reflect.Value) string {
	if a.IsValid() != b.IsValid() {
		return " is missing"
	}
	if !a.IsValid() {
		return ""
	}
	if a.Type() != b.Type() {
		return fmt.Sprintf(" is %v, not %v", b.Type(), a.Type())
	}
	switch a.Kind() {
	case reflect.Pointer, reflect.Interface:
		if a.IsNil() || b.IsNil() {
			if a.IsNil() != b.IsNil() {
				return " is nil in one"
			}
			return ""
		}
		return differs(a.Elem(), b.Elem())
	case reflect.Struct:
		for i := range a.NumField() {
			if field := a.Type().Field(i); field.IsExported() {
				if at := differs(a.Field(i), b.Field(i)); at != "" {
					return "." + field.Name + at
				}
			}
		}
		return ""
	case reflect.Slice, reflect.Array:
		if a.Len() != b.Len() {
			return fmt.Sprintf(" has %d items, not %d", b.Len(), a.Len())
		}
		for i := range a.Len() {
			if at := differs(a.Index(i), b.Index(i)); at != "" {
				return fmt.Sprintf("[%d]%s", i, at)
			}
		}
		return ""
	case reflect.Map:
		if a.Len() != b.Len() {
			return fmt.Sprintf(" has %d entries, not %d", b.Len(), a.Len())
		}
		for _, key := range a.MapKeys() {
			if at := differs(a.MapIndex(key), b.MapIndex(key)); at != "" {
				return fmt.Sprintf("[%q]%s", key, at)
			}
		}
		return ""
	case reflect.Func:
		return ""
	}
	if a.Interface() != b.Interface() {
		return fmt.Sprintf(" is %v, not %v", b, a)
	}
	return ""
}
