/** A function's results for all that it may choose: it is run again for each. */
export type Choose = <T>(options: readonly T[]) => T;

export function alternatives<T>(run: (choose: Choose) => T): T[] {
  const results: T[] = [];
  let path: number[] | undefined = [];
  while (path !== undefined) {
    const given: readonly number[] = path,
      taken: { readonly at: number; readonly of: number }[] = [];
    const choose: Choose = options => {
      const at = given[taken.length] ?? 0;
      taken.push({ at, of: options.length });
      if (at >= options.length) throw new RangeError("a choice among nothing");
      // It is there; an option may be undefined.
      return options[at] as (typeof options)[number];
    };
    results.push(run(choose));
    // The next path: the last choice that has another option takes it.
    while (taken.length > 0 && (taken.at(-1)?.at ?? 0) + 1 >= (taken.at(-1)?.of ?? 0)) taken.pop();
    path = taken.length === 0 ? undefined : taken.map(({ at }, i) => (i === taken.length - 1 ? at + 1 : at));
  }
  return results;
}
