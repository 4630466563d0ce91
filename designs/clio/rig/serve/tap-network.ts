import { type TapOptions, TapPipe } from "../../../../sim/index.ts";
import { ethernetHeader, formatIpv4, formatMac } from "../../../shared/wire/index.ts";
import type { Settings } from "../../config/index.ts";

/** The device and this machine's end of it. */
export interface NodeTapOptions extends Omit<TapOptions, "address" | "mtu"> {
  readonly address: number;
}

/**
 * The node on a TAP device of this machine.
 * @throws ServeError when there is no right to it, it is in use, or no C++ compiler is there
 */
export function openTap({ config, runtime }: Settings, { device, address, prefix }: NodeTapOptions): Promise<TapPipe> {
  const last = runtime.clientPort + config.clientPorts - 1;
  return TapPipe.open(
    { device, address: formatIpv4(address), prefix, mtu: config.mtuFrame - ethernetHeader.bytes },
    `node ${formatIpv4(runtime.ip)}, MAC ${formatMac(runtime.mac)}, UDP ports ${runtime.nativePort} and ${runtime.clientPort} to ${last}`,
  );
}
