// TypeScript declarations → every type that they declare, by the way it is written, for `declarations.py`.
//
// The checker makes `any` of a union as soon as one of its names is declared nowhere. So a type is read from its node wherever
// the node tells what it is; the checker is asked for what has to be computed (`Omit`, inferred schemas, mapped types).

import { isBuiltin } from "node:module";

import { alternatives, load, oneOf, Reader, Refused, request, serve } from "../polywire_import/reader.mjs";

const KEYWORDS = {
  StringKeyword: { k: "scalar", name: "string" },
  NumberKeyword: { k: "scalar", name: "number" },
  BooleanKeyword: { k: "scalar", name: "boolean" },
  BigIntKeyword: { k: "live", name: "bigint" },
  SymbolKeyword: { k: "live", name: "symbol" },
  UnknownKeyword: { k: "any" },
  AnyKeyword: { k: "any" },
  ObjectKeyword: { k: "anyObject" },
  UndefinedKeyword: { k: "undefined" },
  VoidKeyword: { k: "undefined" },
  NeverKeyword: { k: "never" },
};

const SAME = new Set(["Readonly", "Partial", "Required"]); // of an object or map: handled by the checker unless it is a map

class Walker extends Reader {
  run() {
    const { ts } = this;
    const known = this.exported();
    const roots = request.roots.filter((name) => known.has(name));
    this.ofRoots(roots.map((name) => known.get(name))).forEach((each, at) => this.declare(...each, roots[at]));
    const files = request.files.map((file) => this.program.getSourceFile(file));
    const sources = new Set(files); // and those that they export from
    for (const source of sources) this.forwarded(source).forEach((each) => sources.add(each));
    this.public = new Set(files.flatMap((file) => this.exports(file)).map((each) => this.imported(each)));
    const declared = ts.SymbolFlags.Interface | ts.SymbolFlags.TypeAlias | ts.SymbolFlags.Enum;
    for (const [name, symbol] of this.exported()) {
      const node = symbol.declarations?.find((each) => sources.has(each.getSourceFile()));
      if (node === undefined || !(symbol.flags & declared) || this.parameters(symbol).length > 0) continue;
      this.declare(symbol, this.checker.getDeclaredTypeOfSymbol(symbol), name.slice(name.lastIndexOf(".") + 1));
    }
    while (this.work.length > 0) this.define(this.work.shift());
    return { declarations: this.declarations };
  }

  // The files of the package that a file exports from. A package that is not there makes `any` of all that comes from it,
  // without a word.
  forwarded(source) {
    const { ts } = this;
    return source.statements.flatMap((node) => {
      const from = ts.isImportDeclaration(node) || ts.isExportDeclaration(node) ? node.moduleSpecifier : undefined;
      if (from === undefined || isBuiltin(from.text)) return [];
      const file = this.checker.getSymbolAtLocation(from)?.declarations?.[0]?.getSourceFile();
      if (file === undefined) {
        const step = `name its package in \`needs\` of releases.toml, or in \`expand\``;
        throw new Refused(`${from.text} is imported and not installed; ${step}`);
      }
      return ts.isExportDeclaration(node) && this.isOwn(file) ? [file] : [];
    });
  }

  // Whether a file is one of the package.
  isOwn(file) {
    const path = this.pathOf(file);
    return path !== undefined && !path.includes("node_modules/");
  }

  pathOf({ fileName }) {
    return fileName.startsWith(`${request.package}/`) ? fileName.slice(request.package.length + 1) : undefined;
  }

  // --- declarations ---

  define({ name, symbol, type }) {
    const { ts } = this;
    const node = symbol.declarations?.[0];
    const place = `/${name}`;
    const plain = node !== undefined && !(node.typeParameters?.length > 0);
    let shape;
    if (plain && ts.isTypeAliasDeclaration(node)) shape = this.ofNode(node.type, place, name);
    else if (plain && ts.isInterfaceDeclaration(node)) shape = this.ofInterface(symbol, place, name);
    else if (type.flags & ts.TypeFlags.EnumLike) shape = this.ofEnum(type);
    else shape = this.ofBody(type, place, name);
    // The checker knows a computed union by the name of its alias.
    if (shape.k === "ref" && shape.name === name) shape = this.ofBody(type, place, name);
    this.declarations[name] = {
      shape,
      module: this.module(symbol),
      tags: this.tags(symbol),
      exported: this.isExported(symbol),
    };
  }

