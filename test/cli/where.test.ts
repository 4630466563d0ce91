import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { filesOf } from "../../cli/generate/design-files.ts";
import { Counter } from "../../docs/examples/counter.ts";
import { emit } from "../../hdl-dsl/index.ts";
import { mnemo } from "../support/command-line.ts";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "mnemo-where-"));
  for (const f of filesOf(emit(Counter({ width: 8 })), "")) writeFileSync(join(folder, f.path), f.text);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const file = (): string => join(folder, "Counter_width8.v");
const lineOf = (path: string, text: string): number =>
  readFileSync(path, "utf8")
    .split("\n")
    .findIndex(l => l.includes(text)) + 1;

it("names the line of TypeScript and prints it", async () => {
  const example = "docs/examples/counter.ts",
    from = lineOf(example, "= reg(");
  const { code, out, err } = await mnemo(["where", `${file()}:${lineOf(file(), "reg [7:0]")}`]);
  expect([code, err]).toEqual([0, ""]);
  expect(out).toBe(`${example}:${from}: ${readFileSync(example, "utf8").split("\n")[from - 1]?.trim() ?? ""}\n`);
});

it("says in one sentence what is wrong with a place", async () => {
  const lines = readFileSync(file(), "utf8").split("\n").length - 1;
  const said = async (place: string): Promise<[number, string]> => {
    const { code, err } = await mnemo(["where", place]);
    return [code, err];
  };
  expect(await said("Counter.v")).toEqual([
    2,
    'mnemo: "Counter.v" is no place in a file: give the file and the line, for example generated/library/SkidBuffer_uint32.v:20\n',
  ]);
  expect(await said("none.v:3")).toEqual([2, "mnemo: there is no file none.v\n"]);
  expect(await said("package.json:3")).toEqual([
    2,
    "mnemo: there is no map package.json.map beside package.json: npx mnemo generate writes it\n",
  ]);
  expect(await said(`${file()}:9999`)).toEqual([2, `mnemo: ${file()} has ${lines} lines, and no line 9999\n`]);
  expect(await said(`${file()}:1`)).toEqual([
    2,
    `mnemo: line 1 of ${file()} stands before everything that has a source: it is part of the header\n`,
  ]);
});
