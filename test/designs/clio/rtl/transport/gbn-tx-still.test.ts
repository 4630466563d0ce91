/** The sending shim before a line that stands still, while sessions are closed and opened in any cycle. */
import { describe, expect, test } from "vitest";
import { GbnTx } from "../../../../../designs/clio/rtl/transport/gbn-tx.ts";
import { type Bench, type Dut, runBench } from "../../../../../sim/index.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { p, type Ports, Rig } from "./support/gbn-tx-rig.ts";

const dut = GbnTx(p),
  closed = 6,
  toggled = 7;

/**
 * The line stands still until nothing more is taken, while one session is closed or opened at any cycle and replies to
 * a closed one come between. ACKs do not come through here: they are taken all the same. Then everything goes out.
 */
async function standsStill(b: Bench<Ports>, rounds = 10): Promise<void> {
  const rig = new Rig(b),
    { random } = b;
  await rig.writeContexts();
  rig.open(closed, 0);
  rig.deaf.add(closed).add(toggled);
  let dropped = 0;
  const replies = (from: number, to: number): void => {
    for (let i = from; i < to; i++) {
      if (random.chance(0.2)) {
        rig.reply(closed, rig.ask(closed), 16);
        dropped++;
      } else rig.reply(2 + (i % 4), rig.ask(2 + (i % 4)), 16);
    }
  };
  const acknowledge = (): void => {
    const peer = rig.peers[1] as { arrived: number; heard: number };
    peer.heard = peer.arrived;
    rig.acks.send({ session: 1, sequence: (peer.arrived - 1) >>> 0, nack: 0 });
  };
  for (let round = 0; round < rounds; round++) {
    rig.acking = false;
    const before = rig.came.fresh;
    for (let i = 0; i < p.window; i++) rig.reply(1, rig.ask(1), 16);
    await b.until(() => rig.came.fresh === before + p.window);
    // Most of the room is taken. Then a full window holds up as many as can wait: they come in a row after its ACK.
    rig.tx.pause = () => true;
    replies(0, 20 + (round % 8));
    rig.reply(1, rig.ask(1), 16);
    replies(0, 16);
    await b.cycles(250);
    acknowledge();
    const share = 0.2 + 0.1 * (round % 5);
    for (let cycle = 0; cycle < 60; cycle++) {
      if (rig.control.pending === 0 && random.chance(share)) rig.open(toggled, random.chance() ? 1 : 0);
      await b.cycles(1);
    }
    await b.cycles(60);
    acknowledge();
    await b.cycles(20);
    expect(rig.acks.pending, "an ACK that waits behind the still line").toBe(0);
    rig.acking = true;
    rig.tx.pause = () => false;
    await b.until(() => rig.events.closed === dropped);
    rig.forget(closed);
    await rig.settle();
  }
  expect(rig.events).toMatchObject({ closed: dropped, failed: 0, timeouts: 0, stale: 0, memoryErrors: 0 });
}
const run = (name: string, design: Dut<Ports>): Promise<void> =>
  runBench(name, design, { wave: false, seed: 1, hangCycles: 3000, limitCycles: 60_000 }, b => standsStill(b));

describe("GbnTx before a line that stands still", () => {
  test("sessions closed meanwhile: ACKs are taken, each frame comes once", () => run("stands still", dut));
  test.each<readonly [string, string | RegExp, string]>([
    ["a frame of a closed session has a way out", /outs_push_valid = decided & ~gone/, "outs_push_valid = decided"],
    [
      "a frame of a closed session is numbered",
      /numbered = known & next_held_of_session & sender_granted_granted/,
      "numbered = known & next_held_of_session",
    ],
    ["an ACK waits for the line", /\.heard_valid \(acks_valid\)/, ".heard_valid (acks_valid & tx_ready)"],
  ])("a planted fault: %s", async (_, from, to) => {
    await findsFault(run("fault", plant(dut, from, to)));
  });
});
