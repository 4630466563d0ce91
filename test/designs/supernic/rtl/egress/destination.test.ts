/** Where packets go, alone and in the device's size: by DAG, by task, by MAC, as the page orders it. */
import { describe, expect, test } from "vitest";
import { Destination } from "../../../../../designs/supernic/rtl/egress/destination.ts";
import { egressSizes } from "../../../../../designs/supernic/rtl/egress/records.ts";
import { ternaryWords } from "../../../../../designs/supernic/wire/index.ts";
import { type Bench, type Dut, poke, runBench } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { anyValue, scramble } from "../../support/any-value.ts";
import { type Size, sizes } from "./support/egress-rig.ts";

const dutOf = (size: Size) => Destination(sizes[size]);
type Ports = ReturnType<typeof dutOf>["ports"];
type B = Bench<Ports>;
const macBits = 48,
  /** Ways of a DAG, as its entry has them. */
  [wayMac, wayPort, wayBack, wayLoop] = [0, 1, 2, 3],
  /** Beats of a frame beside those of its payload, at most. */
  besides = 3,
  beatBytes = 64;

type Reason = "none" | "task" | "nowhere" | "again";
interface Pattern {
  readonly value: bigint;
  readonly mask: bigint;
  readonly port: number;
}
interface Dag {
  readonly way: number;
  readonly port: number;
  readonly keepShim: number;
}
interface Goes {
  readonly stays: number;
  readonly early: number;
  readonly ctx: number;
  readonly size: number;
  readonly drop: string;
  readonly list?: { readonly port: number; readonly class: number };
}

class Rig {
  readonly b: B;
  readonly p: (typeof sizes)[Size];
  #patterns: Pattern[] = [];
  readonly #classes: number[] = [];
  readonly #dags: Dag[] = [];
  #config = { rings: 0, hasUplink: 0, uplink: 0, macs: 0n };
  readonly seen: Record<Reason, number> = { none: 0, task: 0, nowhere: 0, again: 0 };

