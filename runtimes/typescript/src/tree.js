/** Entries that refer to their parents: the active path, branches and children. */

import { isObject, own, UNFIT } from "./values.js";

/** @typedef {string | number} Id */
/** @typedef {import("./values.js").JsonObject} JsonObject */

/**
 * The keys on the way to an id, each with the names that the member had in earlier releases.
 *
 * @typedef {readonly (readonly string[])[]} Steps
 */

/**
 * Where an entry has its id, and the ids of the entries that it refers to.
 *
 * @typedef {object} Ids
 * @property {Steps} id
 * @property {Steps} parent
 * @property {Steps} [attached]
 * @property {Steps} [previous]
 */

/**
 * An entry with its position, its id, and the ids that it refers to.
 *
 * @typedef {object} Node
 * @property {number} at
 * @property {unknown} entry
 * @property {Id} id
 * @property {Id | undefined} parent
 * @property {Id | undefined} attached
 * @property {Id | undefined} previous
 */

/** Entries that refer to their parents. */
class Tree {
  #ids;
  /** @type {Node[]} */
  #nodes = [];
  /** @type {Map<Id | undefined, Node>} */
  #byId = new Map();
  /** @type {Map<Id, Node[]>} The entries by the ids of their parents, which may be unknown. No list is empty. */
  #children = new Map();
  /** The number of nodes that `#children` takes into account. */
  #linked = 0;

  /** @param {Ids} ids */
  constructor(ids) {
    this.#ids = ids;
  }

