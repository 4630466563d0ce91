/** Sessions are opened and closed here, one after the other: who holds which, and what is answered. */
import {
  bit,
  type Bit,
  cat,
  constant,
  fsm,
  type FsmControl,
  mux,
  node,
  orTree,
  type Ram,
  ram,
  reg,
  stream,
  type StreamIn,
  type StreamOut,
  struct,
  uint,
  type UInt,
  type Val,
  when,
} from "../../../../../hdl-dsl/index.ts";
import { AxisBeat, keepAll, keepTo } from "../../../../shared/frame/index.ts";
import type { SessionControl } from "../../../../shared/go-back-n/rtl/index.ts";
import { gbnEnd, wireSlotBits } from "../../../../shared/go-back-n/rtl/index.ts";
import { gbnManage, gbnSays } from "../../../wire/index.ts";
import { headerBits } from "../interface.ts";
import { clio, headersOf } from "./classify.ts";
import { managedFrame, type ManageJob } from "./managed-frame.ts";
import { beatBytes, type GbnTaskParameters, type Life, nodeBits } from "./records.ts";

/** A session's holder; `name` is what he calls it. */
const Holder = struct({ taken: bit, ip: uint(32), port: uint(16), node: uint(nodeBits), name: uint(32) });
interface Ends {
  readonly job: ManageJob;
  /** A session that the sender has given up. */
  readonly failed: StreamIn<ReturnType<typeof uint>>;
  readonly controls: readonly StreamOut<ReturnType<typeof SessionControl>>[];
  readonly lives: Ram<typeof Life>;
  /** Nothing is on its way that belongs to a session's life. */
  readonly drained: Bit;
}

/**
 * What the machine keeps: where it looks, what it found, the session that changes, and what is answered. `finish` says
 * what is answered, `change` which session is opened or closed.
 */
function keptOf(index: ReturnType<typeof uint>, controls: Ends["controls"]) {
  const at = reg(index, { init: 0, name: "scan_at" }),
    first = reg(index, { init: 1, name: "next_given" }),
    seen = reg(index, { name: "scan_seen" }),
    fresh = reg(bit, { init: 0, name: "scan_fresh" }),
    left = reg(uint(index.width + 1), { name: "scan_left" }),
    found = { old: reg(bit, { name: "found_old" }), free: reg(bit, { name: "found_free" }) },
    same = reg(bit, { name: "same_name" }),
    old = reg(index, { name: "old_session" }),
    free = reg(index, { name: "free_session" });
  const subject = reg(index, { init: 0, name: "changed_session" }),
    opens = reg(bit, { name: "change_opens" }),
    gaveUp = reg(bit, { name: "gave_up" }),
    says = reg(struct({ status: uint(4), session: uint(16) }), { name: "says" }),
    sent = controls.map((_, i) => reg(bit, { init: 0, name: `told_${i}` })),
    beat = reg(bit, { init: 0, name: "answer_beat" });
  const finish = (status: number | UInt, session: number | UInt): void => {
    says.status.set(typeof status === "number" ? constant(status, 4) : status.is(4));
    says.session.set(typeof session === "number" ? constant(session, 16) : session.zext(16));
  };
  const change = (session: UInt, open: boolean): void => {
    subject.set(session.is(index.width));
    opens.set(open ? 1 : 0);
  };
  return {
    at,
    first,
    seen,
    fresh,
    left,
    found,
    same,
    old,
    free,
    subject,
    opens,
    gaveUp,
    says,
    sent,
    beat,
    finish,
    change,
  };
}
type Kept = ReturnType<typeof keptOf>;

/** What the machine sees. */
interface Seen {
  readonly job: ManageJob;
  readonly failed: Ends["failed"];
  readonly drained: Bit;
  readonly isOpen: Bit;
  readonly row: Val<typeof Holder>;
  readonly sameClient: Bit;
  readonly sameSlot: Bit;
  readonly isSession: Bit;
  /** All that keep something of a session have been told of its change. */
  readonly told: Bit;
}
const phases = ["Sweep", "Idle", "Scan", "Judge", "Look", "Owner", "Stop", "Tell", "Note", "Answer"] as const;
type Phases = FsmControl<(typeof phases)[number]>;

