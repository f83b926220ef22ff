/**
 * Converts options into a description of how to start a process with them: arguments, environment, working directory,
 * requests, functions.
 *
 * The conversion follows the table of a record (`launches.js`), which states how each option is passed. It reads no
 * file, no environment and no clock.
 */

import { encode } from "./codec.js";
import { isMarked } from "./errors.js";
import { checkDepth, checkDigits } from "./text.js";
import { isObject, isSame, pointerStep } from "./values.js";

/** @typedef {any} Table The table of a record. */
/** @typedef {readonly (string | number)[]} Path */

/** The reason why a process cannot be started with the given options. */
export class LaunchError extends Error {
  get [Symbol.for("polywire_runtime.LaunchError")]() {
    return true;
  }

  /**
   * @override
   * @param {unknown} value
   */
  static [Symbol.hasInstance](value) {
    return isMarked(value, "LaunchError");
  }

  /**
   * @param {string} code
   * @param {readonly string[]} paths
   * @param {string} message
   */
  constructor(code, paths, message) {
    super(paths.length > 0 ? `${paths.join(" and ")}: ${message}` : message);
    this.name = "LaunchError";
    this.code = code;
    this.paths = paths;
    this.path = paths[0] ?? "";
  }
}

/**
 * Describes how to start a process with options, by the table of their record.
 *
 * @param {Table} table
 * @param {any} type The type of the record.
 * @param {any} options
 * @param {string} [release]
 */
export function launch(table, type, options, release) {
  /** @type {string[][]} */
  const paths = table.functions.map((/** @type {{ path: Path }} */ each) => each.path);
  const functions = new Map();
  for (const each of paths)
    for (const [path, value] of reached(options, each)) if (value !== null) functions.set(pointer(path), [path, value]);
  return follow(table, JSON.parse(encode(without(options, paths), type)), functions, release);
}

/**
 * Apply a table. `options` is plain JSON; `functions` has the values that are not: functions and lists of functions, by
 * pointer.
 *
 * The options are modified: ids are inserted into them.
 *
 * @param {Table} table
 * @param {any} options
 * @param {Map<string, [Path, any]>} functions
 * @param {string} [release]
 */
export function follow(table, options, functions, release = table.releases.at(-1)) {
  const at = table.releases.indexOf(release);
  if (at < 0) {
    throw new LaunchError(
      "unknown_release",
      [],
      `there is no release ${release}; known are ${table.releases.join(", ")}`,
    );
  }
  return new Run(table, options, functions, at).launched();
}

// --- values --------------------------------------------------------------------------------------------------------

/** An absent value. */
const MISSING = Symbol("missing");

/** @param {Path} path */
const pointer = (path) => path.map(pointerStep).join("");

/** @param {any} value @param {string} key */
const member = (value, key) => (isObject(value) && Object.hasOwn(value, key) ? value[key] : MISSING);

/** @param {any} value @param {readonly string[]} way */
const part = (value, way) => way.reduce(member, value);

/** Whether two JSON values are equal; an absent value equals null. @param {any} value @param {any} other */
const same = (value, other) => (value === MISSING ? other === null : isSame(value, other));

/** @param {any} value @param {readonly [string[], any][]} conditions */
const all = (value, conditions) => conditions.every(([way, wanted]) => same(part(value, way), wanted));

/** @param {any} value */
function kindOf(value) {
  if (value === null) return "null";
  if (Array.isArray(value)) return "list";
  return typeof value;
}

/** @param {string} expected @param {any} value @param {Path} path */
function wrongKind(expected, value, path) {
  const message = `a ${expected} was expected, this is of kind ${kindOf(value)}`;
  return new LaunchError("cannot_travel", [pointer(path)], message);
}

/** The entries of a value that must be a map. @param {any} value @param {Path} path @returns {[string, any][]} */
function entriesOf(value, path) {
  if (!isObject(value)) throw wrongKind("map", value, path);
  return Object.entries(value);
}

/** @param {any} value @param {[string, any]} condition */
function holds(value, [kind, wanted]) {
  if (kind === "is") return same(value, wanted);
  return kind === "kind" ? kindOf(value) === wanted : all(value, wanted);
}

