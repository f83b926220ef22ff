// TypeScript declarations → shapes. The compiler's checker works out what a type is: generics are instantiated, `Omit` and
// `Pick` applied, aliases looked through. The programs that use it read a request from standard input and answer on standard
// output, both JSON.

import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";

const MOST_DECLARATIONS = 5000;
const MOST_DEPTH = 50;

// What a browser declares is no JSON, and has names as protocols do: `Event`, `Request`.
export const LIB = ["lib.es2022.d.ts"];

export const request = JSON.parse(readFileSync(0, "utf8"));

function answer(value) {
  process.stdout.write(JSON.stringify(value));
}

export class Refused extends Error {}

// The compiler, and the program of the files that the request names. `lib` names the libraries, by default those of a browser;
// `added` has lines to read at the end of files.
export function load({ lib, added = new Map() } = {}) {
  const ts = createRequire(import.meta.url)(request.compiler);
  const major = Number(ts.version.split(".")[0]);
  if (!(major >= 5 && major <= 6)) throw new Refused(`version ${ts.version}`);
  const options = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    types: [],
    lib,
  };
  const reading = ts.createCompilerHost(options);
  const { readFile } = reading;
  // The names of a script are those of the libraries too, such as `Error`; those of a module are its own.
  const [first] = request.files;
  const isScript = (text) => !ts.isExternalModule(ts.createSourceFile(first, text, options.target));
  reading.readFile = (file) => {
    const text = readFile(file);
    if (text === undefined) return text;
    const own = file === first && request.files.length === 1 && isScript(text) ? ["export {};"] : [];
    return [text, ...own, ...(added.get(file) ?? [])].join("\n");
  };
  const program = ts.createProgram(request.files, options, reading);
  const faults = request.files.flatMap((file) => {
    const source = program.getSourceFile(file);
    return source === undefined ? [] : [...program.getSyntacticDiagnostics(source)];
  });
  if (faults.length > 0) throw new Refused(ts.formatDiagnostics(faults.slice(0, 5), host(ts)));
  return { ts, program };
}

function host(ts) {
  return {
    getCanonicalFileName: (name) => name,
    getCurrentDirectory: () => process.cwd(),
    getNewLine: () => "\n",
    formatDiagnostics: ts.formatDiagnostics,
  };
}

export class Reader {
  constructor(ts, program) {
    this.ts = ts;
    this.open(program);
    this.declarations = {};
    this.named = new Map();
    this.unnamed = new Map(); // objects that have no name of their own: the name of what stands for them, or null inside of them
    this.taken = new Set();
    this.work = [];
    this.notes = [];
    this.depth = 0;
    this.added = new Map(); // file -> lines to read at its end, a statement each
  }

  open(program) {
    this.program = program;
    this.checker = program.getTypeChecker();
  }

  run() {
    const known = this.exported();
    for (const name of request.roots)
      if (!known.has(name)) throw new Refused(`root ${name} ${[...known.keys()].join(" ")}`);
    const types = this.ofRoots(request.roots.map((name) => known.get(name)));
    const roots = request.roots.map((name, at) => this.declare(...types[at], name.slice(name.lastIndexOf(".") + 1)));
    while (this.work.length > 0) this.define(this.work.shift());
    return { roots, known: [...known.keys()], declarations: this.declarations, notes: this.notes };
  }

  // What a file exports, from other files too.
  exports(source) {
    const module = source && this.checker.getSymbolAtLocation(source);
    return module ? this.checker.getExportsOfModule(module) : [];
  }

