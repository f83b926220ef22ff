"""Following a new release of a fictitious package: a patch for the spec, and a worklist for everything else."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import example, given, seed
from hypothesis import strategies as st

from polywire.checks import check
from polywire.model.build import Builder
from polywire.source import load
from polywire_upstream import config, record, run, worklist
from polywire_upstream.declarations import Declaration
from polywire_upstream.draft import Condition, Keys, Question, told_from
from polywire_upstream.follow import Followed
from polywire_upstream.record import Snapshot
from sampling import SEED, turn
from upstream import packages, projected_spec
from upstream.compact import types

MODULE = "agent.d.ts"


def snapshot(release: str, **types: object) -> Snapshot:
    given = {
        "AcmeLine": {"any of": ["#AcmeBye", "#AcmeHello"]},
        "AcmeHello": hello(),
        "AcmeBye": {"fields": {"type": {"is": "bye"}, "at?": "string"}},
        "Options": {"fields": {"limits?": "#Limits"}},
        "Limits": {"fields": {"most": "number"}},
        "Mode": {"enum": ["fast", "slow"]},
        **types,
    }
    declared = {name: Declaration(name, type_, MODULE) for name, type_ in given.items()}
    return Snapshot(release, {packages.PACKAGE: release, "acme-api": "0.2.0"}, declared)


def hello(**fields: object) -> dict[str, object]:
    plain = {"type": {"is": "hello"}, "mode": "#Mode", "count": "number", "old?": "string", "label": "string"}
    return {"fields": {**plain, **fields}}


def without(type_: dict[str, object], *names: str) -> dict[str, object]:
    fields = type_["fields"]
    assert isinstance(fields, dict)
    return {"fields": {name: each for name, each in fields.items() if name not in names}}


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    folder = packages.spec(tmp_path / "spec")
    (folder / "releases" / "1.0.0.json").write_text(record.dump(snapshot("1.0.0")), encoding="utf-8")
    return folder


def followed(spec: Path, **types: object) -> Followed:
    known = config.load(spec / "releases.toml")
    return run.follow(spec, snapshot("2.0.0", **types), known)[0]


def written(spec: Path) -> dict[str, dict[str, dict[str, object]]]:
    """Return the spec as parsed YAML."""
    said: dict[str, dict[str, dict[str, object]]] = yaml.load(
        (spec / "protocol.yaml").read_text(encoding="utf-8"), yaml.CSafeLoader
    )
    return said


def after(spec: Path, done: Followed) -> dict[str, dict[str, dict[str, object]]]:
    """Apply the patch; return the spec as parsed YAML."""
    packages.patched(spec, done.patch)
    return written(spec)


def asked(done: Followed) -> set[tuple[str, str]]:
    return {(each.kind, each.place) for each in done.questions}


def test_a_release_that_declares_the_same_only_joins_the_list(spec: Path) -> None:
    done = followed(spec)
    assert done.differences == []
    assert done.questions == []
    rows = [row for row in done.patch.splitlines() if re.match(r"[+-](?![+-])", row)]
    assert rows == [
        "-  version: 1.0.0",
        "+  versions: [1.0.0, 2.0.0]",
        '+"2.0.0" = {acme-api = "0.2.0"}',
    ]


def test_the_spec_agrees_with_the_release_once_the_patch_is_applied(spec: Path) -> None:
    new = snapshot(
        "2.0.0",
        AcmeLine={"any of": ["#AcmeBye", "#AcmeHello", "#AcmeNews"]},
        AcmeNews={"fields": {"type": {"is": "news"}, "topics": [{"fields": {"name": "string", "rank?": "number"}}]}},
        AcmeHello=hello(size="number"),
        Options={"fields": {"limits?": "#Limits", "theme?": {"enum": ["dark", "light"]}}},
        Mode={"enum": ["fast", "idle", "slow"]},
    )
    known = config.load(spec / "releases.toml")
    done, _ = run.follow(spec, new, known)
    assert done.undone == []
    packages.patched(spec, done.patch)
    path = spec / "protocol.yaml"
    alone = re.sub(r"versions: \[.*\]", "version: 2.0.0", path.read_text(encoding="utf-8"))
    path.write_text(alone, encoding="utf-8")
    left = [each for each in run.differences(run.model_at(spec, "2.0.0"), new, known)[0] if each.rule != "open"]
    assert [(each.rule, each.place) for each in left] == [("integer", "AcmeHello/count")]


def test_a_new_member_has_its_first_release_and_is_asked_about(spec: Path) -> None:
    done = followed(spec, AcmeHello=hello(**{"size": "number", "note?": {"any of": ["string", "null"]}}))
    fields = after(spec, done)["messages"]["Hello"]["fields"]
    assert isinstance(fields, dict)
    assert fields["size"] == {"type": "number", "since": "2.0.0"}
    assert fields["note?"] == {"type": "string | null", "since": "2.0.0"}
    assert asked(done) == {
        ("number", "AcmeHello/size"),
        ("presence", "AcmeHello/size"),
        ("doc", "AcmeHello/size"),
        ("doc", "AcmeHello/note"),
    }


def test_a_member_that_is_gone_has_its_last_release(spec: Path) -> None:
    done = followed(spec, AcmeHello=without(hello(), "old?"))
    fields = after(spec, done)["messages"]["Hello"]["fields"]
    assert isinstance(fields, dict)
    assert fields["old?"] == {"type": "string", "doc": "Of no use any more.", "until": "1.0.0"}


def test_a_member_that_became_required_has_what_it_was(spec: Path) -> None:
    done = followed(spec, AcmeBye={"fields": {"type": {"is": "bye"}, "at": "string"}})
    fields = after(spec, done)["messages"]["Bye"]["fields"]
    assert fields == {"at": {"type": "string", "doc": "When.", "was": [{"until": "1.0.0", "presence": "optional"}]}}
    assert asked(done) == {("presence", "AcmeBye/at")}


def test_a_member_that_may_be_null_now_has_what_it_was(spec: Path) -> None:
    done = followed(spec, AcmeHello=hello(label={"any of": ["string", "null"]}))
    fields = after(spec, done)["messages"]["Hello"]["fields"]
    assert isinstance(fields, dict)
    was = [{"until": "1.0.0", "type": "string"}]
    assert fields["label"] == {"type": "string | null", "doc": "For people.", "was": was}


def test_a_member_of_another_type_has_what_it_was(spec: Path) -> None:
    done = followed(spec, AcmeHello=hello(label=["string"]))
    fields = after(spec, done)["messages"]["Hello"]["fields"]
    assert isinstance(fields, dict)
    assert fields["label"]["type"] == "string[]"
    assert fields["label"]["was"] == [{"until": "1.0.0", "type": "string"}]
    assert ("type", "AcmeHello/label") in asked(done)


def test_new_values_and_values_that_are_gone(spec: Path) -> None:
    done = followed(spec, Mode={"enum": ["fast", "idle"]})
    values = after(spec, done)["enums"]["Mode"]["values"]
    assert values == {
        "fast": "With little care, and quickly.",
        "slow": {"doc": "With care.", "until": "1.0.0"},
        "idle": {"since": "2.0.0"},
    }


@pytest.mark.parametrize(
    ("written", "of"), [("Mode[]", ["#Mode"]), ("map<Mode[]>", {"map": ["#Mode"]}), ("Mode[][]", [["#Mode"]])]
)
def test_values_of_lists_and_maps_are_those_of_their_enum(spec: Path, written: str, of: object) -> None:
    path = spec / "protocol.yaml"
    text = path.read_text(encoding="utf-8").replace("mode: {type: Mode,", f'modes: {{type: "{written}",')
    path.write_text(text, encoding="utf-8")
    inlined = json.loads(json.dumps(of).replace('"#Mode"', '{"enum": ["fast", "idle"]}'))
    plain = without(hello(modes=inlined), "mode")
    done = followed(spec, AcmeHello=plain)
    assert not [each for each in done.questions if each.kind == "by hand"]
    assert after(spec, done)["enums"]["Mode"]["values"]["idle"] == {"since": "2.0.0"}


def test_types_in_braces_are_quoted_where_they_have_to_be(spec: Path) -> None:
    path = spec / "protocol.yaml"
    text = path.read_text(encoding="utf-8").replace(
        "    fields:\n      at?:\n        type: string\n        doc: When.\n",
        "    fields: {at?: string, tags: string}\n".replace("at?:", '"at?":'),
    )
    path.write_text(text, encoding="utf-8")
    bye = {"type": {"is": "bye"}, "at?": ["string"], "tags": {"any of": [["string"], "null"]}, "all": [["number"]]}
    fields = after(spec, followed(spec, AcmeBye={"fields": bye}))["messages"]["Bye"]["fields"]
    assert fields["at?"] == {"type": "string[]", "was": [{"until": "1.0.0", "type": "string"}]}
    assert fields["tags"] == {"type": "string[] | null", "was": [{"until": "1.0.0", "type": "string"}]}
    assert fields["all"] == {"type": "number[][]", "since": "2.0.0"}


def test_values_that_languages_cannot_tell_apart_have_names(spec: Path) -> None:
    news = {"fields": {"type": {"is": "news"}, "of": {"enum": ["-Infinity", "Infinity", "in-memory", "in_memory"]}}}
    line = {"any of": ["#AcmeBye", "#AcmeHello", "#AcmeNews"]}
    done = after(spec, followed(spec, AcmeLine=line, AcmeNews=news, Mode={"enum": ["Fast", "fast", "slow"]}))
    assert done["enums"]["NewsOf"]["values"] == {
        "-Infinity": {},
        "Infinity": {"name": "Infinity2"},
        "in-memory": {},
        "in_memory": {"name": "in_memory2"},
    }
    assert done["enums"]["Mode"]["values"]["Fast"] == {"name": "Fast2", "since": "2.0.0"}
    assert not found(spec)


def test_constants_may_be_numbers_and_stand_for_names(spec: Path) -> None:
    one = {"fields": {"kind": {"is": 1}, "type": "#Kind"}}
    two = {"fields": {"kind": {"is": 2}, "type": "#Kind"}}
    both: dict[str, object] = {"Both": {"any of": ["#One", "#Two"]}, "One": one, "Two": two, "Kind": {"is": "x"}}
    done = after(spec, followed(spec, AcmeHello=hello(of="#Both"), **both))
    assert done["types"]["One"]["tag"] == {"type": "x", "kind": 1}
    assert done["unions"]["Both"]["by"] == "kind"
    assert not found(spec)


def test_a_member_that_changes_in_two_ways_has_one_entry(spec: Path) -> None:
    bye = {"fields": {"type": {"is": "bye"}, "at": "number"}}
    assert after(spec, followed(spec, AcmeBye=bye))["messages"]["Bye"]["fields"]["at"] == {
        "type": "number",
        "doc": "When.",
        "was": [{"until": "1.0.0", "type": "string", "presence": "optional"}],
    }
    assert not found(spec)


def test_a_member_that_two_objects_of_upstream_have_is_added_once(spec: Path) -> None:
    path = spec / "protocol.yaml"
    text = path.read_text(encoding="utf-8").replace("type: integer, doc: How many", "type: Limits, doc: How many")
    text = text.replace(
        "        type: string\n        doc: For people", "        type: Limits\n        doc: For people"
    )
    path.write_text(text, encoding="utf-8")
    one, other = ({"fields": {"most": "number", "least": least}} for least in ("number", "string"))
    done = followed(spec, AcmeHello=hello(count=one, label=other))
    assert after(spec, done)["types"]["Limits"]["fields"]["least"] == {"type": "number", "since": "2.0.0"}
    assert [each.place for each in done.questions if each.kind == "by hand"] == ["AcmeHello/label/least"]
    assert not found(spec)


@pytest.mark.parametrize(
    ("beside", "expected"),
    [
        (["#Pair", ["boolean"]], "(number | boolean | string)[]"),
        (["#Pair", "string"], "Pair | string"),
        ([{"map": "string"}, "#Limits"], "object"),
        ([{"is": 1}, "number"], "number"),
    ],
)
def test_alternatives_of_one_kind_are_one_type(spec: Path, beside: list[object], expected: str) -> None:
    done = followed(spec, AcmeHello=hello(of={"any of": beside}), Pair={"tuple": ["number", "string"]})
    written = after(spec, done)["messages"]["Hello"]["fields"]["of"]["type"]
    assert sorted(re.findall(r"\w+|\[\]", written)) == sorted(re.findall(r"\w+|\[\]", expected))
    assert not found(spec)


def found(spec: Path) -> list[str]:
    """Return the errors of the spec."""
    return [str(each) for each in check(spec).findings if each.severity == "error"]


NAMES = ("One", "Two")
WRAPPED = {"label": {"any of": ["#Two", {"all of": ["string", "string"]}]}, "Two": {"any of": [{"all of": ["string"]}]}}
"""A union of one object, which is a variant of another one."""


@given(st.fixed_dictionaries({name: types((*NAMES, "Mode")) for name in ("field", "at", "label", *NAMES)}))
@example({"field": "string", "at": "string", "One": "string", **WRAPPED})
@seed(SEED)
def test_any_types_are_followed(tmp_path_factory: pytest.TempPathFactory, drawn: dict[str, Any]) -> None:
    spec = packages.spec(tmp_path_factory.mktemp("drawn") / "spec")
    (spec / "releases" / "1.0.0.json").write_text(record.dump(snapshot("1.0.0")), encoding="utf-8")
    inline = {"fields": {"type": {"is": "bye"}, "at?": drawn["at"]}}
    own = {name: drawn[name] for name in NAMES}
    done = followed(spec, AcmeHello=hello(field=drawn["field"], label=drawn["label"]), AcmeBye=inline, **own)
    assert after(spec, done)["messages"]
    # A question of the worklist; a fault of upstream; a name that one language cannot have.
    expected = {"ambiguous-union", "infinite-type", "name-collision"}
    assert [each for each in check(spec).findings if each.severity == "error" and each.rule not in expected] == []


def test_a_new_variant_is_declared_where_its_siblings_are(spec: Path) -> None:
    news = {"fields": {"type": {"is": "news"}, "kind": {"enum": ["a", "b"]}, "of": {"fields": {"x?": "boolean"}}}}
    done = followed(spec, AcmeLine={"any of": ["#AcmeBye", "#AcmeHello", "#AcmeNews"]}, AcmeNews=news)
    said = after(spec, done)
    assert said["unions"]["Line"]["variants"] == ["Hello", "Bye", "News"]
    assert said["messages"]["News"] == {
        "from": "agent",
        "source": "agent.d.ts 2.0.0, AcmeNews",
        "since": "2.0.0",
        "targets": {"typescript": {"name": "AcmeNews"}},
        "tag": {"type": "news"},
        "fields": {"kind": {"type": "NewsKind"}, "of": {"type": "NewsOf"}},
    }
    assert list(said["enums"]["NewsKind"]["values"]) == ["a", "b"]  # type: ignore[call-overload]
    assert said["types"]["NewsOf"]["fields"] == {"x?": {"type": "boolean"}}
    assert ("name", "AcmeNews") in asked(done)


def test_what_does_not_travel_or_is_not_declared_is_asked_about(spec: Path) -> None:
    options = {"fields": {"limits?": "#Limits", "onDone?": "function"}}
    lines = {"any of": ["#AcmeBye", "#AcmeHello", "missing:AcmeSecret"]}
    done = followed(spec, Options=options, AcmeLine=lines)
    assert asked(done) == {("left out", "Options/onDone"), ("undeclared", "AcmeLine")}


def test_a_type_that_the_spec_says_less_about_stays(spec: Path) -> None:
    done = followed(spec, AcmeHello=hello(label={"enum": ["x"]}))
    fields = after(spec, done)["messages"]["Hello"]["fields"]
    assert isinstance(fields, dict)
    assert fields["label"] == {"type": "string", "doc": "For people."}
    assert Question("type", "AcmeHello/label", "string", ('"x"',)) in done.questions


def test_what_the_patch_cannot_have_is_to_be_made_by_hand(spec: Path) -> None:
    done = followed(spec, Limits="string")
    assert [(each.rule, each.place) for each in done.undone] == [("extra-type", "Limits"), ("missing-type", "Limits")]
    assert asked(done) == {("by hand", "Limits")}


def test_what_the_spec_has_from_traffic_is_left_and_asked_about(spec: Path) -> None:
    path = spec / "protocol.yaml"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("doc: Of no use any more.}", "doc: Unused., observed: true}"), encoding="utf-8")
    (spec / "releases" / "1.0.0.json").write_text(
        record.dump(snapshot("1.0.0", AcmeHello=without(hello(), "old?"))), encoding="utf-8"
    )
    assert asked(followed(spec)) == {("observed", "AcmeHello/old")}


def test_a_value_that_the_spec_has_from_traffic_is_left_and_asked_about(spec: Path) -> None:
    path = spec / "protocol.yaml"
    text = path.read_text(encoding="utf-8")
    idle = "      idle: {doc: Seen in traffic., observed: true}\n"
    path.write_text(text.replace("      slow: With care.\n", f"      slow: With care.\n{idle}"), encoding="utf-8")
    done = followed(spec, Mode={"enum": ["fast", "idle", "slow"]})
    assert after(spec, done)["enums"]["Mode"]["values"]["idle"] == {"doc": "Seen in traffic.", "observed": True}  # type: ignore[index,call-overload]
    assert asked(done) == {("observed", "Mode/=idle")}


def test_a_message_that_the_spec_has_from_traffic_is_not_drafted_again(spec: Path) -> None:
    path = spec / "protocol.yaml"
    seen = "  Gossip: {doc: News., observed: true, source: wire 1.0.0, from: agent, tag: {type: news}}\nenums:"
    text = path.read_text(encoding="utf-8").replace("enums:", seen, 1)
    path.write_text(text.replace("variants: [Hello, Bye]", "variants: [Hello, Bye, Gossip]"), encoding="utf-8")
    lines = {"any of": ["#AcmeBye", "#AcmeHello", "#AcmeNews"]}
    done = followed(spec, AcmeLine=lines, AcmeNews={"fields": {"type": {"is": "news"}}})
    assert [(each.kind, each.place, each.written) for each in done.questions] == [
        ("observed", "AcmeNews", "Gossip, left as observed")
    ]
    assert after(spec, done)["unions"]["Line"]["variants"] == ["Hello", "Bye", "Gossip"]


@pytest.mark.parametrize("referred", [True, False])
def test_a_declaration_that_the_spec_has_from_traffic_is_not_drafted_again(spec: Path, referred: bool) -> None:
    releases = spec / "releases.toml"
    also = releases.read_text(encoding="utf-8").replace("[roots]", 'also = ["*Answer"]\n\n[roots]')
    releases.write_text(also, encoding="utf-8")
    path = spec / "protocol.yaml"
    seen = "types:\n  Answer: {doc: Seen., observed: true, source: wire 1.0.0, fields: {x: {type: string, doc: X.}}}"
    path.write_text(path.read_text(encoding="utf-8").replace("types:", seen), encoding="utf-8")
    refer = {"AcmeHello": hello(**{"answer?": "#AcmeAnswer"})} if referred else {}
    done = followed(spec, AcmeAnswer={"fields": {"x?": "string"}}, **refer)
    asked_of = [each for each in done.questions if each.place == "AcmeAnswer"]
    choice = "upstream declares it now: {x?: string}"
    assert asked_of == [Question("observed", "AcmeAnswer", "Answer, left as observed", (choice,))]
    said = after(spec, done)
    assert list(said["types"]) == ["Answer", "Limits"]
    fields = said["messages"]["Hello"]["fields"]
    assert isinstance(fields, dict)
    assert fields.get("answer?") == ({"type": "Answer", "since": "2.0.0"} if referred else None)


def test_the_report_tells_what_is_new_and_what_is_gone(spec: Path) -> None:
    news = {"fields": {"type": {"is": "news"}}}
    lines = {"any of": ["#AcmeBye", "#AcmeHello", "#AcmeNews"]}
    done = followed(spec, AcmeLine=lines, AcmeNews=news, AcmeHello=without(hello(size="number"), "old?"))
    assert worklist.report(done) == (
        "# What 2.0.0 declares that 1.0.0 did not, and the reverse\n\n"
        "## New in a union (1)\n\n- `AcmeLine/AcmeNews`\n\n"
        "## New members (1)\n\n- `AcmeHello/size`: required number\n\n"
        "## Removed members (1)\n\n- `AcmeHello/old`, which was optional string\n"
    )


def test_the_report_has_sent_declarations_that_nothing_refers_to(spec: Path) -> None:
    path = spec / "releases.toml"
    path.write_text(
        path.read_text(encoding="utf-8").replace("[roots]", 'also = ["*Answer"]\n\n[roots]'), encoding="utf-8"
    )
    old = snapshot("1.0.0", OldAnswer={"fields": {"x": "string"}})
    (spec / "releases" / "1.0.0.json").write_text(record.dump(old), encoding="utf-8")
    assert worklist.report(followed(spec, NewAnswer={"fields": {"y?": "string"}})) == (
        "# What 2.0.0 declares that 1.0.0 did not, and the reverse\n\n"
        "## New (1)\n\n- `NewAnswer`: {y?: string}\n\n"
        "## Removed (1)\n\n- `OldAnswer`\n"
    )


def test_the_report_shortens_long_types(spec: Path) -> None:
    values = {"enum": [f"value_{number}" for number in range(100)]}
    (row,) = [each for each in worklist.report(followed(spec, Limits=values)).splitlines() if each.startswith("-")]
    assert len(row) < 250


def test_every_kind_of_question_has_a_section_in_the_worklist() -> None:
    source = "".join(path.read_text(encoding="utf-8") for path in Path(worklist.__file__).parent.glob("*.py"))
    kinds = set(re.findall(r'(?:\.ask|_ask|_unstated|Question)\(\s*"([a-z ]+)"', source))
    assert kinds == set(worklist.KINDS)


WIDE = {"fields": {"kind": {"enum": ["late", "never"]}, "at": "number"}}


def drafted(spec: Path, type_: object) -> tuple[dict[str, dict[str, object]], Followed, list[str]]:
    """Follow a release that adds a member of a type; return the unions, the result, and the rules of lint's errors."""
    done = followed(spec, AcmeHello=hello(**{"extra?": type_}))
    said = after(spec, done)
    errors = [each.rule for each in check(spec).findings if each.severity == "error"]
    return said["unions"], done, errors


