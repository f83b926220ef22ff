"""Faults of sessions in the TypeScript and Go runtimes, as text replacements; `planted` has those of Python."""

from __future__ import annotations

from collections.abc import Mapping

NOTICED = {
    "gives an id that is pending away": "id_in_use answered/cancel_again",
    "skips every other id": "jsonrpc/ids_are_counted",
    "draws ids that are pending": "jsonrpc/ids_skip_what_is_pending answered/ids_are_counted",
    "spends an id on what is not sent": "jsonrpc/ids_are_not_spent_on_what_fails",
    "compares ids as text": "jsonrpc/ids_of_two_kinds jsonrpc/ids_of_two_kinds_of_the_peer",
    "keeps answered requests pending": "answer answer_twice error_to_a_request answer_missing",
    "calls late answers repeated": "cancel jsonrpc/cancel",
    "calls repeated answers late": "answer_twice",
    "forgets cancelled requests": "cancel cancel_then_error jsonrpc/cancel",
    "ends a cancelled request that is still answered": "answered/cancel answered/cancel_again",
    "leaves a cancelled request pending": "cancel cancel_what_is_not_pending jsonrpc/cancel",
    "takes the answer to a cancelled request": "answered/cancel",
    "remembers no more than a thousand": "memory_of_answered_requests answered/memory",
    "remembers everything": "memory_of_answered_requests memory_of_cancelled_requests answered/memory",
    "forgets the newest": "memory_of_answered_requests answered/memory",
    "remembers an id from its first end": "memory_of_an_id_used_again",
    "remembers strays": "memory_is_not_of_what_was_received",
    "answers twice": "request_answered_once answered/cancellation",
    "refuses twice": "request_answered_once jsonrpc/refuse",
    "answers what was cancelled": "cancellation jsonrpc/cancellation",
    "drops what is still to be answered": "answered/cancellation answered/cancellation_again",
    "closes a request before its reply is made": "reply_of_another_type jsonrpc/reply_of_another_type",
    "takes a second request under an id": "id_reused_by_the_peer jsonrpc/ids_are_numbers_of_the_peer",
    "leaves unknown requests to the program": "unknown_request jsonrpc/unknown_request answered/unknown_request",
    "refuses unknown requests though the program answers them": "unknown_request_left_to_the_program"
    " jsonrpc/unknown_request_left_to_the_program",
    "answers requests of its own side": "request_in_the_wrong_direction jsonrpc/request_in_the_wrong_direction",
    "refuses unknown requests with the code of refusals": "jsonrpc/request_in_the_wrong_direction",
    "sends requests of the other side": "asked_in_the_wrong_direction jsonrpc/notify",
    "takes an error without an id for an answer": "jsonrpc/error_without_an_id",
    "takes every error for a failure": "error_to_an_unknown_id error_after_an_answer",
    "takes an answer that does not fit": "answer_of_another_type jsonrpc/answer_that_does_not_fit",
    "takes a cancellation for a notification": "jsonrpc/cancellation",
    "lists what is pending in another order": "order",
    "takes an error for an answer": "error_to_a_request jsonrpc/error_with_data",
}
"""Fault → scripts that must detect it: `jsonrpc/NAME`, `answered/NAME`, or `NAME` for the spec of this repository."""


def _in(text: str, old: str, new: str) -> Mapping[str, str]:
    """Replace a part that occurs once in a text."""
    assert text.count(old) == 1
    return {text: text.replace(old, new)}


_TAKEN = "    if (id !== undefined && this.#pending.has(id)) {\n"
_DRAWN = "      if (!this.#pending.has(id)) return [id, count];\n"
_COUNTS = "    this.#count = count;\n    this.#ended.delete(drawn);\n"
_CHECKS = '    this.#checkDirection("request", kind);\n'
_TEXTUAL = """  #pending = new (class extends Map {
    get(id) { return super.get(String(id)); }
    has(id) { return super.has(String(id)); }
    set(id, value) { return super.set(String(id), value); }
    delete(id) { return super.delete(String(id)); }
  })();
"""
_TEXTUAL_TOO = _TEXTUAL.replace("#pending", "#unanswered")
_ENDS = '    this.#end(id, asked.cancelled ? "late" : "repeated");\n'
_CANCELS = '    if (answered) asked.cancelled = true;\n    else this.#end(id, "late");\n'
_LATE = '    if (asked.cancelled) return { event: "stray", id, reason: "late", message };\n'
_FORGETS = "    if (this.#ended.size > REMEMBERED) this.#ended.delete(this.#ended.keys().next().value);\n"
_STRAY = 'return { event: "stray", id, reason: this.#ended.get(id) ?? "unknown", message };\n'
_REPLIES = "    const line = encode(replyAs("
_REPLIED = "result), this.#table.response.envelope);\n    this.#unanswered.delete(id);\n"
_REFUSED = "message, details);\n    this.#unanswered.delete(id);\n"
_REUSED = '    if (this.#unanswered.has(id)) return { event: "stray"'
_KNOWN = "    if (this.#known.has(kind) || !this.#refuses) {\n"
_CANCELLED = "    if (!this.#table.answered) this.#unanswered.delete(id);\n"
_NO_ID = "    if (isFailure && (id === null || id === undefined)) {\n"
_INVALID = 'return { event: "invalid_answer", id, request, error, message };\n'
_NOTICE = "    if (cancel !== null && isNotice && at(payload"

