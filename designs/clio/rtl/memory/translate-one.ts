import {
  assertAlways,
  axi4Address,
  axi4Read,
  axi4Response,
  axi4Write,
  bit,
  type Bit,
  bitsFor,
  cat,
  constant,
  fifoWithLevel,
  input,
  instance,
  module,
  mux,
  node,
  output,
  priority,
  reg,
  sink,
  source,
  struct,
  uint,
  type UInt,
  unpack,
  when,
} from "../../../../hdl-dsl/index.ts";
import { hashKeyBits } from "../../../shared/hash/index.ts";
import { statusBits } from "../../wire/index.ts";
import { bucketBytes, bucketSlots, entryBytes, entryShape } from "../../../shared/virtual-memory/table/index.ts";
import { locatePage, Tlb } from "../../../shared/virtual-memory/rtl/index.ts";
import { tableOf } from "../../config/index.ts";
import { Refused, Shootdown, type TranslateParameters } from "./translate.ts";
import { Access, plainOp, Translated } from "../records/records.ts";
import { lengthBits } from "../../../shared/frame/index.ts";

export type TranslateOneParameters = Pick<
  TranslateParameters,
  | "pageSize"
  | "physicalMemory"
  | "slotsFactor"
  | "addressBits"
  | "idBits"
  | "freePages"
  | "slots"
  | "tlbEntries"
  | "pagesPerRequest"
> & {
  /**
   * A process whose virtual addresses are physical addresses, with the right to read and write all of them. The slow
   * path uses it where it has no other way to memory.
   */
  readonly physicalPid?: number;
};

/** The bus is as wide as a page table entry. */
const beatBytes = entryBytes,
  tableId = 1;
/** State of the machine. */
const at = {
  look: 0,
  decide: 1,
  fetch: 2,
  collect: 3,
  verdict: 4,
  put: 5,
  answer: 6,
  fill: 7,
  give: 8,
  refuse: 9,
} as const;

/**
 * Address translation, permission check and page fault (paper §4.4.2, §4.4.3) for one request at a time, on a bus of 64
 * bits. The function is that of `Translate`: same TLB, page table, order of refusals and meaning of a shootdown. The
 * block serves devices that cannot hold the queues and the miss table of `Translate`. Plain reads and writes only. The
 * request is not copied: `access` stays offered until it is answered, so its sender holds it.
 *
 * Latency from `access` to `reads` or `writes`: 2 cycles a page that the TLB knows. A miss costs the memory's latency,
 * 8 beats and 4 cycles more. A page fault costs the memory's latency again and a cycle more, behind `AxiShare` 2: its
 * write-back is in memory before the request goes on. Initiation interval: the latency and a cycle.
 * Full: `access.ready` is 0. A fault that finds no frame waits, with `outOfMemory` it is refused. A memory that refuses
 * the write-back is asked 16 times. Then the request ends with FAIL, and its frame is left unused: the memory may have
 * taken the entry all the same, so no other page may have the frame.
 *
 * Shootdown: taken between requests; the page's entry goes at once, `shootdown_done` comes when nothing is `busy` after
 * that. Reset: the TLB is empty.
 */
