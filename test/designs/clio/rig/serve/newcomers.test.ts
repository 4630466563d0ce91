import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { retryWays } from "../../../../../designs/clio/config/index.ts";
import * as p from "../../../../support/packets.ts";
import { asleep, ownAddress, servedNode, type ServedNode, UdpClient } from "./served.ts";
import { onlyHangsEnd } from "../../../../support/hang-limit.ts";

onlyHangsEnd();

const { opcode, status } = p;
let served: ServedNode, clients: UdpClient[], pid: number, va: bigint;
/** A write of one byte that the node remembers. */
const write = async (client: UdpClient, n: number, at = va): Promise<number> => {
  const { ip, nativePort } = served.settings.runtime,
    message = p.clioMessage(
      { opcode: opcode.WRITE, pid, flagTracked: 1, requestId: n },
      p.encode(p.accessBody, { va: at, length: 1 }),
      Uint8Array.of(n & 255),
    );
  return (await client.ask(ip, nativePort, message)).header.status;
};
/** Tries of a newcomer, a pause after each BUSY. */
async function tries(ms = 200): Promise<number> {
  const client = await UdpClient.open();
  clients.push(client);
  for (let n = 1; ; n++) {
    const got = await write(client, 1);
    if (got !== status.BUSY) {
      expect(got).toBe(status.OK);
      return n;
    }
    await pause(ms);
  }
}

beforeAll(async () => {
  served = await servedNode({ ip: ownAddress(7) });
  const { ip, nativePort } = served.settings.runtime,
    first = await UdpClient.open();
  clients = [first];
  const ask = (code: number, of: number, body: Uint8Array): ReturnType<UdpClient["ask"]> =>
    first.ask(ip, nativePort, p.clioMessage({ opcode: code, pid: of }, body));
  pid = p.decode(p.createProcReplyBody, (await ask(opcode.CREATE_PROC, 0, new Uint8Array(64))).body).newPid;
  const wanted = p.encode(p.allocBody, { len: 1n, vregion: 1n, vmFlags: p.vmFlag.write });
  va = p.decode(p.allocReplyBody, (await ask(opcode.ALLOC, pid, wanted)).body).addr;
  // As many as the retry buffer knows.
  while (clients.length < served.settings.config.retryClients) clients.push(await UdpClient.open());
  for (const client of clients) expect(await write(client, 1)).toBe(status.OK);
});
afterAll(async () => {
  await Promise.all(clients.map(c => c.close()));
  await served.stop();
});

describe("one client more than the node remembers", () => {
  it("gets in at its third try at the latest when the others have just gone", async () => {
    expect(await tries()).toBeLessThanOrEqual(3);
  });
  it("gets in at its second try when the node has been idle: what is silent has aged, and only once", async () => {
    await pause(1500);
    await asleep(served);
    const before = served.node.bench.cycle,
      cpu = process.cpuUsage();
    await pause(1200);
    expect(served.node.bench.cycle).toBe(before);
    const { user, system } = process.cpuUsage(cpu);
    console.log(`idle for 1.2 s: ${((user + system) / 1000).toFixed(1)} ms of processor time`);
    expect(await tries()).toBeLessThanOrEqual(2);
  });
  it("gets in within some tries while 64 others go on writing without a pause, and none of those is kept out", async () => {
    const warm: UdpClient[] = [];
    while (warm.length < served.settings.config.retryClients) warm.push(await UdpClient.open());
    let over = false;
    const done = warm.map(() => 0);
    const goOn = async (client: UdpClient, i: number): Promise<void> => {
      for (let n = 1; !over; n++) {
        let got: number = status.BUSY;
        while ((got = await write(client, n, va + 8n)) === status.BUSY) await pause(20);
        expect(got).toBe(status.OK);
        done[i] = (done[i] ?? 0) + 1;
      }
    };
    const all = Promise.all(warm.map(goOn));
    while (Math.min(...done) < 10) await pause(10);
    // In the node's own time: on a busy machine it passes slowly, and the tries are more.
    const counts: number[] = [],
      cycles: number[] = [],
      { bench, config } = served.node;
    for (let i = 0; i < 4; i++) {
      const begun = bench.cycle;
      counts.push(await tries(20));
      cycles.push(bench.cycle - begun);
    }
    const before = [...done];
    while (done.some((n, i) => n < (before[i] ?? 0) + 5)) await pause(10);
    over = true;
    await all;
    // Their ports stay taken: the node knows them, and a newcomer with one of them would be late with its first number.
    clients.push(...warm);
    const held = 4 * config.retryCycles + 2 * config.retryClients + (16 * config.retryEntries) / retryWays;
    console.log(`4 newcomers beside 64: ${counts.join(", ")} tries; ${cycles.join(", ")} cycles; a hold: ${held}`);
    expect(Math.max(...cycles)).toBeLessThanOrEqual(3 * held);
  });
  it("and an operation of a client that was forgotten is not done twice", async () => {
    // Ten more, so that the first ones have gone.
    for (let n = 0; n < 4; n++) await tries();
    const { ip, nativePort } = served.settings.runtime,
      again = p.clioMessage(
        { opcode: opcode.WRITE, pid, flagTracked: 1, flagRetry: 1, requestId: 2, retryOf: 1 },
        p.encode(p.accessBody, { va, length: 1 }),
        Uint8Array.of(99),
      );
    let got: number = status.BUSY;
    while (got === status.BUSY) {
      got = (await clients[0]!.ask(ip, nativePort, again)).header.status;
      await pause(50);
    }
    expect([status.OK, status.EXPIRED]).toContain(got);
    const read = p.clioMessage({ opcode: opcode.READ, pid }, p.encode(p.accessBody, { va, length: 1 }));
    expect((await clients[1]!.ask(ip, nativePort, read)).body[12]).toBe(1);
  });
});
