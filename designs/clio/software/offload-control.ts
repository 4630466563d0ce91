import { firstOffloadPid } from "../config/index.ts";
import { extractField, type FieldName, fieldPlace, insertField } from "../registers/index.ts";
import type { RegisterAccess } from "./go-back-n.ts";
import type { MemoryManager } from "./memory/memory-manager.ts";

/** Slots that the registers know of. */
const slots = 4;

/**
 * The offloads of a node over its registers: the stuck ones, and the reset of one of them while all others go on.
 * Requests that it holds are answered BUSY, so their clients repeat them. Requests done at most once are answered
 * EXPIRED, since their progress is unknown. Such requests are neither done again nor reported done, and a repetition is
 * answered EXPIRED, too.
 */
export class OffloadControl {
  private readonly registers: RegisterAccess;
  private readonly memory: Pick<MemoryManager, "freeProcess"> | undefined;
  private last: Promise<unknown> = Promise.resolve();

  /**
   * @param memory frees what an offload has allocated for itself with its reset; without it the pages stay
   * with its process
   */
  constructor(registers: RegisterAccess, memory?: Pick<MemoryManager, "freeProcess">) {
    this.registers = registers;
    this.memory = memory;
  }

  /**
   * The slots whose offload has had a request for `patience` cycles and has made no progress, memory and network not
   * being what it waits for.
   */
  async stuck(): Promise<readonly number[]> {
    const bits = await this.read("offloadStuck");
    return Array.from({ length: slots }, (_, k) => k).filter(k => ((bits >> k) & 1) === 1);
  }
  /** @param cycles without progress that count as stuck, 1 to 2^24 - 1; 65,536 after reset of the node */
  async setPatience(cycles: number): Promise<void> {
    if (!Number.isInteger(cycles) || cycles < 1 || cycles >= 2 ** 24)
      throw new RangeError(`patience = ${cycles} cycles is not a whole number from 1 to ${2 ** 24 - 1}; give one`);
    await this.inTurn(() => this.write("offloadPatience", () => cycles));
  }

  /**
   * Resets the offload in a slot. Resolves when it takes requests again: all that it held have been answered, its
   * memory requests are done, and its own memory is free again. State that it kept in itself or in that memory (a
   * store's keys) is gone.
   * @throws RangeError for a slot that no node has
   */
  async reset(slot: number): Promise<void> {
    if (!Number.isInteger(slot) || slot < 0 || slot >= slots)
      throw new RangeError(`slot = ${slot} is not a whole number from 0 to ${slots - 1}; give an offload's slot`);
    const mask = 1 << slot;
    await this.inTurn(async () => {
      await this.write("offloadReset", bits => bits | mask);
      while (((await this.read("offloadHeld")) & mask) === 0) {
        /* Every look is an access to a register. */
      }
      // No access of the offload's is under way, so these pages are unused.
      await this.memory?.freeProcess(firstOffloadPid + slot);
      await this.write("offloadReset", bits => bits & ~mask);
      while (((await this.read("offloadHeld")) & mask) !== 0) {
        /* The slot opens within a few cycles. */
      }
    });
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
