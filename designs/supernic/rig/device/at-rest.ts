/**
 * What a device that has come to rest still holds, beside the frames, contexts and cells that its registers tell:
 * credits, flows, promises to ports, beats and numbers of the links. Needs a bench with `signals`.
 */
import type { Simulation } from "../../../../sim/index.ts";
import type { Parameters } from "../../config/index.ts";

type Read = (path: string) => number;
const range = (n: number): readonly number[] => Array.from({ length: n }, (_, i) => i);

/** Places in FIFOs that are promised to packets, and packets of flows that are counted as inside. */
const inScheduler = (read: Read, { regions, slots }: Parameters): readonly (readonly [string, number])[] => [
  ["packets in the scheduler", read("scheduler.inside_packets")],
  ...range(regions).flatMap(r => [
    [`region ${r}: packets of flows`, read(`scheduler.enqueue.flows.load_${r}`)] as const,
    ...range(slots).map(
      s => [`region ${r}, slot ${s}: credits held`, read(`scheduler.decision.table_.held_${r}_${s}`)] as const,
    ),
  ]),
];
/** Beats that the egress and the lane have promised to begin at a port, and have not. */
const promised = (read: Read, { ports }: Parameters): readonly (readonly [string, number])[] =>
  range(ports + 1).flatMap(q =>
    (["egress", "lane"] as const).map(
      lane =>
        [
          `${q === ports ? "loop port" : `port ${q}`}: beats promised by the ${lane}`,
          read(`${lane}.promised_${q}`),
        ] as const,
    ),
  );
/** Of a port's link: what lies in its ring, and frames that have a number and are not done. */
function ofLink(read: Read, port: number): readonly (readonly [string, number])[] {
  const ring = (name: string): number => read(`tx_${port}.ring.${name}`),
    window = (name: string): number => read(`tx_${port}.window.${name}`),
    // Places go round; that they differ is what counts.
    apart = (a: number, b: number): number => Math.abs(a - b);
  return [
    [`port ${port}: beats of an unfinished frame in the ring`, apart(ring("write_place"), ring("whole_place"))],
    [`port ${port}: beats in the ring that have not been read`, apart(ring("whole_place"), ring("read_place"))],
    [`port ${port}: beats in the ring that are kept`, apart(ring("whole_place"), window("tail_place"))],
    [`port ${port}: frames of the session that are not done`, window("kept_frames")],
    [`port ${port}: frames of the session that were not sent`, apart(window("written"), window("sent_until"))],
  ];
}

/** @returns a sentence for each thing that has not come back */
export function leftAtRest(sim: Pick<Simulation, "signal">, p: Parameters): readonly string[] {
  const read: Read = path => sim.signal(path).num;
  return [...inScheduler(read, p), ...promised(read, p), ...range(p.ports).flatMap(i => ofLink(read, i))].flatMap(
    ([what, n]) => (n === 0 ? [] : [`${what} at the end: ${n}`]),
  );
}
