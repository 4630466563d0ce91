/** A bench for the activity table: random stamps and commands, and a model that says each result and its cycle. */
import {
  activityOp,
  type ActivityParameters,
  type ActivityTable,
} from "../../../../../designs/clio/rtl/activity/index.ts";
import { type Bench, type Design, runBench } from "../../../../../sim/index.ts";

type Dut = ReturnType<typeof ActivityTable>;
export type ActivityBench = Bench<Dut["ports"]>;

export interface Found {
  readonly found: boolean;
  readonly touched: boolean;
  readonly region: number;
  readonly age: number;
}
/** Lanes of a row, and edges from a pass's begin to its verdict, beside its rows. */
const lanes = 4,
  behind = 6;

/** Writes by edge and tick without end, and what a pass over them must find: no stamp wraps here. */
export class ActivityModel {
  readonly #p: ActivityParameters;
  readonly live = new Set<number>();
  /** Every write of a region: its edge and its tick. */
  readonly #writes = new Map<number, { readonly edge: number; readonly tick: number }[]>();
  edge = 0;

  constructor(p: ActivityParameters) {
    this.#p = p;
  }
  get rows(): number {
    return this.#p.regions / lanes;
  }
  reset(): void {
    this.live.clear();
    this.#writes.clear();
    this.edge = 0;
  }
  tickAt(edge: number): number {
    return Math.floor(edge / 2 ** this.#p.tickBits);
  }
  write(region: number): void {
    const all = this.#writes.get(region) ?? [];
    all.push({ edge: this.edge, tick: this.tickAt(this.edge) });
    if (all.length > 64) all.shift();
    this.#writes.set(region, all);
  }
  verdictOf(begin: number): number {
    return begin + this.rows + behind;
  }
  /** A pass that began at this edge, asked after its verdict. */
  pass(begin: number): Found {
    const p = this.#p,
      most = 2 ** (p.stampBits - 2),
      verdict = this.verdictOf(begin);
    let best: Found = { found: false, touched: false, region: 0, age: -1 };
    for (let region = 0; region < p.regions; region++) {
      if (!this.live.has(region)) continue;
      const issued = begin + 1 + Math.floor(region / lanes),
        writes = this.#writes.get(region) ?? [],
        last = writes.filter(w => w.edge < issued + 3).at(-1),
        since = this.tickAt(begin) - (last?.tick ?? Number.NEGATIVE_INFINITY),
        age = last !== undefined && last.edge >= issued ? 0 : Math.max(0, Math.min(since, most));
      if (age > best.age)
        best = { found: true, region, age, touched: writes.some(w => w.edge >= issued + 3 && w.edge <= verdict) };
    }
    return best.found ? best : { ...best, age: 0 };
  }
}

export interface World {
  readonly cycles: number;
  /** Share of cycles with a stamp; which regions are written, by what share of stamps. */
  readonly stamps: number;
  readonly hot?: number;
  /** Chance of a cycle that other regions become hot; default 0.01. */
  readonly turns?: number;
  readonly commands: number;
  readonly stalls: number;
  readonly resets?: number;
}
interface Pending {
  readonly op: number;
  readonly region: number;
  /** From when on it has waited for the table alone: not for a cycle without a stamp, nor for a result to be taken. */
  since: number;
}

/** Plays traffic; each result must be the model's, in its cycle. @returns what was seen */
export async function play(
  b: ActivityBench,
  p: ActivityParameters,
  o: World,
): Promise<{ scans: number; touched: number; second: number; saturated: number; longestWait: number }> {
  const { io, random } = b,
    model = new ActivityModel(p),
    counted = { scans: 0, touched: 0, second: 0, saturated: 0, longestWait: 0 },
    deadline = b.cycle + o.cycles;
  let pending: Pending | undefined,
    scan: { begin: number; second: boolean } | undefined,
    enrolling: number | undefined,
    told: Found | undefined,
    hot = Array.from({ length: 3 }, () => random.below(p.regions));
  const want = (got: unknown, right: unknown, what: string): void => {
    if (got !== right)
      throw new Error(`${what} at edge ${model.edge}: ${String(got)}, and the model says ${String(right)}`);
  };
  for (;;) {
    const over = b.cycle >= deadline;
    if (o.resets !== undefined && !over && random.chance(o.resets)) {
      io.command.valid.value = 0;
      io.stamp.en.value = 0;
      b.sim.reset(1);
      model.reset();
      pending = scan = enrolling = told = undefined;
    }
    if (random.chance(o.turns ?? 0.01)) hot = hot.map(() => random.below(p.regions));
    if (pending === undefined && !over && random.chance(o.commands))
      pending = {
        op: random.pick([
          activityOp.withdraw,
          activityOp.enroll,
          activityOp.enroll,
          activityOp.scan,
          activityOp.scan,
          3,
        ]),
        region: random.below(p.regions),
        since: model.edge,
      };
    const stamps = random.chance(over ? 0 : o.stamps),
      stamped = random.chance(o.hot ?? 0) ? random.pick(hot) : random.below(p.regions);
    io.stamp.en.value = stamps ? 1 : 0;
    io.stamp.region.value = stamped;
    io.command.valid.value = pending === undefined ? 0 : 1;
    io.command.payload.op.value = pending?.op ?? 0;
    io.command.payload.region.value = pending?.region ?? 0;
    const takes = over || !random.chance(o.stalls);
    io.result.ready.value = takes ? 1 : 0;
    await b.risingEdge();

    const held = told !== undefined;
    // What the edge does to the model: a stamp counts in its own edge.
    if (stamps) model.write(stamped);
    if (enrolling !== undefined && !stamps) {
      model.write(enrolling);
      enrolling = undefined;
    }
    if (pending !== undefined && (enrolling ?? told) !== undefined) pending.since = model.edge;
    if (scan !== undefined && model.edge === model.verdictOf(scan.begin)) {
      const f = model.pass(scan.begin);
      if (f.touched && !scan.second) scan = { begin: model.edge, second: true };
      else {
        counted.scans++;
        if (f.touched) counted.touched++;
        if (scan.second) counted.second++;
        if (f.age === 2 ** (p.stampBits - 2)) counted.saturated++;
        told = f;
        scan = undefined;
      }
    } else {
      want(io.result.valid.value === 1, told !== undefined, "a result");
      if (told !== undefined) {
        const r = io.result.payload;
        want(r.found.value === 1, told.found, "found");
        want(r.touched.value === 1, told.touched, "touched");
        if (told.found) want(Number(r.region.value), told.region, "the region");
        if (told.found) want(Number(r.age.value), told.age, "its age");
        if (takes) told = undefined;
      }
    }
    if (pending !== undefined && io.command.ready.value === 1) {
      if (scan !== undefined || enrolling !== undefined || held) throw new Error("a command is taken beside another");
      counted.longestWait = Math.max(counted.longestWait, model.edge - pending.since);
      if (pending.op >= activityOp.scan) scan = { begin: model.edge, second: false };
      else if (pending.op === activityOp.enroll) {
        model.live.add(pending.region);
        enrolling = pending.region;
      } else model.live.delete(pending.region);
      pending = undefined;
    } else if (pending !== undefined && model.edge - pending.since > 4 * (model.rows + behind + 2))
      throw new Error(`a command has waited for ${model.edge - pending.since} edges`);
    want(io.overdue.value, 0, "overdue");
    model.edge++;
    if (over && pending === undefined && scan === undefined && told === undefined && enrolling === undefined) break;
  }
  return counted;
}

export const run = <T>(
  design: Dut | Design<Dut["ports"]>,
  body: (b: ActivityBench) => Promise<T>,
  seed = 5,
): Promise<T> => runBench("activity", design, { seed, wave: false, limitCycles: 1e6, hangCycles: 5000 }, body);
