/** Each miss's own state. */
import { type Bit, node, when } from "../../../../../hdl-dsl/index.ts";
import type { Concluded } from "./conclude.ts";
import type { Offer, Own } from "./find.ts";
import type { MissTableIo } from "./ports.ts";
import { Verdict } from "./records.ts";
import type { Serving } from "./serve.ts";
import type { State } from "./state.ts";

interface UpdateNeeds {
  readonly own: Own;
  readonly offer: Offer;
  readonly concluded: Concluded;
  readonly serving: Serving;
}

/** The verdict is in, from the bucket or from the page fault. */
function end(
  i: number,
  io: MissTableIo,
  { done, failed, byFault, writing }: State,
  { verdict, faults, unserved }: Concluded,
): void {
  const { walked, faulted, written } = io;
  const walkedHere = walked.valid.and(walked.result.miss.eq(i)).andNot(faults);
  when(node(walkedHere, { name: `walked_${i}` }), () => {
    done.at(i).set(1);
    failed.at(i).set(verdict.ne(Verdict.mapped));
  });
  when(node(faulted.valid.and(faulted.miss.eq(i)), { name: `faulted_${i}` }), () => {
    done.at(i).set(1);
    byFault.at(i).set(1);
    failed.at(i).set(unserved);
    writing.at(i).set(unserved.not());
  });
  when(written.valid.and(written.miss.eq(i)), () => writing.at(i).set(0));
}

/** A request joins the list. */
function join(i: number, { add }: MissTableIo, { empty, wantsRead, wantsWrite }: State, joins: Bit): void {
  when(node(add.valid.and(joins), { name: `joined_${i}` }), () => {
    empty.at(i).set(0);
    when(add.write, () => wantsWrite.at(i).set(1)).otherwise(() => wantsRead.at(i).set(1));
  });
}

/** The miss begins, with one request. */
function open(i: number, { add }: MissTableIo, state: State, { opens, bits }: Offer): void {
  when(node(opens.and(bits.bit(i)), { name: `opening_${i}` }), () => {
    state.valid.at(i).set(1);
    const { done, empty, writing, poisoned, failed, byFault } = state;
    for (const flag of [done, empty, writing, poisoned, failed, byFault]) flag.at(i).set(0);
    state.keys.at(i).set(add.key);
    state.wantsWrite.at(i).set(add.write);
    state.wantsRead.at(i).set(add.write.not());
  });
}

export function update(io: MissTableIo, state: State, freeing: readonly Bit[], from: UpdateNeeds): void {
  const { own, offer, concluded, serving } = from;
  const ends = serving.valid.and(serving.last);
  freeing.forEach((f, i) => {
    end(i, io, state, concluded);
    when(io.poison.and(own.same[i] as Bit), () => state.poisoned.at(i).set(1));
    when(f, () => state.valid.at(i).set(0));
    when(ends.and(serving.serving.bit(i)), () => state.empty.at(i).set(1));
    join(i, io, state, own.joins[i] as Bit);
    open(i, io, state, offer);
  });
}
