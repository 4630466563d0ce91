/**
 * Processor time of an operation at the served node, its client in the same process. It is printed and decides nothing:
 * MNEMO_SPEED says how many operations, for figures worth writing down.
 */
import { expect, it } from "vitest";
import * as p from "../../../../support/packets.ts";
import { onlyHangsEnd } from "../../../../support/hang-limit.ts";
import { ownAddress, servedNode, UdpClient } from "./served.ts";

onlyHangsEnd();

const operations = Number(process.env["MNEMO_SPEED"] ?? 300);

it(`${operations} operations one at a time, and as many with 32 in flight, are all served`, async () => {
  const served = await servedNode({ ip: ownAddress(11) }),
    { ip, nativePort } = served.settings.runtime,
    client = await UdpClient.open();
  let n = 0;
  const ask = (): void => {
    client.send(ip, nativePort, p.clioMessage({ opcode: p.opcode.PINGPONG, requestId: ++n }, new Uint8Array(8)));
  };
  const timeOf = async (inFlight: number): Promise<number> => {
    const from = process.cpuUsage();
    for (let i = 0; i < inFlight; i++) ask();
    for (let i = 0; i < operations; i++) {
      expect((await client.next()).header.status).toBe(p.status.OK);
      if (i < operations - inFlight) ask();
    }
    const { user, system } = process.cpuUsage(from);
    return (user + system) / operations;
  };
  // Warm: the first operations are compiled.
  await timeOf(1);
  for (const inFlight of [1, 32])
    console.log(`${inFlight} in flight: ${(await timeOf(inFlight)).toFixed(0)} us of processor time an operation`);
  await client.close();
  await served.stop();
});
