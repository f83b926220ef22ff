/**
 * The engine: types as values, each with a check that is compiled when it is first needed.
 *
 * A protocol's table is a module with a constant for each type, created with the functions of this module. References
 * to other types are in functions, so that types may refer to each other in any order, and a bundler keeps only those
 * that are reached.
 *
 *     struct(name, () => [member, …], extra)    extra: the type of undeclared members
 *     flat(name, () => [member, …], extra)      the same with members that are flattened into it
 *     union(name, open, () => dispatch)
 *     enumeration(name, base, open, values, members)    base is "string" or "integer"
 *     alias(name, () => type)
 *
 *     member    [key, type, flags]              flags: REQUIRED | NULLABLE | FLATTEN
 *               [key, type, flags, claimed, prefixes]
 *                                               claimed, prefixes: values and prefixes of sibling variants
 *               [key, text, flags]              a tag, or another member with one value: a text; others are literal(…)
 *     dispatch  a struct, or a union that decides further
 *               unknown: the name of the union's Unknown; false if the union is closed
 *               byTag(unknown, key, [[value, dispatch], …], [[pattern, struct], …], dispatch if absent,
 *                     [[prefix, dispatch], …])
 *               byKeys(unknown, union, [[has, lacks, dispatch], …])
 *     type      a constant of a table, one of this module such as `string`, array(…), tuple(…), map(…), either(…),
 *               literal(…), bounded(…), tag(…), repairing(…)
 *
 * The same check serves all modes: lenient, strict, `examine` and writing. A valid value costs no more than the check
 * itself. Paths, copies and texts are created when the check returns, for the parts that need them.
 */

import { checkDouble, checkJson, json, ownMembers, snapshot, textOf, written } from "./json.js";
import {
  ABSENT,
  checkLength,
  CODES,
  FAULT,
  fail,
  failBelow,
  FITS,
  noted,
  NOTED,
  PASSED,
  tolerate,
  tooDeep,
  Type,
  UNCLEAR,
  unknowns,
  wrongType,
} from "./run.js";
import {
  codePoints,
  had,
  isInherited,
  isRawNumber,
  isRepaired,
  kindOf,
  matches,
  MAX_DEPTH,
  oneOf,
  own,
  partOf,
  shown,
  whole,
} from "./values.js";

export { json, object } from "./json.js";
export { repairing } from "./repair.js";

/** @typedef {import("./run.js").Run} Run */
/** @typedef {import("./run.js").Note} Note */
/** @typedef {import("./run.js").Check} Check */
/** @typedef {import("./values.js").JsonObject} JsonObject */
/** @typedef {string | number | boolean} Constant */
/**
 * @typedef {readonly [key: string, type: Type | string, flags: number, claimed?: readonly unknown[],
 *   prefixes?: readonly string[]]} Row
 */

const [REQUIRED, NULLABLE, FLATTEN] = [1, 2, 4];

/** The number of bits of these flags. */
const FLAGS = 3;

/** How the check of a struct looks at a member: scalars and texts that are constant right there, all else by a call. */
const [CALL, STRING, CONSTANT, TEXT, INTEGER, BOOLEAN, NUMBER, NULL, EXTRA] = [0, 1, 2, 3, 4, 5, 6, 7, 8];

// --- scalars -------------------------------------------------------------------------------------------------------

/** @type {(name: string, op: number, check: Check) => Type} */
const scalar = (name, op, check) => new Type(name, name, () => check, op);

export const string = /* @__PURE__ */ scalar("string", STRING, (x, run) =>
  typeof x === "string" ? FITS : wrongType(run, "string", x),
);

export const boolean = /* @__PURE__ */ scalar("boolean", BOOLEAN, (x, run) =>
  typeof x === "boolean" ? FITS : wrongType(run, "boolean", x),
);

export const nothing = /* @__PURE__ */ scalar("null", CALL, (x, run) =>
  x === null ? FITS : wrongType(run, "null", x),
);

/**
 * The check of a type with numbers; the raw JSON of a number is treated as the nearest double.
 *
 * @type {(expected: string, check: (x: number, run: Run) => number) => Check}
 */
const numeric = (expected, check) => (x, run) => {
  if (typeof x === "number") return check(x, run);
  if (!isRawNumber(x)) return wrongType(run, expected, x);
  const double = Number(x.rawJSON);
  const found = check(double, run);
  if (found === FAULT || run.writes) return found === FAULT ? FAULT : FITS;
  return noted(run, { passed: found === NOTED, nulls: null, below: null, instead: () => double });
};

export const number = /* @__PURE__ */ scalar("number", NUMBER, /* @__PURE__ */ numeric("number", checkDouble));

/** @type {(x: number, run: Run) => number} */
function checkInteger(x, run) {
  if (Number.isSafeInteger(x)) return checkDouble(x, run);
  return fail(run, "out_of_range", `expected an integer within ±${Number.MAX_SAFE_INTEGER}, got ${shown(x)}`);
}

export const integer = /* @__PURE__ */ scalar("integer", INTEGER, /* @__PURE__ */ numeric("integer", checkInteger));

