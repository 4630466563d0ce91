/** A right request gets its blocks, is handed on, and has its pair written; a wrong one is answered. */
import { when } from "../../../../../hdl-dsl/index.ts";
import { statusBits } from "../../../wire/index.ts";
import type { Control, Parts } from "./parts.ts";

/** Room for the hash table, then for the pair. */
export function blockSteps({ io, state }: Parts, m: Control) {
  const { table, tableKnown, asked, failure } = state;
  return {
    table: () => when(io.take.ready, () => m.go("tableWait")),
    tableWait: () => {
      table.set(io.taken.payload.block);
      failure.set(io.taken.payload.status);
      when(io.taken.valid, () =>
        when(io.taken.payload.status.any(), () => m.go("drain")).otherwise(() => {
          tableKnown.set(1);
          m.go("decide");
        }),
      );
    },
    block: () => when(io.take.ready, () => m.go("blockWait")),
    blockWait: () => {
      asked.block.set(io.taken.payload.block);
      failure.set(io.taken.payload.status);
      when(io.taken.valid, () =>
        when(io.taken.payload.status.any(), () => m.go("drain")).otherwise(() => m.go("enter")),
      );
    },
  };
}

/** It is handed on, and its pair written; what bytes are left are ignored. */
export function passSteps({ io, state, form, left, begins }: Parts, m: Control) {
  const { failure, waiting, held, writeBeats, ended, bytes } = state,
    { writes, withValue } = form;
  return {
    enter: () => {
      failure.set(statusBits.OK);
      when(io.credit.or(writes.not()), () => when(withValue, () => m.go("send")).otherwise(() => m.go("drain")));
    },
    send: () => {
      when(io.memory.fire, () => {
        waiting?.held.set(0);
        begins.set(0);
        writeBeats.set(writeBeats.sub(1));
        when(held.not(), () => ended.set(bytes.payload.last));
        when(io.memory.payload.last, () => m.go("drain"));
      });
    },
    drain: () => {
      when(bytes.valid.and(left), () => ended.set(bytes.payload.last));
      when(ended.or(bytes.valid.and(bytes.payload.last)), () =>
        when(failure.any(), () => m.go("answer")).otherwise(() => m.go("idle")),
      );
    },
    answer: () => when(io.reply.ready, () => m.go("idle")),
  };
}
