/** Data between a narrow and a wide bus: gathered into wide beats, or dealt out in narrow ones. */
import { bit, uint, vec } from "../../../types/shape.ts";
import type { Bit, StreamIn, StreamOut, UInt, UIntVar } from "../../../types/value.ts";
import { node, reg } from "../../../build/declare.ts";
import { mux, when } from "../../../build/statements.ts";
import { constant, repeat } from "../../../build/value.ts";
import { unpack } from "../../../build/view.ts";
import { connect } from "../../../stream/connect.ts";
import { stage } from "../../../stream/stage.ts";
import { stream } from "../../../stream/stream.ts";
import type { Axi4Read, Axi4Response, Axi4Write } from "../../axi/index.ts";
import { type Plan, walk, type Widths } from "./beats.ts";
import type { Owed } from "./parts.ts";

const partsOf = (w: Widths): number => 2 ** (w.wide - w.narrow);
const lanesOf = (w: Widths, word: UInt, lane: UInt): UInt =>
  unpack(vec(uint<number>(word.width / partsOf(w)), partsOf(w)), word).at(lane);

/** Sets the lane's part of the word; the others become 0 in a wide beat's first narrow one where `clears`. */
function gather(w: Widths, word: UIntVar, lane: UInt, part: UInt, clears?: Bit): void {
  if (clears !== undefined) when(clears, () => word.set(0));
  for (let i = 0; i < partsOf(w); i++) when(lane.eq(i), () => word.setBits(i * part.width, part));
}

/** A wide beat that waits to go, and whether narrow ones may come. */
function waiting(to: { readonly ready: Bit; readonly valid: { set(v: Bit): void } }, name: string) {
  const full = reg(bit, { init: 0, name: `${name}_full` }),
    fresh = reg(bit, { init: 1, name: `${name}_fresh` });
  to.valid.set(full);
  return {
    fresh,
    room: node(full.not().or(to.ready), { name: `${name}_room` }),
    comes: (fire: Bit, ends: Bit): void => {
      when(to.ready, () => full.set(0));
      when(fire, () => {
        fresh.set(ends);
        when(ends, () => full.set(1));
      });
    },
  };
}

/** Narrow write data into wide beats. A lane of which no byte came is not strobed. */
export function gatherWrites(
  w: Widths,
  plans: StreamIn<Plan>,
  from: StreamIn<Axi4Write>,
  to: StreamOut<Axi4Write>,
): void {
  const at = walk(w, plans, "w_at"),
    wide = waiting(to, "w");
  const data = reg(uint<number>(8 * 2 ** w.wide), { name: "w_data" }),
    strb = reg(uint<number>(2 ** w.wide), { name: "w_strb" }),
    last = reg(bit, { name: "w_last" });
  from.ready.set(at.busy.and(wide.room));
  const fire = node(from.fire, { name: "w_fire" });
  when(fire, () => {
    gather(w, data, at.lane, from.payload.data);
    gather(w, strb, at.lane, from.payload.strb, wide.fresh);
    last.set(at.last);
  });
  at.done(fire);
  wide.comes(fire, at.ends);
  to.payload.set({ data, strb, last });
}

/** Narrow read data into wide beats, each with the worst answer of its parts. */
export function gatherReads(w: Widths, plans: StreamIn<Plan>, from: StreamIn<Axi4Read>, to: StreamOut<Axi4Read>): void {
  const at = walk(w, plans, "r_at"),
    wide = waiting(to, "r");
  const data = reg(uint<number>(8 * 2 ** w.wide), { name: "r_data" }),
    id = reg(uint<number>(w.idBits), { name: "r_id" }),
    resp = reg(uint(2), { name: "r_resp" }),
    last = reg(bit, { name: "r_last" });
  from.ready.set(at.busy.and(wide.room));
  const fire = node(from.fire, { name: "r_fire" });
  when(fire, () => {
    gather(w, data, at.lane, from.payload.data);
    id.set(at.id);
    last.set(at.last.and(at.final));
    resp.set(worst(mux(wide.fresh, constant(0, 2), resp), from.payload.resp));
  });
  at.done(fire);
  wide.comes(fire, at.ends);
  to.payload.set({ data, id, resp, last });
}

/** The worse of two answers: OKAY 0, SLVERR 2, DECERR 3. */
const worst = (a: UInt<2>, b: UInt<2>): UInt<2> => a.or(b);

/** Wide write data in narrow beats. */
export function dealWrites(
  w: Widths,
  plans: StreamIn<Plan>,
  from: StreamIn<Axi4Write>,
  to: StreamOut<Axi4Write>,
): void {
  const at = walk(w, plans, "w_at"),
    out = stream(to.shape, { name: "w_out" });
  out.valid.set(at.busy.and(from.valid));
  out.payload.set({
    data: lanesOf(w, from.payload.data, at.lane),
    strb: lanesOf(w, from.payload.strb, at.lane),
    last: at.last,
  });
  from.ready.set(at.busy.and(out.ready).and(at.ends));
  at.done(node(out.fire, { name: "w_fire" }));
  connect(stage(out as StreamIn<Axi4Write>, "forward", { name: "w" }), to);
}

/** Wide read data in narrow beats, each with the wide one's answer. */
export function dealReads(w: Widths, plans: StreamIn<Plan>, from: StreamIn<Axi4Read>, to: StreamOut<Axi4Read>): void {
  const at = walk(w, plans, "r_at"),
    out = stream(to.shape, { name: "r_out" });
  out.valid.set(at.busy.and(from.valid));
  out.payload.set({
    data: lanesOf(w, from.payload.data, at.lane),
    id: at.id,
    resp: from.payload.resp,
    last: at.last.and(at.final),
  });
  from.ready.set(at.busy.and(out.ready).and(at.ends));
  at.done(node(out.fire, { name: "r_fire" }));
  connect(stage(out as StreamIn<Axi4Read>, "forward", { name: "r" }), to);
}

/** One answer for all parts of a write, the worst of them, with the master's ID. */
export function mergeAnswers(owed: StreamIn<Owed>, from: StreamIn<Axi4Response>, to: StreamOut<Axi4Response>): void {
  const before = reg(uint(2), { init: 0, name: "b_before" }),
    out = stream(to.shape, { name: "b_out" });
  const resp = node(worst(before, from.payload.resp), { name: "b_resp" }),
    { final, id } = owed.payload;
  const goes = node(owed.valid.and(from.valid), { name: "b_goes" }),
    taken = node(owed.valid.and(final.not().or(out.ready)), { name: "b_taken" });
  out.valid.set(goes.and(final));
  out.payload.set({ id, resp });
  from.ready.set(taken);
  owed.ready.set(from.valid.and(final.not().or(out.ready)));
  when(from.fire, () => before.set(resp.andNot(repeat(final, 2))));
  connect(stage(out as StreamIn<Axi4Response>, "forward", { name: "b" }), to);
}