/** Whether a value is omitted because it is empty. @param {any} value @param {readonly string[]} keep */
function isEmpty(value, keep) {
  if (typeof value === "number") return value === 0 && !keep.includes("zero");
  const length = typeof value === "object" && value !== null ? Object.keys(value).length : value.length;
  return length === 0 && !keep.includes("empty");
}

/** The items or entries to pass, reduced to the parts that are passed. @param {any} value @param {any} carrier */
function chosen(value, { only = [], except = [], omit = [] }) {
  if (only.length + except.length + omit.length === 0) return value;
  /** @param {any} item */
  const travels = (item) => all(item, only) && !(except.length > 0 && all(item, except));
  /** @param {any} item */
  const left = (item) =>
    isObject(item) ? fromEntries(Object.entries(item).filter(([key]) => !omit.includes(key))) : item;
  /** @param {any} item */
  const remains = (item) => omit.length === 0 || !isObject(item) || Object.keys(item).length > 0;
  if (Array.isArray(value)) return value.filter(travels).map(left).filter(remains);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).filter(([, item]) => travels(item));
  return fromEntries(
    entries.map(([key, item]) => /** @type {[string, any]} */ ([key, left(item)])).filter(([, item]) => remains(item)),
  );
}

/** An object with the given entries, whatever their keys. @param {[string, any][]} entries */
const fromEntries = (entries) => Object.fromEntries(entries);

/**
 * A copy of an object with a value set at a path.
 *
 * @param {any} value
 * @param {readonly string[]} way
 * @param {any} what
 * @returns {any}
 */
function put(value, way, what) {
  const [step, ...rest] = way;
  if (step === undefined) return what;
  const inner = member(value, step);
  const entries = isObject(value) ? Object.entries(value).filter(([key]) => key !== step) : [];
  return fromEntries([...entries, [step, put(inner === MISSING ? undefined : inner, rest, what)]]);
}

/**
 * The paths that match a pattern in options, and the values there, in the order of the document.
 *
 * @param {any} value
 * @param {readonly string[]} pattern
 * @param {Path} path
 * @returns {Generator<[Path, any]>}
 */
function* reached(value, [step, ...rest], path = []) {
  if (step === undefined) {
    yield [path, value];
  } else if (step !== "*") {
    const found = member(value, step);
    if (found !== MISSING && found !== undefined) yield* reached(found, rest, [...path, step]);
  } else if (Array.isArray(value)) {
    for (const [n, item] of value.entries()) yield* reached(item, rest, [...path, n]);
  } else if (isObject(value)) {
    for (const [key, item] of Object.entries(value)) yield* reached(item, rest, [...path, key]);
  }
}

/**
 * A copy of options without the values at the given paths.
 *
 * @param {any} value
 * @param {readonly string[][]} paths
 * @returns {any}
 */
function without(value, paths) {
  if (paths.length === 0 || typeof value !== "object" || value === null) return value;
  /** @param {string} key */
  const below = (key) => paths.filter(([step]) => step === "*" || step === key).map(([, ...rest]) => rest);
  if (Array.isArray(value)) return value.map((item) => without(item, below("*")));
  const found = { ...value };
  for (const key of Object.keys(found)) {
    const inner = below(key);
    if (inner.some((rest) => rest.length === 0)) delete found[key];
    else if (inner.length > 0) Object.defineProperty(found, key, { value: without(found[key], inner) });
  }
  return found;
}

/** JSON in the form for an argument or a variable. @param {any} value @param {Path} path */
function jsonText(value, path) {
  checkFinite(value, path);
  return JSON.stringify(value);
}

/** @param {any} value @param {Path} path */
function checkFinite(value, path) {
  const wrong = notFinite(value, path);
  if (wrong === null) return;
  throw new LaunchError("cannot_travel", [pointer(wrong)], "JSON has no spelling for this number");
}

/**
 * The path of the first number that JSON cannot represent.
 *
 * @param {any} value
 * @param {Path} path
 * @returns {Path | null}
 */
