/** Scheduler, regions, and the way back: what happens to a packet between the stores and the egress. */
import { connect, instance, map } from "../../../../hdl-dsl/index.ts";
import { Dispatch, payloadWaysOf, type RegionContent, regions, Return } from "../core/index.ts";
import { Scheduler, ToSchedule } from "../scheduler/index.ts";
import { connectMemories } from "./memory.ts";
import { connectPayload } from "./payload.ts";
import type { Controlled, Io } from "./ports.ts";
import type { DeviceParameters } from "./records.ts";
import type { Stores } from "./stores.ts";
import { writeOf } from "./tables.ts";

export function middleOf(
  chains: readonly RegionContent[],
  io: Io,
  { control, dags }: Controlled,
  { headers, storeSizes, store, merge, descriptors }: Stores,
  p: DeviceParameters,
) {
  const { bus } = control;
  const scheduler = instance("scheduler", Scheduler(p)),
    dispatch = instance("dispatch", Dispatch(p)),
    inside = instance("regions", regions(chains)(p)),
    back = instance("return", Return(p));
  const arrive = { valid: merge.arrived.fire, packet: merge.arrived.payload };
  descriptors.arrive.set(arrive);
  connectPayload(store, inside, arrive, { ...p, store: storeSizes, uses: payloadWaysOf(chains) });
  const memory = p.memory && connectMemories(io, inside, control.part, p.memory);
  connect(
    map(merge.arrived, ToSchedule(p), ({ ctx, dag, user, flowHash, unordered }) => ({
      ctx,
      dag,
      user,
      flowHash,
      unordered,
    })),
    scheduler.arrive,
  );
  scheduler.dagStage.set(writeOf(bus, "dagStage"));
  scheduler.dag.set(dags);
  scheduler.chain.set(writeOf(bus, "chain"));
  scheduler.slot.set(writeOf(bus, "slot"));
  scheduler.mark.set(writeOf(bus, "mark"));
  dispatch.start.set(scheduler.start);
  scheduler.open.set(dispatch.open);
  dispatch.accepts.set(inside.accepts);
  connect(dispatch.read, headers.dispatch);
  connect(headers.dispatched, dispatch.header);
  descriptors.tell.set(dispatch.tell);
  dispatch.told.set(descriptors.told);
  connect(dispatch.enter, inside.enter);
  for (let r = 0; r < p.regions; r++) {
    scheduler.busy.at(r).set(inside.busy.at(r));
    scheduler.give.at(r).set(inside.give.at(r));
  }
  for (let i = 0; i < p.regions * p.slots; i++) {
    inside.control.at(i).set(control.slots.at(i));
    control.state.at(i).set(inside.state.at(i));
  }
  inside.config.set(control.config);
  inside.stateAsk.set(control.stateAsk);
  control.stateSaid.set(inside.stateSaid);
  inside.region.set(writeOf(bus, "region"));
  for (let r = 0; r < p.regions; r++) {
    control.regions.at(r).set(inside.status.at(r));
    control.loads.at(r).set(scheduler.loads.at(r).resize(control.loads.at(r).width));
  }
  connect(inside.leave, back.leave);
  connect(back.write, headers.back);
  back.clearing.set(descriptors.clearing);
  descriptors.said.set(back.said);
  connect(back.back, scheduler.back);
  return { scheduler, inside, memory };
}
export type Middle = ReturnType<typeof middleOf>;
