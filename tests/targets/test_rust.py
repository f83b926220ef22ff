"""A spec of another protocol gives a Rust crate that works, with any names and texts."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

import flat_answers
from corpora import PROTOCOLS
from polywire.checks import check
from polywire.commands.conformance_options import BUNDLED_TESTEES
from polywire.conformance.derived import derived
from polywire.conformance.runner import run
from polywire.conformance.testee import Workshop, declared
from polywire.evolve.breaking import find
from polywire.model.nodes import About, Model
from polywire.plan import make_plan
from polywire.targets.common.prose import description
from polywire.targets.rust import TARGET
from polywire.targets.rust.layout import arm, chain, doc, key, prose, quoted, signature
from polywire.targets.rust.names import Names, raw, variant_stem
from polywire.targets.rust.shapes import Shapes
from polywire.writing.render import render
from rendered import generate, model_of
from sampling import third
from toolchain import Toolchain

ROOT = Path(__file__).parents[2]
PARCEL = ROOT / "tests" / "specs" / "parcel"


def accepted(rust: Toolchain, folder: Path, *targets: str) -> None:
    """Assert that rustfmt, clippy and rustdoc report nothing for the crate and the other targets."""
    lint = ["clippy", "--quiet", "--all-features", "--lib", *targets, "--", "-D", "warnings"]
    for arguments in (["fmt", "--check"], lint, ["doc", "--quiet", "--no-deps", "--all-features"]):
        done = rust.run("cargo", *arguments, cwd=folder)
        assert (done.returncode, done.stdout + done.stderr) == (0, ""), (done.stdout + done.stderr)[:4000]


# --- other specs -----------------------------------------------------------------------------------------------


@third("other protocols in Rust")
@pytest.mark.parametrize("dialect", [None, "courier", "terse"])
def test_another_protocol_compiles_and_is_laid_out_as_rustfmt_would(
    rust: Toolchain, tmp_path: Path, dialect: str | None
) -> None:
    generate(TARGET, model_of(PARCEL, dialect), tmp_path)
    accepted(rust, tmp_path)


@third("other protocols in Rust")
@pytest.mark.parametrize("dialect", ["courier", "terse"])
def test_every_instance_of_a_dialect_gets_its_verdict(rust: Toolchain, dialect: str) -> None:
    del rust
    (testee,) = (each for each in declared(BUNDLED_TESTEES) if each.name == "rust")
    cases = derived(PROTOCOLS.get(PARCEL, dialect), seed=3, random=1)
    with Workshop(ROOT) as workshop:
        result = run(cases, testee, workshop, PROTOCOLS.default, folder=ROOT, patience=120)
    failed = [f"{c.name}: {v.problems}" for c, v in zip(cases, result.verdicts, strict=True) if v.outcome == "failed"]
    assert (result.problems, failed[:5]) == ((), [])
    assert result.count("passed") == len(cases) > 1000


@pytest.fixture
def shapes(tmp_path: Path) -> Path:
    """The crate of a spec with features that other specs do not use, and a test program that uses all of them."""
    roots = ["Line", "Rings", "Floors", "Hint", "Exchange"]
    spec = written(tmp_path / "spec", flat_answers.with_them(SHAPED), roots=roots, control=flat_answers.CONTROL)
    report = check(spec, strict=True)
    assert not report.failed, report.render("text")
    assert report.model is not None
    generate(TARGET, report.model, tmp_path / "out")
    (tmp_path / "out" / "tests").mkdir()
    (tmp_path / "out" / "tests" / "user.rs").write_text(USER, encoding="utf-8")
    return tmp_path / "out"


@third("other protocols in Rust")
def test_what_one_protocol_does_not_use_another_can(rust: Toolchain, shapes: Path) -> None:
    done = rust.run("cargo", "test", "--quiet", "--test", "user", cwd=shapes)
    assert done.returncode == 0, done.stdout + done.stderr


@third("other protocols in Rust")
def test_linters_and_rustdoc_report_nothing_of_what_others_do_not_use(rust: Toolchain, shapes: Path) -> None:
    accepted(rust, shapes, "--test", "user")


def written(folder: Path, part: dict[str, Any], **protocol: object) -> Path:
    """Write a spec with one part."""
    folder.mkdir()
    entry = {
        "polywire": 1,
        "protocol": {
            "name": "shapes",
            "title": "Shapes",
            "version": "1.0.0",
            "framing": "ndjson",
            "peers": ["a", "b"],
            "roots": ["Line"],
            **protocol,
        },
        "packages": {"rust": {"crate": "shapes-and-lines"}},
        "parts": ["part.yaml"],
    }
    (folder / "protocol.yaml").write_text(yaml.safe_dump(entry, sort_keys=False), encoding="utf-8")
    (folder / "part.yaml").write_text(yaml.safe_dump(part, sort_keys=False), encoding="utf-8")
    return folder


SHAPED: dict[str, Any] = {
    "enums": {
        "Pitch": {
            "doc": "How high a tone is.",
            "open": True,
            "values": {
                "low": "Low.",
                "high": {"doc": "High.", "targets": {"rust": {"name": "Highest"}}},
                "flat": {"doc": "Too low.", "deprecated": "Say `low`."},
            },
        },
        "Floor": {"doc": "A floor.", "open": False, "base": "integer", "values": {"ground": {"value": 0, "doc": "0."}}},
    },
    "types": {
        "Knot": {
            "doc": "Holds itself.",
            "fields": {
                "knot?": "Knot",
                "line?": "Line",
                "other?": "Knot | string | null",
                "loose?": {"type": "boolean", "deprecated": "Tie it, and if that does not hold, tie it again; " * 3},
            },
        },
        "Body": {
            "doc": "A body.",
            "fields": {
                "size": {"type": "integer", "default": 3},
                "pitch?": {"type": "Pitch", "default": "high"},
                "names?": {"type": "string[]", "default": ["a", "b"]},
                "ratio": {"type": "number", "default": 1},
                "many": {"type": "(string | integer[])[]", "default": [], "targets": {"rust": {"type": "Part"}}},
                "floor?": "Floor",
                "floors?": "Floor[]",
                "pitches?": "map<Pitch, Floor>",
                "label?": {"type": "string | integer | null", "default": 5},
                "mark?": {"type": "string | integer | null", "default": None},
            },
        },
    },
    "aliases": {
        "Rings": {"doc": "Rings.", "type": "RingLine[]"},
        "Floors": {"doc": "Floors.", "type": "map<Pitch, Floor>"},
        "Hint": {"doc": "A hint, if there is one.", "type": "Body | null"},
    },
    "unions": {"Line": {"doc": "A line.", "open": True, "by": "kind", "variants": ["RingLine", "Tone", "Relic"]}},
    "messages": {
        "RingLine": {
            "doc": "A ring.",
            "from": "a",
            "tag": {"kind": "ring"},
            "fields": {"body": "Body", "id": "uuid", "knot": "Knot", "match": "boolean"},
            "construct": {
                "NewRing": {
                    "doc": "A ring that fits.",
                    "params": [{"floorLevel": "/body/floor"}, {"pitch": "/body/pitch"}],
                    "set": {"/match": True, "/body/names": ["x"], "/body/label": "o"},
                },
                "NewTiedRing": {"doc": "A tied ring.", "params": [{"type": "/knot"}, {"id": "/id"}]},
            },
        },
        "Relic": {"doc": "A relic.", "from": "a", "tag": {"kind": "relic"}, "deprecated": "Take a Tone."},
        "Tone": {
            "doc": "A tone.",
            "from": "b",
            "tag": {"kind": "tone"},
            "targets": {"rust": {"variant": "Sound"}},
            "fields": {"pitch": "Pitch", "note?": "string | null"},
            "construct": {
                "NewTone": {"doc": "A tone by itself.", "params": [{"height": "/pitch"}]},
                "NewNote": {"params": [{"note": "/note"}], "set": {"/pitch": "low"}},
                "NewRest": {"doc": "Nothing.", "set": {"/pitch": "high", "/note": None}, "deprecated": "Be silent."},
            },
        },
    },
}

USER = """use shapes_and_lines::part::*;
use shapes_and_lines::*;

