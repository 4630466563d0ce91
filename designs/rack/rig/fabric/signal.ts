/** A promise, and what resolves it. */
export class Signal {
  readonly told: Promise<void>;
  #tell: () => void = () => undefined;

  constructor() {
    this.told = new Promise(resolve => {
      this.#tell = resolve;
    });
  }
  tell(): void {
    this.#tell();
  }
}
