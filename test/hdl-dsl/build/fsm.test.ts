/** State machines: encodings, times, machines within states; against a model in the interpreter and both simulators. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  assertAlways,
  bit,
  cover,
  type Def,
  elaborate,
  emit,
  type EmittedDesign,
  formatDiagnostic,
  fsm,
  type FsmEncoding,
  HdlError,
  input,
  module,
  output,
  past,
  Random,
  uint,
  when,
} from "../../../hdl-dsl/index.ts";
import { compileBuiltin, findTool, holds, planted, prove, verilatorBackend } from "../../../sim/index.ts";
import { Interpreter } from "../support/interpret.ts";

const encodings = ["auto", "binary", "gray", "one-hot"] as const;
const DATA = 8;
const SLEEP = 5;
const SETTLE = 3;

/**
 * Everything at once: a state runs a machine, whose first state runs another one; times in all three; each way out at
 * any moment.
 */
const Sender = module(
  "FsmSender",
  (_p: { readonly encoding: FsmEncoding }) => ({
    go: input(bit),
    tick: input(bit),
    stop: input(bit),
    at: output(uint(2)),
    inner: output(uint(2)),
    deep: output(bit),
    sent: output(bit),
  }),
  (io, { encoding }) => {
    io.sent.set(0);
    io.inner.set(3);
    io.deep.set(0);
    const phase = fsm(
      ["Idle", "Send", "Sleep"],
      "Idle",
      s => ({
        Idle: () => {
          when(io.go.and(s.stayed(SETTLE)), () => s.go("Send"));
        },
        Send: () => {
          const frame = s.run(
            ["Start", "Data", "Stop"],
            "Start",
            m => ({
              Start: () => {
                const two = m.run(
                  ["High", "Low"],
                  "High",
                  d => ({
                    High: () => when(io.tick, () => d.go("Low")),
                    Low: () => when(io.tick, () => d.done()),
                  }),
                  "Data",
                  { encoding },
                );
                io.deep.set(two.is("Low"));
              },
              Data: () => {
                m.after(DATA, "Stop");
                when(io.stop, () => m.go("Start"));
              },
              Stop: () => {
                when(io.tick, () => {
                  io.sent.set(1);
                  m.done();
                });
              },
            }),
            "Sleep",
            { encoding },
          );
          when(frame.is("Start"), () => io.inner.set(0));
          when(frame.is("Data"), () => io.inner.set(1));
          when(frame.is("Stop"), () => io.inner.set(2));
          when(io.stop.and(io.go), () => s.go("Idle"));
        },
        Sleep: () => s.after(SLEEP, "Idle"),
      }),
      { encoding },
    );
    io.at.set(0);
    when(phase.is("Send"), () => io.at.set(1));
    when(phase.is("Sleep"), () => io.at.set(2));
  },
);

interface Inputs {
  readonly go: number;
  readonly tick: number;
  readonly stop: number;
}
/** The same by hand. A stay counts from 1. */
class Model {
  at = 0;
  inner = 0;
  deep = 0;
  stay = 1;
  innerStay = 1;
  step(i: Inputs): Readonly<Record<string, number>> {
    const was = { at: this.at, inner: this.inner, deep: this.deep };
    let sent = 0;
    let next = this.at,
      innerNext = this.inner,
      deepNext = this.deep,
      moved = false;
    if (this.at === 0) {
      if (i.go === 1 && this.stay >= SETTLE) next = 1;
    } else if (this.at === 2) {
      if (this.stay >= SLEEP) next = 0;
    } else {
      if (this.inner === 0) {
        if (i.tick === 1) {
          if (this.deep === 1) [innerNext, deepNext] = [1, 0];
          else deepNext = 1;
        }
      } else if (this.inner === 1) {
        if (this.innerStay >= DATA) innerNext = 2;
        if (i.stop === 1) [innerNext, moved] = [0, true];
      } else if (i.tick === 1) [sent, next] = [1, 2];
      if (i.stop === 1 && i.go === 1) next = 0;
    }
    this.innerStay = innerNext !== this.inner || moved ? 1 : this.innerStay + 1;
    this.stay = next !== this.at ? 1 : this.stay + 1;
    if (next !== 1) [innerNext, deepNext, this.innerStay] = [0, 0, 1];
    [this.at, this.inner, this.deep] = [next, innerNext, deepNext];
    return {
      at: was.at,
      inner: was.at === 1 ? was.inner : 3,
      deep: was.at === 1 && was.inner === 0 ? was.deep : 0,
      sent,
    };
  }
}

