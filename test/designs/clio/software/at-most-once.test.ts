import { describe, expect, it } from "vitest";
import * as p from "../../../support/packets.ts";
import { counterNames, makeSettings } from "../../../../designs/clio/config/index.ts";
import {
  AtMostOnce,
  type AtMostOnceOptions,
  clearTable,
  MalformedRequest,
  SlowPath,
  type SlowReply,
  type SlowRequest,
} from "../../../../designs/clio/software/index.ts";
import { FakeHardware } from "./fake-hardware.ts";
import { Random } from "../../../../hdl-dsl/index.ts";

const { opcode, status } = p;

/** Fields of a request that the rules use. */
interface Asked {
  readonly id: number;
  readonly retryOf?: number;
  readonly port?: number;
  readonly code?: number;
  readonly tracked?: boolean;
  readonly native?: boolean;
}

function request({ id, retryOf, port = 5000, code = opcode.ALLOC, tracked = true, native = true }: Asked): SlowRequest {
  const frame = p.udpFrame(
    { mac: 1n, ip: 0x0a000001, port },
    { mac: 2n, ip: 0x0a000002, port: 1200 },
    p.clioMessage({
      opcode: code,
      flagTracked: tracked ? 1 : 0,
      requestId: id,
      ...(retryOf === undefined ? {} : { flagRetry: 1, retryOf }),
    }),
  );
  const { ethernet, ipv4, udp, clio, body } = p.dissect(frame);
  return { ethernet: ethernet!, ipv4: ipv4!, udp: udp!, clio: clio!, body: body!, native };
}

/** At-most-once with a clock, and an executor that numbers what it does. */
function bench(o: Partial<AtMostOnceOptions> = {}) {
  let now = 0,
    executed = 0;
  const once = new AtMostOnce({ replies: 4, clients: 3, idle: 100, forgotten: 2, time: () => now, ...o });
  return {
    once,
    at: (t: number) => {
      now = t;
    },
    executed: () => executed,
    /** The number of the execution whose reply came, or the status of a refusal. */
    ask: async (a: Asked): Promise<number | string> => {
      const r = await once.reply(request(a), () => ({ status: 0, body: Uint8Array.of(++executed) }));
      return r.headerOnly ? p.statusName(r.status) : r.body[0]!;
    },
  };
}

