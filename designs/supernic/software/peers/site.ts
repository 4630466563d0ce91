/** What guests and owners need of this device: regions, tables, state. */
import { concat } from "../../../shared/wire/index.ts";
import type { LiveChain, RegionManager } from "../regions/index.ts";
import type { Dag, Setup } from "../setup/index.ts";
import type { Ways } from "./ways.ts";

/** State of chains that keep some: it is read and written while they are held and empty. */
export interface ChainState {
  /** @returns undefined: it cannot be read */
  save(chains: readonly LiveChain[]): Promise<Uint8Array | undefined>;
  /**
   * In place of all that they had. Without `state` they are as configured, and so they are when it is none of theirs.
   * They have no credits then. @returns whether they have it
   */
  restore(chains: readonly LiveChain[], state: Uint8Array | undefined): Promise<boolean>;
}
const lengthBytes = 4;
/** The state of chains of a device: each chain's length and bytes, one behind the other. */
export function stateOf(manager: RegionManager): ChainState {
  return {
    save: async chains => {
      const images = await manager.readState(chains);
      return images && concat(...images.flatMap(i => [lengthOf(i), i]));
    },
    restore: (chains, state) => manager.writeState(chains, state && imagesOf(state)),
  };
}
const lengthOf = (image: Uint8Array): Uint8Array => {
  const bytes = new Uint8Array(lengthBytes);
  new DataView(bytes.buffer).setUint32(0, image.length, true);
  return bytes;
};
/** @returns undefined: the lengths do not fit */
function imagesOf(state: Uint8Array): readonly Uint8Array[] | undefined {
  const images: Uint8Array[] = [],
    view = new DataView(state.buffer, state.byteOffset, state.byteLength);
  for (let at = 0; at < state.length;) {
    const end = at + lengthBytes <= state.length ? at + lengthBytes + view.getUint32(at, true) : Infinity;
    if (end > state.length) return undefined;
    images.push(state.slice(at + lengthBytes, end));
    at = end;
  }
  return images;
}
export interface Site {
  readonly setup: Setup;
  readonly manager: RegionManager;
  readonly ways: Ways;
  readonly state: ChainState;
  /** Own DAGs as they are now, whether they run here or not. */
  readonly dags: () => readonly Dag[];
  /** Tasks by their number, from 1: the same at all sNICs. */
  readonly catalogue: readonly string[];
  /** Packets that have been sent to a region and are not back, and all that its tasks have taken until now. */
  readonly activity: (region: number) => Promise<{ readonly inside: number; readonly taken: number }>;
  readonly time: () => number;
  /** Resolves so many nanoseconds from now. */
  readonly pause: (ns: number) => Promise<void>;
  /** Nanoseconds without a packet until a chain counts as drained. */
  readonly quiet: number;
}

/** The chains of a DAG, each once. */
export function chainsOf(manager: RegionManager, dag: Pick<Dag, "stages">): readonly LiveChain[] {
  const numbers = new Set(dag.stages.flat().map(b => b.chain.number));
  return manager.chains.filter(c => numbers.has(c.number));
}
export const hasState = ({ tasks }: Pick<LiveChain, "tasks">): boolean => tasks.some(t => t.state !== "none");
/** Whether something of it is lost when it cannot move along: else it starts rightly without. */
export const canLose = ({ tasks }: Pick<LiveChain, "tasks">): boolean =>
  tasks.some(t => t.state !== "none" && t.keeps !== "cold");
/** Chains that are not loaded. */
export const missing = (manager: RegionManager, chains: readonly LiveChain[]): readonly LiveChain[] =>
  chains.filter(c => manager.stateOf(c) === "none");
/** Regions that take a chain, and nobody misses what they hold. */
export const roomFor = (manager: RegionManager, uses: readonly string[], wanted: readonly LiveChain[] = []): number =>
  manager.places.filter(p => uses.includes(p.use) || (p.use === "victim" && wanted.some(c => c === p.chain))).length;

/** Regions that a guest's chains get: what is spare, and victims that hold one of them and are not old yet. */
export function roomForGuest(manager: RegionManager, wanted: readonly LiveChain[]): number {
  const { spare } = manager;
  return spare === 0 ? roomFor(manager, [], wanted) : Math.max(spare, roomFor(manager, ["free"], wanted));
}

/**
 * Waits until no packet has been inside the chains for `quiet`, and none of them is.
 * @param gaveUp asked between two looks @returns whether that came
 */
export async function quietOf(site: Site, chains: readonly LiveChain[], gaveUp: () => boolean): Promise<boolean> {
  const look = async (): Promise<string> => {
    const seen = await Promise.all(chains.flatMap(c => c.regions).map(site.activity));
    return seen.every(s => s.inside === 0) ? seen.map(s => s.taken).join(" ") : "inside";
  };
  let before = await look(),
    since = site.time();
  while (!gaveUp()) {
    if (before !== "inside" && site.time() - since >= site.quiet) return true;
    await site.pause(site.quiet / 4);
    const now = await look();
    if (now !== before || now === "inside") since = site.time();
    before = now;
  }
  return false;
}
