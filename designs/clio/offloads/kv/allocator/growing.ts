/** Arenas by ALLOC and FREE, and the answer to the request. */
import { constant, mux, when } from "../../../../../hdl-dsl/index.ts";
import { statusBits } from "../../../wire/index.ts";
import { type Control, notes, type Parts } from "./parts.ts";

/** There is no more memory: the arenas are looked at once more when all that is kept has gone back to them. */
function refuses({ stock: { flushed, flushing, cached, asked, taking } }: Parts, m: Control): void {
  when(flushed.or(cached.any().not()).or(asked.table), () => m.go("answer")).otherwise(() => {
    flushing.set(1);
    taking.set(0);
    m.go("trim");
  });
}

/** ALLOC, region by region. */
export function allocateSteps(parts: Parts, m: Control) {
  const { io, arenas, outside, sent } = parts,
    { region, asked, answer, home } = parts.stock,
    { mine, failed, granted, anotherRegion } = parts.outcome;
  return {
    allocate: () => when(sent, () => m.go("allocating")),
    allocating: () => {
      answer.set({
        status: mux(granted, statusBits.OK, mux(failed, io.event.status, statusBits.OUT_OF_MEMORY)),
        block: io.event.block,
      });
      arenas.at(io.event.block);
      home.set(io.event.block);
      when(mine, () => {
        when(granted.not().and(anotherRegion), () => {
          region.set(region.add(1));
          m.go("allocate");
        })
          .elseWhen(granted.not(), () => refuses(parts, m))
          .elseWhen(asked.table, () => m.go("answer"))
          .elseWhen(arenas.isOutside(io.event.block), () => {
            outside.set(1);
            answer.status.set(statusBits.OUT_OF_MEMORY);
            m.go("free");
          })
          .otherwise(() => {
            arenas.begins(io.event.block);
            notes(parts, m, constant(0, 3));
          });
      });
    },
  };
}

/** FREE. */
export function freeSteps(parts: Parts, m: Control) {
  const { arenas, outside, sent } = parts,
    { region } = parts.stock,
    { mine, granted } = parts.outcome;
  return {
    free: () => when(sent, () => m.go("freeing")),
    freeing: () => {
      when(mine, () => {
        outside.set(0);
        when(granted, () => {
          region.set(0);
          arenas.digit.set(0);
        });
        when(outside, () => m.go("answer"))
          .elseWhen(granted, () => m.go("note"))
          .otherwise(() => m.go("trim"));
      });
    },
  };
}

/** The answer. */
export function answerSteps(parts: Parts, m: Control) {
  const { io } = parts,
    { asked, answer, live } = parts.stock;
  return {
    answer: () => {
      when(io.taken.ready, () => {
        when(asked.table.not().and(answer.status.eq(statusBits.OK)), () => live.set(live.add(1)));
        m.go("idle");
      });
    },
  };
}
