"""The unit tests of the Rust runtime notice faults that are planted in it, a line or two each."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import toolchain
from toolchain import Toolchain

RUNTIME = toolchain.ROOT / "runtimes" / "rust"

FAULTS: dict[str, tuple[str, str, str]] = {
    "keeps the first of duplicate members": (
        "engine.rs",
        "            self.found[found + place] = value;\n        }\n        if self",
        "            self.found[found + place] = self.found[found + place].min(value);\n        }\n        if self",
    ),
    "takes the first of duplicate tags": (
        "tape.rs",
        "                found = Some(value);",
        "                found = found.or(Some(value));",
    ),
    "accepts missing constants": (
        "engine.rs",
        "return Err(missing(key));\n                }\n                Member::Constant(constant) =>",
        "continue;\n                }\n                Member::Constant(constant) =>",
    ),
    "tolerates in strict mode": (
        "engine.rs",
        "        if self.strict {\n            return Err(fault(code, message(&self.tape)));",
        "        if false {\n            return Err(fault(code, message(&self.tape)));",
    ),
    "does not look at formats in strict mode": (
        "engine.rs",
        "(self.strict || self.trail.is_some()) && !fits",
        "self.trail.is_some() && !fits",
    ),
    "ignores bounds of arrays": ("engine.rs", "if (low..=high).contains(&count) {", "if low <= high {"),
    "lets one level more pass": ("tape.rs", "self.open.len() == MAX_DEPTH", "self.open.len() == MAX_DEPTH + 1"),
    "lets long integers pass": ("tape.rs", "if whole && is_too_long(&self.text", "if false && is_too_long(&self.text"),
    "keeps white space in untouched JSON": ("tape.rs", "if self.spaces != open.spaces {", "if false {"),
    "keeps duplicate keys in untouched JSON": ("tape.rs", "flags |= TWICE;", "flags |= 0;"),
    "lets untouched numbers overflow": (
        "tape.rs",
        "Token::Number if self.overflows(node) =>",
        "Token::Number if false && self.overflows(node) =>",
    ),
    "forgets an Unknown for a tag that only matches a pattern": (
        "engine.rs",
        "choice.doubt = Some(*key);",
        "choice.doubt = None;",
    ),
    "writes extra members over declared ones": (
        "out.rs",
        "declared.is_some_and(|number| !absent.contains(&number))",
        "declared.is_some_and(|_| false)",
    ),
    "writes extra members of the wrong type": (
        "out.rs",
        "(None, Some(rule)) => engine::check(rule, json.text()),",
        "(None, Some(_)) => Ok(()),",
    ),
    "writes an Unknown that a variant claims": (
        "out.rs",
        "match engine::check(&Rule::Named(place), raw.text()) {",
        "match engine::check(&Rule::Json, raw.text()) {",
    ),
    "writes values of a sibling variant": (
        "out.rs",
        "if claimed.iter().any(is) || begins(text, prefixes) =>",
        "if claimed.iter().any(|_| false) && begins(text, prefixes) =>",
    ),
    "takes tuples of any length": ("engine.rs", "if count == rules.len() {", "if count < usize::MAX {"),
    "ignores bounds of scalars": ("engine.rs", "if (low..=high).contains(&size) {", "if low <= high || size > 0.0 {"),
    "takes any value of a literal's kind": (
        "engine.rs",
        "if scalar.kind() != wide_kind(self.tape.token(at)) {",
        "if scalar.kind() == wide_kind(self.tape.token(at)) {\n            return Ok(());\n        } else {",
    ),
    "repairs in strict mode": ("engine.rs", "if value == NOWHERE || self.strict {", "if value == NOWHERE {"),
    "repairs what no double holds": (
        "engine.rs",
        "matches!(repair, Repair::Skip) || self.look_through(value).is_err()",
        "matches!(repair, Repair::Skip)",
    ),
    "keeps items that no double holds": (
        "engine.rs",
        "Err(fault) if self.look_through(each).is_err() => return Err(fault),",
        "Err(fault) if fault.code == Code::TooLong => return Err(fault),",
    ),
    "keeps what does not fit behind all others": (
        "engine.rs",
        "self.members.insert(base + before, (name, value));",
        "self.members.insert(base.max(base + before).max(self.members.len()), (name, value));",
    ),
    "takes any text for one with a prefix": (
        "engine.rs",
        " && !self.begins(value, prefix) {",
        " && prefix.is_empty() {",
    ),
    "gives data the type of another code": ("controls.rs", "if crate::controls::is(code, &$when) {", "if true {"),
    "reads null as no answer": (
        "controls.rs",
        "match crate::controls::some_answer($payload, $none) {",
        'match crate::controls::some_answer($payload, Some("null")) {',
    ),
    "writes NaN": ("out.rs", "if !number.is_finite() {", "if false {"),
    "counts no levels when writing": ("out.rs", "self.is_deep |= self.depth > MAX_DEPTH;", ""),
    "reads the key of exact numbers anywhere": (
        "interop.rs",
        'std::any::type_name::<A>() == "serde_json::number::NumberDeserializer"',
        "true",
    ),
}
"""Name → file, what stands there once, and what the fault puts in its place."""

pytestmark = [pytest.mark.full, pytest.mark.xdist_group("cargo")]


def test_every_planted_fault_is_noticed(rust: Toolchain, tmp_path: Path) -> None:
    crate = tmp_path / "rust"
    shutil.copytree(RUNTIME, crate)
    unnoticed = []
    for name, (file, old, new) in FAULTS.items():
        source = (RUNTIME / "src" / file).read_text("utf-8")
        assert source.count(old) == 1, name
        (crate / "src" / file).write_text(source.replace(old, new), "utf-8")
        build = rust.run("cargo", "test", "--offline", "--locked", "--quiet", "--lib", "--no-run", cwd=crate)
        assert build.returncode == 0, f"{name}: {build.stderr}"
        if rust.run("cargo", "test", "--offline", "--locked", "--quiet", "--lib", cwd=crate).returncode == 0:
            unnoticed.append(name)
        (crate / "src" / file).write_text(source, "utf-8")
    assert unnoticed == []
