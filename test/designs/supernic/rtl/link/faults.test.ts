/** Faults planted in the link: one of its benches finds each. */
import { describe, expect, test } from "vitest";
import { type Dut, runBench } from "../../../../../sim/index.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import type { EndBench } from "./support/hardware-end.ts";
import { noisy } from "./support/line.ts";
import { pair, type PairBench, PairRig } from "./support/pair-rig.ts";
import { dut } from "./support/port-rig.ts";
import * as scenarios from "./support/scenarios.ts";

const limits = { wave: false, hangCycles: 3000, limitCycles: 60_000, seed: 4 };
type Fault = readonly [string, string | RegExp, string];

async function traffic(b: PairBench): Promise<void> {
  const rig = new PairRig(b, "small", { faults: noisy, paused: true, lacks: 0.03 });
  for (const side of [0, 1] as const) rig.give(side, 250);
  await rig.end();
  // Most of what is missed is told.
  for (const e of rig.ends) expect(e.own.nackSent).toBeGreaterThan(e.model.nacks / 2);
}
/** Found by two ends that talk over a bad line. */
const inPair: readonly Fault[] = [
  ["a frame without room counts", "fits = seen_room | ~seen_wants_room", "fits = 1'b1"],
  ["a frame that is ahead counts", "next = next_sum[6]", "next = next_sum[6] | (gap == 16'd1)"],
  ["the last bits of a number are not looked at", /seen_sequence\[2:0\] == expected\[2:0\]/, "1'b1"],
  ["a NACK for each frame that is ahead", "asks = missing & ~nacked", "asks = missing"],
  ["no NACK after the first", "nacked <= ~(forgets | takes) &", "nacked <= ~forgets &"],
  ["the number expected does not go on", "expected <= expected + 16'd1", "expected <= expected + 16'd2"],
  ["an ACK is never due", /ack_due <= [^;]*;/, "ack_due <= 1'b0;"],
  [
    "an ACK within a frame is one too high",
    /answer_expected  \(receive_answer_expected\)/,
    "answer_expected (receive_answer_expected + 16'd1)",
  ],
  ["half a round is told from the wrong side", "behind = data & ~next & gap[15]", "behind = data & ~next & ~gap[15]"],
  ["what follows an ACK is where the last frame began", "moves ? heard_end :", "moves ? first_place :"],
  ["an ACK counts from the wrong end", "acked_number[2:0] - 3'd1", "acked_number[2:0]"],
  ["it goes back one too far forward", "repositions ? first_kept :", "repositions ? first_kept + 16'd1 :"],
  [
    "it goes back within a frame",
    "ring_goes_back = window_goes_back & frames_idle",
    "ring_goes_back = window_goes_back",
  ],
  ["the ring does not go back with the numbers", "goes_back ? from :", ""],
  ["a beat read before going back is sent", "out_turns = goes_back | clear", "out_turns = clear"],
  ["a frame marked bad takes a number", "frame_marked = lane_payload_user & reliable", "frame_marked = 1'b0"],
  [
    "a frame that is too long takes a number",
    "~(frame_marked | frame_over | frame_lost)",
    "~(frame_marked | frame_lost)",
  ],
  ["a frame that does not count stays in the ring", "write_place <= whole_place", "write_place <= write_place"],
  ["nothing is sent again in silence", "times_out = is_late & ~gives_up", "times_out = 1'b0"],
  ["the shim's number is not that of the frame", "next_number + 16'd1", "next_number + 16'd2"],
  ["a frame that grows by a beat loses its end", "spills <= grows_over", "spills <= 1'b0"],
  [
    "the end of a frame that grows is as long as before",
    "spill_lane <= moved_lane[5:0]",
    "spill_lane <= beats_payload_lane",
  ],
  ["short frames are not filled", /lane_is_short = [^;]*;/, "lane_is_short = 1'b0;"],
  [
    "bytes behind a frame's end are the lane's",
    /lane_payload_data\[407:400\] & \{8\{lane_payload_keep\[50\]\}\}/,
    "lane_payload_data[407:400]",
  ],
];

