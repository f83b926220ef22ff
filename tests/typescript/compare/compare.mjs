/**
 * Compares two types and reports where they differ: keys, optionality, nullability, literals, variants, and `any`.
 *
 * A location is written with the published names: `SDKSystemMessage.mcp_servers[].name`. Both sides are traversed as
 * the compiler sees them, so it does not matter how the types are written. A pair of named types is compared once,
 * wherever it occurs.
 */

import ts from "typescript";

const { TypeFlags, SymbolFlags } = ts;

const WIDE = [
  ["string", TypeFlags.String | TypeFlags.TemplateLiteral],
  ["number", TypeFlags.Number],
  ["boolean", TypeFlags.Boolean],
  ["unknown", TypeFlags.Unknown],
];
const ABSENT = TypeFlags.Undefined | TypeFlags.Void;
const LITERAL = TypeFlags.StringLiteral | TypeFlags.NumberLiteral | TypeFlags.BooleanLiteral;

const isWide = (type) => WIDE.some(([, flags]) => type.flags & flags);

/** The members of a type, or of a union, grouped by kind. */
function sorted(checker, types) {
  const found = { null: false, any: false, wide: new Set(), literals: new Set() };
  Object.assign(found, { arrays: [], functions: [], objects: [] });
  const add = (type) => {
    if (type.flags & TypeFlags.Any) found.any = true;
    else if (type.flags & TypeFlags.Null) found.null = true;
    else if (type.flags & (ABSENT | TypeFlags.Never)) return;
    else if (type.flags & LITERAL) found.literals.add(checker.typeToString(type));
    else if (type.flags & TypeFlags.Boolean) found.wide.add("boolean");
    else if (type.isUnion()) type.types.forEach(add);
    else if (type.isIntersection() && type.types.some(isWide)) type.types.filter(isWide).forEach(add);
    else if (checker.isArrayType(type)) found.arrays.push(...checker.getTypeArguments(type));
    else if (checker.isTupleType(type)) found.arrays.push(...checker.getTypeArguments(type));
    else if (type.getCallSignatures().length) found.functions.push(type);
    else {
      const wide = WIDE.find(([, flags]) => type.flags & flags);
      if (wide) found.wide.add(wide[0]);
      else found.objects.push(type);
    }
  };
  types.forEach(add);
  if (found.literals.has("true") && found.literals.has("false")) {
    found.literals.delete("true");
    found.literals.delete("false");
    found.wide.add("boolean");
  }
  return found;
}

export class Comparison {
  /**
   * `names` of each side are maps from a symbol to its name; `called` maps a published symbol to our symbol with its
   * name.
   */
  constructor(checker, { ours, published }, called) {
    this.checker = checker;
    this.names = { ours: new Map([...ours, ...this.#synonyms(ours)]), published };
    this.called = called;
    this.roots = new Map([...called].map(([published, own]) => [published, this.#root(own, published)]));
    this.differences = new Set();
    this.visited = new Map();
    /** The names visited on each side, and what each was compared with. */
    this.met = { ours: new Map(), published: new Map() };
  }

  /** A pair of names: its location, its types, whether a difference in it breaks it, and the pairs within. */
  #root(own, published) {
    const [ours, theirs] = [own, published].map((symbol) => this.checker.getDeclaredTypeOfSymbol(symbol));
    return { at: this.names.published.get(published), ours, theirs, breaks: false, children: [] };
  }

  /** Compares the names that both sides have. */
  run() {
    for (const [published, ours] of this.called) {
      const root = this.roots.get(published);
      this.#meet(ours, published);
      this.#swallowed([ours, published], [root.ours, root.theirs], root.at, root);
      this.#walk([root.ours], this.#members(published, root), root.at, root);
    }
  }

  /** The types that have one of our names only through an alias, with that name: `type A = B`. */
  *#synonyms(names) {
    for (const [symbol, name] of names) {
      const node = symbol.declarations?.find(ts.isTypeAliasDeclaration)?.type;
      const target = node && ts.isTypeReferenceNode(node) ? this.checker.getSymbolAtLocation(node.typeName) : undefined;
      if (target && !names.has(target)) yield [target, name];
    }
  }

  /**
   * The members of a published type. If a dangling name has turned a union into `any`, it still has its other members.
   */
  #members(symbol, root) {
    const node = symbol.declarations.find(ts.isTypeAliasDeclaration)?.type;
    if (!(root.theirs.flags & TypeFlags.Any) || !node || !ts.isUnionTypeNode(node)) return [root.theirs];
    this.#differ(root.at, "any upstream", root);
    const members = node.types.map((each) => this.checker.getTypeFromTypeNode(each));
    return members.filter((each) => !(each.flags & TypeFlags.Any));
  }

  #meet(ours, published) {
    const [one, other] = [this.names.ours.get(ours), this.names.published.get(published)];
    if (one) this.met.ours.set(one, (this.met.ours.get(one) ?? new Set()).add(other));
    if (other) this.met.published.set(other, (this.met.published.get(other) ?? new Set()).add(one));
  }

  /**
   * Records a difference. One that makes the published type incompatible with ours also `breaks` everything that
   * contains it.
   */
  #differ(at, what, within, { breaks = false } = {}) {
    this.differences.add(`${at}: ${what}`);
    within.breaks ||= breaks;
  }

  #walk(ourTypes, theirTypes, at, within) {
    const [ours, theirs] = [sorted(this.checker, ourTypes), sorted(this.checker, theirTypes)];
    if (ours.any) this.#differ(at, "any in ours", within);
    if (theirs.any) this.#differ(at, "any upstream", within);
    if (ours.any || theirs.any) return;
    if (ours.null !== theirs.null) {
      this.#differ(at, `nullable ${ours.null ? "in ours" : "upstream"}`, within, { breaks: theirs.null });
    }
    this.#values(ours, theirs, at, within);
    for (const item of theirs.arrays.filter((each, index, all) => all.indexOf(each) === index)) {
      if (ours.arrays.length) this.#walk(ours.arrays, [item], `${at}[]`, within);
    }
    this.#functions(ours.functions, theirs.functions, at, within);
    this.#objects(ours.objects, theirs.objects, at, within);
  }

