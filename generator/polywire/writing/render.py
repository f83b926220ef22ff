"""Target and model → the target's files, in memory.

A target says which template renders which view and which runtime files its package has; this module runs the templates,
copies the runtime and checks the result. It writes nothing, so a failure leaves the output folder as it was.

Templates see, besides their view: `header` and `license` (see `polywire.targets.common.header`), the function `once` (a
template of the same view, rendered once for all files of that view), and the filter `json`. Users can override
templates with their own (see `Custom`).
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, TypeAlias

import jinja2
from jinja2.exceptions import SecurityError
from jinja2.sandbox import ImmutableSandboxedEnvironment
from markupsafe import Markup

from polywire.ground.errors import RenderError
from polywire.ground.paths import path_fault
from polywire.ground.words import suggestion
from polywire.plan import Plan
from polywire.targets.common.base import READING, File, Reading, RuntimeFile, Target, View
from polywire.targets.common.header import Header, header, license_of
from polywire.targets.common.text import VISIBLE

if TYPE_CHECKING:
    from jinja2.bccache import Bucket

    from polywire.ground.json_values import Json

WIDTH = 120
"""The line length that the `json` filter lays out for."""

_HERE = Path(__file__).resolve().parents[1]
"""The package, which the root of a checkout has as `generator/polywire`."""
_TEMPLATES = (_HERE.parents[1] / "templates", _HERE / "_templates")
"""Where templates are: in a checkout, and in an installed polywire."""

SHARED = "shared"
"""The folder of the templates shared by all targets."""

PAGES = "docs"
"""The folder of the templates of HTML pages."""

_SHIPPED = _HERE / "_compiled" / f"jinja-{jinja2.__version__}"
"""Where a wheel has the templates as Python modules, which are loaded and cached like its other modules. They are for
the version of jinja that compiled them; with another version, the templates themselves are compiled."""

_RUNTIMES = (_HERE.parents[1] / "runtimes", _HERE / "_runtimes")
"""Where runtimes are: in a checkout, and in an installed polywire."""


@dataclass(frozen=True, slots=True)
class Custom:
    """A user's additions to what polywire renders."""

    header: tuple[str, ...] = ()
    """Lines below the mark of every file that has a mark."""
    templates: Path | None = None
    """A folder laid out like `templates/`: its files replace polywire's files of the same name, which they can include
    as `polywire/NAME`. Each must have an effect."""


PLAIN = Custom()


def render(target: Target, plan: Plan, custom: Custom = PLAIN) -> dict[str, bytes]:
    """Render the target's package, without add-ons: files by path below its folder. Raises `RenderError`."""
    return render_packages(target, plan, custom)[""]


def render_packages(target: Target, plan: Plan, custom: Custom = PLAIN) -> dict[str, dict[str, bytes]]:
    """Render the target's package and its add-ons: key of the add-on → path → UTF-8, with LF line ends.

    The key of the target's own package is empty. Raises `RenderError`.
    """
    templates = _Templates(target.name, custom.templates)
    shared = {
        "header": header(plan.model, custom.header),
        "license": license_of(plan.model.protocol, custom.header),
    }
    sources: defaultdict[str, list[File]] = defaultdict(list, {"": []})
    for file in target.files(plan):
        sources[file.add_on].append(file)
    rendered = {key: _rendered(target.name, files, templates, shared) for key, files in sources.items()}
    templates.refuse_idle()
    for copy in target.runtime(plan):
        path, files = _checked(target.name, copy.path), rendered[copy.add_on]
        if path in files:
            raise RenderError(f"target {target.name}: two files at {path!r}")
        files[path] = _copied(target, copy, header(plan.model, custom.header))
    for files in rendered.values():
        _check_tree(target.name, files)
    return rendered


def pages(files: Iterable[File], shared: Mapping[str, object]) -> dict[str, bytes]:
    """Render HTML pages by path. All values are escaped in templates, except `Markup`. Raises `RenderError`."""
    rendered = _rendered(PAGES, files, _Templates(PAGES, None), shared)
    _check_tree(PAGES, rendered)
    return rendered


def reading(target: Target) -> Callable[[Reading], str]:
    """Return a function that renders the code of a target's readings. Raises `RenderError`."""
    templates = _Templates(target.name, None)
    text = _renderer(templates, {})
    return lambda found: _contents(text, templates, File(found.of, READING, found.view)).decode()


