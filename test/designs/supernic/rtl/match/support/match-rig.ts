/** Match and action with random tables, and a scoreboard with the reference model. */
import {
  type JudgedFrame,
  type JudgedPortKind,
  judgeFrame,
  type MacRule,
  type Matched,
  matchFrame,
  type MatchSettings,
  type Rule,
  type UidRule,
} from "../../../../../../designs/supernic/model/index.ts";
import { Match, matchHeadBytes } from "../../../../../../designs/supernic/rtl/match/index.ts";
import {
  matchActions,
  ruleKey,
  ruleKeyBits,
  type Ternary,
  ternaryWords,
  uidEntries,
} from "../../../../../../designs/supernic/wire/index.ts";
import {
  type Bench,
  never,
  type Pause,
  type Random,
  type Sent,
  StreamSink,
  StreamSource,
} from "../../../../../../sim/index.ts";
import { mutated, rightFrame } from "../../judge/support/frames.ts";

export const sizes = { ports: 4, rules: 32, macs: 64 } as const;
export const dut = () => Match(sizes);
export type Ports = ReturnType<typeof dut>["ports"];

const portKind: JudgedPortKind = { reliable: false, peer: true, class: 0 };
const nothing = { sequence: 0, ack: 0, nack: 0 } as const,
  noShim = { ttl: 0, stage: 0, uid: 0, origin: 0, ingress: 0, unprocessed: 0 } as const;

interface Awaited {
  readonly matched: Matched;
  readonly frame: Uint8Array;
  readonly sent: Sent<unknown>;
}

export class MatchRig {
  readonly b: Bench<Ports>;
  readonly key;
  readonly outcome;
  settings: MatchSettings;
  #awaited: Awaited[] = [];
  #resetting = false;
  readonly seen = new Map<string, number>();
  readonly latencies: number[] = [];

  constructor(b: Bench<Ports>, o: { readonly from?: Pause; readonly to?: Pause } = {}) {
    this.b = b;
    this.key = new StreamSource(b.sim, b.io.key, { pause: o.from ?? never });
    this.outcome = new StreamSink(b.sim, b.io.outcome, { pause: o.to ?? never });
    this.settings = randomSettings(b.random);
    b.onEdge({ sample: () => this.#sample() });
  }

  /** Writes tables, none of which counts while it is written. */
  async program(settings = randomSettings(this.b.random)): Promise<void> {
    const { io } = this.b;
    await this.b.until(() => this.#awaited.length === 0);
    this.settings = settings;
    io.config.mac.value = settings.mac;
    io.config.port.value = settings.port;
    io.config.control.value = settings.control ? 1 : 0;
    io.config.hasUplink.value = settings.uplink === undefined ? 0 : 1;
    io.config.uplink.value = settings.uplink ?? 0;
    io.config.rings.value = settings.rings.reduce((m, i) => m | (1 << i), 0);
    io.config.rules.value = 0;
    io.config.macs.value = 0n;
    await this.#words("rules", settings.rules, ruleKeyBits);
    await this.#words("macs", settings.macs, 48);
    for (const [index, r] of settings.rules.entries())
      await this.#write("actions", {
        index,
        value: { action: r?.action ?? "port", port: r?.port ?? 0, uid: r?.uid ?? 0 },
      });
    for (const [index, m] of settings.macs.entries())
      await this.#write("entries", {
        index,
        value: { port: m?.port ?? 0, peer: m?.peer === true ? 1 : 0, far: m?.far === true ? 1 : 0 },
      });
    for (let index = 0; index < uidEntries; index++) {
      const e = settings.uids.get(index);
      if (e) await this.#write("uids", { index, value: flags(e) });
      else if (this.#written.has(index)) await this.#write("uids", { index, value: flags(none) });
      if (e) this.#written.add(index);
    }
    const bits = (list: readonly ({ readonly enabled: boolean } | undefined)[]): bigint =>
      list.reduce((m, r, i) => (r?.enabled === true ? m | (1n << BigInt(i)) : m), 0n);
    io.config.rules.value = Number(bits(settings.rules));
    io.config.macs.value = bits(settings.macs);
    await this.b.cycles(1);
  }
  readonly #written = new Set<number>();
  async #words(port: "rules" | "macs", entries: readonly (Ternary | undefined)[], keyBits: number): Promise<void> {
    for (const [chunk, words] of ternaryWords(entries, keyBits).entries())
      for (const [at, word] of words.entries()) await this.#write(port, { chunk, at, word });
  }
  async #write(port: "rules" | "macs" | "actions" | "entries" | "uids", value: object): Promise<void> {
    const to = this.b.io[port];
    assign(to as never, { en: 1, ...value });
    await this.b.risingEdge();
    to.en.value = 0;
  }

  send(frame: Uint8Array): void {
    const judged = judgeFrame(frame, false, portKind, 1536),
      matched = matchFrame(judged, this.settings);
    this.#awaited.push({ matched, frame, sent: this.key.send(keyOf(judged, frame)) });
  }
  /** A frame that some table knows, more often than not. */
  frame(): Uint8Array {
    const { random } = this.b,
      { settings } = this,
      port = { reliable: false, peer: true };
    const out = rightFrame(random, random.between(60, 100), port);
    const macs = [settings.mac, ...settings.macs.flatMap(m => (m ? [m.value] : [])), 0xffffffffffffn];
    if (random.chance(0.7)) setMac(out, 0, random.chance(0.2) ? settings.mac : random.pick(macs));
    if (random.chance(0.5)) setMac(out, 6, random.pick(macs));
    // A redirect, of which most are for this sNIC.
    if (out[12] === 0x88 && out[13] === 0xb5 && out[14] === 0x12 && random.chance(0.7)) setMac(out, 0, settings.mac);
    if (random.chance(0.6)) aim(random, out, settings);
    return random.chance(0.1) ? mutated(random, out, 100) : out;
  }

  #sample(): void {
    if (this.#resetting) return;
    for (let s = this.outcome.take(); s; s = this.outcome.take()) {
      const awaited = this.#awaited.shift();
      if (!awaited) throw new Error("an outcome of no frame");
      const { matched } = awaited,
        name = matched.outcome === "drop" ? matched.reason : matched.outcome;
      this.seen.set(name, (this.seen.get(name) ?? 0) + 1);
      this.latencies.push(s.cycle - (awaited.sent.cycle ?? NaN));
      check(awaited, s.value);
    }
  }
  async end(): Promise<void> {
    await this.key.drained();
    await this.b.until(() => this.#awaited.length === 0);
    await this.b.cycles(10);
    if (this.outcome.received.length > 0) throw new Error("an outcome too many");
  }
  reset(): void {
    this.key.forget();
    this.#resetting = true;
    this.b.sim.reset(1);
    this.#resetting = false;
    this.#awaited = [];
    this.outcome.received.splice(0);
  }
}

