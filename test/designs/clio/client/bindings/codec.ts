import { nativeLayouts } from "../../../../../designs/clio/wire/index.ts";
import { decode, encode, type Layout, placementsOf } from "../../../../../designs/shared/wire/index.ts";
import { Random } from "../../../../../hdl-dsl/index.ts";

export const snake = (name: string): string => name.replace(/[A-Z]/g, c => `_${c.toLowerCase()}`);
const hex = (b: Uint8Array): string => Buffer.from(b).toString("hex");

/** Random bytes of every layout: what a program reads, and what it has to print when its codec is TypeScript's. */
export function codecCases(nameOf: (l: Layout) => string): { readonly input: string; readonly expected: string[] } {
  const r = new Random(3),
    cases = nativeLayouts.flatMap(l => Array.from({ length: 20 }, () => ({ l, bytes: r.bytes(l.bytes) })));
  const shown = (l: Layout, bytes: Uint8Array): string => {
    const values: Readonly<Record<string, unknown>> = decode(l, bytes),
      fields = placementsOf(l).map(({ name }) => {
        const v = values[name];
        return `${snake(name)}=${v instanceof Uint8Array ? hex(v) : String(v)}`;
      });
    return [hex(encode(l, decode(l, bytes))), ...fields].join(" ");
  };
  return {
    input: cases.map(({ l, bytes }) => `${nameOf(l)} ${hex(bytes)}\n`).join(""),
    expected: cases.map(({ l, bytes }) => shown(l, bytes)),
  };
}
