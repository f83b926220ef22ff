"""Faults that ports are known to make, each as a change of the text of the generated Python package.

The table-driven pass of the package has every rule once, in words of its own, so a fault is a line or two there. A
change that does not find its line any more fails the test, and so does one that the written cases do not notice.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class Fault:
    """One fault: what the port does wrong, the changes that make it do so, and cases that must notice."""

    name: str
    file: str
    changes: Mapping[str, str]
    """What stands in the file, once → what the fault puts there."""
    cases: tuple[str, ...]
    """Written cases that notice it, as `group/case`: those of the rule that it breaks."""


def faults() -> list[Fault]:
    """Every fault of the table-driven pass and of streams."""
    return [fault for file, table in _TABLES for fault in _faults(file, table)]


def hasty_faults() -> list[Fault]:
    """Faults of the straight-line code alone, which the table-driven pass of the same package has not."""
    return [fault for file, table in _HASTY for fault in _faults(file, table)]


def orders() -> list[Fault]:
    """Other orders of looking at a document, which are no faults."""
    return list(_faults("_engine.py", ORDERS))


def _faults(file: str, table: _Table) -> Iterator[Fault]:
    for name, (changes, cases) in table.items():
        yield Fault(name, file, changes, tuple(cases.split()))


def planted(fault: Fault, source: str) -> str:
    """The text of the fault's file with the fault in it."""
    for old, new in fault.changes.items():
        if source.count(old) != 1:
            raise ValueError(f"{fault.name}: {source.count(old)} places in {fault.file} have {old!r}, expected one")
        source = source.replace(old, new)
    return source


_Table = dict[str, tuple[dict[str, str], str]]
"""Name → changes, and cases."""


def _in(text: str, old: str, new: str) -> dict[str, str]:
    """The change of a part of some lines, which tell the place."""
    if text.count(old) != 1:
        raise ValueError(f"{text!r} has {old!r} {text.count(old)} times")
    return {text: text.replace(old, new)}


# --- what is unknown -------------------------------------------------------------------------------------------

_UNION = """\
            elif choice.doubt is None:
                made = self.reader(struct)(run, value, path)
"""
_DOUBT = "                except Fault:  # an unknown value of a known form, but not the body of that form\n"
_NO_TAG = """\
        if key not in self.members:
            if absent is None:
                raise _missing(key, self.path)
"""
_TAG = "        tag, place = self.members[key], (*self.path, key)\n"
_UNTOUCHED = '        return self.decoder.build("unknown", unknown, self.tags, self.members)\n'
_CHOSEN = '            run.variant = struct or "Unknown"\n'
_OPEN_ENUM = """\
            if not open_:
                raise Fault("unknown_value", pointer(path), message)
            run.let_pass(path, "unknown_value", name, value, message)
"""
_OPEN_KEY = "            if run.strict or not open_:\n"
_ENTRY = """\
            run.let_pass(path, "unknown_value", key_enum, key, message)
            return items.read(run, value, path)
"""
_ITEMS = "            return [items.read(run, each, (*path, index)) for index, each in enumerate(value)]\n"
_STEP = "            run.steps.append((path, name))\n            made: dict[str, Any] = {}\n"
_LIST = "        return sorted({each.pointer for each in self.passed})\n"
_SORTED = "    return sorted(members)\n"

