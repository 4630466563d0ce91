import type { OffloadControl } from "./offload-control.ts";

/** What the slow path tells of processes that come and go. */
export interface ProcessKeeper {
  created(pid: number): void;
  /** @param over called once nothing is kept for the process any more, and its ID may be another's */
  ended(pid: number, over: () => void): void;
}

/**
 * Keeps what the hardware's Clio-KV knows of processes in step with the processes there are, and has a process's keys
 * removed with the process. A process that has ended is unknown to Clio-KV at once. Its keys go one process after
 * another, beside all other work; until then its ID is nobody's. When memory refuses a removal the ID stays unused.
 */
export class OffloadOwners implements ProcessKeeper {
  private readonly control: OffloadControl;
  private last: Promise<unknown> = Promise.resolve();
  /** Ended processes with something to be removed, the first of them under way. */
  private readonly ending: { readonly pid: number; readonly over: () => void }[] = [];
  private refusals = 0;

  constructor(control: OffloadControl) {
    this.control = control;
  }

  /** Processes whose keys are being removed, or wait for that; and those whose removal was refused. */
  get statistics(): { readonly ending: number; readonly refused: number } {
    return { ending: this.ending.length, refused: this.refusals };
  }

  created(pid: number): void {
    this.then(() => this.control.process(pid, true));
  }
  ended(pid: number, over: () => void): void {
    this.then(async () => {
      if (!(await this.control.process(pid, false))) {
        over();
        return;
      }
      this.ending.push({ pid, over });
      if (this.ending.length === 1) await this.control.forget(pid);
    });
  }
  /** Resolves when the hardware knows all that has been told until now. */
  async settled(): Promise<void> {
    await this.last;
  }
  /** Looks whether a removal is over, and begins the next one. */
  async look(): Promise<void> {
    if (this.ending.length === 0) return;
    this.then(async () => {
      const [first] = this.ending,
        state = await this.control.forgotten();
      if (!first || state === "underWay") return;
      await this.control.seen(first.pid);
      this.ending.shift();
      if (state === "over") first.over();
      else this.refusals++;
      const [next] = this.ending;
      if (next) await this.control.forget(next.pid);
    });
    await this.last;
  }

  private then(action: () => Promise<unknown>): void {
    this.last = this.last.then(action);
    // Whoever waits gets the failure; nobody has to wait.
    this.last.catch(() => undefined);
  }
}