  constructor(b: B, size: Size) {
    this.b = b;
    this.p = sizes[size];
  }
  quiet(): void {
    const { io, random: r } = this.b;
    for (const port of [io.dst, io.asks, io.known, io.users, io.dags, io.macs, io.entries]) scramble(r, port);
    for (const port of [io.users, io.dags, io.macs, io.entries]) port.en.value = 0;
    io.asks.valid.value = 0;
  }
  /** Tables of random entries. Of MACs many match: the first of them counts. */
  async tables(): Promise<void> {
    const { b, p } = this,
      { io, random: r } = b;
    const write = async (port: { readonly en: { value: number } }, index: number, value: object): Promise<void> => {
      this.quiet();
      poke(port as never, { en: 1, index, value } as never);
      await b.cycles(1);
    };
    for (let user = 0; user < 64; user++) {
      const value = anyValue(r, io.users.value) as unknown as { readonly class: number };
      this.#classes[user] = value.class & 3;
      await write(io.users, user, value);
    }
    for (let dag = 0; dag < 64; dag++) {
      const value = anyValue(r, io.dags.value) as unknown as Dag,
        port = r.below(p.ports + 2);
      this.#dags[dag] = { way: value.way & 3, port, keepShim: value.keepShim & 1 };
      await write(io.dags, dag, { ...value, port });
    }
    this.#patterns = Array.from({ length: p.macs }, () => ({
      value: r.bits(macBits),
      mask: r.bits(macBits) & r.bits(macBits) & r.bits(macBits) & r.bits(macBits),
      port: r.below(p.ports + 1),
    }));
    for (const [index, { port }] of this.#patterns.entries()) {
      const value = { ...(anyValue(r, io.entries.value) as object), port };
      await write(io.entries, index, value);
    }
    await this.#words();
  }
  async #words(): Promise<void> {
    const { b } = this,
      words = ternaryWords(this.#patterns, macBits);
    for (const [chunk, list] of words.entries())
      for (const [at, word] of list.entries()) {
        this.quiet();
        poke(b.io.macs, { en: 1, chunk, at, word });
        await b.cycles(1);
      }
    this.quiet();
    await b.cycles(3);
  }
  configure(): void {
    const { b, p } = this,
      { random: r } = b;
    // Of the MACs that match each is the first at some time, the last ones as well.
    this.#config = {
      ...{ rings: r.below(1 << p.ports), hasUplink: r.below(2), uplink: r.below(p.ports) },
      macs: (r.bits(p.macs) << BigInt(r.below(p.macs))) & ((1n << BigInt(p.macs)) - 1n),
    };
    scramble(r, b.io.config);
    poke(b.io.config, { ...anyValue(r, b.io.config), ...this.#config });
  }
  /** The page's order. */
  #wanted(dst: bigint, asks: Asks, known: Known): Goes {
    const { p } = this,
      { rings, hasUplink, uplink, macs } = this.#config,
      dag = this.#dags[known.dag]!,
      hit = this.#patterns.find((m, i) => ((macs >> BigInt(i)) & 1n) === 1n && ((m.value ^ dst) & m.mask) === 0n),
      isGroup = ((dst >> 40n) & 1n) === 1n,
      learned = isGroup ? undefined : hit?.port,
      isBack = known.reply === 1 || dag.way === wayBack,
      isLoop = dag.way === wayLoop && known.reply === 0,
      isPort = dag.way === wayPort && !isBack;
    expect([wayMac, wayPort, wayBack, wayLoop]).toContain(dag.way);
    const to = isBack ? known.ingress : isLoop ? p.ports : isPort ? dag.port : (learned ?? uplink),
      switches = !isBack && !isLoop && !isPort;
    const outside = to >= p.ports && !isLoop,
      unknown = switches && (to === known.ingress || (learned === undefined && hasUplink === 0));
    const again = known.ingress === p.ports && (isBack || isLoop),
      drop = asks.dropped === 1 ? "task" : again ? "again" : outside || unknown ? "nowhere" : "none";
    const user = this.#classes[known.user]!,
      toPeer = to < p.ports && ((rings >> to) & 1) === 1,
      of = toPeer ? (dag.keepShim ? Math.min(2, user) : 3) : user;
    const size = egressSizes(p).beats.findIndex(n => known.payloadBytes <= (n - besides) * beatBytes);
    return {
      ...{ stays: drop === "none" ? 1 : 0, early: asks.early, ctx: asks.ctx, size: size < 0 ? 3 : size, drop },
      ...(drop === "none" && { list: { port: 1 << to, class: 1 << of } }),
    };
  }
  async packets(count: number): Promise<void> {
    const { b, p } = this,
      { io, random: r } = b,
      longest = p.frameBytes;
    let before: { readonly dst: bigint } | undefined;
    // What is to leave: asked for in the cycle before, and in the one before that.
    let at1: Goes | undefined, at2: Goes | undefined;
    for (let i = 0; i < count; i++) {
      this.quiet();
      const dst = this.#someMac();
      io.dst.value = dst;
      const valid = before !== undefined && r.chance(0.8) ? 1 : 0,
        asks = { valid, ctx: r.below(p.contexts), early: r.below(2), dropped: r.chance(0.1) ? 1 : 0 },
        edge = r.pick(egressSizes(p).beats) * beatBytes - besides * beatBytes,
        known = {
          ...anyValue(r, io.known),
          ingress: r.below(p.ports + 1),
          reply: r.chance(0.2) ? 1 : 0,
          dag: r.below(64),
          payloadBytes: Math.max(0, r.pick([edge, edge + 1, r.below(longest)])),
        };
      poke(io.asks, asks as never);
      poke(io.known, known as never);
      await b.cycles(1);
      expect(io.keepShim.value).toBe(this.#dags[known.dag]?.keepShim);
      this.#compare(at2);
      at2 = at1;
      at1 = valid && before ? this.#wanted(before.dst, asks, known) : undefined;
      before = { dst };
    }
  }
  /** One of a pattern, or with a bit that differs, or any. */
  #someMac(): bigint {
    const { random: r } = this.b,
      m = r.pick(this.#patterns),
      any = r.bits(macBits);
    const like = (any & ~m.mask) | (m.value & m.mask);
    return r.pick([like, like, like ^ (1n << BigInt(r.below(macBits))), any]);
  }
  #compare(wanted: Goes | undefined): void {
    const { goes } = this.b.io;
    expect([goes.valid.value, goes.stays.value]).toEqual([wanted ? 1 : 0, wanted?.stays ?? 0]);
    if (!wanted) return;
    const drop = goes.drop.value,
      is = { stays: goes.stays.num, early: goes.early.num, ctx: goes.ctx.num, size: goes.size.num, drop };
    this.seen[drop]++;
    expect({ ...is, ...(wanted.list && { list: { port: goes.list.port.num, class: goes.list.class.num } }) }).toEqual(
      wanted,
    );
  }
}
interface Asks {
  readonly ctx: number;
  readonly early: number;
  readonly dropped: number;
}
interface Known {
  readonly dag: number;
  readonly user: number;
  readonly ingress: number;
  readonly reply: number;
  readonly payloadBytes: number;
}

async function decides(b: B, size: Size, count: number): Promise<void> {
  const rig = new Rig(b, size);
  rig.quiet();
  rig.configure();
  await b.cycles(1);
  await rig.tables();
  for (let round = 0; round < 24; round++) {
    rig.configure();
    rig.quiet();
    await b.cycles(3);
    await rig.packets(count);
  }
  expect(Math.min(...Object.values(rig.seen))).toBeGreaterThan(10);
}

describe("Destination", () => {
  for (const size of ["small", "full"] as const)
    bench(`${size}: packets in every cycle go where the page says`, dutOf(size), { seed: 1 }, b =>
      decides(b, size, 40),
    );

  describe("a planted fault is found", () => {
    const look = (name: string, design: Dut<Ports>): Promise<unknown> =>
      runBench(name, design, { wave: false, seed: 4 }, b => decides(b, "small", 40));
    test("and nothing without one", () => look("no fault", dutOf("small")));
    const faults: readonly (readonly [string, string | RegExp, string])[] = [
      ["a reply does not go back", /goes_back = [^;]*;/, "goes_back = 1'b0;"],
      ["a port that there is not", /no_such_port = [^;]*;/, "no_such_port = 1'b0;"],
      ["a peer's class where no peer is", /goes_to_peer = [^;]*;/, "goes_to_peer = 1'b1;"],
    ];
    test.each(faults)("%s", async (name, from, to) => {
      await findsFault(look(name, plant(dutOf("small"), from, to)));
    });
  });
});
