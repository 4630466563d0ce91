/** The shipped setup with any field replaced by what nobody means: refused in one sentence, or taken as it stands. */
import { describe, expect, it } from "vitest";
import { ConfigError } from "../../../../../designs/supernic/config/index.ts";
import { DeviceScoreboard } from "../../../../../designs/supernic/model/index.ts";
import { deviceConfig, tableWrites } from "../../../../../designs/supernic/software/index.ts";
import { demoSetup } from "../../../../../designs/supernic/workload/index.ts";
import { setupOf } from "../../support/demo.ts";

type Path = readonly (string | number)[];
/** What a field is replaced by; undefined: it is left out. */
const values: readonly unknown[] = [
  ...[undefined, null, true, [], [1], {}, { port: 9 }, { dag: "x" }, { uid: 70_000 }],
  ...[-1, 0, 7, 9, 64, 256, 1e9, 1.5, Number.NaN],
  ...["", "x", "0x10", "0xfffffffff", "__proto__", "constructor", "toString", "a\nb\u001b[2J", "x".repeat(3000)],
  ...["10.0.0.0/33", "1.2.3", "ff:ff:ff:ff:ff:ff", "00:00:00:00:00:00", "00".repeat(65)],
  ...["delay(0,0)", "delay(64,1)", "delay(1,99999999999)", "delay(6)", "nat", "loop"],
];
function* pathsOf(value: unknown, at: Path = []): Generator<Path> {
  if (at.length > 0) yield at;
  if (typeof value !== "object" || value === null) return;
  for (const [key, inner] of Object.entries(value))
    yield* pathsOf(inner, [...at, Array.isArray(value) ? Number(key) : key]);
}
const at = (file: unknown, path: Path): unknown =>
  path.reduce<unknown>((v, key) => (v as Readonly<Record<string | number, unknown>>)[key], file);
function replaced(path: Path, value: unknown): unknown {
  const file: unknown = structuredClone(demoSetup),
    last = path.at(-1) ?? "",
    place = at(file, path.slice(0, -1)) as Record<string | number, unknown>;
  if (value === undefined) Reflect.deleteProperty(place, last);
  else place[last] = value;
  return file;
}
/** The sentence of a refusal; undefined: it is taken. @throws whatever else comes of it */
function refusal(file: unknown): string | undefined {
  let setup;
  try {
    setup = setupOf(file);
  } catch (e) {
    if (e instanceof ConfigError) return e.message;
    throw e;
  }
  // What is taken can be written into a device, and judged.
  tableWrites(setup);
  deviceConfig(setup);
  new DeviceScoreboard(setup);
  return undefined;
}

describe("the shipped setup", () => {
  const paths = [...pathsOf(demoSetup)];
  it("with any field replaced is refused in one sentence, or taken", () => {
    const found = { refused: 0, taken: 0 };
    for (const [i, path] of paths.entries())
      for (const [j, value] of values.entries()) {
        // Each value at every fourth field, at other ones than the value before it.
        if ((i + j) % 4 !== 0) continue;
        const what = `${path.join(".")} := ${JSON.stringify(value ?? "nothing").slice(0, 40)}`,
          sentence = refusal(replaced(path, value));
        if (sentence === undefined) {
          found.taken++;
          continue;
        }
        found.refused++;
        expect(sentence, what).toMatch(/^setup\.json: \w/);
        // It says what to do: what must be, what there is, or what to change.
        expect(sentence, what).toMatch(/must|;|expected|such as/);
        expect(sentence.length, what).toBeLessThan(800);
      }
    expect(found.refused).toBeGreaterThan(2_500);
    expect(found.taken).toBeGreaterThan(75);
  });
  it("with an entry of any list twice, or far too many: the same", () => {
    for (const path of paths) {
      const list = at(demoSetup, path);
      if (!Array.isArray(list) || list.length === 0) continue;
      const entries: readonly unknown[] = list;
      for (const other of [[...entries, entries[0]], Array(300).fill(entries[0])]) {
        const sentence = refusal(replaced(path, other));
        if (sentence !== undefined) expect(sentence.length, path.join(".")).toBeLessThan(800);
      }
    }
  });
  it("with a thousand faults: some are told, and how many more there are", () => {
    const sentence = refusal({ ...demoSetup, stations: Array(1000).fill({}) });
    expect(sentence).toMatch(/^setup\.json: stations\[0\]\.name[^\n]*; and \d+ more$/);
    expect(sentence?.length).toBeLessThan(400);
  });
});
