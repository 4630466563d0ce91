/** The steps of a packet through the KV cache, one packet after the other, and its own services between them. */
import {
  type Bit,
  cat,
  fsm,
  linearMap,
  mux,
  node,
  pack,
  type StreamIn,
  type StreamOut,
  type UInt,
  type Val,
  when,
} from "../../../../../hdl-dsl/index.ts";
import { kvAskerHash, kvKeyHash } from "../../../wire/index.ts";
import type { TaskPacket } from "../interface.ts";
import type { PayloadBeat } from "../payload.ts";
import { flag, type PacketState } from "./packet.ts";
import { type FillBeat, hashBits, keyBits, type Pending, pendingBits } from "./records.ts";
import type { Time } from "./time.ts";

interface Ends {
  readonly packet: StreamIn<typeof TaskPacket>;
  readonly payload: StreamIn<typeof PayloadBeat>;
  /** Beats of a value that is kept. */
  readonly beats: StreamOut<typeof FillBeat>;
  /** The answer is taken. */
  readonly answered: Bit;
}
interface Known {
  readonly pending: Val<typeof Pending>;
  readonly staysAsItIs: Bit;
  readonly fill: { readonly ready: Bit; readonly key: UInt };
  /** Decided now: its value is found; it is kept. */
  readonly hits: Bit;
  readonly begins: Bit;
}
type Flag = ReturnType<typeof flag>;
const names = [
  "Idle",
  "Class",
  "Sort",
  "Key",
  "Find",
  "Fetch",
  "Track",
  "Hash",
  "Issue",
  "Match",
  "Judge",
  "Decide",
  "Answer",
] as const;

/** What the packet is, by its header. */
function sort(p: PacketState, usable: Bit): void {
  p.read.set(p.is.read.and(usable));
  p.write.set(p.is.write.and(usable));
  p.unknown.set(p.is.unknown.and(usable));
  p.readReply.set(p.is.readReply.and(usable));
  p.writeReply.set(p.is.writeReply.and(usable));
  p.tracked.set(p.is.tracked);
  p.settled.set(p.is.settled);
  p.fits.set(p.is.fits);
}
/** Who asks: of a reply, whoever gets it. */
function setAsker({ asker, fields: f }: PacketState, isReply: Bit): void {
  asker.set({
    ip: mux(isReply, f.dst, f.src).is(32),
    port: mux(isReply, f.dstPort, f.srcPort).is(16),
    pid: f.pid.is(16),
    request: f.request.is(32),
    tag: f.tag.is(8),
    seq: f.seq.is(8),
  });
}
/** The payload's beats: a key, a value that is kept, or nothing that is looked at. */
function takeBeats({ payload, beats }: Ends, inKey: Bit, draining: Flag, filling: Flag): void {
  beats.valid.set(payload.valid.and(filling));
  beats.payload.set({ data: payload.payload.data });
  payload.ready.set(inKey.or(draining.and(filling.not().or(beats.ready))));
  when(draining.and(payload.fire).and(payload.payload.last), () => {
    draining.set(0);
    filling.set(0);
  });
}

/** Gives what goes on, and when the tables are to be read; `drops`: the read is answered here. */
export function stepsOf(io: Ends, p: PacketState, time: Time, known: Known) {
  const served = flag("served_last"),
    some = flag("has_payload"),
    answered = flag("is_answered"),
    drops = flag("drops"),
    draining = flag("drains"),
    filling = flag("fills_beats");
  const hasKey = node(p.read.or(p.write), { name: "has_key_to_come" }),
    isReply = node(p.readReply.or(p.writeReply), { name: "is_reply" }),
    wantsService = node(known.fill.ready.or(time.due.andNot(time.sweeping)), { name: "wants_service" }),
    servesNow = node(wantsService.and(served.not().or(io.packet.valid.not())), { name: "serves_now" });
  const setPlace = (): void => p.askerAt.set(linearMap(pack(p.asker), pendingBits, kvAskerHash).is(pendingBits)),
    { read, write, unknown, readReply, writeReply, ages, installs } = p;
  const phase = fsm(names, "Idle", s => ({
    Idle: () => {
      for (const r of [read, write, unknown, readReply, writeReply, ages, installs, drops, answered]) r.set(0);
      when(servesNow, () => {
        served.set(1);
        when(known.fill.ready, () => {
          installs.set(1);
          p.key.set(known.fill.key.is(keyBits));
          s.go("Hash");
        }).otherwise(() => {
          ages.set(1);
          time.due.set(0);
          p.askerAt.set(time.ageAt);
          s.go("Fetch");
        });
      }).elseWhen(io.packet.valid, () => {
        served.set(0);
        p.who.set(io.packet.payload);
        some.set(io.packet.payload.payloadBytes.any());
        s.go("Class");
      });
    },
    Class: () => {
      sort(p, p.is.ours.andNot(time.sweeping));
      s.go("Sort");
    },
    Sort: () => {
      setAsker(p, isReply);
      draining.set(some.andNot(hasKey).andNot(readReply));
      when(hasKey, () => s.go("Key"))
        .elseWhen(isReply, () => s.go("Find"))
        .elseWhen(unknown, () => s.go("Decide"))
        .otherwise(() => s.go("Answer"));
    },
    Key: () => {
      setPlace();
      p.key.set(cat(io.payload.payload.data.bits(0, 48), p.fields.keyLow, p.fields.pid).is(keyBits));
      when(io.payload.valid, () => {
        draining.set(io.payload.payload.last.not());
        s.go("Hash");
      });
    },
    Find: () => {
      setPlace();
      s.go("Fetch");
    },
    Fetch: () => s.go("Track"),
    Track: () => {
      p.key.set(cat(known.pending.key, known.pending.asker.pid).is(keyBits));
      when(ages, () => p.asker.set(known.pending.asker));
      when(ages.and(known.staysAsItIs), () => s.go("Idle")).otherwise(() => s.go("Hash"));
    },
    Hash: () => {
      p.hash.set(linearMap(p.key, hashBits, kvKeyHash).is(hashBits));
      s.go("Issue");
    },
    Issue: () => s.go("Match"),
    Match: () => s.go("Judge"),
    Judge: () => s.go("Decide"),
    Decide: () => {
      drops.set(known.hits);
      when(known.begins, () => filling.set(1));
      when(readReply, () => draining.set(some));
      when(p.serves, () => s.go("Idle")).otherwise(() => s.go("Answer"));
    },
    Answer: () => {
      when(io.answered, () => answered.set(1));
      when(answered.or(io.answered).andNot(draining), () => s.go("Idle"));
    },
  }));
  p.decides.set(phase.is("Judge").or(phase.is("Sort").and(unknown)));
  takeBeats(io, phase.is("Key"), draining, filling);
  io.packet.ready.set(phase.is("Idle").andNot(servesNow));
  return {
    drops,
    draining,
    answers: node(phase.is("Answer").andNot(answered), { name: "answers_now" }),
    asks: phase.is("Idle").or(phase.is("Find")).or(phase.is("Hash")),
    issues: phase.is("Hash"),
  };
}
