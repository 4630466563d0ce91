/** The list being served: its first request from the head, the others along the links. */
import {
  bit,
  type Bit,
  literalOf,
  mux,
  node,
  orTree,
  priority,
  reg,
  uint,
  type UInt,
  type Val,
  type Var,
  when,
} from "../../../../../hdl-dsl/index.ts";
import type { Concluded } from "./conclude.ts";
import type { Own } from "./find.ts";
import type { Picked } from "./pick.ts";
import type { MissTableIo } from "./ports.ts";
import { missOf, type MissTableParameters, Result, slotOf, Verdict } from "./records.ts";
import type { Memories, State } from "./state.ts";

/** The registers of the request that is served. */
export interface Serving {
  /** The miss, one bit for each; none when nothing is served. */
  readonly serving: Var<ReturnType<typeof uint>>;
  readonly valid: Var<typeof bit>;
  readonly last: Var<typeof bit>;
  /** Another of the same list follows. */
  readonly goesOn: Bit;
}

export function servingOf(p: MissTableParameters): Serving {
  const serving = reg(uint(p.misses), { init: 0 });
  const servedValid = reg(bit, { init: 0 }),
    servedLast = reg(bit);
  const goesOn = node(servedValid.andNot(servedLast));
  return { serving, valid: servedValid, last: servedLast, goesOn };
}

interface ServeNeeds {
  readonly state: State;
  readonly memories: Memories;
  readonly own: Own;
  readonly concluded: Concluded;
  readonly picked: Picked;
}

/** The picked miss's result: of the walk that ends now, of the fault that does, or from the memories. */
function resultOf(p: MissTableParameters, io: MissTableIo, from: ServeNeeds): Val<ReturnType<typeof Result>> {
  const { picked, concluded, memories } = from,
    w = io.walked.result;
  const walkResult = memories.walkResults.readAsync(picked.miss),
    faultResult = memories.faultResults.readAsync(picked.miss);
  const faultedPicked = node(from.state.byFault.at(picked.miss));
  const faultVerdict = priority(
    [faultResult.error, Verdict.error],
    [faultResult.outOfMemory, Verdict.outOfMemory],
    Verdict.mapped,
  );
  const early = literalOf(Result(p), { verdict: concluded.verdict, ppn: w.ppn, read: w.read, write: w.write });
  const late = literalOf(Result(p), {
    verdict: priority([picked.quick, Verdict.mapped], [faultedPicked, faultVerdict], walkResult.verdict),
    ppn: priority([picked.quick, io.faulted.ppn], [faultedPicked, faultResult.ppn], walkResult.ppn),
    read: walkResult.read,
    write: walkResult.write,
  });
  return mux(picked.early, early, late);
}

export function serve(p: MissTableParameters, io: MissTableIo, s: Serving, from: ServeNeeds): void {
  const { state, memories, own, picked } = from,
    { goesOn } = s;
  const servedSlot = reg(slotOf(p)),
    servedFirst = reg(bit),
    servedMiss = reg(missOf(p));
  const servedKey = reg(uint(p.keyBits)),
    served = reg(Result(p));
  const following = node(mux(goesOn, memories.links.readAsync(servedSlot), memories.heads.readAsync(picked.miss)));
  const tail: UInt = memories.tails.readAsync(mux(goesOn, servedMiss, picked.miss));
  const joinsPicked = own.joins.map((j, i) => j.and(picked.bits.bit(i)));
  const joinedPicked = node(io.add.valid.and(orTree(joinsPicked)));
  s.valid.set(goesOn.or(io.take));
  s.serving.set(priority([goesOn, s.serving], [io.take, picked.bits], 0));
  servedSlot.set(following);
  s.last.set(following.eq(tail).and(goesOn.or(joinedPicked.not())));
  servedFirst.set(goesOn.not());
  when(goesOn.not(), () => {
    servedMiss.set(picked.miss);
    servedKey.set(memories.keyOf.readAsync(picked.miss));
    served.set(resultOf(p, io, from));
  });
  io.served.set({
    valid: s.valid,
    slot: servedSlot,
    last: s.last,
    verdict: served.verdict,
    ppn: served.ppn,
    read: served.read,
    write: served.write,
    key: servedKey,
    first: servedFirst,
    poisoned: state.poisoned.at(servedMiss),
  });
}
