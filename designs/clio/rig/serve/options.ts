import { InvalidArgumentError } from "commander";
import { ipv4Address, type Subnet, udpPort } from "../../../shared/rig/index.ts";
import { udpPorts } from "../../wire/index.ts";

/** `mnemo serve clio`'s options as parsed. */
export interface ServeOptions {
  /** `key=value` each. */
  readonly set: readonly string[];
  /** File with processes, memory and its contents before the first frame. */
  readonly setup?: string;
  /** Native UDP port; 0: any free one. */
  readonly port?: number;
  /** Sessions of the published client whose ports are opened at once. */
  readonly sessions: number;
  /** TAP device to serve instead of sockets. */
  readonly tap?: string;
  /** This machine's end of the TAP device. */
  readonly tapAddress?: Subnet;
  readonly monitor?: MonitorAddress | "off";
  /** Nodes to serve, with a global controller when there are several. */
  readonly nodes: number;
}

/** Where the monitor is; without an address of its own it has the node's. */
export interface MonitorAddress {
  readonly ip?: number;
  readonly port: number;
}

/** Most nodes that are served: their addresses follow each other, and the controller's ends in .9. */
export const mostNodes = 8;
/** How many nodes. */
export function nodeCount(text: string): number {
  const n = /^\d$/.test(text) ? Number(text) : Number.NaN;
  if (!(n >= 1 && n <= mostNodes)) throw new InvalidArgumentError(`It must be a number of nodes, 1 to ${mostNodes}.`);
  return n;
}

/** How many sessions. */
export function sessionCount(text: string): number {
  const n = /^\d{1,4}$/.test(text) ? Number(text) : Number.NaN;
  if (!(n <= udpPorts.publishedCount))
    throw new InvalidArgumentError(`It must be a number of sessions, 0 to ${udpPorts.publishedCount}.`);
  return n;
}

/** `10000`, `10.10.0.9`, `10.10.0.9:10000` or `off`. */
export function monitorAddress(text: string): MonitorAddress | "off" {
  if (text === "off") return "off";
  if (/^\d+$/.test(text)) return { port: udpPort(1)(text) };
  const [ip, port, more] = text.split(":");
  if (ip === undefined || more !== undefined)
    throw new InvalidArgumentError("It must be a UDP port, an IPv4 address, address:port, or off.");
  return { ip: ipv4Address(ip), port: port === undefined ? udpPorts.monitor : udpPort(1)(port) };
}
