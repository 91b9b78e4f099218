import { type ESTree, Visitor } from "vite";
import { literalText, parseSource, type Source } from "./sources";

/** Calls and properties whose texts describe the API. */
const DESCRIPTIONS = /^(?:describe|description|summary|example|examples)$/;

/** The text of a string, a template or a sum of them, with `{}` for each expression; null for other nodes. */
function templateOf(node: ESTree.Node): string | null {
  if (node.type === "TemplateLiteral") return node.quasis.map(({ value }) => value.cooked ?? "").join("{}");
  if (node.type !== "BinaryExpression" || node.operator !== "+") return literalText(node);
  const [left, right] = [templateOf(node.left), templateOf(node.right)];
  return left === null || right === null ? null : left + right;
}

/** The texts of a file's strings, with `{}` for each expression of a template; without descriptions. */
export function textsOf(source: Source): string[] {
  const found: string[] = [];
  const skipped: [start: number, end: number][] = [];
  const add = (node: ESTree.Node) => {
    if (skipped.some(([start, end]) => node.start >= start && node.end <= end)) return;
    const text = templateOf(node);
    if (text === null) return;
    skipped.push([node.start, node.end]);
    found.push(text);
  };
  const nameOf = (node: ESTree.Node) => (node.type === "Identifier" ? node.name : "");
  new Visitor({
    CallExpression(node) {
      if (node.callee.type === "MemberExpression" && DESCRIPTIONS.test(nameOf(node.callee.property)))
        for (const argument of node.arguments) skipped.push([argument.start, argument.end]);
    },
    Property({ key, value }) {
      if (DESCRIPTIONS.test(nameOf(key))) skipped.push([value.start, value.end]);
    },
    BinaryExpression: add,
    TemplateLiteral: add,
    Literal: add,
  }).visit(parseSource(source).program);
  return found;
}
