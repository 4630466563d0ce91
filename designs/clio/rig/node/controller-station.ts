import { GlobalController, type GlobalControllerOptions } from "../../software/index.ts";
import type { Endpoint } from "../../../shared/wire/index.ts";
import type { LinkOptions, NetworkModel } from "../../../../sim/index.ts";

export interface ControllerStationOptions extends Partial<Omit<GlobalControllerOptions, "own" | "clock" | "send">> {
  readonly out?: LinkOptions;
  readonly in?: LinkOptions;
  /** From a frame's arrival until it is served, ns; default 2,000. */
  readonly latencyNs?: number;
}

/**
 * The global controller of a cluster as a station of a simulated network. Damaged frames are dropped by
 * its network card.
 */
export function joinController(
  network: NetworkModel,
  own: Endpoint,
  { out, in: back, latencyNs = 2000, ...o }: ControllerStationOptions = {},
): GlobalController {
  const { time } = network;
  const controller = new GlobalController({ ...o, own, clock: time, send: frame => attachment.send(frame) });
  const attachment = network.attach("controller", {
    mac: own.mac,
    ...(out && { out }),
    ...(back && { in: back }),
    receive: (frame, damaged) => {
      if (!damaged) time.after(latencyNs, () => controller.receive(frame));
    },
  });
  return controller;
}
