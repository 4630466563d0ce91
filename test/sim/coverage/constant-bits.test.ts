/** Bits that never change are no places to reach: what is found of them, and that none of them ever changes. */
import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { describe, expect, test } from "vitest";
import {
  bit,
  cat,
  circuitOf,
  constant,
  emit,
  type EmittedDesign,
  input,
  module,
  mux,
  output,
  reg,
  type UInt,
  uint,
  when,
} from "../../../hdl-dsl/index.ts";
import { constantBits } from "../../../sim/backend/builtin/circuit/constant-bits.ts";
import { flatten } from "../../../sim/backend/builtin/circuit/flatten.ts";
import { bytesOf } from "../../../sim/backend/builtin/memory-map.ts";
import { compileBuiltin, Random } from "../../../sim/index.ts";

function circuitIn(design: EmittedDesign): NonNullable<ReturnType<typeof circuitOf>> {
  const circuit = circuitOf(design);
  if (circuit === undefined) throw new Error("the design has no circuit");
  return circuit;
}
/** By register, the bits that never change. */
function constantsOf(design: EmittedDesign): Readonly<Record<string, string>> {
  const net = flatten(circuitIn(design), {});
  return Object.fromEntries(
    [...constantBits(net.nodes, net.registers)].map(([s, bits]) => [s.name, bits.toString(2).padStart(s.width, "0")]),
  );
}

const Wider = module(
  "Wider",
  () => ({ a: input(uint(2)), go: input(bit), y: output(uint(8)) }),
  io => {
    const wide = reg(uint(6), { init: 0, name: "wide" }),
      behind = reg(uint(8), { init: 0x40, name: "behind" }),
      high = reg(uint(8), { init: 0x80, name: "high" }),
      sum = reg(uint(4), { init: 0, name: "sum" }),
      still = reg(uint(3), { init: 5, name: "still" });
    when(io.go, () => {
      wide.set(io.a.zext(6));
      high.set(wide.zext(8));
    });
    behind.set(wide.zext(8).or(0x40));
    sum.set(sum.add(io.a.zext(4)));
    when(io.go.and(wide.bit(5)), () => still.set(2));
    io.y.set(behind.xor(high).xor(sum.zext(8)).xor(still.zext(8)));
  },
);

describe("bits that never change", () => {
  test("those of a number that was made wider, also when it is kept, and of registers behind it", () => {
    expect(constantsOf(emit(Wider()))).toEqual({
      wide: "111100",
      behind: "11111100",
      // Bit 7 falls once.
      high: "01111100",
      sum: "0000",
      // What is never taken sets nothing.
      still: "111",
    });
  });

  test("in random programs none of them changes", () => {
    const { found, changed } = changes(constantBits);
    expect(changed).toEqual([]);
    expect(found).toBeGreaterThan(60);
  });
  test.each([
    { from: "of(0).zero & of(1).zero, one", to: "of(0).zero | of(1).zero, one" },
    { from: "zero: of(0).zero | of(1).zero", to: "zero: of(0).zero | of(1).one" },
    { from: "both(a, b));", to: "a);" },
    { from: "k.zero & top ? copies : 0n", to: "copies" },
    { from: "stale[r.id] = 1;", to: "stale[r.id] = 0;" },
    { from: "r.init ?? 0n", to: "0n" },
  ])("a fault planted in it is found: $to", async ({ from, to }) => {
    expect(changes(await faulty(from, to)).changed).not.toEqual([]);
  });
});

/** Random programs under random inputs: registers with such bits, and those of which one changed after all. */
function changes(of: typeof constantBits): { readonly found: number; readonly changed: readonly string[] } {
  const random = new Random(11),
    changed: string[] = [];
  let found = 0;
  for (let n = 0; n < 60; n++) {
    const design = emit(shapes(random)()),
      net = flatten(circuitIn(design), {}),
      constant = of(net.nodes, net.registers),
      rows = registersOf(design, n + 1, random);
    let at = 0;
    for (const r of net.registers) {
      const words = bytesOf(r.source.width) / 4,
        bits = constant.get(r.source) ?? 0n,
        from = at;
      at += words;
      // Without a reset it comes up with anything, and keeps that until it is written.
      if (r.init === undefined || bits === 0n) continue;
      found++;
      const { init } = r;
      if (rows.some(row => ((valueAt(row, from, words) ^ init) & bits) !== 0n)) changed.push(`${n}: ${r.source.name}`);
    }
  }
  return { found, changed };
}
/** Registers of numbers that were made wider, through wiring, gates and choices, each by chance kept for a while. */
const shapes = (random: Random) =>
  module(
    "Shapes",
    () => ({ a: input(uint(3)), go: input(bit), y: output(uint(8)) }),
    io => {
      const all = Array.from({ length: 6 }, (_, i) => reg(uint(8), { init: random.below(256), name: `r_${i}` }));
      const leaf = (): UInt<8> => {
        const a: UInt = io.a.trunc(random.pick([1, 2, 3]));
        return random.pick([a.zext(8), a.asSint().sext(8).asUint(), random.pick(all), constant(random.below(256), 8)]);
      };
      const value = (depth: number): UInt<8> => {
        if (depth === 0) return leaf();
        const x = value(depth - 1),
          y = value(depth - 1);
        return random.pick([
          () => x.and(y),
          () => x.or(y),
          () => x.not(),
          () => x.xor(y),
          () => mux(io.go, x, y),
          () => cat(x.bits(2, 4), y.bits(1, 4)),
          () => x.add(y),
        ])();
      };
      for (const r of all) {
        const next = value(random.below(3));
        if (random.chance(0.5)) when(io.go, () => r.set(next));
        else r.set(next);
      }
      io.y.set(all.reduce<UInt<8>>((a, b) => a.xor(b), constant(0, 8)));
    },
  );
function registersOf(d: EmittedDesign, seed: number, random: Random): readonly Uint32Array[] {
  const model = compileBuiltin(d).create({ seed, clocks: {} });
  const rows = Array.from({ length: 40 }, (_, step) => {
    for (const s of model.slots.values())
      if (s.port.dir === "in")
        model.words[s.word] = s.port.role === "reset" ? Number(step === 0) : random.below(2 ** s.port.width);
    model.step(1);
    return model.save().registers;
  });
  model.free();
  return rows;
}

/** The search with a fault in its text. */
async function faulty(from: string, to: string): Promise<typeof constantBits> {
  const path = fileURLToPath(new URL("../../../sim/backend/builtin/circuit/constant-bits.ts", import.meta.url)),
    text = readFileSync(path, "utf8");
  if (!text.includes(from)) throw new Error(`${path} has no text "${from}": plant the fault in text that is there`);
  const { outputFiles } = await build({
    stdin: { contents: text.replace(from, to), loader: "ts", resolveDir: dirname(path) },
    ...{ bundle: true, write: false, format: "esm", target: "es2022" },
  });
  const made = (await import(`data:text/javascript,${encodeURIComponent(outputFiles[0]?.text ?? "")}`)) as {
    readonly constantBits: typeof constantBits;
  };
  return made.constantBits;
}

const valueAt = (row: Uint32Array, at: number, words: number): bigint =>
  Array.from({ length: words }, (_, i) => BigInt(row[at + i] ?? 0) << BigInt(32 * i)).reduce((a, b) => a | b, 0n);