/** @type {(name: string, form: RegExp) => Type} */
function format(name, form) {
  /** @type {Check} */
  const check = (x, run) => {
    if (typeof x !== "string") return wrongType(run, "string", x);
    if (run.lax || form.test(x)) return FITS;
    return tolerate(run, "bad_format", () => `expected a ${name}, got ${shown(x)}`);
  };
  return new Type(name, "string", () => check, TEXT);
}

export const uuid = /* @__PURE__ */ format("uuid", /^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/);

export const timestamp = /* @__PURE__ */ format(
  "timestamp",
  /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?(?:Z|[+-][0-9]{2}:[0-9]{2})$/,
);

/**
 * A number or a text within bounds, which are not checked when writing.
 *
 * @type {(scalar: Type, low: number | null, high?: number | null) => Type}
 */
export function bounded(scalar, low, high) {
  const [least, most] = [low ?? -Infinity, high ?? Infinity];
  const unit = scalar === string ? " characters" : "";
  /** @type {(x: number, run: Run) => number} */
  const within = (size, run) => {
    if (size >= least && size <= most) return FITS;
    const range = low == null ? `at most ${most}` : high == null ? `at least ${least}` : `${least} to ${most}`;
    return tolerate(run, "out_of_bounds", () => `expected ${range}${unit}, got ${size}`);
  };
  if (scalar === string) {
    /** @type {Check} */
    const check = (x, run) => {
      if (typeof x !== "string") return wrongType(run, "string", x);
      return run.lax ? FITS : within(codePoints(x), run);
    };
    return new Type(scalar.name, "string", () => check, TEXT);
  }
  const checkNumber = scalar === integer ? checkInteger : checkDouble;
  const check = numeric(scalar.name, (x, run) => {
    const found = checkNumber(x, run);
    return found !== FITS || run.lax ? found : within(x, run);
  });
  return new Type(scalar.name, scalar.name, () => check);
}

const TAG = "tag";

/** @type {(value: string) => Type} A single text. It is separate from `literal`, so that bundles can omit numbers. */
function constant(value) {
  /** @type {Check} */
  const check = (x, run) => {
    if (typeof x !== "string") return wrongType(run, "string", x);
    return x === value ? FITS : fail(run, "wrong_constant", `expected ${shown(value)}, got ${shown(x)}`);
  };
  return new Type("literal", "string", () => check);
}

/**
 * A single value.
 *
 * @type {(value: Constant, isTag?: boolean) => Type} `isTag`: the value distinguishes objects.
 */
export function literal(value, isTag = false) {
  if (typeof value === "string") return constant(value);
  const kind = typeof value;
  /** @type {(x: any, run: Run) => number} */
  const check = (x, run) => {
    if (typeof x !== kind) return wrongType(run, kind, x);
    if (isTag && kind === "number" && checkInteger(x, run) === FAULT) return FAULT;
    if (x !== value) return fail(run, "wrong_constant", `expected ${shown(value)}, got ${shown(x)}`);
    if (run.writes || !Object.is(x, -0)) return FITS;
    return noted(run, { passed: false, nulls: null, below: null, instead: () => 0 }); // the value that is written
  };
  return new Type(isTag ? TAG : "literal", kind, () => (kind === "number" ? numeric(kind, check) : check));
}

// --- enums and aliases -----------------------------------------------------------------------------------------------

/**
 * An enumeration; an enumeration of integers has its values as members.
 *
 * @type {(name: string, base: string, open: boolean, values: readonly (string | number)[], members?: object) => Type}
 */
export function enumeration(name, base, open, values, members) {
  const isText = base === "string";
  /** @type {(type: Type) => Check} */
  const compile = (type) => {
    const known = new Set(values);
    /** @type {(x: any, run: Run) => number} */
    const check = (x, run) => {
      if (known.has(x)) return isText ? FITS : checkDouble(x, run);
      const message = () => `${shown(x)} is not a value of ${type.name}`;
      if (!open || run.strict) return fail(run, "unknown_value", message());
      const found = isText ? FITS : checkInteger(x, run);
      if (found !== FITS) return found;
      return tolerate(run, "unknown_value", message);
    };
    if (!isText) return numeric(base, check);
    return (x, run) => (typeof x === "string" ? check(x, run) : wrongType(run, base, x));
  };
  const type = new Type(name, base, compile, open && isText ? TEXT : CALL);
  type.detail = { open, values };
  return Object.assign(type, members);
}

/** @type {(name: string, target: () => Type) => Type} */
export function alias(name, target) {
  const compile = () => {
    const inner = target();
    return (/** @type {any} */ x, /** @type {Run} */ run, /** @type {number} */ depth) => inner.check(x, run, depth);
  };
  const type = new Type(name, () => expectedBy(target()), compile);
  type.target = target;
  return type;
}

/**
 * The JSON kind that a type expects, for messages.
 *
 * @param {Type} type
 */
const expectedBy = ({ expected }) => (typeof expected === "string" ? expected : expected());

// --- arrays, maps, choices -------------------------------------------------------------------------------------------

/** @type {(item: Type, low?: number | null, high?: number | null) => Type} */
export function array(item, low, high) {
  const type = new Type("array", "array", () => checkItems);
  type.detail = { item, least: low ?? 0, most: high ?? Infinity };
  return type;
}

/**
 * The check of every array.
 *
 * @this {Type}
 * @type {Check}
 */
