/** The part of a test framework that benches use. */

const text = (v: unknown): string =>
  typeof v === "bigint" ? `${v}n` : typeof v === "object" && v !== null ? JSON.stringify(plain(v)) : String(v);
/** With bigints and arrays of bytes as text, to be compared and shown. */
function plain(v: unknown): unknown {
  if (typeof v === "bigint") return `${v}n`;
  if (ArrayBuffer.isView(v)) return Array.from(v as Uint8Array);
  if (Array.isArray(v)) return v.map(plain);
  if (typeof v === "object" && v !== null) return Object.fromEntries(Object.entries(v).map(([k, x]) => [k, plain(x)]));
  return v;
}
const same = (a: unknown, b: unknown): boolean =>
  Object.is(a, b) || JSON.stringify(plain(a)) === JSON.stringify(plain(b));

type Check = (...args: never[]) => void;
export type Matchers = Record<string, Check>;

function matchers(got: unknown, not: boolean): Matchers {
  const say = (holds: boolean, what: string): void => {
    if (holds === not) throw new Error(`expected ${text(got)} ${not ? "not " : ""}${what}`);
  };
  const number = got as number;
  return {
    toBe: (v: unknown) => say(Object.is(got, v), `to be ${text(v)}`),
    toEqual: (v: unknown) => say(same(got, v), `to equal ${text(v)}`),
    toStrictEqual: (v: unknown) => say(same(got, v), `to equal ${text(v)}`),
    toBeTruthy: () => say(Boolean(got), "to be true"),
    toBeDefined: () => say(got !== undefined, "to be defined"),
    toBeUndefined: () => say(got === undefined, "to be undefined"),
    toBeGreaterThan: (v: number) => say(number > v, `to be above ${v}`),
    toBeGreaterThanOrEqual: (v: number) => say(number >= v, `to be ${v} or more`),
    toBeLessThan: (v: number) => say(number < v, `to be below ${v}`),
    toBeLessThanOrEqual: (v: number) => say(number <= v, `to be ${v} or less`),
    toContain: (v: unknown) => say((got as readonly unknown[]).includes(v), `to contain ${text(v)}`),
    toHaveLength: (v: number) => say((got as readonly unknown[]).length === v, `to have length ${v}`),
    toMatch: (v: RegExp | string) => say(new RegExp(v).test(String(got)), `to match ${String(v)}`),
    toThrow: (v?: RegExp | string) => {
      let thrown: string | undefined;
      try {
        (got as () => unknown)();
      } catch (e) {
        thrown = e instanceof Error ? `${e.name}: ${e.message}` : text(e);
      }
      say(
        thrown !== undefined && (v === undefined || (v instanceof RegExp ? v.test(thrown) : thrown.includes(v))),
        `to throw${v === undefined ? "" : ` ${String(v)}`}`,
      );
    },
  };
}

export const expect = (got: unknown): Matchers & { readonly not: Matchers } =>
  Object.assign(matchers(got, false), { not: matchers(got, true) });
