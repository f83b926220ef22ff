"""Cases of numbers: the valid spellings, and the double or integer that a spelling represents."""

from __future__ import annotations

import math
from collections.abc import Iterator
from decimal import Decimal, localcontext

from .place import CODE, EXTRA, INTEGER, ITEM, JSON, NUMBER, UNKNOWN, Case, Place, error, refused, taken, whole

MISSPELT = {
    "-": "a minus alone",
    "--1": "two minuses",
    "+1": "a plus",
    "-+1": "a minus and a plus",
    "- 1": "a space behind the minus",
    "00": "zero twice",
    "-00": "minus zero twice",
    "01": "a leading zero",
    "-01": "a leading zero behind the minus",
    "00.5": "a leading zero before a fraction",
    "01e1": "a leading zero before an exponent",
    "1.": "no digit behind the point",
    "1.e1": "no digit between point and exponent",
    ".5": "no digit before the point",
    "-.5": "no digit between minus and point",
    ".": "a point alone",
    "1.2.3": "two points",
    "1..2": "a point twice",
    "1,5": "a comma for a point",
    "1. 5": "a space behind the point",
    "1 .5": "a space before the point",
    "1e": "an exponent without digits",
    "1E+": "an exponent of a sign alone",
    "1e-": "an exponent of a minus alone",
    "1ee1": "e twice",
    "1e1e1": "two exponents",
    "1e+-1": "an exponent with two signs",
    "1e1.5": "an exponent with a fraction",
    "1e 1": "a space in the exponent",
    "e1": "an exponent alone",
    "1+1": "a sum",
    "1 1": "a space between digits",
    "1_000": "an underline between digits",
    "1'000": "an apostrophe between digits",
    "0x1F": "a hexadecimal number",
    "0b1": "a binary number",
    "0o7": "an octal number",
    "1n": "JavaScript's suffix of a big integer",
    "1L": "a suffix of a long integer",
    "1.0f": "a suffix of a float",
    "12abc": "letters behind the digits",
    "1true": "a literal behind the digits",
    "$1": "a currency",
    "1%": "a percentage",
    "1/2": "a quotient",
    "(1)": "parentheses",
    "NaN": "NaN",
    "-NaN": "minus NaN",
    "nan": "nan in small letters",
    "Infinity": "Infinity",
    "-Infinity": "minus Infinity",
    "+Infinity": "plus Infinity",
    "inf": "inf",
    "-1#INF": "an infinity of old C libraries",
    "\u2212" + "1": "U+2212 for a minus",
    "\uff11": "a full-width digit",
    "1\uff10": "a full-width digit behind another",
    "\u0661": "an Arabic digit",
    "0.\u0661": "an Arabic digit in the fraction",
    "1e\u0661": "an Arabic digit in the exponent",
    "1\u00b2": "a superscript",
    "\u2168": "a Roman numeral",
}
"""Spellings that are not numbers at any place."""


