import { drawProcessKey } from "../../software/index.ts";
import type { NodeOptions } from "../node/index.ts";
import { realClock } from "./udp-transport.ts";

/** Silence after which the slow path may forget a client for another, ns of real time: clients repeat sooner. */
const CLIENT_IDLE_NS = 5e9;

/** A node for programs of this machine: its slow path has real time, and nobody outside can know its secrets. */
export const servedNode = (o: NodeOptions = {}): NodeOptions => ({
  secret: crypto.getRandomValues(new BigUint64Array(1))[0] ?? 0n,
  drawKey: drawProcessKey,
  ...o,
  time: () => realClock.now(),
  slowPath: { ...o.slowPath, atMostOnce: { idle: CLIENT_IDLE_NS, ...o.slowPath?.atMostOnce } },
});
