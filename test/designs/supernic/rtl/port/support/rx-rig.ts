/** A port's surroundings: a MAC, a link that says what counts, both lanes, and the models of judge and match. */
import {
  type JudgedFrame,
  type JudgedPortKind,
  judgeFrame,
  matchFrame,
  type MatchSettings,
  type Rule,
  type UidRule,
} from "../../../../../../designs/supernic/model/index.ts";
import { classBeats, type FateName, queueSizes, RxPort } from "../../../../../../designs/supernic/rtl/port/index.ts";
import {
  encloseFrame,
  readPfc,
  ruleKey,
  ruleKeyBits,
  snicEtherType,
  snicKind,
  tables as tablesOf,
  ternaryWords,
} from "../../../../../../designs/supernic/wire/index.ts";
import { AxisSource, type Bench, never, type Pause, StreamSink, StreamSource } from "../../../../../../sim/index.ts";
import { mutated, rightFrame } from "../../judge/support/frames.ts";

const common = { ports: 4, rules: 4, macs: 8, users: 8 } as const;
export const sizes = {
  /** Everything overflows. */
  small: { ...common, beats: 128, softwareBeats: 16, pauseAt: 6, resumeAt: 3, frameBytes: 300 },
  full: { ...common, ...queueSizes(1536) },
  jumbo: { ...common, ...queueSizes(9018) },
} as const;
export type Size = keyof typeof sizes;
export const dut = (size: Size) => RxPort(sizes[size]);
export type Ports = ReturnType<typeof dut>["ports"];
export type B = Bench<Ports>;

/** A port that leads to a peer; or, as some benches want it, to a host. */
const port = { reliable: false, peer: true, class: 3 } as const;
const own = 0x020000000077n,
  macs = [0x020000000001n, 0x020000000002n, 0x02000000000an, 0x02000000000bn, 0x02000000000cn] as const;
/** By MAC: the first two are stations, then a peer at this port, one at another, and one behind that. */
const macPorts = [1, 2, 0, 2, 3] as const;
const uidOf = (dag: number, user: number, here: boolean): UidRule => ({
  valid: true,
  generation: 0,
  dag,
  user,
  allowed: true,
  here,
  peer: 5,
  unordered: dag % 2 === 1,
});
const uids = new Map<number, UidRule>([0, 1, 2, 3, 4, 5, 6, 7].map(i => [i, uidOf(i, i, i !== 7)]));
/** Frames with an IP header and this MAC; `uid`: to the core, `software` and `drop` as they say. */
const ruleOf = (dst: bigint, action: Rule["action"], uid: number): Rule => {
  const any = { dst: 0n, etherType: 0, ipDst: 0, protocol: 0, dstPort: 0, hasIp: 0, hasPorts: 0 };
  return {
    value: ruleKey({ ...any, dst, hasIp: 1 }),
    mask: ruleKey({ ...any, dst: (1n << 48n) - 1n, hasIp: 1 }),
    ...{ enabled: true, action, port: 2, uid },
  };
};
const settings: MatchSettings = {
  ports: common.ports,
  mac: own,
  port: 0,
  control: true,
  uplink: 3,
  rings: [0, 2, 3],
  rules: [
    ruleOf(macs[0], "uid", 3),
    ruleOf(macs[1], "software", 0),
    ruleOf(macs[4], "uid", 6),
    ruleOf(macs[3], "drop", 0),
  ],
  macs: macs.map((value, i) => ({
    value,
    mask: (1n << 48n) - 1n,
    enabled: true,
    port: macPorts[i] ?? 0,
    peer: i >= 2,
    far: i === 4,
  })),
  uids,
};
const noShim = { version: 1, ttl: 9, stage: 0, origin: 0, ingress: 0, unused: 0, unprocessed: 0 } as const;
/** Class of a user. */
const classOfUser = (user: number): number => user % 4;

