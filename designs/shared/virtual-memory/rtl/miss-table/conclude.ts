/** The verdict: from the bucket, or from the page fault. */
import { bit, type Bit, node, priority, reg, type Val } from "../../../../../hdl-dsl/index.ts";
import type { MissTableIo } from "./ports.ts";
import { Verdict } from "./records.ts";
import type { Memories, State } from "./state.ts";

/** What the bucket that has arrived says. */
export interface Concluded {
  readonly verdict: Val<typeof Verdict>;
  /** The page is to have a frame: the miss waits for that. */
  readonly faults: Bit;
  readonly faultNow: Bit;
  /** The fault that ends now got no frame. */
  readonly unserved: Bit;
}

/** Whom a fault would help is looked up a cycle ahead; who joins as late as that may have to look again. */
function mayFault(io: MissTableIo, { wantsRead, wantsWrite }: State): Bit {
  const { miss } = io.arriving,
    w = io.walked.result;
  const helpsRead = reg(bit),
    helpsWrite = reg(bit);
  helpsRead.set(wantsRead.at(miss));
  helpsWrite.set(wantsWrite.at(miss));
  const writable = w.write.and(w.read),
    readable = w.write.or(w.read);
  return node(helpsWrite.and(writable).or(helpsRead.and(readable)), { name: "allowed" });
}

export function conclude(io: MissTableIo, state: State, { walkResults, faultResults }: Memories): Concluded {
  const w = io.walked.result,
    { faulted } = io;
  const unmapped = w.allocated.andNot(w.mapped).andNot(w.error);
  const faults = node(unmapped.and(mayFault(io, state)));
  const faultNow = node(io.walked.valid.and(faults));
  io.fault.set({ valid: faultNow, result: w });
  const walkVerdict = node(
    priority(
      [w.error, Verdict.error],
      [w.allocated.not(), Verdict.invalid],
      [w.mapped, Verdict.mapped],
      Verdict.unmapped,
    ),
  );
  walkResults.write(io.walked.valid, w.miss, { verdict: walkVerdict, ppn: w.ppn, read: w.read, write: w.write });
  faultResults.write(faulted.valid, faulted.miss, {
    outOfMemory: faulted.outOfMemory,
    error: faulted.error,
    ppn: faulted.ppn,
  });
  return { verdict: walkVerdict, faults, faultNow, unserved: node(faulted.outOfMemory.or(faulted.error)) };
}
