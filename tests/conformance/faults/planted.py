"""Typical faults of ports, each as a text replacement in the generated Python package.

The package implements every rule once, so a fault changes only a line or two. A replacement whose text is no longer
found fails the test, and so does a fault that the cases do not detect.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class Fault:
    """One fault: its description, the changes that cause it, and the cases that must detect it."""

    name: str
    file: str
    changes: Mapping[str, str]
    """Text that occurs once in the file → its replacement."""
    cases: tuple[str, ...]
    """Cases of the violated rule that must detect the fault. `group/case` is a written case. `parcel/Type` means the
    cases derived for a type of the small spec, for features that the protocol does not use; one of them must detect
    the fault. `forms/Type` means the same for the spec that has every form. `encode/name` is an object made by a
    program (`objects`)."""
    parser: str = "stdlib"
    """The JSON parser: `stdlib`, or `orjson` for faults that only affect orjson."""

    def of(self, group: str) -> set[str]:
        """Return the names of the cases of a group, without the name of the group."""
        return {name.removeprefix(f"{group}/") for name in self.cases if name.startswith(f"{group}/")}


def faults() -> list[Fault]:
    """Return every fault."""
    return [fault for table in RULES.values() for fault in _faults(table)]


def orders() -> list[Fault]:
    """Return the changes of the order in which a document is checked, which are not faults."""
    return _faults(ORDERS)


def _faults(table: _Table) -> list[Fault]:
    return [
        Fault(
            name,
            file.removeprefix("orjson:"),
            changes,
            tuple(cases.split()),
            file.partition(":")[0] if ":" in file else "stdlib",
        )
        for name, (file, changes, cases) in table.items()
    ]


def planted(fault: Fault, source: str) -> str:
    """Apply a fault to the text of its file."""
    for old, new in fault.changes.items():
        if source.count(old) != 1:
            raise ValueError(f"{fault.name}: {source.count(old)} places in {fault.file} have {old!r}, expected one")
        source = source.replace(old, new)
    return source


JSON, TABLE, ROWS, DECODER, ENCODER, WIRE, SPLITTER, NDJSON, STREAMS, CONTROL, SESSION = (
    "_json.py",
    "_table.py",
    "_rows.py",
    "_decoder.py",
    "_encoder.py",
    "_wire.py",
    "_splitter.py",
    "_ndjson.py",
    "_streams.py",
    "_control.py",
    "_session.py",
)
FILES = (
    *(JSON, TABLE, ROWS, DECODER, ENCODER, "_aliases.py", "_native.py", WIRE, SPLITTER, NDJSON, "_framing.py", STREAMS),
    *("_pairs.py", CONTROL, SESSION),
)
"""The files of the engine, in the order of their dependencies."""

_Table = dict[str, tuple[str, dict[str, str], str]]
"""Name → file, changes and cases. The prefix `orjson:` of the file selects that parser."""


def _in(text: str, old: str, new: str) -> dict[str, str]:
    """Change a part of some lines; the whole lines locate the part in the file."""
    if text.count(old) != 1:
        raise ValueError(f"{text!r} has {old!r} {text.count(old)} times")
    return {text: text.replace(old, new)}


# --- unknown values --------------------------------------------------------------------------------------------

_SETTLED = """\
        return read(value)
    except (Fault, Reparse, TooDeep, RecursionError) as error:
"""
_CLOSED = "        if self._untouched is None:\n"
_RAW = "        made.raw = x\n"
_ITEM = """\
                source(f"{i} += 1")
            self._value(source, item, x, f"{out}.append({{}})", f"({q}, {i})")
"""
_ITEMS = 'fault.steps.append(len({out}))", "    raise", put.format(out))\n'
_ADD = "        self.table[type(value), value] = then\n"
_TAG = "        tag = self._tag(x[self.key])\n"
_LIKE = "then = next((caught for fits, caught in self.others if fits(tag)), None)"
_FALSE = "return self.absent if then is None and type(tag) is bool else then"
_NO_TAG = "        if self.key not in x:\n"
_MISSING_TAG = "                _missing(self.key)\n"
_FORM = "            except Fault:\n                if unknown is None:\n                    raise\n"
_CHOSEN = '    return "Unknown" if found in UNKNOWNS else declared_name(found)\n'
_REFUSES = "        refuses = self._strict or not is_open\n"
_ENUM_NOTE = '                source(f"    notes.append({place})")\n            if base'
_KEY = '        if self._strict or not is_open:\n            source(f"if {k}'
_ENTRY = '            self._value(source, item, x, f"{out}[{k}] = {{}}", f"({q}, {k})")\n            if enum'
_HEAD = """        source = Source(f"def {title}({self._parameters('d')}):")\n"""
_NOTED = "if key not in keys or (x is None and key in nulls)]\n"
_LIST = "        return tuple(sorted({_pointer(place) for place in self._places}))\n"
_REST = "            return made or None\n"
_MEMBERS = '        source = Source(f"def write_{name}(o):")\n'
_MORE = '            return "".join(members)\n\n        return more\n'
_MORE_ORDER = "_entries(extra) if careful else extra.items()"
_IS_OPEN = "        if is_open and unknown is None:\n"

UNKNOWN: _Table = {
    "refuses an unknown tag": (DECODER, _in(_CLOSED, "self._untouched is None", "True"), "tags/unknown_type#1"),
    "keeps only the first member of what is unknown": (
        DECODER,
        _in(_RAW, "= x", "= dict(list(x.items())[:1])"),
        "tags/unknown_type#1",
    ),
    "drops an unknown block": (
        DECODER,
        _in(_ITEMS, "put.format(out)", "put.format(f\"[x for x in {out} if not hasattr(x, 'raw')]\")"),
        "tags/unknown_block#1",
    ),
    "drops a malformed block": (
        DECODER,
        {
            _ITEM: """\
                source(f"{i} += 1")
            with source.block("try:"):
                self._value(source, item, x, f"{out}.append({{}})", f"({q}, {i})")
            source("except Fault:", "    continue")
"""
        },
        "tags/malformed_block",
    ),
    "hides what is malformed as Unknown": (
        DECODER,
        {
            _ADD: f"""\
        judged = then

        def then(x: Any, *noting: Any) -> Any:
            try:
                return judged(x, *noting)
            except Fault:
                if self._untouched is None:
                    raise
                return self._untouched(self._unknown, x)