function checkItems(x, run, depth) {
  if (!Array.isArray(x)) return wrongType(run, "array", x);
  if (depth > MAX_DEPTH) return tooDeep(run);
  const length = checkLength(this, x, run);
  if (length === FAULT) return FAULT;
  const { item } = this.detail;
  const passed = length === NOTED;
  let text = "";
  /** @type {[number, any][] | null} */
  let below = null;
  for (let at = 0; at < x.length; at++) {
    const value = x[at];
    const found = item.check(value, run, depth + 1);
    if (found === FAULT) return failBelow(run, at);
    if (run.writes) text += (at === 0 ? "" : ",") + written(run, found, value);
    else if (found === NOTED) (below ??= []).push([at, run.note]);
  }
  if (run.writes) return noted(run, `[${text}]`);
  if (below === null) return passed ? noted(run, PASSED) : FITS;
  return noted(run, { passed, nulls: null, below });
}

/** @type {(items: readonly Type[]) => Type} An array with exactly these items. */
export function tuple(items) {
  /** @type {Check} */
  const check = (x, run, depth) => {
    if (!Array.isArray(x)) return wrongType(run, "array", x);
    if (depth > MAX_DEPTH) return tooDeep(run);
    if (x.length !== items.length) {
      return fail(run, "out_of_bounds", `expected ${items.length} items, got ${x.length}`);
    }
    /** @type {string[]} */
    const texts = [];
    /** @type {[number, any][]} */
    const below = [];
    for (let at = 0; at < items.length; at++) {
      const value = x[at];
      const found = items[at].check(value, run, depth + 1);
      if (found === FAULT) return failBelow(run, at);
      if (run.writes) texts.push(written(run, found, value));
      else if (found === NOTED) below.push([at, run.note]);
    }
    if (run.writes) return noted(run, `[${texts.join(",")}]`);
    return below.length === 0 ? FITS : noted(run, { passed: false, nulls: null, below });
  };
  return new Type("tuple", "array", () => check);
}

/** @type {(item: Type, keys?: Type) => Type} The keys may be those of an enumeration. */
export function map(item, keys) {
  const type = new Type("map", "object", () => checkEntries);
  type.detail = { item, keys, known: keys && new Set(keys.detail.values.map(String)) };
  return type;
}

/**
 * The check of every map.
 *
 * @this {Type}
 * @type {Check}
 */
function checkEntries(x, run, depth) {
  const members = objectOf(x, run);
  if (members === null) return wrongType(run, "object", x);
  if (depth > MAX_DEPTH) return tooDeep(run);
  const { item, keys, known } = this.detail;
  const all = run.writes ? whole(members) : members;
  let text = "";
  /** @type {[string, any][] | null} */
  let below = null;
  for (const key in all) {
    const member = all[key];
    if (member === undefined) continue;
    const isUnknown = known !== undefined && !known.has(key);
    if (isUnknown && (run.strict || !keys.detail.open)) {
      fail(run, "unknown_value", `${shown(key)} is not a value of ${keys.name}`);
      worse(run, () => item.check(member, run, depth + 1));
      return failBelow(run, key);
    }
    const found = isRemoved(all, members, key) ? checkJson(member, run, depth + 1) : item.check(member, run, depth + 1);
    if (found === FAULT) return failBelow(run, key);
    if (isUnknown && run.examines) (below ??= []).push([key, PASSED]);
    if (run.writes) text += `${text === "" ? "" : ","}${textOf(key)}:${written(run, found, member)}`;
    else if (found === NOTED) (below ??= []).push([key, run.note]);
  }
  if (run.writes) return noted(run, `{${text}}`);
  return below === null ? FITS : noted(run, { passed: false, nulls: null, below });
}

/** @type {(members: { readonly [kind: string]: Type }) => Type} Selects the type by the kind of the value. */
export function either(members) {
  const type = new Type("choice", Object.keys(members).join(" or "), () => checkEither);
  type.detail = new Map(Object.entries(members));
  return type;
}

/**
 * The check of every choice.
 *
 * @this {Type}
 * @type {Check}
 */
function checkEither(x, run, depth) {
  const type = this.detail.get(kindOf(x));
  return type === undefined ? wrongType(run, expectedBy(this), x) : type.check(x, run, depth);
}

/**
 * A tag with one of several values, texts or integers; an open one also accepts other values: texts that match a
 * pattern, or any integers. Alternatively, it accepts any text with a prefix.
 *
 * @type {(values: readonly (string | number)[], others?: string | null, prefix?: string) => Type}
 */
export function tag(values, others, prefix) {
  /** @type {(x: any, run: Run) => number} */
  const other = (x, run) => {
    const message = () => `expected ${oneOf(values)}, got ${shown(x)}`;
    if (others == null || (typeof x === "string" && !matches(x, others))) return fail(run, "unknown_value", message());
    return tolerate(run, "unknown_value", message);
  };
  if (typeof values[0] === "number") {
    const check = numeric("integer", (x, run) => {
      const found = checkInteger(x, run);
      const passed = found === FAULT || values.includes(x) ? FITS : other(x, run);
      return passed === FITS ? found : passed;
    });
    return new Type(TAG, "integer", () => check);
  }
  /** @type {Check} */
  const check = (x, run) => {
    if (typeof x !== "string") return wrongType(run, "string", x);
    if (prefix === undefined) return values.includes(x) ? FITS : other(x, run);
    if (x.startsWith(prefix)) return FITS;
    return fail(run, "unknown_value", `expected a text that begins with ${shown(prefix)}, got ${shown(x)}`);
  };
  return new Type(TAG, "string", () => check);
}