#[test]
fn a_line_is_made_of_what_it_has_to_have() {
    let mut body = Body::default();
    assert_eq!((body.size, body.pitch.clone()), (3, Some(Pitch::Highest)));
    body.many.push(Part::List(vec![1]));
    body.pitches = Some(Map::from([(Pitch::Low, Floor::Ground)]));
    let mut knot = Knot::default();
    knot.knot = Some(Box::new(Knot::new()));
    let line: Line = RingLine::new(RingLineRequired {
        body,
        id: "x".into(),
        knot,
        r#match: true,
    })
    .into();
    let text = encode(&line).unwrap();
    assert_eq!(
        text,
        concat!(
            r#"{"kind":"ring","body":{"size":3,"pitch":"high","names":["a","b"],"ratio":1,"many":[[1]],"#,
            r#""pitches":{"low":0},"label":5,"mark":null},"id":"x","knot":{"knot":{}},"match":true}"#
        )
    );
    assert_eq!(decode::<Line>(&text).unwrap(), line);
}

fn whole(body: Body, id: &str, r#match: bool) -> RingLine {
    RingLine::new(RingLineRequired {
        body,
        id: id.into(),
        knot: Knot::new(),
        r#match,
    })
}

#[test]
fn what_no_reader_would_take_is_not_written() {
    let mut body = Body::new();
    body.ratio = f64::NAN;
    let line: Line = whole(body, "x", true).into();
    let error = encode(&line).unwrap_err();
    assert_eq!(error.code, Code::OutOfRange);
    assert_eq!(error.path, "/body/ratio");
}

