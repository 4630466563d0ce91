/** The lists of packets that wait: order, turns and times of each port and class, against queues in the bench. */
import { describe, expect, test } from "vitest";
import { Lists } from "../../../../../designs/supernic/rtl/egress/lists.ts";
import { type Bench, type Dut, poke, runBench } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { testOfResets } from "../../../../support/reset-any-time.ts";
import { scramble } from "../../support/any-value.ts";

const sizes = {
    ...{ ports: 4, users: 16, contexts: 64, cells: 1024, frameBytes: 1536, macs: 64 },
    pauseCycles: 2_500_000,
  } as const,
  dutOf = (smallAlone: boolean) => Lists({ ...sizes, smallAlone });
type Ports = ReturnType<typeof dutOf>["ports"];
type B = Bench<Ports>;
const ports = sizes.ports + 1,
  classes = 4,
  frameSizes = 4,
  all = (1 << ports) - 1,
  allClasses = (1 << classes) - 1;
/** Cycles from `push` to `picked`, and from a frame of a port to the next one where one of them is large. */
const latency = 3,
  apart = 3;
interface Waits {
  readonly ctx: number;
  readonly size: number;
  readonly cycle: number;
  /** Since it is there: its class was open, or dropped. */
  wasOpen: boolean;
  wasDropped: boolean;
}
interface Picks {
  readonly port: number;
  readonly class: number;
  readonly size: number;
  readonly dropped: boolean;
  readonly cycle: number;
  readonly pushed: number;
}
/** Inputs of a cycle. */
interface Now {
  readonly room: number;
  readonly fits: readonly number[];
  readonly stalls: boolean;
}

class Rig {
  readonly b: B;
  readonly lists: Waits[][][] = Array.from({ length: ports }, () => Array.from({ length: classes }, () => []));
  readonly picks: Picks[] = [];
  passed = 0;
  readonly #free = Array.from({ length: sizes.contexts }, (_, i) => i);
  /** The inputs of the cycles before, the last one first. */
  #before: Now[] = [];
  #open: readonly number[] = [];
  #drops: readonly number[] = [];
  readonly #last = Array.from({ length: ports }, () => ({ cycle: -9, large: false }));
  readonly #alone: boolean;