{_ADD}"""
        },
        "tags/known_tag_with_wrong_body tags/known_tag_with_missing_body",
    ),
    "refuses a known form with another body": (
        DECODER,
        _in(_FORM, "unknown is None", "True"),
        "tags/new_error_subtype_with_other_body#1",
    ),
    "takes any unknown tag for a known form": (
        DECODER,
        _in(_LIKE, "if fits(tag)", "if True"),
        "tags/result_subtype_of_no_known_form#2",
    ),
    "takes an unknown tag of a known form for no form": (
        DECODER,
        _in(_LIKE, "if fits(tag)", "if False"),
        "tags/new_error_subtype#1",
    ),
    "makes an Unknown of the inner union": (
        DECODER,
        _in(_IS_OPEN, "is_open and unknown is None", "is_open"),
        "tags/unknown_subtype#1",
    ),
    "takes a missing tag for an unknown one": (
        DECODER,
        {_MISSING_TAG: '                raise Fault("unknown_variant", "there is no tag", self.key)\n'},
        "tags/missing_type",
    ),
    "takes a null tag for a missing one": (
        DECODER,
        _in(_NO_TAG, "self.key not in x", "x.get(self.key) is None"),
        "tags/type_is_null",
    ),
    "takes false for no variant": (
        DECODER,
        _in(_FALSE, "self.absent if then is None and type(tag) is bool else then", "then"),
        "tags/replay_false tags/async_false",
    ),
    "matches tags in any case": (
        DECODER,
        {_TAG: _TAG + "        tag = tag.lower() if isinstance(tag, str) else tag\n"},
        "tags/type_is_matched_exactly",
    ),
    "calls an unknown variant by its class": (
        WIRE,
        _in(_CHOSEN, '"Unknown" if found in UNKNOWNS else declared_name(found)', "found"),
        "tags/unknown_type#1",
    ),
    "closes an enum": (DECODER, _in(_REFUSES, "self._strict or not is_open", "True"), "unknown/enum_value#1"),
    "refuses an unknown key of a map": (DECODER, _in(_KEY, "self._strict or not is_open", "True"), "unknown/map_key#1"),
    "does not check what stands under an unknown key": (
        DECODER,
        {
            _ENTRY: f"""\
            if enum is not None:
                values = self._constant(f"values_of_{{enum}}", frozenset(map(str, row(enum)[4])))
                source(f"{{out}}[{{k}}] = {{x}}", f"if {{k}} in {{values}}:")
            with source.block(when=enum is not None):
    {_ENTRY}"""
        },
        "unknown/map_entry_is_checked",
    ),
    "matches keys in any case": (
        DECODER,
        {
            _HEAD: _HEAD
            + "        names = {m[1].lower(): m[1] for m in members}\n"
            + '        source("if type(d) is dict:")\n'
            + '        source(f"    d = {{{names!r}.get(str(k).lower(), k): x for k, x in d.items()}}")\n'
        },
        "unknown/key_of_other_case#1 unknown/key_of_other_case#3",
    ),
    "drops an unknown field": (
        DECODER,
        _in(_REST, "made", "{key: x for key, x in made.items() if key in keys}"),
        "unknown/field#1 unknown/field_deep#1",
    ),
    "keeps unknown fields sorted": (
        DECODER,
        _in(_REST, "made", "dict(sorted(made.items()))"),
        "unknown/members_in_order",
    ),
    "writes no unknown field": (ENCODER, _in(_MORE, '"".join(members)', '""'), "unknown/field#1"),
    "writes unknown fields from the last to the first": (
        ENCODER,
        _in(_MORE_ORDER, "extra.items()", "reversed(extra.items())"),
        "unknown/members_in_order",
    ),
    "writes declared fields from the last to the first": (
        ENCODER,
        {_MEMBERS: f"        members = [*members[:1], *members[:0:-1]]\n{_MEMBERS}"},
        "unknown/members_in_order",
    ),
    "counts one member too many": (
        DECODER,
        {'            source(f"if len(d) != {count}:")\n': '            source(f"if len(d) > {count + 1}:")\n'},
        "unknown/field#1",
    ),
}

# --- the list of tolerated places ------------------------------------------------------------------------------

_FORMAT_NOTE = '        elif self._notes:\n            source(f"if not {name}({v}):"'
_KEY_NOTE = '        elif self._notes:\n            source(f"if {k} not in {known}:"'
_BOUNDS_NOTE = "        elif tests and self._notes:\n"

NOTED: _Table = {
    "says nothing of an unknown value": (
        DECODER,
        _in(_ENUM_NOTE, "    notes.append({place})", "    pass"),
        "unknown/enum_value#1",
    ),
    "says nothing of an unknown field": (
        DECODER,
        _in(_NOTED, "key not in keys or (x is None and key in nulls)", "x is None and key in nulls"),
        "unknown/field#1",
    ),
    "says nothing of an unknown tag": (
        DECODER,
        {"            noting[1].append((noting[0], self.key))\n": "            pass\n"},
        "tags/unknown_type#1",
    ),
    "says nothing of a new tag of a known form": (
        DECODER,
        {'                    source(f"notes.append((p, {key!r}))")\n': "                    pass\n"},
        "tags/new_error_subtype#1",
    ),
    "says nothing of an unknown object by keys": (
        DECODER,
        {"                noting[1].append(noting[0])\n": "                pass\n"},
        "keys/no_condition_holds#1",
    ),
    "says nothing of an unknown key": (DECODER, _in(_KEY_NOTE, "self._notes", "False"), "unknown/map_key#1"),
    "says nothing of another form of text": (
        DECODER,
        _in(_FORMAT_NOTE, "self._notes", "False"),
        "formats/uuid_empty#1",
    ),
    "says nothing of bounds": (DECODER, _in(_BOUNDS_NOTE, "self._notes", "False"), "formats/too_many_items#1"),
    "says nothing of a null that it takes for absent": (
        DECODER,
        _in(_NOTED, " or (x is None and key in nulls)", ""),
        "presence/optional_null#1",
    ),
    "keeps the places of a body that did not fit": (
        DECODER,
        _in("                noting[1][mark:] = [(noting[0], key)]\n", "[mark:] = [", "[len(noting[1]) :] = ["),
        "tags/new_error_subtype_with_unknown_field_and_other_body",
    ),
    "loses the index of a place": (
        DECODER,
        {'                source(f"{i} += 1")\n': '                source("pass")\n'},
        "tags/unknown_block#1",
    ),
    "loses the place of a member": (
        DECODER,
        {'put, place = f"o.{attribute} = {{}}", f"(p, {key!r})"': 'put, place = f"o.{attribute} = {{}}", "p"'},
        "unknown/field_deep#1",
    ),
    "lists what is unknown in the order it came": (
        WIRE,
        _in(
            _LIST,
            "sorted({_pointer(place) for place in self._places})",
            "dict.fromkeys(map(_pointer, reversed(self._places)))",
        ),
        "unknown/several_in_order",
    ),
    "lists the first of what is unknown": (
        WIRE,
        _in(_LIST, "self._places", "self._places[:1]"),
        "unknown/several_in_order",
    ),
}

# --- strict mode, one check missing ----------------------------------------------------------------------------

_STRICT = "            if self._strict:\n                "
_STRICT_FORMAT = '        if self._strict:\n            source(f"if not {name}({v}):"'
_OPEN = "None if self._strict or not is_open else self.untouched"
_BY_KEYS = "            if self._strict or not is_open:\n                raise"
_TOLERATED = 'how == "." and not rest[0] & NULLABLE and not self._strict\n'
_WAYS = "found = Decoders(strict=strict, "
_VARYING = "            if others is None or self._strict:\n"
_BOUNDS = "        if tests and self._strict:\n"

STRICT: _Table = {
    "is lenient in strict mode": (WIRE, _in(_WAYS, "=strict", "=False"), "unknown/field#2"),
    "is strict in lenient mode": (WIRE, _in(_WAYS, "=strict", "=True"), "unknown/field#1"),
    "lets unknown fields pass in strict mode": (
        DECODER,
        {f"{_STRICT}source(f": _STRICT.replace("self._strict", "False") + "source(f"},
        "unknown/field#2",
    ),
    "lets unknown values pass in strict mode": (DECODER, _in(_REFUSES, "self._strict or ", ""), "unknown/enum_value#2"),
    "lets unknown keys pass in strict mode": (DECODER, _in(_KEY, "self._strict or ", ""), "unknown/map_key#2"),
    "lets unknown tags pass in strict mode": (DECODER, _in(_OPEN, "self._strict or ", ""), "tags/unknown_type#2"),
    "lets unknown objects by keys pass in strict mode": (
        DECODER,
        _in(_BY_KEYS, "self._strict or ", ""),
        "keys/no_condition_holds#2",
    ),
    "lets new tags of a known form pass in strict mode": (
        DECODER,
        {f"{_STRICT}raise": _STRICT.replace("self._strict", "False") + "raise"},
        "tags/new_error_subtype#2",
    ),
    "lets new tags pass in strict mode where no union chose": (
        DECODER,
        _in(_VARYING, " or self._strict", ""),
        "parcel/Failed",
    ),
    "lets other forms of text pass in strict mode": (
        DECODER,
        _in(_STRICT_FORMAT, "self._strict", "False"),
        "formats/uuid_empty#2",
    ),
    "lets bounds pass in strict mode": (DECODER, _in(_BOUNDS, "self._strict", "False"), "formats/too_many_items#2"),
    "lets null pass for absent in strict mode": (
        DECODER,
        _in(_TOLERATED, " and not self._strict", ""),
        "presence/optional_null#2",
    ),
}

# --- presence --------------------------------------------------------------------------------------------------

_GET = 'f"    v{at} = d[{key!r}]"'
_NULLABLE = "        if not flags & NULLABLE:\n            self._value(source, type_, v, put, place, step)\n"
_NONE = """f"if {v} is None:", f"    {put.format('None')}", "else:"])"""
_EACH = """\
            source(f"{q} = {place}", f"{i} = -1")
        source("try:", f"    for {x} in {v}:")