UNKNOWN: _Table = {
    "refuses an unknown tag": (
        {"        if not self.decoder.plan[union][1]:\n": "        if True:\n"},
        "tags/unknown_type#1",
    ),
    "keeps only the tag of what is unknown": (
        _in(_UNTOUCHED, "self.members", "dict(self.tags)"),
        "tags/unknown_type#1",
    ),
    "drops an unknown block": (
        {
            _ITEMS: _ITEMS.replace("return", "made =")
            + "            return [each for each in made if not hasattr(each, 'raw')]\n"
        },
        "tags/unknown_block#1",
    ),
    "drops a malformed block": (
        {
            _ITEMS: """\
            made = []
            for index, each in enumerate(value):
                try:
                    made.append(items.read(run, each, (*path, index)))
                except Fault:
                    continue
            return made
"""
        },
        "tags/malformed_block",
    ),
    "hides what is malformed as Unknown": (
        {
            _UNION: """\
            elif choice.doubt is None:
                try:
                    made = self.reader(struct)(run, value, path)
                except Fault:
                    if choice.unknown is None:
                        raise
                    struct, made = None, choice.untouched()
"""
        },
        "tags/known_tag_with_wrong_body tags/known_tag_with_missing_body",
    ),
    "refuses a known form with another body": (
        {_DOUBT: "                except ZeroDivisionError:\n"},
        "tags/new_error_subtype_with_other_body#1",
    ),
    "takes a missing tag for an unknown one": (
        _in(
            _NO_TAG,
            "raise _missing(key, self.path)",
            'return self._unanswered(union, "unknown_variant", (*self.path, key), "there is no tag")',
        ),
        "tags/missing_type",
    ),
    "takes a null tag for a missing one": (
        _in(_NO_TAG, "key not in self.members", "self.members.get(key) is None"),
        "tags/type_is_null",
    ),
    "matches tags in any case": (
        {_TAG: _TAG + "        tag = tag.lower() if isinstance(tag, str) else tag\n"},
        "tags/type_is_matched_exactly",
    ),
    "calls an unknown variant by its union": (_in(_CHOSEN, '"Unknown"', "_name"), "tags/unknown_type#1"),
    "closes an enum": (_in(_OPEN_ENUM, "if not open_", "if True"), "unknown/enum_value#1"),
    "says nothing of an unknown value": (
        _in(_OPEN_ENUM, '            run.let_pass(path, "unknown_value", name, value, message)\n', ""),
        "unknown/enum_value#1",
    ),
    "refuses an unknown key of a map": (_in(_OPEN_KEY, "run.strict or not open_", "True"), "unknown/map_key#1"),
    "does not check what stands under an unknown key": (
        _in(_ENTRY, "return items.read(run, value, path)", "return value"),
        "unknown/map_entry_is_checked",
    ),
    "matches keys in any case": (
        {
            _STEP: _STEP
            + "            names = {key.lower(): key for key in declared}\n"
            + "            value = {names.get(key.lower(), key): each for key, each in value.items()}\n"
        },
        "unknown/key_of_other_case#1 unknown/key_of_other_case#3",
    ),
    "says nothing of an unknown field": (
        {'            run.let_pass(path, "unknown_field", struct, value, message)\n': ""},
        "unknown/field#1",
    ),
    "lists what is unknown in the order it came": (
        {_LIST: "        return list(dict.fromkeys(each.pointer for each in reversed(self.passed)))\n"},
        "unknown/several_in_order",
    ),
    "lists the first of what is unknown": (_in(_LIST, "self.passed", "self.passed[:1]"), "unknown/several_in_order"),
}

# --- presence --------------------------------------------------------------------------------------------------

_NULL = """\
            if value is None:
                if nullable:
                    return None
                if not required:
                    run.let_pass(path, "wrong_type", struct, value, f"expected {expected}, got null")
                    return _ABSENT
"""
_NOT_THERE = (
    "                if required:\n                    raise _missing(key, path)\n                return _ABSENT\n"
)
_PLAIN = "            else:\n                plain[key] = value\n"


def _without(what: str) -> dict[str, str]:
    """Writes no member that has such a value, as `omitempty` does."""
    return _in(_PLAIN, "else", f"elif not ({what})")


