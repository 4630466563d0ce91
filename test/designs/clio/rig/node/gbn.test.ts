import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { Client, GoBackNTransport } from "../../../../../designs/clio/client/index.ts";
import { makeSettings } from "../../../../../designs/clio/config/index.ts";
import { gbnDriver, matAction, matAddress, matEntry, matWord } from "../../../../../designs/clio/registers/index.ts";
import { clioMessage, opcode } from "../../../../../designs/clio/wire/index.ts";
import {
  ClientStation,
  joinNetwork,
  realClock,
  timeOf,
  UdpTransport,
  withNode,
} from "../../../../../designs/clio/rig/index.ts";
import { type LinkOptions, NetworkModel } from "../../../../../sim/index.ts";
import { randomRun } from "../../../../../designs/clio/rig/node/random-run.ts";
import { played } from "../run/played.ts";
import { servedNode } from "../serve/served.ts";
import { Random } from "../../../../../hdl-dsl/index.ts";
import { spreadEndpoint } from "../../../../support/spread.ts";

/** The smallest node: the subject here is the logic around it. */
const small = {
  transport: "gbn",
  gbnSessions: 64,
  dataWidth: 64,
  pageSize: 4096,
  physicalMemory: "4MB",
  freePageBuffer: 4,
  requestSlots: 8,
  outstandingMisses: 2,
  tlbEntries: 16,
  syncLanes: 1,
  fences: 1,
  retryClients: 8,
  retryTimeout: 1000,
};
const settings = makeSettings(small),
  { runtime } = settings;

