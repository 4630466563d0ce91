/** Which chains are made into bitstreams: all runs of tasks that are legal in the DAGs' order (paper §5.4.3). */

/** A DAG as bitstreams see it: by stage and branch, its tasks in order. */
export interface OrderedDag {
  readonly user: number;
  readonly stages: readonly (readonly (readonly string[])[])[];
}
/** Whose tasks may stand in one chain: users of a task; undefined: everybody's. */
export type UsersOf = (task: string) => ReadonlySet<number> | undefined;
export interface Bitstreams {
  readonly chains: readonly (readonly string[])[];
  /** Legal chains for which there was no room, as far as they were looked for. */
  readonly leftOut: readonly (readonly string[])[];
  /** There are more of them still. */
  readonly more: boolean;
}
/** Bitstreams of 4 MB that the board's memory keeps; chains that are looked for, at most. */
export const mostBitstreams = 256,
  mostLookedFor = 4096;

/** Of two tasks: whether a DAG has the one in front of the other, and whether a DAG has both. */
function orders(dags: readonly OrderedDag[]) {
  const before = new Set<string>(),
    both = new Set<string>();
  for (const { stages } of dags) {
    const placed = stages.flatMap((stage, s) =>
      stage.flatMap((branch, b) => branch.map((task, at) => ({ task, s, b, at }))),
    );
    for (const x of placed)
      for (const y of placed) {
        if (x === y) continue;
        const inFront = x.s < y.s || (x.s === y.s && x.b === y.b && x.at < y.at),
          behind = y.s < x.s || (x.s === y.s && x.b === y.b && y.at < x.at);
        if (inFront) before.add(`${x.task} ${y.task}`);
        if (inFront || behind) both.add(`${x.task} ${y.task}`);
      }
  }
  return {
    /**
     * `x` may stand in front of `y`. Two that no DAG orders stand in one order only: the other one serves nobody
     * more.
     */
    allows: (x: string, y: string): boolean =>
      both.has(`${x} ${y}`) ? before.has(`${x} ${y}`) : x.localeCompare(y, "en") < 0,
  };
}
const isWithin = (run: readonly string[], chain: readonly string[]): boolean => {
  let at = 0;
  for (const task of chain) if (task === run[at]) at++;
  return at === run.length;
};
/** Tasks that somebody may use together. */
function share(tasks: readonly string[], usersOf: UsersOf): boolean {
  const sets = tasks.map(usersOf).filter(s => s !== undefined),
    [first] = sets;
  return first === undefined || [...first].some(u => sets.every(s => s.has(u)));
}

/**
 * The chains for these DAGs, the most useful first: those that serve most branches as a whole, of these the shorter
 * ones. @param slots of a region
 */
export function bitstreamsFor(dags: readonly OrderedDag[], usersOf: UsersOf, slots: number): Bitstreams {
  const { allows } = orders(dags),
    branches = dags.flatMap(d => d.stages.flat()),
    tasks = [...new Set(branches.flat())].sort((a, b) => a.localeCompare(b, "en")),
    found = new Map<string, readonly string[]>();
  const looked = { more: false };
  const add = (chain: readonly string[]): boolean => {
    if (found.size >= mostLookedFor) looked.more = true;
    else found.set(chain.join("+"), chain);
    return !looked.more;
  };
  // What a branch needs as a whole is there first, with a task that it takes twice.
  for (const branch of branches) if (branch.length <= slots) add(branch);
  let row = tasks.map(t => [t]);
  for (let length = 1; length <= slots && !looked.more; length++) {
    const all = row.every(add);
    row = !all || length === slots ? [] : row.flatMap(chain => longer(chain, tasks, allows, usersOf));
  }
  const served = (chain: readonly string[]): number => branches.filter(b => isWithin(b, chain)).length;
  const ranked = [...found.values()]
    .map(chain => ({ chain, serves: served(chain), name: chain.join("+") }))
    .sort((a, b) => b.serves - a.serves || a.chain.length - b.chain.length || a.name.localeCompare(b.name, "en"))
    .map(x => x.chain);
  return { chains: ranked.slice(0, mostBitstreams), leftOut: ranked.slice(mostBitstreams), ...looked };
}
function longer(
  chain: readonly string[],
  tasks: readonly string[],
  allows: (x: string, y: string) => boolean,
  usersOf: UsersOf,
): string[][] {
  return tasks
    .filter(t => !chain.includes(t) && chain.every(x => allows(x, t)) && share([...chain, t], usersOf))
    .map(t => [...chain, t]);
}
