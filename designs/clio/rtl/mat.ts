import { assignView, bit, bitsFor, connect, constant, demux, Fifo, instance, lowestSet, cat, mux, node, onehotMux, output, input, ram, reg, sink, source, stage, stream, struct, switchOn, uint, vec, when, wire, module, type UInt } from "../../../hdl-dsl/index.ts";
import { accessBody, status } from "../../packets/index.ts";
import type { matEntryFields} from "../registers/index.ts";
import { defaultMatTable, matAction, matRules, matWords } from "../registers/index.ts";
import { Access, frameKind, lengthBits, NetRequest, Release, Reply, replyForm, SlowFrame, slotBits } from "./types.ts";

export interface MatParameters {
  readonly slots: number;
  /** Largest `length` of an access, bytes. */
  readonly maxData: number;
}

/** An entry of the table: what is done with an opcode. Its bits as the registers show them stand in ../registers. */
export const MatEntry = struct({ action: uint(3), write: bit, silent: bit, operation: uint(3), replyOpcode: uint(8) }) satisfies { readonly fields: { readonly [K in keyof typeof matEntryFields]: unknown } };
export const MatRule = struct({ valid: bit, pid: uint(16), action: uint(3) });
export const MatWrite = struct({ en: bit, opcode: uint(8), entry: MatEntry });
export const MatEvents = struct({ nacks: bit, malformed: bit, busy: bit, unanswered: bit, dropRule: bit, pingpongs: bit, arpReplies: bit, icmpReplies: bit, slowRequests: bit, extendRequests: bit });

/** Requests that may wait for the slow path: the others keep the fast path going. */
export const slowLimit = (p: { readonly slots: number }): number => Math.max(1, p.slots / 4);

/** Where a request goes. */
const way = { access: 0, reply: 1, slow: 2, release: 3 } as const;
const ways = Object.keys(way).length;

/**
 * Match-and-action table (paper §4.3.2): decides by the opcode, or by a rule for the pid, and by the request's form (../model/rules.md, section 4), where each
 * request goes: to memory (`access`), straight to a reply (NACK, MALFORMED, BUSY, echo), to the slow path, or nowhere (`release` frees its slot).
 *
 * Latency: 1 cycle (`slow`: 2). Initiation interval: 1. Full: when `access` or `reply` stalls, what comes behind waits. `slow` never stalls it: at most slots / 4
 * requests are out at the slow path at a time (from `slow` to `slow_release`) and find room in a queue here; one more is answered BUSY.
 * The table is written at any time; a request in the same cycle still sees the old entry. Reset leaves its content alone.
 */
