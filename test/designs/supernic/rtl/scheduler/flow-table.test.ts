import { describe, expect, test } from "vitest";
import { type FlowParameters, FlowTable } from "../../../../../designs/supernic/rtl/index.ts";
import { type Bench, type Dut, runBench } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";

export const parameterSets = {
  small: { regions: 3, groups: 2, hashBits: 2, contexts: 8 },
  full: { regions: 4, groups: 4, hashBits: 8, contexts: 256 },
  largest: { regions: 8, groups: 4, hashBits: 3, contexts: 16 },
} as const satisfies Readonly<Record<string, FlowParameters>>;
type SetName = keyof typeof parameterSets;
const dut = (set: SetName) => FlowTable(parameterSets[set]);
type Ports = ReturnType<typeof dut>["ports"];
type B = Bench<Ports>;

interface Flow {
  region: number;
  marked: boolean;
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
  #mark: number | undefined;
  #sweep: { group: number; at: number } | undefined;
  #cycle = 0;

  constructor(b: B, set: SetName) {
    this.b = b;
    this.p = parameterSets[set];
    this.masks = Array.from({ length: this.p.groups }, () => 2 ** this.p.regions - 1);
    this.loads = Array.from({ length: this.p.regions }, () => 0);
    this.#shown = [...this.loads];
    this.flows = Array.from({ length: this.p.groups << this.p.hashBits }, () => ({
      region: 0,
      marked: false,
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

  /** A cycle: who asks (until he is taken), who leaves, which group is marked (until it is). */
  async cycle(o: { readonly ask?: Ask; readonly leave?: Packet; readonly mark?: number }): Promise<void> {
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
    io.mark.payload.value = this.#mark ?? 0;
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
    this.#sweepOne();
    this.#shown.forEach((n, r) => expect(io.loads[r]!.num, `load of region ${r}, cycle ${now}`).toBe(n));
    this.#answer(now);
    this.#past.unshift({ loads: this.#shown, masks: [...this.masks] });
    this.#shown = [...this.loads];
    this.#past.length = Math.min(this.#past.length, 8);
    this.#count(now);

    if (o.leave !== undefined) {
      if (!o.leave.unordered) this.flows[o.leave.flow]!.leaving.push(now);
      this.loads[o.leave.region]!--;
    }
    if (this.#ask !== undefined && io.ask.ready.value !== 0) {
      this.#asked = { ...this.#ask, cycle: now };
      this.#ask = undefined;
    }
    if (this.#mark !== undefined && io.mark.ready.value !== 0) {
      this.#sweep = { group: this.#mark, at: -1 };
      this.#mark = undefined;
    }
  }
  /** The sweep reads an entry a cycle, from the second cycle behind the mark on. */
  #sweepOne(): void {
    const s = this.#sweep;
    if (s === undefined) return;
    const f = s.at < 0 ? undefined : this.flows[(s.group << this.p.hashBits) + s.at];
    if (f !== undefined) {
      f.marked = f.entered !== f.left;
      if (f.marked) this.met.marksInside++;
    }
    s.at++;
    if (s.at === 2 ** this.p.hashBits) this.#sweep = undefined;
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
      waits = !unordered && ((there && f.marked) || (f.waiting > 0 && !again));
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
    if (!unordered)
      for (const p of this.inside) if (p.flow === asked.flow && !p.unordered) expect(p.region).toBe(region);
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
      f.marked = false;
    }
    this.loads[g.region]!++;
    this.inside.push(g);
  }
  noteLeave({ flow, unordered }: Packet): void {
    if (!unordered) this.#lastLeft.set(this.flows[flow]!, this.#cycle + 1);
  }
  /** Somebody of the flow: of those that wait the first, often. */
  #asking(flow: number): Ask {
    const { random } = this.b,
      f = this.flows[flow]!;
    if (random.chance(0.1)) return { flow, unordered: true };
    const again = f.waiting > 0 && this.#asked?.flow !== flow && random.chance(0.6);
    if (again) return { flow, again, givesUp: random.chance(0.1) };
    // Its chain has one instance: where the flow is, if it is anywhere.
    if (random.chance(0.1) && this.#asked?.flow !== flow)
      return { flow, pinned: f.entered === f.left ? random.below(this.p.regions) : f.region };
    return { flow };
  }

  /** Random packets. `full`: how many of the contexts are in use. */
  async traffic(cycles: number, full: number): Promise<void> {
    const { random } = this.b,
      { contexts, groups, hashBits, regions } = this.p;
    for (let n = 0; n < cycles; n++) {
      if (random.chance(0.06)) {
        this.masks[random.below(groups)] = random.between(1, 2 ** regions - 1);
      }
      const room = this.inside.length + 1 < contexts * full,
        leaves = this.inside.length > 0 && random.chance(room ? 0.4 : 0.9);
      const at = random.below(Math.max(1, this.inside.length)),
        leave = leaves ? this.inside.splice(at, 1)[0] : undefined;
      if (leave !== undefined) this.noteLeave(leave);
      // Few flows, so that they meet.
      const flow = (random.below(groups) << hashBits) + random.below(Math.min(4, 2 ** hashBits));
      const asks = room && random.chance(0.7) && this.#ask === undefined;
      await this.cycle({
        ...(asks ? { ask: this.#asking(flow) } : {}),
        ...(leave === undefined ? {} : { leave }),
        ...(random.chance(0.02) ? { mark: random.below(groups) } : {}),
      });
    }
  }
  reset(): void {
    this.b.sim.reset(1);
    for (const f of this.flows) Object.assign(f, { marked: false, entered: 0, left: 0, waiting: 0 }).leaving.length = 0;
    this.loads.fill(0);
    this.#shown = [...this.loads];
    this.inside.length = this.#past.length = 0;
    this.#asked = this.#ask = this.#mark = this.#sweep = undefined;
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
  for (const full of [0.3, 1, 0.6]) await rig.traffic(cycles / 3, full);
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

describe("FlowTable", () => {
  for (const set of Object.keys(parameterSets) as SetName[]) {
    bench(
      `${set}: each answer and each load in every cycle, marks and instances that change`,
      dut(set),
      { seed: 3 },
      async b => {
        const { met } = await life(b, set);
        if (set === "small") expect(Math.min(...Object.values(met))).toBeGreaterThan(5);
      },
    );
    if (set !== "full")
      bench(`${set}: a reset beside traffic forgets all flows`, dut(set), { seed: 4 }, b => resets(b, set));
  }
  bench("an answer every cycle, a cycle behind its question", dut("full"), { seed: 1 }, async b => {
    const rig = new Rig(b, "full");
    await rig.cleared();
    for (let n = 0; n < 200; n++) await rig.cycle({ ask: { flow: n % 3 } });
    expect(rig.inside.length).toBe(199);
    await rig.end();
  });
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
      const runs: readonly ((b: B) => Promise<unknown>)[] = [b => life(b, "small"), b => resets(b, "small")];
      for (const [i, run] of runs.entries()) await runBench(`${name} ${i}`, design, { wave: false, seed: 5 }, run);
    };
    test("and nothing without one", () => look("no fault", dut("small")));
    const faults: readonly (readonly [string, string | RegExp, string])[] = [
      ["a marked flow goes at once", "~(is_held | is_behind)", "~is_behind"],
      ["a new packet passes those that wait", "~(is_held | is_behind)", "~is_held"],
      ["who waits is counted twice", "(who_unordered | who_again) ? place_waiting", "who_unordered ? place_waiting"],
      ["who gives up still counts", "who_gives_up ? fewer_wait", "1'b0 ? fewer_wait"],
      ["an unordered packet holds its flow", "counts = goes & ~who_unordered", "counts = goes"],
      ["an unordered packet that leaves lets a flow go", "leave_valid & ~leave_unordered", "leave_valid"],
      ["a marked flow stays where it is", "is_inside & place_marked", "1'b0 & place_marked"],
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
      ["the first flow of a group is not marked", "{swept_group, 2'd0}", "{swept_group, 2'd1}"],
      ["the last flow of a group is not marked", "if (sweeping[1:0] == 2'd3)", "if (sweeping[1:0] == 2'd2)"],
      [
        "the least is taken over what is not there",
        /fewest_0_0_0_second = [^;]*;/,
        "fewest_0_0_0_second = load_1 < load_0;",
      ],
      ["of two the fuller", "load_1 < load_0", "load_1 > load_0"],
      ["the table is not cleared", /state <= state_clear;/, "state <= state_serve;"],
      ["a load is not reset", " load_1 <= 4'd0;", ""],
      ["the sweep begins a cycle early", "state <= state_fetch;", "state <= state_sweep;"],
    ];
    test.each(faults)("%s", async (name, from, to) => {
      await findsFault(look(name, plant(dut("small"), from, to)));
    });
  });
});