PRESENCE: _Table = {
    "refuses null where a field may be absent": (_in(_NULL, "if not required", "if False"), "presence/optional_null#1"),
    "says nothing of a null that it takes for absent": (
        _in(_NULL, "run.let_pass(", "run.strict and run.let_pass("),
        "presence/optional_null#1",
    ),
    "accepts null for a required field": (_in(_NULL, "if not required", "if True"), "presence/required_null"),
    "accepts a document without a required field": (
        _in(_NOT_THERE, "if required", "if False"),
        "presence/required_missing",
    ),
    "refuses null for a required field that may be null": (
        _in(_NULL, "if nullable", "if nullable and not required"),
        "presence/required_nullable_null",
    ),
    "loses an empty list": (_without("value == []"), "presence/empty_text_list_and_map"),
    "loses an empty object": (_without("value == {}"), "presence/empty_text_list_and_map"),
    "loses an empty text": (_without("value == ''"), "presence/empty_text_list_and_map"),
    "loses false": (_without("value is False"), "presence/false_is_a_value"),
    "loses zero": (_without("value == 0 and value is not False"), "presence/optional_zero"),
    "loses null in a list": (
        _in(_ITEMS, "enumerate(value)", "enumerate(value) if each is not None"),
        "presence/null_in_a_list",
    ),
}

# --- values ----------------------------------------------------------------------------------------------------

_TEXT = """\
    if kind(value) != "string":
        raise _wrong_type("string", value, path)
    return value
"""
_WHOLE = "    return int(value) if isinstance(value, float) and value.is_integer() else value\n"
_LARGEST = "MAX_INTEGER = 2**53 - 1\n"
_DOUBLE = "    return double if double - double == 0 else None\n"
_PARSER = "_DECODER = JSONDecoder(parse_constant=_refuse_constant)\n"
_UUID = r'"uuid": re.compile(r"\A[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\Z"),'
_TIME = r'        r"\A[0-9]{4}-[0-9]{2}-[0-9]{2}T'
_FORM = """\
        if not fits(value):
            run.let_pass(path, "bad_format", name, value, f"expected a {name}, got {_show(value)}")
        return value
"""
_BOUNDS = "            if bounded and not least <= len(value) <= most:\n                run.let_pass(path, "
_CONSTANT = "            if not equal(value, constant):\n"
_HAS = "            if all(key in self.members for key in has)"

VALUES: _Table = {
    "accepts a number for a text": (
        _in(_TEXT, '!= "string"', 'not in {"string", "integer", "number"}'),
        "types/string_not_integer",
    ),
    "makes a text of a number": (
        {_TEXT: '    if kind(value) in {"integer", "number"}:\n        return str(value)\n' + _TEXT},
        "types/string_not_integer",
    ),
    "accepts true for 1": (
        _in('    bool: "boolean",\n', "boolean", "integer"),
        "types/integer_not_boolean types/number_not_boolean",
    ),
    "accepts an integer with a fraction": (
        _in(_WHOLE, "value.is_integer()", "value - value == 0"),
        "numbers/integer_with_fraction",
    ),
    "refuses 1.0 for an integer": ({_WHOLE: "    return value\n"}, "numbers/integer_fraction_of_zero"),
    "has integers of 64 bits": (_in(_LARGEST, "53", "63"), "numbers/integer_too_large numbers/integer_too_small"),
    "has integers of 32 bits": (_in(_LARGEST, "53", "31"), "numbers/integer_largest numbers/integer_smallest"),
    "takes the largest double for what overflows": (
        {_DOUBLE: "    return max(-1.7976931348623157e308, min(1.7976931348623157e308, double))\n"},
        "numbers/number_overflow numbers/number_negative_overflow",
    ),
    "has numbers of 32 bits": (
        {
            _DOUBLE: "    import struct\n"
            + _in(_DOUBLE, "double if", "struct.unpack('f', struct.pack('f', double))[0] if")[_DOUBLE]
        },
        "numbers/number_many_digits",
    ),
    "rounds a number": (_in(_DOUBLE, "double if", "round(double, 6) if"), "numbers/number_smallest"),
    "rounds an integer that it does not know": (
        _in(_PARSER, ")\n", ", parse_int=lambda text: int(text) if len(text) > 300 else int(float(text)))\n"),
        "minefield/huge_numbers#1",
    ),
    "writes a UUID in small letters": (
        _in(_FORM, "return value", 'return value.lower() if name == "uuid" else value'),
        "formats/uuid_upper_case",
    ),
    "writes a time anew": (
        _in(_FORM, "return value", 'return value.replace("Z", "+00:00") if name == "timestamp" else value'),
        "formats/timestamp_zulu",
    ),
    "refuses another form in lenient mode": (
        _in(_FORM, 'run.let_pass(path, "bad_format", name, value, ', 'raise Fault("bad_format", pointer(path), '),
        "formats/uuid_empty#1",
    ),
    "lets a line feed behind a UUID through": (_in(_UUID, r"\Z", "$"), "formats/uuid_with_newline#2"),
    "takes any digits for those of a UUID": (
        {_UUID: _UUID.replace("0-9", r"\d")},
        "formats/uuid_of_other_digits#2",
    ),
    "checks the calendar": (
        _in(_TIME, "-[0-9]{2}-", "-(?:0[1-9]|1[0-2])-"),
        "formats/timestamp_calendar_not_checked",
    ),
    "refuses an array outside its bounds in lenient mode": (
        _in(_BOUNDS, "run.let_pass(path, ", "run.strict = True\n                run.let_pass(path, "),
        "formats/too_many_items#1 formats/too_few_items#1",
    ),
    "does not count items": (_in(_BOUNDS, "bounded and", "False and"), "formats/too_many_items#2"),
    "does not look at constants": (_in(_CONSTANT, "not equal(value, constant)", "False"), "keys/wrong_constant"),
    "takes a null for nothing where keys tell": (
        _in(_HAS, "key in self.members", "self.members.get(key) is not None"),
        "keys/null_counts_as_present",
    ),
}