"""
_SET = "        if simple:\n            source(put.format(v))\n"
_ABSENT = "'UNSET' if _absent(member) is UNSET else 'None'"
_NOT_THERE = f"""        source(f"{{v}} = o.{{member[2]}}", f"if {{v}} is not {{{_ABSENT}}}:")\n"""
_NULL_INSTEAD = "{text} += {(_lead(member) + 'null')!r}"
_NULL_KEPT = "                elif x is None and key in nulls:\n"
_COUNT = '                source("n += 1")\n'
_THERE = 'source.block(f"if {key!r} in d:", f"    v = d[{key!r}]")'


def _without(what: str) -> dict[str, str]:
    """Omit optional members with such a value when encoding, like `omitempty`."""
    return _in(_NOT_THERE, "'None'}:", f"'None'}} and not ({what}):")


PRESENCE: _Table = {
    "refuses null where a field may be absent": (
        DECODER,
        _in(_TOLERATED, "not self._strict", "False"),
        "presence/optional_null#1",
    ),
    "accepts null for a required field": (
        DECODER,
        _in(_NULLABLE, "not flags & NULLABLE", "not flags & (NULLABLE | REQUIRED)"),
        "presence/required_null",
    ),
    "accepts a document without a required field": (
        DECODER,
        _in(_GET, "d[{key!r}]", "d.get({key!r})")
        | _in(_NULLABLE, "not flags & NULLABLE", "not flags & (NULLABLE | REQUIRED)"),
        "presence/required_missing",
    ),
    "takes a missing member for null": (
        DECODER,
        _in(_GET, "d[{key!r}]", "d.get({key!r})"),
        "presence/required_nullable_missing presence/required_missing",
    ),
    "refuses null for a required field that may be null": (
        DECODER,
        _in(_NULLABLE, "not flags & NULLABLE", "not flags & NULLABLE or flags & REQUIRED"),
        "presence/required_nullable_null",
    ),
    "loses an empty list": (ENCODER, _without("{v} == []"), "parcel/Label"),
    "loses an empty object": (ENCODER, _without("{v} == {{}}"), "parcel/Tree"),
    "loses an empty text": (ENCODER, _without("{v} == ''"), "parcel/Named"),
    "loses false": (ENCODER, _without("{v} is False"), "presence/false_is_a_value"),
    "loses zero": (ENCODER, _without("{v} == 0 and {v} is not False"), "presence/optional_zero"),
    "loses null in a list": (
        DECODER,
        _in(_EACH, "in {v}", "in [x for x in {v} if x is not None]"),
        "parcel/Tree",
    ),
    "takes null for absent": (
        DECODER,
        _in(_SET, "put.format(v)", 'put.format(v if flags & REQUIRED else f"UNSET if {v} is None else {v}")')
        | _in(_NONE, "'None'", "'None' if flags & REQUIRED else 'UNSET'"),
        "presence/three_states_null presence/set_model_null",
    ),
    "writes null for what is absent": (
        ENCODER,
        _in(_NOT_THERE, ', f"if', f""", f"if {{v}} is {{{_ABSENT}}}: {_NULL_INSTEAD}", f"if"""),
        "presence/three_states_absent",
    ),
    "loses the null that it took for absent": (
        DECODER,
        _in(_NULL_KEPT, "x is None and key in nulls", "False"),
        "presence/optional_null#1",
    ),
    "counts a null that it takes for absent": (
        DECODER,
        {_COUNT: "", _THERE: _THERE[:-1] + ', "    n += 1")'},
        "presence/optional_null#1",
    ),
}

# --- values ----------------------------------------------------------------------------------------------------

_TEXT = """        source(f"if type({v}) is not str:", f'    wrong_type("string", {v}{step})', put.format(v))\n"""
_WHOLE = "        return int(value) if value.is_integer() else value\n"
_NO_WHOLE = "    if type(value) is not int:\n        wrong_type("
_LARGEST = "MAX_INTEGER = 2**53 - 1\n"
_INLINE = 'source(f"if type({v}) is not int or {v} >> 53:"'
_NO_NUMBER = "    if type(value) is not float:\n        wrong_type("
_FINITE_NUMBER = "    if value - value:\n        overflow(*steps)\n    return value\n"
_DOUBLE = 'f"    {v} = number({v}{step})", put.format(v))\n'
_PARSER = "_FINITE = JSONDecoder(parse_constant=_refuse_constant, parse_float=_finite)\n"
_CONSTANT = 'source(f"if {test}:", f"    {refusal}({value!r}, v{at}, {key!r})")'
_MAY_BE = 'source(f"if {test}:", f"    {refusal}({value!r}, v, {key!r})", '
_TRUE = 'test = f"v{at} is not {value}" if type(value) is bool'
_CLAIMS = """            source(f"if {tests}:", f"    claimed({v}{step})")\n"""
_CLOSED_ENUM = _REFUSES
_KINDS_OF = '    "number": "type({0}) is int or type({0}) is float",\n'


def _double(expression: str) -> dict[str, str]:
    """Replace numbers by an expression."""
    return _in(_DOUBLE, "put.format(v)", f'f"{{v}} = {expression}", put.format(v)')


VALUES: _Table = {
    "accepts a number for a text": (
        DECODER,
        _in(_TEXT, "is not str", "not in (str, int, float)"),
        "types/string_not_integer",
    ),
    "makes a text of a number": (
        DECODER,
        {_TEXT: '        source(f"if type({v}) is int:", f"    {v} = str({v})")\n' + _TEXT},
        "types/string_not_integer",
    ),
    "accepts true for 1": (
        DECODER,
        {_NO_WHOLE: "    if type(value) is bool:\n        return int(value)\n" + _NO_WHOLE},
        "types/integer_not_boolean",
    ),
    "accepts true for a number": (
        DECODER,
        {_NO_NUMBER: "    if type(value) is bool:\n        return float(value)\n" + _NO_NUMBER},
        "types/number_not_boolean",
    ),
    "accepts any object for a struct": (
        DECODER,
        {"        if known is None:\n            source(": "        if False:\n            source("},
        "types/struct_not_string",
    ),
    "does not look at the kind of an item": (
        DECODER,
        {'source(f"if not TEXTS.issuperset(map(type, {values})):", ': 'source("if False:", '},
        "types/array_item",
    ),
    "does not know a kind of several": (
        DECODER,
        {_KINDS_OF: _KINDS_OF.replace("int or type({0}) is float", "float")},
        "parcel/Reply",
    ),
    "accepts an integer with a fraction": (
        DECODER,
        _in(_WHOLE, "value.is_integer()", "value - value == 0"),
        "numbers/integer_with_fraction",
    ),
    "refuses 1.0 for an integer": (DECODER, {_WHOLE: "        return value\n"}, "numbers/integer_fraction_of_zero"),
    "has integers of 64 bits": (
        DECODER,
        _in(_LARGEST, "53", "63"),
        "numbers/integer_too_large numbers/integer_too_small",
    ),
    "has integers of 32 bits": (
        DECODER,
        _in(_LARGEST, "53", "31") | _in(_INLINE, "53", "31"),
        "numbers/integer_largest numbers/integer_smallest",
    ),
    "takes the largest double for what overflows": (
        DECODER,
        {_FINITE_NUMBER: "    return max(-1.7976931348623157e308, min(1.7976931348623157e308, value))\n"},
        "numbers/number_overflow numbers/number_negative_overflow",
    ),
    "has numbers of 32 bits": (
        DECODER,
        _double("__import__('array').array('f', [{v}])[0]"),
        "numbers/number_many_digits",
    ),
    "rounds a number": (DECODER, _double("round({v}, 6)"), "numbers/number_smallest"),
    "rounds a number in writing": (
        ENCODER,
        _in('"    {v} = number({v}{step})", "{{{v}!r}}"', "{{{v}!r}}", "{{round({v}, 3)!r}}"),
        "numbers/number_smallest",
    ),
    "rounds an integer that it does not know": (
        JSON,
        _in(_PARSER, ")\n", ", parse_int=lambda text: int(text) if len(text) > 300 else int(float(text)))\n"),
        "minefield/huge_numbers#1",
    ),
    "keeps what overflows": (
        JSON,
        {"    if value - value:\n        raise Overflow\n": ""},
        "numbers/unknown_field_overflow numbers/untouched_overflow",
    ),
    "stops at what overflows": (
        WIRE,
        _in("    except (Fault, ValueError, Overflow, RecursionError) as error:\n", " Overflow,", ""),
        "numbers/unknown_field_overflow numbers/number_overflow",
    ),
    "does not look at constants": (
        DECODER,
        _in(_CONSTANT, "if {test}:", "if False:"),
        "keys/wrong_constant",
    ),
    "does not look at constants that may be absent": (
        DECODER,
        _in(_MAY_BE, "if {test}:", "if False:"),
        "parcel/Circle",
    ),
    "does not look at values that belong to a sibling": (
        DECODER,
        {_CLAIMS: "            pass\n"},
        "tags/replay_claimed_by_sibling",
    ),
    "opens a closed enum": (
        DECODER,
        _in(_CLOSED_ENUM, "self._strict or not is_open", "self._strict"),
        "parcel/Side parcel/Floor",
    ),
    "opens the keys of a closed enum": (
        DECODER,
        _in(_KEY, "self._strict or not is_open", "self._strict"),
        "parcel/Label",
    ),
}

