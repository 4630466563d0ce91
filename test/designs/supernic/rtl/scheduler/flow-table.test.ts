import { describe, expect, test } from "vitest";
import { type FlowParameters, FlowTable } from "../../../../../designs/supernic/rtl/index.ts";
import { type Bench, type Dut, runBench } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";

export const parameterSets = {
  small: { regions: 3, groups: 2, hashBits: 2, contexts: 16, generationBits: 2 },
  full: { regions: 4, groups: 4, hashBits: 8, contexts: 256, generationBits: 4 },
  swept: { regions: 3, groups: 2, hashBits: 3, contexts: 8, generationBits: 2 },
  largest: { regions: 8, groups: 4, hashBits: 3, contexts: 16, generationBits: 1 },
} as const satisfies Readonly<Record<string, FlowParameters>>;
type SetName = keyof typeof parameterSets;
const dut = (set: SetName) => FlowTable(parameterSets[set]);
type Ports = ReturnType<typeof dut>["ports"];
type B = Bench<Ports>;

interface Flow {
  region: number;
  /** Packets of it went to another region, too: the chain of each had one instance. */
  mixed: boolean;
  marked: boolean;
  /** It may be held as well: its region was marked a short while before it came in. */
  maybe: boolean;
  entered: number;
  left: number;
  /** Packets that asked, did not go, and have not asked again. */
  waiting: number;
  /** Cycle of each leave that `ask` does not see yet. */
  readonly leaving: number[];
}
interface Ask {
  readonly flow: number;
  /** The first of those of its flow that wait; it asks again, or gives up. */
  readonly again?: boolean;
  readonly givesUp?: boolean;
  readonly unordered?: boolean;
  readonly pinned?: number;
}
interface Mark {
  readonly group: number;
  /** Regions, a bit each. */
  readonly from: number;
}
interface Packet {
  readonly unordered: boolean;
  readonly flow: number;
  readonly region: number;
}

/** The table as the design says it, in cycles, and packets that enter, stay and leave. */
class Rig {
  readonly b: B;
  readonly p: FlowParameters;
  readonly flows: Flow[];
  readonly loads: number[];
  readonly masks: number[];
  readonly inside: Packet[] = [];
  readonly met = {
    waits: 0,
    stays: 0,
    chooses: 0,
    marksInside: 0,
    spared: 0,
    mixed: 0,
    behind: 0,
    again: 0,
    gaveUp: 0,
    unordered: 0,
    pinned: 0,
  };
  /** The loads of the cycle before. */
  #shown: readonly number[];
  /** Loads and masks of the cycles before, newest first. */
  readonly #past: { loads: readonly number[]; masks: number[] }[] = [];
  #asked: (Ask & { readonly cycle: number }) | undefined;
  #ask: Ask | undefined;
  #mark: Mark | undefined;
  /** A mark that was taken: it counts for whoever was asking. */
  #taken: (Mark & { readonly cycle: number }) | undefined;
  /** Marks, newest first. */
  readonly #marks: (Mark & { readonly cycle: number })[] = [];
  #cycle = 0;

