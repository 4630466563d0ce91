import type * as z from "zod";

/** The error class of a design's configuration. */
export type Refusal = new (message: string) => Error;

/** Letters to change to make one word the other (for "did you mean"). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++)
      next.push(
        Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)),
      );
    row = next;
  }
  return row[b.length] ?? 0;
}

/** What the schema makes of settings. @throws Refusal with a sentence for each that cannot be */
export function checkSettings<S extends z.ZodType>(
  schema: S,
  given: Readonly<Record<string, unknown>>,
  Refused: Refusal,
): z.output<S> {
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  throw new Refused(
    result.error.issues
      .map(i => {
        const key = String(i.path[0] ?? ""),
          value = given[key];
        return `${key} = ${typeof value === "string" ? `"${value}"` : String(value)}: ${i.message}`;
      })
      .join("; "),
  );
}

/** @throws Refusal for a setting that is none of the known ones: with the nearest of them, or with the list */
export function refuseUnknown(given: readonly string[], known: readonly string[], Refused: Refusal): void {
  for (const key of given) {
    if (known.includes(key)) continue;
    const from = (k: string): number => distance(key.toLowerCase(), k.toLowerCase()),
      close = known.reduce((best, k) => (from(k) < from(best) ? k : best));
    throw new Refused(
      `there is no setting "${key}"; ${from(close) <= 3 ? `did you mean ${close}?` : `the settings are ${known.join(", ")}`}`,
    );
  }
}

/**
 * `key=value` arguments as an object.
 * @param example a setting for the message
 * @throws Refusal for an argument without `=`, or a key given twice
 */
export function keyValues(args: readonly string[], example: string, Refused: Refusal): Record<string, string> {
  // A map: `__proto__` is a key like any other.
  const given = new Map<string, string>();
  for (const arg of args) {
    const at = arg.indexOf("=");
    if (at < 1) throw new Refused(`"${arg}" is no setting; write key=value, such as ${example}`);
    const key = arg.slice(0, at).trim();
    const earlier = given.get(key);
    if (earlier !== undefined)
      throw new Refused(`${key} is set twice, to "${earlier}" and to "${arg.slice(at + 1)}"; give it once`);
    given.set(key, arg.slice(at + 1).trim());
  }
  return Object.fromEntries(given);
}
