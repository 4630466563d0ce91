/** The judge's surroundings: a MAC that sends, a receiver, and a scoreboard with the reference model. */
import { type JudgedFrame, type JudgedPortKind, judgeFrame } from "../../../../../../designs/supernic/model/index.ts";
import { Judge } from "../../../../../../designs/supernic/rtl/judge/index.ts";
import { type Refusal, refusals } from "../../../../../../designs/supernic/wire/index.ts";
import { AxisSource, type Bench, never, type Pause, type SentFrame, StreamSink } from "../../../../../../sim/index.ts";
import { mutated, rightFrame } from "./frames.ts";

export const frameBytes = 1536;
export const dut = (bytes = frameBytes) => Judge({ frameBytes: bytes });
export type Ports = ReturnType<typeof dut>["ports"];
type Beat = ReturnType<JudgeRig["out"]["received"]["splice"]>[number]["value"];

export const ports = {
  host: { reliable: false, peer: false, class: 3 },
  reliable: { reliable: true, peer: false, class: 0 },
  peer: { reliable: false, peer: true, class: 5 },
  reliablePeer: { reliable: true, peer: true, class: 1 },
} as const satisfies Readonly<Record<string, JudgedPortKind>>;

interface Awaited {
  readonly judged: JudgedFrame;
  readonly sent: SentFrame;
}

export class JudgeRig {
  readonly b: Bench<Ports>;
  readonly port: JudgedPortKind;
  readonly rx: AxisSource;
  readonly out;
  readonly #awaited: Awaited[] = [];
  #beats: Beat[] = [];
  readonly #longest: number;
  /** Frames by reason, as the model tells; pulses as the judge does. */
  readonly reasons = new Map<string, number>();
  readonly pulses = new Map<Refusal, number>();
  /** Cycles from a frame's first beat to the first of what leaves, and from last to last. */
  readonly latencies: { readonly first: number; readonly last: number }[] = [];
  #firstAt = 0;
  #resetting = false;

