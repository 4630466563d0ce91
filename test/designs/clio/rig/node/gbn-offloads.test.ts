/** Offloads behind Go-Back-N sessions: the whole node. */
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { clioNode } from "../../../../../designs/clio/build/index.ts";
import {
  Client,
  type ClientTransport,
  GoBackNTransport,
  type NodeAddress,
  type Receiver,
  type Table,
  type Thread,
} from "../../../../../designs/clio/client/index.ts";
import { makeSettings } from "../../../../../designs/clio/config/index.ts";
import { endToEnd } from "../../../../../designs/clio/end-to-end/index.ts";
import { gbnDriver } from "../../../../../designs/clio/registers/index.ts";
import { gbnFrame, gbnHeader, gbnTypes } from "../../../../../designs/shared/go-back-n/wire/index.ts";
import { FrameClient } from "../../../../../designs/clio/workload/index.ts";
import {
  accessBody,
  clioHeader,
  clioMessage,
  dfSelectBody,
  dfSelectReplyBody,
  dissect,
  frameOffsets,
  kvReplyBody,
  opcode,
  pointerChaseBody,
  replyCode,
  status,
} from "../../../../../designs/clio/wire/index.ts";
import { decode, encode, type Endpoint } from "../../../../../designs/shared/wire/index.ts";
import { bernoulli, type Design, designOf, type LinkOptions, NetworkModel } from "../../../../../sim/index.ts";
import {
  ClientStation,
  joinNetwork,
  type NodePorts,
  realClock,
  type SimulatedNode,
  timeOf,
  UdpTransport,
  withNode,
} from "../../../../../designs/clio/rig/index.ts";
import { played } from "../run/played.ts";
import { servedNode } from "../serve/served.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { Random } from "../../../../../hdl-dsl/index.ts";
import { spreadEndpoint } from "../../../../support/spread.ts";

/** A narrow node with few of everything: the subject is the logic around it. */
const small = {
  transport: "gbn",
  gbnSessions: 64,
  dataWidth: 64,
  physicalMemory: "256MB",
  freePageBuffer: 4,
  requestSlots: 16,
  outstandingMisses: 4,
  tlbEntries: 16,
  syncLanes: 1,
  fences: 1,
  retryClients: 8,
  retryTimeout: 1000,
};
const settings = makeSettings({ ...small, offloads: "all" }),
  { runtime } = settings,
  to: NodeAddress = { ip: runtime.ip, port: runtime.nativePort };
const nodeEndpoint: Endpoint = { mac: runtime.mac, ip: runtime.ip, port: runtime.nativePort };

/** Whether a payload is a frame of a DF_SELECT's reply that others follow. */
const isPart = (payload: Uint8Array): boolean => {
  const { opcode: code, status: state } = decode(clioHeader, payload);
  return (
    state === status.OK &&
    code === replyCode(opcode.DF_SELECT) &&
    payload.length >= clioHeader.bytes + dfSelectReplyBody.bytes &&
    decode(dfSelectReplyBody, payload, clioHeader.bytes).more === 1
  );
};

/**
 * A transport that checks the passing frames. Every request has one last reply, in the order of the requests, and its
 * other frames come only before that.
 */
class InOrder implements ClientTransport {
  readonly #under: ClientTransport;
  readonly #asked: number[] = [];
  readonly problems: string[] = [];
  requests = 0;
  parts = 0;
  constructor(under: ClientTransport) {
    this.#under = under;
  }
  /** Requests without their last reply. */
  get open(): number {
    return this.#asked.length;
  }
  send(node: NodeAddress, payload: Uint8Array): void {
    this.requests++;
    this.#asked.push(decode(clioHeader, payload).requestId);
    this.#under.send(node, payload);
  }
  receive(receiver: Receiver): void {
    this.#under.receive((from, payload, damaged) => {
      this.#look(payload);
      receiver(from, payload, damaged);
    });
  }
  #look(payload: Uint8Array): void {
    const { requestId } = decode(clioHeader, payload);
    if (isPart(payload)) {
      this.parts++;
      if (!this.#asked.includes(requestId))
        this.problems.push(`a frame of the reply to ${requestId} behind its last one`);
      return;
    }
    const due = this.#asked.shift();
    if (due !== requestId) this.problems.push(`the reply to ${requestId} came when ${due} was due`);
  }
}

