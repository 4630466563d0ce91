import type { FieldName } from "../../registers/index.ts";

/**
 * Gives a process its key by registers: the key first, for the write of the process's number is the order. Orders are
 * given one at a time.
 */
export async function writeProcessKey(
  write: (name: FieldName, value: number) => Promise<void>,
  pid: number,
  key: bigint,
): Promise<void> {
  await write("processKeyLow", Number(BigInt.asUintN(32, key)));
  await write("processKeyHigh", Number(key >> 32n));
  await write("processKeyPid", pid);
}
