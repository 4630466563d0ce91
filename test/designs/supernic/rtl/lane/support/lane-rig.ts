/** The switch lane between its inlets, software and the ports: a model of what leaves, byte by byte. */
import { type LaneParameters, SwitchLane } from "../../../../../../designs/supernic/rtl/lane/index.ts";
import { concat } from "../../../../../../designs/shared/wire/index.ts";
import { encloseFrame, putShims, snicKind } from "../../../../../../designs/supernic/wire/index.ts";
import {
  AxisSink,
  type Bench,
  never,
  type Pause,
  poke,
  StreamMonitor,
  StreamSink,
  StreamSource,
} from "../../../../../../sim/index.ts";
import { beatsOf, type Facts, Inlets, type Waiting } from "../../../support/inlets.ts";
import { Promise1 } from "../../../support/promises.ts";

export const sizes = {
  small: { ports: 2, frameBytes: 600, softwareCycles: 300 },
  full: { ports: 4, frameBytes: 1536, softwareCycles: 1000 },
} as const satisfies Readonly<Record<string, LaneParameters>>;
export type Size = keyof typeof sizes;
export const dut = (size: Size) => SwitchLane(sizes[size]);
export type Ports = ReturnType<typeof dut>["ports"];

/** A frame that is to leave at a port. */
interface Awaited {
  readonly bytes: Uint8Array;
  readonly class: number;
  readonly from: number;
  readonly frame: Waiting | undefined;
}
const events = ["left", "toSoftware", "notTaken", "nowhere", "badSoftware"] as const;
type Event = (typeof events)[number];
const none = (): Record<Event, number> => ({ left: 0, toSoftware: 0, notTaken: 0, nowhere: 0, badSoftware: 0 });
export const switched = 4,
  forSoftware = 5,
  returned = 3;

export class LaneRig {
  readonly b: Bench<Ports>;
  readonly p: LaneParameters;
  readonly inlets: Inlets;
  readonly outs;
  readonly toSoftware;
  readonly fromSoftware;
  readonly own = 0x02_11_22_33_44_55n;
  readonly origin: number;
  readonly peers: readonly { readonly mac: bigint; readonly port: number; readonly far: number }[];
  /** Ports that lead to peers, a bit each. */
  readonly rings: number;
  /** By port, and behind them for software, what is to come; of each source in its order. */
  #awaited: Awaited[][];
  readonly counts = none();
  readonly wanted = none();
  readonly starts: number[] = [];
  readonly latencies: number[] = [];
  #begun: (number | undefined)[];
  #soft: { bytes: Uint8Array[]; ingress: number; shimmed: number; uid: number } | undefined;
  #own: { readonly ports: number; readonly bytes: Uint8Array }[] = [];
  readonly #promises: Promise1[];
  #resetting = false;
  /** Frames for software that were taken and are in the buffer, or were dropped. */
  late: Waiting[] = [];
  room: number;
  closed = 0;