@pytest.mark.parametrize(
    ("types", "by", "tags"),
    [
        (
            [
                {"fields": {"kind": {"is": "a"}}},
                {"fields": {"kind?": {"any of": ["null", {"is": "b"}]}, "n": "number"}},
            ],
            "kind",
            [{"kind": "a"}, {"kind?": "b"}],
        ),
        ([{"fields": {"kind": {"is": "a"}}}, WIDE], "kind", [{"kind": "a"}, {"kind": ["late", "never"]}]),
        (
            [{"fields": {"kind": {"is": "a"}}}, {"fields": {"kind": {"is": "b"}}}, {"fields": {"n": "number"}}],
            "kind",
            [{"kind": "a"}, {"kind": "b"}, {"kind": None}],
        ),
    ],
)
def test_a_discriminator_may_be_absent_in_one_variant_and_have_several_values(
    types: list[object], by: str, tags: list[object], spec: Path
) -> None:
    unions, done, errors = drafted(spec, {"any of": types})
    assert errors == []
    (union,) = (each for name, each in unions.items() if name.startswith("Hello"))
    assert union["by"] == by
    declared = written(spec)["types"]
    assert [declared[name].get("tag") for name in union["variants"]] == tags
    assert not [each for each in done.questions if each.kind == "discriminator"]