def _rendered(
    where: str, files: Iterable[File], templates: _Templates, shared: Mapping[str, object]
) -> dict[str, bytes]:
    text = _renderer(templates, shared)
    rendered: dict[str, bytes] = {}
    for file in files:
        path = _checked(where, file.path)
        if path in rendered:
            raise RenderError(f"target {where}: two files at {path!r}")
        contents = _contents(text, templates, file)
        if contents or not file.is_optional:
            rendered[path] = contents
    return rendered


def _copied(target: Target, file: RuntimeFile, header: Header) -> bytes:
    """Return a runtime file below the header, with the package's own names in place of the placeholders."""
    try:
        text = (_folder(_RUNTIMES, "runtimes") / target.name / file.source).read_text(encoding="utf-8")
    except OSError as error:
        raise RenderError(f"runtimes/{target.name}/{file.source}: {error.strerror}; reinstall polywire") from error
    for placeholder, name in file.names.items():
        text = text.replace(placeholder, name)
    lines = (f"{target.comment} {line}".rstrip(" ") for line in header.lines)
    return "\n".join([*lines, "", text]).encode()


Renderer: TypeAlias = "Callable[[str, View], str]"
"""Renders a template for a view."""


def _renderer(templates: _Templates, shared: Mapping[str, object]) -> Renderer:
    made: dict[tuple[str, int], str] = {}
    views: list[object] = []  # kept alive, since an id can be reused once its object is gone

    def text(template: str, view: View) -> str:
        key = template, id(view)
        if key not in made:
            views.append(view)
            seen = {**shared, "once": lambda name: text(name, view)}
            made[key] = templates.environment.get_template(template, globals=seen).render(_names(view))
        return made[key]

    return text


def _names(view: View) -> Mapping[str, object]:
    """Return the names that a template sees of a view: the fields of a dataclass."""
    return view if isinstance(view, Mapping) else {each.name: getattr(view, each.name) for each in fields(view)}


def _contents(render: Renderer, templates: _Templates, file: File) -> bytes:
    where = f"{templates.shown(file.template)}, for {file.path}"
    try:
        text = render(file.template, file.view)
    except jinja2.TemplateNotFound as error:
        raise RenderError(f"{templates.place(error)}, for {file.path}: template {error.name!r} not found") from error
    except jinja2.TemplateSyntaxError as error:
        raise RenderError(f"{templates.shown(error.name or '')}, line {error.lineno}: {error.message}") from error
    except (jinja2.UndefinedError, SecurityError, _OutsideError) as error:
        raise RenderError(f"{templates.place(error)}, for {file.path}: {error}") from error
    except RenderError:
        raise
    except Exception as error:
        # An error in one of polywire's own templates is a bug of polywire, and needs its whole traceback.
        if templates.overrides is None:
            raise
        what = f"{type(error).__name__}: {error}"
        raise RenderError(f"{templates.place(error)}, for {file.path}: {what}") from error
    if "\r" in text:
        raise RenderError(f"{where}: a carriage return in the output; text from the spec must be escaped")
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise RenderError(f"{where}: {error.reason} (a lone surrogate must be escaped)") from error


def _checked(target: str, path: str) -> str:
    """Return the path if it stays below the target's folder on every system. Raises `RenderError`."""
    fault = path_fault(path)
    if fault is not None:
        raise RenderError(f"target {target}: path {path!r} {fault}")
    return path


def _check_tree(target: str, paths: Iterable[str]) -> None:
    """Refuse paths that differ only in case, and files that are also the folder of another file."""
    folded: dict[str, str] = {}
    for path in paths:
        other = folded.setdefault(path.casefold(), path)
        if other != path:
            raise RenderError(f"target {target}: {other!r} and {path!r} differ in case only")
    for path in paths:
        for folder in PurePosixPath(path).parents:
            if str(folder).casefold() in folded:
                raise RenderError(f"target {target}: {str(folder)!r} is both a file and the folder of {path!r}")


