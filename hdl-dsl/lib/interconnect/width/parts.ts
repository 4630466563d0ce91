/** A burst for the other side, with the plan of its beats: it goes on, and its plan to who needs it. */
import { struct, type StructShape, uint } from "../../../types/shape.ts";
import type { Bit, Stream, StreamIn, StreamOut } from "../../../types/value.ts";
import { instance } from "../../../build/module.ts";
import { connect } from "../../../stream/connect.ts";
import { stage } from "../../../stream/stage.ts";
import { stream } from "../../../stream/stream.ts";
import { axi4Address, type Axi4Address } from "../../axi/index.ts";
import { Fifo } from "../../queues/index.ts";
import { type Plan, planOf, type Widths } from "./beats.ts";

export type Part = StructShape<{ readonly address: Axi4Address; readonly plan: Plan }>;
/** Its shape. */
export const partOf = (w: Widths): Part => struct({ address: axi4Address(w), plan: planOf(w) });

const answerOf = (w: Widths) => struct({ final: plainBit, id: uint<number>(w.idBits) });
const plainBit = uint(1);
export type Owed = ReturnType<typeof answerOf>;

/**
 * A part goes on when there is room for all that belongs to it. Its plan is then known to the data, whether or not the
 * address has been taken: neither half of a write waits for the other.
 */
export function dispatch(
  w: Widths,
  parts: StreamIn<Part>,
  to: StreamOut<Axi4Address>,
  name: string,
  answers: boolean,
): { readonly plans: StreamIn<Plan>; readonly owed?: StreamIn<Owed> } {
  const fifo = { depth: w.outstanding, style: "distributed" } as const;
  const plans = instance(`${name}_plans`, Fifo({ shape: planOf(w), ...fifo })),
    address: Stream<Axi4Address> = stream(axi4Address(w), { name: `${name}_address` });
  const owed = answers ? instance(`${name}_owed`, Fifo({ shape: answerOf(w), ...fifo })) : undefined;
  const rooms: readonly Bit[] = [plans.push.ready, address.ready, ...(owed === undefined ? [] : [owed.push.ready])];
  const all = (bits: readonly Bit[]): Bit => bits.reduce((x, y) => x.and(y));
  // Each goes when the others have room.
  const without = (place: number): Bit => all([parts.valid, ...rooms.filter((_, i) => i !== place)]);
  parts.ready.set(all(rooms));
  address.valid.set(without(1));
  address.payload.set(parts.payload.address);
  connect(stage(address as StreamIn<Axi4Address>, "full", { name: `${name}_out` }), to);
  plans.push.valid.set(without(0));
  plans.push.payload.set(parts.payload.plan);
  owed?.push.valid.set(without(2));
  owed?.push.payload.set({ final: parts.payload.plan.final, id: parts.payload.plan.id });
  return { plans: plans.pop, ...(owed === undefined ? {} : { owed: owed.pop }) };
}
