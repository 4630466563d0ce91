/** Stage 2's judgement: what is known of the page, and what becomes of the request. */
import { type Bit, cat, mux, node, priority, type UInt, type Val } from "../../../../../hdl-dsl/index.ts";
import { type Mapping, type Served, Verdict } from "../../../../shared/virtual-memory/rtl/index.ts";
import { tableOf } from "../../../config/index.ts";
import { statusBits } from "../../../wire/index.ts";
import { plainOp } from "../../records/records.ts";
import type { Looked } from "./lookup.ts";
import type { Outcome, Pending, TranslateParameters } from "./records.ts";

type Mapped = Val<ReturnType<typeof Mapping>>;

/** Who is judged in this cycle: a lookup of stage 2, or a request whose miss is served. */
export interface Judged {
  readonly request: Pending;
  readonly slot: UInt;
  readonly looked: Looked;
  readonly served: Val<ReturnType<typeof Served>>;
  readonly tlb: { readonly hit: Bit; readonly mapping: Mapped };
}

/** One bit for each thing that may be so. */
export interface Judgement {
  readonly hit: Bit;
  /** Looked up, and not in the TLB. */
  readonly missed: Bit;
  /** The page has a frame, `mapping`. */
  readonly mapped: Bit;
  readonly mapping: Mapped;
  /** Mapped and permitted; with `complete` it was the last page. */
  readonly goesOn: Bit;
  readonly complete: Bit;
  /** To be looked up again later. */
  readonly looksAgain: Bit;
  /** The reasons to refuse. `denied` lacks the right to write or, without `lacksWrite`, to read. */
  readonly absent: Bit;
  readonly failed: Bit;
  readonly exhausted: Bit;
  readonly moving: Bit;
  readonly denied: Bit;
  readonly lacksWrite: Bit;
}

export function judge({ request, looked, served, tlb }: Judged): Judgement {
  const serving = served.valid;
  const ended = (v: Val<typeof Verdict>): Bit => serving.and(served.verdict.eq(v));
  const mapping = {
    ppn: node(mux(serving, served.ppn, tlb.mapping.ppn), { name: "mapping_ppn" }),
    write: node(mux(serving, served.write, tlb.mapping.write), { name: "mapping_write" }),
    read: node(mux(serving, served.read, tlb.mapping.read), { name: "mapping_read" }),
  };
  const inside = node(looked.isLookup.and(looked.request.outside.not())),
    beyond = node(looked.isLookup.and(looked.request.outside));
  const hit = node(inside.and(tlb.hit));
  const mapped = node(hit.or(ended(Verdict.mapped)));
  const unmapped = node(ended(Verdict.unmapped)),
    outOfFrames = node(ended(Verdict.outOfMemory));

  // Either right reads, both write (../../../../shared/virtual-memory/table/entry.ts).
  const either = node(mapping.read.or(mapping.write));
  const lacksWrite = node(request.needsWrite.andNot(mapping.read.and(mapping.write))),
    lacksRead = node(request.needsRead.andNot(either));
  const permitted = node(lacksWrite.or(lacksRead).not());
  // A page without a frame has permissions all the same: they are checked first.
  const denied = node(mapped.or(unmapped).or(outOfFrames).andNot(permitted));
  // Requests that joined the fetch may be newer than an entry that the fetch did not see. So only the first request
  // takes "no entry" as true; another one looks again.
  const noEntry = node(ended(Verdict.invalid));
  const doubtful = node(noEntry.and(served.first.not()));
  // Permitted, but joined after the verdict that no frame was needed.
  const late = node(permitted.and(unmapped));
  return {
    hit,
    missed: node(inside.and(tlb.hit.not())),
    mapped,
    mapping,
    goesOn: node(mapped.and(permitted)),
    complete: node(request.step.eq(request.lastStep)),
    looksAgain: node(late.or(doubtful)),
    absent: node(beyond.or(noEntry.and(served.first))),
    failed: node(ended(Verdict.error)),
    exhausted: node(permitted.and(outOfFrames)),
    // The slow path has taken all rights of a page without frame, since it goes to another node or comes from one; or
    // the right to write of one that is being copied.
    moving: node(denied.and(mapping.write.andNot(mapping.read).or(unmapped.andNot(either)))),
    denied,
    lacksWrite,
  };
}

/** The frames so far, with the one that was found at the request's step. */
export function framesOf(p: TranslateParameters, request: Pending, ppn: UInt): UInt {
  const { ppnBits } = tableOf(p);
  const frame = (k: number): UInt => mux(request.step.eq(k), ppn, request.ppns.bits(k * ppnBits, ppnBits));
  return cat(...Array.from({ length: p.pagesPerRequest }, (_, k) => frame(p.pagesPerRequest - 1 - k)));
}

/** The reason of a refusal; the first that is so. */
const reason = (j: Judgement): UInt<4> =>
  priority(
    [j.absent, statusBits.INVALID],
    [j.failed, statusBits.FAIL],
    [j.exhausted, statusBits.OUT_OF_MEMORY],
    [j.moving, statusBits.MIGRATING],
    [j.lacksWrite, statusBits.WRITE_PERM],
    statusBits.READ_PERM,
  );

/** Into the registers behind stage 2: the decision leaves in the next cycle, past the queues when they are empty. */
export function decide({ decision, goesTo }: Outcome, judged: Judged, j: Judgement, ppns: UInt, parks: Bit): void {
  const { request } = judged;
  const asksSync = node(request.op.ne(plainOp));
  const finished = node(j.goesOn.and(j.complete)),
    plain = node(finished.and(asksSync.not()));
  decision.set({
    slot: judged.slot,
    offset: request.offset,
    length: request.length,
    write: request.write,
    silent: request.silent,
    replyOpcode: request.replyOpcode,
    op: request.op,
    indirect: request.indirect,
    ppns,
    status: reason(j),
  });
  goesTo.set({
    reads: plain.and(request.write.not()),
    writes: plain.and(request.write),
    syncs: finished.and(asksSync),
    refused: j.absent.or(j.failed).or(j.exhausted).or(j.denied),
    again: j.goesOn.and(j.complete.not()),
    parked: parks,
  });
}
