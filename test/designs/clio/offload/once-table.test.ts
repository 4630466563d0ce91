import { describe, expect, test } from "vitest";
import { type OnceParameters, OnceTable, onceVerdict, onceWays } from "../../../../designs/clio/offload/index.ts";
import {
  type Bench,
  bernoulli,
  type Dut,
  never,
  type Pause,
  poke,
  runBench,
  StreamSink,
  StreamSource,
} from "../../../../sim/index.ts";
import { bench } from "../../../bench.ts";
import { findsFault, plant } from "../../../support/plant.ts";
import { testOfResets } from "../../../support/reset-any-time.ts";

const p: OnceParameters = { entries: 16, keepCycles: 600 },
  sets = p.entries / onceWays;
const dut = OnceTable(p);
type Ports = typeof dut.ports;
interface Entry {
  readonly key: string;
  readonly since: number;
  reply: object | undefined;
  settled: number;
}

/** The same in plain TypeScript; whether an entry is old is left open for a unit of its clock (64 cycles). */
class Model {
  readonly entries = new Map<number, Entry>();
  setOf(client: bigint, operation: number): number {
    const low = (v: bigint): number => Number(v & BigInt(sets - 1));
    return low(BigInt(operation)) ^ low(client) ^ low(client >> 16n);
  }
  held(key: string): [number, Entry] | undefined {
    return [...this.entries].find(([, e]) => e.key === key);
  }
  /** Whether a place can be found for it: for certain, not at all, or perhaps. */
  room(set: number, asked: number, now: number): "yes" | "no" | "perhaps" {
    const ways = Array.from({ length: onceWays }, (_, i) => this.entries.get(set * onceWays + i));
    const can = (slack: number): boolean =>
      ways.some(
        e =>
          e === undefined ||
          (e.reply !== undefined && (slack < 0 || e.settled < asked) && now - e.since > p.keepCycles + slack),
      );
    return can(200) ? "yes" : can(-200) ? "perhaps" : "no";
  }
}

async function run(b: Bench<Ports>, count: number, [give, take]: readonly [Pause, Pause] = [never, never]) {
  await b.until(() => b.io.ready.value === 1);
  const ask = new StreamSource(b.sim, b.io.ask, { pause: give }),
    answers = new StreamSink(b.sim, b.io.answer, { pause: take }),
    model = new Model();
  const seen = { fresh: 0, running: 0, done: 0, full: 0 },
    running: number[] = [],
    asked: { client: bigint; operation: number }[] = [];
  let next = 1;
  // Each running operation is done some time later; one reply at a time.
  b.spawn(async () => {
    for (;;) {
      const entry = b.random.chance((b.cycle & 0x1000) === 0 ? 0.05 : 0.001)
        ? running.splice(b.random.between(0, running.length), 1)[0]
        : undefined;
      if (entry === undefined) {
        poke(b.io.done, { valid: 0, entry: 0, status: 0, opcode: 0, length: 0, body: 0n });
        await b.risingEdge();
        continue;
      }
      const reply = {
        status: b.random.between(0, 15),
        opcode: b.random.between(0, 255),
        length: b.random.between(0, 12),
        body: b.random.bits(96),
      };
      poke(b.io.done, { valid: 1, entry, ...reply });
      await b.risingEdge();
      const held = model.entries.get(entry)!;
      held.reply = reply;
      held.settled = b.cycle;
    }
  });
  for (let i = 0; i < count; i++) {
    const old = asked.length > 0 && b.random.chance(0.5);
    const one = old
      ? b.random.pick(asked.slice(-12))
      : {
          client: b.random.pick([0x0a000001_1388n, 0x0a000011_1388n, 0x0a000002_1389n]),
          operation: b.random.chance(0.7) ? next++ : next,
        };
    asked.push(one);
    const key = `${one.client} ${one.operation}`,
      before = model.held(key),
      settledBefore = before?.[1].reply,
      set = model.setOf(one.client, one.operation);
    const sent = ask.send(one);
    await b.until(() => answers.received.length === i + 1);
    const {
        value: { verdict, entry, ...reply },
        cycle,
      } = answers.received[i]!,
      room = model.room(set, sent.cycle!, cycle);
    const held = model.held(key);
    const name = (Object.keys(onceVerdict) as (keyof typeof onceVerdict)[]).find(k => onceVerdict[k] === verdict)!;
    seen[name]++;
    if (held !== undefined) {
      expect(name, key).toBe(
        settledBefore !== undefined
          ? "done"
          : held[1].reply === undefined
            ? "running"
            : name === "running"
              ? "running"
              : "done",
      );
      expect(Number(entry)).toBe(held[0]);
      if (name === "done") expect(reply).toEqual(held[1].reply);
    } else {
      expect(room === "yes" ? ["fresh"] : room === "no" ? ["full"] : ["fresh", "full"], `${key}: ${room}`).toContain(
        name,
      );
      if (name === "fresh") {
        expect(Math.floor(Number(entry) / onceWays)).toBe(set);
        const gone = model.entries.get(Number(entry));
        if (gone !== undefined) {
          expect(gone.reply, "nothing that is being done is forgotten").toBeDefined();
          expect(cycle - gone.since).toBeGreaterThan(p.keepCycles - 200);
        }
        model.entries.set(Number(entry), { key, since: cycle, reply: undefined, settled: Infinity });
        running.push(Number(entry));
      }
    }
    expect(sent.cycle).toBeDefined();
    await b.cycles(b.random.chance(0.1) ? b.random.between(0, 400) : b.random.between(0, 20));
  }
  return { seen, latency: answers.received.map(r => r.cycle) };
}