  // The types that the files export or declare at their top, and in namespaces: `Namespace.Type`. A name is that of an export,
  // where there is one.
  exported() {
    const { ts, checker } = this;
    const found = new Map();
    const namespaces = new Set();
    const enter = (symbol, name) => {
      const target = this.behind(symbol);
      if (target.declarations?.some((each) => this.isAdded(each))) return;
      if (target.flags & ts.SymbolFlags.Type && !found.has(name)) found.set(name, target);
      if (!(target.flags & ts.SymbolFlags.Module) || namespaces.has(target)) return;
      namespaces.add(target);
      for (const each of checker.getExportsOfModule(target)) enter(each, `${name}.${each.name}`);
    };
    for (const file of request.files) {
      const source = this.program.getSourceFile(file);
      for (const symbol of this.exports(source)) enter(symbol, symbol.name);
      for (const node of source?.statements ?? []) {
        const declares =
          ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) || ts.isEnumDeclaration(node);
        if (declares || (ts.isModuleDeclaration(node) && ts.isIdentifier(node.name)))
          enter(checker.getSymbolAtLocation(node.name), node.name.text);
      }
    }
    return found;
  }

  // The symbols and types of roots. Only the compiler can apply generic ones to the defaults or constraints of their parameters,
  // so if there are any, files are read with references to the roots at their end.
  ofRoots(symbols) {
    if (!symbols.some((each) => this.parameters(each).length > 0))
      return symbols.map((each) => [each, this.checker.getDeclaredTypeOfSymbol(each)]);
    const { added } = this;
    const places = symbols.map((symbol) => {
      const file = symbol.declarations[0].getSourceFile().fileName;
      if (!added.has(file)) added.set(file, []);
      return [file, added.get(file).push(`type _ = [${this.applied(symbol)}];`)];
    });
    this.open(load({ lib: LIB, added }).program);
    return places.map(([file, number]) => {
      const { type: node } = this.program.getSourceFile(file).statements.at(number - added.get(file).length - 1);
      const [type] = this.checker.getTypeArguments(this.checker.getTypeFromTypeNode(node));
      return [this.checker.getSymbolAtLocation(node.elements[0].typeName), type];
    });
  }

  isAdded(node) {
    const { fileName, statements } = node.getSourceFile();
    return statements.slice(statements.length - (this.added.get(fileName)?.length ?? 0)).includes(node);
  }

  parameters(symbol) {
    return symbol.declarations.find((each) => each.typeParameters?.length > 0)?.typeParameters ?? [];
  }

  // A reference to a root. Parameters in a constraint stand for any value there.
  applied(symbol) {
    const { ts, checker } = this;
    const parameters = this.parameters(symbol).map((each) => checker.getSymbolAtLocation(each.name));
    const text = (node) => {
      if (ts.isIdentifier(node) && parameters.includes(checker.getSymbolAtLocation(node))) return "any";
      const whole = node.getSourceFile().text;
      let [found, at] = ["", node.getStart()];
      ts.forEachChild(node, (each) => {
        found += whole.slice(at, each.getStart()) + text(each);
        at = each.getEnd();
      });
      return found + whole.slice(at, node.getEnd());
    };
    const given = [];
    for (const { name, default: usual, constraint } of this.parameters(symbol)) {
      const words = (usual ?? constraint)?.getText() ?? "any value";
      this.note("guessed", `/${symbol.name}`, `${name.text} has no argument; it is read as ${words}`);
      if (usual === undefined) given.push(constraint === undefined ? "any" : text(constraint)); // defaults come last
    }
    const own = symbol.declarations[0].name?.text ?? symbol.name; // which a default export has only there
    const path = checker
      .getFullyQualifiedName(symbol)
      .replace(/^".*"\./, "")
      .replace(/[^.]*$/, own);
    return given.length > 0 ? `${path}<${given.join(", ")}>` : path;
  }

  // What a name stands for, behind imports.
  imported(symbol) {
    return symbol && symbol.flags & this.ts.SymbolFlags.Alias ? this.checker.getAliasedSymbol(symbol) : symbol;
  }

  // The same, behind aliases of the same name too: bundlers write `type Name = Name$1`.
  behind(symbol) {
    const { ts, checker } = this;
    let found = this.imported(symbol);
    for (let step = 0; step < MOST_DEPTH; step += 1) {
      const node = found?.declarations?.[0];
      if (node === undefined || !ts.isTypeAliasDeclaration(node) || !ts.isTypeReferenceNode(node.type)) break;
      const next = this.imported(checker.getSymbolAtLocation(node.type.typeName));
      if (next?.name !== found.name || node.type.typeArguments || node.typeParameters) break;
      found = next;
    }
    return found;
  }

  note(kind, place, message) {
    this.notes.push({ kind, place, message });
  }

  // --- declarations ---

  declare(symbol, type, name) {
    const key = this.key(symbol, type);
    let given = this.named.get(key) ?? this.unnamed.get(type);
    if (given === undefined || given === null) {
      given = name;
      for (let number = 2; this.taken.has(given); number += 1) given = `${name}${number}`;
      this.named.set(key, given);
      if (this.isAnonymous(type)) this.unnamed.set(type, given);
      this.taken.add(given);
      this.work.push({ name: given, symbol, type });
      if (this.taken.size > MOST_DECLARATIONS) throw new Refused("too many");
    }
    return given;
  }

  // Whether it is an object type that is written out somewhere, such as at the member that `Schemas["Note"]` leads to.
  isAnonymous(type) {
    return (type.objectFlags & this.ts.ObjectFlags.Anonymous) !== 0 && type.aliasSymbol === undefined;
  }

  key(symbol, type) {
    if (symbol === type.symbol && this.isAnonymous(type)) return type;
    const args = type.aliasSymbol === symbol ? type.aliasTypeArguments : this.args(type);
    if (!args || args.length === 0) return symbol;
    return `${this.ts.getSymbolId?.(symbol) ?? this.checker.getFullyQualifiedName(symbol)}<${args.map((each) => each.id).join()}>`;
  }

  args(type) {
    const { ts } = this;
    if (!(type.flags & ts.TypeFlags.Object) || !(type.objectFlags & ts.ObjectFlags.Reference)) return [];
    return this.checker.getTypeArguments(type).filter((each) => !each.isThisType);
  }

  define({ name, symbol, type }) {
    const { ts } = this;
    const place = `/${name}`;
    const node = symbol.declarations?.[0];
    let written = node && ts.isTypeAliasDeclaration(node) && !(node.typeParameters?.length > 0) ? node.type : undefined;
    while (written && ts.isParenthesizedTypeNode(written)) written = written.type;
    let shape = written ? this.ofNode(written, place, name) : this.ofBody(type, place, name);
    // The checker knows a mapped type by the name of its alias, and an intersection of unions by that of any alias of it.
    if (shape.k === "ref" && (shape.name === name || (written && ts.isIntersectionTypeNode(written)))) {
      shape = this.ofBody(type, place, name);
    }
    this.declarations[name] = { shape, place, doc: this.doc(symbol), deprecated: this.deprecated(symbol) };
  }

  doc(symbol) {
    if (!request.docs) return null;
    return this.ts.displayPartsToString(symbol.getDocumentationComment(this.checker)) || null;
  }

  deprecated(symbol) {
    return symbol.getJsDocTags(this.checker).some((tag) => tag.name === "deprecated");
  }

  // --- by the way a type is written, which keeps the names of aliases ---

  ofNode(node, place, hint) {
    this.depth += 1;
    if (this.depth > MOST_DEPTH) throw new Refused(`depth ${place}`);
    try {
      return this.ofWritten(node, place, hint);
    } finally {
      this.depth -= 1;
    }
  }

  ofWritten(node, place, hint) {
    const { ts } = this;
    if (ts.isParenthesizedTypeNode(node)) return this.ofNode(node.type, place, hint);
    if (ts.isUnionTypeNode(node)) {
      const unsaid = [ts.SyntaxKind.UndefinedKeyword, ts.SyntaxKind.NeverKeyword];
      const told = node.types.filter((each) => !unsaid.includes(each.kind));
      return oneOf(told.map((each) => this.ofNode(each, place, hint)));
    }
    if (ts.isArrayTypeNode(node) && node.elementType.kind !== ts.SyntaxKind.NeverKeyword)
      return { k: "array", item: this.ofNode(node.elementType, place, `${hint}Item`) };
    if (ts.isTypeOperatorNode(node) && node.operator === ts.SyntaxKind.ReadonlyKeyword) {
      return this.ofNode(node.type, place, hint);
    }
    if (ts.isTypeLiteralNode(node)) {
      return this.ofMembers(this.checker.getTypeFromTypeNode(node), place, hint, []);
    }
    if (ts.isTypeReferenceNode(node)) {
      const found = this.ofReference(node, place, hint);
      if (found !== null) return found;
    }
    if (ts.isIntersectionTypeNode(node)) {
      const type = this.checker.getTypeFromTypeNode(node);
      const parts = node.types.map((each) => this.ofNode(each, place, hint));
      if (!type.isUnion() && parts.every((each) => each.k === "ref" || each.k === "object"))
        return this.together(parts);
    }
    const key = ts.isIndexedAccessTypeNode(node) && ts.isLiteralTypeNode(node.indexType) && node.indexType.literal.text;
    const title = key && /^[A-Za-z]\w*$/.test(key) ? key[0].toUpperCase() + key.slice(1) : hint;
    return this.ofType(this.checker.getTypeFromTypeNode(node), place, title);
  }

  together(parts) {
    const own = parts.filter((each) => each.k === "object");
    return {
      k: "object",
      members: own.flatMap((each) => each.members),
      bases: [...parts.filter((each) => each.k === "ref"), ...own.flatMap((each) => each.bases)],
      extra: own.map((each) => each.extra).find((each) => each) ?? null,
    };
  }

  ofReference(node, place, hint) {
    const { ts } = this;
    const symbol = this.behind(this.checker.getSymbolAtLocation(node.typeName));
    if (
      symbol === undefined ||
      this.foreign(symbol) ||
      symbol.declarations?.some((each) => each.typeParameters?.length > 0)
    )
      return null;
    if (symbol.flags & (ts.SymbolFlags.TypeAlias | ts.SymbolFlags.Interface | ts.SymbolFlags.Enum)) {
      const type = this.checker.getDeclaredTypeOfSymbol(symbol);
      return { k: "ref", name: this.declare(symbol, type, symbol.name) };
    }
    return null;
  }

  // Whether the standard library declares it.
  foreign(symbol) {
    return (symbol.declarations ?? []).some((node) => this.program.isSourceFileDefaultLibrary(node.getSourceFile()));
  }

  // --- by what a type is ---

  ofType(type, place, hint) {
    this.depth += 1;
    if (this.depth > MOST_DEPTH) throw new Refused(`depth ${place}`);
    try {
      return (
        this.named_(type, hint) ??
        (this.isAnonymous(type) ? this.ofAnonymous(type, place, hint) : this.ofBody(type, place, hint))
      );
    } finally {
      this.depth -= 1;
    }
  }

  // One that is inside of itself gets a name.
  ofAnonymous(type, place, hint) {
    const inside = this.unnamed.get(type);
    if (inside !== undefined) return { k: "ref", name: inside ?? this.declare(type.symbol, type, hint) };
    this.unnamed.set(type, null);
    const shape = this.ofBody(type, place, hint);
    const name = this.unnamed.get(type);
    if (name !== null) return { k: "ref", name };
    this.unnamed.delete(type);
    return shape;
  }

  // A reference, if the type has a name of the sources.
  named_(type, hint) {
    const { ts } = this;
    const alias = type.aliasSymbol;
    if (alias !== undefined && !this.foreign(alias)) {
      return { k: "ref", name: this.declare(alias, type, this.title(alias, type.aliasTypeArguments, hint)) };
    }
    const { symbol } = type;
    if (symbol === undefined || this.foreign(symbol)) return null;
    if (type.flags & ts.TypeFlags.EnumLike && symbol.flags & ts.SymbolFlags.Enum) {
      return { k: "ref", name: this.declare(symbol, type, symbol.name) };
    }
    if (symbol.flags & ts.SymbolFlags.Interface) {
      return { k: "ref", name: this.declare(symbol, type, this.title(symbol, this.args(type), hint)) };
    }
    return null;
  }

  title(symbol, args, hint) {
    const words = (args ?? []).map((each) => (each.aliasSymbol ?? each.symbol)?.name ?? each.intrinsicName ?? "");
    const sound = words.every((each) => /^[A-Za-z]\w*$/.test(each) && each !== "__type");
    if (words.length === 0) return symbol.name;
    return sound
      ? symbol.name + words.map((each) => each[0].toUpperCase() + each.slice(1)).join("")
      : symbol.name + hint;
  }

  ofEnum(type) {
    const each = type.isUnion() ? type.types : [type];
    return oneOf(each.map((one) => literal(one.value, one.symbol?.name)));
  }

  ofBody(type, place, hint) {
    const { ts } = this;
    const { flags } = type;
    const Flag = ts.TypeFlags;
    if (flags & Flag.Any && ["error", "unresolved"].includes(type.intrinsicName))
      this.note("fallback", place, "the type is declared nowhere; it is read as any value");
    if (flags & (Flag.Any | Flag.Unknown)) return { k: "any" };
    if (flags & Flag.Null) return { k: "null" };
    if (flags & Flag.EnumLike) return this.ofEnum(type);
    if (flags & (Flag.StringLiteral | Flag.NumberLiteral)) return literal(type.value);
    if (flags & Flag.BooleanLiteral) return { k: "literal", value: type.intrinsicName === "true" };
    if (flags & Flag.Boolean) return { k: "scalar", name: "boolean" };
    if (flags & Flag.String) return { k: "scalar", name: "string" };
    if (flags & Flag.Number) return { k: "scalar", name: "number" };
    if (flags & (Flag.TemplateLiteral | Flag.StringMapping)) {
      this.note("lost", place, "the pattern of the text is not checked");
      return { k: "scalar", name: "string" };
    }
    if (flags & Flag.NonPrimitive) return { k: "anyObject" };
    if (type.isUnion()) return this.ofUnion(type, place, hint);
    if (type.isIntersection()) return this.ofIntersection(type, place, hint);
    if (flags & Flag.Object) return this.ofObject(type, place, hint);
    this.note("fallback", place, `${this.checker.typeToString(type)} is no JSON; it is read as any value`);
    return { k: "any" };
  }

  ofUnion(type, place, hint) {
    const { ts } = this;
    const kept = alternatives(type).filter((each) => !(each.flags & (ts.TypeFlags.Undefined | ts.TypeFlags.Void)));
    return oneOf(kept.map((each) => this.ofType(each, place, hint)));
  }

  ofIntersection(type, place, hint) {
    const { ts } = this;
    const scalar = type.types.find((each) => each.flags & (ts.TypeFlags.String | ts.TypeFlags.Number));
    if (scalar !== undefined) return this.ofBody(scalar, place, hint);
    const parts = distinct(type.types.map((each) => this.ofType(each, place, hint)));
    if (parts.length === 1) return parts[0];
    if (parts.every((each) => each.k === "ref" || each.k === "object")) return this.together(parts);
    return this.ofMembers(type, place, hint, []);
  }

  ofObject(type, place, hint) {
    const { ts, checker } = this;
    if (checker.isTupleType(type)) {
      const items = checker.getTypeArguments(type).map((each, n) => this.ofType(each, place, `${hint}Item${n + 1}`));
      if (type.target.hasRestElement || type.target.minLength < items.length) {
        this.note("lost", place, "the list may be of other lengths, which are not checked");
        return { k: "array", item: oneOf(items) };
      }
      return { k: "tuple", items };
    }
    if (checker.isArrayType(type)) {
      const [item] = checker.getTypeArguments(type);
      if (item.flags & ts.TypeFlags.Never) return { k: "tuple", items: [] };
      return { k: "array", item: this.ofType(item, place, `${hint}Item`) };
    }
    if (type.getCallSignatures().length > 0 || type.getConstructSignatures().length > 0) {
      this.note("fallback", place, "a function does not travel; it is read as any value");
      return { k: "any" };
    }
    const ours = type.symbol === undefined || !this.foreign(type.symbol) || type.objectFlags & ts.ObjectFlags.Mapped;
    if (!ours) {
      const text = type.getProperty("toJSON");
      const [signature] = text === undefined ? [] : checker.getTypeOfSymbol(text).getCallSignatures();
      if (signature !== undefined) {
        this.note("guessed", place, `${checker.typeToString(type)} travels as its \`toJSON\` returns it`);
        return this.ofType(signature.getReturnType(), place, hint);
      }
      this.note("fallback", place, `${checker.typeToString(type)} is no JSON; it is read as any value`);
      return { k: "any" };
    }
    const bases = [];
    if (type.isClassOrInterface() || type.objectFlags & ts.ObjectFlags.Reference) {
      for (const base of checker.getBaseTypes(type.target ?? type)) {
        if (checker.isArrayType(base) || checker.isTupleType(base)) return this.ofType(base, place, hint);
        const named = this.args(type).length > 0 ? null : this.named_(base, hint);
        if (named !== null) bases.push({ named, type: base });
      }
    }
    return this.ofMembers(type, place, hint, bases);
  }

  ofMembers(type, place, hint, bases) {
    const { ts, checker } = this;
    const inherited = new Set(
      bases.flatMap((base) =>
        checker.getPropertiesOfType(base.type).filter((each) => type.getProperty(each.name) === each),
      ),
    );
    const members = [];
    for (const symbol of checker.getPropertiesOfType(type)) {
      if (inherited.has(symbol) || symbol.name.startsWith("__@")) continue;
      const member = this.member(symbol, `${place}/${symbol.name}`, hint);
      if (member !== null) members.push(member);
    }
    const any = checker.getIndexInfoOfType(type, ts.IndexKind.String);
    const isMember = ({ keyType, type }) =>
      !(keyType.flags & ts.TypeFlags.ESSymbol) && !(type.flags & ts.TypeFlags.Never);
    const some = checker.getIndexInfosOfType(type).filter(isMember);
    if (!any && some.length > 0) this.note("lost", place, "which keys other members may have is not checked");
    const others = any ? some.filter((each) => each === any) : some;
    const extra =
      others.length > 0 ? oneOf(others.map((each) => this.ofType(each.type, `${place}/*`, `${hint}Value`))) : null;
    if (members.length === 0 && bases.length === 0) {
      if (extra !== null) return { k: "map", value: extra };
      if (checker.getPropertiesOfType(type).length === 0 && place.lastIndexOf("/") > 0) return { k: "anyObject" };
    }
    return { k: "object", members, bases: bases.map((base) => base.named), extra };
  }

  member(symbol, place, hint) {
    const { ts, checker } = this;
    const node = symbol.valueDeclaration ?? symbol.declarations?.[0];
    const optional = (symbol.flags & ts.SymbolFlags.Optional) !== 0;
    const title = hint + symbol.name.charAt(0).toUpperCase() + symbol.name.slice(1);
    const type = checker.getTypeOfSymbol(symbol);
    const some = alternatives(type);
    const missing = some.filter((each) => each.flags & (ts.TypeFlags.Undefined | ts.TypeFlags.Void));
    const told = some.filter((each) => !missing.includes(each) && !(each.flags & ts.TypeFlags.Never));
    if (told.length === 0) return null;
    if (symbol.flags & ts.SymbolFlags.Method || told.every((each) => each.getCallSignatures().length > 0)) {
      this.note("lost", place, "a function does not travel; it is left out");
      return null;
    }
    if (missing.length > 0 && !optional)
      this.note("guessed", place, "`undefined` does not travel: the member may be absent");
    const written = node && ts.isPropertySignature(node) && !this.instantiated(symbol) ? node.type : undefined;
    const shape =
      written && missing.length === (optional ? 1 : 0)
        ? this.ofNode(written, place, title)
        : missing.length === 0
          ? this.ofType(type, place, title)
          : oneOf(told.map((each) => this.ofType(each, place, title)));
    return {
      name: symbol.name,
      shape,
      required: !optional && missing.length === 0,
      doc: this.doc(symbol),
      deprecated: this.deprecated(symbol),
      place,
    };
  }

  // Whether the checker made the member, of a generic or mapped type, so that its declaration says something else.
  instantiated(symbol) {
    return (symbol.flags & this.ts.SymbolFlags.Transient) !== 0;
  }
}

