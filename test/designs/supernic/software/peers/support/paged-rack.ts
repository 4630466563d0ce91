/** Modelled sNICs whose tasks' pages go to each other's memory, and a task's own copy of all that it wrote. */
import {
  BoardFrames,
  type LiveSpace,
  MemoryManager,
  type RemotePages,
} from "../../../../../../designs/supernic/software/index.ts";
import { mostPageBytes } from "../../../../../../designs/supernic/wire/index.ts";
import { inRack, type ModelledRack, type Nic, period, type RackOptions } from "./modelled-rack.ts";
import { epochNs, pageBytes, PagedBoard } from "./paged-board.ts";

/** Pages of the board for tasks, zeroed ones that are ready, and pages of each space. */
const frames = 6,
  ready = 1,
  limit = 4,
  words = pageBytes / 4,
  allPages = [0, 1, 2, 3],
  /** A word of each piece. */
  pieces = Array.from({ length: pageBytes / mostPageBytes }, (_, i) => (i * mostPageBytes) / 4 + i);
/** Nanoseconds between two rounds of the software; epochs for which a task waits for room: 100 periods. */
const roundNs = 20_000,
  patience = (100 * period) / epochNs;

export interface PagedOptions extends Omit<RackOptions, "aside"> {
  /** Pages of each board that are set aside for peers, 4 unless given. */
  readonly aside?: number;
  /** The manager with a fault in it. */
  readonly manager?: typeof MemoryManager | undefined;
}
/** A task with a space of its own: a user's. It knows what it wrote. */
export class PagedTask {
  readonly name: string;
  readonly #board: PagedBoard;
  readonly way: number;
  readonly space: LiveSpace;
  readonly #wrote = new Map<string, number>();
  /** Pages that were refused: they are never there again. */
  readonly lost = new Set<number>();
  /** It is never refused. */
  isSure = false;

  constructor(name: string, board: PagedBoard, way: number, space: LiveSpace) {
    this.name = name;
    this.#board = board;
    this.way = way;
    this.space = space;
  }
  /** @throws Error when it reads anything but what it wrote, or 0 @returns whether it was refused */
  async access(page: number, word: number, value?: number): Promise<boolean> {
    const key = `${page}.${word}`,
      should = this.#wrote.get(key) ?? 0,
      was = await this.#board.access(this.way, page, word, value);
    if (was === "denied") {
      if (this.isSure) throw new Error(`${this.name}: page ${page} is lost`);
      this.lost.add(page);
      return true;
    }
    if (this.lost.has(page)) throw new Error(`${this.name}: page ${page} was lost, and is there`);
    if (was !== should) throw new Error(`${this.name}: word ${key} is ${was}, not ${should}`);
    if (value !== undefined) this.#wrote.set(key, value);
    return false;
  }
}

export class PagedNic {
  readonly nic: Nic;
  readonly board: PagedBoard;
  readonly manager: MemoryManager;
  readonly tasks: PagedTask[] = [];
  running = true;
  #steps: Promise<void> = Promise.resolve();

  constructor(nic: Nic, board: PagedBoard, Manager: typeof MemoryManager) {
    this.nic = nic;
    this.board = board;
    // Whatever life its software has: pages of an earlier one are lost.
    const now = (): RemotePages => nic.peers.pages;
    this.manager = new Manager({
      remote: {
        get capacity() {
          return now().capacity;
        },
        put: (key, bytes) => now().put(key, bytes),
        get: key => now().get(key),
        drop: key => now().drop(key),
      },
      ...{ driver: board, pages: 64, spaces: 4, first: 0, frames, ready, patience },
    });
  }
  async begin(spaces: number): Promise<void> {
    for (let way = 0; way < spaces; way++) {
      const space = await this.manager.create({ user: way, limit, write: true });
      if (typeof space === "string") throw new Error(`${this.nic.model.name}: no space, ${space}`);
      await this.manager.attach(way, space);
      this.tasks.push(this.newTask(way, space));
    }
    this.#steps = this.#run();
  }
  newTask(way: number, space: LiveSpace): PagedTask {
    return new PagedTask(`${this.nic.model.name} user ${space.user}`, this.board, way, space);
  }
  async #run(): Promise<void> {
    while (this.running) {
      await this.manager.step();
      await this.nic.model.pause(roundNs);
    }
  }
  /** Its tasks end, and with them all that they have anywhere. */
  async end(): Promise<void> {
    this.running = false;
    await this.#steps;
    for (const { space } of this.tasks) await this.manager.destroy(space);
  }
  /** @returns what is missing of the board's pages for tasks */
  get missing(): number {
    return frames - this.manager.unused - this.board.used.length - this.manager.counted.bad - this.manager.moving;
  }
}

