"""The contents of a JSON or TOML file that somebody else wrote → its value, or an error of one kind."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

_tomllib = import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")


class ParseError(ValueError):
    """The contents are not valid; the message says why."""


def json_value(contents: bytes) -> Any:
    """Return the value of a JSON text, which can be written again as UTF-8. Raises `ParseError`."""
    return _parsed(_json_value, contents)


def toml_table(contents: bytes) -> dict[str, Any]:
    """Return the value of a TOML text. Raises `ParseError`."""
    table: dict[str, Any] = _parsed(lambda contents: _tomllib.loads(contents.decode("utf-8-sig")), contents)
    return table


def _parsed(parse: Callable[[bytes], Any], contents: bytes) -> Any:
    try:
        return parse(contents)
    except UnicodeDecodeError as error:
        raise ParseError(f"byte {error.start} is not UTF-8") from error
    except UnicodeEncodeError as error:
        raise ParseError("a string has half of a surrogate pair") from error
    except RecursionError as error:
        raise ParseError("values are nested too deeply") from error
    except (ParseError, json.JSONDecodeError, _tomllib.TOMLDecodeError) as error:
        raise ParseError(str(error)) from error
    except ValueError as error:  # of `int`
        raise ParseError("an integer has too many digits") from error


def _json_value(contents: bytes) -> Any:
    value = json.loads(contents.decode("utf-8"), parse_constant=_refuse)
    if b"\\" in contents:  # JSON can escape half of a surrogate pair
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    return value


def _refuse(word: str) -> None:
    raise ParseError(f"{word} is not a JSON value")