function notFinite(value, path) {
  if (typeof value === "number") return Number.isFinite(value) ? null : path;
  if (typeof value !== "object" || value === null) return null;
  for (const [key, item] of Array.isArray(value) ? value.entries() : Object.entries(value)) {
    const found = notFinite(item, [...path, key]);
    if (found !== null) return found;
  }
  return null;
}

/** A text within its delimiters. @param {any} entry @param {string} text */
const wrapped = (entry, text) => (entry.wrap === undefined ? text : entry.wrap.replace("*", () => text));

/**
 * Whether a text can be delimited unambiguously, also in a list with commas.
 *
 * @param {string} wrap
 * @param {string} text
 */
function canBeWrapped(wrap, text) {
  const at = wrap.indexOf("*");
  const marks = [",", wrap[at - 1], wrap[at + 1]];
  return (
    !["", " "].includes(text.at(0) ?? "") &&
    text.at(-1) !== " " &&
    ![...text].some((each) => marks.includes(each) || each < " ")
  );
}

/**
 * A flag and its value; a value that looks like a flag itself goes into the same argument.
 *
 * @param {string} flag
 * @param {string} text
 */
const flagged = (flag, text) => (text.length > 1 && text.startsWith("-") ? [`${flag}=${text}`] : [flag, text]);

const LONE = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/;

/** A value in the form for an argument or a variable. @param {any} value @param {Path} path */
function textOf(value, path) {
  if (typeof value === "number" && !Number.isFinite(value)) {
    throw new LaunchError("cannot_travel", [pointer(path)], "this number overflows a double");
  }
  if (typeof value === "boolean" || typeof value === "number") return String(value);
  if (typeof value !== "string") {
    throw wrongKind("text", value, path);
  }
  if (value.includes("\0")) {
    throw new LaunchError("cannot_travel", [pointer(path)], "an argument or variable cannot contain U+0000");
  }
  if (LONE.test(value)) {
    throw new LaunchError("cannot_travel", [pointer(path)], "an argument cannot contain a lone surrogate");
  }
  return value;
}

// --- the run -------------------------------------------------------------------------------------------------------

/**
 * An argument to which several carriers may contribute.
 *
 * @typedef {object} Slot
 * @property {string} flag
 * @property {Path} path
 * @property {string[] | null} items
 * @property {any} whole
 * @property {[string[], any, Path][]} members Paths in the whole, the values there, and the options that set them.
 */

class Run {
  /** @param {Table} table @param {any} options @param {Map<string, [Path, any]>} functions @param {number} release */
  constructor(table, options, functions, release) {
    this.table = table;
    this.options = options;
    this.release = release;
    /** @type {object[]} */
    this.found = [];
    this.functions = new Set([...functions.values()].filter(([path]) => path.length === 1).map(([path]) => path[0]));
    /** @type {Map<string, any[]>} */
    this.carriers = new Map(
      table.options.map((/** @type {any} */ each) => [
        each.name,
        (each.carry ?? []).filter((/** @type {any} */ one) => this.isThere(one)),
      ]),
    );
    /** @type {(Slot | string[])[]} */
    this.slots = table.arguments.map((/** @type {string} */ each) => [each]);
    /** @type {string[][]} */
    this.late = [];
    this.bare = new Set();
    /** @type {Map<string, Slot>} */
    this.shared = new Map();
    /** @type {Map<string, string>} */
    this.variables = new Map();
    /** @type {Record<string, any>} */
    this.spawned = {};
    /** @type {Map<string, any>} */
    this.requests = new Map();
    this.giveIds(functions);
  }

  launched() {
    this.checkKnown();
    this.checkConflicts();
    if (this.table.control) this.request(this.table.control);
    for (const [name, own] of this.carriers) for (const each of own) if (!this.isBlocked(each)) this.carry(name, each);
    return {
      arguments: [...this.slots, ...this.late].flatMap((slot) => this.argumentsOf(slot)),
      environment: this.environment(),
      cwd: this.spawned.cwd,
      program: this.spawned.program,
      programArguments: this.spawned.program_arguments ?? [],
      script: this.spawned.script,
      requests: fromEntries([...this.requests]),
      functions: this.found,
    };
  }