type Run = (b: EndBench) => Promise<void>;
const reliableEnd: readonly Run[] = [
  scenarios.nackAndSilence,
  scenarios.overtaking,
  scenarios.answers,
  b => scenarios.silence(b, "small"),
  b => scenarios.goesDown(b, "silence"),
  b => scenarios.goesDown(b, "nacks"),
  scenarios.beginsAnew,
  scenarios.resetBeside,
];
/** Found by one end whose partner answers, or is silent. */
const inEnd: readonly Fault[] = [
  [
    "an ACK of more than is under way",
    "believed = heard_counts & (heard_distance <= flying)",
    "believed = heard_counts",
  ],
  [
    "an ACK that overtakes does not make it go back",
    "overtakes = moves & (repositions | heard_beyond)",
    "overtakes = 1'b0",
  ],
  ["an ACK in the cycle of going back", "moves & (repositions | heard_beyond)", "moves & heard_beyond"],
  ["what is being read is given away", "else if (~(back & ~idle)) tail_place", "else tail_place"],
  ["a NACK of what has come is no ACK", "nacked = believed & heard_nack", "nacked = 1'b0"],
  ["the link never goes down", "clears <= fails | restart", "clears <= restart"],
  ["it goes down for NACKs only", "stays_silent = is_late & (silent_tries == 2'd3)", "stays_silent = 1'b0"],
  ["it goes down for silence only", "rounds_spent = rounds == 4'd12", "rounds_spent = 1'b0"],
  [
    "the rounds are those of all times",
    /rounds <= 4'd0;\n    else if \(~timer_runs \| moves\) rounds <= 4'd0;/,
    "rounds <= 4'd0;\n    else if (1'b0) rounds <= 4'd0;",
  ],
  ["what is kept is not given back when the link goes down", "read_place <= clear ? whole_place :", "read_place <="],
  ["its memory is not given back", "first_place <= clears ? drop_end :", "first_place <="],
  ["numbers do not begin anew", "next_number <= clears ? 16'd65500 :", "next_number <="],
  ["what has been sent is remembered", "sent_until <= clears ? 16'd65500 :", "sent_until <="],
  ["a link that is down takes frames", "frame_lost = drops | clear", "frame_lost = clear"],
  ["a frame that ends with the link is kept", "frame_lost = drops | clear", "frame_lost = drops"],
  ["the frame under way goes on", "gives_break = aborts | (clear & in_frame)", "gives_break = 1'b0"],
  ["what is lost is not counted", "events_q_lost <= drops_frame", "events_q_lost <= 1'b0"],
  ["a restart does not bring it up", "else if (restart) is_down <= 1'b0", "else if (1'b0) is_down <= 1'b0"],
  ["a frame that comes again is not acknowledged again", "again = behind |", "again = 1'b0 |"],
  ["a ring that is full is written over", /ring_full = [^;]*;/, "ring_full = 1'b0;"],
  ["the tail of a ring is not its wrap", "(write_place[4] != tail[4])", "1'b0"],
];

const plainEnd: readonly Run[] = [
  b => scenarios.everyLength(b, "small"),
  b => scenarios.pauseFrames(b, "small"),
  b => scenarios.flutters(b, "small"),
  b => scenarios.partnersPauses(b, "small"),
];
const inPlain: readonly Fault[] = [
  ["a mark is lost", "gives_beat & beat_ends & beats_payload_bad", "1'b0"],
  [
    "a frame without a link is done when it is acknowledged",
    "sent_plain = sent_valid & ~reliable",
    "sent_plain = 1'b0",
  ],
  ["a place is given back too soon", "sent_plain ? sent_end :", "sent_plain ? sent_end + 5'd2 :"],
  ["XOFF is told once", "again = refresh_due & (|full_q)", "again = 1'b0"],
  ["XON is never told", "resumes = fallen & {6{may_resume}}", "resumes = 6'd0"],
  ["a queue that flutters makes a storm", "fallen & {6{may_resume}}", "fallen"],
  ["XOFF waits as XON does", "due_q <= ~sent & (risen |", "due_q <= ~sent & ((risen & may_resume) |"],
  ["a wish is told twice", "due_q <= ~sent & (", "due_q <= ("],
  ["times are told of no class", "wish_enabled = {2'd0, stops_q | goes_q}", "wish_enabled = {2'd0, stops_q}"],
  [
    "PFC waits for the ring",
    "gives_pause = is_between & pause_due",
    "gives_pause = is_between & pause_due & ~beats_valid",
  ],
  ["the time of a pause is one in cycles", "phase_sum[5] & paused_3", "paused_3"],
  ["a time of a class that is not told", "pfc_valid & pfc_enabled[0]", "pfc_valid"],
];

const whole: readonly Run[] = [...reliableEnd, ...plainEnd];
async function look(name: string, design: Dut<ReturnType<typeof dut>["ports"]>, runs: readonly Run[]): Promise<void> {
  for (const [i, run] of runs.entries()) await runBench(`${name} ${i}`, design, limits, run);
}

describe("a planted fault is found", () => {
  test("and nothing without one", async () => {
    await runBench("no fault", pair("small"), limits, traffic);
    await look("no fault", dut("small"), whole);
  });
  for (const [name, from, to] of inPair)
    test(name, async () => {
      await findsFault(runBench(name, plant(pair("small"), from, to), limits, traffic));
    });
  for (const [name, from, to] of inEnd)
    test(name, async () => {
      await findsFault(look(name, plant(dut("small"), from, to), reliableEnd));
    });
  for (const [name, from, to] of inPlain)
    test(name, async () => {
      await findsFault(look(name, plant(dut("small"), from, to), plainEnd));
    });
});
