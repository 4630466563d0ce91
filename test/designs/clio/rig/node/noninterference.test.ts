/** Effect of one process's traffic on another: none in its replies; the effect on its timing is measured. */
import { describe, expect, test } from "vitest";
import { makeSettings } from "../../../../../designs/clio/config/index.ts";
import { clioNode } from "../../../../../designs/clio/build/index.ts";
import { clientEndpoint, FrameClient } from "../../../../../designs/clio/workload/index.ts";
import { accessBody, dissect, faaBody, frameOffsets, opcode } from "../../../../../designs/clio/wire/index.ts";
import { concat, encode } from "../../../../../designs/shared/wire/index.ts";
import { type NodePorts, type SimulatedNode, withNode } from "../../../../../designs/clio/rig/index.ts";
import type { Design } from "../../../../../sim/index.ts";
import { plant } from "../../../../support/plant.ts";
import { Random } from "../../../../../hdl-dsl/index.ts";

const settings = makeSettings({ slowPathLatency: 8 }),
  { config } = settings,
  page = BigInt(config.pageSize);
/** Both processes use the same virtual addresses: A few pages, B more than the TLB holds. */
const start = 16n * page,
  pagesOfA = 8,
  pagesOfB = config.tlbEntries + 40,
  pointer = start + 8n * 4000n;
/** Requests of B on their way at a time. */
const windowOfB = 24;

interface RunOfA {
  readonly replies: readonly string[];
  readonly latencies: readonly number[];
  readonly ofB: number;
}

/** A's requests, the same in every run; each waits for the reply to the one before. */
function requestOfA(client: FrameClient, r: Random): Uint8Array {
  const length = r.between(1, r.chance(0.2) ? 1400 : 100),
    last = start + BigInt(pagesOfA) * page;
  const at = start + BigInt(r.below(pagesOfA)) * page,
    va = r.chance(0.2) ? at + page - BigInt(r.between(1, length)) : at + BigInt(r.below(2000));
  switch (r.below(8)) {
    case 0:
    case 1:
    case 2:
      return client.read(1, va, length);
    case 3:
    case 4:
      return client.write(1, va, r.bytes(length));
    case 5:
      return client.request(
        opcode.ATOMIC_FAA,
        1,
        encode(faaBody, { va: at + 4096n, length: 8, addend: BigInt(r.below(1000)) }),
      );
    case 6:
      return client.request(opcode.DEREF_READ, 1, encode(accessBody, { va: pointer, length }));
    default:
      return client.read(1, last + BigInt(r.below(100)), length);
  }
}
/** B's: as much disturbance as a process can make. */
function requestOfB(client: FrameClient, r: Random): Uint8Array {
  const va = start + BigInt(r.below(pagesOfB)) * page + BigInt(r.below(3000)),
    length = r.between(1, config.maxData);
  switch (r.below(8)) {
    case 0:
    case 1:
    case 2:
      return client.write(2, va, r.bytes(length));
    case 3:
    case 4:
      return client.read(2, va, length);
    case 5:
      return client.request(opcode.ATOMIC_FAA, 2, encode(faaBody, { va: va & ~7n, length: 8, addend: 1n }));
    case 6:
      return client.request(opcode.DEREF_WRITE, 2, concat(encode(accessBody, { va: va & ~7n, length: 4 }), r.bytes(4)));
    default:
      return client.request(opcode.FENCE, 2);
  }
}

/** `count` requests of A, with or without B's traffic beside them. */
function pairedRun(count: number, withB: boolean, design?: Design<NodePorts>): Promise<RunOfA> {
  return withNode(
    "noninterference",
    settings,
    { seed: 5, wave: false, limitCycles: 5_000_000, ...(design && { design }) },
    async node => {
      const { memory } = node.slowPath;
      for (const [pid, pages] of [
        [1, pagesOfA],
        [2, pagesOfB],
      ] as const) {
        memory.createProcess(pid);
        await memory.allocate({
          pid,
          address: start,
          length: BigInt(pages) * page,
          vregion: 0n,
          write: true,
          populate: false,
        });
      }
      const a = new FrameClient(clientEndpoint(0), settings.runtime),
        b = new FrameClient(clientEndpoint(1), settings.runtime);
      return new Pair(node, a, b, withB).run(count);
    },
  );
}