_FORMATTED = "        source(put.format(v))\n\n    def _boolean"

FORMATS: _Table = {
    "writes a UUID in small letters": (
        DECODER,
        _in(_FORMATTED, "put.format(v)", 'put.format(f"{v}.lower()" if name == "uuid" else v)'),
        "formats/uuid_upper_case",
    ),
    "writes a time anew": (
        DECODER,
        _in(_FORMATTED, "format(v)", """format(f"{v}.replace('Z', '+00:00')" if name == "timestamp" else v)"""),
        "formats/timestamp_zulu",
    ),
    "refuses another form in lenient mode": (
        DECODER,
        _in(_STRICT_FORMAT, "self._strict", "True"),
        "formats/uuid_empty#1",
    ),
    "lets a line feed behind a UUID through": (
        DECODER,
        {'[0-9a-fA-F]{12}").fullmatch': '[0-9a-fA-F]{12}\\n?").fullmatch'},
        "formats/uuid_with_newline#2",
    ),
    "takes any digits for those of a UUID": (
        DECODER,
        {'-[0-9a-fA-F]{12}").fullmatch': '-[\\\\da-fA-F]{12}").fullmatch'},
        "formats/uuid_of_other_digits#2",
    ),
    "checks the calendar": (
        DECODER,
        {'"[0-9]{4}-[0-9]{2}-[0-9]{2}T': '"[0-9]{4}-(?:0[1-9]|1[0-2])-[0-9]{2}T'},
        "formats/timestamp_calendar_not_checked",
    ),
    "refuses an array outside its bounds in lenient mode": (
        DECODER,
        _in(_BOUNDS, " and self._strict", ""),
        "formats/too_many_items#1 formats/too_few_items#1",
    ),
    "counts no items below": (
        DECODER,
        {'[f"len({v}) < {low}"] * (low is not None) + ': ""},
        "formats/too_few_items#1 formats/too_few_items#2",
    ),
    "counts one item too few": (
        DECODER,
        {'f"len({v}) > {high}"': 'f"len({v}) > {high} + 1"'},
        "formats/too_many_items#2",
    ),
}

# --- unions by keys, flattened members, extra members of a type -------------------------------------------------

_HAS = "if all(key in x for key in has) and not any(key in x for key in lacks):\n"
_FLAT = '        source(f"r = {{key: x for key, x in d.items() if key not in {keys}}}")\n'
_FLAT_NULLS = '        source(f"o._extra = {{key: None for key in d if d[key] is None and key in {nulls}}} or None")\n'
_FLAT_TEXT = '            members.append(f",{text[at:end]}")\n'
_EXTRA = '                self._value(source, extra, "x", "e[k] = {}", "(p, k)")\n'
_EXTRA_TEXT = """source(f"{out}.append({_formatted(',{quote(at)}:' + part)})")"""
_EXTRA_NULL = '"    e[k] = None"'

SHAPES: _Table = {
    "takes a null for nothing where keys tell": (
        DECODER,
        _in(_HAS, "key in x for key in has", "x.get(key) is not None for key in has"),
        "keys/null_counts_as_present",
    ),
    "does not look at the keys that a variant lacks": (
        DECODER,
        _in(_HAS, " and not any(key in x for key in lacks)", ""),
        "parcel/Reach",
    ),
    "opens a closed union": (DECODER, _in(_OPEN, "self._strict or not is_open", "self._strict"), "parcel/Shape"),
    "opens a closed union by keys": (
        DECODER,
        _in(_BY_KEYS, "self._strict or not is_open", "self._strict"),
        "parcel/Strict",
    ),
    "hands declared members to a flattened one": (
        DECODER,
        {_FLAT: '        source("r = d")\n'},
        "parcel/Box",
    ),
    "makes a flattened member of nothing": (
        DECODER,
        {"        if flat is not None and flat[3] & REQUIRED:\n": "        if flat is not None:\n"},
        "parcel/Maybe",
    ),
    "loses nulls beside a flattened member": (
        DECODER,
        {_FLAT_NULLS: '        source("o._extra = None")\n'},
        "parcel/Box",
    ),
    "writes no flattened member": (ENCODER, {_FLAT_TEXT: ""}, "parcel/Box parcel/Wrap parcel/Bag"),
    "does not judge extra members of a type": (
        DECODER,
        {_EXTRA: '                source("e[k] = x")\n'},
        "parcel/Free",
    ),
    "loses nulls beside extra members of a type": (DECODER, _in(_EXTRA_NULL, "e[k] = None", "pass"), "parcel/Free"),
    "writes no extra members of a type": (
        ENCODER,
        {_EXTRA_TEXT: 'source("pass")'},
        "parcel/Free unknown/declared_extra",
    ),
    "does not measure what may contain itself": (
        WIRE,
        {"    if not is_recursive(type_):\n        return read\n": "    if True:\n        return read\n"},
        "json/depth_129_of_a_tree",
    ),
}

# --- checks that depend on the caller and the parser -----------------------------------------------------------

_CONSTANTS = "            known = known & constants\n"
_JUDGED = "self._call(self._struct(name, None), v, place)"
_OF_VALUES = "check = check_value if not parsed else "

_CANCEL = """\
"ControlCancelRequest",[["=","type","control_cancel_request"],'
        '[".","request_id","request_id",1,"string"]\
"""

COMPILED: _Table = {
    "takes all tags for judged where one was": (
        DECODER,
        _in(_CONSTANTS, "known & constants", "constants"),
        "keys/wrong_constant",
    ),
    "takes all tags for judged where none was": (
        DECODER,
        _in(_JUDGED, "None", 'frozenset(m[1] for m in row(name)[2] if m[0] == "=")'),
        "tags/constant_tag_decoded_directly types/struct_not_string",
    ),
    "trusts values of programs as those of a parser": (
        DECODER,
        _in(_OF_VALUES, "check_value if not parsed", "check_text_value if not parsed"),
        "numbers/untouched_overflow",
    ),
    "takes scalars of programs for those of a parser": (
        DECODER,
        {"self._scalars = SCALARS if parsed and fast_loads is None": "self._scalars = SCALARS if fast_loads is None"},
        "precedence/overflow_before_unknown_field",
    ),
    "trusts large numbers of the fast parser in untouched objects": (
        "orjson:" + JSON,
        {"                elif of is float and not -_LARGE < item < _LARGE:\n": "                elif False:\n"},
        "minefield/huge_numbers#7",
    ),
    "trusts large numbers of the fast parser in unknown fields": (
        "orjson:" + DECODER,
        {"self._scalars = SCALARS if parsed and fast_loads is None": "self._scalars = SCALARS if parsed"},
        "minefield/huge_numbers#7",
    ),
    "stops at large numbers of the fast parser": (
        "orjson:" + WIRE,
        _in(_SETTLED, " Reparse,", ""),
        "minefield/huge_numbers#7",
    ),
    "trusts the rounding of the fast parser": (
        "orjson:" + WIRE,
        {"_ROUNDED = sys.maxsize if fast_loads is None else 768\n": "_ROUNDED = sys.maxsize\n"},
        "found/long_number_half_way_in_declared_field",
    ),
    "believes the fast parser about faults": (
        "orjson:" + WIRE,
        {"(value is _NOT_PARSED or fast_loads is None)": "True"},
        "minefield/numbers#175",
    ),
    "reads any message by the root alone": (
        WIRE,
        {"        if type is not None or strict:\n": "        if strict:\n"},
        "formats/too_few_items#1",
    ),
    "looks a wrong flag up": (
        TABLE,
        _in(_CANCEL, '"request_id",1,', '"request_id",0,'),
        "presence/required_missing",
    ),
    "looks a wrong bound up": (TABLE, {'["[]","Question",1,4]': '["[]","Question",1,5]'}, "formats/too_many_items#2"),
}

# --- errors ----------------------------------------------------------------------------------------------------

