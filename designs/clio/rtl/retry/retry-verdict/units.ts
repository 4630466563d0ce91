/** The units of the retry buffer's verdict, and what they learn from stage 2. */
import {
  bit,
  type Bit,
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
import type { Decision, Sizes } from "./records.ts";

/** Cycles from the end of a round to `idle`, and from a purge to its first step, with some to spare. */
const foundWithin = 16;

export type Clients = InstanceOf<typeof RetryClients>;
export type Sweep = InstanceOf<typeof RetrySweep>;

export function unitsOf(p: Sizes): { readonly clients: Clients; readonly sweep: Sweep } {
  const { sets, clients, clientBits, operationBits, timeoutCycles, stampBits } = p;
  return {
    clients: instance("clients", RetryClients({ clients, clientBits, timeoutCycles, stampBits })),
    sweep: instance("sweep", RetrySweep({ sets, clients, operationBits })),
  };
}

/**
 * A client that sends is no idle one. A request without room makes the idle one be forgotten.
 * @returns whether that is so in this cycle
 */
export function learn(clients: Clients, sweep: Sweep, held: Held, { refused, settles }: Decision, advance: Bit): Bit {
  const { at, request, known } = held;
  clients.touch.set({ valid: settles.and(request.tracked).and(known), index: held.client });
  const retires = node(settles.and(refused).and(clients.idle.valid));
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
 * forgotten, if it stays silent: its quarters of TIMEOUT, and the two rounds in which that is found. While the place of
 * one that was forgotten is swept: the sweep's cycles when no request claims them. From a register.
 */
export function waitOf(p: Sizes, clients: Clients): UInt {
  const quarter = Math.ceil(p.timeoutCycles / 4),
    rounds = 2 * p.clients + foundWithin,
    ns = (cycles: number): UInt => constant(cycles * clockPeriod, waitBits);
  const wait = reg(uint(waitBits), { init: 0, name: "to_wait" });
  when(clients.sweeping, () => wait.set(ns(p.sets + foundWithin))).otherwise(() => {
    const left = switchOn(clients.remaining);
    for (let i = 0; i <= idleQuarters; i++) left.is(i, () => wait.set(ns(i * quarter + (i === 0 ? 0 : rounds))));
  });
  return wait;
}
