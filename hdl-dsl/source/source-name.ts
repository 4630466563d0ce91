/**
 * The name that a source text gives to the value of a call: reads the tokens around the call, outwards, until a
 * binding is found.
 */
import { textOf } from "./host.ts";

/** A place in a source file; line and column count from 1. `file` is as the stack trace gave it (absolute path). */
export interface Position {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/**
 * `returned`: the enclosing function gives the value back, so its caller names it. `inner`: the call is only a part of
 * what is bound.
 */
export type Binding =
  | { readonly kind: "named"; readonly name: string; readonly inner: boolean }
  | { readonly kind: "returned"; readonly inner: boolean }
  | { readonly kind: "none" };

/** What a value is declared as; `returned`: it is what a function of that name, or of none, returns. */
export interface Declaration {
  readonly name: string | undefined;
  readonly returned: boolean;
}

interface Token {
  readonly text: string;
  readonly kind: "name" | "literal" | "sign";
  readonly line: number;
  readonly column: number;
}
export interface Source {
  readonly tokens: readonly Token[];
  /** For every bracket, the index of its partner. */ readonly partner: readonly (number | undefined)[];
  /** First token of each line (1-based). */ readonly lineStart: readonly number[];
}

const signs = /=>|\?\.(?!\d)|\?\?=?|===?|!==?|<=|>=|&&=?|\|\|=?|\+\+|--|\*\*|[-+*/%&|^]=|\.\.\.|[^\s]/y;
const name = /[\p{ID_Start}$_#][\p{ID_Continue}$\u200c\u200d]*/uy;
const number = /\d[\w.]*/y;
const blank = /\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\//y;
const regex = /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/\w*/y;
const quoted = /"(?:\\[\s\S]|[^"\\])*"|'(?:\\[\s\S]|[^'\\])*'/y;

/** End of the template literal that starts at `at`. */
function templateEnd(text: string, at: number): number {
  let i = at + 1;
  while (i < text.length && text[i] !== "`") {
    if (text[i] === "\\") i += 2;
    else if (text.startsWith("${", i)) {
      let depth = 1;
      for (i += 2; i < text.length && depth > 0; i++) {
        if (text[i] === "{") depth++;
        else if (text[i] === "}") depth--;
        else if (text[i] === "`") i = templateEnd(text, i) - 1;
      }
    } else i++;
  }
  return i + 1;
}

const wordsBeforeRegex = new Set(["return", "typeof", "case", "in", "of", "void", "delete"]);

function scan(text: string): Source {
  const tokens: Token[] = [],
    partner: (number | undefined)[] = [],
    lineStart: number[] = [0, 0],
    open: number[] = [];
  let at = 0,
    line = 1,
    bol = 0;
  const match = (r: RegExp): string | undefined => {
    r.lastIndex = at;
    return r.exec(text)?.[0];
  };
  const advance = (s: string): void => {
    for (let i = s.indexOf("\n"); i >= 0; i = s.indexOf("\n", i + 1)) {
      line++;
      bol = at + i + 1;
      lineStart[line] = tokens.length;
    }
    at += s.length;
  };
  while (at < text.length) {
    const space = match(blank);
    if (space !== undefined) {
      advance(space);
      continue;
    }
    const before = tokens.at(-1);
    const valueBefore =
      before !== undefined &&
      (before.kind === "literal" ||
        (before.kind === "name" && !wordsBeforeRegex.has(before.text)) ||
        [")", "]", "}"].includes(before.text));
    const literal =
      match(quoted) ??
      match(number) ??
      (text[at] === "`"
        ? text.slice(at, templateEnd(text, at))
        : text[at] === "/" && !valueBefore
          ? match(regex)
          : undefined);
    const word = literal === undefined ? match(name) : undefined;
    const t = literal ?? word ?? match(signs) ?? text.charAt(at);
    const index = tokens.length;
    const starts = { line, column: at - bol + 1 };
    advance(t);
    tokens.push({ text: t, kind: literal !== undefined ? "literal" : word !== undefined ? "name" : "sign", ...starts });
    if (literal === undefined && (t === "(" || t === "[" || t === "{")) open.push(index);
    else if (literal === undefined && (t === ")" || t === "]" || t === "}")) {
      const o = open.pop();
      if (o !== undefined) {
        partner[o] = index;
        partner[index] = o;
      }
    }
  }
  lineStart[line + 1] = tokens.length;
  return { tokens, partner, lineStart };
}

