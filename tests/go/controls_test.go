package gotests

import (
	"errors"
	"testing"

	"example.com/agentlines/types"
)

func TestARequestKnowsTheTypeOfItsResponse(t *testing.T) {
	request := types.SetPermissionModeRequest{Mode: types.PermissionModePlan}
	line := types.WrapRequest("r1", request)
	expectJSON(t, line, `{"type":"control_request","request_id":"r1","request":{"subtype":"set_permission_mode","mode":"plan"}}`)

	answer := must(types.UnmarshalWireMessage([]byte(
		`{"type":"control_response","response":{"subtype":"success","request_id":"r1","response":{"mode":"plan","new":1}}}`,
	))).(*types.ControlResponse)
	typed, err := types.UnwrapResponse(request, answer)
	if err != nil || typed == nil || typed.Mode == nil || *typed.Mode != types.PermissionModePlan {
		t.Errorf("%+v, %v", typed, err)
	}
}

func TestAPermissionIsAskedForAndGiven(t *testing.T) {
	asked := must(types.UnmarshalWireMessage([]byte(`{"type":"control_request","request_id":"r2","request":` +
		requests[types.ControlSubtypeCanUseTool] + `}`))).(*types.ControlRequest)
	request, ok := asked.Request.AsCanUseTool()
	if !ok || request.ToolName != "Bash" || request.Input["command"] != "ls" {
		t.Fatalf("%+v", request)
	}
	answer, err := types.WrapResponse(asked.RequestID, request, types.PermissionResult{
		Behavior: "allow", UpdatedInput: map[string]any{"command": "ls"},
	})
	if err != nil {
		t.Fatal(err)
	}
	expectJSON(t, answer, `{"type":"control_response","response":{"subtype":"success","request_id":"r2",`+
		`"response":{"behavior":"allow","updatedInput":{"command":"ls"}}}}`)
	back, err := types.UnwrapResponse(request, answer)
	if err != nil || back.Behavior != "allow" {
		t.Errorf("%+v, %v", back, err)
	}
	denied, err := types.WrapResponse(asked.RequestID, request, types.PermissionResult{Behavior: "deny", Message: "no"})
	if err != nil {
		t.Fatal(err)
	}
	expectJSON(t, denied, `{"type":"control_response","response":{"subtype":"success","request_id":"r2",`+
		`"response":{"behavior":"deny","message":"no"}}}`)
}

func TestAResponseThatDoesNotFitItsRequestIsAnError(t *testing.T) {
	answer := must(types.UnmarshalWireMessage([]byte(
		`{"type":"control_response","response":{"subtype":"success","request_id":"r1","response":{"mode":7}}}`,
	))).(*types.ControlResponse)
	_, err := types.UnwrapResponse(types.SetPermissionModeRequest{Mode: "plan"}, answer)
	var fault *types.DecodeError
	if !errors.As(err, &fault) || fault.Code != types.CodeWrongType {
		t.Errorf("%v", err)
	}
	failed := must(types.UnmarshalWireMessage([]byte(
		`{"type":"control_response","response":{"subtype":"error","request_id":"r1","error":"hook crashed"}}`,
	))).(*types.ControlResponse)
	if _, err := types.UnwrapResponse(types.InterruptRequest{}, failed); err == nil {
		t.Error("an error response passed for a payload")
	}
}

func TestTypedViewsOfToolsByName(t *testing.T) {
	input, err := types.ToolInput("Bash", map[string]any{"command": "ls", "timeout": 1000.0})
	bash, ok := input.(*types.BashInput)
	if err != nil || !ok || bash.Command != "ls" {
		t.Errorf("%#v, %v", input, err)
	}
	if input, err := types.ToolInput("Telepathy", map[string]any{}); input != nil || err != nil {
		t.Errorf("%#v, %v", input, err)
	}
	var fault *types.DecodeError
	if _, err := types.ToolInput("Bash", map[string]any{"command": 7.0}); !errors.As(err, &fault) || fault.Path != "/command" {
		t.Errorf("%v", err)
	}
}

func TestARefusalIsAControlErrorWithItsText(t *testing.T) {
	failed := must(types.UnmarshalWireMessage([]byte(
		`{"type":"control_response","response":{"subtype":"error","request_id":"r1","error":"hook crashed"}}`,
	))).(*types.ControlResponse)
	_, err := types.UnwrapResponse(types.InterruptRequest{}, failed)
	var refusal *types.ControlError
	if !errors.As(err, &refusal) || refusal.Message != "hook crashed" || refusal.Response.(*types.ControlErrorResponse).RequestID != "r1" {
		t.Errorf("%v", err)
	}
	for _, response := range []*types.ControlResponse{
		nil, {}, {Response: (*types.ControlErrorResponse)(nil)}, {Response: (*types.ControlSuccessResponse)(nil)},
	} {
		if _, err := types.UnwrapResponse(types.InterruptRequest{}, response); err == nil {
			t.Errorf("%+v passed for an answer", response)
		}
	}
}

func TestARequestIsAnsweredOrRefusedByItsEnvelope(t *testing.T) {
	asked := must(types.UnmarshalWireMessage([]byte(`{"type":"control_request","request_id":"r2","request":` +
		requests[types.ControlSubtypeCanUseTool] + `}`))).(*types.ControlRequest)
	request, _ := asked.Request.AsCanUseTool()
	expectJSON(t, must(types.Reply(asked, request, *types.NewPermissionAllow(request.Input))),
		`{"type":"control_response","response":{"subtype":"success","request_id":"r2",`+
			`"response":{"behavior":"allow","updatedInput":{"command":"ls"}}}}`)
	expectJSON(t, must(types.Refuse(asked, "not now")),
		`{"type":"control_response","response":{"subtype":"error","request_id":"r2","error":"not now"}}`)
	if _, err := types.Reply(asked, types.InterruptRequest{}, nil); err == nil {
		t.Error("the answer to another request passed")
	}
	var fault *types.EncodeError
	if _, err := types.Reply(asked, request, types.PermissionResult{Behavior: "perhaps"}); !errors.As(err, &fault) {
		t.Errorf("%v", err)
	}
	interrupt := types.WrapRequest("r3", types.InterruptRequest{})
	if _, err := types.Reply(interrupt, types.InterruptRequest{}, nil); !errors.As(err, &fault) || fault.Code != types.CodeMissingField {
		t.Errorf("the newest release always has a result: %v", err)
	}
	expectJSON(t, must(types.Reply(interrupt, types.InterruptRequest{}, &types.InterruptResponse{StillQueued: []string{}})),
		`{"type":"control_response","response":{"subtype":"success","request_id":"r3","response":{"still_queued":[]}}}`)
	if _, err := types.Reply(nil, request, types.PermissionResult{}); err == nil {
		t.Error("an answer to nothing")
	}
	if _, err := types.Refuse(nil, ""); err == nil {
		t.Error("a refusal of nothing")
	}
}
