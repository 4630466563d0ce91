/** An operation as its client saw it. Times are in any one unit. */
export interface Operation<Input, Output> {
  /** Object of the operation: objects are judged one by one. */
  readonly object: string;
  /** Name of the caller, for messages. */
  readonly client: string;
  readonly input: Input;
  /**
   * Output; undefined when the outcome is not known: the operation may have been done at any time after its
   * call, or never.
   */
  readonly output: Output | undefined;
  readonly called: number;
  /** Infinity when its outcome is not known. */
  readonly returned: number;
  /**
   * When its outcome is not known: if it was done, then no later than this; default Infinity. Without such a bound all
   * that was ever lost may still come, and the search tries it.
   */
  readonly until?: number;
}

/** An object as one client alone would see it. */
export interface Specification<State, Input, Output> {
  readonly initial: State;
  /**
   * The state after the operation, or undefined when it cannot give that output in this state. An undefined output
   * stands for any.
   */
  readonly apply: (state: State, input: Input, output: Output | undefined) => { readonly state: State } | undefined;
  /** Text that is the same for equal states and no others. */
  readonly key: (state: State) => string;
  readonly describe: (input: Input, output: Output | undefined) => string;
}

/** Records the operations of concurrent clients. */
export class History<Input, Output> {
  readonly operations: Operation<Input, Output>[] = [];
  private readonly now: () => number;
  private readonly lasts: number;

  /** @param lasts after a client has given an operation up it is done within this time, or never */
  constructor(now: () => number, lasts = Number.POSITIVE_INFINITY) {
    this.now = now;
    this.lasts = lasts;
  }

  /**
   * Records an operation around its call: the result ends it. An error that `unknown` recognises leaves its outcome
   * open; any other error means that it was not done.
   * @returns what the operation gives; the error is thrown on
   */
  async record<T>(
    object: string,
    client: string,
    input: Input,
    operation: () => Promise<T>,
    output: (result: T) => Output,
    unknown: (error: unknown) => boolean,
  ): Promise<T> {
    const called = this.now();
    const add = (out: Output | undefined, returned: number, until?: number): void => {
      this.operations.push({
        object,
        client,
        input,
        output: out,
        called,
        returned,
        ...(until !== undefined && { until }),
      });
    };
    try {
      const result = await operation();
      add(output(result), this.now());
      return result;
    } catch (e) {
      if (unknown(e)) add(undefined, Number.POSITIVE_INFINITY, this.now() + this.lasts);
      throw e;
    }
  }
}