# --- errors ----------------------------------------------------------------------------------------------------

_RUN = "        run = _Run(strict=strict)\n"
_POINTER = '    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)\n'
_MISSING = '    return Fault("missing_field", pointer((*path, key)), '
_CODE = "        self.code = code\n        self.path = path\n        self.message = message\n\n    def __str__"
_MEMBERS = "            for key, read_member in members:\n                result"


def _ordered(by: str) -> dict[str, str]:
    """Looks at the declared members of an object in another order."""
    return _in(_MEMBERS, "in members", f"in sorted(members, key=lambda each: {by})")


ERRORS: _Table = {
    "is lenient in strict mode": (_in(_RUN, "=strict", "=False"), "unknown/field#2"),
    "is strict in lenient mode": (_in(_RUN, "=strict", "=True"), "unknown/field#1"),
    "does not escape paths": (
        _in(_POINTER, '.replace("~", "~0").replace("/", "~1")', ""),
        "unknown/pointer_is_escaped#1",
    ),
    "escapes paths in the wrong order": (
        _in(_POINTER, '.replace("~", "~0").replace("/", "~1")', '.replace("/", "~1").replace("~", "~0")'),
        "unknown/pointer_is_escaped#1",
    ),
    "gives paths with dots": ({_POINTER: '    return ".".join(map(str, path))\n'}, "presence/required_missing"),
    "gives the path of the parent": (_in(_MISSING, "(*path, key)", "path"), "presence/required_missing"),
    "counts items from 1": (_in(_ITEMS, "enumerate(value)", "enumerate(value, 1)"), "types/array_item"),
    "has one code for all": (
        _in(_CODE, "= code\n", "= 'wrong_type' if code in CODES[4:] else code\n"),
        "presence/required_missing",
    ),
}

ORDERS: _Table = {
    "looks at unknown fields in the order they came": (
        _in(_SORTED, "sorted(members)", "list(members)"),
        "",
    ),
    "sorts keys by UTF-16": (
        _in(_SORTED, "members)", 'members, key=lambda key: key.encode("utf-16-be", "surrogatepass"))'),
        "",
    ),
    "looks at members in the order of the document": (
        _ordered("(each[0] not in value, [*value, each[0]].index(each[0]))"),
        "",
    ),
    "looks for missing members first": (
        _ordered("each[0] in value"),
        "",
    ),
    "looks at unknown members first": (
        _in(
            _MEMBERS,
            "            for key, ",
            "            read_extra(run, _rest(value, (), declared), declared, path)\n            for key, ",
        ),
        "",
    ),
}
"""Other orders of looking at a document: which of several faults is reported is free, so these are no faults."""

