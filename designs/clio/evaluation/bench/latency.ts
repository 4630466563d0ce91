import { makeSettings, type Settings } from "../../config/index.ts";
import { Scoreboard } from "../../model/index.ts";
import { clientEndpoint, FrameClient } from "../../workload/index.ts";
import { accessBody, casBody, faaBody, opcode, storeBody } from "../../wire/index.ts";
import { concat, encode } from "../../../shared/wire/index.ts";
import { play, prepare, withNode } from "../../rig/index.ts";
import { CheckFailed } from "../../../shared/command-line/index.ts";

/**
 * Latencies of one kind of request, in cycles from its last beat in to its reply's first beat out, one request
 * at a time.
 */
export interface Latency {
  readonly kind: string;
  readonly samples: number;
  readonly least: number;
  readonly most: number;
  /** Without net_rx and net_tx. */
  readonly core: number;
  /** The most that `core` is to be (clio.md, "Latency goals"); undefined: none is stated. */
  readonly goal: number | undefined;
  /** The published FPGA's, DDR included, where it is known. */
  readonly published: string;
}
export interface LatencyFigures {
  /** Latency of the memory, cycles. */
  readonly memory: number;
  readonly dataBytes: number;
  /** net_rx and net_tx together; the goal is 12 or fewer. */
  readonly net: number;
  readonly netGoal: number;
  readonly rows: readonly Latency[];
}

const data = 64,
  rounds = 12;
/**
 * The match-and-action table between net_rx and net_tx: two register stages to a reply, as its own
 * test holds (test/designs/clio/rtl/dispatch/mat.test.ts).
 */
const matCycles = 2;

/** The pointer and the word of a page, bytes from its start: behind what is written and read. */
const pointerAt = 1024n,
  wordAt = 1088n;

/** One of each operation with state, on a page that is in the TLB. The write of the pointer is not measured. */
function stateRequests(client: FrameClient, page: bigint): [string, Uint8Array][] {
  const pointer = new Uint8Array(8),
    word = { va: page + wordAt, length: 8 },
    behind = encode(accessBody, { va: page + pointerAt, length: data });
  new DataView(pointer.buffer).setBigUint64(0, page, true);
  const faa = client.request(opcode.ATOMIC_FAA, 1, encode(faaBody, { ...word, addend: 1n }));
  return [
    ["", client.write(1, page + pointerAt, pointer)],
    ["TAS", client.request(opcode.ATOMIC_TAS, 1, encode(accessBody, word))],
    ["FAA", faa],
    ["FAA repeated", client.repeat(faa)],
    ["CAS that fails", client.request(opcode.ATOMIC_CAS, 1, encode(casBody, { ...word, compare: 99n, swap: 1n }))],
    ["STORE", client.request(opcode.ATOMIC_STORE, 1, encode(storeBody, { ...word, value: 0n }))],
    ["DEREF_READ", client.request(opcode.DEREF_READ, 1, behind)],
    ["DEREF_WRITE", client.request(opcode.DEREF_WRITE, 1, concat(behind, new Uint8Array(data)))],
    ["FENCE, idle", client.request(opcode.FENCE, 1)],
  ];
}

/**
 * Write and read of 64 bytes: TLB hits, misses (the page has its frame), and faults (the page has no frame). Operations
 * with state run on a page in the TLB. The share of net_rx and net_tx is measured with PINGPONG, which goes net_rx,
 * mat, net_tx and touches no memory: its latency less mat's two cycles.
 */
export async function measureLatency(seed: number, settings: Settings = makeSettings()): Promise<LatencyFigures> {
  const { config, runtime } = settings,
    scoreboard = new Scoreboard(config, runtime),
    page = BigInt(config.pageSize);
  const client = new FrameClient(clientEndpoint(0), runtime),
    text = new Uint8Array(data).fill(0x5a);
  const ready = 16n * page,
    untouched = ready + 64n * page,
    at = (from: bigint, i: number): bigint => from + BigInt(i) * page;
  // Pages one after the other, each met for the first time in its round: `ready` have their frames,
  // `untouched` have none.
  const round = (i: number): [string, Uint8Array][] => [
    ["write miss", client.write(1, at(ready, 2 * i), text)],
    ["write hit", client.write(1, at(ready, 2 * i), text)],
    ["read miss", client.read(1, at(ready, 2 * i + 1), data)],
    ["read hit", client.read(1, at(ready, 2 * i + 1), data)],
    ["write fault", client.write(1, at(untouched, 2 * i), text)],
    ["read fault", client.read(1, at(untouched, 2 * i + 1), data)],
    ["PINGPONG", client.request(opcode.PINGPONG, 1, text)],
    ...stateRequests(client, at(ready, 2 * i)),
  ];
  // The client makes itself known first, which would cost its first write a cycle.
  const script: [string, Uint8Array][] = [
    ["", client.request(opcode.FENCE, 1)],
    ...Array.from({ length: rounds }, (_, i) => round(i)).flat(),
  ];
  const result = await withNode(
    "latency",
    settings,
    { seed, wave: false, slowPath: { observer: scoreboard } },
    async node => {
      const length = 2n * BigInt(rounds) * page;
      await prepare(
        node,
        {
          processes: [1],
          memory: [],
          mappings: [
            { pid: 1, address: ready, length, write: true, populate: true },
            { pid: 1, address: untouched, length, write: true, populate: false },
          ],
        },
        scoreboard,
      );
      return play(
        node,
        script.map(([, bytes]) => ({ timeNs: 0n, bytes })),
        { pace: "closed-loop", scoreboard },
      );
    },
  );
  if (result.problems.length > 0)
    throw new CheckFailed(`the node answers wrong while its latency is measured: ${result.problems[0] ?? ""}`);
  const of = (kind: string): number[] =>
    result.requests.flatMap((r, i) => (script[i]?.[0] === kind && r.latency !== undefined ? [r.latency] : []));
  const L = runtime.dramLatency,
    net = Math.max(...of("PINGPONG")) - matCycles,
    core = (kind: string): number => Math.max(...of(kind)) - net;
  const goals: readonly (readonly [kind: string, goal: number | undefined, published: string])[] = [
    ["write hit", 12 + L, "15 (answered before the memory has it)"],
    ["read hit", 12 + L, "60"],
    ["write miss", core("write hit") + L + 4, "69"],
    ["read miss", core("read hit") + L + 4, "120"],
    ["write fault", core("write miss") + 3, "69"],
    ["read fault", core("read miss") + 3, "not given"],
    // One memory access, or two one after another: no design can do without them; and as much beside it as a hit.
    ["TAS", 12 + 2 * L, "absent"],
    ["FAA", 12 + 2 * L, "absent"],
    ["CAS that fails", 12 + L, "absent"],
    ["STORE", 12 + L, "absent"],
    ["DEREF_READ", 2 * (12 + L), "not given"],
    ["DEREF_WRITE", 2 * (12 + L), "not given"],
    ["FAA repeated", 12, "absent"],
    ["FENCE, idle", 12, "absent"],
  ];
  return {
    memory: L,
    dataBytes: data,
    net,
    netGoal: 12,
    rows: goals.map(([kind, goal, published]) => {
      const all = of(kind);
      return {
        kind,
        samples: all.length,
        least: Math.min(...all),
        most: Math.max(...all),
        core: core(kind),
        goal,
        published,
      };
    }),
  };
}
