import { describe, expect, test } from "vitest";
import { mostBeats } from "../../../../../designs/supernic/rtl/port/index.ts";
import { type Dut, runBench } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { type B, dut, type Ports, RxRig, type Size, sizes } from "./support/rx-rig.ts";

/** Random traffic: taken as it comes, hardly taken, refused by the link at times; then all that waits leaves. */
async function life(rig: RxRig, frames: number): Promise<void> {
  // A frame a cycle, each with facts of its own.
  for (let i = 0; i < 60; i++) rig.send(rig.data(60, i % 9));
  await rig.rx.drained();
  await rig.traffic(frames);
  rig.takesPerCycle = 0.02;
  await rig.traffic(frames / 2);
  rig.accepts = 0.8;
  rig.takesPerCycle = 0.7;
  await rig.traffic(frames / 2);
  rig.accepts = 1;
  await rig.end();
}
/** Every class gets more than it has room for, while nobody takes or few do; then all leaves. */
async function flood(rig: RxRig): Promise<void> {
  const { random } = rig.b;
  for (const takes of [0, 0.3, 0, 0.15]) {
    rig.takesPerCycle = takes;
    for (let i = 0; i < 90; i++) {
      rig.send(rig.data(random.chance(0.7) ? 60 : random.between(60, 300), i % 9));
      await rig.b.until(() => rig.rx.pending < 3);
    }
  }
  await rig.end();
}
const paused = (b: B) => ({ to: () => () => b.random.chance(0.2) });
async function started(b: B, size: Size, o: ConstructorParameters<typeof RxRig>[2] = {}): Promise<RxRig> {
  const rig = new RxRig(b, size, o);
  await rig.program();
  return rig;
}
async function resets(rig: RxRig, rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    rig.takesPerCycle = round % 2 ? 0.05 : 0.7;
    await rig.traffic(rig.b.random.between(5, 60));
    // Every second time while a long frame that is not kept is being taken apart.
    if (round % 4 < 2) {
      rig.send(rig.data(sizes.small.frameBytes, 0), true);
      await rig.b.until(() => rig.coming === 0);
      await rig.b.cycles(rig.b.random.between(0, 3));
    }
    await rig.reset();
    // What outlives a reset shows before the next one hides it.
    await rig.b.cycles(8);
    expect(rig.b.io.free.num).toBe(sizes.small.beats);
  }
  rig.takesPerCycle = 0.7;
}
async function look(what: string, design: Dut<Ports>): Promise<void> {
  await runBench(what, design, { seed: 7 }, async b => {
    const rig = await started(b, "small", paused(b));
    await life(rig, 250);
    await flood(rig);
    await resets(rig, 12);
    await flood(rig);
    await life(rig, 150);
  });
  // What is switched comes most at a port of a host.
  await runBench(`${what}, a host`, design, { seed: 7 }, async b => {
    const rig = await started(b, "small", { ...paused(b), peer: false });
    await life(rig, 250);
    await flood(rig);
  });
}
const mutatedFrames = Number(process.env["MNEMO_PORT_FRAMES"] ?? 5_000);
/** Bounds that grow with the frames: they end a bench that hangs, and decide nothing else. */
const big = { seed: 3, limitCycles: 40 * mutatedFrames + 100_000, timeoutMs: 120_000 + 10 * mutatedFrames };