def test_variants_without_a_discriminator_are_told_apart_by_keys_of_their_own(spec: Path) -> None:
    types = [
        {"fields": {"read": "string", "owned?": "boolean"}},
        {"fields": {"list": "string", "more?": "string"}},
        {"fields": {"owned?": "boolean"}},
    ]
    unions, done, errors = drafted(spec, {"any of": types})
    assert errors == []
    (union,) = (each for name, each in unions.items() if name.startswith("Hello"))
    variants = union["variants"]
    assert isinstance(variants, list)
    assert [each["when"] for each in variants] == [
        {"has": ["read"]},
        {"has": ["list"], "lacks": ["read"]},
        {"lacks": ["read", "list"]},
    ]
    assert [each.kind for each in done.questions if each.kind == "discriminator"] == ["discriminator"]


def test_new_variants_with_one_value_of_the_discriminator_are_a_union_of_their_own(spec: Path) -> None:
    path = spec / "protocol.yaml"
    shapes = "  Dot: {doc: A dot., tag: {kind: dot}}\n  Box: {doc: A box., tag: {kind: box}}\n"
    text = path.read_text(encoding="utf-8").replace("types:\n", f"types:\n{shapes}")
    text = text.replace("unions:\n", "unions:\n  Shape: {doc: A shape., open: true, by: kind, variants: [Dot, Box]}\n")
    path.write_text(
        text.replace("      limits?:\n", "      shape?: {type: Shape, doc: Its shape.}\n      limits?:\n"), "utf-8"
    )
    plain = {name.capitalize(): {"fields": {"kind": {"is": name}}} for name in ("dot", "box")}
    news = {name: {"fields": {"kind": {"is": "noise"}, "of": {"is": name}}} for name in ("Grey", "Colour")}
    unions: dict[str, object] = {
        "Shape": {"any of": ["#Box", "#Dot", "#Noise"]},
        "Noise": {"any of": ["#Colour", "#Grey"]},
        "Options": {"fields": {"shape?": "#Shape", "limits?": "#Limits"}},
    }
    done = after(spec, followed(spec, **plain, **news, **unions))
    assert done["unions"]["Shape"]["variants"] == ["Dot", "Box", "Noise"]
    assert (done["unions"]["Noise"]["by"], done["unions"]["Noise"]["variants"]) == ("of", ["Colour", "Grey"])
    assert done["types"]["Grey"]["tag"] == {"kind": "noise", "of": "Grey"}
    assert not found(spec)


