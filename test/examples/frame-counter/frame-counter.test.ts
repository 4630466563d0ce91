import { describe, expect, test } from "vitest";
import { FrameCounter, frameCounterMap } from "../../../examples/frame-counter/frame-counter.ts";
import { registerDriver } from "../../../hdl-dsl/index.ts";
import { bernoulli, EthernetMac, LiteMaster, never, type Pause, runBench } from "../../../sim/index.ts";
import { findsFault, plant } from "../../support/plant.ts";
import { type CounterBench, Watch } from "./watch.ts";

const dut = FrameCounter({ beatBytes: 8 });

/** Frames of random lengths pass, while software reads and clears at random; a reset comes in the middle. */
async function traffic(b: CounterBench, frames: number, pauseRx: Pause, pauseTx: Pause): Promise<void> {
  const mac = new EthernetMac(b.sim, b.io.rx, b.io.tx, { pauseRx, pauseTx }),
    registers = registerDriver(frameCounterMap, new LiteMaster(b.sim, b.io)),
    watch = new Watch(b);
  const sent = Array.from({ length: frames }, () => b.random.bytes(b.random.between(1, 40)));
  for (const f of sent) mac.send(f);
  for (let n = 0; mac.received.length < frames; n++) {
    if (n === 20) {
      b.sim.reset(1);
      watch.reset(b.cycle);
    }
    if (b.random.chance(0.3)) await registers.write({ clear: 1 });
    watch.asked = b.random.pick(["frames", "bytes"]);
    await registers.read(watch.asked);
    await b.cycles(b.random.between(1, 5));
  }
  expect(mac.received.map(f => f.bytes)).toEqual(sent);
  expect(watch.reads).toBeGreaterThan(30);
  expect(watch.clearsBesideEnd, "clears in the cycle of a frame's end").toBeGreaterThan(3);
}

const run = (design: Parameters<typeof runBench<typeof dut.ports, void>>[1], share: number): Promise<void> =>
  runBench("frame counter", design, { seed: 5, wave: false, hangCycles: 500 }, b =>
    traffic(b, 400, share === 0 ? never : bernoulli(share, b.seed), share === 0 ? never : bernoulli(share, b.seed + 1)),
  );

describe("FrameCounter", () => {
  test.each([0, 0.2, 0.5])("what passes is counted, pauses %d", share => run(dut, share));
  test.each([
    ["a frame that ends beside a clear is lost", "(clear ? 32'd0 : frames_q) +", "clear ? 32'd0 : frames_q +"],
    ["bytes are counted while the receiver waits", "rx_valid & rx_ready", "rx_valid"],
    ["the highest lane is not counted", "{3'd0, rx_payload_keep[7]}", "4'd0"],
    ["a clear leaves the bytes", "(clear ? 32'd0 : bytes_q)", "bytes_q"],
    ["a reset leaves the frames", "frames_q <= 32'd0;", "frames_q <= frames_q;"],
  ])("a planted fault is found: %s", (_what, from, to) =>
    findsFault(run(plant(dut, from, to), 0.3), /frames read|bytes read/),
  );
});