describe("requests that change something are done at most once", () => {
  it("the original, its duplicates and its retries have one reply", async () => {
    const b = bench();
    expect([
      await b.ask({ id: 10 }),
      await b.ask({ id: 10 }),
      await b.ask({ id: 11, retryOf: 10 }),
      await b.ask({ id: 12, retryOf: 10 }),
      await b.ask({ id: 13 }),
    ]).toEqual([1, 1, 1, 1, 2]);
    expect(b.once.statistics).toEqual({ repeated: 3, underWay: 0, expired: 0 });
  });
  it("a refusal for want of room says how long to wait, and that time is enough", async () => {
    const b = bench();
    for (const port of [1, 2, 3]) {
      b.at(port * 10);
      await b.ask({ id: 1, port });
    }
    const refusal = await b.once.reply(request({ id: 1, port: 4 }), () => ({ status: 0, body: new Uint8Array() }));
    expect([p.statusName(refusal.status), refusal.headerOnly, refusal.waitNs]).toEqual(["BUSY", true, 81]);
    b.at(30 + 80);
    expect(await b.ask({ id: 1, port: 4 })).toBe("BUSY");
    b.at(30 + 81);
    expect(await b.ask({ id: 1, port: 4 })).toBe(4);
  });
  it("a retry whose original was lost is done, and the original, if it comes after all, is not", async () => {
    const b = bench();
    await b.ask({ id: 10 });
    expect([await b.ask({ id: 12, retryOf: 11 }), await b.ask({ id: 11 })]).toEqual([2, 2]);
  });
  it("clients are told apart by address and port; without tracking, on the client ports, and what only reads is done anew", async () => {
    const b = bench();
    expect([await b.ask({ id: 1 }), await b.ask({ id: 1, port: 5001 })]).toEqual([1, 2]);
    expect([
      await b.ask({ id: 1, tracked: false }),
      await b.ask({ id: 1, native: false }),
      await b.ask({ id: 1, code: opcode.QUERY_STAT }),
      await b.ask({ id: 1, code: opcode.KV_READ }),
    ]).toEqual([3, 4, 5, 6]);
  });
  it("while it is under way it is BUSY", async () => {
    const once = new AtMostOnce({ replies: 4, clients: 4, idle: 100, forgotten: 4, time: () => 0 });
    let finish: (r: SlowReply) => void = () => undefined;
    const first = once.reply(
      request({ id: 1 }),
      () =>
        new Promise(resolve => {
          finish = resolve;
        }),
    );
    const again = await once.reply(request({ id: 2, retryOf: 1 }), () => {
      throw new Error("done twice");
    });
    expect(again).toMatchObject({ status: status.BUSY, headerOnly: true });
    finish({ status: 0, body: Uint8Array.of(9) });
    expect((await first).body).toEqual(Uint8Array.of(9));
    expect(
      (
        await once.reply(request({ id: 3, retryOf: 1 }), () => {
          throw new Error("done twice");
        })
      ).body,
    ).toEqual(Uint8Array.of(9));
  });
  it("what was forgotten is EXPIRED, the request and its retries, and so is all that is older", async () => {
    const b = bench();
    for (let id = 10; id < 16; id++) await b.ask({ id });
    // 10 and 11 had to go for 14 and 15.
    expect([await b.ask({ id: 10 }), await b.ask({ id: 20, retryOf: 11 }), await b.ask({ id: 9 })]).toEqual([
      "EXPIRED",
      "EXPIRED",
      "EXPIRED",
    ]);
    expect([await b.ask({ id: 21, retryOf: 12 }), await b.ask({ id: 16 })]).toEqual([3, 7]);
    expect(b.executed()).toBe(7);
    expect(b.once.size).toEqual({ clients: 1, replies: 4 });
  });
  it("numbers wrap", async () => {
    const b = bench(),
      ids = Array.from({ length: 8 }, (_, i) => (0xfffffffc + i) >>> 0);
    for (const id of ids) await b.ask({ id });
    expect([
      await b.ask({ id: 0xfffffffe }),
      await b.ask({ id: 9, retryOf: 0xffffffff }),
      await b.ask({ id: 10, retryOf: 0 }),
    ]).toEqual(["EXPIRED", "EXPIRED", 5]);
  });
  it("a new client's requests are done whatever comes first: a retry whose original was lost, requests that overtook each other", async () => {
    const b = bench();
    expect(await b.ask({ id: 5, retryOf: 4 })).toBe(1);
    expect([
      await b.ask({ id: 12 }),
      await b.ask({ id: 10 }),
      await b.ask({ id: 13, retryOf: 9 }),
      await b.ask({ id: 4 }),
    ]).toEqual([2, 3, 4, 1]);
  });
  it("when even its newest operation is forgotten of some client, one that is not known may be that: its retries are EXPIRED, and those older than its first request", async () => {
    const b = bench({ clients: 1 });
    for (const [i, port] of [1, 2, 3, 4].entries()) {
      b.at(1000 * i);
      await b.ask({ id: 100, port });
    }
    // Of ports 2 and 3 the newest operation is known, of port 1 nothing.
    b.at(10_000);
    expect(await b.ask({ id: 102, retryOf: 101, port: 1 })).toBe("EXPIRED");
    expect([
      await b.ask({ id: 103, port: 1 }),
      await b.ask({ id: 104, retryOf: 99, port: 1 }),
      await b.ask({ id: 102, port: 1 }),
    ]).toEqual([5, "EXPIRED", 6]);
    b.at(20_000);
    expect([await b.ask({ id: 102, retryOf: 100, port: 3 }), await b.ask({ id: 103, retryOf: 101, port: 3 })]).toEqual([
      "EXPIRED",
      7,
    ]);
  });
  it("with room for no more clients the one idle for longest goes, and none that may still repeat something", async () => {
    const b = bench();
    for (const [i, port] of [1, 2, 3].entries()) {
      b.at(10 * i);
      await b.ask({ id: 1, port });
    }
    b.at(50);
    await b.ask({ id: 2, port: 1 });
    expect(await b.ask({ id: 1, port: 4 })).toBe("BUSY");
    b.at(111);
    // Port 2 was last heard of at 10, port 1 at 50.
    expect(await b.ask({ id: 1, port: 4 })).toBe(5);
    expect(await b.ask({ id: 3, port: 1, retryOf: 1 })).toBe(1);
    expect(b.once.size.clients).toBe(3);
    b.at(300);
    expect([await b.ask({ id: 2, port: 2, retryOf: 1 }), await b.ask({ id: 3, port: 2 })]).toEqual(["EXPIRED", 6]);
    expect(b.once.size.clients).toBe(3);
  });
  it("one name for two operations is nothing to be done", async () => {
    const b = bench();
    await b.ask({ id: 1 });
    expect(await b.ask({ id: 1, code: opcode.FREE })).toBe("EXPIRED");
  });
  it("what was malformed has done nothing and is not remembered", async () => {
    const once = new AtMostOnce({ replies: 4, clients: 4, idle: 100, forgotten: 4, time: () => 0 }),
      malformed = (): SlowReply => {
        throw new MalformedRequest("no");
      };
    await expect(once.reply(request({ id: 1 }), malformed)).rejects.toThrow(MalformedRequest);
    expect((await once.reply(request({ id: 1 }), () => ({ status: 0, body: Uint8Array.of(1) }))).body).toEqual(
      Uint8Array.of(1),
    );
  });
});

