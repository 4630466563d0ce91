/** Memories of two ports that read and write: every collision against a model, in all simulators, and as block RAM. */
import { describe, expect, it } from "vitest";
import { findYosys } from "../../../cli/synth/yosys.ts";
import { synthesize } from "../../../cli/synth/synthesize.ts";
import { targets } from "../../../cli/synth/target.ts";
import {
  assertAlways,
  bit,
  clockDomain,
  constant,
  emit,
  type EmittedDesign,
  inDomain,
  input,
  module,
  output,
  ram,
  type RamOptions,
  type RamPort,
  Random,
  reg,
  uint,
  type UIntShape,
} from "../../../hdl-dsl/index.ts";
import { type Bench, builtinBackend, holds, planted, prove, runBench, verilatorBackend } from "../../../sim/index.ts";
import { findsFault, plant } from "../../support/plant.ts";
import { simulate, type Step } from "../support/icarus.ts";
import { lint, run, withFiles } from "../support/lint.ts";

interface P {
  readonly a: RamPort<UIntShape>["reads"];
  readonly b: RamPort<UIntShape>["reads"];
  readonly across: "old" | "undefined";
  readonly lanes: number;
  readonly depth: number;
  readonly clocks: 1 | 2;
}
const WIDTH = 32;
const TwoPorts = module(
  "TwoPorts",
  (p: P) => {
    const address = uint(Math.ceil(Math.log2(p.depth))),
      [left, right] = p.clocks === 2 ? [{ domain: "left" }, { domain: "right" }] : [{}, {}];
    return {
      aEn: input(bit, left),
      aWe: input(bit, left),
      aAt: input(address, left),
      aD: input(uint(WIDTH), left),
      aM: input(uint(p.lanes), { ...left, unused: p.lanes === 1 }),
      aQ: output(uint(WIDTH), left),
      bEn: input(bit, right),
      bWe: input(bit, right),
      bAt: input(address, right),
      bD: input(uint(WIDTH), right),
      bM: input(uint(p.lanes), { ...right, unused: p.lanes === 1 }),
      bQ: output(uint(WIDTH), right),
    };
  },
  (io, p) => {
    const a = (): void => {
      const word = store.port({
        en: io.aEn,
        write: io.aWe,
        address: io.aAt,
        data: io.aD,
        ...(p.lanes === 1 ? {} : { mask: io.aM }),
        reads: p.a,
      });
      io.aQ.set(word);
    };
    const b = (): void => {
      const other = store.port({
        en: io.bEn,
        write: io.bWe,
        address: io.bAt,
        data: io.bD,
        ...(p.lanes === 1 ? {} : { mask: io.bM }),
        reads: p.b,
      });
      io.bQ.set(other);
    };
    const options: RamOptions = { depth: p.depth, collision: p.across, style: "block", init: [1, 2, 3] };
    const clocks = p.clocks === 2 ? { left: clockDomain("left"), right: clockDomain("right") } : undefined;
    const store =
      clocks === undefined ? ram(uint(WIDTH), options) : inDomain(clocks.left, () => ram(uint(WIDTH), options));
    if (clocks === undefined) {
      a();
      b();
    } else {
      inDomain(clocks.left, a);
      inDomain(clocks.right, b);
    }
  },
);

const kinds = ["old", "new", "unchanged"] as const;
const all: readonly P[] = kinds.flatMap(a =>
  kinds.flatMap(b =>
    ([1, 4] as const).map(
      lanes => ({ a, b, across: lanes === 1 ? "old" : "undefined", lanes, depth: 8, clocks: 1 }) as const,
    ),
  ),
);