_POINTER = '    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)\n'
_MISSING = 'got none", key)\n'
_CODE = "    return DecodeError(fault.code, fault.path, fault.message)\n"
_STEP = """\
                    self._member(source, member, variable)
            source("except Fault as fault:", "    fault.steps.append(at)", "    raise")
"""
_OPTIONAL_STEP = """\
                    self._optional(source, parts)
                source("except Fault as fault:", "    fault.steps.append(at)", "    raise")
"""
_ENTRY_STEP = '            source(f"    fault.steps.append({k})", "    raise")\n        elif'
_AT_ONE_KEY = "not fault.steps and fault.code not in _BEFORE_UNKNOWN_VALUE:\n"
_DEEP_FIRST = "        if value is not _NOT_PARSED and too_deep(value):\n"
_SYNTAX_FIRST = "        _check_syntax(text)\n        raise long_integer()\n"

ERRORS: _Table = {
    "does not escape paths": (
        JSON,
        _in(_POINTER, '.replace("~", "~0").replace("/", "~1")', ""),
        "unknown/pointer_is_escaped#1",
    ),
    "escapes paths in the wrong order": (
        JSON,
        _in(_POINTER, '.replace("~", "~0").replace("/", "~1")', '.replace("/", "~1").replace("~", "~0")'),
        "unknown/pointer_is_escaped#1",
    ),
    "gives paths with dots": (JSON, {_POINTER: '    return ".".join(map(str, path))\n'}, "presence/required_missing"),
    "gives paths from the end": (
        JSON,
        {"        return pointer(reversed(self.steps))\n": "        return pointer(self.steps)\n"},
        "types/array_item",
    ),
    "gives the path of the parent": (DECODER, _in(_MISSING, ", key)", ")"), "presence/required_missing"),
    "loses the step of a required member": (
        DECODER,
        _in(_STEP, "    fault.steps.append(at)", "    pass"),
        "formats/too_many_items#2",
    ),
    "loses the step of a member that may be absent": (
        DECODER,
        _in(_OPTIONAL_STEP, "    fault.steps.append(at)", "    pass"),
        "unknown/map_key#2",
    ),
    "loses the key of an entry": (
        DECODER,
        _in(_ENTRY_STEP, "    fault.steps.append({k})", "    pass"),
        "types/map_value",
    ),
    "counts items from 1": (
        DECODER,
        _in(_ITEMS, "len({out}))", "len({out}) + 1)"),
        "tags/malformed_block",
    ),
    "has one code for all": (
        WIRE,
        _in(_CODE, "fault.code", "'wrong_type' if fault.code[:3] not in {'inv', 'too'} else fault.code"),
        "presence/required_missing",
    ),
}

PRECEDENCE: _Table = {
    "looks at no syntax behind a long integer": (
        JSON,
        _in(_SYNTAX_FIRST, "        _check_syntax(text)\n", ""),
        "precedence/nothing_behind_a_syntax_error",
    ),
    "looks at values before the depth": (
        WIRE,
        _in(_DEEP_FIRST, "value is not _NOT_PARSED and too_deep(value)", "False"),
        "precedence/parser_before_value",
    ),
    "reports an unknown field whose value is at fault": (
        DECODER,
        {
            "            if type(d[key]) not in self._scalars:\n                self._check(d[key])\n        except": (
                "            pass\n        except"
            )
        },
        "precedence/overflow_before_unknown_field",
    ),
    "reports an unknown key before a value of the wrong kind": (
        DECODER,
        _in(_AT_ONE_KEY, " and fault.code not in _BEFORE_UNKNOWN_VALUE", ""),
        "precedence/unknown_key_and_wrong_type",
    ),
    "looks at the body before a new tag of a known form": (
        DECODER,
        {f"{_STRICT}raise": _STRICT.replace("self._strict", "self._strict and then(x)") + "raise"},
        "tags/new_error_subtype_with_other_body#2",
    ),
}

_FIRST_UNKNOWN = "        key = next(key for key in d if key not in keys)\n"
_FIRST_LINE = "        self._members(source, name, [m for m in members if m[0]"

ORDERS: _Table = {
    "looks at unknown fields sorted": (
        DECODER,
        _in(_FIRST_UNKNOWN, "next(", "min("),
        "",
    ),
    "sorts keys by UTF-16": (
        DECODER,
        _in(
            _FIRST_UNKNOWN,
            "next(key for key in d if key not in keys)",
            'min((key for key in d if key not in keys), key=lambda key: key.encode("utf-16-be", "surrogatepass"))',
        ),
        "",
    ),
    "looks at unknown fields from the last to the first": (
        DECODER,
        _in(_FIRST_UNKNOWN, "key for key in d", "key for key in reversed(d)"),
        "",
    ),
    "looks at members from the last to the first": (
        DECODER,
        {
            "        required = [m for m in members if _is_required(m)]\n": (
                "        required = [m for m in members if _is_required(m)][::-1]\n"
            ),
            "        optional = [m for m in members if not _is_required(m) and not is_flat(m)]\n": (
                "        optional = [m for m in members if not _is_required(m) and not is_flat(m)][::-1]\n"
            ),
        },
        "",
    ),
    "looks at members that have parts first": (
        DECODER,
        {
            "        later = []\n": "        later, last = [], []\n",
            'self._member(source, member, f"v{at}")': 'last.append((f"v{at}", member))',
            _STEP: _STEP
            + "        for variable, member in last:\n            self._member(source, member, variable)\n",
        },
        "",
    ),
    "looks at unknown members first": (
        DECODER,
        {
            _FIRST_LINE: (
                "        if self._strict and extra is None and not any(map(is_flat, members)):\n"
                '            every = self._constant(f"every_{name}", frozenset(m[1] for m in members))\n'
                '            source(f"if not {every}.issuperset(d):", f"    refuse_rest(d, {every}, {declared!r})")\n'
                f"{_FIRST_LINE}"
            )
        },
        "",
    ),
}
"""Other orders of checking a document. They are not faults, as a port may report any of several errors."""

# --- text ------------------------------------------------------------------------------------------------------

_DECODE = "_DECODER = JSONDecoder(parse_constant=_refuse_constant)\n"
_LOAD = "        return _load(text, _FINITE if finite else _DECODER)\n"
_UTF8 = '        return str(data, "utf-8")\n'
_NOT_UTF8 = '        raise Fault("invalid_utf8", f"not UTF-8 at byte {error.start}") from None\n'
_DEPTH = "MAX_DEPTH = 128\n"
_BRACKETS = r"""_NO_BRACKETS = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"?|[^"\[\]{}]+', re.DOTALL)"""
_TOO_DEEP = "    if too_deep(value, room):\n        raise TooDeep\n"
_QUOTE = "from json.encoder import encode_basestring_ascii as quote\n"
_WHOLE_TEXT = "            if end == len(text) and ("
_LEAD = '    return _escaped(f",{quote(member[1])}:")\n'
_UNDECLARED = '            text += f"{{{more} if e else NOTHING}}"\n'


def _parser(options: str) -> dict[str, str]:
    """Parse JSON with other options."""
    return {
        _PARSER: f"_FINITE = JSONDecoder({options}, parse_float=_finite)\n",
        _DECODE: f"_DECODER = JSONDecoder({options})\n",
    }


def _quoted(text: str) -> dict[str, str]:
    """Encode strings with another expression."""
    return {
        _QUOTE: f"""\
from json.encoder import encode_basestring_ascii


def quote(text: str) -> str:
    return {text}


"""
    }


