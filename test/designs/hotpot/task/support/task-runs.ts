/** Runs of the commit task, for its bench and for faults that are planted in it. */
import { CommitTask } from "../../../../../designs/hotpot/task/index.ts";
import {
  homeAt,
  type Submitted,
  type TaskArea,
  TaskHost,
  type TaskHostOptions,
  type TaskPorts,
} from "../../../../../designs/hotpot/rig/index.ts";
import { type Bench, bernoulli } from "../../../../../sim/index.ts";

export type B = Bench<TaskPorts>;
export const small = { contexts: 2 },
  usual = { contexts: 8 };
export const smallDut = CommitTask(small),
  usualDut = CommitTask(usual);
export const areas = 12,
  nodes = 3;
export const bad: Partial<TaskHostOptions> = {
  ...{ lost: 0.06, doubled: 0.1, delay: [20, 300] as const, late: 0.03 },
  ...{ clientLost: 0.06, clientDoubled: 0.1, clientTimeout: 5000 },
};
export const pauses = (b: B, probability: number): Partial<TaskHostOptions> => ({
  pause: () => bernoulli(probability, b.random.word()),
});
export const vaOf = (i: number): bigint => homeAt + 4096n * BigInt(i) + 64n;
export const ownerOf = (i: number): number => i % nodes;
export const replicaOf = (i: number): number => (i + 1) % nodes;
export function fail(what: string): never {
  throw new Error(what);
}
export const same = (what: string, is: unknown, should: unknown): void => {
  if (String(is) !== String(should)) fail(`${what} is ${String(is)}, not ${String(should)}`);
};

/** What a commit writes in an area: its own number and the area's, in each line. */
export function contentOf(area: number, commit: number, bytes: number): Uint8Array {
  const out = new Uint8Array(bytes),
    view = new DataView(out.buffer);
  for (let at = 0; at < bytes; at += 8) {
    view.setUint32(at, commit, true);
    view.setUint32(at + 4, area * 100_000 + at, true);
  }
  return out;
}
/** Areas of 64 to 1,024 bytes: of one place always the same. */
export const bytesOf = (area: number): number => [64, 128, 1024, 192, 512, 960][area % 6] as number;
export const areaOf = (area: number, commit: number): TaskArea => ({
  owner: ownerOf(area),
  replicas: [replicaOf(area)],
  va: vaOf(area),
  data: contentOf(area, commit, bytesOf(area)),
});
interface Known extends Submitted {
  readonly id: number;
  readonly touched: readonly number[];
}
/** What commits run on: the task alone among models of nodes, or a whole device among engines. */
export interface CommitRig {
  submit(client: number, areas: readonly TaskArea[]): Submitted;
  finished(): Promise<void>;
  drained(): Promise<void>;
  readonly verdicts: Readonly<Record<string, number>>;
  readonly nodes: readonly { home(va: bigint, bytes: number): Uint8Array }[];
  /** Commits that a node keeps. */
  kept(node: number): Promise<number>;
  /** How long answers are kept, in units of 64 cycles. */
  readonly config: { readonly life: number };
}
/** Of the bench: random numbers and time. */
export type Clock = Pick<B, "random" | "until" | "cycles">;
export class Run<H extends CommitRig = TaskHost> {
  readonly host: H;
  readonly known: Known[] = [];
  readonly b: Clock;
  #next = 1;

