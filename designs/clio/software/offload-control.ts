import { firstOffloadPid } from "../config/index.ts";
import { extractField, type FieldName, fieldPlace, insertField } from "../registers/index.ts";
import type { RegisterAccess } from "./go-back-n.ts";

/** Slots that the registers know of. */
const slots = 4;
/** Cycles of a unit of `offloadLimit`. */
const limitUnit = 65_536;
const slotsOf = (bits: number): readonly number[] =>
  Array.from({ length: slots }, (_, k) => k).filter(k => ((bits >> k) & 1) === 1);
function checked(slot: number): number {
  if (!Number.isInteger(slot) || slot < 0 || slot >= slots)
    throw new RangeError(`slot = ${slot} is not a whole number from 0 to ${slots - 1}; give an offload's slot`);
  return slot;
}

/** Frees what an offload has allocated for itself. */
export interface OffloadMemory {
  freeProcess(pid: number): Promise<unknown>;
}

/**
 * The offloads of a node over its registers: how they are, the stuck ones, and the reset of one of them while all
 * others go on. Requests that it holds are answered BUSY, so their clients repeat them. Requests done at most once are
 * answered EXPIRED, since their progress is unknown. Such requests are neither done again nor reported done, and a
 * repetition is answered EXPIRED, too.
 */
export class OffloadControl {
  private readonly registers: RegisterAccess;
  private readonly memory: OffloadMemory | undefined;
  private last: Promise<unknown> = Promise.resolve();

  /**
   * @param memory frees what an offload has allocated for itself with its reset; without it the pages stay
   * with its process
   */
  constructor(registers: RegisterAccess, memory?: OffloadMemory) {
    this.registers = registers;
    this.memory = memory;
  }

  /**
   * The slots whose offload has had a request for `patience` cycles and has made no progress, memory and network not
   * being what it waits for. Or, whatever it does, it has given no reply for `limit`.
   */
  async stuck(): Promise<readonly number[]> {
    return slotsOf(await this.read("offloadStuck"));
  }
  /** The slots whose offload has a request. */
  async active(): Promise<readonly number[]> {
    return slotsOf(await this.read("offloadActive"));
  }
  /** Cycles for which an offload has had a request and given no reply, rounded down to units of 65,536. */
  async since(slot: number): Promise<number> {
    return (await this.read(`offload${checked(slot)}Since` as FieldName)) * limitUnit;
  }
  /**
   * @param cycles without a reply that count as stuck, rounded up to units of 65,536, up to 2^40 - 65,536; 0: none do.
   * 137 s after reset of the node
   */
  async setLimit(cycles: number): Promise<void> {
    const units = Math.ceil(cycles / limitUnit);
    if (!Number.isInteger(cycles) || cycles < 0 || units >= 2 ** 24)
      throw new RangeError(
        `limit = ${cycles} cycles is not a whole number from 0 to ${(2 ** 24 - 1) * limitUnit}; give one`,
      );
    await this.inTurn(() => this.write("offloadLimit", () => units));
  }
  /** @param cycles without progress that count as stuck, 1 to 2^24 - 1; 65,536 after reset of the node */
  async setPatience(cycles: number): Promise<void> {
    if (!Number.isInteger(cycles) || cycles < 1 || cycles >= 2 ** 24)
      throw new RangeError(`patience = ${cycles} cycles is not a whole number from 1 to ${2 ** 24 - 1}; give one`);
    await this.inTurn(() => this.write("offloadPatience", () => cycles));
  }

