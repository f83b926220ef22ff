package gotests

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"example.com/agentlines/types"
)

// block decodes a block of a request, which allows more kinds than an answer.
func block(t *testing.T, text string) types.ContentBlock {
	t.Helper()
	message, err := types.Decode[types.MessageParam]([]byte(`{"role":"user","content":[`+text+`]}`), types.LenientMode)
	if err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	blocks, _ := message.ContentAsContentBlocks()
	return blocks[0]
}

func TestWhatTheUserChangesInADecodedBlockIsWritten(t *testing.T) {
	for _, change := range []struct {
		from   string
		change func(*types.ContentBlock)
		to     string
	}{
		{
			`{"type":"text","text":"x","citations":null,"cache_control":null,"new":1}`,
			func(b *types.ContentBlock) { b.Text = "y" },
			`{"type":"text","text":"y","citations":null,"cache_control":null,"new":1}`,
		},
		{
			`{"type":"text","text":"x"}`,
			func(b *types.ContentBlock) { b.Text = "" },
			`{"type":"text","text":""}`,
		},
		{
			`{"type":"tool_use","id":"1","name":"Bash","input":{"a":1},"new":[]}`,
			func(b *types.ContentBlock) { b.Input["b"] = 2.0; b.Name = "Read" },
			`{"type":"tool_use","id":"1","name":"Read","input":{"a":1,"b":2},"new":[]}`,
		},
		{
			`{"type":"tool_use","id":"1","name":"Bash","input":{"a":1}}`,
			func(b *types.ContentBlock) { b.Input = nil },
			`{"type":"tool_use","id":"1","name":"Bash","input":{}}`,
		},
		{
			`{"type":"web_search_tool_result","tool_use_id":"1","content":[]}`,
			func(b *types.ContentBlock) { b.ToolUseID = "2" },
			`{"type":"web_search_tool_result","tool_use_id":"2","content":[]}`,
		},
		{
			`{"type":"tool_result","tool_use_id":"1","content":"done","is_error":false,"cache_control":{"type":"ephemeral"}}`,
			func(b *types.ContentBlock) { b.IsError = types.Ptr(true); b.Content = "failed" },
			`{"type":"tool_result","tool_use_id":"1","content":"failed","is_error":true,"cache_control":{"type":"ephemeral"}}`,
		},
		{
			`{"type":"text","text":"x"}`,
			func(b *types.ContentBlock) {
				*b = types.ContentBlock{Type: "thinking", Thinking: "Hm.", Signature: types.Ptr("s")}
			},
			`{"type":"thinking","thinking":"Hm.","signature":"s"}`,
		},
		{
			`{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AA=="}}`,
			func(b *types.ContentBlock) { b.Type, b.Text, b.Source = "text", "no image", nil },
			`{"type":"text","text":"no image"}`,
		},
	} {
		value := block(t, change.from)
		change.change(&value)
		expectJSON(t, value, change.to)
		expectJSON(t, types.MessageParam{Role: "user", Content: []types.ContentBlock{value}},
			`{"role":"user","content":[`+change.to+`]}`)
		if text, err := json.Marshal(value); err != nil || !sameJSON(text, []byte(change.to)) {
			t.Errorf("json.Marshal: %s, %v; expected %s", text, err, change.to)
		}
	}
}

func TestACopyOfADecodedBlockIsItsOwn(t *testing.T) {
	from := `{"type":"text","text":"x","citations":null,"new":1}`
	first := block(t, from)
	second := first
	second.Text = "y"
	second.Extra.Set(types.Member{Key: "other", Value: true})
	expectJSON(t, first, from)
	expectJSON(t, second, `{"type":"text","text":"y","citations":null,"other":true}`)
}

func TestBlocksOfRequestsKeepWhatOnlyTheyHave(t *testing.T) {
	for _, text := range []string{
		`{"type":"text","text":"x","cache_control":{"type":"ephemeral","ttl":"5m"}}`,
		`{"type":"tool_use","id":"1","name":"Bash","input":{},"cache_control":{"type":"ephemeral"}}`,
		`{"type":"document","source":{"type":"text","media_type":"text/plain","data":"x"},"title":null,"context":"c"}`,
		`{"type":"tool_result","tool_use_id":"1"}`,
		`{"type":"tool_result","tool_use_id":"1","content":[{"type":"text","text":"x"}]}`,
		`{"type":"redacted_thinking","data":"x"}`,
	} {
		value := block(t, text)
		expectJSON(t, value, text)
		if marshalled, err := json.Marshal(value); err != nil || !sameJSON(marshalled, []byte(text)) {
			t.Errorf("json.Marshal: %s, %v; expected %s", marshalled, err, text)
		}
		line := strings.Replace(lines["UserMessage"], `"Go on."`, `[`+text+`]`, 1)
		expectJSON(t, decode[*types.UserMessage](t, line), line)
	}
}

