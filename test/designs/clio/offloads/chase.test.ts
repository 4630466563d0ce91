import { describe, expect, test } from "vitest";
import { chase, type MemoryAccess, ModelMemory, type OffloadMemory } from "../../../../designs/clio/model/index.ts";
import { type ChaseParameters, PointerChase } from "../../../../designs/clio/offloads/chase/index.ts";
import { type Decoded, encode } from "../../../../designs/shared/wire/index.ts";
import { opcode, pointerChaseBody, status, statusName } from "../../../../designs/clio/wire/index.ts";
import { type Bench, bursts, type Dut, never, type Random, runBench } from "../../../../sim/index.ts";
import {
  type OffloadCallRequest,
  OffloadHost,
  type OffloadHostOptions,
  type OffloadPorts,
} from "../../../../designs/clio/rig/index.ts";
import { bench } from "../../../bench.ts";
import { findsFault, plant } from "../../../support/plant.ts";
import { contextsBack, Standstill } from "./support/contexts-back.ts";
import { lateTakers } from "./support/late-takers.ts";
import { testOfResets } from "../../../support/reset-any-time.ts";

const maxData = 1466,
  mostNodes = 255;
const parametersOf = (beatBytes: number): ChaseParameters => ({ beatBytes, contexts: 8, maxData, mostNodes });
type Chase = Decoded<typeof pointerChaseBody>;
const pids = [7, 8, 300],
  base = 0x10_0000n,
  area = 0x1_0000,
  sealed = 0x20_0000n;

/** Where the fields of a list's nodes are. */
interface Form {
  readonly structSize: number;
  readonly keyOffset: number;
  readonly valueOffset: number;
  readonly nextOffset: number;
  readonly valueSize: number;
  readonly useValuePtr: number;
}
interface List {
  readonly pid: number;
  readonly form: Form;
  readonly nodes: readonly bigint[];
  readonly keys: readonly bigint[];
}

/** A form whose fields fit, of any size; now and then at the very end of the node, or of the offsets. */
function randomForm(r: Random): Form {
  const structSize = r.pick([r.between(16, 64), r.between(16, 512), 264, 512]),
    useValuePtr = Number(r.chance(0.4));
  const last = Math.min(255, structSize - 8),
    valueOffset = r.pick([r.between(0, last), last]);
  const room = structSize - valueOffset;
  return {
    structSize,
    keyOffset: r.pick([r.between(0, last), last]),
    valueOffset,
    nextOffset: r.between(0, Math.min(15, Math.floor(structSize / 8) - 1)),
    useValuePtr,
    valueSize: r.chance(0.1)
      ? 0
      : useValuePtr === 1
        ? r.pick([r.between(1, 100), r.between(1, maxData)])
        : r.pick([r.between(1, room), room]),
  };
}

/**
 * Lists at random places of each process's memory, one node across its first pages' end. A list ends in 0, a ring, or
 * an unmapped or unreadable address.
 */
function lists(r: Random, memory: ModelMemory, perProcess: number): List[] {
  for (const pid of pids) {
    memory.map(pid, base, area);
    memory.store(pid, base, r.bytes(area));
    memory.map(pid, sealed, 4096, "-");
  }
  return pids.flatMap(pid => {
    let at = base + 4096n - 100n;
    return Array.from({ length: perProcess }, (): List => {
      const form = randomForm(r),
        keys: bigint[] = [],
        nodes: bigint[] = [];
      for (let i = r.between(1, 10); i > 0; i--, at += BigInt(form.structSize + r.between(0, 40))) {
        nodes.push(at);
        keys.push(r.bits(64));
      }
      const end = r.pick([0n, 0n, 0n, nodes[0] as bigint, 0x5000_0000n, sealed, 1n << 63n]);
      for (const [i, node] of nodes.entries()) {
        if (form.useValuePtr === 1)
          memory.storeWord(
            pid,
            node + BigInt(form.valueOffset),
            r.chance(0.05) ? sealed : base + BigInt(r.between(0, area - maxData)),
          );
        memory.storeWord(pid, node + BigInt(form.keyOffset), keys[i] as bigint);
        memory.storeWord(pid, node + BigInt(8 * form.nextOffset), nodes[i + 1] ?? end);
      }
      return { pid, form, nodes, keys };
    });
  });
}

