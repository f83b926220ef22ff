/**
 * The engine: it decodes, checks and encodes values by the tables of a protocol, reports the first fault with its place,
 * and notes what lenient mode tolerates.
 *
 * The tables have a row for each declared name:
 *
 *     ["enum", base, open, values]                      base is "string" or "integer"
 *     ["alias", type]
 *     ["struct", tags, consts, fields, extra]           extra is a type, or null
 *     ["union", open, dispatch]
 *
 *     tag       [key, optional, constant]               a constant tag
 *               [key, optional, null, values, others]   a varying one: its values or the name of their enum; others is a
 *                                                       pattern of unknown values that are admitted too, or null
 *     const     [key, value]
 *     field     [key, type, flags, claimed]             claimed: values that belong to sibling variants
 *     dispatch  "Struct"
 *               ["switch", union, key, [[value, dispatch], …], [[pattern, struct], …], dispatch if absent, or null]
 *               ["keys", union, [[has, lacks, dispatch], …]]
 *     type      "string" "boolean" "number" "integer" "uuid" "timestamp" "json" "object" "null", or a declared name
 *               ["[]", item, low, high]                 bounds or null
 *               ["{}", value, key]                      key is an enum's name, or null
 *               ["|", [[kind, type], …]]
 */

import { CODES, Fault } from "./errors.js";
import {
  below,
  byCodePoint,
  checkLevel,
  kindOf,
  matches,
  missing,
  NULLS,
  oneOf,
  overflow,
  pointer,
  shown,
  stepsUp,
  wrongType,
} from "./values.js";

/** @typedef {import("./values.js").Path} Path */
/** @typedef {any[]} Row A row of the tables. */
/** @typedef {string | any[]} Type A type in the notation of the tables. */
/** @typedef {{ [key: string]: any, [NULLS]?: Nulls }} JsonObject */
/** @typedef {string[] & { order?: string[] }} Nulls Keys whose null was taken away; all keys in their original order. */

const REQUIRED = 1;
const NULLABLE = 2;
const FLATTEN = 4;

/** @type {Readonly<Record<string, RegExp>>} */
const FORMATS = {
  uuid: /^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/,
  timestamp: /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?(?:Z|[+-][0-9]{2}:[0-9]{2})$/,
};

// --- members of objects --------------------------------------------------------------------------------------------

/** The members of an object that count, in their order: own ones that are not undefined. */
class Members {
  /** @param {Map<string, any>} map */
  constructor(map) {
    this.map = map;
  }

  /**
   * Those of a value; if it is being written, with the nulls that a repair took away.
   *
   * @param {JsonObject | Members} value
   * @param {Run} run
   */
  static of(value, run) {
    if (value instanceof Members) return value;
    const map = new Map(Object.entries(value).filter(([, member]) => member !== undefined));
    return new Members(run.writes && Object.hasOwn(value, NULLS) ? withNulls(map, value[NULLS] ?? []) : map);
  }

  /**
   * Those whose key passes a test.
   *
   * @param {(key: string) => boolean} test
   */
  filter(test) {
    return new Members(new Map([...this.map].filter(([key]) => test(key))));
  }

  /**
   * Call a function for each, in code-point order of the keys; give the results in the order of the members.
   *
   * @param {(key: string, member: any) => string} act
   */
  each(act) {
    const made = new Map();
    for (const key of [...this.map.keys()].sort(byCodePoint)) made.set(key, act(key, this.map.get(key)));
    return Array.from(this.map.keys(), (key) => made.get(key));
  }
}

/**
 * Members together with the nulls that a repair took away, in their original order.
 *
 * @param {Map<string, any>} map
 * @param {Nulls} nulls
 */
function withNulls(map, nulls) {
  const all = new Map();
  for (const key of [...(nulls.order ?? []), ...map.keys(), ...nulls]) {
    if (map.has(key)) all.set(key, map.get(key));
    else if (nulls.includes(key)) all.set(key, null);
  }
  return all;
}

/**
 * A copy of a value without some of its nulls, which it remembers. The copy shares all parts without such a null.
 *
 * @param {any} value
 * @param {readonly Path[]} repairs
 */