  isExported(symbol) {
    const node = symbol.declarations?.[0];
    const { ts } = this;
    return this.public.has(symbol) || (node && (ts.getCombinedModifierFlags(node) & ts.ModifierFlags.Export) !== 0);
  }

  tags(symbol) {
    const names = symbol.getJsDocTags(this.checker).map((tag) => tag.name);
    return ["deprecated", "internal", "alpha", "experimental"].filter((name) => names.includes(name));
  }

  // The file that declares it, as a path in the package, with `./` where it was not asked for; or the package.
  module(symbol) {
    const file = symbol.declarations?.[0]?.getSourceFile();
    if (file === undefined) return "";
    const { fileName } = file;
    if (this.isOwn(file)) return request.files.includes(fileName) ? this.pathOf(file) : `./${this.pathOf(file)}`;
    const found = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(fileName);
    return found === null ? fileName.slice(fileName.lastIndexOf("/") + 1) : found[1];
  }

  ofInterface(symbol, place, hint) {
    const { ts } = this;
    const nodes = symbol.declarations.filter((node) => ts.isInterfaceDeclaration(node));
    const bases = nodes
      .flatMap((node) => node.heritageClauses ?? [])
      .flatMap((clause) => clause.types)
      .map((node) => this.ofBase(node, place, hint));
    const own = this.ofMemberNodes(
      nodes.flatMap((node) => [...node.members]),
      place,
      hint,
    );
    if (bases.length === 0) return own;
    const { members = [], extra = null } = own.k === "map" ? { extra: own.value } : own;
    return { k: "object", members, bases, extra };
  }

  ofBase(node, place, hint) {
    if (node.typeArguments?.length > 0) return this.computed(node, place, hint);
    return this.ofName(node.expression, node, place, hint);
  }

  // --- types by their nodes ---

  ofWritten(node, place, hint) {
    const { ts } = this;
    const keyword = KEYWORDS[ts.SyntaxKind[node.kind]];
    if (keyword !== undefined) return keyword;
    if (ts.isParenthesizedTypeNode(node)) return this.ofNode(node.type, place, hint);
    if (ts.isLiteralTypeNode(node)) return this.ofLiteral(node.literal);
    if (ts.isUnionTypeNode(node)) return oneOf(node.types.map((each) => this.ofNode(each, place, hint)));
    if (ts.isArrayTypeNode(node)) return { k: "array", item: this.ofNode(node.elementType, place, `${hint}Item`) };
    if (
      ts.isTupleTypeNode(node) &&
      node.elements.every((each) => !ts.isRestTypeNode(each) && !ts.isOptionalTypeNode(each))
    ) {
      const bare = (each) => (ts.isNamedTupleMember(each) ? each.type : each);
      return { k: "tuple", items: node.elements.map((each) => this.ofNode(bare(each), place, hint)) };
    }
    if (ts.isTypeOperatorNode(node) && node.operator === ts.SyntaxKind.ReadonlyKeyword) {
      return this.ofNode(node.type, place, hint);
    }
    if (ts.isTypeLiteralNode(node)) return this.ofMemberNodes([...node.members], place, hint);
    if (ts.isFunctionTypeNode(node) || ts.isConstructorTypeNode(node)) return { k: "function" };
    if (ts.isIntersectionTypeNode(node)) {
      const parts = node.types.map((each) => this.ofNode(each, place, hint));
      const joined = this.together(parts);
      return joined ?? { k: "all", members: parts };
    }
    if (ts.isTypeReferenceNode(node)) return this.ofReferenceNode(node, place, hint);
    return this.computed(node, place, hint);
  }

