/** What becomes of a frame that has been judged: its outcome, the class queue that it wants, and its fate. */
import {
  addressBits,
  assertAlways,
  type Bit,
  bit,
  constant,
  fifo,
  instance,
  mux,
  node,
  onehotMux,
  orTree,
  priority,
  ram,
  reg,
  stream,
  type StreamIn,
  struct,
  uint,
  type UInt,
  type Val,
} from "../../../../hdl-dsl/index.ts";
import { refusals, ruleKeyBits } from "../../wire/index.ts";
import {
  classBits,
  type EntryWrite,
  ownEntry,
  peerUserClasses,
  queueClasses,
  returnClass,
  softwareClass,
  switchedClass,
} from "../inside/index.ts";
import { Verdict } from "../judge/index.ts";
import {
  Action,
  MacEntry,
  Match,
  type MatchConfig,
  type MatchParameters,
  Outcome,
  TernaryWrite,
  UidEntry,
  uidIndexBits,
} from "../match/index.ts";
import { Fate, type FateName, judgedFrames, type QueueParameters } from "./records.ts";

export interface RxPortParameters extends QueueParameters, MatchParameters {
  readonly users: number;
}
const macBits = 48;

/** What each port has of the tables. */
export const PortTables = (p: MatchParameters) =>
  struct({
    rules: TernaryWrite(p.rules, ruleKeyBits),
    actions: struct({ en: bit, index: uint(Math.log2(p.rules)), value: Action }),
    macs: TernaryWrite(p.macs, macBits),
    entries: struct({ en: bit, index: uint(Math.log2(p.macs)), value: MacEntry }),
    uids: struct({ en: bit, index: uint(uidIndexBits), value: UidEntry }),
  });

type Facts = Val<typeof Verdict>;

/**
 * The class queue of a frame. What is only switched, and comes from a peer, is a result that returns, or a message for
 * the software of the next peer.
 */
const classOf = (
  o: Val<ReturnType<typeof Outcome>>,
  userClass: UInt,
  isPeer: Val<typeof bit>,
  redirectClass: number,
): UInt => {
  const most = peerUserClasses - 1,
    highest = node(isPeer.and(userClass.gt(most)), { name: "user_class_is_taken" });
  return priority(
    [o.outcome.is("software"), constant(softwareClass, classBits)],
    [o.outcome.is("core"), mux(highest, constant(most, 2), userClass).zext(classBits)],
    [o.outcome.is("ports").and(isPeer), mux(o.peer.bit(0), constant(softwareClass, classBits), returnClass)],
    [o.outcome.is("unwrap", "onward"), constant(redirectClass, classBits)],
    constant(switchedClass, classBits),
  );
};

/** What becomes of a frame, as a number of `fates`. */
export function fateOf(asked: {
  readonly valid: Val<typeof bit>;
  readonly verdict: Facts;
  readonly outcome: Val<ReturnType<typeof Outcome>>;
  readonly wants: Val<typeof bit>;
  readonly room: Val<typeof bit>;
  readonly accept: Val<typeof bit>;
  readonly class: UInt;
}): { readonly valid: Val<typeof bit>; readonly fate: Val<typeof Fate> } {
  const { verdict, outcome, wants } = asked;
  const others = [
    ...refusals.map(name => [verdict.reason.eq(name), Fate[name]] as const),
    [outcome.outcome.is("link"), Fate.forLink] as const,
    ...(["stranger", "control", "rule", "uid"] as const).map(
      name => [outcome.outcome.is("drop").and(outcome.reason.is(name)), Fate[name]] as const,
    ),
  ];
  assertAlways(
    asked.valid
      .and(wants)
      .and(orTree(others.map(([is]) => is)))
      .not(),
    "a frame that is refused wants no room",
  );
  // Whether it is kept is known late: so it stands in a register, and what follows from it comes behind that.
  const q = reg(struct({ valid: bit, wants: bit, room: bit, accept: bit, class: uint(classBits), other: Fate }), {
    init: { valid: 0 },
    name: "fate_q",
  });
  q.set({
    valid: asked.valid,
    wants,
    room: asked.room,
    accept: asked.accept,
    class: asked.class,
    other: priority(...others, Fate.nowhere),
  });
  const byClass = (what: "full" | "queued") =>
    onehotMux(
      Array.from({ length: queueClasses }, (_, c) => q.class.eq(c)),
      Array.from({ length: queueClasses }, (_, c) => Fate[`${what}${c}` as FateName]),
    );
  return {
    valid: q.valid,
    fate: priority(
      [q.wants.not(), q.other],
      [q.room.not(), byClass("full")],
      [q.accept, byClass("queued")],
      Fate.unlinked,
    ),
  };
}

