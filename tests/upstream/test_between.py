"""Following a release between two described ones: changes are assigned to the release that introduced them."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from polywire.checks import check
from polywire.ground.errors import WrongUseError
from polywire_upstream import config, record, run
from polywire_upstream.follow import Followed
from polywire_upstream.record import Snapshot
from polywire_upstream.run import differences, model_at
from upstream import packages
from upstream.test_follow import hello, snapshot, without

LINES = {"any of": ["#AcmeBye", "#AcmeHello", "#AcmeNews"]}
NEWS = {"fields": {"type": {"is": "news"}, "kind": {"enum": ["a", "b"]}, "of": "#Topic"}}
NEWEST: dict[str, object] = {
    "AcmeLine": LINES,
    "AcmeNews": NEWS,
    "Topic": {"fields": {"name": "string", "rank?": "string"}},
    "AcmeHello": without(hello(size="string", label={"any of": ["string", "null"]}), "old?"),
    "AcmeBye": {"fields": {"type": {"is": "bye"}, "at": "string"}},
    "Mode": {"enum": ["fast", "idle", "slow"]},
}


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    """A spec of 1.0.0 and 2.0.0, the result of following 2.0.0."""
    folder = packages.spec(tmp_path / "spec")
    (folder / "releases" / "1.0.0.json").write_text(record.dump(snapshot("1.0.0")), encoding="utf-8")
    newest = snapshot("2.0.0", **NEWEST)
    done, _ = run.follow(folder, newest, config.load(folder / "releases.toml"))
    assert done.undone == []
    packages.patched(folder, done.patch)
    (folder / "releases" / "2.0.0.json").write_text(record.dump(newest), encoding="utf-8")
    return folder


def followed(spec: Path, release: str = "1.5.0", **types: object) -> Followed:
    """Follow a release and apply the patch; return the result."""
    known = config.load(spec / "releases.toml")
    new = snapshot(release, **types)
    done, _ = run.follow(spec, new, known)
    packages.patched(spec, done.patch)
    assert [each for each in check(spec, targets=("jsonschema",)).findings if each.severity == "error"] == []
    if not done.undone:
        known = config.load(spec / "releases.toml")
        left = {each.rule for each in differences(model_at(spec, release), new, known)[0]}
        assert left <= {"integer", "open"}
    return done


def said(spec: Path) -> dict[str, dict[str, dict[str, object]]]:
    told: dict[str, dict[str, dict[str, object]]] = yaml.safe_load((spec / "protocol.yaml").read_text(encoding="utf-8"))
    return told


def test_it_is_listed_between_its_neighbours(spec: Path) -> None:
    done = followed(spec)
    assert (done.step.before, done.step.after) == ("1.0.0", "1.5.0")
    assert said(spec)["protocol"]["versions"] == ["1.0.0", "1.5.0", "2.0.0"]
    assert list(config.load(spec / "releases.toml").releases) == ["1.0.0", "1.5.0", "2.0.0"]


def test_one_that_is_like_the_earlier_keeps_what_ended_and_has_nothing_new(spec: Path) -> None:
    assert followed(spec).undone == []
    told = said(spec)
    assert told["messages"]["Hello"]["fields"]["old?"]["until"] == "1.5.0"  # type: ignore[index]
    assert told["messages"]["Bye"]["fields"]["at"]["was"] == [{"until": "1.5.0", "presence": "optional"}]  # type: ignore[index]
    assert told["messages"]["News"]["since"] == "2.0.0"


def test_one_that_is_like_the_later_has_all_that_is_new_and_nothing_that_ended(spec: Path) -> None:
    assert followed(spec, **NEWEST).undone == []
    told = said(spec)
    assert told["messages"]["Hello"]["fields"]["old?"]["until"] == "1.0.0"  # type: ignore[index]
    assert told["messages"]["Bye"]["fields"]["at"]["was"] == [{"until": "1.0.0", "presence": "optional"}]  # type: ignore[index]
    assert told["messages"]["News"]["since"] == "1.5.0"
    assert told["enums"]["Mode"]["values"]["idle"] == {"since": "1.5.0"}  # type: ignore[index]
    assert "2.0.0" not in str({key: each for key, each in told.items() if key != "protocol"}).replace(
        "agent.d.ts 2.0.0", ""
    )


def test_what_is_inside_of_something_new_may_be_newer_still(spec: Path) -> None:
    done = followed(
        spec,
        AcmeLine=LINES,
        AcmeNews=without(NEWS, "kind"),
        Topic={"fields": {"name": "string"}},
    )
    assert done.undone == []
    told = said(spec)
    assert told["messages"]["News"]["since"] == "1.5.0"
    assert told["types"]["Topic"]["since"] == "1.5.0"
    assert told["types"]["Topic"]["fields"]["rank?"] == {"type": "string", "since": "2.0.0"}  # type: ignore[index]
    assert told["messages"]["News"]["fields"]["kind"] == {"type": "NewsKind", "since": "2.0.0"}  # type: ignore[index]
    assert told["messages"]["Hello"]["fields"]["size"]["since"] == "2.0.0"  # type: ignore[index]


def test_a_member_that_was_required_at_first_is_said_to_have_been(spec: Path) -> None:
    topic = {"fields": {"name": "string", "rank": "string"}}
    assert followed(spec, AcmeLine=LINES, AcmeNews=NEWS, Topic=topic).undone == []
    rank = said(spec)["types"]["Topic"]["fields"]["rank?"]  # type: ignore[index]
    assert rank == {"type": "string", "was": [{"until": "1.5.0", "presence": "required"}]}


def test_what_it_alone_has_or_lacks_is_to_be_made_by_hand(spec: Path) -> None:
    done = followed(spec, AcmeHello=without(hello(strange="string"), "label"))
    assert [(each.rule, each.place) for each in done.undone] == [
        ("extra-field", "AcmeHello/label"),
        ("missing-field", "AcmeHello/strange"),
    ]


def test_what_traffic_alone_has_shown_is_asked_about(spec: Path) -> None:
    path = spec / "protocol.yaml"
    text = path.read_text(encoding="utf-8")
    seen = "      seen?: {type: string, doc: Seen., since: 2.0.0, observed: true}\n      label:"
    path.write_text(text.replace("      label:", seen), encoding="utf-8")
    done = followed(spec)
    assert [(each.kind, each.place) for each in done.questions] == [("bound", "Hello/fields/seen?")]


def changed(spec: Path, *changes: tuple[str, str]) -> None:
    """Replace texts in the spec; each has to be there."""
    path = spec / "protocol.yaml"
    text = path.read_text(encoding="utf-8")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    path.write_text(text, encoding="utf-8")


def test_a_value_that_only_some_of_the_places_have_is_to_be_made_by_hand(spec: Path) -> None:
    changed(spec, ("      at:\n", "      mode?: {type: Mode, doc: How it ran.}\n      at:\n"))
    bye = {"type": {"is": "bye"}, "at?": "string", "mode?": {"enum": ["fast", "slow"]}}
    for release in ("1.0.0", "2.0.0"):
        path = spec / "releases" / f"{release}.json"
        kept = record.load(path)
        declared = {name: each.type for name, each in kept.declarations.items()}
        at = {"at": "string"} if release == "2.0.0" else {"at?": "string"}
        mode = {**declared, "AcmeBye": {"fields": {"type": {"is": "bye"}, **at, "mode?": "#Mode"}}}
        path.write_text(record.dump(snapshot(release, **mode)), encoding="utf-8")
    wide = {"enum": ["fast", "idle", "slow"]}
    done = followed(spec, AcmeHello=hello(mode=wide), AcmeBye={"fields": bye})
    reason = "only some of the places that use enums/Mode/values/idle have it"
    assert [(each.kind, each.place, *each.choices) for each in done.questions] == [
        ("by hand", "AcmeHello/mode/=idle", f'missing-value: upstream "idle", spec nothing; {reason}')
    ]
    assert said(spec)["enums"]["Mode"]["values"]["idle"] == {"since": "2.0.0"}  # type: ignore[index]


def test_an_earlier_form_that_is_not_the_last_one_ends_with_the_release_as_well(spec: Path) -> None:
    path = spec / "protocol.yaml"
    text = path.read_text(encoding="utf-8").replace("versions: [1.0.0, 2.0.0]", "versions: [1.0.0, 2.0.0, 3.0.0]")
    was = "was: [{until: 1.0.0, type: string}, {until: 2.0.0, type: string | null}]"
    text = text.replace("was: [{until: 1.0.0, type: string}]", was)
    path.write_text(text.replace("type: string | null\n", "type: string | number | null\n"), encoding="utf-8")
    releases = spec / "releases.toml"
    releases.write_text(releases.read_text(encoding="utf-8") + '"3.0.0" = {}\n', encoding="utf-8")
    assert followed(spec).undone == []
    label = said(spec)["messages"]["Hello"]["fields"]["label"]  # type: ignore[index]
    assert [each["until"] for each in label["was"]] == ["1.5.0", "2.0.0"]


def test_what_no_declaration_shows_is_asked_about(spec: Path) -> None:
    carry = "carry: [{flag: --a, until: 1.0.0}, {flag: --b, since: 2.0.0}]"
    changed(
        spec,
        (
            "    doc: How it starts.\n    fields:\n",
            f"    doc: How it starts.\n    fields:\n      x?: {{type: string, doc: X., {carry}}}\n",
        ),
        ("      old?: {", "      seen?: {type: string, doc: Seen., until: 1.0.0, observed: true}\n      old?: {"),
    )
    for release in ("1.0.0", "2.0.0"):
        path = spec / "releases" / f"{release}.json"
        declared = {name: each.type for name, each in record.load(path).declarations.items()}
        declared["Options"] = {"fields": {"limits?": "#Limits", "x?": "string"}}
        path.write_text(record.dump(snapshot(release, **declared)), encoding="utf-8")
    done = followed(spec, Options={"fields": {"limits?": "#Limits", "x?": "string"}})
    assert {(each.kind, each.place, each.written, *each.choices) for each in done.questions} == {
        ("carry", "Options/fields/x?/carry/1", "until 1.5.0, if it is sent so", "until 1.0.0"),
        ("carry", "Options/fields/x?/carry/2", "since 2.0.0", "since 1.5.0, if it is sent so"),
        ("bound", "Hello/fields/seen?", "until 1.5.0, if its traffic has it", "until 1.0.0"),
    }


def test_entries_of_the_allowlist_that_have_to_change_are_listed(spec: Path) -> None:
    path = spec / "releases" / "differences.toml"
    entries = [
        ("missing-type", "Limits/most", 'until = "1.0.0"'),
        ("integer", "AcmeHello/count", 'since = "2.0.0"'),
        ("format", "AcmeBye/at", ""),
        ("open", "*", ""),
    ]
    tables = [
        f'[[difference]]\nrule = "{rule}"\nplace = "{place}"\nreason = "So."\n{limit}\n'
        for rule, place, limit in entries
    ]
    path.write_text("\n".join(tables), encoding="utf-8")
    new = snapshot("1.5.0", Limits={"fields": {"most": {"any of": ["number", "string"]}}})
    done, _ = run.follow(spec, new, config.load(spec / "releases.toml"))
    assert [(each.kind, each.place, each.written) for each in done.questions] == [
        ("listed", "AcmeHello/count", "integer, listed for a neighbour"),
        ("listed", "Limits/most", "missing-type, listed for a neighbour"),
        ("listed", "AcmeBye/at", "format, matches no difference of 1.5.0"),
    ]


@pytest.mark.parametrize(
    ("release", "told"),
    [
        ("0.9.0", "0.9.0 is older than 1.0.0, the oldest that the spec describes"),
        ("1.0.0", "the spec describes 1.0.0 already; run `polywire compare --at 1.0.0`"),
        ("2.0.0", "the spec describes 2.0.0 already; run `polywire compare --at 2.0.0`"),
    ],
)
def test_what_cannot_be_followed_is_told(spec: Path, release: str, told: str) -> None:
    with pytest.raises(WrongUseError, match=told):
        run.follow(spec, Snapshot(release, {}, snapshot(release).declarations), config.load(spec / "releases.toml"))


@pytest.mark.parametrize(
    ("release", "before"),
    [
        ("1.9.9", "1.2.0"),
        ("1.10.0", "1.2.0"),
        ("1.10.1", "1.10.1-rc.2"),
        ("1.10.1-rc.2", "1.10.1-rc.1"),
        ("1.10.1-rc.10", "1.10.1-rc.2"),
        ("1.0.0", None),
    ],
)
def test_releases_are_ordered_as_npm_orders_them(release: str, before: str | None) -> None:
    others = ["1.0.0", "1.2.0", "1.10.1-rc.1", "1.10.1-rc.2", "1.10.1"]
    assert config.preceding(release, [each for each in others if each != release]) == before


def test_a_text_of_the_spec_that_is_no_yaml_is_left_alone(spec: Path) -> None:
    (spec / "LICENSE").write_text("Terms:\n\n   1. Use: as you like.\n", encoding="utf-8")
    path = spec / "protocol.yaml"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("packages: {", "packages: {license_file: LICENSE, ", 1), encoding="utf-8")
    assert followed(spec).undone == []
