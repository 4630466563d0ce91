/** RequestOrder against a model of who waits for whom, in every cycle. */
import { describe, expect, test } from "vitest";
import {
  OrderEnter,
  OrderLeave,
  RequestOrder,
  type RequestOrderParameters,
} from "../../../../designs/clio/offload/request-order.ts";
import { connect, input, instance, module, output, source, uint } from "../../../../hdl-dsl/index.ts";
import {
  type Bench,
  bernoulli,
  type Dut,
  never,
  type Pause,
  poke,
  runBench,
  StreamSink,
} from "../../../../sim/index.ts";
import { afterValid } from "../../../support/after-valid.ts";
import { findsFault, plant } from "../../../support/plant.ts";
import { testOfResets } from "../../../support/reset-any-time.ts";

const sets: readonly RequestOrderParameters[] = [
  { contexts: 4, keyBits: 1 },
  { contexts: 16, keyBits: 9 },
];
/** The block below a top whose ports can have their names in Verilog. */
const Harness = module(
  "RequestOrderBench",
  (p: RequestOrderParameters) => ({
    enter: input(OrderEnter(p)),
    leave: input(OrderLeave(p)),
    start: source(uint(Math.log2(p.contexts))),
    present: output(uint(p.contexts)),
  }),
  (io, p) => {
    const dut = instance("dut", RequestOrder(p));
    dut.enter.set(io.enter);
    dut.leave.set(io.leave);
    connect(dut.start, io.start);
    io.present.set(dut.inside);
  },
  { nameOf: p => `RequestOrderBench_c${p.contexts}_k${p.keyBits}` },
);
type Ports = ReturnType<typeof Harness>["ports"];
interface Request {
  readonly key: number;
  readonly keyed: boolean;
  readonly writes: boolean;
  readonly lists: boolean;
  /** Requests before it that conflict and have not left. */
  readonly ahead: Set<number>;
  /** Cycle from which it waited for nobody. */
  freeFrom: number | undefined;
  /** Others that started since then. */
  overtaken: number;
  started: boolean;
}
type Keys = Pick<Request, "key" | "keyed" | "writes" | "lists">;
const conflict = (a: Keys, b: Keys): boolean =>
  (a.keyed && b.keyed && a.key === b.key && (a.writes || b.writes)) || (a.lists && b.lists);

/**
 * Requests on few keys, many of them inside, that leave in any order. Who starts waits for nobody; who waits for nobody
 * starts in time, whoever takes them at once; `inside` is as the model has it.
 */
async function run(b: Bench<Ports>, p: RequestOrderParameters, cycles: number, pause: Pause): Promise<void> {
  const { io, random } = b,
    inside = new Map<number, Request>(),
    starts = new StreamSink(b.sim, io.start, { pause }),
    seen = { waited: 0, shared: 0 };
  for (let n = 0; n < cycles || inside.size > 0; n++) {
    const free = Array.from({ length: p.contexts }, (_, i) => i).filter(i => !inside.has(i)),
      started = [...inside].filter(([, r]) => r.started).map(([i]) => i),
      // Long phases with many inside, and with few.
      stays = n < cycles && Math.floor(n / 200) % 2 === 0,
      entering = n < cycles && free.length > 0 && random.chance(0.6) ? random.pick(free) : undefined,
      leaving = started.length > 0 && random.chance(stays ? 0.1 : 0.7) ? random.pick(started) : undefined;
    const what = {
      key: random.chance(0.8) ? random.between(0, 1) : random.between(0, 2 ** p.keyBits - 1),
      keyed: random.chance(0.8),
      writes: random.chance(0.5),
      lists: random.chance(0.15),
    };
    const bits = { key: what.key, keyed: +what.keyed, writes: +what.writes, lists: +what.lists };
    // What stands beside no valid says nothing.
    poke(io.enter, {
      valid: +(entering !== undefined),
      context: entering ?? random.between(0, p.contexts - 1),
      ...bits,
    });
    poke(io.leave, { valid: +(leaving !== undefined), context: leaving ?? random.between(0, p.contexts - 1) });
    await b.risingEdge();
    expect(io.present.num, `inside in cycle ${b.cycle}`).toBe([...inside.keys()].reduce((m, i) => m + 2 ** i, 0));
    for (let s = starts.take(); s !== undefined; s = starts.take()) {
      const r = inside.get(Number(s.value));
      if (r === undefined) throw new Error(`context ${s.value} starts in cycle ${s.cycle} and is not inside`);
      expect([r.started, r.ahead.size], `context ${s.value} starts in cycle ${s.cycle}: before, waits for`).toEqual([
        false,
        0,
      ]);
      if (pause === never)
        expect(s.cycle - (r.freeFrom ?? s.cycle), "cycles from free to its start").toBeLessThanOrEqual(p.contexts + 2);
      if ([...inside.values()].some(o => o !== r && o.started && o.keyed && r.keyed && o.key === r.key)) seen.shared++;
      // The contexts in turn: whoever takes them, each of the others goes once at most, and one is offered already.
      for (const o of inside.values())
        if (o !== r && !o.started && o.freeFrom !== undefined)
          expect(++o.overtaken, "starts of others before one's own").toBeLessThanOrEqual(p.contexts + 1);
      r.started = true;
    }
    if (leaving !== undefined) {
      inside.delete(leaving);
      for (const r of inside.values()) if (r.ahead.delete(leaving) && r.ahead.size === 0) r.freeFrom = b.cycle;
    }
    if (entering !== undefined) {
      const r = { ...what, freeFrom: undefined, overtaken: 0, started: false },
        ahead = new Set([...inside].filter(([, o]) => conflict(o, r)).map(([i]) => i));
      if (ahead.size > 0) seen.waited++;
      inside.set(entering, { ...r, ahead, freeFrom: ahead.size === 0 ? b.cycle : undefined });
    }
  }
  if (cycles > 1000) expect(Math.min(seen.waited, seen.shared)).toBeGreaterThan(20);
}

