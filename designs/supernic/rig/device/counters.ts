/** The device's counters by their names, read over its registers. */
import type { DeviceCounts, PortCounts, SlotCounts } from "../../model/index.ts";
import { matchReasons } from "../../model/index.ts";
import { countersOfBlock, type SnicDriver, type SpillDriver } from "../../registers/index.ts";
import { loopCounterNames, middleCounterNames, portCounterNames } from "../../rtl/index.ts";
import { mostSlots, refusals } from "../../wire/index.ts";
import type { Setup } from "../../software/index.ts";

/** Counters of one block by name. */
export type Counts = Readonly<Record<string, number>>;
export interface AllCounts {
  /** By port; the loop port last. */
  readonly ports: readonly Counts[];
  readonly middle: Counts;
}

const blockOf = async (driver: SnicDriver, block: number, names: readonly string[]): Promise<Counts> => {
  const out: Record<string, number> = {};
  for (const [i, name] of names.entries()) out[name] = await driver.counter(block * countersOfBlock + i);
  return out;
};
/** Frames that went to rings for DAGs that wait, and what became of them. */
async function ringCounts(rings: SpillDriver | undefined): Promise<Counts> {
  if (rings === undefined) return {};
  const { spilled, restored, lost, discarded } = await rings.counts();
  return { ringSpilled: spilled, ringRestored: restored, ringLost: lost, ringDiscarded: discarded };
}
/** @param rings of a device that has rings: their counts are among the middle's */
export async function readCounters(driver: SnicDriver, ports: number, rings?: SpillDriver): Promise<AllCounts> {
  const list: Counts[] = [];
  for (let i = 0; i < ports; i++) list.push(await blockOf(driver, i, portCounterNames));
  list.push(await blockOf(driver, ports, loopCounterNames));
  const middle = await blockOf(driver, ports + 1, middleCounterNames);
  return { ports: list, middle: { ...middle, ...(await ringCounts(rings)) } };
}

const capital = (s: string): string => s.charAt(0).toUpperCase() + s.slice(1);
/** All frames that came in: each has one fate. */
const arrived = (c: Counts): number => loopCounterNames.reduce((n, name) => n + (c[name] ?? 0), 0);

function portCounts(c: Counts): PortCounts {
  const of = <K extends string>(names: readonly K[]): Record<K, number> =>
    Object.fromEntries(names.map(n => [n, c[`in${capital(n)}`] ?? 0])) as Record<K, number>;
  return {
    in: arrived(c),
    out: c["outDone"] ?? 0,
    refused: of(refusals),
    matched: of(matchReasons),
    room: [0, 1, 2, 3, 4, 5].reduce((n, k) => n + (c[`inFull${k}`] ?? 0), 0),
  };
}
/** What each task has done. */
async function slotCounts(driver: SnicDriver, setup: Setup): Promise<readonly (readonly SlotCounts[])[]> {
  const all: SlotCounts[][] = [];
  for (const [region, chain] of setup.regions.entries()) {
    const list: SlotCounts[] = [];
    for (let slot = 0; slot < Math.min(mostSlots, chain?.tasks.length ?? 0); slot++) {
      const { registers } = driver;
      await registers.write({ slotRegion: region, slotAt: slot });
      list.push({
        took: await registers.read("slottook"),
        dropped: await registers.read("slotdropped"),
        killed: await registers.read("slotkilled"),
        strays: await registers.read("slotstrays"),
        outside: await registers.read("slotoutside"),
        grown: await registers.read("slotgrown"),
      });
    }
    all.push(list);
  }
  return all;
}
/** What the scoreboard compares. */
export async function deviceCounts(driver: SnicDriver, setup: Setup, counts: AllCounts): Promise<DeviceCounts> {
  const { middle } = counts;
  return {
    ports: counts.ports.map(portCounts),
    slots: await slotCounts(driver, setup),
    egress: {
      task: middle["dropTask"] ?? 0,
      nowhere: middle["dropNowhere"] ?? 0,
      again: middle["dropAgain"] ?? 0,
      paused: middle["dropPaused"] ?? 0,
    },
    software: middle["laneNotTaken"] ?? 0,
  };
}
