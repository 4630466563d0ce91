import { describe, expect, test } from "vitest";
import { type FrameKind, replyForm, replyWord } from "../../../../../designs/clio/rtl/records/records.ts";
import { Mat, slowLimit } from "../../../../../designs/clio/rtl/dispatch/mat.ts";
import {
  defaultMatTable,
  matActions,
  type MatEntryValues,
  matRules,
  syncOperation,
  type SyncOperation,
  syncOperations,
} from "../../../../../designs/clio/registers/index.ts";
import { opcode, operations, status } from "../../../../../designs/clio/wire/index.ts";
import {
  type Bench,
  bernoulli,
  never,
  type Pause,
  poke,
  type Random,
  runBench,
  StreamSink,
  StreamSource,
  type ValueOf,
} from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { offer } from "../../../../support/offer.ts";
import { findsFault, plant } from "../../../../support/plant.ts";

const parameters = { slots: 16, maxData: 1466 };
const dut = Mat(parameters);
type Ports = typeof dut.ports;
interface Request {
  readonly slot: number;
  readonly kind: ValueOf<typeof FrameKind>;
  readonly opcode: number;
  readonly pid: number;
  readonly va: bigint;
  readonly length: number;
  readonly body: number;
  readonly frame: number;
  readonly malformed: number;
  readonly reply: number;
  readonly foreign: number;
  readonly corrupt: number;
  readonly tracked: number;
  readonly retry: number;
  readonly client: bigint;
  readonly operation: number;
}
interface Rule {
  readonly valid: number;
  readonly pid: number;
  readonly action: number;
}

/** Bytes of the bodies of atomics. */
const bodyOf: Partial<Record<SyncOperation, number>> = { tas: 12, cas: 28, faa: 20, store: 20 };
/** Section 4 of model/rules.md for a request, as plain code. `waiting`: requests out at the slow path. */
function decide(r: Request, table: readonly MatEntryValues[], rules: readonly Rule[], waiting: number) {
  const e = table[r.opcode] as MatEntryValues;
  const events: string[] = [];
  const refuse = (code: number, event: string) => {
    events.push(event);
    if (e.silent) {
      events.push("unanswered");
      return { release: r.slot, events };
    }
    return {
      reply: { slot: r.slot, form: replyForm.bare, word: replyWord.none, opcode: r.opcode, status: code },
      events,
    };
  };
  const ask = (what: SyncOperation) => ({
    access: {
      slot: r.slot,
      pid: r.pid,
      va: r.va,
      length: r.length & 0x3fff,
      write: e.write,
      silent: e.silent,
      replyOpcode: e.replyOpcode,
      op: syncOperation[what],
      indirect: 0,
    },
    tracked: r.tracked,
    keeps: what === "fence" ? 0 : e.write,
    introduces: 1 - r.retry,
    fence: what === "fence" ? 1 : 0,
    client: Number(r.client),
    operation: r.operation,
  });
  const echo = (event: string) => ({
    reply: { slot: r.slot, form: replyForm.echo, word: replyWord.none, opcode: e.replyOpcode, status: status.OK },
    events: [event],
  });
  if (r.kind === "icmp") return echo("icmpReplies");
  if (r.kind === "arp") return echo("arpReplies");
  const action = matActions[rules.find(x => x.valid && x.pid === r.pid)?.action ?? e.action];
  // A reply is never answered.
  if (r.reply) {
    const hands = action === "slow" && !r.corrupt && !r.malformed && waiting < slowLimit(parameters);
    return hands
      ? { slow: { slot: r.slot, frame: r.frame }, events: ["slowRequests"] }
      : { release: r.slot, events: ["dropReply"] };
  }
  if (r.corrupt) return refuse(status.NACK, "nacks");
  if (r.malformed) return refuse(status.MALFORMED, "malformed");
  if (r.foreign) return refuse(status.INVALID, "invalid");
  switch (action) {
    case "fast": {
      const right =
        r.body >= 12 && r.length >= 1 && r.length <= parameters.maxData && (!e.write || r.length <= r.body - 12);
      return right ? { asked: ask("none"), events } : refuse(status.MALFORMED, "malformed");
    }
    case "sync": {
      const what = syncOperations[e.operation] ?? "none",
        plainForm =
          r.body >= 12 && r.length >= 1 && r.length <= parameters.maxData && (!e.write || r.length <= r.body - 12);
      const right =
        what === "fence" ||
        (r.va % 8n === 0n &&
          (what in bodyOf ? r.length === 8 && r.body >= (bodyOf[what] as number) : what !== "none" && plainForm));
      return right ? { asked: ask(what), events } : refuse(status.MALFORMED, "malformed");
    }
    case "slow":
    case "extend":
      if (waiting >= slowLimit(parameters)) return refuse(status.BUSY, "busy");
      return {
        slow: { slot: r.slot, frame: r.frame },
        events: [action === "slow" ? "slowRequests" : "extendRequests"],
      };
    case "echo":
      return echo("pingpongs");
    case "drop":
      return { release: r.slot, events: ["dropRule"] };
    default:
      return refuse(status.MALFORMED, "malformed");
  }
}

