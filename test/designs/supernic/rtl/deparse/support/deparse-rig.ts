/** The deparser's surroundings: packets, a packet store that answers late, a MAC, and the reference model. */
import { deparse, type Packet } from "../../../../../../designs/supernic/model/index.ts";
import { Deparser } from "../../../../../../designs/supernic/rtl/deparse/index.ts";
import { concat } from "../../../../../../designs/shared/wire/index.ts";
import { snicKind } from "../../../../../../designs/supernic/wire/index.ts";
import {
  AxisSink,
  type Bench,
  never,
  type Pause,
  type Random,
  StreamSink,
  StreamSource,
} from "../../../../../../sim/index.ts";

export const dut = (trailers = false) => Deparser({ contexts: 256, toBits: 11, trailers });
export type Ports = ReturnType<typeof dut>["ports"];

interface Sent {
  readonly packet: Packet;
  readonly ctx: number;
  readonly to: number;
  /** The payload ends this many beats early. */
  readonly missing: number;
  readonly sent: { readonly cycle: number | undefined };
}

export class DeparseRig {
  readonly b: Bench<Ports>;
  readonly packets;
  readonly payload;
  readonly left;
  readonly frames;
  #awaited: Sent[] = [];
  #leaving: Sent[] = [];
  #resetting = false;
  readonly #trailers: boolean;
  readonly latencies: number[] = [];
  frameBytes = 0;
  count = 0;

