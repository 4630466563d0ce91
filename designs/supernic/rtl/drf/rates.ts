import {
  addressBits,
  type Bit,
  constant,
  mux,
  node,
  ram,
  reg,
  type StreamOut,
  uint,
  type UInt,
  when,
} from "../../../../hdl-dsl/index.ts";
import { drfFormat as f } from "../../config/index.ts";
import { ago, counter, numberAgo, saturated } from "./arithmetic.ts";
import { type DrfParameters, userBitsOf } from "./parameters.ts";
import type { Rate } from "./ports.ts";
import type { Division } from "./prepare.ts";

/** What is known of a user when all have stopped. */
export interface Stopped {
  readonly weight: UInt;
  /** Its demand beyond its floor. */
  readonly asked: UInt;
  readonly top: UInt;
  readonly level: UInt;
  readonly satisfied: Bit;
}
/** Cycles from a user's turn to its question: what is known of it, weight by level, the question. */
const questionLatency = 2;

/** Asks for the bytes of each user's level, one a cycle, from `start` on; returns what it has without them, too. */
export function askRates(p: DrfParameters, start: Bit, of: (user: UInt) => Stopped) {
  const user = counter("rate_user", p.users, userBitsOf(p)),
    asking = reg(uint(1), { init: 0, name: "rates_asking" }),
    now = asking.bit(0);
  when(start, () => asking.set(1)).elseWhen(user.last, () => asking.set(0));
  when(now, () => user.step());
  const { weight, asked, top, level, satisfied } = of(user.value),
    heldTop = numberAgo("rate_top", top, 2),
    scaled = numberAgo("rate_scaled", numberAgo("rate_level", level, 1).mul(numberAgo("rate_weight", weight, 1)), 1);
  const beside = mux(satisfied, asked, constant(0, f.rateBits)).is(f.rateBits),
    base = numberAgo("rate_base", beside.zext(f.rateBits + 1).add(p.floor), 1),
    bases = userList(p, f.rateBits, "bases");
  bases.write(
    ago("rate_kept", now, 1),
    numberAgo("rate_kept_user", user.value, 1).is(userBitsOf(p)),
    saturated("rate_base", base, f.rateBits).is(f.rateBits),
  );
  const shift = f.shareFraction - f.levelFraction,
    above = scaled.zext(scaled.width + shift).shl(shift);
  const question: Division = { valid: ago("rate_asked", now, questionLatency), above, below: heldTop };
  return { question, bases };
}
const userList = <W extends number>(p: DrfParameters, bits: W, name: string) =>
  ram(uint(bits), { depth: 2 ** userBitsOf(p), collision: "old", style: "distributed", name });

/** Rates leave in the order of their users, each as soon as it is there; `done` when the last one leaves. */
export function giveRates(
  p: DrfParameters,
  answer: { readonly valid: Bit; readonly down: UInt },
  bases: ReturnType<typeof userList>,
  to: StreamOut<ReturnType<typeof Rate>>,
): { readonly done: Bit } {
  const user = counter("rated", p.users, userBitsOf(p)),
    rates = userList(p, f.rateBits, "rates");
  when(answer.valid, () => user.step());
  const wide = Math.max(answer.down.width, f.rateBits) + 1,
    all = node(
      bases
        .readAsync(user.value.is(userBitsOf(p)))
        .zext(wide)
        .add(answer.down.zext(wide)),
      { name: "rate_sum" },
    );
  const there = ago("rate_there", answer.valid, 1);
  rates.write(
    there,
    numberAgo("rate_there_user", user.value, 1).is(userBitsOf(p)),
    numberAgo("rate_bytes", saturated("rate", all, f.rateBits), 1).is(f.rateBits),
  );
  const bits = addressBits(p.users) + 1,
    written = reg(uint(bits), { init: 0, name: "rates_written" }),
    sent = counter("rates_sent", p.users, bits);
  const done = node(to.fire.and(sent.last), { name: "rates_done" });
  when(done, () => written.set(0)).elseWhen(there, () => written.set(written.add(1)));
  when(to.fire, () => sent.step());
  to.valid.set(sent.value.lt(written));
  const next = sent.value.resize(userBitsOf(p)).is(userBitsOf(p));
  to.payload.set({ user: next, bytes: rates.readAsync(next) });
  return { done };
}