  constructor(b: B, alone: boolean) {
    this.b = b;
    this.#alone = alone;
    this.opens();
    const { io } = b;
    for (const d of io.drops) d.value = 0;
    io.urgent.value = io.stalls.value = 0;
    this.none();
  }
  /** All are open, and everything fits. */
  opens(): void {
    const { io } = this.b;
    for (const o of io.open) o.value = allClasses;
    for (const f of io.fits) f.value = all;
    io.room.value = all;
    io.stalls.value = 0;
  }
  none(): void {
    scramble(this.b.random, this.b.io.push);
    this.b.io.push.valid.value = 0;
  }
  get free(): number {
    return this.#free.length;
  }
  waiting(port: number): number {
    return this.lists[port]?.reduce((sum, l) => sum + l.length, 0) ?? 0;
  }
  /** A packet comes in this cycle, and may pass. */
  push(port: number, of: number, size: number, mayPass = false): void {
    const [ctx] = this.#free.splice(this.b.random.below(this.#free.length), 1);
    if (ctx === undefined) throw new Error("no context is free");
    poke(this.b.io.push, {
      ...{ valid: 1, mayPass: mayPass ? 1 : 0, ctx, size },
      list: { port: 1 << port, class: 1 << of },
    });
  }
  async cycle(): Promise<void> {
    const { io } = this.b;
    await this.b.cycles(1);
    const now: Now = { room: io.room.num, fits: io.fits.map(f => f.num), stalls: io.stalls.value === 1 };
    this.#picked();
    const passes = this.#couldPass(now);
    this.#pushed(passes);
    const opens = io.open.map(o => o.num),
      drops = io.drops.map(d => d.num);
    [this.#open, this.#drops] = [opens, drops];
    this.lists.forEach((row, q) =>
      row.forEach((l, k) => {
        for (const waits of l) Object.assign(waits, this.#served(q, k, waits));
      }),
    );
    this.#before = [now, ...this.#before.slice(0, 3)];
    this.none();
  }
  /** Whether a class is served; one that drops is not open. */
  #served(port: number, of: number, was = { wasOpen: false, wasDropped: false }) {
    const drops = (((this.#drops[port] ?? 0) >> of) & 1) === 1,
      opens = !drops && (((this.#open[port] ?? 0) >> of) & 1) === 1;
    return { wasOpen: was.wasOpen || opens, wasDropped: was.wasDropped || drops };
  }
  #picked(): void {
    const { io, cycle } = this.b;
    if (io.picked.valid.value === 0) return;
    const { packet } = io.picked,
      port = Math.log2(packet.list.port.num),
      of = Math.log2(packet.list.class.num),
      dropped = packet.dropped.value === 1,
      first = this.lists[port]?.[of]?.shift(),
      // It was chosen a cycle ago, when it was known what fitted before that.
      [chosen, fitted] = this.#before;
    if (first === undefined || first.ctx !== packet.ctx.num || first.size !== packet.size.num)
      throw new Error(`context ${packet.ctx.num} is picked of port ${port}, class ${of}, and is not the first`);
    if (dropped ? !first.wasDropped : !first.wasOpen)
      throw new Error(`a packet is picked of a class that is not served`);
    if (chosen?.stalls === true && fitted?.stalls === true) throw new Error("a packet is picked though all stalls");
    if (!dropped && chosen && fitted) {
      if (((chosen.room >> port) & 1) === 0) throw new Error(`port ${port} has no room`);
      if ((((fitted.fits[first.size] ?? 0) >> port) & 1) === 0) throw new Error(`size ${first.size} does not fit`);
      this.#follows(port, first.size > 0, cycle - 1);
    }
    this.#free.push(first.ctx);
    const { size } = first;
    this.picks.push({ port, class: of, size, dropped, cycle, pushed: first.cycle });
  }
  /** A frame goes to a port in this cycle. */
  #follows(port: number, large: boolean, cycle: number): void {
    const last = this.#last[port];
    if (last === undefined) return;
    const mayFollow = this.#alone ? apart : large || last.large ? apart : 1;
    if (cycle - last.cycle < mayFollow)
      throw new Error(`port ${port}: a frame ${cycle - last.cycle} cycles behind another`);
    Object.assign(last, { cycle, large });
  }
  #couldPass(now: Now): boolean {
    // Whatever has just been picked is of any port.
    const { io, cycle } = this.b;
    if (io.push.valid.value === 0) {
      if (io.couldPass.value === 1) throw new Error("nobody could pass");
      return false;
    }
    const port = Math.log2(io.push.list.port.num),
      of = io.push.list.class.num,
      fits = ((now.fits[io.push.size.num] ?? 0) & now.room & io.push.list.port.num) !== 0,
      isOpen = ((this.#open[port] ?? 0) & ~(this.#drops[port] ?? 0) & of) !== 0,
      could = io.couldPass.value === 1,
      own = this.lists[port]?.[Math.log2(of)]?.length ?? 0;
    if (could && !(fits && isOpen && own === 0)) throw new Error("a packet could pass that must wait");
    const isQuiet = this.waiting(port) === 0 && this.picks.at(-1)?.cycle !== cycle;
    if (!could && fits && isOpen && isQuiet) throw new Error("a packet could pass, and is kept");
    return could && io.push.mayPass.value === 1;
  }
  #pushed(passes: boolean): void {
    const { io, cycle } = this.b;
    if (io.push.valid.value === 0) return;
    const port = Math.log2(io.push.list.port.num),
      ctx = io.push.ctx.num,
      size = io.push.size.num;
    if (passes) {
      this.passed++;
      this.#free.push(ctx);
      Object.assign(this.#last[port] ?? {}, { cycle, large: size > 0 });
      return;
    }
    this.lists[port]?.[Math.log2(io.push.list.class.num)]?.push({
      ctx,
      size,
      cycle,
      wasOpen: false,
      wasDropped: false,
    });
  }
  async emptied(): Promise<void> {
    for (let n = 0; this.lists.flat(2).length > 0; n++) {
      if (n > 1000) throw new Error("packets stay in their lists");
      await this.cycle();
    }
    await this.cycle();
  }
  reset(): void {
    this.none();
    this.b.sim.reset(1);
    for (const l of this.lists.flat()) this.#free.push(...l.splice(0).map(w => w.ctx));
    this.picks.splice(0);
    this.#before = [];
    this.#open = this.#drops = [];
    for (const last of this.#last) last.cycle = -9;
  }
}

const randomly =
  (alone: boolean) =>
  async (b: B): Promise<void> => {
    const { random: r, io } = b,
      rig = new Rig(b, alone);
    for (let round = 0; round < 12; round++) {
      const p = { push: r.pick([0.2, 0.6, 1]), change: r.pick([0.02, 0.3]), most: r.pick([4, 30, 64]) };
      const urgent = r.chance(0.3) ? 1 << r.below(classes) : 0;
      io.urgent.value = urgent;
      for (let n = 0; n < 120; n++) {
        if (sizes.contexts - rig.free < p.most && rig.free > 0 && r.chance(p.push))
          rig.push(r.below(ports), r.below(classes), r.below(frameSizes), r.chance(0.5));
        if (r.chance(p.change)) {
          io.room.value = r.below(all + 1) | r.below(all + 1);
          for (const f of io.fits) f.value = r.below(all + 1) | r.below(all + 1);
          for (const o of io.open) o.value = r.below(allClasses + 1);
          for (const d of io.drops) d.value = r.chance(0.7) ? 0 : 1 << r.below(classes);
          io.stalls.value = r.chance(0.1) ? 1 : 0;
        }
        await rig.cycle();
      }
      if (round % 3 === 2) rig.reset();
      rig.opens();
      for (const d of io.drops) d.value = 0;
      await rig.emptied();
    }
    expect(rig.passed).toBeGreaterThan(20);
  };
/** One alone, in each port and class: three cycles behind, also as the first behind a reset. */
async function alone(b: B): Promise<void> {
  const rig = new Rig(b, false);
  for (let port = 0; port < ports; port++)
    for (let of = 0; of < classes; of++) {
      if (of % 2 === 0) rig.reset();
      rig.push(port, of, of);
      await rig.cycle();
      await rig.emptied();
      const [pick] = rig.picks.splice(0);
      expect([pick?.port, pick?.class, (pick?.cycle ?? NaN) - (pick?.pushed ?? NaN)]).toEqual([port, of, latency]);
      for (let i = 0; i < 3; i++) await rig.cycle();
    }
}
/** Full lists: each class of a port in its turn, each port in its turn, one in every cycle. */
async function turns(b: B): Promise<void> {
  const { io } = b,
    rig = new Rig(b, false);
  for (const busy of [[0, 1, 2, 3, 4], [2], [1, 4]]) {
    rig.reset();
    rig.opens();
    io.room.value = 0;
    for (let i = 0; i < 60; i++) {
      rig.push(busy[i % busy.length] ?? 0, Math.floor(i / busy.length) % classes, 0);
      await rig.cycle();
    }
    for (let i = 0; i < 4; i++) await rig.cycle();
    expect(rig.picks).toEqual([]);
    io.room.value = all;
    await rig.emptied();
    const { picks } = rig;
    expect(picks).toHaveLength(60);
    expect((picks.at(-1)?.cycle ?? NaN) - (picks[0]?.cycle ?? NaN)).toBe(59);
    for (let i = 0; i + busy.length <= 60; i++)
      expect(new Set(picks.slice(i, i + busy.length).map(p => p.port)).size).toBe(busy.length);
    for (const q of busy) {
      const mine = picks.filter(p => p.port === q).map(p => p.class);
      // A list that is over takes no turns any more.
      for (let i = 0; i + classes <= mine.length - classes; i++)
        expect(new Set(mine.slice(i, i + classes)).size, `port ${q}: ${mine.join(",")}`).toBe(classes);
    }
  }
}
/** A class that is closed keeps its packets, and no other one does; those of one that drops are marked. */
async function closed(b: B): Promise<void> {
  const { io } = b,
    rig = new Rig(b, false);
  for (let n = 0; n < 2 * ports * classes; n++) {
    const [port, of, dropped] = [Math.floor(n / 2 / classes), Math.floor(n / 2) % classes, n % 2 === 1];
    const [open, drops] = [io.open[port], io.drops[port]];
    if (open === undefined || drops === undefined) throw new Error(`there is no port ${port}`);
    open.value = allClasses & ~(1 << of);
    for (let i = 0; i < 2; i++) await rig.cycle();
    for (let q = 0; q < ports; q++)
      for (let k = 0; k < classes; k++) {
        rig.push(q, k, 0);
        await rig.cycle();
      }
    for (let i = 0; i < 12; i++) await rig.cycle();
    expect(rig.picks.map(p => p.dropped)).toEqual(Array.from({ length: ports * classes - 1 }, () => false));
    expect(rig.waiting(port)).toBe(1);
    const from = rig.b.cycle;
    if (dropped) drops.value = 1 << of;
    else open.value = allClasses;
    await rig.emptied();
    expect(rig.picks.at(-1)).toMatchObject({ port, class: of, dropped, cycle: from + latency + 1 });
    drops.value = 0;
    open.value = allClasses;
    rig.picks.splice(0);
  }
}
/** One class goes first, but for one of another class behind each 64 of its own, and a few. */
async function urgent(b: B): Promise<void> {
  const { io } = b,
    rig = new Rig(b, false),
    patience = 64,
    few = 3;
  for (let port = 0; port < ports; port++) {
    const of = (port + 1) % classes;
    io.urgent.value = 1 << of;
    for (let i = 0; i < 8; i++) {
      rig.push(port, (of + 1 + (i % 3)) % classes, 3);
      await rig.cycle();
    }
    rig.picks.splice(0);
    for (let n = 0; n < 600 && rig.waiting(port) > 0; n++) {
      if ((rig.lists[port]?.[of]?.length ?? 0) < 6 && n < 500) rig.push(port, of, 1);
      await rig.cycle();
    }
    const order = rig.picks.map(p => p.class);
    expect(order.filter(k => k === of).length).toBeGreaterThan(100);
    // How many of the urgent class pass until others go; the first come beside others, the last ones are too few.
    const passes = order.join("").split(new RegExp(`[^${of}]+`)),
      whole = passes.slice(1, -2).map(run => run.length);
    for (const run of whole) {
      expect(run).toBeGreaterThanOrEqual(patience);
      expect(run).toBeLessThanOrEqual(patience + few);
    }
    expect(whole.length).toBeGreaterThan(0);
    rig.reset();
  }
}
/** What an urgent class does alone counts for nothing: who comes then waits for as many as anybody, whichever he is. */
async function urgentAlone(b: B): Promise<void> {
  const { io } = b,
    rig = new Rig(b, false),
    patience = 64,
    few = 4;
  for (let n = 0; n < ports * classes; n++) {
    const [port, other] = [n % ports, Math.floor(n / ports)],
      of = (other + 1 + (port % 3)) % classes;
    rig.reset();
    rig.opens();
    io.urgent.value = 1 << of;
    for (let i = 0; i < 50; i++) {
      rig.push(port, of, 0);
      await rig.cycle();
    }
    // So many wait that it is never without one.
    io.room.value = 0;
    for (let i = 0; i < 8; i++) {
      rig.push(port, of, 0);
      await rig.cycle();
    }
    rig.push(port, other, 0);
    await rig.cycle();
    io.room.value = all;
    rig.picks.splice(0);
    for (let i = 0; i < patience + 20; i++) {
      rig.push(port, of, 0);
      await rig.cycle();
    }
    const passed = rig.picks.findIndex(p => p.class === other);
    expect(passed).toBeGreaterThanOrEqual(patience);
    expect(passed).toBeLessThanOrEqual(patience + few);
  }
}
/** One that waits for its class goes, and one of each size passes, all cycles about each other. */
async function passing(b: B): Promise<void> {
  const rig = new Rig(b, false);
  for (let n = 0; n < frameSizes * frameSizes * 5; n++) {
    const [waits, passes, after] = [n % frameSizes, Math.floor(n / frameSizes) % frameSizes, (n % 5) - 1],
      port = n % ports,
      open = b.io.open[port];
    if (open === undefined) throw new Error(`there is no port ${port}`);
    open.value = allClasses & ~1;
    for (let i = 0; i < 3; i++) await rig.cycle();
    rig.push(port, 0, waits);
    for (let i = 0; i < 8; i++) {
      await rig.cycle();
      if (i === 3) open.value = allClasses;
      if (i === 3 + after) rig.push(port, 1, passes, true);
    }
    await rig.emptied();
  }
  expect(rig.passed).toBeGreaterThan(frameSizes * frameSizes);
}
/** Large frames of one port: one in three cycles, and never in less. */
async function large(b: B): Promise<void> {
  const rig = new Rig(b, false);
  for (const size of [1, 3]) {
    for (let i = 0; i < 12; i++) {
      rig.push(3, i % classes, size);
      await rig.cycle();
    }
    await rig.emptied();
    const cycles = rig.picks.splice(0).map(p => p.cycle);
    expect(cycles.slice(1).map((c, i) => c - (cycles[i] ?? NaN))).toEqual(Array.from({ length: 11 }, () => apart));
  }
}

const runs = { randomly: randomly(false), alone, turns, closed, urgent, urgentAlone, passing, large };
describe("Lists", () => {
  testOfResets(dutOf(false), {}, randomly(false));
  bench("each packet once, in its order, when it may go", dutOf(false), { seed: 1 }, randomly(false));
  bench("and where small ones are alone, too", dutOf(true), { seed: 2 }, randomly(true));
  bench("three cycles behind its push", dutOf(false), { seed: 3 }, alone);
  bench("classes and ports in turns", dutOf(false), { seed: 4 }, turns);
  bench("a class that is closed, and one that drops", dutOf(false), { seed: 6 }, closed);
  bench("an urgent class", dutOf(false), { seed: 7 }, urgent);
  bench("an urgent class that was alone", dutOf(false), { seed: 8 }, urgentAlone);
  bench("who passes as another one goes", dutOf(false), { seed: 9 }, passing);
  bench("large ones apart", dutOf(false), { seed: 5 }, large);

  describe("a planted fault is found", () => {
    const look = async (name: string, design: Dut<Ports>): Promise<void> => {
      for (const [what, run] of Object.entries(runs))
        await runBench(`${name} ${what}`, design, { wave: false, limitCycles: 20_000, seed: 4 }, run);
    };
    test("and nothing without one", () => look("no fault", dutOf(false)));
    const faults: readonly (readonly [string, string | RegExp, string])[] = [
      ["a class is open with its neighbour", "open_0[0]", "open_0[1]"],
      ["what drops does not leave", "open_4[3] | drops_4[3]", "open_4[3]"],
      ["an urgent class that is alone counts", /(urgent_\d_others =) [^;]*;/, "$1 1'b1;"],
      ["the room of another port", "room[2]", "room[3]"],
    ];
    test.each(faults)("%s", async (name, from, to) => {
      await findsFault(look(name, plant(dutOf(false), from, to)));
    });
  });
});
