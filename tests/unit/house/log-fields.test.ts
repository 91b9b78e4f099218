import { type ESTree, Visitor } from "vite";
import { expect, test } from "vitest";
import { LOGGED_FIELDS } from "@/lib/server/process/log";
import { parseSource, type Source, sourcesBelow } from "../../support/sources";

/** The names of an object literal, including those of literals that it spreads under a condition. */
function fieldsOf(node: ESTree.Node): string[] {
  if (node.type === "ConditionalExpression")
    return [...fieldsOf(node.consequent), ...fieldsOf(node.alternate)];
  if (node.type === "ParenthesizedExpression") return fieldsOf(node.expression);
  if (node.type !== "ObjectExpression") return [];
  return node.properties.flatMap((property) => {
    if (property.type === "SpreadElement") return fieldsOf(property.argument);
    const { key } = property;
    if (key.type === "Identifier") return [key.name];
    return key.type === "Literal" ? [String(key.value)] : [];
  });
}

/** The fields of the log calls in a file, with those in a constant that is declared in it. */
function loggedIn(source: Source): { calls: number; fields: Set<string> } {
  const { program } = parseSource(source);
  const constants = new Map<string, ESTree.Expression>();
  const fields = new Set<string>();
  let calls = 0;
  new Visitor({
    VariableDeclarator({ id, init }) {
      if (id.type === "Identifier" && init) constants.set(id.name, init);
    },
  }).visit(program);
  new Visitor({
    CallExpression({ callee, arguments: [, given] }) {
      if (!/\blog\??(?:\.(?:info|warn|error)|\[.*\])$/is.test(source.text.slice(callee.start, callee.end)))
        return;
      calls += 1;
      if (given === undefined) return;
      const value = given.type === "Identifier" ? (constants.get(given.name) ?? given) : given;
      for (const field of fieldsOf(value)) fields.add(field);
    },
  }).visit(program);
  return { calls, fields };
}

test("every field of a log call in lib may be logged", () => {
  const logged = sourcesBelow("lib").map((source) => ({ file: source.file, ...loggedIn(source) }));
  expect(logged.reduce((sum, { calls }) => sum + calls, 0)).toBeGreaterThan(30);
  const dropped = logged.flatMap(({ file, fields }) =>
    [...fields].filter((field) => !LOGGED_FIELDS.has(field)).map((field) => `${file}: ${field}`),
  );
  expect(dropped).toEqual([]);
});

/** Fields of an object that another function creates, which this scan does not see. */
const PASSED_ON = ["signal"];

test("every field that may be logged is logged", () => {
  const logged = new Set(sourcesBelow("lib").flatMap((source) => [...loggedIn(source).fields]));
  expect([...LOGGED_FIELDS].filter((field) => !logged.has(field))).toEqual(PASSED_ON);
});
