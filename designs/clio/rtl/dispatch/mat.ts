import {
  assignView,
  bit,
  type Bit,
  bitsFor,
  cat,
  connect,
  constant,
  Fifo,
  input,
  instance,
  lowestFlat,
  module,
  mux,
  node,
  orTree,
  output,
  ram,
  reg,
  sink,
  source,
  stage,
  stream,
  struct,
  uint,
  type UInt,
  vec,
  when,
} from "../../../../hdl-dsl/index.ts";
import { accessBody, casBody, faaBody, status } from "../../wire/index.ts";
import {
  defaultMatTable,
  matAction,
  type MatAction,
  type matEntryFields,
  matRules,
  matWords,
  syncOperation,
} from "../../registers/index.ts";
import {
  Asked,
  clientBits,
  frameKind,
  NetRequest,
  operationBits,
  plainOp,
  Reply,
  replyForm,
  replyWord,
  SlowFrame,
  syncOpBits,
} from "../records/records.ts";
import { lengthBits, Release, slotBits } from "../../../shared/frame/index.ts";

export interface MatParameters {
  readonly slots: number;
  /** Largest `length` of an access, bytes. */
  readonly maxData: number;
  /**
   * Without the registers between the stages (cells.ts): latency 0 to `asked`, `reply` and `slow`, 1 to `release`.
   * `request` then fires together with the output that results.
   */
  readonly compact?: true;
}

/** An entry of the table: the action for an opcode. Its bits as the registers show them stand in ../registers. */
export const MatEntry = struct({
  action: uint(3),
  write: bit,
  silent: bit,
  operation: uint(3),
  replyOpcode: uint(8),
}) satisfies { readonly fields: { readonly [K in keyof typeof matEntryFields]: unknown } };
export const MatRule = struct({ valid: bit, pid: uint(16), action: uint(3) });
export const MatWrite = struct({ en: bit, opcode: uint(8), entry: MatEntry });
export const MatEvents = struct({
  nacks: bit,
  malformed: bit,
  invalid: bit,
  busy: bit,
  unanswered: bit,
  dropRule: bit,
  dropReply: bit,
  pingpongs: bit,
  arpReplies: bit,
  icmpReplies: bit,
  slowRequests: bit,
  extendRequests: bit,
});

/** Bytes that an atomic works on. */
const atomicBytes = 8;

/** Requests that may wait for the slow path: the others keep the fast path going. */
export const slowLimit = (p: { readonly slots: number }): number => Math.max(1, p.slots / 4);

/**
 * Match-and-action table (paper §4.3.2): decides where each request goes. The decision is by the opcode, or by a rule
 * for the PID, and by the request's form (../model/rules.md, section 4). The destinations are memory (`asked`:
 * accesses, atomics, pointers, fences), a reply (NACK, MALFORMED, INVALID, BUSY, echo), the slow path, and none
 * (`release` frees the slot).
 *
 * A reply (`request.reply`) is never answered: one for the slow path goes there while there is room, any other nowhere.
 *
 * Latency: 1 cycle to `asked`, 2 to `reply`, `slow` and `release` (`events` too). Initiation interval: 1. Full: when
 * `asked` or `reply` stalls, two requests wait here, then `request.ready` is 0 (a register: it follows no other stream
 * within the cycle). `slow` never stalls the table. At most slots / 4 requests are out at the slow path, from `slow` to
 * `slow_release`, and a queue here has room for all of them. One request more is answered BUSY. The table is written at
 * any time; a request that is taken in the same cycle still sees the old entry. Reset leaves its content alone.
 */
