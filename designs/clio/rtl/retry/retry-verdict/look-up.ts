/** Stages 0 and 1: a request, or a set for the sweep, looks its client and its set up. */
import { assignView, type Bit, mux, node, reg, uint, type UInt, type Val, when } from "../../../../../hdl-dsl/index.ts";
import { RetryRequest } from "../retry-request.ts";
import { type RetryEntry, setOf } from "../retry-store.ts";
import type { Clearing, Memories } from "./memories.ts";
import type { RetryVerdictIo } from "./ports.ts";
import { type Request, type Sizes, Sought } from "./records.ts";
import type { Clients, Sweep } from "./units.ts";

type Entry = Val<ReturnType<typeof RetryEntry>>;

/** What stage 1 holds, and what the memories answer it. */
export interface Lookup {
  readonly looked: Sought;
  readonly asking: Request;
  /** Its client, or the swept one. */
  readonly client: UInt;
  /** Whether the key that was looked up is a client's, and whose. */
  readonly known: Bit;
  readonly index: UInt;
  /** Its set, from the next `advance` on. */
  readonly row: readonly Entry[];
  readonly turn: UInt;
}

export interface LookupNeeds {
  readonly clients: Clients;
  readonly sweep: Sweep;
  readonly memories: Memories;
  readonly clearing: Clearing;
  readonly hashKey: UInt;
  /** Stage 2 is free, or becomes so: everything moves on. */
  readonly advance: Bit;
}

/** A cycle without a request is the sweep's, and one now and then that it claims. */
export function lookUp(p: Sizes, io: Pick<RetryVerdictIo, "request">, from: LookupNeeds): Lookup {
  const { clients, sweep, memories, hashKey, advance } = from,
    { step } = sweep;
  const r = io.request.payload;
  const claims = node(step.valid.and(step.urgent)),
    blocked = node(from.clearing.clearing.and(r.tracked));
  io.request.ready.set(advance.andNot(claims).andNot(blocked));
  const sweeps = node(claims.or(step.valid.andNot(io.request.valid)));
  sweep.take.set(sweeps.and(advance));
  clients.key.set(r.client);
  clients.look.set(advance);
  clients.asks.set(io.request.valid.and(r.tracked).andNot(sweeps));

  const looked = reg(Sought(p), { init: 0, resets: ["valid"] });
  const asking = reg(RetryRequest(p));
  const sweptClient = reg(uint(Math.log2(p.clients)));
  const asked = setOf(p.sets, r.client, r.operation, hashKey).is(Math.log2(p.sets));
  when(advance, () => {
    looked.set({
      valid: io.request.valid.andNot(blocked).or(sweeps),
      sweeping: sweeps,
      purging: step.purge,
      purgesLast: sweep.purged,
      row: mux(sweeps, step.row, asked),
    });
  });
  when(sweep.take, () => sweptClient.set(step.client));
  // A request's fields move when one comes, and not with every step: one enable would drive all stages' registers.
  when(io.request.fire, () => assignView(asking, r, "request"));
  const row = memories.entries.readSync(looked.row, { en: advance });
  const turn = memories.turns.readSync(looked.row, { en: advance });
  const askingClient = node(mux(looked.sweeping, sweptClient, clients.found.index));
  const { valid: known, index } = clients.found;
  return { looked, asking, client: askingClient, known, index, row: row.toArray(), turn };
}
