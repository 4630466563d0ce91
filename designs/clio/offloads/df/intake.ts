import {
  bit,
  type Bit,
  bitsFor,
  cat,
  constant,
  fsm,
  type FsmControl,
  type Inside,
  module,
  mux,
  node,
  reg,
  sink,
  source,
  uint,
  type UInt,
  when,
} from "../../../../hdl-dsl/index.ts";
import { cutFields } from "../../../shared/frame/index.ts";
import { BodyBeat, OffloadRequest } from "../../offload/index.ts";
import { dfAggregateBody, dfSelectBody, opcodeBits, statusBits } from "../../wire/index.ts";
import {
  contextBits,
  type DataFrameParameters,
  mostFieldBytes,
  mostRows,
  Query,
  sizeBits,
  tableBits,
} from "./types.ts";

/** Bytes that the longer of the bodies takes, rounded up to a power of two. */
const keptBytes = 32;

const intakePorts = (p: DataFrameParameters) => ({
  request: sink(OffloadRequest(p)),
  requestData: sink(BodyBeat(p)),
  query: source(Query(p)),
});
type Io = Inside<ReturnType<typeof intakePorts>>;

/** The request: its body, as far as it has come. */
function requestOf(p: DataFrameParameters) {
  const beats = Math.max(1, keptBytes / p.beatBytes),
    lane = p.beatBytes * 8;
  const context = reg(uint(contextBits(p)));
  const code = reg(uint(8));
  const aggregate = reg(bit);
  const wrongSize = reg(bit);
  const body = reg(uint(Math.max(keptBytes * 8, lane)));
  const at = reg(uint(bitsFor(beats)));
  const q = cutFields(dfAggregateBody, body.trunc(keptBytes * 8));

  return { beats, lane, context, code, aggregate, wrongSize, body, at, q };
}
type Request = ReturnType<typeof requestOf>;

/**
 * Whole rows of a READ: maxData less the remainder of a division, the highest bit first; bytes of the table: rows x
 * rowBytes likewise.
 */
function divisionOf(p: DataFrameParameters, { q }: Request) {
  const steps = bitsFor(p.maxData);
  const bitsLeft = reg(uint(bitsFor(steps)));
  const room = reg(uint(steps));
  const dividend = reg(uint(steps));
  const remainder = reg(uint(steps));
  const factor = reg(uint(steps));
  const total = reg(uint(tableBits(p)));
  const widened = node(cat(remainder, dividend.bit(steps - 1)));
  const rowBytes = node(q.rowBytes.trunc(steps).zext(steps + 1));
  const fits = node(widened.ge(rowBytes));
  // Rows so short that `mostRows` of them do not fill a READ: then that many, which leaves no remainder.
  const most = node(
    mux(q.rowBytes.le(Math.floor(p.maxData / mostRows)), q.rowBytes.trunc(steps).shl(Math.log2(mostRows)), p.maxData),
  );

  return { steps, bitsLeft, room, dividend, remainder, factor, total, widened, rowBytes, fits, most };
}
type Division = ReturnType<typeof divisionOf>;

/** Whether the request is right. */
function judge(p: DataFrameParameters, { q }: Request) {
  const shortest = (bytes: UInt): Bit => bytes.eq(0).or(bytes.gt(mostFieldBytes));
  const past = (offset: UInt, bytes: UInt): Bit => offset.zext(17).add(bytes.zext(17)).gt(q.rowBytes.zext(17));
  const malformed = reg(bit);
  const fieldMalformed = node(shortest(q.fieldBytes).or(past(q.fieldOffset, q.fieldBytes)));
  const valueMalformed = node(shortest(q.valueBytes).or(past(q.valueOffset, q.valueBytes)));
  const rowMalformed = node(q.rowBytes.eq(0).or(q.rowBytes.gt(p.maxData)).or(q.predicate.gt(5)));

  return { malformed, fieldMalformed, valueMalformed, rowMalformed };
}
type Control = FsmControl<"idle" | "body" | "check" | "count" | "offer">;

