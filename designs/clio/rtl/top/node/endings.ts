/** Every request ends here: what memory, the retry buffer, fences and the table say becomes a reply. */
import { arbiter, constant, type InstanceOf, map, mux, node, priority, stage } from "../../../../../hdl-dsl/index.ts";
import { opcodeBits, statusBits } from "../../../wire/index.ts";
import type { FenceUnit } from "../../dispatch/fence.ts";
import type { Mat } from "../../dispatch/mat.ts";
import type { AccessRead } from "../../memory/access-read.ts";
import type { AccessWrite } from "../../memory/access-write.ts";
import type { Translate } from "../../memory/translate.ts";
import { Ending, replyForm, replyWord, wordOf } from "../../records/records.ts";
import type { RetryBuffer } from "../../retry/retry-buffer.ts";
import { AnswerKind } from "../../retry/retry-results.ts";
import { syncOp } from "../../sync/sync-ops.ts";
import type { SyncUnit } from "../../sync/sync-unit.ts";
import type { Build } from "./ports.ts";

interface Ends {
  readonly mat: InstanceOf<typeof Mat>;
  readonly fences: InstanceOf<typeof FenceUnit>;
  readonly sync: InstanceOf<typeof SyncUnit>;
  readonly translate: InstanceOf<typeof Translate>;
  readonly reader: InstanceOf<typeof AccessRead>;
  readonly writer: InstanceOf<typeof AccessWrite>;
}

/** Ends of requests to memory. */
export function memoryEndings({ w }: Build, { reader, translate, sync }: Pick<Ends, "reader" | "translate" | "sync">) {
  const ending = Ending(w);
  const reads = map(reader.reply, ending, v => ({ ...v, silent: 0, done: 1 }), { name: "read_ending" });
  const refused = map(
    translate.refused,
    ending,
    v => ({
      slot: v.slot,
      form: replyForm.short,
      word: wordOf(v.indirect).is(2),
      opcode: v.replyOpcode,
      status: v.status,
      silent: v.silent,
      done: 1,
    }),
    { name: "refusal" },
  );
  // An atomic that succeeds has a number to tell; a STORE has none.
  const synced = map(
    sync.reply,
    ending,
    v => ({
      slot: v.slot,
      form: replyForm.short,
      word: mux(
        v.op.lt(syncOp.store).and(v.status.eq(statusBits.OK)),
        constant(replyWord.behind, 2),
        constant(replyWord.none, 2),
      ),
      opcode: v.replyOpcode,
      status: v.status,
      silent: v.silent,
      done: 1,
    }),
    { name: "sync_ending" },
  );
  return { reads, refused, synced };
}

/** Repetitions are answered as the first was. Only the replies of atomics have the reply opcode of READ here. */
export function repeatedEndings({ w }: Build, again: InstanceOf<typeof RetryBuffer>["answer"]) {
  const replayed = node(again.payload.kind.eq(AnswerKind.replayed));
  const waits = node(again.payload.kind.eq(AnswerKind.full).or(again.payload.kind.eq(AnswerKind.yields)), {
    name: "waits",
  });
  const unheard = node(again.fire.and(again.payload.silent), { name: "unheard" });
  const answers = map(
    again,
    Ending(w),
    v => {
      const tells = v.kind
        .eq(AnswerKind.replayed)
        .and(v.status.eq(statusBits.OK))
        .and(v.replyOpcode.eq(opcodeBits.READ_REPLY));
      return {
        slot: v.slot,
        form: mux(v.kind.eq(AnswerKind.busy).or(waits), constant(replyForm.bare, 2), replyForm.short),
        word: priority(
          [waits, constant(replyWord.wait, 2)],
          [tells, constant(replyWord.behind, 2)],
          constant(replyWord.none, 2),
        ),
        opcode: v.replyOpcode,
        status: v.status,
        silent: v.silent,
        done: 0,
      };
    },
    { name: "answer" },
  );
  return { answers, unheard, replayed };
}

/** Every ending, in the order of their turns. */
export function joinEndings(
  { w }: Build,
  { mat, fences, writer }: Ends,
  { reads, refused, synced }: ReturnType<typeof memoryEndings>,
  answers: ReturnType<typeof repeatedEndings>["answers"],
) {
  const ending = Ending(w);
  const fenced = map(
    fences.reply,
    ending,
    v => ({
      slot: v.slot,
      form: replyForm.bare,
      word: replyWord.none,
      opcode: 0,
      status: mux(v.refused, statusBits.BUSY, statusBits.OK),
      silent: 0,
      done: 0,
    }),
    { name: "fenced" },
  );
  const bare = map(mat.reply, ending, v => ({ ...v, silent: 0, done: 0 }), { name: "bare" });

  // Registers in both directions: each block's own logic ends here, and what it says of its readiness begins.
  const endings = [reads, writer.ending, refused, synced, answers, fenced].map((e, i) =>
    stage(e, "full", { name: `ending_${i}` }),
  );
  return arbiter([...endings, stage(bare, "backward", { name: "bare_ending" })], { name: "endings" });
}
