/** T1 and T4 of paper 4.4.5, request by request against a scripted node. */
import { describe, expect, test } from "vitest";
import {
  Client,
  mostBusy,
  OperationError,
  piecesAtOnce,
  type Receiver,
} from "../../../../designs/clio/client/index.ts";
import { opcode, status } from "../../../../designs/clio/wire/index.ts";
import { type Answer, type Asked, ScriptedNode, usual } from "./scripted-node.ts";
import { Random } from "../../../../hdl-dsl/index.ts";

const reason = (p: Promise<unknown>): Promise<string> =>
  p.then(
    () => "OK",
    (e: unknown) => (e instanceof OperationError ? `${e.reason} ${e.outcome}` : String(e)),
  );
/** The flags and IDs of a try, relative to the first. */
const ids = (asked: readonly Asked[]): string[] =>
  asked.map(a => {
    const first = asked[0]?.header.requestId ?? 0;
    return `+${a.header.requestId - first}${a.header.flagRetry === 1 ? ` retry of +${a.header.retryOf - first}` : ""}`;
  });
const thread = (n: ScriptedNode) => n.client.process(7, n.address).thread();
const write = (n: ScriptedNode, bytes = 4): Promise<string> =>
  n.time.run(reason(thread(n).rwrite(4096n, new Uint8Array(bytes))));

