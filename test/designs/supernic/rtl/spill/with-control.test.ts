/** The spill's registers: rings are asked and looked at by their numbers, on a bus each of whose ways may stall. */
import { describe, expect, test } from "vitest";
import { spillMap } from "../../../../../designs/supernic/registers/index.ts";
import { SpillWithControl } from "../../../../../designs/supernic/rtl/spill/index.ts";
import {
  AxiRam,
  type Bench,
  bernoulli,
  type Dut,
  type Pause,
  poke,
  runBench,
  StreamSink,
  StreamSource,
} from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { beatsOf, Inlets } from "../../support/inlets.ts";
import { sizes } from "./support/spill-rig.ts";

const p = sizes.full,
  dut = () => SpillWithControl(p);
type Ports = ReturnType<typeof dut>["ports"];
type B = Bench<Ports>;
const asks = { fill: 0, drain: 1, discard: 2 } as const;

/** Software at the registers. */
class Rig {
  readonly b: B;
  readonly #aw;
  readonly #w;
  readonly #answers;
  readonly #ar;
  readonly #data;
  /** DAGs whose gates are to be opened. */
  readonly opens;

  constructor(b: B) {
    const { sim, io } = b,
      pause = (): Pause => bernoulli(0.4, b.random.word());
    this.b = b;
    this.#aw = new StreamSource(sim, io.sAw, { pause: pause() });
    this.#w = new StreamSource(sim, io.sW, { pause: pause() });
    this.#answers = new StreamSink(sim, io.sB, { pause: pause() });
    this.#ar = new StreamSource(sim, io.sAr, { pause: pause() });
    this.#data = new StreamSink(sim, io.sR, { pause: pause() });
    this.opens = new StreamSink(sim, io.opens, { pause: pause() });
    io.open.value = 2n ** BigInt(io.open.width) - 1n;
  }
  #address(name: string): number {
    return spillMap.registers.find(r => r.name === name)!.address;
  }
  /** Several at once, as the bus takes them. */
  async write(...all: readonly (readonly [string, number])[]): Promise<void> {
    for (const [name, value] of all) {
      this.#aw.send({ addr: this.#address(name), prot: 0 });
      this.#w.send({ data: value, strb: 15 });
    }
    await this.b.until(() => this.#answers.received.length === all.length);
    this.#answers.received.splice(0);
  }
  async read(...names: readonly string[]): Promise<number[]> {
    for (const name of names) this.#ar.send({ addr: this.#address(name), prot: 0 });
    await this.b.until(() => this.#data.received.length === names.length);
    await this.b.cycles(4);
    return this.#data.received.splice(0).map(r => r.value.data);
  }
  async ask(ring: number, what: keyof typeof asks, dag: number): Promise<void> {
    await this.write(["ring", ring + 16 * asks[what] + 256 * dag], ["spillCommand", 1]);
    await this.b.cycles(3);
  }
}

/** Each ring is filled for a DAG of its own, drained, and free again when the DAG's gate is open; then it discards. */
async function rings(b: B): Promise<void> {
  const rig = new Rig(b),
    dagOf = (ring: number): number => 37 * (ring + 1),
    all = Array.from({ length: p.rings }, (_, i) => i);
  expect((await rig.read("spillBuild"))[0]).toBe(p.rings + 16 * Math.log2(p.ringBytes));
  const held = new Set<number>();
  for (const ring of all) {
    await rig.ask(ring, "fill", dagOf(ring));
    held.add(ring);
    for (const other of all) {
      await rig.write(["ring", other]);
      await b.cycles(2);
      const [state = 0, inside] = await rig.read("ringState", "ringInside");
      // Of a ring that is free, how its frames leave says nothing.
      expect([state & (held.has(other) ? 7 : 1), inside], `ring ${other}`).toEqual([held.has(other) ? 1 : 0, 0]);
      if (held.has(other)) expect((state >> 8) & 255).toBe(dagOf(other));
    }
  }
  for (const ring of all) {
    await rig.ask(ring, "drain", dagOf(ring));
    await b.until(() => rig.opens.received.length === 1);
    expect(Number(rig.opens.received.splice(0)[0]?.value)).toBe(dagOf(ring));
    await b.cycles(4);
    const [state = 0] = await rig.read("ringState");
    expect(state & 1, `ring ${ring} is free`).toBe(0);
  }
  for (const ring of all) {
    await rig.ask(ring, "fill", dagOf(ring));
    await rig.ask(ring, "discard", dagOf(ring));
    const [state = 0] = await rig.read("ringState");
    expect(state & 5, "it is held, and discards").toBe(5);
  }
  expect(await rig.read("spilled", "restored", "spillLost", "spillDiscarded", "spillFull")).toEqual([0, 0, 0, 0, 0]);
}
/** Of a frame for the core, anything. */
const factsOf = ({ random: r }: B) => ({
  ...{ outcome: "core", ports: 0, peer: 0, uid: r.below(65_536), dag: r.below(256), user: r.below(p.users) },
  ...{ unordered: r.below(2), length: r.between(60, 1500), noL4: r.below(2), flowHash: r.below(1024) },
  ...{ tagged: r.below(2), tag: r.below(65_536), shimmed: r.below(2), ttl: r.below(16) },
});
/** What no ring holds goes past: heads, what is taken of them, and its beats, at each inlet. */
async function past(b: B): Promise<void> {
  const rig = new Rig(b),
    { io, random: r } = b,
    n = p.ports + 1,
    ways = io as unknown as Record<string, never>;
  const inlets = Array.from({ length: n }, (_, i) => ({
    take: new StreamSource(b.sim, ways[`take${i}`]!, {}),
    queue: new StreamSink(b.sim, ways[`takeQueue${i}`]!, { pause: bernoulli(0.3, i + 1) }) as unknown as {
      received: { value: number }[];
    },
    from: new StreamSource(b.sim, ways[`fromQueue${i}`]!, {}) as unknown as { send: (v: object) => unknown },
    frames: new StreamSink(b.sim, ways[`frames${i}`]!, { pause: bernoulli(0.3, i + 9) }) as unknown as {
      received: { value: { data: bigint; last: number } }[];
    },
  }));
  for (let round = 0; round < 12; round++) {
    const taken = inlets.map(() => r.below(4)),
      beats = inlets.map(() => r.bits(512));
    for (const i of inlets.keys()) {
      for (let k = 0; k < 4; k++) poke(io.heads.at(i)!.at(k) as never, { valid: 1, facts: factsOf(b) } as never);
    }
    // A head whose DAG waits is not shown, in that very cycle.
    for (let n = 0; n < 6; n++) {
      const open = r.bits(4 * inlets.length);
      io.open.value = open;
      await b.cycles(1);
      const is = io.shown.flatMap(heads => [0, 1, 2, 3].map(k => heads[k]!.valid.num)),
        wanted = is.map((_, at) => Number((open >> BigInt(at)) & 1n));
      expect(is).toEqual(wanted);
    }
    io.open.value = 2n ** BigInt(io.open.width) - 1n;
    for (const [i, inlet] of inlets.entries()) inlet.take.send(taken[i]!);
    await b.cycles(2);
    for (const [i, heads] of io.heads.entries())
      for (let k = 0; k < 4; k++) {
        const is = io.shown.at(i)!.at(k)!,
          head = heads.at(k)!;
        if (is.valid.num === 1)
          expect([is.facts.dag.num, is.facts.uid.num, is.facts.user.num]).toEqual([
            head.facts.dag.num,
            head.facts.uid.num,
            head.facts.user.num,
          ]);
      }
    await b.until(() => inlets.every(x => x.queue.received.length === 1));
    expect(inlets.map(x => x.queue.received.splice(0)[0]?.value)).toEqual(taken);
    for (const [i, inlet] of inlets.entries()) inlet.from.send({ data: beats[i], last: 1 });
    await b.until(() => inlets.every(x => x.frames.received.length === 1));
    expect(inlets.map(x => x.frames.received.splice(0)[0]?.value.data)).toEqual(beats);
  }
  expect((await rig.read("spilled"))[0]).toBe(0);
}

/**
 * Frames of a DAG that waits go to memory and come back, whole and in their order, with every way of the bus stalling;
 * software reads how many. What a ring discards is counted, too.
 */
async function through(b: B): Promise<void> {
  const rig = new Rig(b),
    { io, sim, random: r } = b,
    n = p.ports + 1,
    [dag, inlet, of] = [77, 2, 1],
    ways = io as unknown as Record<string, never>,
    all = (name: string) => Array.from({ length: n }, (_, i) => ways[`${name}${i}`] as never),
    pause = (): Pause => bernoulli(0.3, r.word());
  const inlets = new Inlets(
    b,
    { heads: io.heads, takes: all("takeQueue"), frames: all("fromQueue") },
    { from: pause(), to: pause() },
  );
  new AxiRam(
    sim,
    { aw: io.mAw, w: io.mW, b: io.mB, ar: io.mAr, r: io.mR },
    { latency: 9, pause: { aw: pause(), w: pause(), b: pause(), ar: pause(), r: pause() } },
  );
  const take = new StreamSource(sim, all("take")[inlet]!, {}) as unknown as { send: (v: number) => unknown },
    frames = new StreamSink(sim, all("frames")[inlet]!, { pause: pause() }) as unknown as {
      received: { value: { data: bigint; last: number } }[];
    };
  // The gate of the DAG is closed for what waits in front.
  io.open.value = 2n ** BigInt(io.open.width) - 1n - 2n ** BigInt(4 * inlet + of);
  const put = (count: number): bigint[][] =>
    Array.from({ length: count }, () => {
      const bytes = new Uint8Array(r.between(60, 700)).map(() => r.below(256)),
        facts = { ...factsOf(b), outcome: "core", dag, user: 1 } as const;
      inlets.put({ inlet, class: of, bytes, facts });
      return beatsOf(bytes);
    });
  for (const ring of [1, 3]) {
    await rig.ask(ring, "fill", dag);
    const sent = put(6),
      before = (await rig.read("spilled"))[0] ?? 0;
    await b.until(() => inlets.waiting === 0);
    await b.cycles(100);
    expect(await rig.read("spilled", "ringInside")).toEqual([before + 6, 6]);
    if (ring === 1) await rig.ask(ring, "drain", dag);
    else {
      await rig.ask(ring, "discard", dag);
      await b.cycles(400);
      break;
    }
    for (const beats of sent) {
      await b.until(() => io.shown.at(inlet)!.at(of)!.valid.num === 1);
      take.send(of);
      await b.until(() => frames.received.at(-1)?.value.last === 1);
      expect(frames.received.splice(0).map(x => x.value.data)).toEqual(beats);
      await b.cycles(4);
    }
    await b.until(() => rig.opens.received.length === 1);
  }
  expect(await rig.read("spilled", "restored", "spillLost", "spillDiscarded")).toEqual([12, 6, 0, 6]);
}

const runs = { rings, past, through };
describe("SpillWithControl", () => {
  bench("rings are asked and looked at by their numbers", dut(), { seed: 1 }, rings);
  bench("frames go through memory and back, and are counted", dut(), { seed: 3 }, through);
  bench("frames of no ring go past, at each inlet", dut(), { seed: 2 }, past);

  describe("a planted fault is found", () => {
    const look = async (name: string, design: Dut<Ports>): Promise<void> => {
      for (const [what, run] of Object.entries(runs))
        await runBench(
          `${name} ${what}`,
          design,
          { wave: false, hangCycles: 4_000, limitCycles: 60_000, seed: 4 },
          run,
        );
    };
    test("and nothing without one", () => look("no fault", dut()));
    const faults: readonly (readonly [string, string | RegExp, string])[] = [
      ["beats that were read are not taken", /m_r_ready = [^;]*;/, "m_r_ready = 1'b0;"],
      ["what is restored is counted as lost", /(registers_)?spill_counts_restored\)/, "$1spill_counts_lost)"],
      ["the ring beside it", /\.ring_ring(\s+)\(registers_ring_at\[1:0\]\)/, ".ring_ring$1(registers_ring_at[2:1])"],
    ];
    test.each(faults)("%s", async (name, from, to) => {
      await findsFault(look(name, plant(dut(), from, to)));
    });
  });
});
