"""The plan → what the READMEs of the packages in all languages say about a protocol.

`templates/shared/skeleton.md.j2` has the text that they share; a language adds its names and its own sections.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from polywire.model.nodes import Framing, Tree
from polywire.plan import Plan
from polywire.targets.common.naming import pascal, words
from polywire.targets.common.release import Release, release_view
from polywire.targets.common.text import Escapes

Row = tuple[str, str]
"""Code, and what it stands for."""


CALLS = (
    *("request", "receive", "reply", "refuse", "notify", "cancel", "pending", "unanswered"),
    *("program", "program_arguments", "script", "functions"),
)
"""Names of every package: methods of a session, and fields of a launch."""

EVENTS = (
    *("message", "notification", "request", "unknown_request", "answer", "failure", "invalid_answer", "cancellation"),
    "stray",
)
"""The events of a session."""


@dataclass(frozen=True, slots=True)
class Readme:
    """A package and its protocol, in the names of a language."""

    package: str
    title: str
    oldest: str
    version: str
    release: Release
    prose: str
    """The section that is specific to this protocol, as Markdown."""
    framing: Framing
    root: str
    is_root_open: bool
    constructors: tuple[Row, ...]
    """The call and the summary of each one."""
    answers: tuple[Row, ...]
    """Each request with the type of its answer."""
    messages: tuple[Row, ...]
    """The variants of the root, as code, with their summaries."""
    call: Mapping[str, str]
    """The names of functions, methods and fields, by their words."""
    event: Mapping[str, str]
    """The events of a session, likewise."""
    has_sessions: bool
    refuses: bool
    """Whether a request can be refused."""
    cancels: bool
    notifies: bool
    launch: str | None
    """The first record that starts a process."""
    has_processes: bool
    """Whether processes of a launch have sessions."""
    tree: str | None
    """The first tree of entries."""
    tree_lines: str | None
    """The type of its entries."""
    has_views: bool
    """Whether any Unknown gives access to members."""
    has_repairs: bool
    """Whether lenient mode repairs any field."""


def readme(
    plan: Plan,
    target: str,
    package: str,
    escapes: Escapes,
    *,
    name: Callable[[str], str],
    tree: Callable[[Tree], str],
    call: Callable[[Sequence[str]], str],
    event: str | None,
    guard: Callable[[str], str] | None = None,
    constructors: Iterable[Row] = (),
    answers: Iterable[Row] = (),
) -> Readme:
    """What the README of a package says; `name` and `guard` name a declaration, and the function that checks for it.

    `call` makes a name of words; `event` precedes the names of events, which are types; None if they are texts.
    """
    protocol, controls, root = plan.model.protocol, plan.controls, plan.root_union

    def message(struct: str) -> Row:
        shown = (name(struct),) if guard is None else (name(struct), guard(struct))
        doc = (plan.model.struct(struct).about.doc or "").strip()
        return ", ".join(f"`{each}`" for each in shown), escapes.markdown(doc.split("\n")[0])

    return Readme(
        package=package,
        title=escapes.markdown(protocol.title),
        oldest=escapes.markdown(protocol.oldest or protocol.version),
        version=escapes.markdown(protocol.version),
        release=release_view(plan.model, target, package, escapes),
        prose=escapes.page(plan.model.packages.get(target, {}).get("readme", "")),
        framing=protocol.framing,
        root=name(plan.root),
        is_root_open=root is not None and root.union.open,
        constructors=tuple((call, escapes.markdown(summary)) for call, summary in constructors),
        answers=tuple((request, answer.replace("|", "\\|")) for request, answer in answers),
        messages=tuple(map(message, plan.root_structs)),
        call={each: call(words(each)) for each in CALLS},
        event={each: each if event is None else event + pascal(words(each)) for each in EVENTS},
        has_sessions=controls is not None,
        refuses=controls is not None and controls.error is not None,
        cancels=controls is not None and controls.cancel is not None,
        notifies=controls is not None and controls.notify is not None,
        launch=next((name(each.struct.name) for each in plan.launches), None),
        has_processes=controls is not None and bool(plan.launches),
        tree=next((tree(each.tree) for each in plan.trees), None),
        tree_lines=next((name(each.tree.lines) for each in plan.trees), None),
        has_views=any(each.views for each in plan.unions.values()),
        has_repairs=any(each.on_error for struct in plan.model.structs for each in struct.fields),
    )
