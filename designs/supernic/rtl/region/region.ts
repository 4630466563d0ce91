import {
  bit,
  connect,
  type Def,
  fromBits,
  input,
  instance,
  map,
  mergePorts,
  module,
  output,
  portOf,
  sink,
  source,
  stage,
  stream,
  uint,
  vec,
} from "../../../../hdl-dsl/index.ts";
import { declarationFaults, keptOf, makesFrames, payloadUse, usesMemory } from "../../wire/index.ts";
import { noFront, type Task, withAllWays } from "../tasks/index.ts";
import {
  ChainPacket,
  type ChainParameters,
  RegionConfig,
  RegionEnter,
  RegionLeave,
  SlotControl,
  SlotState,
} from "./records.ts";
import { Slot } from "./slot.ts";
import {
  connectMemory,
  connectState,
  connectWay,
  keepsState,
  makePortsOf,
  makersOf,
  memoryPortsOf,
  memoryWays,
  payloadPortsOf,
  payloadUses,
  statePortsOf,
  trailerPortsOf,
  trailerUses,
} from "./ways.ts";

export type RegionParameters = Omit<ChainParameters, "slots">;
const regionPorts = (p: ChainParameters) => ({
  enter: sink(RegionEnter(p)),
  leave: source(RegionLeave(p)),
  /** Slots whose task has taken a packet: a credit of each is free. */
  give: output(uint(p.slots)),
  /** `sentLate` packets may be sent from here on, and `enter` takes each at once. */
  accepts: output(bit),
  control: input(vec(SlotControl(p), p.slots)),
  config: input(RegionConfig(p)),
  state: output(vec(SlotState(p), p.slots)),
});
export type RegionPorts = ReturnType<typeof regionPorts>;
type RegionWayPorts = RegionPorts &
  ReturnType<typeof payloadPortsOf> &
  ReturnType<typeof memoryPortsOf> &
  ReturnType<typeof makePortsOf> &
  ReturnType<typeof trailerPortsOf> &
  ReturnType<typeof statePortsOf>;

/**
 * A region with a chain of 1 to 8 tasks, slot 0 first (paper §5.3.2; docs/supernic/region.md). Latency: that of each
 * task of the run and 1 cycle a slot, and 1 cycle at the end; initiation interval that of the slowest task of the run.
 * Full: `enter` waits; whoever enters holds a credit for each slot of its run. `leave` brings every packet that entered
 * once, with the credits that it did not use. Reset: nothing is inside.
 * @throws RangeError for a chain without tasks or with more than 8, and for a declaration that cannot be
 */
export function region(tasks: readonly Task[]): (p: RegionParameters) => Def<RegionWayPorts> {
  if (tasks.length < 1 || tasks.length > 8)
    throw new RangeError(`region: a chain has 1 to 8 tasks, and there are ${tasks.length}`);
  const [fault] = tasks.flatMap(t => declarationFaults(t.declared));
  if (fault !== undefined) throw new RangeError(`region: ${fault}`);
  const slots = tasks.length,
    uses = payloadUses(tasks),
    memories = memoryWays(tasks);
  return module(
    "Region",
    (p: RegionParameters) =>
      mergePorts(
        regionPorts({ ...p, slots }),
        payloadPortsOf({ ...p, slots }, uses),
        memoryPortsOf(memories),
        makePortsOf(makersOf(tasks)),
        trailerPortsOf({ ...p, slots }, trailerUses(tasks).length),
        statePortsOf(keepsState(tasks)),
      ),
    (io, given) => {
      const p = { ...given, slots },
        chain = tasks.map(t => t.declared),
        wrappers = tasks.map((_, slot) => instance(`slot_${slot}`, Slot({ ...given, chain, slot })));
      const keeping: Parameters<typeof connectState>[1][number][] = [];
      wrappers.forEach((wrapper, i) => {
        const it = tasks[i] as Task,
          { declared } = it,
          task = instance(`task_${i}_${declared.name}`, withAllWays(it), { reset: wrapper.taskReset });
        if (payloadUse(declared) !== "none") connectWay(io, payloadUses(tasks.slice(0, i)).length, it, wrapper, task);
        if (usesMemory(declared)) connectMemory(io, memoryWays(tasks.slice(0, i)), wrapper, task);
        if (makesFrames(declared)) {
          connect(task.make, wrapper.taskMake);
          connect(wrapper.make, portOf(io, "make", makersOf(tasks.slice(0, i))));
        }
        if (declared.trailer !== undefined) {
          wrapper.taskTrailer.set(task.trailer);
          portOf(io, "trailer", trailerUses(tasks.slice(0, i)).length).set(wrapper.trailer);
        }
        if (keptOf(declared) !== undefined) keeping.push({ number: i, slot: wrapper, task });
        connect(wrapper.packet, task.packet);
        connect(task.answer, wrapper.answer);
        const { slot, valid, at, data } = io.config;
        task.config.set({ valid: valid.and(slots === 1 ? slot.eq(0) : slot.eq(i)), at, data });
        task.quiesce.set(wrapper.taskQuiesce);
        wrapper.taskQuiet.set(task.quiet);
        wrapper.control.set(io.control.at(i));
        io.state.at(i).set(wrapper.state);
      });
      if (keeping.length > 0) connectState(io, keeping);
      const remembering = wrappers.filter((_, i) => chain[i] !== undefined && usesMemory(chain[i]));
      if (memories > 0) io.memoryOff.set(fromBits(remembering.map(w => w.taskReset)).is(memories));
      io.give.set(fromBits(wrappers.map(w => w.give)).is(slots));
      wrappers.slice(0, 1).forEach(first => io.accepts.set(first.accepts));

      // The chain: nothing has been written and nothing was said of a packet that enters.
      const behind = stream(ChainPacket(p), { name: "behind" });
      const nothing = { mask: 0, ...noFront, reply: 0, dropped: 0, killed: 0, refund: 0 } as const;
      wrappers.forEach((wrapper, i) => {
        const next = wrappers[i + 1];
        if (i === 0)
          connect(
            map(io.enter, ChainPacket(p), packet => ({ ...packet, ...nothing })),
            wrapper.enter,
          );
        connect(wrapper.leave, next === undefined ? behind : next.enter);
      });
      // Behind a register: an answer that a task withdraws is not seen outside.
      connect(
        map(stage(behind, "forward", { name: "staged" }), RegionLeave(p), packet => ({
          ctx: packet.ctx,
          header: packet.header,
          mask: packet.mask,
          prepend: packet.prepend,
          frontBytes: packet.frontBytes,
          dropFront: packet.dropFront,
          reply: packet.reply,
          dropped: packet.dropped,
          killed: packet.killed,
          refund: packet.refund,
        })),
        io.leave,
      );
    },
    { nameOf: p => `Region_${tasks.map(t => t.declared.name).join("_")}_c${p.contexts}_f${p.places}` },
  );
}
