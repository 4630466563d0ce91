import {
  bit,
  constant,
  fifoWithLevel,
  mux,
  node,
  reg,
  stage,
  stream,
  type StreamIn,
  uint,
  when,
  wire,
} from "../../../../hdl-dsl/index.ts";
import type { Asker } from "./chains.ts";
import { beatBits, cellBits, CellPart, Chain, payloadBits, type StoreJob, type StoreParameters } from "./records.ts";

/** Parts kept ready in front of a reader or writer. */
const partsReady = 4;

/** Jobs on their way through their cells. */
export interface Walk extends Asker {
  readonly parts: StreamIn<ReturnType<typeof CellPart>>;
}

/**
 * Turns jobs into parts, a cell each. It asks for the link of each cell: so a job ends with its payload, at the very
 * beat, whatever number of beats it wants. Latency: 3 cycles from a job to its first part (a register at
 * the end cuts the path from grants to grants); a cell every second cycle, a
 * job that ends in its first cell every cycle.
 */
export function walk(name: string, p: StoreParameters, job: StreamIn<ReturnType<typeof StoreJob>>): Walk {
  const running = reg(bit, { init: 0, name: `${name}_running` }),
    cell = reg(uint(cellBits(p)), { name: `${name}_cell` }),
    left = reg(uint(payloadBits(p)), { name: `${name}_left` });
  const part = stream(CellPart(p), { name: `${name}_part` });
  const { out, level } = fifoWithLevel(part, partsReady, { name: `${name}_parts`, style: "distributed" });
  // What has been asked for in the cycle before.
  const asked = reg(bit, { init: 0, name: `${name}_asked` }),
    askedCell = reg(uint(cellBits(p)), { name: `${name}_asked_cell` }),
    askedLast = reg(uint(beatBits(p)), { name: `${name}_asked_last` }),
    askedFinal = reg(bit, { name: `${name}_asked_final` });
  // The next cell of a job is known when the link of this one is.
  const follows = node(asked.andNot(askedFinal), { name: `${name}_follows` });
  const nowCell = node(mux(running, cell, job.payload.first), { name: `${name}_now_cell` }),
    nowLeft = node(mux(running, left, job.payload.beats), { name: `${name}_now_left` });
  const final = node(nowLeft.le(p.cellBeats), { name: `${name}_final` }),
    room = node(level.lt(partsReady - 1), { name: `${name}_room` });
  const served = wire(bit, { name: `${name}_served` }),
    link = wire(Chain(p), { name: `${name}_link` });
  job.ready.set(served.andNot(running));
  asked.set(served);
  when(served, () => {
    running.set(final.not());
    left.set(nowLeft.sub(p.cellBeats));
    askedCell.set(nowCell);
    askedLast.set(mux(final, nowLeft.trunc(beatBits(p)).sub(1), constant(p.cellBeats - 1, beatBits(p))));
    askedFinal.set(final);
  });
  when(follows, () => {
    cell.set(link.next);
    when(link.last, () => running.set(0));
  });

  // A job that wants more than there is ends with the payload.
  const there = link.next.trunc(beatBits(p)),
    beyond = node(link.last.and(askedLast.gt(there)), { name: `${name}_beyond` });
  part.valid.set(asked);
  part.payload.set({
    cell: askedCell,
    lastBeat: mux(beyond, there, askedLast),
    ends: askedFinal.or(link.last),
    short: link.last.andNot(askedFinal).or(beyond),
  });
  const asks = node(running.or(job.valid).andNot(follows).and(room), { name: `${name}_asks` });
  return { asks, cell: nowCell, served, link, parts: stage(out, "full", { name: `${name}_ready` }) };
}