describe("random traffic with loss, duplicates, late copies and retries", () => {
  /** How often each operation was done; and what clients were told that is not so. */
  async function run(seed: number, make: (o: AtMostOnceOptions) => Pick<AtMostOnce, "reply">) {
    const random = new Random(seed);
    let now = 0;
    const once = make({ replies: 8, clients: 4, idle: 3, forgotten: 8, time: () => now }),
      done = new Map<string, number>(),
      lies: string[] = [],
      late: SlowRequest[] = [];
    let expired = 0;
    const nextId = Array.from({ length: 6 }, () => random.below(2 ** 32));
    const deliver = async (r: SlowRequest): Promise<SlowReply> => {
      const { clio, udp } = r,
        key = `${udp.srcPort}:${clio.flagRetry ? clio.retryOf : clio.requestId}`;
      return once.reply(r, () => {
        done.set(key, (done.get(key) ?? 0) + 1);
        return { status: 0, body: new TextEncoder().encode(key) };
      });
    };
    for (let i = 0; i < 3000; i++) {
      now++;
      const port = random.below(6),
        id = nextId[port]!,
        key = `${port}:${id}`;
      nextId[port] = (id + 1) >>> 0;
      for (let attempt = 0; attempt < 3; attempt++) {
        const r = request(attempt === 0 ? { id, port } : { id: nextId[port], retryOf: id, port });
        if (attempt > 0) nextId[port] = (nextId[port] + 1) >>> 0;
        // Lost on the way, delivered once or twice, or kept back to come much later as well.
        if (random.below(10) === 0) late.push(r);
        if (random.below(5) === 0) continue;
        const reply = await deliver(r);
        if (random.below(8) === 0) await deliver(r);
        if (late.length > 20 && random.below(3) === 0) await deliver(late.splice(random.below(late.length), 1)[0]!);
        if (random.below(5) === 0) continue;
        const told = new TextDecoder().decode(reply.body);
        if (reply.status === status.EXPIRED) expired++;
        if (!reply.headerOnly && told !== key) lies.push(`${key} was told ${told}`);
        if (!reply.headerOnly && done.get(key) !== 1)
          lies.push(`${key} was told it is done, and it was done ${done.get(key) ?? 0} times`);
        break;
      }
    }
    return { twice: [...done].filter(([, n]) => n > 1).map(([k]) => k), lies, done: done.size, expired };
  }

  it.each([1, 2, 3, 4])("nothing is done twice, nobody is told what is not so (seed %i)", async seed => {
    const r = await run(seed, o => new AtMostOnce(o));
    expect(r).toMatchObject({ twice: [], lies: [] });
    expect(r.done).toBeGreaterThan(2000);
  });
  it("planted faults: without memory, and with replies forgotten without a watermark, operations are done twice", async () => {
    const forgetful = await run(1, () => ({ reply: async (_r, execute) => execute() }));
    expect(forgetful.twice.length).toBeGreaterThan(100);
    const remembered = new Map<string, SlowReply>();
    const noWatermark = await run(1, () => ({
      reply: async ({ udp, clio }, execute) => {
        const key = `${udp.srcPort}:${clio.flagRetry ? clio.retryOf : clio.requestId}`,
          known = remembered.get(key);
        if (known) return known;
        const reply = await execute();
        remembered.set(key, reply);
        if (remembered.size > 48) remembered.delete(remembered.keys().next().value!);
        return reply;
      },
    }));
    expect(noWatermark.twice.length).toBeGreaterThan(0);
  });
});