describe("T4", () => {
  test("no answer: two retries with IDs of their own that name the first, then the error", async () => {
    const n = new ScriptedNode();
    n.answers = () => [];
    expect(await write(n)).toBe("TIMEOUT unknown");
    expect(ids(n.asked)).toEqual(["+0", "+1 retry of +0", "+2 retry of +0"]);
    expect(n.asked.map(a => a.atNs - (n.asked[0]?.atNs ?? 0))).toEqual([0, 10_000, 20_000]);
    expect(n.asked.every(a => a.header.flagTracked === 1 && a.header.pid === 7)).toBe(true);
    expect(n.client.statistics).toMatchObject({ timeouts: 3, retries: 2, failed: 1 });
    expect(n.client.windows.expectedBytes).toBe(0);
  });
  test("a read that fails has no effect, whatever became of it", async () => {
    const n = new ScriptedNode();
    n.answers = () => [];
    expect(await n.time.run(reason(thread(n).rread(0n, 8)))).toBe("TIMEOUT none");
  });
  test("NACK: retried at once; the third is the error", async () => {
    const n = new ScriptedNode();
    n.answers = () => [{ status: status.NACK }];
    expect(await write(n)).toBe("NACK unknown");
    expect(n.asked.map(a => a.atNs - (n.asked[0]?.atNs ?? 0))).toEqual([0, 1000, 2000]);
    expect(n.client.statistics).toMatchObject({ nacks: 3, retries: 2, timeouts: 0 });
  });
  test("a NACK is known by its request ID alone: the rest of the header came damaged", async () => {
    const n = new ScriptedNode();
    n.answers = () => (n.asked.length === 1 ? [{ status: status.NACK, opcode: 0x13, pid: 99 }] : [{}]);
    expect(await write(n)).toBe("OK");
    expect(n.client.statistics).toMatchObject({ nacks: 1, retries: 1, timeouts: 0, unfit: 0 });
  });
  test("an answer that arrived damaged: retried at once", async () => {
    const n = new ScriptedNode();
    n.answers = () => [{ damaged: n.asked.length < 2 }];
    expect(await write(n)).toBe("OK");
    expect(n.client.statistics).toMatchObject({ damaged: 1, retries: 1, timeouts: 0 });
  });
  test.each([
    ["BUSY", status.BUSY],
    ["MIGRATING", status.MIGRATING],
  ] as const)(
    "%s: waited out with growing pauses; no retry of the two is used up, and it ends in an error at last",
    async (name, code) => {
      const n = new ScriptedNode();
      n.answers = () => (n.asked.length <= 3 ? [{ status: code }] : n.asked.length <= 5 ? [] : [{}]);
      expect(await write(n)).toBe("OK");
      const pauses = n.asked.slice(1, 4).map((a, i) => a.atNs - (n.asked[i]?.atNs ?? 0) - 1000);
      expect(pauses).toEqual([...pauses].sort((a, b) => a - b));
      expect(n.asked).toHaveLength(6);
      // The node remembers that it refused: only a new operation can be done.
      expect(
        ids(n.asked)
          .slice(1)
          .map(i => i.replace(/^\+\d+ ?/, "")),
      ).toEqual(name === "BUSY" ? Array<string>(5).fill("retry of +0") : ["", "", "", "retry of +3", "retry of +3"]);
      n.asked.length = 0;
      n.answers = () => [{ status: code }];
      expect(await write(n)).toBe(name === "BUSY" ? "BUSY unknown" : "MIGRATING none");
      expect(n.asked).toHaveLength(mostBusy + 1);
    },
  );
  test("a BUSY that says how long to wait is waited for, up to four timeouts; one without is not", async () => {
    const pauseAfter = async (header: { flagRoute: number; retryOf: number }): Promise<number> => {
      const n = new ScriptedNode({ greetAfterNs: 1e6 });
      n.answers = () => [n.asked.length === 1 ? { status: status.BUSY, header } : {}];
      expect(await write(n)).toBe("OK");
      return (n.asked[1]?.atNs ?? 0) - (n.asked[0]?.atNs ?? 0) - 1000;
    };
    const own = await pauseAfter({ flagRoute: 0, retryOf: 12_345 });
    expect(own).toBeLessThan(10_000);
    expect(await pauseAfter({ flagRoute: 1, retryOf: 0 })).toBe(own);
    expect(await pauseAfter({ flagRoute: 1, retryOf: 12_345 })).toBe(12_345 + own);
    expect(await pauseAfter({ flagRoute: 1, retryOf: 0xffff_ffff })).toBe(4 * 10_000 + own);
  });
  test.each([false, true])(
    "YIELD: it waits, greets alone, then asks under another number; greetsFirst %j",
    async greetsFirst => {
      const n = new ScriptedNode({ greetsFirst }, false);
      let writes = 0;
      n.answers = a => {
        if (a.header.opcode === opcode.FENCE) return [{ afterNs: 100 }];
        return [writes++ === 0 ? { status: status.YIELD, header: { flagRoute: 1, retryOf: 12_345 } } : {}];
      };
      expect(await write(n)).toBe("OK");
      expect(n.asked.map(a => a.header.opcode)).toEqual([opcode.FENCE, opcode.WRITE, opcode.FENCE, opcode.WRITE]);
      expect(n.asked.map(a => a.header.flagRetry)).toEqual([0, 0, 0, 0]);
      expect(new Set(n.asked.map(a => a.header.requestId)).size).toBe(4);
      const [, refused, greeting, renewed] = n.asked.map(a => a.atNs);
      expect(greeting! - refused!).toBeGreaterThan(12_345);
      expect(renewed, "after the greeting's answer").toBeGreaterThanOrEqual(greeting! + 100);
    },
  );
  test("YIELD as often as BUSY: the error says that nothing was done", async () => {
    const n = new ScriptedNode();
    n.answers = () => [{ status: status.YIELD }];
    expect(await write(n)).toBe("YIELD none");
    expect(n.asked).toHaveLength(mostBusy + 1);
  });
  test("EXPIRED is an error to the application, at once; the client introduces itself again", async () => {
    const n = new ScriptedNode({}, false);
    n.answers = a => (a.header.opcode === opcode.FENCE ? [{}] : [{ status: status.EXPIRED, body: new Uint8Array(12) }]);
    expect(await write(n)).toBe("EXPIRED unknown");
    n.answers = () => [{}];
    expect(await write(n)).toBe("OK");
    expect(n.asked.map(a => a.header.opcode)).toEqual([opcode.FENCE, opcode.WRITE, opcode.FENCE, opcode.WRITE]);
  });
  test("the answer to the first is good after the retry has been sent; the retry's is a late one", async () => {
    const n = new ScriptedNode();
    n.answers = () => [{ afterNs: 12_000 }];
    expect(await write(n)).toBe("OK");
    expect(n.time.now()).toBe(12_000);
    expect(n.client.statistics).toMatchObject({ answeredByEarlier: 1, sent: 3, late: 0 });
    await n.time.run(
      new Promise<void>(r => {
        n.time.after(50_000, r);
      }),
    );
    expect(n.client.statistics).toMatchObject({ late: 1, done: 1 });
  });
  test("a NACK of the first after its retry has been sent sends nothing more", async () => {
    const n = new ScriptedNode();
    n.answers = () => (n.asked.length === 1 ? [{ afterNs: 11_000, status: status.NACK }] : [{ afterNs: 3000 }]);
    expect(await write(n)).toBe("OK");
    expect(n.asked).toHaveLength(2);
  });
  test("doubled answers, answers to nobody, and answers that fit no request are ignored and counted", async () => {
    const n = new ScriptedNode(),
      stranger = 0x1234;
    n.answers = a => [
      { requestId: stranger },
      { body: new Uint8Array(3) },
      { body: usual({ ...a, va: a.va + 1n }) },
      {},
      { afterNs: 1500 },
    ];
    expect(await write(n)).toBe("OK");
    await n.time.run(
      new Promise<void>(r => {
        n.time.after(50_000, r);
      }),
    );
    expect(n.client.statistics).toMatchObject({ unknown: 1, unfit: 2, late: 1, sent: 2, done: 1 });
  });
  test("IDs rise from a random start, over the end of 32 bits", async () => {
    const n = new ScriptedNode({ random: () => 1 - 2 / 2 ** 32 }),
      t = thread(n);
    await n.time.run(
      (async () => {
        for (let i = 0; i < 4; i++) await t.rwrite(0n, Uint8Array.of(i));
      })(),
    );
    // The greeting had the first.
    expect(n.asked.map(a => a.header.requestId)).toEqual([2 ** 32 - 1, 0, 1, 2]);
    expect(n.client.statistics).toMatchObject({ done: 4, unknown: 0 });
  });
});

