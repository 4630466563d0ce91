/** Room of the stage: bytes and writes, given in the order in which they are asked for. */
export class Room {
  readonly #most: { readonly bytes: number; readonly writes: number };
  readonly #waiting: { readonly bytes: number; readonly go: () => void }[] = [];
  readonly #idle: (() => void)[] = [];
  #bytes = 0;
  #writes = 0;
  /** The most that were in use at a time, and how many had to wait. */
  readonly seen = { bytes: 0, writes: 0, held: 0 };

  constructor(most: { readonly bytes: number; readonly writes: number }) {
    this.#most = most;
  }
  get used(): { readonly bytes: number; readonly writes: number; readonly waiting: number } {
    return { bytes: this.#bytes, writes: this.#writes, waiting: this.#waiting.length };
  }

  /** Resolves when the write has its room: at once, or after all who asked before. */
  async take(bytes: number): Promise<void> {
    if (this.#waiting.length === 0 && this.#fits(bytes)) {
      this.#count(bytes);
      return;
    }
    this.seen.held++;
    await new Promise<void>(go => {
      this.#waiting.push({ bytes, go });
    });
  }
  giveBack(bytes: number): void {
    this.#bytes -= bytes;
    this.#writes--;
    for (let next = this.#waiting[0]; next !== undefined && this.#fits(next.bytes); next = this.#waiting[0]) {
      this.#waiting.shift();
      this.#count(next.bytes);
      next.go();
    }
    if (this.#writes === 0 && this.#waiting.length === 0) for (const idle of this.#idle.splice(0)) idle();
  }
  /** Resolves when nothing is in use. */
  async empty(): Promise<void> {
    while (this.#writes > 0)
      await new Promise<void>(resolve => {
        this.#idle.push(resolve);
      });
  }

  #fits(bytes: number): boolean {
    return this.#bytes + bytes <= this.#most.bytes && this.#writes < this.#most.writes;
  }
  #count(bytes: number): void {
    this.#bytes += bytes;
    this.#writes++;
    this.seen.bytes = Math.max(this.seen.bytes, this.#bytes);
    this.seen.writes = Math.max(this.seen.writes, this.#writes);
  }
}
