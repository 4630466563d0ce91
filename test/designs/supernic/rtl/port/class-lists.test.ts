/** The lists of classes alone: frames in their order with all that they say, none kept back, one after the other. */
import { describe, expect, test } from "vitest";
import { classBeats, ClassLists, type QueueParameters } from "../../../../../designs/supernic/rtl/port/index.ts";
import { type Bench, type Dut, poke, runBench } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { sizes } from "./support/rx-rig.ts";

const p: QueueParameters = sizes.small,
  dut = () => ClassLists(p),
  limits = classBeats(p),
  classes = limits.length;
type Ports = ReturnType<typeof dut>["ports"];
type B = Bench<Ports>;

/** Cycles until a head is there when others have their turns: one of each class, and those on their way. */
const byTurns = classes + 4;

/** What a frame says, by the names of its fields; as many bits as each has. */
interface Frame {
  readonly at: { readonly first: number; readonly beats: number };
  readonly facts: Readonly<Record<string, number | string>>;
}
interface Queue {
  frames: Frame[];
  /** Cycles for which the class has had frames and no head. */
  without: number;
}

class Rig {
  readonly b: B;
  #queues: Queue[] = [];
  #frames = 0;
  /** The most frames of each class at once. */
  readonly most = Array.from({ length: classes }, () => 0);

