import {
  bit,
  constant,
  decode,
  fromBits,
  fsm,
  type FsmControl,
  mux,
  node,
  priority,
  ram,
  reg,
  scope,
  type StreamIn,
  type StreamOut,
  struct,
  uint,
  type UInt,
  type UIntShape,
  when,
} from "../../../../hdl-dsl/index.ts";
import { statusBits } from "../../../clio/wire/index.ts";
import { type EngineParameters, tagBits } from "../../config/index.ts";
import { mostWords, noInstruction, registers } from "../../wire/index.ts";
import { accessCount } from "./access-count.ts";
import { chooseResult, compute } from "./alu.ts";
import type { Completed, Waiting } from "./contexts.ts";
import { comparesRd, cutInstruction, decodeInstruction } from "./decode.ts";
import type { Taken } from "./intake.ts";
import { known, type RegisterPorts } from "./register-file.ts";
import { perContext, runningOf, Saved, startOf } from "./running.ts";
import type { MemoryAsk, WicReply, Word } from "./types.ts";

export interface CoreSurroundings {
  readonly front: StreamIn<ReturnType<typeof Completed>>;
  readonly back: StreamIn<ReturnType<typeof Waiting>>;
  readonly yielding: StreamOut<ReturnType<typeof Waiting>>;
  readonly freed: StreamOut<UIntShape>;
  readonly taken: Taken;
  /** The instruction at an address, a cycle later. */
  readonly fetch: (address: UInt) => UInt;
  readonly file: RegisterPorts;
  readonly asked: (en: UInt<1>, context: UInt, register: UInt) => void;
  readonly ended: UInt<1>;
  readonly base: UInt;
  readonly reply: StreamOut<typeof WicReply>;
  readonly replyData: StreamOut<typeof Word>;
  readonly memory: StreamOut<ReturnType<typeof MemoryAsk>>;
  readonly memoryData: StreamOut<typeof Word>;
}

/** Why a request ends without its program's reply. */
const failures = { spent: statusBits.QUOTA, illegal: statusBits.MALFORMED, fail: statusBits.FAIL } as const;

/** One bit for each register: the first `n` of them, 8 at most. */
const firstRegisters = (n: UInt): UInt =>
  fromBits(Array.from({ length: registers }, (_, i) => (i < mostWords ? n.gt(i) : constant(0, 1))));
const bitOf = (of: UInt, index: UInt): UInt<1> => of.shr(index).bit(0);

type Control = FsmControl<
  "pick" | "restore" | "fetch" | "decode" | "read" | "execute" | "ask" | "answer" | "word" | "give" | "save" | "free"
>;
type Running = ReturnType<typeof runningOf>;

/** What is kept of the contexts that do not run. */
function restingOf(p: EngineParameters, io: CoreSurroundings, r: Running) {
  const saved = ram(Saved, perContext(p, "saved")),
    begun = ram(struct({ start: uint(16), words: uint(4), tag: uint(tagBits) }), perContext(p, "begun"));
  const { request } = io.taken;
  begun.write(io.taken.queued, io.taken.context, {
    start: startOf(request.program).is(16),
    words: request.words,
    tag: request.tag,
  });
  const asFresh = begun.readAsync(r.context),
    asSaved = saved.readAsync(r.context);

  return { saved, asFresh, asSaved };
}
type Resting = ReturnType<typeof restingOf>;

/** What the steps share. */
interface Parts {
  readonly p: EngineParameters;
  readonly io: CoreSurroundings;
  readonly r: Running;
  readonly d: ReturnType<typeof decodeInstruction>;
  readonly resting: Resting;
  readonly instruction: UInt;
}

/** A context is picked, and its registers are restored. */
function pickSteps({ p, io, r, resting: { asFresh, asSaved } }: Parts, resumes: UInt<1>, go: Control) {
  return {
    pick: () => {
      r.context.set(mux(io.front.valid, io.front.payload.context, io.back.payload.context));
      r.fresh.set(io.front.valid.not().and(io.back.payload.fresh));
      r.status.set(mux(io.front.valid, io.front.payload.status, statusBits.OK));
      r.wait.set(p.yieldCycles);
      when(resumes, () => go.go("restore"));
    },
    restore: () => {
      r.pc.set(mux(r.fresh, asFresh.start, asSaved.pc));
      r.steps.set(mux(r.fresh, constant(0, 16), asSaved.steps));
      r.known.set(mux(r.fresh, firstRegisters(asFresh.words), asSaved.known));
      r.writes.set(0);
      r.wait.set(r.wait.sub(1));
      when(r.wait.eq(0), () => {
        go.go("fetch");
        when(r.status.ne(statusBits.OK), () => go.go("answer"));
      });
    },
  };
}

/** An instruction. */
function runSteps(
  { p, io, r, d, instruction }: Parts,
  outside: UInt<1>,
  outcome: ReturnType<typeof compute>,
  go: Control,
) {
  return {
    fetch: () => {
      when(r.writes, () => r.known.set(r.known.or(decode(d.rd, 16))));
      go.go("decode");
    },
    decode: () => {
      const f = cutInstruction(instruction);
      r.instruction.set(mux(outside, constant(noInstruction, 32), instruction));
      r.knownA.set(bitOf(r.known, f.ra));
      r.knownB.set(bitOf(r.known, mux(comparesRd(instruction), f.rd, f.rb)));
      go.go("read");
    },
    read: () => {
      r.a.set(known(r.knownA, io.file.a));
      r.b.set(mux(d.usesImmediate, d.immediate, known(r.knownB, io.file.b)));
      r.choice.set(chooseResult(d));
      r.illegal.set(d.illegal);
      r.spent.set(r.steps.eq(p.mostSteps));
      r.steps.set(r.steps.add(1));
      go.go("execute");
    },
    execute: () => {
      r.result.set(outcome.result);
      r.pc.set(mux(outcome.taken, d.imm, r.pc.add(1)));
      r.index.set(0);
      r.words.set(mux(d.reply, d.count, d.sends));
      r.replying.set(d.reply);
      r.status.set(
        priority([r.spent, failures.spent], [r.illegal, failures.illegal], [d.fail, failures.fail], statusBits.OK),
      );
      r.writes.set(outcome.writes);
      go.go("fetch");
      when(d.access, () => go.go("ask"));
      when(d.gives, () => go.go("save"));
      when(r.spent.or(r.illegal).or(d.fail).or(d.reply), () => go.go("answer"));
    },
  };
}

