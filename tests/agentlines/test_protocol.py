"""The described protocol has the types that upstream declares: none is missing, and none has a wrong tag."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from polywire.checks import Report
from polywire.model.nodes import Dispatch, Keys, Leaf, Model, Switch
from polywire.source.types import Ref

Answers = dict[tuple[str | bool, ...], str]


def answers(dispatch: Dispatch, values: tuple[str | bool, ...] = ()) -> Iterator[tuple[tuple[str | bool, ...], str]]:
    """Yield every struct that a dispatch selects, with the discriminator values that select it."""
    match dispatch:
        case Leaf(struct):
            yield values, struct
        case Switch(cases=cases, absent=absent):
            for value, then in cases:
                yield from answers(then, (*values, value))
            if absent is not None:
                yield from answers(absent, values)
        case Keys(cases=cases):
            for _, then in cases:
                yield from answers(then, values)


def members(model: Model, union: str) -> Answers:
    return dict(answers(model.union(union).dispatch))


def values(model: Model, enum: str) -> list[str | int]:
    return [value.wire for value in model.enum(enum).values]


# --- messages --------------------------------------------------------------------------------------------------

RESULT_ERRORS = [
    "error_during_execution",
    "error_max_turns",
    "error_max_budget_usd",
    "error_max_structured_output_retries",
]

CONVERSATION: Answers = {
    ("assistant",): "AssistantMessage",
    ("user",): "UserMessage",
    ("user", True): "UserMessageReplay",
    ("result", "success"): "ResultSuccess",
    **{("result", subtype): "ResultError" for subtype in RESULT_ERRORS},
    ("system", "init"): "SystemInitMessage",
    ("system", "status"): "StatusMessage",
    ("system", "compact_boundary"): "CompactBoundaryMessage",
    ("system", "hook_started"): "HookStartedMessage",
    ("system", "hook_progress"): "HookProgressMessage",
    ("system", "hook_response"): "HookResponseMessage",
    ("system", "task_notification"): "TaskNotificationMessage",
    ("system", "files_persisted"): "FilesPersistedEvent",
    ("stream_event",): "PartialAssistantMessage",
    ("tool_progress",): "ToolProgressMessage",
    ("auth_status",): "AuthStatusMessage",
    ("tool_use_summary",): "ToolUseSummaryMessage",
}

CONTROL_LINES: Answers = {
    ("control_response",): "ControlResponse",
    ("control_request",): "ControlRequest",
    ("control_cancel_request",): "ControlCancelRequest",
    ("keep_alive",): "KeepAliveMessage",
}

STREAMLINED: Answers = {
    ("streamlined_text",): "StreamlinedTextMessage",
    ("streamlined_tool_use_summary",): "StreamlinedToolUseSummaryMessage",
}


def test_the_conversation_has_its_sixteen_variants_with_the_result_in_two_halves(model: Model) -> None:
    found = members(model, "SDKMessage")
    assert found == CONVERSATION
    assert len(set(found.values()) - {"ResultError"}) == 16


LATER_CONVERSATION: Answers = {
    ("system", "task_started"): "TaskStartedMessage",
    ("system", "task_progress"): "TaskProgressMessage",
    ("system", "task_updated"): "TaskUpdatedMessage",
    ("system", "background_tasks_changed"): "BackgroundTasksChangedMessage",
    ("system", "api_retry"): "APIRetryMessage",
    ("system", "thinking_tokens"): "ThinkingTokensMessage",
    ("system", "model_refusal_fallback"): "ModelRefusalFallbackMessage",
    ("system", "model_refusal_no_fallback"): "ModelRefusalNoFallbackMessage",
    ("system", "model_fallback"): "ModelFallbackMessage",
    ("system", "informational"): "InformationalMessage",
    ("system", "notification"): "NotificationMessage",
    ("system", "local_command_output"): "LocalCommandOutputMessage",
    ("system", "commands_changed"): "CommandsChangedMessage",
    ("system", "permission_denied"): "PermissionDeniedMessage",
    ("system", "memory_recall"): "MemoryRecallMessage",
    ("system", "session_state_changed"): "SessionStateChangedMessage",
    ("system", "session_title_changed"): "SessionTitleChangedMessage",
    ("system", "mirror_error"): "MirrorErrorMessage",
    ("system", "session_writes_lost"): "SessionWritesLostMessage",
    ("system", "plugin_install"): "PluginInstallMessage",
    ("system", "worker_shutting_down"): "WorkerShuttingDownMessage",
    ("system", "control_request_progress"): "ControlRequestProgressMessage",
    ("system", "elicitation_complete"): "ElicitationCompleteMessage",
    ("rate_limit_event",): "RateLimitEvent",
    ("prompt_suggestion",): "PromptSuggestionMessage",
    ("conversation_reset",): "ConversationResetMessage",
}

UNDECLARED_CONVERSATION: Answers = {
    ("system", "code_change_published"): "CodeChangePublishedMessage",
    ("system", "vcs_state_changed"): "VcsStateChangedMessage",
    ("system", "shell_cwd"): "ShellCwdMessage",
    ("system", "feedback_draft_queued"): "FeedbackDraftQueuedMessage",
    ("system", "ui_invalidate"): "UiInvalidateMessage",
    ("system", "ui_log"): "UiLogMessage",
    ("system", "ui_toast"): "UiToastMessage",
    ("system", "ui_notify"): "UiNotifyMessage",
    ("system", "ui_notify_cancel"): "UiNotifyCancelMessage",
    ("system", "ui_status"): "UiStatusMessage",
    ("system", "ui_panes"): "UiPanesMessage",
    ("system", "ui_placed"): "UiPlacedMessage",
    ("system", "ui_scroll"): "UiScrollMessage",
    ("system", "ui_focus"): "UiFocusMessage",
    ("system", "cloud_session_delta"): "CloudSessionDeltaMessage",
    ("system", "dev_intent"): "DevIntentMessage",
    ("system", "task_list_statuses"): "TaskListStatusesMessage",
    ("system", "turn_handoff_available"): "TurnHandoffAvailableMessage",
    ("system", "turn_preempted"): "TurnPreemptedMessage",
    ("system", "peer_message_hold"): "PeerMessageHoldMessage",
    ("system", "per_turn_effort_changed"): "PerTurnEffortChangedMessage",
    ("system", "permission_check_status"): "PermissionCheckStatusMessage",
    ("system", "inherited_asks_settled"): "InheritedAsksSettledMessage",
    ("system", "late_allow_not_run"): "LateAllowNotRunMessage",
    ("system", "instruction_size_warning"): "InstructionSizeWarningMessage",
    ("system", "file_attachments_missing"): "FileAttachmentsMissingMessage",
    ("system", "post_turn_summary"): "PostTurnSummaryMessage",
    ("system", "task_summary"): "TaskSummaryMessage",
    ("system", "session_metadata"): "SessionMetadataMessage",
}
"""Lines that no declaration has, but the schemas in the newest program."""

LATER_LINES: Answers = {
    ("active_goal",): "ActiveGoalMessage",
    ("command_lifecycle",): "CommandLifecycleMessage",
    ("autocompact_state",): "AutocompactStateMessage",
    ("transcript_mirror",): "TranscriptMirrorMessage",
}


@pytest.mark.full
def test_the_newest_release_has_all_lines_but_the_streamlined_ones_and_many_more(newest: Model) -> None:
    conversation = CONVERSATION | LATER_CONVERSATION | UNDECLARED_CONVERSATION
    assert members(newest, "SDKMessage") == conversation
    assert members(newest, "StdoutMessage") == conversation | LATER_LINES | CONTROL_LINES


def test_undeclared_lines_are_marked_as_observed(newest: Model) -> None:
    assert all(newest.struct(name).about.observed for name in UNDECLARED_CONVERSATION.values())


@pytest.mark.full
def test_all_releases_together_have_the_lines_of_every_one(span: Model) -> None:
    conversation = CONVERSATION | LATER_CONVERSATION | UNDECLARED_CONVERSATION
    every = conversation | LATER_LINES | CONTROL_LINES | STREAMLINED
    assert members(span, "StdoutMessage") == every


def test_the_cli_writes_the_conversation_the_streamlined_lines_and_control_lines(model: Model) -> None:
    assert members(model, "StdoutMessage") == {**CONVERSATION, **STREAMLINED, **CONTROL_LINES}


def test_a_client_writes_user_messages_control_lines_and_environment_variables(model: Model) -> None:
    environment: Answers = {("update_environment_variables",): "UpdateEnvironmentVariablesMessage"}
    assert members(model, "StdinMessage") == {("user",): "UserMessage", **CONTROL_LINES, **environment}


def test_the_newest_release_reads_three_more_lines(model: Model, newest: Model) -> None:
    assert members(newest, "StdinMessage") == members(model, "StdinMessage") | {
        ("bash_command",): "BashCommandMessage",
        ("queued_notification",): "QueuedNotificationMessage",
        ("session_notice",): "SessionNoticeMessage",
    }


def test_wire_messages_are_the_lines_of_both_directions(model: Model) -> None:
    both = members(model, "StdoutMessage") | members(model, "StdinMessage")
    assert members(model, "WireMessage") == both
    assert model.protocol.roots[0] == "WireMessage"


def test_every_message_is_a_line_and_says_who_sends_it(model: Model) -> None:
    out, into = set(members(model, "StdoutMessage").values()), set(members(model, "StdinMessage").values())
    senders = {struct.name: struct.origin for struct in model.structs if struct.section == "messages"}
    assert senders == {
        name: "both" if name in out and name in into else "cli" if name in out else "sdk" for name in out | into
    }


def test_an_error_subtype_of_a_later_version_is_still_an_error_result(span: Model) -> None:
    dispatch = span.union("ResultMessage").dispatch
    assert isinstance(dispatch, Switch)
    assert dispatch.others == (("error_*", "ResultError"),)


# --- control ---------------------------------------------------------------------------------------------------

CONTROLS = {
    "initialize": ("sdk", "InitializeResponse"),
    "interrupt": ("sdk", None),
    "set_permission_mode": ("sdk", "SetPermissionModeResponse"),
    "set_model": ("sdk", None),
    "set_max_thinking_tokens": ("sdk", None),
    "mcp_status": ("sdk", "McpStatusResponse"),
    "rewind_files": ("sdk", "RewindFilesResult"),
    "mcp_set_servers": ("sdk", "McpSetServersResult"),
    "mcp_reconnect": ("sdk", None),
    "mcp_toggle": ("sdk", None),
    "can_use_tool": ("cli", "PermissionResult"),
    "hook_callback": ("cli", "HookJSONOutput"),
    "mcp_message": ("both", "McpMessageResponse"),
}
"""The thirteen controls that upstream declares: the origin of the request, and the type of the response's payload."""


