/** A walk over tokens. */
import type { Token } from "./tokens.ts";
import { type Place, unreadable } from "./unreadable.ts";

const END: Token = { kind: "end", text: "the end of the file", line: 0 };

export class Cursor {
  readonly #file: string;
  readonly #tokens: readonly Token[];
  #at = 0;
  /** Hierarchical names met so far. */
  readonly dotted = new Set<string>();
  constructor(file: string, tokens: readonly Token[]) {
    this.#file = file;
    this.#tokens = tokens;
  }

  get next(): Token {
    return this.#tokens[this.#at] ?? END;
  }
  get place(): Place {
    return { file: this.#file, line: this.next.line };
  }
  /** Whether the next token is this word or symbol. */
  is(text: string): boolean {
    const t = this.next;
    return t.text === text && (t.kind === "symbol" || t.kind === "name");
  }
  /** Takes the next token if it is this one. */
  takes(text: string): boolean {
    if (!this.is(text)) return false;
    this.#at++;
    return true;
  }
  take(): Token {
    const t = this.next;
    this.#at++;
    return t;
  }
  need(text: string): void {
    if (!this.takes(text)) throw this.surprise(`"${text}"`);
  }
  name(): string {
    if (this.next.kind !== "name") throw this.surprise("a name");
    return this.take().text;
  }
  /** A name, or a path of instances to one. */
  path(): string {
    let name = this.name();
    if (!this.is(".")) return name;
    while (this.takes(".")) name += `.${this.name()}`;
    this.dotted.add(name);
    return name;
  }
  surprise(wanted: string): Error {
    return unreadable(this.place, `"${this.next.text}" where ${wanted} is read`);
  }
  /** Items between commas, up to a closing symbol that is taken. */
  list<T>(close: string, one: () => T): T[] {
    const all: T[] = [];
    if (this.takes(close)) return all;
    do all.push(one());
    while (this.takes(","));
    this.need(close);
    return all;
  }
}
