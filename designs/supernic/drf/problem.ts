import { drfFormat } from "../config/index.ts";

/** What a user asks for, and what a byte of it costs. */
export interface DrfUser {
  /** 0: it has its floor, and no more. */
  readonly weight: number;
  /** Bytes in an epoch: what arrived and what waits. */
  readonly demand: number;
  /** Units of each resource per byte, in parts of 2^-8. */
  readonly vector: readonly number[];
}
/** One epoch's question, in the numbers that the unit is given. */
export interface DrfProblem {
  /** Units of each resource in an epoch; 0: there is no such resource. */
  readonly capacities: readonly number[];
  readonly users: readonly DrfUser[];
  /** Bytes in an epoch that each user has without asking: a longest frame. */
  readonly floor: number;
}

const most = {
  weight: 2 ** drfFormat.weightBits - 1,
  demand: 2 ** drfFormat.rateBits - 1,
  vector: 2 ** drfFormat.vectorBits - 1,
  capacity: 2 ** drfFormat.capacityBits - 1,
} as const;
const isIn = (value: number, limit: number): boolean => Number.isInteger(value) && value >= 0 && value <= limit;

/** @throws RangeError for the first number that the unit's formats have no room for */
export function checkProblem({ capacities, users, floor }: DrfProblem): void {
  const check = (what: string, value: number, limit: number): void => {
    if (!isIn(value, limit)) throw new RangeError(`${what} is ${value}: must be a whole number from 0 to ${limit}`);
  };
  check("floor", floor, most.demand);
  capacities.forEach((c, j) => check(`capacity ${j}`, c, most.capacity));
  for (const [i, user] of users.entries()) {
    check(`weight of user ${i}`, user.weight, most.weight);
    check(`demand of user ${i}`, user.demand, most.demand);
    if (user.vector.length !== capacities.length)
      throw new RangeError(`user ${i} has ${user.vector.length} uses: must be ${capacities.length}, one a resource`);
    user.vector.forEach((r, j) => check(`use ${j} of user ${i}`, r, most.vector));
  }
}
