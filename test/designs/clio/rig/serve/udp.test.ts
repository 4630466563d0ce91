import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as p from "../../../../support/packets.ts";
import { dissect } from "../../../../../designs/clio/wire/index.ts";
import { ServeError } from "../../../../../sim/index.ts";
import { formatIpv4 } from "../../../../../designs/shared/wire/index.ts";
import { UdpNetwork } from "../../../../../designs/clio/rig/serve/udp-network.ts";
import { publishedCapture } from "../../../../support/captures.ts";
import { asleep, type Datagram, ownAddress, servedNode, type ServedNode, UdpClient } from "./served.ts";
import { onlyHangsEnd } from "../../../../support/hang-limit.ts";

onlyHangsEnd();

const { opcode, status, vmFlag } = p;

let served: ServedNode, ip: number, native: number;
beforeAll(async () => {
  served = await servedNode();
  ({ ip, nativePort: native } = served.settings.runtime);
});
afterAll(async () => {
  await served.stop();
});

/** Native-port requests of one program. */
class Program {
  readonly udp: UdpClient;
  readonly #node: number;
  #id = 0;
  constructor(udp: UdpClient, node: number) {
    this.udp = udp;
    this.#node = node;
  }
  static async start(node = ip): Promise<Program> {
    return new Program(await UdpClient.open(), node);
  }
  ask(code: number, pid: number, ...body: readonly Uint8Array[]): Promise<Datagram> {
    return this.udp.ask(
      this.#node,
      native,
      p.clioMessage({ opcode: code, pid, flagTracked: 1, requestId: ++this.#id }, ...body),
    );
  }
  async createProcess(): Promise<number> {
    return p.decode(p.createProcReplyBody, (await this.ask(opcode.CREATE_PROC, 0, new Uint8Array(64))).body).newPid;
  }
  async allocate(pid: number, len: bigint): Promise<bigint> {
    const r = p.decode(
      p.allocReplyBody,
      (await this.ask(opcode.ALLOC, pid, p.encode(p.allocBody, { len, vregion: 1n, vmFlags: vmFlag.write }))).body,
    );
    expect(r).toMatchObject({ ret: 0, boardIp: this.#node, udpPort: native });
    return r.addr;
  }
  async write(pid: number, va: bigint, data: Uint8Array): Promise<number> {
    return (await this.ask(opcode.WRITE, pid, p.encode(p.accessBody, { va, length: data.length }), data)).header.status;
  }
  async read(pid: number, va: bigint, length: number): Promise<Uint8Array> {
    const { header, body } = await this.ask(opcode.READ, pid, p.encode(p.accessBody, { va, length }));
    expect(header.status).toBe(status.OK);
    return body.slice(12);
  }
}

const pattern = (n: number, seed: number): Uint8Array =>
  Uint8Array.from({ length: n }, (_, i) => (i * 31 + seed * 17 + (i >> 8)) & 0xff);

describe("behind UDP sockets", () => {
  it("a program allocates, writes and reads", async () => {
    const c = await Program.start(),
      pid = await c.createProcess(),
      va = await c.allocate(pid, 8n << 20n);
    const data = pattern(1466, 1);
    expect(await c.write(pid, va + 5n, data)).toBe(status.OK);
    expect(await c.read(pid, va + 5n, data.length)).toEqual(data);
    // Across the page's end, and where nothing is mapped.
    expect(await c.write(pid, va + (4n << 20n) - 100n, pattern(300, 2))).toBe(status.OK);
    expect(await c.read(pid, va + (4n << 20n) - 100n, 300)).toEqual(pattern(300, 2));
    expect(await c.write(pid, va + (8n << 20n), pattern(8, 3))).toBe(status.INVALID);
    await c.udp.close();
  });

  it("several programs at a time, each on an ephemeral port, get their own replies", async () => {
    const clients = await Promise.all(Array.from({ length: 6 }, () => Program.start()));
    const ports = new Set(clients.map(c => c.udp.port));
    expect(ports.size).toBe(6);
    await Promise.all(
      clients.map(async (c, n) => {
        const pid = await c.createProcess(),
          va = await c.allocate(pid, 1n);
        for (let i = 0; i < 10; i++) {
          expect(await c.write(pid, va + BigInt(i * 700), pattern(700, n * 16 + i))).toBe(status.OK);
          expect(await c.read(pid, va + BigInt(i * 700), 700)).toEqual(pattern(700, n * 16 + i));
        }
        expect(c.udp.received).toEqual([]);
      }),
    );
    await Promise.all(clients.map(c => c.udp.close()));
  });

  it("many requests on their way at once are all answered, once each", async () => {
    const c = await Program.start(),
      pid = await c.createProcess(),
      va = await c.allocate(pid, 1n);
    for (let i = 0; i < 200; i++) {
      c.udp.send(
        ip,
        native,
        p.clioMessage(
          { opcode: opcode.WRITE, pid, tag: i, flagTracked: 1, requestId: 1000 + i },
          p.encode(p.accessBody, { va: va + BigInt(i), length: 1 }),
          Uint8Array.of(i),
        ),
      );
    }
    const ids: number[] = [];
    while (ids.length < 200) {
      const r = await c.udp.next();
      expect(r.header.status).toBe(status.OK);
      ids.push(r.header.requestId);
    }
    expect(ids.sort((a, b) => a - b)).toEqual(Array.from({ length: 200 }, (_, i) => 1000 + i));
    expect(await c.read(pid, va, 200)).toEqual(Uint8Array.from({ length: 200 }, (_, i) => i));
    await c.udp.close();
  });

  it("what no frame can hold is dropped and counted by the hardware, and the next request is served", async () => {
    const c = await Program.start();
    c.udp.send(ip, native, new Uint8Array(3000));
    c.udp.send(ip, native, new Uint8Array(0));
    c.udp.send(ip, native, new Uint8Array(15));
    expect((await c.ask(opcode.PINGPONG, 0, pattern(40, 9))).body).toEqual(pattern(40, 9));
    await served.node.settled();
    const counters = await served.node.counters();
    expect([counters.dropLong, counters.dropShort]).toEqual([1n, 2n]);
    await c.udp.close();
  });

  it("a session's port opens with the session", async () => {
    const c = await Program.start();
    const sessions: number[] = [];
    for (let i = 0; i < 3; i++)
      sessions.push(
        p.decode(p.sessionBody, (await c.ask(opcode.OPEN_SESSION, 1, p.encode(p.sessionBody, { session: 1 }))).body)
          .session,
      );
    expect(sessions).toEqual([1, 2, 3]);
    for (const s of sessions) {
      const r = await c.udp.ask(
        ip,
        1234 + s,
        p.clioMessage({ opcode: opcode.PINGPONG, flagTracked: 1 }, pattern(9, s)),
      );
      expect(r).toMatchObject({ from: { port: 1234 + s }, header: { flagTracked: 0 } });
      expect(r.body).toEqual(pattern(9, s));
    }
    await c.udp.close();
  });

  it("a session whose port another program has is passed over", async () => {
    const c = await Program.start(),
      other = await UdpClient.open(p.formatIpv4(ip), 1234 + 4);
    const r = await c.ask(opcode.OPEN_SESSION, 1, p.encode(p.sessionBody, { session: 1 }));
    expect(p.decode(p.sessionBody, r.body).session).toBe(5);
    await other.close();
    await c.udp.close();
  });
});

describe("the clock", () => {
  it("stands still while nobody asks, and starts again for a request", async () => {
    const c = await Program.start();
    await c.ask(opcode.PINGPONG, 0);
    await asleep(served);
    const before = served.node.bench.cycle,
      cpu = process.cpuUsage();
    await new Promise(resolve => {
      setTimeout(resolve, 300);
    });
    expect(served.node.bench.cycle).toBe(before);
    const { user, system } = process.cpuUsage(cpu);
    console.log(`asleep for 300 ms: ${((user + system) / 1000).toFixed(1)} ms of processor time`);
    await c.ask(opcode.PINGPONG, 0);
    expect(served.node.bench.cycle).toBeGreaterThan(before);
    await c.udp.close();
  });
});

describe("more virtual than physical memory", () => {
  it("runs out explicitly, sleeps meanwhile, and goes on when something is freed", async () => {
    // Six frames, of which one is the offloads'.
    const small = await servedNode({ ip: ownAddress(2) }, { slowPath: { pages: 6 } });
    const c = await Program.start(small.settings.runtime.ip),
      pid = await c.createProcess(),
      page = BigInt(small.settings.config.pageSize),
      va = await c.allocate(pid, 12n * page);
    const touch = async (n: number): Promise<number> => c.write(pid, va + BigInt(n) * page, Uint8Array.of(n));
    const outcomes: number[] = [];
    for (let n = 0; n < 8; n++) outcomes.push(await touch(n));
    expect(outcomes).toEqual([0, 0, 0, 0, 0, status.OUT_OF_MEMORY, status.OUT_OF_MEMORY, status.OUT_OF_MEMORY]);
    await new Promise(resolve => {
      setTimeout(resolve, 100);
    });
    const before = small.node.bench.cycle;
    await new Promise(resolve => {
      setTimeout(resolve, 100);
    });
    expect(small.node.bench.cycle).toBe(before);
    expect((await c.ask(opcode.FREE, pid, p.encode(p.allocBody, { addr: va + page, len: page }))).header.status).toBe(
      status.OK,
    );
    // The frame of the freed page, zeroed.
    expect(await c.read(pid, va + 7n * page, 16)).toEqual(new Uint8Array(16));
    expect([await touch(7), await touch(6), await touch(1)]).toEqual([status.OK, status.OUT_OF_MEMORY, status.INVALID]);
    await c.udp.close();
    expect(Number((await small.stop()).counters.outOfMemory)).toBe(4);
  });
});

describe("the published client's start-up, from the bytes it really sent", () => {
  const clientIp = 0x0a4d0001;
  /** The UDP payloads that the client sent. */
  const sent = (name: "context" | "read-write" | "kv") =>
    publishedCapture(name)
      .map(f => ({ d: dissect(f.bytes), bytes: f.bytes }))
      .filter(({ d }) => d.ipv4?.src === clientIp && d.udp !== undefined)
      .map(({ d, bytes }) => ({ udp: d.udp!, clio: d.clio!, payload: bytes.slice(42, 42 + d.udp!.length - 8) }));

  it("JOIN, NEW_NODE before its reply, CREATE_PROC, ALLOC at the monitor, ALLOC at the node, data", async () => {
    const messages = sent("context"),
      join = messages.find(m => m.clio.opcode === opcode.JOIN_CLUSTER)!,
      create = messages.find(m => m.clio.opcode === opcode.CREATE_PROC)!;
    // The host listens on its base port, which its JOIN names. Its address in the JOIN is the capture's, so the bytes
    // of that field alone are ours.
    const host = await UdpClient.open(ownAddress(1), p.decode(p.joinBody, join.payload, 16).udpPort),
      payload = join.payload.slice();
    p.encodeInto(p.joinBody, { ip: host.ip }, payload, 16);
    const first = await host.ask(ip, 10000, payload),
      second = await host.next();
    expect([first.header.opcode, second.header.opcode]).toEqual([opcode.NEW_NODE, p.replyCode(opcode.JOIN_CLUSTER)]);
    const member = p.decode(p.newNodeBody, first.body);
    expect(member).toMatchObject({ type: 1n, ip, udpPort: 1234 });
    expect(p.decode(p.retBody, second.body).ret).toBe(0);

    const pid = p.decode(p.createProcReplyBody, (await host.ask(ip, 10000, create.payload)).body).newPid;
    expect(pid).toBeGreaterThanOrEqual(0x8000);
    const region = p.decode(
      p.allocReplyBody,
      (
        await host.ask(
          ip,
          10000,
          p.clioMessage({ opcode: opcode.ALLOC, pid }, p.encode(p.allocBody, { len: 4096n, vmFlags: vmFlag.write })),
        )
      ).body,
    );
    expect(region).toMatchObject({ ret: 0, boardIp: ip, udpPort: 1234 });
    const memory = p.decode(
      p.allocReplyBody,
      (
        await host.ask(
          region.boardIp,
          region.udpPort,
          p.clioMessage(
            { opcode: opcode.ALLOC, pid },
            p.encode(p.allocBody, { len: 4096n, vregion: BigInt(region.vregion), vmFlags: vmFlag.write }),
          ),
        )
      ).body,
    );
    expect(memory).toMatchObject({ ret: 0, addr: BigInt(region.vregion) << 30n });

    // Data on 1234 + session: the client's own write, garbage in the unused header bytes and all, at the address
    // it was given.
    const write = sent("read-write").find(m => m.clio.opcode === opcode.WRITE)!,
      data = write.payload.slice();
    p.encodeInto(p.clioHeader, { pid }, data);
    p.encodeInto(p.accessBody, { va: memory.addr }, data, 16);
    const answer = await host.ask(ip, 1235, data);
    expect(answer.header).toMatchObject({ opcode: 0x51, status: status.OK, size: 28 });
    const { length } = p.decode(p.accessBody, data, 16);
    const back = await host.ask(
      ip,
      1235,
      p.clioMessage({ opcode: opcode.READ, pid }, p.encode(p.accessBody, { va: memory.addr, length })),
    );
    expect(back.body.slice(12)).toEqual(data.slice(28, 28 + length));
    await host.close();
  });

  it("a program on the node's own address is served like any other", async () => {
    const beside = await UdpClient.open(formatIpv4(ip)),
      sent = pattern(40, 3);
    const { header, body } = await beside.ask(ip, native, p.clioMessage({ opcode: opcode.PINGPONG }, sent));
    expect([header.opcode, header.status, body]).toEqual([opcode.PINGPONG, status.OK, sent]);
    await beside.close();
  });
  it("ending a process at the monitor ends it at the node", async () => {
    const host = await UdpClient.open(ownAddress(1));
    const pid = p.decode(
      p.createProcReplyBody,
      (await host.ask(ip, 10000, p.clioMessage({ opcode: opcode.CREATE_PROC }, new Uint8Array(64)))).body,
    ).newPid;
    const region = p.decode(
      p.allocReplyBody,
      (await host.ask(ip, 10000, p.clioMessage({ opcode: opcode.ALLOC, pid }, p.encode(p.allocBody, { len: 1n }))))
        .body,
    );
    await host.ask(
      ip,
      1234,
      p.clioMessage({ opcode: opcode.ALLOC, pid }, p.encode(p.allocBody, { len: 1n, vregion: BigInt(region.vregion) })),
    );
    expect(served.node.slowPath.memory.hasProcess(pid)).toBe(true);
    expect((await host.ask(ip, 10000, p.clioMessage({ opcode: opcode.FREE_PROC, pid }))).header.opcode).toBe(0x87);
    await served.node.settled();
    expect(served.node.slowPath.memory.hasProcess(pid)).toBe(false);
    await host.close();
  });

  it("its key-value test gets the replies of the capture, byte for byte", async () => {
    const host = await UdpClient.open(ownAddress(1)),
      frames = publishedCapture("kv").map(f => dissect(f.bytes));
    const replies = publishedCapture("kv")
      .filter((_, i) => frames[i]!.ipv4?.src !== clientIp && frames[i]!.udp)
      .map(f => f.bytes);
    const requests = sent("kv");
    expect(requests.length).toBe(replies.length);
    for (const [i, r] of requests.entries()) {
      const expected = replies[i]!,
        { udp } = dissect(expected);
      expect((await host.ask(ip, r.udp.dstPort, r.payload)).bytes).toEqual(expected.slice(42, 42 + udp!.length - 8));
    }
    await host.close();
  });
});

describe("what cannot be served", () => {
  const refusal = async (given: Promise<unknown>): Promise<string> => {
    const error = await given.then(
      () => undefined,
      (e: unknown) => e,
    );
    expect(error).toBeInstanceOf(ServeError);
    return (error as Error).message;
  };
  it("a port that is taken, an address of another machine", async () => {
    expect(await refusal(UdpNetwork.open(served.settings, { sessions: 0 }))).toBe(
      `UDP port 1200 of ${ownAddress()} is taken by another program; choose another with --port (0: any free one)`,
    );
    const { config, runtime } = served.settings;
    expect(
      await refusal(UdpNetwork.open({ config, runtime: { ...runtime, ip: 0xc0000201 } }, { sessions: 0 })),
    ).toMatch(/^ip = 192.0.2.1 is no address of this machine; /);
  });
  it("leaves no port open behind it", async () => {
    const { config, runtime } = served.settings,
      at = { config, runtime: { ...runtime, nativePort: 1300 } };
    await refusal(UdpNetwork.open(at, { sessions: 2 }));
    const free = await UdpNetwork.open(
      { config, runtime: { ...runtime, nativePort: 1300, clientPort: 1400 } },
      { sessions: 1 },
    );
    await free.close();
  });
});