  constructor(b: Clock, host: H) {
    this.b = b;
    this.host = host;
  }
  submit(client: number, touched: readonly number[]): Submitted {
    const id = this.#next++,
      s = this.host.submit(
        client,
        touched.map(i => areaOf(i, id)),
      );
    // The same object: what comes of it is seen here.
    this.known.push(Object.assign(s, { id, touched }));
    return s;
  }
  /** What the newest commit has written. */
  get newest(): number {
    return this.#next - 1;
  }
  random(most: number): number[] {
    const r = this.b.random,
      all = new Set(Array.from({ length: r.between(1, most) }, () => r.between(0, areas - 1)));
    return [...all];
  }
  /** Clients commit one after the other each, all at once; `each` between. */
  async crowd(commits: number, clients: number, most = 4, hot?: readonly number[]): Promise<void> {
    const under: (Submitted | undefined)[] = Array.from({ length: clients }, () => undefined);
    let begun = 0;
    const next = (): void => {
      for (let c = 0; c < clients; c++)
        if (begun < commits && (under[c] === undefined || under[c]?.verdict !== undefined)) {
          begun++;
          under[c] = this.submit(c, hot ? this.b.random.shuffle([...hot]) : this.random(most));
        }
    };
    await this.b.until(() => {
      next();
      return begun === commits && under.every(u => u === undefined || u.verdict !== undefined);
    });
  }
  /**
   * All copies of each area show one commit, which was told as done; none that was told before it began is lost, and of
   * two that share areas one is the last in all of them. No node keeps anything, and each context is free again.
   */
  async rest(contexts: number): Promise<void> {
    const { host, b } = this;
    await host.finished();
    await host.drained();
    const shown = Array.from({ length: areas }, (_, i) => {
      const of = [ownerOf(i), replicaOf(i)].map(n => this.shownAt(n, i));
      if (of[0] !== of[1]) fail(`area ${i} shows ${of.join(" and ")}`);
      return of[0] as number;
    });
    for (const [i, id] of shown.entries()) {
      const c = this.known.find(k => k.id === id);
      if (id !== 0 && (c === undefined || c.verdict !== "done"))
        fail(`area ${i} shows commit ${id}, which is ${c?.verdict}`);
      for (const d of this.known)
        if (
          d.verdict === "done" &&
          d.id !== id &&
          d.touched.includes(i) &&
          (c === undefined || d.begun > (c.ended ?? 0))
        )
          fail(`area ${i} shows ${id}, and ${d.id} came behind it`);
      for (const other of c?.touched ?? []) {
        const d = this.known.find(k => k.id === shown[other]);
        if (d && d !== c && d.touched.includes(i)) fail(`commits ${id} and ${d.id} are both the last one`);
      }
    }
    const nothingKept = async (): Promise<void> => {
      for (const n of host.nodes.keys()) {
        const used = await host.kept(n);
        if (used > 0) fail(`node ${n} keeps ${used} commits when all are over`);
      }
    };
    await nothingKept();
    // Answers are forgotten: as many clients as there are contexts find one, and each page is free.
    await b.cycles(3 * 64 * (host.config.life + 2));
    const before = host.verdicts["busy"] ?? 0,
      last = Array.from({ length: contexts }, (_, i) => this.submit(i, [i]));
    await host.finished();
    for (const s of last) same("a commit at the end", s.verdict, "done");
    same("BUSY at the end", host.verdicts["busy"] ?? 0, before);
    await host.drained();
    await nothingKept();
  }
  shownAt(n: number, i: number): number {
    const bytes = this.host.nodes[n]?.home(vaOf(i), bytesOf(i)) ?? fail("no node"),
      id = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true),
      whole = id === 0 ? new Uint8Array(bytesOf(i)) : contentOf(i, id, bytesOf(i));
    if (Buffer.compare(bytes, whole) !== 0) fail(`area ${i} at node ${n} shows parts of several commits`);
    return id;
  }
}

/** The task alone. */
export const taskRun = (b: B, contexts: number, o: Partial<TaskHostOptions> = {}): Run =>
  new Run(b, new TaskHost(b, { contexts, nodes, clients: 4, homeBytes: 4096 * areas, ...o }));
/** Commits of several clients. */
export async function crowdRun(b: B, p: typeof usual, commits: number, o: Partial<TaskHostOptions> = {}) {
  const run = taskRun(b, p.contexts, { clients: 8, ...o });
  await run.host.configure();
  await run.crowd(commits, 4, 5);
  await run.rest(p.contexts);
  return run;
}