export function repaired(value, repairs) {
  /** @type {Map<object, string[]>} */
  const orders = new Map();
  const copied = (/** @type {any} */ each) => {
    if (orders.has(each)) return each;
    const copy = Array.isArray(each) ? [...each] : { ...each };
    orders.set(copy, [...withNulls(new Map(Object.entries(each)), each[NULLS] ?? []).keys()]);
    return copy;
  };
  const root = copied(value);
  for (const place of repairs) {
    const [key, ...above] = stepsUp(place);
    let parent = root;
    for (const step of above.reverse()) parent = parent[step] = copied(parent[step]);
    delete parent[key];
    const order = orders.get(parent) ?? [];
    const nulls = [...(parent[NULLS] ?? []), key].sort((one, other) => order.indexOf(one) - order.indexOf(other));
    parent[NULLS] = Object.defineProperty(nulls, "order", { value: order }); // internal, so not enumerable
  }
  return root;
}

// --- runs ----------------------------------------------------------------------------------------------------------

/**
 * How a value is read.
 *
 * @typedef {object} How
 * @property {boolean} [strict] Whether what is unknown is a fault.
 * @property {boolean} [writes] Whether the JSON text is wanted.
 */

/** One pass over one value. */
class Run {
  /** @param {How} how */
  constructor({ strict = false, writes = false }) {
    this.strict = strict;
    this.writes = writes;
    /** What the union that was read last has chosen; in the end that is the outermost. */
    this.variant = "";
    /** Where lenient mode tolerated something. @type {Path[]} */
    this.passed = [];
    /** Where there are nulls that have to be taken away. @type {Path[]} */
    this.repairs = [];
  }

  /**
   * Note what lenient mode tolerates; in strict mode it is a fault.
   *
   * @param {Path} path
   * @param {string} code
   * @param {string} message
   */
  letPass(path, code, message) {
    if (this.strict) throw new Fault(code, pointer(path), message);
    this.passed.push(path);
  }

  /** @returns {[number, number]} */
  mark() {
    return [this.passed.length, this.repairs.length];
  }

  /** @param {[number, number]} mark */
  backTo([passed, repairs]) {
    this.passed.length = passed;
    this.repairs.length = repairs;
  }

  /** The JSON Pointers of all places where something was tolerated, in code-point order. */
  unknown() {
    return [...new Set(this.passed.map(pointer))].sort(byCodePoint);
  }
}

/**
 * Reads a value: throws a `Fault`, or gives the value's JSON text if the run writes.
 *
 * @typedef {(run: Run, value: any, path: Path) => string} Reader
 */

/**
 * Reads a member of an object and adds its key to `taken`; gives undefined if the member is absent.
 *
 * @typedef {(run: Run, members: Members, up: Path, taken: Set<string>) => string | undefined} MemberReader
 */

/**
 * A fault, or the one that another attempt meets at the same place if that takes precedence.
 *
 * @param {Fault} fault
 * @param {() => unknown} attempt
 */
function worse(fault, attempt) {
  try {
    attempt();
  } catch (other) {
    if (!(other instanceof Fault)) throw other;
    if (other.path === fault.path && CODES.indexOf(other.code) < CODES.indexOf(fault.code)) return other;
  }
  return fault;
}

// --- built-in types ------------------------------------------------------------------------------------------------

/** @param {string | number | boolean | null} value */
const scalarText = (value) => (Object.is(value, -0) ? "-0" : JSON.stringify(value));

/** @type {(key: string, text: string) => string} */
const memberText = (key, text) => `${JSON.stringify(key)}:${text}`;

/** @param {string[]} members */
const objectText = (members) => `{${members.join(",")}}`;

/**
 * Read any JSON value, which is kept as it is.
 *
 * @type {Reader}
 */
function readUntouched(run, value, path) {
  switch (kindOf(value)) {
    case undefined:
      throw wrongType("JSON", value, path);
    case "number":
      if (!Number.isFinite(value)) throw overflow(path);
      return run.writes ? scalarText(value) : "";
    case "array":
      checkLevel(path);
      return `[${Array.from(value, (item, at) => readUntouched(run, item, below(path, at))).join(",")}]`;
    case "object": {
      checkLevel(path);
      return objectText(
        Members.of(value, run).each((key, member) => memberText(key, readUntouched(run, member, below(path, key)))),
      );
    }
    default:
      return run.writes ? scalarText(value) : "";
  }
}

/** @type {Reader} */
function readObject(run, value, path) {
  if (kindOf(value) !== "object") throw wrongType("object", value, path);
  return readUntouched(run, value, path);
}

