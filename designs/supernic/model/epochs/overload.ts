/**
 * Which chains are overloaded: those of a task that has held a user below what it asked for. Who is held by another
 * task asks for more of this one, too, and gets no more of it by a second instance (design: supernic.md, section 5).
 */
import type { Needs } from "./placement.ts";
import { chainNeed, type EpochSizes, type EpochUser, partOf } from "./sizes.ts";

/** Fair shares are rounded down: of a resource that is full, or of a demand that is met, so much may be left. */
const crumb = 0.005;
/** More than all instances do, by as little as makes it so. */
const more = 1.001;

/** Whether fair shares gave all of a task, and less to one of its users than it asked for. */
function holds(
  task: string,
  capacity: number,
  { floor }: EpochSizes,
  users: readonly EpochUser[],
  asked: readonly number[],
  rates: readonly number[],
): boolean {
  let given = 0,
    isHeld = false;
  for (const [i, user] of users.entries()) {
    const part = partOf(user, task),
      wanted = asked[i] ?? 0,
      rate = rates[i] ?? 0;
    given += part * Math.min(rate, Math.max(wanted, floor));
    isHeld ||= part > 0 && rate < (1 - crumb) * wanted;
  }
  return isHeld && given >= (1 - crumb) * capacity;
}
/**
 * Instances that each chain is taken to need, for the autoscaler.
 * @param asked bytes by user @param rates fair shares of what was asked for @param instances by chain
 */
export function loadsOf(
  sizes: EpochSizes,
  users: readonly EpochUser[],
  asked: readonly number[],
  rates: readonly number[],
  instances: readonly number[],
): Needs {
  return sizes.chains.map((tasks, c) => {
    const count = instances[c] ?? 0,
      need = chainNeed(sizes, users, asked, c),
      overloaded = tasks.some(t => holds(t, (sizes.taskBytes[t] ?? 0) * count, sizes, users, asked, rates));
    return overloaded ? Math.max(need, more * count) : Math.min(need, count);
  });
}
