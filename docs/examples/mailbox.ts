import { type Client, type NodeAddress, OperationError } from "../../designs/clio/client/index.ts";

/** Two threads pass a text through far memory: one writes it under a lock, the other reads it once it is there. */
export async function mailbox(sender: Client, receiver: Client, node: NodeAddress, text: string): Promise<string> {
  const process = await sender.createProcess(node, "mailbox");
  const page = 1n << 22n,
    writer = process.thread();
  const va = await writer.ralloc(2n * page); // both pages read zero
  const lock = va,
    count = va + 8n,
    body = va + page;

  const bytes = new TextEncoder().encode(text),
    half = bytes.length >> 1;
  await writer.rlock(lock);
  const parts = [
    writer.rwriteAsync(body, bytes.subarray(0, half)),
    writer.rwriteAsync(body + BigInt(half), bytes.subarray(half)),
  ];
  await writer.fetchAndAdd(count, BigInt(bytes.length));
  await writer.runlock(lock); // both writes are done before the lock is free
  await writer.rpoll(parts);

  const reader = receiver.process(process.pid, node).thread(); // another computer, the same address space
  for (;;) {
    await reader.rlock(lock);
    const length = Number(await reader.fetchAndAdd(count, 0n));
    const found = length === 0 ? undefined : await reader.rread(body, length);
    await reader.runlock(lock);
    if (found) return new TextDecoder().decode(found);
  }
}

/** What an error tells. */
export async function tryToRead(client: Client, node: NodeAddress): Promise<string> {
  try {
    await client.process(9999, node).thread().rread(0n, 1);
    return "read";
  } catch (e) {
    if (!(e instanceof OperationError)) throw e;
    return `${e.operation} failed with ${e.reason}; effect: ${e.outcome}`;
  }
}