describe("through the slow path", () => {
  it("a repeated CREATE_PROC, ALLOC, FREE and key give the first reply with the new request's own header; nothing is done again", async () => {
    const { config, runtime } = makeSettings(),
      hardware = new FakeHardware(config);
    await clearTable(hardware, config);
    const slow = new SlowPath(hardware, config, runtime),
      done = slow.run();
    await slow.ready;
    let id = 0;
    const send = async (header: Partial<p.Decoded<typeof p.clioHeader>>, ...body: Uint8Array[]) => {
      const d = p.dissect(
        await hardware.request(
          p.udpFrame(
            { mac: 1n, ip: 7, port: 7 },
            { mac: runtime.mac, ip: runtime.ip, port: 1200 },
            p.clioMessage({ flagTracked: 1, requestId: ++id, ...header }, ...body),
          ),
        ),
      );
      return { header: d.clio!, body: d.body! };
    };
    /** A request and, under a new request_id, its retry: the same but for what the header echoes. */
    const twice = async (header: Partial<p.Decoded<typeof p.clioHeader>>, ...body: Uint8Array[]) => {
      const first = await send({ ...header, tag: 1 }, ...body),
        original = id;
      const second = await send({ ...header, tag: 2, flagRetry: 1, retryOf: original }, ...body);
      expect(second.body).toEqual(first.body);
      expect(second.header).toEqual({
        ...first.header,
        tag: 2,
        flagRetry: 1,
        requestId: original + 1,
        retryOf: original,
      });
      return first;
    };
    const { newPid } = p.decode(
      p.createProcReplyBody,
      (await twice({ opcode: opcode.CREATE_PROC }, new Uint8Array(64))).body,
    );
    expect([newPid, slow.memory.processCount]).toEqual([1, 1]);
    const page = BigInt(config.pageSize),
      { addr } = p.decode(
        p.allocReplyBody,
        (await twice({ opcode: opcode.ALLOC, pid: 1 }, p.encode(p.allocBody, { len: page }))).body,
      );
    expect(slow.memory.entries).toBe(1);
    // A FREE done again would be refused, or free pages that have been given to another process since.
    expect(
      p.decode(
        p.allocReplyBody,
        (await twice({ opcode: opcode.FREE, pid: 1 }, p.encode(p.allocBody, { addr, len: page }))).body,
      ).ret,
    ).toBe(0);
    const key = p.encode(p.kvBody, { keySize: 8, valueSize: 3, key: 5n });
    expect((await twice({ opcode: opcode.KV_CREATE }, key, Uint8Array.of(1, 2, 3))).header.status).toBe(0);
    expect((await twice({ opcode: opcode.KV_DELETE }, key)).header.status).toBe(0);
    expect(slow.statistics).toMatchObject({ repliesRepeated: 5, requestsExpired: 0 });
    // A forgotten operation: header only, its own opcode, EXPIRED.
    for (let i = 0; i < 70; i++) await send({ opcode: opcode.KV_DELETE }, key);
    const expired = await send(
      { opcode: opcode.ALLOC, pid: 1, flagRetry: 1, retryOf: 3 },
      p.encode(p.allocBody, { len: page }),
    );
    expect(expired.header).toMatchObject({ opcode: opcode.ALLOC, status: status.EXPIRED, size: 16 });
    expect(slow.memory.entries).toBe(0);
    expect(slow.statistics.requestsExpired).toBe(1);
    expect(counterNames).not.toContain("repliesRepeated");
    hardware.close();
    await done;
  });
});
