/** What Clio-KV makes of a memory reply without bytes: whether ALLOC or FREE has done it, and where. */
import { describe, expect, test } from "vitest";
import { KvReplies, purpose, purposeBits, unitShift } from "../../../../designs/clio/offloads/kv/index.ts";
import { memoryTagBits } from "../../../../designs/clio/offload/index.ts";
import { status } from "../../../../designs/clio/wire/index.ts";
import { type Bench, bernoulli, runBench, StreamSource } from "../../../../sim/index.ts";
import { findsFault, plant } from "../../../support/plant.ts";

const sets = [
  { beatBytes: 64, contexts: 8, maxData: 1466 },
  { beatBytes: 8, contexts: 2, maxData: 200 },
] as const;
type Ports = ReturnType<typeof KvReplies>["ports"];

/** Replies to ALLOC and FREE: each bit of `ret` alone is a refusal, whatever the address. */
async function answers(b: Bench<Ports>): Promise<void> {
  const { io, random, sim } = b,
    replies = new StreamSource(sim, io.memoryReply, { pause: bernoulli(0.3, 1) });
  io.done.valid.value = 0;
  io.value.ready.value = 1;
  let shown = 0;
  b.onEdge({ sample: () => (shown += io.event.forAllocator.value) });
  const rets = [0, 1, 12, 22, 0xffff_ffff, ...Array.from({ length: 32 }, (_, i) => (1 << i) >>> 0)];
  for (const ret of [...rets, ...rets.map(() => 0)]) {
    const code = random.chance(0.2) ? random.pick([status.OUT_OF_MEMORY, status.FAIL, status.MIGRATING]) : status.OK,
      address = random.bits(50) & ~((1n << BigInt(unitShift)) - 1n),
      context = random.below(2);
    // 4 bytes of `ret`, then the address, over the reply's `va` and `length`.
    const words = (address << 32n) | BigInt(ret);
    replies.send({
      tag: (purpose.allocator << (memoryTagBits - purposeBits)) | context,
      status: code,
      va: BigInt.asUintN(64, words),
      length: Number(words >> 64n),
      data: 0,
    });
    await b.until(() => io.event.valid.value === 1);
    const { granted, failed, elsewhere, block, status: said } = io.event,
      text = `ret ${ret}, status ${code}`;
    expect([said.value, failed.value], text).toEqual([code, +(code !== status.OK)]);
    expect(granted.value, `${text}: granted`).toBe(+(code === status.OK && ret === 0));
    expect(elsewhere.value, `${text}: elsewhere`).toBe(+(code === status.OK || code === status.OUT_OF_MEMORY));
    expect(BigInt(block.value) << BigInt(unitShift), `${text}: the address`).toBe(address);
    await b.cycles(random.below(3));
    io.done.valid.value = 1;
    await b.risingEdge();
    io.done.valid.value = 0;
    await b.cycles(2);
  }
  expect(shown, "cycles in which the allocator is told").toBe(2 * rets.length);
}

describe.each(sets)("KvReplies, $beatBytes bytes a beat", p => {
  const run = (name: string, dut: Parameters<typeof plant<Ports>>[0]): Promise<unknown> =>
    runBench(name, dut, { wave: false, seed: 1 }, answers);
  test("what ALLOC and FREE answer", () => run("answers", KvReplies(p)));
  test.each<[string, string | RegExp, string]>([
    [
      "the lowest bit of what is answered does not count",
      /memory_reply_payload_va\[31:0\]/,
      "memory_reply_payload_va[32:1]",
    ],
    [
      "a refusal is a grant",
      /granted <= ~\(\(?\|memory_reply_payload_status\)? \| [^;]*;/,
      "granted <= ~(|memory_reply_payload_status);",
    ],
  ])("a planted fault is found: %s", (name, from, to) =>
    findsFault(run(name, plant(KvReplies(p), from, to)), /granted/),
  );
});