const codes = operations.map(o => o.code);
const syncCodes = [
  opcode.ATOMIC_TAS,
  opcode.ATOMIC_CAS,
  opcode.ATOMIC_FAA,
  opcode.ATOMIC_STORE,
  opcode.DEREF_READ,
  opcode.DEREF_WRITE,
  opcode.FENCE,
];
function randomRequest(random: Random): Request {
  const code = random.chance(0.3)
    ? random.pick(syncCodes)
    : random.chance(0.5)
      ? random.pick([opcode.READ, opcode.WRITE, opcode.WRITE_NOREPLY, opcode.PINGPONG])
      : random.chance()
        ? random.pick(codes)
        : random.between(0, 255);
  const length = random.pick([0, 1, 8, 8, random.between(1, 1466), 1466, 1467, 0xffffffff, 2 ** 14 + 5]);
  const body = random.pick([
    0,
    11,
    12,
    19,
    20,
    27,
    28,
    12 + (length % 2000),
    11 + (length % 2000),
    random.between(0, 1500),
  ]);
  return {
    slot: random.between(0, parameters.slots - 1),
    kind: random.chance(0.9) ? "clio" : random.pick(["icmp", "arp"] as const),
    opcode: code,
    pid: random.between(0, 4),
    va: random.chance() ? random.bits(64) & ~7n : random.bits(64),
    length,
    body: Math.min(body, 1478),
    frame: random.between(60, 1536),
    malformed: random.chance(0.05) ? 1 : 0,
    reply: random.chance(0.15) ? 1 : 0,
    foreign: random.chance(0.05) ? 1 : 0,
    corrupt: random.chance(0.05) ? 1 : 0,
    tracked: random.between(0, 1),
    retry: random.between(0, 1),
    client: random.bits(48),
    operation: random.word(),
  };
}

interface Options {
  readonly pause?: () => Pause;
  readonly rules?: readonly Rule[];
  /** Chance of the rules being others from the next cycle on. */
  readonly changes?: number;
  /** Chance of an entry of the table being written in a cycle. */
  readonly writes?: number;
  /** Cycles that a request stays out at the slow path. */
  readonly slowFor?: number;
}

const randomRules = (random: Random): Rule[] =>
  Array.from({ length: matRules }, () => ({
    valid: +random.chance(0.8),
    pid: random.between(0, 4),
    action: random.between(0, 7),
  }));