TEXT: _Table = {
    "takes the first of duplicate keys": (
        JSON,
        _parser("parse_constant=_refuse_constant, object_pairs_hook=lambda pairs: dict(reversed(pairs))"),
        "duplicates/field_last_counts duplicates/tag_last_counts",
    ),
    "refuses duplicate keys": (
        JSON,
        _parser(
            "parse_constant=_refuse_constant, "
            "object_pairs_hook=lambda pairs: dict(pairs) if len(dict(pairs)) == len(pairs) else _refuse_constant('')"
        ),
        "duplicates/field_last_counts",
    ),
    "accepts NaN and Infinity": (JSON, _parser("parse_constant=lambda name: None"), "json/nan json/infinity"),
    "accepts raw control characters": (
        JSON,
        _parser("parse_constant=_refuse_constant, strict=False"),
        "json/raw_tab_in_string json/raw_nul_in_string",
    ),
    "accepts trailing text": (
        WIRE,
        _in(_WHOLE_TEXT, "end == len(text)", "True"),
        "json/trailing_text json/two_values",
    ),
    "accepts a trailing comma": (
        JSON,
        _in(_LOAD, "text,", r"re.sub(r',\s*([]}])', r'\1', text),"),
        "json/trailing_comma json/trailing_comma_in_array",
    ),
    "accepts comments": (JSON, _in(_LOAD, "text,", "re.sub(r'/[*].*?[*]/', '', text),"), "json/comment"),
    "swallows a byte order mark": (JSON, _in(_UTF8, "utf-8", "utf-8-sig"), "json/byte_order_mark_as_bytes"),
    "replaces what is not UTF-8": (JSON, _in(_UTF8, '"utf-8"', '"utf-8", "replace"'), "json/invalid_utf8_byte_ff"),
    "takes what is not UTF-8 for Latin 1": (
        JSON,
        {_NOT_UTF8: '        return str(data, "latin-1" if error.start else "latin-1")\n'},
        "json/invalid_utf8_latin_1",
    ),
    "accepts encoded surrogates": (
        JSON,
        _in(_UTF8, '"utf-8"', '"utf-8", "surrogatepass"'),
        "json/invalid_utf8_encoded_surrogate",
    ),
    "has no limit of depth": (JSON, {_DEPTH: "MAX_DEPTH = 1 << 30\n"}, "json/depth_129 json/depth_129_objects"),
    "has a limit of depth that is one too low": (JSON, {_DEPTH: "MAX_DEPTH = 127\n"}, "json/depth_128"),
    "counts brackets in texts as levels": (
        JSON,
        {_BRACKETS: r"""_NO_BRACKETS = re.compile(r'[^\[\]{}]+', re.DOTALL)"""},
        "json/depth_brackets_in_text_of_a_tree",
    ),
    "does not measure what it keeps untouched": (JSON, {_TOO_DEEP: ""}, "json/depth_129 json/depth_129_objects"),
    "stops at what is deep": (
        WIRE,
        _in(_SETTLED, " TooDeep,", ""),
        "json/depth_128",
    ),
    "takes what is deep for too deep": (
        WIRE,
        _in(_DEEP_FIRST, "and too_deep(value)", "and (isinstance(error, TooDeep) or too_deep(value))"),
        "json/depth_128",
    ),
    "takes types for flat": (TABLE, {"\nLEVELS = 13\n": "\nLEVELS = 0\n"}, "json/depth_129_far_inside"),
    "replaces lone surrogates": (
        JSON,
        _quoted('encode_basestring_ascii(text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace"))'),
        "surrogates/lone_in_untouched_json surrogates/lone_in_map_key",
    ),
    "refuses lone surrogates": (
        JSON,
        _quoted("encode_basestring_ascii(text.encode().decode())"),
        "surrogates/lone_high_in_typed_text surrogates/lone_low_in_typed_text",
    ),
    "escapes what HTML cares about": (
        JSON,
        _quoted(r"encode_basestring_ascii(text).replace('<', '\\u003c').replace('>', '\\u003e')"),
        "json/markup_is_not_escaped",
    ),
    "writes fields sorted": (
        ENCODER,
        {_MEMBERS: f"        members = [*members[:1], *sorted(members[1:], key=lambda m: m[1])]\n{_MEMBERS}"},
        "unknown/members_in_order",
    ),
    "writes more than one line": (
        ENCODER,
        _in(_LEAD, ",{", r",\n{"),
        "variants/assistant",
    ),
    "writes what is undeclared first": (
        ENCODER,
        {
            _UNDECLARED: f"""\
            if begins:
                source(f"e = ({{more}} + ',')[1:] if e else NOTHING")
                text = "{{{{{{e}}" + text[2:]
            else:
    {_UNDECLARED}"""
        },
        "unknown/members_in_order",
    ),
}

# --- streams ---------------------------------------------------------------------------------------------------

_FED = "        if data and not lines.closed:\n"
_CUT = "        self.raw, self.fault, self.held, self.size, self.at = raw, fault, held, 0, end + 1\n"
_PART = "            if start < length:\n"
_DECODE = """\
                    item = decode(raw, self.type, self.strict) if self.filter is None else self.filter.decode(raw)
"""
_BAD = """\
                except DecodeError as error:
                    item = BadLine(self.line + 1, raw, error)
                except RecursionError"""
_RETURN = """\
        if size == len(raw) and raw[-1:] == b"\\r":
            raw = raw[:-1]
            size -= 1
"""
_TOO_LONG = "        if size > self.limit:\n"
_OVER = "                if self.size > self.limit + 1:\n"
_BLANK_LINE = """\
            elif raw[:1] != b"{" and not raw.strip(_BLANK):
                self.raw, self.line = None, self.line + 1
"""
_LAST = "            elif self.finished and size:\n"


def _splitting(*also: str) -> dict[str, str]:
    """Split lines at further characters."""
    return {_FED: "".join(f"        data = data.replace({each!r}.encode(), b'\\n')\n" for each in also) + _FED}


def _before_decoding(change: str) -> dict[str, str]:
    return {_DECODE: f"                    raw = {change}\n{_DECODE}"}


LINES: _Table = {
    "splits on U+2028": (STREAMS, _splitting("\u2028", "\u2029"), "streams/line_separators_inside"),
    "splits on a carriage return": (STREAMS, _splitting("\r"), "streams/bare_carriage_return_is_no_line_end"),
    "splits on a form feed": (STREAMS, _splitting("\x0b", "\x0c"), "streams/form_feed_and_vertical_tab"),
    "takes a form feed for white space": (
        STREAMS,
        _in('_BLANK = b" \\t\\r\\n"\n', "\\r", "\\r\\x0b\\x0c"),
        "streams/form_feed_alone",
    ),
    "leaves the carriage return": (
        NDJSON,
        _in(_RETURN, "size == len(raw)", "False"),
        "streams/bad_line_without_its_end streams/line_at_the_limit_with_carriage_return",
    ),
    "strips every carriage return": (
        NDJSON,
        _in(_RETURN, "raw[:-1]", 'raw.rstrip(b"\\r")'),
        "streams/bad_line_with_two_carriage_returns",
    ),
    "stops at a bad line": (
        STREAMS,
        _in(_BAD, "error)\n", "error)\n                    self.cut = lambda: False\n")
        | _in(
            '    __slots__ = ("filter", "item", "length", "ready", "received", "strict", "type")\n',
            ")",
            ', "__dict__")',
        ),
        "streams/bad_line_between streams/bad_message_between",
    ),
    "skips a bad line": (
        STREAMS,
        _in(
            _BAD,
            "item = BadLine(self.line + 1, raw, error)",
            "self.raw, self.line = None, self.line + 1\n                    continue",
        ),
        "streams/bad_line_between streams/bad_message_between",
    ),
    "loses a last line without its end": (NDJSON, _in(_LAST, "size", "False"), "streams/last_line_without_newline"),
    "ends the line where the chunk ends": (
        NDJSON,
        {_PART: "            if start < length:\n                end = length\n                break\n" + _PART},
        "streams/one_byte_at_a_time",
    ),
    "takes one line of a chunk": (NDJSON, _in(_CUT, "end + 1", "len(chunk)"), "streams/two_lines_in_one_chunk"),
    "reads each chunk as text": (
        STREAMS,
        {_FED: "        data = data.decode(errors='replace').encode()\n" + _FED},
        "streams/sequence_split_over_chunks",
    ),
    "merges two messages": (STREAMS, _before_decoding("raw.replace(b'}{', b',')"), "streams/two_objects_on_a_line"),
    "does not count blank lines": (STREAMS, _in(_BLANK_LINE, "self.line + 1", "self.line"), "streams/blank_lines"),
    "reports blank lines": (STREAMS, _in(_BLANK_LINE, "not raw.strip(_BLANK)", "False"), "streams/blank_lines"),
    "counts lines from 0": (SPLITTER, _in("        self.line: int = 0\n", "0", "-1"), "streams/one_line"),
    "counts the line end for the limit": (NDJSON, _in(_TOO_LONG, ">", ">="), "streams/line_at_the_limit"),
    "counts characters for the limit": (
        NDJSON,
        _in(_TOO_LONG, "size", "len(raw.decode(errors='replace'))"),
        "streams/limit_is_in_bytes",
    ),
    "has no limit": (
        NDJSON,
        {
            _TOO_LONG: "        if False:\n",
            _OVER: "                if False:\n",
            "        self.keep = max(limit + 1, SHOWN)": "        self.keep = 1 << 60",
        },
        "streams/line_over_the_limit",
    ),
    "reads on in the middle of a line over the limit": (
        NDJSON,
        {_OVER: _OVER + "                    self.size = 0\n"},
        "streams/line_over_the_limit",
    ),
    "swallows a byte order mark of a stream": (
        STREAMS,
        _before_decoding("raw.removeprefix(b'\\xef\\xbb\\xbf')"),
        "streams/byte_order_mark",
    ),
    "reads a list as its messages": (STREAMS, _before_decoding("raw.strip(b'[]')"), "streams/array_of_messages"),
    "is lenient in a strict stream": (
        STREAMS,
        _in(_DECODE, "self.strict", "False"),
        "streams/unknown_message_in_strict_mode",
    ),
}

