import { ModelMemory } from "../../designs/clio/model/index.ts";
import type { OffloadParameters } from "../../designs/clio/offload/index.ts";
import { decode, encode } from "../../designs/shared/wire/index.ts";
import { opcode, replyCode, status } from "../../designs/clio/wire/index.ts";
import { OffloadHost, type OffloadPorts } from "../../designs/clio/rig/index.ts";
import type { Bench } from "../../sim/index.ts";
import { wordSumBody } from "./word-sum.ts";

interface Answer {
  readonly status: number;
  readonly opcode: number;
  readonly body: Uint8Array;
}
const none = new Uint8Array();

/** What the hardware must answer: the same request, one access after another, in plain TypeScript. */
function wordSumModel(memory: ModelMemory, pid: number, body: Uint8Array, maxData: number): Answer {
  const malformed = { status: status.MALFORMED, opcode: opcode.WIC, body: none };
  if (body.length !== wordSumBody.bytes) return malformed;
  const { program, va, length } = decode(wordSumBody, body);
  if (program !== 0 || length < 8 || length > maxData || length % 8 !== 0) return malformed;
  const read = memory.access({ opcode: opcode.READ, pid, va, length, data: none });
  if (read.status !== status.OK) return { status: read.status, opcode: replyCode(opcode.WIC), body: none };
  const words = new BigUint64Array(read.data.slice().buffer),
    sum = new BigUint64Array([words.reduce((a, b) => BigInt.asUintN(64, a + b), 0n)]);
  return { status: status.OK, opcode: replyCode(opcode.WIC), body: new Uint8Array(sum.buffer) };
}

/**
 * Random requests of two processes, good and bad, with pauses on every stream and memory that answers out of order.
 * Returns how many ended with each status.
 */
export async function wordSumBench(
  b: Bench<OffloadPorts>,
  parameters: OffloadParameters,
  count: number,
): Promise<ReadonlyMap<number, number>> {
  const memory = new ModelMemory(),
    { random } = b,
    base = 0x10000n,
    bytes = 0x4000;
  for (const pid of [1, 2]) {
    memory.map(pid, base, bytes);
    memory.store(pid, base, random.bytes(bytes));
  }
  const host = new OffloadHost(b, { parameters, memory, pause: 0.3, jitter: 60 });
  const calls = Array.from({ length: count }, () => {
    const length = random.chance(0.8) ? 8 * random.between(1, 180) : random.between(0, 2000),
      va = base + BigInt(random.between(-200, bytes + 100));
    const body = encode(wordSumBody, { program: random.chance(0.05) ? 1 : 0, va, length });
    return host.request({
      opcode: opcode.WIC,
      pid: random.pick([1, 2]),
      body: random.chance(0.05) ? body.slice(0, random.between(0, 13)) : body,
    });
  });
  await host.drained();
  const ends = new Map<number, number>();
  for (const { pid, body, replies } of calls) {
    const expected = wordSumModel(memory, pid, body, parameters.maxData);
    const given = replies.map(r => ({ status: r.status, opcode: r.opcode, body: r.body }));
    if (JSON.stringify(given) !== JSON.stringify([expected]))
      throw new Error(
        `${JSON.stringify({ pid, body })}: ${JSON.stringify(given)} in place of ${JSON.stringify(expected)}`,
      );
    ends.set(expected.status, (ends.get(expected.status) ?? 0) + 1);
  }
  return ends;
}
