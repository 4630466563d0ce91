/**
 * Turns for places, for who finds none when nobody is silent. The rule, and why nothing is done twice by it:
 * docs/clio/retry.md.
 */
import {
  bit,
  type Bit,
  bitsFor,
  constant,
  fsm,
  mux,
  node,
  reg,
  uint,
  type UInt,
  when,
  wire,
} from "../../../../../hdl-dsl/index.ts";
import { foundWithin, type Sizes } from "./records.ts";

/**
 * Cycles of a part of a turn: 4 x TIMEOUT, in which a client is found that is silent, and all frames from before end.
 */
export const turnCycles = (p: Pick<Sizes, "timeoutCycles" | "clients">): number =>
  4 * p.timeoutCycles + 2 * p.clients + foundWithin;

export interface Turns {
  /** It is somebody's turn to give up its place: the client's there. */
  readonly on: Bit;
  readonly index: UInt;
  /** Its new operations end for good. */
  readonly final: Bit;
  /** Cycles until a newcomer can have the place to be swept. */
  readonly left: UInt;
}
export interface TurnEvents {
  /** A newcomer was refused, and nobody could be forgotten for it; or a place was or became free. */
  readonly refused: Bit;
  readonly eased: Bit;
  /** Stage 2 has a request of the client whose turn it is. */
  readonly holds: Bit;
}

/** Cycles of a part, and places. */
export interface TurnSizes {
  readonly part: number;
  readonly clients: number;
}
/** What a turn sees of the clients' unit: who enters where, and who is struck. */
export interface Places {
  readonly add: { readonly valid: Bit };
  readonly place: { readonly index: UInt };
  readonly strike: { set(strike: { readonly valid: Bit; readonly index: UInt }): void };
  readonly struck: Bit;
}

/**
 * `asked`: since a newcomer was refused, for a part. `due`: the next refusal begins a turn, of who is `chosen`.
 * `yields`: the client's new operations end for good. `fades`: they are busy, until no frame is left of what ended.
 * `ends`: it becomes unknown, and its place that of a silent client.
 */
export function turnsOf({ part, clients: places }: TurnSizes, clients: Places, from: TurnEvents): Turns {
  const count = uint(bitsFor(part));
  const left = reg(count, { name: "turn_left" }),
    index = reg(uint(Math.log2(places)), { name: "turn_index" }),
    // Who follows the newest: places are had in turn, so it is the one known for longest.
    next = reg(uint(Math.log2(places)), { name: "turn_next" });
  when(clients.add.valid, () => next.set(clients.place.index.add(1)));
  // Both come late, and count a cycle later.
  const refused = reg(bit, { init: 0, name: "turn_refused" }),
    eased = reg(bit, { name: "turn_eased" });
  refused.set(from.refused);
  eased.set(from.eased);
  const over = node(left.any().not(), { name: "turn_over" }),
    begins = wire(bit);
  left.set(mux(begins, constant(part, count.width), mux(over, left, left.sub(1))));
  const states = ["calm", "asked", "due", "chosen", "yields", "fades", "ends"] as const;
  const state = fsm(
    states,
    "calm",
    m => ({
      calm: () => when(refused, () => m.go("asked")),
      asked: () => when(eased, () => m.go("calm")).elseWhen(over, () => m.go("due")),
      due: () =>
        when(eased, () => m.go("calm")).elseWhen(refused, () => {
          index.set(next);
          m.go("chosen");
        }),
      // It may have become free just before: nothing has been said to anybody yet.
      chosen: () => when(eased, () => m.go("calm")).otherwise(() => m.go("yields")),
      yields: () => when(over, () => m.go("fades")),
      fades: () => when(over, () => m.go("ends")),
      ends: () => when(clients.struck, () => m.go("calm")),
    }),
    { name: "parting" },
  );
  const yields = state.is("yields"),
    fades = state.is("fades"),
    ends = state.is("ends");
  begins.set(state.is("calm").or(state.is("due")).and(refused).or(yields.and(over)));
  clients.strike.set({ valid: ends.andNot(from.holds), index });
  const longer = mux(yields, constant(part, count.width + 1), constant(0, count.width + 1));
  const on = state.is("chosen").or(yields).or(fades).or(ends);
  return { on, index, final: yields, left: left.zext(count.width + 1).add(longer) };
}
