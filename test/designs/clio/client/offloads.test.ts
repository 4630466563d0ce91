import { describe, expect, test } from "vitest";
import { type ChaseRequest, ClientError, OperationError, type Thread } from "../../../../designs/clio/client/index.ts";
import { chase, type OffloadAnswer, type OffloadMemory } from "../../../../designs/clio/model/index.ts";
import { opcode } from "../../../../designs/clio/wire/index.ts";
import { onNetwork } from "./rig.ts";

/** The offloads of the model node: those that have a reference model. */
export function modelOffloads(
  memory: OffloadMemory,
  pid: number,
  code: number,
  body: Uint8Array,
): OffloadAnswer | undefined {
  return code === opcode.POINTER_CHASE ? chase(memory, pid, code, body, 1466) : undefined;
}

const nodeBytes = 48,
  text = (i: number): string => `value ${i}`;
/** Nodes of a key at 8, a next pointer at 16, sixteen bytes of text at 24 and at 40 a pointer to longer text. */
async function writeList(thread: Thread, count: number): Promise<bigint> {
  const base = await thread.ralloc(1 << 16);
  for (let i = 0; i < count; i++) {
    const node = new Uint8Array(nodeBytes),
      view = new DataView(node.buffer),
      far = base + 0x8000n + BigInt(200 * i);
    view.setBigUint64(8, BigInt(1000 + i), true);
    view.setBigUint64(16, i < count - 1 ? base + BigInt((i + 1) * 100) : 0n, true);
    node.set(new TextEncoder().encode(text(i)), 24);
    view.setBigUint64(40, far, true);
    await thread.rwrite(base + BigInt(i * 100), node);
    await thread.rwrite(far, new TextEncoder().encode(text(i).repeat(10)));
  }
  return base;
}
const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes).replace(/\0+$/, "");

describe("pointerChase", () => {
  test("finds nodes by key and by number, with their values; a bad network loses none of it", () =>
    onNetwork(
      {
        link: { loss: 0.03, duplicate: 0.05, reorder: 0.1, corrupt: 0.03, reorderNs: 3000 },
        node: { offloads: modelOffloads },
        seed: 4,
      },
      async ({ client, address }) => {
        const thread = (await client.createProcess(address)).thread(),
          first = await writeList(thread, 12);
        const list = { first, nodeBytes, nextOffset: 16 },
          own = { offset: 24, bytes: 16 };
        const key = (i: number): ChaseRequest["key"] => ({ value: BigInt(1000 + i), offset: 8 });
        for (let i = 0; i < 12; i++) {
          const va = first + BigInt(100 * i),
            found = await thread.pointerChase({ ...list, key: key(i)!, value: own });
          expect([found?.va, textOf(found?.value ?? new Uint8Array())]).toEqual([va, text(i)]);
          const far = await thread.pointerChase({
            ...list,
            depth: i + 1,
            value: { offset: 40, bytes: text(i).length * 10, pointer: true },
          });
          expect([far?.va, textOf(far?.value ?? new Uint8Array())]).toEqual([va, text(i).repeat(10)]);
        }
        expect(await thread.pointerChase({ ...list, key: key(12)! })).toBeUndefined();
        expect(await thread.pointerChase({ ...list, key: key(11)!, depth: 11 })).toBeUndefined();
        expect(await thread.pointerChase({ ...list, depth: 13 })).toBeUndefined();
        expect(await thread.pointerChase({ ...list, first: 0n })).toBeUndefined();
        expect(await thread.pointerChase(list)).toEqual({ va: first, value: new Uint8Array() });
        const refused = await thread.pointerChase({ ...list, first: 1n << 40n }).catch((e: unknown) => e);
        expect(refused).toBeInstanceOf(OperationError);
        expect(refused).toMatchObject({ operation: "POINTER_CHASE", reason: "INVALID", outcome: "none" });
        // One round trip however long the list is.
        const before = client.statistics.sent;
        await thread.pointerChase({ ...list, key: key(11)! });
        expect(client.statistics.sent - before).toBeLessThanOrEqual(3);
      },
    ));
  test("what cannot be is refused in one sentence, and nothing is sent", () =>
    onNetwork({}, async ({ client, address }) => {
      const thread = client.process(1, address).thread(),
        right: ChaseRequest = { first: 4096n, nodeBytes: 64, nextOffset: 8 };
      const wrong: readonly (readonly [Partial<ChaseRequest>, string])[] = [
        [{ nodeBytes: 513 }, "nodeBytes is 513; give a whole number from 8 to 512"],
        [{ nextOffset: 60 }, "nextOffset is 60; give a whole number from 0 to 56"],
        [{ nextOffset: 12 }, "nextOffset is 12; give a multiple of 8"],
        [{ key: { value: 1n, offset: 57 } }, "key.offset is 57; give a whole number from 0 to 56"],
        [{ depth: 0 }, "depth is 0; give a whole number from 1 to 255"],
        [{ value: { offset: 50, bytes: 15 } }, "value.offset is 50; give a whole number from 0 to 49"],
        [{ value: { offset: 0, bytes: 65 } }, "value.bytes is 65; give a whole number from 0 to 64"],
        [
          { value: { offset: 0, bytes: 1445, pointer: true } },
          "value.bytes is 1445; give a whole number from 0 to 1444",
        ],
      ];
      for (const [part, message] of wrong) {
        expect(() => thread.pointerChase({ ...right, ...part })).toThrow(message);
        expect(() => thread.pointerChase({ ...right, ...part })).toThrow(ClientError);
      }
      expect(client.statistics.sent).toBe(0);
      await Promise.resolve();
    }));
});
