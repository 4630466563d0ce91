/**
 * The page table: no look leaves its way's space, and no page of the board's memory has two owners. Not in the list of
 * proofs: in 100 s, beside other work, the engines did not decide it. On the way it found a look that a limit behind
 * the table's end led around it, in 13 cycles.
 */
import {
  assertAlways,
  assumeAlways,
  bit,
  type Bit,
  cover,
  fromBits,
  input,
  instance,
  module,
  mux,
  node,
  output,
  past,
  portOf,
  type Proof,
  reg,
  uint,
  type UInt,
  when,
} from "../../../../../hdl-dsl/index.ts";
import { PageEntry, PageTable, Space, WaySpace, Write } from "../../memory/index.ts";

/** 2 ways, 2 spaces, 4 entries, 4 pages of the board's memory; a virtual page's number has 4 bits. */
const P = { ways: 2, pages: 4, spaces: 2, pageShift: 31, ppnBits: 2, freePages: 2 } as const;
const both = [0, 1] as const;

const harness = module(
  "PageTableProof",
  () => ({
    asks: input(uint(2)),
    vpn0: input(uint(4)),
    vpn1: input(uint(4)),
    writes: input(uint(2)),
    wanting: input(uint(2)),
    wayWrite: input(Write(1, WaySpace(P))),
    spaceWrite: input(Write(1, Space(P))),
    pageWrite: input(Write(2, PageEntry(P))),
    /** Software has written all that it will. */
    begins: input(bit),
    freeValid: input(bit),
    freePpn: input(uint(2)),
    /** One page of the board's memory, and one entry, any. */
    frame: input(uint(2)),
    entry: input(uint(2)),
    mapped: output(uint(2)),
  }),
  io => {
    const dut = instance("dut", PageTable(P)),
      runs = reg(bit, { init: 0, name: "model_runs" }),
      started = reg(bit, { init: 0, name: "model_started" });
    started.set(1);
    when(io.begins, () => runs.set(1));
    for (const kept of [io.frame, io.entry])
      assumeAlways(started.not().or(kept.eq(past(kept, 1))), "what is watched stays the same");
    dut.wayWrite.set(io.wayWrite);
    dut.spaceWrite.set(io.spaceWrite);
    dut.pageWrite.set(io.pageWrite);
    dut.wanting.set(io.wanting);
    dut.epoch.set(0);
    dut.seeAt.set(0);
    const anyWrite = io.wayWrite.en.or(io.spaceWrite.en).or(io.pageWrite.en);
    assumeAlways(runs.or(io.begins).and(anyWrite).not(), "software writes before looks come");
    assumeAlways(io.pageWrite.en.and(io.pageWrite.value.present).not(), "it gives no page away itself");

    // What software wrote.
    const spaces = both.map(i => reg(Space(P), { name: `model_space_${i}` })),
      ways = both.map(i => reg(WaySpace(P), { init: { valid: 0 }, name: `model_way_${i}` })),
      told = reg(uint(2), { init: 0, name: "model_spaces_told" }),
      entries = reg(uint(4), { init: 0, name: "model_entries_told" });
    both.forEach(i => {
      when(io.spaceWrite.en.and(io.spaceWrite.index.eq(i)), () => spaces[i]?.set(io.spaceWrite.value));
      when(io.wayWrite.en.and(io.wayWrite.index.eq(i)), () => ways[i]?.set(io.wayWrite.value));
    });
    when(io.spaceWrite.en, () => told.set(told.or(oneOf(io.spaceWrite.index, 2))));
    when(io.pageWrite.en, () => entries.set(entries.or(oneOf(io.pageWrite.index, 4))));
    assumeAlways(io.begins.not().or(told.all().and(entries.all())), "it writes all of them");

    // Looks: one a way.
    const free = dut.free;
    const frameGone = reg(bit, { init: 0, name: "model_frame_gone" });
    free.valid.set(io.freeValid);
    free.payload.set(io.freePpn);
    const gives = node(io.freeValid.and(free.ready), { name: "model_gives" });
    when(gives.and(io.freePpn.eq(io.frame)), () => frameGone.set(1));
    assumeAlways(
      io.freeValid.and(frameGone).and(io.freePpn.eq(io.frame)).not(),
      "a page of the board's memory is free once",
    );
    const frameHas = reg(bit, { init: 0, name: "model_frame_has" }),
      frameEntry = reg(uint(2), { name: "model_frame_entry" }),
      entryHas = reg(bit, { init: 0, name: "model_entry_has" }),
      entryFrame = reg(uint(2), { name: "model_entry_frame" });
    const mapped: Bit[] = both.map(i => {
      const out = reg(bit, { init: 0, name: `model_out_${i}` }),
        vpn = reg(uint(4), { name: `model_vpn_${i}` }),
        write = reg(bit, { name: `model_write_${i}` }),
        look = portOf(dut, "look", i),
        said = dut.verdict.at(i),
        asked = i === 0 ? io.vpn0 : io.vpn1;
      look.valid.set(io.asks.bit(i).and(runs).andNot(out));
      look.payload.set({ vpn: asked, write: io.writes.bit(i) });
      when(look.ready.and(io.asks.bit(i)).and(runs).andNot(out), () => {
        out.set(1);
        vpn.set(asked);
        write.set(io.writes.bit(i));
      }).elseWhen(said.valid, () => out.set(0));
      const is = node(said.valid.and(said.kind.is("mapped")), { name: `model_mapped_${i}` }),
        [first, second] = spaces,
        way = ways[i];
      if (first === undefined || second === undefined || way === undefined) throw new RangeError("two of each");
      const base = mux(way.space.bit(0), second.base, first.base),
        limit = mux(way.space.bit(0), second.limit, first.limit),
        mayWrite = mux(way.space.bit(0), second.write, first.write),
        page = node(base.zext(5).add(vpn.zext(5)), { name: `model_page_${i}` });
      assertAlways(said.valid.not().or(out), "a verdict belongs to a look");
      assertAlways(is.not().or(way.valid), "only a way with a space has a page");
      assertAlways(is.not().or(vpn.lt(limit.zext(4))), "no look goes behind its space's limit");
      assertAlways(is.not().or(said.page.zext(5).eq(page)), "the page is the one that was asked for");
      assertAlways(is.and(write).not().or(mayWrite), "nobody writes without the right");
      // Who has which page of the board's memory.
      const ofFrame = node(is.and(said.ppn.eq(io.frame)), { name: `model_of_frame_${i}` }),
        ofEntry = node(is.and(said.page.eq(io.entry)), { name: `model_of_entry_${i}` });
      assertAlways(ofFrame.and(frameHas).not().or(said.page.eq(frameEntry)), "a page of the board is one entry's");
      assertAlways(ofEntry.and(entryHas).not().or(said.ppn.eq(entryFrame)), "an entry keeps its page");
      when(ofFrame, () => {
        frameHas.set(1);
        frameEntry.set(said.page);
      });
      when(ofEntry, () => {
        entryHas.set(1);
        entryFrame.set(said.ppn);
      });
      return is;
    });
    io.mapped.set(fromBits(mapped).is(2));
    cover(frameHas.and(entryHas), "pages are given");
    cover(dut.verdict.at(0).valid.and(dut.verdict.at(0).kind.is("denied")), "a look is denied");
    cover(dut.verdict.at(1).valid.and(dut.verdict.at(1).kind.is("again")), "a look meets a change");
  },
);
/** One bit of so many. */
const oneOf = (at: UInt, n: number) => fromBits(Array.from({ length: n }, (_, i) => at.eq(i))).is(n);

export const pageTableProof: Proof = {
  module: `PageTable, ${P.pages} entries`,
  harness: harness(),
  faults: [
    { what: "the limit is not looked at", from: /within_limit = [^;]*;/, to: "within_limit = 1'b1;" },
    {
      what: "a limit behind the table's end leads around it",
      from: /beyond_table = [^;]*;/,
      to: "beyond_table = 1'b0;",
    },
    { what: "who has no right to write writes", from: /lacks_right = [^;]*;/, to: "lacks_right = 1'b0;" },
    { what: "an entry that changes is believed", from: /stale <= [^;]*;/, to: "stale <= 1'b0;" },
    { what: "a page is given and stays free", from: /free_ready = [^;]*;/, to: "free_ready = 1'b0;" },
  ],
};