  constructor(b: B, set: SetName) {
    this.b = b;
    this.p = parameterSets[set];
    this.masks = Array.from({ length: this.p.groups }, () => 2 ** this.p.regions - 1);
    this.loads = Array.from({ length: this.p.regions }, () => 0);
    this.#shown = [...this.loads];
    this.flows = Array.from({ length: this.p.groups << this.p.hashBits }, () => ({
      region: 0,
      mixed: false,
      marked: false,
      maybe: false,
      entered: 0,
      left: 0,
      waiting: 0,
      leaving: [],
    }));
    this.#write();
  }
  #write(): void {
    this.masks.forEach((m, g) => (this.b.io.instances[g]!.value = m));
    const { io } = this.b;
    io.ask.valid.value = io.mark.valid.value = io.leave.valid.value = 0;
  }
  /** Waits until the table is clear. */
  async cleared(): Promise<void> {
    for (let n = 0; n < this.flows.length + 4; n++) await this.cycle({});
  }
  get busy(): boolean {
    return this.#ask !== undefined || this.#mark !== undefined || this.#asked !== undefined;
  }

  /** A cycle: who asks (until he is taken), who leaves, what is marked (until it is). */
  async cycle(o: { readonly ask?: Ask; readonly leave?: Packet; readonly mark?: Mark }): Promise<void> {
    const { io } = this.b,
      { hashBits } = this.p,
      hashes = 2 ** hashBits;
    this.#ask ??= o.ask;
    this.#mark ??= o.mark;
    this.masks.forEach((m, g) => (io.instances[g]!.value = m));
    io.ask.valid.value = this.#ask === undefined ? 0 : 1;
    const ask = this.#ask ?? { flow: 0 };
    io.ask.payload.flow.group.value = Math.floor(ask.flow / hashes);
    io.ask.payload.flow.hash.value = ask.flow % hashes;
    io.ask.payload.again.value = ask.again === true ? 1 : 0;
    io.ask.payload.givesUp.value = ask.givesUp === true ? 1 : 0;
    io.ask.payload.unordered.value = ask.unordered === true ? 1 : 0;
    io.ask.payload.pinned.value = ask.pinned === undefined ? 0 : 1;
    io.ask.payload.region.value = ask.pinned ?? 0;
    io.mark.valid.value = this.#mark === undefined ? 0 : 1;
    io.mark.payload.group.value = this.#mark?.group ?? 0;
    io.mark.payload.from.value = this.#mark?.from ?? 0;
    io.leave.valid.value = o.leave === undefined ? 0 : 1;
    // Without a leave there is anything on its wires.
    const left = o.leave ?? {
      flow: this.b.random.below(this.flows.length),
      region: this.b.random.below(this.p.regions),
      unordered: this.b.random.chance(0.5),
    };
    io.leave.unordered.value = left.unordered ? 1 : 0;
    io.leave.flow.group.value = Math.floor(left.flow / hashes);
    io.leave.flow.hash.value = left.flow % hashes;
    io.leave.region.value = left.region;
    await this.b.cycles(1);
    const now = ++this.#cycle;

    // What `ask` sees: leaves of earlier cycles.
    for (const f of this.flows) for (; (f.leaving[0] ?? now) < now; f.leaving.shift()) f.left++;
    this.#shown.forEach((n, r) => expect(io.loads[r]!.num, `load of region ${r}, cycle ${now}`).toBe(n));
    this.#answer(now);
    this.#past.unshift({ loads: this.#shown, masks: [...this.masks] });
    this.#shown = [...this.loads];
    this.#past.length = Math.min(this.#past.length, 8);
    this.#count(now);
    this.#markAll();

    if (o.leave !== undefined) {
      if (!o.leave.unordered) this.flows[o.leave.flow]!.leaving.push(now);
      this.loads[o.leave.region]!--;
    }
    if (this.#ask !== undefined && io.ask.ready.value !== 0) {
      this.#asked = { ...this.#ask, cycle: now };
      this.#ask = undefined;
    }
    if (this.#mark !== undefined && io.mark.ready.value !== 0) {
      this.#taken = { ...this.#mark, cycle: now };
      this.#mark = undefined;
    }
  }
  /** A mark counts for all that asked before: the last of them has its answer a cycle later. */
  #markAll(): void {
    const m = this.#taken;
    if (m === undefined || m.cycle === this.#cycle) return;
    this.#taken = undefined;
    if (m.from === 0) return;
    this.#marks.unshift(m);
    // A sweep of a group, when all groups are to be swept.
    const swept = this.p.groups * (8 << this.p.hashBits) * 2 + 64,
      recent = this.#marks
        .filter(o => o.group === m.group && o.cycle > m.cycle - swept)
        .reduce((n, o) => n | o.from, 0);
    for (let hash = 0; hash < 2 ** this.p.hashBits; hash++) {
      const f = this.flows[(m.group << this.p.hashBits) + hash]!;
      if (f.entered === f.left || f.marked) continue;
      f.marked = f.mixed || ((m.from >> f.region) & 1) === 1;
      f.maybe ||= ((recent >> f.region) & 1) === 1;
      if (f.marked) this.met.marksInside++;
      else if (!f.maybe) this.met.spared++;
    }
  }
  #going: Packet | undefined;
  #answer(now: number): void {
    const { io } = this.b,
      asked = this.#asked;
    this.#asked = undefined;
    this.#going = undefined;
    expect(io.answer.valid.value, `answer in cycle ${now}`).toBe(asked === undefined ? 0 : 1);
    if (asked === undefined) return;
    const f = this.flows[asked.flow]!,
      // A leave of the cycle in which it asked is seen by the next one only.
      left = f.left - (f.leaving.length === 0 ? this.#justLeft(f, now) : 0),
      there = f.entered !== left,
      again = asked.again === true,
      unordered = asked.unordered === true,
      gives = asked.givesUp === true,
      must = !unordered && ((there && f.marked) || (f.waiting > 0 && !again)),
      may = !unordered && there && f.maybe,
      waits = must || (may && io.answer.goes.value === 0);
    expect(io.answer.goes.value, `goes in cycle ${now}`).toBe(waits || gives ? 0 : 1);
    if (gives) {
      this.met.gaveUp++;
      f.waiting--;
      return;
    }
    if (waits) {
      this.met.waits++;
      if (!again) f.waiting++;
      return;
    }
    if (again) {
      this.met.again++;
      f.waiting--;
    }
    if (unordered) this.met.unordered++;
    if (asked.pinned !== undefined) this.met.pinned++;
    if (there) this.met.stays++;
    else this.met.chooses++;
    const late = this.#past[Math.ceil(Math.log2(this.p.regions)) - 1]!,
      mask = late.masks[asked.flow >> this.p.hashBits]!;
    const fewest = late.loads.reduce(
      (best, n, r) => ((mask >> r) & 1 && (best < 0 || n < late.loads[best]!) ? r : best),
      -1,
    );
    const region = asked.pinned ?? (there && !unordered ? f.region : fewest);
    expect(io.answer.region.value, `region in cycle ${now}`).toBe(region);
    // Nothing overtakes: whatever of the flow is inside is in this region.
    if (!unordered && there && (f.mixed || region !== f.region)) {
      expect(asked.pinned ?? f.region).toBe(region);
      this.met.mixed++;
      f.mixed = true;
    } else if (!unordered) {
      f.mixed = false;
      for (const p of this.inside) if (p.flow === asked.flow && !p.unordered) expect(p.region).toBe(region);
    }
    if (fewest !== this.loads.indexOf(Math.min(...this.loads))) this.met.behind++;
    this.#going = { flow: asked.flow, region, unordered };
  }
  readonly #lastLeft = new Map<Flow, number>();
  #justLeft(f: Flow, now: number): number {
    return this.#lastLeft.get(f) === now - 1 ? 1 : 0;
  }
  #count(_now: number): void {
    const g = this.#going;
    if (g === undefined) return;
    const f = this.flows[g.flow]!;
    if (!g.unordered) {
      f.entered++;
      f.region = g.region;
      f.marked = f.maybe = false;
    }
    this.loads[g.region]!++;
    this.inside.push(g);
  }
  noteLeave({ flow, unordered }: Packet): void {
    if (!unordered) this.#lastLeft.set(this.flows[flow]!, this.#cycle + 1);
  }
  /** Somebody of the flow: of those that wait the first, often. */
  #asking(flow: number, room: boolean): Ask {
    const { random } = this.b,
      f = this.flows[flow]!;
    if (room && random.chance(0.1)) return { flow, unordered: true };
    const again = f.waiting > 0 && this.#asked?.flow !== flow && (!room || random.chance(0.6));
    if (again) return { flow, again, givesUp: random.chance(0.1) };
    // Its chain has one instance: where the flow is, if it is anywhere; or another chain shares its group.
    if (random.chance(0.1) && this.#asked?.flow !== flow) {
      const isAnywhere = f.entered === f.left || random.chance(0.2);
      return { flow, pinned: isAnywhere ? random.below(this.p.regions) : f.region };
    }
    return { flow };
  }

  /** Random packets. `full`: how many of the contexts are in use; `marks`: how many of a cycle. */
  async traffic(cycles: number, full: number, marks = 0.05): Promise<void> {
    const { random } = this.b,
      { contexts, groups, hashBits, regions } = this.p;
    let burst: { group: number; left: number } | undefined;
    for (let n = 0; n < cycles; n++) {
      if (random.chance(0.06)) {
        this.masks[random.below(groups)] = random.between(1, 2 ** regions - 1);
      }
      // Whoever waits counts, too: one of those asks again when there is no room for another packet.
      const waiting = this.flows.reduce((sum, f) => sum + f.waiting, 0),
        room = this.inside.length + waiting + 2 < contexts * full,
        leaves = this.inside.length > 0 && random.chance(room ? 0.25 : 0.8);
      const at = random.below(Math.max(1, this.inside.length)),
        leave = leaves ? this.inside.splice(at, 1)[0] : undefined;
      if (leave !== undefined) this.noteLeave(leave);
      // Few flows, so that they meet; often one that is inside.
      const met = this.inside[random.below(2 * this.inside.length + 1)]?.flow,
        flow = met ?? (random.below(groups) << hashBits) + random.below(Math.min(4, 2 ** hashBits));
      const waits = this.flows[flow]!.waiting > 0 && this.#asked?.flow !== flow,
        asks = (room || waits) && random.chance(0.7) && this.#ask === undefined;
      // Marks of a group come one by one, or more of them than it has generations.
      if (burst?.left === 0) burst = undefined;
      else if (burst !== undefined && this.#mark === undefined) burst.left--;
      else if (random.chance(marks)) burst = { group: random.below(groups), left: random.chance(0.2) ? 4 : 0 };
      await this.cycle({
        ...(asks ? { ask: this.#asking(flow, room) } : {}),
        ...(leave === undefined ? {} : { leave }),
        ...(burst === undefined ? {} : { mark: { group: burst.group, from: random.below(2 ** regions) } }),
      });
    }
  }
  reset(): void {
    this.b.sim.reset(1);
    for (const f of this.flows)
      Object.assign(f, { mixed: false, marked: false, maybe: false, entered: 0, left: 0, waiting: 0 }).leaving.length =
        0;
    this.loads.fill(0);
    this.#shown = [...this.loads];
    this.inside.length = this.#past.length = 0;
    this.#asked = this.#ask = this.#mark = this.#taken = undefined;
    this.#marks.length = 0;
    this.#write();
  }
  async end(): Promise<void> {
    for (let n = 0; n < 3000 && (this.busy || this.inside.length > 0); n++) {
      const leave = this.inside.shift();
      if (leave !== undefined) this.noteLeave(leave);
      await this.cycle(leave === undefined ? {} : { leave });
    }
    for (let n = 0; n < 3; n++) await this.cycle({});
    expect([this.busy, this.inside.length]).toEqual([false, 0]);
    for (let r = 0; r < this.p.regions; r++) expect(this.b.io.loads[r]!.num).toBe(0);
  }
}

async function life(b: B, set: SetName, cycles = 3000): Promise<Rig> {
  const rig = new Rig(b, set);
  await rig.cleared();
  for (const full of [0.3, 1, 0.6]) {
    await rig.traffic(cycles / 6, full, 0.06);
    await rig.traffic(cycles / 6, full, 0.01);
  }
  await rig.end();
  return rig;
}
async function resets(b: B, set: SetName): Promise<void> {
  const rig = new Rig(b, set);
  await rig.cleared();
  for (let round = 0; round < 25; round++) {
    await rig.traffic(b.random.between(5, 60), 1);
    rig.reset();
    await rig.cleared();
  }
  await rig.end();
}

/** A chain goes from one region to the others, and flows that come in as soon as they may go there. */
async function moves(b: B, set: SetName): Promise<void> {
  const rig = new Rig(b, set),
    { regions, groups, hashBits } = parameterSets[set];
  await rig.cleared();
  for (let round = 0; round < 20; round++) {
    const old = b.random.below(regions),
      group = round % groups;
    rig.masks.fill(1 << old);
    for (let n = 0; n < 6; n++) await rig.cycle({});
    rig.masks.fill(2 ** regions - 1 - (1 << old));
    await rig.cycle({ mark: { group, from: 1 << old } });
    while (rig.busy) await rig.cycle({});
    for (let n = 0; n < 6; n++) await rig.cycle({ ask: { flow: (group << hashBits) + (n % 2 ** hashBits) } });
    expect(rig.inside.map(i => i.region)).not.toContain(old);
    await rig.end();
  }
}

/** A mark `wait` cycles behind another one, and as many as there are generations, before a flow is swept again. */
async function beside(b: B, wait: number): Promise<void> {
  const rig = new Rig(b, "swept"),
    { io } = b;
  await rig.cleared();
  const marked = async (from: number): Promise<void> => {
    io.mark.valid.value = 1;
    io.mark.payload.from.value = from;
    do await b.cycles(1);
    while (io.mark.ready.value === 0);
    io.mark.valid.value = 0;
  };
  // The fifth of eight: each mark has the sweep go on by one.
  const asked = async (): Promise<boolean> => {
    io.ask.valid.value = 1;
    do await b.cycles(1);
    while (io.ask.ready.value === 0);
    io.ask.valid.value = 0;
    await b.cycles(1);
    return io.answer.goes.value === 1;
  };
  io.ask.payload.flow.hash.value = 4;
  expect(await asked()).toBe(true);
  const here = 1 << io.answer.region.num;
  await marked(7 - here);
  await b.cycles(wait);
  await marked(7 - here);
  await b.cycles(72);
  for (const from of [7 - here, 7 - here, here]) await marked(from);
  expect(await asked(), `${wait} cycles`).toBe(false);
}

describe("FlowTable", () => {
  for (const set of Object.keys(parameterSets) as SetName[]) {
    bench(
      `${set}: each answer and each load in every cycle, marks and instances that change`,
      dut(set),
      { seed: 3 },
      async b => {
        const { met } = await life(b, set);
        console.log(met);
        if (set === "small") expect(Math.min(...Object.values(met))).toBeGreaterThan(5);
      },
    );
    if (set === "small" || set === "largest")
      bench(`${set}: a reset beside traffic forgets all flows`, dut(set), { seed: 4 }, b => resets(b, set));
  }
  bench("an answer every cycle, a cycle behind its question", dut("full"), { seed: 1 }, async b => {
    const rig = new Rig(b, "full");
    await rig.cleared();
    for (let n = 0; n < 200; n++) await rig.cycle({ ask: { flow: n % 3 } });
    expect(rig.inside.length).toBe(199);
    await rig.end();
  });
  bench("a mark costs three cycles, and one in eight while it is swept up", dut("full"), { seed: 1 }, async b => {
    const rig = new Rig(b, "full");
    await rig.cleared();
    /** Packets of new flows that get in, one for each cycle in which they may. */
    const entered = async (cycles: number, mark?: Mark): Promise<number> => {
      const before = rig.inside.length;
      for (let n = 0; n < cycles; n++)
        await rig.cycle({ ask: { flow: n % 1024 }, ...(n === 0 && mark !== undefined ? { mark } : {}) });
      const went = rig.inside.length - before;
      for (let leave; (leave = rig.inside.shift()) !== undefined;) {
        rig.noteLeave(leave);
        await rig.cycle({ leave });
      }
      return went;
    };
    await rig.cycle({});
    expect(await entered(161)).toBe(160);
    const marked = await entered(161, { group: 3, from: 15 });
    expect(160 - 3 - marked).toBeGreaterThanOrEqual(19);
    expect(160 - 3 - marked).toBeLessThanOrEqual(20);
    for (let n = 0; n < 8 * 256; n++) await rig.cycle({});
    expect(await entered(161)).toBe(160);
    await rig.end();
  });
  bench("after a mark nobody goes where its chain was", dut("largest"), { seed: 1 }, b => moves(b, "largest"));
  for (const wait of [2, 20, 44, 70])
    bench(`a mark ${wait} cycles behind another one, and more of them`, dut("swept"), { seed: 1 }, b =>
      beside(b, wait),
    );
  test("a packet that leaves where none is, and a chain without an instance, are told", async () => {
    const misuse = (run: (rig: Rig) => Promise<unknown>): Promise<unknown> =>
      runBench("misuse", dut("small"), { wave: false, seed: 2 }, async b => {
        const rig = new Rig(b, "small");
        await rig.cleared();
        await run(rig);
      });
    await expect(
      misuse(async rig => {
        await rig.cycle({ leave: { flow: 0, region: 1, unordered: false } });
        await rig.cycle({});
      }),
    ).rejects.toThrow("was in region 1");
    await expect(
      misuse(async rig => {
        rig.masks.fill(0);
        for (let n = 0; n < 4; n++) await rig.cycle({});
        await rig.cycle({ ask: { flow: 1 } });
        await rig.cycle({});
      }),
    ).rejects.toThrow("a chain whose packets ask has an instance");
  });

  describe("a planted fault is found", () => {
    const look = async (name: string, design: Dut<Ports>): Promise<void> => {
      const runs: readonly ((b: B) => Promise<unknown>)[] = [
        b => life(b, "small", 9000),
        b => resets(b, "small"),
        b => moves(b, "small"),
      ];
      for (const [i, run] of runs.entries()) await runBench(`${name} ${i}`, design, { wave: false, seed: 5 }, run);
    };
    test("and nothing without one", () => look("no fault", dut("small")));
    test("a mark beside a sweep is not counted", async () => {
      const design = plant(dut("swept"), "marks_since <= marks_since + 2'd1", "marks_since <= marks_since");
      await findsFault(runBench("not counted", design, { wave: false, seed: 5 }, b => beside(b, 44)));
    });
    const faults: readonly (readonly [string, string | RegExp, string])[] = [
      ["a marked flow goes at once", "is_orderly & ~(is_inside & holds)", "is_orderly"],
      ["a new packet passes those that wait", "~(who_unordered | is_behind)", "~who_unordered"],
      ["a mark is forgotten when somebody asks", "is_held = is_inside & holds", "is_held = 1'b0"],
      ["who waits is counted twice", "(who_unordered | who_again) ? place_waiting", "who_unordered ? place_waiting"],
      ["who gives up still counts", "who_gives_up ? fewer_wait", "1'b0 ? fewer_wait"],
      ["an unordered packet holds its flow", "counts = is_orderly &", "counts = passes | is_orderly &"],
      ["an unordered packet that leaves lets a flow go", "leave_valid & ~leave_unordered", "leave_valid"],
      ["a marked flow stays where it is", /holds = [^;]*;/, "holds = 1'b0;"],
      ["a flow never stays", "stays ? place_region", "1'b0 ? place_region"],
      [
        "one that asks behind another sees the old count",
        "entered_before_hit ? entered_before_fwd",
        "1'b0 ? entered_before_fwd",
      ],
      [
        "a leave is forgotten when the next one is of the same flow",
        "gone_before_hit ? gone_before_fwd",
        "1'b0 ? gone_before_fwd",
      ],
      ["a mark counts only when the sweep comes", "place_marked | (is_old & is_from)", "place_marked"],
      ["a mark takes flows of all regions", "is_old & is_from", "is_old"],
      ["a mark sees the last region only of a flow in two", "is_from = place_mixed |", "is_from = 1'b0 |"],
      ["a flow that is empty stays mixed", "is_inside & (place_mixed | is_elsewhere)", "place_mixed | is_elsewhere"],
      [
        "who comes in is of the generation before",
        "clearing ? 2'd0 : latest_generation",
        "clearing ? 2'd0 : place_generation",
      ],
      ["the sweep leaves flows out", "{swept_group, swept_hash}", "{swept_group, swept_hash[1], 1'b0}"],
      ["the sweep leaves a group out", /swept_group <= swept_group \+ 1'b1/, "swept_group <= swept_group"],
      ["the sweep takes marks away", "is_held & ~counts & ~clearing", "is_held & ~counts & ~sweeping & ~clearing"],
      ["the sweep forgets who waits", "sweeping ? place_waiting", "sweeping ? 5'd0"],
      ["packets ask beside the sweep", "& ~clearing & ~sweeps", "& ~clearing"],
      [
        "regions of a mark beside a sweep are forgotten",
        "regions_since <= regions_since | marked",
        "regions_since <= 3'd0 & marked",
      ],
      ["a mark forgets the regions of the one before", /from_(\d) <= from_\d \| marked/, "from_$1 <= marked"],
      ["a mark is taken without a generation left", "& ~clearing & ~mark_is_full", "& ~clearing"],
      ["packets ask before a mark counts", "rests = ~(|mark_taken)", "rests = 1'b1"],
      [
        "the least is taken over what is not there",
        /fewest_0_0_0_second = [^;]*;/,
        "fewest_0_0_0_second = load_1 < load_0;",
      ],
      ["of two the fuller", "load_1 < load_0", "load_1 > load_0"],
      ["the table is not cleared", "clearing <= 1'b1", "clearing <= 1'b0"],
      ["a load is not reset", " load_1 <= 5'd0;", ""],
    ];
    test.each(faults)("%s", async (name, from, to) => {
      await findsFault(look(name, plant(dut("small"), from, to)));
    });
  });
});
