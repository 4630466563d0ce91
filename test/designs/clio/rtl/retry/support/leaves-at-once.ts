/**
 * Two clients become unknown at once: one is silent and is forgotten, the other's turn to give up its place is
 * over.
 */
import { expect } from "vitest";
import type { RetryBufferParameters } from "../../../../../../designs/clio/rtl/retry/retry-request.ts";
import type { Bench } from "../../../../../../sim/index.ts";
import { Client } from "./retry-benches.ts";
import type { RetryPorts } from "./retry-rig.ts";
import { partOf } from "./turn-benches.ts";
import { TurnRig } from "./turn-rig.ts";

/** Cycles around the end of a turn in which a newcomer asks: one of them has the client forgotten as the turn ends. */
const around = { from: -12, to: 12 };

/**
 * A turn comes to its end, and just then a newcomer asks, for whom another client can be forgotten: at each cycle
 * around the end. Who was told that what it began ends for good is never known with it again.
 */
export async function leavesAtOnce(b: Bench<RetryPorts>, p: RetryBufferParameters): Promise<void> {
  const rig = new TurnRig(b, p);
  for (let gap = around.from; gap <= around.to; gap++) {
    const base = b.random.bits(44),
      warm = Array.from({ length: p.clients }, (_, i) => new Client(base + BigInt(i) * 0x1_0001_0001n, 100)),
      [leaver, silent, ...others] = warm as [Client, Client, ...Client[]],
      newcomer = new Client(base ^ 0xfn, 7);
    for (const c of warm) await rig.ask(c.hello());
    let ended = leaver.write(),
      asked = (await rig.ask(newcomer.hello())).at;
    // It falls silent before the turn begins: later than that, the leaver would be the one silent for longest.
    const quiet = asked + partOf(p) - (3 * p.timeoutCycles) / 4;
    for (let kind = ""; kind !== "yields";) {
      for (const c of b.cycle < quiet ? [silent, ...others] : others) await rig.ask(c.read());
      asked = (await rig.ask(newcomer.hello())).at;
      ended = leaver.write();
      kind = (await rig.ask(ended)).kind;
    }
    const end = asked + 2 * partOf(p);
    while (b.cycle < end - p.timeoutCycles / 4) {
      for (const c of others) await rig.ask(c.read());
      await b.cycles(p.timeoutCycles / 16);
    }
    await b.cycles(end + gap - b.cycle);
    await rig.ask(newcomer.hello());
    const asks = { ...ended, introduces: false },
      where = `${gap} cycles from the end`;
    expect((await rig.ask(asks)).kind, `what ended for good, with a newcomer ${where}`).not.toBe("pass");
    await b.cycles(p.timeoutCycles);
    expect((await rig.ask(asks)).kind, `the same a TIMEOUT later, ${where}`).toBe("expired");
    b.sim.reset(2);
    await b.cycles(2);
  }
}