  constructor(
    b: Bench<Ports>,
    port: JudgedPortKind,
    o: { readonly from?: Pause; readonly to?: Pause; readonly frameBytes?: number } = {},
  ) {
    this.b = b;
    this.port = port;
    this.#longest = o.frameBytes ?? frameBytes;
    b.io.config.reliable.value = port.reliable ? 1 : 0;
    b.io.config.peer.value = port.peer ? 1 : 0;
    b.io.config.class.value = port.class;
    this.rx = new AxisSource(b.sim, b.io.rx, { pause: o.from ?? never, behindEnd: 0xa5 });
    this.out = new StreamSink(b.sim, b.io.frame, { pause: o.to ?? never });
    b.onEdge({ sample: () => this.#sample() });
  }

  send(frame: Uint8Array, badFcs = false): SentFrame {
    const judged = judgeFrame(frame, badFcs, this.port, this.#longest);
    this.reasons.set(judged.reason, (this.reasons.get(judged.reason) ?? 0) + 1);
    const sent = this.rx.send(frame, { user: badFcs ? 1 : 0, userAtEnd: true });
    this.#awaited.push({ judged, sent });
    return sent;
  }
  right(bytes = this.length()): Uint8Array {
    return rightFrame(this.b.random, bytes, this.port);
  }
  wrong(): Uint8Array {
    return mutated(this.b.random, this.right(), this.#longest);
  }
  /** Mostly short, at times as long as can be. */
  length(): number {
    const { random } = this.b;
    if (random.chance(0.7)) return random.between(14, 150);
    return random.chance(0.9) ? random.between(150, 400) : random.between(this.#longest - 70, this.#longest + 2);
  }

  #sample(): void {
    if (this.#resetting) return;
    for (const name of refusals)
      if (this.b.io.refused[name].value === 1) this.pulses.set(name, (this.pulses.get(name) ?? 0) + 1);
    for (let seen = this.out.take(); seen; seen = this.out.take()) {
      if (seen.value.first === 1) this.#firstAt = seen.cycle;
      if ((seen.value.first === 1) !== (this.#beats.length === 0)) throw new Error("`first` is on another beat");
      this.#beats.push(seen.value);
      if (seen.value.last === 1) this.#ends(seen.cycle);
    }
  }
  #ends(cycle: number): void {
    const beats = this.#beats.splice(0),
      awaited = this.#awaited.shift();
    if (!awaited) throw new Error("a frame that nobody sent");
    const { sent } = awaited;
    this.latencies.push({ first: this.#firstAt - (sent.start ?? NaN), last: cycle - (sent.end ?? NaN) });
    check(awaited, beats, this.#longest);
  }
  /** All that was sent has come out, and nothing else; the judge told each refusal once. */
  async end(): Promise<void> {
    await this.rx.drained();
    await this.b.until(() => this.#awaited.length === 0);
    await this.b.cycles(10);
    if (this.#beats.length > 0) throw new Error("beats without an end");
    for (const name of refusals) {
      const [told, wanted] = [this.pulses.get(name) ?? 0, this.reasons.get(name) ?? 0];
      if (told !== wanted) throw new Error(`${name}: ${told} pulses for ${wanted} frames`);
    }
  }
  /** A reset, whatever is under way: both sides forget. */
  reset(): void {
    this.rx.forget();
    this.#resetting = true;
    this.b.sim.reset(1);
    this.#resetting = false;
    this.#beats = [];
    this.#awaited.splice(0);
    this.out.received.splice(0);
    this.reasons.clear();
    this.pulses.clear();
  }
}

const same = (what: string, is: unknown, wanted: unknown, frame: Uint8Array): void => {
  if (is !== wanted)
    throw new Error(`${what} is ${String(is)}, not ${String(wanted)}, of ${Buffer.from(frame).toString("hex")}`);
};

function check({ judged, sent }: Awaited, beats: readonly Beat[], longest: number): void {
  const verdict = (beats.at(-1) as Beat).verdict,
    frame = sent.bytes;
  same("reason", verdict.reason, judged.reason, frame);
  if (beats.length > Math.ceil((longest + 26) / 64) + 1) throw new Error(`${beats.length} beats of a frame leave`);
  const accepted = judged.accepted;
  if (!accepted) return;
  const { bytes, taken } = accepted,
    { link, vlan, snic } = taken;
  same("kind", verdict.kind, accepted.kind, frame);
  same("length", verdict.length, bytes.length, frame);
  same("class", verdict.class, accepted.class, frame);
  same("noL4", verdict.noL4, accepted.noL4 ? 1 : 0, frame);
  same("flowHash", verdict.flowHash, accepted.flowHash, frame);
  same("linked", verdict.linked, link ? 1 : 0, frame);
  same("tagged", verdict.tagged, vlan ? 1 : 0, frame);
  same("shimmed", verdict.shimmed, snic ? 1 : 0, frame);
  if (link) {
    same("link.sequence", verdict.link.sequence, link.sequence, frame);
    same("link.ack", verdict.link.ack, link.ack, frame);
    same("link.nack", verdict.link.nack, link.kind === 3 ? 1 : 0, frame);
  }
  if (vlan) same("tag", verdict.tag, (vlan.priority << 13) | (vlan.dropEligible << 12) | vlan.id, frame);
  if (snic)
    for (const name of ["ttl", "stage", "uid", "origin", "ingress", "unprocessed"] as const)
      same(`snic.${name}`, verdict.snic[name], snic[name], frame);
  same("beats", beats.length, Math.ceil(bytes.length / 64), frame);
  const padded = new Uint8Array(64 * beats.length);
  padded.set(bytes);
  for (const [i, { data }] of beats.entries()) {
    const wanted = BigInt(
      `0x${Buffer.from(padded.slice(64 * i, 64 * i + 64))
        .reverse()
        .toString("hex")}`,
    );
    same(`beat ${i}`, BigInt(data), wanted, frame);
  }
}