def test_the_thirteen_declared_controls_and_that_of_newer_clients_have_their_direction_and_their_answer(
    model: Model,
) -> None:
    found = {
        control.key: (control.origin, control.response.name if isinstance(control.response, Ref) else control.response)
        for control in model.controls
    }
    assert found == {**CONTROLS, "stop_task": ("sdk", None)}
    assert len(CONTROLS) == 13


def test_only_answers_that_came_without_a_payload_may_lack_it(model: Model) -> None:
    optional = {control.key for control in model.controls if control.response and control.response_optional}
    assert optional == {"set_permission_mode", "mcp_message"}


NEWEST_CONTROLS = {
    "initialize": ("sdk", "InitializeResponse"),
    "interrupt": ("sdk", "InterruptResponse"),
    "set_permission_mode": ("sdk", "SetPermissionModeResponse"),
    "set_model": ("sdk", "SetModelResponse"),
    "set_max_thinking_tokens": ("sdk", None),
    "rename_session": ("sdk", None),
    "set_color": ("sdk", None),
    "mcp_status": ("sdk", "McpStatusResponse"),
    "get_context_usage": ("sdk", "GetContextUsageResponse"),
    "get_session_cost": ("sdk", "GetSessionCostResponse"),
    "list_models": ("sdk", "ListModelsResponse"),
    "get_usage": ("sdk", "GetUsageResponse"),
    "get_binary_version": ("sdk", "GetBinaryVersionResponse"),
    "mcp_call": ("sdk", "McpCallResponse"),
    "mcp_read_resource": ("sdk", "McpReadResourceResponse"),
    "file_suggestions": ("sdk", "FileSuggestionsResponse"),
    "rewind_files": ("sdk", "RewindFilesResult"),
    "cancel_async_message": ("sdk", "CancelAsyncMessageResponse"),
    "read_file": ("sdk", "ReadFileResponse"),
    "seed_read_state": ("sdk", None),
    "mcp_set_servers": ("sdk", "McpSetServersResult"),
    "mcp_reconnect": ("sdk", None),
    "mcp_toggle": ("sdk", None),
    "register_repo_root": ("sdk", "RegisterRepoRootResponse"),
    "reload_plugins": ("sdk", "ReloadPluginsResponse"),
    "reload_skills": ("sdk", "ReloadSkillsResponse"),
    "reload_output_styles": ("sdk", "ReloadOutputStylesResponse"),
    "set_has_subscribers": ("sdk", None),
    "stop_task": ("sdk", "EmptyResponse"),
    "background_tasks": ("sdk", "BackgroundTasksResponse"),
    "get_task_output": ("sdk", "GetTaskOutputResponse"),
    "apply_flag_settings": ("sdk", None),
    "get_settings": ("sdk", "GetSettingsResponse"),
    "update_settings": ("sdk", "EmptyResponse"),
    "get_hooks_listing": ("sdk", "GetHooksListingResponse"),
    "list_permission_rules": ("sdk", "ListPermissionRulesResponse"),
    "can_use_tool": ("cli", "PermissionResult"),
    "hook_callback": ("cli", "HookJSONOutput"),
    "elicitation": ("cli", "ElicitationResult"),
    "request_user_dialog": ("cli", "UserDialogResult"),
    "mcp_message": ("both", "McpMessageResponse"),
}
"""The controls that upstream declares today: the origin of the request, and the type of the response's payload."""

