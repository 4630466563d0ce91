import { connect, fifo, fsm, module, node, stage, stream } from "../../../../hdl-dsl/index.ts";
import { derived } from "../../config/index.ts";
import { part } from "../../wire/index.ts";
import { Event } from "../records/miss-records.ts";
import { takeAnswers } from "./engine/answers.ts";
import { atHand, keepVictim } from "./engine/hand.ts";
import { takeJobs } from "./engine/jobs.ts";
import { orderOf } from "./engine/order.ts";
import { partsOf } from "./engine/parts.ts";
import { enginePorts } from "./engine/ports.ts";
import { copySteps, knownStep, pickSteps, states } from "./engine/prepare.ts";
import { sendSteps } from "./engine/send.ts";
import { countTime } from "./engine/time.ts";
import { wholeLines } from "./engine/whole.ts";
import { tellLookup } from "./engine/word.ts";

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
  enginePorts,
  (io, p) => {
    const parts = partsOf(io, p),
      { sender, receiver, table: t } = parts;
    takeJobs(parts);
    const told = stream(Event(p), { name: "told" });
    connect(fifo(stage(told, "full", { name: "told_stage" }), 4, { name: "events" }), io.event);

    // One miss at a time is prepared, or has its requests sent.
    const hand = atHand(parts, told),
      order = orderOf(parts, hand);
    keepVictim(parts, hand);

    const whole = wholeLines(parts, hand);
    const machine = fsm(states, "Idle", s => ({
      ...pickSteps(parts, hand, s),
      ...knownStep(parts, hand, s),
      ...copySteps(parts, hand, s),
      ...sendSteps(parts, hand, order, s),
    }));
    const sending = node(machine.is("Plan").or(machine.is("Send")), { name: "in_send" });

    const answers = takeAnswers(parts, {
      told,
      tells: () => node(machine.is("Known").or(machine.is("Copied")), { name: "engine_tells" }),
    });
    countTime(parts, hand.at, sending, answers);
    tellLookup(parts, { at: hand.at, sending, whole });

    const fires = sender.order.fire;
    io.traffic.set({
      read: fires.and(order.which.eq(part.fetch)),
      write: fires.and(order.sendsVictim).andNot(order.joined),
      compound: fires.and(order.joined),
      repeat: fires.and(order.what.repeats),
      local: machine
        .is("Zero")
        .and(io.line.fire)
        .and(hand.beat.eq(derived(p).beats - 1)),
      ignored: receiver.answer.valid.andNot(answers.expected),
    });
    io.busy.set(parts.each(m => t.entries.at(m).active));
  },
  {
    nameOf: p =>
      `ExCacheMisses_s${p.sets}_w${p.ways}_l${p.lineBytes}_m${p.misses}_${p.flush}_${p.replicas}_${p.unknown}_t${p.timeoutCycles}_n${p.tries}_r${p.regions}_d${p.nodes}_a${p.ranges}_c${p.localLines}_i${p.idBits}`,
  },
);