describe("the greeting", () => {
  const codes = (n: ScriptedNode): string[] => n.asked.map(a => (a.header.opcode === opcode.FENCE ? "F" : "w"));
  test("goes along with the first request; the others wait for an answer to either", async () => {
    const n = new ScriptedNode({}, false),
      t = thread(n);
    const first: Answer = { afterNs: 700 };
    n.answers = () => [first];
    for (let i = 0; i < 4; i++) t.rwriteAsync(BigInt(i) << 22n, Uint8Array.of(i));
    await n.time.run(t.rrelease());
    expect(codes(n).join("")).toBe("Fwwww");
    expect(n.asked.map(a => a.atNs)).toEqual([0, 0, 700, 700, 700]);
  });
  test("lost, it costs nothing when the request is answered", async () => {
    const n = new ScriptedNode({}, false),
      t = thread(n);
    n.answers = a => (a.header.opcode === opcode.FENCE ? [] : [{}]);
    await n.time.run(
      (async () => {
        for (let i = 0; i < 3; i++) await t.rwrite(0n, Uint8Array.of(i));
      })(),
    );
    expect(codes(n).join("")).toBe("Fwww");
    expect(n.time.now()).toBe(3000);
  });
  test("with greetsFirst it goes alone, and its repetitions are no repetitions to the node, which would not count", async () => {
    const n = new ScriptedNode({ greetsFirst: true }, false),
      t = thread(n);
    n.answers = () => (n.asked.length <= 2 ? [{ status: status.BUSY }] : n.asked.length === 3 ? [] : [{}]);
    await n.time.run(t.rwrite(0n, Uint8Array.of(1)));
    expect(codes(n).join("")).toBe("FFFFw");
    expect(n.asked.map(a => a.header.flagRetry)).toEqual([0, 0, 0, 0, 0]);
    expect(n.client.statistics).toMatchObject({ retries: 3, greetings: 1 });
  });
  test("repeated after a silence in which the node may have forgotten the client; reads need none", async () => {
    const n = new ScriptedNode({}, false),
      t = thread(n),
      pause = (ns: number) =>
        new Promise<void>(r => {
          n.time.after(ns, r);
        });
    await n.time.run(
      (async () => {
        await t.rread(0n, 1);
        await t.rwrite(0n, Uint8Array.of(1));
        await pause(15_000);
        await t.rwrite(0n, Uint8Array.of(1));
        await pause(25_000);
        await t.rwrite(0n, Uint8Array.of(1));
      })(),
    );
    expect(codes(n).join("")).toBe("wFwwFw");
  });
  test.each([
    [1, ["F0", "w7", "w8", "w7", "w8"]],
    [2, ["F1", "w7", "F0", "w8", "w7", "w8"]],
  ] as const)(
    "of a node with %i partitions: in each that the client's processes are in",
    async (partitions, expected) => {
      const n = new ScriptedNode({ partitions }, false),
        threads = [7, 8].map(pid => n.client.process(pid, n.address).thread());
      await n.time.run(
        (async () => {
          for (let i = 0; i < 2; i++) for (const t of threads) await t.rwrite(0n, Uint8Array.of(i));
        })(),
      );
      expect(n.asked.map((a, i) => `${codes(n)[i]}${a.header.pid}`)).toEqual(expected);
    },
  );
  test("a node that cannot be reached: everything ends in an error", async () => {
    const n = new ScriptedNode({}, false),
      t = thread(n);
    n.answers = () => [];
    const all = Array.from({ length: 5 }, (_, i) => reason(t.rwriteAsync(BigInt(i) << 22n, Uint8Array.of(1)).result));
    expect(await n.time.run(Promise.all(all))).toEqual(Array<string>(5).fill("TIMEOUT unknown"));
    expect(n.client.pending).toBe(0);
  });
});

