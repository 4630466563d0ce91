/** From one state of the machine to the next. */
import { assertAlways, mux, node, type UInt, when } from "../../../../../hdl-dsl/index.ts";
import { statusBits } from "../../../wire/index.ts";
import { plainOp } from "../../records/records.ts";
import type { Looked, Page, State } from "./lookup.ts";
import { tableId, type TranslateOneIo } from "./ports.ts";
import type { Bucket, faultOf, putEntry } from "./table.ts";

/** What the steps share. */
export interface Parts {
  readonly io: TranslateOneIo;
  readonly state: State;
  readonly page: Page;
  readonly looked: Looked;
  readonly bucket: Bucket;
  readonly fault: ReturnType<typeof faultOf>;
  readonly writing: ReturnType<typeof putEntry>;
}

function refuse({ code, go }: State, c: UInt | number): void {
  code.set(c);
  go("refuse");
}

/** A page is looked up in the TLB, or an entry of it shot down. */
export function lookSteps({ io, state, page, looked, fault }: Parts): void {
  const { g, pages, is, go, step, ppns, tries, unsure, checking, checked } = state,
    { lastStep, outside, physical, vpn } = page,
    { tlb, shooting, draining, shoots, looks, lookedUp } = looked,
    { permitted, lacks } = fault;
  const last = node(step.eq(lastStep));
  when(is("look"), () => {
    shooting.set(shoots);
    when(unsure.and(checked.not()).and(shoots.not()).and(io.access.valid), () => {
      checking.set(1);
      checked.set(1);
      tries.set(0);
      go("fetch");
    }).elseWhen(looks, () => go("decide"));
  });
  when(is("decide"), () => {
    when(shooting, () => {
      draining.set(1);
      go("look");
    })
      .elseWhen(outside, () => refuse(state, statusBits.INVALID))
      .elseWhen(physical.or(tlb.hit).not(), () => go("fetch"))
      .elseWhen(permitted.not(), () => refuse(state, lacks))
      .elseWhen(last, () => go("give"))
      .otherwise(() => {
        step.set(step.add(1));
        go("look");
      });
  });
  when(lookedUp, () => {
    for (let k = 0; k < pages; k++)
      when(step.eq(k), () => ppns.setBits(k * g.ppnBits, mux(physical, vpn.trunc(g.ppnBits), tlb.mapping.ppn)));
  });
}

/** The bucket is fetched, and the entry judged. */
export function fetchSteps({ io, state, bucket: { seen, found }, fault }: Parts): void {
  const { is, go, tries, unsure, checking } = state,
    { free, permitted, lacks, taken } = fault;
  when(is("fetch"), () => {
    seen.set(0);
    when(checking.not(), () => tries.set(0));
    found.there.set(0);
    found.error.set(0);
    when(io.ar.ready, () => go("collect"));
  });
  when(is("collect").and(io.r.fire).and(io.r.payload.last), () => go("verdict"));
  when(is("verdict").and(checking), () => {
    checking.set(0);
    when(found.error.not(), () => unsure.set(0));
    when(tries.all().andNot(taken), () => refuse(state, statusBits.FAIL)).otherwise(() => go("look"));
  }).elseWhen(is("verdict"), () => {
    when(found.error, () => refuse(state, statusBits.FAIL))
      .elseWhen(found.there.not(), () => refuse(state, statusBits.INVALID))
      .elseWhen(permitted.not(), () => refuse(state, lacks))
      .elseWhen(found.valid, () => go("fill"))
      .elseWhen(unsure, () => refuse(state, statusBits.FAIL))
      .elseWhen(free.out.valid, () => go("put"))
      .elseWhen(io.outOfMemory, () => refuse(state, statusBits.OUT_OF_MEMORY));
  });
}

/** A new entry is written, and the TLB filled. */
export function putSteps({ io, state, page: { place }, bucket: { found }, fault: { written }, writing }: Parts): void {
  const { awTaken, wTaken } = writing,
    { is, go, tries, unsure, unsureAt, checking } = state;
  const awDone = node(awTaken.or(io.aw.ready)),
    wDone = node(wTaken.or(io.w.ready));
  when(is("put"), () => {
    awTaken.set(awDone.and(wDone.not()));
    wTaken.set(wDone.and(awDone.not()));
    when(awDone.and(wDone), () => go("answer"));
  });
  when(is("answer").and(io.b.valid), () => {
    assertAlways(io.b.payload.id.eq(tableId), "the answer is that of the write-back");
    when(written, () => go("fill"))
      .elseWhen(tries.all(), () => {
        unsure.set(1);
        unsureAt.set({ index: place.index, slot: found.slot });
        checking.set(1);
        go("fetch");
      })
      .otherwise(() => {
        tries.set(tries.add(1));
        go("put");
      });
  });
  when(is("fill"), () => go("look"));
}

/** The request leaves, translated or refused. */
export function giveAccess({ io, state, page: { offset } }: Parts): void {
  const { is, go, step, ppns, code, checked } = state,
    a = io.access.payload;
  const translated = {
    slot: a.slot,
    offset,
    length: a.length,
    write: a.write,
    silent: a.silent,
    replyOpcode: a.replyOpcode,
    op: plainOp,
    indirect: 0,
    ppns,
  };
  io.reads.valid.set(is("give").and(a.write.not()));
  io.reads.payload.set(translated);
  io.writes.valid.set(is("give").and(a.write));
  io.writes.payload.set(translated);
  io.refused.valid.set(is("refuse"));
  io.refused.payload.set({ slot: a.slot, status: code, silent: a.silent, replyOpcode: a.replyOpcode, indirect: 0 });
  const answered = node(
    is("give")
      .and(mux(a.write, io.writes.ready, io.reads.ready))
      .or(is("refuse").and(io.refused.ready)),
  );
  io.access.ready.set(answered);
  when(answered, () => {
    step.set(0);
    checked.set(0);
    go("look");
  });
}

/** A shootdown is over when nothing is under way any more that may have the entry. */
export function reportShootdown({ io, looked: { draining, report } }: Parts): void {
  when(draining.and(io.busy.not()), () => {
    draining.set(0);
    report.set(1);
  });
  io.shootdownDone.valid.set(report);
  io.shootdownDone.payload.set(1);
  when(io.shootdownDone.fire, () => report.set(0));
}
