import { describe, expect, test } from "vitest";
import { isForNode } from "../../../../../designs/clio/model/index.ts";
import { gbnFrame, gbnTypes } from "../../../../../designs/shared/go-back-n/wire/index.ts";
import { gbnDefaults, GbnShims, type GbnShimsParameters } from "../../../../../designs/clio/rtl/transport/gbn-shims.ts";
import {
  arpFrame,
  decode,
  type Endpoint,
  ethernetHeader,
  internetChecksum,
  ipv4Header,
  udpFrame,
  udpHeader,
} from "../../../../../designs/shared/wire/index.ts";
import { clioHeader, clioMessage, frameOffsets, opcode } from "../../../../../designs/clio/wire/index.ts";
import {
  axiPorts,
  AxiRam,
  AxisSink,
  AxisSource,
  type Bench,
  bernoulli,
  type Dut,
  never,
  type Pause,
  poke,
  type Random,
  runBench,
  StreamSource,
} from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { allBack } from "../../../../support/all-back.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { clientPorts, configOf, own, randomClient, randomPing } from "../network/net-frames.ts";
import { addressed, Channel, type ChannelOptions, GbnClient } from "./support/gbn-clients.ts";

const parameters = (o: Partial<GbnShimsParameters> = {}): GbnShimsParameters => ({
  ...gbnDefaults,
  beatBytes: 64,
  frameBytes: 1536,
  clientPorts,
  addressBits: 32,
  idBits: 1,
  ackCycles: 1024,
  timeoutCycles: 2048,
  ...o,
});
type Ports = ReturnType<typeof GbnShims>["ports"];
/** A client at a port on which no node answers: from there a PINGPONG is a request. */
const asking = (random: Random): Endpoint => ({ ...randomClient(random), port: random.between(40_000, 65_535) });
const nodeAt = (port: number) => ({ mac: own.mac, ip: own.ip, port });
/** Payload of a request: number, session and bytes. */
const payloadOf = (session: number, n: number, more: Uint8Array, code: number = opcode.PINGPONG): Uint8Array =>
  clioMessage({ requestId: n, retryOf: session, opcode: code }, more);
const numberOf = (payload: Uint8Array): { readonly n: number; readonly session: number } => {
  const view = new DataView(payload.buffer, payload.byteOffset);
  return { n: view.getUint32(8, true), session: view.getUint32(12, true) };
};

interface Options {
  readonly channel?: Partial<ChannelOptions>;
  readonly sessions?: number;
  readonly pause?: (seed: number) => Pause;
  readonly latency?: { readonly read: number; readonly write: number };
  readonly ackEvery?: number;
}

/**
 * The shims between a network with clients and a node that answers every request, late and in any
 * order between sessions.
 */
class Rig {
  readonly clients: GbnClient[] = [];
  readonly requested: number[] = [];
  /** By session: the requests that are to be answered. */
  readonly answerable: number[][] = [];
  /** By session: the next request that the node must see, and the replies that the client has had. */
  readonly arrived: number[] = [];
  readonly replied: number[][] = [];
  readonly up: Channel;
  readonly down: Channel;
  readonly mac: AxisSource;
  readonly node: AxisSource;
  readonly ram: AxiRam;
  readonly session: StreamSource<Ports["session"]["shape"]>;
  readonly other: Uint8Array[] = [];
  cycle = 0;
  /** Clients that say nothing any more. */
  readonly dead = new Set<number>();
  readonly #b: Bench<Ports>;
  /** The node keeps its answers to itself, but for those to clients. */
  #keeps = false;
  readonly #kept: Uint8Array[] = [];
  readonly #p: GbnShimsParameters;
  readonly #pending: { readonly due: number; readonly frame: Uint8Array }[] = [];
  readonly #sentBy = new Map<string, number>();

