import { describe, expect, test } from "vitest";
import { refusals } from "../../../../../designs/supernic/wire/index.ts";
import { type Bench, bernoulli, bursts, type Dut, runBench } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { dut, JudgeRig, type Ports, ports } from "./support/judge-rig.ts";

type B = Bench<Ports>;
type PortName = keyof typeof ports;
const names = Object.keys(ports) as PortName[];
/** Frames of the long run. */
const many = Number(process.env["MNEMO_JUDGE_FRAMES"] ?? 5_000);
const big = { seed: 9, limitCycles: 40 * many + 100_000, timeoutMs: 60_000 + 10 * many };

/** What is wrong, and the text that makes it so. */
const faults: readonly (readonly [string, string | RegExp, string])[] = [
  [
    "bytes behind a frame's end are the line's",
    /taken_data_63 <= rx_payload_keep\[63\] \? ([^;]*) : 8'd0;/,
    "taken_data_63 <= $1;",
  ],
  ["a frame's last bytes are the next frame's first", "& {160{~held_last}}", ""],
  ["a last beat that has gone into the one before comes again", "taken_valid & ~next_absorbed", "taken_valid"],
  ["a frame's end in the beat behind is not seen", "held_ends = held_last | next_joins", "held_ends = held_last"],
  ["a beat goes before the next one has come", "(held_last | taken_valid)", "1'b1"],
  ["a tag behind a link shim is not found", /finds_tag = [^;]*;/, "finds_tag = taken_places_tag[0];"],
  ["what was taken off the frame before", "if (taken_first) begin", "if (taken_last) begin"],
  ["a frame that is too long goes on for ever", "held_goes & (held_ends | ~beat_over)", "held_goes"],
  ["a long frame is short again", "beat_over ? beat_number :", ""],
  ["MAC control with a tag in front pauses", /wrong_pfc_and = ~\([^)]*\)/, "wrong_pfc_and = 1'b1"],
  ["MAC control inside a redirect", /inside_bad_type_0 = [^;]*;/, "inside_bad_type_0 = 1'b0;"],
  ["a tag inside a redirect is not looked behind", /inside_wrong = inside_tagged \? [^;]*:/, "inside_wrong ="],
  ["a frame without a link shim on a reliable port", "config_reliable & ~(alone & mac_control)", "1'b0"],
  ["a fragment's ports count", /& ~\(stripped_data\[165\] \| \(\|\{[^}]*\}\)\)/, ""],
  [
    "an IPv4 length past the frame's end",
    "ip_beyond = judged_facts_ip_end > {3'd0, judged_length}",
    "ip_beyond = 1'b0",
  ],
  ["a frame under way outlives a reset", "if (rst) in_frame <= 1'b0;", "if (1'b0) in_frame <= 1'b0;"],
  ["half a frame outlives a reset", "stripped_index <= 5'd0; beat_number <= 5'd0;", "stripped_index <= 5'd0;"],
];

const pauses = (b: B) => ({
  from: bernoulli(0.2, b.random.word()),
  to: bursts({ go: 20, pause: 8 }, b.random.word()),
});
/** Frames of a port, some of them changed; then a right one. */
async function traffic(b: B, port: PortName, count: number, o: { readonly changed: number; readonly paused: boolean }) {
  const rig = new JudgeRig(b, ports[port], o.paused ? pauses(b) : {});
  await send(rig, count, o.changed);
  return rig;
}
async function send(rig: JudgeRig, count: number, changed: number): Promise<void> {
  const { random } = rig.b;
  for (let i = 0; i < count; i++) {
    rig.send(random.chance(changed) ? rig.wrong() : rig.right(), random.chance(0.03));
    if (rig.rx.pending > 40) await rig.b.until(() => rig.rx.pending < 20);
  }
  for (let i = 0; i < 10; i++) rig.send(rig.right(70));
  await rig.end();
}
/** Resets in the middle of frames, and traffic behind them. */
async function resets(b: B): Promise<void> {
  const rig = new JudgeRig(b, ports.peer, pauses(b));
  for (let round = 0; round < 30; round++) {
    for (let i = 0; i < 30; i++) rig.send(b.random.chance(0.3) ? rig.wrong() : rig.right());
    await b.cycles(b.random.between(3, 60));
    rig.reset();
  }
  await send(rig, 60, 0.3);
}

