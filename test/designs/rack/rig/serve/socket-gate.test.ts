/** Sockets in front of a rack's stations: who asked gets the answer, and nobody else. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { RackEndpoint } from "../../../../../designs/rack/rig/fabric/index.ts";
import { SocketGate } from "../../../../../designs/rack/rig/serve/socket-gate.ts";
import { dissectStack, formatIpv4, headerOffsets, udpFrame } from "../../../../../designs/shared/wire/index.ts";
import { SimulatedTime } from "../../../../../sim/index.ts";
import { onlyHangsEnd } from "../../../../support/hang-limit.ts";
import { UdpClient } from "../../../clio/rig/serve/served.ts";

onlyHangsEnd();

const at = 0x7f5d_0001 + (process.pid & 0xff) * 256,
  own = { mac: 0x02n, ip: 0x0a00_0001 },
  stations = [
    { name: "mem0", mac: 0x10n, ip: 0x0a00_0010, port: 1200 },
    { name: "mem1", mac: 0x12n, ip: 0x0a00_0012, port: 1200 },
  ] as const,
  forwards = stations.map((to, i) => ({ at: { ip: at, port: 1200 + i }, to })),
  most = 3;

describe("sockets in front of stations", () => {
  let gate: SocketGate, endpoint: RackEndpoint, sent: Uint8Array[], wake: () => void, counted: [number, number];
  const clients: UdpClient[] = [];
  beforeEach(async () => {
    const neighbours = new Map(stations.map(s => [s.ip, s.mac]));
    endpoint = new RackEndpoint({ name: "host", ...own, neighbours }, new SimulatedTime());
    [sent, wake, counted] = [[], () => undefined, [0, 0]];
    endpoint.jack.plug(f => {
      sent.push(f);
      wake();
    });
    gate = await SocketGate.open(forwards, { port: "" }, most);
    gate.connect(
      endpoint,
      () => counted[0]++,
      () => counted[1]++,
    );
  });
  afterEach(async () => {
    await gate.close();
    for (const c of clients.splice(0)) await c.close();
  });
  const client = async (address: string, port = 0): Promise<UdpClient> => {
    const c = await UdpClient.open(address, port);
    clients.push(c);
    return c;
  };
  /** The next frame that the endpoint sends. */
  const next = async (): Promise<Uint8Array> => {
    while (sent.length === 0)
      await new Promise<void>(resolve => {
        wake = resolve;
      });
    return sent.shift() as Uint8Array;
  };
  /** What a client sends to a station comes with this source port. */
  const asked = async (c: UdpClient, station: 0 | 1, tag: number): Promise<number> => {
    c.send(at, 1200 + station, new Uint8Array(16).fill(tag));
    const f = await next(),
      { ethernet, ipv4, udp } = dissectStack(f),
      to = stations[station];
    expect([ethernet?.src, ipv4?.src, ethernet?.dst, ipv4?.dst, udp?.dstPort]).toEqual([
      ...[own.mac, own.ip],
      ...[to.mac, to.ip, to.port],
    ]);
    expect(f.slice(headerOffsets.payload, headerOffsets.payload + 16)).toEqual(new Uint8Array(16).fill(tag));
    return udp?.srcPort ?? 0;
  };
  const answer = (station: 0 | 1, port: number, tag: number, damaged = false): void =>
    endpoint.jack.arrive(udpFrame(stations[station], { ...own, port }, new Uint8Array(16).fill(tag)), damaged);

  it("two programs with one port of their own at two addresses: each gets its answers, from where it asked", async () => {
    const a = await client("127.0.0.1"),
      b = await client(formatIpv4(at + 1), a.port),
      pa = await asked(a, 0, 1),
      pb = await asked(b, 1, 2);
    expect(pa).toBe(a.port);
    expect(pb).not.toBe(pa);
    // The same program at the other station keeps its port.
    expect(await asked(a, 1, 3)).toBe(pa);
    answer(1, pb, 12);
    answer(1, pa, 13);
    answer(0, pa, 11);
    // They leave by two sockets.
    const got = [await a.next(), await a.next()].map(d => [d.bytes[0], d.from.port]);
    expect(new Map(got as [number, number][])).toEqual(
      new Map([
        [13, 1201],
        [11, 1200],
      ]),
    );
    const { bytes, from } = await b.next();
    expect([bytes[0], from.port]).toEqual([12, 1201]);
    expect([counted, gate.lost]).toEqual([[3, 3], 0]);
  });
  it("faults: an answer of a station that was not asked, for a port that nobody has, and a damaged one", async () => {
    const a = await client("127.0.0.1"),
      port = await asked(a, 0, 1);
    answer(1, port, 9);
    expect(gate.lost).toBe(1);
    answer(0, port + 1, 9);
    answer(0, port, 9, true);
    answer(0, port, 8);
    expect((await a.next()).bytes[0]).toBe(8);
    expect(a.received).toEqual([]);
    expect([endpoint.counts.unclaimed, counted]).toEqual([1, [1, 1]]);
  });
  it("forgets the program that was silent longest: its late answer is nobody's, and it may come again", async () => {
    const all = await Promise.all([0, 1, 2, 3].map(() => client("127.0.0.1"))),
      [a, b, c, d] = all as [UdpClient, UdpClient, UdpClient, UdpClient];
    const pa = await asked(a, 0, 1),
      pb = await asked(b, 0, 2);
    await asked(c, 0, 3);
    expect(await asked(a, 0, 4)).toBe(pa);
    await asked(d, 0, 5);
    answer(0, pb, 7);
    expect(endpoint.counts.unclaimed).toBe(1);
    answer(0, pa, 6);
    expect((await a.next()).bytes[0]).toBe(6);
    expect(await asked(b, 0, 8)).toBe(pb);
  });
  it("longer than a frame, or before the rack is there: counted", async () => {
    const a = await client("127.0.0.1");
    a.send(at, 1200, new Uint8Array(9001));
    a.send(at, 1200, new Uint8Array(60_000));
    await asked(a, 0, 1);
    expect(gate.tooLong).toBe(2);
  });
});
