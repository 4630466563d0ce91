import { describe, expect, test } from "vitest";
import { ModelMemory } from "../../../../../designs/clio/model/index.ts";
import type { OffloadParameters } from "../../../../../designs/clio/offload/index.ts";
import { encode } from "../../../../../designs/shared/wire/index.ts";
import { opcode, replyCode, status } from "../../../../../designs/clio/wire/index.ts";
import { type Bench, bursts, runBench } from "../../../../../sim/index.ts";
import { OffloadHost, type OffloadHostOptions } from "../../../../../designs/clio/rig/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault } from "../../../../support/plant.ts";
import { Breaker, copyBody, copyOpcode, type FaultName, faults } from "./copier.ts";

const parameters: OffloadParameters = { beatBytes: 32, contexts: 4, maxData: 1466 };
const dut = Breaker(parameters);
type Ports = typeof dut.ports;
const pids = [7, 8, 300],
  base = 0x4000n,
  area = 0x4000;

/** Each process has pages of its own at the same addresses: random bytes, then zeros to copy to. */
function filled(b: Bench<Ports>): ModelMemory {
  const memory = new ModelMemory();
  for (const pid of pids) {
    memory.map(pid, base, 2 * area);
    memory.store(pid, base, b.random.bytes(area));
  }
  return memory;
}

/** Random copies to places of their own; some from where nothing is. */
async function copies(
  b: Bench<Ports>,
  count: number,
  options: Partial<OffloadHostOptions> = {},
  fault: FaultName = "none",
) {
  b.io.fault.value = faults.indexOf(fault);
  const memory = filled(b),
    host = new OffloadHost(b, { parameters, memory, ...options });
  const asked = Array.from({ length: count }, (_, i) => {
    const length = b.random.between(1, 200),
      missing = b.random.chance(0.1),
      to = base + BigInt(area + 200 * i);
    const from = missing ? 0x10_0000n : base + BigInt(b.random.between(0, area - 200));
    return { pid: b.random.pick(pids), length, from, to, missing, body: encode(copyBody, { from, to, length }) };
  });
  const calls = asked.map(({ pid, body }) => host.request({ opcode: copyOpcode, pid, body }));
  await host.drained();
  for (const [i, { pid, from, to, length, missing, body }] of asked.entries()) {
    const [reply, ...more] = calls[i]?.replies ?? [];
    expect(more).toEqual([]);
    expect(reply).toMatchObject({
      opcode: replyCode(copyOpcode),
      status: missing ? status.INVALID : status.OK,
      more: false,
      body: missing ? new Uint8Array() : body,
    });
    expect(memory.load(pid, to, length)).toEqual(missing ? new Uint8Array(length) : memory.load(pid, from, length));
  }
  return { host, calls, asked };
}

describe("OffloadHost", () => {
  bench(
    "hands over requests, is the memory of each process, takes replies; pauses and replies out of order",
    dut,
    { seed: 3 },
    async b => {
      const { host, calls } = await copies(b, 80, { pause: 0.4, jitter: 60 });
      expect(host.mostInFlight).toBeGreaterThan(3);
      const ends = calls.map(c => c.done as number);
      expect(ends).not.toEqual([...ends].sort((x, y) => x - y));
      expect(
        host.trace
          .filter(t => t.opcode === opcode.WRITE)
          .every(t => t.data.length === t.length && t.answered !== undefined),
      ).toBe(true);
    },
  );
  bench("pauses in bursts, a stream for itself", dut, { seed: 4 }, async b => {
    await copies(b, 40, { pause: stream => bursts({ go: 10, pause: 40 }, stream.length + 1), jitter: 10 });
  });
  bench(
    "the latency is what was asked for: a reply is taken that many cycles after its request",
    dut,
    { seed: 5 },
    async b => {
      const memory = filled(b),
        host = new OffloadHost(b, { parameters, memory, latency: 33 });
      const call = await host.call({
        opcode: copyOpcode,
        pid: 7,
        body: encode(copyBody, { from: base, to: base + BigInt(area), length: 32 }),
      });
      expect(host.trace.map(t => (t.answered as number) - t.taken)).toEqual([33, 33]);
      expect((call.done as number) - (call.taken as number)).toBe(2 * 33 + 1);
    },
  );
  bench("reset: what was under way is forgotten, and nothing of it comes later", dut, { seed: 6 }, async b => {
    const memory = filled(b),
      host = new OffloadHost(b, { parameters, memory, pause: 0.2, jitter: 30 });
    const call = (): ReturnType<OffloadHost["request"]> =>
      host.request({
        opcode: copyOpcode,
        pid: 7,
        body: encode(copyBody, { from: base, to: base + BigInt(area), length: 90 }),
      });
    const before = Array.from({ length: 10 }, call);
    await b.cycles(60);
    host.reset();
    const after = Array.from({ length: 10 }, call);
    await host.drained();
    expect(before.some(c => c.done === undefined)).toBe(true);
    expect(after.every(c => c.done !== undefined && c.replies.length === 1)).toBe(true);
  });

  describe("a broken rule is told", () => {
    const check = (fault: FaultName, count: number, options: Partial<OffloadHostOptions> = {}): Promise<unknown> =>
      runBench(fault, dut, { wave: false, seed: 7, hangCycles: 300, limitCycles: 30_000 }, b =>
        copies(b, count, { patience: 200, ...options }, fault),
      );
    test("and none where there is none", async () => {
      await check("none", 12, { pause: 0.3 });
    });

    const broken: readonly (readonly [FaultName, number, RegExp])[] = [
      ["reply context", 1, /reply: a reply to context \d at cycle \d+, which has no request/],
      ["reply length", 1, /length = 1479 at cycle \d+ is more than the 1478 bytes/],
      ["more for ever", 1, /nothing has moved for 200 cycles .* has not answered context/],
      ["no reply", 1, /no stream has moved|nothing has moved for 200 cycles .* has not answered context/],
      ["last missing", 1, /reply_data: last is 0 on the beat of bytes 0 to 19 of a body of 20 bytes/],
      ["last too soon", 12, /memory_data: last is 1 on the beat of bytes 0 to 31 of a body of/],
      ["beat without header", 1, /reply_data: a beat is left that belongs to no header/],
      ["opcode", 1, /memory: opcode 0x4b is none that an offload may send/],
      ["write data", 1, /memory: 0 bytes follow length = \d+; opcode 0x50 wants/],
      ["context of nobody", 1, /memory: a request in the address space of context \d/],
    ];
    for (const [fault, count, why] of broken)
      test(fault, async () => {
        await findsFault(check(fault, count), why);
      });
    test("beats without a header too when they wait for one", async () => {
      await findsFault(
        check("beat without header", 1, { hold: true }),
        /reply_data: a beat is left that belongs to no header/,
      );
    });
    test("it needs a second place in memory before it gives the first one back: with one there it never ends", async () => {
      await findsFault(check("none", 12, { atOnce: 1 }), /no stream has moved/);
    });
    bench("and memory answers MALFORMED instead, when asked to", dut, { seed: 8 }, async b => {
      b.io.fault.value = faults.indexOf("opcode");
      const host = new OffloadHost(b, { parameters, memory: filled(b), tolerant: true });
      const call = await host.call({
        opcode: copyOpcode,
        pid: 7,
        body: encode(copyBody, { from: base, to: base, length: 8 }),
      });
      expect(call.replies.map(r => r.status)).toEqual([status.MALFORMED]);
    });
  });
});
