"""Cases of JSON structure: literals, brackets, commas, keys, white space, depth, truncated and trailing text."""

from __future__ import annotations

from collections.abc import Iterator

from .place import (
    BOOLEAN,
    CODE,
    DOCUMENT,
    EXTRA,
    EXTRA_KEY,
    ITEM,
    JSON,
    KEY,
    NUMBER,
    TAG,
    TEXT,
    UNKNOWN,
    UNTOUCHED_KEY,
    VALUE,
    Case,
    bad_line,
    error,
    outcome,
    refused,
    stream,
    taken,
    whole,
)

ALIVE = '{"type":"keep_alive"}'
ESCAPED_KEY = "".join(f"\\u{ord(letter):04x}" for letter in "request_id")
IS_ALIVE = outcome(EXTRA, ALIVE, unknown=())

# --- literals --------------------------------------------------------------------------------------------------

NO_LITERALS = {
    "t": "one letter of true",
    "tru": "true without its end",
    "rue": "true without its beginning",
    "truee": "true with a letter too many",
    "tr ue": "a space in true",
    "ttrue": "true with a letter before it",
    "trUe": "a capital in true",
    "True": "true as in Python",
    "TRUE": "true in capitals",
    "tru\u0435": "true with a Cyrillic letter",
    "\uff54\uff52\uff55\uff45": "true in full-width letters",
    "\\u0074rue": "true with an escape",
    "true1": "a digit behind true",
    "truefalse": "two literals run together",
    "true false": "two literals with a space",
    'true"a"': "a string behind true",
    "true{}": "an object behind true",
    "!true": "a negation",
    "yes": "yes",
    "f": "one letter of false",
    "fals": "false without its end",
    "falsey": "false with a letter too many",
    "False": "false as in Python",
    "n": "one letter of null",
    "nul": "null without its end",
    "nulll": "null with a letter too many",
    "nUll": "a capital in null",
    "NULL": "null in capitals",
    "None": "null as in Python",
    "nil": "null as in Go",
    "null0": "a digit behind null",
    "nullnull": "null twice",
    "undefined": "undefined",
    "new Date(0)": "an expression",
    "<null/>": "markup",
    "@": "a character that begins nothing",
}


def literals() -> Iterator[Case]:
    """Make cases of true, false and null, and of words similar to them."""
    for spelling, idea in NO_LITERALS.items():
        yield refused(idea, BOOLEAN, spelling)
        yield refused(idea, EXTRA, spelling, as_bytes=True)
    for place in (JSON, UNKNOWN, TEXT, NUMBER, DOCUMENT):
        yield refused("true without its end", place, "tru", mode="strict")
        yield refused("null without its end", place, "nul")
    for spelling in ("true", "false"):
        yield taken(f"{spelling} among spaces", BOOLEAN, f" {spelling} ", spelling, mode="strict")
    yield taken("every literal", EXTRA, "[true,false,null]", "[true,false,null]")


# --- brackets, commas, colons ----------------------------------------------------------------------------------


