/** Source maps and name maps: every declaration is found again, and nothing of the machine stands in them. */
import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import {
  bit,
  emit,
  type EmittedFile,
  fsm,
  input,
  instance,
  module,
  output,
  ram,
  readSourceMap,
  reg,
  struct,
  uint,
  vec,
  when,
} from "../../../hdl-dsl/index.ts";

const own = fileURLToPath(import.meta.url);
const source = readFileSync(own, "utf8").split("\n");
/** The line of this file that holds the text, from 1. */
const lineOf = (text: string): number => source.findIndex(l => l.includes(text) && !l.includes("lineOf")) + 1;

const Inner = module(
  "Inner",
  () => ({ a: input(uint(8)), y: output(uint(8)) }),
  io => {
    const held = reg(uint(8), { init: 3 });
    held.set(io.a);
    io.y.set(held);
  },
);
const Pair = struct({ low: uint(4), high: vec(uint(2), 2) });
const Outer = module(
  "Outer",
  () => ({ go: input(bit), a: input(uint(8)), y: output(uint(8)), q: output(Pair), busy: output(bit) }),
  io => {
    const inner = instance(Inner());
    const pair = reg(Pair, { init: 0 });
    const store = ram(uint(8), { depth: 4, collision: "old" });
    const machine = fsm(["Idle", "Run"], "Idle", s => ({
      Idle: () => when(io.go, () => s.go("Run")),
      Run: () => s.go("Idle"),
    }));
    inner.a.set(io.a);
    store.write(io.go, io.a.bits(0, 2), io.a);
    const word = store.readSync(io.a.bits(2, 2));
    when(io.go, () => pair.low.set(io.a.bits(0, 4)));
    pair.high.set([io.a.bits(4, 2), io.a.bits(6, 2)]);
    io.q.set(pair);
    io.y.set(inner.y.add(word));
    io.busy.set(machine.is("Run"));
  },
);

const design = emit(Outer());
const fileOf = (name: string): EmittedFile => design.files.find(f => f.name === name) as EmittedFile;
/** Source lines that the lines of Verilog with this text come from. */
function origins(file: EmittedFile, text: string): number[] {
  const map = readSourceMap(file.map as NonNullable<EmittedFile["map"]>);
  return file.text.split("\n").flatMap((l, n) => (l.includes(text) ? (map.get(n + 1) ?? []).map(o => o.line) : []));
}

describe("source map", () => {
  test.each([
    ["reg [7:0] held;", "const held = reg"],
    ["held <= a", "held.set(io.a)"],
    ["assign y = held", "y: output(uint(8)) }),"],
  ])("Inner: %s", (text, from) => expect(origins(fileOf("Inner.v"), text)).toContain(lineOf(from)));
  test.each([
    ["if (go) pair_low <=", "pair.low.set("],
    ["Inner inner (", "const inner = instance"],
    ["store [0:3]", "const store = ram"],
    ["machine <= machine_run", 's.go("Run")'],
    ["machine_run: machine <= machine_idle", 's.go("Idle")'],
    ["case (machine)", "const machine = fsm"],
    ["if (go) store[", "store.write(io.go"],
  ])("Outer: %s", (text, from) => expect(origins(fileOf("Outer.v"), text)).toContain(lineOf(from)));

  test("is a map of revision 3 with paths from the project's folder, and says the same in every run", () => {
    const { map } = fileOf("Outer.v");
    expect(map).toMatchObject({ version: 3, file: "Outer.v", sources: ["test/hdl-dsl/maps/maps.test.ts"], names: [] });
    expect(map?.mappings).toMatch(/^[A-Za-z0-9+/,;]+$/);
    expect(JSON.stringify(design)).not.toContain(resolve(dirname(own), "../../.."));
  });
  test("lines of the text and of the map go together: every mapped line has text where its mapping starts", () => {
    for (const f of design.files) {
      const lines = f.text.split("\n");
      for (const n of readSourceMap(f.map as NonNullable<EmittedFile["map"]>).keys())
        expect(lines[n - 1]?.trim()).not.toBe("");
    }
  });
});

describe("name map", () => {
  test("leads from the top to every register, field by field, with states by name", () => {
    const outer = design.names?.modules["Outer"];
    expect(design.names?.top).toBe("Outer");
    expect(outer?.instances).toEqual([
      { name: "inner", module: "Inner", source: `test/hdl-dsl/maps/maps.test.ts:${lineOf("const inner = instance")}` },
    ]);
    expect(outer?.signals.filter(s => s.path[0] === "pair").map(s => [s.name, s.kind, s.width, s.path])).toEqual([
      ["pair_low", "reg", 4, ["pair", "low"]],
      ["pair_high_0", "reg", 2, ["pair", "high", "0"]],
      ["pair_high_1", "reg", 2, ["pair", "high", "1"]],
    ]);
    expect(outer?.signals.find(s => s.name === "machine")?.states).toEqual(["Idle", "Run"]);
    expect(outer?.memories).toEqual([
      { name: "store", width: 8, depth: 4, source: `test/hdl-dsl/maps/maps.test.ts:${lineOf("const store = ram")}` },
    ]);
    expect(design.names?.modules["Inner"]?.signals.map(s => s.name)).toEqual(["a", "y", "held"]);
  });
  test("every name in it stands in the text", () => {
    for (const [module, m] of Object.entries(design.names?.modules ?? {})) {
      const { text } = fileOf(`${module}.v`);
      for (const s of [...m.signals, ...m.memories, ...m.instances])
        expect(text).toMatch(new RegExp(`\\b${s.name}\\b`));
    }
  });
});