# --- text ------------------------------------------------------------------------------------------------------

_LOAD = "    return _DECODER.decode(text)\n"
_UTF8 = '        return str(data, "utf-8")\n'
_NOT_UTF8 = '        raise Fault("invalid_utf8", "", f"not UTF-8 at byte {error.start}") from None\n'
_LIMITS = "from ._support import MAX_DEPTH, MAX_DIGITS, holds_long_number\n"
_PARSED = "    if too_deep(text):\n        raise _depth_fault()\n    return value\n"
_QUOTED = r"""re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[^"\[\]{}]+', re.DOTALL)"""
_WRITER = '_ENCODER = JSONEncoder(separators=(",", ":"), allow_nan=False)\n'
_WRITTEN = "        return _ENCODER.encode(value)\n    except ValueError:"
_MERGED = "        plain: dict[str, Any] = {}\n        flat = "


def _parser(options: str) -> dict[str, str]:
    """Reads JSON with other options."""
    return {_PARSER: f"_DECODER = JSONDecoder({options})\n"}


TEXT: _Table = {
    "takes the first of duplicate keys": (
        _parser("parse_constant=_refuse_constant, object_pairs_hook=lambda pairs: dict(reversed(pairs))"),
        "duplicates/field_last_counts duplicates/tag_last_counts",
    ),
    "refuses duplicate keys": (
        _parser(
            "object_pairs_hook=lambda pairs: dict(pairs) if len(dict(pairs)) == len(pairs) else _refuse_constant('')"
        ),
        "duplicates/field_last_counts",
    ),
    "accepts NaN and Infinity": (_parser("parse_constant=lambda name: None"), "json/nan json/infinity"),
    "accepts raw control characters": (
        _parser("parse_constant=_refuse_constant, strict=False"),
        "json/raw_tab_in_string json/raw_nul_in_string",
    ),
    "accepts trailing text": (
        _in(_LOAD, "decode(text)", "raw_decode(text.lstrip())[0]"),
        "json/trailing_text json/two_values",
    ),
    "accepts a trailing comma": (
        _in(_LOAD, "decode(text)", r"decode(re.sub(r',\s*([]}])', r'\1', text))"),
        "json/trailing_comma json/trailing_comma_in_array",
    ),
    "accepts comments": (_in(_LOAD, "decode(text)", "decode(re.sub(r'/[*].*?[*]/', '', text))"), "json/comment"),
    "swallows a byte order mark": (_in(_UTF8, "utf-8", "utf-8-sig"), "json/byte_order_mark_as_bytes"),
    "replaces what is not UTF-8": (_in(_UTF8, '"utf-8"', '"utf-8", "replace"'), "json/invalid_utf8_byte_ff"),
    "takes what is not UTF-8 for Latin 1": (
        {_NOT_UTF8: '        return str(data, "latin-1" if error.start else "latin-1")\n'},
        "json/invalid_utf8_latin_1",
    ),
    "accepts encoded surrogates": (
        _in(_UTF8, '"utf-8"', '"utf-8", "surrogatepass"'),
        "json/invalid_utf8_encoded_surrogate",
    ),
    "has no limit of depth": ({_LIMITS: _LIMITS + "MAX_DEPTH = 1 << 30\n"}, "json/depth_129 json/depth_129_objects"),
    "has a limit of depth that is one too low": ({_LIMITS: _LIMITS + "MAX_DEPTH = 127\n"}, "json/depth_128"),
    "counts brackets in texts as levels": (
        {_QUOTED: r"re.compile(r'[^\[\]{}]+')"},
        "json/depth_brackets_in_text",
    ),
    "replaces lone surrogates": (
        _in(_PARSED, "return value", "return _replaced(value)")
        | {
            "def _text(data": """\
def _replaced(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if isinstance(value, list):
        return list(map(_replaced, value))
    if isinstance(value, dict):
        return {_replaced(key): _replaced(member) for key, member in value.items()}
    return value


def _text(data"""
        },
        "surrogates/lone_in_untouched_json surrogates/lone_in_map_key",
    ),
    "refuses lone surrogates": (
        _in(
            _PARSED,
            "    return value\n",
            "    try:\n        JSONEncoder(ensure_ascii=False).encode(value).encode()\n"
            "    except UnicodeEncodeError:\n        _refuse_constant('a lone surrogate')\n    return value\n",
        ),
        "surrogates/lone_high_in_typed_text surrogates/lone_low_in_typed_text",
    ),
    "escapes what HTML cares about": (
        _in(_WRITTEN, "encode(value)", r"encode(value).replace('<', '\\u003c').replace('>', '\\u003e')"),
        "json/markup_is_not_escaped",
    ),
    "writes keys sorted": (_in(_WRITER, ")\n", ", sort_keys=True)\n"), "unknown/members_in_order"),
    "writes more than one line": (_in(_WRITER, ")\n", ", indent=1)\n"), "variants/keep_alive"),
    "writes what is undeclared first": (_in(_MERGED, "= {}", "= dict(extra)"), "unknown/members_in_order"),
}

