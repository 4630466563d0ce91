/** The board's memory of a simulated device, and the software that gives its pages to the tasks (memory.md). */
import { type AxiRam, type Bench, LiteMaster, StreamSink, StreamSource } from "../../../../sim/index.ts";
import { memoryDriverOf } from "../../registers/index.ts";
import type { MemoryParameters, SuperNicPorts, Task } from "../../rtl/index.ts";
import { ConfigError } from "../../config/index.ts";
import {
  BoardFrames,
  type Dag,
  LocalPages,
  MemoryGrants,
  MemoryManager,
  type MemoryUser,
  nobody,
  PagesElsewhere,
  type Setup,
} from "../../software/index.ts";
import { type Declared, keptOf, spaceBytesOf, usesMemory } from "../../wire/index.ts";
import type { RegionPlan } from "./region-plan.ts";

type DeviceBench = Bench<SuperNicPorts>;
const beatBytes = 64;
/** Cycles between two rounds of the software that looks after pages; zeroed pages that it keeps ready. */
const roundCycles = 200,
  ready = 2;

export interface TaskMemoryOptions {
  /** Pages of the board that are for tasks, and pages that a memory elsewhere takes. By default all have room here. */
  readonly frames?: number;
  readonly elsewhere?: number;
  /** Pages of the board that are set aside for peers. */
  readonly aside?: number;
}
const bits = (bytes: Uint8Array): bigint => BigInt(`0x${Buffer.from(bytes).reverse().toString("hex")}`);
const bytesOf = (beat: bigint): Buffer => Buffer.from(beat.toString(16).padStart(2 * beatBytes, "0"), "hex").reverse();

/** A task with memory, as the setup names it; `owner`: the user whose DAG has it first. */
export interface OwnedTask {
  readonly label: string;
  /** Undefined: its chain comes and goes. */
  readonly way: number | undefined;
  readonly declared: Declared;
  readonly owner: number | undefined;
}
export interface MemoryPlan {
  readonly tasks: readonly OwnedTask[];
  readonly users: readonly MemoryUser[];
  /** Pages of the board's memory that tasks may have. */
  readonly boardPages: number;
  readonly ram: AxiRam;
}
/**
 * Whether what a task has in memory is of use to it when its chain comes again: when it keeps nothing on the chip, or
 * that moves with it.
 */
const keepsPages = (d: Declared): boolean => d.state === "none" || keptOf(d) !== undefined;

/** The tasks with memory of regions whose chains stay, and those of chains that come and go. */
export function memoryTasksOf(
  setup: Setup,
  { stays, memoryWays, bitstreams = [] }: Pick<RegionPlan, "stays" | "memoryWays" | "bitstreams">,
  taskOf: (name: string) => Pick<Task, "declared">,
): readonly OwnedTask[] {
  const has = (d: Dag, chain: number, slot: number): boolean =>
      d.stages.flat().some(b => b.chain.number === chain && b.run.includes(slot)),
    names = (d: Dag, label: string): boolean =>
      d.stages.flat().some(b => b.run.some(slot => b.chain.labels[slot] === label));
  const staying = setup.regions.flatMap((chain, r) =>
    chain === undefined || stays[r] !== true
      ? []
      : chain.tasks
          .flatMap((declared, slot) => (usesMemory(declared) ? [{ declared, slot }] : []))
          .map(({ declared, slot }, i) => {
            const owner = setup.dags.find(d => has(d, chain.number, slot))?.user.number;
            return { label: chain.labels[slot] ?? "", way: memoryWays[r]?.[i], declared, owner };
          }),
  );
  const moving = [...new Set(bitstreams.flat())].flatMap(label => {
    const { declared } = taskOf(label),
      owner = setup.dags.find(d => names(d, label))?.user.number;
    return usesMemory(declared) ? [{ label, way: undefined, declared, owner }] : [];
  });
  return [...staying, ...moving];
}
/** Every task with memory has a space of its own, as large as it declares, from the bring-up on. */
export class TaskMemory {
  readonly ram: AxiRam;
  readonly driver: ReturnType<typeof memoryDriverOf>;
  readonly manager: MemoryManager;
  /** Where its pages go: a model at first, which has room for as many. */
  readonly elsewhere: PagesElsewhere;
  /** Pages for peers. */
  readonly aside: BoardFrames;
  readonly #bench: DeviceBench;
  readonly grants: MemoryGrants;
  readonly #tasks: readonly OwnedTask[];
  readonly #ways: number;
  #running = false;