TYPESCRIPT = {
    "gives an id that is pending away": _in(_TAKEN, "this.#pending.has(id)", "false"),
    "skips every other id": _in(_COUNTS, "= count;", "= count + 1;"),
    "draws ids that are pending": _in(_DRAWN, "!this.#pending.has(id)", "true"),
    "spends an id on what is not sent": {_CHECKS: "    this.#count += 1;\n" + _CHECKS},
    "compares ids as text": {"  #pending = new Map();\n": _TEXTUAL, "  #unanswered = new Map();\n": _TEXTUAL_TOO},
    "keeps answered requests pending": {_ENDS: ""},
    "calls late answers repeated": _in(_CANCELS, '"late"', '"repeated"'),
    "calls repeated answers late": _in(_ENDS, 'asked.cancelled ? "late" : "repeated"', '"late"'),
    "forgets cancelled requests": _in(_CANCELS, 'this.#end(id, "late")', "this.#pending.delete(id)"),
    "ends a cancelled request that is still answered": {_CANCELS: '    this.#end(id, "late");\n'},
    "leaves a cancelled request pending": {_CANCELS: "    asked.cancelled = true;\n"},
    "takes the answer to a cancelled request": {_LATE: ""},
    "remembers no more than a thousand": {"const REMEMBERED = 1024;": "const REMEMBERED = 1000;"},
    "remembers everything": {_FORGETS: ""},
    "forgets the newest": _in(_FORGETS, "this.#ended.keys().next().value", "id"),
    "remembers an id from its first end": _in(_COUNTS, "    this.#ended.delete(drawn);\n", ""),
    "remembers strays": {
        _STRAY: '{\n      const reason = this.#ended.get(id) ?? "unknown";\n      this.#end(id, reason);\n'
        '      return { event: "stray", id, reason, message };\n    }\n'
    },
    "answers twice": _in(_REPLIED, "    this.#unanswered.delete(id);\n", ""),
    "refuses twice": _in(_REFUSED, "    this.#unanswered.delete(id);\n", ""),
    "answers what was cancelled": {_CANCELLED: ""},
    "drops what is still to be answered": _in(_CANCELLED, "if (!this.#table.answered) ", ""),
    "closes a request before its reply is made": {_REPLIES: "    this.#unanswered.delete(id);\n" + _REPLIES},
    "takes a second request under an id": _in(_REUSED, "this.#unanswered.has(id)", "false"),
    "leaves unknown requests to the program": _in(_KNOWN, "this.#known.has(kind) || !this.#refuses", "true"),
    "refuses unknown requests though the program answers them": _in(_KNOWN, " || !this.#refuses", ""),
    "answers requests of its own side": {"rows.filter(([, by]) => by !== peer)": "rows"},
    "refuses unknown requests with the code of refusals": {"undefined : codes[1]": "undefined : codes[0]"},
    "sends requests of the other side": {"    if (this.#sends[what].has(kind)) return;\n": "    return;\n"},
    "takes an error without an id for an answer": _in(_NO_ID, "id === null || id === undefined", "false"),
    "takes every error for a failure": _in(
        _STRAY,
        "return {",
        'if (isFailure) return { event: "failure", id, ...failureIn(this.#table, message, undefined) };\n'
        "    else return {",
    ),
    "takes an answer that does not fit": {
        _INVALID: 'return { event: "answer", kind, id, request, result: undefined };\n'
    },
    "takes a cancellation for a notification": _in(_NOTICE, "isNotice", "false"),
    "lists what is pending in another order": {
        "({ id, request: payload }));\n": "({ id, request: payload })).reverse();\n"
    },
    "takes an error for an answer": {
        '    if (error !== null && fits(error, "message")) return': "    if (error !== null && false) return"
    },
}
"""Fault → changes of `runtime/session.js`."""

_GO_IN_USE = "\tif _, taken := s.pending[key]; taken {\n\t\treturn id, nil, &SessionError"
_GO_DRAWN = "!taken {\n\t\t\t\tbreak"
_GO_COUNTS = "\tif given == nil {\n\t\ts.drawn = drawn\n\t}\n"
_GO_FREE = "\tif past := s.ended[key]; past != nil {\n\t\ts.past.Remove(past)\n\t\tdelete(s.ended, key)\n\t}\n"
_GO_CANCELS = "\tif found.cancelled = true; !s.by.answered {\n\t\ts.end(key, StrayLate)\n\t}\n"
_GO_ENDS = "\ts.end(key, StrayRepeated)\n"
_GO_LATE = "\tif found.cancelled {\n\t\ts.end(key, StrayLate)\n"
_GO_STRAY = "\tif found == nil {\n\t\treason := StrayUnknown\n"
_GO_TAKE = "\tif now {\n\t\tdelete(s.open, request.key)\n\t}\n"
_GO_CLOSE = "\tif err := s.take(request, false); err != nil {\n"
_GO_REUSED = "\tif s.open[key] != nil {\n\t\treturn &SessionStray"
_GO_OWN = "\tif pair != nil && pair.from == s.peer {\n"
_GO_KNOWN = "\tif pair != nil || s.keepsUnknown {\n"
_GO_CANCELLED = "\tif !s.by.answered {\n\t\tdelete(s.open, key)\n\t}\n"
_GO_REFUSAL = "\tif key == nil {\n\t\treturn &SessionFailure"
_GO_INVALID = "\treturn &SessionInvalidAnswer{found.ID, found.Request, fault, message}\n"
_GO_NOTICE = "notice != nil && s.by.cancelled != nil && resolve(notice"