  ofLiteral(node) {
    const { ts } = this;
    if (node.kind === ts.SyntaxKind.NullKeyword) return { k: "null" };
    if (node.kind === ts.SyntaxKind.TrueKeyword) return { k: "literal", value: true };
    if (node.kind === ts.SyntaxKind.FalseKeyword) return { k: "literal", value: false };
    if (ts.isStringLiteralLike(node)) return { k: "literal", value: node.text };
    return { k: "literal", value: Number(node.getText()) };
  }

  ofReferenceNode(node, place, hint) {
    const { ts } = this;
    const args = node.typeArguments ?? [];
    const name = node.typeName.getText();
    const symbol = this.target(node.typeName);
    const standard = symbol !== undefined && this.foreign(symbol);
    if (standard && (name === "Array" || name === "ReadonlyArray")) {
      return { k: "array", item: this.ofNode(args[0], place, `${hint}Item`) };
    }
    if (standard && name === "Record") return this.ofRecord(args, place, hint);
    if (standard && SAME.has(name) && args.length === 1) {
      const of = this.ofNode(args[0], place, hint);
      if (of.k === "map" || of.k === "array" || of.k === "tuple") return of;
      if (name === "Readonly") return of;
    }
    if (args.length === 0) return this.ofName(node.typeName, node, place, hint);
    if (symbol === undefined) return this.unknownName(node.typeName);
    return this.computed(node, place, hint);
  }

  ofRecord(args, place, hint) {
    const key = this.ofNode(args[0], place, `${hint}Key`);
    const map = { k: "map", value: this.ofNode(args[1], place, `${hint}Value`) };
    return key.k === "scalar" && key.name === "string" ? map : { ...map, key };
  }

  // What an entity name leads to, behind imports; undefined where it is declared nowhere.
  target(name) {
    const symbol = this.imported(this.checker.getSymbolAtLocation(name));
    return symbol === undefined || (symbol.declarations ?? []).length === 0 ? undefined : symbol;
  }

  ofName(name, node, place, hint) {
    const { ts, checker } = this;
    const imported = this.importedFrom(name);
    if (imported !== null && !request.expand.includes(packageOf(imported.module))) {
      return { k: "foreign", name: `${imported.module}#${imported.name}` };
    }
    const symbol = this.target(name);
    if (symbol === undefined && imported !== null) {
      throw new Refused(
        `${imported.module} has no ${imported.name}, or is not installed beside them in the right version`,
      );
    }
    if (symbol === undefined) return this.unknownName(name);
    if (this.foreign(symbol)) return { k: "live", name: name.getText() };
    if (symbol.flags & (ts.SymbolFlags.TypeParameter | ts.SymbolFlags.EnumMember))
      return this.computed(node, place, hint);
    if (symbol.flags & ts.SymbolFlags.Class) return { k: "live", name: symbol.name };
    if (this.parameters(symbol).length > 0) return this.computed(node, place, hint);
    if (symbol.flags & (ts.SymbolFlags.TypeAlias | ts.SymbolFlags.Interface | ts.SymbolFlags.Enum)) {
      return { k: "ref", name: this.declare(symbol, checker.getDeclaredTypeOfSymbol(symbol), symbol.name) };
    }
    return this.computed(node, place, hint);
  }

  unknownName(name) {
    return { k: "missing", name: name.getText() };
  }

  // The module and the name there of a name that a file of the package imports from another package.
  importedFrom(name) {
    const { ts, checker } = this;
    const first = ts.isQualifiedName(name) ? name.left : name;
    const symbol = checker.getSymbolAtLocation(first);
    const node = symbol?.declarations?.find((each) => ts.isImportSpecifier(each) || ts.isNamespaceImport(each));
    if (node === undefined || !this.isOwn(node.getSourceFile())) return null;
    const from = ts.findAncestor(node, ts.isImportDeclaration).moduleSpecifier.text;
    if (from.startsWith(".")) return null;
    return { module: from, name: ts.isImportSpecifier(node) ? (node.propertyName ?? node.name).text : name.getText() };
  }