def test_what_no_key_tells_apart_is_asked(spec: Path) -> None:
    types = [{"fields": {"a?": "string"}}, {"fields": {"a?": "number"}}]
    _, done, errors = drafted(spec, {"any of": types})
    assert set(errors) == {"ambiguous-union"}
    assert [each.kind for each in done.questions if each.kind == "discriminator"] == ["discriminator"]


def test_a_variant_of_another_variant_is_no_variant_of_its_own(spec: Path) -> None:
    type_ = {"any of": [["#AcmeLine"], ["#AcmeBye"]]}
    done = followed(spec, AcmeHello=hello(**{"extra?": type_}))
    fields = after(spec, done)["messages"]["Hello"]["fields"]
    assert isinstance(fields, dict)
    assert fields["extra?"]["type"] == "Line[]"


MIXED = {"any of": ["number", ["number"]]}


@pytest.mark.parametrize(
    ("beside", "expected"),
    [
        ([["string"]], "number | (number | string)[]"),
        (["number", ["string"]], "number | (number | string)[]"),
        (["string"], "Mixed | string"),
        (["string", ["number"]], "number | string | number[]"),
        (["null", "boolean"], "Mixed | boolean | null"),
    ],
)
def test_a_union_beside_what_it_is_of_too_is_written_out(spec: Path, beside: list[object], expected: str) -> None:
    type_ = {"any of": ["#AcmeMixed", *beside]}
    done = followed(spec, AcmeMixed=MIXED, tring=MIXED, AcmeHello=hello(**{"extra?": type_}))
    fields = after(spec, done)["messages"]["Hello"]["fields"]
    assert isinstance(fields, dict)
    assert fields["extra?"]["type"] == expected
    assert [each.message for each in check(spec).findings if each.severity == "error"] == []