function stimulus(seed: number, cycles: number): Inputs[] {
  const random = new Random(seed);
  let patient = 0.02;
  return Array.from({ length: cycles }, (_, n) => {
    if (n % 100 === 0) patient = [0.02, 0.3][random.below(2)] ?? 0.02;
    return {
      go: random.chance(0.5) ? 1 : 0,
      tick: random.chance(0.4) ? 1 : 0,
      stop: random.chance(patient) ? 1 : 0,
    };
  });
}

describe.each(encodings)("encoding %s", encoding => {
  it("the interpreter does as the model", () => {
    const machine = new Interpreter(elaborate(Sender({ encoding }))),
      model = new Model();
    const seen = new Set<string>();
    for (const i of stimulus(1, 3000)) {
      const values = machine.step({ go: BigInt(i.go), tick: BigInt(i.tick), stop: BigInt(i.stop) });
      const got = Object.fromEntries([...values].map(([s, v]) => [s.name, Number(v)]));
      const wanted = model.step(i);
      expect(got).toMatchObject(wanted);
      seen.add(`${wanted["at"]} ${wanted["inner"]} ${wanted["deep"]} ${wanted["sent"]}`);
    }
    expect([...seen].sort()).toEqual(["0 3 0 0", "1 0 0 0", "1 0 1 0", "1 1 0 0", "1 2 0 0", "1 2 0 1", "2 3 0 0"]);
  });
});

/** Runs a design beside the model. @returns the first cycle in which they differ */
async function firstDifference(design: EmittedDesign, backend: "builtin" | "verilator"): Promise<number | undefined> {
  const load =
    backend === "builtin"
      ? compileBuiltin(design, {})
      : await verilatorBackend.load(design, { trace: false, brief: true });
  const m = load.create({ seed: 3, clocks: {} });
  const word = new Map([...m.slots.values()].map(s => [s.port.name, s.word]));
  const put = (port: string, v: number): void => {
    m.words[word.get(port) ?? 0] = v;
  };
  for (const p of ["go", "tick", "stop"]) put(p, 0);
  put("rst", 1);
  for (let i = 0; i < 3; i++) m.step(1);
  put("rst", 0);
  let model = new Model();
  for (const [n, i] of stimulus(9, 3000).entries()) {
    if (n % 700 === 699) {
      put("rst", 1);
      m.step(1);
      put("rst", 0);
      model = new Model();
    }
    put("go", i.go);
    put("tick", i.tick);
    put("stop", i.stop);
    m.settle();
    const wanted = model.step(i);
    if (Object.entries(wanted).some(([k, v]) => m.words[word.get(k) ?? 0] !== v)) return n;
    m.step(1);
  }
  return undefined;
}

describe.each(["builtin", "verilator"] as const)("%s", backend => {
  it.each(["auto", "one-hot", "gray"] as const)(
    "%s codes: as the model over 3000 cycles and resets",
    async encoding => {
      expect(await firstDifference(emit(Sender({ encoding })), backend)).toBeUndefined();
    },
  );
});

describe("faults in the emitted text are found by the model", () => {
  it.each([
    { what: "a stay one cycle short", from: "phase_cycles == 3'd4", to: "phase_cycles == 3'd3" },
    { what: "a stay that may be too short", from: "phase_cycles >= 3'd2", to: "phase_cycles >= 3'd1" },
    {
      what: "the inner machine goes on where it was left",
      from: /if \(phase != phase_send\) begin\s+\w+ <= \w+;/,
      to: "if (phase != phase_send) begin",
    },
    {
      what: "a count that does not begin again",
      from: /phase <= phase_idle;\s+phase_cycles <= 3'd0;/,
      to: "phase <= phase_idle;",
    },
  ])("$what", async fault => {
    expect(await firstDifference(planted(emit(Sender({ encoding: "auto" })), fault), "verilator")).toBeDefined();
  });
});