  // By the checker. `any` where no `any` is written comes from a name that is declared nowhere.
  computed(node, place, hint) {
    const type = this.checker.getTypeFromTypeNode(node);
    if (type.flags & this.ts.TypeFlags.Any)
      return { k: "missing", name: node.getText().replace(/\s+/g, " ").slice(0, 80) };
    return this.ofType(type, place, hint);
  }

  ofObject(type, place, hint) {
    const { ts, checker } = this;
    if (type.getCallSignatures().length > 0 || type.getConstructSignatures().length > 0) return { k: "function" };
    const ours = type.symbol === undefined || !this.foreign(type.symbol) || type.objectFlags & ts.ObjectFlags.Mapped;
    if (!ours && !checker.isArrayType(type) && !checker.isTupleType(type)) return { k: "live", name: type.symbol.name };
    if (type.symbol?.flags & ts.SymbolFlags.Class) return { k: "live", name: type.symbol.name };
    return super.ofObject(type, place, hint);
  }

  // --- members ---

  // The objects as one, or null where a part is no object.
  together(parts) {
    return parts.every((each) => each.k === "ref" || each.k === "object" || each.k === "foreign")
      ? {
          k: "object",
          members: parts.flatMap((each) => (each.k === "object" ? each.members : [])),
          bases: parts.flatMap((each) => (each.k === "object" ? each.bases : [each])),
          extra: parts.map((each) => (each.k === "object" ? each.extra : null)).find((each) => each) ?? null,
        }
      : null;
  }

  ofMemberNodes(nodes, place, hint) {
    const { ts } = this;
    const members = [];
    let extra = null;
    for (const node of nodes) {
      if (ts.isIndexSignatureDeclaration(node)) {
        extra = this.ofNode(node.type, `${place}/*`, `${hint}Value`);
        continue;
      }
      if (node.name === undefined) continue;
      const name =
        ts.isIdentifier(node.name) || ts.isStringLiteralLike(node.name) ? node.name.text : node.name.getText();
      members.push(this.ofMemberNode(node, name, `${place}/${name}`, hint));
    }
    if (members.length === 0) return extra === null ? { k: "anyObject" } : { k: "map", value: extra };
    return { k: "object", members, bases: [], extra };
  }

  ofMemberNode(node, name, place, hint) {
    const { ts } = this;
    const title = hint + name.charAt(0).toUpperCase() + name.slice(1);
    const written = ts.isPropertySignature(node) && node.type !== undefined;
    const shape = written ? this.ofNode(node.type, place, title) : { k: "function" };
    const symbol = this.checker.getSymbolAtLocation(node.name);
    return { name, shape, required: node.questionToken === undefined, tags: symbol ? this.tags(symbol) : [] };
  }

  member(symbol, place, hint) {
    const node = symbol.valueDeclaration ?? symbol.declarations?.[0];
    const tags = this.tags(symbol);
    if (
      node !== undefined &&
      this.ts.isPropertySignature(node) &&
      node.type !== undefined &&
      !this.instantiated(symbol)
    ) {
      return this.ofMemberNode(node, symbol.name, place, hint);
    }
    const { ts, checker } = this;
    const type = checker.getTypeOfSymbol(symbol);
    const title = hint + symbol.name.charAt(0).toUpperCase() + symbol.name.slice(1);
    const parts = alternatives(type).filter((each) => !(each.flags & ts.TypeFlags.Undefined));
    const shape = parts.length === 0 ? { k: "undefined" } : oneOf(parts.map((each) => this.ofType(each, place, title)));
    return { name: symbol.name, shape, required: (symbol.flags & ts.SymbolFlags.Optional) === 0, tags };
  }
}

function packageOf(module) {
  return module
    .split("/")
    .slice(0, module.startsWith("@") ? 2 : 1)
    .join("/");
}

serve(() => {
  const { ts, program } = load();
  return new Walker(ts, program).run();
});