  constructor(b: Bench<Ports>, p: GbnShimsParameters, o: Options = {}) {
    this.#b = b;
    this.#p = p;
    const pause = o.pause ?? (() => never),
      channel = { loss: 0, duplication: 0, reordering: 0, delay: 20, ...o.channel };
    poke(b.io.config, configOf(own));
    this.up = new Channel(b.random.fork("up"), channel);
    this.down = new Channel(b.random.fork("down"), channel);
    this.mac = new AxisSource(b.sim, b.io.rx, { pause: pause(1) });
    this.node = new AxisSource(b.sim, b.io.nodeTx, { pause: pause(2) });
    const network = new AxisSink(b.sim, b.io.tx, { pause: pause(3) }),
      requests = new AxisSink(b.sim, b.io.nodeRx, { pause: pause(4) });
    this.session = new StreamSource(b.sim, b.io.session);
    this.ram = new AxiRam(b.sim, axiPorts(b.io, "mem"), {
      latency: o.latency ?? { read: 30, write: 50 },
      pause: { aw: pause(5), w: pause(6), b: pause(7), ar: pause(8), r: pause(9) },
    });
    const n = o.sessions ?? 8;
    for (let i = 0; i < n; i++) {
      const self = asking(b.random),
        session = 1 + Math.floor((i * (p.sessions - 1)) / n),
        slot = b.random.between(1, 1023);
      const index = i,
        node = nodeAt(b.random.pick([own.nativePort, own.clientPort + i]));
      this.#sentBy.set(`${self.mac} ${self.ip} ${self.port} ${slot}`, i);
      this.requested.push(0);
      this.arrived.push(0);
      this.replied.push([]);
      this.answerable.push([]);
      this.clients.push(
        new GbnClient({
          self,
          node,
          slot,
          session,
          first: p.first,
          timeout: 3000,
          ackDelay: 300,
          ackEvery: o.ackEvery ?? 10,
          send: f => this.up.put(f, this.cycle),
          reply: payload => {
            const { n: number, session: of } = numberOf(payload);
            const due = this.answerable[index]?.[this.replied[index]?.length ?? 0];
            if (of !== index || number !== due || number >= (this.arrived[index] ?? 0))
              throw new Error(`client ${index}: reply ${number} of ${of} came, ${String(due)} was due`);
            this.replied[index]?.push(number);
          },
        }),
      );
    }
    const macOf = new Map<bigint, number>();
    b.onEdge({
      sample: cycle => {
        this.cycle = cycle;
        // The node.
        for (let f = requests.take(); f !== undefined; f = requests.take()) {
          if (!isForNode(f.bytes, own)) {
            this.other.push(f.bytes);
            continue;
          }
          const ip = decode(ipv4Header, f.bytes, frameOffsets.network),
            udp = decode(udpHeader, f.bytes, frameOffsets.transport),
            src = decode(ethernetHeader, f.bytes).src;
          const payload = f.bytes.slice(frameOffsets.clio, frameOffsets.transport + udp.length),
            { n: number, session: of } = numberOf(payload);
          if (of < n) {
            if (number !== this.arrived[of])
              throw new Error(`the node sees request ${number} of client ${of}; ${String(this.arrived[of])} is due`);
            this.arrived[of] = number + 1;
            const tag = src & 0xffffn;
            if (!macOf.has(tag)) macOf.set(tag, of);
            if (macOf.get(tag) !== of) throw new Error("one tag for two sessions");
            if (decode(clioHeader, payload).opcode === opcode.WRITE_NOREPLY) continue;
          }
          const frame = udpFrame(nodeAt(udp.dstPort), { mac: src, ip: ip.src, port: udp.srcPort }, payload);
          if (of >= n && this.#keeps) this.#kept.push(frame);
          else this.#pending.push({ due: cycle + b.random.between(5, 100), frame });
        }
        for (
          let i = this.#pending.findIndex(x => x.due <= cycle);
          i >= 0;
          i = this.#pending.findIndex(x => x.due <= cycle)
        ) {
          const [reply] = this.#pending.splice(i, 1);
          if (reply !== undefined) this.node.send(reply.frame);
        }
        // The network.
        for (let f = network.take(); f !== undefined; f = network.take()) this.down.put(f.bytes, cycle);
        for (const f of this.down.take(cycle)) this.#arrives(f, cycle);
        for (const f of this.up.take(cycle)) this.mac.send(f);
        this.clients.forEach((c, i) => {
          if (!this.dead.has(i)) c.tick(cycle);
        });
      },
    });
  }
  #arrives(frame: Uint8Array, now: number): void {
    const ip = decode(ipv4Header, frame, frameOffsets.network);
    if (decode(ethernetHeader, frame).etherType !== 0x800 || ip.protocol !== 17) {
      this.other.push(frame);
      return;
    }
    if (internetChecksum(frame, frameOffsets.network, frameOffsets.transport) !== 0)
      throw new Error("a wrong IPv4 checksum");
    if (
      frame.length < 60 ||
      ip.totalLength > frame.length - 14 ||
      decode(udpHeader, frame, frameOffsets.transport).length !== ip.totalLength - 20
    )
      throw new Error("wrong lengths");
    const to = addressed(frame),
      client = this.#sentBy.get(`${to.mac} ${to.ip} ${to.port} ${to.header.dstSlot}`);
    if (client === undefined) {
      this.other.push(frame);
      return;
    }
    if (!this.dead.has(client)) (this.clients[client] as GbnClient).take(frame, now);
  }
  request(client: number, bytes: number): void {
    const n = this.requested[client] as number;
    this.requested[client] = n + 1;
    const silent = this.#b.random.chance(0.1);
    if (!silent) this.answerable[client]?.push(n);
    (this.clients[client] as GbnClient).request(
      payloadOf(client, n, this.#b.random.bytes(bytes), silent ? opcode.WRITE_NOREPLY : opcode.PINGPONG),
    );
  }
  /** Until every request has its reply, and all is acknowledged. */
  async finish(): Promise<void> {
    await this.#b.until(() =>
      this.clients.every(
        (c, i) =>
          this.dead.has(i) ||
          (c.idle && this.arrived[i] === this.requested[i] && this.replied[i]?.length === this.answerable[i]?.length),
      ),
    );
  }
  /**
   * All is there again: slots for replies that wait, and the numbers of a session's window. The clients say nothing any
   * more: two sessions begin anew, with somebody else.
   */
  async allBack(): Promise<void> {
    const b = this.#b,
      { waiting, window, first } = this.#p,
      self = asking(b.random),
      node = nodeAt(own.nativePort),
      packet = (type: number, session: number, sequence: number, payload?: Uint8Array): void => {
        this.mac.send(gbnFrame(self, node, { type, sequence: sequence >>> 0, srcSlot: 3, dstSlot: session }, payload));
      },
      ask = (session: number, i: number): void => {
        packet(gbnTypes.data, session, first + i, payloadOf(5000, i, new Uint8Array(10)));
      },
      had = (side: "rx" | "tx", name: string): (() => number) => {
        const before = this.counter(side, name);
        return () => this.counter(side, name) - before;
      };
    this.clients.forEach((_, i) => this.dead.add(i));
    await b.until(() => this.mac.pending === 0 && this.up.empty && this.down.empty);
    for (const session of [1, 2]) this.session.send({ session, open: 1 });
    await b.until(() => this.session.pending === 0);
    await b.cycles(4 * waiting);

    // No request comes in while half of the slots are taken: all of them are inside before the first is answered. One
    // more reply than there are slots would stand in the way of the one that all wait for.
    this.#keeps = true;
    const enters = had("rx", "accepted"),
      waitsToo = had("tx", "waited"),
      goes = had("tx", "sent");
    for (let i = 0; i <= waiting; i++) ask(1, i);
    await b.until(() => enters() === waiting + 1 && this.#kept.length === waiting + 1);
    const [due] = this.#kept.splice(0, 1) as [Uint8Array];
    this.#giveKept();
    await allBack(b, { what: "slots", count: waiting, had: waitsToo });
    this.#kept.push(due);
    this.#giveKept();
    await b.until(() => goes() === window);
    packet(gbnTypes.ack, 1, first + window - 1);
    await b.until(() => goes() === waiting + 1);
    packet(gbnTypes.ack, 1, first + waiting);

    const leaves = had("tx", "sent");
    for (let i = 0; i < window + 3; i++) ask(2, i);
    await allBack(b, { what: "numbers", count: window, had: leaves, settle: 200, patience: 1000 });
    packet(gbnTypes.ack, 2, first + window - 1);
    await b.until(() => leaves() === window + 3);
  }
  #giveKept(): void {
    this.#keeps = false;
    for (const frame of this.#kept.splice(0)) this.#pending.push({ due: 0, frame });
  }
  counter(side: "rx" | "tx", name: string): number {
    return Number(
      (this.#b.io.counters[side] as unknown as Readonly<Record<string, { readonly value: number | bigint }>>)[name]
        ?.value,
    );
  }
}

async function traffic(b: Bench<Ports>, p: GbnShimsParameters, requests: number, o: Options = {}): Promise<Rig> {
  const rig = new Rig(b, p, o),
    n = o.sessions ?? 8;
  for (let i = 0; i < requests; i++)
    rig.request(
      i < n ? i : b.random.chance(0.3) ? 0 : b.random.between(0, n - 1),
      b.random.chance(0.1) ? b.random.between(0, 1450) : b.random.between(0, 100),
    );
  await rig.finish();
  // All is acknowledged on both sides: nothing is sent again any more.
  // (The last ACK may have been lost, and the next one too.)
  for (let before = -1, rounds = 0; before !== rig.counter("tx", "resent"); rounds++) {
    expect(rounds, "rounds of sending again when all has arrived").toBeLessThan(8);
    before = rig.counter("tx", "resent");
    await b.cycles(4 * p.timeoutCycles);
  }
  expect(rig.counter("tx", "failed")).toBe(0);
  expect(rig.other.length, "frames to nobody").toBe(0);
  return rig;
}
const bad = { loss: 0.05, duplication: 0.05, reordering: 0.05 };

const limits = { hangCycles: 30_000, limitCycles: 400_000 };

/** A client falls silent with its window full, and its session is opened anew by another one. */
async function givenUp(b: Bench<Ports>, p: GbnShimsParameters): Promise<void> {
  const rig = new Rig(b, p, { sessions: 3, ackEvery: 100 });
  const failed: number[] = [];
  b.onEdge({
    sample: () => {
      if (b.io.failed.valid.value === 1) failed.push(Number(b.io.failed.session.value));
    },
  });
  for (let i = 0; i < 100; i++) for (const c of [0, 1, 2]) rig.request(c, 10);
  await b.until(() => (rig.replied[1]?.length ?? 0) > 20);
  rig.dead.add(1);
  await rig.finish();
  await b.until(() => failed.length > 0);
  expect(failed).toEqual([1 + Math.floor(63 / 3)]);
  for (const c of [0, 2]) for (let i = 0; i < 50; i++) rig.request(c, 10);
  await rig.finish();
  // Opened anew, it begins with the first number.
  rig.session.send({ session: failed[0] as number, open: 1 });
  await b.cycles(20);
  const before = rig.counter("rx", "accepted"),
    sent = rig.counter("tx", "sent");
  rig.mac.send(
    gbnFrame(
      asking(b.random),
      nodeAt(own.nativePort),
      { type: gbnTypes.data, sequence: p.first, srcSlot: 3, dstSlot: failed[0] as number },
      payloadOf(5000, 0, new Uint8Array(20)),
    ),
  );
  await b.until(() => rig.counter("rx", "accepted") > before);
  // What the request is answered finds the new life of the session.
  await b.until(() => rig.counter("tx", "sent") > sent);
  expect(rig.counter("tx", "stale")).toBe(0);
  await rig.allBack();
}

describe("GbnShims", () => {
  // One model for nearly all: the others are for long runs, and the whole node's tests have the smallest width.
  const long = process.env["MNEMO_LONG"] !== undefined,
    common = parameters({ sessions: 64, beatBytes: 32, first: 0xffff_fff0 });
  const widths = [
    [32, 300, 6],
    [8, 150, 3],
    [64, 500, 8],
  ] as const;
  for (const [beatBytes, requests, sessions] of long ? widths : widths.slice(0, 1)) {
    const p = { ...common, beatBytes };
    bench(
      `${beatBytes * 8} bits, a bad channel, back-pressure, numbers that wrap: every request once and in order, every reply once`,
      GbnShims(p),
      { seed: beatBytes, ...limits },
      async b => {
        const rig = await traffic(b, p, requests, { channel: bad, sessions, pause: seed => bernoulli(0.15, seed) });
        for (const [side, name] of [
          ["tx", "resent"],
          ["tx", "waited"],
          ["rx", "nacks"],
          ["rx", "duplicates"],
          ["rx", "ahead"],
        ] as const)
          expect(rig.counter(side, name), name).toBeGreaterThan(0);
        expect(rig.up.lost + rig.down.lost).toBeGreaterThan(0);
        await rig.allBack();
      },
    );
  }
  if (long)
    bench("all 1,023 sessions", GbnShims(parameters()), { seed: 3, ...limits }, async b => {
      const rig = await traffic(b, parameters(), 1200, { sessions: 1023, channel: { loss: 0.01 } });
      expect(rig.arrived.filter(n => n > 0).length).toBe(1023);
      await rig.allBack();
    });
  bench(
    "a clean channel: nothing is sent twice, ACKs are delayed; the window of one session never runs dry for long",
    GbnShims(common),
    { seed: 3, ...limits },
    async b => {
      const rig = await traffic(b, common, 1000, { sessions: 1 });
      expect([
        rig.counter("tx", "resent"),
        rig.clients[0]?.resent,
        rig.counter("rx", "refused"),
        rig.counter("rx", "nacks"),
        rig.counter("tx", "timeouts"),
        rig.counter("tx", "nacked"),
      ]).toEqual([0, 0, 0, 0, 0, 0]);
      expect(rig.counter("rx", "acks")).toBeLessThan(1000 / 10);
      await rig.allBack();
    },
  );
  bench(
    "management passes without a session, and so do ARP, pings and what the node drops",
    GbnShims(common),
    { seed: 4, ...limits },
    async b => {
      const rig = new Rig(b, common);
      const self = asking(b.random),
        body = payloadOf(5000, 1, b.random.bytes(30)),
        node = nodeAt(own.nativePort);
      const packet = gbnFrame(self, node, { type: gbnTypes.data, sequence: 77, srcSlot: 9, dstSlot: 0 }, body),
        ping = randomPing(b.random, 50);
      const arp = arpFrame(own.mac, { operation: 1, senderMac: 5n, senderIp: 6, targetMac: 0n, targetIp: own.ip });
      for (const f of [packet, ping, arp]) rig.mac.send(f);
      await b.until(() => rig.other.length === 3);
      expect(rig.other.map(f => Buffer.from(f).toString("hex")).sort()).toEqual(
        [ping, arp, gbnFrame(node, self, { type: gbnTypes.data, sequence: 0, srcSlot: 0, dstSlot: 9 }, body)]
          .map(f => Buffer.from(f).toString("hex"))
          .sort(),
      );
      rig.other.length = 0;
      // Frames that the slow path sends by itself.
      const event = udpFrame(node, self, body);
      let out = 0;
      b.onEdge({
        sample: cycle => {
          if (out === 0 && b.io.tx.valid.value === 1) out = cycle;
        },
      });
      const sent = rig.node.send(event);
      rig.node.send(ping);
      await b.until(() => rig.other.length === 2);
      expect(out - (sent.end as number), "latency of gbn_tx").toBe(11);
      expect(rig.other.map(f => Buffer.from(f).toString("hex"))).toEqual(
        [gbnFrame(node, self, { type: gbnTypes.data, sequence: 0, srcSlot: 0, dstSlot: 0 }, body), ping].map(f =>
          Buffer.from(f).toString("hex"),
        ),
      );
      await rig.allBack();
    },
  );
  bench(
    "a client that falls silent with its window full: given up after its tries, the others go on, and its session can be opened anew",
    GbnShims(common),
    { seed: 4, ...limits },
    b => givenUp(b, common),
  );
  bench(
    "a reset in the middle of the traffic leaves nothing behind",
    GbnShims(common),
    { seed: 9, ...limits },
    async b => {
      poke(b.io.config, configOf(own));
      await b.cycles(100);
      b.io.rx.valid.value = 1;
      poke(b.io.rx.payload, { data: 5n, keep: (1n << 32n) - 1n, last: 0, user: 0 });
      b.io.nodeTx.valid.value = 1;
      poke(b.io.nodeTx.payload, { data: 5n, keep: (1n << 32n) - 1n, last: 0, user: 0 });
      await b.cycles(2);
      b.io.rx.valid.value = 0;
      b.io.nodeTx.valid.value = 0;
      b.sim.reset();
      await (await traffic(b, common, 100, { channel: bad })).allBack();
    },
  );

  describe("a planted fault is found", () => {
    const p = common;
    const run = (name: string, design: Dut<Ports>): Promise<unknown> =>
      runBench(name, design, { wave: false, hangCycles: 20_000, limitCycles: 120_000, seed: 5 }, async b => {
        await traffic(b, p, 250, { channel: bad, sessions: 4, latency: { read: 5, write: 2500 } });
      });
    test("and nothing without one", async () => {
      await run("no fault", GbnShims(p));
    });
    const faults: readonly (readonly [string, string | RegExp, string])[] = [
      ["NACKs do nothing, timeouts neither", /back = goes_back \| times_out/, "back = 1'b0"],
      [
        "frames are sent again from one too late",
        /from_start \? was_acked : op_sequence\) \+ 32'd1/,
        "from_start ? was_acked : op_sequence) + 32'd2",
      ],
      ["a frame is read before it is in memory", /settled = ~/, "settled = 1'b1 | ~"],
      ["ACKs of numbers never sent", /believed =\s*/, "believed = 1'b0 & "],
      ["two sessions' frames in one place", /written_place = \{place_payload_at_session,/, "written_place = {6'd1,"],
      ["the sender's MAC is not put back", /mem_data\[47:0\]|to\[47:0\]/, "48'd1"],
      ["the length of the reply as it was", /\+ 16'd8/, "+ 16'd0"],
    ];
    test("a reply's life is forgotten on its way", async () => {
      const design = plant(GbnShims(p), /entry_turn_life <= [^;]*;/, "entry_turn_life <= 4'd0;");
      await findsFault(
        runBench("a life forgotten", design, { wave: false, hangCycles: 20_000, seed: 4 }, b => givenUp(b, p)),
      );
    });
    const leaky = (design: Dut<Ports>): Promise<void> =>
      runBench("a leak", design, { wave: false, hangCycles: 20_000, limitCycles: 120_000, seed: 5 }, async b => {
        const rig = await traffic(b, p, 250, { channel: bad, sessions: 4 });
        await rig.allBack();
      });
    test("and no leak without one", () => leaky(GbnShims(p)));
    test.each([
      [
        "a slot of a reply that has waited",
        /(frees <= listed \| )freed/,
        "$1(freed & slot != 7'd2)",
        /slots that can be had at the end/,
      ],
    ] as const)("%s is lost: just the check at the end finds it", (_, from, to, why) =>
      findsFault(leaky(plant(GbnShims(p), from, to)), why),
    );
    for (const [name, from, to] of long ? faults : faults.slice(0, 3))
      test(name, async () => {
        await findsFault(run(name, plant(GbnShims(p), from, to)));
      });
  });
});