# --- errors of encoding ----------------------------------------------------------------------------------------

_OBJECT_CHECK = "        check_value(plain(value), MAX_DEPTH)\n        return long_text"
_NOT_TEXTS = "        if not _TEXTS.issuperset(map(type, value)) and not all(isinstance(key, str) for key in value):\n"

ENCODING: _Table = {
    "writes a number as a text": (
        ENCODER,
        {
            '        wrong_type("string", value, *steps)\n    return str.__str__(value)\n': (
                "        return str(value)\n    return str.__str__(value)\n"
            )
        },
        "encode/number_for_text",
    ),
    "writes any integer": (
        ENCODER,
        {" or not -MAX_INTEGER <= found <= MAX_INTEGER:\n": ":\n"},
        "encode/integer_too_large",
    ),
    "writes an infinite number": (ENCODER, {"    if found - found:\n": "    if False:\n"}, "encode/infinite_number"),
    "writes an object of any class": (
        ENCODER,
        {"    if not isinstance(value, of):\n": "    if False:\n"},
        "encode/other_class",
    ),
    "writes any variant in any union": (
        ENCODER,
        {"        elif name is not None and (self._names is None or name in self._names):\n": "        elif name:\n"},
        "encode/other_variant",
    ),
    "writes values that belong to a sibling": (
        ENCODER,
        {'source(f"if {tests}:", ': 'source("if False:", '},
        "encode/value_of_a_sibling",
    ),
    "writes an Unknown without a look": (
        ENCODER,
        {"                    self._decoders.reader(union)(raw)\n": "                    pass\n"},
        "encode/unknown_without_tag",
    ),
    "does not locate what is not JSON": (
        JSON,
        {_OBJECT_CHECK: "        return long_text"},
        "encode/extra_is_no_json encode/extra_with_number_as_key",
    ),
    "writes numbers as keys": (JSON, {_NOT_TEXTS: "        if False:\n"}, "encode/extra_with_number_as_key"),
    "writes any depth": (
        JSON,
        {"    if not room:\n        raise TooDeep\n    if not SCALARS": "    if not SCALARS"},
        "encode/extra_129_levels",
    ),
    "refuses to write what is deep": (
        WIRE,
        {"_STOPS = (Fault, NeedsRepair, TooDeep, TypeError,": "_STOPS = (Fault, NeedsRepair, TypeError,"},
        "encode/extra_128_levels encode/extra_129_levels",
    ),
    "writes a declared key twice": (
        ENCODER,
        _in(
            "                if (key in keys and _is_there(record, *keys[key])) or key", "key in keys and", "False and"
        ),
        "encode/extra_of_a_declared_key",
    ),
}

_LENGTH = """source(f"if len({v}) != {size}:", f"    out_of_bounds({size}, {size}, {v})")"""
_SIZE = 'size = f"len({v})" if scalar == "string" else v\n'
_KEEPS = """\
        try:
            self._check(value)
        except Fault:
            return False
"""

FORMS: _Table = {
    "takes any value of its kind for a literal": (
        DECODER,
        {
            "    def _literal(self,": "    def _literal(self, source: Source, v: str, put: str, *_: Any) -> None:\n"
            "        source(put.format(v))\n\n    def _unused(self,"
        },
        "forms/Auto forms/One forms/Switch",
    ),
    "takes a tuple of any length": (DECODER, {_LENGTH: "pass"}, "forms/Range"),
    "counts bytes of texts": (
        DECODER,
        {_SIZE: """size = f"len({v}.encode('utf-8', 'surrogatepass'))" if scalar == "string" else v\n"""},
        "forms/Key",
    ),
    "refuses what is beyond its bounds in lenient mode": (
        DECODER,
        {
            """\
        if self._strict:
            source(f"if {' or '.join(tests)}:", f"    beyond(""": """\
        if True:
            source(f"if {' or '.join(tests)}:", f"    beyond("""
        },
        "forms/Share forms/Key",
    ),
    "takes true for an integer tag": (
        DECODER,
        {
            """    if _integer(value, key) != expected:
""": """    if value is not True and _integer(value, key) != expected:
"""
        },
        "forms/First",
    ),
    "looks integer tags up as they are spelt": (
        DECODER,
        _in(
            'return _integer(value, self.key) if kinds[type(value)] == "number" else value',
            "_integer(value, self.key)",
            "value",
        ),
        "forms/Numbered",
    ),
    "prefers the shorter prefix": (
        DECODER,
        _in(
            "next((begun for prefix, begun in self.prefixes if", "in self.prefixes if", "in reversed(self.prefixes) if"
        ),
        "forms/Named",
    ),
    "takes any text for a prefix": (
        DECODER,
        {"""source(f"if not {v}.startswith({prefix!r}):", f"    unknown_prefix({v}, {prefix!r}, {key!r})")""": "pass"},
        "forms/Private forms/Quaint",
    ),
    "repairs what nobody can keep": (DECODER, {_KEEPS: ""}, "forms/Tolerance"),
    "repairs nothing": (
        DECODER,
        {"        if repair_of(member)[0] and not self._strict:\n": "        if False:\n"},
        "forms/Tolerance",
    ),
    "repairs in strict mode": (
        DECODER,
        _in("if repair_of(member)[0] and not self._strict:", " and not self._strict", ""),
        "forms/Mendable forms/Tolerance",
    ),
    "loses what it repairs": (
        DECODER,
        _in('source("if kept:", "    o._extra = in_order(d, {**(o._extra or {}), **kept})")', "if kept:", "if False:"),
        "forms/Mendable forms/Beside",
    ),
    "notes what is inside a value that it repairs": (
        DECODER,
        {'source(f"notes[{mark}:] = [{place}]")': 'source(f"notes.append({place})")'},
        "forms/Tolerance",
    ),
    "numbers items as they are left": (
        DECODER,
        {
            """            with self._tried(source, x, f"({q}, {i})"):
""": """            with self._tried(source, x, f"({q}, len({out}))"):
"""
        },
        "forms/Tolerance",
    ),
    "skips no items": (
        DECODER,
        {
            """        if how == "skip":
            self._skipping(source, type_, v, put, place)
            return
""": """        if how == "skip":
            self._value(source, type_, v, put, place)
            return
"""
        },
        "forms/Tolerance",
    ),
}

# --- sessions ----------------------------------------------------------------------------------------------------

_IN_USE = "            if _key(id_) in self._pending:\n                raise"
_TAKES = "            self._drawn = drawn\n"
_SKIPS = "            if _key(found) not in self._pending:\n"
_ENDS = '        self._finish(asked, "late" if asked.cancelled else "repeated")\n'
_OPEN = "        found = self._open.get(_key(id_))\n        if found is None"
_REUSED = "        if key in self._open:\n            return Session"
_UNKNOWN = "        if not self._is_known(payload) and self._refuses:\n"
_DIRECTION = "        return name in ANSWERS and name in self._answers\n"
_SENDS = "        if name not in self._sends or name not in table:\n"
_CANCELLED = '        if not SESSION["answered"]:\n            del self._open'
_CANCELS = """\
            if SESSION["answered"]:
                asked.cancelled = True
            else:
                self._finish(asked, "late")
"""
_REPLIED = "            del self._open[_key(asked.id)]\n        return line\n\n    def refuse"
_KEY = "    return isinstance(id_, bool), id_\n"
_NO_ID = "        if id_ is None or id_ is UNSET:\n"
_FORGETS = "            self._done.popitem(last=False)\n"
_INVALID = """\
        except DecodeError as error:
            return SessionInvalidAnswer(id_, asked.payload, error, message)
"""
_REPLIES = """\
            if self._is_known(asked.payload):
                line"""
_FAILS = """\
        if not isinstance(asked, _Asked):
            return asked
        text"""
_FREE = "            self._done.pop(_key(id_), None)\n"

