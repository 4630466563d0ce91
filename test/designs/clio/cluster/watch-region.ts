import type { Client, NodeAddress } from "../../../../designs/clio/client/index.ts";
import { accessBody, opcode, statusNames } from "../../../../designs/clio/wire/index.ts";
import { encode } from "../../../../designs/shared/wire/index.ts";
import type { SimulatedTime } from "../../../../sim/index.ts";

/**
 * Answers of a node's fast path to a WRITE of one byte and a READ of one at `va`. They are repeated every `everyNs`
 * until `until` settles and once more; each answer that differs from the one before is kept. No part of CLib comes
 * between: any client gets these answers.
 */
export async function watchRegion(
  client: Client,
  node: NodeAddress,
  at: { readonly pid: number; readonly va: bigint },
  until: Promise<unknown>,
  time: SimulatedTime,
  everyNs = 1000,
): Promise<readonly string[]> {
  const said: string[] = [],
    state = { over: false };
  void until
    .finally(() => {
      state.over = true;
    })
    .catch(() => undefined);
  const ask = async (code: number, data: readonly number[]): Promise<string> => {
    const access = encode(accessBody, { va: at.va, length: 1 }),
      body = new Uint8Array([...access, ...data]);
    const { status } = await client.exchange(node, {
      pid: at.pid,
      code,
      body,
      replyBytes: accessBody.bytes + 1,
      fits: () => true,
      follows: true,
    });
    return statusNames[status] ?? String(status);
  };
  for (let last = false; ; last = state.over) {
    const now = `${await ask(opcode.WRITE, [7])} ${await ask(opcode.READ, [])}`;
    if (said.at(-1) !== now) said.push(now);
    if (last) return said;
    await new Promise<void>(resolve => {
      time.after(everyNs, resolve);
    });
  }
}
