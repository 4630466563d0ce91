import { clockPeriod, makeSettings, type Settings } from "../../config/index.ts";
import { Scoreboard } from "../../model/index.ts";
import { clientEndpoint, FrameClient } from "../../workload/index.ts";
import { prepare, type SimulatedNode, withNode } from "../../rig/index.ts";

/** Requests of one kind and size, back to back, in the steady state. */
export interface Throughput {
  readonly kind: "read" | "write";
  readonly dataBytes: number;
  /** Bytes of the request's and of the reply's frame, without padding of the last beat. */
  readonly requestBytes: number;
  readonly replyBytes: number;
  /** Cycles that a request takes of the wire that has more to carry, and cycles that it took. */
  readonly allowed: number;
  readonly taken: number;
  /** Beats used of those that the busier wire has. */
  readonly share: number;
  /** Gbit/s of data. */
  readonly gbps: number;
  /** Cycles in which a beat waited at `rx`, of those measured. */
  readonly rxStalls: number;
  readonly cycles: number;
}

/** Frames before the steady state, and in it. */
const lead = 150,
  measured = 300;
const headers = 70;

/** @param sizes bytes of data of a request */
export async function measureThroughput(
  seed: number,
  sizes: (maxData: number) => readonly number[],
  settings: Settings = makeSettings(),
): Promise<readonly Throughput[]> {
  const { config, runtime } = settings,
    scoreboard = new Scoreboard(config, runtime),
    page = BigInt(config.pageSize);
  return withNode("throughput", settings, { seed, wave: false, slowPath: { observer: scoreboard } }, async node => {
    await prepare(
      node,
      {
        processes: [1],
        memory: [],
        mappings: [{ pid: 1, address: page, length: 8n * page, write: true, populate: true }],
      },
      scoreboard,
    );
    const client = new FrameClient(clientEndpoint(0), runtime);
    const frame = (kind: Throughput["kind"], n: number, i: number): Uint8Array => {
      // Eight pages in turn, all in the TLB after the first few. Addresses lie on the memory's beats, so that its bus
      // carries the same bytes as the wire.
      const va = page * BigInt(1 + (i & 7)) + BigInt((i >> 3) * 2048);
      return kind === "read" ? client.read(1, va, n) : client.write(1, va, new Uint8Array(n).fill(i));
    };
    const rows: Throughput[] = [];
    for (const kind of ["read", "write"] as const)
      for (const n of sizes(config.maxData)) rows.push(await steady(node, kind, n, i => frame(kind, n, i)));
    return rows;
  });
}

async function steady(
  node: SimulatedNode,
  kind: Throughput["kind"],
  dataBytes: number,
  frame: (i: number) => Uint8Array,
): Promise<Throughput> {
  const { bench, config } = node,
    requestBytes = frame(0).length,
    replyBytes = headers + (kind === "read" ? dataBytes : 0);
  const beats = (bytes: number): number => Math.ceil(bytes / config.beatBytes),
    allowed = Math.max(beats(requestBytes), beats(replyBytes));
  const ends: number[] = [];
  let stalls = 0,
    waiting = 0;
  const remove = bench.onEdge({
    sample: () => {
      for (let f = node.take(); f !== undefined; f = node.take()) ends.push(f.end);
      if (bench.io.rx.valid.value === 1 && bench.io.rx.ready.value === 0) waiting++;
      if (ends.length >= lead && ends.length < lead + measured) stalls = waiting;
      else if (ends.length < lead) waiting = 0;
    },
  });
  // More than are measured, so that the end of the stream does not show.
  for (let i = 0; i < lead + measured + 64; i++) node.send(frame(i));
  await bench.until(() => ends.length === lead + measured + 64);
  remove();
  await node.settled();
  const cycles = (ends[lead + measured] as number) - (ends[lead] as number),
    taken = cycles / measured;
  return {
    kind,
    dataBytes,
    requestBytes,
    replyBytes,
    allowed,
    taken,
    share: allowed / taken,
    gbps: (dataBytes * 8) / (taken * clockPeriod),
    rxStalls: stalls,
    cycles,
  };
}
