"""The unit tests of the Rust runtime detect faults planted in it, each a line or two; a run plants a sample of them."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

import sampling
import toolchain
from toolchain import Toolchain, alone_in

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
        "return Err(missing(key.text()));\n                }\n                Member::Constant(constant) =>",
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
    "lets one level more pass": ("tape.rs", "self.depth == self.levels", "self.depth == self.levels + 1"),
    "lets long integers pass": ("tape.rs", "if whole && is_too_long(&self.text", "if false && is_too_long(&self.text"),
    "keeps white space in untouched JSON": ("tape.rs", "if self.spaces != node.length {", "if false {"),
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
        "declared.is_some_and(|number| !self.absent[absent..].contains(&number))",
        "declared.is_some_and(|_| false)",
    ),
    "writes extra members of the wrong type": (
        "out.rs",
        "(None, Some(rule)) => engine::check(PLAN, rule, json.text()),",
        "(None, Some(_)) => Ok(()),",
    ),
    "writes an Unknown that a variant claims": (
        "out.rs",
        "match engine::check(PLAN, &Rule::Named(place), raw.text()) {",
        "match engine::check(PLAN, &Rule::Json, raw.text()) {",
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
        "How::Loose | How::Three => some_answer(payload, none),",
        'How::Loose | How::Three => some_answer(payload, Some("null")),',
    ),
    "takes a number for a text of the same digits": (
        "session.rs",
        "match text.parse::<f64>() {",
        "match text.trim_matches('\"').parse::<f64>() {",
    ),
    "counts ids that are pending": ("session.rs", "if !self.pending.contains(&Key::of(&id)) {", "if true {"),
    "spends an id on what fails": (
        "session.rs",
        "let line = self.send(id.clone(), request.into())?;\n        self.drawn = drawn;",
        "self.drawn = drawn;\n        let line = self.send(id.clone(), request.into())?;",
    ),
    "asks twice under an id": (
        "session.rs",
        "if self.pending.contains(&key) {\n            return Err",
        "if false {\n            return Err",
    ),
    "sends what only the peer sends": (
        "session.rs",
        "Some(from) if from.is_none_or(|peer| peer == self.peer) => Ok(()),",
        "Some(_) => Ok(()),",
    ),
    "answers what only this side sends": (
        "session.rs",
        ".filter(|known| known.from != Some(self.peer))",
        "",
    ),
    "calls what is late repeated": ("session.rs", "true => Stray::Late,", "true => Stray::Repeated,"),
    "remembers an id that is used again": (
        "session.rs",
        "        self.gone.remove(&key);\n        let sent",
        "        let sent",
    ),
    "forgets one id too early": (
        "session.rs",
        "if self.gone.len() > REMEMBERED {",
        "if self.gone.len() >= REMEMBERED {",
    ),
    "forgets no id": ("session.rs", "if self.gone.len() > REMEMBERED {", "if false {"),
    "answers a request twice": (
        "session.rs",
        "        self.unanswered.remove(&key);\n        Ok(line)",
        "        Ok(line)",
    ),
    "takes a request under an id in use": (
        "session.rs",
        "if self.unanswered.contains(&key) {\n            return Taken::Stray",
        "if false {\n            return Taken::Stray",
    ),
    "leaves a cancelled request unanswered": (
        "session.rs",
        "false => self.unanswered.remove(key),",
        "false => self.unanswered.get(key).cloned(),",
    ),
    "leaves unknown requests without an answer": (
        "session.rs",
        "let line = Protocol::refusal(request.id().clone(), UNKNOWN);",
        "let line = None;",
    ),
    "takes any result for one that fits": (
        "session.rs",
        "text.map_or(Ok(()), |text| engine::check(PLAN, &known.rule, &text))",
        "text.map_or(Ok(()), |_| Ok(()))",
    ),
    "writes any result": (
        "session.rs",
        "        engine::check(PLAN, &known.new.1, json.text()).map_err(EncodeError::of)?;\n",
        "        let _ = engine::check(PLAN, &known.new.1, json.text());\n",
    ),
    "gives an answer to another request": (
        "session.rs",
        "if !R::is_held_by(self.request.payload()) {",
        "if false {",
    ),
    "writes NaN": ("out.rs", "if !number.is_finite() {", "if false {"),
    "counts no levels when writing": ("out.rs", "self.is_deep |= self.depth > MAX_DEPTH;", ""),
    "reads the key of exact numbers anywhere": (
        "interop.rs",
        "key == Passed::Borrowed && is_owned",
        "true || key == Passed::Borrowed && is_owned",
    ),
}
"""Name → file, a text that occurs there once, and its replacement."""

PLANTED = 4
"""How many of them a run plants; `make test-nightly` plants all."""


def test_every_text_that_a_fault_changes_occurs_once() -> None:
    sources = {file: (RUNTIME / "src" / file).read_text("utf-8") for file, _, _ in FAULTS.values()}
    assert [name for name, (file, old, _) in FAULTS.items() if sources[file].count(old) != 1] == []


@sampling.turn("faults in the runtime of Rust")
@pytest.mark.xdist_group("cargo")
def test_every_planted_fault_is_noticed(rust: Toolchain) -> None:
    # a fault changes little, so that most of what was compiled before it is still valid
    rust = replace(rust, variables={**rust.variables, "CARGO_INCREMENTAL": "1"})
    folder = toolchain.RUST_HOME / "planted"  # the same in each run, or Cargo would keep the builds of all runs
    unnoticed = []
    with alone_in(folder):
        crate = Path(shutil.copytree(RUNTIME, folder / "rust", copy_function=shutil.copyfile, dirs_exist_ok=True))
        for name, (file, old, new) in sampling.sample([*FAULTS.items()], PLANTED):
            source = (RUNTIME / "src" / file).read_text("utf-8")
            (crate / "src" / file).write_text(source.replace(old, new), "utf-8")
            done = rust.run("cargo", "test", "--offline", "--locked", "--quiet", "--lib", cwd=crate)
            assert "running " in done.stdout, f"{name}: {done.stderr}"  # it compiles
            if done.returncode == 0:
                unnoticed.append(name)
            (crate / "src" / file).write_text(source, "utf-8")
    assert unnoticed == []
