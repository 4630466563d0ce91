import { ByteHistory, type PendingWrite } from "../model/index.ts";

/** Bytes between two foldings of the history. */
const foldEvery = 64;

/**
 * Memory that many clients write and read at once, judged byte by byte. A read gives the value of a write that had
 * begun before the read ended, and was not overwritten before the read began. So a write that is done twice, late, or
 * not at all is seen by the reads behind it.
 */
export class SharedBytes {
  private readonly history = new ByteHistory();
  private readonly open = new Map<number, number>();
  private readonly now: () => number;
  private next = 0;
  private ended = 0;
  checked = 0;
  readonly problems: string[] = [];

  constructor(now: () => number) {
    this.now = now;
  }

  /**
   * Around a write of bytes from `start`. A write of unknown outcome is repeated until its outcome is known. Until then
   * it may take effect at any time, and nothing behind it would ever be over.
   * @param unknown whether an error leaves open what the operation did @param pause until nothing of a failed try can
   * be under way any more
   * @throws the first error
   */
  async write(
    start: number,
    data: Uint8Array,
    operation: () => Promise<void>,
    unknown: (e: unknown) => boolean,
    pause: () => Promise<void>,
  ): Promise<void> {
    const write: PendingWrite = { start, data, issued: this.now(), replied: Number.POSITIVE_INFINITY };
    this.history.add(write);
    await this.during(async () => {
      let failure: { readonly error: unknown } | undefined;
      for (;;) {
        try {
          await operation();
          break;
        } catch (error) {
          if (failure === undefined && !unknown(error)) {
            this.history.drop(write);
            throw error;
          }
          failure ??= { error };
        }
        await pause();
      }
      write.replied = this.now();
      if (failure) throw failure.error;
    });
  }

  /** Around a read of bytes from `start`. @param who the reader's name in problems */
  async read(who: string, start: number, operation: () => Promise<Uint8Array>): Promise<void> {
    const issued = this.now();
    await this.during(async () => {
      const data = await operation(),
        wrong = this.history.check(start, data, issued);
      this.checked += data.length;
      if (wrong === undefined) return;
      const got = data[wrong.offset - start] ?? 0,
        legal = wrong.legal.join(" or ");
      this.problems.push(
        `${who}: byte ${wrong.offset} is ${got} in a read from ${issued} to ${this.now()}; it can be ${legal}`,
      );
    });
  }

  /** Folds what is over for every operation still open, so that the history stays short. */
  private async during(operation: () => Promise<void>): Promise<void> {
    const id = this.next++;
    this.open.set(id, this.now());
    try {
      await operation();
    } finally {
      this.open.delete(id);
      // Operations begin in the order of time: the first that is open is the earliest.
      if (++this.ended % foldEvery === 0) this.history.fold(this.open.values().next().value ?? this.now());
    }
  }
}
