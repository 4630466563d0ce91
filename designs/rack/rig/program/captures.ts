/** Captures that endpoints play. */
import type { CapturedFrame } from "../../../../sim/index.ts";
import type { RackEndpoint, RunningRack } from "../fabric/index.ts";

/** The frames of an endpoint, ascending by time. */
export interface Player {
  readonly endpoint: RackEndpoint;
  readonly frames: readonly CapturedFrame[];
}

/** Sends all frames at their times: the earliest of all captures is the beginning. */
export async function playAll(rack: RunningRack, players: readonly Player[]): Promise<void> {
  const starts = players.flatMap(p => p.frames[0]?.timeNs ?? []),
    first = starts.reduce<bigint | undefined>((a, b) => (a === undefined || b < a ? b : a), undefined) ?? 0n;
  const from = rack.clockwork.time.now();
  await Promise.all(
    players.map(async ({ endpoint, frames }) => {
      for (const f of frames) {
        await rack.clockwork.pause(from + Number(f.timeNs - first) - rack.clockwork.time.now());
        endpoint.send(f.bytes);
      }
    }),
  );
}
