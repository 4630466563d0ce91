/** Stage 2's registers, and the cycle that makes a client known. */
import {
  assignView,
  bit,
  type Bit,
  carryEqual,
  cat,
  isAfter,
  node,
  reg,
  uint,
  type UInt,
  type Var,
  when,
} from "../../../../../hdl-dsl/index.ts";
import { RetryRequest } from "../retry-request.ts";
import type { Lookup } from "./look-up.ts";
import type { Memories } from "./memories.ts";
import { Ahead, type Judged, type Request, type Sizes, Sought } from "./records.ts";
import type { Turns } from "./turns.ts";
import type { Clients } from "./units.ts";

/** What stage 2 decides about. */
export interface Held {
  readonly at: Sought;
  readonly request: Request;
  /** It is a request, and not the sweep's; of a client that is not known, which it introduces. */
  readonly asks: Bit;
  readonly newcomer: Var<typeof bit>;
  readonly known: Var<typeof bit>;
  /** It is its client's turn to give up its place. */
  readonly leaving: Var<typeof bit>;
  readonly client: Var<ReturnType<typeof uint>>;
  /** Newest operation forgotten of the client. */
  readonly mark: Var<ReturnType<typeof uint>>;
  /** Whether more was written down while `mark` was read, or since; and whether it is being so now. */
  readonly left: Var<typeof bit>;
  readonly leavesIt: Bit;
  readonly ahead: Ahead;
  /** The request behind, in stage 1, is the same client's. */
  readonly sameClient: Bit;
}

interface HoldNeeds {
  readonly lookup: Lookup;
  readonly turns: Pick<Turns, "on" | "index">;
  /** Stage 3. */
  readonly judged: Judged;
  readonly forgotten: Memories["forgotten"];
  readonly advance: Bit;
  /** What stage 2 does now: its request is remembered, in which way. */
  readonly inserts: Bit;
  readonly room: UInt;
}

export function hold(p: Sizes, from: HoldNeeds): Held {
  const { lookup, turns, judged, advance } = from,
    { looked, asking } = lookup;
  /** An operation is at or behind what is being written down as forgotten of its client. */
  const isLeft = (of: UInt, operation: UInt): Bit => {
    const concerned = judged.forgets.and(judged.client.eq(of));
    return concerned.andNot(isAfter(operation, judged.operation));
  };
  const at = reg(Sought(p), { init: 0, resets: ["valid"] });
  const request = reg(RetryRequest(p));
  const asks = reg(bit, { init: 0 });
  const newcomer = reg(bit, { init: 0 });
  const known = reg(bit);
  const leaving = reg(bit);
  const client = reg(uint(Math.log2(p.clients)));
  const mark = reg(uint(p.operationBits));
  const left = reg(bit);
  const inserted = reg(bit, { init: 0, name: "ahead_inserted" });
  const ahead = reg(Ahead(p));
  const sameClient = node(carryEqual(request.client, asking.client));
  const leavesIt = node(isLeft(client, request.operation));
  const asksNext = node(looked.valid.andNot(looked.sweeping)),
    introduces = asking.tracked.and(asking.introduces);
  when(advance.and(asksNext), () => assignView(request, asking, "asking"));
  when(advance, () => {
    assignView(at, looked, "looked");
    asks.set(asksNext);
    newcomer.set(asksNext.and(introduces).andNot(lookup.known));
    known.set(lookup.known);
    leaving.set(cat(lookup.known, turns.on, lookup.client.eq(turns.index)).all());
    client.set(lookup.client);
    mark.set(from.forgotten.readAsync(lookup.client));
    left.set(isLeft(lookup.client, asking.operation));
    inserted.set(from.inserts);
  }).otherwise(() => left.set(left.or(leavesIt)));
  // The rest says nothing without `inserted`.
  when(from.inserts, () =>
    ahead.set({
      way: from.room,
      slot: request.access.slot,
      operation: request.operation,
      sameSet: looked.row.eq(at.row),
      sameClient,
      sameKey: carryEqual(request.operation, asking.operation, sameClient),
    }),
  );
  return {
    at,
    request,
    asks,
    newcomer,
    known,
    leaving,
    client,
    mark,
    left,
    leavesIt,
    ahead: { ...ahead, inserted },
    sameClient,
  };
}

/** A request of a client that is not known. */
export interface Newcomer {
  /** Its client becomes known in this cycle; or the request waits for that. */
  readonly enters: Bit;
  readonly holds: Bit;
  /** There is no room for its client, and it cannot do without. */
  readonly refused: Bit;
  /** The number before its own: earlier operations count as forgotten. */
  readonly preceding: UInt;
}

/** A cycle makes the client known, in which everything else stands still. */
export function introduce(clients: Clients, held: Held, { looked, asking }: Lookup, judged: Judged): Newcomer {
  const { request, newcomer } = held;
  const holds = node(newcomer.and(clients.place.valid));
  const enters = node(holds.andNot(judged.forgets));
  const preceding = node(request.operation.sub(1));
  const follows = looked.valid.andNot(looked.sweeping).and(asking.tracked);
  clients.add.set({ valid: enters, key: request.client, same: held.sameClient.and(follows) });
  when(enters, () => {
    newcomer.set(0);
    held.known.set(1);
    held.client.set(clients.place.index);
    held.mark.set(preceding);
    held.left.set(0);
  });
  const refused = node(newcomer.and(request.keeps.or(request.fence)));
  return { enters, holds, refused, preceding };
}
