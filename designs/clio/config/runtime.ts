import * as z from "zod";
import { udpPorts } from "../wire/index.ts";
import { ConfigError } from "./errors.ts";
import { flag, nanoseconds, range } from "../../shared/settings/index.ts";
import { hashKey, ipv4Address, macAddress } from "./fields.ts";

/** Run-time settings (architecture.md "The command line"): registers of the node and the models' latencies. */
export const runtimeSchema = z.strictObject({
  /** The node's own MAC. */
  mac: macAddress.default(0x02c110000001n),
  /** The node's own IPv4 address. */
  ip: ipv4Address.default(0x0a0a0001),
  /** UDP port where flags and request IDs are honoured. */
  nativePort: range(1, 65535).default(udpPorts.native),
  /** First of the published client's UDP ports. */
  clientPort: range(1, 65535).default(udpPorts.published),
  /** Take frames for any destination MAC. */
  acceptAnyMac: flag.default(false),
  /**
   * What is allocated at the published client's ports is writable whatever its flags say, as on the published board:
   * its programs ALLOC with flags 0 or 2 and write.
   */
  publishedWritable: flag.default(true),
  /** Cycles from a memory request to its first data. */
  dramLatency: range(1, 10000, " cycles").default(50),
  /** Nanoseconds that the slow path takes for a request. */
  slowPathLatency: nanoseconds(0, 1e9).default(2000),
  /** Pages that a process may have allocated at a time: its quota of memory and of virtual space. 0: no bound. */
  processPages: range(0, 2 ** 32, " pages").default(0),
  /** Key of the hashes by which state is placed, 64 bits: random for each start on an open network. 0: none. */
  hashKey: hashKey.default(0n),
});
export type RuntimeSettings = z.output<typeof runtimeSchema>;

/** @throws ConfigError when the native port lies among the client ports or those run past 65535. */
export function checkPorts(r: RuntimeSettings, clientPorts: number): void {
  const last = r.clientPort + clientPorts - 1;
  if (last > 65535) {
    throw new ConfigError(
      `clientPort = ${r.clientPort} with clientPorts = ${clientPorts} runs past port 65535; the nearest is clientPort = ${65536 - clientPorts}`,
    );
  }
  if (r.nativePort >= r.clientPort && r.nativePort <= last) {
    throw new ConfigError(
      `nativePort = ${r.nativePort} lies among the client ports ${r.clientPort} to ${last} (clientPort, clientPorts); the nearest is nativePort = ${
        (r.nativePort - r.clientPort < last - r.nativePort && r.clientPort > 1) || last === 65535
          ? r.clientPort - 1
          : last + 1
      }`,
    );
  }
}
