/** Judges all that a device gives out: each frame on each port, the order within a flow, every drop by its counter. */
import { loopPort, type Setup } from "../../software/index.ts";
import { alternatives, type Choose } from "./choices.ts";
import { compareCounts, toldLost } from "./compare.ts";
import { Counting, type DeviceCounts } from "./counts.ts";
import { type Due, Dues, type Entered, type Entry, exitsOf, portName, toSoftware, type Way } from "./dues.ts";
import type { Fate } from "./fate.ts";
import type { OwnFrames, TaskClaim } from "../tasks/index.ts";
import { type Claim, OpenNat } from "./open-nat.ts";
import { chainTasks, type Clock, matchSettings, portKinds, type TaskModels } from "./tables.ts";
import { begins, type Surroundings, walk } from "./walk.ts";

/** The frame that is being followed: what its NAT chooses, and takes for true. */
interface Following {
  readonly choose: Choose;
  readonly claims: Claim[];
  readonly tasks: TaskClaim[];
  readonly entered: number;
}

/**
 * Judges what a device gives out, frame by frame. `enter` says what came in, `leave` and `toSoftware` what came out,
 * `sent` what software sent. Frames of different flows may leave in any order; what a flow's order is, docs/supernic's
 * scheduler page says: its DAG, its hash and the port where it came in, at each pass.
 */
export class DeviceScoreboard {
  readonly problems: string[] = [];
  /** Frames that came in at ports. */
  readonly entries: Entered[] = [];
  /** Bytes of frames that have left, compared with the model's. */
  comparedBytes = 0;
  readonly setup: Setup;
  readonly nat: OpenNat;
  readonly #around: Surroundings;
  readonly #all: Entry[] = [];
  readonly #dues: Dues;
  /** Of tasks that make frames by themselves. */
  readonly #own: readonly OwnFrames[];
  readonly #out: number[];
  #following: Following | undefined;
  #step = 0;