# --- objects ---------------------------------------------------------------------------------------------------

_SET = "        setattr(made, attr, members.get(key, absent))\n"
_THERE = "        if member is not absent or (absent"

OBJECTS: _Table = {
    "drops an unknown field": (
        _in("    made._extra = extra or None\n", "extra or None", "None"),
        "unknown/field#1 unknown/field_deep#1",
    ),
    "takes null for absent": (
        _in(_SET, "members.get(key, absent)", "absent if members.get(key) is None else members[key]"),
        "presence/three_states_null",
    ),
    "writes null for what is absent": (
        {_THERE: "        member = None if member is absent else member\n        if member is None or (absent"},
        "presence/three_states_absent",
    ),
}

# --- streams ---------------------------------------------------------------------------------------------------

_START = "        start = 0\n"
_FOUND = "            start = end + 1\n            yield from self._end()\n"
_LEFT = "            self._take(chunk[start:])\n"
_DECODE = "                item = decode(raw, self._type, strict=self._strict)\n"
_BAD = "                item = BadLine(self.line, raw, error)\n"
_RETURN = """\
        if size == len(raw) and raw[-1:] == b"\\r":
            raw = raw[:-1]
            size -= 1
"""
_TOO_LONG = "        if size > self._limit:\n"
_OVER = "        if self._size > self._limit + 1:\n"
_NUMBER = "        self.line += 1\n"
_LAST = "        return list(self._end()) if self._size else []\n"


def _splitting(*also: str) -> dict[str, str]:
    """Ends lines at other characters, too."""
    return {_START: "".join(f"        chunk = chunk.replace({each!r}.encode(), b'\\n')\n" for each in also) + _START}


