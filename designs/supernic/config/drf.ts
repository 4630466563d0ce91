/**
 * Number formats of dominant resource fairness: what software and hardware compute with, bit for bit
 * (docs/supernic/drf.md). All are unsigned; a fraction's bits count from its value 1.
 */
export const drfFormat = {
  /** A user's use of a resource: units of it per byte that the user sends. */
  vectorBits: 24,
  vectorFraction: 8,
  /** A resource's units in an epoch. */
  capacityBits: 24,
  /** With no more of a resource left than that it counts as full: its inverse would have no room. */
  leastLeft: 2 ** 16,
  /** One by what is left of a resource, rounded up. */
  inverseFraction: 40,
  /** The share of a resource, of what is left of it, that a byte takes. With all bits set, or more, it is too much. */
  shareBits: 26,
  shareFraction: 34,
  /** With no larger share than that a user stays at its floor: its level would have no room. */
  leastTop: 2 ** 12,
  /** One by a user's largest share, rounded up. */
  pitchFraction: 37,
  weightBits: 4,
  /** Weight times share by largest share: what of a resource goes when the level rises by 1. */
  useBits: 20,
  useFraction: 16,
  /** The level: a user's share of its dominant resource by its weight. It never passes 1. */
  levelBits: 22,
  levelFraction: 20,
  /** A demand as a share, on its way to a level; more means 4. */
  demandShareBits: 26,
  demandShareFraction: 24,
  /** One by a weight, rounded up. */
  weightFraction: 24,
  /** Bytes in an epoch: demands and rates. */
  rateBits: 24,
} as const;