  /**
   * @param tasks those of the device that have memory, in the order of regions and slots
   * @throws ConfigError in a sentence for pages that would reach the rings
   */
  constructor(
    bench: DeviceBench,
    p: MemoryParameters,
    { tasks, users, boardPages, ram }: MemoryPlan,
    o: TaskMemoryOptions = {},
  ) {
    const { sim, io } = bench,
      pageBytes = 2 ** p.pageShift;
    this.#bench = bench;
    this.ram = ram;
    this.#tasks = tasks;
    this.#ways = p.ways;
    const registers = new LiteMaster(sim, {
      ...{ sAw: io.memoryAw, sW: io.memoryW, sB: io.memoryB, sAr: io.memoryAr, sR: io.memoryR },
    });
    const out = new StreamSink(sim, io.pageOut),
      into = new StreamSource(sim, io.pageIn),
      beats = pageBytes / beatBytes;
    this.driver = memoryDriverOf(registers, {
      pageBytes,
      take: async () => {
        await bench.until(() => out.received.length >= beats);
        return Uint8Array.from(Buffer.concat(out.received.splice(0, beats).map(s => bytesOf(s.value.data))));
      },
      give: async bytes => {
        for (let at = 0; at < bytes.length; at += beatBytes) into.send({ data: bits(bytes.slice(at, at + beatBytes)) });
        await into.drained();
      },
    });
    const own = tasks.map(({ label, declared, way }) => ({
        ...{ label, way, keepsPages: keepsPages(declared) },
        pages: Math.ceil(spaceBytesOf(declared) / pageBytes),
      })),
      promised = own.reduce((n, t) => n + t.pages, 0);
    const room = o.elsewhere ?? 0,
      frames = o.frames ?? Math.min(promised + ready, boardPages),
      aside = o.aside ?? 0;
    if (frames + aside > boardPages)
      throw new ConfigError(
        `${frames} pages of ${pageBytes} bytes for tasks and ${aside} for peers reach the rings: ${boardPages} lie in front of them; give ${boardPages} together at most`,
      );
    this.elsewhere = new PagesElsewhere(room, new LocalPages(room));
    this.manager = new MemoryManager({
      ...{ driver: this.driver, remote: this.elsewhere, pages: p.pages, spaces: p.spaces },
      ...{ first: 0, frames, ready },
    });
    this.aside = new BoardFrames({ driver: this.driver, manager: this.manager, first: frames, count: aside });
    this.grants = new MemoryGrants({ manager: this.manager, tasks: own, users, pageBytes });
  }
  /**
   * Gives each task its space, for the user whose DAG has it, and looks after pages from then on. @param later tasks
   * that no DAG has wait until somebody deploys them @throws ConfigError in a sentence for memory that is not there
   */
  async start(later: boolean): Promise<void> {
    for (const { label, owner } of this.#tasks) {
      if (owner === undefined && later) continue;
      const refused = await this.grants.give(label, owner ?? nobody);
      if (refused !== undefined) throw new ConfigError(refused.why);
    }
    await this.manager.step();
    this.#running = true;
    void this.#bench.background(async () => {
      while (this.#running) {
        await this.#bench.cycles(roundCycles);
        await this.manager.step();
      }
    });
  }
  /** No more rounds begin. */
  stop(): void {
    this.#running = false;
  }
  /** @returns a sentence for each way that has something under way */
  async leftAtRest(): Promise<readonly string[]> {
    const left: string[] = [];
    for (let way = 0; way < this.#ways; way++)
      if (!(await this.driver.way(way)).idle) left.push(`way ${way} to memory is not idle at the end`);
    if (!this.ram.idle) left.push("the board's memory has bursts at the end");
    return left;
  }
}
