/** How long a page fault waits, behind prefetches and before them. */
import { CheckFailed } from "../../shared/command-line/index.ts";
import { type PagedMachine, type PagedMachineOptions, pageOf, withPagedMachine } from "./paged-machine.ts";

/** One queue in the order of the pages; one queue, the faulted page first; two queues, the faulted page first. */
export const ways = ["one queue", "fault first", "two queues"] as const;
export type Way = (typeof ways)[number];

export interface FaultTimes {
  readonly way: Way;
  /** ns of a page read alone. */
  readonly alone: number;
  /** ns of each first fault, and of each that misses the window and comes as soon as the first one is served. */
  readonly first: readonly number[];
  readonly second: readonly number[];
}
export interface FaultOptions extends Omit<PagedMachineOptions, "pages" | "oneQueue"> {
  /** Faults of each kind: the places of the window in turn. */
  readonly rounds: number;
  /** Pages of a window. */
  readonly window: number;
}

/** Windows at the node. */
const windows = 4;

/** Asks for a window. @returns when its faulted page has come; the rest is waited for by `all` */
function ask(m: PagedMachine, way: Way, pages: readonly number[], faulted: number) {
  const order = way === "one queue" ? pages : [faulted, ...pages.filter(p => p !== faulted)],
    reads = order.map(async p => {
      const data = await (p === faulted ? m.critical : m.bulk).read(p);
      if (data.some((b, i) => b !== pageOf(p)[i])) throw new CheckFailed(`page ${p} came with the bytes of another`);
    });
  return { faulted: reads[order.indexOf(faulted)], all: Promise.all(reads) };
}

/** Measures faults of one way: a window each, the line idle before. */
export function measureFaults(way: Way, o: FaultOptions): Promise<FaultTimes> {
  const { rounds, window, ...rest } = o;
  return withPagedMachine(
    `faults, ${way}`,
    { ...rest, pages: windows * window, oneQueue: way !== "two queues" },
    async m => {
      const first: number[] = [],
        second: number[] = [];
      const timed = async (work: Promise<unknown> | undefined): Promise<number> => {
        const from = m.now();
        await work;
        return m.now() - from;
      };
      const alone = await timed(m.critical.read(0));
      for (let r = 0; r < rounds; r++) {
        const w = r % (windows - 1),
          pages = Array.from({ length: window }, (_, i) => w * window + i),
          // Each place of the window in turn: as often as any other one.
          asked = ask(m, way, pages, pages[r % window] as number);
        first.push(await timed(asked.faulted));
        // A page of the last window: no prefetch has it.
        second.push(await timed(m.critical.read((windows - 1) * window + (r % window))));
        await asked.all;
        await m.pause(5_000);
      }
      return { way, alone, first, second };
    },
  );
}