/** The classes of the users' frames, as software writes them. @returns a user's */
function userClasses(p: RxPortParameters, users: Val<ReturnType<typeof EntryWrite<"user">>>): (user: UInt) => UInt<2> {
  const classes = ram(uint(2), {
      depth: 2 ** addressBits(p.users),
      collision: "old",
      style: "distributed",
      init: [0],
      name: "user_classes",
    }),
    userIndex = (user: UInt): UInt => user.trunc(addressBits(p.users));
  classes.write(ownEntry(users, p.users), userIndex(users.index), users.value.class.trunc(2));
  return user => classes.readAsync(userIndex(user));
}

type MatchBlock = ReturnType<typeof matchOf>;
/** A port's match and action. */
export const matchOf = (p: MatchParameters) =>
  instance("match", Match({ ports: p.ports, rules: p.rules, macs: p.macs }));

/** Its tables, as software writes them. */
export function tablesOf(
  match: MatchBlock,
  config: Val<ReturnType<typeof MatchConfig>>,
  tables: Val<ReturnType<typeof PortTables>>,
): void {
  match.config.set(config);
  match.rules.set(tables.rules);
  match.actions.set(tables.actions);
  match.macs.set(tables.macs);
  match.entries.set(tables.entries);
  match.uids.set(tables.uids);
}

/** Asks where a frame goes that ends. @returns the verdicts, each to be taken with its outcome */
export function lookUp(
  match: MatchBlock,
  {
    ends,
    head,
    refused,
    verdict,
  }: { readonly ends: Bit; readonly head: UInt; readonly refused: Bit; readonly verdict: Facts },
): StreamIn<typeof Verdict> {
  match.key.valid.set(ends);
  match.key.payload.set({ head, refused, verdict });
  assertAlways(ends.not().or(match.key.ready), "match takes a frame a cycle");
  const verdicts = stream(Verdict, { name: "verdicts" });
  verdicts.valid.set(ends);
  verdicts.payload.set(verdict);
  const besides = fifo(verdicts, judgedFrames, { name: "besides", style: "distributed" });
  assertAlways(ends.not().or(verdicts.ready), "there is room for each verdict beside its outcome");
  return besides;
}

/** Whether a frame of this outcome is to be kept: it goes on to somewhere. */
export const wantsRoom = ({ outcome }: Val<ReturnType<typeof Outcome>>): Bit =>
  outcome.is("core", "ports", "software", "redirect", "unwrap", "onward");

/** Its outcome, and its class, a register behind match. */
export function outcomeOf(
  p: RxPortParameters,
  match: MatchBlock,
  besides: StreamIn<typeof Verdict>,
  { users, isPeer }: { readonly users: Val<ReturnType<typeof EntryWrite<"user">>>; readonly isPeer: Bit },
) {
  const outcome = match.outcome.payload,
    known = reg(Outcome(p), { name: "known" }),
    verdict = reg(Verdict, { name: "verdict" }),
    there = reg(bit, { init: 0, name: "there" }),
    frameClass = reg(uint(classBits), { name: "frame_class" }),
    wants = reg(bit, { name: "wants_room" });
  match.outcome.ready.set(1);
  besides.ready.set(match.outcome.valid);
  const userClass = userClasses(p, users);
  there.set(match.outcome.valid);
  known.set(outcome);
  verdict.set(besides.payload);
  frameClass.set(classOf(outcome, userClass(outcome.user), isPeer, p.redirectClass ?? switchedClass));
  wants.set(wantsRoom(outcome));
  return { there, known, verdict, frameClass, wants };
}
