"""A spec of another protocol gives a Go module that works, with any names and texts."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

import flat_answers
from corpora import PROTOCOLS
from polywire import checks
from polywire.checks import check
from polywire.commands.conformance_options import BUNDLED_TESTEES
from polywire.conformance.derived import derived
from polywire.conformance.runner import run
from polywire.conformance.testee import Workshop, declared
from polywire.ground.errors import RenderError
from polywire.model.nodes import About
from polywire.plan import make_plan
from polywire.targets.common.naming import words
from polywire.targets.go import TARGET
from polywire.targets.go.docs import MAKES, documentation
from polywire.targets.go.layout import ESCAPED, aligned, comment, function, quoted
from polywire.targets.go.names import INITIALISMS, mixed, small
from polywire.writing.render import render
from rendered import generate, model_of
from sampling import third
from staticcheck import staticcheck
from toolchain import Toolchain

ROOT = Path(__file__).parents[2]
PARCEL = ROOT / "tests" / "specs" / "parcel"


def accepted(go: Toolchain, folder: Path) -> None:
    """Assert that gofmt and go vet report nothing."""
    for command in (["gofmt", "-d", "."], ["go", "vet", "./..."]):
        done = go.run(*command, cwd=folder)
        assert (done.returncode, done.stdout) == (0, ""), done.stdout[:4000] + done.stderr[:4000]


# --- other specs -----------------------------------------------------------------------------------------------


@third("other protocols in Go")
@pytest.mark.parametrize("dialect", [None, "courier", "terse"])
def test_another_protocol_compiles_and_is_laid_out_as_gofmt_would(
    go: Toolchain, tmp_path: Path, dialect: str | None
) -> None:
    generate(TARGET, model_of(PARCEL, dialect), tmp_path)
    accepted(go, tmp_path)


@third("other protocols in Go")
@pytest.mark.parametrize("spec", ["events", "lengths"])
def test_a_protocol_whose_messages_are_not_lines_compiles_and_its_examples_are_right(
    go: Toolchain, tmp_path: Path, spec: str
) -> None:
    generate(TARGET, model_of(PARCEL.parent / spec), tmp_path)
    assert "ExampleOnly" in (tmp_path / spec / "examples_test.go").read_text("utf-8")
    accepted(go, tmp_path)
    done = go.run("go", "test", "./...", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    "spec",
    [
        pytest.param(ROOT / "spec", marks=third("other protocols in Go")),
        PARCEL,
        PARCEL.parent / "jsonrpc",
        PARCEL.parent / "notices",
    ],
)
def test_the_page_of_a_package_names_everything_that_requests_and_tools_take(tmp_path: Path, spec: Path) -> None:
    generate(TARGET, model_of(spec), tmp_path)
    (pairs,), (doc,) = tmp_path.glob("*/pairs.go"), tmp_path.glob("*/doc.go")
    offered = set(re.findall(r"^(?:func|type) ([A-Z]\w*)", pairs.read_text("utf-8"), re.MULTILINE)) - {"RefuseOption"}
    linked = set(re.findall(r"\[(\w+)\]", doc.read_text("utf-8")))
    assert offered <= linked
    assert offered & {"Reply", "Notify", "ToolInput"} == linked & {"Reply", "Notify", "ToolInput"}
    assert offered


@third("other protocols in Go")
@pytest.mark.parametrize("dialect", ["courier", "terse"])
def test_every_instance_of_a_dialect_gets_its_verdict(go: Toolchain, dialect: str) -> None:
    del go
    (testee,) = (each for each in declared(BUNDLED_TESTEES) if each.name == "go")
    cases = derived(PROTOCOLS.get(PARCEL, dialect), seed=3, random=1)
    with Workshop(ROOT) as workshop:
        result = run(cases, testee, workshop, PROTOCOLS.default, folder=ROOT, patience=120)
    failed = [f"{c.name}: {v.problems}" for c, v in zip(cases, result.verdicts, strict=True) if v.outcome == "failed"]
    assert (result.problems, failed[:5]) == ((), [])
    assert result.count("passed") == len(cases) > 1000


@third("other protocols in Go")
def test_what_is_flat_embedded_and_shared_in_one_protocol_can_be_so_in_another(go: Toolchain, tmp_path: Path) -> None:
    part, control = flat_answers.with_them(SHAPED), flat_answers.CONTROL
    spec = written(tmp_path / "spec", part, roots=["Line", "Exchange"], control=control)
    report = check(spec, strict=True)
    assert not report.failed, report.render("text")
    assert report.model is not None
    generate(TARGET, report.model, tmp_path / "out")
    (tmp_path / "out" / "shapes" / "user_test.go").write_text(USER, encoding="utf-8")
    accepted(go, tmp_path / "out")
    done = go.run("go", "test", "./...", cwd=tmp_path / "out")
    assert done.returncode == 0, done.stdout + done.stderr


@third("other protocols in Go")
def test_aliases_that_contain_themselves_are_types_of_go(go: Toolchain, tmp_path: Path) -> None:
    spec = written(tmp_path / "spec", RECURSIVE)
    report = check(spec, strict=True)
    assert not report.failed, report.render("text")
    assert report.model is not None
    generate(TARGET, report.model, tmp_path / "out")
    (tmp_path / "out" / "shapes" / "user_test.go").write_text(NESTS, encoding="utf-8")
    accepted(go, tmp_path / "out")
    done = go.run("go", "test", "./...", cwd=tmp_path / "out")
    assert done.returncode == 0, done.stdout + done.stderr


def written(folder: Path, part: dict[str, Any], **protocol: object) -> Path:
    """Write a spec with one part."""
    folder.mkdir()
    entry = {
        "polywire": 1,
        "protocol": {
            "name": "shapes",
            "title": "Shapes",
            "version": "1",
            "framing": "ndjson",
            "peers": ["a", "b"],
            "roots": ["Line"],
            **protocol,
        },
        "packages": {"go": {"module": "example.org/shapes", "package": "shapes"}},
        "parts": ["part.yaml"],
    }
    (folder / "protocol.yaml").write_text(yaml.safe_dump(entry, sort_keys=False), encoding="utf-8")
    (folder / "part.yaml").write_text(yaml.safe_dump(part, sort_keys=False), encoding="utf-8")
    return folder


SHAPED: dict[str, Any] = {
    "aliases": {"Text": {"doc": "A text, or many.", "type": "string | string[]"}},
    "enums": {
        "Kind": {
            "doc": "What a line is.",
            "open": True,
            "values": {"ring": "A ring.", "tone": "A tone."},
        },
        "Pitch": {
            "doc": "How high a tone is.",
            "open": True,
            "targets": {"go": {"layout": "string", "prefix": "P"}},
            "values": {"low": "Low.", "high": {"doc": "High.", "targets": {"go": {"name": "Highest"}}}},
        },
    },
    "types": {
        "Base": {
            "doc": "What every line has.",
            "targets": {"go": {"layout": "embed"}},
            "fields": {"id": "uuid", "room": "string"},
        },
        "Big": {"doc": "A body.", "fields": {"size": "integer | null", "wide": "boolean"}},
        "Small": {"doc": "A lesser body.", "targets": {"go": {"as": "Big"}}, "fields": {"size": "integer | null"}},
        "Round": {"doc": "Round.", "tag": {"form": "round"}, "fields": {"radius": "number", "note?": "string"}},
        "Square": {"doc": "Square.", "tag": {"form": "square"}, "fields": {"side": "number", "note": "integer"}},
        "Cube": {"doc": "Cube.", "tag": {"form": "square"}, "fields": {"side": "number", "depth?": "number"}},
    },
    "unions": {
        "Line": {
            "doc": "A line.",
            "open": True,
            "by": "kind",
            "targets": {"go": {"tag": "Kind", "embed": "Base"}},
            "variants": ["Ring", "Tone"],
        },
        "Flat": {
            "doc": "A flat form.",
            "open": True,
            "by": "form",
            "targets": {"go": {"layout": "flat"}},
            "variants": ["Round", "Square"],
        },
        "Solid": {
            "doc": "A solid form.",
            "open": True,
            "by": "form",
            "targets": {"go": {"as": "Flat"}},
            "variants": ["Cube"],
        },
    },
    "messages": {
        "Ring": {
            "doc": "A ring.",
            "from": "a",
            "tag": {"kind": "ring"},
            "include": ["Base"],
            "fields": {
                "text?": "Text",
                "form": "Flat",
                "solid": "Solid",
                "body": "Big",
                "lesser?": "Small",
                "loose": {"type": "Flat", "targets": {"go": {"type": "any"}}},
            },
        },
        "Tone": {
            "doc": "A tone.",
            "from": "b",
            "tag": {"kind": "tone"},
            "include": ["Base"],
            "fields": {
                "pitch": "Pitch",
                "long": "integer",
                "loud?": {"type": "integer", "default": 0},
                "echo": {"type": "string | null", "default": "hall"},
                "marks?": {"type": "map<string>", "default": {}},
                "above?": {"type": "Pitch", "default": "high"},
            },
            "construct": {"NewTone": {"doc": "Makes one.", "params": [{"pitch": "/pitch"}, {"room": "/room"}]}},
        },
    },
}

RECURSIVE: dict[str, Any] = {
    "aliases": {
        "Phrase": {"doc": "Words, nested.", "type": "string | Phrase[]"},
        "Lists": {"doc": "Nothing but lists.", "type": "Lists[]"},
        "Dict": {"doc": "Nothing but maps.", "type": "map<Dict> | null"},
        "Odd": {"doc": "A list of even ones.", "type": "Even[]"},
        "Even": {"doc": "A word, or odd ones by name.", "type": "string | map<Odd>"},
        "Other": {"doc": "Another name.", "type": "Phrase"},
        "Chain": {"doc": "A number and the rest.", "type": "[integer, Chain | null]"},
        "Ring": {"doc": "A word and rings, or null.", "type": "[string, Ring[]] | null"},
    },
    "unions": {"Line": {"doc": "A line.", "open": True, "by": "kind", "variants": ["Bag"]}},
    "messages": {
        "Bag": {
            "doc": "A bag.",
            "from": "a",
            "tag": {"kind": "bag"},
            "fields": {
                "phrase": "Phrase",
                "lists?": "Lists",
                "dict?": "Dict",
                "odd?": "Odd | null",
                "other?": "Other[]",
                "many?": "map<Lists>",
                "chain?": "Chain",
                "rings?": "Ring[]",
            },
            "extra": "Lists",
        },
    },
}

NESTS = """package shapes