func TestTheVariantOfAResultDecidesWhatIsWritten(t *testing.T) {
	result := decode[*types.ResultMessage](t, lines["ResultMessage (success)"])
	success, ok := result.AsSuccess()
	if !ok || success.Result != "Done." {
		t.Errorf("%+v", success)
	}
	if _, ok := result.AsResultError(); ok {
		t.Error("a success passed for an error")
	}
	result.Subtype, result.IsError, result.Errors = types.ResultSubtypeErrorMaxTurns, true, []string{"too many"}
	text := string(must(types.Encode(result)))
	if strings.Contains(text, `"result"`) && !strings.Contains(text, `"type":"result"`) || !strings.Contains(text, `"errors":["too many"]`) {
		t.Errorf("%s", text)
	}
	back, err := types.UnmarshalSDKMessage([]byte(text), types.StrictMode)
	if err != nil || back.(*types.ResultMessage).Subtype != types.ResultSubtypeErrorMaxTurns {
		t.Errorf("%v, %s", err, text)
	}
	unheard := strings.Replace(lines["ResultMessage (error)"], "error_max_turns", "error_of_tomorrow", 1)
	tomorrow := decode[*types.ResultMessage](t, unheard)
	if tomorrow.Subtype != "error_of_tomorrow" || tomorrow.Subtype.Known() || len(tomorrow.Errors) != 1 {
		t.Errorf("%+v", tomorrow)
	}
	expectJSON(t, tomorrow, unheard)
}

func TestFieldsOfAnyTypeTakePlainJSONAsTheListingsUsersHaveIt(t *testing.T) {
	event := map[string]any{"type": "content_block_delta", "index": 0.0, "delta": map[string]any{"type": "text_delta", "text": "x"}}
	partial := decode[*types.PartialAssistantMessage](t, lines["PartialAssistantMessage"])
	partial.Event = event
	expectJSON(t, partial, strings.Replace(lines["PartialAssistantMessage"], `{"type":"message_stop"}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"x"}}`, 1))
	user := decode[*types.UserMessage](t, lines["UserMessage"])
	user.Message.Content = []any{map[string]any{"type": "text", "text": "x"}}
	expectJSON(t, user, strings.Replace(lines["UserMessage"], `"Go on."`, `[{"type":"text","text":"x"}]`, 1))
	expectJSON(t, types.ControlResponse{Response: map[string]any{"subtype": "success", "request_id": "r1"}},
		`{"type":"control_response","response":{"subtype":"success","request_id":"r1"}}`)
	event["index"] = "first"
	_, err := types.Encode(partial)
	var fault *types.EncodeError
	if !errors.As(err, &fault) || fault.Code != types.CodeWrongType || fault.Path != "/event/index" {
		t.Errorf("%v", err)
	}
}

func TestAnUnknownOfTheUsersMakingIsCheckedToo(t *testing.T) {
	for _, raw := range []string{"", "[]", "{", `{"a":1}x`, "{\"a\":\"\xff\"}", `{"a":NaN}`, "null"} {
		if text, err := types.Encode(types.UnknownMessage{Type: "new", Raw: json.RawMessage(raw)}); err == nil {
			t.Errorf("%q was written as %s", raw, text)
		}
	}
	expectText(t, types.UnknownMessage{Type: "new", Raw: json.RawMessage("{\n \"type\": \"new\"}")}, `{"type":"new"}`)
}

func TestABlockByItselfIsWrittenAsWhatItWasDecodedAs(t *testing.T) {
	// In an answer, each result has a page_age, which may be null.
	text := `{"type":"web_search_tool_result","tool_use_id":"1","content":[` +
		`{"type":"web_search_result","url":"u","title":"t","encrypted_content":"e"}]}`
	value := *must(types.DecodeAs("ContentBlockParam", []byte(text), types.StrictMode)).(*types.ContentBlock)
	expectJSON(t, value, text)
	if marshalled, err := json.Marshal(value); err != nil || !sameJSON(marshalled, []byte(text)) {
		t.Errorf("json.Marshal: %s, %v", marshalled, err)
	}
	value.Content, value.CacheControl = []types.WebSearchResultBlockParam{}, types.Some(types.CacheControlEphemeral{})
	expectJSON(t, value, `{"type":"web_search_tool_result","tool_use_id":"1","content":[],"cache_control":{"type":"ephemeral"}}`)
	value = types.ContentBlock{Type: "text", Text: "x"}
	expectJSON(t, value, `{"type":"text","text":"x"}`)
}
