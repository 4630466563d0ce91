/** The units of the retry buffer's verdict, and what they learn from stage 2. */
import { bit, type Bit, instance, type InstanceOf, node, reg, when } from "../../../../../hdl-dsl/index.ts";
import { RetryClients } from "../retry-clients.ts";
import { RetrySweep } from "../retry-sweep.ts";
import type { Held } from "./hold.ts";
import type { Decision, Sizes } from "./records.ts";

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