  constructor(b: B) {
    this.b = b;
    this.#start();
  }
  #start(): void {
    this.#queues = Array.from({ length: classes }, () => ({ frames: [], without: 0 }));
  }
  #frame(): Frame {
    const { random: r } = this.b,
      bit = (): number => r.below(2);
    this.#frames++;
    return {
      at: { first: r.below(p.beats), beats: r.between(1, 5) },
      facts: {
        outcome: r.pick(["ports", "core", "software", "redirect", "unwrap"]),
        ...{ ports: r.below(2 ** p.ports), peer: r.below(16), uid: r.below(2 ** 16), dag: r.below(256) },
        // A number of its own, so that no frame is taken for another.
        ...{ user: this.#frames % 64, unordered: bit(), length: Math.floor(this.#frames / 64) % 2 ** 14 },
        ...{ noL4: bit(), flowHash: r.below(1024), tagged: bit(), tag: r.below(2 ** 16), shimmed: bit() },
        ttl: r.below(16),
      },
    };
  }
  #check(c: number, queue: Queue): void {
    const head = this.b.io.heads.at(c)!,
      [frame] = queue.frames;
    if (head.valid.num === 0) {
      queue.without = frame === undefined ? 0 : queue.without + 1;
      if (queue.without >= byTurns) throw new Error(`cycle ${this.b.cycle}: class ${c} has frames, and no head`);
      return;
    }
    queue.without = 0;
    if (frame === undefined) throw new Error(`cycle ${this.b.cycle}: class ${c} has a head, and no frame`);
    const facts = head.frame.facts as unknown as Record<string, { readonly value: number | string }>;
    const is: Frame = {
      at: { first: head.frame.at.first.num, beats: head.frame.at.beats.num },
      facts: Object.fromEntries(Object.keys(frame.facts).map(name => [name, facts[name]!.value])),
    };
    if (JSON.stringify(is) !== JSON.stringify(frame))
      throw new Error(`cycle ${this.b.cycle}: class ${c} has ${JSON.stringify(is)}, not ${JSON.stringify(frame)}`);
  }
  /** A cycle: a frame comes to a class, if there is room for one; heads of classes are taken, each with this chance. */
  async cycle(push: number | undefined, pops: readonly number[]): Promise<void> {
    const { io, random } = this.b,
      to = push !== undefined && this.#queues[push]!.frames.length < limits[push]! ? push : undefined,
      frame = this.#frame();
    // Whatever comes without a frame is not one.
    const comes = { valid: to === undefined ? 0 : 1, class: to ?? random.below(classes), frame };
    poke(io.push as never, comes as never);
    const has = (c: number): boolean => (this.#shown >> c) % 2 === 1,
      goes = pops.map((chance, c) => has(c) && random.chance(chance));
    io.pop.value = goes.reduce((word, is, c) => word + (is ? 2 ** c : 0), 0);
    await this.b.cycles(1);
    this.#queues.forEach((queue, c) => this.#check(c, queue));
    for (const [c, is] of goes.entries()) if (is) this.#queues[c]!.frames.shift();
    if (to !== undefined) {
      const { frames } = this.#queues[to]!;
      frames.push(frame);
      this.most[to] = Math.max(this.most[to]!, frames.length);
    }
  }
  /** Classes that have a head in the cycle that comes: that is known before it. */
  get #shown(): number {
    this.b.sim.settle();
    return this.#queues.reduce((word, _, c) => word + (this.b.io.heads.at(c)!.valid.num === 1 ? 2 ** c : 0), 0);
  }
  reset(): void {
    poke(this.b.io.push as never, { valid: 1, class: this.b.random.below(classes), frame: this.#frame() } as never);
    this.b.io.pop.value = 0;
    this.b.sim.reset(1);
    this.#start();
  }
  get left(): number {
    return this.#queues.reduce((n, q) => n + q.frames.length, 0);
  }
}

interface Pace {
  readonly pushes: number;
  readonly pops: readonly number[];
}
const all = (chance: number): readonly number[] => limits.map(() => chance);
/** One class is hardly taken from, and the others all the time. */
const allBut = (c: number): readonly number[] => limits.map((_, i) => (i === c ? 0.05 : 0.9));
const paces = (b: B): readonly Pace[] => [
  { pushes: 1, pops: all(0.5) },
  { pushes: 0.9, pops: all(0.02) },
  { pushes: 0.2, pops: all(1) },
  { pushes: 1, pops: all(0.15) },
  { pushes: 1, pops: allBut(b.random.below(classes)) },
];
async function traffic(rig: Rig, cycles: number, { pushes, pops }: Pace): Promise<void> {
  const { random } = rig.b;
  for (let i = 0; i < cycles; i++) await rig.cycle(random.chance(pushes) ? random.below(classes) : undefined, pops);
}
async function drain(rig: Rig): Promise<void> {
  while (rig.left > 0) await rig.cycle(undefined, all(1));
  for (let i = 0; i < 10; i++) await rig.cycle(undefined, all(1));
}
async function life(b: B): Promise<void> {
  const rig = new Rig(b);
  for (let round = 0; round < 2; round++) for (const pace of paces(b)) await traffic(rig, 170, pace);
  expect(rig.most, "each class was full").toEqual(limits);
  await drain(rig);
}
/** Each class alone: full, and then its frames go one a cycle; and one that is empty has its next frame at once. */
async function alone(b: B): Promise<void> {
  const rig = new Rig(b);
  for (const [c, limit] of limits.entries()) {
    for (let i = 0; i < limit; i++) await rig.cycle(c, all(0));
    // The first ones wait at hand by now.
    for (let i = 0; i < 8; i++) await rig.cycle(undefined, all(0));
    for (let i = 0; i < limit; i++) await rig.cycle(undefined, all(1));
    expect(rig.left, `frames of class ${c} that were not given in as many cycles`).toBe(0);
    await rig.cycle(c, all(0));
    for (let i = 0; i < 2; i++) await rig.cycle(undefined, all(0));
    expect(b.io.heads.at(c)!.valid.num, `class ${c} has its frame 2 cycles later`).toBe(1);
    await drain(rig);
  }
}
async function resets(b: B): Promise<void> {
  const rig = new Rig(b);
  for (let round = 0; round < 40; round++) {
    await traffic(rig, b.random.between(1, 60), paces(b)[round % 5]!);
    rig.reset();
    if (round % 10 === 9) await drain(rig);
  }
}

describe("ClassLists", () => {
  bench("frames of all classes leave in their order, and none waits for another", dut(), { seed: 2 }, life);
  bench("a class alone: a frame a cycle in and out", dut(), { seed: 2 }, alone);
  bench("nothing is there behind a reset", dut(), { seed: 3 }, resets);

  describe("a planted fault is found", () => {
    const look = async (name: string, design: Dut<Ports>): Promise<void> => {
      for (const [i, run] of [life, alone, resets].entries())
        await runBench(`${name} ${i}`, design, { wave: false, seed: 5 }, run);
    };
    test("and nothing without one", () => look("no fault", dut()));
    const faults: readonly (readonly [string, string | RegExp, string])[] = [
      ["the memory is written without a frame", "if (rings_write)", "if (1'b1)"],
      ["a frame passes those in memory", /straight_4 = ([^;]*) & ~any_4/, "straight_4 = $1"],
      ["a ring does not wrap", /\(head_4 == 7'd\d+\) \?/, "1'b0 ?"],
      ["a reset leaves frames at hand", "level_3 <= 3'd0;", ""],
    ];
    test.each(faults)("%s", async (name, from, to) => {
      await findsFault(look(name, plant(dut(), from, to)));
    });
  });
});
