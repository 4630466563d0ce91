import { addressBits } from "../../../../hdl-dsl/index.ts";
import { mostTypes } from "../../wire/index.ts";
import type { DrfParameters } from "../drf/index.ts";
import type { DeviceSizes } from "../inside/index.ts";

export type FairParameters = Pick<
  DeviceSizes,
  "ports" | "users" | "contexts" | "cells" | "regions" | "slots" | "frameBytes"
>;

/** Bits of a count. */
export const tallyBits = 24;
/** Units of a resource in a byte, by a power of two: so the lane has 24 bits of them in an epoch of 20 us. */
export const unitBits = 5;
/** Parts of an epoch, and the one with which the epoch of uses ends. */
export const epochParts = 64;
export const useEndPart = 40;

/** Types of tasks that can be loaded: one for each slot. */
export const typesOf = (p: FairParameters): number => Math.min(mostTypes, p.regions * p.slots);
/** Resources behind the types, in their order. Ports follow. */
const behindTypes = ["lane", "writes", "reads", "cells"] as const;
export type SharedResource = (typeof behindTypes)[number];
export const resourceAt = (p: FairParameters, name: SharedResource): number => typesOf(p) + behindTypes.indexOf(name);
export const portResource = (p: FairParameters, port: number): number => typesOf(p) + behindTypes.length + port;
/** Resources that are counted; an even number of them goes into the unit. */
export const countedResources = (p: FairParameters): number => portResource(p, p.ports);
export const resourcesOf = (p: FairParameters): number => 2 * Math.ceil(countedResources(p) / 2);
export const resourceBits = (p: FairParameters): number => addressBits(resourcesOf(p));

/** The unit divides among two users or more. */
export const fairUsers = (p: FairParameters): number => Math.max(2, p.users);
export const fairUserBits = (p: FairParameters): number => addressBits(fairUsers(p));
/** Users whose number has room: lists have a place for each. */
export const userPlaces = (p: FairParameters): number => 2 ** fairUserBits(p);

/** The unit of the device: as many lanes as half of its resources. */
export const drfOf = (p: FairParameters): DrfParameters => ({
  users: fairUsers(p),
  resources: resourcesOf(p),
  lanes: resourcesOf(p) / 2,
  digitBits: 2,
  floor: p.frameBytes,
});
/** What names a build of these blocks. */
export const fairName = (p: FairParameters): string =>
  `p${p.ports}_u${p.users}_c${p.contexts}_k${p.cells}_r${p.regions}_s${p.slots}_f${p.frameBytes}`;
