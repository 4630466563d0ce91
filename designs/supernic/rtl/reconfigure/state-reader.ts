import {
  bit,
  type Bit,
  enumOf,
  input,
  module,
  mux,
  node,
  output,
  reg,
  struct,
  uint,
  type UInt,
  when,
} from "../../../../hdl-dsl/index.ts";
import { mostRegions, stateBits } from "../../wire/index.ts";
import { StateAsk, stateNumberBits, StateSaid } from "../region/index.ts";

export interface StateReaderParameters {
  /** Cycles until an ask without an answer is late, 16 or more. */
  readonly patience: number;
}
/** Cycles until a task that does not answer is late: longer than any of them clears its memory. */
export const statePatience = 4096;
/** Cycles of a word, from one ask of a read to the next one, of a task that answers after 3 as the NAT does. */
export const stateWordCycles = 8;
const countBits = 32;

/** An ask with the region that it is for. */
export const RegionStateAsk = struct({ ...StateAsk.fields, region: uint(Math.log2(mostRegions)) });
/** What software wants: a word written, or the first one from `at` to `last` that is not 0. */
export const StateGo = struct({
  valid: bit,
  write: bit,
  region: RegionStateAsk.fields.region,
  slot: StateAsk.fields.slot,
  at: uint(stateBits.at),
  last: uint(stateBits.at),
  data: uint(stateBits.data),
});
export const StateOutcome = enumOf("StateOutcome", ["done", "refused", "late"]);
/** What is kept of it: where it begins is a register that counts on. */
const Kept = struct({
  write: bit,
  region: StateGo.fields.region,
  slot: StateGo.fields.slot,
  last: StateGo.fields.last,
  data: StateGo.fields.data,
});
/** What came of it, and counts that wrap. `at` and `data` are of the word where a read ended; 0: there is none. */
export const StateShown = struct({
  busy: bit,
  outcome: StateOutcome,
  at: uint(stateBits.at),
  data: uint(stateBits.data),
  lates: uint(countBits),
  strays: uint(countBits),
});

function counted(name: string, event: Bit): UInt<typeof countBits> {
  const n = reg(uint(countBits), { init: 0, name });
  when(event, () => n.set(n.add(1)));
  return n;
}

/**
 * Reads and writes words of tasks' state for software, one ask after the other (docs/supernic/state.md). Latency: an
 * ask leaves 2 cycles after `go`, and the next one of a read 2 cycles after an answer. Full: `go` while it is busy does
 * nothing. Errors: an ask that is refused, or not answered within `patience` cycles, ends it. Answers of others are
 * counted as strays. Reset: it is not busy, and counts are 0.
 */
export const StateReader = module(
  "StateReader",
  (_: StateReaderParameters) => ({
    go: input(StateGo),
    ask: output(RegionStateAsk),
    said: input(StateSaid),
    shown: output(StateShown),
  }),
  (io, { patience }) => {
    const { go, said } = io,
      busy = reg(bit, { init: 0, name: "busy" }),
      issues = reg(bit, { init: 0, name: "issues" }),
      waits = reg(bit, { init: 0, name: "waits" }),
      number = reg(uint(stateNumberBits), { init: 0, name: "number" }),
      at = reg(uint(stateBits.at), { name: "at" }),
      kept = reg(Kept, { name: "kept" }),
      outcome = reg(StateOutcome, { init: "done", name: "outcome" }),
      data = reg(uint(stateBits.data), { init: 0, name: "data" });
    const begins = node(go.valid.andNot(busy), { name: "begins" }),
      mine = node(said.valid.and(waits).and(said.number.eq(number)), { name: "mine" });

    // How long it has waited; that it is over is known a cycle before.
    const waited = reg(uint(Math.ceil(Math.log2(patience))), { init: 0, name: "waited" }),
      over = reg(bit, { init: 0, name: "over" }),
      late = node(waits.and(over).andNot(mine), { name: "late" });
    waited.set(mux(waits, waited.add(1), waited.and(0)));
    over.set(waits.and(waited.eq(patience - 2)));

    const isLast = node(at.eq(kept.last), { name: "is_last" }),
      goesOn = node(mine.and(said.done).andNot(kept.write).andNot(said.data.any()).andNot(isLast), {
        name: "goes_on",
      }),
      ends = node(mine.andNot(goesOn).or(late), { name: "ends" });
    issues.set(begins.or(goesOn));
    waits.set(issues.or(waits.andNot(mine).andNot(late)));
    when(mine.or(late), () => number.set(number.add(1)));
    when(begins, () => {
      busy.set(1);
      kept.set({ write: go.write, region: go.region, slot: go.slot, last: go.last, data: go.data });
      at.set(go.at);
    }).elseWhen(ends, () => {
      busy.set(0);
      outcome.set(mux(late, StateOutcome.late, mux(said.done, StateOutcome.done, StateOutcome.refused)));
      data.set(said.data);
    });
    when(goesOn, () => at.set(at.add(1)));

    const { write, region, slot } = kept;
    io.ask.set({ valid: issues, write, at, data: kept.data, slot, number, region });
    io.shown.set({
      ...{ busy, outcome, at, data },
      lates: counted("count_lates", late),
      strays: counted("count_strays", said.valid.andNot(mine)),
    });
  },
  { nameOf: p => `StateReader_t${p.patience}` },
);