/** What leaves: an access or a reply, with its words. */
function leaveSteps({ io, r, d }: Parts, out: UInt<1>, go: Control) {
  return {
    ask: () => {
      when(io.memory.ready, () => {
        go.go("word");
        when(r.words.eq(0), () => go.go("save"));
      });
    },
    answer: () => {
      when(io.reply.ready, () => {
        go.go("word");
        when(r.status.ne(statusBits.OK).or(r.words.eq(0)), () => go.go("free"));
      });
    },
    word: () => {
      r.knownA.set(bitOf(r.known, node(d.rd.add(r.index), { name: "next_word" })));
      go.go("give");
    },
    give: () => {
      when(out, () => {
        r.index.set(r.index.add(1));
        go.go("word");
        when(r.index.add(1).eq(r.words), () => {
          go.go("save");
          when(r.replying, () => go.go("free"));
        });
      });
    },
    save: () => {
      go.go("pick");
      when(d.gives.and(io.yielding.ready.not()), () => go.go("save"));
    },
    free: () => go.go("pick"),
  };
}

/** Tells the surroundings. */
function tell(
  { io, r, d, resting: { saved, asFresh }, instruction }: Parts,
  s: Pick<Control, "is">,
  room: UInt<1>,
  begins: UInt<1>,
): void {
  const words = node(s.is("word").or(s.is("give")), { name: "sends_words" }),
    next = cutInstruction(instruction);
  io.file.read({
    context: r.context,
    a: mux(words, d.rd.add(r.index), next.ra),
    b: mux(comparesRd(instruction), next.rd, next.rb),
  });
  io.file.write({ en: s.is("fetch").and(r.writes), context: r.context, register: d.rd, data: r.result });
  io.front.ready.set(s.is("pick").and(room));
  io.back.ready.set(s.is("pick").and(room).and(io.front.valid.not()));
  // An access is saved when its words have left: what it brings may replace a register that it sends.
  const brought = firstRegisters(d.brings).shl(d.rd);
  saved.write(s.is("save"), r.context, { pc: r.pc, steps: r.steps, known: r.known.or(brought) });
  io.yielding.valid.set(s.is("save").and(d.gives));
  io.yielding.payload.set({ context: r.context, fresh: 0 });
  io.freed.valid.set(s.is("free"));
  io.freed.payload.set(r.context);
  io.asked(begins, r.context, d.rd);
  io.memory.valid.set(s.is("ask"));
  io.memory.payload.set({ context: r.context, tag: asFresh.tag, kind: d.kind, va: r.result, words: d.words });
  io.reply.valid.set(s.is("answer"));
  const answered = node(r.status.eq(statusBits.OK), { name: "answered" });
  io.reply.payload.set({ tag: asFresh.tag, status: r.status, words: mux(answered, r.words, constant(0, 4)) });
  const word = known(r.knownA, io.file.a);
  io.memoryData.valid.set(s.is("give").and(r.replying.not()));
  io.memoryData.payload.set(word);
  io.replyData.valid.set(s.is("give").and(r.replying));
  io.replyData.payload.set(word);
}

/**
 * Runs one context after the other, each until it accesses memory, gives way or ends. An instruction takes 4 cycles:
 * fetch (the result before is written), decode, read, execute.
 */
export function core(p: EngineParameters, io: CoreSurroundings) {
  return scope("core", () => {
    const r = runningOf(p);
    const resting = restingOf(p, io, r);

    const d = decodeInstruction(r.instruction, p),
      outcome = compute(d, r.choice, r.a, r.b, io.base);
    const instruction = io.fetch(r.pc),
      outside = node(r.pc.ge(p.programDepth), { name: "outside" });
    const begins = node(io.memory.fire, { name: "begins" }),
      flight = accessCount(p, begins, io.ended);
    const resumes = node(flight.room.and(io.front.valid.or(io.back.valid)), { name: "resumes" });
    const out = node(mux(r.replying, io.replyData.ready, io.memoryData.ready), { name: "out" });
    const parts = { p, io, r, d, resting, instruction };
    const s = fsm(
      ["pick", "restore", "fetch", "decode", "read", "execute", "ask", "answer", "word", "give", "save", "free"],
      "pick",
      go => ({
        ...pickSteps(parts, resumes, go),
        ...runSteps(parts, outside, outcome, go),
        ...leaveSteps(parts, out, go),
      }),
      { name: "state" },
    );

    tell(parts, s, flight.room, begins);
    // With its access taken a context is memory's, though its program counter is still to be saved.
    const away = reg(bit, { init: 0, name: "away" });
    when(begins, () => away.set(1)).elseWhen(s.is("save"), () => away.set(0));
    const holds = node(s.is("pick").or(away).not(), { name: "holds" });
    return { inFlight: flight.count, holds };
  });
}
