"""The history of a spec: the models of single releases, and of their join. The spec is `tests/specs/history`."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from polywire.checks import check, check_all, render
from polywire.ground.engine import Fault
from polywire.ground.json_values import equal
from polywire.model.build import Builder
from polywire.model.declared import collect
from polywire.model.history import History
from polywire.model.nodes import Control, Field, Model, Struct, Union
from polywire.model.releases import WHOLE, Releases, Span, UnknownReleaseError
from polywire.model.walk import spell
from polywire.oracle import reference
from polywire.oracle.instances import derive
from polywire.plan.controls import controls_plan
from polywire.source import load
from polywire.source.report import Faults

HISTORY = Path(__file__).resolve().parents[1] / "specs" / "history"
OLDEST, NEWEST = "0.2.33", "0.3.330"


@cache
def builder() -> Builder:
    return Builder(load(HISTORY))


@cache
def of(span: Span) -> Model:
    built = builder().build(span)
    assert built.findings == ()
    assert built.model is not None
    return built.model


def at(release: str) -> Model:
    return of(Span.at(release))


def span() -> Model:
    return of(WHOLE)


def field(model: Model, struct: str, name: str) -> Field | None:
    return next((each for each in model.struct(struct).fields if each.name == name), None)


def shown(model: Model, struct: str, name: str) -> str | None:
    """Return a field as written in a spec, with `!` if constructors require it although readers do not."""
    found = field(model, struct, name)
    if found is None:
        return None
    mark = "" if found.required else "?"
    null = " | null" if found.nullable else ""
    return f"{name}{mark}: {spell(found.type)}{null}{'!' if found.construct_required else ''}"


def control(model: Model, key: str) -> Control:
    return next(each for each in model.controls if each.key == key)


def small(folder: Path, roots: str, body: str) -> Model:
    """Return the join of a spec with four releases."""
    header = (
        "polywire: 1\nprotocol: {name: p, title: P, framing: ndjson, peers: [a, b],"
        f' versions: ["1", "2", "3", "4"], roots: [{roots}]}}\n'
    )
    (folder / "protocol.yaml").write_text(header + textwrap.dedent(body))
    built = Builder(load(folder)).build()
    assert [(str(f.place), f.rule, f.message) for f in built.findings] == []
    assert built.model is not None
    return built.model


def test_the_spec_has_nothing_wrong_at_any_release() -> None:
    assert render(check_all(HISTORY, strict=True)) == ""


# --- enum values -----------------------------------------------------------------------------------------------


def names(model: Model, enum: str) -> list[str]:
    return [value.name for value in model.enum(enum).values]


def test_a_release_has_the_values_of_its_interval_and_the_join_all() -> None:
    assert names(at(OLDEST), "PermissionMode") == ["default", "delegate"]
    assert names(at(NEWEST), "PermissionMode") == ["default", "auto"]
    assert names(span(), "PermissionMode") == ["default", "delegate", "auto"]


def test_what_makes_new_values_is_not_offered_a_value_that_the_newest_release_lacks() -> None:
    assert [v.name for v in span().enum("PermissionMode").values if v.retired] == ["delegate"]
    assert not any(v.retired for v in at(OLDEST).enum("PermissionMode").values)


@pytest.mark.parametrize("span_", [Span.at(OLDEST), WHOLE])
def test_a_value_of_an_old_release_is_known_there_and_in_the_join(span_: Span) -> None:
    assert reference.decode(of(span_), "PermissionMode", '"delegate"', strict=True).value == "delegate"


def test_a_value_of_an_old_release_is_unknown_to_the_newest() -> None:
    with pytest.raises(Fault) as raised:
        reference.decode(at(NEWEST), "PermissionMode", '"delegate"', strict=True)
    assert raised.value.code == "unknown_value"


def test_a_number_that_was_called_otherwise_is_one_value_with_its_newest_name() -> None:
    assert names(of(Span.read("..0.2.77")), "Grade") == ["bad", "good"]
    assert names(span(), "Grade") == ["bad", "good"]


# --- declarations ----------------------------------------------------------------------------------------------


def test_a_declaration_has_its_former_name_at_the_releases_that_had_it() -> None:
    assert isinstance(at(OLDEST).declarations["MessageParam"], Struct)
    assert "UserMessageParam" not in at(OLDEST).declarations
    assert isinstance(at(NEWEST).declarations["MessageParam"], Union)
    assert isinstance(at(NEWEST).declarations["UserMessageParam"], Struct)


def test_two_declarations_that_had_one_name_in_turn_are_two_in_the_join() -> None:
    assert isinstance(span().declarations["MessageParam"], Union)
    assert isinstance(span().declarations["UserMessageParam"], Struct)


def test_a_variant_is_there_where_its_union_and_its_type_are() -> None:
    assert [v.name for v in at(NEWEST).union("MessageParam").variants] == ["UserMessageParam", "AssistantMessageParam"]
    assert [v.name for v in at(OLDEST).union("SystemPromptForm").variants] == ["SystemPromptPreset"]
    assert [v.name for v in span().union("SystemPromptForm").variants] == ["SystemPromptPreset", "SystemPromptCustom"]
    assert "SummaryMessage" in {v.name for v in at("0.3.240").union("Wire").variants}
    assert "SummaryMessage" not in {v.name for v in at("0.3.270").union("Wire").variants}


def test_what_nothing_leads_to_at_a_release_is_left_out() -> None:
    assert "Report" not in at(OLDEST).declarations
    assert "AgentModel" not in at(NEWEST).declarations
    assert "AgentModel" not in span().declarations  # `string` includes it, so no joined type refers to it


def test_roots_and_tools_are_those_that_the_release_has() -> None:
    assert at(OLDEST).protocol.roots == ("Wire", "AgentDefinition")
    assert at("0.2.77").protocol.roots == ("Wire", "AgentDefinition", "Report")
    assert [tool.pattern for tool in at(OLDEST).tools] == []
    (tool,) = at("0.2.45").tools
    assert tool.output is not None
    assert spell(tool.output) == "string"
    (tool,) = span().tools
    assert tool.output is not None
    assert spell(tool.output) == "string | Totals"


# --- fields ----------------------------------------------------------------------------------------------------

FIELDS = {
    "a type that was an enum": ("AgentDefinition", "model", "model?: AgentModel", "model?: string", "model?: string"),
    "gone and back": ("AgentDefinition", "color", None, "color?: string", "color?: string"),
    "of a mixin that came later": (
        "UserMessage", "timestamp", None, "timestamp: timestamp", "timestamp?: timestamp!",
    ),
    "a union that holds what the type was": (
        "UserMessage", "message", "message: MessageParam", "message: MessageParam", "message: MessageParam",
    ),
    "required once, and not now": (
        "UserMessage", "session_id", "session_id: string", "session_id?: string", "session_id?: string",
    ),
    "a new name": (
        "UserMessage", "parent_call_id", None, "parent_call_id: string | null", "parent_call_id?: string | null!",
    ),
    "an old name": (
        "UserMessage", "parent_tool_use_id",
        "parent_tool_use_id: string | null", None, "parent_tool_use_id?: string | null",
    ),
    "types of different kinds": (
        "InitializeRequest", "systemPrompt",
        "systemPrompt?: string", "systemPrompt?: string[]", "systemPrompt?: string[] | string",
    ),
    "presence and null": (
        "SetMaxThinkingTokensRequest", "max_thinking_tokens",
        "max_thinking_tokens: integer | null", "max_thinking_tokens?: integer | null",
        "max_thinking_tokens?: integer | null",
    ),
    "items and presence": (
        "Totals", "tokens", "tokens: integer[]", "tokens: number[]", "tokens?: number[]!",
    ),
    "keys and values of a map": (
        "Totals", "by_model", "by_model: map<AgentModel, integer>", "by_model: map<number>", "by_model: map<number>",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("struct", "name", "first", "last", "joined"), FIELDS.values(), ids=FIELDS)
def test_a_field_at_the_oldest_and_newest_release_and_in_the_join(
    struct: str, name: str, first: str | None, last: str | None, joined: str
) -> None:
    assert [shown(model, struct, name) for model in (at(OLDEST), at(NEWEST), span())] == [first, last, joined]


def test_a_field_that_went_and_came_back_is_there_in_both_intervals_only() -> None:
    assert [r for r in builder().releases.names if field(at(r), "AgentDefinition", "color")] == [
        "0.2.37", "0.2.45", "0.3.160", "0.3.240", "0.3.270", "0.3.330",
    ]  # fmt: skip


def test_each_entry_of_was_holds_up_to_its_release_and_says_only_what_was_otherwise() -> None:
    found = {r: shown(at(r), "Totals", "tokens") for r in ("0.2.37", "0.2.45", "0.2.90", "0.2.141")}
    assert found == {
        "0.2.37": "tokens: integer[]",
        "0.2.45": "tokens?: integer[]",
        "0.2.90": "tokens?: integer[]",
        "0.2.141": "tokens: number[]",
    }


def test_an_alias_has_a_history_of_its_own() -> None:
    assert spell(at("0.2.77").declarations["Note"].type) == "integer"  # type: ignore[union-attr]
    assert spell(at("0.2.90").declarations["Note"].type) == "string | integer"  # type: ignore[union-attr]
    assert shown(span(), "Report", "note") == "note: Note"
    assert spell(span().declarations["Note"].type) == "string | integer"  # type: ignore[union-attr]


def test_an_old_name_is_deprecated_in_the_join_and_not_where_it_is_the_name() -> None:
    old, new = (field(span(), "UserMessage", name) for name in ("parent_tool_use_id", "parent_call_id"))
    assert old is not None
    assert new is not None
    assert old.about.deprecated == "Called `parent_call_id` in later releases."
    assert (new.about.deprecated, new.about.formerly) == (None, "parent_tool_use_id")
    then = field(at(OLDEST), "UserMessage", "parent_tool_use_id")
    assert then is not None
    assert (then.about.deprecated, then.about.formerly) == (None, None)


@pytest.mark.parametrize("key", ["parent_tool_use_id", "parent_call_id"])
def test_what_was_renamed_is_written_under_the_name_that_it_came_by(key: str) -> None:
    text = f'{{"type":"user","message":{{"role":"user","content":"x"}},"{key}":null}}'
    assert reference.decode(span(), "UserMessage", text, strict=True).value == json.loads(text)


def test_deprecation_holds_from_the_release_that_it_names() -> None:
    found = [field(at(release), "Totals", "cost") for release in ("0.2.90", "0.2.141")]
    assert [each.about.deprecated for each in found if each] == [None, "`by_model`."]


# --- mixins ----------------------------------------------------------------------------------------------------


def test_a_mixin_of_all_releases_stays_one_and_lends_what_it_has_in_the_join() -> None:
    assert span().struct("Report").include == ("Totals",)
    cost = field(span(), "Report", "cost")
    assert cost is not None
    assert cost.origin == "Totals"


def test_a_field_is_required_where_all_releases_that_have_the_type_require_it(tmp_path: Path) -> None:
    body = """\
        types:
          Base: {doc: B., fields: {a: {type: string, was: [{until: "2", presence: optional}]}}}
          New: {doc: N., since: "3", include: [Base]}
          Old: {doc: O., include: [Base]}
        """
    model = small(tmp_path, "Base, New, Old", body)
    assert [shown(model, name, "a") for name in ("Base", "New", "Old")] == ["a?: string!", "a: string", "a?: string!"]
    assert [model.struct(name).include for name in ("Base", "New", "Old")] == [(), ("Base",), ("Base",)]
    origins = [found.origin for name in ("New", "Old") if (found := field(model, name, "a"))]
    assert origins == [None, "Base"]  # a type that is stricter than the mixin declares the field itself


def test_a_mixin_of_some_releases_is_no_mixin_in_the_join() -> None:
    assert at(NEWEST).struct("UserMessage").include == ("TimestampFields",)
    assert span().struct("UserMessage").include == ()
    timestamp = field(span(), "UserMessage", "timestamp")
    assert timestamp is not None
    assert timestamp.origin is None
    assert "TimestampFields" not in span().declarations


# --- controls and constructors ---------------------------------------------------------------------------------


def test_an_answer_that_some_release_has_may_be_missing_in_the_join_but_not_in_a_reply() -> None:
    assert control(at(OLDEST), "interrupt").response is None
    now, joined = control(at(NEWEST), "interrupt"), control(span(), "interrupt")
    assert (now.response, now.response_optional) == (joined.response, False)
    assert joined.response_optional
    assert joined.reply == (now.response, False)


def test_a_tool_may_have_had_no_input_or_output(tmp_path: Path) -> None:
    body = """\
        types:
          A: {doc: A., fields: {"x?": string}}
        tools:
          Weigh: {doc: W., input: A, output: {type: string, was: [{until: "2", type: none}]}}
          Count: {doc: C., input: {type: string, was: [{until: "1", type: none}, {until: "2", type: integer}]}}
        """
    joined = small(tmp_path, "A", body)
    built = Builder(load(tmp_path))
    tools = {
        release: {
            tool.pattern: (tool.input and spell(tool.input), tool.output and spell(tool.output))
            for tool in (joined if model is None else model).tools
        }
        for release in ("1", "2", "3", "all")
        for model in [None if release == "all" else built.build(Span.at(release)).model]
    }
    assert tools == {
        "1": {"Weigh": ("A", None), "Count": (None, None)},
        "2": {"Weigh": ("A", None), "Count": ("integer", None)},
        "3": {"Weigh": ("A", "string"), "Count": ("string", None)},
        "all": {"Weigh": ("A", "string"), "Count": ("string | integer", None)},
    }


def test_an_output_that_may_be_missing_is_no_output_of_a_release(tmp_path: Path) -> None:
    body = """\
        tools:
          Weigh: {doc: W., output: {type: string, was: [{until: "2", type: integer | none}]}}
        """
    told = "the input or output of a tool is missing a type at this release"
    assert [each for each in wrong(tmp_path, body) if "bad-type" in each] == [f"2: bad-type: {told}"]


def test_a_control_that_was_renamed_is_two_in_the_join() -> None:
    assert [each.key for each in at(OLDEST).controls][-1] == "change_mode"
    assert [each.key for each in at(NEWEST).controls][-1] == "set_mode"
    old, new = control(span(), "change_mode"), control(span(), "set_mode")
    assert (old.about.deprecated, new.about.deprecated) == ("Called `set_mode` in later releases.", None)


def test_a_constructor_has_the_places_of_the_release_or_of_the_newest_of_a_span() -> None:
    def params(model: Model) -> list[str]:
        return [param.name for each in model.struct("Report").constructors for param in each.params]

    assert params(at("0.2.77")) == ["note"]
    assert params(of(Span.read("..0.2.141"))) == ["note"]
    assert params(at(NEWEST)) == params(span()) == ["note", "extra"]


def test_announced_numbers_stand_for_releases() -> None:
    announced = of(Span.read("0.3.270..")).protocol.announced
    assert announced is not None
    assert (announced.message, announced.at) == ("InitMessage", ("release",))
    assert announced.versions == (("0.3.270", "0.3.270"), ("0.3.330", "2.1.330"))


ERRORS = """\
    polywire: 1
    protocol:
      name: p
      title: P
      framing: ndjson
      peers: [a, b]
      versions: ["1", "2", "3"]
      roots: [Line]
      control:
        request: {envelope: Ask, id: /id, payload: /ask, by: kind}
        response: {envelope: Answer, id: /id, result: /result}
        error:
          {envelope: Failure, id: /id, message: /message, code: /CODE, data: /data, types: {no: Reason},
           codes: {refused: no, unknown: what}}
    messages:
      Ask: {doc: A., from: a, tag: {type: ask}, fields: {id: string, ask: Asked}}
      Answer: {doc: A., from: b, tag: {type: answer}, fields: {id: string, "result?": json}}
      Failure:
        doc: A.
        from: b
        tag: {type: failure}
        fields: {id: string, message: string, code: {type: string, since: "2"}, data?: {type: json, since: "3"}}
    types:
      Reason: {doc: A., fields: {why: string}}
    unions:
      Asked: {doc: A., open: true, by: kind, variants: []}
      Line: {doc: A., open: true, by: type, variants: [Ask, Answer, Failure]}
    controls:
      ping: {doc: A., from: a, request: {}, response: none}
    """


def erring(folder: Path, code: str = "code") -> Builder:
    (folder / "protocol.yaml").write_text(textwrap.dedent(ERRORS).replace("CODE", code))
    return Builder(load(folder))


@pytest.mark.parametrize(
    ("chosen", "code", "data", "types"),
    [
        (Span.at("1"), None, None, 0),
        (Span.at("2"), ("code",), None, 0),
        (Span.at("3"), ("code",), ("data",), 1),
        (Span.read("1..2"), ("code",), None, 0),
        (WHOLE, ("code",), ("data",), 1),
    ],
)
def test_errors_have_the_parts_that_their_releases_have(
    chosen: Span, code: object, data: object, types: int, tmp_path: Path
) -> None:
    model = erring(tmp_path).build(chosen).model
    assert model is not None
    assert model.protocol.control is not None
    error = model.protocol.control.error
    assert error is not None
    assert (error.code, error.data, len(error.types)) == (code, data, types)
    assert (error.refused, error.unknown) == (("no", "what") if code else (None, None))
    controls = controls_plan(model)
    assert controls is not None
    assert controls.error is not None


def test_a_part_of_errors_that_no_release_has_is_a_finding(tmp_path: Path) -> None:
    erring(tmp_path)
    assert [each for each in check_all(tmp_path).findings if each.severity == "error"] == []
    erring(tmp_path, "cod")
    found = [(each.rule, each.message) for each in check_all(tmp_path).findings if each.severity == "error"]
    assert ("bad-pointer", "`/cod` does not exist: `Failure` has no `cod`") in found


# --- spans -----------------------------------------------------------------------------------------------------


def test_a_span_states_its_ends() -> None:
    for chosen, ends in ((WHOLE, (OLDEST, NEWEST)), (Span.read("0.2.45..0.2.90"), ("0.2.45", "0.2.90"))):
        assert (of(chosen).protocol.oldest, of(chosen).protocol.version) == ends
    assert (at("0.2.90").protocol.oldest, at("0.2.90").protocol.version) == (None, "0.2.90")


def test_a_span_of_one_release_is_that_release() -> None:
    assert of(Span.read("0.2.45..0.2.45")) == at("0.2.45")


@pytest.mark.parametrize("asked", [Span.at("0.2.34"), Span.read("0.2.90..0.2.45"), Span.read("..1")])
def test_a_span_that_the_spec_does_not_describe_is_refused(asked: Span) -> None:
    with pytest.raises(UnknownReleaseError, match=r"it describes 0\.2\.33, 0\.2\.37"):
        builder().build(asked)


def test_examples_are_those_of_the_releases() -> None:
    found = {}
    for chosen in (Span.at(OLDEST), Span.at(NEWEST), WHOLE):
        model = check(HISTORY, None, chosen).model
        assert model is not None
        found[chosen] = [example.text for example in model.struct("InitMessage").examples]
    assert [len(texts) for texts in found.values()] == [1, 1, 2]
    assert "delegate" in found[Span.at(OLDEST)][0]
    assert "auto" in found[Span.at(NEWEST)][0]


# --- the join accepts everything that a release accepts --------------------------------------------------------


def releases() -> Iterator[tuple[str, Span]]:
    listed = builder().releases.names
    for release in listed:
        yield release, WHOLE
    yield from ((release, Span.read("0.2.45..0.2.141")) for release in ("0.2.45", "0.2.77", "0.2.90", "0.2.141"))


@pytest.mark.parametrize(("release", "chosen"), [*releases()], ids=str)
def test_what_a_release_takes_strictly_the_join_takes_strictly_and_gives_back(release: str, chosen: Span) -> None:
    then, joined = at(release), of(chosen)
    now = {old: new for new, old in old_names(release).items()}
    tried = 0
    for instance in derive(then, seed=1):
        name = now.get(instance.type, instance.type)
        if instance.strict.ok and name in joined.declarations:
            decoded = reference.decode(joined, name, instance.text, strict=True)
            assert equal(decoded.value, reference.decode(then, instance.type, instance.text, strict=True).value)
            tried += 1
    assert tried > 100


def old_names(release: str) -> dict[str, str]:
    """Return the names of declarations at a release, by their current names."""
    source = load(HISTORY)
    return History(collect(source.parts, Faults()), Releases(builder().releases.names)).names_at(release)


# --- dialects --------------------------------------------------------------------------------------------------


def test_a_dialect_is_laid_over_the_release_that_it_names() -> None:
    model = check(HISTORY, "early", strict=True).model
    assert model is not None
    assert model.protocol.version == OLDEST
    assert [field.name for field in model.struct("MessageParam").fields] == ["content", "note"]
    assert shown(model, "UserMessage", "parent") == "parent: string | null"
    assert shown(model, "UserMessage", "session_id") == "session_id?: string"
    assert shown(model, "ChangeModeRequest", "mode") == "mode: string"
    assert names(model, "PermissionMode") == ["default", "delegate"]


@pytest.mark.parametrize(
    ("head", "rule", "place"),
    [
        ("", "missing-key", "dialects/d.yaml:1:1"),
        ('at: "5"\n', "unlisted-version", "dialects/d.yaml:2:5"),
    ],
)
def test_a_dialect_of_several_releases_names_one(head: str, rule: str, place: str, tmp_path: Path) -> None:
    small(tmp_path, "A", "types: {A: {doc: A., fields: {a: string}}}\n")
    (tmp_path / "dialects").mkdir()
    (tmp_path / "dialects" / "d.yaml").write_text(f"dialect: d\n{head}doc: D.\nchange: {{types: {{A: {{doc: B.}}}}}}\n")
    found = [(finding.rule, str(finding.place)) for finding in check(tmp_path, "d").findings]
    assert (rule, place) in found


# --- examples and the checks of releases -----------------------------------------------------------------------


def wrong(folder: Path, body: str) -> list[str]:
    header = (
        "polywire: 1\nprotocol: {name: p, title: P, framing: ndjson, peers: [a, b],"
        ' versions: ["1", "2", "3"], roots: [A]}\n'
    )
    (folder / "protocol.yaml").write_text(header + textwrap.dedent(body))
    return [f"{finding.place.line - 2}: {finding.rule}: {finding.message}" for finding in check_all(folder).findings]


def test_an_example_that_no_release_has_is_wrong_though_the_join_would_take_it(tmp_path: Path) -> None:
    body = """\
        types:
          A:
            doc: A.
            fields: {"old?": {type: string, until: "1"}, "new?": {type: string, since: "2"}}
            examples: [{old: a}, {new: a}, {old: a, new: a}]
        """
    (told,) = wrong(tmp_path, body)
    assert told.startswith("5: bad-example: this example is invalid in every release: invalid `A`: unknown_field at /")


def test_what_is_wrong_at_some_releases_only_is_told_once_with_these(tmp_path: Path) -> None:
    body = """\
        types:
          A: {doc: A., fields: {"line?": Line, "b?": {type: B, since: "3"}}}
          B: {doc: B., since: "3", tag: {type: b}, fields: {c: string}}
          Old: {doc: O., until: "2", fields: {x: string}}
        unions:
          Line: {doc: L., open: true, by: type, variants: [B]}
        """
    assert wrong(tmp_path, body) == [
        "4: unreachable: `Old` is not reachable from a root, a control or a tool",
        "6: empty-union: union `Line` has no variants (at 1 to 2)",
    ]
