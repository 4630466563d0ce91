import { fsm, node, ram, reg, scope, type StreamIn, uint, type UInt, when } from "../../../../hdl-dsl/index.ts";
import { contextBits, type EngineParameters } from "../../config/index.ts";
import type { runQueue } from "./contexts.ts";
import type { RegisterWrite } from "./register-file.ts";
import { perContext } from "./running.ts";
import type { MemoryAnswer, Word } from "./types.ts";

interface Answers {
  readonly memoryReply: StreamIn<ReturnType<typeof MemoryAnswer>>;
  readonly memoryReplyData: StreamIn<typeof Word>;
  readonly completing: ReturnType<typeof runQueue>["completing"];
}

/**
 * Takes what memory answers: words into the registers that the access named (`asked`), then the context to the front of
 * the run queue. It waits for the core's writes alone, never for the core to run: an engine whose replies or accesses
 * are held up still takes all answers. Latency 2 cycles and the words; initiation interval the same.
 */
export function takeAnswers(p: EngineParameters, io: Answers) {
  return scope("answers", () => {
    const held = reg(io.memoryReply.shape, { name: "held" }),
      index = reg(uint(4), { name: "index" });
    const destinations = ram(uint(4), perContext(p, "destinations"));
    const s = fsm(
      ["idle", "words", "queue"],
      "idle",
      go => ({
        idle: () => {
          held.set(io.memoryReply.payload);
          index.set(0);
          when(io.memoryReply.valid, () => {
            go.go("words");
            when(io.memoryReply.payload.words.eq(0), () => go.go("queue"));
          });
        },
        words: () => {
          when(io.memoryReplyData.fire, () => {
            index.set(index.add(1));
            when(index.add(1).eq(held.words), () => go.go("queue"));
          });
        },
        queue: () => go.go("idle"),
      }),
      { name: "state" },
    );
    io.memoryReply.ready.set(s.is("idle"));
    io.completing.valid.set(s.is("queue"));
    io.completing.payload.set({ context: held.context, status: held.status });
    const write: RegisterWrite = {
      en: node(s.is("words").and(io.memoryReplyData.valid), { name: "write" }),
      context: held.context,
      register: node(destinations.readAsync(held.context).add(index), { name: "register" }),
      data: io.memoryReplyData.payload,
    };
    return {
      write,
      wrote: (done: UInt<1>) => io.memoryReplyData.ready.set(done),
      /** The access of `context` brings its words to the registers from `register` on. */
      asked: (en: UInt<1>, context: UInt, register: UInt) =>
        destinations.write(en, context.resize(contextBits(p)), register.is(4)),
      ended: node(s.is("queue"), { name: "ended" }),
    };
  });
}
