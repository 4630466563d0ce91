/**
 * Serves a node of one tree and prints the times of its operations, as JSON. `compare.ts` runs it; by itself it is
 * what to profile: `node --cpu-prof --import tsx test/designs/clio/rig/serve/speed/once.ts . 20000`.
 */
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type * as Served from "../served.ts";
import { inFlightOf, timeOf } from "./times.ts";

const [tree = ".", operations = "3000"] = process.argv.slice(2),
  path = join(resolve(tree), "test/designs/clio/rig/serve/served.ts");
const { ownAddress, servedNode, UdpClient } = (await import(pathToFileURL(path).href)) as typeof Served;
const served = await servedNode({ ip: ownAddress(11) }),
  client = await UdpClient.open();
// Warm: the first operations are compiled.
await timeOf(served, client, Number(operations), 1);
const times: Record<number, number> = {};
for (const inFlight of inFlightOf) times[inFlight] = await timeOf(served, client, Number(operations), inFlight);
console.log(JSON.stringify(times));
await client.close();
await served.stop();
