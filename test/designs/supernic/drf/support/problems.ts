/** Random questions of sharing: of every kind that the page names. */
import type { DrfProblem, DrfUser } from "../../../../../designs/supernic/drf/index.ts";
import type { Random } from "../../../../../hdl-dsl/index.ts";

export interface Sizes {
  readonly users: number;
  readonly resources: number;
  readonly floor: number;
}

/** A vector: all use the first resource, the lane, and some of the others. */
function vectorOf(r: Random, capacities: readonly number[]): number[] {
  const dense = r.pick([0.1, 0.3, 0.7]),
    most = r.pick([600, 6_000, 30_000]);
  return capacities.map((_, j) => (j === 0 || r.chance(dense) ? r.between(1, most) : 0));
}
const demandOf = (r: Random): number =>
  r.chance(0.15) ? 0 : r.chance(0.3) ? r.between(0, 2 ** 24 - 1) : r.between(1, r.pick([2_000, 40_000, 400_000]));

/** Some users are idle, without weight or without use; some resources are absent, or filled by the floors. */
export function randomProblem(r: Random, { users, resources, floor }: Sizes): DrfProblem {
  const odd = r.chance(0.4);
  const capacities = Array.from({ length: resources }, (_, j) =>
    odd && j > 0 && r.chance(0.2) ? (r.chance(0.6) ? 0 : r.between(1, 2 ** 16)) : r.between(2 ** 21, 2 ** 24 - 1),
  );
  const like = vectorOf(r, capacities),
    alike = r.chance(0.2);
  return {
    capacities,
    floor,
    users: Array.from({ length: users }, (): DrfUser => {
      const vector = alike ? like : vectorOf(r, capacities);
      return {
        weight: odd && r.chance(0.1) ? 0 : r.chance(0.5) ? 1 : r.between(1, 15),
        demand: demandOf(r),
        vector: odd && r.chance(0.1) ? vector.map(() => 0) : vector,
      };
    }),
  };
}
/** Numbers as large and as small as the formats let them be. */
export function wildProblem(r: Random, { users, resources, floor }: Sizes): DrfProblem {
  const number = (bits: number): number =>
    Math.floor(2 ** (r.between(0, 1_000_000) / (1_000_000 / bits))) - (r.chance(0.5) ? 1 : 0);
  const below = (bits: number): number => Math.min(2 ** bits - 1, number(bits));
  return {
    capacities: Array.from({ length: resources }, () => (r.chance(0.1) ? 0 : below(24))),
    floor,
    users: Array.from({ length: users }, () => ({
      weight: r.between(0, 15),
      demand: below(24),
      vector: Array.from({ length: resources }, () => (r.chance(0.5) ? 0 : below(24))),
    })),
  };
}
/**
 * As many rounds as there can be: everybody is satisfied at a level of its own, and then stopped by a resource of its
 * own, one after the other.
 */
export function longestProblem({ users, resources, floor }: Sizes): DrfProblem {
  const share = 2 ** 23;
  return {
    capacities: Array.from({ length: resources }, () => share),
    floor,
    users: Array.from({ length: users }, (_, i) => ({
      weight: 1,
      demand: floor + 30 + 20 * i,
      vector: Array.from({ length: resources }, (_x, j) => (j === i % resources ? 2_000 + 100 * i : 0)),
    })),
  };
}
/** A user that needs so much of a resource for a byte that its share has no room, although its floor has. */
export function greedyProblem({ users, resources, floor }: Sizes): DrfProblem {
  return {
    capacities: Array.from({ length: resources }, () => 2 ** 24 - 1),
    floor,
    users: Array.from({ length: users }, (_, i) => ({
      weight: 1 + (i % 15),
      demand: 100_000,
      vector: Array.from({ length: resources }, (_x, j) => (j === 1 && i === 0 ? 2 ** 24 - 1 : 1_000)),
    })),
  };
}
/** Two resources of users 0, 1 and 2 are full at the same level, and each has something left that is too little. */
export function tiedProblem(r: Random, { users, resources, floor }: Sizes): DrfProblem {
  const crumb = r.between(1, 200),
    vectors = [
      [256, 128],
      [0, 256],
      [crumb, crumb, 256],
    ];
  return exactProblem({ users, resources, floor }, 2 ** 21, i => ({
    weight: i === 0 ? 2 : 1,
    demand: i < 3 ? 2 ** 24 - 1 : 0,
    vector: vectors[i] ?? [],
  }));
}
/** A user that asks for as much as there is of its resource, but for a few bytes; and all of it when it can. */
export function edgeProblem(r: Random, { users, resources, floor }: Sizes): DrfProblem {
  const use = r.pick([256, r.between(200, 500)]),
    // What a user uses of a resource of its own is rounded up by a 65,536th, if it is no power of two.
    most = Math.floor(((2 ** 21 * 256) / use) * (use === 256 ? 1 : 1 - 2 ** -16)),
    asked = most - r.between(-1, 4);
  return exactProblem({ users, resources, floor }, 2 ** 21, i => ({
    weight: 1,
    demand: i > 0 ? 0 : use === 256 && r.chance(0.5) ? 2 ** 24 - 1 : floor + asked,
    vector: i === 0 ? [use] : [],
  }));
}
/** Each resource has so many units left behind the floors of those who use it. */
function exactProblem({ users, resources, floor }: Sizes, left: number, of: (user: number) => DrfUser): DrfProblem {
  const list = Array.from({ length: users }, (_, i) => {
    const user = of(i);
    return { ...user, vector: Array.from({ length: resources }, (_x, j) => user.vector[j] ?? 0) };
  });
  const floors = (j: number): number => Math.ceil((list.reduce((n, u) => n + (u.vector[j] ?? 0), 0) * floor) / 256);
  return { capacities: Array.from({ length: resources }, (_, j) => left + floors(j)), floor, users: list };
}