const told = (def: Def): readonly string[] => {
  try {
    elaborate(def);
  } catch (e) {
    if (e instanceof HdlError)
      return e.diagnostics.map(d => formatDiagnostic(d).replace(/ \(fsm\.test\.ts[^)]*\)/, ""));
    throw e;
  }
  return [];
};
describe("proved", () => {
  it.each(encodings)("%s: stays have their bounds, in every run", async encoding => {
    const Bounded = module(
      "FsmBounded",
      (_p: { readonly encoding: FsmEncoding }) => ({ a: input(bit), y: output(bit) }),
      (io, p) => {
        const phase = fsm(
          ["Wait", "Work", "Rest"],
          "Wait",
          s => ({
            Wait: () => when(io.a, () => s.go("Work")),
            Work: () => {
              s.after(4, "Rest");
              when(io.a.and(s.stayed(2)), () => s.go("Wait"));
            },
            Rest: () => when(s.stayed(3).and(io.a), () => s.go("Wait")),
          }),
          { encoding: p.encoding },
        );
        const work = phase.is("Work"),
          rest = phase.is("Rest");
        io.y.set(work);
        assertAlways(
          work.and(past(work)).and(past(work, 2)).and(past(work, 3)).and(past(work, 4)).not(),
          "four at most",
        );
        assertAlways(past(work).and(past(work, 2).not()).not().or(work), "two at least");
        when(past(rest).and(rest.not()), () => assertAlways(past(rest, 2).and(past(rest, 3)), "three at least"));
        cover(past(work, 4).and(past(work)).and(rest), "four");
        cover(past(work, 2).and(past(work, 3).not()).and(past(work)).and(work.not()), "two");
      },
    );
    const r = await prove(Bounded({ encoding }));
    expect([r.finding.verdict, holds(r)]).toEqual(["proved", true]);
  });
});

describe("what is refused", () => {
  const machine = (
    name: string,
    body: (io: { readonly c: never; readonly y: { set: (v: never) => void } }) => void,
  ): Def =>
    module(
      name,
      () => ({ c: input(bit), y: output(bit) }),
      io => body(io as never),
    )();
  it.each([0, -2, 2.5, 2 ** 33])("a stay of %d cycles", n => {
    const def = machine("FsmStay", io => {
      const s = fsm(["A", "B"], "A", m => ({ A: () => m.after(n, "B"), B: () => when(io.c, () => m.go("A")) }), {
        name: "m",
      });
      io.y.set(s.is("A") as never);
    });
    expect(told(def)).toEqual([
      `HDL150 in FsmStay: a stay of ${n} cycles in a state of \`m\`. Give a whole number, 1 to 2^32`,
    ]);
  });
  it("one name twice, no states, too many for one-hot", () => {
    const twice = machine("FsmTwice", io => {
      const s = fsm(["A", "A"], "A", m => ({ A: () => when(io.c, () => m.go("A")) }), { name: "m" });
      io.y.set(s.is("A") as never);
    });
    expect(told(twice)[0]).toBe("HDL152 in FsmTwice: `m` has state A twice. Give each state its own name");
    const many = Array.from({ length: 33 }, (_, i) => `S${i}`);
    const wide = machine("FsmWide", io => {
      const s = fsm(
        many,
        "S0",
        m => Object.fromEntries(many.map((n, i) => [n, () => m.go(many[(i + 1) % 33] as string)])),
        {
          name: "m",
          encoding: "one-hot",
        },
      );
      io.y.set(s.is("S0").and(io.c) as never);
    });
    expect(told(wide)[0]).toBe(
      'HDL152 in FsmWide: `m` has 33 states, one-hot codes have 31 at most. Choose "binary" or "gray", or make a state run a machine of its own',
    );
  });
  it("a machine run outside of a state, and an end where nothing runs it", () => {
    const outside = machine("FsmOutside", io => {
      const s = fsm(
        ["A", "B"],
        "A",
        m => {
          m.run(["X"], "X", x => ({ X: () => when(io.c, () => x.done()) }), "A");
          return { A: () => m.go("B"), B: () => m.go("A") };
        },
        { name: "m" },
      );
      io.y.set(s.is("A") as never);
    });
    expect(told(outside)[0]).toBe(
      "HDL153 in FsmOutside: `m` runs a machine outside of its states. Call run in the handler of the state that is to run it",
    );
  });
  it("a state of an inner machine that nothing leads to, as of any other", () => {
    const lost = machine("FsmLost", io => {
      const s = fsm(
        ["A", "B"],
        "A",
        m => ({
          A: () => void m.run(["X", "Y"], "X", x => ({ X: () => when(io.c, () => x.done()), Y: () => x.done() }), "B"),
          B: () => m.go("A"),
        }),
        { name: "m", encoding: "one-hot" },
      );
      io.y.set(s.is("A") as never);
    });
    expect(told(lost)[0]).toBe(
      "HDL011 in FsmLost: state Y of `s` cannot be reached. Go to Y from a state that can be reached, or remove it",
    );
  });
});

