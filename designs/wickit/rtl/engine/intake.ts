import {
  fsm,
  node,
  reg,
  scope,
  type StreamIn,
  uint,
  type UInt,
  type UIntShape,
  when,
} from "../../../../hdl-dsl/index.ts";
import { contextBits, type EngineParameters } from "../../config/index.ts";
import type { runQueue } from "./contexts.ts";
import type { RegisterWrite } from "./register-file.ts";
import type { WicRequest, Word } from "./types.ts";

interface Intake {
  readonly request: StreamIn<typeof WicRequest>;
  readonly requestData: StreamIn<typeof Word>;
  /** A word for the program memory comes. */
  readonly load: UInt<1>;
  readonly free: StreamIn<UIntShape>;
  readonly entering: ReturnType<typeof runQueue>["entering"];
}

/**
 * Takes a request into a free context: its arguments into registers, then the context into the run queue. Latency 2
 * cycles and the words; initiation interval the same. Full (no context is free): the request waits.
 */
export function takeRequests(p: EngineParameters, io: Intake) {
  return scope("intake", () => {
    const context = reg(uint(contextBits(p)), { name: "context" }),
      request = reg(io.request.shape, { name: "held" }),
      index = reg(uint(4), { name: "index" });
    const open = node(io.free.valid.and(io.load.not()), { name: "open" });
    const s = fsm(
      ["idle", "words", "queue"],
      "idle",
      go => ({
        idle: () => {
          index.set(0);
          when(io.request.valid.and(open), () => {
            request.set(io.request.payload);
            context.set(io.free.payload.resize(contextBits(p)));
            go.go("words");
            when(io.request.payload.words.eq(0), () => go.go("queue"));
          });
        },
        words: () => {
          when(io.requestData.fire, () => {
            index.set(index.add(1));
            when(index.add(1).eq(request.words), () => go.go("queue"));
          });
        },
        queue: () => when(io.entering.ready, () => go.go("idle")),
      }),
      { name: "state" },
    );
    io.request.ready.set(s.is("idle").and(open));
    io.free.ready.set(s.is("idle").and(open).and(io.request.valid));
    io.entering.valid.set(s.is("queue"));
    io.entering.payload.set({ context, fresh: 1 });
    const write: RegisterWrite = {
      en: node(s.is("words").and(io.requestData.valid), { name: "write" }),
      context,
      register: index,
      data: io.requestData.payload,
    };
    return {
      write,
      /** The write has been done: the word is taken. */
      wrote: (done: UInt<1>) => io.requestData.ready.set(done),
      context,
      request,
      queued: node(s.is("queue"), { name: "queued" }),
      busy: node(s.is("idle").not(), { name: "busy" }),
    };
  });
}
export type Taken = ReturnType<typeof takeRequests>;
