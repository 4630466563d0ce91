/** Throughput of a virtual private cloud over two sNICs, by what the hosts' software sends. */
import { CheckFailed } from "../../../../shared/command-line/index.ts";
import { type Endpoint, udpFrame } from "../../../../shared/wire/index.ts";
import { clockPeriod } from "../../../config/index.ts";
import { aesDrops, aesFrontBytes } from "../../../wire/index.ts";
import { fcsBytes } from "../measured-device.ts";
import { beatsOf, steadyRate } from "../rate.ts";
import { type Change, type Pair, withPair } from "./pair.ts";
import { type Chain, natIp, openedMac, receiver, refusedPort, sender } from "./setup.ts";

export interface VpcLoad {
  readonly chain: Chain;
  /** Bytes of a frame as the hosts have it, check sequence included. */
  readonly size: number;
  /** Million frames a second that a host's software gives out at most. */
  readonly offered: number;
}
export interface VpcRate extends VpcLoad {
  /** Million frames a second that come to the receiver in the steady state. */
  readonly came: number;
}
const udpHeaders = 42,
  flows = 5,
  /** Frames at the beginning that the firewall refuses. */
  refused = 4,
  /** Cycles without a frame after which nothing more comes. */
  over = 2_000,
  grows = aesFrontBytes - aesDrops.encrypt;

/**
 * Beats of a frame that go into the core of the receiver's sNIC, one a cycle: as a tunnel, and then as what was in it,
 * where that goes to a second chain. No throughput can be more.
 */
export const coreBeats = (chain: Chain, size: number): number =>
  beatsOf(size + grows) + (chain === "AES alone" ? 0 : beatsOf(size));

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");
/** Ports of UDP behind the headers of Ethernet and IPv4. */
const sourcePort = 34,
  targetPort = 36;
const portAt = (frame: Uint8Array, at: number): number => new DataView(frame.buffer, frame.byteOffset).getUint16(at);
/** A frame without the port that the NAT chooses. */
function without(frame: Uint8Array, at: number): string {
  const rest = Uint8Array.from(frame);
  rest.fill(0, at, at + 2);
  return hex(rest);
}
/** The n-th frame as it is sent, and as it must come but for the port that the NAT chooses. */
function framesOf(n: number, size: number, chain: Chain, port = receiver.port) {
  const payload = new Uint8Array(size - fcsBytes - udpHeaders).map((_, i) => n * 7 + i),
    from: Endpoint = { ...sender, port: sender.port + (n % flows) },
    to: Endpoint = { ...receiver, port },
    ip = chain === "AES alone" ? sender.ip : natIp;
  new DataView(payload.buffer).setUint32(0, n);
  return { sent: udpFrame(from, to, payload), came: udpFrame({ ...from, mac: openedMac, ip }, to, payload) };
}

/** @throws CheckFailed when a frame is lost, changed, or comes twice */
async function measured(pair: Pair, load: VpcLoad, count: number): Promise<VpcRate> {
  const { chain, size, offered } = load,
    { client, server, until, now } = pair,
    at = `${chain}, ${size} bytes`;
  /** By what must come, its flow; and by flow, the port that the NAT gave it. */
  const wanted = new Map<string, number>(),
    ports = new Map<number, number>(),
    sent: Uint8Array[] = [],
    ends: number[] = [];
  let last = now();
  if (chain !== "AES alone") for (let n = 0; n < refused; n++) sent.push(framesOf(n, size, chain, refusedPort).sent);
  for (let n = 0; n < count; n++) {
    const f = framesOf(n, size, chain);
    wanted.set(without(f.came, sourcePort), n % flows);
    sent.push(f.sent);
  }
  server.onFrame = frame => {
    const key = without(frame, sourcePort),
      port = portAt(frame, sourcePort),
      flow = wanted.get(key);
    if (flow === undefined || (ports.get(flow) ?? port) !== port)
      throw new CheckFailed(`${at}: a frame comes that is not as it must be, or for the second time`);
    wanted.delete(key);
    ports.set(flow, port);
    ends.push((last = now()));
  };
  client.send(sent, 1000 / offered / clockPeriod);
  await until(() => client.waiting === 0 && now() - last > over);
  if (wanted.size > 0) throw new CheckFailed(`${at}: ${wanted.size} of ${count} frames are lost`);
  if (new Set(ports.values()).size !== flows) throw new CheckFailed(`${at}: two flows have one port`);
  return { ...load, came: (1000 * steadyRate(ends)) / clockPeriod };
}
export interface VpcOptions {
  readonly chain: Chain;
  readonly loads: readonly Omit<VpcLoad, "chain">[];
  /** Frames of each load. */
  readonly count: number;
  /** Makes other devices of them. */
  readonly change?: Change;
}
/** Each load, one after the other. @throws CheckFailed for a frame that is lost, changed, or in the clear between */
export async function measureVpc(
  seed: number,
  { chain, loads, count, change }: VpcOptions,
): Promise<readonly VpcRate[]> {
  const longest = Math.max(...loads.map(l => l.size)) - fcsBytes + grows,
    secretBytes = 16,
    secrets = new Set<string>();
  const tap = (frame: Uint8Array): void => {
    if (portAt(frame, targetPort) !== 0 && secrets.has(hex(frame.slice(-secretBytes))))
      throw new CheckFailed(`${chain}: a frame between the two sNICs is in the clear`);
  };
  return withPair({ seed, chain, longest, tap, change }, async pair => {
    const rates: VpcRate[] = [];
    for (const load of loads) {
      for (let n = 0; n < count; n++) secrets.add(hex(framesOf(n, load.size, chain).sent.slice(-secretBytes)));
      rates.push(await measured(pair, { ...load, chain }, count));
    }
    return rates;
  });
}
