package gotests

import (
	"encoding/json"
	"errors"
	"reflect"
	"testing"

	"example.com/agentlines/types"
)

// A member with values of several JSON kinds has a type of its own: one struct, or an interface where zero values count.

func TestIDsOfAllKindsAreTheirOwnTypes(t *testing.T) {
	for text, id := range map[string]types.JSONRPCId{
		`0`:   types.JSONRPCIdNumber(0),
		`7`:   types.JSONRPCIdNumber(7),
		`""`:  types.JSONRPCIdString(""),
		`"a"`: types.JSONRPCIdString("a"),
	} {
		request := types.JSONRPCRequest{ID: id, Method: "ping"}
		line := `{"jsonrpc":"2.0","id":` + text + `,"method":"ping"}`
		expectJSON(t, request, line)
		back := must(types.Decode[types.JSONRPCRequest]([]byte(line)))
		if back.ID != id || !types.Equal(back, request) {
			t.Errorf("%#v of %s", back.ID, line)
		}
		var box struct{ ID types.Box[types.JSONRPCId] }
		if err := json.Unmarshal([]byte(`{"ID":`+text+`}`), &box); err != nil || box.ID.Value != id {
			t.Errorf("%v, %#v", err, box)
		}
		if written := must(json.Marshal(box)); string(written) != `{"ID":`+text+`}` {
			t.Errorf("%s", written)
		}
	}
	for _, id := range []types.JSONRPCId{nil} {
		if line, err := types.Encode(types.JSONRPCRequest{ID: id, Method: "ping"}); err == nil {
			t.Errorf("%s without an id", line)
		}
	}
	if _, err := types.Decode[types.JSONRPCRequest]([]byte(`{"jsonrpc":"2.0","id":true,"method":"ping"}`)); err == nil {
		t.Error("true is an id")
	}
	answer := must(types.Decode[types.JSONRPCErrorResponse]([]byte(`{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"m"}}`)))
	if answer.ID != nil {
		t.Errorf("%#v", answer.ID)
	}
}

func TestValuesOfPluginOptions(t *testing.T) {
	text := `{"pluginConfigs":{"p":{"options":{"a":"","b":0,"c":false,"d":["x"]}}}}`
	settings := must(types.Decode[types.Settings]([]byte(text)))
	options := settings.PluginConfigs["p"].Options
	list, ok := options["d"].(types.PluginOptionValueList)
	if options["a"] != types.PluginOptionValueString("") || options["b"] != types.PluginOptionValueNumber(0) ||
		options["c"] != types.PluginOptionValueBool(false) || !ok || len(list) != 1 || list[0] != "x" {
		t.Errorf("%#v", options)
	}
	expectJSON(t, settings, text)
}

// A member whose type is written without a name has an interface that is named after the alternatives.
func TestValuesOfInlineUnions(t *testing.T) {
	for text, settings := range map[string]types.Settings{
		`{"forceLoginOrgUUID":""}`:                    {ForceLoginOrgUUID: types.StringOrStringListString("")},
		`{"forceLoginOrgUUID":[]}`:                    {ForceLoginOrgUUID: types.StringOrStringListList{}},
		`{"attribution":false}`:                       {Attribution: types.BoolOrAttributionBool(false)},
		`{"attribution":{}}`:                          {Attribution: &types.Attribution{}},
		`{"enabledPlugins":{"a":true,"b":{"c":1}}}`:   {EnabledPlugins: map[string]types.BoolOrStringListOrObject{"a": types.BoolOrStringListOrObjectBool(true), "b": types.BoolOrStringListOrObjectObject{"c": 1.0}}},
		`{"strictPluginOnlyCustomization":["hooks"]}`: {StrictPluginOnlyCustomization: types.BoolOrCustomizationSurfaceListList{"hooks"}},
	} {
		expectJSON(t, settings, text)
		if back := must(types.Decode[types.Settings]([]byte(text))); !reflect.DeepEqual(back, settings) || !types.Equal(back, settings) {
			t.Errorf("%#v of %s", back, text)
		}
	}
	source := must(types.Decode[types.MarketplacePlugin]([]byte(`{"name":"p","source":{"source":"npm","package":"x"}}`))).Source
	if npm, ok := source.(*types.NpmPluginSource); !ok || npm.Package != "x" {
		t.Errorf("%#v", source)
	}
	agent := types.AgentDefinition{Description: "d", Prompt: "p", Effort: types.EffortLevelOrIntNumber(0)}
	expectJSON(t, agent, `{"description":"d","prompt":"p","effort":0}`)
	if _, err := types.Decode[types.AgentDefinition]([]byte(`{"description":"d","prompt":"p","effort":true}`)); err == nil {
		t.Error("true is an effort")
	}
}

func TestOneStructForSeveralKinds(t *testing.T) {
	for text, value := range map[string]types.McpOutput{
		`""`:      {},
		`"x"`:     {Text: "x"},
		`[]`:      {Items: []types.McpOutputItem{}},
		`{}`:      {Object: map[string]any{}},
		`{"a":1}`: {Object: map[string]any{"a": 1.0}},
	} {
		if written, err := types.Encode(value); err != nil || string(written) != text {
			t.Errorf("%s, %v for %s", written, err, text)
		}
		if back := must(types.Decode[types.McpOutput]([]byte(text))); !types.Equal(back, value) {
			t.Errorf("%+v of %s", back, text)
		}
	}
	_, err := types.Encode(types.McpOutput{Text: "x", Object: map[string]any{}})
	var fault *types.EncodeError
	if !errors.As(err, &fault) || fault.Message != "expected one kind of value, got Text and Object" {
		t.Errorf("%v", err)
	}
}

func TestTheFormsOfAPrompt(t *testing.T) {
	preset, ok := types.SystemPromptConfig{Preset: "claude_code", Append: "Be brief."}.AsPreset()
	if !ok || preset.Append != "Be brief." {
		t.Errorf("%+v", preset)
	}
	if preset, ok := (types.SystemPromptConfig{Raw: "x"}).AsPreset(); ok {
		t.Errorf("%+v", preset)
	}
	newer := must(types.Decode[types.SystemPromptConfig]([]byte(`{"type":"newer","x":1}`)))
	if _, ok := newer.AsUnknownSystemPromptForm(); !ok || !types.IsUnknown(newer) || newer.Type != "newer" {
		t.Errorf("%+v", newer)
	}
	expectJSON(t, newer, `{"type":"newer","x":1}`)
	newer.Raw = "x"
	if text, err := types.Encode(newer); err == nil {
		t.Errorf("%s", text)
	}
}