/** Words and outputs as they are said to be; an output is undefined where the memory promises nothing. */
class Model {
  readonly words: bigint[];
  readonly q: Record<"a" | "b", bigint | undefined> = { a: undefined, b: undefined };
  readonly p: P;
  constructor(p: P) {
    this.p = p;
    this.words = Array.from({ length: p.depth }, (_, i) => [1n, 2n, 3n][i] ?? 0n);
  }
  #mask(m: bigint): bigint {
    const lane = WIDTH / this.p.lanes;
    let all = 0n;
    for (let i = 0; i < this.p.lanes; i++)
      if (this.p.lanes === 1 || (m >> BigInt(i)) & 1n) all |= ((1n << BigInt(lane)) - 1n) << BigInt(lane * i);
    return all;
  }
  /** One edge at which the clocks of `ports` rise. */
  edge(s: Step, ports: readonly ("a" | "b")[]): void {
    const before = [...this.words];
    const of = (x: "a" | "b") => {
      const on = ports.includes(x) && s[`${x}_en`] === 1n,
        at = Number(s[`${x}_at`]),
        writes = on && s[`${x}_we`] === 1n,
        mask = this.#mask(s[`${x}_m`] ?? 0n);
      const word = before[at] ?? 0n;
      return { on, at, writes, after: (word & ~mask) | ((s[`${x}_d`] ?? 0n) & mask), word };
    };
    const both = { a: of("a"), b: of("b") };
    for (const x of ["a", "b"] as const) if (both[x].writes) this.words[both[x].at] = both[x].after;
    for (const [x, y] of [
      ["a", "b"],
      ["b", "a"],
    ] as const) {
      const me = both[x],
        other = both[y];
      if (!me.on) continue;
      const reads = this.p[x];
      if (me.writes && reads === "unchanged") continue;
      const clash = other.writes && other.at === me.at && this.p.across === "undefined";
      this.q[x] = clash ? undefined : me.writes && reads === "new" ? me.after : me.word;
    }
  }
}

/** Few addresses, so that all collisions happen; both ports never write one word. */
function steps(p: P, n: number, seed: number): Step[] {
  const random = new Random(seed),
    bits = (w: number): bigint => BigInt(random.below(2 ** w));
  return Array.from({ length: n }, () => {
    const s: Record<string, bigint> = {};
    for (const x of ["a", "b"]) {
      s[`${x}_en`] = BigInt(random.below(4) > 0 ? 1 : 0);
      s[`${x}_we`] = bits(1);
      s[`${x}_at`] = BigInt(random.below(3));
      s[`${x}_d`] = bits(WIDTH);
      s[`${x}_m`] = bits(p.lanes);
    }
    if (s["a_at"] === s["b_at"] && s["a_we"] === 1n && s["b_we"] === 1n) s["b_we"] = 0n;
    return s;
  });
}
const title = (p: P): string => `a ${p.a}, b ${p.b}, across ${p.across}, ${p.lanes} lanes`;

const drive =
  (p: P) =>
  async (b: Bench<ReturnType<typeof TwoPorts>["ports"]>): Promise<void> => {
    const model = new Model(p),
      { io } = b;
    for (const s of steps(p, 300, 5)) {
      for (const x of ["a", "b"] as const) {
        io[`${x}En`].value = Number(s[`${x}_en`]);
        io[`${x}We`].value = Number(s[`${x}_we`]);
        io[`${x}At`].value = Number(s[`${x}_at`]);
        io[`${x}D`].value = Number(s[`${x}_d`]);
        io[`${x}M`].value = Number(s[`${x}_m`]);
      }
      // What stood before the edge is the answer to the steps before.
      const want = { ...model.q };
      await b.cycles(1);
      for (const x of ["a", "b"] as const)
        if (want[x] !== undefined) expect([x, BigInt(io[`${x}Q`].value)], title(p)).toEqual([x, want[x]]);
      model.edge(s, ["a", "b"]);
    }
  };

describe.each(all.map(p => [title(p), p] as const))("%s", (_title, p) => {
  it("in the built-in simulator", async () => {
    await runBench("two ports", TwoPorts(p), { wave: false, backend: builtinBackend }, drive(p));
  });
  it("in Icarus, and legal for all tools", () => {
    const design = emit(TwoPorts(p)),
      list = steps(p, 300, 9),
      model = new Model(p);
    expect(lint(design)).toBe("");
    simulate(design, list).forEach((got, n) => {
      for (const x of ["a", "b"] as const)
        if (model.q[x] !== undefined) expect([n, x, got[`${x}_q`]], design.files[0]?.text).toEqual([n, x, model.q[x]]);
      model.edge(list[n]!, ["a", "b"]);
    });
  });
});

