import { describe, expect, test } from "vitest";
import {
  GbnWaiting,
  type GbnWaitingParameters,
  waitingAction,
} from "../../../../../designs/shared/go-back-n/rtl/waiting.ts";
import {
  AxisSink,
  AxisSource,
  type Bench,
  bernoulli,
  never,
  type Pause,
  runBench,
  StreamSource,
} from "../../../../../sim/index.ts";
import { afterValid } from "../../../../support/after-valid.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { testOfResets } from "../../../../support/reset-any-time.ts";

const parameterSets: readonly GbnWaitingParameters[] = [
  { beatBytes: 8, frameBytes: 64, waiting: 4 },
  { beatBytes: 32, frameBytes: 1536, waiting: 16 },
];
type Ports = ReturnType<typeof GbnWaiting>["ports"];

/** A frame, and what its beats say of it. */
interface Given {
  readonly bytes: Uint8Array;
  readonly user: number;
}

/** Frames that pass, are dropped, or are kept and released later, in any order; at the end no slot is in use. */
async function run(
  b: Bench<Ports>,
  p: GbnWaitingParameters,
  count: number,
  pause: (n: number) => Pause,
): Promise<void> {
  const plan = new StreamSource(b.sim, b.io.plan, { pause: pause(1) }),
    beats = new AxisSource(b.sim, b.io.beats, { pause: pause(2) }),
    out = new AxisSink(b.sim, b.io.out, { pause: pause(3) });
  // A reset in the middle of a frame that is kept.
  plan.send({ action: waitingAction.keep, slot: 0 });
  b.io.beats.valid.value = 0;
  await b.cycles(4);
  b.sim.reset(1);
  const kept = new Map<number, Given>(),
    wanted: Given[] = [];
  let most = 0;
  for (let i = 0; i < count; i++) {
    const bytes = b.random.bytes(b.random.between(1, p.frameBytes)),
      free = Array.from({ length: p.waiting }, (_, s) => s).filter(s => !kept.has(s)),
      kind = b.random.pick(["pass", "drop", "keep", "keep", "release"] as const);
    if (kind === "release" || (kind === "keep" && free.length === 0)) {
      if (kept.size === 0) continue;
      const slot = b.random.pick([...kept.keys()]);
      plan.send({ action: waitingAction.release, slot });
      wanted.push(kept.get(slot) as Given);
      kept.delete(slot);
      continue;
    }
    const slot = kind === "keep" ? b.random.pick(free) : 0;
    plan.send({ action: waitingAction[kind], slot });
    const frame = { bytes, user: b.random.below(2) };
    beats.send(bytes, { user: frame.user });
    if (kind === "keep") kept.set(slot, frame);
    if (kind === "pass") wanted.push(frame);
    most = Math.max(most, kept.size);
  }
  for (const [slot, frame] of kept) {
    plan.send({ action: waitingAction.release, slot });
    wanted.push(frame);
  }
  const received: Given[] = [];
  const collect = (): number => {
    for (let f = out.take(); f !== undefined; f = out.take()) received.push({ bytes: f.bytes, user: Number(f.user) });
    return received.length;
  };
  await b.until(() => collect() >= wanted.length);
  await b.cycles(10);
  expect(collect(), "frames").toBe(wanted.length);
  received.forEach((f, i) => {
    const { bytes, user } = wanted[i] as Given;
    expect(Buffer.from(f.bytes).equals(bytes), `the bytes of frame ${i}`).toBe(true);
    expect(f.user, `what is told of frame ${i}`).toBe(user);
  });
  expect(most, "slots in use at most").toBe(p.waiting);
}
describe.each(parameterSets)("GbnWaiting, $waiting frames of $frameBytes bytes", p => {
  const dut = GbnWaiting(p);
  test("frames pass, wait and are dropped, under back-pressure", () =>
    runBench("waiting", dut, {}, b => run(b, p, 200, n => bernoulli(0.3, n))));
  testOfResets(dut, {}, b => run(b, p, 60, n => bernoulli(0.3, n)));
  test("a taker that is ready only after a valid", () =>
    runBench("waiting", dut, {}, b => run(b, p, 60, n => (n === 3 ? afterValid(b.io.out) : never))));
  test("and back to back", () => runBench("waiting", dut, {}, b => run(b, p, 200, () => never)));
  test("a planted fault is found: what a frame that waits is told is another bit", () =>
    findsFault(
      runBench(
        "waiting planted",
        plant(dut, /kept_user = kept\[\d+\]/, "kept_user = kept_last"),
        { wave: false, hangCycles: 500 },
        b => run(b, p, 200, () => never),
      ),
      /what is told/,
    ));
  test("a planted fault is found: frames that wait share a slot", () =>
    findsFault(
      runBench(
        "waiting planted",
        plant(dut, /\{plan_slot, beat\}/, "{plan_slot >> 1, beat}"),
        { wave: false, hangCycles: 500 },
        b => run(b, p, 200, () => never),
      ),
    ));
});