/** @type {(kind: string) => Reader} */
const readKind = (kind) => (run, value, path) => {
  if (kindOf(value) !== kind) throw wrongType(kind, value, path);
  return run.writes ? scalarText(value) : "";
};

/** @type {Reader} */
function readNumber(run, value, path) {
  if (typeof value !== "number") throw wrongType("number", value, path);
  if (!Number.isFinite(value)) throw overflow(path);
  return run.writes ? scalarText(value) : "";
}

/** @type {Reader} */
function readInteger(run, value, path) {
  if (typeof value !== "number") throw wrongType("integer", value, path);
  if (!Number.isSafeInteger(value)) {
    const message = `expected an integer within ±${Number.MAX_SAFE_INTEGER}, got ${shown(value)}`;
    throw new Fault("out_of_range", pointer(path), message);
  }
  return run.writes ? scalarText(value) : "";
}

/** @type {(name: string) => Reader} */
const readFormat = (name) => (run, value, path) => {
  if (typeof value !== "string") throw wrongType("string", value, path);
  if (!FORMATS[name].test(value)) run.letPass(path, "bad_format", `expected a ${name}, got ${shown(value)}`);
  return run.writes ? scalarText(value) : "";
};

const BUILT_IN = new Map([
  ["string", readKind("string")],
  ["boolean", readKind("boolean")],
  ["null", readKind("null")],
  ["number", readNumber],
  ["integer", readInteger],
  ["uuid", readFormat("uuid")],
  ["timestamp", readFormat("timestamp")],
  ["json", readUntouched],
  ["object", readObject],
]);

// --- declared types ------------------------------------------------------------------------------------------------

/**
 * Whether a field has a key of its own.
 *
 * @param {Row} field
 */
const isPlain = ([, , flags]) => !(flags & FLATTEN);

/** The readers of a protocol's types, each made when it is first needed. */
export class Engine {
  /** @type {() => readonly (readonly [string, Row])[]} */
  #tables;
  /** @type {Map<string, Row> | undefined} */
  #rows;
  /** @type {Map<string, Reader>} */
  #readers = new Map();
  /** @type {Map<string, Set<string>>} */
  #keys = new Map();

  /** @param {() => readonly (readonly [string, Row])[]} tables Makes the tables, when they are first needed. */
  constructor(tables) {
    this.#tables = tables;
  }

  /**
   * Read a value, which is not changed, as a type. Throws a `Fault`.
   *
   * @param {Type} type
   * @param {unknown} value
   * @param {How} how
   */
  read(type, value, how) {
    const run = new Run(how);
    const text = this.#of(type)(run, value, null);
    const variant = this.#isUnion(type) ? run.variant : String(type);
    return { text, variant, run };
  }

  /**
   * The keys that a struct declares.
   *
   * @param {string} struct
   */
  keys(struct) {
    let keys = this.#keys.get(struct);
    if (keys === undefined) {
      const [, tags, consts, fields] = this.row(struct);
      keys = new Set([...tags, ...consts, ...fields.filter(isPlain)].map(([key]) => key));
      this.#keys.set(struct, keys);
    }
    return keys;
  }

  /**
   * The row of a declared name.
   *
   * @param {string} name
   * @returns {Row}
   */
  row(name) {
    this.#rows ??= new Map(this.#tables());
    const row = this.#rows.get(name);
    if (row === undefined) throw new Error(`the tables have no row ${name}`);
    return row;
  }

  /**
   * @param {Type} type
   * @returns {boolean}
   */
  #isUnion(type) {
    if (typeof type !== "string" || BUILT_IN.has(type)) return false;
    const [what, inner] = this.row(type);
    return what === "union" || (what === "alias" && this.#isUnion(inner));
  }