type Value = Parameters<MatchRig["outcome"]["received"]["push"]>[0]["value"];
function check({ matched, frame }: Awaited, is: Value): void {
  const same = (what: string, a: unknown, b: unknown): void => {
    if (a !== b) throw new Error(`${what} is ${String(a)}, not ${String(b)}, of ${Buffer.from(frame).toString("hex")}`);
  };
  same("outcome", is.outcome, matched.outcome);
  same("reason", is.reason, matched.reason);
  if (matched.ports)
    same(
      "ports",
      is.ports,
      matched.ports.reduce((m, i) => m | (1 << i), 0),
    );
  if (matched.peer !== undefined) same("peer", is.peer, matched.peer);
  if (matched.uid !== undefined) same("uid", is.uid, matched.uid);
  if (!matched.entry) return;
  same("dag", is.dag, matched.entry.dag);
  same("user", is.user, matched.entry.user);
  same("unordered", is.unordered, matched.entry.unordered ? 1 : 0);
}

/** What the judge hands on; its own bench shows that it does. */
function keyOf({ reason, accepted }: JudgedFrame, frame: Uint8Array) {
  const head = new Uint8Array(matchHeadBytes);
  head.set((accepted?.bytes ?? frame).slice(0, matchHeadBytes));
  const { snic } = accepted?.taken ?? {};
  return {
    head: BigInt(`0x${Buffer.from(head).reverse().toString("hex")}`),
    refused: reason === "none" ? 0 : 1,
    verdict: {
      reason,
      kind: accepted?.kind ?? "data",
      length: accepted?.bytes.length ?? 0,
      linked: 0,
      link: nothing,
      tagged: 0,
      tag: 0,
      shimmed: snic ? 1 : 0,
      snic: snic ? { ...noShim, uid: snic.uid } : noShim,
      class: 0,
      noL4: accepted?.noL4 === false ? 0 : 1,
      flowHash: 0,
    },
  } as const;
}
const none: UidRule = {
  valid: false,
  generation: 0,
  dag: 0,
  user: 0,
  allowed: false,
  here: false,
  peer: 0,
  unordered: false,
};
const flags = (e: UidRule) =>
  Object.fromEntries(Object.entries(e).map(([name, v]) => [name, typeof v === "number" ? v : v ? 1 : 0]));
function assign(to: Record<string, { value: unknown }>, values: Record<string, unknown>): void {
  for (const [name, v] of Object.entries(values)) {
    if (typeof v === "object" && v !== null) assign(to[name] as never, v as never);
    else (to[name] as { value: unknown }).value = v;
  }
}

