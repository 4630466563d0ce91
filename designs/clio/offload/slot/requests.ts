/** Requests of clients, and their turns. */
import {
  bit,
  bitsFor,
  connect,
  constant,
  encodePriority,
  Fifo,
  fromBits,
  instance,
  mux,
  ram,
  reg,
  type UInt,
  uint,
  when,
} from "../../../../hdl-dsl/index.ts";
import { fifoStyle } from "../collect.ts";
import { beatsOf, BodyBeat, bodyLengthBits, OffloadRequest } from "../types.ts";
import { type Build, clientBits } from "./ports.ts";

/** How many bits of a number are 1. */
function onesOf(of: UInt): UInt {
  const width = bitsFor(of.width);
  let left: UInt[] = Array.from({ length: of.width }, (_, k) => of.bit(k).zext(width));
  while (left.length > 1)
    left = Array.from({ length: Math.ceil(left.length / 2) }, (_, i) => {
      const [a, b] = left.slice(2 * i) as [UInt, UInt?];
      return b === undefined ? a : a.add(b);
    });
  return left[0] as UInt;
}

/** Turns of the clients. */
export function takeTurns({ io, p, used }: Build): void {
  const clients = Array.from({ length: p.contexts }, (_, k) => reg(uint(clientBits), { name: `client_${k}` }));
  clients.forEach((c, k) => when(io.asked.fire.and(io.asked.payload.context.eq(k)), () => c.set(io.client)));
  const its = reg(uint(p.contexts), { name: "contexts_of_client" }),
    fits = reg(bit, { name: "client_fits" });
  its.set(fromBits(clients.map((c, k) => used.bit(k).and(c.eq(io.client)))));
  fits.set(onesOf(its).lt(onesOf(used.not())));
  io.fits.set(fits);
}

/** Requests are kept for the offload, with room for the largest body of each. */
export function keepRequests({ io, p, used, closing: { closed, clear } }: Build) {
  const bodyBeats = Math.ceil(p.maxBody / p.beatBytes),
    contextBits = Math.log2(p.contexts);
  const free = encodePriority(used.not());
  // Room for the largest body of every request that may be inside: a context is all that a request has to find.
  const bodyDepth = 2 ** Math.ceil(Math.log2(p.contexts * bodyBeats));
  const bodies = instance("bodies", Fifo({ shape: BodyBeat(p), depth: bodyDepth, style: fifoStyle(bodyDepth) }), {
    reset: clear,
  });
  const requests = instance("requests", Fifo({ shape: OffloadRequest(p), depth: p.contexts, style: "distributed" }), {
    reset: clear,
  });
  io.room.set(free.any.and(closed.not()));
  io.nextContext.set(free.index.is(contextBits));
  connect(io.asked, requests.push);
  connect(io.askedData, bodies.push);
  connect(requests.pop, io.request);
  connect(bodies.pop, io.requestData);
  const pids = ram(uint(16), { depth: p.contexts, collision: "undefined", style: "distributed" });
  // Beats of bodies that are to come, modulo their count: 0 when every body is whole.
  const bodyOwed = reg(uint(bodyLengthBits), { init: 0 });
  bodyOwed.set(
    bodyOwed
      .add(mux(io.asked.fire, beatsOf(io.asked.payload.length, p).resize(bodyLengthBits), constant(0, bodyLengthBits)))
      .sub(io.askedData.fire.zext(bodyLengthBits)),
  );
  pids.write(io.asked.fire, io.asked.payload.context, io.asked.payload.pid);

  return { pids, bodyOwed };
}
