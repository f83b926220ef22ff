"""The model → the Python name of everything in it: the naming rule, the overrides of the spec, the reserved names.

Types keep their stem, fields and functions become snake_case, values of enums UPPER_CASE. Names that Python, the
dataclass protocol or the annotations of a class body use get an underscore as a suffix.
"""

from __future__ import annotations

import keyword
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cached_property

from polywire.ground.location import NOWHERE, SourceLocation
from polywire.model.nodes import About, Constructor, Enum, Field, Model, Struct, Tag, Union
from polywire.model.walk import reach
from polywire.targets.common.base import Name, parameter_names
from polywire.targets.common.naming import Reserved, constant, identifier, pascal, snake, words

TARGET_NAME = "python"

KEYWORDS = frozenset(keyword.kwlist)
"""Words that are not identifiers; soft keywords (`match`, `type`) are valid names."""

ATTRIBUTES = KEYWORDS | {"self", "extra", "mro", "str", "int", "float", "bool", "list", "dict", "tuple", "object"}
"""Reserved names of fields: `extra` belongs to every object; the others occur in annotations of the class body."""

UNKNOWN_ATTRIBUTES = KEYWORDS | {"self", "raw"}

PARAMETERS = KEYWORDS | {"fresh_uuid", "from_value", "self"}

API: Mapping[str, tuple[str, ...]] = {
    "_base": (
        *("DecodeError", "EncodeError", "EnumValues", "Record", "UNSET", "Unknown", "UnknownInteger", "UnknownText"),
        *("Unset", "is_known", "known_values"),
    ),
    "_streams": ("AsyncReader", "AsyncWriter", "BadLine", "LineDecoder", "Reader", "Writer"),
    "_wire": ("Examined", "TYPES", "decode", "encode", "examine", "from_dict", "to_dict"),
}
"""Names that every package exports, independent of the spec, by module."""

CONTROL_API: Mapping[str, tuple[str, ...]] = {
    "_control": ("ControlError",),
    "_session": (
        *("Session", "SessionAnswer", "SessionCancellation", "SessionError", "SessionEvent", "SessionFailure"),
        *("SessionInvalidAnswer", "SessionMessage", "SessionNotification", "SessionRequest", "SessionStray"),
        "SessionUnknownRequest",
    ),
    "_typed": ("cancel", "decode_response", "notify", "refuse", "reply", "request", "response_type"),
}
"""Additional names that a package exports if its protocol has controls."""

TOOLS_API: Mapping[str, tuple[str, ...]] = {"_typed": ("tool_input", "tool_output")}
"""Additional names that a package exports if its protocol has tools."""

LAUNCH_API: Mapping[str, tuple[str, ...]] = {
    "_launch": ("Launch", "LaunchEnvironment", "LaunchError"),
    "_launches": ("launch",),
}
"""Additional names that a package exports if its options start a process."""

PROCESS_API: Mapping[str, tuple[str, ...]] = {
    "_async_process": ("AsyncProcess",),
    "_process": ("ProcessError",),
    "_thread_process": ("Process",),
}
"""Additional names that a package exports if its protocol has controls and its options start a process."""

CONSTANTS = ("PROTOCOL_NEWEST", "PROTOCOL_OLDEST", "SPEC_HASH")

BUILTINS = frozenset(
    {
        *("Any", "Callable", "ClassVar", "False", "Final", "Generic", "Literal", "Never", "None", "Protocol", "Root"),
        *("Self", "Shared", "TABLES", "TYPE_CHECKING", "True", "TypeAlias", "TypeVar", "WAYS", "annotations", "bool"),
        *("dict", "float", "fresh_uuid", "from_value", "int", "lazy", "list", "object", "overload", "property"),
        *("runtime_checkable", "str", "tuple", "type"),
    }
)
"""Names that the modules of a package use internally, besides the API."""

