import { type Declared, mostPayloadTasks, payloadUse } from "../../wire/index.ts";
import type { Refuse } from "./refuse.ts";
import type { SetupFile } from "./schema.ts";
import type { Chain, DeclaredOf, Setup, SetupSizes } from "./setup.ts";

/** Groups of the flow table. Chains of one instance may share one: their flows stay where they are. */
const groups = 4;

/** The tasks of a region, each by what it declares. */
function tasksOf(region: SetupFile["regions"][number], at: string, declared: DeclaredOf, refuse: Refuse): Declared[] {
  return region.tasks.map((task, i) => {
    try {
      return declared(task);
    } catch (e) {
      throw refuse.error(`${at}.tasks[${i}] = "${task}": ${(e as Error).message}`);
    }
  });
}
/** A group for each chain of several instances, and one for all others. */
function groupsOf(instances: readonly number[], refuse: Refuse): number[] {
  const single = instances.some(n => n <= 1) ? 1 : 0,
    several = instances.filter(n => n > 1).length;
  refuse.unless(
    several + single <= groups,
    () => `regions: ${several} chains have several instances, and ${groups - single} may; leave instances out`,
  );
  let next = single;
  return instances.map(n => (n <= 1 ? 0 : next++));
}

/** What the regions hold, and what they can be given; a chain of no region has none. */
export function chainsOf(
  file: Pick<SetupFile, "regions" | "bitstreams">,
  sizes: SetupSizes,
  declared: DeclaredOf,
  refuse: Refuse,
): Pick<Setup, "chains" | "regions" | "bitstreams"> {
  refuse.fits(file.regions, sizes.regions, "regions", "regions");
  const names: string[] = [],
    tasks: Declared[][] = [],
    labels: (readonly string[])[] = [],
    places: number[][] = [],
    first: string[] = [];
  // Behind the regions those that no region has at first.
  const all = [...file.regions, ...file.bitstreams],
    placeOf = (i: number): string =>
      i < file.regions.length ? `regions[${i}]` : `bitstreams[${i - file.regions.length}]`;
  for (const [r, region] of all.entries()) {
    const at = placeOf(r),
      isLoaded = r < file.regions.length,
      own = tasksOf(region, at, declared, refuse);
    refuse.unless(
      own.length > 0 && own.length <= sizes.slots,
      () => `${at}: it has ${own.length} tasks; a region must have 1 to ${sizes.slots}`,
    );
    const known = names.indexOf(region.chain);
    if (known < 0) {
      names.push(region.chain);
      tasks.push(own);
      labels.push(region.tasks);
      places.push(isLoaded ? [r] : []);
      first.push(at);
      continue;
    }
    const same = (tasks[known] ?? []).map(t => t.name).join() === own.map(t => t.name).join();
    refuse.unless(
      same,
      () => `${at}.chain = "${region.chain}": ${first[known] ?? ""} has other tasks; give it another name`,
    );
    if (isLoaded) places[known]?.push(r);
  }
  checkShared(tasks, places, refuse);
  checkPayload(tasks, places, refuse);
  const group = groupsOf(
    places.map(p => p.length),
    refuse,
  );
  const chains = names.map((name, number): Chain => ({
    number,
    name,
    tasks: tasks[number] ?? [],
    labels: labels[number] ?? [],
    regions: places[number] ?? [],
    group: group[number] ?? 0,
  }));
  const regions = Array.from({ length: sizes.regions }, (_, r) => chains.find(c => c.regions.includes(r)));
  // A chain that writes payload stays where it is, unless it is named among the bitstreams.
  const moves = chains.filter(
    c => !c.tasks.some(t => payloadUse(t) === "write") || file.bitstreams.some(b => b.chain === c.name),
  );
  return { chains, regions, bitstreams: file.bitstreams.length === 0 ? undefined : moves.map(c => c.labels) };
}

/** A task with payload has a bus of the packet store for each of its instances. */
function checkPayload(tasks: readonly (readonly Declared[])[], places: readonly (readonly number[])[], refuse: Refuse) {
  const ways = tasks.flatMap((chain, c) =>
    (places[c] ?? []).flatMap(r =>
      chain.flatMap((t, slot) => (payloadUse(t) === "none" ? [] : [`regions[${r}].tasks[${slot}]`])),
    ),
  );
  refuse.unless(
    ways.length <= mostPayloadTasks,
    () => `regions: ${ways.length} tasks have payload, and ${mostPayloadTasks} may; leave ${ways.at(-1) ?? ""} out`,
  );
}

/** A task that keeps something for all has one instance. */
function checkShared(tasks: readonly (readonly Declared[])[], places: readonly (readonly number[])[], refuse: Refuse) {
  const at = new Map<string, string>();
  for (const [c, chain] of tasks.entries())
    for (const r of places[c] ?? [])
      for (const [slot, { name, state }] of chain.entries()) {
        if (state !== "shared") continue;
        const here = `regions[${r}].tasks[${slot}]`,
          other = at.get(name);
        refuse.unless(
          other === undefined,
          () => `${here} = "${name}": it keeps what all its packets share, and is at ${other ?? ""} too; leave one out`,
        );
        at.set(name, here);
      }
}