LINES: _Table = {
    "splits on U+2028": (_splitting("\u2028", "\u2029"), "streams/line_separators_inside"),
    "splits on a carriage return": (_splitting("\r"), "streams/bare_carriage_return_is_no_line_end"),
    "splits on a form feed": (_splitting("\x0b", "\x0c"), "streams/form_feed_and_vertical_tab"),
    "takes a form feed for white space": (
        _in('_BLANK = b" \\t\\r"\n', "\\r", "\\r\\x0b\\x0c"),
        "streams/form_feed_alone",
    ),
    "leaves the carriage return": (
        _in(_RETURN, "size == len(raw)", "False"),
        "streams/bad_line_without_its_end streams/line_at_the_limit_with_carriage_return",
    ),
    "strips every carriage return": (
        _in(_RETURN, "raw[:-1]", 'raw.rstrip(b"\\r")'),
        "streams/bad_line_with_two_carriage_returns",
    ),
    "stops at a bad line": (
        {_BAD: _BAD + "                self._end = lambda: iter(())\n"},
        "streams/bad_line_between streams/bad_message_between",
    ),
    "skips a bad line": ({_BAD: "                return\n"}, "streams/bad_line_between streams/bad_message_between"),
    "loses a last line without its end": ({_LAST: "        return []\n"}, "streams/last_line_without_newline"),
    "ends the line where the chunk ends": (
        {_LEFT: _LEFT + "            yield from self._end()\n"},
        "streams/one_byte_at_a_time",
    ),
    "takes one line of a chunk": (
        {_FOUND: _FOUND + "            start = len(chunk)\n"},
        "streams/two_lines_in_one_chunk",
    ),
    "reads each chunk as text": (
        {_START: "        chunk = chunk.decode(errors='replace').encode()\n" + _START},
        "streams/sequence_split_over_chunks",
    ),
    "merges two messages": (
        {_DECODE: "                raw = raw.replace(b'}{', b',')\n" + _DECODE},
        "streams/two_objects_on_a_line",
    ),
    "does not count blank lines": (
        {_NUMBER: "        self.line += bool(b''.join(self._parts).strip())\n"},
        "streams/blank_lines",
    ),
    "reports blank lines": ({"        elif raw.strip(_BLANK):\n": "        else:\n"}, "streams/blank_lines"),
    "counts lines from 0": (_in("        self.line = 0\n", "0", "-1"), "streams/one_line"),
    "counts the line end for the limit": (_in(_TOO_LONG, ">", ">="), "streams/line_at_the_limit"),
    "counts characters for the limit": (
        _in(_TOO_LONG, "size", "len(raw.decode(errors='replace'))"),
        "streams/limit_is_in_bytes",
    ),
    "has no limit": (
        {
            _TOO_LONG: "        if False:\n",
            _OVER: "        if False:\n",
            "        if held <= max(self._limit + 1, _SHOWN):\n": "        if True:\n",
        },
        "streams/line_over_the_limit",
    ),
    "reads on in the middle of a line over the limit": (
        {_OVER: _OVER + "            self._size = 0\n"},
        "streams/line_over_the_limit",
    ),
    "swallows a byte order mark of a stream": (
        {_DECODE: "                raw = raw.removeprefix(b'\\xef\\xbb\\xbf')\n" + _DECODE},
        "streams/byte_order_mark",
    ),
    "reads a list as its messages": (
        {_DECODE: "                raw = raw.strip(b'[]')\n" + _DECODE},
        "streams/array_of_messages",
    ),
    "is lenient in a strict stream": (
        _in(_DECODE, "self._strict", "False"),
        "streams/unknown_message_in_strict_mode",
    ),
}

# --- straight-line code ----------------------------------------------------------------------------------------

_MORE = """    return "".join([f",{quote(key)}:{json_text(item)}" for key, item in extra.items()])\n"""
_REPR = "        if x - x == 0:\n            return repr(x)\n"
_SHALLOW = "def _is_shallow(data: Any) -> bool:\n"
_REST = "    extra = {key: x for key, x in d.items() if key not in keys}\n"

SUPPORT: _Table = {
    "writes no unknown field": ({_MORE: '    return ""\n'}, "unknown/field#1"),
    "keeps no unknown field": ({_REST: "    extra = {}\n"}, "unknown/field#1"),
    "rounds numbers in writing": (_in(_REPR, "repr(x)", "repr(round(x, 3))"), "numbers/number_smallest"),
}
WIRE: _Table = {
    "does not count levels": ({_SHALLOW: _SHALLOW + "    return True\n"}, "json/depth_129"),
}

_HASTY = (("_support.py", SUPPORT), ("_wire.py", WIRE))
_TABLES = (
    ("_engine.py", UNKNOWN | PRESENCE | VALUES | ERRORS | TEXT),
    ("_slow.py", OBJECTS),
    ("_streams.py", LINES),
)
FILES = tuple(file for file, _ in _TABLES)
"""The files that faults are planted in, in the order in which they need each other."""