def numbers() -> Iterator[Case]:
    """Make cases of spellings, and of the range of integers."""
    for spelling, idea in MISSPELT.items():
        yield refused(idea, INTEGER, spelling)
        yield refused(idea, EXTRA, spelling, as_bytes=True)
    for place in (NUMBER, JSON, UNKNOWN, ITEM, CODE):
        yield refused("a leading zero", place, "01", mode="strict")
    for spelling, value, idea in (
        ("0", "0", "zero"),
        ("-0", "0", "minus zero"),
        ("0.0", "0", "zero with a fraction"),
        ("-0.0e-0", "0", "zero in every part"),
        ("0e400", "0", "zero times a power that overflows"),
        ("0E+999999999999999999999", "0", "zero times a power whose exponent overflows"),
        ("10", "10", "a zero that does not lead"),
        ("1E+2", "100", "a capital E and a plus"),
        ("1e02", "100", "a leading zero in the exponent"),
        ("1e-0", "1", "an exponent of minus zero"),
        ("1000e-2", "10", "a negative exponent that leaves an integer"),
        ("0.00000001e8", "1", "a fraction that the exponent makes an integer"),
        ("999999999999999", "999999999999999", "fifteen digits"),
        ("-999999999999999", "-999999999999999", "fifteen digits and a minus"),
        ("1000000000000000", "1000000000000000", "sixteen digits"),
        ("9007199254740991", "9007199254740991", "2^53-1"),
        ("-9007199254740991", "-9007199254740991", "-(2^53-1)"),
        ("900719925474099.1e1", "9007199254740991", "2^53-1 with an exponent"),
    ):
        yield taken(idea, INTEGER, spelling, value)
        yield taken(idea, NUMBER, spelling, value, mode="strict")
    for spelling, idea in (
        ("0.5", "a half"),
        ("1e-1", "a tenth"),
        ("9007199254740992", "2^53"),
        ("-9007199254740992", "-2^53"),
        ("9007199254740993", "2^53+1"),
        ("9007199254740991.5", "2^53-1 and a half, which is 2^53 as a double"),
        ("9223372036854775807", "2^63-1"),
        ("9223372036854775808", "2^63"),
        ("-9223372036854775808", "-2^63"),
        ("-9223372036854775809", "-2^63-1"),
        ("18446744073709551615", "2^64-1"),
        ("18446744073709551616", "2^64"),
        ("18446744073709551617", "2^64+1, which is 1 in 64 bits"),
        ("4294967296e10", "2^32 with an exponent"),
    ):
        yield refused(idea, INTEGER, spelling, "out_of_range", path=INTEGER.path)
    yield taken("an integer is not a text", EXTRA, '[1,"1",1.5,"1.5"]', '[1,"1",1.5,"1.5"]')
    for spelling in ("-32700", "-32.7e3"):
        yield taken("an enum of integers", CODE, spelling, "-32700", mode="strict")
    yield taken("an unknown one of an open enum of integers", CODE, "-3", "-3", unknown=("",))
    yield refused("a fraction of an open enum of integers", CODE, "-3.5", "out_of_range")


# --- large numbers ---------------------------------------------------------------------------------------------

DOUBLES_ONLY = "An integer of JavaScript is a double, also in untouched JSON."
ALMOST = str(2**1024 - 2**970 - 1)
"""The largest integer that rounds to a finite double."""
TOO_MUCH = str(2**1024 - 2**970)
"""Halfway between the largest double and 2^1024. It rounds to 2^1024, which is even, and overflows."""


def kept(idea: str, place: Place, digits: str, *, fits: bool = True) -> Case:
    """Make a case of an integer that untouched JSON preserves exactly, except in languages that only have doubles.

    An integer that does not fit a double is given as bytes, since schema validators have parsers with limits.
    """
    case = taken(idea, place, digits, digits, exactly=True, as_bytes=not fits)
    rounded = {key: value for key, value in case["expect"].items() if key != "text"}
    overflows = {"error": {"code": "out_of_range", "path": place.path}}
    rounded.setdefault("variant", place.type)
    expect = rounded if fits else overflows
    return {**case, "deviations": {"typescript": {"limit": "integers", "reason": DOUBLES_ONLY, "expect": expect}}}


