/** The engine as a task inside a region: credits, bytes, beats of payload, stuck detection, quiesce. */
import { describe, expect, test } from "vitest";
import { status } from "../../../../designs/clio/wire/index.ts";
import { type Dut, runBench } from "../../../../sim/index.ts";
import { findsFault, plant } from "../../../support/plant.ts";
import {
  additionsRun,
  bad,
  examplesRun,
  fullRun,
  heldRun,
  hostileRun,
  hostOf,
  image,
  pauses,
  resetsRun,
  silentRun,
  small,
  strangersRun,
} from "./support/snic-runs.ts";
import { type InRegion, wicInRegion } from "./support/snic-region.ts";

const dut = wicInRegion(small),
  /** Longer than the task keeps any packet; frames that cannot leave are no fault of it. */
  patience = 64;
type Ports = (typeof dut)["ports"];

/** What the wrapper has seen: nothing that a task must not do, and all credits are back. */
function wellBehaved({ io }: InRegion): void {
  const { counts, ...state } = io.state;
  expect(
    {
      ...{ stuck: state.stuck.num, off: state.off.num, waiting: state.waiting.num, inside: state.inside.num },
      ...{ strays: counts.strays.num, outside: counts.outside.num, grown: counts.grown.num, killed: counts.killed.num },
      held: io.held.num,
    },
    "at the end",
  ).toEqual({ stuck: 0, off: 0, waiting: 0, inside: 0, strays: 0, outside: 0, grown: 0, killed: 0, held: 0 });
}
const run = (name: string, seed: number, body: (b: InRegion) => Promise<unknown>, design: Dut<Ports> = dut) =>
  runBench(name, design, { seed, wave: false, limitCycles: 600_000, hangCycles: 60_000 }, async b => {
    b.io.patience.value = patience;
    b.io.isolate.value = 0;
    await body(b);
    await b.until(() => b.io.quiet.value === 1);
    await b.cycles(2 * patience);
    wellBehaved(b);
  });

/**
 * Software quiesces the slot at any time: packets wait in it, the node's replies too, so accesses end with their tries,
 * and requests with EXPIRED. Then it is quiet, and nothing leaves any more. Afterwards what has waited is served.
 */
async function quiesces(b: InRegion, rounds: number): Promise<void> {
  const timeout = 300,
    tries = 2,
    { host } = hostOf(b, { latency: 90, timeout, tries, clientTimeout: 100_000 });
  await host.load(image);
  let expired = 0;
  for (let i = 0; i < rounds; i++) {
    const calls = Array.from({ length: b.random.between(1, small.engine.contexts) }, () => ({
        program: 0,
        words: [1n],
      })),
      replies = host.all(calls);
    replies.catch(() => undefined);
    await b.cycles(b.random.between(20, 200));
    b.io.quiesce.value = 1;
    const from = b.cycle;
    await b.until(() => b.io.state.quiet.value === 1);
    // As many at once as there are contexts and accesses in flight: rounds of them, one behind the other.
    expect(b.cycle - from, "cycles until it is quiet").toBeLessThan(2 * (tries + 1) * (timeout + 60));
    const { made } = host;
    await b.cycles(2 * timeout);
    expect(host.made, "frames that a quiet task makes").toBe(made);
    b.io.quiesce.value = 0;
    for (const r of await replies) {
      expect([status.OK, status.EXPIRED]).toContain(r.status);
      if (r.status === status.EXPIRED) expired++;
    }
    await host.drained();
  }
  expect(expired, "requests that quiescing has ended").toBeGreaterThan(0);
}

describe("the engine in a region, 16 slots, 4 contexts, 8 credits", () => {
  test("as the interpreter, with pauses at every port", () =>
    run("examples", 1, b => examplesRun(b, small, 4, pauses(b, 0.25))));
  test("additions on bad networks: each is done once", () =>
    run("additions", 3, b => additionsRun(b, small, 60, pauses(b, 0.1))));
  test("full, hostile, strangers, a silent node", async () => {
    await run("full", 4, b => fullRun(b, small));
    await run("hostile", 5, b => hostileRun(b, small));
    await run("strangers", 6, b => strangersRun(b, small, 300));
    await run("silent", 7, b => silentRun(b, small));
  });
  test("frames that cannot leave do not make it stuck", () => run("held", 9, b => heldRun(b, small)));
  test("resets beside traffic", () => run("resets", 8, b => resetsRun(b, small, 6)));
  test("quiesced at any time", () => run("quiesced", 10, b => quiesces(b, 20)));

  test.each<readonly [string, string | RegExp, string, "examples" | "quiesces"]>([
    ["it is quiet with a request inside", /nothing_inside = [^;]*;/, "nothing_inside = 1'b1;", "quiesces"],
    ["it writes into packets that pass", /answer_payload_mask = [^;]*;/, "answer_payload_mask = 64'd1;", "examples"],
    ["a beat of payload is left", /payload_ready = [^;]*;/, "payload_ready = 1'b0;", "examples"],
    ["the wrapper gives no credit back", /assign give = [^;]*;/, "assign give = 1'b0;", "examples"],
  ])("a planted fault: %s", async (name, from, to, which) => {
    await findsFault(
      run(name, 2, b => (which === "quiesces" ? quiesces(b, 10) : examplesRun(b, small, 2, bad)), plant(dut, from, to)),
    );
  });
});