@pytest.mark.parametrize(
    ("required", "others", "expected"),
    [
        ("pin url", [Condition(("path",), ()), Condition(("list",), ("path",))], Condition(("pin",), ("path", "list"))),
        ("path note", [Condition((), ("note",))], Condition(("note",), ())),
        ("path", [Condition(("path",), ())], None),
    ],
)
def test_a_new_variant_is_told_from_those_that_have_conditions(
    required: str, others: list[Condition], expected: Condition | None
) -> None:
    keys = frozenset(required.split())
    assert told_from(Keys(keys, keys), others) == expected


def replayed(folder: Path, release: str) -> tuple[Path, Followed]:
    """Follow a release again, from the spec as it was before it; return the patched spec and the result."""
    root = Path(__file__).resolve().parents[2] / "spec"
    names = Builder(load(root)).releases.names
    spec = root
    for before, later in zip(names[-2::-1], names[:0:-1], strict=True):
        spec = projected_spec.write(spec, folder / later, before, later)
        if later == release:
            break
    assert [each for each in check(spec).findings if each.severity == "error"] == []
    done, _ = run.follow(spec, record.load(root / "releases" / f"{release}.json"), config.load(spec / "releases.toml"))
    packages.patched(spec, done.patch)
    return spec, done


def errors_in(spec: Path) -> set[tuple[str, str]]:
    return {(each.rule, str(each.place.file)) for each in check(spec).findings if each.severity == "error"}


@turn("a large release followed")
def test_a_large_release_followed_once_more_leaves_only_what_needs_judgement(tmp_path: Path) -> None:
    spec, done = replayed(tmp_path, "0.3.330")
    assert errors_in(spec) == {
        ("no-join", "settings.yaml"),  # the type of a declaration changed
        ("uncarried-option", "options.yaml"),  # declarations do not specify how options are sent
    }
    kinds = Counter(each.kind for each in done.questions)
    assert kinds["carry"] == 3
    assert kinds["discriminator"] == 2
    assert [each.rule for each in done.undone] == ["extra-variant"]


@pytest.mark.parametrize(
    ("release", "questions"),
    [("0.3.332", {"doc": 29, "presence": 11, "name": 2, "open": 1}), ("0.3.333", {"doc": 2})],
)
def test_the_newest_releases_followed_once_more_leave_no_errors_and_nothing_undone(
    tmp_path: Path, release: str, questions: dict[str, int]
) -> None:
    spec, done = replayed(tmp_path, release)
    assert errors_in(spec) == set()
    assert done.undone == []
    assert Counter(each.kind for each in done.questions) == questions
