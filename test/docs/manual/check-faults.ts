/** A module for each check of the finished circuit, wrong in just that: the manual shows them beside each code. */
import {
  bit,
  clockDomain,
  type Def,
  fsm,
  inDomain,
  input,
  instance,
  module,
  output,
  ram,
  reg,
  sink,
  source,
  uint,
  when,
  wire,
} from "../../../hdl-dsl/index.ts";

export const faults: Readonly<Record<string, Def>> = {
  HDL001: module(
    "NamedLikeTheClock",
    () => ({ clk: input(bit), q: output(bit) }),
    io => {
      const held = reg(bit, { init: 0 });
      held.set(io.clk);
      io.q.set(held);
    },
  )(),
  HDL002: module(
    "Undriven",
    () => ({ a: input(uint(8)), y: output(uint(8)) }),
    io => {
      io.y.setBits(0, io.a.bits(0, 4));
      io.y.setBits(5, io.a.bits(4, 3));
    },
  )(),
  HDL003: module(
    "TwoDrivers",
    () => ({ a: input(uint(8)), c: input(bit), y: output(uint(8)) }),
    io => {
      when(io.c, () => io.y.set(1));
      io.y.set(io.a);
    },
  )(),
  HDL004: module(
    "Unread",
    () => ({ a: input(uint(8)), spare: input(bit), y: output(uint(8)) }),
    io => io.y.set(io.a),
  )(),
  HDL005: module(
    "Latch",
    () => ({ a: input(uint(8)), c: input(bit), y: output(uint(8)) }),
    io => {
      when(io.c, () => io.y.set(io.a));
    },
  )(),
  HDL006: module(
    "Loop",
    () => ({ a: input(uint(8)), c: input(bit), y: output(uint(8)) }),
    io => {
      const x = wire(uint(8)),
        z = wire(uint(8));
      x.set(z.add(io.a));
      z.set(0);
      when(io.c, () => z.set(x));
      io.y.set(z);
    },
  )(),
  HDL007: module(
    "NeverReady",
    () => ({ from: sink(uint(8)), seen: output(bit), last: output(uint(8)) }),
    io => {
      io.seen.set(io.from.valid);
      io.last.set(io.from.payload);
    },
  )(),
  HDL008: module(
    "ValidWaits",
    () => ({ from: sink(uint(8)), to: source(uint(8)) }),
    io => {
      io.to.valid.set(io.from.valid.and(io.to.ready));
      io.to.payload.set(io.from.payload);
      io.from.ready.set(io.to.ready);
    },
  )(),
  HDL009: module(
    "TwoWritePorts",
    () => ({ c: input(bit), at: input(uint(4)), a: input(uint(8)), y: output(uint(8)) }),
    io => {
      const store = ram(uint(8), { depth: 16, collision: "old" });
      store.write(io.c, io.at, io.a);
      store.write(io.c.not(), io.at, io.a.not());
      io.y.set(store.readSync(io.at, { name: "word" }));
    },
  )(),
  HDL010: module(
    "Crossing",
    () => ({ a: input(bit), y: output(bit, { domain: "fast" }) }),
    io => {
      const here = reg(bit, { init: 0 });
      here.set(io.a);
      inDomain(clockDomain("fast"), () => {
        const there = reg(bit, { init: 0 });
        there.set(here);
        io.y.set(there);
      });
    },
  )(),
  HDL011: module(
    "LostState",
    () => ({ c: input(bit), busy: output(bit) }),
    io => {
      const state = fsm(["Idle", "Run", "Lost"], "Idle", s => ({
        Idle: () => when(io.c, () => s.go("Run")),
        Run: () => s.go("Idle"),
        Lost: () => s.go("Idle"),
      }));
      io.busy.set(state.is("Run"));
    },
  )(),
  HDL012: module(
    "ValidByChance",
    () => ({ from: sink(uint(8)), to: source(uint(8)) }),
    io => {
      const full = reg(bit),
        held = reg(uint(8));
      full.set(io.from.valid);
      held.set(io.from.payload);
      io.to.valid.set(full);
      io.to.payload.set(held);
      io.from.ready.set(io.to.ready);
    },
  )(),
  HDL013: module(
    "Promise",
    () => ({ c: input(bit), at: input(uint(2)), a: input(uint(8)), y: output(uint(8), { domain: "fast" }) }),
    io => {
      const store = ram(uint(8), { depth: 4, collision: "new" });
      store.write(io.c, io.at, io.a);
      inDomain(clockDomain("fast"), () => {
        const next = reg(uint(2), { init: 0 });
        next.set(next.add(1));
        io.y.set(store.readSync(next, { name: "word" }));
      });
    },
  )(),
  HDL014: module(
    "OneNameTwoModules",
    () => ({ a: input(bit), y: output(bit) }),
    io => {
      const straight = module(
        "Leaf",
        () => ({ d: input(bit), q: output(bit) }),
        leaf => leaf.q.set(leaf.d),
      );
      const inverted = module(
        "Leaf",
        () => ({ d: input(bit), q: output(bit) }),
        leaf => leaf.q.set(leaf.d.not()),
      );
      const first = instance(straight()),
        second = instance(inverted());
      first.d.set(io.a);
      second.d.set(first.q);
      io.y.set(second.q);
    },
  )(),
};
