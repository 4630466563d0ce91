/** Crossings between clock domains for single bits. */
import { input, output } from "../../types/ports.ts";
import { bit, uint } from "../../types/shape.ts";
import type { Bit, UInt, UIntVar } from "../../types/value.ts";
import { clockDomain, inDomain } from "../../build/clock-domain.ts";
import { context } from "../../build/context.ts";
import { node, reg } from "../../build/declare.ts";
import { module } from "../../build/module.ts";
import { when } from "../../build/statements.ts";

/** Attribute of a register that may go metastable: tools keep the chain together and do not optimise into it. */
const chained = { async_reg: "true" };
/** Length and reset of a synchroniser, and what is known of its input. */
export interface SynchroniserOptions {
  /** Registers in a row, 2 or more. */
  readonly stages?: number;
  /** Value under reset; 0, and none in a domain without reset. */
  readonly init?: number;
  /** Of the registers; default: that of the constant. */ readonly name?: string;
  /**
   * States that one bit of the value changes at a time, where the language cannot see it: it knows registers that take
   * `toGray(...)`.
   */
  readonly oneBitAtATime?: boolean;
}

/**
 * Brings a value of another clock domain into the current one through registers in a row. Latency `stages` to
 * `stages` + 1 cycles. The value comes straight from one register, without logic. Of more than one bit a single one
 * changes at a time (Gray code), which is checked or stated. Shorter changes than a cycle can be missed.
 */
export function synchronise<W extends number>(v: UInt<W>, o: SynchroniserOptions = {}): UInt<W> {
  const stages = o.stages ?? 2,
    name = o.name ?? "synchronised";
  if (stages < 2) throw new RangeError(`synchronise: ${stages} stages do not settle a metastable bit; use 2 or more`);
  const reset = o.init === undefined && context().domain.reset === undefined ? {} : { init: o.init ?? 0 };
  const promise = o.oneBitAtATime === true ? { oneBitAtATime: true } : {};
  let value: UInt<W> = v;
  for (let i = 1; i <= stages; i++) {
    const r: UIntVar<W> = reg(uint(v.width), {
      name: `${name}_${i}`,
      attributes: chained,
      ...reset,
      ...(i === 1 ? promise : {}),
    });
    r.set(value);
    value = r;
  }
  return value;
}

/**
 * A level from another clock domain, whose clock is not needed. Latency `stages` to `stages` + 1 cycles; 0 after reset.
 * Levels shorter than a cycle can be missed.
 */
export const LevelSynchroniser = module(
  "LevelSynchroniser",
  (_p: { readonly stages: number }) => ({ d: input(bit), q: output(bit) }),
  (io, p) => io.q.set(synchronise(io.d, { stages: p.stages, name: "level" })),
);

/**
 * A pulse of one cycle from clock domain `from` to one of one cycle in clock domain `to`, whatever their periods.
 * Latency 2 to 3 cycles of `to`. While `busy` (until the pulse has come and word of it is back, 2 to 3 cycles of each
 * domain) a pulse is ignored. Both domains are reset together.
 */
export const PulseSynchroniser = module(
  "PulseSynchroniser",
  () => ({
    pulse: input(bit, { domain: "from" }),
    busy: output(bit, { domain: "from" }),
    arrived: output(bit, { domain: "to" }),
  }),
  io => {
    const from = clockDomain("from"),
      to = clockDomain("to");
    const toggled = inDomain(from, () => reg(bit, { init: 0 }));
    const there = inDomain(to, () => synchronise(toggled, { name: "there" }));
    inDomain(to, () => {
      const before = reg(bit, { init: 0 });
      before.set(there);
      io.arrived.set(there.xor(before));
    });
    inDomain(from, () => {
      const back: Bit = synchronise(there, { name: "back" });
      const busy = node(toggled.xor(back));
      when(io.pulse.and(busy.not()), () => toggled.set(toggled.not()));
      io.busy.set(busy);
    });
  },
);

/**
 * A reset for clock domain `to` from one of no clock (`to_rst`, active high). `reset` rises at once and falls `stages`
 * edges of `to_clk` after `to_rst` has ended. So all registers leave reset in the same cycle.
 */
export const ResetSynchroniser = module(
  "ResetSynchroniser",
  (_p: { readonly stages: number }) => ({ reset: output(bit, { domain: "to" }) }),
  (io, p) => {
    inDomain(clockDomain("to", { reset: "async" }), () => {
      const held = Array.from({ length: p.stages }, (_, i) =>
        reg(bit, { init: 1, name: `held_${i + 1}`, attributes: chained }),
      );
      held.forEach((r, i) => {
        if (i === 0) r.set(0);
        else r.set(held[i - 1] as Bit);
      });
      io.reset.set(held.at(-1) as Bit);
    });
  },
);