class Pair {
  private readonly replies: string[] = [];
  private readonly latencies: number[] = [];
  private readonly node: SimulatedNode;
  private readonly a: FrameClient;
  private readonly b: FrameClient;
  private readonly withB: boolean;
  private ofB = 0;
  private underWayOfB = 0;
  private answered = 0;

  constructor(node: SimulatedNode, a: FrameClient, b: FrameClient, withB: boolean) {
    this.node = node;
    this.a = a;
    this.b = b;
    this.withB = withB;
  }

  async run(count: number): Promise<RunOfA> {
    const { node } = this,
      random = new Random(1),
      randomOfB = new Random(2);
    node.bench.onEdge({
      sample: () => {
        for (let f = node.take(); f !== undefined; f = node.take()) {
          if (dissect(f.bytes).udp?.dstPort === this.a.endpoint.port) {
            this.replies.push(Buffer.from(f.bytes).toString("hex"));
            this.answered = f.end;
          } else {
            this.underWayOfB--;
            this.ofB++;
          }
        }
        while (this.withB && this.underWayOfB < windowOfB) {
          node.send(requestOfB(this.b, randomOfB));
          this.underWayOfB++;
        }
      },
    });
    // Where A's pointer leads stands there before.
    await this.ask(
      this.a.write(
        1,
        pointer,
        encode(accessBody, { va: start + 100n })
          .slice(0, frameOffsets.clio)
          .subarray(0, 8),
      ),
    );
    for (let i = 0; i < count; i++) await this.ask(requestOfA(this.a, random));
    return { replies: this.replies, latencies: this.latencies, ofB: this.ofB };
  }

  private async ask(frame: Uint8Array): Promise<void> {
    const { node } = this,
      before = this.replies.length,
      sent = node.send(frame);
    await node.bench.until(() => this.replies.length > before);
    this.latencies.push(this.answered - (sent.end as number));
  }
}

const quantile = (ns: readonly number[], q: number): number =>
  [...ns].sort((x, y) => x - y)[Math.min(ns.length - 1, Math.floor(ns.length * q))] ?? 0;

describe("noninterference: process A alone, and the same beside process B", () => {
  test("B's traffic changes no byte of A's replies; how it changes A's latency is printed", async () => {
    const alone = await pairedRun(400, false),
      beside = await pairedRun(400, true);
    expect(beside.ofB).toBeGreaterThan(2000);
    expect(beside.replies).toEqual(alone.replies);
    // Timing is shared in this build, and said so (docs/clio/node.md, Isolation): TLB, slots, memory and line are one
    // for all. With partitions it is not: partitions.test.ts.
    for (const [name, { latencies }] of [
      ["alone", alone],
      ["beside B", beside],
    ] as const) {
      console.log(
        `A ${name}: median ${quantile(latencies, 0.5)}, 99 % ${quantile(latencies, 0.99)}, most ${quantile(latencies, 1)} cycles from last beat in to last beat out`,
      );
    }
    expect(new Set([...alone.replies]).size).toBeGreaterThan(200);
  });

  test("planted fault: a TLB that looks at the page number alone is seen in A's replies", async () => {
    const design = plant(clioNode(config), /(keys_\d+) == key\b/, "$1[27:0] == key[27:0]");
    const alone = await pairedRun(60, false, design),
      beside = await pairedRun(60, true, design).catch((e: unknown) => e as Error);
    if (!(beside instanceof Error)) expect(beside.replies).not.toEqual(alone.replies);
  });
});