/** One request alone, again and again: it starts 2 cycles later, and who waited for it alone 2 cycles after it left. */
async function latencies(b: Bench<Ports>): Promise<void> {
  const { io } = b,
    starts = new StreamSink(b.sim, io.start),
    enter = (context: number) => ({ valid: 1, context, key: 1, keyed: 1, writes: 1, lists: 0 });
  for (let n = 0; n < 8; n++) {
    const [one, other] = [n % 4, (n + 1) % 4] as const;
    poke(io.enter, enter(one));
    await b.risingEdge();
    const first = b.cycle;
    poke(io.enter, enter(other));
    await b.risingEdge();
    io.enter.valid.value = 0;
    await b.cycles(6);
    poke(io.leave, { valid: 1, context: one });
    await b.risingEdge();
    const left = b.cycle;
    io.leave.valid.value = 0;
    await b.cycles(4);
    expect(starts.received.splice(0).map(s => [Number(s.value), s.cycle])).toEqual([
      [one, first + 2],
      [other, left + 2],
    ]);
    poke(io.leave, { valid: 1, context: other });
    await b.risingEdge();
    io.leave.valid.value = 0;
  }
}

describe.each(sets)("RequestOrder, $contexts contexts, keys of $keyBits bits", p => {
  const check = (dut: Dut<Ports>, pause: Pause): Promise<void> =>
    runBench("order", dut, { wave: false, hangCycles: 0, limitCycles: 20_000 }, b => run(b, p, 3000, pause));
  test("who conflicts waits, and nobody else", () => check(Harness(p), never));
  test("the same while starts are taken now and then", () => check(Harness(p), bernoulli(0.7, 1)));
  test("2 cycles to a start, from the entry or from the end of the one ahead", () =>
    runBench("latency", Harness(p), { wave: false }, latencies));
  const patient = (dut: Dut<Ports>): Promise<void> =>
    runBench("order", dut, { wave: false, hangCycles: 0, limitCycles: 20_000 }, b =>
      run(b, p, 1000, afterValid(b.io.start)),
    );
  test("a start is offered, whether somebody is ready or not", () => patient(Harness(p)));
  test("a planted fault is found: a start waits until somebody is ready", () =>
    findsFault(patient(plant(Harness(p), /(?<=starting_or = )[^;]*/, "start_ready"))));
  test("a planted fault is found: the lowest context goes first, always", () =>
    findsFault(
      check(plant(Harness(p), /(?<=chosen = )\|after/, "1'b0"), bernoulli(0.7, 1)),
      /starts of others before one's own/,
    ));
  testOfResets(Harness(p), {}, b => run(b, p, 400, bernoulli(0.3, 1)));
  test.each([
    ["who leaves as another enters is waited for", / & ~leaving\[0\] & /, " & "],
    ["readers do not wait for who writes", /\(writes\[1\] \| enter_writes\)/, "enter_writes"],
    ["all wait for everybody on the key", /\(writes\[1\] \| enter_writes\)/, "1'b1"],
    ["two that list are under way together", /\(lists\[1\] & enter_lists\)/, "1'b0"],
  ] as const)("a planted fault is found: %s", (_, from, to) => findsFault(check(plant(Harness(p), from, to), never)));
});