def huge_numbers() -> Iterator[Case]:
    """Make cases of integers of up to 4,300 digits, long fractions and exponents, and the range of doubles."""
    for digits, idea in (
        ("9007199254740993", "2^53+1"),
        ("-9007199254740993", "-(2^53+1)"),
        ("9223372036854775807", "2^63-1"),
        ("9223372036854775808", "2^63"),
        ("-9223372036854775809", "-2^63-1"),
        ("18446744073709551615", "2^64-1"),
        ("18446744073709551616", "2^64"),
        ("340282366920938463463374607431768211457", "2^128+1"),
        ("1" + "0" * 22, "10^22"),
        ("1" + "0" * 23, "10^23"),
    ):
        yield kept(idea, EXTRA, digits)
    for place in (JSON, UNKNOWN):
        yield kept("2^63-1", place, "9223372036854775807")
        yield kept("2^64+1", place, "18446744073709551617")
    yield taken("2^53-1", EXTRA, "9007199254740991", "9007199254740991", exactly=True)
    yield from _long_integers()
    for spelling, idea in (
        ("1e400", "10^400"),
        ("-1e400", "-10^400"),
        ("1E+400", "10^400 with a capital E and a plus"),
        ("1.0e309", "10^309 with a fraction"),
        ("1e99999999999999999999", "an exponent that overflows 64 bits"),
        ("0.1e310", "10^309 as a fraction"),
        ("1" + "0" * 400 + ".0", "400 zeros before the point"),
        ("1.7976931348623159e308", "a little more than the largest double"),
        ("17976931348623159" + "0" * 292 + "e0", "the same with all its digits"),
        (TOO_MUCH + ".0", "half a unit more than the largest double"),
    ):
        for place in (NUMBER, EXTRA):
            yield refused(idea, place, spelling, "out_of_range", path=place.path)
    for place in (INTEGER, JSON, UNKNOWN):
        yield refused("10^400", place, "1e400", "out_of_range", path=place.path)
        yield refused("-10^309", place, "-0.1E310", "out_of_range", path=place.path)
    yield refused(
        "an integer of half a unit more than the largest double", NUMBER, TOO_MUCH, "out_of_range", path="/timeout"
    )
    yield refused("strict mode too, before it is unknown", EXTRA, "1e400", "out_of_range", path="/x", mode="strict")
    yield whole(
        "Strict mode: an unknown field, and a number in it that overflows.",
        EXTRA.with_("[1e400]"),
        error("unknown_field", "/x"),
        error("out_of_range", "/x/0"),
        mode="strict",
    )
    yield whole(
        "Several that overflow, in an unknown message.",
        UNKNOWN.with_('{"b":[0,1e400],"a":[0,-1e400]}'),
        error("out_of_range", "/x/a/1"),
        error("out_of_range", "/x/b/1"),
    )
    for spelling, value, idea in (
        (ALMOST, "1.7976931348623157e308", "an integer that still rounds to the largest double"),
        (ALMOST + ".9", "1.7976931348623157e308", "a fraction that still rounds to the largest double"),
        ("17976931348623157" + "0" * 292, "1.7976931348623157e308", "the largest double as an integer"),
        ("1.7976931348623158e308", "1.7976931348623157e308", "what rounds down to the largest double"),
        ("0." + "0" * 400 + "1e401", "1", "400 zeros that the exponent makes up for"),
        ("1" + "0" * 400 + "e-400", "1", "400 digits that the exponent takes away"),
        ("0." + "3" * 400, "0.3333333333333333", "400 digits behind the point"),
        ("1." + "0" * 399 + "1", "1", "400 digits behind the point, most of them zero"),
        ("1e-400", "0", "a power of ten that is less than any double"),
        ("-1e-99999999999999999999", "0", "an exponent that underflows 64 bits"),
        ("1.0e" + "0" * 400 + "2", "100", "400 zeros in the exponent"),
    ):
        for place in (NUMBER, EXTRA):
            yield taken(idea, place, spelling, value, as_bytes=spelling == ALMOST)


def _long_integers() -> Iterator[Case]:
    for digits, idea in (
        ("7" * 400, "an integer of 400 digits"),
        ("-" + "7" * 400, "a negative integer of 400 digits"),
        ("7" * 4300, "an integer of 4300 digits, the most that there may be"),
    ):
        for place in (EXTRA, JSON, UNKNOWN):
            yield kept(idea, place, digits, fits=False)
        for place in (INTEGER, NUMBER):
            yield refused(idea, place, digits, "out_of_range", path=place.path, as_bytes=True)
    for digits, idea in (
        ("7" * 4301, "an integer of 4301 digits, which is one too many"),
        ("-" + "7" * 4301, "a negative integer of 4301 digits"),
    ):
        for place in (EXTRA, JSON, UNKNOWN, INTEGER, NUMBER):
            yield refused(idea, place, digits, "out_of_range", as_bytes=True)