  /** @param {any} entry */
  isThere(entry) {
    if (entry.releases === undefined) return true;
    return entry.releases.some(
      (/** @type {[number, number]} */ [first, last]) => first <= this.release && this.release <= last,
    );
  }

  /** Insert the ids of functions into the options. @param {Map<string, [Path, any]>} functions */
  giveIds(functions) {
    let next = 0;
    for (const row of this.table.functions) {
      for (const [path, value] of [...functions.values()].filter(([path]) => matches(path, row.path))) {
        if (row.list && !Array.isArray(value)) {
          throw new LaunchError("cannot_travel", [pointer(path)], "a list of functions was expected");
        }
        /** @type {unknown[]} */
        const each = row.list ? value : [value];
        /** @type {unknown[]} */
        let ids = each.map(() => (row.id === undefined ? undefined : keyIn(path, row.path)));
        const hasIds = row.ids && this.isThere(row);
        if (hasIds) {
          ids = each.map(() => wrapped(row, String(next++)));
          let at = this.options;
          for (const step of path.slice(0, -1)) at = at[step];
          for (const key of row.ids.slice(0, -1)) at = at[key] ??= {};
          at[row.ids.at(-1)] = ids;
        }
        const { receives, live } = row;
        const control = hasIds || !row.ids ? row.control : undefined;
        for (const [n, id] of ids.entries()) {
          const place = pointer(row.list ? [...path, n] : path);
          this.found.push({ place, control, id, receives, live, function: each[n], row });
        }
      }
    }
  }

  // --- values to pass ---

  checkKnown() {
    /** @param {string} name */
    const isKept = (name) => this.table.options.some((/** @type {any} */ each) => each.kept && each.name === name);
    for (const name of Object.keys(this.options)) {
      if (!isKept(name) && !this.carriers.get(name)?.length) {
        throw new LaunchError("cannot_travel", [pointer([name])], "nothing carries this option at that release");
      }
    }
  }

  checkConflicts() {
    for (const entry of this.table.conflicts) {
      const [first, second] = entry.fields;
      if (!this.isThere(entry) || !this.travels(first) || !this.travels(second)) continue;
      if (!entry.equal || same(member(this.options, first), member(this.options, second))) {
        throw new LaunchError("conflict", [pointer([first]), pointer([second])], entry.message);
      }
    }
  }

  /** @param {string} name */
  isSet(name) {
    return Object.hasOwn(this.options, name) || this.functions.has(name);
  }

  /** @param {string} name */
  travels(name) {
    return this.isSet(name) && (this.carriers.get(name) ?? []).some((each) => this.value(name, each) !== MISSING);
  }

  /** @param {any} carrier */
  isBlocked(carrier) {
    if (carrier.unless !== undefined && this.meets(carrier.unless)) return true;
    return carrier.with !== undefined && !this.meets(carrier.with);
  }

  /** @param {any} other */
  meets({ option, when }) {
    if (when === undefined) return this.travels(option);
    const value = Object.hasOwn(this.options, option) ? this.options[option] : null;
    return when.some((/** @type {any} */ each) => holds(value, each));
  }

  /**
   * The part of an option that a carrier passes; missing if the carrier does not apply.
   *
   * @param {string} name
   * @param {any} carrier
   */
  value(name, carrier) {
    const form = carrier.as;
    /** @type {any} */
    let value;
    if (Object.hasOwn(this.options, name)) {
      value = this.options[name];
      if (carrier.when && !carrier.when.some((/** @type {any} */ each) => holds(value, each))) return MISSING;
      if (form === "bare" && !carrier.when && value === false) return MISSING;
      if (!["join", "repeat", "keys"].includes(form)) value = part(value, carrier.from ?? []);
      if (value !== MISSING && "value" in carrier) value = carrier.value;
    } else if (this.functions.has(name)) {
      value = "value" in carrier ? carrier.value : MISSING;
    } else {
      value = "absent" in carrier ? carrier.absent : MISSING;
    }
    if (value === MISSING || (form === "bare" && !carrier.only && !carrier.except)) return value;
    value = chosen(value, carrier);
    const canBeEmpty = typeof value !== "boolean" && value !== null;
    return canBeEmpty && isEmpty(value, carrier.keep ?? []) ? MISSING : value;
  }