/**
 * The members of a value; null if it is not an object.
 *
 * @param {any} x
 * @param {Run} run
 * @returns {JsonObject | null}
 */
function objectOf(x, run) {
  if (typeof x !== "object" || x === null || Array.isArray(x)) return null;
  return run.foreign ? ownMembers(x, run) : x;
}

/**
 * After a fault: the same fault, or the one that another check reports for the same path if it takes precedence.
 *
 * @param {Run} run
 * @param {() => number} attempt
 */
function worse(run, attempt) {
  const first = run.fault;
  const found = attempt();
  const other = run.fault;
  const takes = found === FAULT && first && other && (other.steps === null || other.steps.length === 0);
  if (!takes || CODES.indexOf(other.code) > CODES.indexOf(first.code)) run.fault = first;
  return FAULT;
}

// --- structs -------------------------------------------------------------------------------------------------------

/**
 * A type without the values that belong to sibling variants.
 *
 * @type {(type: Type, claimed: readonly unknown[], prefixes?: readonly string[]) => Type}
 */
function unclaimed(type, claimed, prefixes = []) {
  /** @type {Check} */
  const check = (x, run, depth) =>
    claimed.includes(x) || (typeof x === "string" && prefixes.some((prefix) => x.startsWith(prefix)))
      ? fail(run, "wrong_constant", `${shown(x)} belongs to another variant`)
      : type.check(x, run, depth);
  return new Type(type.name, type.expected, () => check);
}

/** A member that a struct declares. */
class Member {
  /** @param {Row} row */
  constructor([key, type, flags, claimed, prefixes]) {
    const isType = type instanceof Type;
    this.key = key;
    this.type = !isType ? constant(type) : claimed ? unclaimed(type, claimed, prefixes) : type;
    this.op = isType ? this.type.op : CONSTANT;
    this.flags = flags;
    /** What is before its value in a text. */
    this.head = `${JSON.stringify(key)}:`;
    /** The whole text of one with a constant. */
    this.text = isType ? null : this.head + textOf(type);
    /** Whether a null that is not admitted is as good as absence. */
    this.yields = isType && type.name !== TAG && (flags & (REQUIRED | NULLABLE)) === 0;
    /** Its type or its constant. */
    this.detail = isType ? this.type : type;
  }
}

/** @typedef {(type: Type, all: readonly Row[]) => Check} Flatten */

/** @type {(name: string, rows: () => readonly Row[], extra?: () => Type, flatten?: Flatten) => Type} */
export function struct(name, rows, extra, flatten) {
  /** @type {(type: Type) => Check} */
  const compile = (type) => {
    const all = rows();
    const plain = all.filter(([, , flags]) => !(flags & FLATTEN));
    type.detail = new Layout(plain, extra?.() ?? null);
    type.plan = type.detail.table;
    return flatten === undefined ? checkStruct : flatten(type, all);
  };
  const type = new Type(name, "object", compile);
  type.rows = rows;
  return type;
}

/**
 * A struct that others are flattened into. Only such structs need the code that treats one object as several.
 *
 * @type {(name: string, rows: () => readonly Row[], extra?: () => Type) => Type}
 */
export const flat = (name, rows, extra) => struct(name, rows, extra, checkFlat);

/**
 * The keys that a struct declares.
 *
 * @param {Type} struct
 */
export function declaredKeys(struct) {
  if (struct.detail === null) struct.check = struct.compile(struct);
  return struct.detail.byKey.keys();
}

/**
 * The outcome for a member whose value does not simply fit, or that is not declared.
 *
 * @type {(struct: Type, at: number, key: string, x: any, run: Run, depth: number) => number}
 */
function checkMember(struct, at, key, x, run, depth) {
  if (x === undefined) return ABSENT;
  const { type, op, yields } = struct.detail.memberAt(at);
  if (op === EXTRA) return checkExtra(struct, key, x, run, depth);
  if (x === null && yields) {
    return run.strict ? wrongType(run, expectedBy(type), x) : ABSENT;
  }
  const found = type.check(x, run, depth);
  if (found === FITS && op === TEXT && x.length <= MAX_REPEATED) struct.plan[at + DETAIL] = x;
  return found;
}

/** @type {(struct: Type, key: string, x: any, run: Run, depth: number) => number} */
function checkExtra(struct, key, x, run, depth) {
  if (run.strict) {
    fail(run, "unknown_field", `${shown(key)} is not a field of ${struct.name}`);
    return worse(run, () => checkJson(x, run, depth));
  }
  const found = checkJson(x, run, depth);
  return found === FITS && run.examines ? noted(run, PASSED) : found;
}

/**
 * The cells of a member in the table of a struct: the key; op and flags; the type, or a text; the place of the member that
 * followed this one in the previous object. The text is that of a constant. For texts with a format and open enums it is
 * the last valid one, since many lines repeat it.
 */
const [CODE, DETAIL, NEXT, WIDTH] = [1, 2, 3, 4];

/** The length of the longest text that a table keeps, in UTF-16 code units: a peer must not make it keep more. */
const MAX_REPEATED = 64;

