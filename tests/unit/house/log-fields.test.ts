import ts from "typescript";
import { expect, test } from "vitest";
import { LOGGED_FIELDS } from "@/lib/server/process/log";
import { sourcesBelow } from "../../support/sources";

/** The names of an object literal, including those of literals that it spreads under a condition. */
function fieldsOf(node: ts.Node, names: Set<string>): void {
  if (ts.isObjectLiteralExpression(node)) {
    for (const property of node.properties) {
      if (ts.isSpreadAssignment(property)) ts.forEachChild(property, (child) => fieldsOf(child, names));
      else if (ts.isIdentifier(property.name) || ts.isStringLiteral(property.name))
        names.add(property.name.text);
    }
  } else if (ts.isConditionalExpression(node) || ts.isParenthesizedExpression(node)) {
    ts.forEachChild(node, (child) => fieldsOf(child, names));
  }
}

/** The fields of the log calls in a file, with those in a constant that is declared in it. */
function loggedIn(file: string, text: string): { calls: number; fields: Set<string> } {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const constants = new Map<string, ts.Expression>();
  const fields = new Set<string>();
  let calls = 0;
  const visit = (node: ts.Node, act: (node: ts.Node) => void): void => {
    act(node);
    ts.forEachChild(node, (child) => visit(child, act));
  };
  visit(source, (node) => {
    if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && node.initializer)
      constants.set(node.name.text, node.initializer);
  });
  visit(source, (node) => {
    if (!ts.isCallExpression(node)) return;
    if (!/\blog\??(?:\.(?:info|warn|error)|\[.*\])$/is.test(node.expression.getText())) return;
    calls += 1;
    const given = node.arguments[1];
    if (given === undefined) return;
    fieldsOf(ts.isIdentifier(given) ? (constants.get(given.text) ?? given) : given, fields);
  });
  return { calls, fields };
}

test("every field of a log call in lib may be logged", () => {
  const logged = sourcesBelow("lib").map(({ file, text }) => ({ file, ...loggedIn(file, text) }));
  expect(logged.reduce((sum, { calls }) => sum + calls, 0)).toBeGreaterThan(30);
  const dropped = logged.flatMap(({ file, fields }) =>
    [...fields].filter((field) => !LOGGED_FIELDS.has(field)).map((field) => `${file}: ${field}`),
  );
  expect(dropped).toEqual([]);
});
