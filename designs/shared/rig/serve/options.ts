import { InvalidArgumentError } from "commander";
import { isDeviceName } from "../../settings/index.ts";
import { parseIpv4 } from "../../wire/index.ts";

/** An address with the length of its network's prefix. */
export interface Subnet {
  readonly ip: number;
  readonly prefix: number;
}
/** An address with a UDP port. */
export interface SocketAddress {
  readonly ip: number;
  readonly port: number;
}

/** A UDP port; 0 where any will do. */
export const udpPort =
  (least: 0 | 1) =>
  (text: string): number => {
    const n = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
    if (!(n >= least && n <= 65535)) throw new InvalidArgumentError(`It must be a UDP port, ${least} to 65535.`);
    return n;
  };

/** The name of a network device. */
export function deviceName(text: string): string {
  if (!isDeviceName(text))
    throw new InvalidArgumentError("It must be a device name of 1 to 15 characters, such as mnemo0.");
  return text;
}

/** `10.10.0.1`, as an option's value. */
export function ipv4Address(text: string): number {
  try {
    return parseIpv4(text);
  } catch (e) {
    throw new InvalidArgumentError(`${(e as Error).message}.`);
  }
}

/** `10.10.0.254/24`. */
export function subnet(text: string): Subnet {
  const [ip, length, more] = text.split("/"),
    prefix = /^\d{1,2}$/.test(length ?? "") ? Number(length) : Number.NaN;
  if (ip === undefined || more !== undefined || !(prefix >= 1 && prefix <= 30)) {
    throw new InvalidArgumentError(
      "It must be an IPv4 address with a prefix length of 1 to 30, such as 10.10.0.254/24.",
    );
  }
  return { ip: ipv4Address(ip), prefix };
}

/** `127.0.0.1:7000`. */
export function socketAddress(text: string): SocketAddress {
  const [ip, port, more] = text.split(":");
  if (ip === undefined || port === undefined || more !== undefined)
    throw new InvalidArgumentError("It must be an IPv4 address with a UDP port, such as 127.0.0.1:7000.");
  return { ip: ipv4Address(ip), port: udpPort(1)(port) };
}