BUILTIN_TYPES = frozenset(
    [
        "ArithmeticError", "AssertionError", "AttributeError", "BaseException", "BaseExceptionGroup",
        "BlockingIOError", "BrokenPipeError", "BufferError", "BytesWarning", "ChildProcessError",
        "ConnectionAbortedError", "ConnectionError", "ConnectionRefusedError", "ConnectionResetError",
        "DeprecationWarning", "EOFError", "Ellipsis", "EncodingWarning", "EnvironmentError", "Exception",
        "ExceptionGroup", "False", "FileExistsError", "FileNotFoundError", "FloatingPointError",
        "FutureWarning", "GeneratorExit", "IOError", "ImportError", "ImportWarning", "IndentationError",
        "IndexError", "InterruptedError", "IsADirectoryError", "KeyError", "KeyboardInterrupt", "LookupError",
        "MemoryError", "ModuleNotFoundError", "NameError", "None", "NotADirectoryError", "NotImplemented",
        "NotImplementedError", "OSError", "OverflowError", "PendingDeprecationWarning", "PermissionError",
        "ProcessLookupError", "PythonFinalizationError", "RecursionError", "ReferenceError",
        "ResourceWarning", "RuntimeError", "RuntimeWarning", "StopAsyncIteration", "StopIteration",
        "SyntaxError", "SyntaxWarning", "SystemError", "SystemExit", "TabError", "TimeoutError", "True",
        "TypeError", "UnboundLocalError", "UnicodeDecodeError", "UnicodeEncodeError", "UnicodeError",
        "UnicodeTranslateError", "UnicodeWarning", "UserWarning", "ValueError", "Warning", "WindowsError",
        "ZeroDivisionError",
    ]
)  # fmt: skip
"""Other built-in names in capitals, Python 3.10 to 3.14: type checkers take one for a type that is declared later."""

OFFERED = frozenset(
    name for api in (API, CONTROL_API, TOOLS_API, LAUNCH_API, PROCESS_API) for names in api.values() for name in names
)
"""Names that the package exports and that are not derived from the spec."""

MODULE = KEYWORDS | BUILTINS | BUILTIN_TYPES | OFFERED | frozenset(CONSTANTS)

TYPES = Reserved("declarations", MODULE, "Type")
FUNCTIONS = Reserved("constructors", MODULE)
FIELDS = Reserved("fields", ATTRIBUTES)
VIEWS = Reserved("members of Unknowns", UNKNOWN_ATTRIBUTES)
VALUES = Reserved("values of enums", KEYWORDS)
ARGUMENTS = Reserved("parameters", PARAMETERS)

STANDARD_MODULES = frozenset(
    [
        "abc", "aifc", "annotationlib", "antigravity", "argparse", "array", "ast", "asynchat", "asyncio", "asyncore",
        "atexit", "audioop", "base64", "bdb", "binascii", "binhex", "bisect", "builtins", "bz2", "cProfile", "calendar",
        "cgi", "cgitb", "chunk", "cmath", "cmd", "code", "codecs", "codeop", "collections", "colorsys", "compileall",
        "compression", "concurrent", "configparser", "contextlib", "contextvars", "copy", "copyreg", "crypt", "csv",
        "ctypes", "curses", "dataclasses", "datetime", "dbm", "decimal", "difflib", "dis", "distutils", "doctest",
        "email", "encodings", "ensurepip", "enum", "errno", "faulthandler", "fcntl", "filecmp", "fileinput", "fnmatch",
        "formatter", "fractions", "ftplib", "functools", "gc", "genericpath", "getopt", "getpass", "gettext", "glob",
        "graphlib", "grp", "gzip", "hashlib", "heapq", "hmac", "html", "http", "idlelib", "imaplib", "imghdr", "imp",
        "importlib", "inspect", "io", "ipaddress", "itertools", "json", "keyword", "lib2to3", "linecache", "locale",
        "logging", "lzma", "mailbox", "mailcap", "marshal", "math", "mimetypes", "mmap", "modulefinder", "msilib",
        "msvcrt", "multiprocessing", "netrc", "nis", "nntplib", "nt", "ntpath", "nturl2path", "numbers", "opcode",
        "operator", "optparse", "os", "ossaudiodev", "parser", "pathlib", "pdb", "pickle", "pickletools", "pipes",
        "pkgutil", "platform", "plistlib", "poplib", "posix", "posixpath", "pprint", "profile", "pstats", "pty", "pwd",
        "py_compile", "pyclbr", "pydoc", "pydoc_data", "pyexpat", "queue", "quopri", "random", "re", "readline",
        "reprlib", "resource", "rlcompleter", "runpy", "sched", "secrets", "select", "selectors", "shelve", "shlex",
        "shutil", "signal", "site", "smtpd", "smtplib", "sndhdr", "socket", "socketserver", "spwd", "sqlite3",
        "sre_compile", "sre_constants", "sre_parse", "ssl", "stat", "statistics", "string", "stringprep", "struct",
        "subprocess", "sunau", "symbol", "symtable", "sys", "sysconfig", "syslog", "tabnanny", "tarfile", "telnetlib",
        "tempfile", "termios", "textwrap", "this", "threading", "time", "timeit", "tkinter", "token", "tokenize",
        "tomllib", "trace", "traceback", "tracemalloc", "tty", "turtle", "turtledemo", "types", "typing", "unicodedata",
        "unittest", "urllib", "uu", "uuid", "venv", "warnings", "wave", "weakref", "webbrowser", "winreg", "winsound",
        "wsgiref", "xdrlib", "xml", "xmlrpc", "zipapp", "zipfile", "zipimport", "zlib", "zoneinfo",
    ]
)  # fmt: skip
"""Modules of the standard library, Python 3.10 to 3.14: a package with such a name would shadow one, or be shadowed."""

