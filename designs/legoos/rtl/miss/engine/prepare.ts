/** The steps that prepare a miss: what is known of its line and its victim, and a copy or zeros. */
import { constant, type FsmControl, mux, node, when } from "../../../../../hdl-dsl/index.ts";
import { statusBits } from "../../../../clio/wire/index.ts";
import { derived } from "../../../config/index.ts";
import type { Hand } from "./hand.ts";
import type { Parts } from "./parts.ts";

export const states = [
  "Idle",
  "Look",
  "Wait",
  "Found",
  "Sure",
  "Known",
  "Copy",
  "Copied",
  "Zero",
  "Prepared",
  "Plan",
  "Send",
] as const;
export type Control = FsmControl<(typeof states)[number]>;

/** New misses come first. A look-up stands four cycles later. */
export const pickSteps = ({ io, p, sender }: Parts, { at, ofVictim, todo, due, changed }: Hand, s: Control) => {
  const { missBits } = derived(p);
  return {
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
  };
};

/** The line's owner is known, or else the victim's; without one, software is told. */
export const knownStep = ({ io, p, ranges, router, table: t }: Parts, hand: Hand, s: Control) => {
  const { told, at, job, ofVictim, local, beat, arrived, spoilt, changed } = hand;
  return {
    Known: () => {
      const unknown = node(router.route.known.not()),
        wanted = node(mux(ofVictim, constant(1, 1), job.fetch.andNot(ranges.isLocal)), { name: "needs_owner" }),
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
            local.set(job.fetch.and(ranges.isLocal));
            t.at(at, m => {
              t.details.at(m).writable.set(ranges.writable);
              when(refuses, () => t.details.at(m).status.set(statusBits.INVALID));
              t.fetch.at(m).need.set(wanted.andNot(refuses));
              t.fetch.at(m).node.set(router.route.node);
            });
            ofVictim.set(1);
            s.go("Prepared");
            when(job.dirty, () => s.go("Look")).elseWhen(job.fetch.and(ranges.isLocal), () => {
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
  };
};

/** The victim is copied, or the line is filled with zeros. */
export const copySteps = ({ io, p, table: t }: Parts, hand: Hand, s: Control) => {
  const { told, at, line, ofVictim, local, beat, arrived, spoilt } = hand,
    { beats } = derived(p);
  return {
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
  };
};
