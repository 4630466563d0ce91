/** CLib over real UDP sockets against the cycle-accurate node, as an application developer runs it. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Client, type NodeAddress, OperationError } from "../../../../../designs/clio/client/index.ts";
import { ServeError } from "../../../../../sim/index.ts";
import { realClock, UdpTransport } from "../../../../../designs/clio/rig/index.ts";
import { ownAddress, servedNode, type ServedNode } from "./served.ts";
import { Random } from "../../../../../hdl-dsl/index.ts";
import { onlyHangsEnd } from "../../../../support/hang-limit.ts";

onlyHangsEnd();

const page = 4 << 20;
let served: ServedNode, address: NodeAddress;
beforeAll(async () => {
  served = await servedNode({}, { sessions: 0 });
  const { ip, nativePort } = served.settings.runtime;
  address = { ip, port: nativePort };
});
afterAll(async () => {
  await served.stop();
});

/**
 * A program that uses CLib, on an ephemeral port. The simulator is no board: seconds, where CLib's
 * defaults are microseconds.
 */
async function withClient<T>(body: (client: Client) => Promise<T>): Promise<T> {
  const transport = await UdpTransport.open();
  try {
    return await body(new Client({ transport, clock: realClock, timeoutNs: 60e9, targetDelayNs: 1e9 }));
  } finally {
    await transport.close();
  }
}

describe("CLib over UDP", () => {
  it("allocates, writes, reads, frees; synchronously and asynchronously", () =>
    withClient(async client => {
      const process = await client.createProcess(address),
        thread = process.thread(),
        r = new Random(1);
      const va = await thread.ralloc(2 * page),
        data = r.bytes(20_000);
      await thread.rwrite(va + BigInt(page - 7000), data);
      expect(await thread.rread(va + BigInt(page - 7000), data.length)).toEqual(data);
      const pieces = Array.from({ length: 8 }, () => r.bytes(2000));
      for (const [i, p] of pieces.entries()) thread.rwriteAsync(va + BigInt(i * 2000), p);
      await thread.rrelease();
      expect(await thread.rpoll(pieces.map((p, i) => thread.rreadAsync(va + BigInt(i * 2000), p.length)))).toEqual(
        pieces,
      );
      await thread.rfree(va, 2 * page);
      await expect(thread.rread(va, 1)).rejects.toThrow(OperationError);
      await client.freeProcess(process);
      expect(client.statistics).toMatchObject({ failed: 1 });
    }));

  it("two programs share a process: a lock keeps their additions apart", () =>
    withClient(one =>
      withClient(async two => {
        const process = await one.createProcess(address),
          a = process.thread(),
          b = two.process(process.pid, address).thread();
        const lock = await a.ralloc(page),
          counter = lock + 64n,
          rounds = 5;
        await a.rwrite(counter, Uint8Array.of(0));
        await Promise.all(
          [a, b].map(async thread => {
            for (let i = 0; i < rounds; i++) {
              await thread.rlock(lock);
              const [value] = await thread.rread(counter, 1);
              await thread.rwrite(counter, Uint8Array.of(value! + 1));
              await thread.runlock(lock);
            }
          }),
        );
        await a.rfence();
        expect(await b.rread(counter, 1)).toEqual(Uint8Array.of(2 * rounds));
        expect(await b.fetchAndAdd(lock + 128n, 3n)).toBe(0n);
        await one.freeProcess(process);
      }),
    ));

  it("the node's counters and the slow path's, by name", () =>
    withClient(async client => {
      const stats = await client.queryStat(address);
      expect(stats.get("writes")).toBeGreaterThan(0n);
      expect([...stats.values()].length).toBeGreaterThan(50);
    }));

  it("a port that is not to be had: one sentence", async () => {
    const { nativePort } = served.settings.runtime;
    await expect(UdpTransport.open(ownAddress(), nativePort)).rejects.toThrow(ServeError);
    await expect(UdpTransport.open(ownAddress(), nativePort)).rejects.toThrow(
      `UDP port 1200 of ${ownAddress()} cannot be opened (EADDRINUSE); give another, or 0 for any free one`,
    );
  });
});