  /**
   * Resets the offload in a slot. Resolves when it takes requests again: all that it held have been answered, its
   * memory requests are done or given up (after 16 x patience cycles), and its own memory is free again. State that it
   * kept in itself or in that memory (a store's keys) is gone.
   * @throws RangeError for a slot that no node has
   */
  async reset(slot: number): Promise<void> {
    const mask = 1 << checked(slot);
    await this.inTurn(async () => {
      await this.holdNow(slot);
      await this.write("offloadReset", bits => bits & ~mask);
      while (((await this.read("offloadHeld")) & mask) !== 0) {
        /* The slot opens within a few cycles. */
      }
    });
  }
  /** The key of the offloads' hashes: a random number that no client knows, set before the first request. */
  async setSecret(secret: bigint): Promise<void> {
    await this.inTurn(async () => {
      await this.write("offloadSecretLow", () => Number(secret & 0xffff_ffffn));
      await this.write("offloadSecretHigh", () => Number((secret >> 32n) & 0xffff_ffffn));
    });
  }
  /**
   * Tells the offloads that keep things for processes that one exists, or does not any more.
   * @returns whether it has sent them requests while it existed: they may keep something for it
   */
  async process(pid: number, exists: boolean): Promise<boolean> {
    return this.inTurn(() => this.order({ pid, exists }));
  }
  /** Begins the removal of all that they keep for a process that does not exist; one at a time. */
  async forget(pid: number): Promise<void> {
    await this.inTurn(() => this.order({ pid, forget: true }));
  }
  /** Whether the last removal is under way, is over, or has been refused by memory. */
  async forgotten(): Promise<"underWay" | "over" | "refused"> {
    if ((await this.read("offloadForgotten")) === 0) return "underWay";
    return (await this.read("offloadForgetFailed")) === 0 ? "over" : "refused";
  }
  /** The end of the removal for a process has been seen. */
  async seen(pid: number): Promise<void> {
    await this.inTurn(() => this.order({ pid, seen: true }));
  }
  private async order(o: {
    readonly pid: number;
    readonly exists?: boolean;
    readonly forget?: boolean;
    readonly seen?: boolean;
  }): Promise<boolean> {
    const done = async (): Promise<void> => {
      while ((await this.read("offloadProcessBusy")) === 1) {
        /* A few cycles, or those after reset. */
      }
    };
    await done();
    let word = 0;
    for (const [name, value] of [
      ["offloadProcessPid", o.pid],
      ["offloadProcessExists", o.exists ? 1 : 0],
      ["offloadProcessForget", o.forget ? 1 : 0],
      ["offloadProcessSeen", o.seen ? 1 : 0],
    ] as const)
      word = insertField(fieldPlace(name).field, word, value);
    await this.registers.write(fieldPlace("offloadProcessPid").register.address, word);
    await done();
    return (await this.read("offloadProcessUsed")) === 1;
  }

  /**
   * Puts the offload in a slot into reset and leaves it there: its requests are answered BUSY, or EXPIRED when they are
   * done at most once. Resolves when nothing of it is under way any more and its own memory is free again.
   */
  async hold(slot: number): Promise<void> {
    checked(slot);
    await this.inTurn(() => this.holdNow(slot));
  }
  private async holdNow(slot: number): Promise<void> {
    const mask = 1 << slot;
    await this.write("offloadReset", bits => bits | mask);
    while (((await this.read("offloadHeld")) & mask) === 0) {
      /* Every look is an access to a register. */
    }
    // No access of the offload's is under way, so these pages are unused.
    await this.memory?.freeProcess(firstOffloadPid + slot);
  }
  /** Resets every offload that is stuck. @returns their slots */
  async resetStuck(): Promise<readonly number[]> {
    const found = await this.stuck();
    for (const slot of found) await this.reset(slot);
    return found;
  }

  private inTurn<T>(action: () => Promise<T>): Promise<T> {
    const done = this.last.then(action);
    this.last = done.catch(() => undefined);
    return done;
  }
  private async read(name: FieldName): Promise<number> {
    const { register, field } = fieldPlace(name);
    return extractField(field, await this.registers.read(register.address));
  }
  private async write(name: FieldName, value: (old: number) => number): Promise<void> {
    const { register, field } = fieldPlace(name),
      word = await this.registers.read(register.address);
    await this.registers.write(register.address, insertField(field, word, value(extractField(field, word))));
  }
}
