/** The powers of a hash key, one after the other. */
import {
  bit,
  type Bit,
  constant,
  input,
  module,
  mux,
  node,
  output,
  reg,
  sink,
  struct,
  uint,
  when,
} from "../../../../../hdl-dsl/index.ts";
import { aesKeys } from "../../../wire/index.ts";
import { blockBits, lanes } from "../aes/index.ts";
import { mirrored, timesX } from "./field.ts";
import { HashPower } from "./ghash.ts";

const keyBits = Math.log2(aesKeys),
  stepBits = Math.log2(blockBits);
/** Cycles from a hash key to its last power: a step a bit, for all powers but the first. */
export const powerCycles = (lanes - 1) * blockBits + 2;

/**
 * Powers 1 to 4 of a hash key H, each the one before times H, a bit a cycle. `from` brings H as a block; one that comes
 * meanwhile is not taken, and `stops` ends what is under way. `done` for a cycle behind the last power. Latency 386
 * cycles. Reset: nothing is under way.
 */
export const HashPowers = module(
  "HashPowers",
  () => ({
    from: sink(struct({ key: uint(keyBits), block: uint(blockBits) })),
    stops: input(bit),
    power: output(HashPower),
    done: output(struct({ valid: bit, key: uint(keyBits) })),
  }),
  io => {
    const runs = reg(bit, { init: 0, name: "runs" }),
      key = reg(uint(keyBits), { name: "key" }),
      one = reg(uint(blockBits), { name: "hash_key" }),
      from = reg(uint(blockBits), { name: "multiplied" }),
      sum = reg(uint(blockBits), { name: "sum" }),
      step = reg(uint(stepBits), { init: 0, name: "step" }),
      power = reg(uint(2), { init: 0, name: "power" });
    const begins = node(io.from.fire.andNot(io.stops), { name: "begins" }),
      h = mirrored(io.from.payload.block).is(blockBits),
      next = node(timesX(sum).xor(mux(from.bit(blockBits - 1), one, constant(0, blockBits))), { name: "next_sum" }),
      ends: Bit = node(runs.and(step.all()), { name: "power_ends" });
    io.from.ready.set(runs.not());
    when(runs, () => {
      step.set(step.add(1));
      // The highest coefficient first.
      from.set(mux(ends, next.is(blockBits), from.shl(1).is(blockBits)));
      sum.set(mux(ends, constant(0, blockBits), next.is(blockBits)));
      when(ends, () => {
        power.set(power.add(1));
        when(power.eq(lanes - 1), () => runs.set(0));
      });
    });
    when(begins, () => {
      runs.set(1);
      key.set(io.from.payload.key);
      one.set(h);
      from.set(h);
      sum.set(0);
      step.set(0);
      power.set(1);
    });
    when(io.stops, () => runs.set(0));
    io.power.set({
      valid: begins.or(ends),
      key: mux(begins, io.from.payload.key, key),
      power: mux(begins, constant(0, 2), power),
      value: mux(begins, h, next.is(blockBits)),
    });
    const done = reg(struct({ valid: bit, key: uint(keyBits) }), { init: { valid: 0 }, name: "is_done" });
    done.set({ valid: ends.and(power.eq(lanes - 1)).andNot(io.stops), key });
    io.done.set(done);
  },
);
