import { runBench } from "../../../../sim/index.ts";
import { type FrameLog, lingered, type ServedNetwork, type Totals, untilStopped } from "../../../shared/rig/index.ts";
import type { Parameters } from "../../config/index.ts";
import type { Setup, SoftwareStatistics } from "../../software/index.ts";
import { type AllCounts, deviceDefinition, SimulatedSuperNic, unaccounted, waitingLedger } from "../device/index.ts";
import { SnicService } from "./service.ts";

export interface ServeOptions {
  /** Ends the service when it settles. */
  readonly stop: Promise<unknown>;
  /** Called once the device takes frames. */
  readonly ready?: (device: SimulatedSuperNic) => void;
  readonly log?: FrameLog | undefined;
}
/** What a served device has done. */
export interface Served extends Totals {
  readonly counters: AllCounts;
  readonly software: SoftwareStatistics;
  /** Of a device whose regions come and go; what each region has, and how often that changed. */
  readonly regions: RegionsServed | undefined;
  /** What waited inside 1 s after the end was asked for, place by place. */
  readonly left: readonly string[];
  /**
   * Frames that are still inside, if none need be, or that no counter accounts for, a sentence for each place;
   * undefined when frames were still on the move 1 s after the end was asked for.
   */
  readonly problems: readonly string[] | undefined;
}
export interface RegionsServed {
  readonly places: readonly { readonly use: string; readonly chain: string | undefined }[];
  readonly counted: Readonly<Record<string, number>>;
}
/** What has been done to regions, and what they have at the end. */
function regionsServed({ managed, scaling }: SimulatedSuperNic): RegionsServed | undefined {
  if (managed === undefined) return undefined;
  const { manager } = managed,
    { out = 0, in: less = 0, refused = 0 } = scaling?.done ?? {};
  return {
    places: manager.places.map(({ use, chain }) => ({ use, chain: chain?.name })),
    counted: { ...manager.counted, scaledOut: out, scaledIn: less, scalingRefused: refused },
  };
}
/** Counters and ledger at the end: of a device at rest, or of one in which something waits. */
async function ledgerOf(
  device: SimulatedSuperNic,
  rested: boolean,
): Promise<Pick<Served, "counters" | "left" | "problems">> {
  const waiting = rested ? undefined : await waitingLedger(device);
  if (waiting !== undefined) return { counters: waiting.counts, left: waiting.inside, problems: waiting.problems };
  const inside = await device.inside(),
    counters = await device.counters();
  return { counters, left: [], problems: rested ? unaccounted(counters, inside) : undefined };
}

/**
 * Serves a cycle-accurate sNIC on networks, one at each port, until `stop`. Simulated time passes only while something
 * is under way; the software's time is real.
 * @returns undefined when `stop` came before the device took frames
 * @throws HangError and the like when the design fails; the error of a network that fails
 */
export async function serveSuperNic(
  setup: Setup,
  parameters: Parameters,
  networks: readonly ServedNetwork[],
  o: ServeOptions,
): Promise<Served | undefined> {
  const result = await untilStopped(o.stop, ended =>
    runBench(
      "serve supernic",
      deviceDefinition(setup, parameters),
      { hangCycles: 200_000, limitCycles: Infinity, wave: false },
      async (bench): Promise<Served | Error | undefined> => {
        const device = new SimulatedSuperNic(bench, setup, parameters, { time: () => performance.now() * 1e6 });
        await device.bringUp();
        if (ended.aborted) return undefined;
        const service = new SnicService(device, networks, o.log),
          run = service.run(o.stop, lingered(o.stop));
        o.ready?.(device);
        const rested = await run;
        device.memory?.stop();
        if (rested instanceof Error) return rested;
        const totals = service.totals(),
          ledger = await ledgerOf(device, rested);
        return {
          ...{ ...totals, ...ledger },
          ...{ software: device.software.statistics, regions: regionsServed(device) },
        };
      },
    ),
  );
  if (result instanceof Error) throw result;
  return result;
}
