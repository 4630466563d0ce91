import { clockPeriod } from "../../config/index.ts";
import { type Attachment, type LinkOptions, type NetworkModel, SimulatedTime } from "../../../../sim/index.ts";
import type { SimulatedNode } from "./simulated-node.ts";

/** Simulated time that follows a node's bench. */
export function timeOf(node: SimulatedNode): SimulatedTime {
  return new SimulatedTime(() => node.bench.cycle * clockPeriod);
}

export interface NetworkedNodeOptions {
  readonly name?: string;
  readonly out?: LinkOptions;
  readonly in?: LinkOptions;
}

/**
 * Joins a cycle-accurate node to a network whose time is `timeOf(node)`: frames go into its MAC and come from it.
 * Events on the network happen between two edges, at the first edge at or after their time. Promises of the network's
 * other stations have their turn before the next edge.
 */
export function joinNetwork(
  node: SimulatedNode,
  network: NetworkModel,
  { name = "node", ...links }: NetworkedNodeOptions = {},
): Attachment {
  const { bench, mac } = node,
    { time } = network;
  const attachment = network.attach(name, {
    mac: node.runtime.mac,
    ...links,
    receive: (frame, damaged) => {
      node.send(frame, { damaged });
    },
  });
  bench.spawn(async () => {
    for (;;) {
      await bench.until(() => mac.received.length > 0 || time.next <= time.now());
      for (let f = node.take(); f !== undefined; f = node.take()) attachment.send(f.bytes);
      time.advance();
    }
  });
  return attachment;
}
