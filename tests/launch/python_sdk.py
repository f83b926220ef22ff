"""Records of options → the same options under the names of the official Python SDK, if it has them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from launch.records import Record

Json: TypeAlias = "dict[str, Any]"

NAMES = {
    "additionalDirectories": "add_dirs",
    "agents": "agents",
    "allowedTools": "allowed_tools",
    "betas": "betas",
    "canUseTool": "can_use_tool",
    "continue": "continue_conversation",
    "cwd": "cwd",
    "disallowedTools": "disallowed_tools",
    "effort": "effort",
    "enableFileCheckpointing": "enable_file_checkpointing",
    "env": "env",
    "extraArgs": "extra_args",
    "fallbackModel": "fallback_model",
    "forkSession": "fork_session",
    "forwardSubagentText": "forward_subagent_text",
    "hooks": "hooks",
    "includeHookEvents": "include_hook_events",
    "includePartialMessages": "include_partial_messages",
    "loadTimeoutMs": "load_timeout_ms",
    "maxBudgetUsd": "max_budget_usd",
    "maxThinkingTokens": "max_thinking_tokens",
    "maxTurns": "max_turns",
    "mcpServers": "mcp_servers",
    "model": "model",
    "outputFormat": "output_format",
    "pathToClaudeCodeExecutable": "cli_path",
    "permissionMode": "permission_mode",
    "permissionPromptToolName": "permission_prompt_tool_name",
    "plugins": "plugins",
    "resume": "resume",
    "resumeDropsTurn": "resume_drops_turn",
    "resumeSessionAt": "resume_session_at",
    "sandbox": "sandbox",
    "sessionId": "session_id",
    "sessionStoreFlush": "session_store_flush",
    "settingSources": "setting_sources",
    "settings": "settings",
    "skills": "skills",
    "stderr": "stderr",
    "strictMcpConfig": "strict_mcp_config",
    "systemPrompt": "system_prompt",
    "taskBudget": "task_budget",
    "thinking": "thinking",
    "tools": "tools",
    "verbatimPrompts": "verbatim_prompts",
}
"""The options that the SDK has → their names in the SDK."""

_MOST = 1e21
"""From this number on, JavaScript writes integers with an exponent, as Python does with floats."""

_KEYS: Mapping[str, Mapping[str, str]] = {
    "agents": {
        key: key
        for key in (
            *("description", "prompt", "tools", "disallowedTools", "model", "skills", "memory", "mcpServers"),
            *("initialPrompt", "maxTurns", "background", "effort", "permissionMode"),
        )
    },
    "hooks": {"matcher": "matcher", "timeout": "timeout", "onFailure": "on_failure"},
    "plugins": {"type": "type", "path": "path"},
    "systemPrompt": {
        **{key: key for key in ("type", "preset", "append", "prompt", "snapshot")},
        "excludeDynamicSections": "exclude_dynamic_sections",
    },
    "thinking": {"type": "type", "budgetTokens": "budget_tokens", "display": "display"},
}
"""The members of values that have other names in the SDK, or of which the SDK has only some."""


def translated(record: Record) -> Record | None:
    """The record with the SDK's names, or None if the SDK lacks a part of it."""
    try:
        options = {NAMES[name]: _whole(_value(name, value)) for name, value in record.options.items()}
        functions = {_place(place): count for place, count in record.functions.items()}
    except KeyError:
        return None
    return Record(options, functions)


def _place(place: str) -> str:
    _, first, *rest = place.split("/")
    return "/".join(("", NAMES[first], *rest))


def _value(name: str, value: Any) -> Any:
    """The value with the SDK's names; `KeyError` if it has none."""
    keys = _KEYS.get(name)
    match name, value:
        case "settings", dict():
            raise KeyError(name)
        case "systemPrompt", list() | {"prompt": list()}:
            raise KeyError(name)
        case "thinking", {"type": "enabled"} if "budgetTokens" not in value:
            raise KeyError(name)
        case "agents", dict() if keys is not None:
            return {key: _renamed(each, keys) for key, each in value.items()}
        case "hooks", dict() if keys is not None:
            return {key: [_renamed(each, keys) for each in matchers] for key, matchers in value.items()}
        case "plugins", list() if keys is not None:
            return [_renamed(each, keys) for each in value]
        case _, dict() if keys is not None:
            return _renamed(value, keys)
    return value


def _whole(value: Any) -> Any:
    """The value with whole numbers as integers: 1, not 1.0."""
    if isinstance(value, dict):
        return {key: _whole(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_whole(item) for item in value]
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return value
    number = float(value)
    return int(number) if number.is_integer() and abs(number) < _MOST else number


def _renamed(value: Json, keys: Mapping[str, str]) -> Json:
    return {keys[key]: item for key, item in value.items()}
