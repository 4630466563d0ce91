/** The units of the retry buffer's verdict, and what they learn from stage 2. */
import {
  bit,
  type Bit,
  bitsFor,
  constant,
  instance,
  type InstanceOf,
  node,
  reg,
  switchOn,
  uint,
  type UInt,
  when,
} from "../../../../../hdl-dsl/index.ts";
import { clockPeriod } from "../../../config/index.ts";
import { waitBits } from "../../records/records.ts";
import { idleQuarters, RetryClients } from "../retry-clients.ts";
import { RetrySweep } from "../retry-sweep.ts";
import type { Held } from "./hold.ts";
import { type Decision, foundWithin, type Sizes } from "./records.ts";
import type { Turns } from "./turns.ts";

export type Clients = InstanceOf<typeof RetryClients>;
export type Sweep = InstanceOf<typeof RetrySweep>;

export interface Units {
  readonly clients: Clients;
  readonly sweep: Sweep;
}

export function unitsOf(p: Sizes): Units {
  const { sets, clients, clientBits, operationBits, timeoutCycles, stampBits } = p;
  return {
    clients: instance("clients", RetryClients({ clients, clientBits, timeoutCycles, stampBits })),
    sweep: instance("sweep", RetrySweep({ sets, clients, operationBits })),
  };
}

interface LearnNeeds {
  readonly decision: Decision;
  readonly turns: Turns;
  readonly advance: Bit;
}

/**
 * A client that sends is no idle one. A request without room makes the idle one be forgotten.
 * @returns whether that is so in this cycle
 */
export function learn(clients: Clients, sweep: Sweep, held: Held, from: LearnNeeds): Bit {
  const { at, request, known, leaving } = held,
    { turns, advance } = from,
    { refused, settles } = from.decision;
  // Of who is to leave nothing is a sign of life. It is not silent for that: it has its time.
  clients.touch.set({ valid: settles.and(request.tracked).and(known).andNot(leaving), index: held.client });
  const itsTurn = node(turns.on.and(turns.index.eq(clients.idle.index)));
  const retires = node(settles.and(refused).and(clients.idle.valid).andNot(itsTurn));
  clients.retire.set(retires);
  sweep.purge.set({ valid: retires, index: clients.idle.index });
  // A place is free when all its operations have been removed, and the last look-up of a row before that has left the
  // pipeline.
  const purged = reg(bit, { init: 0 });
  when(advance, () => purged.set(at.valid.and(at.purgesLast)));
  clients.freed.set(purged.and(advance));
  return retires;
}

/**
 * Nanoseconds until it is worth while for a refused client to ask again. Until the client silent for longest can be
 * forgotten, if it stays silent: its quarters of TIMEOUT, and the two rounds in which that is found. In a turn: its
 * rest. While the place of one that was forgotten is swept: the sweep's cycles when no request claims them. From a
 * register.
 */
export function waitOf(p: Sizes, clients: Clients, turns: Turns): UInt {
  const quarter = Math.ceil(p.timeoutCycles / 4),
    rounds = 2 * p.clients + foundWithin,
    ns = (cycles: number): UInt => constant(cycles * clockPeriod, waitBits);
  const wait = reg(uint(waitBits), { name: "to_wait" });
  const turn = reg(uint(turns.left.width), { name: "turn_to_wait" });
  turn.set(turns.left);
  when(clients.sweeping, () => wait.set(ns(p.sets + foundWithin)))
    .elseWhen(turns.on, () =>
      wait.set(
        turn
          .mul(constant(clockPeriod, bitsFor(clockPeriod)))
          .resize(waitBits)
          .add(ns(rounds)),
      ),
    )
    .otherwise(() => {
      const left = switchOn(clients.remaining);
      for (let i = 0; i <= idleQuarters; i++) left.is(i, () => wait.set(ns(i * quarter + (i === 0 ? 0 : rounds))));
    });
  return wait;
}
