/** The rings for frames of DAGs that wait for programs, over their registers. */
import { type RegisterBus, registerDriver } from "../../../hdl-dsl/index.ts";
import { spillMap } from "./spill-map.ts";

const asks = { fill: 0, drain: 1, discard: 2 } as const;
export type RingAskName = keyof typeof asks;
/** A ring, as its registers show it. */
export interface RingSeen {
  readonly held: boolean;
  readonly dag: number;
  readonly drains: boolean;
  readonly discards: boolean;
  readonly full: boolean;
  readonly inside: number;
}

/** Asks rings, and looks at them. One call at a time: the ring is named by a register. */
export function spillDriverOf(bus: RegisterBus) {
  const r = registerDriver(spillMap, bus);
  return {
    rings: () => r.read("buildRings"),
    ask: async (ring: number, ask: RingAskName, dag: number): Promise<void> => {
      await r.write({ ringAt: ring, ringAsk: asks[ask], ringDag: dag });
      await r.write({ setRing: 1 });
    },
    ring: async (ring: number): Promise<RingSeen> => {
      await r.write({ ringAt: ring });
      return {
        held: (await r.read("ringHeld")) === 1,
        dag: await r.read("ringOf"),
        drains: (await r.read("ringDrains")) === 1,
        discards: (await r.read("ringDiscards")) === 1,
        full: (await r.read("ringFull")) === 1,
        inside: await r.read("ringInside"),
      };
    },
    counts: async () => ({
      spilled: await r.read("spilled"),
      restored: await r.read("restored"),
      lost: await r.read("spillLost"),
      discarded: await r.read("spillDiscarded"),
      fullCycles: await r.read("spillFull"),
    }),
  };
}
export type SpillDriver = ReturnType<typeof spillDriverOf>;
