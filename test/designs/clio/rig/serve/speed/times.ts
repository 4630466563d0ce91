import * as p from "../../../../../support/packets.ts";
import type { ServedNode, UdpClient } from "../served.ts";

/** Operations under way at a time, for which times are told. */
export const inFlightOf = [1, 32] as const;

/** Microseconds of this process's processor time for each operation, the client's share in it. */
export async function timeOf(
  { settings }: ServedNode,
  client: UdpClient,
  operations: number,
  inFlight: number,
): Promise<number> {
  const { ip, nativePort } = settings.runtime;
  let n = 0;
  const ask = (): void => {
    client.send(ip, nativePort, p.clioMessage({ opcode: p.opcode.PINGPONG, requestId: ++n }, new Uint8Array(8)));
  };
  const from = process.cpuUsage();
  for (let i = 0; i < inFlight; i++) ask();
  for (let i = 0; i < operations; i++) {
    const { status } = (await client.next()).header;
    if (status !== p.status.OK) throw new Error(`operation ${i} ended with status ${status}`);
    if (i < operations - inFlight) ask();
  }
  const { user, system } = process.cpuUsage(from);
  return (user + system) / operations;
}
