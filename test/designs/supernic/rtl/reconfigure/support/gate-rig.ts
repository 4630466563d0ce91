/** The gate of DAGs beside a model: heads come and go, a merge takes some, packets arrive and leave, software looks. */
import { DagGate, gatedHeads } from "../../../../../../designs/supernic/rtl/reconfigure/index.ts";
import { type Bench, poke } from "../../../../../../sim/index.ts";

export const p = { ports: 2, contexts: 32 } as const;
export const gate = () => DagGate(p);
export type GatePorts = ReturnType<typeof gate>["ports"];
/** DAGs that the bench uses: the ends of the table, and what differs in one bit. */
const dags = [0, 1, 2, 3, 127, 128, 254, 255];
const heads = gatedHeads(p),
  /** Cycles of clearing, and of what is told late. */
  clearing = 256,
  /** Cycles until all frames are told of that were chosen before; until a count has what has arrived. */
  toldCycles = 4,
  countedCycles = 3,
  told = 2,
  late = 12,
  scan = 2 * heads + 8;

interface Head {
  valid: number;
  dag: number;
}
interface Frame {
  readonly dag: number;
  readonly at: number;
  ctx?: number;
}
/** Looks at one head after the other, two cycles each, and stays where it has found one until it is told to go on. */
class Scan {
  #at = 0;
  #second = false;
  #skips = false;
  found: number | undefined;

  /** A cycle. @param waiting by head, the DAG that waits there */
  step(waiting: readonly (number | undefined)[], next: boolean): void {
    if (!this.#second) {
      this.found = waiting[this.#at];
      this.#skips ||= next;
    } else if (this.found === undefined || this.#skips) {
      this.#at = (this.#at + 1) % heads;
      this.found = undefined;
      this.#skips = next;
    } else this.#skips = next;
    this.#second = !this.#second;
  }
}
/** Packets inside by DAG, as they are shown: three cycles behind what comes and goes, of the DAG of a cycle ago. */
class InsideCounts {
  #counts = new Map<number, number>();
  /** What came and went in the last cycles, the newest last. */
  #late: (readonly (readonly [dag: number, by: number])[])[] = [[], []];
  shown: number | undefined;

  step(look: number, came: number | undefined, went: number | undefined): void {
    const now: [number, number][] = [];
    if (came !== undefined) now.push([came, 1]);
    if (went !== undefined) now.push([went, -1]);
    this.#late.push(now);
    for (const [dag, by] of this.#late.shift() ?? []) this.#counts.set(dag, (this.#counts.get(dag) ?? 0) + by);
    this.shown = this.#counts.get(look) ?? 0;
  }
}

/** Whether all frames have arrived that were taken before a DAG was closed, and for some cycles behind that. */
class Fence {
  #under = 0;
  #ahead = 0;
  #pending = false;
  /** DAGs that were closed in the last cycles, and whether nothing was waited for, the newest last. */
  #closed = Array.from({ length: toldCycles }, () => false);
  #calm = Array.from({ length: countedCycles }, () => false);

  get #isCalm(): boolean {
    return this.#ahead === 0 && !this.#pending;
  }
  get settled(): boolean {
    return this.#isCalm && this.#calm[0] === true;
  }
  step({
    closes,
    taken,
    arrives,
  }: {
    readonly closes: boolean;
    readonly taken: boolean;
    readonly arrives: boolean;
  }): void {
    const comes = arrives ? 1 : 0,
      captures = this.#closed.shift() === true;
    this.#calm = [...this.#calm.slice(1), this.#isCalm];
    this.#closed.push(closes);
    if (captures) this.#ahead = this.#under - comes;
    else this.#ahead = Math.max(0, this.#ahead - comes);
    if (closes) this.#pending = true;
    else if (captures) this.#pending = false;
    this.#under += (taken ? 1 : 0) - comes;
  }
}

export class GateRig {
  readonly #b: Bench<GatePorts>;
  #cycle = 0;
  readonly #waits = new Set<number>();
  readonly #heads: Head[] = Array.from({ length: heads }, () => ({ valid: 0, dag: 0 }));
  /** Frames that were chosen and have not arrived; that have, and have not left. */
  #chosen: Frame[] = [];
  #inside: Frame[] = [];
  #free = Array.from({ length: p.contexts }, (_, i) => i);
  #look = 0;
  #still = 0;
  #scan = new Scan();
  #counts = new InsideCounts();
  #next = false;
  #fence = new Fence();
  readonly #seen = new Set<number>();
  #waitsSince = new Map<number, number>();
  /** Chance of a frame to be chosen, to arrive, to leave in a cycle. */
  pace = { choose: 0.5, arrive: 0.5, leave: 0.5 };