const subject: P = { a: "new", b: "unchanged", across: "old", lanes: 4, depth: 8, clocks: 1 };
const mixed: P = { a: "old", b: "new", across: "old", lanes: 1, depth: 8, clocks: 1 };
describe("in Verilator", () => {
  it.each([subject, mixed].map(p => [title(p), p] as const))("%s", async (_title, p) => {
    await runBench("two ports", TwoPorts(p), { wave: false, backend: verilatorBackend }, drive(p));
  });
  it.each([
    ["a write of port b is lost", "if (b_m[2]) store[b_at]", "if (1'b0) store[b_at]"],
    ["the output moves while port b writes", "if (b_en & ~(b_en & b_we))", "if (b_en)"],
    ["port a reads the old word of a lane", /word_own\[3\] \? /, "1'b0 ? "],
    ["port a goes on without its enable", "if (a_en)", "if (1'b1)"],
  ])("planted: %s", async (_what, from, to) => {
    await findsFault(
      runBench(
        "two ports",
        plant(TwoPorts(subject), from, to),
        { wave: false, backend: verilatorBackend },
        drive(subject),
      ),
      /to deeply equal/,
    );
  });
});

it.each([builtinBackend, verilatorBackend].map(x => [x.name, x] as const))(
  "both ports write one word at once: the assertion ends it in %s",
  async (_name, backend) => {
    const failing = runBench("clash", TwoPorts(subject), { wave: false, backend }, async b => {
      for (const x of ["a", "b"] as const) {
        b.io[`${x}En`].value = 1;
        b.io[`${x}We`].value = 1;
        b.io[`${x}At`].value = 2;
      }
      await b.cycles(3);
    });
    await expect(failing).rejects.toThrow(/the ports of `store` never write one word at once/);
  },
);

/** Each port in its clock: a word that one writes, the other reads when its own clock comes. */
it.each([builtinBackend, verilatorBackend].map(x => [x.name, x] as const))(
  "two clocks, in %s",
  async (_name, backend) => {
    const p: P = { a: "old", b: "new", across: "undefined", lanes: 1, depth: 64, clocks: 2 };
    const clocks = { left: { periodNs: 10 }, right: { periodNs: 7, phaseNs: 1 } };
    await runBench("two clocks", TwoPorts(p), { wave: false, backend, clocks }, async b => {
      const left = b.clock("left"),
        right = b.clock("right"),
        { io } = b;
      for (let n = 0; n < 64; n++) {
        const v = b.random.between(0, 0xffff_ffff);
        io.aEn.value = io.aWe.value = 1;
        io.aAt.value = n;
        io.aD.value = v;
        await left.cycles(1);
        io.aWe.value = 0;
        await left.cycles(1);
        io.bEn.value = 1;
        io.bWe.value = 0;
        io.bAt.value = n;
        await right.cycles(2);
        expect(io.bQ.value).toBe(v);
        io.bWe.value = 1;
        io.bD.value = 0xffff_ffff - v;
        await right.cycles(1);
        io.bWe.value = 0;
        await right.cycles(1);
        expect(io.bQ.value).toBe(0xffff_ffff - v);
        await left.cycles(3);
        expect(io.aQ.value).toBe(0xffff_ffff - v);
      }
    });
  },
);

/** Cells that hold words, by module. */
function cells(synth: string, wanted: RegExp, designs: readonly EmittedDesign[]): Record<string, number> {
  const files = designs.flatMap(d => d.files);
  const stat = withFiles({ ...designs[0]!, files }, (_folder, paths) =>
    run("yosys", ["-p", `read_verilog ${paths.join(" ")}; ${synth}; stat`]),
  );
  return Object.fromEntries(
    stat
      .split(/^=== /m)
      .slice(1)
      .map(t => [
        t.split(" ")[0]!,
        [...t.matchAll(/^\s+(\S+)\s+(\d+)$/gm)].reduce((n, m) => n + (wanted.test(m[1]!) ? Number(m[2]) : 0), 0),
      ]),
  );
}

const big = (p: Omit<P, "depth">): EmittedDesign => emit(TwoPorts({ ...p, depth: 512 }));
const apart = { a: "new", b: "unchanged", across: "undefined", lanes: 1, clocks: 2 } as const;