export const Mat = module("Mat",
  (p: MatParameters) => ({
    request: sink(NetRequest(p)), access: source(Access(p)), reply: source(Reply(p)), slow: source(SlowFrame(p)), slow_release: input(bit), release: output(Release(p)),
    mat_write: input(MatWrite), rules: input(vec(MatRule, matRules)),
    /** A look at the table for the registers, in the same cycle. */
    mat_opcode: input(uint(8)), mat_entry: output(MatEntry), events: output(MatEvents),
  }),
  (io, p) => {
    const entryBits = Object.entries(MatEntry.fields as Readonly<Record<string, { readonly width: number }>>);
    const table = ram(MatEntry, {
      depth: matWords, collision: "old", style: "distributed",
      init: defaultMatTable.map(e => entryBits.reduce((sum, [name, f]) => ({ word: sum.word | e[name as keyof typeof e] << sum.at, at: sum.at + f.width }), { word: 0, at: 0 }).word),
    });
    table.write(io.mat_write.en, io.mat_write.opcode, io.mat_write.entry);
    assignView(io.mat_entry, table.readAsync(io.mat_opcode), "mat_entry");

    const v = io.request.payload;
    const entry = table.readAsync(v.opcode);
    const matching = node(cat(...io.rules.toArray().map(r => r.valid.and(r.pid.eq(v.pid))).reverse()));
    const chosen = node(lowestSet(matching));
    const action = node(mux(matching.any(), onehotMux(io.rules.toArray().map((_, i) => chosen.bit(i)), io.rules.toArray().map(r => r.action as UInt)), entry.action as UInt));

    // The form of an access; `body` is what came after the header.
    const data_came = node(v.body.sub(accessBody.bytes));
    const bad_form = node(v.body.lt(accessBody.bytes).or(v.length.eq(0)).or(v.length.gt(p.maxData)).or(entry.write.and(v.length.gt(data_came.zext(32)))));

    // Requests out at the slow path.
    const waiting = reg(uint(bitsFor(slowLimit(p))), { init: 0 });
    const slow_full = node(waiting.eq(slowLimit(p)));

    const refused = wire(bit);
    const refusal = wire(uint(4));
    const to = wire(uint(bitsFor(ways - 1)));
    const echo = wire(bit);
    refused.set(0); refusal.set(status.MALFORMED); to.set(way.reply); echo.set(0);
    when(v.kind.ne(frameKind.clio), () => { echo.set(1); })
      .elseWhen(v.corrupt, () => { refused.set(1); refusal.set(status.NACK); })
      .elseWhen(v.malformed, () => { refused.set(1); })
      .otherwise(() => {
        switchOn(action)
          .is(matAction.fast, () => { when(bad_form, () => { refused.set(1); }).otherwise(() => { to.set(way.access); }); })
          .is([matAction.slow, matAction.extend], () => {
            when(slow_full, () => { refused.set(1); refusal.set(status.BUSY); }).otherwise(() => { to.set(way.slow); });
          })
          .is(matAction.echo, () => { echo.set(1); })
          .is(matAction.drop, () => { to.set(way.release); })
          // Malformed; sync, which this version's hardware does not have; a code that means nothing.
          .otherwise(() => { refused.set(1); });
      });

    const Decided = struct({
      to: uint(bitsFor(ways - 1)), slot: uint(slotBits(p)), pid: uint(16), va: uint(64), length: uint(lengthBits), write: bit, silent: bit, opcode: uint(8),
      form: uint(2), status: uint(4), frame: uint(lengthBits),
    });
    const unanswered = node(refused.and(entry.silent));
    const decision = stream(Decided);
    decision.valid.set(io.request.valid);
    io.request.ready.set(decision.ready);
    decision.payload.set({
      to: mux(unanswered, constant(way.release, to.width), to), slot: v.slot, pid: v.pid, va: v.va, length: v.length.trunc(lengthBits), write: entry.write, silent: entry.silent,
      opcode: mux(refused, v.opcode, entry.replyOpcode), form: mux(echo, constant(replyForm.echo, 2), replyForm.bare), status: mux(refused, refusal, status.OK), frame: v.frame,
    });
    const decided = stage(decision, "forward");
    const [to_access, to_reply, to_slow, to_release] = demux(decided, decided.payload.to, ways, { name: "to" }) as [typeof decided, typeof decided, typeof decided, typeof decided];

    io.access.valid.set(to_access.valid);
    to_access.ready.set(io.access.ready);
    const d = decided.payload;
    io.access.payload.set({ slot: d.slot, pid: d.pid, va: d.va, length: d.length, write: d.write, silent: d.silent, replyOpcode: d.opcode, op: 0, indirect: 0 });
    io.reply.valid.set(to_reply.valid);
    to_reply.ready.set(io.reply.ready);
    io.reply.payload.set({ slot: d.slot, form: d.form, opcode: d.opcode, status: d.status });
    const slow_queue = instance(Fifo({ shape: SlowFrame(p), depth: Math.max(2, slowLimit(p)), style: "distributed" }));
    slow_queue.push.valid.set(to_slow.valid);
    to_slow.ready.set(slow_queue.push.ready);
    slow_queue.push.payload.set({ slot: d.slot, frame: d.frame });
    connect(slow_queue.pop, io.slow);
    to_release.ready.set(1);
    io.release.set({ valid: to_release.valid, slot: d.slot });

    const taken = node(io.request.fire);
    const slow_taken = node(taken.and(to.eq(way.slow)));
    when(slow_taken.and(io.slow_release.not()), () => { waiting.set(waiting.add(1)); })
      .elseWhen(io.slow_release.and(slow_taken.not()), () => { waiting.set(waiting.sub(1)); });

    const clio = v.kind.eq(frameKind.clio);
    const why = (code: number): typeof taken => taken.and(refused).and(refusal.eq(code));
    io.events.set({
      nacks: why(status.NACK), malformed: why(status.MALFORMED), busy: why(status.BUSY), unanswered: taken.and(unanswered), dropRule: taken.and(to.eq(way.release)),
      pingpongs: taken.and(echo).and(clio), arpReplies: taken.and(v.kind.eq(frameKind.arp)), icmpReplies: taken.and(v.kind.eq(frameKind.icmp)),
      slowRequests: slow_taken.and(action.ne(matAction.extend)), extendRequests: slow_taken.and(action.eq(matAction.extend)),
    });
  });
