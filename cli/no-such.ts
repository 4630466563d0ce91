/** What there is, for a name that is not among it. */
import { namesNear } from "../hdl-dsl/index.ts";

/** As many names are read at a glance; of more, so many of the first are told. */
const all = 12,
  some = 8,
  /** That may be meant. */
  likely = 5;

/**
 * The remedy for a name that is not known: all names, if they are few; else those that are like it, or the first.
 * @param has what comes before names that are told @returns what stands behind `it has no module X; `
 */
export function insteadOf(wrong: string, known: readonly string[], has = "it has"): string {
  if (known.length <= all) return `${has} ${known.join(", ")}`;
  const low = wrong.toLowerCase(),
    near = namesNear(wrong, known),
    within = known.filter(k => k.toLowerCase().includes(low) || low.includes(k.toLowerCase())),
    like = [...new Set([...near, ...within])].slice(0, likely);
  return like.length > 0
    ? `did you mean ${like.join(" or ")}?`
    : `${has} ${known.slice(0, some).join(", ")} and ${known.length - some} more`;
}
