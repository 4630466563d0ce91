/** Modules whose clocks come from black boxes, and modules of every reset style. */
import {
  assertAlways,
  AsyncFifo,
  type Bit,
  bit,
  blackBox,
  clockDomain,
  connect,
  fifo,
  generatedClock,
  inDomain,
  input,
  instance,
  map,
  module,
  output,
  reg,
  sink,
  source,
  type UInt,
  uint,
} from "../../../hdl-dsl/index.ts";

export const Buffer = blackBox("VENDOR_BUFG", { O: output(bit) }, { clocked: { clock: "I" }, follows: ["O"] });
/** Half the frequency; `LOCKED` rises after 8 edges, and falls for as long as `RST` is 1. */
export const Pll = blackBox(
  "VENDOR_PLL",
  { CLKOUT: output(bit), LOCKED: output(bit) },
  {
    clocked: { clock: "CLKIN", reset: "RST" },
    simulation: `  reg half;
  reg [3:0] n;
  initial half = 1'b0;
  assign CLKOUT = half;
  assign LOCKED = n[3];
  always @(posedge CLKIN) half <= ~half;
  always @(posedge CLKIN) if (RST) n <= 4'd0; else if (~n[3]) n <= n + 4'd1;`,
  },
);

/** The PLL in a module of its own, as boards have it. */
const Clocking = module(
  "Clocking",
  () => ({ core: output(bit), locked: output(bit) }),
  io => {
    const pll = instance(Pll);
    io.core.set(pll.CLKOUT);
    io.locked.set(pll.LOCKED);
  },
);

/** Items cross into a generated domain, get 1 added, wait in a queue, and come back. */
export const RoundTrip = module(
  "RoundTrip",
  (_p: { clock: "pll" | "wrapped" | "buffer" }) => ({
    stop: input(bit),
    from: sink(uint(8)),
    to: source(uint(8)),
    ticks: output(uint(8), { domain: "core" }),
  }),
  (io, p) => {
    const board = clockDomain("board");
    inDomain(board, () => {
      const { clock, fault } = ((): { clock: Bit; fault: Bit } => {
        if (p.clock === "buffer") return { clock: instance("buffer", Buffer).O, fault: io.stop };
        if (p.clock === "pll") {
          const pll = instance("pll", Pll);
          return { clock: pll.CLKOUT, fault: pll.LOCKED.not().or(io.stop) };
        }
        const clocking = instance("clocking", Clocking());
        return { clock: clocking.core, fault: clocking.locked.not().or(io.stop) };
      })();
      const core = generatedClock("core", { clock, resetWhen: fault });
      const into = instance("into", AsyncFifo({ shape: uint(8), depth: 4 }), { domains: { push: board, pop: core } }),
        back = instance("back", AsyncFifo({ shape: uint(8), depth: 4 }), { domains: { push: core, pop: board } });
      connect(io.from, into.push);
      inDomain(core, () => {
        const ticks = reg(uint(8), { init: 0 });
        ticks.set(ticks.add(1));
        io.ticks.set(ticks);
        connect(
          map(fifo(into.pop, 4, { name: "queue" }), uint(8), v => v.add(1)),
          back.push,
        );
      });
      connect(back.pop, io.to);
    });
  },
);

/** A counter of a PLL's clock whose reset is asynchronous. */
export const Halted = module(
  "Halted",
  () => ({ stop: input(bit), ticks: output(uint(8), { domain: "core" }) }),
  io => {
    const pll = instance(Pll);
    const core = generatedClock("core", {
      clock: pll.CLKOUT,
      resetWhen: pll.LOCKED.not().or(io.stop),
      reset: "async",
      stages: 3,
    });
    inDomain(core, () => {
      const ticks = reg(uint(8), { init: 7 });
      ticks.set(ticks.add(1));
      io.ticks.set(ticks);
    });
  },
);

/** A counter behind a clock buffer, with a reset that is made of the buffered clock. */
export const Buffered = module(
  "Buffered",
  () => ({ clear: input(bit, { domain: "core" }), count: output(uint(8), { domain: "core" }) }),
  io => {
    const { O: clock } = instance("buffer", Buffer);
    const core = clockDomain("core", { clock, resetWhen: io.clear });
    inDomain(core, () => {
      const count = reg(uint(8), { init: 5 });
      count.set(count.add(1));
      io.count.set(count);
      assertAlways(count.ne(200), "the counter stays below 200");
    });
  },
);

/** The reset of a module within is active high and synchronous, whatever the outer one. */
const Inner = module(
  "StyledInner",
  () => ({ count: output(uint(8)) }),
  io => {
    const count = reg(uint(8), { init: 9 });
    count.set(count.add(1));
    io.count.set(count);
  },
);
/** A counter of a reset style, one in a module within it, and a register without reset. */
export const Styles = module(
  "ResetStyles",
  (_p: { reset: "sync" | "async"; active: "high" | "low" }) => ({
    count: output(uint(8)),
    inner: output(uint(8)),
    plain: output(uint(8)),
    limit: input(uint(8)),
  }),
  (io, p) => {
    inDomain(clockDomain("main", p), () => {
      const count = reg(uint(8), { init: 3 }),
        plain = reg(uint(8));
      count.set(count.add(1));
      plain.set(count);
      io.count.set(count);
      io.plain.set(plain);
      // A module of the default style within an asynchronous domain makes Verilator ask whether that is meant.
      io.inner.set(p.reset === "sync" ? instance("within", Inner()).count : count.add(6));
      assertAlways(count.ne(io.limit), "the count stays away from the limit");
    });
  },
);

/** A counter behind a buffer, from anywhere on: a proof knows no reset of such a clock. */
const claimed = (name: string, claim: (count: UInt<3>) => Bit) =>
  module(
    name,
    () => ({ top: output(bit, { domain: "core" }), clear: input(bit, { domain: "core" }) }),
    io => {
      const { O: clock } = instance("buffer", Buffer);
      inDomain(clockDomain("core", { clock, resetWhen: io.clear }), () => {
        const count = reg(uint(3), { init: 0 });
        count.set(count.add(1));
        io.top.set(count.eq(4));
        assertAlways(claim(count), "the claim");
      });
    },
  );
export const Failing = claimed("BufferFails", count => count.lt(4));
export const Holding = claimed("BufferHolds", count => count.add(1).ne(count));
