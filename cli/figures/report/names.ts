import type { Plot } from "../form/schema.ts";

/** The names of a plot's series without what all of them begin with, up to a comma: the plot's title says it. */
export function shortNames({ series }: Plot): readonly string[] {
  const names = series.map((s) => s.name), first = names[0] ?? "", end = first.indexOf(", ") + 2;
  return end > 2 && names.length > 1 && names.every((n) => n.startsWith(first.slice(0, end))) ? names.map((n) => n.slice(end)) : names;
}