const setMac = (frame: Uint8Array, at: number, mac: bigint): void => {
  for (let i = 0; i < 6; i++) frame[at + i] = Number((mac >> BigInt(40 - 8 * i)) & 255n);
};
/** Gives a frame a known UID, or an address that a rule looks at. */
function aim(r: Random, frame: Uint8Array, s: MatchSettings): void {
  const type = (at: number): number => (frame[at] ?? 0) * 256 + (frame[at + 1] ?? 0),
    shim = type(12) === 0x88b5 ? 12 : type(16) === 0x88b5 ? 16 : -1;
  if (shim >= 0 && (frame[shim + 2] ?? 0) === 0x11) {
    const [index, e] = r.pick([...s.uids]),
      generation = r.chance(0.8) ? e.generation : r.between(0, 63);
    frame.set([((generation << 2) | (index >> 8)) & 255, index & 255], shim + 4);
    return;
  }
  if (type(12) !== 0x0800) return;
  // An address of which all rules know the highest bits.
  frame[30] = 10;
  frame[31] = r.between(0, 3);
  frame[36] = 0;
  frame[37] = r.between(0, 3);
}

const mac = (r: Random): bigint => 0x020000000000n | r.bits(36);
function randomRule(r: Random): Rule {
  const any = { dst: 0n, etherType: 0, ipDst: 0, protocol: 0, dstPort: 0, hasIp: 0, hasPorts: 0 };
  const value = { ...any },
    mask = { ...any };
  const look = (name: keyof typeof any, v: number, bits: number): void => {
    Object.assign(value, { [name]: v });
    Object.assign(mask, { [name]: bits });
  };
  if (r.chance(0.7)) look("hasIp", 1, 1);
  if (r.chance(0.6))
    look("ipDst", 0x0a000000 + (r.between(0, 3) << 16), r.pick([0xff000000, 0xffff0000, 0xfffe0000, 0x00010000]));
  if (r.chance(0.5)) look("dstPort", r.between(0, 3), r.pick([0xffff, 0xfffe, 0x0001]));
  if (r.chance(0.3)) look("protocol", r.pick([6, 17]), 0xff);
  if (r.chance(0.2)) look("hasPorts", r.between(0, 1), 1);
  if (r.chance(0.1)) look("etherType", r.pick([0x0806, 0x86dd, 0]), 0xffff);
  // Bits that do not count are anything.
  const junk = r.bits(ruleKeyBits),
    m = ruleKey(mask);
  return {
    value: (ruleKey(value) & m) | (junk & ~m),
    mask: m,
    enabled: r.chance(0.8),
    action: r.pick(matchActions),
    port: r.between(0, r.chance(0.2) ? 15 : 3),
    uid: r.between(0, 65535),
  };
}
function randomSettings(r: Random): MatchSettings {
  const own = mac(r),
    uids = new Map<number, UidRule>();
  for (let i = 0; i < 24; i++)
    uids.set(r.between(0, uidEntries - 1), {
      valid: r.chance(0.9),
      generation: r.between(0, 63),
      dag: r.between(0, 255),
      user: r.between(0, 63),
      allowed: r.chance(0.8),
      here: r.chance(0.6),
      peer: r.between(0, 15),
      unordered: r.chance(0.5),
    });
  const known = Array.from({ length: 6 }, (_, i) => (i === 5 ? mac(r) | (1n << 40n) : mac(r)));
  const rules = Array.from({ length: sizes.rules }, (): Rule | undefined => {
    if (r.chance(0.6)) return undefined;
    const rule = randomRule(r),
      [index, e] = r.pick([...uids]);
    return r.chance(0.8) ? { ...rule, uid: (e.generation << 10) | index } : rule;
  });
  // A rule that matches all, sometimes, at the end.
  if (r.chance(0.2)) rules[sizes.rules - 1] = { ...randomRule(r), mask: 0n };
  return {
    ports: sizes.ports,
    mac: own,
    port: r.between(0, 3),
    control: r.chance(0.5),
    uplink: r.chance(0.6) ? r.between(0, r.chance(0.2) ? 15 : 3) : undefined,
    rings: [0, 1, 2, 3].filter(() => r.chance(0.4)),
    rules,
    macs: Array.from({ length: sizes.macs }, (): MacRule | undefined =>
      r.chance(0.3)
        ? {
            value: r.pick(known),
            mask: (1n << 48n) - 1n,
            enabled: r.chance(0.8),
            port: r.between(0, r.chance(0.1) ? 15 : 3),
            peer: r.chance(0.4),
            far: r.chance(0.5),
          }
        : undefined,
    ),
    uids,
  };
}
