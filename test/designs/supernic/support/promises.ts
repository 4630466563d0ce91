/** Holds a block to what a port's room promises, by what is chosen and what begins there. */

/** One port: frames that were chosen and have not begun there. */
export class Promise1 {
  readonly #beats: number[] = [];
  readonly #longest: number;
  readonly #what: string;
  most = 0;
  constructor(what: string, longest: number) {
    this.#what = what;
    this.#longest = longest;
  }
  chosen(beats: number): void {
    this.#beats.push(beats);
    const sum = this.#beats.reduce((a, n) => a + n, 0);
    this.most = Math.max(this.most, sum);
    if (sum > this.#longest)
      throw new Error(
        `${this.#what}: ${sum} beats are promised and have not begun, and a longest frame has ${this.#longest}`,
      );
  }
  begun(): void {
    if (this.#beats.shift() === undefined) throw new Error(`${this.#what}: a frame begins that was not chosen`);
  }
  clear(): void {
    this.#beats.splice(0);
  }
}
