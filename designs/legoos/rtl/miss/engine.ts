import {
  bit,
  type Bit,
  cat,
  connect,
  constant,
  fifo,
  firstSet,
  fromBits,
  fsm,
  input,
  instance,
  module,
  mux,
  node,
  output,
  priority,
  ram,
  reg,
  sink,
  source,
  stage,
  stream,
  struct,
  uint,
  type UInt,
  when,
} from "../../../../hdl-dsl/index.ts";
import { AxisBeat } from "../../../shared/frame/index.ts";
import { statusBits } from "../../../clio/wire/index.ts";
import { beatBytes, derived, type Parameters, regionShift } from "../../config/index.ts";
import { part } from "../../wire/index.ts";
import { Finish, Job, Line, LineCommand, lineIdBits, Owner } from "../records/records.ts";
import { Event, NodeWrite, Own, RangeWrite, RegionWrite } from "../records/miss-records.ts";
import { Ranges } from "./ranges.ts";
import { Receiver } from "./receive.ts";
import { VRegionRouter } from "./router.ts";
import { Sender } from "./send.ts";
import { matchReply } from "./match.ts";
import { missTable } from "./table.ts";

/** What goes over the network in a cycle, a bit each. */
export const Traffic = struct({ read: bit, write: bit, compound: bit, repeat: bit, local: bit, ignored: bit });

/**
 * Misses (LegoOS has them in software, §3.4.2; here they are hardware). For each: where its line and its victim are,
 * a copy of a dirty victim, then requests, their answers, repetitions, and word to the look-up. A first touch of
 * anonymous memory is filled with zeros and sends nothing (p-local, §3.4.4).
 *
 * One miss is prepared, and one request sent, at a time; answers come whenever they do. Latency from `job` to the
 * request's first beat: 16 cycles of a clean victim; of a dirty one 8 more, and two for each beat at most. Requests
 * are repeated after `timeoutCycles`, by Clio's rules (docs/clio/retry.md): a WRITE names the first of its numbers, so
 * it is done once. A fetch is given up after `tries`; a flush never is. Full: `misses` jobs.
 */
