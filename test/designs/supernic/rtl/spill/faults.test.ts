/** Faults in the spill's Verilog, of which each bench that is to find it fails. */
import { describe, expect, test } from "vitest";
import { runBench } from "../../../../../sim/index.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import {
  atQuota,
  atTheEnd,
  changedRecords,
  crowded,
  discards,
  failingReads,
  failingWrites,
  full,
  life,
  metered,
  oneHeader,
  resets,
} from "./support/runs.ts";
import { type B, dut } from "./support/spill-rig.ts";

const runs = {
  life: (b: B) => life(b, "small", {}, 3),
  full,
  failingReads,
  failingWrites,
  discards,
  resets,
  crowded: (b: B) => crowded(b, 40),
  atTheEnd,
  oneHeader: async (b: B) => {
    const { lost, begin } = await oneHeader(b);
    expect(lost).toBe(begin);
  },
  changedRecords: async (b: B) => {
    const { lost, begin } = await changedRecords(b);
    expect(lost).toEqual(lost.map(() => begin));
  },
  atQuota: async (b: B) => {
    expect(await atQuota(b)).toBeLessThan(600);
  },
  metered: async (b: B) => {
    const { own, most, other } = await metered(b);
    expect(own).toBeLessThanOrEqual(most);
    expect(other).toBeLessThan(1_500);
  },
} as const;
const look = (
  name: string,
  which: keyof typeof runs,
  design: ReturnType<typeof plant<ReturnType<typeof dut>["ports"]>>,
) => runBench(name, design, { wave: false, limitCycles: 200_000, seed: 3 }, async b => void (await runs[which](b)));