const faults: readonly (readonly [string, string | RegExp, string])[] = [
  ["a user that the build has not is another one", / & \(users_index < 6'd\d+\)/, ""],
  ["a class takes more than its beats", "rest_5 <= 5'd16", "rest_5 <= 5'd24"],
  ["what left still counts", "out_valid & out_class[4]", "1'b0"],
  ["what came does not count", "came_class[4] ? ", "1'b0 ? "],
  ["what has just come is not asked for", /came_class\[(\d)\] \? (\{[^}]*\}|writer_with_last)/, "1'b0 ? $2"],
  ["what has just come is asked for although another class has it", "came_class[4] ? {", "(|came_class) ? {"],
  ["the head is that of the next frame", "begins = beat_first ? here : start", "begins = here"],
  ["a link is to the beat itself", "write_next = offer_payload", "write_next = here"],
  [
    "a frame that is dropped has the links of another",
    "links[writer_write_at] <=",
    "links[writer_written_payload_first] <=",
  ],
  ["a place is taken without a beat", "offer_ready = beat_valid | ~holds_place", "offer_ready = 1'b1"],
  ["a stalled beat is freed again", /free_valid = reads & given/, "free_valid = reads"],
  ["a frame ends a beat early", "last <= rest == 3'd1", "last <= rest <= 3'd2"],
  ["one too many is at hand", /room_4 = claimed_4 < 3'd4/, "room_4 = claimed_4 < 3'd5"],
  ["a ring does not wrap", /\(head_4 == 7'd\d+\) \?/, "1'b0 ?"],
  ["beats that are not kept are freed a second time", "walks <= steps", "walks <= steps | walks"],
  ["the verdict is that of the frame behind", ".pop_ready (match_outcome_valid)", ".pop_ready (1'b1)"],
  ["a PFC frame that is refused pauses", " & ~judge_frame_payload_refused", ""],
  ["a pause is not told", /pfc_seen_valid <=\s+ends[^;]*;/, "pfc_seen_valid <= 1'b0;"],
  [
    "one class is paused for another's time",
    "pfc_seen_times_3 <= {head[199:192]",
    "pfc_seen_times_3 <= {head[183:176]",
  ],
  ["software's frames are switched", "match_outcome_software) ? 3'd5 :", "match_outcome_software) ? 3'd4 :"],
  [
    "a result waits with redirects",
    "(match_outcome_payload_peer[0] ? 3'd5 : 3'd3)",
    "(match_outcome_payload_peer[0] ? 3'd5 : 3'd4)",
  ],
  ["a peer's message waits with results", "(match_outcome_payload_peer[0] ? 3'd5 : 3'd3)", "3'd3"],
  [
    "what passes is not kept",
    /== match_outcome_unwrap\) \| \(match_outcome_payload_outcome == match_outcome_onward\)/,
    "== match_outcome_unwrap)",
  ],
  ["a user waits with results", "user_class_is_taken =", "user_class_is_taken = 1'b0 &"],
  ["the dropped frames outlive a reset", "walks <= 1'b0", "walks <= walks"],
  ["the lanes' frames are mixed up", "is_second <= take_payload_second", "is_second <= ~take_payload_second"],
  ["a class asks for a pause for ever", "full_1 <= 1'b0", "full_1 <= 1'b1"],
  ["what is switched counts as offered to the core", /offered_q_valid <=\s+there[^;]*;/, "offered_q_valid <= there;"],
  ["what is dropped counts as kept", "offered_q_kept <= keep", "offered_q_kept <= 1'b1"],
];

describe("RxPort", () => {
  for (const size of ["small", "full", "jumbo"] as const)
    bench(`${size}: frames wait in their queues, and leave in their order`, dut(size), { seed: 1 }, async b => {
      const rig = await started(b, size, paused(b));
      await life(rig, 500);
      expect(rig.told).toBeGreaterThan(20);
      const fates = [...rig.fates.keys()];
      expect(fates).toEqual(
        expect.arrayContaining(["fcs", "nowhere", "rule", "unlinked", "queued0", "queued3", "queued4", "queued5"]),
      );
      if (size === "small") expect(fates).toEqual(expect.arrayContaining(["full1", "full3", "full5"]));
    });
  bench("a reset beside traffic leaves nothing inside", dut("small"), { seed: 2 }, async b => {
    const rig = await started(b, "small", paused(b));
    await resets(rig, 20);
    await life(rig, 100);
  });
  bench("mutated frames: each is judged, the next good one is kept, and no beat is lost", dut("full"), big, async b => {
    const rig = await started(b, "full");
    rig.takesPerCycle = 1;
    for (let i = 0; i < mutatedFrames; i += 500) await rig.traffic(Math.min(500, mutatedFrames - i), 0.9);
    for (let to = 0; to < 7; to++) {
      const frame = rig.send(rig.data(100, to));
      await b.until(() => rig.coming === 0);
      expect(frame.judged.reason).toBe("none");
    }
    await rig.end();
  });
  bench(
    "latency: 11 cycles to the head; 64-byte frames of one class, one a cycle",
    dut("full"),
    { seed: 4 },
    async b => {
      const rig = await started(b, "full", { peer: false });
      rig.takesPerCycle = 0;
      const one = rig.plain(64);
      rig.send(one);
      await b.until(() => rig.latencies.length === 1);
      expect(rig.latencies).toEqual([11]);
      rig.takesPerCycle = 1;
      await b.until(() => rig.taken.length === 1);
      // What waits is taken every second cycle by the bench; the heads are there each cycle.
      rig.takesPerCycle = 0;
      for (let i = 0; i < 40; i++) rig.send(one);
      await rig.rx.drained();
      await b.cycles(30);
      const from = rig.taken.length;
      rig.everyCycle = true;
      await b.until(() => rig.taken.length === from + 40);
      const cycles = rig.taken.slice(from);
      expect((cycles.at(-1) ?? 0) - (cycles[0] ?? 0)).toBe(39);
      rig.everyCycle = false;
      await rig.end();
    },
  );
  bench(
    "a port of a host: every user has its class, and what is switched its own",
    dut("small"),
    { seed: 5 },
    async b => {
      const rig = await started(b, "small", { ...paused(b), peer: false });
      await life(rig, 200);
      expect([...rig.fates.keys()]).toEqual(expect.arrayContaining(["queued2", "queued3", "queued4", "full4"]));
    },
  );
  for (const size of ["full", "jumbo"] as const)
    test(`${size}: what comes after a pause fits: 27.6 KB of the worst frames, and two of the longest`, () => {
      // 65 bytes are 2 beats, and 89 on the wire with FCS, preamble and gap (IEEE 802.3).
      const { pauseAt } = sizes[size],
        after = Math.ceil(27_600 / 89) * 2 + 2 * mostBeats(sizes[size]),
        [limit = 0] = RxRig.limits(size);
      expect(pauseAt + after).toBeLessThanOrEqual(limit);
    });
  const pausing = async (b: B): Promise<void> => {
    const rig = await started(b, "full", { peer: false }),
      { pauseAt, resumeAt } = sizes.full,
      full = (): number => b.io.full.num;
    rig.takesPerCycle = 0;
    const send = async (frames: number): Promise<void> => {
      for (let i = 0; i < frames; i++) rig.send(rig.plain(64));
      await b.until(() => rig.coming === 0);
      await b.cycles(6);
    };
    await send(pauseAt - 1);
    expect(full()).toBe(0);
    await send(1);
    expect(full()).toBe(1 << 4);
    const take = async (): Promise<void> => {
      const left = rig.inside - 1;
      rig.takes[1].send(4);
      await b.until(() => rig.inside === left);
      await b.cycles(6);
    };
    while (rig.inside > resumeAt) await take();
    expect(full()).toBe(1 << 4);
    await take();
    expect(full()).toBe(0);
    await rig.end();
  };
  const name = "a class asks for a pause at its mark, and lets go below the other";
  bench(name, dut("full"), { seed: 5 }, pausing);
  const [limit = 0] = RxRig.limits("full"),
    rest = (is: string, used: number): string => `now_4 ${is} 10'd${limit - used}`;
  test("a class that asks a beat late is found", async () => {
    await findsFault(runBench(name, plant(dut("full"), rest("<=", 72), rest("<=", 73)), { seed: 5 }, pausing));
  });
  test("a class that lets go a beat late is found", async () => {
    await findsFault(runBench(name, plant(dut("full"), rest(">", 36), rest(">", 35)), { seed: 5 }, pausing));
  });
  describe("a planted fault is found", () => {
    test("and nothing without one", async () => look("no fault", dut("small")));
    for (const [name, from, to] of faults)
      test(name, async () => {
        await findsFault(look(name, plant(dut("small"), from, to)));
      });
  });
});