  constructor(
    b: Bench<Ports>,
    o: { readonly from?: Pause; readonly to?: Pause; readonly late?: Pause; readonly trailers?: boolean } = {},
  ) {
    this.#trailers = o.trailers ?? false;
    this.b = b;
    const { sim, io } = b;
    this.packets = new StreamSource(sim, io.packet, { pause: o.from ?? never });
    this.payload = new StreamSource(sim, io.payload, { pause: o.late ?? never });
    this.left = new StreamSink(sim, io.left, { pause: o.late ?? never });
    this.frames = new AxisSink(sim, io.frame, { pause: o.to ?? never });
    b.onEdge({ sample: () => this.#sample() });
  }

  send(packet: Packet, o: { readonly missing?: number } = {}): void {
    const { random } = this.b,
      ctx = random.between(0, 255),
      to = random.between(0, 2047),
      bytes = packet.payload.length;
    const { vlan, snic } = packet.shims,
      { template } = packet,
      lengths = template.lengths;
    const { trailer } = packet,
      rest = packet.header.length - packet.dropFront + (trailer?.length ?? 0);
    const tail = {
      hasTail: trailer ? 1 : 0,
      tail: trailer ? number(trailer) : random.bits(128),
      restLength: rest,
    };
    const sent = this.packets.send({
      ...(this.#trailers ? tail : ({} as typeof tail)),
      ctx,
      about: {
        to,
        tagged: vlan ? 1 : 0,
        tag: vlan ? (vlan.priority << 13) | (vlan.dropEligible << 12) | vlan.id : random.between(0, 65535),
        shimmed: snic ? 1 : 0,
        shim: snic ? shimBytes(packet) : random.bits(48),
      },
      template: {
        data: number(concat(template.bytes, junk(random, 64 - template.bytes.length))),
        bytes: template.bytes.length,
        lengths: lengths ? 1 : 0,
        sum: lengths ? sumOf(template.bytes.slice(14, 34)) : random.between(0, 65535),
      },
      hasFront: template.bytes.length > 0 ? 1 : 0,
      header: number(concat(packet.header, junk(random, 64 - packet.header.length))),
      headTurn: ((vlan ? 4 : 0) + (snic ? 8 : 0) - packet.dropFront) & 63,
      headLength: packet.header.length - packet.dropFront,
      hasHead: packet.header.length > packet.dropFront ? 1 : 0,
      payloadBytes: bytes,
      payloadBeats: Math.ceil(bytes / 64),
      hasBody: bytes > 0 ? 1 : 0,
    });
    const all = { packet, ctx, to, missing: o.missing ?? 0, sent };
    this.#awaited.push(all);
    this.#leaving.push(all);
    this.#payloadOf(all);
  }

  #sample(): void {
    if (this.#resetting) return;
    const beat = this.b.io.frame;
    if (beat.valid.value !== 0 && beat.payload.to.value !== this.#awaited[0]?.to)
      throw new Error(`a beat goes to ${beat.payload.to.value}, and it is of a packet to ${this.#awaited[0]?.to}`);
    for (let s = this.left.take(); s; s = this.left.take()) {
      const leaving = this.#leaving.shift();
      if (Number(s.value) !== leaving?.ctx) throw new Error(`context ${s.value} has left`);
    }
    for (let f = this.frames.take(); f; f = this.frames.take()) {
      const awaited = this.#awaited.shift();
      if (!awaited) throw new Error("a frame of no packet");
      this.latencies.push(f.start - (awaited.sent.cycle ?? NaN));
      this.#check(awaited, f.bytes, Number(f.user));
    }
  }
  /** The beats that are fetched for a packet. */
  #payloadOf({ packet: { payload }, missing }: Sent): void {
    const given = Math.ceil(payload.length / 64) - missing;
    const random = this.b.random;
    for (let i = 0; i < given; i++) {
      const bytes = payload.slice(64 * i, 64 * i + 64),
        last = i === given - 1;
      this.payload.send({
        data: number(concat(bytes, junk(random, 64 - bytes.length))),
        last: last ? 1 : 0,
        bad: last && missing > 0 ? 1 : 0,
      });
    }
  }
  #check({ packet, missing }: Sent, bytes: Uint8Array, user: number): void {
    if ((user !== 0) !== missing > 0) throw new Error(`user is ${user}, and ${missing} beats are missing`);
    const wanted = deparse(packet);
    this.count++;
    this.frameBytes += bytes.length;
    if (bytes.length !== wanted.length) throw new Error(`${bytes.length} bytes for ${wanted.length}`);
    if (missing === 0 && Buffer.compare(bytes, wanted) !== 0)
      throw new Error(
        `the frame is\n${Buffer.from(bytes).toString("hex")}, not\n${Buffer.from(wanted).toString("hex")}`,
      );
  }
  async end(): Promise<void> {
    await this.packets.drained();
    await this.b.until(() => this.#awaited.length === 0 && this.#leaving.length === 0);
    await this.b.cycles(20);
    if (this.frames.frames.length > 0 || this.left.received.length > 0) throw new Error("more leaves than came");
  }
  reset(cycles = 2): void {
    for (const s of [this.packets, this.payload]) s.forget();
    this.#resetting = true;
    this.b.sim.reset(cycles);
    this.#resetting = false;
    this.#awaited = [];
    this.#leaving = [];
    this.left.received.splice(0);
    this.frames.frames.splice(0);
    this.frames.monitor.restore({ begun: new Uint8Array(), start: 0 });
  }

  /** A packet with everything that may be. */
  random(most = 400): Packet {
    const { random: r } = this.b;
    const payload = r.chance(0.5) ? junk(r, r.between(1, r.chance(0.9) ? most : 1500)) : new Uint8Array(),
      header = junk(r, payload.length > 0 ? 64 : r.between(14, 64)),
      bytes = r.chance(0.6) ? 0 : r.chance(0.5) ? 50 : r.between(1, 64);
    const lengths = bytes >= 42 && r.chance(0.7);
    return {
      header,
      payload,
      // MACs and EtherType are there, whatever is left out.
      dropFront: r.chance(0.7) ? 0 : r.between(0, Math.min(header.length, bytes + header.length + payload.length - 14)),
      template: { bytes: lengths ? template(r, bytes) : junk(r, bytes), lengths },
      ...(this.#trailers && r.chance(0.5) && { trailer: junk(r, 16) }),
      shims: { ...(r.chance(0.3) && { vlan: vlan(r) }), ...(r.chance(0.3) && { snic: snic(r) }) },
    };
  }
  /** A frame of so many bytes as it came, with these shims. */
  plain(bytes: number, shims: Packet["shims"] = {}): Packet {
    const { random: r } = this.b;
    const none = { bytes: new Uint8Array(), lengths: false };
    return {
      header: junk(r, Math.min(64, bytes)),
      payload: junk(r, Math.max(0, bytes - 64)),
      dropFront: 0,
      template: none,
      shims,
    };
  }
}

const number = (bytes: Uint8Array): bigint =>
  bytes.length === 0 ? 0n : BigInt(`0x${Buffer.from(bytes).reverse().toString("hex")}`);
function junk(r: Random, bytes: number): Uint8Array {
  const out = new Uint8Array(bytes);
  for (let i = 0; i < bytes; i++) out[i] = r.between(0, 255);
  return out;
}
/** Ones' complement sum of 16-bit words, not inverted. */
function sumOf(bytes: Uint8Array): number {
  let sum = 0;
  for (let i = 0; i < bytes.length; i += 2) sum += (bytes[i] ?? 0) * 256 + (bytes[i + 1] ?? 0);
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16);
  return sum;
}
/** A template whose lengths and checksum are to be filled in. */
function template(r: Random, bytes: number): Uint8Array {
  const out = junk(r, bytes);
  // A sum that overflows with any length.
  if (r.chance(0.3)) out.fill(0xff, 14, 34);
  for (const at of [16, 17, 24, 25, 38, 39]) out[at] = 0;
  return out;
}
const vlan = (r: Random) => ({ priority: r.between(0, 7), dropEligible: r.between(0, 1), id: r.between(0, 4095) });
export const snic = (r: Random) => ({
  version: 1,
  kind: snicKind.data,
  ttl: r.between(1, 15),
  stage: r.between(0, 15),
  uid: r.between(0, 65535),
  origin: r.between(0, 255),
  ingress: r.between(0, 15),
  unused: 0,
  unprocessed: r.between(0, 1),
});
/** The shim's six bytes as the codec writes them. */
function shimBytes({ shims }: Packet): bigint {
  const frame = deparse({
    header: new Uint8Array(60),
    payload: new Uint8Array(),
    dropFront: 0,
    template: { bytes: new Uint8Array(), lengths: false },
    shims: shims.snic ? { snic: shims.snic } : {},
  });
  return number(frame.slice(14, 20));
}