SESSIONS: _Table = {
    "gives an id that is pending away": (
        SESSION,
        _in(_IN_USE, "_key(id_) in self._pending", "False"),
        "sessions/id_in_use sessions/many_pending sessions/answered/cancel_again",
    ),
    "skips every other id": (SESSION, _in(_TAKES, "= drawn", "= drawn + 1"), "sessions/jsonrpc/ids_are_counted"),
    "draws ids that are pending": (
        SESSION,
        _in(_SKIPS, "_key(found) not in self._pending", "True"),
        "sessions/jsonrpc/ids_skip_what_is_pending sessions/answered/ids_are_counted",
    ),
    "spends an id on what is not sent": (
        SESSION,
        {
            "        self._check_sends(sent, ANSWERS)\n": "        self._drawn += 1\n"
            "        self._check_sends(sent, ANSWERS)\n"
        },
        "sessions/jsonrpc/ids_are_not_spent_on_what_fails",
    ),
    "compares ids as text": (
        SESSION,
        _in(_KEY, "id_\n", "str(id_)\n"),
        "sessions/jsonrpc/ids_of_two_kinds sessions/jsonrpc/ids_of_two_kinds_of_the_peer",
    ),
    "tells 1 from 1.0": (
        SESSION,
        _in(_KEY, "isinstance(id_, bool)", "type(id_)"),
        "sessions/jsonrpc/ids_are_numbers",
    ),
    "keeps answered requests pending": (
        SESSION,
        {_ENDS: ""},
        "sessions/answer sessions/answer_twice sessions/error_to_a_request sessions/answer_missing",
    ),
    "calls late answers repeated": (SESSION, {_CANCELS: _CANCELS.replace("late", "repeated")}, "sessions/cancel"),
    "calls repeated answers late": (SESSION, {_ENDS: _ENDS.replace("repeated", "late")}, "sessions/answer_twice"),
    "forgets cancelled requests": (
        SESSION,
        {_CANCELS: _CANCELS.replace('self._finish(asked, "late")', "del self._pending[_key(asked.id)]")},
        "sessions/cancel sessions/cancel_then_error sessions/memory_of_cancelled_requests",
    ),
    "ends a cancelled request that is still answered": (
        SESSION,
        {_CANCELS: '            self._finish(asked, "late")\n'},
        "sessions/answered/cancel sessions/answered/cancel_again",
    ),
    "leaves a cancelled request pending": (
        SESSION,
        {_CANCELS: "            asked.cancelled = True\n"},
        "sessions/cancel sessions/cancel_what_is_not_pending sessions/jsonrpc/cancel",
    ),
    "takes the answer to a cancelled request": (
        SESSION,
        {'        return SessionStray(id_, "late", message) if asked.cancelled else asked\n': "        return asked\n"},
        "sessions/answered/cancel",
    ),
    "remembers no more than a thousand": (
        SESSION,
        {"REMEMBERED = 1024": "REMEMBERED = 1000"},
        "sessions/memory_of_answered_requests sessions/memory_of_an_id_used_again",
    ),
    "remembers everything": (
        SESSION,
        {_FORGETS: "            pass\n"},
        "sessions/memory_of_answered_requests sessions/memory_of_cancelled_requests sessions/answered/memory",
    ),
    "forgets the newest": (
        SESSION,
        _in(_FORGETS, "last=False", "last=True"),
        "sessions/memory_of_answered_requests",
    ),
    "remembers an id from its first end": (
        SESSION,
        {_FREE: ""},
        "sessions/memory_of_an_id_used_again",
    ),
    "remembers strays": (
        SESSION,
        {
            '            return SessionStray(id_, self._done.get(key, "unknown"), message)\n': "            reason = "
            'self._done.setdefault(key, "unknown")\n            if len(self._done) > REMEMBERED:\n'
            "                self._done.popitem(last=False)\n            return SessionStray(id_, reason, message)\n"
        },
        "sessions/memory_is_not_of_what_was_received",
    ),
    "answers twice": (
        SESSION,
        _in(_REPLIED, "            del self._open[_key(asked.id)]\n", ""),
        "sessions/request sessions/request_answered_once sessions/requests_answered_in_another_order",
    ),
    "answers what was cancelled": (
        SESSION,
        {_CANCELLED: _CANCELLED.replace('not SESSION["answered"]', "False")},
        "sessions/cancellation sessions/prompt_after_a_cancellation sessions/jsonrpc/cancellation",
    ),
    "drops what is still to be answered": (
        SESSION,
        {_CANCELLED: _CANCELLED.replace('not SESSION["answered"]', "True")},
        "sessions/answered/cancellation sessions/answered/cancellation_again",
    ),
    "closes a request before its reply is made": (
        SESSION,
        {
            _REPLIES: "            del self._open[_key(asked.id)]\n" + _REPLIES,
            _REPLIED: _REPLIED.replace("            del self._open[_key(asked.id)]\n", ""),
        },
        "sessions/reply_of_another_type sessions/reply_without_a_result sessions/jsonrpc/reply_of_another_type",
    ),
    "takes a second request under an id": (
        SESSION,
        _in(_REUSED, "key in self._open", "False"),
        "sessions/id_reused_by_the_peer sessions/many_unanswered sessions/jsonrpc/ids_are_numbers_of_the_peer",
    ),
    "leaves unknown requests to the program": (
        SESSION,
        {_UNKNOWN: "        if False:\n"},
        "sessions/unknown_request sessions/jsonrpc/unknown_request sessions/answered/unknown_request",
    ),
    "refuses unknown requests though the program answers them": (
        SESSION,
        _in(_UNKNOWN, " and self._refuses", ""),
        "sessions/unknown_request_left_to_the_program sessions/jsonrpc/unknown_request_left_to_the_program",
    ),
    "answers requests of its own side": (
        SESSION,
        _in(_DIRECTION, " and name in self._answers", ""),
        "sessions/request_in_the_wrong_direction sessions/jsonrpc/request_in_the_wrong_direction",
    ),
    "refuses unknown requests with the code of refusals": (
        SESSION,
        {'            code = SESSION["codes"][1]\n': "            pass\n"},
        "sessions/jsonrpc/request_in_the_wrong_direction",
    ),
    "sends requests of the other side": (
        SESSION,
        _in(_SENDS, "name not in self._sends or ", ""),
        "sessions/asked_in_the_wrong_direction sessions/jsonrpc/notify",
    ),
    "takes an error without an id for an answer": (
        SESSION,
        _in(_NO_ID, "id_ is None or id_ is UNSET", "False"),
        "sessions/jsonrpc/error_without_an_id sessions/jsonrpc/error_without_an_id_with_data",
    ),
    "takes every error for a failure": (
        SESSION,
        {_FAILS: _FAILS.replace("return asked", "return SessionFailure(id_, None, '', None, UNSET)")},
        "sessions/error_to_an_unknown_id sessions/error_after_an_answer sessions/cancel_then_error",
    ),
    "takes an answer that does not fit": (
        SESSION,
        {_INVALID: "        except DecodeError:\n            result = None\n"},
        "sessions/answer_of_another_type sessions/answer_missing sessions/jsonrpc/answer_that_does_not_fit",
    ),
    "gives a result where none is declared": (
        SESSION,
        {"            result = None  # whatever the peer sent\n": "            pass\n"},
        "sessions/answer_to_a_request_without_a_result sessions/jsonrpc/answer_none",
    ),
    "takes a cancellation for a notification": (
        SESSION,
        {"        if _is_cancellation(payload):\n": "        if False:\n"},
        "sessions/jsonrpc/cancellation",
    ),
    "lists what is pending by id": (
        SESSION,
        _in(
            "for asked in self._pending.values()]",
            "self._pending.values()",
            "sorted(self._pending.values(), key=lambda a: str(a.id))",
        ),
        "sessions/order",
    ),
    "takes every form of a response for an error": (
        CONTROL,
        {'    return _at(message, found["at"][_CONTENT[form]]) is not _NOWHERE\n': "    return True\n"},
        "sessions/answer sessions/answer_of_a_third_form",
    ),
    "fails for data that does not fit": (
        CONTROL,
        {
            "            data = from_value(data, type_)\n        except DecodeError:\n": "            data = "
            "from_value(data, type_)\n        except ZeroDivisionError:\n"
        },
        "sessions/jsonrpc/error_with_data_that_does_not_fit",
    ),
}

RULES = {
    "forms of types, tags and repairs": FORMS,
    "what is unknown": UNKNOWN,
    "the list of what was let pass": NOTED,
    "strict mode": STRICT,
    "presence": PRESENCE,
    "values": VALUES,
    "formats and bounds": FORMATS,
    "unions by keys, flattened and extra members": SHAPES,
    "what is compiled for whom": COMPILED,
    "errors": ERRORS,
    "precedence": PRECEDENCE,
    "text": TEXT,
    "streams": LINES,
    "what encoding refuses": ENCODING,
    "sessions": SESSIONS,
}
"""Rule → the faults that violate it."""
