import {
  bit,
  type Bit,
  connect,
  constant,
  encodeOnehot,
  mux,
  node,
  onehotMux,
  reg,
  stream,
  type StreamIn,
  type StreamOut,
  struct,
  uint,
  when,
} from "../../../../hdl-dsl/index.ts";
import { earlyQueue } from "../../../shared/stream/index.ts";
import type { Entered, Entry } from "../headers/index.ts";
import type { FrameBeat } from "../inside/index.ts";
import { Arrived, beatBytes, cellBeats, cellIndexBits, inlets, lengthBits } from "../inside/index.ts";
import { portBits } from "../match/index.ts";
import type { FirstCell } from "../store/index.ts";
import { type StoreBeat } from "../store/index.ts";
import type { MergeParameters } from "./ports.ts";
import { TakenFacts } from "./records.ts";

/** A frame that has been taken, in the order of the takes. */
export const Noted = (p: MergeParameters) => struct({ inlet: uint(inlets(p)), facts: TakenFacts });

/** A packet between its header and its end. */
const Pending = struct({ ingress: uint(portBits), hasBody: bit, facts: TakenFacts });

interface Stores {
  readonly noted: StreamIn<ReturnType<typeof Noted>>;
  readonly frames: readonly StreamIn<typeof FrameBeat>[];
  readonly enter: StreamOut<ReturnType<typeof Entry>>;
  readonly write: StreamOut<ReturnType<typeof StoreBeat>>;
}

/** Beats of the frames in their order: the first to the header store, the others to the packet store. */
export function split({ noted, frames, enter, write }: Stores) {
  const pending = stream(Pending, { name: "pending" }),
    first = reg(bit, { init: 1, name: "first_beat" }),
    beat = reg(uint(Math.log2(cellBeats)), { init: 0, name: "beat_of_cell" });
  const { inlet, facts } = noted.payload,
    picks = frames.map((_, i) => inlet.bit(i)),
    valids = frames.map((f, i) => f.valid.and(picks[i] ?? constant(0, 1))),
    there = node(noted.valid.and(valids.reduce<Bit>((a, b) => a.or(b), constant(0, 1))), { name: "beat_is_there" }),
    now = onehotMux(
      picks,
      frames.map(f => f.payload),
    ),
    last = node(now.last, { name: "beat_is_last" });
  enter.valid.set(there.and(first).and(pending.ready));
  enter.payload.set({ header: now.data, user: facts.user.resize(enter.payload.user.width), copies: 0, keep: 0 });
  pending.valid.set(there.and(first).and(enter.ready));
  pending.payload.set({ ingress: encodeOnehot(inlet).zext(portBits), hasBody: last.not(), facts });
  write.valid.set(there.andNot(first));
  write.payload.set({ data: now.data, last, owners: 1 });
  const room = node(mux(first, enter.ready.and(pending.ready), write.ready), { name: "beat_room" }),
    moves = node(there.and(room), { name: "beat_moves" });
  frames.forEach((f, i) => f.ready.set(noted.valid.and(picks[i] ?? constant(0, 1)).and(room)));
  noted.ready.set(moves.and(last));
  when(moves, () => {
    first.set(last);
    beat.set(mux(first, constant(0, beat.width), beat.add(1)));
  });
  return {
    pending: earlyQueue(pending, 8, "pending_packets"),
    enters: node(enter.fire, { name: "header_enters" }),
    beginsCell: node(write.fire.and(beat.eq(0)), { name: "cell_begins" }),
  };
}

/** Packets whose header and payload are stored. */
export function tell(
  p: MergeParameters,
  pending: StreamIn<typeof Pending>,
  entered: StreamIn<ReturnType<typeof Entered>>,
  stored: StreamIn<ReturnType<typeof FirstCell>>,
  arrived: StreamOut<ReturnType<typeof Arrived>>,
): void {
  const out = stream(Arrived(p), { name: "out" });
  const { ingress, hasBody, facts } = pending.payload,
    whole = node(hasBody.not().or(stored.valid), { name: "payload_is_there" }),
    both = node(pending.valid.and(entered.valid), { name: "header_is_there" });
  out.valid.set(both.and(whole));
  const goes = node(out.ready.and(both).and(whole), { name: "packet_arrives" });
  pending.ready.set(goes);
  entered.ready.set(goes);
  stored.ready.set(goes.and(hasBody));
  const { length } = facts;
  out.payload.set({
    ctx: entered.payload.ctx,
    uid: facts.uid,
    dag: facts.dag,
    user: facts.user,
    ingress,
    // Nothing of another payload, which may come while the packet waits.
    firstCell: mux(hasBody, stored.payload.first, constant(0, cellIndexBits(p))),
    payloadBytes: mux(hasBody, length.sub(beatBytes), constant(0, lengthBits)),
    headBytes: mux(hasBody, constant(beatBytes, 7), length.trunc(7)),
    unordered: facts.unordered,
    noL4: facts.noL4,
    flowHash: facts.flowHash,
    tagged: facts.tagged,
    tag: facts.tag,
    shimmed: facts.shimmed,
    ttl: facts.ttl,
  });
  connect(out, arrived);
}