UNKNOWNS = "unknowns"
"""The area with the classes of Unknowns."""

AREAS = Reserved("modules of parts of the spec", KEYWORDS)
PACKAGES = Reserved("modules of protocols", KEYWORDS | STANDARD_MODULES)

RESERVED = (TYPES, FIELDS, VALUES, FUNCTIONS, ARGUMENTS, VIEWS, AREAS, PACKAGES)


def overridden(about: About) -> str | None:
    """The override of the name in Python."""
    return about.targets.get(TARGET_NAME, {}).get("name")


class Names:
    """Every Python name of a model."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._around: dict[str, tuple[Union, ...]] = {}

    # Declarations.

    def type(self, name: str) -> str:
        """A declared enum, alias, struct or union."""
        about = self._model.declarations[name].about
        return overridden(about) or self._type_default(about.name or name)

    def _type_default(self, stem: str) -> str:
        plain = stem.isascii() and stem.isidentifier() and not stem.startswith("_")
        return identifier(stem if plain and stem[0].isupper() else pascal(words(stem)), TYPES, "Type")

    def unknown(self, union: Union) -> str:
        """The class of a union's Unknown.

        A nested union that shares its Unknown with outer unions has a separate class, which extends the outer ones: an
        object that the outer union does not know is not an object of the inner union.
        """
        if not self.around(union):
            return self._type_default(union.unknown)
        own = identifier(f"Unknown{self.type(union.name)}", TYPES, "Type")
        return own if own not in self._unknowns else f"{own}Object"

    def around(self, union: Union) -> tuple[Union, ...]:
        """The unions directly around an open union that share its Unknown."""
        found = self._around.get(union.name)
        if found is None:
            holders = self._holders.get(union.name, [])
            farther = reach(self._holders, [name for each in holders for name in self._holders[each]])
            nearest = (each for each in holders if each not in farther)
            found = self._around[union.name] = tuple(map(self._model.union, nearest))
        return found

    @cached_property
    def _holders(self) -> Mapping[str, list[str]]:
        """For every open union, the unions of which it is a variant and whose Unknown it shares."""
        open_ = {union.name: union for union in self._model.unions if union.open}
        found: dict[str, list[str]] = {name: [] for name in open_}
        for outer in open_.values():
            for variant in outer.variants:
                inner = open_.get(variant.name)
                if inner is not None and inner.unknown == outer.unknown:
                    found[inner.name].append(outer.name)
        return found

    @cached_property
    def _unknowns(self) -> frozenset[str]:
        return frozenset(self._type_default(each.unknown) for each in self._model.unions)

    def area(self, place: SourceLocation) -> str:
        """The module of declarations in a file of the spec."""
        stem = place.file.rpartition("/")[2].partition(".")[0]
        return identifier(snake(words(stem)), AREAS, "area_")

    def shared(self, struct: Struct) -> str:
        """The name for what objects that include a struct have in common."""
        return f"Has{self.type(struct.name)}"

    def known(self, enum: Enum) -> str:
        """The alias of the declared values of an open enum."""
        return f"{self.type(enum.name)}Known"

    def values(self, enum: Enum) -> str:
        """The class with the constants of an enum."""
        return self.type(enum.name) + "Value"

    def value(self, enum: Enum, at: int) -> str:
        """The constant of an enum value."""
        each = enum.values[at]
        return overridden(each.about) or identifier(constant(words(each.about.name or each.name)), VALUES, "VALUE_")

    # Members.

    def field(self, field: Field) -> str:
        """The attribute of a field."""
        return overridden(field.about) or self.attribute(field.about.name or field.name)

    def attribute(self, key: str) -> str:
        """The attribute of a key without an override."""
        return identifier(snake(words(key)), FIELDS, "field_")

    def tag(self, tag: Tag) -> str:
        """The class-level constant of a tag."""
        return self.attribute(tag.key)

    def discriminator(self, key: str) -> str:
        """The property of an Unknown for a discriminator."""
        return identifier(snake(words(key)), VIEWS, "field_")

    def view(self, field: Field) -> str:
        """The property of an Unknown for a field that it gives access to."""
        return identifier(snake(words(field.about.name or field.name)), VIEWS, "field_")

    # Functions.

    def function(self, constructor: Constructor) -> str:
        """The function of a constructor."""
        about = constructor.about
        return overridden(about) or identifier(snake(words(about.name or constructor.name)), FUNCTIONS, "make_")

    def parameter(self, name: str) -> str:
        """A parameter of a constructor function."""
        return identifier(snake(words(name)), ARGUMENTS, "value_")

    # For the checks.

    def all(self) -> Iterator[Name]:
        """Every name with its scope, to find collisions."""
        for name in sorted({*OFFERED, *CONSTANTS}):
            yield Name("module", name, name, f"{name} of every package", NOWHERE)
        for declaration in self._model.declarations.values():
            yield self._declared(declaration.name, declaration.about, declaration.place)
        for area in sorted({self.area(each.place) for each in self._model.declarations.values()} - {UNKNOWNS}):
            yield Name("module", area, area, f"the module {area}", NOWHERE)
        seen: set[str] = set()
        for union in self._model.unions:
            name = self.unknown(union)
            if union.open and name not in seen:
                seen.add(name)
                yield Name("module", name, name, f"the Unknown of {union.name}", union.place)
        for struct in shared_structs(self._model):
            name = self.shared(struct)
            yield Name("module", name, name, f"the class of types that include {struct.name}", struct.place)
        for enum in self._model.enums:
            yield from self._of_enum(enum)
        for struct in self._model.structs:
            yield from self._of_struct(struct)

    def _declared(self, name: str, about: About, place: SourceLocation) -> Name:
        return Name(
            "module",
            self.type(name),
            self._type_default(about.name or name),
            name,
            place,
            overridden=overridden(about) is not None,
        )

    def _of_enum(self, enum: Enum) -> Iterator[Name]:
        name = self.values(enum)
        yield Name("module", name, name, f"the constants of {enum.name}", enum.place)
        if enum.open:
            known = self.known(enum)
            yield Name("module", known, known, f"the declared values of {enum.name}", enum.place)
        for at, value in enumerate(enum.values):
            yield Name(
                f"values of {enum.name}",
                self.value(enum, at),
                identifier(constant(words(value.about.name or value.name)), VALUES, "VALUE_"),
                f"value {value.name} of {enum.name}",
                value.place,
                overridden=overridden(value.about) is not None,
            )

    def _of_struct(self, struct: Struct) -> Iterator[Name]:
        scope = f"fields of {struct.name}"
        for tag in struct.tags:
            if tag.constant is not None:
                yield Name(scope, self.tag(tag), self.tag(tag), f"tag {tag.key} of {struct.name}", tag.place)
        for const in struct.consts:
            name = self.attribute(const.key)
            yield Name(scope, name, name, f"constant {const.key} of {struct.name}", const.place)
        for field in struct.fields:
            yield Name(
                scope,
                self.field(field),
                self.attribute(field.about.name or field.name),
                f"field {field.name} of {struct.name}",
                field.place,
                overridden=overridden(field.about) is not None,
            )
        for constructor in struct.constructors:
            name = self.function(constructor)
            default = identifier(snake(words(constructor.about.name or constructor.name)), FUNCTIONS, "make_")
            of = f"constructor {constructor.name} of {struct.name}"
            yield Name(
                "module", name, default, of, constructor.place, overridden=overridden(constructor.about) is not None
            )
            yield from parameter_names(constructor, self.parameter)


def module_name(protocol: str) -> str:
    """The default name of a protocol's package."""
    return identifier(snake(words(protocol)), PACKAGES, "protocol_")


def shared_structs(model: Model) -> tuple[Struct, ...]:
    """The structs that at least two others include."""
    counted = Counter(name for struct in model.structs for name in struct.include)
    return tuple(struct for struct in model.structs if counted[struct.name] > 1 and struct.wire_fields)
