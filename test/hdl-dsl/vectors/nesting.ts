/**
 * Finds choices within choices: a `mux` in the operands of another reads badly from three on, where `priority` says
 * it.
 */
import ts from "typescript";

export interface Nested {
  readonly line: number;
  readonly depth: number;
}

/** The calls of `mux` that have others in their operands, `deepest` levels or more, with the line of the outermost. */
export function nestedMuxes(text: string, deepest: number): readonly Nested[] {
  const source = ts.createSourceFile("x.ts", text, ts.ScriptTarget.ES2022, true);
  const found: Nested[] = [];
  const depthOf = (n: ts.Node): number => {
    if (ts.isFunctionLike(n)) {
      outer(n);
      return 0;
    }
    let inner = 0;
    ts.forEachChild(n, c => {
      inner = Math.max(inner, depthOf(c));
    });
    return isMux(n) ? inner + 1 : inner;
  };
  const outer = (n: ts.Node): void => {
    ts.forEachChild(n, c => {
      if (!isMux(c)) {
        outer(c);
        return;
      }
      const depth = depthOf(c);
      if (depth > deepest) found.push({ line: source.getLineAndCharacterOfPosition(c.getStart()).line + 1, depth });
    });
  };
  outer(source);
  return found;
}
const isMux = (n: ts.Node): boolean =>
  ts.isCallExpression(n) && ts.isIdentifier(n.expression) && n.expression.text === "mux";
