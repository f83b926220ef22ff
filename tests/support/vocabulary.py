"""The words that have a meaning in the languages of the targets, in generated packages or in their runtimes.

A spec that uses them as its own names must still generate packages that compile. Where a list exists, it is read from
there: reserved words from the targets, helpers from the sources of the runtimes, Python's words from its own modules.
"""

from __future__ import annotations

import builtins
import dataclasses
import enum
import keyword
import re
import typing
from functools import cache
from pathlib import Path

from polywire.targets import registry

RUNTIMES = Path(__file__).resolve().parents[2] / "runtimes"

DECLARATION = re.compile(
    r"\b(?:fn|struct|enum|trait|type|const|static|mod|macro_rules!|def|class|func|var|let|function|interface)"
    r"\s+(?:\([^)]*\)\s*)?(?:mut\s+)?([A-Za-z_]\w*)"
)
"""A declaration in any language of the runtimes; also inside functions, whose variables can be shadowed."""

OTHERS = {"node_modules", "tests", "test"}
"""Folders without files of packages."""

SOURCES = ("*.py", "*.rs", "*.go", "*.js", "*.mjs", "*.ts")

PYTHON = (
    *(*keyword.kwlist, *keyword.softkwlist, *dir(builtins), *dataclasses.__all__, *enum.__all__, *typing.__all__),
    *(*dir(object), *dir(dict), *dir(str), *dir(enum.Enum), "__slots__", "__dataclass_fields__", "__match_args__"),
    *("__all__", "__getattr__", "__post_init__", "__annotations__", "__future__", "cls", "mro", "name", "value"),
)
TYPESCRIPT = (
    *("abstract", "accessor", "arguments", "async", "await", "constructor", "declare", "delete", "eval", "exports"),
    *("function", "globalThis", "hasOwnProperty", "implements", "infer", "instanceof", "interface", "keyof", "length"),
    *("module", "name", "namespace", "never", "new", "null", "package", "private", "prototype", "readonly", "require"),
    *("satisfies", "static", "super", "symbol", "then", "this", "throw", "toJSON", "toString", "typeof", "undefined"),
    *("unique", "unknown", "valueOf", "var", "void", "with", "yield", "__proto__", "__defineGetter__", "Array"),
    *("ArrayLike", "Awaited", "BigInt", "Date", "Error", "Exclude", "Extract", "Function", "Infinity", "InstanceType"),
    *("Iterable", "Map", "NaN", "NonNullable", "Object", "Omit", "Parameters", "Partial", "Pick", "Promise", "Proxy"),
    *("PropertyKey", "Readonly", "ReadonlyArray", "Record", "Required", "ReturnType", "Set", "String", "Symbol"),
    *("ThisType", "Uint8Array", "Uppercase", "WeakMap"),
)
GO = (
    *("any", "append", "bool", "break", "byte", "cap", "case", "chan", "clear", "close", "comparable", "complex"),
    *("const", "continue", "copy", "default", "defer", "delete", "else", "error", "fallthrough", "false", "float64"),
    *("for", "func", "go", "goto", "if", "imag", "import", "init", "int", "int64", "interface", "iota", "len", "main"),
    *("make", "map", "max", "min", "new", "nil", "package", "panic", "print", "range", "real", "recover", "return"),
    *("rune", "select", "string", "struct", "switch", "true", "type", "uint8", "uintptr", "var", "GoString", "Error"),
    *("Format", "MarshalJSON", "MarshalText", "String", "UnmarshalJSON", "UnmarshalText", "Unwrap", "Is", "As"),
    *("bytes", "context", "errors", "fmt", "io", "json", "math", "reflect", "slices", "sort", "strconv", "strings"),
    *("sync", "testing", "time", "unicode", "unsafe", "linux", "windows", "amd64", "test"),
)
RUST = (
    *("abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate", "do", "dyn", "else"),
    *("enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro", "match"),
    *("mod", "move", "mut", "override", "priv", "pub", "raw", "ref", "return", "safe", "self", "static", "struct"),
    *("super", "trait", "true", "try", "type", "typeof", "union", "unsafe", "unsized", "use", "virtual", "where"),
    *("while", "yield", "Self", "Option", "Some", "None", "Result", "Ok", "Err", "Box", "String", "Vec", "ToString"),
    *("ToOwned", "Iterator", "IntoIterator", "DoubleEndedIterator", "ExactSizeIterator", "Extend", "FromIterator"),
    *("Clone", "Copy", "Send", "Sync", "Sized", "Unpin", "Drop", "Fn", "FnMut", "FnOnce", "AsRef", "AsMut", "From"),
    *("Into", "TryFrom", "TryInto", "Default", "Debug", "Display", "Eq", "Ord", "PartialEq", "PartialOrd", "Hash"),
    *("Hasher", "Cow", "Infallible", "Ordering", "Serialize", "Deserialize", "Serializer", "Visitor", "Formatter"),
    *(
        "Error",
        "Item",
        "Output",
        "Target",
        "Owned",
        "IntoIter",
        "Value",
        "Key",
        "Future",
        "Borrowed",
        "Less",
        "Greater",
    ),
    *("item", "err", "ok", "error", "next", "some", "none", "output", "target", "owned", "drop", "clone", "fmt", "eq"),
    *("cmp", "partial_cmp", "hash", "default", "from", "into", "try_from", "try_into", "from_str", "to_string"),
    *("to_owned", "borrow", "as_ref", "as_mut", "deref", "index", "iter", "into_iter", "poll", "take", "map", "get"),
    *("insert", "is_some", "unwrap", "serialize", "deserialize", "str", "u8", "i64", "f64", "usize", "bool", "char"),
    *("std", "core", "alloc", "vec", "format", "println", "panic", "assert", "matches", "write", "macro_rules"),
    *("doc", "derive", "test", "cfg", "allow", "lib", "main", "build", "tests", "serde", "serde_json", "tokio"),
)
LETTERS = (*"TKVEFRNSUAXabcdefiknstvwx", "'a", "_", "__", "T1", "Ok2")
"""Parameters of generics, and variables."""

