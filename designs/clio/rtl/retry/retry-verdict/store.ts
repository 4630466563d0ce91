/** Stage 2 writes its set: what it remembers, and what the sweep removes. */
import { type Bit, cat, fromBits, mux, node, type UInt } from "../../../../../hdl-dsl/index.ts";
import { isAged } from "../retry-store.ts";
import type { Held } from "./hold.ts";
import type { Lookup } from "./look-up.ts";
import type { Clearing, Memories } from "./memories.ts";
import type { Room } from "./records.ts";
import type { Search } from "./search.ts";

interface StoreNeeds {
  readonly row: Lookup["row"];
  readonly current: Search["current"];
  readonly room: Room;
  readonly clearing: Clearing;
  /** Stage 2 is done; with its request remembered. */
  readonly moves: Bit;
  readonly inserts: Bit;
}

export function store({ entries, turns }: Memories, held: Held, from: StoreNeeds): void {
  const { row, current, room, inserts } = from,
    { at, request, client, mark } = held,
    { clearing } = from.clearing;
  const removes = row.map((way, i) => {
    const ofClient = cat(at.sweeping, way.valid, current[i] as Bit, way.client.eq(client)).all();
    return node(ofClient.and(at.purging.or(isAged(way.operation, mark))), { name: `removes_${i}` });
  });
  const entry = { valid: inserts, client, operation: request.operation };
  // What is removed keeps its slot: that request may still be under way, and who stands here next makes it an orphan.
  const slotOf = (way: (typeof row)[number]): UInt => mux(at.sweeping, way.slot, request.access.slot);
  const written = removes.map((r, i) => clearing.or(r).or(inserts.and(room.way[i] as Bit)));
  entries.write(
    clearing.or(from.moves),
    mux(clearing, from.clearing.row, at.row),
    row.map(way => ({ ...entry, slot: slotOf(way) })),
    fromBits(written),
  );
  turns.write(inserts, at.row, room.next);
}