  /**
   * Adds an entry, or replaces the one with the same id at its position; false if the entry has no id.
   *
   * @param {unknown} entry
   */
  add(entry) {
    const id = idAt(entry, this.#ids.id);
    if (id === undefined) return false;
    const at = this.#byId.get(id)?.at ?? this.#nodes.length;
    const parent = idAt(entry, this.#ids.parent);
    const attached = idAt(entry, this.#ids.attached);
    const node = { at, entry, id, parent, attached, previous: idAt(entry, this.#ids.previous) };
    this.#byId.set(id, node);
    this.#nodes[at] = node;
    if (at < this.#linked) this.#linked = 0; // the children of its former parent include the replaced entry
    return true;
  }

  /**
   * The entries from the root to a leaf, by default the active one; empty if there is no such entry.
   *
   * @param {{ readonly leaf?: Id | undefined, readonly history?: boolean | undefined }} [options]
   */
  path({ leaf, history } = {}) {
    this.#link();
    let node = leaf === undefined ? this.#active() : this.#byId.get(idOf(leaf));
    /** @type {Set<Node>} */
    const upwards = new Set();
    while (node !== undefined && !upwards.has(node)) {
      upwards.add(node);
      node = this.#byId.get(node.parent) ?? (history ? this.#byId.get(node.previous) : undefined);
    }
    return entriesOf(this.#withAttached([...upwards].reverse()));
  }

  /** The ends of all branches, in order of adding. */
  leaves() {
    this.#link();
    return entriesOf(this.#nodes.filter((node) => !this.#isAside(node) && this.#followed(node).length === 0));
  }

  /**
   * The children of an entry, in order of adding; without an id, the roots.
   *
   * @param {Id} [id]
   */
  children(id) {
    if (id === undefined) return entriesOf(this.#nodes.filter(({ parent }) => !this.#byId.has(parent)));
    this.#link();
    const node = this.#byId.get(idOf(id));
    return node === undefined ? [] : entriesOf(this.#childrenOf(node));
  }

  /** Updates the lists of children: with the entries added since the last call, or with all if one was replaced. */
  #link() {
    if (this.#linked === 0) this.#children.clear();
    for (; this.#linked < this.#nodes.length; this.#linked += 1) {
      const node = this.#nodes[this.#linked];
      if (node.parent === undefined) continue;
      const siblings = this.#children.get(node.parent);
      if (siblings === undefined) this.#children.set(node.parent, [node]);
      else siblings.push(node);
    }
  }

  /** @param {Node} node */
  #childrenOf(node) {
    return this.#children.get(node.id) ?? [];
  }

  /**
   * The entry that an entry is attached to.
   *
   * @param {Node} node
   */
  #hostOf(node) {
    return node.attached === node.id ? undefined : this.#byId.get(node.attached);
  }

  /**
   * Whether an entry is attached and has no children, so that no branch goes through it.
   *
   * @param {Node} node
   */
  #isAside(node) {
    return !this.#children.has(node.id) && this.#hostOf(node) !== undefined;
  }

  /**
   * The children through which branches go.
   *
   * @param {Node} node
   */
  #followed(node) {
    return this.#childrenOf(node).filter((child) => !this.#isAside(child));
  }

  /** The active leaf: the end of the branch of the last entry, by the last child each time. */
  #active() {
    const last = this.#nodes.at(-1);
    if (last === undefined) return undefined;
    const start = (this.#isAside(last) && this.#hostOf(last)) || last;
    for (let node = start; ;) {
      const child = this.#followed(node).at(-1);
      if (child === undefined) return node;
      if (child === start) return start; // no other entry can come again, as each has one parent
      node = child;
    }
  }

  /**
   * The entries of a path, and before each of them the attached ones that belong there.
   *
   * An attached entry belongs before the first entry behind its host that was added after it. The loop visits entries
   * in order of adding, so the entries of the path that it has passed were added before the attached one: `behind`
   * leads from each of them towards the next one that is not passed yet, and each search shortens these ways.
   *
   * @param {Node[]} path
   */
  #withAttached(path) {
    if (this.#ids.attached === undefined) return path;
    /** @type {Map<Node | undefined, number>} */
    const places = new Map(path.map((node, place) => [node, place]));
    const behind = Array.from({ length: path.length + 1 }, (_, place) => place);
    const before = behind.map(() => /** @type {Node[]} */ ([]));
    for (const node of this.#nodes) {
      const passed = places.get(node);
      if (passed !== undefined) {
        behind[passed] = passed + 1;
        continue;
      }
      const host = places.get(this.#hostOf(node));
      if (host === undefined) continue;
      let place = host + 1;
      while (behind[place] !== place) {
        behind[place] = behind[behind[place]];
        place = behind[place];
      }
      before[place].push(node);
    }
    return before.flatMap((attached, place) => [...attached, ...path.slice(place, place + 1)]);
  }
}

/**
 * The trees of a spec's declaration.
 *
 * @param {string} name
 * @param {Ids} ids
 */
export function treeOf(name, ids) {
  // an anonymous class has the name of the property
  const named = {
    [name]: class extends Tree {
      constructor() {
        super(ids);
      }
    },
  };
  return named[name];
}

/** @param {readonly Node[]} nodes */
const entriesOf = (nodes) => nodes.map(({ entry }) => entry);

/**
 * A JSON value as an id: a string or an integer; undefined for anything else.
 *
 * @param {unknown} value
 * @returns {Id | undefined}
 */
function idOf(value) {
  return typeof value === "string" || (typeof value === "number" && Number.isSafeInteger(value)) ? value : undefined;
}

/**
 * The id that an entry has at a pointer.
 *
 * @param {unknown} entry
 * @param {Steps | undefined} steps
 */
function idAt(entry, steps) {
  if (steps === undefined) return undefined;
  let value = entry;
  for (const names of steps) {
    const object = value;
    if (!isObject(object)) return undefined;
    value = names.map((each) => memberOf(object, each)).find((found) => found !== undefined);
  }
  return idOf(value);
}

/**
 * A member of an object, also if a repair removed its value; undefined if it is null.
 *
 * @param {JsonObject} object
 * @param {string} key
 */
function memberOf(object, key) {
  return own(object, key) ?? object[UNFIT]?.find(([each]) => each === key)?.[1] ?? undefined;
}