LANGUAGES = (*PYTHON, *TYPESCRIPT, *GO, *RUST, *LETTERS)

SYNTAX = (
    *("a = b", "x: int = 1", "# x", "// x", "//go:build ignore", "+build ignore", "/* x", "*/", '"""', "'''", "``"),
    *(
        "''",
        "`${x}`",
        "${x}",
        "{{x}}",
        "{% x %}",
        "{x}",
        "%s %d",
        "\\",
        "\\\\",
        '\\"',
        "\\n",
        "\\u{0}",
        "\\x00",
        "\\N{x}",
    ),
    *("\n", "a\nb", "a\r\nb", "\t", "\u2028", "\x7f", "\ufeff", '"', "'", "`", '"#', 'r#"x"#', "--", "-->", "<!--"),
    *("]]>", "</script>", "#![x]", "#[x]", "#!x", "///", "//!", "@x", "@param {x} y", "@ts-ignore", "type: ignore"),
    *(
        "noqa",
        "fmt: off",
        "-*- coding: x -*-",
        ":x:",
        "[x]",
        "[x]: y",
        "<T>",
        "a;b",
        ";",
        "()",
        "=> x",
        "...",
        "..",
        "$",
    ),
    *("é", "日本", "😀", "e\u0301", "\u202e", " ", " x ", "- x", "1. x", "| x", "> x", "    x", "Deprecated: x"),
    *("long " * 60, "a = b, " * 40, "x" * 300),
)
"""Texts that mean something in the syntax of a language, in its comments, or in a template."""


@cache
def reserved() -> tuple[str, ...]:
    """Return the names that the targets reserve, which include what every package exports."""
    return tuple(
        sorted({name for target in registry().values() for reserved in target.reserved for name in reserved.names})
    )


@cache
def helpers() -> tuple[str, ...]:
    """Return the names of everything that is declared in the runtimes."""
    files = [file for form in SOURCES for file in RUNTIMES.rglob(form) if not OTHERS & {*file.parts}]
    found = {name for file in files for name in DECLARATION.findall(file.read_text(encoding="utf-8"))}
    return tuple(sorted(name for name in found if not name.lower().startswith("test")))


@cache
def everything() -> tuple[str, ...]:
    """Return all words and syntax."""
    return tuple(dict.fromkeys((*LANGUAGES, *reserved(), *helpers(), *SYNTAX)))
