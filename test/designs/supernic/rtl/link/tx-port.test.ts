import { describe, expect } from "vitest";
import { longestBeats, mostWaiting } from "../../../../../designs/supernic/rtl/link/index.ts";
import { pattern } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { testOfResets } from "../../../../support/reset-any-time.ts";
import { dut, PortRig } from "./support/port-rig.ts";
import {
  answers,
  beginsAnew,
  everyLength,
  flutters,
  fullRing,
  goesDown,
  nackAndSilence,
  overtaking,
  partnersPauses,
  pauseFrames,
  resetBeside,
  silence,
} from "./support/scenarios.ts";

/** A MAC at 100 Gbps takes 25 beats of 64 bytes in 32 cycles. */
const lineShare = 25 / 32,
  lineRate = pattern("----#---#----#---#----#---#----#");

describe("a port without a link", () => {
  for (const set of ["small", "full"] as const)
    bench(`${set}: frames of every length, marks and padding stay`, dut(set), { seed: 1 }, b => everyLength(b, set));
});

describe("latency and rate", () => {
  for (const reliable of [false, true])
    bench(`3 cycles from a frame's last beat, ${reliable ? "with" : "without"} a link`, dut("full"), {}, async b => {
      const rig = new PortRig(b, "full", { reliable });
      for (const bytes of [60, 64, 300, 1600]) {
        rig.give(bytes);
        await b.until(() => rig.end.lanes[0].pending === 0);
        await b.cycles(60);
      }
      const { into, out } = rig.end.cycles;
      expect(out.map((cycle, i) => cycle - (into[i] ?? 0))).toEqual([3, 3, 3, 3]);
    });
  for (const reliable of [false, true])
    for (const bytes of [60, 64, 65, 120, 121, 256, 1000, 1518])
      bench(`${bytes} bytes ${reliable ? "with" : "without"} a link: a beat a cycle`, dut("full"), {}, async b => {
        const rig = new PortRig(b, "full", { reliable });
        const count = Math.ceil(30_000 / Math.max(bytes, 128));
        for (let i = 0; i < count; i++) rig.give(bytes, { lane: i % 2 === 0 ? 0 : 1 });
        await b.until(() => rig.end.cycles.out.length > 0);
        const from = rig.end.cycles.out[0] ?? 0;
        await b.until(() => rig.out.length === count);
        const cycles = (rig.out.at(-1)?.cycle ?? 0) - from + 1,
          beats = Math.ceil((bytes + (reliable ? 8 : 0)) / 64);
        // A frame that grows by a beat leaves slower than it comes; one that does not comes as fast as it leaves.
        expect(cycles).toBe(count * beats);
      });
});

describe("room", () => {
  const kinds = [
    { name: "short frames", bytes: [60, 64, 100] },
    { name: "longest frames", bytes: [1600] },
    { name: "all", bytes: [60, 300, 1600, 64, 1518] },
  ];
  for (const { name, bytes } of kinds)
    bench(`lanes that look at it keep the line busy, and the ring short: ${name}`, dut("full"), {}, async b => {
      const rig = new PortRig(b, "full", { reliable: false, mac: lineRate }),
        longest = longestBeats(rig.p);
      /** Beats that each lane has decided on and that have not begun, and what comes of them so many cycles later. */
      const decided: { readonly lane: 0 | 1; readonly bytes: number; readonly at: number }[] = [],
        promised = [0, 0];
      const late = 12;
      let most = 0,
        on = true;
      b.onEdge({
        sample: cycle => {
          for (; decided[0] && decided[0].at <= cycle; decided.shift()) rig.give(decided[0].bytes, decided[0]);
          for (const lane of [0, 1] as const) {
            const port = lane === 0 ? b.io.lane0 : b.io.lane1;
            // A frame counts as decided until its last beat is in: less than the contract allows.
            if (port.valid.num === 1 && port.ready.num === 1) promised[lane] = (promised[lane] ?? 0) - 1;
            const next = b.random.pick(bytes),
              beats = Math.ceil(next / 64);
            if (on && b.io.room.num === 1 && (promised[lane] ?? 0) + beats <= longest) {
              promised[lane] = (promised[lane] ?? 0) + beats;
              decided.push({ lane, bytes: next, at: cycle + late });
            }
          }
          const waiting = rig.end.cycles.into.length - rig.end.cycles.out.length;
          most = Math.max(most, waiting);
        },
      });
      await b.cycles(300);
      const from = rig.end.txBeats;
      await b.cycles(3000);
      const rate = (rig.end.txBeats - from) / 3000;
      expect(rate).toBeGreaterThan(0.97 * lineShare);
      // From one cycle on nothing is decided: what still leaves is the bound.
      on = false;
      const paused = rig.end.txBeats;
      await rig.done();
      expect(rig.end.txBeats - paused).toBeLessThanOrEqual(mostWaiting(rig.p));
      expect(most).toBeGreaterThan(1);
    });
  bench("a ring that is full makes lanes wait: 1,024 frames, and an ACK of exactly all", dut("jumbo"), {}, fullRing);
});

bench("when ACK and NACK leave", dut("small"), {}, answers);

describe("sending again", () => {
  bench("a NACK and a silence, in every order about one cycle", dut("small"), {}, nackAndSilence);
  bench("an ACK overtakes what is being sent again", dut("small"), { seed: 3 }, overtaking);
  bench("the silence is measured: 20 us to the first, and 8 tries until the link is down", dut("full"), {}, b =>
    silence(b),
  );
});

describe("a link that is down", () => {
  testOfResets(dut("small"), {}, beginsAnew);
  testOfResets(dut("small"), {}, b => goesDown(b, "silence"));
  for (const how of ["silence", "nacks"] as const)
    bench(
      `after ${how}: it drops all that it has and gets, gives its memory back, and begins anew`,
      dut("small"),
      {},
      b => goesDown(b, how),
    );
  bench("software begins anew while frames come and go: nothing leaks", dut("small"), { seed: 5 }, beginsAnew);
  bench("a reset beside traffic leaves nothing behind", dut("small"), { seed: 6 }, resetBeside);
});

describe("priority flow control", () => {
  bench("XOFF at once, again before its time ends, XON when the queue has fallen", dut("full"), {}, b =>
    pauseFrames(b),
  );
  bench("a queue that flutters makes no storm", dut("full"), {}, b => flutters(b));
  bench("the partner's pauses last for their time, and end by XON", dut("full"), {}, b => partnersPauses(b));
});