  constructor(
    b: Bench<Ports>,
    size: Size,
    o: { readonly from?: () => Pause; readonly to?: () => Pause; readonly rings?: number } = {},
  ) {
    this.b = b;
    this.p = sizes[size];
    const { sim, random: r } = b,
      io = b.io as unknown as Record<string, never>,
      from = o.from ?? (() => never),
      to = o.to ?? (() => never),
      n = this.p.ports + 1;
    const array = (name: string) => Array.from({ length: n }, (_, i) => io[`${name}${i}`]);
    this.inlets = new Inlets(
      b,
      { heads: b.io.heads, takes: array("take"), frames: array("frames") },
      { from: from(), to: to() },
    );
    this.inlets.onTake = frame => this.#took(frame);
    this.outs = array("out").map(port => new AxisSink(sim, port as never, { pause: to() }));
    array("out").forEach((port, q) => this.#watchClass(port as never, q));
    this.toSoftware = new StreamSink(sim, b.io.toSoftware, { pause: to() });
    this.fromSoftware = new StreamSource(sim, b.io.fromSoftware, { pause: from() });
    this.origin = r.between(0, 255);
    this.peers = Array.from({ length: 16 }, (_, i) => ({
      mac: r.bits(48) & ~(1n << 40n),
      port: i === 15 ? this.p.ports : r.between(0, this.p.ports - 1),
      far: r.between(0, 1),
    }));
    this.rings = o.rings ?? 0;
    this.#awaited = Array.from({ length: n + 1 }, () => []);
    this.#begun = Array.from({ length: n }, () => undefined);
    const longest = Math.ceil((this.p.frameBytes + 34) / 64);
    this.#promises = this.outs.map((_, q) => new Promise1(`port ${q}`, longest));
    this.room = (1 << n) - 1;
    poke(b.io.config as never, { mac: this.own, origin: this.origin, rings: this.rings, peers: this.peers } as never);
    b.io.room.value = this.room;
    b.onEdge({ sample: () => this.#sample() });
  }
  #watchClass(port: never, q: number): void {
    new StreamMonitor(this.b.sim, port, seen => {
      if (this.#resetting) return;
      const v = seen.value as { readonly class: number | bigint; readonly last: number };
      if (this.#begun[q] === undefined) {
        this.#begun[q] = Number(v.class);
        if (Number(v.class) !== forSoftware) this.#promises[q]?.begun();
        if ((this.forbidden >> q) & 1 && Number(v.class) === switched)
          throw new Error(`port ${q}: a frame begins, and its class has been paused for long`);
      }
      this.#classes[q] = this.#begun[q];
      if (v.last === 1) this.#begun[q] = undefined;
    });
  }
  readonly #classes: (number | undefined)[] = [];
  /** Ports at which no frame of the switched class may begin now. */
  forbidden = 0;

  setRoom(room: number): void {
    this.b.io.room.value = room;
  }
  setPaused(port: number, classes: number): void {
    const p = this.b.io.paused[port];
    if (p) p.value = classes;
  }
  facts(o: Partial<Facts> & Pick<Facts, "outcome">): Facts {
    const { random: r } = this.b;
    return {
      ports: r.between(1, (1 << this.p.ports) - 1),
      peer: r.between(0, 14),
      uid: r.between(0, 65535),
      dag: r.between(0, 255),
      user: r.between(0, 63),
      unordered: r.between(0, 1),
      noL4: r.between(0, 1),
      flowHash: r.between(0, 1023),
      tagged: r.between(0, 1),
      tag: r.between(0, 65535),
      shimmed: r.between(0, 1),
      ttl: r.between(1, 15),
      ...o,
    };
  }
  /** @param of its class queue, where it is not that of its outcome */
  put(inlet: number, facts: Facts, bytes: number, of?: number): Waiting {
    const data = new Uint8Array(bytes).map(() => this.b.random.between(0, 255));
    return this.inlets.put({
      inlet,
      class: of ?? this.#queueOf(facts),
      bytes: data,
      facts,
    });
  }
  /** Where a frame that only passes comes from: a port of peers. */
  #queueOf({ outcome, ports, peer }: Facts): number {
    if (outcome === "software") return forSoftware;
    if (outcome !== "ports" || (ports & this.rings) === 0) return switched;
    return (peer & 1) === 1 ? forSoftware : returned;
  }
  /** A frame that software sends. */
  send(ports: number, bytes: Uint8Array, bad = false): void {
    const beats = beatsOf(bytes);
    beats.forEach((data, i) => {
      const last = i === beats.length - 1,
        count = last ? bytes.length - 64 * i : 64,
        junk = this.b.random.bits(512) & ~((1n << BigInt(8 * count)) - 1n);
      this.fromSoftware.send({
        data: data | junk,
        keep: (1n << BigInt(count)) - 1n,
        last: last ? 1 : 0,
        user: last && bad ? 1 : 0,
        ports: i === 0 ? ports : this.b.random.between(0, (1 << this.p.ports) - 1),
      });
    });
    if (bad || beats.length >= 2 ** Math.ceil(Math.log2(Math.ceil((this.p.frameBytes + 34) / 64) + 1)))
      this.wanted.badSoftware++;
    else {
      this.#own.push({ ports, bytes });
      this.#expect(ports, { bytes: putShims(bytes, {}), class: forSoftware, from: this.p.ports + 1, frame: undefined });
    }
  }
  #expect(ports: number, a: Awaited): void {
    if (ports === 0) this.wanted.nowhere++;
    else this.wanted.left++;
    for (let q = 0; q <= this.p.ports; q++) {
      if (((ports >> q) & 1) === 0) continue;
      this.#awaited[q]?.push(a);
      // When software's frames are chosen is not to be seen, and a peer's messages look as they do.
      if (a.class !== forSoftware) this.#promises[q]?.chosen(Math.ceil(a.bytes.length / 64));
    }
  }
  #took(frame: Waiting): void {
    const { facts, bytes, inlet } = frame,
      vlan = { priority: facts.tag >> 13, dropEligible: (facts.tag >> 12) & 1, id: facts.tag & 4095 },
      tag = facts.tagged === 1 ? { vlan } : {};
    const ttl = facts.shimmed === 1 ? facts.ttl : 15,
      shim = {
        version: 1,
        ttl,
        stage: 0,
        uid: facts.uid,
        origin: this.origin,
        ingress: inlet,
        unused: 0,
        unprocessed: 0,
      };
    const at = { class: switched, from: inlet, frame };
    switch (facts.outcome) {
      case "ports":
        this.#expect(facts.ports, { ...at, class: this.#classTo(facts), bytes: putShims(bytes, tag) });
        break;
      case "onward": {
        const kind = (facts.peer & 1) === 1 ? snicKind.onward : snicKind.redirect,
          snic = { ...shim, kind, ttl: (facts.ttl - 1) & 15 };
        this.#expect(facts.ports, { ...at, bytes: putShims(bytes, { snic }) });
        break;
      }
      case "redirect": {
        const peer = this.peers[facts.peer],
          inner = putShims(bytes, { ...tag, ...(facts.shimmed === 1 && { snic: { ...shim, kind: snicKind.data } }) }),
          macs = { dst: peer?.mac ?? 0n, src: this.own };
        const outside = peer === undefined || peer.port >= this.p.ports;
        this.#expect(outside ? 0 : 1 << peer.port, {
          ...at,
          bytes: encloseFrame(macs, { ...shim, kind: peer?.far === 1 ? snicKind.onward : snicKind.redirect }, inner),
        });
        break;
      }
      case "unwrap":
        this.#expect(1 << this.p.ports, { ...at, bytes: putShims(bytes, {}).slice(14) });
        break;
      default:
        this.#awaited[this.p.ports + 1]?.push({ ...at, bytes: putShims(bytes, tag) });
    }
  }
  /** Of a frame that is only switched: where it goes to a peer that of a result, or of a message to its software. */
  #classTo({ ports, peer }: Facts): number {
    if ((ports & this.rings) === 0) return switched;
    return (peer & 1) === 1 ? forSoftware : returned;
  }
  #sample(): void {
    if (this.#resetting) return;
    for (const name of events)
      this.counts[name] += (this.b.io.events as unknown as Record<string, { num: number }>)[name]?.num ?? 0;
    this.outs.forEach((out, q) => {
      for (let f = out.take(); f; f = out.take()) {
        const a = this.#next(q, f.bytes);
        if (Number(f.user) !== 0) throw new Error("a frame is marked bad");
        if (this.#classes[q] !== a.class) throw new Error(`port ${q}: class ${this.#classes[q]}, not ${a.class}`);
        this.starts.push(f.start);
        if (a.frame) this.latencies.push(f.start - (a.frame.taken ?? NaN));
      }
    });
    for (let s = this.toSoftware.take(); s; s = this.toSoftware.take()) {
      const v = s.value as unknown as Record<string, number | bigint>,
        keep = BigInt(v["keep"] ?? 0),
        count = keep.toString(2).length,
        data = BigInt(v["data"] ?? 0);
      if (keep !== (1n << BigInt(count)) - 1n) throw new Error("toSoftware: keep has a hole");
      this.#soft ??= { bytes: [], ingress: Number(v["ingress"]), shimmed: Number(v["shimmed"]), uid: Number(v["uid"]) };
      this.#soft.bytes.push(
        new Uint8Array(Buffer.from(data.toString(16).padStart(128, "0"), "hex").reverse()).slice(0, count),
      );
      if (v["last"] !== 1) continue;
      const { ingress, shimmed, uid } = this.#soft,
        a = this.#next(this.p.ports + 1, concat(...this.#soft.bytes));
      this.#soft = undefined;
      const { facts } = a.frame as Waiting;
      if (ingress !== a.from || shimmed !== facts.shimmed || uid !== facts.uid)
        throw new Error(`software is told of inlet ${ingress}, uid ${uid}; it is ${a.from}, ${facts.uid}`);
      this.wanted.toSoftware++;
    }
  }
  /** What comes is next of some source. Frames for software in front of it were dropped. */
  #next(q: number, bytes: Uint8Array): Awaited {
    const list = this.#awaited[q] ?? [],
      isSoftware = q === this.p.ports + 1,
      seen = new Set<number>();
    for (const [i, a] of list.entries()) {
      if (seen.has(a.from)) continue;
      if (Buffer.compare(a.bytes, bytes) === 0) {
        if (isSoftware) {
          const before = list.slice(0, i).filter(x => x.from === a.from);
          for (const x of before) {
            list.splice(list.indexOf(x), 1);
            this.late.push(x.frame as Waiting);
          }
        }
        list.splice(list.indexOf(a), 1);
        return a;
      }
      if (!isSoftware) seen.add(a.from);
    }
    throw new Error(
      `${q}: a frame of ${bytes.length} bytes that is not next of any source\n${Buffer.from(bytes).toString("hex").slice(0, 300)}\n${list
        .slice(0, 4)
        .map(a => `${a.frame?.facts.outcome} ${a.bytes.length} ${Buffer.from(a.bytes).toString("hex").slice(0, 200)}`)
        .join("\n")}`,
    );
  }
  /** A frame with everything that may be. */
  random(): void {
    const { random: r } = this.b,
      inlet = r.between(0, this.p.ports),
      most = this.p.frameBytes,
      bytes = r.chance(0.3) ? r.between(60, 64) : r.chance(0.1) ? most : r.between(60, most);
    const kind = r.between(0, 11),
      all = (1 << this.p.ports) - 1,
      ring = r.pick(
        Array.from({ length: this.p.ports }, (_, i) => 1 << i).filter(i => (this.rings & i) > 0 || this.rings === 0),
      );
    // To a peer goes what is for one port; to others what came from a peer goes, too.
    if (kind >= 10 && this.rings > 0) this.put(inlet, this.facts({ outcome: "ports", ports: ring }), bytes);
    else if (kind >= 10 || kind < 1) this.put(inlet, this.facts({ outcome: "onward", ports: ring, shimmed: 1 }), bytes);
    else if (kind < 4) {
      const ports = r.between(1, all) & ~this.rings;
      this.put(inlet, this.facts({ outcome: "ports", ports }), bytes, r.chance(0.4) ? returned : switched);
    } else if (kind < 6) this.put(inlet, this.facts({ outcome: "redirect", peer: r.between(0, 15) }), bytes);
    else if (kind < 7) this.put(inlet, this.facts({ outcome: "unwrap" }), Math.max(52, bytes - 8));
    else if (kind < 9) this.put(inlet, this.facts({ outcome: "software" }), bytes);
    else
      this.send(
        r.between(0, (1 << this.p.ports) - 1),
        new Uint8Array(r.chance(0.1) ? 64 * 40 : bytes).map(() => r.between(0, 255)),
        r.chance(0.1),
      );
  }
  reset(): void {
    this.fromSoftware.forget();
    this.#resetting = true;
    this.inlets.during(() => this.b.sim.reset(1));
    this.#resetting = false;
    for (const out of this.outs) {
      out.frames.splice(0);
      out.monitor.restore({ begun: new Uint8Array(), start: 0 });
    }
    this.toSoftware.received.splice(0);
    for (const list of this.#awaited) list.splice(0);
    this.#begun = this.#begun.map(() => undefined);
    this.#promises.forEach(x => x.clear());
    this.#soft = undefined;
    Object.assign(this.counts, none());
    Object.assign(this.wanted, none());
    this.late = [];
  }
  /** Frames that are to leave by a port. */
  waitingAt(port: number): number {
    return this.#awaited[port]?.length ?? 0;
  }
  /** Frames that were taken for software and have not come; at the end they were dropped. */
  get missing(): number {
    return (this.#awaited[this.p.ports + 1]?.length ?? 0) + this.late.length;
  }
  /** All frames have left, and each was counted once. */
  async end(): Promise<void> {
    await this.b.until(() => this.inlets.waiting === 0 && this.fromSoftware.pending === 0);
    await this.b.until(() => this.#awaited.slice(0, -1).every(l => l.length === 0));
    await this.b.until(() => {
      const { toSoftware, notTaken } = this.counts;
      return (
        toSoftware + notTaken === this.wanted.toSoftware + this.missing &&
        this.counts.toSoftware === this.wanted.toSoftware
      );
    });
    await this.b.cycles(60);
    this.wanted.notTaken = this.missing;
    for (const name of events)
      if (this.counts[name] !== this.wanted[name])
        throw new Error(`${name}: ${this.counts[name]} are counted, and there were ${this.wanted[name]}`);
  }
}