/** A request for a list: right in nine of ten. */
function randomRequest(r: Random, all: readonly List[]): OffloadCallRequest {
  const { pid, form, nodes, keys } = r.pick(all);
  const right: Partial<Chase> = {
    ...form,
    addr: r.chance(0.05) ? 0n : (nodes[0] as bigint),
    key: r.chance(0.8) ? r.pick(keys) : r.bits(64),
    useKey: Number(r.chance(0.8)),
    useDepth: Number(r.chance(0.3)),
    depth: r.pick([0, 1, 2, r.between(1, 12), 255]),
    unused: r.between(0, 1),
  };
  // One field alone reaches past the node's end.
  const none: Partial<Chase> = { useKey: 0, keyOffset: 0, nextOffset: 0, valueOffset: 0, valueSize: 0, useValuePtr: 0 },
    last = Math.max(0, 8 * form.nextOffset - 1),
    bytes = r.between(1, maxData);
  const wrong = r.pick<Partial<Chase>>([
    { ...none, nextOffset: form.nextOffset, structSize: 8 * form.nextOffset + 7 },
    { ...none, useKey: 1, keyOffset: last, structSize: last + 7 },
    { ...none, useValuePtr: 1, valueOffset: last, structSize: last + 7 },
    { ...none, valueOffset: last, valueSize: bytes, structSize: last + bytes - 1 },
    { structSize: 0 },
    { structSize: 513 },
    { structSize: 65_535 },
    { structSize: form.keyOffset + 7, useKey: 1 },
    { structSize: 8 * form.nextOffset + 7 },
    { structSize: form.valueOffset + (form.useValuePtr === 1 ? 8 : form.valueSize) - 1 },
    { valueSize: maxData + 1 },
    { valueSize: 65_535 },
    { valueSize: form.structSize + 1, useValuePtr: 0 },
  ]);
  const body = encode(pointerChaseBody, r.chance(0.1) ? { ...right, ...wrong } : right);
  const length = r.chance(0.03) ? r.between(0, 100) : body.length;
  const cut = new Uint8Array(length);
  cut.set(body.subarray(0, length));
  return { pid, opcode: r.chance(0.01) ? opcode.WIC : opcode.POINTER_CHASE, body: cut };
}

/** Many requests of several processes at once, each against the model; the READs too. */
async function run(
  b: Bench<OffloadPorts>,
  p: ChaseParameters,
  count: number,
  options: Partial<OffloadHostOptions> = {},
) {
  const memory = new ModelMemory(),
    { host, back } = hostOf(b, p, memory, options),
    all = lists(b.random, memory, 6);
  const calls = Array.from({ length: count }, () => host.request(randomRequest(b.random, all)));
  await host.drained();
  const reads: MemoryAccess[] = [],
    told: OffloadMemory = {
      access: a => {
        reads.push(a);
        return memory.access(a);
      },
    },
    seen = new Map<string, number>();
  for (const c of calls) {
    const expected = chase(told, c.pid, c.opcode, c.body, p.maxData, mostNodes);
    expect(c.replies.map(r => ({ status: r.status, opcode: r.opcode, body: r.body }))).toEqual([expected]);
    seen.set(statusName(expected.status), (seen.get(statusName(expected.status)) ?? 0) + 1);
  }
  const line = (a: Pick<MemoryAccess, "pid" | "opcode" | "va" | "length">): string =>
    `${a.pid} ${a.opcode} ${a.va} ${a.length}`;
  expect(host.trace.map(line).sort()).toEqual(reads.map(line).sort());
  await back();
  return { host, seen };
}
/** The host of a bench, whose contexts can all wait for memory at the end: `back`. */
function hostOf(
  b: Bench<OffloadPorts>,
  p: ChaseParameters,
  memory: ModelMemory,
  options: Partial<OffloadHostOptions> = {},
) {
  const still = new Standstill(),
    host = new OffloadHost(b, { parameters: p, memory, ...options, ...still.options(b, options) });
  const back = (): Promise<void> =>
    contextsBack(b, host, still, p.contexts, () => void host.request(search(7, 99, 64, { useDepth: 1, depth: 1 })));
  return { host, back };
}

