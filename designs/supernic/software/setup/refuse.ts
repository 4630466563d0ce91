import { ConfigError } from "../../config/index.ts";

/** What cannot be, with the file's name in front. */
export class Refuse {
  readonly #path: string;
  constructor(path: string) {
    this.#path = path;
  }
  /** @throws ConfigError unless it holds */
  unless(holds: boolean, sentence: () => string): asserts holds {
    if (!holds) throw this.error(sentence());
  }
  error(sentence: string): ConfigError {
    return new ConfigError(`${this.#path}: ${sentence}`);
  }
  /** The one with this name. */
  named<T extends { readonly name: string }>(all: readonly T[], name: string, where: string, kind: string): T {
    const found = all.find(x => x.name === name),
      names = all.map(x => x.name).join(", ");
    this.unless(
      found !== undefined,
      () =>
        `${where} = "${name.slice(0, 60)}": there is no such ${kind}; ${names === "" ? "add it" : `there are ${names}`}`,
    );
    return found;
  }
  /** Nothing twice. */
  once<T>(all: readonly T[], of: (x: T) => string | number | bigint, where: (i: number) => string): void {
    const seen = new Map<string | number | bigint, number>();
    for (const [i, x] of all.entries()) {
      const key = of(x),
        before = seen.get(key);
      this.unless(
        before === undefined,
        () => `${where(i)}: the same as ${where(before ?? 0)}; give one of them another`,
      );
      seen.set(key, i);
    }
  }
  fits(list: readonly unknown[], most: number, field: string, what: string): void {
    this.unless(
      list.length <= most,
      () =>
        `${field}: there are ${list.length}, and the device has room for ${most} ${what}; leave out ${list.length - most}`,
    );
  }
}