export const MissEngine = module(
  "ExCacheMisses",
  (p: Parameters) => ({
    own: input(Own),
    job: sink(Job(p)),
    finish: source(Finish(p)),
    /** Copies and zeros, and lines from the network. */
    line: source(LineCommand(p)),
    fill: source(LineCommand(p)),
    copied: input(struct({ valid: bit, data: uint(8 * beatBytes), bad: bit })),
    /** A beat of a miss's line stands in the line memory, or has failed there. */
    filled: input(struct({ valid: bit, miss: uint(derived(p).missBits), bad: bit })),
    tx: source(AxisBeat(beatBytes)),
    rx: sink(AxisBeat(beatBytes)),
    event: source(Event(p)),
    regionWrite: input(struct({ valid: bit, entry: RegionWrite(p) })),
    nodeWrite: input(struct({ valid: bit, entry: NodeWrite(p) })),
    rangeWrite: input(struct({ valid: bit, entry: RangeWrite(p) })),
    traffic: output(Traffic),
    busy: output(uint(p.misses)),
    ready: output(bit),
  }),
  (io, p) => {
    const { missBits, beats, beatBits, pageBits, lineBits, nodeBits } = derived(p),
      serialFlush = p.flush === "serial",
      serialCopies = p.replicas === "serial";
    const ranges = instance("ranges", Ranges(p)),
      router = instance("router", VRegionRouter(p)),
      sender = instance("sender", Sender(p)),
      receiver = instance("receiver", Receiver(p));
    const t = missTable(p);
    const jobs = ram(Job(p), { depth: p.misses, collision: "undefined", style: "distributed", name: "jobs" });
    const each = (f: (m: number) => Bit): UInt => fromBits(Array.from({ length: p.misses }, (_, m) => f(m)));
    const missType = uint(missBits);

    // New jobs.
    io.job.ready.set(1);
    jobs.write(io.job.fire, io.job.payload.miss, io.job.payload);
    t.at(
      io.job.payload.miss,
      m => {
        t.entries.at(m).set({ active: 1, todo: 1, held: 0, due: 0, told: 0 });
        t.details.at(m).set({ status: 0, writable: 1, tries: 0, time: 0 });
        for (const w of [t.fetch, t.primary, t.secondary])
          w.at(m).set({ need: 0, node: 0, id: 0, repeats: 0, first: 0 });
      },
      io.job.fire,
    );
    when(io.regionWrite.valid, () => {
      for (let m = 0; m < p.misses; m++) t.entries.at(m).held.set(0);
    });

    const told = stream(Event(p), { name: "told" });
    connect(fifo(stage(told, "full", { name: "told_stage" }), 4, { name: "events" }), io.event);

    const at = reg(missType, { name: "at" }),
      job = jobs.readAsync(at),
      ofVictim = reg(bit, { init: 0 }),
      local = reg(bit),
      beat = reg(uint(beatBits)),
      arrived = reg(uint(beatBits + 1), { init: 0 }),
      spoilt = reg(bit, { name: "spoilt" });
    const line = mux(ofVictim, job.victim, job.line);
    // What is looked up stands in a register: the jobs are in distributed memory.
    const looked = reg(Line(p), { name: "looked_up" });
    looked.set(line);
    ranges.line.set(looked);
    router.asid.set(looked.asid);
    router.region.set(looked.page.bits(regionShift - lineBits, pageBits - (regionShift - lineBits)));
    ranges.flushed.set(0);
    ranges.write.set(io.rangeWrite);
    router.regionWrite.set(io.regionWrite);
    router.nodeWrite.set(io.nodeWrite);
    io.ready.set(ranges.ready);

    const todo = firstSet(each(m => t.entries.at(m).todo.andNot(t.entries.at(m).held))),
      due = firstSet(each(m => t.entries.at(m).due));
    const fetch = t.fetch.at(at),
      primary = t.primary.at(at),
      secondary = t.secondary.at(at);
    const sendFetch = reg(bit, { init: 0 }),
      sendPrimary = reg(bit, { init: 0 }),
      sendSecondary = reg(bit, { init: 0 });
    const nextId = reg(uint(32), { init: 0 });
    const requestId = node(io.own.firstId.add(nextId), { name: "request_id" });

    // The map has been written since the look-up began: what it said may be old.
    const changed = reg(bit, { init: 0 });
    when(io.regionWrite.valid, () => changed.set(1));
    io.line.valid.set(0);
    const zeros = node(local.and(ofVictim.not()), { name: "zeros" });
    io.line.payload.set({
      owner: mux(zeros, Owner.fill, Owner.copy),
      id: at.zext(lineIdBits(p)),
      write: zeros,
      address: cat(job.place, beat),
      strb: constant((1n << BigInt(beatBytes)) - 1n, beatBytes),
      data: 0,
    });
    told.valid.set(0);
    told.payload.set({ kind: "unknownRegion", line, status: 0 });
    sender.order.valid.set(0);
    // A frame names one process.
    const oneSpace = job.victim.asid.eq(job.line.asid),
      together = primary.node.eq(fetch.node).and(oneSpace);
    const piggyback = constant(p.flush === "piggyback" ? 1 : 0, 1),
      isTogether = reg(bit, { name: "is_together" }),
      compound = node(sendPrimary.and(sendFetch).and(isTogether), { name: "compound" });
    const what = priority([sendSecondary, secondary], [sendPrimary, primary], fetch);
    const which = priority(
      [sendSecondary, constant(part.secondary, 2)],
      [sendPrimary, constant(part.primary, 2)],
      constant(part.fetch, 2),
    );
    const joined = node(compound.andNot(sendSecondary), { name: "joined" }),
      sendsVictim = node(which.ne(part.fetch));
    router.node.set(what.node.is(nodeBits));
    sender.own.set(io.own);
    sender.order.payload.set({
      miss: at,
      part: which,
      compound: joined,
      asid: mux(sendsVictim, job.victim.asid, job.line.asid),
      page: mux(sendsVictim, job.victim.page, job.line.page),
      fetched: job.line.page,
      peer: router.peer,
      requestId,
      retry: what.repeats,
      retryOf: what.first,
    });
    connect(sender.tx, io.tx);
    sender.keep.set({
      valid: io.copied.valid,
      miss: at,
      beat: arrived.trunc(beatBits),
      data: io.copied.data,
    });
    when(io.copied.valid, () => arrived.set(arrived.add(1)));
    when(io.copied.valid.and(io.copied.bad), () => spoilt.set(1));

    // Beats of a line on their way to the line memory: it is whole once none is.
    const zeroed = node(zeros.and(io.line.fire), { name: "zeroed" });
    const owed = Array.from({ length: p.misses }, (_, m) => {
      const count = reg(uint(beatBits + 1), { init: 0, name: `owed_${m}` }),
        none = reg(bit, { init: 1, name: `owes_none_${m}` });
      const goes = node(zeroed.and(at.eq(m)).or(io.fill.fire.and(io.fill.payload.id.trunc(missBits).eq(m)))),
        comes = node(io.filled.valid.and(io.filled.miss.eq(m))),
        next = node(count.add(goes.zext(count.width)).sub(comes.zext(count.width)));
      count.set(next);
      none.set(next.any().not());
      return none;
    });
    const whole = (m: number): Bit => owed[m] as Bit;

    const machine = fsm(
      ["Idle", "Look", "Wait", "Found", "Sure", "Known", "Copy", "Copied", "Zero", "Prepared", "Plan", "Send"],
      "Idle",
      s => ({
        Idle: () => {
          ofVictim.set(0);
          when(todo.any.andNot(sender.sending), () => {
            at.set(todo.index.is(missBits));
            s.go("Look");
          }).elseWhen(due.any.andNot(todo.any), () => {
            at.set(due.index.is(missBits));
            s.go("Plan");
          });
        },
        Look: () => {
          changed.set(io.regionWrite.valid);
          s.go("Wait");
        },
        Wait: () => s.go("Found"),
        Found: () => s.go("Sure"),
        Sure: () => s.go("Known"),
        Known: () => {
          const unknown = node(router.route.known.not()),
            wanted = node(mux(ofVictim, constant(1, 1), job.fetch.andNot(ranges.local)), { name: "needs_owner" }),
            asks = node(wanted.and(unknown), { name: "asks" }),
            refuses = node(asks.andNot(ofVictim).and(constant(p.unknown === "refuse" ? 1 : 0, 1)));
          told.valid.set(asks);
          when(asks.andNot(refuses), () => {
            when(told.ready, () => {
              t.at(at, m => t.entries.at(m).held.set(changed.or(io.regionWrite.valid).not()));
              s.go("Idle");
            });
          }).otherwise(() => {
            when(asks.not().or(told.ready), () => {
              when(ofVictim.not(), () => {
                local.set(job.fetch.and(ranges.local));
                t.at(at, m => {
                  t.details.at(m).writable.set(ranges.writable);
                  when(refuses, () => t.details.at(m).status.set(statusBits.INVALID));
                  t.fetch.at(m).need.set(wanted.andNot(refuses));
                  t.fetch.at(m).node.set(router.route.node);
                });
                ofVictim.set(1);
                s.go("Prepared");
                when(job.dirty, () => s.go("Look")).elseWhen(job.fetch.and(ranges.local), () => {
                  ofVictim.set(0);
                  beat.set(0);
                  s.go("Zero");
                });
              }).otherwise(() => {
                ranges.flushed.set(1);
                t.at(at, m => {
                  t.primary.at(m).need.set(1);
                  t.primary.at(m).node.set(router.route.node);
                  t.secondary.at(m).need.set(router.route.replicated);
                  t.secondary.at(m).node.set(router.route.secondary);
                });
                beat.set(0);
                arrived.set(0);
                spoilt.set(0);
                s.go("Copy");
              });
            });
          });
        },
        Copy: () => {
          io.line.valid.set(1);
          when(io.line.ready, () => {
            beat.set(beat.add(1));
            when(beat.eq(beats - 1), () => s.go("Copied"));
          });
        },
        Copied: () => {
          // What the line memory does not give back is lost, and nothing of it is sent: software is told.
          const done = node(arrived.eq(beats), { name: "copy_done" }),
            lost = node(done.and(spoilt), { name: "victim_lost" });
          told.valid.set(lost);
          told.payload.set({ kind: "lineLost", line, status: statusBits.FAIL });
          when(done.andNot(spoilt.andNot(told.ready)), () => {
            t.at(
              at,
              m => {
                t.primary.at(m).need.set(0);
                t.secondary.at(m).need.set(0);
              },
              lost,
            );
            ofVictim.set(0);
            beat.set(0);
            s.go("Prepared");
            when(local, () => s.go("Zero"));
          });
        },
        Zero: () => {
          io.line.valid.set(1);
          when(io.line.ready, () => {
            beat.set(beat.add(1));
            when(beat.eq(beats - 1), () => s.go("Prepared"));
          });
        },
        Prepared: () => {
          t.at(at, m => {
            t.entries.at(m).todo.set(0);
            t.entries.at(m).due.set(t.settled(m).not());
          });
          s.go("Idle");
        },
        Plan: () => {
          const flushes = primary.need.or(secondary.need),
            first = node(secondary.need.and(constant(serialCopies ? 1 : 0, 1))),
            goesPrimary = node(primary.need.andNot(first));
          isTogether.set(piggyback.and(together));
          sendSecondary.set(secondary.need);
          sendPrimary.set(goesPrimary);
          const waits = serialFlush
            ? flushes
            : p.flush === "piggyback"
              ? primary.need.andNot(goesPrimary).and(together)
              : constant(0, 1);
          sendFetch.set(fetch.need.andNot(waits));
          s.go("Send");
        },
        Send: () => {
          const some = node(sendSecondary.or(sendPrimary).or(sendFetch), { name: "sends" });
          sender.order.valid.set(some);
          when(some.not(), () => {
            t.at(at, m => {
              t.entries.at(m).due.set(0);
              t.details.at(m).time.set(p.timeoutCycles - 1);
            });
            s.go("Idle");
          }).elseWhen(sender.order.ready, () => {
            nextId.set(nextId.add(1));
            const sent = (w: typeof t.fetch, m: number): void => {
              w.at(m).id.set(requestId);
              w.at(m).repeats.set(1);
              when(w.at(m).repeats.not(), () => w.at(m).first.set(requestId));
            };
            when(sendSecondary, () => {
              sendSecondary.set(0);
              t.at(at, m => sent(t.secondary, m));
            })
              .elseWhen(sendPrimary, () => {
                sendPrimary.set(0);
                t.at(at, m => sent(t.primary, m));
                when(joined, () => {
                  sendFetch.set(0);
                  t.at(at, m => sent(t.fetch, m));
                });
              })
              .otherwise(() => {
                sendFetch.set(0);
                t.at(at, m => sent(t.fetch, m));
              });
          });
        },
      }),
    );
    const sending = node(machine.is("Plan").or(machine.is("Send")), { name: "in_send" });

    // Answers.
    const { reply } = receiver.answer,
      { waited, ok, later, anew, ofFetch, refusal, of, ofMiss } = matchReply(p, t, reply);
    // A refusal has to be told: without room for it, the answer is as if it were lost.
    const tells = node(machine.is("Known").or(machine.is("Copied")), { name: "engine_tells" }),
      roomToTell = node(refusal.not().or(told.ready.andNot(tells)));
    const expected = node(waited.and(roomToTell), { name: "expected" });
    receiver.own.set(io.own);
    receiver.expected.set(expected);
    receiver.place.set(jobs.readAsync(reply.miss).place);
    connect(io.rx, receiver.rx);
    connect(receiver.fill, io.fill);
    const filling = reg(missType, { name: "filling" }),
      fills = reg(bit, { init: 0, name: "fills" });
    const takes = node(receiver.answer.valid.and(expected), { name: "takes" });
    when(takes, () => {
      filling.set(reply.miss);
      fills.set(reply.whole);
    });
    when(takes.and(refusal), () => {
      told.valid.set(1);
      told.payload.set({ kind: "flushRefused", line: jobs.readAsync(reply.miss).victim, status: reply.status });
    });
    const ends = node(takes.andNot(later), { name: "ends" }),
      failsFetch = node(ends.and(ofFetch).andNot(ok), { name: "fails_fetch" }),
      begun = node(takes.and(anew), { name: "begins_anew" });
    for (let m = 0; m < p.misses; m++) {
      when(failsFetch.and(ofMiss(m)), () => {
        t.fetch.at(m).need.set(0);
        t.details.at(m).status.set(reply.status);
      });
      for (const [w, number, others] of [
        [t.primary, part.primary, t.secondary],
        [t.secondary, part.secondary, t.primary],
      ] as const) {
        when(ends.and(of(m, number)), () => {
          w.at(m).need.set(0);
          const next = serialFlush
            ? others.at(m).need.not().and(t.fetch.at(m).need)
            : constant(serialCopies && number === part.secondary ? 1 : 0, 1);
          when(serialCopies && number === part.secondary ? constant(1, 1) : next, () => t.entries.at(m).due.set(1));
        });
        when(begun.and(of(m, number)), () => w.at(m).repeats.set(0));
      }
    }
    when(receiver.done.and(fills).andNot(takes), () => {
      fills.set(0);
      t.at(filling, m => t.fetch.at(m).need.set(0));
    });
    when(receiver.cut, () => fills.set(0));
    when(io.filled.valid.and(io.filled.bad), () =>
      t.at(io.filled.miss, m => t.details.at(m).status.set(statusBits.FAIL)),
    );

    // Time.
    const spent = node(
      each(m => t.details.at(m).time.eq(0)),
      { name: "spent" },
    );
    for (let m = 0; m < p.misses; m++) {
      const e = t.entries.at(m),
        d = t.details.at(m),
        // A line that is coming in is not given up.
        waits = node(
          e.active
            .andNot(e.todo)
            .andNot(e.due)
            .andNot(t.settled(m))
            .andNot(fills.and(filling.eq(m))),
          { name: `waits_${m}` },
        );
      when(waits.and(spent.bit(m).not()).andNot(sending.and(at.eq(m))), () => d.time.set(d.time.sub(1)));
      when(waits.and(spent.bit(m)).andNot(sending.and(at.eq(m))), () => {
        d.time.set(p.timeoutCycles - 1);
        when(d.tries.eq(p.tries), () => {
          t.fetch.at(m).need.set(0);
          when(t.fetch.at(m).need, () => d.status.set(statusBits.FAIL));
          d.tries.set(0);
          e.due.set(t.primary.at(m).need.or(t.secondary.at(m).need));
        }).otherwise(() => {
          d.tries.set(d.tries.add(1));
          e.due.set(1);
        });
      });
    }

    // Word to the look-up.
    const fillable = (m: number): Bit => {
        const e = t.entries.at(m);
        return e.active.andNot(e.todo).andNot(e.told).andNot(t.fetch.at(m).need).and(whole(m));
      },
      releasable = (m: number): Bit => {
        const e = t.entries.at(m);
        return e.active
          .andNot(e.todo)
          .and(t.settled(m))
          .and(whole(m))
          .andNot(sending.or(sender.sending).and(at.eq(m)));
      };
    // Of the cycle before. What is true stays so until it has been offered, and the look-up takes longer to hear of it.
    const releasing = reg(uint(p.misses), { init: 0, name: "releasing" }),
      tellable = reg(uint(p.misses), { init: 0, name: "tellable" });
    releasing.set(each(releasable));
    tellable.set(each(m => fillable(m).or(releasable(m).and(t.entries.at(m).told))));
    const ready = firstSet(tellable);
    const offer = reg(Finish(p)),
      offered = reg(bit, { init: 0 });
    io.finish.valid.set(offered);
    io.finish.payload.set(offer);
    when(io.finish.fire, () => offered.set(0));
    const num = ready.index.is(missBits),
      chosen = t.entries.at(num),
      detail = t.details.at(num);
    when(offered.not().and(ready.any), () => {
      const releases = node(releasing.shr(num).bit(0), { name: "releases" });
      offered.set(1);
      offer.set({
        miss: num,
        fill: chosen.told.not(),
        release: releases,
        status: detail.status,
        writable: detail.writable,
      });
      t.at(num, m => {
        t.entries.at(m).told.set(1);
        when(releases, () => t.entries.at(m).active.set(0));
      });
    });

    const fires = sender.order.fire;
    io.traffic.set({
      read: fires.and(which.eq(part.fetch)),
      write: fires.and(sendsVictim).andNot(joined),
      compound: fires.and(joined),
      repeat: fires.and(what.repeats),
      local: machine
        .is("Zero")
        .and(io.line.fire)
        .and(beat.eq(beats - 1)),
      ignored: receiver.answer.valid.andNot(expected),
    });
    io.busy.set(each(m => t.entries.at(m).active));
  },
  {
    nameOf: p =>
      `ExCacheMisses_s${p.sets}_w${p.ways}_l${p.lineBytes}_m${p.misses}_${p.flush}_${p.replicas}_${p.unknown}_t${p.timeoutCycles}_n${p.tries}_r${p.regions}_d${p.nodes}_a${p.ranges}_c${p.localLines}_i${p.idBits}`,
  },
);
