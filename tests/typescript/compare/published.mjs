/**
 * The published declarations: their types by name, exported or not, and the names that cannot be resolved.
 */

import { resolve } from "node:path";
import { fileURLToPath } from "node:url";

import ts from "typescript";

/**
 * The folder whose packages are compared, below that of the tests; the compiler's own packages are those of the tests.
 */
const [folder] = process.argv.slice(2);

const installed = (path) => fileURLToPath(new URL(`../node_modules/${path}`, import.meta.url));

/** The path of a file in a package. */
const packages = (path) => resolve(fileURLToPath(new URL("..", import.meta.url)), folder, "node_modules", path);

/** The files that declare what is compared, in the order in which names are looked up. */
const FILES = [
  "@anthropic-ai/claude-agent-sdk/sdk.d.ts",
  "@anthropic-ai/claude-agent-sdk/sdk-tools.d.ts",
  "@anthropic-ai/sdk/resources/beta/messages/messages.d.mts",
  "@anthropic-ai/sdk/resources/messages/messages.d.mts",
  "@modelcontextprotocol/sdk/dist/esm/types.d.ts",
];

/**
 * The number of files that belong to the agent SDK: all their declarations count as published; of the others, only what
 * those refer to.
 */
const OWN = 2;

export const files = FILES.map(packages);

export const options = {
  strict: true,
  noEmit: true,
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  types: ["node"],
  typeRoots: [installed("@types")],
};

/** The symbol that an import or a re-export refers to. */
function original(checker, symbol) {
  return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
}

/** Whether a symbol is a type that can be compared directly: it has no type parameters. */
function isType(symbol) {
  return symbol.declarations?.some(
    (each) => (ts.isTypeAliasDeclaration(each) || ts.isInterfaceDeclaration(each)) && !each.typeParameters,
  );
}

/** A name with its namespaces, but without its file. */
function nameOf(checker, symbol) {
  return checker.getFullyQualifiedName(symbol).replace(/^".*"\./, "");
}

/** The top-level declarations of a file, exported or not: the binder's table, which is not part of the public API. */
function locals(checker, file) {
  return [...(file.locals ?? [])].map(([, symbol]) => checker.getExportSymbolOfSymbol(symbol));
}

/** The name in `extends X`. */
function heritage(node) {
  return ts.isExpressionWithTypeArguments(node) ? node.expression : undefined;
}

/**
 * All names in a declaration that refer to types, with their symbols, or `undefined` for one that cannot be resolved.
 */
function* references(checker, declaration) {
  const nodes = [declaration];
  for (let node = nodes.pop(); node; node = nodes.pop()) {
    const name = ts.isTypeReferenceNode(node) ? node.typeName : heritage(node);
    if (name) {
      const symbol = checker.getSymbolAtLocation(name);
      yield [name.getText(), symbol && original(checker, symbol)];
    }
    ts.forEachChild(node, (child) => void nodes.push(child));
  }
}

/** The types that the agent SDK publishes, by name: its own, and those of the messages API that they use. */
export function published(program) {
  const checker = program.getTypeChecker();
  const sources = files.map((file) => program.getSourceFile(file));
  const found = new Map();
  const add = (symbol) => {
    if (!isType(symbol)) return;
    const name = nameOf(checker, symbol);
    if (!found.has(name)) found.set(name, symbol);
    else if (found.get(name) !== symbol) throw new Error(`two published types are called ${name}`);
  };
  for (const source of sources.slice(0, OWN)) for (const symbol of locals(checker, source)) add(symbol);
  const within = new Set(sources);
  for (const symbol of found.values()) {
    for (const declaration of symbol.declarations) {
      for (const [, target] of references(checker, declaration)) {
        if (target?.declarations?.some((each) => within.has(each.getSourceFile()))) add(target);
      }
    }
  }
  return found;
}

/** The names in the agent SDK's declarations that cannot be resolved, and so are `any` for its users. */
export function dangling(program) {
  const checker = program.getTypeChecker();
  const found = new Set();
  for (const file of files.slice(0, OWN)) {
    for (const [name, symbol] of references(checker, program.getSourceFile(file))) {
      if (!symbol || checker.getDeclaredTypeOfSymbol(symbol).flags & ts.TypeFlags.Any) found.add(name);
    }
  }
  return [...found].sort();
}