  constructor(b: Bench<GatePorts>) {
    this.#b = b;
  }
  #truth(dag: number): number {
    return [...this.#chosen, ...this.#inside].filter(f => f.dag === dag).length;
  }
  #fail(what: string): never {
    throw new Error(`cycle ${this.#cycle}: ${what}`);
  }
  /** Behind a reset nobody waits, and nothing is inside. */
  async reset(): Promise<void> {
    this.#b.sim.reset(2);
    this.#waits.clear();
    this.#chosen = [];
    this.#inside = [];
    this.#free = Array.from({ length: p.contexts }, (_, i) => i);
    this.#still = 0;
    this.#waitsSince.clear();
    for (const h of this.#heads) h.valid = 0;
    this.#idle();
    this.#scan = new Scan();
    this.#counts = new InsideCounts();
    this.#fence = new Fence();
    await this.#rest(clearing + 4);
  }
  /** Cycles in which nothing comes and goes. */
  async #rest(cycles: number): Promise<void> {
    for (let i = 0; i < cycles; i++) {
      await this.#b.cycles(1);
      this.#compare();
      this.#follow();
    }
  }
  /** What the scan and the counts have seen of a cycle. */
  #follow(came?: number, went?: number, told = { closes: false, taken: false }): void {
    this.#fence.step({ ...told, arrives: came !== undefined });
    this.#scan.step(
      this.#heads.map(h => (h.valid === 1 && this.#waits.has(h.dag) ? h.dag : undefined)),
      this.#next,
    );
    this.#counts.step(this.#look, came, went);
  }
  #idle(): void {
    const { io } = this.#b;
    for (const [i, h] of this.#heads.entries()) poke(io.heads.at(i) as never, h as never);
    poke(io.wait as never, { en: 0, index: 0, value: { waits: 0 } } as never);
    poke(io.arrived as never, { valid: 0, ctx: 0, dag: 0 } as never);
    poke(io.decided as never, { valid: 0, ctx: 0 } as never);
    io.taken.value = 0;
    io.next.value = 0;
    this.#next = false;
  }
  async run(cycles: number): Promise<void> {
    for (let i = 0; i < cycles; i++) await this.#step();
  }
  async #step(): Promise<void> {
    const { io, random } = this.#b,
      pick = <T>(list: readonly T[]): T => list[random.between(0, list.length - 1)] as T;
    this.#idle();
    // New heads where there are none.
    for (const h of this.#heads)
      if (h.valid === 0 && random.chance(0.2)) Object.assign(h, { valid: 1, dag: pick(dags) });
    for (const [i, h] of this.#heads.entries()) poke(io.heads.at(i) as never, h as never);
    // One that is open is chosen; the merge tells of it two cycles later.
    const open = this.#heads.filter(h => h.valid === 1 && !this.#waits.has(h.dag)),
      under = this.#chosen.length,
      goes =
        under < 16 && this.#inside.length + under < p.contexts && open.length > 0 && random.chance(this.pace.choose);
    const taken = goes ? pick(open) : undefined;
    io.taken.value = this.#chosen.some(f => f.at === this.#cycle - told) ? 1 : 0;
    const [first] = this.#chosen;
    let arrives: Frame | undefined;
    if (first !== undefined && first.at < this.#cycle - told && random.chance(this.pace.arrive)) {
      arrives = first;
      arrives.ctx = this.#free.splice(random.between(0, this.#free.length - 1), 1)[0] ?? 0;
      poke(io.arrived as never, { valid: 1, ctx: arrives.ctx, dag: arrives.dag } as never);
    }
    let leaves: Frame | undefined;
    const old = this.#inside.filter(f => f.at < this.#cycle - late);
    if (old.length > 0 && random.chance(this.pace.leave)) {
      leaves = pick(old);
      poke(io.decided as never, { valid: 1, ctx: leaves.ctx ?? 0 } as never);
    }
    // Software closes and opens, and looks elsewhere when it has looked for a while.
    let write: { dag: number; waits: boolean } | undefined;
    if (random.chance(0.05)) {
      write = { dag: pick(dags), waits: random.chance(0.6) };
      poke(io.wait as never, { en: 1, index: write.dag, value: { waits: write.waits ? 1 : 0 } } as never);
    }
    if (random.chance(0.02)) {
      this.#look = pick(dags);
      this.#still = 0;
    }
    io.look.value = this.#look;
    this.#next = random.chance(0.2);
    io.next.value = this.#next ? 1 : 0;
    const remove = this.#b.onEdge({ sample: () => this.#check() });
    await this.#b.cycles(1);
    remove();
    this.#follow(arrives?.dag, leaves?.dag, { closes: write?.waits === true, taken: io.taken.value === 1 });
    if (taken !== undefined) {
      this.#chosen.push({ dag: taken.dag, at: this.#cycle });
      taken.valid = 0;
    }
    if (arrives !== undefined) {
      this.#chosen.shift();
      this.#inside.push({ dag: arrives.dag, at: this.#cycle, ctx: arrives.ctx ?? 0 });
    }
    if (leaves !== undefined) {
      this.#inside.splice(this.#inside.indexOf(leaves), 1);
      this.#free.push(leaves.ctx ?? 0);
    }
    if (write !== undefined) {
      if (write.waits) this.#waits.add(write.dag);
      else this.#waits.delete(write.dag);
      if (write.waits) this.#still = 0;
    }
    this.#cycle++;
  }
  #check(): void {
    const { open, shown } = this.#b.io,
      bits = BigInt(open.value);
    for (const [i, h] of this.#heads.entries())
      if (h.valid === 1 && ((bits >> BigInt(i)) & 1n) !== (this.#waits.has(h.dag) ? 0n : 1n))
        this.#fail(`head ${i} of DAG ${h.dag} is let through, or is not`);
    const inside = shown.inside.value,
      isSettled = shown.settled.value === 1,
      truth = this.#truth(this.#look);
    this.#compare();
    this.#still++;
    // What software relies on: a closed DAG of which nothing is shown has nothing inside, or on its way there.
    if (this.#waits.has(this.#look) && this.#still > 4 && isSettled && inside === 0 && truth > 0)
      this.#fail(`nothing of DAG ${this.#look} is shown, and ${truth} are inside`);
    this.#scanned(shown.waits.value === 1, shown.dag.value);
  }
  /** What is shown, of what came until now. */
  #compare(): void {
    const { waits, dag, inside, settled } = this.#b.io.shown,
      found = waits.value === 1 ? dag.num : undefined;
    if (this.#counts.shown !== undefined && inside.num !== this.#counts.shown)
      this.#fail(`${inside.num} of a DAG are inside, not ${this.#counts.shown}`);
    if (found !== this.#scan.found) this.#fail(`DAG ${found ?? "none"} is shown, not ${this.#scan.found ?? "none"}`);
    if ((settled.value === 1) !== this.#fence.settled) this.#fail("it is settled, or not");
  }
  /** Each DAG that waits is shown, sooner or later; what is shown waits, or did just now. */
  #scanned(is: boolean, dag: number): void {
    if (is) this.#seen.add(dag);
    const there = new Set(this.#heads.filter(h => h.valid === 1 && this.#waits.has(h.dag)).map(h => h.dag));
    for (const d of dags) {
      if (!there.has(d)) this.#waitsSince.delete(d);
      else if (!this.#waitsSince.has(d)) this.#waitsSince.set(d, this.#cycle);
      // At the chance of going on that software has here, all heads have been shown by then.
      const since = this.#waitsSince.get(d);
      if (is && d === dag) this.#waitsSince.delete(d);
      if (since !== undefined && this.#cycle - since > 12 * scan) this.#fail(`DAG ${d} waits and is not shown`);
    }
    if (is && !this.#recent(dag)) this.#fail(`DAG ${dag} is shown, and nothing of it waits`);
  }
  readonly #last = new Map<number, number>();
  #recent(dag: number): boolean {
    for (const h of this.#heads) if (h.valid === 1 && this.#waits.has(h.dag)) this.#last.set(h.dag, this.#cycle);
    return this.#cycle - (this.#last.get(dag) ?? -Infinity) <= 5;
  }
  /** All leave; then each closed DAG is shown as empty, and the counts of all are 0. */
  async end(): Promise<void> {
    const { io } = this.#b;
    this.pace = { choose: 0, arrive: 1, leave: 1 };
    for (let i = 0; i < 200 && this.#chosen.length + this.#inside.length > 0; i++) await this.#step();
    this.#idle();
    await this.#rest(20);
    for (const dag of dags) {
      io.look.value = this.#look = dag;
      await this.#rest(4);
      if (io.shown.inside.value !== 0 || io.shown.settled.value !== 1)
        this.#fail(`at the end ${io.shown.inside.value} of DAG ${dag} are inside`);
    }
  }
}
/** Traffic at several paces, with a reset in the middle. */
export async function life(b: Bench<GatePorts>): Promise<void> {
  const rig = new GateRig(b);
  await rig.reset();
  for (const pace of [
    { choose: 0.5, arrive: 0.5, leave: 0.5 },
    { choose: 1, arrive: 0.2, leave: 0.1 },
    { choose: 1, arrive: 1, leave: 1 },
  ]) {
    rig.pace = pace;
    await rig.run(700);
    await rig.end();
  }
  rig.pace = { choose: 1, arrive: 0.3, leave: 0.3 };
  await rig.run(200);
  await rig.reset();
  rig.pace = { choose: 1, arrive: 0.3, leave: 0.3 };
  await rig.run(300);
  await rig.end();
}
