import { bit, module, node, reg, uint, wire } from "../../../../hdl-dsl/index.ts";
import { reduced, type RetryBufferParameters, whole } from "./retry-request.ts";
import { check } from "./retry-verdict/check.ts";
import { conclude, forgottenBy, tell, writeMark } from "./retry-verdict/conclude.ts";
import { hold, introduce } from "./retry-verdict/hold.ts";
import { wayOut } from "./retry-verdict/leave.ts";
import { lookUp } from "./retry-verdict/look-up.ts";
import { clearAfterReset, keyInForce, memoriesOf } from "./retry-verdict/memories.ts";
import { type RetryVerdictIo, retryVerdictPorts } from "./retry-verdict/ports.ts";
import { Judged } from "./retry-verdict/records.ts";
import { roomIn, search } from "./retry-verdict/search.ts";
import { store } from "./retry-verdict/store.ts";
import { turnCycles, turnsOf } from "./retry-verdict/turns.ts";
import { learn, type Units, unitsOf, waitOf } from "./retry-verdict/units.ts";

/** The verdict around its units: a proof puts any clients in their place (../proofs/retry-verdict.ts). */
export function verdictOf(io: RetryVerdictIo, given: RetryBufferParameters, { clients, sweep }: Units): void {
  const p = whole(given);
  const memories = memoriesOf(p);
  const clearing = clearAfterReset(p),
    hashKey = keyInForce(io);
  const advance = wire(bit),
    inserts = wire(bit),
    refusal = wire(bit),
    eased = wire(bit),
    holdsLeaver = wire(bit);
  const room = wire(uint(Math.log2(p.ways)));

  const turns = turnsOf({ part: turnCycles(p), clients: p.clients }, clients, {
    refused: refusal,
    eased,
    holds: holdsLeaver,
  });

  // Stages 0 and 1: is it a client's that is known, and which set. Then the set itself.
  const lookup = lookUp(p, io, { clients, sweep, memories, clearing, hashKey, advance });
  const { row } = lookup;

  // Stage 2: is the operation remembered, and is it newer than all that were forgotten.
  const registered = reg(Judged(p), { init: 0, resets: ["valid", "drags"], name: "judged" });
  const judged = forgottenBy(registered);
  const held = hold(p, { lookup, turns, judged, forgotten: memories.forgotten, advance, inserts, room });
  const { at, request } = held;
  const newcomer = introduce(clients, held, lookup, judged);
  const { refused, holds } = newcomer;
  const found = search(row, held),
    entersAt = roomIn(p, lookup, held, found);
  room.set(entersAt.number);
  const kept = node(request.tracked.and(request.keeps));
  const remembers = node(kept.andNot(found.hit).and(found.fresh));
  const decided = wayOut(p, io);
  const passes = held.asks.and(kept.not().or(remembers));
  const stays = node(held.asks.and(held.leaving).and(request.fence).and(request.tracked));
  holdsLeaver.set(at.valid.and(held.leaving));
  decided.valid.set(passes.andNot(holds).andNot(refused).andNot(stays));
  decided.payload.set({ fence: request.fence, access: request.access });
  const moves = node(at.valid.andNot(holds).and(decided.ready));
  advance.set(at.valid.not().or(moves));
  const settles = node(held.asks.andNot(holds).and(decided.ready));
  inserts.set(settles.and(remembers));
  const decision = { kept, refused, stays, remembers, settles, inserts };
  store(memories, held, { row, current: found.current, room: entersAt, clearing, moves, inserts });
  const retires = learn(clients, sweep, held, { decision, turns, advance });
  io.replaced.set(retires);
  refusal.set(settles.and(refused).andNot(retires).andNot(clients.sweeping));
  eased.set(retires.or(clients.add.valid));
  io.waitNs.set(waitOf(p, clients, turns));

  // Stage 3: what is pushed out is written down; the results are read.
  conclude(p, registered, held, { row, search: found, room: entersAt, decision, final: turns.final });
  tell(io, judged);
  writeMark(memories.forgotten, judged, newcomer, clients);
  const seen = { lookup, held, found, decision, judged };
  check(p, io, { ...seen, memories, clearing, hashKey, clients, retires, turn: turns.index, passes: decided.fire });
}

/**
 * The retry buffer's decision for each request (retry-buffer.ts). The buffer keeps the clients, the operations that are
 * remembered, and the newest forgotten operation of each client. A request goes to `pass` or `fence`, or there is a
 * `finding` about it, for the results (retry-results.ts).
 *
 * `finding`: of a request, a cycle after its verdict; of one that passes and is remembered, too. `evicted` and
 * `replaced` are pulses: an operation was pushed out, an idle client forgotten. `wait_ns`: nanoseconds after which a
 * client that finds no place had better ask again. Latency: 3 cycles from `request` to
 * `pass`, `fence` and `finding`; initiation interval, full, and reset as of the retry buffer.
 */
export const RetryVerdict = module(
  "RetryVerdict",
  retryVerdictPorts,
  (io, given) => {
    verdictOf(io, given, unitsOf(whole(given)));
  },
  { nameOf: p => `RetryVerdict_e${p.entries}_c${p.clients}_n${p.slots}_t${p.timeoutCycles}${reduced(p)}` },
);
