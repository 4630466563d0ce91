/**
 * No page of the board's memory has two owners: a free page becomes one entry's, and an entry keeps its page. One page
 * of the board and one entry are watched; all of them have the same hardware.
 */
import {
  assertAlways,
  assumeAlways,
  bit,
  cover,
  module,
  node,
  output,
  type Proof,
  reg,
  uint,
  when,
} from "../../../../../hdl-dsl/index.ts";
import { sizes as p, tablePorts, tableRig } from "./table-rig.ts";

const FRAME = 1,
  ENTRY = 2;

const harness = module(
  "PageOwnerProof",
  () => ({ ...tablePorts(), mapped: output(bit) }),
  io => {
    const { dut, takes } = tableRig(io),
      gone = reg(bit, { init: 0, name: "model_gone" });
    assumeAlways(io.freeValid.and(gone).and(io.freePpn.eq(FRAME)).not(), "a page of the board's memory is free once");
    when(takes.and(io.freePpn.eq(FRAME)), () => gone.set(1));

    // Both ways hear the same words, one of them at a time.
    const said = dut.verdict.at(0),
      mapped = node(said.valid.or(dut.verdict.at(1).valid).and(said.kind.is("mapped")), { name: "model_mapped" }),
      ofFrame = node(mapped.and(said.ppn.eq(FRAME)), { name: "model_of_frame" }),
      ofEntry = node(mapped.and(said.page.eq(ENTRY)), { name: "model_of_entry" });
    io.mapped.set(mapped);
    const has = reg(bit, { init: 0, name: "model_frame_has" }),
      owner = reg(uint(2), { name: "model_owner" }),
      entryHas = reg(bit, { init: 0, name: "model_entry_has" }),
      kept = reg(uint(p.ppnBits), { name: "model_kept" });
    when(ofFrame, () => {
      has.set(1);
      owner.set(said.page);
    });
    when(ofEntry, () => {
      entryHas.set(1);
      kept.set(said.ppn);
    });
    assertAlways(said.valid.and(dut.verdict.at(1).valid).not(), "a verdict is for one way");
    assertAlways(ofFrame.not().or(gone), "no entry has a page that is still free");
    assertAlways(ofFrame.and(has).not().or(said.page.eq(owner)), "a page of the board is one entry's");
    assertAlways(ofEntry.and(entryHas).not().or(said.ppn.eq(kept)), "an entry keeps its page");
    cover(has.and(entryHas).and(owner.ne(ENTRY)), "two entries have pages");
    cover(ofFrame.and(has), "a page is found again");
  },
);

export const pageOwnerProof: Proof = {
  module: `PageTable: a page has one owner, ${p.pages} pages`,
  harness: harness(),
  own: true,
  long: true,
  by: "abc pdr",
  reach: 20,
  faults: [
    {
      what: "an entry that changes is believed",
      from: "stale <= entry_changes & (place == at_page)",
      to: "stale <= 1'b0",
    },
    { what: "a page is given and stays free", from: /free_ready = [^;]*;/, to: "free_ready = 1'b0;" },
    {
      what: "a page is given that nobody has freed",
      from: "& free_valid & ~software_writes",
      to: "& ~software_writes",
    },
    { what: "the page goes to the next look's entry", from: "takes_page ? here_page", to: "takes_page ? at_page" },
    {
      what: "a verdict names the free page for one that is there",
      from: "entry_present ? entry_ppn : ",
      to: "1'b0 ? entry_ppn : ",
    },
  ],
};