/** The members of a struct. */
class Layout {
  /**
   * @param {readonly Row[]} rows
   * @param {Type | null} extra
   */
  constructor(rows, extra) {
    this.members = rows.map((row) => new Member(row));
    /** Key → place in the table. */
    this.byKey = new Map(this.members.map(({ key }, at) => [key, at * WIDTH + 1]));
    // Represents undeclared members. As its successor it has the member that came first in the previous object.
    const other = new Member(["", extra ?? json, 0]);
    other.op = extra === null ? EXTRA : CALL;
    other.yields = false;
    this.members.push(other);
    const required = this.members.filter(({ flags }) => flags & REQUIRED).length;
    /**
     * The data for the check: the number of required members, then the cells of each member. The parser evicts much of
     * the processor's caches between two lines, so the data is kept close together in memory.
     *
     * @type {any[]}
     */
    this.table = [required];
    this.members.forEach(({ key, op, flags, detail }, at) => {
      // The successor is always a declared member, if there is any: an undeclared member may have any text as its key.
      const next = at + 1 < rows.length ? at + 1 : 0;
      this.table.push(key, (op << FLAGS) | flags, detail, next * WIDTH + 1);
    });
  }

  /**
   * The member at a place of the table.
   *
   * @param {number} place
   */
  memberAt(place) {
    return this.members[(place - 1) / WIDTH];
  }
}

/**
 * The check of every struct. It is a module-level function rather than a closure per struct, so that an engine compiles
 * it with the constants of this module inlined.
 *
 * @this {Type}
 * @type {Check}
 */
function checkStruct(x, run, depth) {
  const object = objectOf(x, run);
  return object === null ? wrongType(run, "object", x) : checkOwn(this, object, run, depth, false);
}

/**
 * Checks an object against the struct's own members. `isTagged`: the object is known to have the required constants.
 *
 * @type {(type: Type, object: any, run: Run, depth: number, isTagged: boolean) => number}
 */
function checkOwn(type, object, run, depth, isTagged) {
  if (depth > MAX_DEPTH) return tooDeep(run);
  const table = type.plan;
  const other = table.length - WIDTH;
  const { lax, writes } = run;
  const all = writes ? whole(object) : object;
  const { lines } = run;
  const start = lines === null ? 0 : lines.size;
  let last = other;
  let seen = 0;
  /** @type {Found | null} */
  let told = null;
  for (const key in all) {
    const value = all[key];
    if (lines !== null && isRemoved(all, object, key)) {
      const found = checkJson(value, run, depth + 1);
      if (found === FAULT) return failBelow(run, key);
      lines.add(start, other, `${textOf(key)}:${written(run, found, value)}`);
      continue;
    }
    let at = table[last + NEXT];
    if (table[at] === key) last = at;
    else {
      at = type.detail.byKey.get(key) ?? other;
      if (at !== other) {
        table[last + NEXT] = at;
        last = at;
      }
    }
    const code = table[at + CODE];
    let found = UNCLEAR;
    switch (value === null ? NULL : code >> FLAGS) {
      case NULL:
        if ((code & NULLABLE) !== 0) found = FITS;
        break;
      case CALL:
        if (value !== undefined) found = table[at + DETAIL].check(value, run, depth + 1);
        break;
      case STRING:
        if (typeof value === "string") found = FITS;
        break;
      case CONSTANT:
        if (isTagged || (typeof value === "string" && value === table[at + DETAIL])) found = FITS;
        break;
      case TEXT:
        if (lax ? typeof value === "string" : value === table[at + DETAIL]) found = FITS;
        break;
      case INTEGER:
        if (Number.isSafeInteger(value) && (!writes || !Object.is(value, -0))) found = FITS;
        break;
      case BOOLEAN:
        if (typeof value === "boolean") found = FITS;
        break;
      case NUMBER:
        if (Number.isFinite(value) && (!writes || !Object.is(value, -0))) found = FITS;
        break;
    }
    if (found !== FITS) {
      if (found === UNCLEAR) found = checkMember(type, at, key, value, run, depth + 1);
      if (found === FAULT) return failBelow(run, key);
      if (found !== FITS && !writes) told = tell(told, found, key, value, run);
      if (found === ABSENT) {
        if (value === null) lines?.add(start, other, `${textOf(key)}:null`);
        continue;
      }
    }
    seen += code & REQUIRED;
    if (lines === null) continue;
    const { head, text } = type.detail.memberAt(at);
    lines.add(start, at, text ?? (at === other ? `${textOf(key)}:` : head) + written(run, found, value));
  }
  if (seen !== table[0]) return missing(run, type.detail.members, object);
  if (lines !== null) return noted(run, lines.taken(start));
  return told === null ? FITS : outcome(run, told);
}

/**
 * Whether a member was removed by a repair, and is only among all that are written.
 *
 * @type {(all: JsonObject, object: JsonObject, key: string) => boolean}
 */
const isRemoved = (all, object, key) => all !== object && own(object, key) === undefined;

/** The findings about an object. */
class Found {
  /** @type {string[]} */
  nulls = [];
  /** @type {string[]} */
  unfit = [];
  /** @type {[string, any][]} */
  below = [];
}

/**
 * Adds the outcome for a member to the findings.
 *
 * @type {(told: Found | null, found: number, key: string, value: unknown, run: Run) => Found | null}
 */