export class PagedRack {
  readonly rack: ModelledRack;
  readonly nics: readonly PagedNic[];
  #value = 0;
  constructor(rack: ModelledRack, nics: readonly PagedNic[]) {
    this.rack = rack;
    this.nics = nics;
  }
  nic(n: number): PagedNic {
    const found = this.nics[n];
    if (found === undefined) throw new RangeError(`there is no sNIC ${n}`);
    return found;
  }
  task(n: number, way: number): PagedTask {
    const found = this.nic(n).tasks[way];
    if (found === undefined) throw new RangeError(`there is no task ${way}`);
    return found;
  }
  /** A number in every piece of some pages of a task; each is other than all before. */
  async fill(task: PagedTask, pages: readonly number[] = allPages): Promise<void> {
    for (const page of pages) for (const word of pieces) await task.access(page, word, ++this.#value);
  }
  /** All that a task wrote is read. @returns how many pages were refused */
  async read(task: PagedTask, pages: readonly number[] = allPages): Promise<number> {
    let denied = 0;
    for (const page of pages) {
      const ends = [];
      for (const word of pieces) ends.push(await task.access(page, word));
      if (ends.some(e => e)) denied++;
    }
    return denied;
  }
  /** Accesses of all tasks at once, at random. @param count of each */
  async work(count: number, tasks = this.nics.flatMap(n => n.tasks)): Promise<void> {
    const { random } = this.rack;
    await Promise.all(
      tasks.map(async task => {
        for (let i = 0; i < count; i++) {
          const page = random.below(limit),
            word = random.pick([0, 1, 255, 256, words / 2, words - 1]);
          await task.access(page, word, random.chance(0.6) ? ++this.#value : undefined);
          await this.rack.periods(random.between(0, 20) / 100);
        }
      }),
    );
  }
  /** Nobody has anything that nobody needs. @throws Error else */
  async check(): Promise<void> {
    const { rack } = this;
    await rack
      .until(() => this.#leaks().length === 0, "nothing is left", 30)
      .catch((e: unknown) => {
        throw new Error(this.#leaks().join("; "), { cause: e });
      });
    for (const n of this.nics) await n.end();
    await rack.until(
      () => this.#leaks().length === 0 && this.nics.every(n => this.#keptBy(n) === 0),
      `all pages are dropped: ${this.nics.map(n => this.#keptBy(n)).join()}`,
      30,
    );
  }
  #keptBy(n: PagedNic): number {
    return this.nics.reduce((sum, o) => (o === n ? sum : sum + n.nic.peers.kept.keptOf(o.nic.number).length), 0);
  }
  #leaks(): readonly string[] {
    const pairs = this.nics.flatMap(a => this.nics.filter(b => b !== a).map(b => [a, b] as const));
    return [
      ...this.nics.flatMap(n => (n.missing === 0 ? [] : [`${n.nic.model.name}: ${n.missing} pages of the board`])),
      ...pairs.flatMap(([owner, peer]) => {
        const kept = peer.nic.peers.kept.keptOf(owner.nic.number).length,
          has = owner.nic.peers.pages.keptAt(owner.nic.neighbour(peer.nic.number)),
          free = peer.nic.peers.kept.freeOf(owner.nic.number),
          each = peer.nic.aside / (this.nics.length - 1);
        const text = `${owner.nic.model.name} at ${peer.nic.model.name}`;
        return [
          ...(kept === has ? [] : [`${text}: ${kept} kept for ${has}`]),
          ...(kept + free + peer.nic.peers.kept.counts.bad < each ? [`${text}: ${kept} and ${free} of ${each}`] : []),
        ];
      }),
    ];
  }
}
/** @param spaces tasks of each sNIC, by its number */
export function inPaged(
  o: PagedOptions,
  spaces: readonly number[],
  body: (paged: PagedRack) => Promise<void>,
): Promise<void> {
  const { aside = 4, manager = MemoryManager } = o,
    boards = new Map<Nic, PagedBoard>(),
    managers = new Map<Nic, MemoryManager>();
  const setAside = (nic: Nic, rack: ModelledRack) => {
    const driver = boards.get(nic) ?? new PagedBoard(rack.time, frames + aside, 0xa0 + nic.number);
    boards.set(nic, driver);
    const alone = <T>(what: () => Promise<T>): Promise<T> => {
      const of = managers.get(nic);
      if (of === undefined) throw new Error("there is no manager yet");
      return of.alone(what);
    };
    return new BoardFrames({ driver, manager: { alone }, first: frames, count: aside });
  };
  return inRack({ ...o, aside: setAside }, async rack => {
    const nics = rack.nics.map(nic => {
      const board = boards.get(nic);
      if (board === undefined) throw new Error(`${nic.model.name} has no board`);
      const paged = new PagedNic(nic, board, manager);
      managers.set(nic, paged.manager);
      return paged;
    });
    await rack.periods(2);
    for (const [n, paged] of nics.entries()) await paged.begin(spaces[n] ?? 0);
    await body(new PagedRack(rack, nics));
  });
}
