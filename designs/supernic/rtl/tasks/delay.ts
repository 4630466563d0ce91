import { bitsFor, cat, fifo, module, node, reg, stream, uint, when } from "../../../../hdl-dsl/index.ts";
import { type Declared, mostHeld, taskTagBits } from "../../wire/index.ts";
import { asItWas, type Task, taskPorts } from "./interface.ts";

export interface DelayParameters {
  /** Cycles until a packet is answered, 1 to 1,024. */
  readonly latency: number;
  /** Cycles from one packet to the next, 1 or more; so that 64 packets at most are inside. */
  readonly interval: number;
}
/** Packets that are inside when it is busy: one more than are under way, so that a take and an answer can meet. */
const inside = (p: DelayParameters): number => Math.ceil(p.latency / p.interval) + 1;
const declaredOf = (p: DelayParameters): Declared => ({
  name: `delay_${p.latency}_${p.interval}`,
  reads: 0n,
  writes: 0n,
  growth: 0,
  leavesOut: 0,
  latency: p.latency,
  interval: p.interval,
  holds: inside(p),
  state: "none",
});

/**
 * Answers each packet as it is after `latency` cycles, and takes one every `interval` cycles. Full (its answers are not
 * taken): it takes none. Reset: nothing is inside.
 */
const Delay = module("DelayTask", taskPorts as (p: DelayParameters) => ReturnType<typeof taskPorts>, (io, p) => {
  const most = inside(p),
    rests = reg(uint(bitsFor(p.interval)), { init: 0, name: "rests" }),
    ripe = reg(uint(bitsFor(most)), { init: 0, name: "ripe" });
  const waiting = stream(uint(taskTagBits), { name: "waiting" }),
    rested = node(rests.any().not(), { name: "rested" });
  waiting.valid.set(io.packet.valid.and(rested));
  waiting.payload.set(io.packet.payload.tag);
  io.packet.ready.set(waiting.ready.and(rested));
  const takes = node(io.packet.fire, { name: "takes" });
  when(takes, () => rests.set(p.interval - 1)).elseWhen(rested.not(), () => rests.set(rests.sub(1)));

  // A packet is ripe when it has been through all the cells.
  const tags = fifo(waiting, most, { name: "tags", style: "distributed" });
  let due = takes;
  if (p.latency > 1) {
    const cells = reg(uint(p.latency - 1), { init: 0, name: "under_way" });
    cells.set(p.latency > 2 ? cat(cells.trunc(p.latency - 2), takes).is(p.latency - 1) : takes.resize(p.latency - 1));
    due = cells.bit(p.latency - 2);
  }
  const some = node(ripe.any(), { name: "some_are_ripe" });
  io.answer.valid.set(some);
  io.answer.payload.set({ tag: tags.payload, verdict: "forward", ...asItWas });
  tags.ready.set(some.and(io.answer.ready));
  const gives = node(io.answer.fire, { name: "gives" });
  when(due.andNot(gives), () => ripe.set(ripe.add(1))).elseWhen(gives.andNot(due), () => ripe.set(ripe.sub(1)));
  io.quiet.set(tags.valid.not());
});

/** A task that takes its time: `latency` cycles a packet, one every `interval` (paper §5.7). @throws RangeError */
export function delay(latency: number, interval: number): Task {
  const p = { latency, interval },
    declared = declaredOf(p);
  if (!Number.isInteger(latency) || latency < 1 || latency > 1024)
    throw new RangeError(`delay: latency = ${latency}: must be 1 to 1024`);
  if (!Number.isInteger(interval) || interval < 1 || interval > 1024)
    throw new RangeError(`delay: interval = ${interval}: must be 1 to 1024`);
  if (declared.holds > mostHeld)
    throw new RangeError(
      `delay: latency = ${latency} with interval = ${interval} has ${declared.holds} packets inside, and ${mostHeld} are the most; the nearest interval is ${Math.ceil(latency / (mostHeld - 1))}`,
    );
  return { declared, hardware: Delay(p) };
}