GO = {
    "gives an id that is pending away": _in(_GO_IN_USE, "; taken {", "; taken && false {"),
    "skips every other id": _in(_GO_COUNTS, "= drawn\n", "= drawn + 1\n"),
    "draws ids that are pending": _in(_GO_DRAWN, "!taken {", "!taken || true {"),
    "spends an id on what is not sent": {
        "\tif !s.sends(pair) {\n\t\treturn id, nil,": "\tif !s.sends(pair) {\n\t\ts.drawn++\n\t\treturn id, nil,"
    },
    "compares ids as text": {"\t\treturn float64(v.Int())\n": "\t\treturn strconv.FormatInt(v.Int(), 10)\n"}
    | {"\t\treturn v.Float()\n": "\t\treturn fmt.Sprint(v.Float())\n"},
    "keeps answered requests pending": {_GO_ENDS: ""},
    "calls late answers repeated": _in(_GO_CANCELS, "StrayLate", "StrayRepeated"),
    "calls repeated answers late": _in(_GO_ENDS, "StrayRepeated", "StrayLate"),
    "forgets cancelled requests": _in(_GO_CANCELS, "s.end(key, StrayLate)", "delete(s.pending, key)"),
    "ends a cancelled request that is still answered": _in(_GO_CANCELS, "; !s.by.answered", "; true"),
    "leaves a cancelled request pending": _in(_GO_CANCELS, "; !s.by.answered", "; false"),
    "takes the answer to a cancelled request": _in(_GO_LATE, "found.cancelled {", "false {"),
    "remembers no more than a thousand": {"const maxPast = 1024\n": "const maxPast = 1000\n"},
    "remembers everything": {"\tif s.past.Len() > maxPast {\n": "\tif false {\n"},
    "forgets the newest": {"s.past.Remove(s.past.Front())": "s.past.Remove(s.past.Back())"},
    "remembers an id from its first end": {_GO_FREE: ""}
    | {"\ts.ended[key] = s.past": "\tif s.ended[key] != nil {\n\t\treturn\n\t}\n\ts.ended[key] = s.past"},
    "remembers strays": _in(
        _GO_STRAY, "\t\treason := StrayUnknown\n", "\t\treason := StrayUnknown\n\t\tdefer s.end(key, StrayUnknown)\n"
    ),
    "answers twice": _in(_GO_TAKE, "now {", "false {"),
    "answers what was cancelled": _in(_GO_CANCELLED, "!s.by.answered", "false"),
    "drops what is still to be answered": _in(_GO_CANCELLED, "!s.by.answered", "true"),
    "closes a request before its reply is made": _in(_GO_CLOSE, "false", "true")
    | {"\treturn line, s.take(request, true)\n": "\treturn line, nil\n"},
    "takes a second request under an id": _in(_GO_REUSED, "!= nil", "!= nil && false"),
    "leaves unknown requests to the program": _in(_GO_KNOWN, "s.keepsUnknown", "true"),
    "refuses unknown requests though the program answers them": _in(_GO_KNOWN, " || s.keepsUnknown", ""),
    "answers requests of its own side": _in(_GO_OWN, "pair != nil && ", "pair != nil && false && "),
    "refuses unknown requests with the code of refusals": {
        "refusing{code: s.by.codes[1]}": "refusing{code: s.by.codes[0]}"
    },
    "sends requests of the other side": {'pair != nil && (pair.from == "" || pair.from == s.peer)': "pair != nil"},
    "takes an error without an id for an answer": _in(_GO_REFUSAL, "key == nil", "false"),
    "takes every error for a failure": {
        "\treturn s.answered(message, field, key), nil\n}\n\n// result processes": "\tif s.pending[key] == nil {\n"
        "\t\treturn &SessionFailure{Err: s.by.refusal(nil, message).(*ControlError)}, nil\n\t}\n"
        "\treturn s.answered(message, field, key), nil\n}\n\n// result processes"
    },
    "takes an answer that does not fit": {_GO_INVALID: "\treturn &SessionAnswer{found.ID, found.Request, nil, nil}\n"},
    "takes a cancellation for a notification": _in(_GO_NOTICE, "notice != nil &&", "false && notice != nil &&"),
    "lists what is pending in another order": {
        "order(found[i]) < order(found[j])": "order(found[j]) < order(found[i])"
    },
    "takes an error for an answer": {"if _, ok := form.find(message, form.message); !ok {": "if true {"},
}
"""Fault → changes of `session.go`."""