NEWEST_OBSERVED_CONTROLS = {
    "generate_session_title": ("sdk", "GenerateSessionTitleResponse"),
    "set_mcp_permission_mode_override": ("sdk", "SetMcpPermissionModeOverrideResponse"),
}


def test_the_newest_release_has_forty_one_declared_controls_and_two_observed_ones(
    newest: Model,
) -> None:
    found = {
        control.key: (control.origin, control.response.name if isinstance(control.response, Ref) else control.response)
        for control in newest.controls
    }
    assert found == {**NEWEST_CONTROLS, **NEWEST_OBSERVED_CONTROLS}
    assert len(NEWEST_CONTROLS) == 41
    assert {control.key for control in newest.controls if control.about.observed} == NEWEST_OBSERVED_CONTROLS.keys()


def test_only_answers_of_the_newest_release_that_came_without_a_payload_may_lack_it(newest: Model) -> None:
    optional = {control.key for control in newest.controls if control.response and control.response_optional}
    assert optional == {
        "set_permission_mode",
        "set_mcp_permission_mode_override",
        "set_model",
        "stop_task",
        "mcp_message",
    }


def test_an_answer_that_only_some_releases_give_may_be_missing_in_all_together(span: Model) -> None:
    interrupt = next(control for control in span.controls if control.key == "interrupt")
    assert interrupt.response == Ref("InterruptResponse")
    assert interrupt.response_optional


