/**
 * Closes our declarations: removes everything that they accept only because the wire format may grow.
 *
 * There is one rule: a member `T & {}` of a union represents undeclared values, and the members of the type `Unknown`
 * represent objects of undeclared variants. Both are removed from every union.
 */

import ts from "typescript";

/** Whether a type is written as `T & {}`. */
function isRest(node) {
  if (ts.isParenthesizedTypeNode(node)) return isRest(node.type);
  const isEmpty = (each) => ts.isTypeLiteralNode(each) && !each.members.length;
  return ts.isIntersectionTypeNode(node) && node.types.some(isEmpty);
}

/** The interface with the given name among the top-level declarations of a file. */
function declared(file, name) {
  return file.statements.find((each) => ts.isInterfaceDeclaration(each) && each.name.text === name);
}

/** The texts of the members of the union with the given name among the top-level declarations of a file. */
function membersOf(file, name) {
  const { type } = file.statements.find((each) => ts.isTypeAliasDeclaration(each) && each.name.text === name);
  return (ts.isUnionTypeNode(type) ? [...type.types] : [type]).map((each) => each.getText());
}

/** Returns the text of a declaration file without the open parts. */
export function closed(text) {
  const file = ts.createSourceFile("index.d.ts", text, ts.ScriptTarget.ESNext, true);
  const unknowns = new Set(membersOf(file, "Unknown"));
  const stays = (node) => !isRest(node) && !unknowns.has(node.getText());
  const close = (context) => {
    const visit = (node) => {
      if (ts.isTypeAliasDeclaration(node) && node.name.text === "Unknown") return node;
      if (!ts.isUnionTypeNode(node)) return ts.visitEachChild(node, visit, context);
      const left = node.types.filter(stays).map((each) => ts.visitNode(each, visit));
      if (!left.length) return ts.factory.createKeywordTypeNode(ts.SyntaxKind.NeverKeyword);
      return ts.factory.createUnionTypeNode(left);
    };
    return (root) => ts.visitNode(root, visit);
  };
  const { transformed } = ts.transform(file, [close]);
  return ts.createPrinter().printFile(transformed[0]);
}

/** The names of the types that the interface `Types` lists: those of the spec. */
export function listed(file) {
  return declared(file, "Types").members.map((each) => each.name.text);
}
