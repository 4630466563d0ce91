/** Every export of the language and of the harness says what it is, and what each of its options is. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { afterAll, expect, test } from "vitest";
import { programOf, undocumented } from "./undocumented.ts";

const faces = ["hdl-dsl/index.ts", "sim/index.ts"],
  folder = `out/exports-${process.pid}`,
  planted = `${folder}/planted.ts`;
mkdirSync(folder, { recursive: true });
writeFileSync(
  planted,
  `/** Said. */
export const said = 1;
export const unsaid = 2;
/** Options. */
export interface SomeOptions {
  /** Said. */
  readonly a: number;
  readonly b: number;
}
/** Sizes. @param o.c said */
export const sized = (o: { readonly c: number; readonly d: number }): number => o.c + o.d;
/** Sizes. @param o.c said */
export function both(o: {
  readonly c: number;
  /** Said. */
  readonly d: number;
}): number {
  return o.c + o.d;
}
`,
);
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const program = programOf([...faces, planted]);

test.each(faces)("%s", face => {
  const { all, lacks } = undocumented(program, face);
  expect(all).toBeGreaterThan(100);
  expect(lacks.map(l => `${l.at} ${l.name}: ${l.what}`)).toEqual([]);
});
test("what is not said is found: an export, a field of options, an option of a function", () => {
  expect(undocumented(program, planted).lacks.map(l => [l.name, l.what])).toEqual([
    ["unsaid", "no comment"],
    ["SomeOptions", "no comment at b"],
    ["sized", "no comment at d"],
  ]);
});