def test_the_request_of_every_control_answers_to_its_key(span: Model) -> None:
    inner = members(span, "ControlRequestInner")
    assert inner == {(control.key,): control.request for control in span.controls}


# --- hooks, tools, options -------------------------------------------------------------------------------------


def test_the_fifteen_hook_inputs_answer_to_their_events(model: Model) -> None:
    inputs = members(model, "HookInput")
    assert inputs == {(event,): f"{event}HookInput" for event in values(model, "HookEvent")}
    assert len(inputs) == 15


def test_a_hook_specific_output_answers_to_one_of_the_events(model: Model) -> None:
    outputs = members(model, "HookSpecificOutput")
    assert outputs == {(event,): f"{event}HookSpecificOutput" for (event,) in outputs}
    assert {event for (event,) in outputs} <= set(values(model, "HookEvent"))
    assert len(outputs) == 9


def test_the_newest_release_has_thirty_four_hook_inputs_and_twenty_three_specific_outputs(newest: Model) -> None:
    inputs, outputs = members(newest, "HookInput"), members(newest, "HookSpecificOutput")
    assert inputs == {(event,): f"{event}HookInput" for event in values(newest, "HookEvent")}
    assert outputs == {(event,): f"{event}HookSpecificOutput" for (event,) in outputs}
    assert outputs.keys() <= inputs.keys()
    assert (len(inputs), len(outputs)) == (34, 23)