import (
	"errors"
	"strings"
	"testing"
)

func TestNests(t *testing.T) {
	const text = `{"kind":"bag","phrase":["a",["b",[]]],"lists":[[],[[]]],"dict":{"a":{"b":null}},` +
		`"odd":["x",{"y":["z"]}],"other":["o",["p"]],"many":{"m":[[]]},` +
		`"chain":[1,[2,null]],"rings":[null,["r",[null]]],"rest":[[],[]]}`
	line, err := UnmarshalLine([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	bag := line.(*Bag)
	if back, err := Encode(bag); err != nil || string(back) != text {
		t.Fatal(string(back), err)
	}
	made := &Bag{
		Phrase: PhraseList{PhraseString("a"), PhraseList{PhraseString("b"), PhraseList{}}},
		Lists:  Lists{{}, {Lists{}}},
		Odd:    Some(Odd{EvenString("x"), EvenObject{"y": {EvenString("z")}}}),
		Other:  PhraseList{PhraseString("o"), PhraseList{PhraseString("p")}},
		Many:   map[string]Lists{"m": {{}}},
		Chain:  Tuple2[int64, Chain]{1, Tuple2[int64, Chain]{2, nil}},
		Rings:  []Ring{nil, Tuple2[string, []Ring]{"r", []Ring{nil}}},
	}
	if len(bag.Lists) != 2 || len(bag.Lists[1]) != 1 || !Equal(Bag{Lists: bag.Lists}, Bag{Lists: made.Lists}) {
		t.Fatal(bag.Lists)
	}
	if line, err := Encode(made); err != nil || !strings.Contains(string(line), `"odd":["x",{"y":["z"]}]`) ||
		!strings.Contains(string(line), `"chain":[1,[2,null]],"rings":[null,["r",[null]]]`) {
		t.Fatal(string(line), err)
	}
	var fault *DecodeError
	for text, path := range map[string]string{
		`["a",[7]]`:            "/phrase/1/0",
		`"","lists":[[{}]]`:    "/lists/0/0",
		`"","dict":{"a":[]}`:   "/dict/a",
		`"","odd":[[]]`:        "/odd/0",
		`"","rest":[1]`:        "/rest/0",
		`"","chain":[1,[2,3]]`: "/chain/1/1",
	} {
		_, err := UnmarshalLine([]byte(`{"kind":"bag","phrase":` + text + `}`))
		if !errors.As(err, &fault) || fault.Path != path || fault.Code != CodeWrongType {
			t.Error(text, err)
		}
	}
	deep := strings.Repeat("[", 60) + strings.Repeat("]", 60)
	if _, err := DecodeAs("Lists", []byte(deep)); err != nil {
		t.Error(err)
	}
}
"""

USER = """package shapes

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestShapes(t *testing.T) {
	tone := NewTone(Highest, "attic", 3) // that it is long is a parameter, as nothing fills it
	var line Line = tone
	if line.GetKind() != KindTone || line.GetRoom() != "attic" || line.GetID() != tone.ID {
		t.Fatal(line)
	}
	const filled = `"pitch":"high","long":3,"loud":0,"echo":"hall","marks":{},"above":"high"}`
	if back, err := Encode(tone); err != nil || !strings.HasSuffix(string(back), filled) {
		t.Fatal(string(back), err)
	}
	const text = `{"kind":"ring","id":"6ba7b810-9dad-41d1-80b4-00c04fd430c8","room":"r",` +
		`"form":{"form":"square","side":1,"note":2},"solid":{"form":"square","side":1,"depth":3},` +
		`"body":{"size":null,"wide":true},"lesser":{"size":1},"loose":{"form":"round","radius":1,"note":""}}`
	line, err := UnmarshalLine([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	ring := line.(*Ring)
	square, ok := ring.Form.AsSquare()
	if !ok || square.Note != 2 || ring.Form.Note != nil || ring.Solid.Depth == nil {
		t.Fatal(square, ring)
	}
	if back, err := json.Marshal(ring); err != nil || string(back) != text {
		t.Fatal(string(back), err)
	}
	ring.Form.Side = 5
	ring.Loose = Round{Radius: 2}
	if back, err := Encode(ring); err != nil || len(back) != len(text)-len(`,"note":""`) {
		t.Fatal(string(back), err)
	}
}

func TestFlatAnswers(t *testing.T) {
	where := WhereRequest{What: "where", Of: "y"}
	asked, err := Encode(WrapRequest("1", where))
	if err != nil || string(asked) != `{"kind":"ask","id":"1","what":"where","of":"y"}` {
		t.Fatal(string(asked), err)
	}
	answer, err := WrapResponse("1", where, Place{X: 7})
	if err != nil {
		t.Fatal(err)
	}
	text, err := Encode(answer)
	if err != nil || string(text) != `{"kind":"answer","how":"good","id":"1","x":7}` {
		t.Fatal(string(text), err)
	}
	if place, err := UnwrapResponse(where, answered(t, string(text))); err != nil || place.X != 7 {
		t.Fatal(place, err)
	}
	nothing := answered(t, `{"kind":"answer","how":"good","id":"1"}`)
	if look, err := UnwrapResponse(LookRequest{}, nothing); err != nil || look.Far != nil {
		t.Fatal(look, err)
	}
	if place, err := UnwrapResponse(NearRequest{}, nothing); err != nil || place != nil {
		t.Fatal(place, err)
	}
	bad := answered(t, `{"kind":"answer","how":"bad","id":"1","why":"."}`)
	if place, err := UnwrapResponse(where, bad); err == nil {
		t.Fatal(place)
	}
}

func answered(t *testing.T, text string) *Answer {
	answer, err := Decode[Answer]([]byte(text), LenientMode)
	if err != nil {
		t.Fatal(err)
	}
	return &answer
}
"""

MADE: dict[str, Any] = {
    "aliases": {"Ident": {"doc": "An id.", "type": "uuid"}},
    "types": {
        "Chest": {"doc": "A chest.", "fields": {"size": "integer", "room": "string"}},
        "Round": {"doc": "Round.", "tag": {"form": "round"}, "fields": {"radius": "number"}},
        "Square": {"doc": "Square.", "tag": {"form": "square"}, "fields": {"side": "number"}},
    },
    "unions": {
        "Line": {"doc": "A line.", "open": True, "by": "kind", "variants": ["Job", "Rest"]},
        "Form": {
            "doc": "A form.",
            "open": True,
            "by": "form",
            "targets": {"go": {"layout": "flat"}},
            "variants": ["Round", "Square"],
        },
    },
    "messages": {
        "Rest": {"doc": "A pause.", "from": "a", "tag": {"kind": "rest"}},
        "Job": {
            "doc": "A job.",
            "from": "a",
            "tag": {"kind": "job"},
            "fields": {
                "id": "Ident",
                "size": "integer",
                "box": "Chest",
                "form": "Form",
                "owner": "uuid",
                "other?": {"type": "Chest", "default": {"size": 1, "room": "x"}},
                "plain?": {"type": "json", "default": {"a": [1, None]}},
                "prices?": {"type": "map<number>", "default": {"a": 0.5}},
                "names?": {"type": "string[]", "default": ["a", "b"]},
                "lists?": {"type": "string[][]", "default": [["a"], []]},
                "count?": {"type": "integer", "default": 0},
            },
            "construct": {
                "NewJob": {
                    "doc": "Makes one.",
                    "params": [{"room": "/box/room"}, {"form": "/form"}, {"owner": "/owner"}],
                }
            },
        },
    },
}

MAKES_JOBS = """package shapes

import (
	"strings"
	"testing"

	"github.com/google/uuid"
)

func TestJobs(t *testing.T) {
	job := NewJob("attic", Form{Form: "square", Side: 2.5}, uuid.New(), 7, 8)
	line, err := Encode(job)
	const filled = `"other":{"size":1,"room":"x"},"plain":{"a":[1,null]},"prices":{"a":0.5},` +
		`"names":["a","b"],"lists":[["a"],[]],"count":0}`
	const boxed = `"size":7,"box":{"size":8,"room":"attic"},"form":{"form":"square","side":2.5},"owner":"`
	if err != nil || !strings.Contains(string(line), boxed) || !strings.HasSuffix(string(line), filled) {
		t.Fatal(string(line), err)
	}
	if _, err := Decode[Job](line, StrictMode); err != nil || uuid.Validate(job.ID) != nil {
		t.Fatal(err, job.ID)
	}
}
"""


@third("other protocols in Go")
def test_constructors_ask_for_what_nothing_fills_and_write_every_default(go: Toolchain, tmp_path: Path) -> None:
    report = check(written(tmp_path / "spec", MADE), strict=True)
    assert not report.failed, report.render("text")
    assert report.model is not None
    generate(TARGET, report.model, tmp_path / "out")
    (tmp_path / "out" / "shapes" / "user_test.go").write_text(MAKES_JOBS, encoding="utf-8")
    accepted(go, tmp_path / "out")
    done = go.run("go", "test", "./...", cwd=tmp_path / "out")
    assert done.returncode == 0, done.stdout + done.stderr


@third("other protocols in Go")
def test_a_package_without_most_of_the_runtimes_helpers_is_fine_for_staticcheck(go: Toolchain, tmp_path: Path) -> None:
    tiny = {"types": {"Line": {"doc": "A line.", "fields": {"text": "string"}}}}
    generate(TARGET, model_of(written(tmp_path / "spec", tiny)), tmp_path / "out")
    accepted(go, tmp_path / "out")
    done = staticcheck(go, tmp_path / "out", "./...")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


KEYS = ["class", "func", "range", "extra", "d", "v", "5m", "a'b", 'q"q', "tick`", "record", "uuid", "json"]

HOSTILE: dict[str, Any] = {
    "messages": {
        "Odd": {
            "doc": "A */ end, a \\ backslash, a \u202e turn, {{ braces }}, `ticks`\n\n# A heading\n\n- a list\n\n\tco",
            "from": "a",
            "tag": {"kind": 'it\'s "odd" {x} \\ ` \u2028'},
            "fields": {
                **{key: {"type": "string", "doc": f"{key}: //go:build x"} for key in KEYS},
                **{f"{key}_too?": "integer | null" for key in KEYS},
            },
        },
        "Even": {"doc": "Even.", "from": "b", "tag": {"kind": "even"}, "fields": {"mapping": "map<(string | Odd)[]>"}},
    },
    "unions": {"Line": {"doc": "A line.", "open": True, "by": "kind", "variants": ["Odd", "Even"]}},
}


def test_the_versions_of_the_protocol_are_constants_and_in_the_readme(tmp_path: Path) -> None:
    model = model_of(PARCEL)
    newest = model.protocol.version
    for oldest in (None, "0.0.7"):
        folder = tmp_path / str(oldest)
        generate(TARGET, replace(model, protocol=replace(model.protocol, oldest=oldest)), folder)
        (code,) = folder.glob("*/protocol.go")
        text = code.read_text(encoding="utf-8")
        assert f'ProtocolOldest = "{oldest or newest}"' in text
        assert f'ProtocolNewest = "{newest}"' in text
        first, last = ESCAPED.markdown(oldest or newest), ESCAPED.markdown(newest)
        readme = (folder / "README.md").read_text(encoding="utf-8")
        assert f"from version {first} (`ProtocolOldest`) to version {last} (`ProtocolNewest`)" in readme


@third("other protocols in Go")
def test_names_and_texts_of_any_kind_are_only_names_and_texts(go: Toolchain, tmp_path: Path) -> None:
    spec = written(tmp_path / "spec", HOSTILE)
    generate(TARGET, model_of(spec), tmp_path / "out")
    accepted(go, tmp_path / "out")


# --- names -----------------------------------------------------------------------------------------------------


def test_names_tell_what_they_would_collide_on() -> None:
    names = list(TARGET.names(model_of(ROOT / "spec")))
    parts = {(name.scope, name.name, name.of) for name in names}  # several fields may share a function type
    assert not [each for each, count in Counter(part[:2] for part in parts).items() if count > 1]
    assert {"package"} <= {name.scope for name in names}


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("parent_tool_use_id", "ParentToolUseID"),
        ("hookCallbackIds", "HookCallbackIDs"),
        ("totalCostUsd", "TotalCostUSD"),
        ("duration_api_ms", "DurationAPIMs"),
        ("mcpServers", "McpServers"),
        ("ephemeral_5m_input", "Ephemeral5mInput"),
    ],
)
def test_keys_become_the_names_that_go_users_write(key: str, name: str) -> None:
    assert mixed(words(key)) == name


@pytest.mark.parametrize(("name", "unexported"), [("URL", "url"), ("HTTPPort", "httpPort"), ("Name", "name")])
def test_initialisms_are_small_at_the_beginning_of_what_is_not_exported(name: str, unexported: str) -> None:
    assert small(name) == unexported


def test_every_name_of_the_package_has_its_initialisms_in_capitals() -> None:
    names = {each.name for each in TARGET.names(model_of(ROOT / "spec"))}
    spelled = {
        name for name in names if any(word.lower() in INITIALISMS for word in re.findall(r"[A-Z][a-z\d]+", name))
    }
    # as users of the protocol know it, which the spec states
    assert spelled == {"JSONRPCId", "JSONRPCIdNumber", "JSONRPCIdString"}
    assert {"APIKeySource", "SandboxTLSConfig", "UserMessageUUIDs", "McpHTTPServerConfig"} <= names


def test_two_structs_that_share_a_type_must_agree_on_their_fields(tmp_path: Path) -> None:
    part = {**SHAPED, "types": {**SHAPED["types"], "Small": {**SHAPED["types"]["Small"], "fields": {"size": "string"}}}}
    with pytest.raises(RenderError, match=r"Big\.Size cannot be both \*int64 and string"):
        render(TARGET, make_plan(model_of(written(tmp_path / "spec", part))))


@pytest.mark.parametrize(
    ("section", "name", "said", "message"),
    [
        ("types", "Small", {"as": "Bag"}, "`as: Bag` of Small does not name a declared struct"),
        ("types", "Small", {"as": "Flat"}, "`as: Flat` of Small does not name a declared struct"),
        ("types", "Base", {"layout": "inline"}, "Base cannot be laid out as `inline`: it can be `embed`"),
        ("enums", "Kind", {"layout": "flat"}, "Kind cannot be laid out as `flat`: it can be `string`"),
        ("unions", "Line", {"tag": "Sort", "embed": "Base"}, "`tag: Sort` of Line does not name a declared enum"),
        ("unions", "Line", {"tag": "Kind", "embed": "Big"}, "Line cannot embed Big: its variant Ring does not"),
        ("aliases", "Text", {"layout": "flat"}, "Text cannot be laid out as `flat`: an alias has none; see `kinds`"),
        ("types", "Small", {"kinds": {"string": "Raw"}}, "Small has no `kinds`: it is no alias of several types"),
        ("unions", "Solid", {"as": "Line"}, "Solid cannot share the type of Line, which is not laid out as `flat`"),
        ("unions", "Flat", {"as": "Solid"}, "Flat cannot share the type of Solid, which itself shares another type"),
    ],
)
def test_what_is_said_for_go_and_means_nothing_is_refused(
    tmp_path: Path, section: str, name: str, said: dict[str, str], message: str
) -> None:
    changed = {**SHAPED[section], name: {**SHAPED[section][name], "targets": {"go": said}}}
    with pytest.raises(RenderError, match=re.escape(message)):
        render(TARGET, make_plan(model_of(written(tmp_path / "spec", {**SHAPED, section: changed}))))


def test_a_tuple_among_the_alternatives_of_a_choice_has_a_type_of_its_own() -> None:
    spec = Path(__file__).resolve().parents[1] / "specs" / "found" / "inline-union-with-tuple"
    files = {Path(path).name: text.decode() for path, text in render(TARGET, make_plan(model_of(spec))).items()}
    assert "\tRanges []Range" in files["types.go"]
    assert "type RangeList Tuple2[int64, int64]\n\nfunc (RangeList) isRange() {}\n" in files["enums.go"]
    assert "func (v RangeList) MarshalJSON() ([]byte, error) { return marshalTuple(&v) }" in files["enums.go"]
    assert re.search(r"\n\tWhere +StringOrNumberAndStringOrBoolAndNull ", files["types.go"])


@pytest.mark.parametrize(
    ("type_", "kinds", "key", "message"),
    [
        ("string | integer", {"string": "Raw"}, "kinds", "a field cannot show whether it is a number; leave them out"),
        (
            "integer[] | Big",
            {"array": "List"},
            "kinds",
            "Mixed cannot have `kinds`: no value is a string; leave them out",
        ),
        (
            "string | [integer]",
            {"string": "Raw", "array": "List"},
            "kinds",
            "a field cannot show whether it is a tuple",
        ),
        ("string | integer[]", {"string": "Raw"}, "kinds", "name a field for them, `kinds: {array: …}`"),
        ("string | object", {"string": "Raw"}, "kinds", "name a field for them, `kinds: {object: …}`"),
        ("string | Big", {"string": "Size"}, "kinds.string", "`Size` is also a member of Big: choose another name"),
        (
            "string | Square",
            {"string": "Form"},
            "kinds.string",
            "`Form` is also a member of Square: choose another name",
        ),
        ("string | Big", {"string": "String"}, "kinds.string", "`String` is also in every struct: choose another name"),
        ("string | integer[]", {"string": "A", "array": "A"}, "kinds.array", "`A` is also the field for `string`"),
        ("string | integer[]", {"string": "raw", "array": "A"}, "kinds.string", "`raw` cannot be the kinds.string of"),
        ("string | integer[]", {"text": "Raw"}, "kinds.text", "go does not support `kinds.text`"),
    ],
)  # fmt: skip  (a table)
def test_lint_says_what_is_wrong_with_kinds(
    tmp_path: Path, type_: str, kinds: dict[str, str], key: str, message: str
) -> None:
    mixed = {"doc": "A word or more.", "type": type_, "targets": {"go": {"kinds": kinds}}}
    part = {**SHAPED, "aliases": {**SHAPED["aliases"], "Mixed": mixed}}
    part["types"] = {**SHAPED["types"], "Holder": {"doc": "A holder.", "fields": {"mixed": "Mixed"}}}
    folder = written(tmp_path / "spec", part, roots=["Line", "Holder"])
    found = [each for each in checks.check(folder, targets=["go"]).findings if message in each.message]
    assert len(found) == 1
    lines = (folder / found[0].place.file.rpartition("/")[2]).read_text("utf-8").splitlines()
    assert lines[found[0].place.line - 1].strip().startswith(key.rpartition(".")[2])


def test_lint_says_where_structs_that_share_a_type_differ(tmp_path: Path) -> None:
    part = {**SHAPED, "types": {**SHAPED["types"], "Small": {**SHAPED["types"]["Small"], "fields": {"size": "string"}}}}
    findings = checks.check(written(tmp_path / "spec", part), targets=["go"]).findings
    assert [each.message for each in findings if each.severity == "error"] == [
        "Big.Size cannot be both *int64 and string"
    ]


def test_lint_says_so_for_go_alone(tmp_path: Path) -> None:
    line = {**SHAPED["unions"]["Line"], "targets": {"go": {"tag": "Kind", "embed": "Big"}}}
    folder = written(tmp_path / "spec", {**SHAPED, "unions": {**SHAPED["unions"], "Line": line}})
    found = {
        target: [each.message for each in checks.check(folder, targets=[target]).findings if each.severity == "error"]
        for target in ("go", "rust")
    }
    assert found == {"go": ["Line cannot embed Big: its variant Ring does not"], "rust": []}


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"layout": "flat"}, "Lamp cannot be laid out as `flat`: its discriminator `lit` is not a string"),
        ({"as": "Flat"}, "Lamp cannot share the type of Flat: its discriminator `lit` is not a string"),
    ],
)
def test_variants_that_a_flag_tells_apart_are_no_flat_struct(
    tmp_path: Path, said: dict[str, str], message: str
) -> None:
    """The flag is false in an empty struct, which would therefore count as one of the variants."""
    types = {flag: {"doc": "A state.", "tag": {"lit": flag == "On"}} for flag in ("On", "Off")}
    lamp = {"doc": "A lamp.", "open": True, "by": "lit", "variants": ["On", "Off"], "targets": {"go": said}}
    part = {**SHAPED, "types": {**SHAPED["types"], **types}, "unions": {**SHAPED["unions"], "Lamp": lamp}}
    spec = written(tmp_path / "spec", part, roots=["Line", "Lamp"])
    with pytest.raises(RenderError, match=re.escape(message)):
        render(TARGET, make_plan(model_of(spec)))


# --- layout ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ['"', "\\", "`", "\u202e", "\x00", "\n", "\U0001f600", "é"])
def test_literals_hide_nothing_and_end_nothing(text: str) -> None:
    shown = quoted(f"a{text}b")
    assert shown.isprintable()
    assert re.fullmatch(r'"(?:[^"\\]|\\["\\nrt]|\\u[0-9a-f]{4}|\\U[0-9a-f]{8})*"', shown)


def test_a_lone_surrogate_is_the_bytes_that_the_package_keeps_it_as() -> None:
    assert quoted("\ud800") == r'"\xed\xa0\x80"'


def test_functions_take_one_line_as_long_as_gofmt_lets_them(go: Toolchain, tmp_path: Path) -> None:
    functions = [
        function(f"func {kind}{'x' * more}(){result}", statement)
        for kind, result, statement in (("empty", "", ""), ("full", " int", "return 1"))
        for more in range(70, 100)
    ]
    assert {text.count("\n") for text in functions} == {0, 1, 2}
    (tmp_path / "lines.go").write_text("\n\n".join(["package lines", *functions]) + "\n", "utf-8")
    done = go.run("gofmt", "-d", tmp_path)
    assert (done.returncode, done.stdout) == (0, "")


def test_comments_are_wrapped_and_never_begin_a_list_or_a_directive() -> None:
    lines = comment(("word " * 19 + "- no item ") * 3).split("\n")
    assert len(lines) > 2
    assert all(line.startswith("// ") and not line.startswith("// - ") and len(line) <= 100 for line in lines)
    assert comment("One.\n\nTwo.", 1) == "// One.\n\t//\n\t// Two."


SYNTAX = (
    *("+build ignore", "//go:build ignore", "go:build ignore", "go:generate false", "line x.go:1", "export f"),
    *("#cgo LDFLAGS: -l", "# Head", "#", "Head:", "- item", "* item", "+ item", "1. item", "2) item", "10. item"),
    *("[x]: https://example.com", "``quoted''", "```go", "'''", "BUG(a): b", "Deprecated: no.", "/* a */", "*/ x"),
    *(
        "\tcode",
        "    code",
        "a\\",
        "[Link]",
        "[a.b]",
        "nolint:all",
        "{",
        "}",
        "//export f",
        "//nolint",
        "//line x.go:1",
    ),
)
"""Texts that gofmt, vet or the compiler read as more than prose at some place of a comment."""


@pytest.mark.parametrize("indent", [0, 1])
def test_no_prose_is_formatted_by_gofmt_or_read_as_a_directive(go: Toolchain, tmp_path: Path, indent: int) -> None:
    docs = [
        text
        for each in SYNTAX
        for before in (
            "",
            "word\n\n",
            "word\n",
            "- - ",
            "word " * 17,
            "word " * 18,
            f"{'w' * 120} ",
            "word " * 18 + "- ",
        )
        for text in (f"{before}{each}", f"{before}{each}\n\n{each}\n{each}")
    ]
    pad = "\t" * indent
    lines = [f"{pad}{comment(text, indent)}\n{pad}V{at} int" for at, text in enumerate(docs)]
    head, tail = ("type prose struct {\n", "\n}\n") if indent else ("", "\n")
    lines = lines if indent else [f"{line[: line.rindex('V')]}type {line[line.rindex('V') :]}" for line in lines]
    separator = "\n" if indent else "\n\n"
    (tmp_path / "prose.go").write_text(f"package prose\n\n{head}{separator.join(lines)}{tail}", "utf-8")
    (tmp_path / "go.mod").write_text("module example.com/prose\n\ngo 1.24\n", "utf-8")
    for command in (("gofmt", "-d", "prose.go"), ("go", "vet", ".")):
        done = go.run(*command, cwd=tmp_path)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_neighbours_stand_in_columns() -> None:
    assert aligned([("A", "int", "`a`"), ("Long", "string", "`b`")]) == ["A    int    `a`", "Long string `b`"]


def test_doc_comments_begin_with_the_name() -> None:
    assert documentation(About(doc="A box."), "Box") == "Box is a box."
    assert documentation(About(doc="How it went."), "End") == "End says how it went."
    assert documentation(About(doc="Makes a box."), "New") == "New makes a box."
    assert documentation(About(doc="The box is shut."), "Shut") == "Shut: The box is shut."
    assert documentation(About(doc="The end."), "NewEnd", MAKES) == "NewEnd creates the end."


def test_prose_is_no_markup() -> None:
    assert ESCAPED.markdown("a *b* `c*d`\u202e") == "a \\*b\\* `c*d`\\\\u202e"
