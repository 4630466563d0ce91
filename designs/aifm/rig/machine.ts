/** A memory node, cycle by cycle, and a machine that swaps objects or pages with it over a line. */
import { Client, type Thread } from "../../clio/client/index.ts";
import { makeSettings as makeNode } from "../../clio/config/index.ts";
import { clioNode } from "../../clio/build/index.ts";
import { ClientStation, joinNetwork, type NodePorts, timeOf, withNode } from "../../clio/rig/index.ts";
import { type Design, designOf, NetworkModel, Random } from "../../../sim/index.ts";
import type { FarBytes } from "../client/index.ts";

/** ns of each line. */
export const latencyNs = 500;
/** Bytes that may wait for a line: eight of the largest objects each way lose nothing. */
const queueBytes = 1 << 22;
/** Bytes of a frame that are on the line beside the frame: preamble, check sequence, gap. */
export const lineBytes = 24;

export interface MachineOptions {
  readonly seed: number;
  /** Gbit/s of the machine's line and of the node's. */
  readonly gbps: number;
  /** Bytes at the node. */
  readonly bytes: number;
  /** Share of frames of each kind of fault on the machine's lines; default none. */
  readonly faults?: number;
}
export interface Machine {
  readonly far: FarBytes;
  /** Simulated ns. */
  readonly time: { readonly now: () => number; readonly after: (ns: number, action: () => void) => unknown };
  /** Bytes that the machine's line has carried, both ways, with what a frame costs beside its bytes. */
  readonly wireBytes: () => number;
  /** All is done and nothing is held anywhere. */
  readonly settled: () => Promise<void>;
}

/** The node is elaborated once for all that is measured. */
let node: Design<NodePorts> | undefined;

/** Runs a body with such a machine. Memory at the node is zero at first, and mapped. */
export function withMachine<T>(name: string, o: MachineOptions, body: (m: Machine) => Promise<T>): Promise<T> {
  const settings = makeNode(),
    { runtime } = settings,
    bad = o.faults ?? 0;
  const given = {
    design: (node ??= designOf(clioNode(settings.config))),
    seed: o.seed,
    wave: false as const,
    limitCycles: 1e9,
    hangCycles: 500_000,
  };
  return withNode(name, settings, given, async simulated => {
    const network = new NetworkModel(timeOf(simulated), {
      seed: o.seed,
      link: { latencyNs, gbps: o.gbps, queueBytes, loss: bad, duplicate: bad, corrupt: bad, reorder: bad },
    });
    const clean = { latencyNs: 0, loss: 0, duplicate: 0, corrupt: 0, reorder: 0 };
    joinNetwork(simulated, network, { out: clean, in: clean });
    const own = { mac: 0x02_a1f3_0000_01n, ip: 0x0a0a_0070, port: 0x4000 },
      station = new ClientStation(network, "machine", own, new Map([[runtime.ip, runtime.mac]])),
      random = new Random(o.seed * 100 + 7);
    const client = new Client({
      transport: station,
      clock: network.time,
      // A window of the largest objects takes 200 us at 25 Gbit/s: only what is lost is asked for again.
      timeoutNs: bad > 0 ? 60_000 : 2_000_000,
      targetDelayNs: 2_000_000,
      slowTimeoutNs: 2_000_000,
      window: { initial: 256, most: 256 },
      incastBytes: 1 << 20,
      random: () => random.fraction(),
    });
    const address = { ip: runtime.ip, port: runtime.nativePort },
      { pid } = await client.createProcess(address),
      thread = client.process(pid, address).thread();
    const va = await thread.ralloc(BigInt(o.bytes), { populate: true });
    const result = await body({
      far: farOf(thread, va),
      time: network.time,
      wireBytes: () => {
        const { out, in: back } = station.statistics;
        return out.bytes + back.bytes + lineBytes * (out.sent + back.sent);
      },
      settled: () => simulated.settled(),
    });
    await simulated.settled();
    return result;
  });
}

function farOf(thread: Thread, va: bigint): FarBytes {
  return {
    read: (at, bytes) => thread.rreadAsync(va + BigInt(at), bytes).result,
    write: (at, data) => thread.rwriteAsync(va + BigInt(at), data).result,
  };
}
