/** What docs/style.md asks of a file and can be counted: the lines of a module's body, and calls one behind another. */
import ts from "typescript";

export interface Found {
  readonly line: number;
  readonly count: number;
}

const parse = (text: string): ts.SourceFile => ts.createSourceFile("x.ts", text, ts.ScriptTarget.ES2022, true);
const lineOf = (s: ts.SourceFile, at: number): number => s.getLineAndCharacterOfPosition(at).line + 1;
function visit(n: ts.Node, each: (n: ts.Node) => void): void {
  each(n);
  ts.forEachChild(n, c => visit(c, each));
}

/** The bodies of modules (the third argument of `module`), each with the lines between its braces. */
export function bodiesOf(text: string): readonly Found[] {
  const source = parse(text),
    found: Found[] = [];
  visit(source, n => {
    if (!ts.isCallExpression(n) || !ts.isIdentifier(n.expression) || n.expression.text !== "module") return;
    const body = n.arguments[2];
    if (body === undefined || !ts.isArrowFunction(body) || !ts.isBlock(body.body)) return;
    const line = lineOf(source, body.getStart());
    found.push({ line, count: lineOf(source, body.getEnd()) - lineOf(source, body.body.getStart()) - 1 });
  });
  return found;
}

/** Operations on values of the language: what a reader has to keep in mind one after another. */
const operations = new Set(
  "and or not xor andNot add sub mul eq ne lt le gt ge bit bits zext sext trunc resize shl shr any all parity".split(
    " ",
  ),
);

/** Calls of operations one behind another, more than `most`; the line of the first. */
export function chainsOf(text: string, most: number): readonly Found[] {
  const source = parse(text),
    found: Found[] = [];
  const inner = (n: ts.Node): ts.Node | undefined =>
    ts.isCallExpression(n) && ts.isPropertyAccessExpression(n.expression) && operations.has(n.expression.name.text)
      ? n.expression.expression
      : undefined;
  const lengthOf = (n: ts.Node): number => {
    const behind = inner(n);
    return behind === undefined ? 0 : 1 + lengthOf(behind);
  };
  visit(source, n => {
    if (ts.isSourceFile(n)) return;
    const isOutermost = !(ts.isPropertyAccessExpression(n.parent) && inner(n.parent.parent) === n);
    const count = lengthOf(n);
    if (isOutermost && count > most) found.push({ line: lineOf(source, n.getStart()), count });
  });
  return found;
}