/** The request comes in. */
function takeSteps(io: Io, { beats, lane, context, code, aggregate, wrongSize, body, at }: Request, s: Control) {
  return {
    idle: () => {
      io.request.ready.set(1);
      at.set(0);
      when(io.request.valid, () => {
        const r = io.request.payload,
          selects = r.opcode.eq(opcodeBits.DF_SELECT),
          aggregates = r.opcode.eq(opcodeBits.DF_AGGREGATE);
        context.set(r.context);
        code.set(r.opcode);
        aggregate.set(aggregates);
        wrongSize.set(
          selects
            .and(r.length.eq(dfSelectBody.bytes))
            .or(aggregates.and(r.length.eq(dfAggregateBody.bytes)))
            .not(),
        );
        s.go("body");
        when(r.length.eq(0), () => s.go("check"));
      });
    },
    body: () => {
      io.requestData.ready.set(1);
      when(io.requestData.valid, () => {
        if (beats === 1) when(at.eq(0), () => body.set(io.requestData.payload.data));
        else for (let i = 0; i < beats; i++) when(at.eq(i), () => body.setBits(i * lane, io.requestData.payload.data));
        when(at.ne(beats), () => at.set(at.add(1)));
        when(io.requestData.payload.last, () => s.go("check"));
      });
    },
  };
}

/** It is judged, and divided; then it goes on. */
function countSteps(
  io: Io,
  p: DataFrameParameters,
  { wrongSize, aggregate, q }: Request,
  { steps, bitsLeft, room, dividend, remainder, factor, total, widened, rowBytes, fits, most }: Division,
  { malformed, fieldMalformed, valueMalformed, rowMalformed }: ReturnType<typeof judge>,
) {
  return (s: Control) => ({
    check: () => {
      malformed.set(wrongSize.or(rowMalformed).or(fieldMalformed).or(aggregate.and(valueMalformed)));
      bitsLeft.set(steps);
      room.set(most);
      dividend.set(most);
      factor.set(q.rowBytes.trunc(steps));
      remainder.set(0);
      total.set(0);
      s.go("count");
    },
    count: () => {
      bitsLeft.set(bitsLeft.sub(1));
      dividend.set(dividend.shl(1));
      remainder.set(mux(fits, widened.sub(rowBytes), widened).trunc(steps));
      factor.set(factor.shl(1));
      total.set(total.shl(1).add(mux(factor.bit(steps - 1), q.rows, constant(0, 32)).zext(tableBits(p))));
      when(bitsLeft.eq(1), () => s.go("offer"));
    },
    offer: () => {
      io.query.valid.set(1);
      when(io.query.ready, () => s.go("idle"));
    },
  });
}

/**
 * Takes requests apart and checks them. MALFORMED are another opcode, a body of another length than the opcode's, rows
 * of no bytes or more than `maxData`, and an unknown predicate. So is a field or value of no bytes, of more than 8, or
 * past its row. A table of 0 rows is none of it. The bytes of the table, and the whole rows that one READ brings, are
 * worked out bit by bit: nothing here divides or multiplies.
 *
 * Latency from `request` to `query`: 3 cycles + the beats of the body + one for each bit of `maxData`. The next request
 * is taken a cycle after `query` fires. Full: one request at a time, the others wait. Reset drops the request.
 */
export const DfIntake = module(
  "DfIntake",
  intakePorts,
  (io, p) => {
    const request = requestOf(p),
      division = divisionOf(p, request),
      form = judge(p, request),
      counts = countSteps(io, p, request, division, form);
    io.request.ready.set(0);
    io.requestData.ready.set(0);
    io.query.valid.set(0);
    fsm(["idle", "body", "check", "count", "offer"], "idle", s => ({ ...takeSteps(io, request, s), ...counts(s) }));
    const { context, code, aggregate, q } = request,
      { total, room, remainder } = division,
      { malformed } = form;
    io.query.payload.set({
      context,
      status: mux(malformed, statusBits.MALFORMED, statusBits.OK),
      opcode: code,
      aggregate,
      table: q.table,
      total,
      chunk: room.sub(remainder).zext(sizeBits),
      rowBytes: q.rowBytes.trunc(sizeBits),
      fieldOffset: q.fieldOffset.trunc(sizeBits),
      fieldBytes: q.fieldBytes.trunc(4),
      predicate: q.predicate.trunc(3),
      operand: q.operand,
      valueOffset: q.valueOffset.trunc(sizeBits),
      valueBytes: q.valueBytes.trunc(4),
    });
  },
  { nameOf: p => `DfIntake_b${p.beatBytes}_c${p.contexts}_d${p.maxData}` },
);