  /** Compares values other than objects: their kinds and literals. */
  #values(ours, theirs, at, within) {
    const compound = (side, kind) => (side[`${kind}s`].length ? [kind] : []);
    const kinds = (side) => [...side.wide, ...compound(side, "array"), ...compound(side, "function")];
    this.#sets(kinds(ours), kinds(theirs), at, within, (kind) => kind);
    const beyond = (side, other) => [...side.literals].filter((each) => !other.wide.has(typeof JSON.parse(each)));
    this.#sets(beyond(ours, theirs), beyond(theirs, ours), at, within, (literal) => `value ${literal}`);
  }

  #sets(ours, theirs, at, within, say) {
    const only = (side, other) => side.filter((each) => !other.includes(each));
    for (const each of only(ours, theirs)) this.#differ(at, `${say(each)} only in ours`, within);
    for (const each of only(theirs, ours)) this.#differ(at, `${say(each)} only upstream`, within, { breaks: true });
  }

  /** Compares the literals that a wider type absorbs: the compiler treats `"a" | string` as `string`. */
  #swallowed(symbols, types, at, within) {
    const kept = types.map((type) => sorted(this.checker, [type]).literals);
    const [ours, theirs] = symbols.map((symbol, side) => {
      const written = (symbol.declarations ?? []).flatMap((each) => [...this.#literals(each.type)]);
      return written.filter((each) => !kept[side].has(each));
    });
    const all = [new Set([...ours, ...kept[0]]), new Set([...theirs, ...kept[1]])];
    for (const each of ours) if (!all[1].has(each)) this.#differ(at, `value ${each} only in ours`, within);
    for (const each of theirs) if (!all[0].has(each)) this.#differ(at, `value ${each} only upstream`, within);
  }

  /** The literals that a type is written with, including those in aliases that it names. */
  *#literals(node, seen = new Set()) {
    if (!node || seen.has(node)) return;
    seen.add(node);
    if (ts.isParenthesizedTypeNode(node)) yield* this.#literals(node.type, seen);
    else if (ts.isUnionTypeNode(node)) for (const each of node.types) yield* this.#literals(each, seen);
    else if (ts.isLiteralTypeNode(node) && ts.isLiteralExpression(node.literal)) {
      yield ts.isStringLiteral(node.literal) ? JSON.stringify(node.literal.text) : node.literal.text;
    } else if (ts.isTypeReferenceNode(node) && !node.typeArguments) {
      const symbol = this.checker.getSymbolAtLocation(node.typeName);
      const target = symbol && symbol.flags & SymbolFlags.Alias ? this.checker.getAliasedSymbol(symbol) : symbol;
      yield* this.#literals(target?.declarations?.find(ts.isTypeAliasDeclaration)?.type, seen);
    }
  }

  #functions([ours], [theirs], at, within) {
    if (!ours || !theirs || this.checker.isTypeAssignableTo(theirs, ours)) return;
    this.#differ(at, "another function", within, { breaks: true });
  }

  #objects(ours, theirs, at, within) {
    const left = new Set(ours);
    for (const their of theirs) {
      const our = this.#match(their, theirs.length > 1 || ours.length > 1 ? [...left] : ours);
      if (!our) {
        this.#differ(at, `variant ${this.#label(their, "published")} only upstream`, within, { breaks: true });
        continue;
      }
      left.delete(our);
      this.#pair(our, their, at, within);
    }
    for (const our of left) this.#differ(at, `variant ${this.#label(our, "ours")} only in ours`, within);
  }

  /** Our variant that corresponds to a published one: by name, or by literals and then by keys. */
  #match(their, candidates) {
    const called = this.called.get(this.#symbol(their, "published"));
    const alike = candidates.find((our) => called && this.#symbol(our, "ours") === called);
    if (alike) return alike;
    const keys = new Map(this.#properties(their).map((each) => [each.name, each]));
    const distance = (our) => {
      let apart = keys.size;
      for (const property of this.#properties(our)) {
        const other = keys.get(property.name);
        if (!other) apart += 1;
        else if (this.#contradict(property, other)) return Infinity;
        else apart -= 1;
      }
      return apart;
    };
    const ranked = candidates.map((our) => [distance(our), our]).filter(([apart]) => apart < Infinity);
    return ranked.sort(([a], [b]) => a - b)[0]?.[1];
  }

  #contradict(ours, theirs) {
    const [few, many] = [ours, theirs].map((each) => sorted(this.checker, [this.checker.getTypeOfSymbol(each)]));
    const literal = (side) => side.literals.size && !side.wide.size && !side.objects.length;
    return literal(few) && literal(many) && ![...few.literals].some((each) => many.literals.has(each));
  }

  /** Whether two types are names that are compared separately. */
  #isCalled(ours, theirs) {
    const called = this.called.get(theirs.aliasSymbol);
    const name = this.names.ours.get(this.#original(ours.aliasSymbol));
    return called !== undefined && this.names.ours.get(called) === name;
  }

  /** The named symbol that another one refers to: `type B = A` refers to A, unless B is one of our names itself. */
  #original(symbol) {
    if (!symbol || this.names.ours.has(symbol)) return symbol;
    const node = symbol.declarations?.find(ts.isTypeAliasDeclaration)?.type;
    return node && ts.isTypeReferenceNode(node) ? this.checker.getSymbolAtLocation(node.typeName) : symbol;
  }

  #properties(type) {
    return this.checker.getPropertiesOfType(type).filter((each) => !each.name.startsWith("__@"));
  }

  #symbol(type, side) {
    return [type.aliasSymbol, type.symbol].find((symbol) => symbol && this.names[side].has(symbol));
  }

  /** The label of a variant: its name, or else the literals that distinguish it from others. */
  #label(type, side) {
    const symbol = this.#symbol(type, side);
    if (symbol) return this.names[side].get(symbol);
    if (!this.#properties(type).length) return "object";
    const literals = this.#properties(type).flatMap((each) => {
      const found = sorted(this.checker, [this.checker.getTypeOfSymbol(each)]);
      return found.literals.size === 1 && !found.wide.size ? [`${each.name} ${[...found.literals][0]}`] : [];
    });
    return literals.join(", ") || this.checker.typeToString(type);
  }

  /** Compares two objects, each pair once. */
  #pair(ours, theirs, at, within) {
    const [one, other] = [this.#symbol(ours, "ours"), this.#symbol(theirs, "published")];
    this.#meet(one, other);
    const key = `${ours.id} ${theirs.id}`;
    if (this.visited.has(key)) {
      within.children.push(this.visited.get(key));
      return;
    }
    const pair = { at: other ? this.names.published.get(other) : at, ours, theirs, breaks: false, children: [] };
    this.visited.set(key, pair);
    within.children.push(pair);
    if (opaque(theirs) || opaque(ours)) {
      if (ours !== theirs) this.#differ(at, "another kind of object", pair, { breaks: true });
      return;
    }
    this.#keys(ours, theirs, pair);
    this.#rest(ours, theirs, pair);
  }

  #keys(ours, theirs, pair) {
    const [few, many] = [ours, theirs].map((type) => new Map(this.#properties(type).map((each) => [each.name, each])));
    for (const [key, our] of few) {
      const place = `${pair.at}.${key}`;
      const their = many.get(key);
      const optional = [our, their].map((each) => each && Boolean(each.flags & SymbolFlags.Optional));
      this.#refer(our, their);
      if (!their) {
        this.#differ(place, `${optional[0] ? "optional " : ""}key only in ours`, pair, { breaks: !optional[0] });
        continue;
      }
      if (optional[0] !== optional[1]) {
        this.#differ(place, `optional ${optional[0] ? "in ours" : "upstream"}`, pair, { breaks: optional[1] });
      }
      const [one, other] = [our, their].map((each) => this.checker.getTypeOfSymbol(each));
      this.#swallowed([our, their], [one, other], place, pair);
      if (this.#isCalled(one, other)) pair.children.push(this.roots.get(other.aliasSymbol));
      else this.#walk([one], [other], place, pair);
    }
    for (const key of many.keys()) {
      if (!few.has(key)) this.#differ(`${pair.at}.${key}`, "key only upstream", pair);
    }
  }

  /** Records the names that a member's type is written with, which are lost when a union is evaluated. */
  #refer(our, their) {
    const written = (side, property) =>
      (property?.declarations ?? []).flatMap((each) => [...this.#written(side, each.type)]);
    const theirs = written("published", their);
    for (const symbol of written("ours", our)) {
      const name = this.names.ours.get(symbol);
      if (their && !this.met.ours.has(name)) this.met.ours.set(name, new Set());
    }
    for (const symbol of theirs) {
      const name = this.names.published.get(symbol);
      if (our && !this.met.published.has(name)) this.met.published.set(name, new Set());
    }
  }

  *#written(side, node) {
    if (!node) return;
    if (ts.isTypeReferenceNode(node)) {
      const symbol = this.checker.getSymbolAtLocation(node.typeName);
      const resolved = symbol && symbol.flags & SymbolFlags.Alias ? this.checker.getAliasedSymbol(symbol) : symbol;
      const target = side === "ours" ? this.#original(resolved) : resolved;
      if (this.names[side].has(target)) yield target;
    }
    if (ts.isTypeLiteralNode(node)) return;
    const children = [];
    ts.forEachChild(node, (child) => void children.push(child));
    for (const child of children) yield* this.#written(side, child);
  }

  /** Compares the types of members that have no name of their own. */
  #rest(ours, theirs, pair) {
    const [one, other] = [ours, theirs].map((type) => this.checker.getIndexInfoOfType(type, ts.IndexKind.String));
    const place = `${pair.at}{}`;
    if (one && other) this.#walk([one.type], [other.type], place, pair);
    else if (one) this.#differ(place, "any key only in ours", pair);
    else if (other) this.#differ(place, "any key only upstream", pair);
  }

  /** Records each pair whose published type is incompatible with ours although no difference inside explains it. */
  assignability() {
    const broken = (pair, seen = new Set()) => {
      if (seen.has(pair)) return false;
      seen.add(pair);
      return pair.breaks || pair.children.some((child) => broken(child, seen));
    };
    let unfit = 0;
    // Innermost first, so that only the location itself is recorded and not everything that contains it.
    for (const pair of [...[...this.visited.values()].reverse(), ...this.roots.values()]) {
      if (this.checker.isTypeAssignableTo(pair.theirs, pair.ours)) continue;
      unfit += 1;
      if (!broken(pair)) this.#differ(pair.at, "does not fit ours", pair, { breaks: true });
    }
    return { pairs: this.visited.size, unfit };
  }
}

const PLATFORM = /\/(typescript\/lib\/lib\.|@types\/node\/)/;

/** Whether an object is an instance of a class or of a platform type: such objects are compared by identity. */
function opaque({ symbol }) {
  if (!symbol) return false;
  if (symbol.flags & SymbolFlags.Class) return true;
  const isPlatform = (each) => PLATFORM.test(each.getSourceFile().fileName);
  return Boolean(symbol.flags & SymbolFlags.Interface && symbol.declarations?.some(isPlatform));
}
