import {
  bit,
  type Bit,
  constant,
  fsm,
  type FsmControl,
  input,
  type Inside,
  module,
  mux,
  node,
  output,
  ram,
  reg,
  sink,
  source,
  struct,
  uint,
  when,
} from "../../../../hdl-dsl/index.ts";
import { contextBits, type DataFrameParameters, laneBits, Query, readBits, sizeBits, Slice, Step } from "./types.ts";

/** A request to be kept by its context: always taken. */
export const QueryWrite = (p: DataFrameParameters) => struct({ en: bit, query: Query(p) });

/** Bytes of an aggregate's result, and how many of them one step places. */
export const resultBytes = 32;
export const resultStep = (p: { readonly beatBytes: number }): number => Math.min(resultBytes, p.beatBytes);

const walkPorts = (p: DataFrameParameters) => ({
  queries: input(QueryWrite(p)),
  slice: sink(Slice(p)),
  step: source(Step(p)),
  released: output(bit),
});
type Io = Inside<ReturnType<typeof walkPorts>>;

/** How rows lie, by context. */
const Layout = struct({
  rowBytes: uint(sizeBits),
  fieldOffset: uint(sizeBits),
  valueOffset: uint(sizeBits),
  aggregate: bit,
  short: bit,
});

function layoutsOf(io: Io, p: DataFrameParameters) {
  const layouts = ram(Layout, { depth: p.contexts, collision: "undefined", style: "distributed" });
  const q = io.queries.query;
  layouts.write(io.queries.en, q.context, {
    rowBytes: q.rowBytes,
    fieldOffset: q.fieldOffset,
    valueOffset: q.valueOffset,
    aggregate: q.aggregate,
    short: q.rowBytes.le(p.beatBytes),
  });

  return layouts;
}

/** The slice, and where the walk is in it. */
function stateOf(p: DataFrameParameters) {
  const context = reg(uint(contextBits(p)));
  const read = reg(uint(readBits(p)));
  const layout = reg(Layout);
  const status = reg(uint(4));
  const final = reg(bit);
  const opens = reg(bit);
  const released = reg(bit, { init: 0 });
  // Where the row, its field and its value begin, what is left of the slice, and what is left of the row.
  const rowAt = reg(uint(sizeBits));
  const fieldAt = reg(uint(sizeBits));
  const valueAt = reg(uint(sizeBits));
  const rest = reg(uint(sizeBits));
  const tested = reg(bit);
  const rowRest = reg(uint(sizeBits));
  const resultAt = reg(uint(sizeBits));

  const firstPiece = node(rowRest.eq(layout.rowBytes));
  const lastPiece = node(rowRest.le(p.beatBytes));
  const rowEnds = node(layout.short.or(tested.and(layout.aggregate.or(lastPiece))));
  const sliceEnds = node(rowEnds.and(rest.eq(layout.rowBytes)));
  const resultEnds = node(resultAt.eq(resultBytes - resultStep(p)));

  return {
    context,
    read,
    layout,
    status,
    final,
    opens,
    released,
    rowAt,
    fieldAt,
    valueAt,
    rest,
    tested,
    rowRest,
    resultAt,
    firstPiece,
    lastPiece,
    rowEnds,
    sliceEnds,
    resultEnds,
  };
}
type State = ReturnType<typeof stateOf>;
type Control = FsmControl<"idle" | "rows" | "result" | "end">;

/** A slice is taken. */
function takeStep(io: Io, layouts: ReturnType<typeof layoutsOf>, state: State, go: Control) {
  const { context, read, layout, status, final, opens, released } = state,
    { rowAt, fieldAt, valueAt, rest, tested, rowRest, resultAt } = state;
  return {
    idle: () => {
      const given = io.slice.payload,
        found = layouts.readAsync(given.context),
        rows = given.status.eq(0).and(given.length.any());
      io.slice.ready.set(1);
      context.set(given.context);
      read.set(given.read);
      status.set(given.status);
      final.set(given.final);
      opens.set(given.first);
      layout.set(found);
      rowAt.set(0);
      fieldAt.set(found.fieldOffset);
      valueAt.set(found.valueOffset);
      rest.set(given.length);
      tested.set(0);
      rowRest.set(found.rowBytes);
      resultAt.set(0);
      when(io.slice.valid, () => {
        when(rows, () => go.go("rows")).elseWhen(given.final, () => {
          go.go("end");
          when(given.status.eq(0).and(found.aggregate), () => go.go("result"));
        });
        released.set(rows.not());
      });
    },
  };
}