class _Templates:
    """The templates of one target: the user's, and then polywire's."""

    def __init__(self, target: str, folder: Path | None) -> None:
        self._target = target
        self.environment = _environment(target, sandboxed=folder is not None)
        self.overrides: _Overrides | None = None
        if folder is not None:
            own = self.environment.loader
            self.overrides = _Overrides(folder, target, own) if own is not None else None
            self.environment = self.environment.overlay(loader=self.overrides)

    def shown(self, template: str) -> str:
        """Return the location of a template, for people."""
        if self.overrides is not None and self.overrides.has(template):
            return str(self.overrides.folder / template)
        return f"templates/{self._target}/{template.removeprefix(_ORIGINAL)}"

    def place(self, error: BaseException) -> str:
        """Return the innermost template in the traceback, as rewritten by jinja, and its line."""
        own, theirs = template_root() / self._target, self.overrides.folder if self.overrides else None
        place = f"templates/{self._target}"
        trace = error.__traceback__
        while trace is not None:
            file = Path(trace.tb_frame.f_code.co_filename)
            if theirs is not None and file.is_relative_to(theirs):
                place = f"{file}, line {trace.tb_lineno}"
            elif file.is_relative_to(own):
                place = f"templates/{self._target}/{file.relative_to(own).as_posix()}, line {trace.tb_lineno}"
            trace = trace.tb_next
        return place

    def refuse_idle(self) -> None:
        """Raise `RenderError` for a user's template that was not used in rendering."""
        if self.overrides is None:
            return
        for name in sorted(self.overrides.names - self.overrides.loaded):
            place = self.overrides.folder / name
            known = self.overrides.known
            if name not in known:
                near = suggestion(name, known) or "."
                raise RenderError(f"{place}: polywire has no template {self._target}/{name}{near} Rename or remove it.")
            raise RenderError(f"{place}: nothing that is generated uses this template any more; remove it")


_ORIGINAL = "polywire/"
"""The prefix of a template's name that refers to polywire's own template."""


class _OutsideError(Exception):
    """A template names a file that is not in the folder of the templates. `ignore missing` does not apply to it."""


class _Overrides(jinja2.BaseLoader):
    """A user's templates of one target; polywire's are used for all others."""

    def __init__(self, root: Path, target: str, own: jinja2.BaseLoader) -> None:
        self.folder = folder = root / target
        self._root = root
        self.loaded: set[str] = set()
        self._theirs = jinja2.FileSystemLoader(folder, encoding="utf-8")
        self._own = own

    @property
    def names(self) -> set[str]:
        """The user's templates, without editors' files, whose names start with a dot."""
        files = (path.relative_to(self.folder) for path in self.folder.rglob("*") if path.is_file())
        return {path.as_posix() for path in files if not any(part.startswith(".") for part in path.parts)}

    @property
    def known(self) -> list[str]:
        """Polywire's templates."""
        return self._own.list_templates()

    def has(self, template: str) -> bool:
        """Return whether a template is the user's."""
        return not template.startswith(_ORIGINAL) and (self.folder / template).is_file()

    def get_source(
        self, environment: jinja2.Environment, template: str
    ) -> tuple[str, str | None, Callable[[], bool] | None]:
        """Return the text of a template, its path, and whether the text is still current (see jinja)."""
        fault = path_fault(template)
        if fault is not None:  # refused before any file is looked at, so that no message tells which files exist
            raise _OutsideError(
                f"template {template!r} {fault}; a template can include only templates of {self.folder}, by their path"
                f" in that folder, and polywire's, as {_ORIGINAL}NAME"
            )
        if not self.has(template):
            return self._own.get_source(environment, template.removeprefix(_ORIGINAL))
        self.loaded.add(template)
        place = self.folder / template
        if not place.resolve().is_relative_to(self._root.resolve()):
            raise RenderError(f"{place}: is a link that leaves {self._root}, the folder of the templates")
        try:
            return self._theirs.get_source(environment, template)
        except UnicodeDecodeError as error:
            raise RenderError(f"{place}: is not UTF-8") from error


@cache
def _environment(target: str, *, sandboxed: bool = False) -> jinja2.Environment:
    """Return the jinja environment of a target.

    A user's templates may be written by anybody who can open a pull request. In the sandbox they can read their view
    and produce text, but reach nothing else of Python.
    """
    make = ImmutableSandboxedEnvironment if sandboxed else jinja2.Environment
    compiled = _compiled_folder(f"{target}-sandboxed" if sandboxed else target)
    environment = make(
        loader=_loader(target, shipped=not sandboxed),
        undefined=jinja2.StrictUndefined,
        autoescape=target == PAGES,  # all other output is source code, and views escape for their language
        finalize=_visible if target == PAGES else None,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        newline_sequence="\n",
        auto_reload=False,
        bytecode_cache=_Compiled(compiled),
        extensions=["jinja2.ext.do", "jinja2.ext.loopcontrols"],
    )
    environment.filters["json"] = json_text
    return environment