export const Mat = module(
  "Mat",
  (p: MatParameters) => ({
    request: sink(NetRequest(p)),
    asked: source(Asked(p)),
    reply: source(Reply(p)),
    slow: source(SlowFrame(p)),
    slowRelease: input(bit),
    release: output(Release(p)),
    matWrite: input(MatWrite),
    rules: input(vec(MatRule, matRules)),
    /** A look at the table for the registers, in the same cycle. */
    matOpcode: input(uint(8)),
    matEntry: output(MatEntry),
    events: output(MatEvents),
  }),
  (io, p) => {
    const entryBits = Object.entries(MatEntry.fields as Readonly<Record<string, { readonly width: number }>>);
    const table = ram(MatEntry, {
      depth: matWords,
      collision: "old",
      style: "distributed",
      init: defaultMatTable.map(
        e =>
          entryBits.reduce(
            (sum, [name, f]) => ({ word: sum.word | (e[name as keyof typeof e] << sum.at), at: sum.at + f.width }),
            { word: 0, at: 0 },
          ).word,
      ),
    });
    table.write(io.matWrite.en, io.matWrite.opcode, io.matWrite.entry);
    assignView(io.matEntry, table.readAsync(io.matOpcode), "mat_entry");

    const v = io.request.payload;
    const entry = table.readAsync(v.opcode);
    const matching = node(
      cat(
        ...io.rules
          .toArray()
          .map(r => r.valid.and(r.pid.eq(v.pid)))
          .reverse(),
      ),
    );
    // The lowest, without an adder's carries.
    const chosen = node(lowestFlat(matching));
    /** Whether the rule that counts, or else the table, says so. */
    const says = (...actions: readonly MatAction[]): Bit => {
      const among = (code: UInt): Bit => actions.map(a => code.eq(matAction[a])).reduce((x, y) => x.or(y));
      return orTree([
        ...io.rules.toArray().map((r, i) => chosen.bit(i).and(among(r.action as UInt))),
        matching
          .any()
          .not()
          .and(among(entry.action as UInt)),
      ]);
    };

    // The form of an access; `body` is what came after the header.
    const dataCame = node(v.body.sub(accessBody.bytes));
    const does = (o: keyof typeof syncOperation): Bit => entry.operation.eq(syncOperation[o]);
    const noAccess = node(v.body.lt(accessBody.bytes));
    const noOperands = node(
      noAccess
        .or(does("cas").and(v.body.lt(casBody.bytes)))
        .or(does("faa").or(does("store")).and(v.body.lt(faaBody.bytes))),
    );
    const unaligned = node(v.va.bits(0, 3).any());
    const clio = node(v.kind.eq(frameKind.clio));

    // Requests out at the slow path. A request that was taken in the last cycle is counted in this one.
    const waiting = reg(uint(bitsFor(slowLimit(p))), { init: 0 });
    const takenSlow = reg(bit, { init: 0 });
    const takenFull = reg(bit);
    const slowTaken = node(takenSlow.and(takenFull.not()));
    const slowFull = node(waiting.eq(slowLimit(p)).or(slowTaken.and(waiting.eq(slowLimit(p) - 1))));
    when(slowTaken.and(io.slowRelease.not()), () => waiting.set(waiting.add(1))).elseWhen(
      io.slowRelease.and(slowTaken.not()),
      () => waiting.set(waiting.sub(1)),
    );

    // Facts about a request when it is taken. Registered before anything is concluded from it: the compare of the pids
    // alone takes half a cycle.
    const Known = struct({
      slot: uint(slotBits(p)),
      pid: uint(16),
      va: uint(64),
      length: uint(lengthBits),
      frame: uint(lengthBits),
      opcode: uint(8),
      replyOpcode: uint(8),
      write: bit,
      silent: bit,
      /** No Clio request; ARP, if so. */
      other: bit,
      arp: bit,
      /** A request that the MAC found bad; one for the node's own process; one without a fault: the action decides. */
      corrupt: bit,
      foreign: bit,
      sound: bit,
      /** A reply: never answered. It goes to the slow path, whose software may have asked, or nowhere. */
      reply: bit,
      maySlow: bit,
      /** The action, if it is one of these. */
      fast: bit,
      sync: bit,
      slow: bit,
      extend: bit,
      echo: bit,
      drop: bit,
      /** Operation for the sync unit: an atomic, a fetch of a pointer, a fence. */
      op: uint(syncOpBits),
      atomic: bit,
      pointer: bit,
      fence: bit,
      /** No access has this form; no write has; no atomic; no pointer stands there. */
      badAccess: bit,
      badWrite: bit,
      badAtomic: bit,
      unaligned: bit,
      slowFull: bit,
      tracked: bit,
      introduces: bit,
      client: uint(clientBits),
      operation: uint(operationBits),
    });
    const known = stream(Known);
    const whole = node(clio.and(v.corrupt.not()).and(v.malformed.not())),
      sound = node(whole.and(v.foreign.not()).and(v.reply.not())),
      maySlow = node(whole.and(v.foreign.not().or(v.reply)));
    known.valid.set(io.request.valid);
    io.request.ready.set(known.ready);
    known.payload.set({
      slot: v.slot,
      pid: v.pid,
      va: v.va,
      length: v.length.trunc(lengthBits),
      frame: v.frame,
      opcode: v.opcode,
      replyOpcode: entry.replyOpcode,
      write: entry.write,
      silent: entry.silent,
      other: clio.not(),
      arp: v.kind.eq(frameKind.arp),
      corrupt: clio.and(v.corrupt),
      foreign: whole.and(v.foreign),
      sound,
      reply: clio.and(v.reply),
      maySlow,
      fast: says("fast"),
      sync: says("sync"),
      slow: says("slow"),
      extend: says("extend"),
      echo: says("echo"),
      drop: says("drop"),
      op: entry.operation,
      atomic: does("tas").or(does("cas")).or(does("faa")).or(does("store")),
      pointer: does("derefRead").or(does("derefWrite")),
      fence: does("fence"),
      badAccess: noAccess.or(v.length.eq(0)).or(v.length.gt(p.maxData)),
      badWrite: v.length.gt(dataCame.zext(32)),
      badAtomic: noOperands.or(v.length.ne(atomicBytes)).or(unaligned),
      unaligned,
      slowFull: slowFull,
      tracked: v.tracked,
      introduces: v.retry.not(),
      client: v.client,
      operation: v.operation,
    });
    takenSlow.set(io.request.fire.and(maySlow.and(says("slow")).or(sound.and(says("extend")))));
    takenFull.set(slowFull);

    // Outputs that result. A malformed request and a code that means nothing are refused.
    const decided = p.compact === true ? known : stage(known, "full", { name: "decided" });
    const d = decided.payload;
    const goesSlow = node(d.maySlow.and(d.slow).or(d.sound.and(d.extend)));
    const plainForm = node(d.badAccess.or(d.write.and(d.badWrite)).not());
    const syncForm = node(
      d.fence.or(d.atomic.and(d.badAtomic.not())).or(d.pointer.and(plainForm).and(d.unaligned.not())),
    );
    const toAccess = node(d.sound.and(d.fast.and(plainForm).or(d.sync.and(syncForm))));
    const toSlow = node(goesSlow.and(d.slowFull.not()));
    const busy = node(goesSlow.and(d.slowFull).and(d.reply.not()));
    const echo = node(d.other.or(d.sound.and(d.echo)));
    const drops = node(d.sound.and(d.drop));
    const refused = node(toAccess.or(toSlow).or(echo).or(drops).or(d.reply).not());
    const unanswered = node(refused.and(d.silent));
    const ignored = node(d.reply.and(toSlow.not()));
    const toRelease = node(drops.or(unanswered).or(ignored));
    const toReply = node(echo.or(refused.and(d.silent.not())));

    io.asked.valid.set(decided.valid.and(toAccess));
    io.asked.payload.set({
      access: {
        slot: d.slot,
        pid: d.pid,
        va: d.va,
        length: d.length,
        write: d.write,
        silent: d.silent,
        replyOpcode: d.replyOpcode,
        op: mux(d.sync, d.op, constant(plainOp, syncOpBits)),
        indirect: 0,
      },
      tracked: d.tracked,
      keeps: d.write,
      introduces: d.introduces,
      fence: d.sync.and(d.fence),
      client: d.client,
      operation: d.operation,
    });
    const replies = stream(Reply(p));
    replies.valid.set(decided.valid.and(toReply));
    replies.payload.set({
      slot: d.slot,
      form: mux(echo, constant(replyForm.echo, 2), replyForm.bare),
      word: replyWord.none,
      opcode: mux(refused, d.opcode, d.replyOpcode),
      status: mux(
        refused.not(),
        constant(status.OK, 4),
        mux(
          d.corrupt,
          constant(status.NACK, 4),
          mux(busy, constant(status.BUSY, 4), mux(d.foreign, constant(status.INVALID, 4), status.MALFORMED)),
        ),
      ),
    });
    connect(p.compact === true ? replies : stage(replies, "full"), io.reply);
    const slowQueue = instance(Fifo({ shape: SlowFrame(p), depth: Math.max(2, slowLimit(p)), style: "distributed" }));
    slowQueue.push.valid.set(decided.valid.and(toSlow));
    slowQueue.push.payload.set({ slot: d.slot, frame: d.frame });
    connect(slowQueue.pop, io.slow);
    decided.ready.set(
      toAccess.and(io.asked.ready).or(toReply.and(replies.ready)).or(toSlow.and(slowQueue.push.ready)).or(toRelease),
    );
    const released = reg(bit, { init: 0 });
    const releasedSlot = reg(uint(slotBits(p)));
    released.set(decided.valid.and(toRelease));
    releasedSlot.set(d.slot);
    io.release.set({ valid: released, slot: releasedSlot });

    const happened = reg(MatEvents, { init: 0 });
    const leaves = node(decided.fire);
    const refuses = node(leaves.and(refused));
    happened.set({
      nacks: refuses.and(d.corrupt),
      busy: refuses.and(busy),
      malformed: refuses.and(d.corrupt.or(busy).or(d.foreign).not()),
      invalid: refuses.and(d.foreign),
      unanswered: leaves.and(unanswered),
      dropRule: leaves.and(drops),
      dropReply: leaves.and(ignored),
      pingpongs: leaves.and(echo).and(d.other.not()),
      arpReplies: leaves.and(d.arp),
      icmpReplies: leaves.and(d.other).and(d.arp.not()),
      slowRequests: leaves.and(toSlow).and(d.extend.not()),
      extendRequests: leaves.and(toSlow).and(d.extend),
    });
    io.events.set(happened);
  },
);