  /**
   * The reader of a type.
   *
   * @param {Type} type
   * @returns {Reader}
   */
  #of(type) {
    if (typeof type !== "string") return this.#composed(type);
    const builtIn = BUILT_IN.get(type);
    if (builtIn !== undefined) return builtIn;
    let reader = this.#readers.get(type);
    if (reader === undefined) {
      reader = this.#declared(type);
      this.#readers.set(type, reader);
    }
    return reader;
  }

  /** @type {(type: any[]) => Reader} */
  #composed([what, ...parts]) {
    const [first, second, third] = parts;
    switch (what) {
      case "[]":
        return this.#array(first, second, third);
      case "{}":
        return this.#map(first, second);
      default:
        return this.#choice(first);
    }
  }

  /** @type {(name: string) => Reader} */
  #declared(name) {
    const [what, first, second, third, fourth] = this.row(name);
    switch (what) {
      case "enum":
        return this.#enum(name, first, second, third);
      case "alias":
        return this.#later(first);
      case "struct":
        return this.#struct(name, first, second, third, fourth);
      default:
        return this.#union(second);
    }
  }

  /**
   * The reader of a part, made when it is first called, so that types may contain themselves.
   *
   * @param {Type} type
   * @returns {Reader}
   */
  #later(type) {
    /** @type {Reader | undefined} */
    let reader;
    return (run, value, path) => {
      reader ??= this.#of(type);
      return reader(run, value, path);
    };
  }

  /**
   * The JSON kind that a type expects, for messages.
   *
   * @param {Type} type
   * @returns {string}
   */
  #expected(type) {
    if (typeof type !== "string") {
      if (type[0] === "|") return type[1].map((/** @type {[string, Type]} */ [kind]) => kind).join(" or ");
      return type[0] === "[]" ? "array" : "object";
    }
    if (type in FORMATS) return "string";
    if (BUILT_IN.has(type)) return type;
    const [what, detail] = this.row(type);
    if (what === "alias") return this.#expected(detail);
    return what === "enum" ? detail : "object";
  }

  /** @type {(item: Type, low: number | null, high: number | null) => Reader} */
  #array(item, low, high) {
    const readItem = this.#later(item);
    const [least, most] = [low ?? 0, high ?? Infinity];
    const expected = high === null ? `at least ${least} items` : `${least} to ${most} items`;
    return (run, value, path) => {
      if (!Array.isArray(value)) throw wrongType("array", value, path);
      checkLevel(path);
      if (value.length < least || value.length > most) {
        run.letPass(path, "out_of_bounds", `expected ${expected}, got ${value.length}`);
      }
      return `[${Array.from(value, (each, at) => readItem(run, each, below(path, at))).join(",")}]`;
    };
  }

  /** @type {(item: Type, keyEnum: string | null) => Reader} */
  #map(item, keyEnum) {
    const readItem = this.#later(item);
    const [, , open, values = []] = keyEnum === null ? [] : this.row(keyEnum);
    const keys = new Set(values.map(String));
    /** @type {(run: Run, key: string, value: any, path: Path) => string} */
    const readEntry = (run, key, value, path) => {
      if (keyEnum !== null && !keys.has(key)) {
        const message = `${shown(key)} is no value of ${keyEnum}`;
        if (run.strict || !open) {
          const fault = new Fault("unknown_value", pointer(path), message);
          throw worse(fault, () => readItem(run, value, path));
        }
        run.letPass(path, "unknown_value", message);
      }
      return memberText(key, readItem(run, value, path));
    };
    return (run, value, path) => {
      if (kindOf(value) !== "object") throw wrongType("object", value, path);
      checkLevel(path);
      return objectText(Members.of(value, run).each((key, member) => readEntry(run, key, member, below(path, key))));
    };
  }

  /** @type {(members: [string, Type][]) => Reader} */
  #choice(members) {
    const byKind = new Map(members.map(([kind, type]) => [kind, this.#later(type)]));
    const expected = members.map(([kind]) => kind).join(" or ");
    return (run, value, path) => {
      const reader = byKind.get(kindOf(value) ?? "");
      if (reader === undefined) throw wrongType(expected, value, path);
      return reader(run, value, path);
    };
  }

  /** @type {(name: string, base: string, open: boolean, values: (string | number)[]) => Reader} */
  #enum(name, base, open, values) {
    const known = new Set(values);
    const kind = base === "string" ? "string" : "number";
    return (run, value, path) => {
      if (typeof value !== kind) throw wrongType(base, value, path);
      if (!known.has(value)) {
        const message = `${shown(value)} is no value of ${name}`;
        if (!open) throw new Fault("unknown_value", pointer(path), message);
        run.letPass(path, "unknown_value", message);
        if (kind === "number") return readInteger(run, value, path);
      }
      return run.writes ? scalarText(value) : "";
    };
  }

  /** @type {(name: string, tags: Row[], consts: Row[], fields: Row[], extra: Type | null) => Reader} */
  #struct(name, tags, consts, fields, extra) {
    const declared = this.keys(name);
    const readers = [
      ...tags.map(([key, optional, constant, values, others]) => this.#tag(key, optional, constant, values, others)),
      ...consts.map(([key, value]) => this.#constant(key, value)),
      ...fields.map((field) => {
        const [key, type, flags, claimed] = field;
        return isPlain(field) ? this.#field(key, type, flags, claimed) : this.#flat(declared, type, flags);
      }),
    ];
    const flattens = !fields.every(isPlain);
    const readExtra = this.#extra(name, extra);
    return (run, value, path) => {
      if (kindOf(value) !== "object") throw wrongType("object", value, path);
      checkLevel(path);
      const members = Members.of(value, run);
      /** @type {Set<string>} */
      const taken = new Set();
      const texts = [];
      for (const read of readers) {
        const text = read(run, members, path, taken);
        if (text) texts.push(text);
      }
      /** @type {(key: string) => boolean} */
      const isRest = flattens ? (key) => declared.has(key) && !taken.has(key) : (key) => !taken.has(key);
      if (flattens || taken.size < members.map.size) {
        const read = (/** @type {string} */ key, /** @type {any} */ member) =>
          // a declared key is left over if lenient mode took its null away; the type of extra members does not apply
          memberText(key, declared.has(key) ? "null" : readExtra(run, member, below(path, key)));
        texts.push(...members.filter(isRest).each(read));
      }
      return objectText(texts);
    };
  }

  /**
   * @param {string} key
   * @param {boolean} optional
   * @param {string | boolean | null} constant
   * @param {string | (string | boolean)[]} values
   * @param {string | null} others
   * @returns {MemberReader}
   */
  #tag(key, optional, constant, values, others) {
    const listed = constant !== null ? [constant] : typeof values === "string" ? this.row(values)[3] : values;
    const kind = typeof listed[0];
    return (run, members, up, taken) => {
      if (!members.map.has(key)) {
        if (optional) return undefined;
        throw missing(key, up);
      }
      const [value, path] = [members.map.get(key), below(up, key)];
      if (typeof value !== kind) throw wrongType(kind, value, path);
      if (!listed.includes(value)) {
        const message = `expected ${oneOf(listed)}, got ${shown(value)}`;
        if (constant !== null) throw new Fault("wrong_constant", pointer(path), message);
        if (others === null || !matches(value, others)) throw new Fault("unknown_value", pointer(path), message);
        run.letPass(path, "unknown_value", message);
      }
      taken.add(key);
      return memberText(key, JSON.stringify(value));
    };
  }

  /** @type {(key: string, constant: string | number | boolean) => MemberReader} */
  #constant(key, constant) {
    return (_run, members, up, taken) => {
      if (!members.map.has(key)) throw missing(key, up);
      const [value, path] = [members.map.get(key), below(up, key)];
      if (typeof value !== typeof constant) throw wrongType(typeof constant, value, path);
      if (value !== constant) {
        const message = `expected ${shown(constant)}, got ${shown(value)}`;
        throw new Fault("wrong_constant", pointer(path), message);
      }
      taken.add(key);
      return memberText(key, scalarText(value));
    };
  }

  /** @type {(key: string, type: Type, flags: number, claimed?: any[]) => MemberReader} */
  #field(key, type, flags, claimed = []) {
    const reader = this.#later(type);
    const expected = this.#expected(type);
    return (run, members, up, taken) => {
      if (!members.map.has(key)) {
        if (flags & REQUIRED) throw missing(key, up);
        return undefined;
      }
      const [value, path] = [members.map.get(key), below(up, key)];
      if (value === null && !(flags & (NULLABLE | REQUIRED))) {
        run.letPass(path, "wrong_type", `expected ${expected}, got null`);
        run.repairs.push(path);
        return undefined;
      }
      if (claimed.includes(value)) {
        throw new Fault("wrong_constant", pointer(path), `${shown(value)} belongs to another variant`);
      }
      const text = value === null && flags & NULLABLE ? "null" : reader(run, value, path);
      taken.add(key);
      return memberText(key, text);
    };
  }

  /** @type {(declared: Set<string>, type: Type, flags: number) => MemberReader} */
  #flat(declared, type, flags) {
    const reader = this.#later(type);
    return (run, members, path) => {
      const rest = members.filter((each) => !declared.has(each));
      if (rest.map.size === 0 && !(flags & REQUIRED)) return undefined;
      return reader(run, rest, path).slice(1, -1);
    };
  }

  /**
   * The reader of members that are not declared.
   *
   * @param {string} struct
   * @param {Type | null} type
   * @returns {Reader}
   */
  #extra(struct, type) {
    if (type !== null) return this.#later(type);
    return (run, value, path) => {
      const message = `${shown(path?.step)} is no field of ${struct}`;
      if (run.strict) {
        const fault = new Fault("unknown_field", pointer(path), message);
        throw worse(fault, () => readUntouched(run, value, path));
      }
      run.letPass(path, "unknown_field", message);
      return readUntouched(run, value, path);
    };
  }

  /** @type {(dispatch: string | any[]) => Reader} */
  #union(dispatch) {
    return (run, value, path) => {
      if (kindOf(value) !== "object") throw wrongType("object", value, path);
      const choice = new Choice(this, run, Members.of(value, run), path);
      let struct = choice.follow(dispatch);
      let text;
      const mark = run.mark();
      try {
        text = struct === null ? readUntouched(run, value, path) : this.#of(struct)(run, value, path);
      } catch (fault) {
        if (choice.doubt === null || !(fault instanceof Fault)) throw fault;
        // an unknown value that matches a pattern, but with another body
        run.backTo(mark);
        run.letPass(...choice.doubt);
        struct = null;
        text = readUntouched(run, value, path);
      }
      run.variant = struct ?? "Unknown";
      return text;
    };
  }
}