interface Frame {
  readonly bytes: Uint8Array;
  readonly judged: JudgedFrame;
  readonly matched: ReturnType<typeof matchFrame>;
  readonly class: number | undefined;
  readonly beats: number;
  readonly sent: { readonly end: number | undefined };
}

/** Beats of a class, cycle by cycle: what came counts a cycle later, what left two. */
class ClassAccount {
  readonly #limit: number;
  readonly #marks: { readonly pauseAt: number; readonly resumeAt: number };
  #used = 0;
  #came = 0;
  #left: [before: number, now: number] = [0, 0];
  #frames: [counted: number, now: number] = [0, 0];
  /** Its senders must pause. */
  full = false;

  constructor(limit: number, marks: { readonly pauseAt: number; readonly resumeAt: number }) {
    this.#limit = limit;
    this.#marks = marks;
  }
  /** Frames that wait, a cycle late. */
  get frames(): number {
    return this.#frames[0];
  }
  fits(beats: number): boolean {
    return this.#used + beats <= this.#limit;
  }
  comes(beats: number): void {
    this.#came += beats;
    this.#frames[1]++;
  }
  leaves(beats: number): void {
    this.#left[1] += beats;
    this.#frames[1]--;
  }
  /** The cycle is over. */
  step(): void {
    if (this.#used >= this.#marks.pauseAt) this.full = true;
    else if (this.#used < this.#marks.resumeAt) this.full = false;
    this.#used += this.#came - this.#left[0];
    this.#came = 0;
    this.#left = [this.#left[1], 0];
    this.#frames[0] = this.#frames[1];
  }
  reset(): void {
    this.#used = this.#came = 0;
    this.#left = [0, 0];
    this.#frames = [0, 0];
    this.full = false;
  }
}

export class RxRig {
  readonly b: B;
  readonly size: Size;
  readonly rx: AxisSource;
  readonly takes;
  readonly outs;
  /** Frames whose fate is not known yet, in their order. */
  readonly #coming: Frame[] = [];
  /** Frames in the queues, by class. */
  readonly queues: Frame[][] = Array.from({ length: 6 }, () => []);
  /** Frames that a lane has asked for. */
  readonly #asked: Frame[][] = [[], []];
  readonly #beats: bigint[][] = [[], []];
  readonly fates = new Map<string, number>();
  readonly latencies: number[] = [];
  readonly headCycles: number[] = [];
  /** The link accepts what has room, with this chance. */
  accepts = 1;
  takesPerCycle = 0.7;
  /** Frames that the link has not seen yet, in their order. */
  #unseen: Frame[] = [];
  /** The frame that was seen in the cycle before, and what was said of it. */
  #seen: { readonly frame: Frame; readonly room: boolean; readonly accepted: boolean } | undefined;
  readonly #accounts: ClassAccount[];
  #resetting = false;
  readonly taken: number[] = [];
  readonly #limit;
  #headSeen = new Set<Frame>();
  readonly pauses = Array.from({ length: 6 }, () => false);
  /** Classes whose head has been taken in this cycle: what `heads` showed is gone. */
  readonly #justTaken = new Set<number>();
  #pfc: { times: Record<number, number> }[] = [];
  /** Pauses that were told, each as it was sent. */
  told = 0;

  readonly #port: JudgedPortKind;

  constructor(b: B, size: Size, o: { readonly to?: () => Pause; readonly peer?: boolean } = {}) {
    const { sim, io } = b,
      { to = () => never, peer = true } = o;
    this.#port = { ...port, peer };
    this.b = b;
    this.size = size;
    this.rx = new AxisSource(sim, io.rx, { behindEnd: 0xa5 });
    this.takes = [new StreamSource(sim, io.takeMerge), new StreamSource(sim, io.takeSwitch)] as const;
    this.outs = [
      new StreamSink(sim, io.toMerge, { pause: to() }),
      new StreamSink(sim, io.toSwitch, { pause: to() }),
    ] as const;
    this.#limit = classBeats(sizes[size]);
    this.#accounts = this.#limit.map(limit => new ClassAccount(limit, sizes[size]));
    io.judged.reliable.value = 0;
    io.judged.peer.value = peer ? 1 : 0;
    io.judged.class.value = port.class;
    io.config.mac.value = own;
    io.config.port.value = 0;
    io.config.control.value = 1;
    io.config.hasUplink.value = 1;
    io.config.uplink.value = 3;
    io.config.rings.value = settings.rings.reduce((m, i) => m | (1 << i), 0);
    io.config.rules.value = 2 ** settings.rules.length - 1;
    io.config.macs.value = (1n << BigInt(macs.length)) - 1n;
    io.accept.value = 1;
    b.onEdge({ sample: () => this.#sample(), drive: () => this.#drive() });
  }
  /** A cycle in which nothing is written; what stands beside that is anything. */
  async #noWrite(): Promise<void> {
    const { tables, users } = this.b.io,
      { random } = this.b,
      writes = [tables.rules, tables.actions, tables.macs, tables.entries, tables.uids, users];
    for (const { en } of writes) en.value = 0;
    tables.rules.chunk.value = random.below(8);
    tables.rules.at.value = random.below(32);
    tables.rules.word.value = random.below(2 ** common.rules);
    tables.actions.index.value = random.below(common.rules);
    tables.actions.value.action.value = "drop";
    tables.macs.chunk.value = 0;
    tables.macs.at.value = random.below(32);
    tables.macs.word.value = random.below(2 ** common.macs);
    tables.entries.index.value = random.below(common.macs);
    tables.entries.value.port.value = random.below(common.ports);
    tables.uids.index.value = random.below(8);
    for (const name of ["valid", "allowed", "here"] as const) tables.uids.value[name].value = 0;
    users.index.value = random.below(common.users);
    users.value.class.value = random.below(4);
    await this.b.cycles(1);
  }
  async program(): Promise<void> {
    const { tables, users } = this.b.io;
    await this.#noWrite();
    for (const [chunk, words] of ternaryWords([...settings.rules], ruleKeyBits).entries())
      for (const [at, word] of words.entries()) {
        tables.rules.en.value = 1;
        tables.rules.chunk.value = chunk;
        tables.rules.at.value = at;
        tables.rules.word.value = Number(word);
        await this.b.cycles(1);
        await this.#noWrite();
      }
    for (const [index, rule] of settings.rules.entries()) {
      tables.actions.en.value = 1;
      tables.actions.index.value = index;
      tables.actions.value.action.value = rule?.action ?? "drop";
      tables.actions.value.port.value = rule?.port ?? 0;
      tables.actions.value.uid.value = rule?.uid ?? 0;
      await this.b.cycles(1);
      await this.#noWrite();
    }
    for (const [chunk, words] of ternaryWords([...settings.macs], 48).entries())
      for (const [at, word] of words.entries()) {
        tables.macs.en.value = 1;
        tables.macs.chunk.value = chunk;
        tables.macs.at.value = at;
        tables.macs.word.value = Number(word);
        await this.b.cycles(1);
        await this.#noWrite();
      }
    for (const [index, m] of settings.macs.entries()) {
      tables.entries.en.value = 1;
      tables.entries.index.value = index;
      tables.entries.value.port.value = m?.port ?? 0;
      tables.entries.value.peer.value = m?.peer === true ? 1 : 0;
      tables.entries.value.far.value = m?.far === true ? 1 : 0;
      await this.b.cycles(1);
      await this.#noWrite();
    }
    for (const [index, e] of uids) {
      tables.uids.en.value = 1;
      tables.uids.index.value = index;
      for (const [name, v] of Object.entries(e))
        (tables.uids.value[name as keyof UidRule] as { value: number }).value = Number(v);
      users.en.value = 1;
      users.index.value = index;
      users.value.class.value = classOfUser(index);
      await this.b.cycles(1);
      await this.#noWrite();
    }
    // Users that this build has not: they change nobody's class.
    for (let user: number = common.users; user < tablesOf.user.entries; user++) {
      users.en.value = 1;
      users.index.value = user;
      users.value.class.value = classOfUser(user + 1);
      await this.b.cycles(1);
    }
    await this.#noWrite();
  }

  send(bytes: Uint8Array, badFcs = false): Frame {
    const { frameBytes } = sizes[this.size],
      judged = judgeFrame(bytes, badFcs, this.#port, frameBytes),
      matched = matchFrame(judged, settings);
    const wants = !["drop", "link"].includes(matched.outcome),
      byOutcome = this.#classOf(matched);
    const sent = this.rx.send(bytes, { user: badFcs ? 1 : 0, userAtEnd: true });
    const frame = {
      bytes: judged.accepted?.bytes ?? bytes,
      judged,
      matched,
      class: wants ? byOutcome : undefined,
      beats: Math.ceil((judged.accepted?.bytes.length ?? 0) / 64),
      sent,
    };
    this.#coming.push(frame);
    this.#unseen.push(frame);
    if (judged.accepted?.kind === "pfc") this.#pfc.push({ times: readPfc(bytes) });
    return frame;
  }
  /**
   * At a peer's port results that return have the class of the last users, and these share the one before. A message
   * for the software of another peer has that of software.
   */
  #classOf({ outcome, entry, peer: of }: ReturnType<typeof matchFrame>): number {
    const { peer } = this.#port,
      own = classOfUser(entry?.user ?? 0);
    if (outcome === "software") return 5;
    if (outcome === "core") return peer ? Math.min(own, 2) : own;
    return peer && outcome === "ports" ? (of === 1 ? 5 : 3) : 4;
  }
  /** A right frame for each of the ways, of so many bytes without shims. */
  right(bytes: number, to = this.b.random.between(0, 9)): Uint8Array {
    const { random } = this.b;
    if (this.#port.peer && random.chance(0.1)) return this.redirect(bytes);
    const frame = rightFrame(random, bytes, { reliable: false, peer: false });
    const at = (frame[12] ?? 0) * 256 + (frame[13] ?? 0),
      shimAt = at === 0x88b5 ? 14 : at === 0x8100 && (frame[16] ?? 0) * 256 + (frame[17] ?? 0) === 0x88b5 ? 18 : -1;
    // A pause is for the one address that it has.
    if (at === snicEtherType.macControl) return frame;
    if (shimAt > 0) frame.set([0, to % 8], shimAt + 2);
    const mac = to === 8 ? own : random.pick([...macs, 0xffffffffffffn]);
    for (let i = 0; i < 6; i++) frame[i] = Number((mac >> BigInt(40 - 8 * i)) & 255n);
    return frame;
  }
  /** A redirect of either kind, from and to anybody. */
  redirect(bytes: number): Uint8Array {
    const { random } = this.b,
      { frameBytes } = sizes[this.size],
      fields = { ...noShim, kind: random.pick([snicKind.redirect, snicKind.onward]), uid: random.between(0, 7) },
      to = { dst: random.pick([own, ...macs]), src: random.pick(macs) };
    return encloseFrame(to, fields, this.plain(Math.min(bytes, frameBytes)));
  }
  /** A right frame that goes to a class queue or nowhere by the tables: no pause. */
  data(bytes: number, to: number): Uint8Array {
    for (;;) {
      const frame = this.right(bytes, to);
      if ((frame[12] ?? 0) * 256 + (frame[13] ?? 0) !== snicEtherType.macControl) return frame;
    }
  }
  /** A frame that is only switched, of so many bytes. */
  plain(bytes: number): Uint8Array {
    const frame = new Uint8Array(bytes);
    frame.set([2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 9, 0x88, 0xb7]);
    return frame;
  }
  static limits(size: Size): readonly number[] {
    return classBeats(sizes[size]);
  }
  /** Switched frames are taken every cycle, as who sees `heads` in its cycle does. */
  everyCycle = false;
  length(): number {
    const { random } = this.b,
      { frameBytes } = sizes[this.size];
    if (random.chance(0.6)) return random.between(60, 200);
    return random.between(60, random.chance(0.9) ? Math.min(600, frameBytes) : frameBytes);
  }

  #drive(): void {
    const { random, io } = this.b;
    io.accept.value = random.chance(this.accepts) ? 1 : 0;
    const gone = new Set(this.#justTaken);
    this.#justTaken.clear();
    if (this.#resetting) return;
    if (this.everyCycle) {
      const [, second] = this.takes;
      if (second.pending < 2 && this.queues[4]!.length - second.pending > 0) second.send(4);
      return;
    }
    for (const [lane, take] of this.takes.entries()) {
      if (take.pending > 0 || !random.chance(this.takesPerCycle)) continue;
      const has = io.heads
        .map((h, c) => ({ c, valid: h.valid.value === 1, core: h.facts.outcome.value === "core" }))
        .filter(h => h.valid && !gone.has(h.c) && (lane === 0) === h.core);
      if (has.length === 0) continue;
      take.send(random.pick(has).c);
    }
  }
  #sample(): void {
    if (this.#resetting) return;
    const { io } = this.b;
    this.#checkFull();
    this.#checkOffered();
    if (io.fate.valid.value === 1) this.#fate(io.fate.fate.value);
    this.#see();
    if (io.pfc.valid.value === 1) {
      const pfc = this.#pfc.shift();
      if (!pfc) throw new Error("a pause that nobody sent");
      this.told++;
      const enabled = Object.keys(pfc.times).reduce((m, c) => m | (1 << Number(c)), 0);
      if (io.pfc.enabled.value !== enabled) throw new Error(`pauses ${String(io.pfc.enabled.value)}, not ${enabled}`);
      for (const [c, t] of Object.entries(pfc.times))
        if (io.pfc.times[Number(c)]?.value !== t) throw new Error(`class ${c} is paused for another time`);
    }
    for (const [c, head] of io.heads.entries()) {
      if (head.valid.value === 0) continue;
      const frame = this.queues[c]?.[0];
      if (!frame) throw new Error(`class ${c} has a head, and no frame`);
      if (this.#headSeen.has(frame)) continue;
      this.#headSeen.add(frame);
      this.headCycles.push(this.b.cycle);
      this.latencies.push(this.b.cycle - (frame.sent.end ?? NaN));
      checkFacts(frame, head.facts);
    }
    for (const lane of [0, 1]) {
      const port2 = lane === 0 ? io.takeMerge : io.takeSwitch;
      if (port2.valid.value === 0 || port2.ready.value === 0) continue;
      const c = port2.payload.value,
        frame = this.queues[c]?.shift();
      if (!frame) throw new Error(`class ${c} was taken, and has no frame`);
      this.#headSeen.delete(frame);
      this.#accounts[c]?.leaves(frame.beats);
      this.#asked[lane]?.push(frame);
      this.#justTaken.add(c);
    }
    for (const [lane, out] of this.outs.entries())
      for (let s = out.take(); s; s = out.take()) {
        const beats = this.#beats[lane] ?? [];
        beats.push(s.value.data);
        if (s.value.last === 0) continue;
        const frame = this.#asked[lane]?.shift();
        if (!frame) throw new Error("a frame that nobody took");
        this.taken.push(s.cycle);
        checkBytes(frame, beats.splice(0));
      }
    const used = this.queues.map(q => q.reduce((n, f) => n + f.beats, 0));
    for (const [c, n] of used.entries())
      if (n > (this.#limit[c] ?? 0)) throw new Error(`class ${c} has ${n} beats of ${this.#limit[c]}`);
    for (const a of this.#accounts) a.step();
  }
  /** What asks for a pause, of what has come and gone. */
  #checkFull(): void {
    const wanted = this.#accounts.reduce((word, a, c) => word + (a.full ? 2 ** c : 0), 0);
    if (this.b.io.full.num !== wanted)
      throw new Error(
        `cycle ${this.b.cycle}: classes ${this.b.io.full.num.toString(2)} are full, not ${wanted.toString(2)}`,
      );
    const { waiting } = this.b.io,
      inside = this.#accounts.reduce((n, a) => n + a.frames, 0);
    if (waiting.num !== inside) throw new Error(`cycle ${this.b.cycle}: ${waiting.num} frames wait, not ${inside}`);
  }
  /** Of the frame that was seen a cycle ago: frames for the core, with whose they are, and whether they are kept. */
  #checkOffered(): void {
    const { offered } = this.b.io,
      seen = this.#seen,
      isCore = seen?.frame.matched.outcome === "core";
    if (offered.valid.num !== (isCore ? 1 : 0))
      throw new Error(`cycle ${this.b.cycle}: a frame for the core is offered, or not`);
    if (!isCore) return;
    const is = [offered.kept.num, offered.user.num, offered.bytes.num],
      wanted = [seen.room && seen.accepted ? 1 : 0, seen.frame.matched.entry?.user, seen.frame.bytes.length];
    if (is.join() !== wanted.join())
      throw new Error(`cycle ${this.b.cycle}: ${is.join()} is offered, not ${wanted.join()}`);
  }
  /** What the link sees of a frame: its place in its class is known, and it may refuse it. */
  #see(): void {
    const { seen, accept } = this.b.io;
    this.#seen = undefined;
    if (seen.valid.num === 0) return;
    const frame = this.#unseen.shift();
    if (!frame) throw new Error(`cycle ${this.b.cycle}: the link sees a frame that nobody sent`);
    const wants = frame.class !== undefined,
      room = seen.room.num === 1,
      accepted = accept.value === 1;
    if (seen.wantsRoom.num !== (wants ? 1 : 0)) throw new Error(`cycle ${this.b.cycle}: a frame wants room, or not`);
    this.#seen = { frame, room, accepted };
    if (frame.class === undefined) return;
    const account = this.#accounts[frame.class]!;
    if (room !== account.fits(frame.beats))
      throw new Error(`cycle ${this.b.cycle}: class ${frame.class} has room for ${frame.beats} beats, or has none`);
    if (room && accepted) account.comes(frame.beats);
  }
  #fate(fate: FateName): void {
    const frame = this.#coming.shift();
    if (!frame) throw new Error(`a fate (${fate}) of no frame`);
    const { judged, matched } = frame;
    this.fates.set(fate, (this.fates.get(fate) ?? 0) + 1);
    const wanted =
      judged.reason !== "none"
        ? [judged.reason]
        : matched.outcome === "link"
          ? ["forLink"]
          : matched.outcome === "drop"
            ? [matched.reason]
            : [
                this.#seen?.room !== true
                  ? `full${frame.class}`
                  : this.#seen.accepted
                    ? `queued${frame.class}`
                    : "unlinked",
              ];
    if (!wanted.includes(fate))
      throw new Error(`${fate}, not ${wanted.join(" or ")}, of ${Buffer.from(frame.bytes).toString("hex")}`);
    if (fate.startsWith("queued")) this.queues[frame.class ?? 0]?.push(frame);
  }
  get inside(): number {
    return this.queues.reduce((n, q) => n + q.length, 0);
  }
  get coming(): number {
    return this.#coming.length;
  }
  async traffic(frames: number, wrong = 0.1): Promise<void> {
    for (let i = 0; i < frames; i++) {
      const frame = this.right(this.length());
      this.send(
        this.b.random.chance(wrong) ? mutated(this.b.random, frame, sizes[this.size].frameBytes) : frame,
        this.b.random.chance(wrong / 4),
      );
      await this.b.until(() => this.rx.pending < 3);
    }
    await this.rx.drained();
  }
  async reset(): Promise<void> {
    this.rx.forget();
    for (const t of this.takes) t.forget();
    this.#resetting = true;
    this.b.sim.reset(1);
    this.#coming.splice(0);
    this.#unseen = [];
    this.#seen = undefined;
    for (const a of this.#accounts) a.reset();
    for (const q of [...this.queues, ...this.#asked, ...this.#beats]) q.splice(0);
    for (const o of this.outs) o.received.splice(0);
    this.#pfc.splice(0);
    // What stood there in the cycle of the reset is gone in the next.
    await this.b.cycles(1);
    this.#resetting = false;
  }
  /** All has left, and every beat is free again. */
  async end(): Promise<void> {
    await this.rx.drained();
    await this.b.until(() => this.#coming.length === 0);
    this.takesPerCycle = 1;
    await this.b.until(() => this.inside === 0 && this.#asked.every(a => a.length === 0));
    await this.b.cycles(400);
    const { beats } = sizes[this.size];
    if (this.b.io.free.num !== beats) throw new Error(`${this.b.io.free.num} beats are free at the end, of ${beats}`);
    if (this.b.io.waiting.num !== 0) throw new Error(`${this.b.io.waiting.num} frames are inside at the end`);
    if (this.b.io.full.value !== 0) throw new Error("a class is full at the end");
    if (this.#pfc.length > 0) throw new Error("a pause was not told");
  }
}

type Facts = B["io"]["heads"][number]["facts"];
function checkFacts({ judged, matched, bytes }: Frame, is: Facts): void {
  const same = (what: string, a: unknown, b: unknown): void => {
    if (a !== b) throw new Error(`${what} is ${String(a)}, not ${String(b)}, of ${Buffer.from(bytes).toString("hex")}`);
  };
  const { taken, noL4, flowHash } = judged.accepted ?? {},
    vlan = taken?.vlan,
    snic = taken?.snic;
  same("outcome", is.outcome.value, matched.outcome);
  same("length", is.length.num, bytes.length);
  same("noL4", is.noL4.value, noL4 === true ? 1 : 0);
  same("flowHash", is.flowHash.num, flowHash);
  same("tagged", is.tagged.value, vlan ? 1 : 0);
  if (vlan) same("tag", is.tag.num, (vlan.priority << 13) | (vlan.dropEligible << 12) | vlan.id);
  same("shimmed", is.shimmed.value, snic ? 1 : 0);
  if (snic) same("ttl", is.ttl.num, snic.ttl);
  if (matched.ports)
    same(
      "ports",
      is.ports.num,
      matched.ports.reduce((m, i) => m | (1 << i), 0),
    );
  if (matched.peer !== undefined) same("peer", is.peer.num, matched.peer);
  if (!matched.entry) return;
  same("uid", is.uid.num, matched.uid);
  same("dag", is.dag.num, matched.entry.dag);
  same("user", is.user.num, matched.entry.user);
  same("unordered", is.unordered.value, matched.entry.unordered ? 1 : 0);
}
function checkBytes({ bytes }: Frame, beats: readonly bigint[]): void {
  if (beats.length !== Math.ceil(bytes.length / 64))
    throw new Error(`${beats.length} beats of a frame of ${bytes.length} bytes`);
  const padded = new Uint8Array(64 * beats.length);
  padded.set(bytes);
  for (const [i, beat] of beats.entries()) {
    const wanted = BigInt(
      `0x${Buffer.from(padded.slice(64 * i, 64 * i + 64))
        .reverse()
        .toString("hex")}`,
    );
    if (beat !== wanted) throw new Error(`beat ${i} differs, of ${Buffer.from(bytes).toString("hex")}`);
  }
}
