/** A small design with all that a wave has to show: two clocks, hierarchy, wide and signed values, names. */
import {
  bit,
  clockDomain,
  enumOf,
  fsm,
  inDomain,
  input,
  instance,
  module,
  output,
  ram,
  reg,
  sint,
  struct,
  uint,
  when,
  wire,
} from "../../../hdl-dsl/index.ts";

export const Colour = enumOf("WavedColour", ["red", "green", "blue"]);

/** Adds up, with a reset of its own. */
const Sum = module(
  "WavedSum",
  () => ({ add: input(sint(9)), sum: output(sint(40)), negative: output(bit) }),
  io => {
    const sum = reg(sint(40), { init: 0 });
    sum.set(sum.add(io.add.sext(40)));
    io.sum.set(sum);
    io.negative.set(sum.lt(0));
  },
);

export const Waved = module(
  "Waved",
  () => ({
    go: input(bit),
    step: input(sint(9)),
    word: input(uint(100)),
    q: output(struct({ wide: uint(100), low: uint(4) })),
    sum: output(sint(40)),
    negative: output(bit),
    colour: output(Colour),
    busy: output(bit),
    kept: output(uint(70)),
    ticks: output(uint(6), { domain: "slow" }),
  }),
  io => {
    const slow = clockDomain("slow", { reset: "async", active: "low" });
    const count = reg(struct({ wide: uint(100), low: uint(4) }), { init: 0 });
    when(io.go, () => {
      count.low.set(count.low.add(1));
      count.wide.set(count.wide.shl(1).xor(io.word));
    });
    io.q.set(count);
    const phase = fsm(
      ["idle", "run", "rest"],
      "idle",
      s => ({
        idle: () => when(io.go, () => s.go("run")),
        run: () => when(count.low.bit(1), () => s.go("rest")),
        rest: () => s.go("idle"),
      }),
      { encoding: "one-hot" },
    );
    io.busy.set(phase.is("run"));
    io.colour.set("red");
    when(phase.is("run"), () => io.colour.set("green"));
    when(phase.is("rest"), () => io.colour.set("blue"));
    const sum = instance("adder", Sum(), { reset: phase.is("rest") });
    sum.add.set(io.step);
    io.sum.set(sum.sum);
    io.negative.set(sum.negative);
    const memory = ram(uint(70), {
      depth: 16,
      collision: "old",
      init: Array.from({ length: 16 }, (_, i) => BigInt(i) << 60n),
    });
    const both = wire(uint(70));
    both.set(memory.readAsync(count.low).xor(io.word.trunc(70)));
    memory.write(io.go, count.low, both);
    io.kept.set(both);
    inDomain(slow, () => {
      const ticks = reg(uint(6), { init: 5 });
      ticks.set(ticks.add(1));
      io.ticks.set(ticks);
    });
  },
);