/** The way of one object through the dispatch of a union and of those nested in it. */
class Choice {
  /**
   * @param {Engine} engine
   * @param {Run} run
   * @param {Members} members
   * @param {Path} path
   */
  constructor(engine, run, members, path) {
    this.engine = engine;
    this.run = run;
    this.members = members.map;
    this.path = path;
    /** Whether one of the unions on the way is open. */
    this.open = false;
    /** What lenient mode tolerates if the struct behind a pattern does not fit. @type {[Path, string, string] | null} */
    this.doubt = null;
  }

  /**
   * The struct that the discriminators lead to; null for an unknown variant of an open union.
   *
   * @param {string | any[]} dispatch
   * @returns {string | null}
   */
  follow(dispatch) {
    if (typeof dispatch === "string") return dispatch;
    const [how, union, ...table] = dispatch;
    const open = this.engine.row(union)[1];
    this.open ||= open;
    return how === "keys"
      ? this.#byKeys(union, open, table[0])
      : this.#byTag(open, table[0], table[1], table[2], table[3]);
  }

  /** @type {(union: string, open: boolean, cases: any[][]) => string | null} */
  #byKeys(union, open, cases) {
    for (const [has, lacks, dispatch] of cases) {
      const isThere = (/** @type {string} */ key) => this.members.has(key);
      if (has.every(isThere) && !lacks.some(isThere)) return this.follow(dispatch);
    }
    return this.#unanswered(open, "no_variant", this.path, `no variant of ${union} has these members`);
  }

  /** @type {(open: boolean, key: string, cases: any[][], others: any[][], absent: any) => string | null} */
  #byTag(open, key, cases, others, absent) {
    if (!this.members.has(key)) {
      if (absent === null) throw missing(key, this.path);
      return this.follow(absent);
    }
    const [tag, place] = [this.members.get(key), below(this.path, key)];
    const kinds = cases.length ? [...new Set(cases.map(([value]) => typeof value))] : ["string"];
    if (!kinds.includes(typeof tag)) throw wrongType(kinds.join(" or "), tag, place);
    const found = cases.find(([value]) => value === tag);
    if (found !== undefined) return this.follow(found[1]);
    const message = `expected ${oneOf(cases.map(([value]) => value))}, got ${shown(tag)}`;
    const catchAll = others.find(([pattern]) => matches(tag, pattern));
    if (catchAll !== undefined) {
      if (this.run.strict) throw new Fault("unknown_value", pointer(place), message);
      if (this.open) this.doubt = [place, "unknown_value", message];
      return catchAll[1];
    }
    if (absent !== null && typeof tag === "boolean") return this.follow(absent);
    return this.#unanswered(open, "unknown_variant", place, message);
  }

  /** @type {(open: boolean, code: string, place: Path, message: string) => null} */
  #unanswered(open, code, place, message) {
    if (!open) throw new Fault(code, pointer(place), message);
    this.run.letPass(place, code, message);
    return null;
  }
}