def structure() -> Iterator[Case]:
    """Make cases of malformed arrays and objects, at places that allow values of any type."""
    for spelling, idea in (
        ("", "no value"),
        (",", "a comma for a value"),
        (":", "a colon for a value"),
        ("[", "an array without its end"),
        ("]", "the end of an array without its beginning"),
        ("[1", "an array without its end, and an item"),
        ("[1}", "an array that ends like an object"),
        ("[[1]", "one array of two without its end"),
        ("[1]]", "one end of an array too many"),
        ("[,]", "an array of a comma"),
        ("[,1]", "a comma before the first item"),
        ("[1,]", "a comma behind the last item"),
        ("[1,,2]", "two commas between items"),
        ("[1 2]", "no comma between items"),
        ('["a" "b"]', "no comma between texts"),
        ("[[][]]", "no comma between arrays"),
        ("[1;2]", "a semicolon between items"),
        ("[1:2]", "a colon between items"),
        ('["a":1]', "a member in an array"),
        ("[...]", "an ellipsis"),
        ("(1,2)", "a tuple"),
        ("{", "an object without its end"),
        ("}", "the end of an object without its beginning"),
        ('{"a":1', "an object without its end, and a member"),
        ('{"a":1]', "an object that ends like an array"),
        ('{"a":1}}', "one end of an object too many"),
        ("{,}", "an object of a comma"),
        ('{,"a":1}', "a comma before the first member"),
        ('{"a":1,}', "a comma behind the last member"),
        ('{"a":1,,"b":2}', "two commas between members"),
        ('{"a":1 "b":2}', "no comma between members"),
        ('{"a":1;"b":2}', "a semicolon between members"),
        ('{"a":1:"b":2}', "a colon between members"),
        ('{"a"}', "a key alone"),
        ('{"a":}', "no value behind the colon"),
        ('{"a":,"b":1}', "a comma behind the colon"),
        ('{"a",1}', "a comma for the colon"),
        ('{"a" 1}', "no colon"),
        ('{"a"=1}', "an equals sign for the colon"),
        ('{"a"=>1}', "an arrow for the colon"),
        ('{"a"::1}', "two colons"),
        ("{:1}", "no key"),
        ("{1}", "an object of a number"),
        ('{["a"]}', "an object of an array"),
        ("{[1,2]:3}", "an array for a key"),
        ("{{}:1}", "an object for a key"),
        ("{1:1}", "a number for a key"),
        ("{true:1}", "a literal for a key"),
        ("{null:1}", "null for a key"),
        ("{a:1}", "a key without quotes"),
        ("{'a':1}", "a key in single quotes"),
        ('{"a:1}', "a key without its end"),
        ('{"a"b":1}', "a quote in a key"),
        ('{"a" "b":1}', "two keys"),
        ("[1/**/]", "a comment between slashes and asterisks"),
        ("[1//\n]", "a comment to the end of the line"),
        ("[1#\n]", "a comment behind a hash"),
        ("[1<!-- -->]", "a comment of markup"),
        ('{/**/"a":1}', "a comment before a key"),
        ("\\", "a backslash for a value"),
        ("*", "an asterisk for a value"),
    ):
        yield refused(idea, EXTRA, spelling)
    for place, right in ((ITEM, '"a"'), (VALUE, '"a"'), (NUMBER, "1")):
        for spelling, idea in (
            ("", "no value"),
            (f"{right},", "a comma too many"),
            (f",{right}", "a comma before it"),
            (f"{right} {right}", "two values"),
            (f"{right}]", "the end of an array"),
            (f"[{right}", "the beginning of an array"),
            (f"{right}//", "a comment"),
        ):
            yield refused(idea, place, spelling)
    for place in (KEY, EXTRA_KEY, UNTOUCHED_KEY):
        for spelling, idea in (("", "nothing"), ("1", "a number"), ('"a",', "a comma"), ('["a"]', "an array")):
            yield refused(idea, place, spelling)
        yield refused("a colon too many", place, '"a":', mode="strict")
    for spelling in ("[]", "{}", "[[]]", "[{}]", '{"":{}}', "[[],{},[[]]]", '{"a":[],"b":{}}', "[0,[0,[0,[0]]]]"):
        yield taken(spelling, EXTRA, spelling, spelling)
        yield taken(spelling, JSON, spelling, spelling, mode="strict", as_bytes=True)


def keys() -> Iterator[Case]:
    """Make cases of all kinds of keys, including ones with a special meaning in a language."""
    for place, prefix in ((KEY, ""), (UNTOUCHED_KEY, ""), (EXTRA_KEY, "/")):
        for spelling, value, idea in (
            ('""', "", "an empty key"),
            ('" "', " ", "a space"),
            (r'"\u0000"', "\0", "U+0000"),
            (r'"a\u0000b"', "a\0b", "U+0000 in the middle"),
            (r'"a\nb"', "a\nb", "a line feed"),
            (r'"\""', '"', "a quote"),
            (r'"\\"', "\\", "a backslash"),
            ('"__proto__"', "__proto__", "the prototype of JavaScript"),
            ('"constructor"', "constructor", "the constructor of JavaScript"),
            ('"hasOwnProperty"', "hasOwnProperty", "a method of JavaScript"),
            ('"__class__"', "__class__", "the class of Python"),
            ('"_extra"', "_extra", "what a package may use itself"),
            ('"0"', "0", "an index"),
            ('"-1"', "-1", "a negative number"),
            ('"TYPE"', "TYPE", "a declared key in capitals"),
            ('"\u00e9"', "\u00e9", "a letter with an accent"),
            ('"e\u0301"', "e\u0301", "the same of two characters"),
        ):
            yield taken(idea, place, spelling, spelling, unknown=[prefix + value] if prefix else ())
    for place in (KEY, UNTOUCHED_KEY):
        long = '"' + "k" * 2000 + '"'
        yield taken("two thousand letters", place, long, long)
    yield taken("the characters of pointers", EXTRA_KEY, '"a/b~c~1"', '"a/b~c~1"', unknown=["/a~1b~0c~01"])
    for tag in ("__proto__", "constructor", "toString", "__class__", "", "0", "KEEP_ALIVE", "keep_alive "):
        yield taken(f"{tag!r}, which is not a variant", TAG, f'"{tag}"', f'"{tag}"')
    for spelling, code, path in (
        ('"__proto__":1e400', "out_of_range", "/__proto__"),
        ('"__proto__":{"__proto__":[1e400]}', "out_of_range", "/__proto__/__proto__/0"),
        ('"constructor":{"prototype":1e400}', "out_of_range", "/constructor/prototype"),
    ):
        document = f'{{"type":"keep_alive",{spelling}}}'
        yield whole(f"A fault at {path}.", document, {"error": {"code": code, "path": path}})
    for key in ("__proto__", "constructor"):
        refusal = {"error": {"code": "wrong_type", "path": f"/variables/{key}"}}
        yield whole(f"A fault in a map at {key}.", KEY.with_(f'"{key}":0,"a"'), refusal)
        document = f'{{"subtype":"mcp_set_servers","servers":{{"{key}":{{"command":"a","args":null}}}}}}'
        expect = outcome(JSON, document, unknown=[f"/servers/{key}/args"])
        yield whole(f"A null that is let pass in a map at {key}.", document, expect, type="McpSetServersRequest")
    document = '{"__proto__":{"type":"keep_alive"}}'
    yield whole("A prototype has no tag.", document, {"error": {"code": "missing_field", "path": "/type"}})
    document = '{"type":"control_cancel_request","__proto__":{"request_id":"a"}}'
    yield whole("A prototype has no fields.", document, {"error": {"code": "missing_field", "path": "/request_id"}})
    for size in (7, 8, 15, 16):
        key = "k" * size + "\u00e9"
        yield taken(f"{size} bytes and a letter with an accent", EXTRA_KEY, f'"{key}"', f'"{key}"', unknown=[f"/{key}"])


