/** A miss: the bucket of the page table is read; at a page fault the page gets a frame, and its entry is written. */
import {
  assertAlways,
  bit,
  cat,
  constant,
  fifoWithLevel,
  mux,
  node,
  priority,
  reg,
  struct,
  uint,
  type UInt,
  unpack,
  when,
} from "../../../../../hdl-dsl/index.ts";
import { bucketBytes, bucketSlots, entryBytes, entryShape } from "../../../../shared/virtual-memory/table/index.ts";
import { statusBits } from "../../../wire/index.ts";
import type { Looked, Page, State } from "./lookup.ts";
import { beatBytes, tableId, type TranslateOneIo, type TranslateOneParameters } from "./ports.ts";

/** The bucket: eight beats, an entry each. */
export function bucketOf(io: TranslateOneIo, p: TranslateOneParameters, state: State, { place }: Page) {
  const { g, is, checking, unsureAt } = state;
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
      /** Of the entry that is looked for, in a bucket that is read for it: its frame. */
      unsureValid: bit,
      unsurePpn: uint(g.ppnBits),
    }),
  );
  const entry = unpack(entryShape(g), io.r.payload.data);
  const base = constant(BigInt(g.tableBase), p.addressBits);
  io.ar.valid.set(is("fetch"));
  io.ar.payload.set({
    addr: base.or(
      cat(mux(checking, unsureAt.index, place.index), constant(0, Math.log2(bucketBytes))).resize(p.addressBits),
    ),
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
    when(seen.eq(unsureAt.slot), () => {
      found.unsureValid.set(entry.valid);
      found.unsurePpn.set(entry.ppn);
    });
  });

  return { seen, found, base };
}
export type Bucket = ReturnType<typeof bucketOf>;

/** What the rights say, and the frame of a page that faults. */
export function faultOf(
  io: TranslateOneIo,
  p: TranslateOneParameters,
  { is, checking }: State,
  { physical }: Page,
  { tlb, found }: Pick<Looked, "tlb"> & Pick<Bucket, "found">,
) {
  const a = io.access.payload;
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
  const unmapped = node(is("verdict").and(checking.not()).and(found.valid.not()));
  when(unmapped, () => found.ppn.set(free.out.payload));
  // A frame stands first in the queue until the memory has its entry: what is refused is nobody's, and not lost.
  const has = found.unsureValid.and(found.unsurePpn.eq(free.out.payload));
  const taken = node(is("verdict").and(checking).andNot(found.error).and(has));
  const written = node(is("answer").and(io.b.valid).andNot(io.b.payload.resp.any()));
  free.out.ready.set(taken.or(written));
  assertAlways(taken.or(written).andNot(free.out.valid).not(), "an entry in memory has a frame of the queue");
  return { free, permitted, lacks, taken, written };
}

/** The entry with its frame, as it is written to the table. */
function entryOf({ g }: State, { place }: Page, { found }: Bucket): UInt {
  const fields: Readonly<Record<string, UInt>> = {
    valid: constant(1, 1),
    allocated: constant(1, 1),
    read: found.read,
    write: found.write,
    tag: place.tag,
    ppn: found.ppn,
  };
  return cat(...g.entry.map(e => fields[e.name] as UInt).reverse()).zext(beatBytes * 8);
}

/** Writes the entry. Address and data side by side: the memory may wait for either before the other (AXI4, A3.3.1). */
export function putEntry(io: TranslateOneIo, p: TranslateOneParameters, state: State, page: Page, bucket: Bucket) {
  const { is } = state,
    { base, found } = bucket,
    data = entryOf(state, page, bucket);
  const awTaken = reg(bit, { init: 0 }),
    wTaken = reg(bit, { init: 0 });
  io.aw.valid.set(is("put").and(awTaken.not()));
  io.aw.payload.set({
    addr: base.or(cat(page.place.index, found.slot, constant(0, Math.log2(entryBytes))).resize(p.addressBits)),
    id: tableId,
    len: 0,
    size: Math.log2(beatBytes),
    burst: 1,
  });
  io.w.valid.set(is("put").and(wTaken.not()));
  io.w.payload.set({
    data,
    strb: 2 ** beatBytes - 1,
    last: 1,
  });
  io.b.ready.set(is("answer"));
  return { awTaken, wTaken };
}
