import { InvalidArgumentError } from "commander";
import { type SocketAddress, type Subnet, subnet } from "../../../shared/rig/index.ts";
import { isDeviceName } from "../../../shared/settings/index.ts";

/** A TAP device at a port. */
export interface TapPort {
  readonly port: number;
  readonly device: string;
  /** This machine's end; default: the address of the port's first station, in a /24. */
  readonly address: Subnet | undefined;
}
/** `mnemo serve supernic`'s options as parsed. */
export interface SuperNicServeOptions {
  /** `key=value` each. */
  readonly set: readonly string[];
  readonly setup: string;
  /** Where port 0 is; the other ports' numbers follow. */
  readonly udp: SocketAddress;
  readonly tapPort: readonly TapPort[];
  readonly capture?: string;
}

/** `0=mnemo0` or `0=mnemo0,10.20.0.11/24`. */
export function tapPort(text: string): TapPort {
  const [, port = "", device = "", , address] = /^(\d{1,2})=([^,]*)(,(.*))?$/s.exec(text) ?? [];
  if (port === "" || !isDeviceName(device))
    throw new InvalidArgumentError(
      "It must be a port and a device, such as 0=mnemo0, and may have an address: 0=mnemo0,10.20.0.11/24.",
    );
  return { port: Number(port), device, address: address === undefined ? undefined : subnet(address) };
}
