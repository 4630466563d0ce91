/** Endpoints that are programs of this machine. */
import { TapPipe } from "../../../../sim/index.ts";
import { FramePort, type ServedNetwork } from "../../../shared/rig/index.ts";
import { formatIpv4, formatMac } from "../../../shared/wire/index.ts";
import type { EndpointPlan, Rack, ServedProgram } from "../../setup/index.ts";
import type { RackEndpoint } from "../fabric/index.ts";
import { SocketGate } from "./socket-gate.ts";

/** Told of each frame that comes from this machine and leaves for it, and of a network that has gone. */
export interface GateEvents {
  readonly arrived: () => void;
  readonly left: () => void;
  readonly failed: (e: Error) => void;
}
/** An endpoint's way to this machine. */
export interface Gate {
  /** Of the endpoint. */
  readonly name: string;
  readonly network: Pick<ServedNetwork, "place" | "lost" | "overflowed" | "tooLong" | "close">;
  /** From now on what comes from this machine goes into the endpoint, and what comes to it to this machine. */
  readonly connect: (endpoint: RackEndpoint, told: GateEvents) => void;
}
type ProgramOf<K extends ServedProgram["kind"]> = Extract<ServedProgram, { readonly kind: K }>;

const remedies = { port: "give another in the setup", address: "give one that is in the setup, such as 127.0.0.1" };
const openFrames = ({ at }: ProgramOf<"frames">): Promise<ServedNetwork> => FramePort.open(at, remedies);
const openTap = (
  { device, prefix, mtu }: ProgramOf<"tap">,
  { ip, mac }: Pick<EndpointPlan, "ip" | "mac">,
): Promise<ServedNetwork> =>
  TapPipe.open({ device, address: formatIpv4(ip), prefix, mtu, mac: formatMac(mac) }, `MAC ${formatMac(mac)}`);

function connectFrames(network: ServedNetwork, endpoint: RackEndpoint, { arrived, left, failed }: GateEvents): void {
  network.attach(frame => {
    if (frame.length > 0) endpoint.send(frame);
    arrived();
  }, failed);
  endpoint.onFrame = (frame, damaged) => {
    // A card drops what has a wrong check sequence.
    if (damaged) return;
    left();
    network.send(frame);
  };
}

async function open(plan: EndpointPlan): Promise<Gate> {
  const program = plan.program as ServedProgram,
    { name } = plan;
  if (program.kind === "sockets") {
    const gate = await SocketGate.open(plan.forwards, remedies);
    return { name, network: gate, connect: (endpoint, { arrived, left }) => gate.connect(endpoint, arrived, left) };
  }
  const network = await (program.kind === "tap" ? openTap(program, plan) : openFrames(program));
  return { name, network, connect: (endpoint, told) => connectFrames(network, endpoint, told) };
}
/** Opens the gates of all endpoints. @throws ServeError, with none left open */
export async function openGates({ endpoints }: Rack): Promise<readonly Gate[]> {
  const gates: Gate[] = [];
  try {
    for (const plan of endpoints) gates.push(await open(plan));
  } catch (e) {
    for (const { network } of gates) await network.close();
    throw e;
  }
  return gates;
}