async function run(b: Bench<Ports>, requests: readonly Request[], o: Options = {}) {
  const pause = o.pause ?? (() => never),
    io = b.io,
    table = [...defaultMatTable];
  let rules = o.rules ?? Array.from({ length: matRules }, () => ({ valid: 0, pid: 0, action: 0 }));
  poke(io.rules, rules);
  poke(io.matWrite, { en: 0, opcode: 0, entry: { action: 0, write: 0, silent: 0, operation: 0, replyOpcode: 0 } });
  io.slowRelease.value = 0;
  const asked = new StreamSink(b.sim, io.asked, { pause: pause() }),
    reply = new StreamSink(b.sim, io.reply, { pause: pause() }),
    slow = new StreamSink(b.sim, io.slow, { pause: pause() });
  const request = new StreamSource(b.sim, io.request, { pause: pause() });
  const wanted = { asked: [] as object[], reply: [] as object[], slow: [] as object[], release: [] as number[] };
  const released: number[] = [],
    latencies = new Set<number>(),
    count = new Map<string, number>(),
    counted = new Map<string, number>();
  const due: number[] = [];
  let waiting = 0,
    taken = 0,
    mostWaiting = 0,
    slowSeen = 0;
  let next: { readonly opcode: number; readonly entry: MatEntryValues } | undefined;
  b.onEdge({
    sample: cycle => {
      if (io.request.valid.value && io.request.ready.value) {
        const d = decide(requests[taken++] as Request, table, rules, waiting);
        for (const e of d.events) count.set(e, (count.get(e) ?? 0) + 1);
        if ("asked" in d) wanted.asked.push(d.asked);
        if ("reply" in d) wanted.reply.push(d.reply);
        if ("slow" in d) {
          wanted.slow.push(d.slow);
          waiting++;
        }
        if ("release" in d) wanted.release.push(d.release);
        mostWaiting = Math.max(mostWaiting, waiting);
      }
      if (io.slowRelease.value) waiting--;
      if (next !== undefined) table[next.opcode] = next.entry;
      if (io.release.valid.value) released.push(Number(io.release.slot.value));
      for (const [name, e] of Object.entries(io.events))
        if ((e as { value: number | bigint }).value) counted.set(name, (counted.get(name) ?? 0) + 1);
      while (slowSeen < slow.received.length) {
        slowSeen++;
        due.push(cycle + (o.slowFor ?? 20));
      }
    },
    drive: cycle => {
      io.slowRelease.value = due.length > 0 && (due[0] as number) <= cycle ? (due.shift(), 1) : 0;
      if (o.changes !== undefined && b.random.chance(o.changes)) poke(io.rules, (rules = randomRules(b.random)));
      next =
        o.writes !== undefined && b.random.chance(o.writes)
          ? {
              opcode: b.random.pick(codes),
              entry: {
                action: b.random.between(0, 7),
                write: b.random.between(0, 1),
                silent: b.random.between(0, 1),
                operation: b.random.between(0, 7),
                replyOpcode: b.random.between(0, 255),
              },
            }
          : undefined;
      poke(
        io.matWrite,
        next === undefined
          ? { en: 0, opcode: 0, entry: { action: 0, write: 0, silent: 0, operation: 0, replyOpcode: 0 } }
          : { en: 1, ...next },
      );
    },
  });
  const sent = requests.map(r => request.send({ ...r }));
  await request.drained();
  await b.until(
    () =>
      asked.received.length === wanted.asked.length &&
      reply.received.length === wanted.reply.length &&
      slow.received.length === wanted.slow.length &&
      released.length === wanted.release.length,
  );
  await b.until(() => waiting === 0);
  await b.cycles(5);
  const got = (s: { readonly received: readonly { readonly value: unknown }[] }): unknown[] =>
    s.received.map(x => x.value);
  expect(got(asked)).toEqual(wanted.asked);
  expect(got(reply)).toEqual(wanted.reply);
  expect(got(slow)).toEqual(wanted.slow);
  expect(released).toEqual(wanted.release);
  expect(Object.fromEntries(counted)).toEqual(Object.fromEntries(count));
  return {
    sent: sent.map(s => s.cycle as number),
    access: asked.received.map(x => x.cycle),
    reply: reply.received.map(x => x.cycle),
    slow: slow.received.map(x => x.cycle),
    mostWaiting,
    latencies,
    count,
  };
}

const plain = (r: Partial<Request>): Request => ({
  slot: 1,
  kind: "clio",
  opcode: opcode.READ,
  pid: 7,
  va: 0x1234_5678_9abcn,
  length: 64,
  body: 12,
  frame: 70,
  malformed: 0,
  reply: 0,
  foreign: 0,
  corrupt: 0,
  tracked: 0,
  retry: 0,
  client: 0n,
  operation: 0,
  ...r,
});

/** Rules of all actions at all places, each for a few requests. */
async function manyRules(b: Bench<Ports>): Promise<void> {
  await run(
    b,
    Array.from({ length: 3000 }, () => randomRequest(b.random)),
    { changes: 0.1, slowFor: 3 },
  );
}

