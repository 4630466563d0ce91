/** The task in a region alone, with its wrapper: seen through the ports that a task has by itself, and credits. */
import {
  region,
  RegionEnter,
  RegionLeave,
  SlotState,
  TaskAnswer,
  TaskVerdict,
} from "../../../../../designs/supernic/rtl/index.ts";
import { snicPorts, type SnicWicParameters, wicTask } from "../../../../../designs/wickit/places/index.ts";
import {
  bit,
  connect,
  input,
  instance,
  map,
  mergePorts,
  module,
  mux,
  node,
  output,
  portOf,
  reg,
  stream,
  uint,
  when,
} from "../../../../../hdl-dsl/index.ts";
import type { Bench } from "../../../../../sim/index.ts";

/** Packets in the region, and credits of its slot. */
const contexts = 256,
  places = 8,
  chain = { contexts, places, slots: 1 };

const inRegionPorts = () =>
  mergePorts(snicPorts(), {
    /** Cycles without progress after which the task is stuck, and whether software has switched it off. */
    patience: input(uint(16)),
    isolate: input(bit),
    state: output(SlotState(chain)),
    /** Credits that are out. */
    held: output(uint(4)),
  } as const);

/**
 * A packet's tag is its context. It enters with a credit. Software quiesces the slot whenever it has no packet:
 * `quiet` is what the slot says then.
 */
export const wicInRegion = (p: SnicWicParameters) =>
  module(
    "WicInRegion",
    inRegionPorts,
    io => {
      const it = instance("region", region([wicTask(p)])({ contexts, places })),
        held = reg(uint(4), { init: 0, name: "credits_out" });
      const entering = stream(RegionEnter(chain), { name: "entering" }),
        room = node(held.ne(places)),
        { tag, ...packet } = io.packet.payload;
      entering.valid.set(io.packet.valid.and(room));
      entering.payload.set({ ...packet, ctx: tag, run: 1 });
      io.packet.ready.set(entering.ready.and(room));
      connect(entering, it.enter);
      const leaves = stream(RegionLeave(chain), { name: "leaves" });
      connect(it.leave, leaves);
      const back = node(it.give.bit(0).or(leaves.fire.and(leaves.payload.refund.bit(0))));
      when(entering.fire.xor(back), () => held.set(mux(back, held.sub(1), held.add(1))));
      connect(
        map(leaves, TaskAnswer, l => ({
          tag: l.ctx.is(8),
          verdict: mux(l.dropped, TaskVerdict.drop, TaskVerdict.forward),
          ...{ header: l.header, mask: l.mask, prepend: l.prepend, frontBytes: l.frontBytes, dropFront: l.dropFront },
        })),
        io.answer,
      );
      portOf(it, "job", 0).ready.set(1);
      connect(io.payload, portOf(it, "payload", 0));
      connect(portOf(it, "make", 0), io.make);
      it.config.set({ ...io.config, slot: 0 });
      it.control.at(0).set({
        quiesce: io.quiesce.or(io.packet.valid.not().and(held.eq(0))),
        isolate: io.isolate,
        busyAt: 3,
        patience: io.patience,
      });
      const state = it.state.at(0);
      io.state.set(state);
      io.held.set(held);
      io.quiet.set(state.quiet.and(held.eq(0)).and(state.waiting.eq(0)).and(state.inside.eq(0)));
    },
    { nameOf: () => `WicInRegion_n${p.slots}_c${p.engine.contexts}` },
  )(undefined);
export type InRegion = Bench<ReturnType<typeof inRegionPorts>>;