const sources = new Map<string, Source | undefined>();
export function sourceOf(file: string): Source | undefined {
  if (!sources.has(file)) {
    let text: string | undefined;
    try {
      text = textOf(file);
    } catch {
      text = undefined;
    }
    sources.set(file, text === undefined ? undefined : scan(text));
  }
  return sources.get(file);
}

/** The name token at a position, or the last one before it on its line. */
export function tokenAt(s: Source, p: Position): number | undefined {
  let found: number | undefined;
  for (let i = s.lineStart[p.line] ?? Infinity; i < s.tokens.length; i++) {
    const t = s.tokens[i] as Token;
    if (t.line !== p.line || t.column > p.column) break;
    if (t.kind === "name") found = i;
  }
  return found;
}

class Reader {
  readonly #s: Source;
  constructor(s: Source) {
    this.#s = s;
  }
  text(i: number): string {
    return this.#s.tokens[i]?.text ?? "";
  }
  isName(i: number): boolean {
    return this.#s.tokens[i]?.kind === "name";
  }
  partner(i: number): number | undefined {
    return this.#s.partner[i];
  }

  /** First token of the member chain that ends with the name at `i`: `a.b(1).c` for `c`. */
  chainStart(i: number): number {
    let at = i;
    for (;;) {
      if (this.text(at - 1) === "new") return at - 1;
      if (this.text(at - 1) !== "." && this.text(at - 1) !== "?.") return at;
      at -= 2;
      for (;;) {
        if (this.text(at) === "!") {
          at--;
          continue;
        }
        const o = this.text(at) === ")" || this.text(at) === "]" ? this.partner(at) : undefined;
        if (o === undefined) break;
        // A call or an index of something, or a parenthesis of its own.
        if (this.endsOperand(o - 1)) at = o - 1;
        else {
          at = o;
          break;
        }
      }
    }
  }
  /** Whether an operand ends at `i`, so that `(` after it is a call and `[` an index. */
  endsOperand(i: number): boolean {
    return (
      (this.isName(i) &&
        !["return", "await", "void", "typeof", "case", "of", "in", "const", "let", "var"].includes(this.text(i))) ||
      [")", "]", ">", "!"].includes(this.text(i))
    );
  }