/** A list of nodes of one size, key first, next pointer second. */
function plainList(memory: ModelMemory, pid: number, nodes: number, nodeBytes: number, ring = false): void {
  memory.map(pid, base, nodes * nodeBytes);
  for (let i = 0; i < nodes; i++) {
    memory.storeWord(pid, base + BigInt(nodeBytes * i), BigInt(i));
    memory.storeWord(
      pid,
      base + BigInt(nodeBytes * i + 8),
      i < nodes - 1 ? base + BigInt(nodeBytes * (i + 1)) : ring ? base : 0n,
    );
  }
}
const search = (pid: number, key: number, structSize: number, more: Partial<Chase> = {}): OffloadCallRequest => ({
  pid,
  opcode: opcode.POINTER_CHASE,
  body: encode(pointerChaseBody, {
    addr: base,
    key: BigInt(key),
    structSize,
    valueSize: 8,
    nextOffset: 1,
    useKey: 1,
    ...more,
  }),
});

/** Nobody takes a reply, and several requests have ended: nodes of the others are taken from memory all the same. */
async function repliesStand(b: Bench<OffloadPorts>, p: ChaseParameters, failing: number): Promise<void> {
  const memory = new ModelMemory(),
    nodes = 30;
  let stands = true;
  const { host, back } = hostOf(b, p, memory, {
    latency: 3,
    pause: s => (s === "reply" || s === "replyData" ? () => stands : never),
  });
  plainList(memory, 7, nodes, 64);
  // Those whose first READ fails are at their end at once.
  for (let i = 0; i < failing; i++) host.request(search(7, 1, 64, { addr: 0x5000_0000n }));
  for (let i = 0; i < 2; i++) host.request(search(7, nodes - 1, 64));
  const wanted = failing + 2 * nodes,
    cycles = 2 * nodes * (64 / p.beatBytes + 20);
  await b.withTimeout(() => b.until(() => host.trace.length >= wanted), { cycles }, "reads while replies stand");
  stands = false;
  await host.drained();
  await back();
}

