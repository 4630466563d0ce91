import { describe, expect, test } from "vitest";
import { bit, elaborate, input, module, output, ram, uint } from "../../../hdl-dsl/index.ts";
import type { Collision } from "../../../hdl-dsl/ir/circuit.ts";
import { emitCircuit } from "../../../hdl-dsl/verilog/emit.ts";
import { simulate, type Step } from "../support/icarus.ts";
import { lint, run, withFiles } from "../support/lint.ts";
import { Random } from "../../../hdl-dsl/random.ts";
import { pattern } from "../support/random.ts";

interface P {
  readonly collision: Collision;
  readonly depth: number;
  readonly lanes: number;
  readonly enable: boolean;
}

const Store = module(
  "Store",
  (p: P) => ({
    we: input(bit),
    wa: input(uint(Math.ceil(Math.log2(p.depth)))),
    wd: input(uint(16)),
    wm: { ...input(uint(p.lanes)), unused: true },
    re: { ...input(bit), unused: true },
    ra: input(uint(Math.ceil(Math.log2(p.depth)))),
    q: output(uint(16)),
  }),
  (io, p) => {
    const store = ram(uint(16), { depth: p.depth, collision: p.collision, init: [1, 2, 3] });
    store.write(io.we, io.wa, io.wd, p.lanes === 1 ? undefined : io.wm);
    io.q.set(store.readSync(io.ra, { name: "word", ...(p.enable ? { en: io.re } : {}) }));
  },
);

/** The memory as its words say: a model without arrays and bypasses of Verilog. */
function model(p: P, steps: readonly Step[]): (bigint | undefined)[] {
  const words = Array.from({ length: p.depth }, (_, i) => [1n, 2n, 3n][i] ?? 0n);
  let q: bigint | undefined;
  return steps.map(s => {
    const seen = q;
    const at = Number(s["wa"]),
      lane = 16 / p.lanes;
    const old = words[Number(s["ra"])];
    if (s["we"] === 1n) {
      let mask = 0n;
      for (let i = 0; i < p.lanes; i++)
        if (p.lanes === 1 || (((s["wm"] ?? 0n) >> BigInt(i)) & 1n) === 1n)
          mask |= ((1n << BigInt(lane)) - 1n) << BigInt(lane * i);
      words[at] = ((words[at] ?? 0n) & ~mask) | ((s["wd"] ?? 0n) & mask);
    }
    const fresh = words[Number(s["ra"])];
    const clash = s["we"] === 1n && s["wa"] === s["ra"];
    if (!p.enable || s["re"] === 1n)
      q = p.collision === "new" ? fresh : p.collision === "undefined" && clash ? undefined : old;
    return seen;
  });
}

describe("memories", () => {
  const cases: P[] = (["old", "new", "undefined"] as const).flatMap(collision =>
    [1, 2, 4, 16].flatMap(lanes => [false, true].map(enable => ({ collision, depth: 8, lanes, enable }))),
  );
  test.each(cases)("collision $collision, $lanes lanes, enable $enable", p => {
    const random = new Random(7);
    const design = emitCircuit(elaborate(Store(p)));
    expect(lint(design)).toBe("");
    // Few addresses, so that reads and writes meet often.
    const steps = Array.from({ length: 200 }, () => ({
      we: pattern(random, 1),
      wa: BigInt(random.below(3)),
      wd: pattern(random, 16),
      wm: pattern(random, p.lanes),
      re: pattern(random, 1),
      ra: BigInt(random.below(3)),
    }));
    const want = model(p, steps);
    simulate(design, steps).forEach((got, n) => {
      if (want[n] !== undefined) expect(got["q"], `step ${n}\n${design.files[0]?.text ?? ""}`).toBe(want[n]);
    });
    expect(steps.some(s => s.we === 1n && s.wa === s.ra)).toBe(true);
  });

  test("an array of 512 words of 32 bits with either collision rule is inferred as block RAM", () => {
    for (const collision of ["old", "new"] as const) {
      const Big = module(
        `Big_${collision}`,
        () => ({ we: input(bit), wa: input(uint(9)), wd: input(uint(32)), ra: input(uint(9)), q: output(uint(32)) }),
        io => {
          const store = ram(uint(32), { depth: 512, collision, style: "block" });
          store.write(io.we, io.wa, io.wd);
          io.q.set(store.readSync(io.ra, { name: "word" }));
        },
      );
      const design = emitCircuit(elaborate(Big()));
      const stat = withFiles(design, (_f, files) =>
        run("yosys", [
          "-p",
          `read_verilog ${files.join(" ")}; synth_xilinx -family xcup -noiopad -noclkbuf -run begin:map_ffram; stat`,
        ]),
      );
      expect(stat).toMatch(/RAMB(18|36)E2\s+1\b/);
    }
  });
});
