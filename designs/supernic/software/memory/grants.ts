/** Which task with memory is whose: a user that deploys one gives it a space out of what that user may have. */
import type { LiveSpace, MemoryManager, Refusal } from "./manager.ts";

/** A task of the device that has memory: as a setup names it, and pages of its space. */
export interface MemoryTask {
  readonly label: string;
  /** Its way; undefined: its chain comes and goes, and its way is that of the region where it is. */
  readonly way?: number | undefined;
  readonly pages: number;
  /** What it has in memory is of use to it when its chain comes again; left out: its pages are given back. */
  readonly keepsPages?: boolean;
}
/** Who may have how much, bytes; undefined: as much as there is. */
export interface MemoryUser {
  readonly number: number;
  readonly name: string;
  readonly memory?: number | undefined;
}
/** Nothing was given. `why` is a sentence with its remedy. */
export interface NotGiven {
  readonly status: "FULL" | "DENIED";
  readonly why: string;
}
interface Given {
  readonly user: number;
  readonly spaces: readonly LiveSpace[];
  /** Of a task whose chain comes and goes. */
  roaming: LiveSpace | undefined;
}
/** A way, and the task that is behind it from now on. */
export interface Behind {
  readonly way: number;
  readonly label: string;
}
/** Of nobody: a task that no DAG of the setup has. */
export const nobody = 0;

type GrantManager = Pick<MemoryManager, "create" | "attach" | "detach" | "renew" | "destroy">;

export class MemoryGrants {
  readonly #manager: GrantManager;
  readonly #tasks: readonly MemoryTask[];
  readonly #users: readonly MemoryUser[];
  readonly #pageBytes: number;
  readonly #given = new Map<string, Given>();
  /** Tasks that are behind ways of regions whose chains come and go. */
  readonly #behind = new Map<number, string>();
  /** Times that pages of a task were given back as its chain went. */
  renewed = 0;
  /** One after the other: two that ask at once do not get the same pages. */
  #working: Promise<unknown> = Promise.resolve();

  constructor(o: {
    readonly manager: GrantManager;
    readonly tasks: readonly MemoryTask[];
    readonly users: readonly MemoryUser[];
    readonly pageBytes: number;
  }) {
    this.#manager = o.manager;
    this.#tasks = o.tasks;
    this.#users = o.users;
    this.#pageBytes = o.pageBytes;
  }
  /** Whether a task of this name has memory. */
  needs(label: string): boolean {
    return this.#tasks.some(t => t.label === label);
  }
  /** Whose it is; undefined: it has no memory yet. */
  ownerOf(label: string): number | undefined {
    return this.#given.get(label)?.user;
  }
  /** Pages that are promised to a user's tasks. */
  pagesOf(user: number): number {
    return [...this.#given.values()]
      .filter(g => g.user === user)
      .flatMap(g => [...g.spaces, ...(g.roaming === undefined ? [] : [g.roaming])])
      .reduce((n, s) => n + s.limit, 0);
  }
  /** The task's memory, for this user. @returns undefined when it has it, now or from before */
  give(label: string, user: number): Promise<NotGiven | undefined> {
    return this.#next(() => this.#give(label, user));
  }
  /** A chain has come, and has reset its tasks: their ways get their spaces, if these have been given. */
  enter(behind: readonly Behind[]): Promise<void> {
    return this.#next(async () => {
      for (const { way, label } of behind) {
        this.#behind.set(way, label);
        const space = this.#given.get(label)?.roaming;
        if (space !== undefined) await this.#manager.attach(way, space);
      }
    });
  }
  /**
   * A chain has gone, and its ways are idle. Its pages stay for tasks that use them again, unless they are `lost` with
   * what the tasks knew of them.
   */
  leave(ways: readonly number[], lost: boolean): Promise<void> {
    return this.#next(async () => {
      for (const way of ways) {
        const label = this.#behind.get(way),
          given = label === undefined ? undefined : this.#given.get(label),
          keeps = this.#tasks.some(t => t.label === label && t.way === undefined && t.keepsPages === true);
        this.#behind.delete(way);
        await this.#manager.detach(way);
        if (given?.roaming === undefined || (keeps && !lost)) continue;
        given.roaming = await this.#manager.renew(given.roaming);
        this.renewed++;
      }
    });
  }
  #next<T>(what: () => Promise<T>): Promise<T> {
    const done = this.#working.then(what);
    this.#working = done.catch(() => undefined);
    return done;
  }
  async #give(label: string, user: number): Promise<NotGiven | undefined> {
    const owner = this.ownerOf(label),
      tasks = this.#tasks.filter(t => t.label === label),
      wanted = tasks.reduce((n, t) => n + t.pages, 0);
    if (owner === user || tasks.length === 0) return undefined;
    if (owner !== undefined)
      return { status: "DENIED", why: `${label} is that of ${this.#name(owner)}; use what that user shares` };
    const quota = this.#users.find(u => u.number === user)?.memory,
      left = quota === undefined ? undefined : Math.floor(quota / this.#pageBytes) - this.pagesOf(user);
    if (left !== undefined && wanted > left)
      return this.#full(
        label,
        wanted,
        `${this.#name(user)} may have ${left} more`,
        `raise memory of that user to ${(wanted + this.pagesOf(user)) * this.#pageBytes}`,
      );
    const spaces: LiveSpace[] = [];
    let roaming: LiveSpace | undefined;
    for (const { way, pages } of tasks) {
      const space = await this.#manager.create({ user, limit: pages, write: true });
      if (typeof space === "string") {
        // All of it, or nothing.
        for (const s of [...spaces, ...(roaming === undefined ? [] : [roaming])]) await this.#manager.destroy(s);
        return this.#full(label, wanted, reasons[space], "deploy a smaller one, or set more memory");
      }
      if (way === undefined) roaming = space;
      else {
        spaces.push(space);
        await this.#manager.attach(way, space);
      }
    }
    this.#given.set(label, { user, spaces, roaming });
    // Its chain may be there already.
    if (roaming !== undefined)
      for (const [way, there] of this.#behind) if (there === label) await this.#manager.attach(way, roaming);
    return undefined;
  }
  #full(label: string, pages: number, but: string, remedy: string): NotGiven {
    return {
      status: "FULL",
      why: `${label} needs ${pages} ${pages === 1 ? "page" : "pages"} of ${this.#pageBytes} bytes, and ${but}; ${remedy}`,
    };
  }
  #name(user: number): string {
    return user === nobody ? "nobody" : `user ${this.#users.find(u => u.number === user)?.name ?? user}`;
  }
}
const reasons: Readonly<Record<Refusal, string>> = {
  noSpace: "the device has no space left for one more task",
  noEntries: "the page table has no room for them in a row",
  noMemory: "the board's memory has no room for them",
};
