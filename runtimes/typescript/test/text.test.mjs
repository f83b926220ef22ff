import assert from "node:assert/strict";
import { test } from "node:test";

import { checkDepth, checkDigits, parsed, stringOf } from "../src/text.js";
import { fault } from "./sample.mjs";

const digits = (count) => "7".repeat(count);

test("bytes are UTF-8, and nothing is stripped from them", () => {
  assert.equal(stringOf(new TextEncoder().encode("→ 😀")), "→ 😀");
  assert.equal(stringOf(new Uint8Array([0xef, 0xbb, 0xbf, 0x31])), "\ufeff1");
  assert.deepEqual(
    fault(() => stringOf(new Uint8Array([0x22, 0xff, 0x22]))),
    ["invalid_utf8", ""],
  );
  assert.throws(() => stringOf(42), TypeError);
});

test("what is not JSON is refused", () => {
  for (const text of ["", "{", "NaN", "[1,]", "1 2", "\ufeff1", "01", "'a'", '"\n"']) {
    assert.deepEqual(
      fault(() => parsed(text)),
      ["invalid_json", ""],
      text,
    );
  }
});

test("129 levels are too deep, whatever they consist of and wherever they are", () => {
  const nested = {
    arrays: (levels) => "[".repeat(levels) + "]".repeat(levels),
    objects: (levels) => `${'{"":'.repeat(levels - 1)}{}${"}".repeat(levels - 1)}`,
    both: (levels) => `${'[{"k":'.repeat(levels / 2)}0${"}]".repeat(levels / 2)}`.replace("0", levels % 2 ? "[]" : "0"),
    overwritten: (levels) => `{"a":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)},"a":0}`,
    "after brackets in strings": (levels) => `["[[[[\\"{{{{",${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}]`,
    "before much text": (levels) => `[${"[".repeat(levels - 1)}${"]".repeat(levels - 1)},"${"y".repeat(1000)}"]`,
  };
  for (const [how, text] of Object.entries(nested)) {
    assert.equal(checkDepth(text(128)), undefined, how);
    assert.deepEqual(
      fault(() => checkDepth(text(129))),
      ["too_deep", ""],
      how,
    );
  }
});

test("an integer of more than 4,300 digits is refused, wherever it is", () => {
  for (const put of [(n) => n, (n) => `-${n}`, (n) => `{"a":[0,${n} ],"b":1}`, (n) => `["\\"",${n}]`]) {
    assert.equal(checkDigits(put(digits(4300))), undefined);
    assert.deepEqual(
      fault(() => checkDigits(put(digits(4301)))),
      ["out_of_range", ""],
    );
  }
});

test("digits of strings, fractions and exponents make no long integer", () => {
  const many = digits(5000);
  for (const text of [`"${many}"`, `${many}.0`, `0.${many}`, `1e${many}`, `1E+${many}`, `${many}e-1`, `"\\"${many}"`]) {
    assert.equal(checkDigits(text), undefined, text.slice(0, 10));
  }
});

test("looking for long integers takes time in proportion to the text", () => {
  const steps = (text) => {
    let count = 0;
    const counting = {
      length: text.length,
      indexOf: text.indexOf.bind(text),
      charCodeAt: (at) => (count++, text.charCodeAt(at)),
    };
    checkDigits(counting);
    return count;
  };
  const text = (times) => `[${Array(times).fill(digits(4300)).join()}]`;
  assert.equal(steps(text(20)) < 2.2 * steps(text(10)), true);
});