describe("what Yosys makes of 512 words of 32 bits", () => {
  const ultra =
      "read_verilog -lib +/xilinx/cells_sim.v; synth_xilinx -family xcup -noiopad -noclkbuf -run prepare:map_ffram",
    seven = ultra.replace("xcup", "xc7"),
    ecp5 = "read_verilog -lib +/ecp5/cells_sim.v +/ecp5/cells_bb.v; synth_ecp5 -run coarse:map_gates";
  it("UltraScale+: one block RAM, whatever the ports read", () => {
    const designs = [...all.filter(p => p.across === "undefined"), mixed, { ...apart, a: "old" } as const].map(big);
    expect(cells(ultra, /^RAMB\d+E2$/, designs)).toEqual(Object.fromEntries(designs.map(d => [d.top, 1])));
  });
  it("7 series: one, with two clocks too where no port reads the old word", () => {
    const designs = [subject, apart].map(big);
    expect(cells(seven, /^RAMB\d+E1$/, designs)).toEqual(Object.fromEntries(designs.map(d => [d.top, 1])));
  });
  it("ECP5: two of 18 bits, for ports of two clocks", () => {
    const design = big(apart);
    expect(cells(ecp5, /^DP16KD$/, [design])).toEqual({ [design.top]: 2 });
  });
  it("a device without such a memory: synthesis names it and makes nothing", async () => {
    const unit = { name: "TwoPorts", top: big(subject).top, files: big(subject).files };
    await expect(synthesize(unit, targets.ice40, await findYosys(), () => undefined)).rejects.toThrow(
      /^Yosys could not synthesize it: .*no valid mapping found for memory TwoPorts_\w+\.store/s,
    );
  });
});

describe("a proof knows both ports", () => {
  const Kept = module(
    "KeptWord",
    (_p: { readonly same: boolean }) => ({ at: input(bit), a: input(bit), b: input(bit), q: output(bit) }),
    (io, p) => {
      const store = ram(bit, { depth: 2, collision: "old", init: [0, 0] });
      const word = store.port({ address: io.at, write: io.a, data: constant(0, 1), reads: "old" });
      const other = store.port({
        address: p.same ? io.at : io.at.not(),
        write: io.b,
        data: constant(0, 1),
        reads: "new",
      });
      const asked = reg(bit, { init: 0 });
      asked.set(1);
      assertAlways(asked.not().or(word.or(other).not()), "nobody has written a 1");
      io.q.set(word.or(other));
    },
  );
  it("and proves what they keep to", async () => {
    expect(holds(await prove(Kept({ same: false }), { depth: 6 }))).toBe(true);
  });
  it("planted: one address for both is found", async () => {
    const r = await prove(Kept({ same: true }), { depth: 6 });
    expect([r.finding.verdict, r.counterexample?.property?.message]).toEqual([
      "failed",
      "the ports of `store` never write one word at once",
    ]);
  });
  it("planted: a port that writes something else", async () => {
    const design = emit(Kept({ same: false }));
    const broken = planted(design, { what: "it writes 1", from: "store[at] <= 1'b0", to: "store[at] <= 1'b1" });
    expect((await prove({ ports: Kept({ same: false }).ports, emitted: broken }, { depth: 6 })).finding.verdict).toBe(
      "failed",
    );
  });
});

it("a port that reads beyond the words fails its assertion, enabled only", async () => {
  const Ten = module(
    "TenWordsPort",
    () => ({ en: input(bit), at: input(uint(4)), q: output(uint(8)) }),
    io => {
      const store = ram(uint(8), { depth: 10, collision: "old", outside: "unreached", init: [7] });
      const word = store.port({ en: io.en, address: io.at, write: constant(0, 1), data: constant(0, 8), reads: "old" });
      io.q.set(word);
    },
  );
  await expect(
    runBench("ten", Ten(), { wave: false, backend: builtinBackend }, async b => {
      b.io.at.value = 12;
      await b.cycles(5);
      b.io.en.value = 1;
      b.io.at.value = 0;
      await b.cycles(2);
      expect(b.io.q.value).toBe(7);
      b.io.at.value = 10;
      await b.cycles(2);
    }),
  ).rejects.toThrow(/`store` is addressed within its 10 words/);
});