describe("Judge", () => {
  for (const name of names) {
    bench(`${name} port: right frames, under random pauses`, dut(), { seed: 3 }, async b => {
      const rig = await traffic(b, name, 300, { changed: 0, paused: true });
      expect([...rig.reasons.keys()].filter(r => !["none", "fcs", "long"].includes(r))).toEqual([]);
    });
    bench(`${name} port: mutated frames, back to back`, dut(), { seed: 4 }, async b => {
      await traffic(b, name, 600, { changed: 0.8, paused: false });
    });
  }
  bench(`${many} mutated frames: each as the model says, each reason, the next one served`, dut(256), big, async b => {
    const rig = new JudgeRig(b, ports.reliablePeer, { frameBytes: 256 });
    await send(rig, many, 0.7);
    for (const reason of refusals.filter(r => r !== "peer"))
      expect(rig.reasons.get(reason) ?? 0, reason).toBeGreaterThan(many / 10_000);
  });
  bench("a reset in the middle of frames leaves nothing behind", dut(), { seed: 5 }, resets);
  bench("frames of 9,018 bytes", dut(9018), { seed: 6 }, async b => {
    const rig = new JudgeRig(b, ports.peer, { ...pauses(b), frameBytes: 9018 });
    for (let i = 0; i < 10; i++) rig.send(rig.right(b.random.between(8950, 9018)));
    for (let i = 0; i < 6; i++) rig.send(rig.right(9019 + 9 * i));
    await rig.end();
    expect([...rig.reasons.keys()].sort()).toEqual(["long", "none"]);
  });

  describe("latency and interval", () => {
    bench("4 cycles; a frame of 64 bytes every cycle, whatever is taken off", dut(), { seed: 7 }, async b => {
      const rig = new JudgeRig(b, ports.host);
      await b.cycles(3);
      const from = b.cycle;
      for (let i = 0; i < 200; i++) {
        const frame = rig.right(64);
        rig.send(frame.slice(0, Math.min(frame.length, 64)));
      }
      await rig.end();
      expect(rig.latencies.every(l => l.first === 4 && l.last === 4)).toBe(true);
      expect(b.cycle - from).toBeLessThan(200 + 20);
    });
    bench("full beats back to back: one a cycle", dut(), { seed: 8 }, async b => {
      const rig = new JudgeRig(b, ports.host);
      for (let i = 0; i < 60; i++) rig.send(rig.right(1400));
      const from = b.cycle;
      await rig.rx.drained();
      const beats = rig.latencies.length;
      await rig.end();
      expect(beats).toBeGreaterThan(57);
      expect(b.cycle - from).toBeLessThan(60 * 23 + 30);
    });
  });

  describe("a planted fault is found", () => {
    const runs: readonly ((b: B) => Promise<unknown>)[] = [
      b => traffic(b, "reliablePeer", 250, { changed: 0.8, paused: false }),
      b => traffic(b, "host", 250, { changed: 0.8, paused: true }),
      resets,
    ];
    const look = async (name: string, design: Dut<Ports>): Promise<void> => {
      for (const [i, run] of runs.entries())
        await runBench(`${name} ${i}`, design, { wave: false, hangCycles: 300, limitCycles: 60_000, seed: 4 }, run);
    };
    test("and nothing without one", async () => {
      await look("no fault", dut());
    });
    for (const [name, from, to] of faults) {
      test(name, async () => {
        await findsFault(look(name, plant(dut(), from, to)));
      });
    }
  });
});