/** Every ring, inlet or head has its own copy of a line. */
const faults: readonly (readonly [string, string | RegExp, string, keyof typeof runs])[] = [
  // Records.
  ["a record is longer than any frame", /record_is_sane = [^;]*;/, "record_is_sane = 1'b1;", "changedRecords"],
  // Order within a DAG.
  ["the gate opens while a frame is on chip", /& ~\(\|whole_([01])\)\)\)/, "))", "crowded"],
  ["the gate opens while a frame is on its way to the memory", /\| \(\|queued_[01]\)\)/, ")", "atTheEnd"],
  ["the gate opens beside a frame that is being taken", /~\(divert_busy\[[01]\] \| /, "~(", "atTheEnd"],
  [
    "a ring's frame passes one that the class queue gives",
    /beats_to_merge_(\d) <= 1'b1/,
    "beats_to_merge_$1 <= 1'b0",
    "life",
  ],
  ["a head is not hidden around a ring's frame", /& ~\(offer_is_for_\d_\d & offer_hides\)/, "", "metered"],
  // Who takes what.
  ["a take of before counts as the ring's", /& ~take_was_held_\d/, "", "crowded"],
  ["a take does not wait for a ring's frame", /& ~takes_ring_(\d) & ~ring_is_at_\d/, "& ~takes_ring_$1", "life"],
  [
    "a take that was offered goes when the merge comes",
    "divert_locked <= divert_asks & ~diverted",
    "divert_locked <= 1'b0",
    "life",
  ],
  ["a diverted frame's beats go on to the merge", /beats_to_ring_0 <= [^;]*;/, "beats_to_ring_0 <= 1'b0;", "life"],
  ["a frame of a DAG that goes on is diverted too", /& ~open\[\d+\]/, "", "atQuota"],
  // The ring.
  ["a full ring is written over", /room_0 <= used_0 <= 9'd209/, "room_0 <= used_0 <= 9'd254", "full"],
  [
    "room on chip is counted without what is under way",
    /on_chip_0 = put_0 - got_0 \+ under_way_0/,
    "on_chip_0 = put_0 - got_0",
    "full",
  ],
  [
    "what was only asked to be written is read",
    "safe_0 <= safe_0 + {4'd0, asked_queue_pop_payload_len}",
    "safe_0 <= written_0",
    "crowded",
  ],
  ["a burst leaves its 16 beats", /read_fits = read_there <= [^;]*;/, "read_fits = read_there <= 9'd16;", "full"],
  ["a chunk has no first word", /writes_chunk = [^;]*;/, "writes_chunk = 1'b0;", "life"],
  ["half of the bandwidth is not kept", /cycles_saved >= \{1'b0, \{1'b0, write_len\} << 1\}/, "1'b1", "full"],
  ["two rings are one", "{1'b0, read_ring[1]} + 2'd2", "2'd2", "life"],
  // Errors and ends.
  [
    "a beat that failed goes to the merge",
    /\(beat_ring\[1\] & bad_1\) \| beat_failed/,
    "(beat_ring[1] & bad_1)",
    "failingReads",
  ],
  ["an error of a beat before the last is forgotten", /bad_0 <= frame_is_bad;/, "bad_0 <= 1'b0;", "failingReads"],
  [
    "behind an error the next record is looked for at the wrong beat",
    "skip_0 <= beat_data[5:0]",
    "skip_0 <= beat_data[5:0] + 6'd1",
    "oneHeader",
  ],
  ["what one DAG lost is lost of the next one, too", /(left_0 <= 4'd0;\n)\s*lost_0 <= 1'b0;/, "$1", "oneHeader"],
  ["a ring is free before what was begun is seen", /close_settled = [^;]*;/, "close_settled = 1'b1;", "atTheEnd"],
  [
    "frames that were jumped are not counted",
    /record_begins \? beat_ahead :/,
    "record_begins ? 8'd0 :",
    "failingReads",
  ],
  [
    "what is lost at the end is not counted",
    /frames_discarded = close_counts \? close_rest :/,
    "frames_discarded = 1'b0 ? close_rest :",
    "failingReads",
  ],
  [
    "a bad frame's beats stay on chip",
    /put_0 <= \(is_last & frame_is_bad\) \? kept_0 :/,
    "put_0 <= 1'b0 ? kept_0 :",
    "failingReads",
  ],
  ["a write that failed is read", /if \(~\(write_failed \| spoiled_0\)\)/, "if (1'b1)", "failingWrites"],
  ["a ring stays spoiled", /spoiled_0 <= 1'b0;\n/, "\n", "failingWrites"],
  ["a ring that discards is never free", "if (close_discards) held_0 <= 1'b0", "if (1'b0) held_0 <= 1'b0", "discards"],
  ["a ring is freed beside a read", /& \(asked_0 == read_0\)/, "", "discards"],
  ["another DAG's discard counts", /& \(dag_0 == ring_dag\)/, "", "discards"],
  ["a ring is still held behind a reset", /held_1 <= 1'b0; drains_1/, "drains_1", "resets"],
  ["frames are counted on behind a reset", /whole_1 <= 6'd0; left_1/, "left_1", "resets"],
  ["a frame is half taken behind a reset", /divert_state <= divert_state_idle; diverts/, "diverts", "resets"],
  ["a ring is read on behind a reset", /asked_1 <= 9'd0;/, "", "resets"],
  ["a user without tokens is shown for ever", /offer_is_dry <= [^;]*;/, "offer_is_dry <= 1'b0;", "metered"],
  [
    "tired rings do not rest",
    /else if \(offer_tires & ~ring_is_taken & offer_ring\[1\]\) tired_1 <= 1'b1;/,
    "",
    "atQuota",
  ],
  [
    "the wrong length of a user's bytes is metered",
    "shown_0_0_facts_length = shown_instead_0_0 ? offer_record_length",
    "shown_0_0_facts_length = shown_instead_0_0 ? 14'd60",
    "metered",
  ],
];
describe("planted faults", () => {
  test.each(faults)("%s", async (name, from, to, which) => {
    await findsFault(look(name, which, plant(dut("small"), from, to)));
  });
});