function tell(told, found, key, value, run) {
  if (found === ABSENT && value === undefined) return told;
  const all = told ?? new Found();
  if (found === NOTED) all.below.push([key, run.note]);
  else if (value === null) all.nulls.push(key);
  else all.unfit.push(key);
  return all;
}

/**
 * The outcome for an object with findings.
 *
 * @type {(run: Run, found: Found) => number}
 */
function outcome(run, { nulls, unfit, below }) {
  if (run.examines) for (const key of [...nulls, ...unfit]) below.push([key, PASSED]);
  const note = { passed: false, nulls: nulls.length ? nulls : null, below };
  return noted(run, unfit.length ? { ...note, unfit } : note);
}

/** @type {(run: Run, members: readonly Member[], object: JsonObject) => number} */
function missing(run, members, object) {
  const isMissing = (/** @type {Member} */ { key, flags }) =>
    flags & REQUIRED && (!Object.hasOwn(object, key) || object[key] === undefined);
  const key = members.find(isMissing)?.key ?? "";
  fail(run, "missing_field", `expected member ${shown(key)}, got none`);
  return failBelow(run, key);
}

/** Represents the struct's own members, in addition to the fields that are flattened into it. */
const OWN = /** @type {[string, null, number]} */ (["", null, 0]);

/**
 * The check of a struct that has others flattened into it: its own members and the rest are checked as two objects.
 *
 * @type {Flatten}
 */
function checkFlat(type, all) {
  /** @type {[string, Type, number][]} */
  const flat = /** @type {any[]} */ (all.filter(([, , flags]) => flags & FLATTEN));
  const before = all.slice(0, all.indexOf(flat[0])).map(([key]) => key);
  const { byKey } = type.detail;
  return (x, run, depth) => {
    const object = objectOf(run.writes ? snapshot(x, run, depth) : x, run); // the rest is checked by several types
    if (object === null) return wrongType(run, "object", x);
    const mine = partOf(object, (key) => byKey.has(key));
    const rest = partOf(object, (key) => !byKey.has(key));
    const texts = [];
    const notes = [];
    let found = checkOwn(type, mine, run, depth, false);
    for (const [, other, flags] of [OWN, ...flat]) {
      if (other !== null) {
        if (Object.keys(rest).length === 0 && !isRepaired(rest) && !(flags & REQUIRED)) continue;
        found = other.check(rest, run, depth);
      }
      if (found === FAULT) return FAULT;
      if (run.writes) texts.push(run.note.slice(1, -1));
      else if (found === NOTED) notes.push(run.note);
    }
    if (run.writes) {
      const [first = [], ...others] = texts.map(split);
      const at = before.filter((key) => key in mine).length;
      const members = [...first.slice(0, at), ...others.flat(), ...first.slice(at)];
      if (run.lines?.keepsOrder) {
        const ranks = new Map(Object.keys(whole(object)).map((key, at) => [JSON.stringify(key), at]));
        const rank = (/** @type {string} */ text) => ranks.get(KEY.exec(text)?.[0] ?? "") ?? 0;
        members.sort((one, other) => rank(one) - rank(other));
      }
      return noted(run, `{${members.join(",")}}`);
    }
    if (notes.length === 0) return FITS;
    return noted(run, {
      passed: notes.some(({ passed }) => passed),
      nulls: notes.some(({ nulls }) => nulls) ? notes.flatMap(({ nulls }) => nulls ?? []) : null,
      ...(notes.some(({ unfit }) => unfit) ? { unfit: notes.flatMap(({ unfit }) => unfit ?? []) } : {}),
      below: notes.flatMap(({ below }) => below ?? []),
      order: [...Object.keys(whole(rest)), ...Object.keys(whole(mine))], // the order in which it is written
    });
  };
}

/** The key at the start of the text of a member. */
const KEY = /^"(?:[^"\\]|\\.)*"/;

/**
 * The texts of the members in the text of an object without its braces.
 *
 * @type {(text: string) => string[]}
 */
function split(text) {
  const members = [];
  let start = 0;
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const mark = text[at];
    if (quoted) {
      if (mark === "\\") at += 1;
      else quoted = mark !== '"';
    } else if (mark === '"') quoted = true;
    else if (mark === "{" || mark === "[") depth += 1;
    else if (mark === "}" || mark === "]") depth -= 1;
    else if (mark === "," && depth === 0) {
      members.push(text.slice(start, at));
      start = at + 1;
    }
  }
  return text === "" ? members : [...members, text.slice(start)];
}

// --- unions --------------------------------------------------------------------------------------------------------

/**
 * A step on the path from an object to its struct, as data: calling a different function for each union would take
 * longer than everything else.
 */
