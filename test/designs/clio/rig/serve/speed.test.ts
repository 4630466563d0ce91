/**
 * Processor time of an operation at the served node, its client in the same process. It is printed and decides nothing:
 * MNEMO_SPEED says how many operations, for figures worth writing down; `speed/compare.ts` measures trees by turns.
 */
import { it } from "vitest";
import { ownAddress, servedNode, UdpClient } from "./served.ts";
import { inFlightOf, timeOf } from "./speed/times.ts";

const operations = Number(process.env["MNEMO_SPEED"] ?? 300);

it(`${operations} operations one at a time, and as many with 32 in flight, are all served`, async () => {
  const served = await servedNode({ ip: ownAddress(11) }),
    client = await UdpClient.open();
  // Warm: the first operations are compiled.
  await timeOf(served, client, operations, 1);
  for (const inFlight of inFlightOf) {
    const us = await timeOf(served, client, operations, inFlight);
    console.log(`${inFlight} in flight: ${us.toFixed(0)} us of processor time an operation`);
  }
  await client.close();
  await served.stop();
});