describe("Mat", () => {
  bench("random requests under random back-pressure while the table is rewritten", dut, { seed: 11 }, async b => {
    let seed = b.random.word();
    const rules = Array.from({ length: matRules }, (_, i) => ({
      valid: i === 1 ? 0 : 1,
      pid: b.random.between(0, 3),
      action: b.random.between(0, 7),
    }));
    const { count } = await run(
      b,
      Array.from({ length: 3000 }, () => randomRequest(b.random)),
      { pause: () => bernoulli(0.25, ++seed), writes: 0.05, rules },
    );
    // All that can happen did.
    for (const e of Object.keys(b.io.events)) expect(count.get(e) ?? 0, e).toBeGreaterThan(0);
  });
  bench("random requests while the rules change: each rule names each action", dut, { seed: 12 }, manyRules);
  bench("every opcode by the table as it comes up", dut, {}, async b => {
    await run(
      b,
      Array.from({ length: 256 }, (_, code) => plain({ opcode: code, body: 100, length: 60 })),
      { slowFor: 0 },
    );
  });
  bench("one request per cycle, decided in one cycle; a reply takes one more", dut, {}, async b => {
    const requests = Array.from({ length: 200 }, (_, i) =>
      plain({ opcode: i % 3 === 0 ? opcode.PINGPONG : opcode.READ, slot: i % 16 }),
    );
    const t = await run(b, requests);
    expect((t.sent.at(-1) as number) - (t.sent[0] as number)).toBe(requests.length - 1);
    const out = [...t.access.map(c => c - 1), ...t.reply.map(c => c - 2)].sort((x, y) => x - y);
    expect(out).toEqual(t.sent);
  });
  bench("the slow path's queue never stalls the others: one more than the limit is BUSY", dut, {}, async b => {
    const limit = slowLimit(parameters);
    // The slow path takes nothing for a long time.
    const requests = [
      ...Array.from({ length: limit + 3 }, () => plain({ opcode: opcode.ALLOC })),
      ...Array.from({ length: 20 }, () => plain({})),
    ];
    let paused = 0;
    const pauses = [never, never, () => ++paused < 200, never];
    const t = await run(b, requests, { pause: () => pauses.shift() as Pause });
    expect(t.mostWaiting).toBe(limit);
    expect(t.count.get("busy")).toBe(3);
    expect((t.sent.at(-1) as number) - (t.sent[0] as number)).toBe(requests.length - 1);
  });
  bench("rules: the lowest valid one with the pid counts", dut, {}, async b => {
    const drop = matActions.indexOf("drop"),
      slow = matActions.indexOf("slow"),
      malformed = matActions.indexOf("malformed");
    const rules = [
      { valid: 0, pid: 7, action: drop },
      { valid: 1, pid: 8, action: drop },
      { valid: 1, pid: 7, action: slow },
      { valid: 1, pid: 7, action: malformed },
    ];
    const t = await run(b, [plain({}), plain({ pid: 8 }), plain({ pid: 9 })], { rules });
    expect([t.slow.length, t.access.length, t.count.get("dropRule")]).toEqual([1, 1, 1]);
  });
  bench("the table can be looked at and outlives a reset, what waits does not", dut, {}, async b => {
    poke(b.io.matWrite, {
      en: 1,
      opcode: 0x33,
      entry: { action: 2, write: 1, silent: 0, operation: 0, replyOpcode: 0x77 },
    });
    await b.risingEdge();
    poke(b.io.matWrite, { en: 0, opcode: 0, entry: { action: 0, write: 0, silent: 0, operation: 0, replyOpcode: 0 } });
    for (let i = 0; i < 3; i++) await offer(b, b.io.request, { ...plain({ opcode: opcode.ALLOC }) });
    await offer(b, b.io.request, { ...plain({}) });
    b.sim.reset();
    b.io.matOpcode.value = 0x33;
    await b.cycles(2);
    expect([
      b.io.matEntry.action.value,
      b.io.matEntry.write.value,
      b.io.matEntry.silent.value,
      b.io.matEntry.replyOpcode.value,
    ]).toEqual([2, 1, 0, 0x77]);
    expect([b.io.asked.valid.value, b.io.slow.valid.value]).toEqual([0, 0]);
    b.io.matOpcode.value = opcode.READ;
    await b.cycles(2);
    expect(b.io.matEntry.replyOpcode.value).toBe(0x41);
    // Nothing is out at the slow path any more: as many as ever can go.
    const t = await run(
      b,
      Array.from({ length: slowLimit(parameters) }, () => plain({ opcode: opcode.ALLOC })),
    );
    expect(t.slow.length).toBe(slowLimit(parameters));
  });

  describe("a planted fault is found", () => {
    test("a rule's action is another", () =>
      findsFault(
        runBench(
          "another action",
          plant(dut, /rules_0_action == 3'd1/, "rules_0_action == 3'd2"),
          { wave: false, seed: 12, hangCycles: 1000, limitCycles: 50_000 },
          manyRules,
        ),
      ));
    const faults: readonly (readonly [string, string | RegExp, string])[] = [
      ["a length of 0 let through", /request_payload_length == 32'd0/, "1'b0"],
      ["a length over the maximum let through", /request_payload_length > 32'd1466/, "1'b0"],
      ["a write with less data than its length let through", /request_payload_length > [^;)]*data_came[^;)]*/, "1'b0"],
      ["a release lost when a request goes out in the same cycle", /slow_taken & ~slow_release/, "slow_taken"],
      ["an error answered as a request", / \| drops \| decided_held_reply\)/, " | drops)"],
      [
        "a reply handed to offloads",
        /goes_slow = [^;]*;/,
        "goes_slow = decided_held_may_slow & (decided_held_slow | decided_held_extend);",
      ],
      ["a process of the node's own let through", /sound = whole & own/, "sound = whole"],
      ["the last rule instead of the first", /chosen = [^;]*;/, "chosen = matching;"],
    ];
    for (const [name, from, to] of faults) {
      test(name, async () => {
        await findsFault(
          runBench(name, plant(dut, from, to), { wave: false, hangCycles: 1000, limitCycles: 50000 }, async b => {
            const rules = [
              { valid: 1, pid: 2, action: 2 },
              { valid: 1, pid: 1, action: 0 },
              { valid: 1, pid: 2, action: 5 },
              { valid: 1, pid: 2, action: 1 },
            ];
            await run(
              b,
              Array.from({ length: 1500 }, () => randomRequest(b.random)),
              { rules, slowFor: 3 },
            );
          }),
        );
      });
    }
  });
});