  /** @param {string} name @param {any} carrier */
  carry(name, carrier) {
    const value = this.value(name, carrier);
    if (value === MISSING) return;
    if (carrier.to === "flag") this.flag(carrier, value, [name]);
    else if (carrier.to === "env")
      this.variables.set(carrier.name, textOf(this.formed(carrier, value, [name]), [name]));
    else if (carrier.to === "process") this.processPart(carrier.name, value, [name]);
    else this.place(carrier, value, [name]);
  }

  /** @param {any} carrier @param {any} value @param {Path} path */
  formed(carrier, value, path) {
    if (carrier.as === "join" || carrier.as === "keys") return this.items(carrier, value, path).join(",");
    return carrier.as === "json" ? jsonText(value, path) : this.wrapped(carrier, value, path);
  }

  /** @param {any} carrier @param {any} value @param {Path} path @returns {string[]} */
  items(carrier, value, path) {
    if (carrier.as === "keys") return entriesOf(value, path).map(([key]) => textOf(key, [...path, key]));
    return (Array.isArray(value) ? value : [value]).flatMap((item, n) => {
      const found = part(item, carrier.from ?? []);
      return found === MISSING ? [] : [this.wrapped(carrier, found, [...path, n])];
    });
  }

  /** @param {any} carrier @param {any} value @param {Path} path */
  wrapped(carrier, value, path) {
    const text = textOf(value, path);
    if (carrier.wrap !== undefined && !canBeWrapped(carrier.wrap, text)) {
      const message = `this cannot be part of ${carrier.wrap}: it is empty, starts or ends with a space, or contains a separator`;
      throw new LaunchError("cannot_travel", [pointer(path)], message);
    }
    return wrapped(carrier, text);
  }

  // --- flags ---

  /** @param {any} carrier @param {any} value @param {Path} path */
  flag(carrier, value, path) {
    const { name, as: form } = carrier;
    if (form === "bare") {
      if (!this.bare.has(name)) this.slots.push([name]);
      this.bare.add(name);
    } else if (form === "join" || form === "keys") {
      const items = this.items(carrier, value, path);
      const slot = this.slot(name, path, true);
      const there = new Set(slot.items);
      slot.items = [...(slot.items ?? []), ...items.filter((item) => !there.has(item))];
    } else if (form === "repeat") {
      for (const item of this.items(carrier, value, path)) this.slots.push(flagged(name, item));
    } else if (form === "json" && carrier.at) {
      this.member(name, carrier.at, value, path);
    } else if (form === "pairs") {
      this.pairs(name, value, path);
    } else {
      this.slots.push(flagged(name, textOf(this.formed(carrier, value, path), path)));
    }
  }

  /** The existing argument of a flag, or a new one. @param {string} flag @param {Path} path @param {boolean} joined */
  slot(flag, path, joined) {
    const key = `${joined} ${flag}`;
    let found = this.shared.get(key);
    if (found === undefined) {
      found = { flag, path, items: joined ? [] : null, whole: MISSING, members: [] };
      this.shared.set(key, found);
      this.slots.push(found);
    }
    return found;
  }

  /** @param {string} flag @param {string[]} at @param {any} value @param {Path} path */
  member(flag, at, value, path) {
    const slot = this.slot(flag, path, false);
    if (at.length > 0) {
      slot.members.push([at, value, path]);
    } else if (slot.whole !== MISSING) {
      throw new LaunchError("conflict", [pointer(slot.path), pointer(path)], `both give the whole of ${flag}`);
    } else {
      slot.whole = value;
      slot.path = path;
    }
  }

  /** @param {string} flag @param {any} value @param {Path} path */
  pairs(flag, value, path) {
    const objects = new Set();
    for (const own of this.carriers.values())
      for (const each of own) if (each.to === "flag" && each.at) objects.add(each.name);
    for (const [key, each] of entriesOf(value, path)) {
      const here = [...path, key];
      const name = flag + textOf(key, here);
      if (each === null) this.late.push([name]);
      else if (objects.has(name)) this.member(name, [], each, here);
      else this.late.push(flagged(name, textOf(each, here)));
    }
  }

