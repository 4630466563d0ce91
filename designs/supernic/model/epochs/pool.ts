/** Devices of a rack that help each other out: one takes what another one cannot (paper §5.5; design: section 5). */
import type { EpochDevice, EpochSeen } from "./device.ts";
import type { ManagedPlacement } from "./managed.ts";

export interface PoolMember {
  readonly device: EpochDevice;
  readonly placement: ManagedPlacement;
}
/** Who is where: a user's frames are processed at one device at a time. */
export class Whereabouts {
  readonly #at = new Map<string, number>();
  /** Device of users that were never moved. */
  readonly home = 0;
  of(user: string): number {
    return this.#at.get(user) ?? this.home;
  }
  move(user: string, to: number): void {
    this.#at.set(user, to);
  }
}
export interface PoolSeen {
  readonly seen: readonly EpochSeen[];
  /** Bytes of users that are processed elsewhere than at home. */
  readonly redirected: number;
}
/**
 * An epoch of all. When a device was refused a region for a chain that was overloaded for a MONITOR_PERIOD, these users
 * of it are processed at its peer from then on.
 * @param movable in the order in which they are moved; none, where there is no peer or where the switch places all
 */
export async function stepPool(
  members: readonly PoolMember[],
  where: Whereabouts,
  movable: readonly string[],
): Promise<PoolSeen> {
  const [home] = members,
    refused = home?.placement.scaled.refused ?? 0,
    seen: EpochSeen[] = [];
  for (const { device } of members) seen.push(await device.step());
  const redirected = seen.reduce((n, s, d) => n + (d === where.home ? 0 : s.sent.reduce((a, b) => a + b, 0)), 0);
  const next = movable.find(u => where.of(u) === where.home);
  if (next !== undefined && (home?.placement.scaled.refused ?? 0) > refused) where.move(next, 1);
  return { seen, redirected };
}
