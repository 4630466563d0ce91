/** An asynchronous operation that has been called (paper §4.3.1): `rpoll` gives its result. */
export class Handle<T> {
  /** Settles when the operation ends; the next `rrelease` reports an error that has not been observed. */
  readonly result: Promise<T>;
  private over = false;
  private seen = false;
  private failure: { readonly error: unknown } | undefined;

  constructor(result: Promise<T>) {
    this.result = result;
    result.then(
      () => {
        this.over = true;
      },
      (error: unknown) => {
        this.over = true;
        this.failure = { error };
      },
    );
  }

  /** Whether it has ended, well or badly. */
  get ended(): boolean {
    return this.over;
  }
  /** Its error, when it ended in one that `rpoll` has not given out. */
  get unseenFailure(): { readonly error: unknown } | undefined {
    return this.seen ? undefined : this.failure;
  }
  see(): void {
    this.seen = true;
  }
}