  /** @param {Slot | string[]} slot @returns {string[]} */
  argumentsOf(slot) {
    if (Array.isArray(slot)) return slot;
    if (slot.items !== null) return flagged(slot.flag, slot.items.join(","));
    let { whole } = slot;
    if (typeof whole === "string") {
      if (slot.members.length === 0) return flagged(slot.flag, textOf(whole, slot.path));
      whole = objectOf(whole, slot.path);
    }
    let found = whole === MISSING ? {} : whole;
    for (const [at, value, path] of slot.members) {
      if (part(whole, at) !== MISSING) {
        const message = `both give ${pointer(at)} of ${slot.flag}`;
        throw new LaunchError("conflict", [pointer(slot.path), pointer(path)], message);
      }
      found = put(found, at, value);
    }
    if (whole !== MISSING) checkFinite(whole, slot.path);
    for (const [, value, path] of slot.members) checkFinite(value, path);
    return flagged(slot.flag, JSON.stringify(found));
  }

  // --- environment, process, requests ---

  /** @param {string} name @param {any} value @param {Path} path */
  processPart(name, value, path) {
    if (name === "environment") {
      for (const [key, text] of entriesOf(value, path)) {
        const here = [...path, key];
        if (textOf(key, here) === "" || key.includes("=")) {
          throw new LaunchError("cannot_travel", [pointer(here)], "this cannot be the name of a variable");
        }
        this.variables.set(key, textOf(text, here));
      }
    } else if (name === "program_arguments") {
      if (!Array.isArray(value)) throw wrongKind("list", value, path);
      this.spawned[name] = value.map((/** @type {any} */ item, /** @type {number} */ n) => textOf(item, [...path, n]));
    } else {
      this.spawned[name] = textOf(value, path);
    }
  }

  environment() {
    /** @type {[string, string | null][]} */
    const said = this.table.environment;
    const unset = said.filter(([, text]) => text === null).map(([name]) => name);
    const given = [...this.carriers].some(
      ([name, own]) =>
        Object.hasOwn(this.options, name) && own.some((each) => each.to === "process" && each.name === "environment"),
    );
    return {
      inherit: this.table.inherit === "always" || (this.table.inherit === "unless_given" && !given),
      set: fromEntries([...this.variables].filter(([name]) => !unset.includes(name))),
      defaults: fromEntries(said.filter(([name, text]) => text !== null && !this.variables.get(name))),
      unset,
    };
  }

  /** @param {string} control */
  request(control) {
    const found = this.requests.get(control) ?? (this.table.by === null ? {} : { [this.table.by]: control });
    this.requests.set(control, found);
    return found;
  }

  /** @param {any} carrier @param {any} value @param {Path} path */
  place(carrier, value, path) {
    let found = value;
    if (carrier.as === "list") found = Array.isArray(value) ? value : [value];
    else if (carrier.as === "keys") found = entriesOf(value, path).map(([key]) => key);
    else if (carrier.as === "join") found = this.items(carrier, value, path).join(",");
    this.requests.set(carrier.name, put(this.request(carrier.name), carrier.at, found));
  }
}

/** @param {Path} path @param {readonly string[]} pattern */
const matches = (path, pattern) =>
  path.length === pattern.length && pattern.every((step, n) => step === "*" || step === path[n]);

/** The last key of a map in a path. @param {Path} path @param {readonly string[]} pattern */
const keyIn = (path, pattern) => path.filter((step, n) => pattern[n] === "*" && typeof step === "string").at(-1);

/** A JSON value; a number that overflows cannot be represented. @param {string} _key @param {unknown} value */
function finite(_key, value) {
  if (value === Infinity || value === -Infinity) throw new RangeError("a number overflows");
  return value;
}

/** JSON text to which other options add members. @param {string} text @param {Path} path */
function objectOf(text, path) {
  let found;
  try {
    found = JSON.parse(text, finite);
    checkDepth(text);
    checkDigits(text);
  } catch {
    found = null;
  }
  if (!isObject(found)) {
    const message = "other options have a place in this, so it must be the text of a JSON object";
    throw new LaunchError("cannot_travel", [pointer(path)], message);
  }
  return found;
}