#[test]
fn absence_and_null_are_two_things() {
    let mut tone = Tone::new("shrill".into());
    assert_eq!(tone.pitch.as_str(), "shrill");
    assert!(!tone.pitch.is_known());
    tone.note = Presence::Null;
    let text = encode(&tone).unwrap();
    assert_eq!(text, r#"{"kind":"tone","pitch":"shrill","note":null}"#);
    assert!(matches!(Line::from(tone), Line::Sound(_)));
}

#[test]
fn constructors_fill_what_they_are_not_given() {
    let ring = RingLine::create(Some(Floor::Ground), None, Knot::new());
    assert_eq!((ring.body.size, ring.body.floor), (3, Some(Floor::Ground)));
    assert_eq!((ring.body.pitch, ring.r#match), (None, true));
    assert_eq!(ring.body.names, Some(vec!["x".into()]));
    assert_eq!(ring.body.label, Presence::Present("o".into()));
    let uuid = |c: (usize, char)| match c.0 {
        8 | 13 | 18 | 23 => c.1 == '-',
        14 => c.1 == '4',
        19 => "89ab".contains(c.1),
        _ => c.1.is_ascii_hexdigit(),
    };
    assert!(
        ring.id.len() == 36 && ring.id.chars().enumerate().all(uuid),
        "{}",
        ring.id
    );
    assert_ne!(
        ring.id,
        RingLine::create(Some(Floor::Ground), None, Knot::new()).id
    );
    let tied = RingLine::tied(RingLineTied {
        r#type: Knot::new(),
        id: "y".into(),
        body: Body::new(),
        r#match: false,
    });
    assert_eq!(tied, whole(Body::new(), "y", false));
}

#[test]
fn a_parameter_of_three_states_takes_each_of_them() {
    assert_eq!(
        Tone::note("la".to_string()).note,
        Presence::Present("la".into())
    );
    assert_eq!(Tone::note(None).pitch, Pitch::Low);
}

#[test]
#[expect(deprecated)] // fails where one of them is not
fn what_is_deprecated_is_there() {
    assert_eq!(
        (Tone::rest().pitch, Tone::rest().note),
        (Pitch::Highest, Presence::Null)
    );
    #[expect(deprecated)]
    fn field(knot: &Knot) -> Option<bool> {
        knot.loose
    }
    #[expect(deprecated)]
    const VALUE: Pitch = Pitch::Flat;
    #[expect(deprecated)]
    type Whole = shapes_and_lines::part::Relic;
    #[expect(deprecated)]
    fn variant(line: &Line) -> bool {
        matches!(line, Line::Relic(_))
    }
    assert_eq!((field(&Knot::new()), VALUE.as_str()), (None, "flat"));
    assert!(variant(&Line::from(
        decode::<Whole>(r#"{"kind":"relic"}"#).unwrap()
    )));
}

#[test]
fn lists_maps_and_options_are_decoded_by_themselves() {
    let rings = r#"[{"kind":"ring","body":{"size":3,"ratio":1,"many":[]},"id":"x","knot":{},"match":true}]"#;
    let read: Rings = decode(rings).unwrap();
    assert_eq!(encode(&read).unwrap(), rings);
    assert_eq!(serde_json::from_str::<Rings>(rings).unwrap(), read);
    let error = decode::<Rings>(rings.replace("true", "1")).unwrap_err();
    assert_eq!((error.code, &*error.path), (Code::WrongType, "/0/match"));
    let floors: Floors = decode(r#"{"low":0,"shrill":0}"#).unwrap();
    assert_eq!(floors.get(&Pitch::from("shrill")), Some(&Floor::Ground));
    assert_eq!(
        serde_json::from_str::<Floors>(r#"{"low":0,"shrill":0}"#).unwrap(),
        floors
    );
    assert_eq!(
        examine::<Floors>(r#"{"shrill":0}"#)
            .unwrap()
            .unknown
            .to_vec(),
        ["/shrill"]
    );
    assert!(decode_with::<Floors>(r#"{"shrill":0}"#, Mode::Strict).is_err());
    assert_eq!(decode::<Hint>("null").unwrap(), None);
    assert!(decode::<Hint>(r#"{"size":3,"ratio":1,"many":[]}"#)
        .unwrap()
        .is_some());
    assert_eq!(decode::<Hint>("7").unwrap_err().code, Code::WrongType);
    let lines: Vec<_> = LineDecoder::<Vec<i64>>::new()
        .feed(b"[1]\\n[2,true]\\n")
        .collect();
    assert_eq!(lines[0].as_ref().unwrap(), &[1]);
    assert_eq!(lines[1].as_ref().unwrap_err().error.path, "/1");
}

#[test]
fn flat_answers_are_of_the_type_that_belongs_to_the_request() {
    let asked = wrap_request("1", WhereRequest::new("y"));
    assert_eq!(
        encode(&asked).unwrap(),
        r#"{"kind":"ask","id":"1","what":"where","of":"y"}"#
    );
    let answer = wrap_response::<WhereRequest>("1", &Place::new(7)).unwrap();
    let text = encode(&answer).unwrap();
    assert_eq!(text, r#"{"kind":"answer","how":"good","id":"1","x":7}"#);
    let answer: Answer = decode(&text).unwrap();
    assert_eq!(
        decode_response::<WhereRequest>(&answer).unwrap(),
        Place::new(7)
    );
    let wrong: Answer = decode(text.replace("7", "true")).unwrap();
    let Err(ControlError::Decode(error)) = decode_response::<WhereRequest>(&wrong) else {
        panic!("it is no place")
    };
    assert_eq!((error.code, &*error.path), (Code::WrongType, "/x"));
    let nothing = wrap_response::<LookRequest>("1", &Look::new()).unwrap();
    let nothing: Answer = decode(encode(&nothing).unwrap()).unwrap();
    assert_eq!(
        decode_response::<LookRequest>(&nothing).unwrap(),
        Look::new()
    );
    assert_eq!(decode_response::<NearRequest>(&nothing).unwrap(), None);
    assert_eq!(decode_response::<StopRequest>(&nothing), Ok(()));
    let bad: Answer = decode(r#"{"kind":"answer","how":"bad","id":"1","why":"."}"#).unwrap();
    let error = decode_response::<WhereRequest>(&bad).unwrap_err();
    assert_eq!(error.to_string(), "the request was refused: .");
    let Exchange::Ask(asked) =
        decode(r#"{"kind":"ask","id":"4","what":"where","of":"y"}"#).unwrap()
    else {
        panic!("it asks")
    };
    let Asks::WhereRequest(place) = &asked.ask else {
        panic!("it asks where")
    };
    assert_eq!(
        encode(&asked.reply(place, Place::new(7)).unwrap()).unwrap(),
        r#"{"kind":"answer","how":"good","id":"4","x":7}"#
    );
    assert_eq!(
        encode(&asked.refuse("no")).unwrap(),
        r#"{"kind":"answer","how":"bad","id":"4","why":"no"}"#
    );
}
"""

KEYS = ["class", "fn", "self", "extra", "c", "out", "members", "5m", "a'b", 'q"q', "tick`", "r#type", "value"]

HOSTILE: dict[str, Any] = {
    "enums": {"Option": {"doc": "An option.", "open": True, "values": {"Self": "S.", "unknown": "U.", "ok\\\n": "O."}}},
    "types": {"Result": {"doc": "*/ /* [link] <b> http://example.org/a_b) \u2028", "fields": {"some?": "Option"}}},
    "messages": {
        "Odd": {
            "doc": "A */ end, a \\ backslash, a \u202e turn, {{ braces }}, `ticks`, [x](y)\n\n# Head\n\n- a list\n\n\t",
            "from": "a",
            "tag": {"kind": 'it\'s "odd" {x} \\ ` \u2028'},
            "fields": {
                **{name: {"type": "string", "doc": f"{name}: ```"} for name in KEYS},
                **{f"{name}_too?": "integer | null" for name in KEYS},
                **{
                    f"a_rather_long_name_for_a_field_that_is_here_only_to_be_long_{n}?": "map<map<Odd[]>>" for n in "ab"
                },
            },
        },
        "Even": {"doc": "Even.", "from": "b", "tag": {"kind": "even"}, "fields": {"mapping": "map<(string | Odd)[]>"}},
    },
    "unions": {"Line": {"doc": "A line.", "open": True, "by": "kind", "variants": ["Odd", "Even"]}},
}


@third("other protocols in Rust")
def test_names_and_texts_of_any_kind_are_only_names_and_texts(rust: Toolchain, tmp_path: Path) -> None:
    spec = written(tmp_path / "spec", HOSTILE, roots=["Line", "Result"])
    generate(TARGET, model_of(spec), tmp_path / "out")
    accepted(rust, tmp_path / "out")


# --- constructors ----------------------------------------------------------------------------------------------


def test_a_constructor_is_called_what_its_struct_does_not_say_and_is_new_where_it_takes_the_same(
    tmp_path: Path,
) -> None:
    rendered = render(TARGET, make_plan(model_of(written(tmp_path / "spec", SHAPED))))
    made = rendered["src/part.rs"].decode()
    impls = re.findall(r"^impl (\w+) \{\n(.*?)^\}", made, re.MULTILINE | re.DOTALL)
    functions = [(struct, name) for struct, body in impls for name in re.findall(r"pub fn (\w+)\(.*-> Self", body)]
    assert [each for each in functions if each[1] != "new"] == [
        ("RingLine", "create"),
        ("RingLine", "tied"),
        ("Tone", "note"),
        ("Tone", "rest"),
    ]
    assert "methods! {\n    /// A tone by itself.\n    Tone(pitch: Pitch)\n" in made


def test_parameters_of_one_name_are_told_apart(tmp_path: Path) -> None:
    part = {
        "types": {
            "Knot": {"doc": "A knot.", "fields": {"tight": "boolean"}},
            "Body": {"doc": "A body.", "fields": {"size": "integer", "knot": "Knot"}},
        },
        "messages": {
            "Tone": {
                "doc": "A tone.",
                "from": "b",
                "tag": {"kind": "tone"},
                "fields": {"body": "Body", "knot": "Knot"},
                "construct": {"NewSmall": {"doc": "A small one.", "set": {"/body/size": 1}}},
            },
        },
        "unions": {"Line": {"doc": "A line.", "open": True, "by": "kind", "variants": ["Tone"]}},
    }
    made = render(TARGET, make_plan(model_of(written(tmp_path / "spec", part))))["src/part.rs"].decode()
    assert "pub fn small(given: ToneSmall) -> Self {" in made
    assert "    pub knot: Knot,\n    pub knot_2: Knot,\n}" in made


def test_two_constructors_of_one_name_collide(tmp_path: Path) -> None:
    tone = {**SHAPED["messages"]["Tone"], "construct": {"NewNote": {"doc": "A."}, "NewNewNote": {"doc": "B."}}}
    part = {**SHAPED, "messages": {**SHAPED["messages"], "Tone": tone}}
    names = [(n.scope, n.name) for n in TARGET.names(model_of(written(tmp_path / "spec", part)))]
    assert [each for each, count in Counter(names).items() if count > 1] == [
        ("functions of Tone", "note"),
        ("package", "ToneNote"),
    ]


# --- names -----------------------------------------------------------------------------------------------------


def test_names_tell_what_they_would_collide_on() -> None:
    names = list(TARGET.names(model_of(ROOT / "spec")))
    assert not [each for each, count in Counter((n.scope, n.name) for n in names).items() if count > 1]
    assert {"package", "variants of ContentBlock", "fields of TextBlock"} <= {name.scope for name in names}


@pytest.mark.parametrize(
    ("name", "union", "variant"),
    [
        ("TextBlock", "ContentBlock", "Text"),
        ("SystemInitMessage", "SystemMessage", "Init"),
        ("ResultSuccess", "ResultMessage", "Success"),
        ("MessageStartEvent", "RawMessageStreamEvent", "MessageStart"),
        ("PreToolUseHookInput", "HookInput", "PreToolUse"),
        ("Message", "Message", "Message"),
    ],
)
def test_a_variant_does_not_repeat_what_its_union_says(name: str, union: str, variant: str) -> None:
    assert variant_stem(name, union) == variant


@pytest.mark.parametrize(("name", "code"), [("type", "r#type"), ("self", "self_"), ("name", "name")])
def test_a_keyword_is_a_raw_identifier_where_it_can_be(name: str, code: str) -> None:
    assert raw(name) == code


def test_types_that_the_crate_or_the_language_has_are_not_named_again(tmp_path: Path) -> None:
    names = Names(model_of(written(tmp_path / "spec", HOSTILE, roots=["Line", "Result"])))
    assert (names.type("Option"), names.type("Result")) == ("OptionType", "ResultType")


# --- memory ----------------------------------------------------------------------------------------------------


def test_a_struct_is_boxed_by_a_rule_that_no_other_field_decides(tmp_path: Path) -> None:
    """It is boxed in variants and where it may be absent or null, as in every field that leads back to it."""
    types = {"A": {"doc": "A.", "fields": {"b": "B", "bs": "B[]", "own?": "B", "null": "B | null", "hint": "Hint"}}}
    types["B"] = {"doc": "B.", "fields": {"text": "string"}}
    part = {"types": types, "aliases": {"Hint": {"doc": "A hint.", "type": "B | null"}}}

    def shown() -> dict[str, str]:
        model = check(written(tmp_path / str(len(types["B"]["fields"])), part, roots=["A"])).model
        assert model is not None
        shapes = Shapes(model, Names(model))
        return {each.name: shapes.field(each) for each in model.struct("A").wire_fields}

    before = shown()
    assert before == {
        "b": "B",
        "bs": "Vec<B>",
        "own": "Option<Box<B>>",
        "null": "Option<Box<B>>",
        "hint": "Box<Hint>",
    }
    types["B"]["fields"] |= {"back?": "A", **{f"more{at}?": "string" for at in range(50)}}
    assert shown() == before


# --- modules ---------------------------------------------------------------------------------------------------


def parts(folder: Path, **files: dict[str, Any]) -> Model:
    """The model of a spec with the given files of types."""
    folder.mkdir()
    protocol = {"name": "p", "title": "P", "version": "1.0.0", "framing": "ndjson", "peers": ["a", "b"]}
    roots = [name for types in files.values() for name in types]
    main = {"polywire": 1, "protocol": {**protocol, "roots": roots}, "parts": [f"{name}.yaml" for name in files]}
    for name, contents in {**{name: {"types": types} for name, types in files.items()}, "protocol": main}.items():
        (folder / f"{name}.yaml").write_text(yaml.safe_dump(contents), encoding="utf-8")
    return model_of(folder)


def test_a_new_use_of_an_inline_type_takes_its_name_from_no_module(tmp_path: Path) -> None:
    """It is declared in the module that first uses it, and its name is in every module whose types use it."""
    fields = {"limits": "string[] | integer | (boolean | integer)[]", "ones": '"x"[]'}
    cup = {"Cup": {"doc": "A cup.", "fields": fields}}
    jar = {"Jar": {"doc": "A jar.", "fields": {"size": "integer"}}}
    grown = {"Jar": {"doc": "A jar.", "fields": {"size": "integer", **{f"{name}?": fields[name] for name in fields}}}}
    old, new = (
        {each.name for each in TARGET.api_surface(make_plan(parts(tmp_path / name, goods=goods, wares=cup)))}
        for name, goods in (("old", jar), ("new", grown))
    )
    assert old <= new
    assert {name for name in new if name.endswith("::LiteralX")} == {"goods::LiteralX", "wares::LiteralX"}
    assert {name for name in old if name.endswith("::LiteralX")} == {"wares::LiteralX"}


def test_a_type_in_another_module_is_a_break(tmp_path: Path) -> None:
    jar = {"Jar": {"doc": "A jar.", "fields": {"size": "integer"}}}
    [found] = find(parts(tmp_path / "old", goods=jar), parts(tmp_path / "new", wares=jar))
    assert (found.rule.id, found.languages) == ("code-name-changed", ("rust",))
    assert "`goods::Jar` → `wares::Jar`" in found.message


# --- layout ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ['"', "\\", "`", "\u202e", "\x00", "\n", "\U0001f600", "é"])
def test_literals_hide_nothing_and_end_nothing(text: str) -> None:
    shown = quoted(f"a{text}b")
    assert shown.isprintable()
    assert re.fullmatch(r'"(?:[^"\\]|\\["\\nrt]|\\u\{[0-9a-f]+\})*"', shown)


def test_a_key_is_spelt_as_json_spells_it() -> None:
    assert key('a"b\\\n\x01é') == r'"a\\\"b\\\\\\n\\u0001é"'


def test_comments_are_wrapped_and_never_begin_a_list_a_heading_or_a_link() -> None:
    lines = doc(("word " * 19 + "- no item ") * 3).split("\n")
    assert len(lines) > 2
    assert all(line.startswith("/// ") and not line.startswith("/// - ") and len(line) <= 100 for line in lines)
    assert doc("One.\n\nTwo.", 4) == "/// One.\n    ///\n    /// Two."
    assert doc("# One") == "/// \\# One"
    assert prose("a [b] <c> `[d]` http://example.org/x.") == "a \\[b\\] \\<c\\> `[d]` <http://example.org/x>."


def test_a_signature_is_broken_where_it_does_not_fit() -> None:
    assert signature("pub fn new", ["a: i64"], " -> Self {") == "    pub fn new(a: i64) -> Self {"
    assert signature("pub fn new", ["a" * 90, "b"], " {", 0) == f"pub fn new(\n    {'a' * 90},\n    b,\n) {{"


def test_comments_tell_of_history() -> None:
    assert description(About(doc="A box.", deprecated="Use two.")) == "A box.\n\nDeprecated: Use two."
    assert description(About()) is None


# --- responses -------------------------------------------------------------------------------------------------

BURIED: dict[str, Any] = {
    "types": {
        "Look": {"doc": "What can be seen.", "fields": {"far": "boolean"}},
        "Good": {"doc": "Good.", "tag": {"how": "done", "well": True}, "fields": {"answer?": "object | null"}},
        "Poor": {"doc": "Poor.", "tag": {"how": "done"}, "fields": {"why": "string"}},
        "Bad": {"doc": "Bad.", "tag": {"how": "bad"}, "fields": {"why": "string"}},
    },
    "messages": {
        "Ask": {"doc": "A request.", "from": "a", "tag": {"kind": "ask"}, "fields": {"id": "string", "ask": "Asks"}},
        "Answer": {
            "doc": "An answer.",
            "from": "b",
            "tag": {"kind": "answer"},
            "fields": {"id": "string", "outcome?": "Outcome | null"},
        },
    },
    "unions": {
        "Line": {"doc": "A line.", "open": True, "by": "kind", "variants": ["Ask", "Answer"]},
        "Asks": {"doc": "What is asked.", "open": True, "by": "what"},
        "Outcome": {"doc": "How it went.", "open": True, "by": "how", "variants": ["Done", "Bad"]},
        "Done": {"doc": "It was done.", "open": False, "by": "well", "variants": ["Good", "Poor"]},
    },
    "controls": {"look": {"doc": "What there is.", "from": "a", "request": {}, "response": "Look"}},
}
"""The responses are in a nested union, below a field that may be absent or null."""

BURIED_CONTROL = {
    "request": {"envelope": "Ask", "id": "/id", "payload": "/ask", "by": "what"},
    "response": {"envelope": "Answer", "id": "/id", "result": "/outcome/answer"},
    "error": {"envelope": "Answer", "id": "/id", "message": "/outcome/why", "when": {"/outcome/how": "bad"}},
}


@third("other protocols in Rust")
def test_an_answer_is_found_in_nested_unions_and_optional_fields(rust: Toolchain, tmp_path: Path) -> None:
    spec = written(tmp_path / "spec", BURIED, control=BURIED_CONTROL)
    out = generate(TARGET, model_of(spec), tmp_path / "out")
    forms = (out / "src" / "pairs.rs").read_text("utf-8").partition("    error Answer [] {\n")[2]
    assert [line.strip() for line in forms.splitlines()[:7]] == [
        "id [. id];",
        "message [~ outcome { Bad [. why], }];",
        "}",
        "response Answer [] {",
        "id [. id];",
        "result [~ outcome { Good [~ answer], }];",
        "}",
    ]
    accepted(rust, out)


FLAT: dict[str, Any] = {
    "types": {"Look": {"doc": "What can be seen.", "fields": {"far": "boolean"}}},
    "messages": {
        "Ask": {"doc": "A request.", "from": "a", "tag": {"kind": "ask"}, "fields": {"id": "integer", "ask": "Asks"}},
        "Answer": {
            "doc": "An answer.",
            "from": "b",
            "tag": {"kind": "answer"},
            "fields": {"id": "integer", "seen?": "json", "why?": "string"},
        },
    },
    "unions": {
        "Line": {"doc": "A line.", "open": True, "by": "kind", "variants": ["Ask", "Answer"]},
        "Asks": {"doc": "What is asked.", "open": True, "by": "what"},
    },
    "controls": {"look": {"doc": "What there is.", "from": "a", "request": {}, "response": "Look"}},
}
"""Responses are beside the messages of errors in the envelope, and ids are counted."""

FLAT_CONTROL = {
    "ids": {"draw": "counter"},
    "request": {"envelope": "Ask", "id": "/id", "payload": "/ask", "by": "what"},
    "response": {"envelope": "Answer", "id": "/id", "result": "/seen"},
    "error": {"envelope": "Answer", "id": "/id", "message": "/why"},
}


@third("other protocols in Rust")
def test_a_message_that_refuses_may_stand_in_the_envelope(rust: Toolchain, tmp_path: Path) -> None:
    out = generate(TARGET, model_of(written(tmp_path / "spec", FLAT, control=FLAT_CONTROL)), tmp_path / "out")
    text = (out / "src" / "pairs.rs").read_text("utf-8")
    assert "message [? why];" in text
    assert "    id i64;\n" in text
    assert "    id Rule::Integer, integer;\n" in text
    accepted(rust, out)


TOLD: dict[str, Any] = {
    "enums": {
        "Reason": {"doc": "Why not.", "open": True, "values": {"far": "Too far.", "busy": "Busy.", "odd": "Unknown."}}
    },
    "types": {
        "Place": {"doc": "Where something is.", "fields": {"x": "integer"}},
        "Fault": {"doc": "A fault.", "fields": {"text": "string", "code": "Reason", "data?": "object | null"}},
    },
    "messages": {
        "Ask": {"doc": "A request.", "from": "a", "tag": {"kind": "ask"}, "fields": {"id": "string", "ask": "Asks"}},
        "Answer": {
            "doc": "A response.",
            "from": "b",
            "tag": {"kind": "answer"},
            "fields": {"id": "string", "ok": "boolean", "seen?": "object", "fault?": "Fault | null"},
        },
        "Stop": {"doc": "Never mind.", "from": "a", "tag": {"kind": "stop"}, "fields": {"which": "string"}},
    },
    "unions": {
        "Line": {"doc": "A line.", "open": True, "by": "kind", "variants": ["Ask", "Answer", "Stop"]},
        "Asks": {"doc": "What is asked.", "open": True, "by": "what"},
    },
    "controls": {
        "look": {"doc": "What there is.", "from": "a", "request": {}, "response": "Place", "error": "Place"},
        "wait": {"doc": "Nothing to see.", "from": "a", "request": {}, "response": "Place | none"},
    },
}
"""Fields distinguish the forms of the envelope, codes are an enum, data is an object; a separate message cancels."""

TOLD_CONTROL = {
    "ids": {"draw": "counter", "prefix": "r-"},
    "request": {"envelope": "Ask", "id": "/id", "payload": "/ask", "by": "what"},
    "response": {"envelope": "Answer", "id": "/id", "result": "/seen", "when": {"/ok": True}},
    "error": {
        "envelope": "Answer",
        "id": "/id",
        "message": "/fault/text",
        "code": "/fault/code",
        "data": "/fault/data",
        "when": {"/ok": False},
        "codes": {"refused": "busy", "unknown": "odd"},
        "types": {"far": "Place"},
    },
    "cancel": {"envelope": "Stop", "id": "/which", "answered": True},
}

TOLD_USER = """use told::part::*;
use told::*;

const FAR: &str = r#"{"kind":"answer","id":"1","ok":false,"fault":{"text":"x","code":"far","data":{"x":1}}}"#;

fn answer(text: &str) -> Answer {
    decode(text).unwrap()
}

#[test]
fn ids_are_counted_texts() {
    assert!(new_request_id().starts_with("r-"));
    assert_ne!(new_request_id(), new_request_id());
}

#[test]
fn fields_tell_the_forms_of_an_envelope() {
    let place = Place::new(1);
    let request = wrap_request("1", LookRequest::new());
    let good = request.reply(&LookRequest::new(), place.clone()).unwrap();
    let text = r#"{"kind":"answer","id":"1","ok":true,"seen":{"x":1}}"#;
    assert_eq!(encode(&good).unwrap(), text);
    let read = decode_response::<LookRequest>(&Line::from(good.clone()));
    assert_eq!(read, Ok(place));
    let none = answer(r#"{"kind":"answer","id":"1","ok":true}"#);
    let missing = decode_response::<LookRequest>(&none).unwrap_err();
    assert_eq!(missing, ControlError::Missing);
    assert_eq!(decode_response::<WaitRequest>(&none), Ok(None));
    let neither = answer(r#"{"kind":"answer","id":"1","ok":false,"seen":{"x":1}}"#);
    let missing = decode_response::<LookRequest>(&neither).unwrap_err();
    assert_eq!(missing, ControlError::Missing);
}

#[test]
fn data_has_the_type_of_its_code() {
    let Err(ControlError::Refused { code, data, .. }) = decode_response::<WaitRequest>(&answer(FAR))
    else {
        panic!("it is an error")
    };
    assert_eq!(code, Some(Reason::Far));
    assert_eq!(data, Some(ErrorData::Place(Box::new(Place::new(1)))));
}

#[test]
fn a_refusal_has_data_that_its_envelope_can_hold() {
    let request = wrap_request("1", WaitRequest::new());
    let far = Refusal::new("x").code(Reason::Far);
    let refused = request.refuse(far.clone().data(&Place::new(1)).unwrap());
    assert_eq!(encode(&refused.unwrap()).unwrap(), FAR);
    let error = request.refuse(far.data(&7_i64).unwrap()).unwrap_err();
    assert_eq!((error.code, &*error.path), (Code::WrongType, "/fault/data"));
    let busy = encode(&request.refuse("x").unwrap()).unwrap();
    assert!(busy.ends_with(r#""ok":false,"fault":{"text":"x","code":"busy"}}"#));
    let Line::Ask(odd) = decode(r#"{"kind":"ask","id":"1","ask":{"what":"x"}}"#).unwrap() else {
        panic!("it is a request")
    };
    let odd = encode(&odd.refuse("x").unwrap()).unwrap();
    assert!(odd.ends_with(r#""code":"odd"}}"#), "{odd}");
}

#[test]
fn a_message_of_its_own_cancels() {
    let stop = wrap_request("1", WaitRequest::new()).cancel();
    assert_eq!(encode(&stop).unwrap(), r#"{"kind":"stop","which":"1"}"#);
}
"""


@third("other protocols in Rust")
def test_fields_may_tell_the_forms_of_an_envelope(rust: Toolchain, tmp_path: Path) -> None:
    out = generate(
        TARGET, model_of(written(tmp_path / "spec", TOLD, name="told", control=TOLD_CONTROL)), tmp_path / "out"
    )
    manifest = (out / "Cargo.toml").read_text("utf-8").replace("shapes-and-lines", "told")
    (out / "Cargo.toml").write_text(manifest, encoding="utf-8")
    (out / "tests").mkdir()
    (out / "tests" / "user.rs").write_text(TOLD_USER, encoding="utf-8")
    done = rust.run("cargo", "test", "--quiet", "--test", "user", cwd=out)
    assert done.returncode == 0, done.stdout + done.stderr


# --- forms of types --------------------------------------------------------------------------------------------

FORMED: dict[str, Any] = {
    "aliases": {
        "Nest": {"doc": "Lists of lists.", "type": "Nest[]"},
        "Chain": {"doc": "A number, and the rest if there is one.", "type": "[integer, Chain | null]"},
        "There": {"doc": "Into another alias.", "type": "map<Back>"},
        "Back": {"doc": "And back.", "type": "There[]"},
    },
    "types": {"Point": {"doc": "A place.", "fields": {"x": "integer"}}},
    "messages": {
        "Tone": {
            "doc": "A tone.",
            "from": "a",
            "tag": {"kind": "tone"},
            "fields": {
                "long?": "[integer, integer, integer, integer, integer, integer, integer, integer, integer, integer, "
                "integer, integer, Point | null]",
                "chain?": "Chain",
                "nest?": "Nest",
                "there?": "There",
                "one?": '"a b"',
                "other?": '"a-b"',
                "empty?": '""',
                "number?": '"number" | integer',
                "plain?": "string | integer",
                "nullable?": "(string | integer | null)[]",
                "pair?": {"type": "[integer, Point[] | null]", "default": [1, None]},
                "all?": {"type": '"all" | string[]', "default": "all"},
                "none?": {"type": '"none" | null', "default": "none"},
                "self?": '"Self" | 0',
            },
        },
    },
    "unions": {"Line": {"doc": "A line.", "open": True, "by": "kind", "variants": ["Tone"]}},
    "tools": {
        "look": {"doc": "Looks.", "input": "string | Point", "output": 'Point | Point[] | "nothing" | null'},
        "l*": {"doc": "More.", "output": "[Point, integer]"},
    },
}
"""Tuples, literals and recursive aliases that are special cases because of their names or sizes."""

FORMED_USER = """use shapes_and_lines::part::*;
use shapes_and_lines::*;

fn tone(members: &str) -> Tone {
    let text = format!(r#"{{"kind":"tone",{members}}}"#);
    let tone: Tone = decode_with(&text, Mode::Strict).unwrap();
    assert_eq!(encode(&tone).unwrap(), text);
    tone
}

#[test]
fn a_long_tuple_is_one_list() {
    let long = tone(r#""long":[1,2,3,4,5,6,7,8,9,10,11,12,{"x":13}]"#).long.unwrap();
    let (last, thirteenth) = &long.11 .0;
    assert_eq!((long.10, *last), (11, 12));
    assert_eq!(thirteenth.as_ref().unwrap().x, 13);
}

#[test]
fn aliases_contain_themselves() {
    assert_eq!(tone(r#""nest":[[],[[]]]"#).nest.unwrap().0.len(), 2);
    let chain = tone(r#""chain":[1,[2,null]]"#).chain.unwrap();
    assert_eq!(chain.0 .1, Some(Box::new(Chain((2, None)))));
    tone(r#""there":{"a":[{}]}"#);
    assert_eq!(decode::<Nest>("[[]]").unwrap(), vec![Nest(vec![])].into());
    let fault = decode::<There>(r#"{"a":[{"b":1}]}"#).unwrap_err();
    assert_eq!(fault.path, "/a/0/b");
}

#[test]
fn literals_have_names_of_their_own() {
    let tone = tone(r#""one":"a b","other":"a-b","empty":"","number":"number","self":"Self""#);
    assert_eq!((tone.one, tone.other), (Some(LiteralAB), Some(LiteralAB2)));
    assert_eq!(tone.empty, Some(LiteralEmpty));
    assert_eq!(tone.number, Some(NumberOrInteger::Number));
    assert_eq!(tone.self_, Some(SelfOrValue0::SelfValue));
}

#[test]
fn null_makes_another_inline_union() {
    let tone = tone(r#""plain":1,"nullable":["a",null,1]"#);
    assert_eq!(tone.plain, Some(TextOrInteger::Number(1)));
    assert_eq!(tone.nullable.unwrap()[1], TextOrIntegerOrNull::Null);
}

#[test]
fn tuples_and_literals_are_defaults() {
    let line = encode(&Tone::new()).unwrap();
    assert_eq!(line, r#"{"kind":"tone","pair":[1,null],"all":"all","none":"none"}"#);
}

#[test]
fn a_tool_takes_and_gives_values_of_every_form() {
    let output = |name: &str, text: &str| ToolOutput::decode(name, &Json::parse(text).unwrap());
    let nothing = output("look", "\\"nothing\\"").unwrap();
    assert_eq!(nothing, Some(ToolOutput::Look(PointOrPointListOrNothingOrNull::Nothing)));
    let Some(ToolOutput::L(pair)) = output("less", r#"[{"x":1},2]"#).unwrap() else {
        panic!("it is a pair")
    };
    assert_eq!(pair.1, 2);
    assert_eq!(output("more", "1"), Ok(None));
    let input = Object::from([("x", 1)]);
    let Some(ToolInput::Look(TextOrPoint::Object(point))) = ToolInput::decode("look", &input).unwrap() else {
        panic!("it is a point")
    };
    assert_eq!(point.x, 1);
}
"""


@third("other protocols in Rust")
def test_forms_of_types_have_names_and_sizes(rust: Toolchain, tmp_path: Path) -> None:
    out = generate(TARGET, model_of(written(tmp_path / "spec", FORMED)), tmp_path / "out")
    (out / "tests").mkdir()
    (out / "tests" / "user.rs").write_text(FORMED_USER, encoding="utf-8")
    done = rust.run("cargo", "test", "--quiet", "--test", "user", cwd=out)
    assert done.returncode == 0, done.stdout + done.stderr


def test_an_arm_of_a_match_breaks_after_the_pattern_or_within_it() -> None:
    value, long = chain('"v"', ".into()"), "V" * 60
    assert arm("A::B(_)", value, 8) == '        A::B(_) => "v".into(),'
    assert arm(f"A::{long}(_)", chain(f'"{"v" * 60}"', ".into()"), 8).split("\n") == [
        f"        A::{long}(_) => {{",
        f'            "{"v" * 60}".into()',
        "        }",
    ]
    assert arm("A::B(_)", chain(f'"{"v" * 80}"', ".into()"), 8).split("\n") == [
        "        A::B(_) => {",
        f'            "{"v" * 80}"',
        "                .into()",
        "        }",
    ]
    assert arm(f"A::B({long}::C(V))", value, 30).split("\n")[0] == f"{' ' * 30}A::B("
    assert arm(f"A::B({long}::C(V))", value, 24).split("\n")[1:] == [f"{' ' * 28}V,", f'{" " * 24})) => "v".into(),']
