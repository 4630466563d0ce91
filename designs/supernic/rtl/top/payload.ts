/** The ways from tasks to the packet store: a read bus and a write bus of it for each task with payload. */
import { connect, instance, type InstanceOf, map, type Outside, portOf, type Val } from "../../../../hdl-dsl/index.ts";
import { PayloadJobs, type PayloadJobsParameters, type RegionsPorts } from "../core/index.ts";
import { silent } from "../region/index.ts";
import type { PacketStore } from "../store/index.ts";
import { PayloadBeat } from "../tasks/index.ts";

type Store = InstanceOf<typeof PacketStore>;
type Arrive = Val<ReturnType<typeof PayloadJobs>["ports"]["arrive"]["shape"]>;

/** Joins the ways of regions, or of one region, with the buses of the store. A bus that nobody has stays silent. */
export function connectPayload(
  store: Store,
  inside: Pick<Outside<RegionsPorts>, `${"job" | "payload" | "back"}${number}`>,
  arrive: Arrive,
  p: PayloadJobsParameters,
): void {
  const buses = [
    { readJob: store.read0Job, read: store.read0, backJob: store.back0Job, back: store.back0 },
    { readJob: store.read1Job, read: store.read1, backJob: store.back1Job, back: store.back1 },
  ];
  for (const { readJob, read } of buses.slice(p.uses.length)) {
    silent(readJob);
    read.ready.set(0);
  }
  buses.forEach(({ backJob, back }, way) => {
    if (p.uses[way] === "write") return;
    silent(backJob);
    silent(back);
  });
  if (p.uses.length === 0) return;
  const jobs = instance("payload_jobs", PayloadJobs(p));
  jobs.arrive.set(arrive);
  buses.slice(0, p.uses.length).forEach(({ readJob, read, backJob, back }, way) => {
    connect(portOf(inside, "job", way), portOf(jobs, "job", way));
    connect(portOf(jobs, "read", way), readJob);
    connect(
      map(read, PayloadBeat, ({ data, last }) => ({ data: data.is(512), last }), { name: `payload_${way}` }),
      portOf(inside, "payload", way),
    );
    if (p.uses[way] === "read") return;
    connect(portOf(jobs, "back", way), backJob);
    connect(portOf(inside, "back", way), back);
  });
}