def _visible(value: object) -> object:
    """Prepare text of the spec for a page: invisible and direction-changing characters are made visible."""
    return VISIBLE.lines(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _loader(target: str, *, shipped: bool) -> jinja2.BaseLoader:
    """Return the loader of polywire's templates of a target, precompiled ones if possible."""
    sources = jinja2.FileSystemLoader([template_root() / target, template_root() / SHARED], encoding="utf-8")
    modules = _SHIPPED / target
    return jinja2.ChoiceLoader([jinja2.ModuleLoader(modules), sources]) if shipped and modules.is_dir() else sources


def compile_templates(folder: Path) -> None:
    """Compile polywire's templates into modules below a folder, which becomes `_compiled` in a wheel."""
    for target in sorted(path.name for path in template_root().iterdir() if path.is_dir() and path.name != SHARED):
        place = folder / _SHIPPED.name / target
        place.mkdir(parents=True)
        _environment(target).compile_templates(place, zip=None, ignore_errors=False)


class _Compiled(jinja2.FileSystemBytecodeCache):
    """A cache of compiled templates, kept the way Python keeps compiled modules: beside ours, and only where allowed.

    Anybody who can write there can also write polywire's modules. This holds for the user's templates too: their cache
    is found by the hash of their text, and nothing is ever loaded from the repository.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__(str(folder), "%s.pyc")
        self._folder = folder

    def load_bytecode(self, bucket: Bucket) -> None:
        """Load a compiled template from the cache, if possible."""
        with contextlib.suppress(OSError):
            super().load_bytecode(bucket)

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Store a compiled template in the cache, if allowed."""
        if sys.dont_write_bytecode:
            return
        with contextlib.suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True)
            super().dump_bytecode(bucket)


def _compiled_folder(target: str) -> Path:
    """Return the cache folder of a target's compiled templates; it depends on everything that affects compilation."""
    state = hashlib.sha256(Path(__file__).read_bytes() + jinja2.__version__.encode()).hexdigest()[:16]
    return _HERE / "__pycache__" / f"templates-{state}" / target


def template_root() -> Path:
    """Return the folder with one folder of templates per target. Raises `RenderError`."""
    return _folder(_TEMPLATES, "templates")


def _folder(places: tuple[Path, Path], what: str) -> Path:
    for root in places:
        if root.is_dir():
            return root
    raise RenderError(f"no {what}: neither {places[0]} nor {places[1]} is a folder; reinstall polywire")


# --- JSON, laid out for people ---------------------------------------------------------------------------------

_UNSAFE = re.compile("[\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff\ufff9-\ufffb]")
"""Characters that hide, reorder or break text, or that UTF-8 cannot encode; JSON allows them to be escaped."""

_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
"""Shared by all values: json.dumps creates an encoder for each call, which is most of the cost for a name."""


def json_text(value: Json, indent: int = 0) -> str:
    """Write `value` as JSON: members in the given order, on one line if it fits, with nothing invisible."""
    return _layout(value, indent, indent)[0]


def _scalar(value: Json) -> str:
    text = _encode(value)
    return text if text.isascii() and "\x7f" not in text else _UNSAFE.sub(lambda m: f"\\u{ord(m[0]):04x}", text)


def _layout(value: Json, indent: int, column: int) -> tuple[str, bool]:
    """Return the text and whether it is on one line; `column` is the width of what precedes it on the line."""
    if not isinstance(value, (dict, list)) or not value:
        return _scalar(value), True
    deeper = indent + 2
    if isinstance(value, dict):
        parts = []
        all_flat = True
        for key, member in value.items():
            start = _scalar(key) + ": "
            text, flat = _layout(member, deeper, deeper + len(start))
            parts.append(start + text)
            all_flat = all_flat and flat
        opening, closing = "{}"
    else:
        laid_out = [_layout(item, deeper, deeper) for item in value]
        parts = [text for text, _ in laid_out]
        all_flat = all(flat for _, flat in laid_out)
        opening, closing = "[]"
    # One column is reserved for a trailing comma.
    if all_flat and column + sum(map(len, parts)) + 2 * len(parts) + 1 <= WIDTH:
        return opening + ", ".join(parts) + closing, True
    inner = ",\n".join(" " * deeper + part for part in parts)
    return f"{opening}\n{inner}\n{' ' * indent}{closing}", False