/** After a reset a sweep; then a session that was given up, or a request. */
function beginning(
  s: Phases,
  { at, first, fresh, left, found, subject, gaveUp, change }: Kept,
  { job, failed, isOpen, told }: Seen,
  sessions: number,
) {
  return {
    Sweep: () => {
      when(told, () => {
        subject.set(subject.add(1));
        when(subject.all(), () => s.go("Idle"));
      });
    },
    Idle: () => {
      at.set(first);
      left.set(sessions);
      fresh.set(0);
      found.old.set(0);
      found.free.set(0);
      gaveUp.set(failed.valid);
      when(failed.valid, () => {
        change(failed.payload, false);
        s.go("Stop");
      }).elseWhen(job.valid, () => {
        when(isOpen, () => s.go("Scan")).otherwise(() => s.go("Look"));
      });
    },
  };
}
/** All holders are looked at, and one is chosen. */
function opening(
  s: Phases,
  { at, seen, fresh, left, found, same, old, free, finish, change }: Kept,
  { job, failed, row, sameClient, sameSlot }: Seen,
) {
  return {
    Scan: () => {
      at.set(at.add(1));
      seen.set(at);
      left.set(left.sub(1));
      // Number 0 is management's.
      fresh.set(at.any());
      when(fresh.and(sameClient).and(sameSlot), () => {
        found.old.set(1);
        old.set(seen);
        same.set(row.name.eq(job.session));
      });
      when(fresh.andNot(row.taken.or(found.free)), () => {
        found.free.set(1);
        free.set(seen);
      });
      when(left.any().not(), () => s.go("Judge"));
    },
    Judge: () => {
      // One that was given up meanwhile is not given to somebody else before it is closed.
      when(failed.valid, () => s.go("Idle"))
        .elseWhen(found.old.and(same), () => {
          finish(gbnSays.ok, old);
          s.go("Answer");
        })
        .elseWhen(found.old, () => {
          change(old, false);
          finish(gbnSays.ok, free);
          s.go("Stop");
        })
        .elseWhen(found.free, () => {
          change(free, true);
          finish(gbnSays.ok, free);
          s.go("Stop");
        })
        .otherwise(() => {
          finish(gbnSays.busy, 0);
          s.go("Answer");
        });
    },
  };
}
/** Whose it is. */
function closing(s: Phases, { subject, finish, change }: Kept, { job, sameClient, isSession }: Seen) {
  return {
    Look: () => {
      s.go("Owner");
    },
    Owner: () => {
      when(sameClient.and(isSession), () => {
        change(job.session.trunc(subject.width), false);
        finish(gbnSays.ok, 0);
        s.go("Stop");
      }).otherwise(() => {
        finish(gbnSays.fail, gbnSays.invalid);
        s.go("Answer");
      });
    },
  };
}
/** A session changes while nothing of it is on its way; then the request is answered. */
function changing(
  s: Phases,
  { first, found, free, subject, opens, gaveUp, beat, finish, change }: Kept,
  { drained, isOpen, told }: Seen,
  out: StreamOut<ReturnType<typeof AxisBeat>>,
) {
  return {
    Stop: () => {
      when(drained, () => s.go("Tell"));
    },
    Tell: () => {
      when(told, () => s.go("Note"));
    },
    Note: () => {
      when(gaveUp, () => s.go("Idle"))
        .elseWhen(opens, () => {
          first.set(subject.add(1));
          s.go("Answer");
        })
        // One that begins anew: its old session is closed, and another one is opened, if there is one.
        .elseWhen(isOpen, () => {
          when(found.free, () => {
            change(free, true);
            s.go("Stop");
          }).otherwise(() => {
            finish(gbnSays.busy, 0);
            s.go("Answer");
          });
        })
        .otherwise(() => s.go("Answer"));
    },
    Answer: () => {
      when(out.fire, () => {
        beat.set(beat.not());
        when(beat, () => s.go("Idle"));
      });
    },
  };
}