export const TranslateOne = module(
  "TranslateOne",
  (p: TranslateOneParameters) => {
    const bus = { ...p, beatBytes },
      g = tableOf(p),
      shape = Translated({ ...p, ppnBits: g.ppnBits, pageShift: g.pageShift });
    return {
      access: sink(Access(p)),
      reads: source(shape),
      writes: source(shape),
      refused: source(Refused(p)),
      ar: source(axi4Address(bus)),
      r: sink(axi4Read(bus)),
      aw: source(axi4Address(bus)),
      w: source(axi4Write(beatBytes)),
      b: sink(axi4Response(bus)),
      freePage: sink(uint(g.ppnBits)),
      freePages: output(uint(bitsFor(p.freePages))),
      outOfMemory: input(bit),
      /** Of the page table's buckets: as it is while the table has entries. */
      hashKey: input(uint(hashKeyBits)),
      shootdown: sink(Shootdown({ ...p, beatBytes, misses: 1 })),
      shootdownDone: source(bit),
      /** Requests are under way somewhere in the node. */
      busy: input(bit),
    };
  },
  (io, p) => {
    const g = tableOf(p),
      keyBits = g.pidBits + g.vpnBits,
      pages = p.pagesPerRequest,
      stepBits = Math.max(1, Math.ceil(Math.log2(pages)));
    const a = io.access.payload;
    const state = reg(uint(4), { init: at.look });
    const is = (s: keyof typeof at): Bit => state.eq(at[s]);
    /** Page of the request that is looked up. */
    const step = reg(uint(stepBits), { init: 0 });
    const ppns = reg(uint(pages * g.ppnBits));
    const code = reg(uint(4));
    /** Times that the entry's write was refused. */
    const tries = reg(uint(4));

    // The page, and how many there are.
    const offset = a.va.bits(0, g.pageShift),
      extentBits = Math.max(g.pageShift, lengthBits) + 1;
    const lastByte = node(offset.zext(extentBits).add(a.length.zext(extentBits)).sub(1));
    const lastStep = lastByte.shr(g.pageShift).trunc(stepBits);
    const vpn = node(a.va.bits(g.pageShift, g.vpnBits).addGrow(step.zext(g.vpnBits)));
    const physical = node(p.physicalPid === undefined ? constant(0, 1) : a.pid.eq(p.physicalPid));
    const outside = node(
      a.va
        .bits(g.vaBits, 64 - g.vaBits)
        .any()
        .or(vpn.bit(g.vpnBits))
        .or(physical.and(vpn.bits(g.ppnBits, g.vpnBits - g.ppnBits).any())),
    );
    const key = node(cat(a.pid, vpn.trunc(g.vpnBits)));
    const place = locatePage(g, key, io.hashKey);

    // The TLB, and the shootdown of an entry of it.
    const shooting = reg(bit, { init: 0 });
    const draining = reg(bit, { init: 0 });
    const report = reg(bit, { init: 0 });
    const shoots = node(io.shootdown.valid.and(step.eq(0)).and(draining.not()).and(report.not()));
    const tlb = instance("tlb", Tlb({ entries: p.tlbEntries, keyBits, ppnBits: g.ppnBits }));
    const looks = node(is("look").and(shoots.or(io.access.valid)));
    tlb.key.set(mux(shoots, cat(io.shootdown.payload.pid, io.shootdown.payload.vpn), key).is(keyBits));
    tlb.advance.set(looks);
    const decides = node(is("decide").and(shooting.not()));
    const lookedUp = node(decides.and(outside.not()).and(physical.or(tlb.hit)));
    tlb.clear.set(is("decide").and(shooting));
    tlb.touch.set(lookedUp.and(tlb.hit));
    io.shootdown.ready.set(is("look").and(shoots));

    // The bucket: eight beats, an entry each.
    const seen = reg(uint(Math.log2(bucketSlots)));
    const found = reg(
      struct({
        there: bit,
        valid: bit,
        read: bit,
        write: bit,
        ppn: uint(g.ppnBits),
        slot: uint(Math.log2(bucketSlots)),
        error: bit,
      }),
    );
    const entry = unpack(entryShape(g), io.r.payload.data);
    const base = constant(BigInt(g.tableBase), p.addressBits);
    io.ar.valid.set(is("fetch"));
    io.ar.payload.set({
      addr: base.or(cat(place.index, constant(0, Math.log2(bucketBytes))).resize(p.addressBits)),
      id: tableId,
      len: bucketSlots - 1,
      size: Math.log2(beatBytes),
      burst: 1,
    });
    io.r.ready.set(1);
    when(io.r.fire, () => {
      assertAlways(io.r.payload.id.eq(tableId), "the beats are those of the bucket");
      seen.set(seen.add(1));
      found.error.set(found.error.or(io.r.payload.resp.any()));
      when(entry.allocated.and(entry.tag.eq(place.tag)), () => {
        found.there.set(1);
        found.valid.set(entry.valid);
        found.read.set(entry.read);
        found.write.set(entry.write);
        found.ppn.set(entry.ppn);
        found.slot.set(seen);
      });
    });

    // The frame of a page that faults, and its entry with that frame.
    const free = fifoWithLevel(io.freePage, p.freePages, { style: "distributed" });
    io.freePages.set(free.level);
    const rights = mux(is("decide"), cat(tlb.mapping.write, tlb.mapping.read), cat(found.write, found.read));
    const permitted = node(physical.or(mux(a.write, rights.all(), rights.any())));
    // A page that is being copied takes no writes. An entry without frame and rights: the page moves to or from
    // another node.
    const held = node(rights.bit(1).andNot(rights.bit(0))),
      moving = node(is("verdict").andNot(found.valid.or(rights.any())));
    const lacks = node(
      priority([held.or(moving), statusBits.MIGRATING], [a.write, statusBits.WRITE_PERM], statusBits.READ_PERM),
    );
    const unmapped = node(is("verdict").and(found.error.not()).and(found.there).and(permitted).and(found.valid.not()));
    const faults = node(unmapped.and(free.out.valid));
    free.out.ready.set(unmapped);
    when(faults, () => found.ppn.set(free.out.payload));
    const fields: Readonly<Record<string, UInt>> = {
      valid: constant(1, 1),
      allocated: constant(1, 1),
      read: found.read,
      write: found.write,
      tag: place.tag,
      ppn: found.ppn,
    };
    // Address and data side by side: the memory may wait for either before it takes the other (AXI4, A3.3.1).
    const awTaken = reg(bit, { init: 0 }),
      wTaken = reg(bit, { init: 0 });
    io.aw.valid.set(is("put").and(awTaken.not()));
    io.aw.payload.set({
      addr: base.or(cat(place.index, found.slot, constant(0, Math.log2(entryBytes))).resize(p.addressBits)),
      id: tableId,
      len: 0,
      size: Math.log2(beatBytes),
      burst: 1,
    });
    io.w.valid.set(is("put").and(wTaken.not()));
    io.w.payload.set({
      data: cat(...g.entry.map(e => fields[e.name] as UInt).reverse()).zext(beatBytes * 8),
      strb: 2 ** beatBytes - 1,
      last: 1,
    });
    io.b.ready.set(is("answer"));
    tlb.fill.set({
      valid: is("fill"),
      key: key.is(keyBits),
      mapping: { ppn: found.ppn, write: found.write, read: found.read },
    });

    // From one to the next.
    const go = (s: keyof typeof at): void => state.set(at[s]);
    const refuse = (c: UInt | number): void => {
      code.set(c);
      go("refuse");
    };
    const last = node(step.eq(lastStep));
    when(is("look"), () => {
      shooting.set(shoots);
      when(looks, () => go("decide"));
    });
    when(is("decide"), () => {
      when(shooting, () => {
        draining.set(1);
        go("look");
      })
        .elseWhen(outside, () => refuse(statusBits.INVALID))
        .elseWhen(physical.or(tlb.hit).not(), () => go("fetch"))
        .elseWhen(permitted.not(), () => refuse(lacks))
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
    when(is("fetch"), () => {
      seen.set(0);
      tries.set(0);
      found.there.set(0);
      found.error.set(0);
      when(io.ar.ready, () => go("collect"));
    });
    when(is("collect").and(io.r.fire).and(io.r.payload.last), () => go("verdict"));
    when(is("verdict"), () => {
      when(found.error, () => refuse(statusBits.FAIL))
        .elseWhen(found.there.not(), () => refuse(statusBits.INVALID))
        .elseWhen(permitted.not(), () => refuse(lacks))
        .elseWhen(found.valid, () => go("fill"))
        .elseWhen(free.out.valid, () => go("put"))
        .elseWhen(io.outOfMemory, () => refuse(statusBits.OUT_OF_MEMORY));
    });
    const awDone = node(awTaken.or(io.aw.ready)),
      wDone = node(wTaken.or(io.w.ready));
    when(is("put"), () => {
      awTaken.set(awDone.and(wDone.not()));
      wTaken.set(wDone.and(awDone.not()));
      when(awDone.and(wDone), () => go("answer"));
    });
    when(is("answer").and(io.b.valid), () => {
      assertAlways(io.b.payload.id.eq(tableId), "the answer is that of the write-back");
      when(io.b.payload.resp.any().not(), () => go("fill"))
        .elseWhen(tries.all(), () => refuse(statusBits.FAIL))
        .otherwise(() => {
          tries.set(tries.add(1));
          go("put");
        });
    });
    when(is("fill"), () => go("look"));

    // Out.
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
      go("look");
    });

    when(draining.and(io.busy.not()), () => {
      draining.set(0);
      report.set(1);
    });
    io.shootdownDone.valid.set(report);
    io.shootdownDone.payload.set(1);
    when(io.shootdownDone.fire, () => report.set(0));
  },
);