/** A list of nodes of 48 bytes: next, key, and 32 bytes of text. */
async function writeList(thread: Thread, nodes: number): Promise<bigint> {
  const bytes = new Uint8Array(48 * nodes),
    view = new DataView(bytes.buffer),
    va = await thread.ralloc(bytes.length);
  for (let i = 0; i < nodes; i++) {
    view.setBigUint64(48 * i, i + 1 < nodes ? va + BigInt(48 * (i + 1)) : 0n, true);
    view.setBigUint64(48 * i + 8, BigInt(1000 + i), true);
    bytes.set(new TextEncoder().encode(`node ${i}`), 48 * i + 16);
  }
  await thread.rwrite(va, bytes);
  return va;
}

describe("offloads behind Go-Back-N", () => {
  const bad: LinkOptions = { loss: 0.08, duplicate: 0.1, reorder: 0.1, reorderNs: 3000, corrupt: 0.08 };
  test("CLib over a network that loses, repeats, turns round and damages: chases, selects of several frames, versions and keys; in order, once", async () => {
    const operations = Number(process.env["MNEMO_GBN_OPERATIONS"] ?? 80),
      seed = 12;
    await withNode(
      "gbn-offloads-clib",
      settings,
      {
        seed,
        limitCycles: 100_000_000,
        wave: false,
        ram: {
          jitter: 20,
          outOfOrder: true,
          pause: { ar: bernoulli(0.1, 1), aw: bernoulli(0.1, 2), r: bernoulli(0.1, 3) },
        },
        mac: { pauseTx: bernoulli(0.1, 4), pauseRx: bernoulli(0.1, 5) },
      },
      async node => {
        const network = new NetworkModel(timeOf(node), { seed, link: { latencyNs: 200 } });
        joinNetwork(node, network, { out: bad, in: bad });
        const macs = new Map([[runtime.ip, runtime.mac]]),
          transports: GoBackNTransport[] = [],
          orders: InOrder[] = [];
        const clients = [0, 1, 2].map(i => {
          const transport = new GoBackNTransport(new ClientStation(network, `client${i}`, spreadEndpoint(i), macs), {
              clock: network.time,
              random: () => 0.25 + i / 5,
            }),
            order = new InOrder(transport),
            random = new Random(seed * 10 + i);
          transports.push(transport);
          orders.push(order);
          // Go-Back-N repeats what is lost; BUSY is waited out from an eighth of the timeouts on.
          return new Client({
            transport: order,
            clock: network.time,
            timeoutNs: 2e7,
            slowTimeoutNs: 2e7,
            mtu: 1492,
            random: () => random.fraction(),
          });
        });
        const numbers = new Random(seed),
          process = await clients[0]!.createProcess(to),
          threads = Array.from({ length: 3 }, () => process.thread());
        const first = await writeList(threads[0]!, 30),
          rows = numbers.bytes(9 * 900),
          table: Table = { va: (await threads[1]!.ralloc(rows.length)) + 5n, rows: 900, rowBytes: 9 };
        const each = Array.from({ length: 900 }, (_, i) => rows.subarray(9 * i, 9 * i + 9));
        await threads[1]!.rwrite(table.va, rows);

        const chases = async (): Promise<void> => {
          for (let i = 0; i < operations / 4; i++) {
            const n = numbers.below(31),
              found = await threads[0]!.pointerChase({
                first,
                nodeBytes: 48,
                nextOffset: 0,
                key: { value: BigInt(1000 + n), offset: 8 },
                value: { offset: 16, bytes: 32 },
              });
            if (n === 30) expect(found).toBeUndefined();
            else
              expect([found?.va, new TextDecoder().decode(found?.value).replace(/\0+$/, "")]).toEqual([
                first + BigInt(48 * n),
                `node ${n}`,
              ]);
          }
        };
        const selects = async (): Promise<void> => {
          for (let i = 0; i < operations / 10; i++) {
            const operand = BigInt(numbers.below(256)),
              where = { field: { offset: 4, bytes: 1 }, is: "<", operand } as const,
              matching = each.filter(r => r[4]! < operand);
            expect(Buffer.from(await threads[1]!.df.select(table, where))).toEqual(Buffer.concat(matching));
            const { count, sum } = await threads[1]!.df.aggregate(table, where, { offset: 0, bytes: 1 });
            expect([count, sum]).toEqual([BigInt(matching.length), matching.reduce((n, r) => n + BigInt(r[0]!), 0n)]);
          }
        };
        const versions = async (): Promise<void> => {
          const { mv } = threads[2]!,
            object = await mv.create(100),
            kept: Uint8Array[] = [];
          for (let i = 0; i < operations / 8; i++) {
            const value = numbers.bytes(100);
            kept.push(value);
            // Done twice, a version would be skipped.
            expect(await mv.append(object, value)).toBe(kept.length);
            const n = numbers.below(kept.length);
            expect(await mv.read(object, n + 1)).toEqual(kept[n]);
          }
          expect(await mv.read(object, kept.length + 1)).toBeUndefined();
          expect(await mv.delete(object)).toBe(true);
        };
        const [keys] = await Promise.all([
          endToEnd({
            clients: clients.slice(1),
            address: to,
            seed,
            operations: 2 * operations,
            keyValue: 0.7,
            atomics: 0.1,
            keys: 5,
            words: 4,
            pages: 2,
            threads: 3,
            settleNs: 1e6,
          }),
          chases(),
          selects(),
          versions(),
        ]);
        expect(keys).toMatchObject({ problems: [], unknown: 0, done: keys.operations });
        for (const o of orders) expect([o.problems, o.open]).toEqual([[], 0]);
        expect(orders[0]!.parts).toBeGreaterThan(10);
        for (const c of clients)
          expect(c.statistics).toMatchObject({ timeouts: 0, failed: 0, late: 0, unknown: 0, unfit: 0, nacks: 0 });
        expect(network.totals.lost + network.totals.corrupted).toBeGreaterThan(50);
        expect(transports.reduce((n, t) => n + t.resent, 0)).toBeGreaterThan(0);

        // Both halves of the registers: the node's counters of offloads, and those of Go-Back-N.
        const counters = await node.counters();
        for (const n of [0, 1, 2, 3] as const) {
          expect(counters[`offload${n}Requests`], `requests of offload ${n}`).toBeGreaterThan(0n);
          expect(counters[`offload${n}Accesses`], `accesses of offload ${n}`).toBeGreaterThan(0n);
        }
        const registers = gbnDriver(node.transport.registers);
        // Each request was let in once, each frame of a reply numbered once.
        const sum = (of: (o: InOrder) => number): number => orders.reduce((n, o) => n + of(o), 0);
        expect(await registers.read("gbnRxAccepted")).toBe(sum(o => o.requests));
        expect(await registers.read("gbnTxSent")).toBe(sum(o => o.requests + o.parts));
        expect(await registers.read("gbnTxResent")).toBeGreaterThan(0);
        expect(await registers.read("gbnTxStale")).toBe(0);

        // Without a session, by management: a select of several frames finds its way to the requester, too.
        const frames: Uint8Array[] = [],
          self = spreadEndpoint(9);
        const manager = network.attach("manager", {
          mac: self.mac,
          out: {},
          in: {},
          // A card drops what has come to harm on the way.
          receive: (f, damaged) => {
            if (!damaged) frames.push(f);
          },
        });
        const frameRows = Math.floor(1436 / 9),
          least = Math.ceil(900 / frameRows) - 1,
          enough = (): boolean => frames.filter(f => dissect(f).udp?.dstPort === self.port).length >= least;
        // Nobody repeats what the network loses here but the manager: a select changes nothing.
        while (!enough()) {
          const again = node.bench.cycle + 20_000;
          manager.send(
            gbnFrame(
              self,
              nodeEndpoint,
              { type: gbnTypes.data, sequence: 0, srcSlot: 7, dstSlot: 0 },
              clioMessage(
                { pid: process.pid, opcode: opcode.DF_SELECT, requestId: 5 },
                encode(dfSelectBody, {
                  table: table.va,
                  rows: 900,
                  rowBytes: 9,
                  fieldOffset: 4,
                  fieldBytes: 1,
                  predicate: 5,
                  operand: 0n,
                }),
              ),
            ),
          );
          await node.bench.until(() => enough() || node.bench.cycle > again);
        }
        for (const f of frames) {
          expect(decode(gbnHeader, f, frameOffsets.clio)).toMatchObject({
            type: gbnTypes.data,
            sequence: 0,
            srcSlot: 0,
            dstSlot: 7,
          });
          // Rows of whole frames fit a packet of 1,500 bytes with the header.
          expect(dissect(f).ipv4!.totalLength).toBeLessThanOrEqual(1500);
        }
      },
    );
  });

  test("a slow request holds up its own session only, whatever that asks for behind it; repeated changes are done once, BUSY and FAIL have their turn", () =>
    crowd(designOf(clioNode(settings.config))));

  test("a client that leaves while the node still works for it: its session's next owner misses nothing", () =>
    heirs(designOf(clioNode(settings.config))));
  test("mnemo run plays a capture of plain frames into it: offload 1 has the key-value requests", async () => {
    const run = await played(
      fileURLToPath(new URL("../../../../../captures/first.pcap", import.meta.url)),
      Object.entries({ ...small, offloads: "all" }).flatMap(([k, v]) => ["--set", `${k}=${v}`]),
    );
    expect([run.code, run.err]).toEqual([0, ""]);
    expect(run.out).toMatch(/^[\d,]+ bytes of replies compared with the reference model: no difference$/m);
    expect(run.out).toMatch(/offload1Requests 3\b/);
  });

  test("served behind a UDP socket, it answers CLib's key-value and object requests over a session", async () => {
    const served = await servedNode({ ...small, offloads: "all" }, { sessions: 0 }),
      socket = await UdpTransport.open(),
      transport = new GoBackNTransport(socket, { clock: realClock, timeoutNs: 3e8 });
    try {
      const { ip, nativePort: port } = served.settings.runtime,
        client = new Client({
          transport,
          clock: realClock,
          timeoutNs: 60e9,
          slowTimeoutNs: 60e9,
          targetDelayNs: 1e9,
          mtu: 1492,
        });
      const { kv, mv } = (await client.createProcess({ ip, port })).thread(),
        value = new Random(2).bytes(1000);
      expect([await kv.create(3n, value), await kv.create(3n, value), await kv.read(4n)]).toEqual([
        true,
        false,
        undefined,
      ]);
      expect(await kv.read(3n)).toEqual(value);
      const object = await mv.create(200);
      expect(await mv.append(object, value.slice(0, 200))).toBe(1);
      expect(await mv.latest(object)).toEqual({ version: 1, value: value.slice(0, 200) });
      expect(client.statistics).toMatchObject({ failed: 0, unknown: 0, unfit: 0 });
    } finally {
      transport.close();
      const { counters } = await served.stop();
      await socket.close();
      expect([counters.offload1Requests, counters.offload2Requests]).toEqual([4n, 3n]);
    }
  });

  // Faults in the whole node: each is one more model to build, so they run with MNEMO_LONG only. The tests above cannot
  // pass with them.
  const faults: readonly (readonly [
    string,
    (design: Design<NodePorts>) => Promise<void>,
    RegExp,
    string,
    RegExp | undefined,
  ])[] = [
    [
      "no frame is marked that others follow: a large select behind a slow request fills all places and holds up everybody",
      crowd,
      /\(\{47'd0, replies_to_head_held_more\} << 14\)/,
      "48'd0",
      /held up|when .* was due/,
    ],
    [
      "nobody looks who a session's peer is: its next owner's replies miss numbers",
      heirs,
      /held_held_user \| \(held_held_last & stale_1\)/,
      "held_held_user",
      undefined,
    ],
  ];
  for (const [what, run, from, into, why] of faults) {
    test(`seen: ${what}`, async ctx => {
      if (process.env["MNEMO_LONG"] === undefined)
        ctx.skip("builds one more whole node, a minute or two: MNEMO_LONG=1 runs it");
      await findsFault(run(plant(clioNode(settings.config), from, into)), why);
    });
  }
});

const pid = 1,
  far = 0x4000_0000n,
  tableRows = 150,
  rowBytes = 1436,
  nodes = 1500;

/** Two sessions, in frames. */
async function crowd(design: Design<NodePorts>): Promise<void> {
  await withNode(
    "gbn-offloads-crowd",
    settings,
    { design, seed: 3, limitCycles: 20_000_000, hangCycles: 0, wave: false, frames: "plain" },
    async node => {
      const a = new Asker(node, 0),
        b = new Asker(node, 1),
        { memory } = node.slowPath,
        page = BigInt(settings.config.pageSize);
      node.bench.onEdge({
        sample: cycle => {
          for (let f = node.take(); f !== undefined; f = node.take())
            (dissect(f.bytes).ipv4!.dst === a.client.endpoint.ip ? a : b).arrived(f.bytes, cycle);
        },
      });
      expect((await memory.allocate({ pid, address: far, length: page, vregion: 0n, write: true })).ok).toBe(true);
      // A list of 16 bytes a node, whose last one has the key, and a table of rows that take a frame each.
      const list = new Uint8Array(16 * nodes),
        view = new DataView(list.buffer),
        table = far + 0x10_0000n,
        random = new Random(6);
      for (let i = 0; i < nodes; i++) {
        view.setBigUint64(16 * i, i + 1 < nodes ? far + BigInt(16 * (i + 1)) : 0n, true);
        view.setBigUint64(16 * i + 8, BigInt(i), true);
      }
      const image = random.bytes(tableRows * rowBytes);
      for (const [va, bytes] of [
        [far, list],
        [table, image],
      ] as const) {
        for (let at = 0; at < bytes.length; at += 1400)
          a.ask(a.client.write(pid, va + BigInt(at), bytes.slice(at, at + 1400)));
      }
      await a.answered();

      const chase = (key: number): Uint8Array =>
        a.client.request(
          opcode.POINTER_CHASE,
          pid,
          encode(pointerChaseBody, {
            addr: far,
            key: BigInt(key),
            structSize: 16,
            valueSize: 0,
            keyOffset: 8,
            valueOffset: 0,
            depth: 0,
            nextOffset: 0,
            useDepth: 0,
            useKey: 1,
            useValuePtr: 0,
          }),
        );
      const slow = a.ask(chase(nodes - 1));
      const select = a.ask(
        a.client.request(
          opcode.DF_SELECT,
          pid,
          encode(dfSelectBody, {
            table,
            rows: tableRows,
            rowBytes,
            fieldOffset: 0,
            fieldBytes: 1,
            predicate: 5,
            operand: 0n,
          }),
        ),
      );
      const behind = [a.ask(a.client.read(pid, table, 64)), a.ask(a.client.kv(opcode.KV_READ, 77n))];
      // The other session sends one request after the other meanwhile.
      let longest = 0,
        between = 0;
      const over = (): boolean => slow.end !== undefined;
      while (!over()) {
        const start = node.bench.cycle,
          one = b.ask(b.client.read(pid, far, 64));
        await node.bench.withTimeout(
          node.bench.until(() => one.end !== undefined || over()),
          { cycles: 60_000 },
          "the other session's reply, held up",
        );
        if (!over()) between++;
        longest = Math.max(longest, node.bench.cycle - start);
      }
      await Promise.all([a.answered(), b.answered()]);
      expect([slow, select, ...behind].map(r => r.status)).toEqual([status.OK, status.OK, status.OK, status.FAIL]);
      expect(select.parts).toHaveLength(tableRows - 1);
      expect(Buffer.concat([...select.parts, select.body!].map(p => p.slice(dfSelectReplyBody.bytes)))).toEqual(
        Buffer.from(image),
      );
      expect(behind[0]!.body!.slice(accessBody.bytes)).toEqual(image.slice(0, 64));
      // More than there are places for waiting frames came before the chase had ended.
      expect(select.before, "frames of the select before the slow request's reply").toBeGreaterThan(130);
      expect(between, "replies of the other session meanwhile").toBeGreaterThan(20);
      expect(longest, "cycles that a read of the other session took at most; else it was held up").toBeLessThan(20_000);

      // More than the offload takes: BUSY has its turn, too, and missing objects are reported.
      const many = Array.from({ length: 12 }, (_, i) => a.ask(chase(i === 3 ? nodes : 40 + i)));
      await a.answered();
      expect(many.map(m => m.status).filter(s => s === status.BUSY).length).toBeGreaterThanOrEqual(1);
      expect(many[0]!.status).toBe(status.OK);
      expect([status.FAIL, status.BUSY]).toContain(many[3]!.status);

      // A change, repeated at once and later: done once, answered as the first was or BUSY while it is being done.
      const value = new Uint8Array(40).fill(7),
        create = a.client.kv(opcode.KV_CREATE, 5n, value),
        firstly = a.ask(create),
        atOnce = a.ask(a.client.repeat(create));
      await a.answered();
      const later = a.ask(a.client.repeat(create)),
        another = a.ask(a.client.kv(opcode.KV_CREATE, 5n, value)),
        erase = a.client.kv(opcode.KV_DELETE, 5n),
        erased = a.ask(erase);
      await a.answered();
      const erasedAgain = a.ask(a.client.repeat(erase)),
        anew = a.ask(a.client.kv(opcode.KV_CREATE, 5n, value.slice(0, 9))),
        erasedYetAgain = a.ask(a.client.repeat(erase)),
        found = a.ask(a.client.kv(opcode.KV_READ, 5n));
      await a.answered();
      expect([status.OK, status.BUSY]).toContain(atOnce.status);
      expect([firstly, later, another, erased, erasedAgain, anew, erasedYetAgain, found].map(r => r.status)).toEqual([
        status.OK,
        status.OK,
        status.FAIL,
        status.OK,
        status.OK,
        status.OK,
        status.OK,
        status.OK,
      ]);
      expect(found.body!.slice(kvReplyBody.bytes)).toEqual(value.slice(0, 9));
      expect([...a.problems, ...b.problems]).toEqual([]);
    },
  );
}

/** Two clients, one after the other, of one session. */
async function heirs(design: Design<NodePorts>): Promise<void> {
  await withNode(
    "gbn-offloads-heirs",
    settings,
    { design, seed: 8, limitCycles: 600_000, hangCycles: 0, wave: false },
    async node => {
      const network = new NetworkModel(timeOf(node), { seed: 8, link: { latencyNs: 200 } });
      joinNetwork(node, network);
      const macs = new Map([[runtime.ip, runtime.mac]]),
        clientOf = (i: number): { readonly transport: GoBackNTransport; readonly client: Client } => {
          const transport = new GoBackNTransport(new ClientStation(network, `client${i}`, spreadEndpoint(i), macs), {
            clock: network.time,
            random: () => 0.3 + i / 5,
          });
          return {
            transport,
            client: new Client({
              transport,
              clock: network.time,
              timeoutNs: 2e7,
              slowTimeoutNs: 2e7,
              mtu: 1492,
              random: () => 0.4 + i / 7,
            }),
          };
        };
      const first = clientOf(0),
        process = await first.client.createProcess(to),
        thread = process.thread(),
        rows = 4000,
        va = await thread.ralloc(rows * 9),
        head = await writeList(thread, 400);
      await thread.rwrite(va, new Uint8Array(rows * 9));
      const session = first.transport.sessionOf(to);
      // Both answer long after their client has gone, the select with many frames.
      void process
        .thread()
        .df.select({ va, rows, rowBytes: 9 }, { field: { offset: 0, bytes: 1 }, is: "=", operand: 0n })
        .catch(() => undefined);
      void process
        .thread()
        .pointerChase({ first: head, nodeBytes: 48, nextOffset: 0, key: { value: 1399n, offset: 8 } })
        .catch(() => undefined);
      const begun = (await node.counters()).offload0Accesses;
      await node.bench.until(() => node.bench.cycle % 1000 === 0);
      await node.bench.cycles(500);
      expect((await node.counters()).offload0Accesses).toBeGreaterThan(begun);
      first.transport.close();
      const heir = clientOf(1),
        own = heir.client.process(process.pid, to).thread(),
        value = new Random(4).bytes(3000);
      for (let i = 0; i < 12; i++) {
        await own.rwrite(va, value);
        expect(await own.rread(va, value.length)).toEqual(value);
      }
      expect(heir.transport.sessionOf(to)).toBe(session);
      expect(heir.transport.resent).toBe(0);
      expect(heir.client.statistics).toMatchObject({ timeouts: 0, failed: 0, unknown: 0, unfit: 0 });
      await node.settled();
      const registers = gbnDriver(node.transport.registers);
      expect(await registers.read("gbnTxStale"), "replies to who had gone").toBeGreaterThan(2);
      expect([await registers.read("gbnTxTimeouts"), await registers.read("gbnTxFailed")]).toEqual([0, 0]);
    },
  );
}

interface Asked {
  readonly id: number;
  status: number | undefined;
  body: Uint8Array | undefined;
  end: number | undefined;
  readonly parts: Uint8Array[];
  before: number;
}

/** A client with a session: requests, and their replies in order. */
class Asker {
  readonly client: FrameClient;
  readonly problems: string[] = [];
  readonly #node: SimulatedNode;
  readonly #open: Asked[] = [];
  constructor(node: SimulatedNode, n: number) {
    this.#node = node;
    this.client = new FrameClient(spreadEndpoint(n), runtime, 1 + 0x1000 * n);
  }
  ask(frame: Uint8Array): Asked {
    const asked: Asked = {
      id: dissect(frame).clio!.requestId,
      status: undefined,
      body: undefined,
      end: undefined,
      parts: [],
      before: 0,
    };
    this.#open.push(asked);
    this.#node.send(frame);
    return asked;
  }
  answered(): Promise<unknown> {
    return this.#node.bench.withTimeout(
      this.#node.bench.until(() => this.#open.length === 0),
      { cycles: 3_000_000 },
      "all replies of a session",
    );
  }
  arrived(frame: Uint8Array, cycle: number): void {
    const { clio, body, udp } = dissect(frame),
      payload = frame.slice(frameOffsets.clio, frameOffsets.transport + udp!.length);
    const asked = this.#open.find(o => o.id === clio!.requestId);
    if (asked === undefined) {
      this.problems.push(`a reply to ${clio!.requestId}, which has had its last one`);
      return;
    }
    if (isPart(payload)) {
      asked.parts.push(body!);
      if (this.#open[0] !== asked) asked.before++;
      return;
    }
    if (this.#open[0] !== asked) this.problems.push(`the reply to ${asked.id} came when ${this.#open[0]!.id} was due`);
    this.#open.splice(this.#open.indexOf(asked), 1);
    Object.assign(asked, { status: clio!.status, body, end: cycle });
  }
}