/** A full table, and nobody asks for long: then all of it makes room, whatever the clock says by then. */
async function later(b: Bench<Ports>): Promise<void> {
  await b.until(() => b.io.ready.value === 1);
  const ask = new StreamSource(b.sim, b.io.ask),
    answers = new StreamSink(b.sim, b.io.answer);
  let operation = 0;
  const verdicts = async (count: number): Promise<number[]> => {
    for (let i = 0; i < count; i++) ask.send({ client: 1n, operation: operation++ });
    await b.until(() => answers.received.length === count);
    return answers.received.splice(0).map(r => r.value.verdict);
  };
  for (const cycles of [p.keepCycles + 200, 2 ** 14, 2 ** 15 + 64, 2 ** 16, 2 ** 17, 2 ** 18]) {
    expect(await verdicts(p.entries), "an empty table, or an old one").toEqual(
      Array(p.entries).fill(onceVerdict.fresh),
    );
    expect(await verdicts(sets), "a full one").toEqual(Array(sets).fill(onceVerdict.full));
    for (let entry = 0; entry < p.entries; entry++) {
      poke(b.io.done, { valid: 1, entry, status: 0, opcode: 0, length: 0, body: 0n });
      await b.risingEdge();
    }
    poke(b.io.done, { valid: 0, entry: 0, status: 0, opcode: 0, length: 0, body: 0n });
    await b.cycles(cycles);
  }
}

describe("OnceTable", () => {
  bench(
    "operations asked for once and again, forgotten when they are old",
    dut,
    { seed: 2, limitCycles: 200_000 },
    async b => {
      const { seen } = await run(b, 1200, [bernoulli(0.3, 1), bernoulli(0.3, 2)]);
      for (const [name, times] of Object.entries(seen)) expect(times, name).toBeGreaterThan(20);
    },
  );
  bench("much later everything is old", dut, { seed: 6, limitCycles: 600_000, hangCycles: 200_000 }, b => later(b));
  bench("an answer 7 cycles after the question, one every 8 cycles", dut, {}, async b => {
    await b.until(() => b.io.ready.value === 1);
    const ask = new StreamSource(b.sim, b.io.ask),
      answers = new StreamSink(b.sim, b.io.answer);
    const sent = Array.from({ length: 6 }, (_, i) => ask.send({ client: 1n, operation: i }));
    await b.until(() => answers.received.length === 6);
    expect(answers.received.map((r, i) => r.cycle - sent[i]!.cycle!)).toEqual([7, 7, 7, 7, 7, 7]);
    expect(sent.slice(1).map((s, i) => s.cycle! - sent[i]!.cycle!)).toEqual([8, 8, 8, 8, 8]);
  });
  bench("a reset forgets everything", dut, { seed: 3, limitCycles: 100_000 }, async b => {
    await b.until(() => b.io.ready.value === 1);
    const ask = new StreamSource(b.sim, b.io.ask),
      answers = new StreamSink(b.sim, b.io.answer);
    for (let operation = 1; operation <= 20; operation++) ask.send({ client: 0x0a000001_1388n, operation });
    await b.until(() => answers.received.length === 20);
    b.sim.reset();
    expect(b.io.ready.value).toBe(0);
    await run(b, 40);
  });
});

testOfResets(
  dut,
  {
    most: 800,
    beside: Object.fromEntries(["status", "opcode", "length", "body"].map(f => [`answer_payload_${f}`, ""])),
  },
  b => run(b, 60, [bernoulli(0.3, 1), bernoulli(0.4, 2)]),
);

describe("a planted fault is found", () => {
  const check = (name: string, design: Dut<Ports>): Promise<unknown> =>
    runBench(name, design, { wave: false, seed: 5, hangCycles: 600, limitCycles: 100_000 }, b =>
      run(b, 400, [bernoulli(0.2, 1), bernoulli(0.4, 2)]),
    );
  test("and nothing without one", async () => {
    await check("no fault", dut);
  });
  const faults: readonly (readonly [string, string | RegExp, string])[] = [
    [
      "a place is given while its reply is being written",
      /wire claiming =[^;]*;/,
      "wire claiming = busy & (step == 3'd5);",
    ],
    ["what is being done is forgotten", /wire may_go =[^;]*;/, "wire may_go = ~found_valid | old;"],
    ["what is young is forgotten", /wire may_go =[^;]*;/, "wire may_go = ~found_valid | settled[place];"],
    ["another client's operation of the same number is taken for it", /& \(found_client == asked_client\)/, ""],
    ["done before it is", /settled\[[^\]]*\] <= done_valid;/, "settled[done_valid ? done_entry : entry] <= 1'b1;"],
  ];
  for (const [name, from, to] of faults)
    test(name, async () => {
      await findsFault(check(name, plant(dut, from, to)));
    });
  test("an age that wraps early", () =>
    findsFault(
      runBench(
        "early",
        plant(dut, /age = now - found_stamp/, "age = (now - found_stamp) & 32'h3ff"),
        {
          ...{ wave: false, seed: 6, hangCycles: 200_000, limitCycles: 600_000 },
        },
        later,
      ),
      /old one/,
    ));
});