it("codes are localparams by name, the register keeps them in synthesis, and waves show the names", () => {
  const { files, names } = emit(Sender({ encoding: "one-hot" }));
  const text = files.at(-1)?.text ?? "";
  expect(text).toContain("localparam [2:0] phase_idle = 3'b001;");
  expect(text).toContain("localparam [2:0] phase_sleep = 3'b100;");
  expect(text).toContain('(* fsm_encoding = "one_hot" *) reg [2:0] phase;');
  expect(emit(Sender({ encoding: "auto" })).files.at(-1)?.text).not.toContain("fsm_encoding");
  expect(emit(Sender({ encoding: "gray" })).files.at(-1)?.text).toContain("localparam [1:0] phase_sleep = 2'b11;");
  const phase = names?.modules[names.top]?.signals.find(x => x.name === "phase");
  expect([phase?.states, phase?.codes]).toEqual([
    ["Idle", "Send", "Sleep"],
    [1, 2, 4],
  ]);
});

/** A machine of 12 states whose every state drives an output: decoding is all that its outputs cost. */
const Decoded = module(
  "FsmDecoded",
  (_p: { readonly encoding: FsmEncoding }) => ({ next: input(bit), at: output(uint(12)) }),
  (io, p) => {
    const names = Array.from({ length: 12 }, (_, i) => `S${i}`);
    const s = fsm(
      names,
      "S0",
      m =>
        Object.fromEntries(
          names.map((n, i) => [n, () => void when(io.next, () => m.go(names[(i + 1) % 12] as string))]),
        ),
      { encoding: p.encoding, name: "phase" },
    );
    names.forEach((n, i) => io.at.setBits(i, s.is(n)));
  },
);

/** LUTs of four inputs, registers, and LUTs between a register and the outputs, by Yosys. */
function measured(encoding: FsmEncoding): { readonly luts: number; readonly registers: number } {
  const folder = mkdtempSync(join(tmpdir(), "mnemo-fsm-"));
  try {
    const { files, top } = emit(Decoded({ encoding }));
    for (const f of files) writeFileSync(join(folder, f.name), f.text);
    const { stdout, status, stderr } = spawnSync(
      "yosys",
      ["-p", `read_verilog ${files.map(f => f.name).join(" ")}; synth -top ${top} -lut 4; stat`],
      { cwd: folder, encoding: "utf8" },
    );
    if (findTool("yosys") === undefined) throw new Error("yosys is not on the PATH");
    expect(status, stderr).toBe(0);
    const last = stdout.slice(
      stdout.lastIndexOf("Number of cells") < 0 ? stdout.lastIndexOf("===") : stdout.lastIndexOf("Number of cells"),
    );
    const count = (cell: RegExp): number =>
      last
        .split("\n")
        .reduce((n, l) => (cell.test(l) ? n + Number(/\d+/.exec(l.replace(/\$\S+/g, ""))?.[0] ?? 0) : n), 0);
    return { luts: count(/\$lut/), registers: count(/\$_\w*DFF\w*/) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

it("Yosys: one-hot codes take a register for each state, and no LUT to say which one it is", () => {
  const oneHot = measured("one-hot"),
    binary = measured("binary");
  expect([oneHot.registers, binary.registers]).toEqual([12, 4]);
  // A LUT for the next value of each bit, none for the outputs; with numbers twice as many, one for each output too.
  expect(oneHot.luts).toBeLessThanOrEqual(12);
  expect(binary.luts).toBeGreaterThanOrEqual(2 * oneHot.luts);
});