describe("T1", () => {
  test("a large write is split into frames that fit the MTU, each retried by itself", async () => {
    const n = new ScriptedNode(),
      lost = new Set([1, 5]);
    n.answers = () => (lost.has(n.asked.length) ? [] : [{}]);
    expect(await write(n, 10_000)).toBe("OK");
    const firsts = n.asked.filter(a => a.header.flagRetry === 0),
      again = n.asked.filter(a => a.header.flagRetry === 1);
    expect(firsts.map(a => [Number(a.va) - 4096, a.length])).toEqual([
      [0, 1444],
      [1444, 1444],
      [2888, 1444],
      [4332, 1444],
      [5776, 1444],
      [7220, 1444],
      [8664, 1336],
    ]);
    expect(Math.max(...n.asked.map(a => a.bytes))).toBe(1472);
    expect(again.map(a => a.va)).toEqual([firsts[0]?.va, firsts[4]?.va]);
    expect(again.map(a => a.header.retryOf)).toEqual([firsts[0]?.header.requestId, firsts[4]?.header.requestId]);
  });
  test("a large read is put together whatever the order of its answers", async () => {
    const n = new ScriptedNode();
    n.answers = a => [{ afterNs: 9000 - n.asked.length * 700 + (a.length % 3) }];
    const got = await n.time.run(thread(n).rread(1000n, 12_345));
    expect(got).toEqual(Uint8Array.from({ length: 12_345 }, (_, i) => (1000 + i) % 251));
  });
  test("one piece that fails fails the whole, after the others have ended; what was written is unknown", async () => {
    const n = new ScriptedNode();
    n.answers = a =>
      a.va === 4096n + 1444n ? [{ status: status.WRITE_PERM, body: new Uint8Array(12) }] : [{ afterNs: 5000 }];
    expect(await write(n, 5000)).toBe("WRITE_PERM unknown");
    expect(n.client.pending).toBe(0);
    expect(n.time.now()).toBeGreaterThanOrEqual(5000);
  });
  test("pieces under way are bounded", async () => {
    const n = new ScriptedNode({ window: { initial: 1000, most: 1000 }, incastBytes: 1 << 20 });
    let most = 0,
      answered = 0;
    n.answers = () => {
      most = Math.max(most, n.asked.length - answered);
      n.time.after(999, () => {
        answered++;
      });
      return [{}];
    };
    expect(await write(n, 1_000_000)).toBe("OK");
    expect(most).toBe(piecesAtOnce);
  });
});

test("whatever comes in, nothing breaks: 20,000 datagrams of garbage, and answers with any of their bytes changed", async () => {
  const r = new Random(17);
  let receiver: Receiver = () => undefined;
  const n = new ScriptedNode(),
    address = n.address,
    time = n.time;
  const client = new Client({
    clock: time,
    timeoutNs: 10_000,
    random: () => 0.5,
    transport: {
      receive: to => {
        receiver = to;
      },
      send: (_to, payload) => {
        for (let i = r.below(12); i > 0; i--) {
          const junk = r.chance(0.4)
            ? r.bytes(r.below(80))
            : payload.slice(0, r.chance(0.5) ? payload.length : r.below(payload.length));
          for (let k = r.below(4); k > 0 && junk.length > 0; k--) {
            junk[r.pick([3, 4, 6, r.below(junk.length)]) % junk.length] = r.below(256);
          }
          time.after(r.below(9000), () => receiver(r.chance(0.9) ? address : { ip: 1, port: 1 }, junk, r.chance(0.2)));
        }
      },
    },
  });
  const t = client.process(7, address).thread();
  let ended = 0;
  const operations = (): Promise<unknown>[] => [
    t.rwrite(0n, Uint8Array.of(1)),
    t.rread(0n, 3000),
    t.fetchAndAdd(8n, 1n),
    t.ralloc(1),
    t.derefRead(0n, 8),
    t.kv.read(1n),
    client.queryStat(address),
    t.rfence(),
    client.createProcess(address),
  ];
  const refused = (e: unknown): void => expect(e).toBeInstanceOf(OperationError);
  await time.run(
    (async () => {
      for (let i = 0; i < 110; i++)
        for (const o of operations()) {
          await o.catch(refused);
          ended++;
        }
    })(),
  );
  expect(ended).toBe(990);
  expect(client.pending).toBe(0);
  expect(client.windows.expectedBytes).toBe(0);
});