for (const beatBytes of process.env["MNEMO_LONG"] === undefined ? [64, 8] : [64, 32, 16, 8]) {
  const p = parametersOf(beatBytes),
    dut = PointerChase(p),
    bodyBeats = Math.ceil(pointerChaseBody.bytes / beatBytes);
  describe(`PointerChase, ${beatBytes} bytes a beat`, () => {
    bench(
      "random lists, as the model has it, under random back-pressure and with replies out of order",
      dut,
      { seed: 11 },
      async b => {
        const { host, seen } = await run(b, p, 400, { pause: 0.3, jitter: 80 });
        for (const name of ["OK", "FAIL", "INVALID", "READ_PERM", "MALFORMED"])
          expect(seen.get(name), name).toBeGreaterThan(5);
        expect(host.mostInFlight).toBe(8);
      },
    );
    // One more would itself stand before the others among memory's replies.
    for (const failing of [4, 5])
      bench(`${failing} replies that nobody takes: nodes are taken from memory`, dut, { seed: 18 }, b =>
        repliesStand(b, p, failing),
      );
    bench("takers that are ready only after a valid", dut, { seed: 17 }, async b => {
      await run(b, p, 40, { pause: lateTakers(b) });
    });
    testOfResets(dut, { most: 1000 }, b => run(b, p, 200, { pause: 0.3, jitter: 80 }));
    bench("the same without a pause, back to back", dut, { seed: 12 }, async b => {
      await run(b, p, 300, { latency: 3 });
    });
    bench("a ring without depth ends", dut, { seed: 13 }, async b => {
      const memory = new ModelMemory(),
        { host, back } = hostOf(b, p, memory, { latency: 1 });
      plainList(memory, 7, 3, 64, true);
      const call = await host.call(search(7, 99, 64));
      expect(call.replies[0]?.status).toBe(status.FAIL);
      expect(host.trace.length).toBe(mostNodes);
      await back();
    });
    bench("latency is as stated: to the first READ, from node to node, to the reply", dut, { seed: 14 }, async b => {
      const memory = new ModelMemory(),
        latency = 30,
        { host, back } = hostOf(b, p, memory, { latency }),
        nodeBytes = 64,
        nodeBeats = nodeBytes / beatBytes;
      plainList(memory, 7, 5, nodeBytes);
      const call = await host.call(search(7, 4, nodeBytes)),
        [reply] = call.replies,
        taken = host.trace.map(t => t.taken);
      expect(reply?.status).toBe(status.OK);
      expect((taken[0] as number) - (call.taken as number)).toBe(4 + bodyBeats);
      expect(taken.slice(1).map((t, i) => t - (taken[i] as number))).toEqual(
        [1, 2, 3, 4].map(() => latency + 5 + nodeBeats),
      );
      const last = (taken[4] as number) + latency + nodeBeats;
      expect([reply?.cycle as number, reply?.end as number].map(c => c - last)).toEqual([
        6,
        9 + (beatBytes < 20 ? 1 : 0),
      ]);
      await back();
    });
    bench("interval is as stated: a node takes its beats and one cycle", dut, { seed: 15 }, async b => {
      const memory = new ModelMemory(),
        { host, back } = hostOf(b, p, memory, { latency: 2 }),
        nodeBytes = 64;
      plainList(memory, 7, 100, nodeBytes);
      for (let i = 0; i < 8; i++) host.request(search(7, 99, nodeBytes));
      await host.drained();
      const middle = host.trace.slice(200, 600).map(t => t.taken);
      expect(((middle.at(-1) as number) - (middle[0] as number)) / 399).toBeCloseTo(1 + nodeBytes / beatBytes, 1);
      await back();
    });
    bench("reset in the middle of it: nothing of before comes later", dut, { seed: 16 }, async b => {
      const memory = new ModelMemory(),
        { host, back } = hostOf(b, p, memory, { jitter: 40, pause: 0.2 });
      plainList(memory, 7, 20, 72);
      for (let i = 0; i < 12; i++) host.request(search(7, 19, 72));
      await b.cycles(300);
      host.reset();
      const after = Array.from({ length: 12 }, (_, i) => host.request(search(7, i, 72)));
      await host.drained();
      expect(after.map(c => c.replies.map(r => r.status))).toEqual(after.map(() => [status.OK]));
      await back();
    });
  });
}

describe("a planted fault is found", () => {
  const p = parametersOf(8),
    dut = PointerChase(p);
  const check = (name: string, design: Dut<OffloadPorts>): Promise<unknown> =>
    runBench(name, design, { wave: false, seed: 21, hangCycles: 1500, limitCycles: 200_000 }, async b => {
      const slow = bursts({ go: 3, pause: 60 }, 5);
      await run(b, p, 300, { pause: stream => (stream === "replyData" ? slow : never), latency: 1, patience: 1000 });
    });
  test("and nothing without one", async () => {
    await check("no fault", dut);
  });
  const faults: readonly (readonly [string, string | RegExp, string])[] = [
    ["a context's next request begins while its value is still being sent", /if \(~waits\)/, "if (1'b1)"],
    ["a key across two beats", /before_ <= [^;]*;/, "before_ <= before_;"],
    ["the last node that the depth allows is not looked at", /last_one = [^;]*;/, "last_one = seen_left == 16'd2;"],
    ["a ring goes on for ever", /step_left <= [^;]*;/, "step_left <= seen_left;"],
    ["in the offload's own address space", /(staged_skid_held_client) : 1'b1/, "$1 : 1'b0"],
    ["the value from the node's first beat on", /index <= \{1'b0, asked_offset\[7:3\]\};/, "index <= 6'd0;"],
  ];
  for (const [name, from, to] of faults)
    test(name, async () => {
      await findsFault(check(name, plant(dut, from, to)));
    });
});
