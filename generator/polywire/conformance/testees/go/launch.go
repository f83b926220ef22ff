//needs Launch

package testee

import (
	"encoding/json"
	"errors"
	"reflect"
	"strconv"
	"strings"

	types "example.com/agentlines/types"
)

func init() { ops["launch"] = started(types.Launch) }

// started answers how a process is started with options, with functions at the places that the request lists.
func started[O any](launch func(*O, string) (*types.Launched, error)) func([]byte) answer {
	return func(line []byte) answer {
		asked := struct {
			Type, JSON, Release string
			Functions           map[string]int
		}{}
		if err := json.Unmarshal(line, &asked); err != nil {
			return problem("%v", err)
		}
		value, err := types.DecodeAs(asked.Type, []byte(asked.JSON))
		if err != nil {
			var fault *types.DecodeError
			if errors.As(err, &fault) {
				return answer{"ok": false, "code": fault.Code, "paths": []json.RawMessage{text(fault.Path)}}
			}
			return problem("%v", err)
		}
		options := value.(*O)
		for place, count := range asked.Functions {
			keys := strings.Split(place, "/")[1:]
			for n, key := range keys {
				keys[n] = strings.NewReplacer("~1", "/", "~0", "~").Replace(key)
			}
			putFunctions(reflect.ValueOf(options).Elem(), keys, count)
		}
		made, err := launch(options, asked.Release)
		var refused *types.LaunchError
		if errors.As(err, &refused) {
			return answer{"ok": false, "code": refused.Code, "paths": texts(refused.Paths)}
		}
		if err != nil {
			return problem("%v", err)
		}
		return answer{"ok": true, "json": shown(made)}
	}
}

func texts(all []string) []json.RawMessage {
	found := []json.RawMessage{}
	for _, each := range all {
		found = append(found, text(each))
	}
	return found
}

func shown(made *types.Launched) string {
	found := answer{
		"arguments": made.Arguments,
		"environment": answer{
			"inherit": made.Environment.Inherit, "set": made.Environment.Set,
			"defaults": made.Environment.Defaults, "unset": made.Environment.Unset,
		},
		"requests":  made.Requests,
		"functions": called(made.Functions),
	}
	for name, part := range map[string]string{"cwd": made.CWD, "program": made.Program, "script": made.Script} {
		if part != "" {
			found[name] = part
		}
	}
	if made.ProgramArguments != nil {
		found["program_arguments"] = made.ProgramArguments
	}
	line, err := json.Marshal(found)
	if err != nil {
		panic(err)
	}
	return string(line)
}

// called returns when each function is called, by its place.
func called(functions []types.LaunchFunction) answer {
	found := answer{}
	for _, each := range functions {
		parts := answer{}
		for name, part := range map[string]string{"control": each.Control, "id": each.ID, "receives": each.Receives} {
			if part != "" {
				parts[name] = part
			}
		}
		if each.Live {
			parts["live"] = true
		}
		found[each.Place] = parts
	}
	return found
}

// putFunctions inserts a function, or several, since JSON cannot contain them.
func putFunctions(v reflect.Value, keys []string, count int) {
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	if len(keys) > 0 {
		switch v.Kind() {
		case reflect.Struct:
			putFunctions(v.FieldByNameFunc(func(name string) bool { return strings.EqualFold(name, keys[0]) }), keys[1:], count)
		case reflect.Map:
			key := reflect.ValueOf(keys[0]).Convert(v.Type().Key())
			inner := reflect.New(v.Type().Elem()).Elem()
			inner.Set(v.MapIndex(key))
			putFunctions(inner, keys[1:], count)
			v.SetMapIndex(key, inner)
		case reflect.Slice:
			n, _ := strconv.Atoi(keys[0])
			putFunctions(v.Index(n), keys[1:], count)
		}
		return
	}
	made := func(t reflect.Type) reflect.Value {
		return reflect.MakeFunc(t, func([]reflect.Value) []reflect.Value {
			panic("no function is called here")
		})
	}
	if count == 0 {
		v.Set(made(v.Type()))
		return
	}
	v.Set(reflect.MakeSlice(v.Type(), count, count))
	for i := range count {
		v.Index(i).Set(made(v.Type().Elem()))
	}
}