/** Row by row, each in one step or in several. */
function rowStep(io: Io, p: DataFrameParameters, state: State, go: Control) {
  const { layout, final, opens, released, rowEnds, sliceEnds } = state,
    { rowAt, fieldAt, valueAt, rest, tested, rowRest } = state;
  return {
    rows: () => {
      io.step.valid.set(1);
      when(io.step.ready, () => {
        opens.set(0);
        tested.set(1);
        when(tested.and(layout.aggregate.not()), () => {
          rowRest.set(rowRest.sub(p.beatBytes));
          rowAt.set(rowAt.add(p.beatBytes));
        });
        when(rowEnds, () => {
          tested.set(0);
          // Of a long row of a select `row_at` has moved on already, to its last piece.
          rowAt.set(rowAt.add(mux(layout.short.or(layout.aggregate), layout.rowBytes, rowRest)));
          fieldAt.set(fieldAt.add(layout.rowBytes));
          valueAt.set(valueAt.add(layout.rowBytes));
          rowRest.set(layout.rowBytes);
          rest.set(rest.sub(layout.rowBytes));
        });
        when(sliceEnds, () => {
          released.set(1);
          go.go("idle");
          when(final, () => {
            go.go("end");
            when(layout.aggregate, () => go.go("result"));
          });
        });
      });
    },
  };
}

/** Behind the rows: an aggregate's result, then the end. */
function endSteps(io: Io, p: DataFrameParameters, { opens, resultAt, resultEnds }: State, go: Control) {
  return {
    result: () => {
      io.step.valid.set(1);
      when(io.step.ready, () => {
        opens.set(0);
        resultAt.set(resultAt.add(resultStep(p)));
        when(resultEnds, () => go.go("end"));
      });
    },
    end: () => {
      io.step.valid.set(1);
      when(io.step.ready, () => go.go("idle"));
    },
  };
}

/** What the step is to look at. */
function offerStep(io: Io, p: DataFrameParameters, state: State, rows: Bit, result: Bit, end: Bit): void {
  const { context, read, layout, status, opens, released, firstPiece, lastPiece } = state,
    { rowAt, fieldAt, valueAt, tested, rowRest, resultAt } = state,
    lanes = laneBits(p);
  const short = layout.short,
    long = node(short.not()),
    tests = node(rows.and(short.or(tested.not()))),
    follows = node(rows.and(short.or(tested)));
  const at = mux(short.or(tested.and(layout.aggregate.not())), rowAt, mux(tested, valueAt, fieldAt));
  io.released.set(released);
  io.step.payload.set({
    context,
    read,
    opens,
    at: mux(result, resultAt, at),
    test: tests,
    field: mux(long, constant(0, lanes), layout.fieldOffset.trunc(lanes)),
    value: follows.and(layout.aggregate),
    valueAt: mux(long, constant(0, lanes), layout.valueOffset.trunc(lanes)),
    piece: follows.and(layout.aggregate.not()),
    begins: mux(result, resultAt.eq(0), short.or(firstPiece)),
    bytes: mux(
      result,
      constant(resultStep(p), lanes + 1),
      mux(short.or(lastPiece), rowRest.trunc(lanes + 1), constant(p.beatBytes, lanes + 1)),
    ),
    result,
    ends: end,
    status,
  });
}

/**
 * Walks over the rows of one slice after another. A row that fits a beat takes one step, in which all of it is looked
 * at. A longer row takes one step for its field. Then it takes one for its value in an aggregate, or one for each
 * beat of it begun in a select. Behind the final slice come the steps that place an aggregate's result, and one that
 * ends the request.
 *
 * Latency: 1 cycle from `slice` to its first `step`; initiation interval: one step per cycle, and one more for each
 * slice. Reset drops all requests.
 */
export const DfWalk = module(
  "DfWalk",
  walkPorts,
  (io, p) => {
    const layouts = layoutsOf(io, p),
      state = stateOf(p);
    io.slice.ready.set(0);
    io.step.valid.set(0);
    state.released.set(0);
    const s = fsm(["idle", "rows", "result", "end"], "idle", go => ({
      ...takeStep(io, layouts, state, go),
      ...rowStep(io, p, state, go),
      ...endSteps(io, p, state, go),
    }));
    const rows = node(s.is("rows")),
      result = node(s.is("result")),
      end = node(s.is("end"));
    offerStep(io, p, state, rows, result, end);
  },
  { nameOf: p => `DfWalk_b${p.beatBytes}_c${p.contexts}_d${p.maxData}_r${p.reads}` },
);