TOOLS = {
    "Task": "AgentInput",
    "Bash": "BashInput",
    "TaskOutput": "TaskOutputInput",
    "ExitPlanMode": "ExitPlanModeInput",
    "Edit": "FileEditInput",
    "Read": "FileReadInput",
    "Write": "FileWriteInput",
    "Glob": "GlobInput",
    "Grep": "GrepInput",
    "TaskStop": "TaskStopInput",
    "ListMcpResourcesTool": "ListMcpResourcesInput",
    "mcp__*": "McpInput",
    "NotebookEdit": "NotebookEditInput",
    "ReadMcpResourceTool": "ReadMcpResourceInput",
    "TodoWrite": "TodoWriteInput",
    "WebFetch": "WebFetchInput",
    "WebSearch": "WebSearchInput",
    "AskUserQuestion": "AskUserQuestionInput",
    "Config": "ConfigInput",
}


def test_the_nineteen_tool_inputs_are_tied_to_the_names_of_their_tools(model: Model) -> None:
    assert {tool.pattern: tool.input for tool in model.tools} == {name: Ref(input_) for name, input_ in TOOLS.items()}
    assert len(set(TOOLS.values())) == 19


OPTIONS = """
    abortController additionalDirectories agent agents allowDangerouslySkipPermissions allowedTools betas canUseTool
    continue cwd debug debugFile disallowedTools enableFileCheckpointing env executable executableArgs extraArgs
    fallbackModel forkSession hooks includePartialMessages maxBudgetUsd maxThinkingTokens maxTurns mcpServers model
    outputFormat pathToClaudeCodeExecutable permissionMode permissionPromptToolName persistSession plugins resume
    resumeSessionAt sandbox sessionId settingSources spawnClaudeCodeProcess stderr strictMcpConfig systemPrompt tools
"""
OPTIONS_THAT_STAY = {"abortController", "canUseTool", "spawnClaudeCodeProcess", "stderr"}
"""Functions and live objects of the client's program, which are not sent."""


def test_there_are_the_forty_three_options_none_of_them_required(model: Model) -> None:
    fields = model.struct("QueryOptions").fields
    assert sorted(field.name for field in fields) == OPTIONS.split()
    assert len(OPTIONS.split()) == 43
    assert not any(field.required for field in fields)


def test_options_travel_unless_they_are_functions_or_live_objects(model: Model) -> None:
    stay = {field.name for field in model.struct("QueryOptions").fields if not field.travels}
    assert stay == OPTIONS_THAT_STAY


NEWEST_OPTIONS = """
    abortController additionalDirectories agent agentProgressSummaries agents allowDangerouslySkipPermissions
    allowedTools betas canUseTool continue cwd debug debugFile disallowedTools effort enableFileCheckpointing env
    executable executableArgs extraArgs fallbackModel forkSession forwardSubagentText hooks includeHookEvents
    includePartialMessages loadTimeoutMs managedSettings maxBudgetUsd maxThinkingTokens maxTurns mcpServers
    mcpServersDelivery model onElicitation onUserDialog outputFormat pathToClaudeCodeExecutable
    perTaskStopAffordance permissionMode permissionPromptToolName permissionPrompts persistSession
    planModeInstructions pluginDelivery plugins projectConfigRoot promptSuggestions resume resumeDropsTurn
    resumeSessionAt sandbox sessionId sessionStore sessionStoreFlush settingSources settings skills
    spawnClaudeCodeProcess stderr strictMcpConfig supportedDialogKinds systemPrompt taskBudget thinking title
    toolAliases toolConfig tools verbatimPrompts
"""
NEWEST_OPTIONS_THAT_STAY = {
    "abortController",
    "canUseTool",
    "onElicitation",
    "onUserDialog",
    "sessionStore",
    "spawnClaudeCodeProcess",
    "stderr",
}


def test_the_newest_release_has_seventy_options_none_of_them_required(newest: Model) -> None:
    fields = newest.struct("QueryOptions").fields
    assert sorted(field.name for field in fields) == NEWEST_OPTIONS.split()
    assert len(NEWEST_OPTIONS.split()) == 70
    assert not any(field.required for field in fields)
    assert {field.name for field in fields if not field.travels} == NEWEST_OPTIONS_THAT_STAY


# --- streams ---------------------------------------------------------------------------------------------------