  /** Walks left from the start of an expression to the token that binds it, over operators and whole brackets. */
  binder(start: number): number {
    for (let i = start - 1; i >= 0; i--) {
      const t = this.#s.tokens[i] as Token;
      if (t.kind === "sign" && (t.text === ")" || t.text === "]" || t.text === "}")) {
        const o = this.partner(i);
        // A statement's end, not a part of this expression.
        if (t.text === "}" && start - i === 1) return i;
        if (o === undefined) return i;
        i = o;
        continue;
      }
      if (t.kind === "name" && t.text === "return") return i;
      if (t.kind === "sign" && ["=", "=>", "(", "[", "{", ",", ";"].includes(t.text)) return i;
      if (
        t.kind === "sign" &&
        t.text === ":" &&
        (this.isName(i - 1) || this.#s.tokens[i - 1]?.kind === "literal") &&
        ["{", ","].includes(this.text(i - 2))
      )
        return i;
      if (t.kind === "sign" && /^(?:\?\?|&&|\|\||[-+*/%&|^])=$/.test(t.text)) return i;
    }
    return -1;
  }

  /**
   * The name that stands before `=`: `const a =`, `this.a =`, `const a: T =`; element `element` of `const [a, b] =`.
   */
  target(equals: number, element: number | undefined): string | undefined {
    const last = equals - 1;
    if (
      this.text(last) === "]" &&
      element !== undefined &&
      ["const", "let", "var"].includes(this.text((this.partner(last) ?? 0) - 1))
    ) {
      let k = 0;
      for (let i = (this.partner(last) as number) + 1; i < last; i++) {
        if (this.text(i) === ",") k++;
        else if (k === element && this.isName(i)) return this.text(i);
      }
      return undefined;
    }
    let i = last;
    while (i > 0 && !["const", "let", "var", ";", "=", "=>"].includes(this.text(i))) {
      // An annotation: the name stands before its colon.
      if (
        this.text(i) === ":" &&
        this.isName(i - 1) &&
        ["const", "let", "var", ",", "readonly", "{", "}", ";", "private", "protected", "public", "static"].includes(
          this.text(i - 2),
        )
      )
        return this.text(i - 1);
      const o = [")", "]", "}"].includes(this.text(i)) ? this.partner(i) : undefined;
      if (["(", "[", "{"].includes(this.text(i))) break;
      i = (o ?? i) - 1;
    }
    return this.isName(last) ? this.text(last) : undefined;
  }

  /** Start of the arrow function whose `=>` is at `arrow`. */
  arrowStart(arrow: number): number {
    let i = arrow - 1;
    // A return type: `(a: B): C => ...`
    for (let k = i; k > 0 && k > i - 24; k--) {
      if (this.text(k) === ":" && this.text(k - 1) === ")") {
        i = k - 1;
        break;
      }
      if (["(", ",", ";", "=", "{"].includes(this.text(k))) break;
    }
    const start = this.text(i) === ")" ? (this.partner(i) ?? i) : i;
    return this.text(start - 1) === "async" ? start - 1 : start;
  }

  /** The name of the arrow function that starts at `start`: `const f = (a) => ...`. */
  arrowName(start: number): string | undefined {
    const before = this.text(start - 1) === ">" ? this.beforeTypeArguments(start - 1) : start - 1;
    return this.text(before) === "=" ? this.target(before, undefined) : undefined;
  }

  /** The name of the function whose block opens at `block`: `function f(a): B { ... }`. */
  functionName(block: number): string | undefined {
    if (this.text(block - 1) === "=>") return this.arrowName(this.arrowStart(block - 1));
    for (let i = block - 1; i >= 0 && ![";", "{", "=>"].includes(this.text(i)); i--) {
      if (this.text(i) === "function") return this.isName(i + 1) ? this.text(i + 1) : undefined;
      if ([")", "]", "}"].includes(this.text(i))) i = this.partner(i) ?? i;
    }
    return undefined;
  }

  /** The `{` of the innermost block around `i`. */
  enclosing(i: number): number {
    for (let k = i - 1; k >= 0; k--) {
      const t = this.#s.tokens[k] as Token;
      if (t.kind !== "sign") continue;
      if (t.text === ")" || t.text === "]" || t.text === "}") k = this.partner(k) ?? k;
      else if (t.text === "{" || t.text === "(" || t.text === "[") return k;
    }
    return -1;
  }

  binding(start: number, inner: boolean): Binding {
    let at = start,
      isInner = inner,
      element: number | undefined;
    for (let guard = 0; guard < 64; guard++) {
      const b = this.binder(at);
      switch (this.text(b)) {
        case "=": {
          const n = this.target(b, element);
          return n === undefined ? { kind: "none" } : { kind: "named", name: n, inner: isInner };
        }
        case ":":
          return { kind: "named", name: this.text(b - 1).replace(/^["']|["']$/g, ""), inner: isInner };
        case "=>": {
          const s = this.arrowStart(b);
          // A function of its own: its caller gives the name. An argument of a call (`map(() => reg(...))`):
          // go on outwards.
          if (
            this.text(s - 1) === "=" ||
            this.text(s - 1) === ":" ||
            this.text(s - 1) === "return" ||
            this.text(s - 1) === "=>"
          )
            return { kind: "returned", inner: isInner };
          const call = this.enclosing(s);
          if (this.text(call) !== "(" || !this.endsOperand(call - 1)) return { kind: "none" };
          at = this.chainStart(call - 1);
          break;
        }
        case "return": {
          const block = this.enclosing(b);
          const before = block - 1;
          if (this.text(block) !== "{") return { kind: "none" };
          if (
            this.text(before) === ")" &&
            ["if", "for", "while", "switch"].includes(this.text((this.partner(before) ?? 0) - 1))
          ) {
            at = block;
            // The block of a condition: the function around it returns.
            const outer = this.enclosing(block);
            if (this.text(outer) !== "{") return { kind: "none" };
            return { kind: "returned", inner: isInner };
          }
          if (this.text(before) === "=>") {
            const s = this.arrowStart(before),
              call = this.enclosing(s);
            if (
              ["=", ":", "return", "=>"].includes(this.text(s - 1)) ||
              this.text(call) !== "(" ||
              !this.endsOperand(call - 1)
            )
              return { kind: "returned", inner: isInner };
            at = this.chainStart(call - 1);
            break;
          }
          return { kind: "returned", inner: isInner };
        }
        case "(":
        case "[":
        case ",": {
          const opener = this.text(b) === "," ? this.enclosing(b) : b;
          if (this.text(b) === "," && this.text(opener) === "{") return { kind: "none" };
          if (this.text(opener) === "(") {
            if (this.endsOperand(opener - 1)) {
              at = this.chainStart(this.text(opener - 1) === ">" ? this.beforeTypeArguments(opener - 1) : opener - 1);
              isInner = true;
            } else at = opener;
          } else if (this.text(opener) === "[") {
            if (this.endsOperand(opener - 1)) return { kind: "none" };
            element = 0;
            for (let i = opener + 1; i < at; i++) {
              if (this.text(i) === ",") element++;
              const p = this.partner(i);
              if (p !== undefined && p > i) i = p;
            }
            at = opener;
          } else return { kind: "none" };
          break;
        }
        default:
          return { kind: "none" };
      }
    }
    return { kind: "none" };
  }

  /** What declares the whole value that starts at `start`. */
  declaration(start: number): Declaration | undefined {
    const b = this.binder(start);
    let called: string | undefined;
    switch (this.text(b)) {
      case "=":
        called = this.target(b, undefined);
        return called === undefined ? undefined : { name: called, returned: false };
      case "=>":
        return { name: this.arrowName(this.arrowStart(b)), returned: true };
      case "return": {
        let block = this.enclosing(b);
        // The block of a condition: the function around it returns.
        while (this.text(block) === "{" && this.text(block - 1) === ")") {
          const word = (this.partner(block - 1) ?? 0) - 1;
          if (!["if", "for", "while", "switch"].includes(this.text(word))) break;
          block = this.enclosing(block);
        }
        return { name: this.functionName(block), returned: true };
      }
      default:
        return undefined;
    }
  }

  beforeTypeArguments(close: number): number {
    let depth = 0;
    for (let i = close; i > 0; i--) {
      if (this.text(i) === ">") depth++;
      else if (this.text(i) === "<" && --depth === 0) return i - 1;
    }
    return close;
  }

  /** Whether the value of the call of the name at `i` is only the receiver of a further call: `reg(...).add(1)`. */
  isReceiver(i: number): boolean {
    let open = i + 1;
    if (this.text(open) === "<") {
      let depth = 0;
      for (; open < i + 200; open++) {
        if (this.text(open) === "<") depth++;
        else if (this.text(open) === ">" && --depth === 0) {
          open++;
          break;
        }
      }
    }
    if (this.text(open) !== "(") return false;
    const close = this.partner(open);
    return close !== undefined && this.text(close + 1) === "." && this.text(close + 3) === "(";
  }
}

/** Use of the value of the call at `p` in the source. */
export function bindingAt(p: Position): Binding {
  const s = sourceOf(p.file);
  const i = s === undefined ? undefined : tokenAt(s, p);
  if (s === undefined || i === undefined) return { kind: "none" };
  const r = new Reader(s);
  return r.binding(r.chainStart(i), r.isReceiver(i));
}

/** The declaration whose whole value is the call at `p`; undefined when the call is only a part of a value. */
export function declarationAt(p: Position): Declaration | undefined {
  const s = sourceOf(p.file);
  const i = s === undefined ? undefined : tokenAt(s, p);
  if (s === undefined || i === undefined) return undefined;
  const r = new Reader(s);
  return r.isReceiver(i) ? undefined : r.declaration(r.chainStart(i));
}

/** Where `field: ...` stands first after `p` (a port in the declaration of its module). */
export function fieldAfter(p: Position, field: string): Position | undefined {
  const s = sourceOf(p.file);
  const from = s === undefined ? undefined : tokenAt(s, p);
  if (s === undefined || from === undefined) return undefined;
  let close = from;
  while (close < s.tokens.length && s.tokens[close]?.text !== "(") close++;
  const end = s.partner[close] ?? s.tokens.length;
  for (let i = from; i < end; i++) {
    const t = s.tokens[i] as Token;
    if (t.text === field && s.tokens[i + 1]?.text === ":") return { file: p.file, line: t.line, column: t.column };
  }
  return undefined;
}
