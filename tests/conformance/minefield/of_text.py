"""Cases of strings, escapes, surrogates and encodings."""

from __future__ import annotations

from collections.abc import Iterator
from string import ascii_letters

from .place import (
    DELTA,
    DOCUMENT,
    ENUM,
    EXTRA,
    EXTRA_KEY,
    ITEM,
    JSON,
    KEY,
    TAG,
    TEXT,
    UNKNOWN,
    UNTOUCHED_KEY,
    UUID,
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

KEYS = (KEY, EXTRA_KEY, UNTOUCHED_KEY)
READERS = (TEXT, ITEM, ENUM, UUID, VALUE, JSON, EXTRA, UNKNOWN, DOCUMENT)
"""A place for each way in which bindings decode a string that is not a key."""
STRINGS = (*READERS, *KEYS, TAG)


def named(character: str) -> str:
    """Format the code point of a character, such as U+0041."""
    return f"U+{ord(character):04X}"


# --- characters in strings -------------------------------------------------------------------------------------


def strings() -> Iterator[Case]:
    """Make cases of unescaped characters, and of the quotes."""
    for code in range(0x20):
        yield refused(f"{named(chr(code))} as it is", TEXT, f'"a{chr(code)}b"')
    for place in STRINGS:
        yield refused("a line feed as it is", place, '"\n"', as_bytes=True)
        yield refused("U+001F as it is, behind seven letters", place, '"abcdefg\x1f"')
    for offset in range(9):
        yield refused(f"U+0000 as it is, behind {offset} letters", ITEM, '"' + "a" * offset + "\0" + 'bcdefgh"')
    for character, idea in (
        ("\x7f", "U+007F, which is not a control character of JSON"),
        ("\x80", "U+0080, the first of two bytes"),
        ("\x85", "U+0085, which ends lines elsewhere"),
        ("\u07ff", "U+07FF, the last of two bytes"),
        ("\u0800", "U+0800, the first of three bytes"),
        ("\u2028", "U+2028, which ends lines in JavaScript"),
        ("\ud7ff", "U+D7FF, the last before the surrogates"),
        ("\ue000", "U+E000, the first behind the surrogates"),
        ("\ufdd0", "U+FDD0, which is no character"),
        ("\ufeff", "U+FEFF, where it is no mark"),
        ("\ufffd", "U+FFFD, which stands for itself here"),
        ("\uffff", "U+FFFF, which is no character"),
        ("\U00010000", "U+10000, the first of four bytes"),
        ("\U0010ffff", "U+10FFFF, the last of all"),
        ("e\u0301", "a letter and its accent, which stay two"),
    ):
        yield taken(idea, TEXT, f'"{character}"', f'"{character}"')
        yield taken(idea, EXTRA, f'"a{character}b"', f'"a{character}b"', as_bytes=True)
    for place in KEYS:
        key = '"\x7f\u2028\U0010ffff"'
        unknown = [f"/{key[1:-1]}"] if place is EXTRA_KEY else ()
        yield taken("characters that look special", place, key, key, unknown=unknown)
    lengths = ",".join(f'"{"abcdefghijklmnopq"[:length]}"' for length in range(18))
    yield taken("every length up to seventeen bytes", ITEM, lengths, lengths)
    lengths = ",".join(f'"{"a" * length}\u00e9"' for length in range(17))
    yield taken("every length, and two bytes at the end", ITEM, lengths, lengths)
    for size, idea in ((8192, "a text of 8192 bytes"), (8193, "a text of 8193 bytes")):
        long = '"' + "a" * (size - 2) + '"'
        yield taken(idea, EXTRA, long, long)
    for spelling, idea in (
        ('"', "a quote alone"),
        ('"a', "no quote at the end"),
        ('a"', "no quote at the beginning"),
        ("'a'", "single quotes"),
        ("`a`", "backquotes"),
        ("\u201ca\u201d", "typographic quotes"),
        ("a", "no quotes"),
        ('"a""b"', "two strings without a comma"),
        ('"a" "b"', "two strings and a space"),
        ('"a"+"b"', "a sum of strings"),
        ('"""a"""', "quotes three times"),
        ('"a"b"', "a quote inside"),
        ('u"a"', "a letter before the quote"),
        ('"a"s', "a letter behind the quote"),
        ('\\"a\\"', "escaped quotes around"),
    ):
        yield refused(idea, TEXT, spelling)
        yield refused(idea, UNKNOWN, spelling, as_bytes=True)
    for place in (ENUM, DOCUMENT, *KEYS, TAG):
        yield refused("no quote at the end", place, '"a')
        yield refused("single quotes", place, "'a'", mode="strict")
        yield refused("no quotes", place, "a")


# --- escapes ---------------------------------------------------------------------------------------------------

ALLOWED = "bfnrtu"


def escapes() -> Iterator[Case]:
    """Make cases of the characters after a backslash."""
    for letter in ascii_letters:
        if letter not in ALLOWED:
            yield refused(f"\\{letter}", TEXT, f'"\\{letter}"')
    for spelling, idea in (
        (r'"\0"', "an octal escape of one digit"),
        (r'"\012"', "an octal escape of three digits"),
        (r'"\x41"', "a hexadecimal escape of two digits"),
        (r'"\u{41}"', "braces behind \\u"),
        (r'"\U00000041"', "\\U with eight digits"),
        (r'"\N{DIGIT ONE}"', "a name"),
        ('"\\\'"', "an escaped apostrophe"),
        (r'"\`"', "an escaped backquote"),
        (r'"\&"', "an escaped ampersand"),
        (r'"\-"', "an escaped hyphen"),
        (r'"\ "', "an escaped space"),
        ('"\\\n"', "an escaped line feed"),
        ('"\\\0"', "an escaped U+0000"),
        ('"\\\u00e9"', "an escaped character of two bytes"),
        ('"\\\U0001f600"', "an escaped character of four bytes"),
        (r'"\u"', "\\u with no digit"),
        (r'"\u0"', "\\u with one digit"),
        (r'"\u00"', "\\u with two digits"),
        (r'"\u004"', "\\u with three digits"),
        (r'"\u004 1"', "a space among the digits"),
        (r'"\u 041"', "a space for the first digit"),
        (r'"\u+041"', "a plus for the first digit"),
        (r'"\u-041"', "a minus for the first digit"),
        (r'"\u0x41"', "x for a digit"),
        (r'"\u00_1"', "an underline for a digit"),
        (r'"\u00g0"', "g for a digit"),
        (r'"\uG000"', "G for the first digit"),
        (r'"\u000:"', "the character behind 9"),
        (r'"\u000/"', "the character before 0"),
        (r'"\u000@"', "the character before A"),
        (r'"\u000`"', "the character before a"),
        ('"\\u004\uff11"', "a full-width digit"),
        ('"\\u004\0"', "U+0000 for a digit"),
        (r'"\u00\u0041"', "an escape among the digits"),
        (r'"\\\"', "an escaped backslash, and an escaped quote at the end"),
        (r'"abc\"', "an escaped quote at the end"),
        ('"abc\\', "a backslash at the end of all"),
    ):
        yield refused(idea, TEXT, spelling)
        yield refused(idea, EXTRA, spelling, as_bytes=True)
    for place in STRINGS:
        yield refused("an escaped exclamation mark", place, r'"\!"')
        yield refused("\\u with three digits", place, r'"\u004"', mode="strict")
    for spelling, value, idea in (
        (r'"\"\\\/\b\f\n\r\t"', r'"\"\\/\b\f\n\r\t"', "every short escape"),
        (r'"\u0022\u005c\u002F"', r'"\"\\/"', "characters with a short escape, spelt at length"),
        ('"/"', '"/"', "a slash without an escape"),
        (r'"\u0000"', r'"\u0000"', "U+0000"),
        (r'"a\u0000b"', r'"a\u0000b"', "U+0000 in the middle"),
        (r'"\u00e9\u00E9\u00Ee"', '"\u00e9\u00e9\u00ee"', "digits in small letters, capitals and both"),
        (r'"\u0041\u00410"', '"AA0"', "a digit behind the four"),
        (r'"\\u0041"', r'"\\u0041"', "an escaped backslash before u"),
        (r'"\\\u0041"', r'"\\A"', "an escaped backslash before an escape"),
        (r'"\\n\\\\n"', r'"\\n\\\\n"', "escaped backslashes before n"),
        (r'"\\"', r'"\\"', "an escaped backslash at the end"),
        (r'"\\\\\""', r'"\\\\\""', "two escaped backslashes and an escaped quote"),
        (r'"\u007f\u0080\u2028\uffff"', '"\x7f\x80\u2028\uffff"', "characters that need no escape"),
        (r'"\u003c\/script>&"', '"</script>&"', "markup"),
    ):
        yield taken(idea, TEXT, spelling, value)
        yield taken(idea, JSON, spelling, value, as_bytes=True)
    controls = "".join(f"\\u{code:04X}" for code in range(0x20))
    for place in (TEXT, EXTRA):
        yield taken("every control character", place, f'"{controls}"', f'"{controls}"')
    offsets = ",".join('"' + "a" * offset + r'\n"' for offset in range(17))
    yield taken("an escape behind every number of bytes up to sixteen", ITEM, offsets, offsets)
    yield taken("a known value", ENUM, r'"\u0075s\u0065r"', '"user"', mode="strict")
    digits = "ba7b810-9dad-41d1-80b4-00c04fd430c8"
    yield taken("the first digit", UUID, rf'"\u0036{digits}"', f'"6{digits}"')
    yield taken("a tag", TAG, r'"\u006beep_aliv\u0065"', '"keep_alive"', variant="KeepAliveMessage", unknown=())
    yield taken("a line feed behind a known value", ENUM, r'"user\n"', r'"user\n"', unknown=["/role"])
    yield taken("U+0000 behind a known value", ENUM, r'"user\u0000"', r'"user\u0000"', unknown=["/role"])
    yield taken("U+0000 behind a tag", TAG, r'"keep_alive\u0000"', r'"keep_alive\u0000"')
    yield taken("a line feed behind the last digit", UUID, rf'"6{digits}\n"', rf'"6{digits}\n"', unknown=["/uuid"])


# --- surrogates ------------------------------------------------------------------------------------------------


def surrogates() -> Iterator[Case]:
    """Make cases of surrogates, in pairs and alone, which only escapes can represent."""
    for spelling, value, idea in (
        (r'"\ud83d\ude00"', '"\U0001f600"', "a pair"),
        (r'"\uD83D\uDE00"', '"\U0001f600"', "a pair in capitals"),
        (r'"\uD83d\udE00"', '"\U0001f600"', "a pair in both"),
        (r'"\ud800\udc00"', '"\U00010000"', "the first pair"),
        (r'"\udbff\udfff"', '"\U0010ffff"', "the last pair"),
        (r'"\ud7ff\ue000"', '"\ud7ff\ue000"', "the neighbours of surrogates"),
        (r'"\ud83d\ude00\ud83d\ude00"', '"\U0001f600\U0001f600"', "two pairs"),
        (r'"\\ud83d\ude00"', r'"\\ud83d\ude00"', "an escaped backslash before what would be the first half"),
        (r'"\ud83d\\ude00"', r'"\ud83d\\ude00"', "an escaped backslash before what would be the second half"),
    ):
        yield taken(idea, TEXT, spelling, value)
        yield taken(idea, EXTRA, spelling, value, as_bytes=True)
    for spelling, idea in (
        (r'"\ud83d"', "a first half alone"),
        (r'"\ude00"', "a second half alone"),
        (r'"a\ud83d"', "a first half at the end"),
        (r'"\ud83da"', "a first half before a letter"),
        (r'"\ud83d0000"', "a first half before digits"),
        (r'"a\ude00b"', "a second half among letters"),
        (r'"\ude00\ud83d"', "the halves in the wrong order"),
        (r'"\ud83d\ud83d"', "two first halves"),
        (r'"\ude00\ude00"', "two second halves"),
        (r'"\ud83d\n"', "a first half before another escape"),
        (r'"\ud83d\u0041"', "a first half before an escaped letter"),
        (r'"\udbff\ue000"', "a first half before the character behind the second halves"),
        ('"\\ud83d\u00e9"', "a first half before two bytes"),
        ('"\\ud83d\U0001f600\\ude00"', "halves around a character of four bytes"),
    ):
        yield taken(idea, TEXT, spelling, spelling)
        yield taken(idea, EXTRA, spelling, spelling, as_bytes=True)
    for spelling, value, idea in (
        (r'"\ud83d\ud83d\ude00"', '"\\ud83d\U0001f600"', "a first half before a pair"),
        (r'"\ud83d\ude00\ude00"', '"\U0001f600\\ude00"', "a second half behind a pair"),
    ):
        yield taken(idea, TEXT, spelling, value)
        yield taken(idea, JSON, spelling, value)
    lone = r'"\udc80"'
    for place, unknown in (
        (ITEM, ()),
        (VALUE, ()),
        (ENUM, ("/role",)),
        (UUID, ("/uuid",)),
        (JSON, ()),
        (UNKNOWN, ("/type",)),
        (TAG, ("/type",)),
        (DOCUMENT, ("",)),
        (KEY, ()),
        (UNTOUCHED_KEY, ()),
        (EXTRA_KEY, ("/\udc80",)),
    ):
        yield taken("a half alone", place, lone, lone, unknown=unknown)
    mixed = '"\u00e9\\udc80\\n/"'
    for place, unknown in ((KEY, ()), (UNTOUCHED_KEY, ()), (EXTRA_KEY, ("/\u00e9\udc80\n~1",))):
        yield taken("a half among other escapes", place, r'"\u00e9\uDC80\u000a\/"', mixed, unknown=unknown)
    for spelling, idea in (
        (r'"\ud83d\u"', "a first half, and \\u with no digit"),
        (r'"\ud83d\ude0"', "a first half, and \\u with three digits"),
        (r'"\ud83d\ude0g"', "a first half, and a second with g for a digit"),
        (r'"\ud83d\x"', "a first half before an escape that is none"),
        ('"\\ud83d\\"', "a first half before an escaped quote at the end"),
        (r'"\ud8"', "half of a half"),
    ):
        yield refused(idea, TEXT, spelling)
        yield refused(idea, EXTRA, spelling, as_bytes=True)
    yield whole(
        "Two halves of no pair are two keys, in an object that is untouched.",
        '{"type":"keep_alive","x":{"\\ud800":1,"\\udc00":2}}',
        outcome(EXTRA, '{"type":"keep_alive","x":{"\\ud800":1,"\\udc00":2}}'),
    )
    yield whole(
        "Two faults at keys, U+E000 and U+1F600.",
        '{"type":"keep_alive","\\ud83d\\ude00":1e400,"\\ue000":1e400}',
        error("out_of_range", "/\ue000"),
        error("out_of_range", "/\U0001f600"),
    )
    yield whole(
        "Two faults at keys, a half alone and a pair that begins with it.",
        '{"type":"keep_alive","\\ud83d\\ude00":1e400,"\\ud83d\\uffff":1e400}',
        error("out_of_range", "/\ud83d\uffff"),
        error("out_of_range", "/\U0001f600"),
        deviates=False,
    )
    yield whole(
        "The places of what was let pass are ordered by code points.",
        '{"type":"keep_alive","\\ud83d\\ude00":1,"\\uffff":2,"\\ud83d":3}',
        outcome(
            EXTRA,
            '{"type":"keep_alive","\\ud83d\\ude00":1,"\\uffff":2,"\\ud83d":3}',
            unknown=("/\ud83d", "/\uffff", "/\U0001f600"),
        ),
    )
    yield whole(
        "The path of a fault below a key that is half a character.",
        '{"type":"update_environment_variables","variables":{"\\udfff":0}}',
        {"error": {"code": "wrong_type", "path": "/variables/\udfff"}},
    )


# --- bytes -----------------------------------------------------------------------------------------------------

NOT_UTF_8 = {
    b"\x80": "a continuation byte alone",
    b"\xbf": "the last continuation byte alone",
    b"\xc0\x80": "U+0000 in two bytes",
    b"\xc0\xa2": "a quote in two bytes",
    b"\xc0\xaf": "a slash in two bytes",
    b"\xc1\xbf": "U+007F in two bytes",
    b"\xe0\x80\xaf": "a slash in three bytes",
    b"\xe0\x9f\xbf": "U+07FF in three bytes",
    b"\xf0\x80\x80\xaf": "a slash in four bytes",
    b"\xf0\x8f\xbf\xbf": "U+FFFF in four bytes",
    b"\xed\xa0\x80": "the first surrogate",
    b"\xed\xbf\xbf": "the last surrogate",
    b"\xed\xa0\xbd\xed\xb8\x80": "a pair of surrogates in six bytes",
    b"\xf4\x90\x80\x80": "U+110000",
    b"\xf5\x80\x80\x80": "U+140000",
    b"\xf7\xbf\xbf\xbf": "U+1FFFFF",
    b"\xf8\x88\x80\x80\x80": "five bytes",
    b"\xfb\xbf\xbf\xbf\xbf": "five bytes, the last such",
    b"\xfc\x84\x80\x80\x80\x80": "six bytes",
    b"\xfd\xbf\xbf\xbf\xbf\xbf": "six bytes, the last such",
    b"\xfe": "the byte FE",
    b"\xff": "the byte FF",
    b"\xc3": "the first of two bytes",
    b"\xe2\x82": "two of three bytes",
    b"\xe2": "one of three bytes",
    b"\xf0\x9f\x98": "three of four bytes",
    b"\xf0\x9f": "two of four bytes",
    b"\xf0": "one of four bytes",
    b"\xc3\x28": "an ASCII character for a continuation byte",
    b"\xe2\x28\xa1": "an ASCII character for the second byte of three",
    b"\xe2\x82\xc3\xa9": "two of three bytes, and another character",
    b"\xc3\xc3\xa9": "one of two bytes, and another character",
    b"\xe9": "a letter of Latin-1",
    b"\x93a\x94": "quotes of Windows-1252",
}
"""Byte sequences that are not valid UTF-8."""


def encodings() -> Iterator[Case]:
    """Make cases of invalid UTF-8, byte order marks, and other encodings."""
    for data, idea in NOT_UTF_8.items():
        yield refused(idea, TEXT, b'"' + data + b'"', "invalid_utf8")
        yield refused(idea, EXTRA, b'"abcdefgh' + data + b'"', "invalid_utf8")
    for place in STRINGS:
        yield refused("the first of two bytes", place, b'"a\xc3"', "invalid_utf8")
        yield refused("a surrogate of three bytes", place, b'"\xed\xa0\x80"', "invalid_utf8", mode="strict")
    for data, character in (
        (b"\xc2\x80", "\x80"),
        (b"\xdf\xbf", "\u07ff"),
        (b"\xe0\xa0\x80", "\u0800"),
        (b"\xed\x9f\xbf", "\ud7ff"),
        (b"\xee\x80\x80", "\ue000"),
        (b"\xef\xbb\xbf", "\ufeff"),
        (b"\xef\xbf\xbf", "\uffff"),
        (b"\xf0\x90\x80\x80", "\U00010000"),
        (b"\xf4\x8f\xbf\xbf", "\U0010ffff"),
    ):
        for place in (TEXT, EXTRA):
            yield taken(f"the bytes of {named(character)}", place, b'"' + data + b'"', f'"{character}"')
    alive = b'{"type":"keep_alive"}'
    for doc, document in (
        ("No UTF-8 in a value that is overwritten.", b'{"type":"\xff","type":"keep_alive"}'),
        ("No UTF-8 and a number out of range: the bytes come first.", b'{"type":"keep_alive","x":[1e400,"\xff"]}'),
        ("A letter in Latin-1, the last byte but one.", b'{"type":"caf\xe9"}'),
    ):
        yield whole(doc, document, "invalid_utf8")
    yield whole("No UTF-8, and too deep.", b"[" * 200 + b'"\xff"' + b"]" * 200, "invalid_utf8", "too_deep")
    for doc, document in (
        ("Outside of strings it is not JSON either.", b'{"type"\xff:"keep_alive"}'),
        ("A no-break space of Latin-1 between members.", b'{"type":"keep_alive",\xa0"x":0}'),
        ("No UTF-8 before the document.", b"\xff" + alive),
        ("No UTF-8 behind the document.", alive + b"\xff"),
        ("One of two bytes, and the document ends.", b'{"type":"keep_alive","x":"\xc3'),
        ("Three of four bytes, and the document ends.", b'{"type":"keep_alive","x":"\xf0\x9f\x98'),
        ("No UTF-8, and no JSON before it.", b'{"type":keep_alive,"x":"\xff"}'),
        ("Half of a mark of byte order.", b"\xef\xbb" + alive),
        ("UTF-16 with its mark, the low byte first.", b"\xff\xfe" + alive.decode().encode("utf-16-le")),
        ("UTF-16 with its mark, the high byte first.", b"\xfe\xff" + alive.decode().encode("utf-16-be")),
        ("UTF-32 with its mark, the low byte first.", b"\xff\xfe\0\0" + alive.decode().encode("utf-32-le")),
        ("UTF-32 with its mark, the high byte first.", b"\0\0\xfe\xff" + alive.decode().encode("utf-32-be")),
        ("A document in EBCDIC.", alive.decode().encode("cp037")),
    ):
        yield whole(doc, document, "invalid_utf8", "invalid_json")
    for doc, document in (
        ("A mark of byte order before the document.", b"\xef\xbb\xbf" + alive),
        ("Two marks of byte order.", b"\xef\xbb\xbf\xef\xbb\xbf" + alive),
        ("A mark of byte order behind a space.", b" \xef\xbb\xbf" + alive),
        ("A mark of byte order behind the document.", alive + b"\xef\xbb\xbf"),
        ("A mark of byte order between members.", b'{"type":"keep_alive",\xef\xbb\xbf"x":0}'),
        ("A mark of byte order and nothing else.", b"\xef\xbb\xbf"),
        ("UTF-16 without a mark, the low byte first: that is UTF-8 with U+0000.", alive.decode().encode("utf-16-le")),
        ("UTF-16 without a mark, the high byte first.", alive.decode().encode("utf-16-be")),
        ("UTF-32 without a mark, the low byte first.", alive.decode().encode("utf-32-le")),
        ("UTF-32 without a mark, the high byte first.", alive.decode().encode("utf-32-be")),
        ("UTF-7 with a mark of its own.", b"+/v8-" + alive),
    ):
        yield whole(doc, document, "invalid_json")
    yield whole("A mark of byte order before a text.", '\ufeff{"type":"keep_alive"}', "invalid_json")
    good = {"line": 2, **outcome(EXTRA, '{"type":"keep_alive"}', unknown=())}
    yield stream(
        "Only the line that is no UTF-8 is lost, though it ends within a character.",
        [b'{"type":"\xc3\n' + alive + b"\n\xa9\n"],
        [bad_line(1, "invalid_utf8", "invalid_json"), good, bad_line(3, "invalid_utf8", "invalid_json")],
    )
    yield stream(
        "Lines in UTF-16 are cut within a character.",
        ["{}\n".encode("utf-16-le"), b"\n" + alive],
        [bad_line(1, "invalid_json"), bad_line(2, "invalid_json"), {**good, "line": 3}],
    )
    yield stream(
        "A mark of byte order belongs to the first line.",
        [b"\xef\xbb", b"\xbf" + alive + b"\n" + alive + b"\n"],
        [bad_line(1, "invalid_json"), good],
    )
    document = DELTA.replace("§", '"\u00e9\u20ac\U0001f600\\ud83d\\ude00\\u00e9"')
    value = DELTA.replace("§", '"\u00e9\u20ac\U0001f600\U0001f600\u00e9"')
    yield stream(
        "Characters and escapes are cut at every byte.",
        [bytes([byte]) for byte in (document + "\n").encode()],
        [{"line": 1, **outcome(TEXT, value)}],
    )