def test_there_are_six_events_of_a_stream_and_five_deltas_of_a_block(model: Model) -> None:
    assert members(model, "RawMessageStreamEvent") == {
        ("message_start",): "MessageStartEvent",
        ("message_delta",): "MessageDeltaEvent",
        ("message_stop",): "MessageStopEvent",
        ("content_block_start",): "ContentBlockStartEvent",
        ("content_block_delta",): "ContentBlockDeltaEvent",
        ("content_block_stop",): "ContentBlockStopEvent",
    }
    assert members(model, "ContentBlockDelta") == {
        ("text_delta",): "TextDelta",
        ("input_json_delta",): "InputJSONDelta",
        ("citations_delta",): "CitationsDelta",
        ("thinking_delta",): "ThinkingDelta",
        ("signature_delta",): "SignatureDelta",
    }


# --- vocabulary ------------------------------------------------------------------------------------------------

VOCABULARY = {
    "MessageType": ("SDKMessage", 0, 8),
    "SystemSubtype": ("SystemMessage", 0, 8),
    "ResultSubtype": ("ResultMessage", 0, 5),
    "ControlRequestSubtype": ("ControlRequestInner", 0, 14),
    "HookEvent": ("HookInput", 0, 15),
}
"""Enums that repeat the tags of a union, for dispatch by hand: union, depth of the tag, number of values."""


@pytest.mark.parametrize("enum", VOCABULARY)
def test_an_enum_of_tags_has_the_values_that_the_unions_variants_answer_to(enum: str, model: Model) -> None:
    union, depth, count = VOCABULARY[enum]
    tags = {tag[depth] for tag in members(model, union)}
    assert set(values(model, enum)) == tags
    assert len(values(model, enum)) == count


@pytest.mark.parametrize("enum", VOCABULARY)
def test_an_enum_of_tags_has_every_tag_of_all_releases(enum: str, span: Model) -> None:
    union, depth, _ = VOCABULARY[enum]
    assert set(values(span, enum)) == {tag[depth] for tag in members(span, union)}


def test_error_subtypes_are_the_result_subtypes_without_success(model: Model) -> None:
    assert values(model, "ResultErrorSubtype") == [*values(model, "ResultSubtype")[1:]] == RESULT_ERRORS


def test_permission_modes_and_exit_reasons_are_complete(model: Model) -> None:
    assert values(model, "PermissionMode") == [
        "default",
        "acceptEdits",
        "bypassPermissions",
        "plan",
        "delegate",
        "dontAsk",
    ]
    assert values(model, "ExitReason") == [
        "clear",
        "logout",
        "prompt_input_exit",
        "other",
        "bypass_permissions_disabled",
    ]


def test_only_enums_and_unions_that_cannot_grow_are_closed(span: Model) -> None:
    assert [enum.name for enum in span.enums if not enum.open] == []
    assert [union.name for union in span.unions if not union.open] == [
        "AnyUserMessage",
        "HookJSONOutput",
        "McpCallStaging",
    ]


# --- docs and findings -----------------------------------------------------------------------------------------


def test_the_strictest_check_finds_nothing(report: Report) -> None:
    assert report.render() == ""
    assert report.findings == ()


def test_every_declaration_value_control_and_tool_says_what_it_is_and_where_that_is_from(span: Model) -> None:
    made = {control.request for control in span.controls}
    declared = [each for each in span.declarations.values() if each.name not in made]
    described = [
        *declared,
        *(value for enum in span.enums for value in enum.values),
        *span.controls,
        *span.tools,
    ]
    assert [each for each in described if not each.about.doc] == []
    assert [each.name for each in declared if not each.about.source] == UNSOURCED


UNSOURCED = ["AnyUserMessage", "WireMessage"]
"""Unions that upstream does not declare."""


def test_every_option_and_every_observed_field_is_explained(span: Model) -> None:
    options = [field for struct in span.structs if struct.section == "options" for field in struct.fields]
    observed = [field for struct in span.structs for field in struct.fields if field.about.observed]
    assert [field.name for field in [*options, *observed] if not field.about.doc] == []
    assert [field.name for field in observed if not field.about.source] == []


def test_docs_are_sentences(span: Model) -> None:
    docs = [declaration.about.doc or "." for declaration in span.declarations.values()]
    docs += [field.about.doc or "." for struct in span.structs for field in struct.fields]
    assert [doc for doc in docs if doc.rstrip("`\"'")[-1] not in ".?!"] == []


def test_the_spec_names_every_part_that_is_there(root: Path, span: Model) -> None:
    written = {path.name for path in (root / "spec").glob("*.yaml")}
    used = {each.place.file for each in (*span.declarations.values(), *span.tables)}
    assert written - used == {"protocol.yaml"}
