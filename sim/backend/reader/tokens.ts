/** Verilog text to tokens: comments, attributes and what `ifdef` leaves out are gone. */
import { type Place, unreadable } from "./unreadable.ts";

export interface Token {
  readonly kind: "name" | "number" | "string" | "symbol" | "end";
  readonly text: string;
  readonly line: number;
}

const TOKEN = new RegExp(
  [
    /(?<space>[ \t\r]+|\/\/[^\n]*)/,
    /(?<newline>\n)/,
    /(?<comment>\/\*[^]*?\*\/|\(\*(?!\s*\))[^]*?\*\))/,
    /(?<number>(?:\d[\d_]*)?\s*'[sS]?[bodhBODH]\s*[0-9a-fA-FxXzZ?_]+|\d[\d_]*)/,
    /(?<name>[A-Za-z_$][\w$]*|\\\S+(?=\s))/,
    /(?<string>"(?:[^"\\\n]|\\.)*")/,
    /(?<directive>`\w+)/,
    /(?<symbol>===|!==|<<<|>>>|\+:|-:|&&|\|\||==|!=|<=|>=|<<|>>|~&|~\||~\^|\^~|\*\*|[-+*/%&|^~!<>=?:;,.()[\]{}@#])/,
  ]
    .map(r => r.source)
    .join("|"),
  "y",
);

/** Conditions of `ifdef`, the innermost last: whether its branch is read, and whether one of its branches was. */
class Conditions {
  readonly #open: { reads: boolean; readonly outer: boolean; taken: boolean }[] = [];
  get reads(): boolean {
    return this.#open.at(-1)?.reads ?? true;
  }
  begin(on: boolean): void {
    const outer = this.reads;
    this.#open.push({ reads: outer && on, outer, taken: on });
  }
  otherwise(): void {
    const c = this.#open.at(-1);
    if (c !== undefined) c.reads = c.outer && !c.taken;
  }
  end(): void {
    this.#open.pop();
  }
}

/** The tokens of a file. Nothing is defined for `ifdef`, as in a plain simulation. */
export function tokensOf(file: string, text: string): Token[] {
  const tokens: Token[] = [],
    conditions = new Conditions();
  let line = 1;
  const place = (): Place => ({ file, line });
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const from = TOKEN.lastIndex,
      m = TOKEN.exec(text);
    if (m?.groups === undefined) throw unreadable(place(), `the character ${JSON.stringify(text.charAt(from))}`);
    const { newline, comment, number, name, string, directive, symbol } = m.groups;
    if (newline !== undefined) line++;
    else if (comment !== undefined) line += comment.split("\n").length - 1;
    else if (directive !== undefined) {
      // A condition has one word; what stands behind it on its line is read.
      const rest = directive.startsWith("`if") ? /[ \t]*\w*/y : directive.startsWith("`e") ? /(?:)/y : /[^\n]*/y;
      rest.lastIndex = TOKEN.lastIndex;
      const argument = rest.exec(text)?.[0] ?? "";
      if (directive === "`ifdef") conditions.begin(false);
      else if (directive === "`ifndef") conditions.begin(true);
      else if (directive === "`else") conditions.otherwise();
      else if (directive === "`endif") conditions.end();
      else if (directive !== "`timescale" && directive !== "`default_nettype")
        throw unreadable(place(), `the directive ${directive}`);
      TOKEN.lastIndex += argument.length;
    } else if (conditions.reads) {
      if (number !== undefined) tokens.push({ kind: "number", text: number, line });
      else if (name !== undefined)
        tokens.push({ kind: "name", text: name.startsWith("\\") ? name.slice(1) : name, line });
      else if (string !== undefined) tokens.push({ kind: "string", text: unescaped(string), line });
      else if (symbol !== undefined) tokens.push({ kind: "symbol", text: symbol, line });
    }
  }
  tokens.push({ kind: "end", text: "the end of the file", line });
  return tokens;
}

const unescaped = (s: string): string =>
  s.slice(1, -1).replace(/\\(.)/g, (_, c: string) => (c === "n" ? "\n" : c === "t" ? "\t" : c));
