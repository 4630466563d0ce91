/** One after another, in the order of the calls: requests to the slow path, and the steps of a migration between. */
export class Turns {
  private last: Promise<unknown> = Promise.resolve();

  take<T>(body: () => T | Promise<T>): Promise<T> {
    const mine = this.last.then(body);
    this.last = mine.catch(() => undefined);
    return mine;
  }
}
