import type { Scoreboard } from "../../model/index.ts";
import { SimulationError } from "../../../../sim/index.ts";
import type { SimulatedNode } from "./simulated-node.ts";

/** Memory of a process: `length` bytes from `address`, rounded out to pages. */
export interface PreparedMapping {
  readonly pid: number;
  readonly address: bigint;
  readonly length: bigint;
  readonly write: boolean;
  readonly populate: boolean;
}
/** Bytes that stand in memory before the run. */
export interface PreparedMemory {
  readonly pid: number;
  readonly address: bigint;
  readonly bytes: Uint8Array;
}
/** The state of a node before the first frame. */
export interface Preparation {
  readonly processes: readonly number[];
  readonly mappings: readonly PreparedMapping[];
  readonly memory: readonly PreparedMemory[];
}

/** A state that a node cannot be brought into. */
export class PrepareError extends SimulationError {
  override readonly name = "PrepareError";
}

const at = (list: string, i: number, what: string): PrepareError => new PrepareError(`setup: ${list}[${i}]: ${what}`);
const hex = (n: bigint): string => `0x${n.toString(16)}`;

/**
 * Brings a node into the given state by way of its slow path, as requests from the network would. Pages that are given
 * contents get their frame.
 * @param scoreboard the model that judges the run, if there is one; it gets the contents here, and the mappings as the
 * slow path's observer
 * @throws PrepareError naming the entry that cannot be had, and the remedy
 */
export async function prepare(
  node: SimulatedNode,
  { processes, mappings, memory }: Preparation,
  scoreboard?: Pick<Scoreboard, "preset">,
): Promise<void> {
  const manager = node.slowPath.memory;
  for (const [i, pid] of processes.entries()) {
    if (!manager.createProcess(pid).ok) throw at("processes", i, `PID ${pid} is there already; name each once`);
  }
  for (const [i, m] of mappings.entries()) {
    const holds = memory.some(
      c => c.pid === m.pid && c.address < m.address + m.length && m.address < c.address + BigInt(c.bytes.length),
    );
    const given = await manager.allocate({ ...m, vregion: 0n, populate: m.populate || holds });
    const range = `${m.length} bytes at ${hex(m.address)} for PID ${m.pid}`;
    if (!given.ok)
      throw at("mappings", i, `${range} cannot be mapped (${given.failure}); choose a free range below 2^50`);
    if (given.value !== m.address)
      throw at(
        "mappings",
        i,
        `${range} overlap another mapping or overflow a bucket of the page table; ${hex(given.value)} would be free`,
      );
  }
  for (const [i, c] of memory.entries()) await fill(node, c, i);
  for (const c of memory) scoreboard?.preset(c.pid, c.address, c.bytes);
}

async function fill(node: SimulatedNode, { pid, address, bytes }: PreparedMemory, index: number): Promise<void> {
  const { pageSize } = node.config;
  for (let done = 0; done < bytes.length;) {
    const va = address + BigInt(done),
      n = Math.min(bytes.length - done, pageSize - Number(va % BigInt(pageSize)));
    const physical = await node.slowPath.memory.translate(pid, va);
    if (physical === undefined)
      throw at(
        "memory",
        index,
        `${hex(va)} of PID ${pid} has no page; map it in "mappings", with physical pages left for it`,
      );
    node.ram.write(physical, bytes.subarray(done, done + n));
    done += n;
  }
}