// The types of a union, or the type itself. A union that is optional or nullable, or a part of another one, has its name in the
// origin alone.
export function alternatives(type) {
  if (!type.isUnion()) return [type];
  return type.origin?.isUnion() ? type.origin.types : type.types;
}

function distinct(shapes) {
  return [...new Map(shapes.map((each) => [JSON.stringify(each), each])).values()];
}

/** A constant; of a number that JSON does not have, only the type is left. */
function literal(value, title = null) {
  return Number.isFinite(value) || typeof value === "string"
    ? { k: "literal", value, title }
    : { k: "scalar", name: "number" };
}

export function oneOf(members) {
  let kept = distinct(members.flatMap((each) => (each.k === "oneOf" ? each.members : [each])));
  const has = (value) => kept.some((each) => each.k === "literal" && each.value === value);
  if (has(true) && has(false)) {
    kept = kept.filter((each) => !(each.k === "literal" && typeof each.value === "boolean"));
    kept.push({ k: "scalar", name: "boolean" });
  }
  return kept.length === 1 ? kept[0] : { k: "oneOf", members: kept };
}

// Runs `main` and answers with what it returns, or with why the request was refused.
export function serve(main) {
  try {
    answer({ ok: main() });
  } catch (error) {
    if (!(error instanceof Refused) && !(error instanceof RangeError)) throw error;
    answer({ refused: error instanceof RangeError ? "depth" : error.message });
  }
}