describe("the node with Go-Back-N", () => {
  test("random requests: every reply is what the reference model of the node without a transport says", async () => {
    const { completed, problems } = await randomRun("gbn-random", settings, {
      requests: Number(process.env["MNEMO_GBN_REQUESTS"] ?? 400),
      window: 96,
      mixture: { seed: 7, pages: 6, silentShare: 0.05 },
      bench: { wave: false },
    });
    expect(problems).toEqual([]);
    expect(completed).toBeGreaterThan(300);
  });

  const bad: LinkOptions = { loss: 0.08, duplicate: 0.05, reorder: 0.1, reorderNs: 3000, corrupt: 0.02 };
  test("CLib over a bad network: not one of its own retries, nothing lost, nothing twice", async () => {
    await withNode("gbn-clib", settings, { seed: 3, limitCycles: 4_000_000, wave: false }, async node => {
      const network = new NetworkModel(timeOf(node), { seed: 5, link: { latencyNs: 200 } });
      joinNetwork(node, network, { out: bad, in: bad });
      const stations = [0, 1].map(
        i => new ClientStation(network, `client${i}`, spreadEndpoint(i), new Map([[runtime.ip, runtime.mac]])),
      );
      const transports = stations.map(
        (station, i) => new GoBackNTransport(station, { clock: network.time, random: () => 0.25 + i / 4 }),
      );
      const clients = transports.map(
          transport => new Client({ transport, clock: network.time, timeoutNs: 50e6, pageSize: 4096 }),
        ),
        to = { ip: runtime.ip, port: runtime.nativePort };
      const process = await clients[0]!.createProcess(to),
        thread = process.thread(),
        other = clients[1]!.process(process.pid, to).thread();
      const va = await thread.ralloc(4 * 4096),
        r = new Random(1),
        data = r.bytes(8000);
      await thread.rwrite(va + 100n, data);
      expect(await other.rread(va + 100n, data.length)).toEqual(data);
      // Atomics are not repeatable without harm: a lost reply and a repeated request would show.
      const before = await Promise.all(
        Array.from({ length: 40 }, (_, i) =>
          (i % 2 === 0 ? thread : clients[1]!.process(process.pid, to).thread()).fetchAndAdd(va + 16_000n, 1n),
        ),
      );
      expect(before.map(Number).sort((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, i) => i));
      for (const c of clients)
        expect(c.statistics).toMatchObject({ retries: 0, timeouts: 0, failed: 0, late: 0, unknown: 0, unfit: 0 });
      expect(transports.map(t => t.sessionOf(to))).toEqual([1, 2]);
      expect(network.totals.lost + network.totals.corrupted).toBeGreaterThan(5);
      expect(transports.reduce((n, t) => n + t.resent, 0)).toBeGreaterThan(0);

      // A program that starts again without having closed anything: its session begins anew, and so does one
      // that was closed.
      transports[1]!.close();
      for (const [i, station] of stations.entries()) {
        const transport = new GoBackNTransport(station, { clock: network.time, random: () => 0.6 }),
          again = new Client({
            transport,
            clock: network.time,
            timeoutNs: 50e6,
            pageSize: 4096,
            random: () => 0.5 + i / 8,
          });
        expect(
          await again
            .process(process.pid, to)
            .thread()
            .rread(va + 100n, 500),
        ).toEqual(data.slice(0, 500));
        expect(transport.sessionOf(to)).toBe(i + 1);
      }
      const registers = gbnDriver(node.transport.registers),
        accepted = await registers.read("gbnRxAccepted");
      expect(accepted).toBeGreaterThan(50);
      expect(await registers.read("gbnRxManagement")).toBeGreaterThanOrEqual(5);
    });
  });

  test("1,100 requests in a row that a rule drops: the session's next replies come once a reply has waited, in order", async () => {
    // The reply after them waits for 17 to 34 ms.
    const limits = { hangCycles: 10_000_000, limitCycles: 30_000_000 };
    await withNode("gbn-dropped", settings, { seed: 3, ...limits, wave: false }, async node => {
      const network = new NetworkModel(timeOf(node), { seed: 5, link: { latencyNs: 200 } });
      joinNetwork(node, network);
      const station = new ClientStation(network, "client", spreadEndpoint(0), new Map([[runtime.ip, runtime.mac]])),
        transport = new GoBackNTransport(station, { clock: network.time, random: () => 0.25 }),
        client = new Client({ transport, clock: network.time, timeoutNs: 100e6, pageSize: 4096 }),
        to = { ip: runtime.ip, port: runtime.nativePort };
      const thread = (await client.createProcess(to)).thread(),
        va = await thread.ralloc(4096),
        data = new Random(4).bytes(900);
      await thread.rwrite(va, data);
      const { registers } = node.transport,
        gbn = gbnDriver(registers),
        before = await gbn.read("gbnRxAccepted");
      await registers.write(
        matAddress(opcode.PINGPONG),
        matWord({ ...matEntry(opcode.PINGPONG), action: matAction.drop }),
      );
      for (let i = 0; i < 1100; i++) transport.send(to, clioMessage({ opcode: opcode.PINGPONG, requestId: i }));
      const from = network.time.now();
      expect(await Promise.all([0, 300, 600].map(at => thread.rread(va + BigInt(at), 300)))).toEqual(
        [0, 300, 600].map(at => data.slice(at, at + 300)),
      );
      expect(network.time.now() - from).toBeLessThan(36e6);
      // From then on nothing waits any more.
      const then = network.time.now();
      for (let i = 0; i < 20; i++) expect(await thread.rread(va, 300)).toEqual(data.slice(0, 300));
      expect(network.time.now() - then).toBeLessThan(1e6);
      expect(client.statistics).toMatchObject({ retries: 0, timeouts: 0, failed: 0, late: 0, unknown: 0, unfit: 0 });
      expect(await gbn.read("gbnRxAccepted")).toBe(before + 1123);
      expect(await gbn.read("gbnTxStale")).toBe(0);
      expect(await gbn.read("gbnTxWaited")).toBeGreaterThan(0);
    });
  });

  test("more clients than sessions: the last one is told BUSY, waits as it is told, and has the session opened first", async () => {
    const few = makeSettings({ ...small, gbnSessions: 4 }),
      tenureNs = 200_000,
      o = { seed: 3, limitCycles: 2_000_000, wave: false, slowPath: { sessions: { tenureNs } } };
    await withNode("gbn-full", few, o, async node => {
      const network = new NetworkModel(timeOf(node), { seed: 5, link: { latencyNs: 200 } }),
        to = { ip: runtime.ip, port: runtime.nativePort };
      joinNetwork(node, network);
      const transports = [0, 1, 2, 3].map(i => {
        const station = new ClientStation(
          network,
          `client${i}`,
          spreadEndpoint(i),
          new Map([[runtime.ip, runtime.mac]]),
        );
        return new GoBackNTransport(station, { clock: network.time, random: () => 0.25 + i / 8 });
      });
      const asks = async (i: number): Promise<void> => {
        const client = new Client({
          transport: transports[i]!,
          clock: network.time,
          timeoutNs: 50e6,
          pageSize: 4096,
        });
        await client.createProcess(to);
      };
      const from = network.time.now();
      for (let i = 0; i < 3; i++) await asks(i);
      const full = network.time.now();
      expect(transports.map(t => t.sessionOf(to))).toEqual([1, 2, 3, undefined]);
      await asks(3);
      const waited = network.time.now();
      expect(waited - from, "the first one has had its time").toBeGreaterThanOrEqual(tenureNs);
      expect(waited - full, "and no longer").toBeLessThanOrEqual(tenureNs + 150_000);
      expect(transports[3]!.sessionOf(to)).toBe(1);
      // Asked once, told once, asked again: management knows no more of it than CREATE_PROC's session.
      expect(await gbnDriver(node.transport.registers).read("gbnRxManagement")).toBe(5);
    });
  });

  test("mnemo run plays a capture of plain frames into it", async () => {
    const run = await played(
      fileURLToPath(new URL("../../../../../captures/first.pcap", import.meta.url)),
      Object.entries(small).flatMap(([k, v]) => ["--set", `${k}=${v}`]),
    );
    expect([run.code, run.err]).toEqual([0, ""]);
    expect(run.out).toMatch(/^[\d,]+ bytes of replies compared with the reference model: no difference$/m);
    expect(run.replies.length).toBeGreaterThan(30);
  });

  test("served behind a UDP socket, it answers CLib, whose sessions it opens", async () => {
    const served = await servedNode(small, { sessions: 0 }),
      socket = await UdpTransport.open(),
      transport = new GoBackNTransport(socket, { clock: realClock, timeoutNs: 3e8 });
    try {
      const { ip, nativePort: port } = served.settings.runtime,
        client = new Client({
          transport,
          clock: realClock,
          timeoutNs: 60e9,
          targetDelayNs: 1e9,
          pageSize: 4096,
          mtu: 1492,
        });
      const thread = (await client.createProcess({ ip, port })).thread(),
        va = await thread.ralloc(8192),
        data = new Random(2).bytes(5000);
      await thread.rwrite(va, data);
      expect(await thread.rread(va, data.length)).toEqual(data);
      expect(transport.sessionOf({ ip, port })).toBe(1);
      expect(client.statistics).toMatchObject({ failed: 0, unknown: 0, unfit: 0 });
    } finally {
      transport.close();
      await served.stop();
      await socket.close();
    }
  });
});