/**
 * After a reset every session is closed, one a cycle. Then sessions that were given up, and requests, in turn. For
 * OPEN_SESSION all holders are looked at, from the number behind the one that was given last. A session changes while
 * nothing is on its way (`stops`): so no packet and no reply is of two lives. `done`: the request's place is free.
 */
export function sessionsOf(p: GbnTaskParameters, { job, failed, controls, lives, drained }: Ends) {
  const index = uint(Math.log2(p.sessions)),
    holders = ram(Holder, { depth: p.sessions, collision: "undefined", style: "block", name: "holders" }),
    { ip, udp } = headersOf(job.header),
    isOpen = node(job.header.bits(8 * (gbnEnd + clio.opcode), 8).eq(gbnManage.open), { name: "opens_session" });
  const kept = keptOf(index, controls),
    { at, subject, opens, gaveUp, says, sent, beat } = kept;
  const looks = node(isOpen.not(), { name: "looks_up" }),
    row = holders.readSync(mux(looks, job.session.trunc(index.width), at), { name: "holder" }),
    sameClient = node(cat(row.taken, row.ip.eq(ip.src), row.port.eq(udp.srcPort), row.node.eq(job.node)).all(), {
      name: "same_client",
    }),
    sameSlot = node(row.name.trunc(wireSlotBits).eq(job.session.trunc(wireSlotBits)), { name: "same_slot" }),
    isSession = node(job.session.shr(index.width).any().not().and(job.session.any()), { name: "is_a_session" }),
    life = lives.readSync(subject, { name: "life_before" }),
    out = stream(AxisBeat(beatBytes), { name: "managed" });
  const told = node(orTree(controls.map((c, i) => c.ready.not().and((sent[i] as Bit).not()))).not(), {
    name: "all_are_told",
  });

  const seen = { job, failed, drained, isOpen, row, sameClient, sameSlot, isSession, told };
  const phase = fsm(
    phases,
    "Sweep",
    s => ({
      ...beginning(s, kept, seen, p.sessions),
      ...opening(s, kept, seen),
      ...closing(s, kept, seen),
      ...changing(s, kept, seen, out),
    }),
    { name: "sessions" },
  );
  const telling = node(phase.is("Sweep").or(phase.is("Tell")), { name: "tells" }),
    notes = node(phase.is("Note"), { name: "notes" });
  controls.forEach((c, i) => {
    const was = sent[i] as ReturnType<typeof reg<typeof bit>>;
    c.valid.set(telling.andNot(was));
    c.payload.set({ session: subject, open: mux(phase.is("Sweep"), constant(0, 1), opens) });
    when(telling, () => was.set(mux(told, constant(0, 1), was.or(c.ready))));
  });
  failed.ready.set(notes.and(gaveUp));
  holders.write(node(notes.or(phase.is("Sweep")), { name: "writes_holder" }), subject, {
    taken: notes.and(opens),
    ip: ip.src,
    port: udp.srcPort,
    node: job.node.is(nodeBits),
    name: job.session.is(32),
  });
  lives.write(node(notes.and(opens), { name: "begins_life" }), subject, {
    life: life.life.add(1),
    node: job.node.is(nodeBits),
  });
  const [head, tail] = managedFrame(job, says);
  out.valid.set(phase.is("Answer"));
  out.payload.set({
    data: mux(beat, tail, head).is(headerBits),
    keep: mux(beat, keepTo(constant(5, 6), beatBytes), keepAll(beatBytes)).is(beatBytes),
    last: beat,
    user: 0,
  });
  return {
    out,
    /** Nothing new may begin that belongs to a session's life. */
    stops: node(orTree([phase.is("Stop"), telling, notes]), { name: "stops" }),
    done: node(phase.is("Answer").and(out.fire).and(beat), { name: "job_is_done" }),
    busy: node(phase.is("Idle").not(), { name: "changes_sessions" }),
  };
}
export type Sessions = ReturnType<typeof sessionsOf>;
