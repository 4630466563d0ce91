import { expect, test } from "vitest";
import {
  bit,
  emit,
  type EmittedDesign,
  input,
  module,
  output,
  ram,
  type RamOptions,
  uint,
} from "../../../hdl-dsl/index.ts";
import { run, withFiles } from "../support/lint.ts";

interface P {
  readonly style: "block" | "distributed" | "ultra";
  readonly collision: RamOptions["collision"];
  readonly lanes: number;
  readonly depth: number;
}

const Memory = module(
  "InferredMemory",
  (p: P) => {
    const address = uint(Math.log2(p.depth));
    return {
      we: input(bit),
      mask: input(uint(p.lanes), { unused: p.lanes === 1 }),
      wa: input(address),
      wd: input(uint(72)),
      ra: input(address),
      q: output(uint(72)),
    };
  },
  (io, p) => {
    const store = ram(uint(72), { depth: p.depth, collision: p.collision, style: p.style });
    store.write(io.we, io.wa, io.wd, p.lanes === 1 ? undefined : io.mask);
    io.q.set(p.style === "distributed" ? store.readAsync(io.ra) : store.readSync(io.ra, { name: "word" }));
  },
);

const cases: readonly P[] = [
  ...(["old", "new", "undefined"] as const).flatMap(collision =>
    [1, 8].map((lanes): P => ({ style: "block", collision, lanes, depth: 512 })),
  ),
  { style: "distributed", collision: "old", lanes: 1, depth: 64 },
  { style: "ultra", collision: "undefined", lanes: 1, depth: 4096 },
];

/**
 * Cells of an UltraScale+ device that hold words, by module and kind: one run of Yosys for all, each module synthesized
 * on its own.
 */
function cells(): ReadonlyMap<string, Readonly<Record<P["style"], number>>> {
  const designs = cases.map(p => emit(Memory(p))),
    files = [...new Map(designs.flatMap(d => d.files).map(f => [f.name, f])).values()];
  const all = { ...(designs[0] as EmittedDesign), files };
  const stat = withFiles(all, (_folder, paths) =>
    run("yosys", [
      "-p",
      `read_verilog ${paths.join(" ")}; read_verilog -lib +/xilinx/cells_sim.v; synth_xilinx -family xcup -noiopad -noclkbuf -run prepare:map_ffram; stat`,
    ]),
  );
  return new Map(
    stat
      .split(/^=== /m)
      .slice(1)
      .map(text => {
        const count = (cell: string): number =>
          [...text.matchAll(new RegExp(`^\\s+(?:${cell})\\s+(\\d+)$`, "gm"))].reduce((n, m) => n + Number(m[1]), 0);
        return [
          text.split(" ")[0] as string,
          { block: count("RAMB\\d+E2"), distributed: count("RAM\\d+\\w*"), ultra: count("URAM288\\w*") },
        ];
      }),
  );
}

test("what Yosys makes of memories in every style and with every collision rule", () => {
  const found = cells();
  for (const p of cases) {
    const name = Memory(p).name,
      { block, distributed, ultra } = found.get(name) ?? { block: 0, distributed: 0, ultra: 0 };
    // One block RAM has 512 words of 72 bits, one UltraRAM 4096.
    expect([name, block, distributed > 0, ultra]).toEqual([
      name,
      p.style === "block" ? 1 : 0,
      p.style === "distributed",
      p.style === "ultra" ? 1 : 0,
    ]);
  }
});
