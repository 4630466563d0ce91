/** Frames that a person writes: sent as they stand, from whatever MAC they name, and what comes back to it. */
import { type Endpoint, icmpEchoFrame } from "../designs/shared/wire/index.ts";
import { type Attachment, type NetworkModel, SimulationError } from "../sim/index.ts";

/** The shortest that has both MACs and a type; the longest that an Ethernet without jumbo frames carries. */
const SHORTEST = 14,
  LONGEST = 1514;
const MAC_BYTES = 6;

/**
 * Bytes of hexadecimal digits; blanks and line ends between them do not count.
 * @throws SimulationError naming what is wrong
 */
export function frameOf(text: string): Uint8Array {
  const digits = text.replace(/\s+/g, ""),
    wrong = /[^0-9a-fA-F]/.exec(digits)?.[0];
  if (wrong !== undefined)
    throw new SimulationError(`the frame has "${wrong}" among its digits; write bytes as two hexadecimal digits each`);
  if (digits.length % 2 !== 0)
    throw new SimulationError(`the frame has ${digits.length} digits, half a byte at its end; write two for each byte`);
  const length = digits.length / 2;
  if (length < SHORTEST || length > LONGEST)
    throw new SimulationError(`the frame has ${length} bytes; give ${SHORTEST} to ${LONGEST}`);
  return Uint8Array.from({ length }, (_, i) => parseInt(digits.slice(2 * i, 2 * i + 2), 16));
}

/** Bytes as text: 16 a line, in pairs of digits. */
export function hexOf(bytes: Uint8Array): string {
  const pairs = [...bytes].map(b => b.toString(16).padStart(2, "0"));
  return Array.from({ length: Math.ceil(pairs.length / 16) }, (_, i) =>
    pairs.slice(16 * i, 16 * i + 16).join(" "),
  ).join("\n");
}

/** A frame to begin with: a ping from the page. */
export const firstFrame = (to: Omit<Endpoint, "port">): string =>
  hexOf(icmpEchoFrame({ mac: 0x02_00_00_00_00_77n, ip: 0x0a_00_00_77 }, to, 1, 1, new TextEncoder().encode("ping")));

/** The stations that such frames come from, one for each source MAC. */
export class OwnFrames {
  readonly #network: NetworkModel;
  readonly #stations = new Map<string, Attachment>();
  readonly #back: Uint8Array[] = [];

  constructor(network: NetworkModel) {
    this.#network = network;
  }

  /** @throws SimulationError when it is no frame, or has the MAC of the page's client or of the node */
  send(text: string): void {
    const frame = frameOf(text),
      mac = hexOf(frame.subarray(MAC_BYTES, 2 * MAC_BYTES));
    let station = this.#stations.get(mac);
    if (station === undefined) {
      station = this.#network.attach(`the page as ${mac}`, {
        mac: BigInt(`0x${mac.replaceAll(" ", "")}`),
        receive: bytes => this.#back.push(bytes),
      });
      this.#stations.set(mac, station);
    }
    station.send(frame);
  }
  /** What has come back since the last call. */
  taken(): readonly Uint8Array[] {
    return this.#back.splice(0);
  }
}