def duplicate_keys() -> Iterator[Case]:
    """Make cases of equal keys: the last one counts; the others must be JSON in UTF-8, and may be validated further."""
    cancel = '{"type":"control_cancel_request","request_id":"a"}'
    cancelled = outcome(EXTRA, cancel, unknown=(), variant="ControlCancelRequest")
    misfit = error("wrong_type", "/request_id")
    for doc, before, *also in (
        ("A text.", '"request_id":"b"'),
        ("An integer, which is of the wrong type.", '"request_id":0', misfit),
        ("A null, which is of the wrong type.", '"request_id":null', misfit),
        ("An object.", '"request_id":{"request_id":"b"}', misfit),
        ("An array that itself has equal keys.", '"request_id":[{"a":0,"a":1}]', misfit),
        ("A number out of range.", '"request_id":1e400', misfit),
        ("A number out of range, further in.", '"request_id":[{"a":-1e400}]', misfit),
        ("A half of a character.", '"request_id":"\\ud800"'),
        ("A key with an escape.", '"request_i\\u0064":"b"'),
        ("A key all of escapes.", f'"{ESCAPED_KEY}":0', misfit),
        ("Three times in all.", '"request_id":"b","request_id":"c"'),
        ("128 levels.", '"request_id":' + "[" * 127 + "]" * 127, misfit),
        ("129 levels.", '"request_id":' + "[" * 128 + "]" * 128, misfit, error("too_deep")),
        ("4301 digits.", '"request_id":' + "7" * 4301, misfit, error("out_of_range")),
    ):
        document = cancel.replace('"request_id"', f'{before},"request_id"')
        yield whole(f"Overwritten. {doc}", document, cancelled, *also, mode="strict")
    beside = outcome(EXTRA, f'{cancel[:-1]},"x":0}}', variant="ControlCancelRequest")
    for doc, value, code in (
        ("129 levels in an object that is overwritten itself.", "[" * 127 + "]" * 127, "too_deep"),
        ("4301 digits in an object that is overwritten itself.", "7" * 4301, "out_of_range"),
    ):
        document = cancel.replace('"request_id"', f'"x":{{"y":{value},"y":0}},"x":0,"request_id"')
        yield whole(f"Overwritten. {doc}", document, beside, code)
    for doc, before in (
        ("A number with a leading zero.", '"request_id":01'),
        ("NaN.", '"request_id":NaN'),
        ("A wrong escape.", '"request_id":"\\a"'),
        ("A wrong escape, further in.", '"request_id":[["\\u12"]]'),
        ("A control character.", '"request_id":"\t"'),
        ("No value.", '"request_id":'),
        ("A comma too many.", '"request_id":[1,]'),
    ):
        document = cancel.replace('"request_id"', f'{before},"request_id"')
        yield whole(f"Overwritten, and refused all the same. {doc}", document, "invalid_json")
    for doc, after, code, path in (
        ("The last is of the wrong type.", '"request_id":0', "wrong_type", "/request_id"),
        ("The last is null.", '"request_id":null', "wrong_type", "/request_id"),
        ("The last is of the wrong type, its key with an escape.", '"request\\u005Fid":0', "wrong_type", "/request_id"),
        ("The last tag is of the wrong type.", '"type":0', "wrong_type", "/type"),
        ("The last tag is null.", '"\\u0074ype":null', "wrong_type", "/type"),
    ):
        yield whole(doc, f"{cancel[:-1]},{after}}}", error(code, path))
    yield whole(
        "The last tag is that of another variant.",
        f'{cancel[:-1]},"type":"user"}}',
        *(error("missing_field", f"/{key}") for key in ("message", "parent_tool_use_id")),
        error("wrong_constant", "/type"),
    )
    other, new = error("wrong_constant", "/type"), error("unknown_variant", "/type")
    for doc, before, *also in (
        ("the first of another variant.", '"type":"user"', other),
        ("the first unknown.", '"type":"new"', new, other),
        ("the first no text.", '"type":{}', error("wrong_type", "/type")),
        ("the first with escapes.", '"\\u0074\\u0079\\u0070\\u0065":"new"', new, other),
        ("alike.", '"type":"keep_alive"'),
    ):
        document = f'{{{before},"type":"keep_alive"}}'
        yield whole(f"The tag twice, {doc}", document, IS_ALIVE, *also, mode="strict")
    document = '{"type":"keep_alive","type":"new"}'
    yield whole("The tag twice, the last unknown.", document, outcome(UNKNOWN, '{"type":"new"}'))
    for idea, spelling, value in (
        ("equal keys", '{"a":1,"a":2}', '{"a":2}'),
        ("equal keys with another between", '{"a":1,"b":2,"a":3}', '{"a":3,"b":2}'),
        ("a key with an escape, and without", '{"\\u0061":1,"a":2}', '{"a":2}'),
        ("a key without an escape, and with", '{"a":1,"\\u0061":2}', '{"a":2}'),
        ("a key with digits in small letters and capitals", '{"\\u00e9":1,"\\u00E9":2}', '{"\u00e9":2}'),
        ("a key of a pair of escapes, and of one character", '{"\\ud83d\\ude00":1,"\U0001f600":2}', '{"\U0001f600":2}'),
        ("equal keys of halves", '{"\\ud800":1,"\\uD800":2}', '{"\\ud800":2}'),
        ("equal keys of a half among others", '{"\\u00e9\\ud800":1,"\u00e9\\uD800":2}', '{"\u00e9\\ud800":2}'),
        ("equal keys of a control character", '{"\\n":1,"\\u000a":2}', '{"\\n":2}'),
        ("equal keys of U+0000", '{"\\u0000":1,"\\u0000":2}', '{"\\u0000":2}'),
        ("equal empty keys", '{"":1,"":2}', '{"":2}'),
        ("a slash with an escape, and without", '{"\\/":1,"/":2}', '{"/":2}'),
        ("the prototype twice", '{"__proto__":1,"__proto__":2}', '{"__proto__":2}'),
        ("the prototype twice, an object first", '{"__proto__":{"a":1},"__proto__":[]}', '{"__proto__":[]}'),
        ("the prototype twice, an object last", '{"__proto__":[],"__proto__":{"a":1}}', '{"__proto__":{"a":1}}'),
        ("other values", '{"a":[1,2,3],"a":null}', '{"a":null}'),
        ("an object that is overwritten is not merged", '{"a":{"b":1},"a":{"c":2}}', '{"a":{"c":2}}'),
        ("equal keys further in", '[{"a":{"b":1,"b":2}}]', '[{"a":{"b":2}}]'),
        ("forty keys, the first twice", _many(), _many(0)),
    ):
        for place in (EXTRA, UNKNOWN):
            yield taken(idea, place, spelling, value)
    overflow = error("out_of_range", "/x/a")
    for place in (EXTRA, UNKNOWN):
        yield taken("a number out of range, overwritten", place, '{"a":1e400,"a":0}', '{"a":0}', also=[overflow])
    yield taken("equal keys", JSON, '{"a":1,"b":2,"\\u0061":3}', '{"a":3,"b":2}', mode="strict")
    yield refused("a number out of range, which is the last", EXTRA, '{"a":0,"a":1e400}', "out_of_range", path="/x/a")
    for idea, spelling, value in (
        ("capitals make another key", '{"a":1,"A":2}', '{"a":1,"A":2}'),
        ("a space makes another key", '{"a":1,"a ":2}', '{"a":1,"a ":2}'),
        ("U+0000 makes another key", '{"a":1,"a\\u0000":2}', '{"a":1,"a\\u0000":2}'),
        ("an accent of its own makes another key", '{"\u00e9":1,"e\u0301":2}', '{"\u00e9":1,"e\u0301":2}'),
        ("an escaped backslash makes another key", '{"a":1,"\\\\u0061":2}', '{"a":1,"\\\\u0061":2}'),
    ):
        yield taken(idea, EXTRA, spelling, value)
    for idea, spelling, value in (
        ("twice", '"A":"1","A"', '"A"'),
        ("twice, once with an escape", '"\\u0041":"1","A"', '"A"'),
        ("U+0000 twice", '"\\u0000":"1","\\u0000"', '"\\u0000"'),
    ):
        yield taken(idea, KEY, spelling, value, mode="strict")
    for idea, key in (("twice, the first of the wrong type", "A"), ("the prototype twice", "__proto__")):
        also = [error("wrong_type", f"/variables/{key}")]
        yield taken(idea, KEY, f'"{key}":0,"{key}"', f'"{key}"', mode="strict", also=also)
    overflow = error("out_of_range", "/x")
    yield taken("twice", EXTRA_KEY, '"x":1e400,"x"', '"x"', unknown=["/x"], also=[overflow])
    yield taken("twice, once with an escape", EXTRA_KEY, '"\\u0078":[1],"x"', '"x"', unknown=["/x"])
    once = '{"type":"control_cancel_request","request_id":"a","x":0}'
    yield whole(
        "An unknown key and a declared one, both twice and mixed.",
        '{"x":1,"request_id":0,"type":"control_cancel_request","x":0,"request_id":"a"}',
        outcome(EXTRA, once, variant="ControlCancelRequest"),
        misfit,
    )


