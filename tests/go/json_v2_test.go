//go:build goexperiment.jsonv2

package gotests

import (
	"encoding/json/v2"
	"testing"

	"example.com/agentlines/types"
)

func TestFieldsOfInterfaceTypesUnderJSONVersion2(t *testing.T) {
	type entry struct {
		Message types.StdoutMessage `json:"message"`
		Usage   types.BetaUsage     `json:"usage"`
	}
	text := `{"message":` + lines["StatusMessage"] + `,"usage":` + usage + `}`
	var v entry
	if err := json.Unmarshal([]byte(text), &v, json.WithUnmarshalers(types.JSONUnmarshalers())); err != nil {
		t.Fatal(err)
	}
	if _, ok := v.Message.(*types.StatusMessage); !ok {
		t.Errorf("%T", v.Message)
	}
	if back := must(json.Marshal(v)); !sameJSON(back, []byte(text)) {
		t.Errorf("%s", back)
	}
	if err := json.Unmarshal([]byte(`{"message":{"type":7}}`), &v, json.WithUnmarshalers(types.JSONUnmarshalers())); err == nil {
		t.Error("a message without a type is read")
	}
}