class Way {
  /** The struct that the way ends at. @type {Type | null} */
  struct = null;
  /** Selects the next step if there is no discriminator. @type {((x: JsonObject, run: Run) => Way | null) | null} */
  choose = null;
  /** The discriminator. */
  key = "";
  /** Whether every object inherits something under that key. */
  inherited = false;
  /** The name of the Unknown that an object is if it leads no further; false if it must lead further. */
  open = /** @type {string | false} */ (false);
  /** The union whose decision begins here. @type {Type | null} */
  union = null;
  /**
   * Length → the first of the texts with that length that the discriminator can have: hashing a text would take longer.
   *
   * @type {(Case | null)[]}
   */
  texts = [];
  /** Booleans that it can be. @type {Case[]} */
  flags = [];
  /** Integers that it can have. @type {Case[]} */
  integers = [];
  /** Prefixes of other texts that it can have, the longest first. @type {[prefix: string, way: Way][]} */
  prefixes = [];
  /** @type {readonly (readonly [pattern: string, struct: Type])[]} */
  others = [];
  /** Where an object without the discriminator leads to. @type {Way | null} */
  absent = null;
  /** All that `choose` may return. @type {readonly Way[]} */
  choices = [];
}

/** A value of a discriminator. */
class Case {
  /**
   * @param {Constant} value
   * @param {Way} way
   * @param {Case | null} next Another text of the same length.
   */
  constructor(value, way, next) {
    this.value = value;
    this.struct = way.struct;
    this.way = way;
    this.next = next;
    /** Whether an object with the value has all the constants that its struct demands; null until that is asked. */
    this.isAll = /** @type {boolean | null} */ (null);
  }
}

/** @type {(key: string, each: Case) => boolean} */
function isAll(key, { value, struct }) {
  const constants = struct?.rows?.().filter(([, type]) => !(type instanceof Type)) ?? [];
  return constants.length === 1 && constants[0][0] === key && constants[0][1] === value;
}

/** All unions of the program. @type {Type[]} */
export const unions = [];

/** @type {(name: string, open: boolean, dispatch: () => Type | Way) => Type} */
export function union(name, open, dispatch) {
  const type = new Type(name, "object", () => checkUnion);
  type.detail = { open, dispatch };
  type.isUnion = true;
  unions.push(type);
  return type;
}

/**
 * The way of a union, which is created when it is first needed.
 *
 * @type {(union: Type) => Way}
 */
export const wayOf = (union) => (union.plan ??= Object.assign(wayTo(union.detail.dispatch()), { union }));

/**
 * The check of every union.
 *
 * @this {Type}
 * @type {Check}
 */
function checkUnion(x, run, depth) {
  if (typeof x !== "object" || x === null || Array.isArray(x)) return wrongType(run, "object", x);
  let object = run.foreign ? ownMembers(x, run) : x;
  if (object === null) return wrongType(run, "object", x);
  const chosen = follow(wayOf(this), object, run);
  if (chosen === undefined) return FAULT;
  const { doubt, writes, lines } = run;
  const size = lines?.size ?? 0;
  if (writes && chosen !== null && doubt !== undefined) object = snapshot(object, run, depth); // may be checked twice
  if (chosen !== null) {
    const found =
      chosen.check === checkStruct
        ? checkOwn(chosen, object, run, depth, run.isTagged)
        : chosen.check(writes ? object : x, run, depth);
    run.variant = chosen;
    if (found !== FAULT && run.foreign && run.decodes) unknowns.delete(x); // which it was as another type
    if (found !== FAULT || doubt === undefined) return found;
    run.fault = null; // an unknown value that matches a pattern, but with a different body
    if (lines !== null) lines.size = size;
  }
  const found = checkJson(writes ? object : x, run, depth);
  run.variant = null;
  if (found !== FAULT && run.decodes) unknowns.add(x);
  if (found !== FITS || !run.examines) return found;
  return noted(run, doubt == null ? PASSED : passedAt(doubt));
}

/** The notes of Unknowns by their discriminators: a line may contain very many Unknowns. */
const passed = /* @__PURE__ */ new Map();

/**
 * @param {string} key
 * @returns {Note}
 */
function passedAt(key) {
  let note = passed.get(key);
  if (note === undefined) passed.set(key, (note = { passed: false, nulls: null, below: [[key, PASSED]] }));
  return note;
}

/**
 * The struct that is selected for an object; null for an Unknown, undefined after a fault. In lenient mode it records
 * in the run which of the object's keys is in doubt, and of which Unknown the object may be.
 *
 * @param {Way} way
 * @param {JsonObject} x
 * @param {Run} run
 * @returns {Type | null | undefined}
 */
function follow(way, x, run) {
  let { open } = way;
  run.doubt = undefined;
  run.isTagged = false;
  for (;;) {
    if (way.struct !== null) return way.struct;
    /** @type {Way | null} */
    let next = null;
    if (way.choose !== null) {
      next = way.choose(x, run);
    } else {
      const value = way.inherited ? own(x, way.key) : x[way.key];
      if (typeof value === "string") {
        const found = caseOf(way, value);
        if (found !== null) {
          run.isTagged = found.isAll === true;
          if (found.struct !== null) return found.struct;
          next = found.way;
        } else if (way.prefixes.length > 0) next = byPrefix(way, value, run);
      } else if (value === undefined) {
        next = way.absent;
      } else if (typeof value === "boolean") {
        next = byFlag(way, value);
      } else if (typeof value === "number") {
        next = byInteger(way, value, run);
      }
      if (next === null) return astray(way, value, run, open);
    }
    if (next === null) {
      run.unknown = open;
      return run.fault === null ? null : undefined;
    }
    way = next;
    open ||= way.open;
  }
}