def _many(first: int | None = None) -> str:
    """Make an object of forty keys; without `first`, the first key is repeated at the end."""
    members = [f'"k{at}":{at}' for at in range(40)]
    if first is None:
        members = ['"k0":"x"', *members[1:], '"k0":0']
    return "{" + ",".join(members) + "}"


# --- depth -----------------------------------------------------------------------------------------------------

FAR = 1100
"""A depth that also exceeds the limit of recursive parsers in some languages."""
FARTHER = 10_050
"""A depth that exceeds the limit of every parser that has one."""


def nested(levels: int, bracket: str = "[]", inside: str = "") -> str:
    """Nest arrays, objects with an empty key, or both alternately."""
    if bracket == "[]":
        return "[" * levels + inside + "]" * levels
    if bracket == "{}":
        return '{"":' * (levels - 1) + "{" + inside + "}" * levels
    return '[{"":' * (levels // 2) + "0" + "}]" * (levels // 2)


def nesting() -> Iterator[Case]:
    """Make cases of depth: 128 levels are accepted, 129 are rejected. The places add one to three levels."""
    for bracket, what in (("[]", "arrays"), ("{}", "objects")):
        for place in (EXTRA, UNKNOWN, JSON):
            levels = nested(127, bracket)
            yield taken(f"128 levels of {what}", place, levels, levels)
            yield refused(f"129 levels of {what}", place, nested(128, bracket), "too_deep")
        yield refused(f"129 levels of {what}", EXTRA, nested(128, bracket), "too_deep", mode="strict")
    mixed = nested(126, "[{")
    yield taken("127 levels of arrays and objects in turn", EXTRA, mixed, mixed)
    yield refused("129 levels of arrays and objects in turn", EXTRA, nested(128, "[{"), "too_deep")
    for place in (TEXT, BOOLEAN, NUMBER, DOCUMENT, CODE):
        yield refused("129 levels where none belongs", place, nested(129), "too_deep")
    yield refused("128 levels where a number belongs", CODE, nested(128), "wrong_type")
    yield whole(
        "128 levels of objects, and no tag.", nested(128, "{}"), {"error": {"code": "missing_field", "path": "/type"}}
    )
    for doc, document in (
        ("Two deep ones side by side.", f"[{nested(126)},{nested(126)}]"),
        ("A thousand side by side.", "[" + ",".join(["[]"] * 1000) + "]"),
        ("A thousand objects side by side.", "[" + ",".join(["{}"] * 1000) + "]"),
        ("A deep one behind a thousand others.", "[" + "[]," * 1000 + nested(126) + "]"),
        ("Brackets in a string.", '"' + "[{" * 100 + '"'),
        ("Brackets in a string behind an escaped quote.", '"\\"' + "[{" * 100 + '"'),
        ("Brackets in a string behind escaped backslashes and a quote.", '"\\\\\\"' + "[{" * 100 + '"'),
        ("Brackets in a string between strings of a backslash.", '["\\\\","' + "[{" * 100 + '","\\\\"]'),
        ("Ends of brackets in a string.", '"' + "}]" * 100 + '"'),
        ("Brackets in a key.", '{"' + "[{" * 100 + '":0}'),
    ):
        yield taken(doc[0].lower() + doc[1:-1], EXTRA, document, document)
    for idea, spelling in (
        ("ends of brackets in a string do not make up for levels", '["' + "]" * 100 + '",' + nested(127) + "]"),
        ("quotes with escapes before the levels", '["\\"","\\\\","\\\\\\"",' + nested(127) + "]"),
        ("129 levels behind a thousand others", "[" + "[]," * 1000 + nested(127) + "]"),
        ("129 levels before a thousand others", "[" + nested(127) + ",[]" * 1000 + "]"),
        ("129 levels before a long text", "[" + nested(127) + ',"' + "a" * 1000 + '"]'),
        ("129 levels with spaces", "[ " * 128 + "] " * 128),
        ("129 levels with an item each", "[0," * 127 + "[]" + "]" * 127),
    ):
        yield refused(idea, EXTRA, spelling, "too_deep", as_bytes=True)
    for levels in (129, FAR):
        for idea, spelling in (
            ("no ends", "[" * levels),
            ("one end missing", "[" * levels + "]" * (levels - 1)),
            ("one end too many", "[" * levels + "]" * (levels + 1)),
            ("an end of the other kind", "[" * levels + "}" + "]" * (levels - 1)),
            ("a comma too many", nested(levels, inside="1,")),
            ("a comma before the item", nested(levels, inside=",1")),
            ("a leading zero", nested(levels, inside="01")),
            ("a word", nested(levels, inside="tru")),
            ("a wrong escape", nested(levels, inside='"\\a"')),
            ("half an escape", nested(levels, inside='"\\u00"')),
            ("a control character", nested(levels, inside='"\t"')),
            ("no quote at the end", nested(levels, inside='"')),
            ("U+0001, which is nothing", nested(levels, inside="\x01")),
            ("U+0002, which is nothing", nested(levels, inside="\x02")),
            ("no colon", nested(levels, "{}", inside='"a" 1')),
            ("no key", nested(levels, "{}", inside="1")),
            ("a comma behind the last member", nested(levels, "{}", inside='"a":1,')),
            ("a no-break space", nested(levels, inside="\u00a0")),
        ):
            yield refused(f"{levels} levels and {idea}", EXTRA, spelling, "invalid_json", "too_deep")
        yield whole(f"{levels} levels and text behind.", nested(levels) + "x", "invalid_json", "too_deep")
        yield whole(f"{levels} levels and another value.", nested(levels) + " []", "invalid_json", "too_deep")
        for bracket, what in (("[]", "arrays"), ("{}", "objects")):
            yield whole(f"{levels} levels of {what}, and nothing else.", nested(levels, bracket), "too_deep")
        inside = '"\\ud800\\n\\"[",-1.5E+2,true,false,null,{"a":[],"b":{}}'
        yield refused(f"{levels} levels and all kinds of values", EXTRA, nested(levels, inside=inside), "too_deep")
        yield refused(f"{levels} levels and a number out of range", EXTRA, nested(levels, inside="1e400"), "too_deep")
    for doc, document, *codes in (
        ("arrays", nested(FARTHER), "too_deep"),
        ("arrays without their ends", "[" * FARTHER, "invalid_json", "too_deep"),
        ("arrays and a leading zero", nested(FARTHER, inside="01"), "invalid_json", "too_deep"),
        ("arrays and a number out of range", nested(FARTHER, inside="1e400"), "too_deep"),
        ("arrays, the innermost with a comma too many", nested(FARTHER, inside="1,"), "invalid_json", "too_deep"),
    ):
        yield whole(f"{FARTHER} levels of {doc}.", document, *codes)


# --- white space -----------------------------------------------------------------------------------------------

NO_SPACES = {
    "\0": "U+0000",
    "\b": "a backspace",
    "\v": "a vertical tab",
    "\f": "a form feed",
    "\x1c": "U+001C, which Python takes for white space",
    "\x1f": "U+001F",
    "\x7f": "U+007F",
    "\x85": "U+0085",
    "\xa0": "a no-break space",
    "\u1680": "U+1680",
    "\u180e": "U+180E",
    "\u2003": "an em space",
    "\u200b": "a space of no width",
    "\u2028": "U+2028",
    "\u2029": "U+2029",
    "\u2060": "a joiner of no width",
    "\u3000": "an ideographic space",
    "\ufeff": "U+FEFF",
    "\\n": "a line feed as an escape",
    "&nbsp;": "an entity",
}


def white_space() -> Iterator[Case]:
    """Make cases of white space: space, tab, line feed and carriage return are accepted, and only between tokens."""
    document = '{"type":"keep_alive","x":{}}'
    forms = {
        "before all": "§" + document,
        "behind all": document + "§",
        "before a colon": '{"type"§:"keep_alive","x":{}}',
        "in an empty object": '{"type":"keep_alive","x":{§}}',
    }
    for space, idea in NO_SPACES.items():
        for where, form in forms.items():
            yield whole(f"{idea[0].upper()}{idea[1:]}, {where}.", form.replace("§", space), "invalid_json")
    expect = outcome(EXTRA, document)
    everywhere = '§{§"type"§:§"keep_alive"§,§"x"§:§{§}§}§'
    for space, idea in (
        (" ", "spaces"),
        ("\t", "tabs"),
        ("\n", "line feeds"),
        ("\r", "carriage returns"),
        ("\r\n", "carriage returns and line feeds"),
        (" \t\n\r" * 20, "eighty of them in every kind"),
    ):
        yield whole(f"{idea.capitalize()} wherever they may stand.", everywhere.replace("§", space), expect)
    yield taken("in arrays, and around every kind of value", EXTRA, '[ \n1\t,\r"a" , [ ] ,true ]', '[1,"a",[],true]')
    yield taken("around a text", TEXT, '\t"a b"\r\n', '"a b"', mode="strict")
    yield taken("around a key", KEY, ' "a b" ', '"a b"', mode="strict")
    yield taken("around a number", CODE, "\n-32700 ", "-32700")
    yield taken("around a text", DOCUMENT, ' "refusal"\n', '"refusal"', as_bytes=True)
    for doc, document in (
        ("Nothing.", ""),
        ("A space.", " "),
        ("A line feed.", "\n"),
        ("Every kind of it.", " \t\r\n"),
        ("U+0000.", "\0"),
        ("A no-break space.", "\u00a0"),
        ("A form feed.", "\f"),
    ):
        yield whole(f"{doc[:-1]} and no value.", document, "invalid_json")
    alive = ALIVE.encode()
    yield stream(
        "A carriage return is white space within a line too; what is no white space makes a line that is not blank.",
        [b'{"type":\r"keep_alive"\r}\r\r\n', b"\r\n \t\r\n\xc2\xa0\n\0\n\x1c\n", b"\t" + alive + b" \t\n"],
        [
            {"line": 1, **IS_ALIVE},
            bad_line(4, "invalid_json"),
            bad_line(5, "invalid_json"),
            bad_line(6, "invalid_json"),
            {"line": 7, **IS_ALIVE},
        ],
    )
    yield stream(
        "A line feed ends the line also where JSON would allow it.",
        [b'{"type":\n"keep_alive"}\n', alive],
        [bad_line(1, "invalid_json"), bad_line(2, "invalid_json"), {"line": 3, **IS_ALIVE}],
    )
    yield stream(
        "A line feed within a string ends the line too.",
        [b'{"type":"keep\nalive"}\n', alive],
        [bad_line(1, "invalid_json"), bad_line(2, "invalid_json"), {"line": 3, **IS_ALIVE}],
    )


# --- truncated and trailing text -------------------------------------------------------------------------------

CUT = (
    '{"type":"content_block_delta","index":10,"delta":{"type":"text_delta","text":"\u00e9\\n\\u00e9"},'
    '"x":[-1.5e+2,true,false,null]}'
)


def truncated() -> Iterator[Case]:
    """Make cases of a document cut after each of its bytes, and of truncated single values."""
    data = CUT.encode()
    accent = data.index("\u00e9".encode())
    for size in range(len(data)):
        within, head = size == accent + 1, data[:size]
        codes = ("invalid_utf8", "invalid_json") if within else ("invalid_json",)
        document = head if within else head.decode()
        yield whole(f"Cut behind {size} of {len(data)} bytes.", document, *codes, type="RawMessageStreamEvent")
    yield whole(
        "All of it.",
        data,
        {
            "variant": "ContentBlockDeltaEvent",
            "output": {
                "type": "content_block_delta",
                "index": 10,
                "delta": {"type": "text_delta", "text": "\u00e9\n\u00e9"},
                "x": [-150, True, False, None],
            },
            "unknown": ["/x"],
        },
        type="RawMessageStreamEvent",
    )
    for spelling in ('"', '"end_turn', '"end_turn\\', '"end_turn\\u', '"end_turn\\u00', '"\\ud83d\\ud'):
        yield refused(f"{spelling!r}", DOCUMENT, spelling)
    for spelling in ("-", "-1.", "-1e", "-1e+", "-1.5e"):
        yield refused(f"{spelling!r}", CODE, spelling)
    yield taken("cut behind a digit, where it is still a number", CODE, "-32", "-32", unknown=("",))
    half = ALIVE[:12].encode()
    yield stream(
        "The end of a stream cuts the last line; the end of a chunk cuts none.",
        [half, ALIVE[12:].encode() + b"\n", half],
        [{"line": 1, **IS_ALIVE}, bad_line(2, "invalid_json")],
    )
    yield stream(
        "A line that is cut takes nothing of the next.",
        [half + b"\n" + ALIVE.encode() + b"\n" + ALIVE[12:].encode() + b"\n"],
        [bad_line(1, "invalid_json"), {"line": 2, **IS_ALIVE}, bad_line(3, "invalid_json")],
    )


BEHIND = {
    "}": "the end of an object",
    "]": "the end of an array",
    "{": "the beginning of an object",
    ",": "a comma",
    ":": "a colon",
    '"': "a quote",
    "\\": "a backslash",
    "0": "a digit",
    "-": "a minus",
    "e1": "an exponent",
    "x": "a letter",
    "true": "a literal",
    "null": "null",
    '"a"': "a string",
    "[]": "an array",
    "{}": "an object",
    ";": "a semicolon",
    "#": "a hash",
    "//": "a comment to the end of the line",
    "/**/": "a comment",
    "<!---->": "a comment of markup",
    "\0": "U+0000",
    "\x03": "U+0003",
    "\x1a": "U+001A, which ended files",
    "\x1e": "U+001E, which parts records",
    "\u00e9": "a letter with an accent",
    "\U0001f600": "a character of four bytes",
    "\\u0020": "a space as an escape",
}


def trailing() -> Iterator[Case]:
    """Make cases of text after the value, or before it."""
    for text, idea in BEHIND.items():
        yield whole(f"{idea[0].upper()}{idea[1:]} behind.", ALIVE + text, "invalid_json")
    for text, idea in (("}", "the end of an object"), ("x", "a letter"), ("\0", "U+0000"), ("{}", "an object")):
        yield whole(f"{idea[0].upper()}{idea[1:]} behind space.", f"{ALIVE} \r\n{text}".encode(), "invalid_json")
    for text, idea in (
        (",", "a comma"),
        ("x", "a letter"),
        ("null", "null"),
        ("]", "the end of an array"),
        ("\ufeff \ufeff", "marks of byte order"),
        ("\x1e", "the mark of JSON text sequences"),
        (")]}',\n", "what keeps browsers from running JSON"),
        ("data: ", "the field of an event stream"),
        ("0000001a\r\n", "the size of a chunk"),
        ("Content-Length: 21\r\n\r\n", "the header of another framing"),
        ("while(1);", "a loop"),
        ("2026-01-01T00:00:00Z ", "a time stamp"),
        ("//\n", "a comment"),
        ("/**/", "a comment between asterisks"),
        ("#!/bin/sh\n", "a program"),
    ):
        yield whole(f"{idea[0].upper()}{idea[1:]} before.", text + ALIVE, "invalid_json")
    for idea, document in (
        ("The same document again", ALIVE * 2),
        ("The same document again on a line of its own", f"{ALIVE}\n{ALIVE}"),
        ("The same document again behind a comma", f"{ALIVE},{ALIVE}"),
        ("A document in parentheses", f"({ALIVE})"),
        ("A document in quotes", f'"{ALIVE}"'),
        ("A call with a document", f"f({ALIVE})"),
        ("A document and a line of text", f"{ALIVE}\nBye."),
    ):
        yield whole(f"{idea}.", document, "invalid_json", mode="strict")
    for spelling, idea in (
        ('"refusal"x', "a letter behind a string"),
        ('"refusal" "', "a quote behind a string"),
        ('"refusal","refusal"', "two strings"),
        ('"refusal"]', "the end of an array behind a string"),
        ('x"refusal"', "a letter before a string"),
    ):
        yield refused(idea, DOCUMENT, spelling)
    for spelling, idea in (
        ("-32700 0", "a digit behind a number"),
        ("-32700x", "a letter behind a number"),
        ("-32700,", "a comma behind a number"),
        ("-32700.", "a point behind a number"),
        ("-32700\0", "U+0000 behind a number"),
        ("-32700-", "a minus behind a number"),
        ("-32700]", "the end of an array behind a number"),
    ):
        yield refused(idea, CODE, spelling, as_bytes=True)
    yield stream(
        "Two documents on a line are none; the next line is not touched.",
        [f"{ALIVE}{ALIVE}\n{ALIVE}\n{ALIVE},\n".encode()],
        [bad_line(1, "invalid_json"), {"line": 2, **IS_ALIVE}, bad_line(3, "invalid_json")],
    )
    yield stream(
        "Text sequences and event streams are other framings.",
        [f"\x1e{ALIVE}\ndata: {ALIVE}\n\n[{ALIVE},\n{ALIVE}\n]\n".encode()],
        [
            bad_line(1, "invalid_json"),
            bad_line(2, "invalid_json"),
            bad_line(4, "invalid_json"),
            {"line": 5, **IS_ALIVE},
            bad_line(6, "invalid_json"),
        ],
    )