# --- rounding --------------------------------------------------------------------------------------------------


def exact(whole: int, power: int) -> str:
    """Return all digits of whole·2^power."""
    with localcontext() as context:
        context.prec = 2000
        return format(Decimal(whole) * Decimal(2) ** power, "f")


def more(digits: str) -> str:
    """Add one unit of the 20th digit after the last to a decimal fraction."""
    return (digits if "." in digits else digits + ".") + "0" * 19 + "1"


def less(digits: str) -> str:
    """Subtract one unit of the 20th digit after the last from a decimal fraction."""
    scale = len(digits.partition(".")[2]) + 20
    with localcontext() as context:
        context.prec = 2000
        return format(Decimal(digits) - Decimal(1).scaleb(-scale), "f")


HALVES = (
    (2 * (2**52) + 1, -53, "1 and half a unit, the even double below", 0),
    (2 * (2**52 + 1) + 1, -53, "1 and one and a half units, the even double above", 1),
    (2 * (2**53 - 1) + 1, -54, "half a unit less than 1, which is the even double above", 1),
    (2 * (2**52 + 0x5A5A5A5A5A5A5) + 1, -1, "half a unit of a large integer, the even double above", 1),
    (2 * (2**52 + 0x123456789ABCE) + 1, 900, "half a unit near 10^287, the even double below", 0),
    (2 * (2**52 + 0x0FEDCBA987654) + 1, -900, "half a unit near 10^-255, the even double below", 0),
    (2 * (2**52) + 1, -1075, "half a unit above the smallest normal double", 0),
    (2 * (2**52 - 1) + 1, -1075, "half a unit below the smallest normal double", 1),
    (2 * 0 + 1, -1075, "half of the smallest double of all, which is 0", 0),
    (2 * 1 + 1, -1075, "one and a half of the smallest double of all", 1),
    (2 * (2**53 - 2) + 1, 970, "half a unit below the largest double but one", 0),
)
"""Numbers halfway between two doubles, as whole·2^power, and whether the even double is the one above."""


def doubles() -> Iterator[Case]:
    """Make cases of decimal fractions close to the midpoint between two doubles, where every digit matters."""
    for mantissa, power, idea, up in HALVES:
        digits = exact(mantissa, power)
        for spelling, how, above in (
            (digits, idea, up),
            (more(digits), f"more than {idea.partition(',')[0]}", 1),
            (less(digits), f"less than {idea.partition(',')[0]}", 0),
        ):
            value = repr(math.ldexp(mantissa // 2 + above, power + 1))
            yield taken(how, NUMBER, spelling, value)
        yield taken(idea, JSON, digits, repr(math.ldexp(mantissa // 2 + up, power + 1)))
    for spelling, value, idea in (
        ("4.9406564584124654e-324", "5e-324", "the smallest double of all"),
        ("3e-324", "5e-324", "what rounds up to the smallest double"),
        ("2e-324", "0", "what rounds down to zero"),
        ("2.2250738585072014e-308", "2.2250738585072014e-308", "the smallest normal double"),
        ("2.225073858507201e-308", "2.225073858507201e-308", "the largest double below the normal ones"),
        ("0.1", "0.1", "a tenth"),
        ("0.30000000000000004", "0.30000000000000004", "seventeen digits"),
        ("0.3000000000000000444", "0.30000000000000004", "more digits than a double has"),
        ("1e22", "1e22", "the largest power of ten that is a double"),
        ("1e23", "1e23", "a power of ten that is none"),
        ("9007199254740993.0", "9007199254740992", "2^53+1 as a fraction"),
        ("123456789012345678", "123456789012345680", "an integer of eighteen digits"),
    ):
        yield taken(idea, NUMBER, "-" + spelling, "-" + value)
