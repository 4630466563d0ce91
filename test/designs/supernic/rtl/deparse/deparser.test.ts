import { describe, expect, test } from "vitest";
import { type Bench, bernoulli, bursts, type Dut, runBench } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { DeparseRig, dut, type Ports, snic } from "./support/deparse-rig.ts";

type B = Bench<Ports>;
const pauses = (b: B) => ({
  from: bernoulli(0.2, b.random.word()),
  to: bursts({ go: 20, pause: 8 }, b.random.word()),
  late: bernoulli(0.3, b.random.word()),
});
async function traffic(b: B, count: number, paused = true): Promise<DeparseRig> {
  const rig = new DeparseRig(b, paused ? pauses(b) : {});
  for (let i = 0; i < count; i++) rig.send(rig.random());
  await rig.end();
  return rig;
}
async function resets(b: B): Promise<void> {
  const rig = new DeparseRig(b, pauses(b));
  for (let round = 0; round < 20; round++) {
    for (let i = 0; i < 20; i++) rig.send(rig.random());
    await b.cycles(b.random.between(5, 80));
    rig.reset();
  }
  for (let i = 0; i < 40; i++) rig.send(rig.random());
  await rig.end();
}
/** Payloads that end before their time: zeros, and marked bad. */
async function short(b: B): Promise<void> {
  const rig = new DeparseRig(b, pauses(b));
  for (let i = 0; i < 60; i++) {
    const beats = b.random.between(2, 9);
    rig.send(rig.plain(64 + 64 * beats - b.random.between(0, 20)), {
      missing: b.random.chance(0.5) ? b.random.between(1, beats - 1) : 0,
    });
    rig.send(rig.random());
  }
  await rig.end();
  rig.send(rig.plain(300), { missing: 2 });
  await rig.end();
}

/** What is wrong, and the text that makes it so. */
const faults: readonly (readonly [string, string | RegExp, string])[] = [
  ["a packet begins behind the one before", "part_at = ~begun ? insert_room : ", "part_at = "],
  ["a template counts as a whole", "{7{is_front}} & packet_payload_template_bytes", "{7{is_front}} & 7'd64"],
  ["front bytes are not left out", "head_turn = ~begun ? packet_payload_head_turn", "head_turn = ~begun ? 6'd0"],
  ["the IPv4 length counts the MACs", "frame_bytes - 16'd14", "frame_bytes"],
  ["lengths of the packet before", /is_settled <= [^;]*;/, "is_settled <= packet_valid;"],
  [
    "the checksum forgets its carry",
    "sum = {1'b0, filled_sum} + {1'b0, filled_ip_length}",
    "sum = {1'b0, filled_sum + filled_ip_length}",
  ],
  [
    "a payload that is too short ends the frame's port",
    "(~is_body | short | payload_valid)",
    "(~is_body | payload_valid)",
  ],
  ["a frame with a short payload passes for a good one", "(is_body & (short | payload_payload_bad))", "1'b0"],
  ["a frame that grows by a beat loses its end", /spills_over = [^;]*;/, "spills_over = 1'b0;"],
  ["a short frame is not filled", "{4'd0, {60{is_short}}}", "64'd0"],
  [
    "a tag where there is none",
    "{2'd0, packet_payload_about_shimmed, packet_payload_about_tagged, 2'd0}",
    "{2'd0, packet_payload_about_shimmed, 1'b1, 2'd0}",
  ],
  ["words come again in a frame's last beat", "is_first_beat <= beat_ends;", "is_first_beat <= turned_last;"],
  ["what is told of the frame before", "if (~begun) begin", "if (begun) begin"],
  ["a packet half told outlives a reset", "begun <= 1'b0; head_done <= 1'b0;", "head_done <= 1'b0;"],
  [
    "a packet has been read with each of its parts",
    "read_packets_push = packet_goes",
    "read_packets_push = takes_part",
  ],
];

describe("Deparser", () => {
  bench("packets of every kind, under random pauses", dut(), { seed: 2 }, async b => {
    await traffic(b, 600);
  });
  bench("packets of every kind, back to back", dut(), { seed: 3 }, async b => {
    await traffic(b, 600, false);
  });
  bench("frames of 9,018 bytes", dut(), { seed: 4 }, async b => {
    const rig = new DeparseRig(b, pauses(b));
    for (const bytes of [9018, 9017, 8960, 9018]) rig.send(rig.plain(bytes, { snic: snic(b.random) }));
    await rig.end();
  });
  bench("a payload that ends early: the frame is marked bad, the next one right", dut(), { seed: 5 }, short);
  bench("a reset in the middle of everything leaves nothing behind", dut(), { seed: 6 }, resets);

  bench("latency 2 cycles; a frame of 64 bytes every cycle", dut(), { seed: 7 }, async b => {
    const rig = new DeparseRig(b);
    await b.cycles(4);
    const from = b.cycle;
    for (let i = 0; i < 200; i++) rig.send(rig.plain(64));
    await rig.end();
    expect(new Set(rig.latencies)).toEqual(new Set([2]));
    expect(b.cycle - from).toBeLessThan(200 + 35);
  });
  for (const bytes of [256, 320, 1000, 1518, 9018])
    for (const shimmed of [false, true])
      bench(`${bytes} bytes${shimmed ? " and a shim" : ""}: 97 % of the beats`, dut(), { seed: 8 }, async b => {
        const rig = new DeparseRig(b),
          count = Math.ceil(40_000 / bytes);
        const from = b.cycle;
        for (let i = 0; i < count; i++) rig.send(rig.plain(bytes, shimmed ? { snic: snic(b.random) } : {}));
        await b.until(() => rig.count === count);
        const beats = count * Math.ceil((bytes + (shimmed ? 8 : 0)) / 64);
        expect(beats / (b.cycle - from - 8)).toBeGreaterThan(0.97);
        await rig.end();
      });

  describe("a planted fault is found", () => {
    const runs: readonly ((b: B) => Promise<unknown>)[] = [b => traffic(b, 250), short, resets];
    const look = async (name: string, design: Dut<Ports>): Promise<void> => {
      for (const [i, run] of runs.entries())
        await runBench(`${name} ${i}`, design, { wave: false, hangCycles: 300, limitCycles: 60_000, seed: 4 }, run);
    };
    test("and nothing without one", async () => {
      await look("no fault", dut());
    });
    for (const [name, from, to] of faults)
      test(name, async () => {
        await findsFault(look(name, plant(dut(), from, to)));
      });
  });
});