/** @type {(way: Way, value: string) => Case | null} */
function caseOf(way, value) {
  if (value.length >= way.texts.length) return null;
  for (let each = way.texts[value.length]; each !== null; each = each.next) {
    if (each.value !== value) continue;
    each.isAll ??= isAll(way.key, each);
    return each;
  }
  return null;
}

/** @type {(way: Way) => Case[]} Ordered by length. */
export function textsOf({ texts }) {
  const all = [];
  for (const first of texts) for (let each = first; each !== null; each = each.next) all.push(each);
  return all;
}

/** @type {(way: Way, value: boolean) => Way | null} */
function byFlag({ flags, absent }, value) {
  return flags.find((each) => each.value === value)?.way ?? (flags.length > 0 ? absent : null);
}

/** @type {(way: Way, value: string, run: Run) => Way | null} */
function byPrefix({ prefixes }, value, run) {
  run.isTagged = false;
  return prefixes.find(([prefix]) => value.startsWith(prefix))?.[1] ?? null;
}

/** @type {(way: Way, value: number, run: Run) => Way | null} */
function byInteger({ integers }, value, run) {
  run.isTagged = false;
  return integers.find((each) => each.value === value)?.way ?? null;
}

/**
 * The struct of an object whose discriminator has none of the declared values.
 *
 * @type {(way: Way, value: unknown, run: Run, open: string | false) => Type | null | undefined} `open`: the Unknown of
 *   the first open union on the way to it.
 */
function astray(way, value, run, open) {
  run.unknown = open;
  const cases = [...textsOf(way), ...way.flags, ...way.integers];
  const kind = cases.length > 0 ? typeof cases[0].value : "string";
  if (value === undefined) {
    fail(run, "missing_field", `expected member ${shown(way.key)}, got none`);
  } else if (kindOf(value) !== kind) {
    wrongType(run, way.integers.length > 0 ? "integer" : kind, value);
  } else if (kind !== "number" || integer.check(value, run, 0) !== FAULT) {
    const other = way.others.find(
      ([pattern]) => kind === "number" || matches(/** @type {any} */ (value), pattern),
    )?.[1];
    if (!run.strict && (other !== undefined || way.open)) {
      if (open) run.doubt = way.key;
      return other ?? null;
    }
    const values = [...cases.map((each) => each.value), ...way.prefixes.map(([prefix]) => `${prefix}…`)];
    const code = other === undefined ? "unknown_variant" : "unknown_value";
    fail(run, code, `expected ${oneOf(values)}, got ${shown(value)}`);
  }
  failBelow(run, way.key);
  return undefined;
}

/**
 * The struct that a union selects for a value as `follow` does it; undefined if the value is not an object.
 *
 * @type {(union: Type, x: any, run: Run) => Type | null | undefined}
 */
export function selected(union, x, run) {
  const object = objectOf(x, run);
  return object === null ? undefined : follow(wayOf(union), object, run);
}

/**
 * Whether a value may be an Unknown of a union, as far as its discriminators tell.
 *
 * @type {(union: Type, x: any, run: Run) => boolean}
 */
export const mayBeUnknown = (union, x, run) => selected(union, x, run) === null || run.doubt !== undefined;

/** @type {(dispatch: Type | Way) => Way} */
function wayTo(dispatch) {
  if (dispatch instanceof Way) return dispatch;
  if (dispatch.isUnion) return wayOf(dispatch);
  return Object.assign(new Way(), { struct: dispatch });
}

/**
 * Selects by the value of a discriminator.
 *
 * @type {(open: string | false, key: string, cases: readonly (readonly [Constant, Type | Way])[],
 *   others?: readonly (readonly [pattern: string, struct: Type])[], absent?: Type | Way | null,
 *   prefixes?: readonly (readonly [prefix: string, Type | Way])[]) => Way}
 */
export function byTag(open, key, cases, others = [], absent = null, prefixes = []) {
  const way = Object.assign(new Way(), { open, key, others, inherited: isInherited(key) });
  if (absent !== null) way.absent = wayTo(absent);
  way.prefixes = prefixes.map(([prefix, dispatch]) => [prefix, wayTo(dispatch)]);
  for (const [value, dispatch] of cases) {
    const next = wayTo(dispatch);
    if (typeof value === "number") way.integers.push(new Case(value, next, null));
    else if (typeof value === "boolean") way.flags.push(new Case(value, next, null));
    else {
      while (way.texts.length <= value.length) way.texts.push(null);
      way.texts[value.length] = new Case(value, next, way.texts[value.length]);
    }
  }
  return way;
}

/**
 * Selects by the members that an object has.
 *
 * @type {(open: string | false, union: string,
 *   cases: readonly (readonly [has: readonly string[], lacks: readonly string[], dispatch: Type | Way])[]) => Way}
 */
export function byKeys(open, union, cases) {
  const ways = cases.map(([has, lacks, dispatch]) => ({ has, lacks, way: wayTo(dispatch) }));
  /** @type {(x: JsonObject, run: Run) => Way | null} */
  const choose = (x, run) => {
    for (const { has, lacks, way } of ways) {
      if (has.every((key) => had(x, key)) && !lacks.some((key) => had(x, key))) return way;
    }
    run.doubt = null;
    if (!open || run.strict) fail(run, "no_variant", `no variant of ${union} has these members`);
    return null;
  };
  return Object.assign(new Way(), { open, choose, choices: ways.map(({ way }) => way) });
}