  /**
   * @param models of tasks that are not the project's own @param now the device's cycle, for tasks whose frames hang on
   * time: without it these are held to less. @throws RangeError for a task without a model
   */
  constructor(setup: Setup, models: TaskModels = {}, now: Clock = () => undefined) {
    const inlets = setup.sizes.ports + 1;
    this.setup = setup;
    this.nat = new OpenNat(setup.nat?.address ?? 0, setup.nat?.ports ?? 0, setup.nat?.life ?? 0);
    this.#dues = new Dues(this.problems, due => this.#possible(due));
    this.#out = Array.from({ length: inlets }, () => 0);
    this.#around = {
      setup,
      kinds: portKinds(setup),
      matches: Array.from({ length: inlets }, (_, port) => matchSettings(setup, port)),
      chains: chainTasks(
        setup,
        models,
        () => this.nat.tableFor(this.#now.choose, this.#now.claims, this.#now.entered),
        () => ({ number: this.#step, choose: this.#now.choose, claim: c => void this.#now.tasks.push(c) }),
        now,
      ),
    };
    this.#own = this.#around.chains.flat().flatMap(t => t.model.own ?? []);
  }

  get #now(): Following {
    const now = this.#following;
    if (now === undefined) throw new Error("unreachable: a task is asked while a frame is followed");
    return now;
  }
  /** A frame has come in at a port. */
  enter(port: number, bytes: Uint8Array, damaged = false): Entered {
    const entered = ++this.#step;
    const ways = alternatives((choose): Way => {
      const claims: Claim[] = [],
        tasks: TaskClaim[] = [];
      this.#following = { choose, claims, tasks, entered };
      return { fate: walk(bytes, damaged, port, begins, this.#around), claims, tasks };
    });
    for (const { fate, tasks } of ways) if (exitsOf(fate).length === 0) for (const t of tasks) t.hidden();
    this.#following = undefined;
    const entry = this.#expect(port, bytes, ways);
    this.entries.push(entry);
    return entry;
  }
  /** What becomes of a frame, as far as it is known: the first of the ways that it may go. */
  ways({ number }: Entered): Fate {
    const entry = this.#all[number - 1],
      way = entry?.ways.find(w => this.#holds(w, entry));
    if (way === undefined) throw new RangeError(`there is no frame ${number}`);
    return way.fate;
  }
  /** Software has sent a frame to some ports. */
  sent(bytes: Uint8Array, ports: readonly number[]): void {
    this.#step++;
    const fate = { exits: ports.map(port => ({ port, bytes })), passes: [], steps: ["software"], order: "software" };
    this.#expect(toSoftware, bytes, [{ fate, claims: [], tasks: [] }]);
  }
  #expect(port: number, bytes: Uint8Array, ways: readonly Way[]): Entry {
    const step = this.#step,
      [only] = ways,
      silent = ways.length === 1 && only !== undefined && exitsOf(only.fate).length === 0;
    const fate = silent ? only.fate : undefined,
      entry: Entry = { number: this.#all.length + 1, port, bytes, ways, fate, left: [], lost: false, step };
    this.#all.push(entry);
    this.#dues.add(entry);
    return entry;
  }

  /** A frame has left by a port. @returns the frame that came in as it, where that can be told */
  leave(port: number, bytes: Uint8Array): Entered | undefined {
    this.#step++;
    if (port !== toSoftware) this.#out[port] = (this.#out[port] ?? 0) + 1;
    if (!this.#dues.has(port, bytes) && this.#isOwn(port, bytes)) return undefined;
    const due = this.#dues.take(port, bytes);
    if (due === undefined) return undefined;
    const { entry, way, exit } = due;
    this.nat.commit(way.claims, this.#step);
    if (entry.left.length === 0) for (const t of way.tasks) t.shown();
    entry.left.push(exit);
    entry.ways = [way];
    if (entry.left.length === exitsOf(way.fate).length) entry.fate = way.fate;
    this.comparedBytes += bytes.length;
    return entry;
  }
  /** It is one that a task has made by itself; what is wrong with it is told. */
  #isOwn(port: number, bytes: Uint8Array): boolean {
    const said = this.#own.map(o => o.left(port, bytes)).find(s => s !== undefined);
    if (said === undefined) return false;
    if (said !== "") this.problems.push(`${portName(port)}: a frame of ${bytes.length} bytes: ${said}`);
    this.comparedBytes += bytes.length;
    return true;
  }
  /** A frame has come to software. */
  toSoftware(bytes: Uint8Array): Entered | undefined {
    return this.leave(toSoftware, bytes);
  }
  #possible({ entry, way }: Due): boolean {
    return entry.fate === undefined && entry.ways.includes(way) && this.#holds(way, entry);
  }
  /** It can be, as far as frames have shown. */
  #holds({ claims, tasks }: Way, { step, left }: Entry): boolean {
    // What its own frames have shown is so.
    return this.nat.possible(claims, step) && (left.length > 0 || tasks.every(t => t.possible()));
  }

  /** What tasks that make frames by themselves must send or hear yet. */
  get owed(): number {
    return this.#own.reduce((n, o) => n + o.outstanding, 0);
  }
  /** Frames that have come in and must leave. */
  get outstanding(): number {
    return (
      this.owed + this.#all.filter(e => e.fate === undefined && !e.ways.some(w => exitsOf(w.fate).length === 0)).length
    );
  }
  /** The run is over: what has not left is lost, unless a counter says why. @returns all that was wrong */
  finish(counts?: DeviceCounts): readonly string[] {
    for (const entry of this.#all.filter(e => e.fate === undefined)) this.#settle(entry);
    const lost = this.#all.filter(e => e.lost);
    if (counts !== undefined) this.problems.push(...compareCounts(this.#counting(), lost, counts, this.setup));
    else for (const e of lost) this.problems.push(`frame ${e.number} is lost: ${e.fate?.steps.join(" > ") ?? ""}`);
    const told = counts === undefined ? 0 : toldLost(counts);
    this.problems.push(...this.#own.flatMap(o => o.finish(told)));
    return this.problems;
  }
  /** A frame of which not all has left: one of its ways drops it, or it is lost. */
  #settle(entry: Entry): void {
    const dropped = entry.ways.find(
      w => exitsOf(w.fate).length === 0 && this.#holds(w, entry) && entry.left.length === 0,
    );
    entry.fate = (dropped ?? entry.ways[0])?.fate;
    entry.lost = dropped === undefined;
  }
  /** What the device must have counted, as far as it lost nothing. */
  #counting(): Counting {
    const counting = new Counting(loopPort(this.setup) + 1);
    for (const { fate, port } of this.#all) if (port !== toSoftware && fate !== undefined) counting.add(port, fate);
    for (const [port, n] of this.#out.entries()) counting.out[port] = n;
    return counting;
  }
}
