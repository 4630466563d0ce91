/** Each call of CLib against a whole node in TypeScript, on a network without faults. */
import { describe, expect, test } from "vitest";
import { OperationError } from "../../../../designs/clio/client/index.ts";
import { dissect, opcode } from "../../../../designs/clio/wire/index.ts";
import { onNetwork } from "./rig.ts";
import { Random } from "../../../../hdl-dsl/index.ts";

const page = 4 << 20;
const failing = (p: Promise<unknown>): Promise<{ readonly reason: string; readonly outcome: string }> =>
  p.then(
    () => {
      throw new Error("it succeeds");
    },
    (e: unknown) => {
      if (e instanceof OperationError) return { reason: e.reason, outcome: e.outcome };
      throw e;
    },
  );

describe("calls", () => {
  test("memory: allocate, write, read, free; any length and alignment, across frames and pages", () =>
    onNetwork({}, async ({ client, address }) => {
      const process = await client.createProcess(address),
        thread = process.thread(),
        r = new Random(3);
      expect(process.pid).toBe(1);
      const va = await thread.ralloc(3 * page);
      for (const [offset, length] of [
        [0, 1],
        [5, 1444],
        [7, 1445],
        [page - 10_000, 20_000],
        [page - 1, 2],
        [0, 100_000],
      ] as const) {
        const data = r.bytes(length);
        await thread.rwrite(va + BigInt(offset), data);
        expect(await thread.rread(va + BigInt(offset), length)).toEqual(data);
      }
      await thread.rfree(va, 3 * page);
      expect(await failing(thread.rread(va, 1))).toEqual({ reason: "INVALID", outcome: "none" });
      const readOnly = await thread.ralloc(1, { address: 64n * BigInt(page), writable: false });
      expect(readOnly).toBe(64n * BigInt(page));
      expect(await failing(thread.rwrite(readOnly, Uint8Array.of(1)))).toEqual({
        reason: "WRITE_PERM",
        outcome: "none",
      });
      await client.freeProcess(process);
      expect(await failing(thread.rread(readOnly, 1))).toEqual({ reason: "INVALID", outcome: "none" });
    }));

  test("asynchronous: handles, rpoll, rrelease; an error that nobody polled is told by the release", () =>
    onNetwork({}, async ({ client, address }) => {
      const thread = (await client.createProcess(address)).thread(),
        va = await thread.ralloc(8 * page),
        r = new Random(4);
      const data = Array.from({ length: 8 }, () => r.bytes(3000));
      const writes = data.map((d, i) => thread.rwriteAsync(va + BigInt(i * page), d));
      expect(writes.map(h => h.ended)).toEqual(Array<boolean>(8).fill(false));
      await thread.rrelease();
      expect(writes.map(h => h.ended)).toEqual(Array<boolean>(8).fill(true));
      expect(await thread.rpoll(data.map((d, i) => thread.rreadAsync(va + BigInt(i * page), d.length)))).toEqual(data);
      const [a, b] = await thread.rpoll([thread.rreadAsync(va, 4), thread.rallocAsync(page)] as const);
      expect(a).toEqual(data[0]?.slice(0, 4));
      await thread.rpoll([thread.rfreeAsync(b, page)]);
      thread.rreadAsync(b, 1);
      const polled = thread.rreadAsync(b, 1);
      expect(await failing(thread.rpoll([polled]))).toMatchObject({ reason: "INVALID" });
      expect(await failing(thread.rrelease())).toMatchObject({ reason: "INVALID" });
      await thread.rrelease();
    }));

  test("atomics, pointers, fences, locks", () =>
    onNetwork({}, async ({ client, address }) => {
      const process = await client.createProcess(address),
        thread = process.thread(),
        va = await thread.ralloc(page);
      expect(await thread.fetchAndAdd(va, 5n)).toBe(0n);
      expect(await thread.fetchAndAdd(va, -1n)).toBe(5n);
      expect(await thread.compareAndSwap(va, 3n, 9n)).toBe(4n);
      expect(await thread.compareAndSwap(va, 4n, 9n)).toBe(4n);
      expect(await thread.testAndSet(va)).toBe(9n);
      await thread.atomicStore(va, 0n);
      expect(await thread.testAndSet(va)).toBe(0n);
      expect(await thread.testAndSet(va)).toBe(1n);
      await thread.atomicStore(va + 8n, va + 4096n);
      expect(await thread.derefWrite(va + 8n, Uint8Array.of(1, 2, 3))).toBe(va + 4096n);
      expect(await thread.derefRead(va + 8n, 3)).toEqual({ va: va + 4096n, data: Uint8Array.of(1, 2, 3) });
      await thread.rfence();
      const lock = va + 64n,
        other = process.thread();
      await thread.rlock(lock);
      expect(await failing(other.rlock(lock, { timeoutNs: 50_000 }))).toEqual({ reason: "TIMEOUT", outcome: "none" });
      await thread.runlock(lock);
      await other.rlock(lock);
      await other.runlock(lock);
    }));

  test("key-value and statistics", () =>
    onNetwork({}, async ({ client, address }) => {
      const { kv } = (await client.createProcess(address)).thread(),
        value = new Random(5).bytes(1000);
      expect(await kv.read(7n)).toBeUndefined();
      expect(await kv.create(7n, value)).toBe(true);
      expect(await kv.create(7n, value)).toBe(false);
      expect(await kv.read(7n)).toEqual(value);
      expect(await kv.update(7n, Uint8Array.of(1))).toBe(true);
      expect(await kv.read(7n)).toEqual(Uint8Array.of(1));
      expect(await kv.delete(7n)).toBe(true);
      expect(await kv.delete(7n)).toBe(false);
      expect(await kv.update(7n, value)).toBe(false);
      const counters = await client.queryStat(address);
      expect(counters.has("reads")).toBe(true);
    }));

  test("what cannot be is refused in one sentence, and nothing is sent", () =>
    onNetwork({ client: { asyncLimit: 2 } }, async ({ client, address }) => {
      const thread = client.process(1, address).thread();
      expect(() => thread.rread(0n, 0)).toThrow("0 bytes: give a whole number from 1");
      expect(() => thread.rread(2n ** 64n - 1n, 2)).toThrow(
        "0xffffffffffffffff and 2 bytes are no range of addresses of 64 bits",
      );
      expect(() => thread.fetchAndAdd(4n, 1n)).toThrow("0x4 is no multiple of 8: atomics, locks and pointers need one");
      expect(() => thread.derefRead(0n, 5000)).toThrow(
        "5000 bytes through a pointer do not fit one packet; at most 1444 do: read the pointer, then use rread or rwrite",
      );
      expect(client.statistics.sent).toBe(0);
      const handles = [thread.rreadAsync(0n, 1), thread.rreadAsync(0n, 1)];
      expect(() => thread.rreadAsync(0n, 1)).toThrow(
        "2 asynchronous operations of this thread have not ended, as many as asyncLimit allows; wait for some with rpoll or rrelease",
      );
      await failing(thread.rpoll(handles));
    }));

  test("synchronous calls that nobody awaits are bounded, too", () =>
    onNetwork({ client: { asyncLimit: 4 } }, async ({ client, address }) => {
      const thread = (await client.createProcess(address)).thread(),
        va = await thread.ralloc(page);
      const calls = Array.from({ length: 8 }, (_, i) => thread.rwrite(va, Uint8Array.of(i)));
      expect(() => thread.rread(va, 1)).toThrow(
        "8 operations of this thread have not ended, twice as many as asyncLimit; await synchronous calls",
      );
      await Promise.all(calls);
      expect(await thread.rread(va, 1)).toEqual(Uint8Array.of(7));
    }));

  test("the first request to the node's software gets lost: its retry is served, since the client has introduced itself", () => {
    let lost = 0;
    const alter = (frame: Uint8Array): Uint8Array | undefined =>
      dissect(frame).clio?.opcode === opcode.CREATE_PROC && lost++ === 0 ? undefined : frame;
    return onNetwork({ node: { alter } }, async ({ client, address }) => {
      expect((await client.createProcess(address)).pid).toBe(1);
      expect(client.statistics).toMatchObject({ retries: 1, timeouts: 1 });
    });
  });

  test("regions at several nodes: each request goes to where its address is, a fence and the end to all", () =>
    onNetwork(
      { others: [{ name: "second", given: { ip: "10.10.0.2", mac: "02:c1:10:00:00:02" } }] },
      async ({ client, address, node, others: [second] }) => {
        const process = await client.createProcess(address),
          thread = process.thread(),
          there = second!.address;
        expect((await client.createProcess(there)).pid).toBe(process.pid);
        process.place(5, there);
        const here = await thread.ralloc(page),
          far = await thread.ralloc(page, { region: 5 });
        expect(far >> 30n).toBe(5n);
        await thread.rpoll([thread.rwriteAsync(here, Uint8Array.of(1)), thread.rwriteAsync(far, Uint8Array.of(2))]);
        await thread.rfence();
        expect([await thread.rread(here, 1), await thread.rread(far, 1)]).toEqual([Uint8Array.of(1), Uint8Array.of(2)]);
        expect([node, second!].map(n => n.model.node.counters.writes)).toEqual([1, 1]);
        expect([...client.windows.congestion.keys()]).toHaveLength(2);
        await client.freeProcess(process);
        expect(await failing(thread.rread(far, 1))).toMatchObject({ reason: "INVALID" });
      },
    ));

  test.each<[Parameters<typeof onNetwork>[0]["client"], string]>([
    [{ timeoutNs: 0 }, "timeoutNs is 0; give a number above 0"],
    [{ mtu: 64 }, "mtu is 64 bytes; give 128 to 9000"],
    [
      { window: { initial: 0.001 } },
      "window: least 0.01, initial 0.001 and most 256 must be above 0 and rise in this order",
    ],
    [{ incastBytes: 1000 }, "incastBytes is 1000, less than one whole reply; give at least 1514"],
  ])("options %j are refused", async (client, message) => {
    await expect(onNetwork({ ...(client && { client }) }, () => Promise.resolve())).rejects.toThrow(message);
  });
});
