/**
 * The ledger of match and action, and of a frame's fate. Match gives one outcome for each frame, whoever waits. In a
 * port, where nobody waits, each frame that ends has its outcome and its own verdict at one time. Of that comes one
 * fate, which one counter counts: it is queued when it is kept, else the one reason why it is not.
 */
import {
  assertAlways,
  assumeAlways,
  bit,
  type Bit,
  cat,
  constant,
  cover,
  hasName,
  input,
  instance,
  module,
  node,
  orTree,
  output,
  pack,
  past,
  type Proof,
  reg,
  uint,
  type UInt,
  unpack,
  widthOf,
} from "../../../../../hdl-dsl/index.ts";
import { refusals } from "../../../wire/index.ts";
import { classBits, EntryWrite, queueClasses } from "../../inside/index.ts";
import { JudgeReason, Verdict } from "../../judge/index.ts";
import { Match, MatchConfig, MatchDrop, matchHeadBytes, MatchKey, Outcome } from "../../match/index.ts";
import {
  type FateName,
  fateOf,
  fates,
  lookUp,
  matchOf,
  outcomeOf,
  PortTables,
  type RxPortParameters,
  tablesOf,
  wantsRoom,
} from "../../port/index.ts";
import { fateBits } from "../../top/index.ts";

const sizes = { ports: 2, rules: 2, macs: 2 } as const,
  portSizes: RxPortParameters = {
    ...sizes,
    ...{ users: 2, frameBytes: 100, beats: 64, softwareBeats: 8, pauseAt: 2, resumeAt: 1 },
  },
  /** Frames that are in the stages of match. */
  STAGES = 4,
  /** Cycles from a frame's end to its outcome beside its verdict. */
  KNOWN = STAGES + 1,
  COUNT = 3;
const nameAt = (i: number): FateName => fates[i] ?? "nowhere";

const matchHarness = module(
  "MatchLedgerProof",
  () => ({
    comes: input(bit),
    key: input(MatchKey),
    config: input(MatchConfig(sizes)),
    tables: input(PortTables(sizes)),
    ready: input(bit),
    total: output(uint(COUNT)),
  }),
  io => {
    const dut = instance("dut", Match(sizes)),
      inside = reg(uint(COUNT), { init: 0, name: "model_inside" });
    tablesOf(dut, io.config, io.tables);
    dut.key.valid.set(io.comes);
    dut.key.payload.set(io.key);
    dut.outcome.ready.set(io.ready);
    const came = node(dut.key.fire, { name: "model_came" }),
      went = node(dut.outcome.fire, { name: "model_went" });
    inside.set(inside.add(came.zext(COUNT)).sub(went.zext(COUNT)));
    assertAlways(inside.le(STAGES), "frames that have come have their outcome, or are in a stage");
    assertAlways(went.not().or(inside.any()), "an outcome is of a frame that has come");
    io.total.set(inside);
    cover(inside.eq(STAGES).andNot(io.ready), "all stages wait");
    cover(went.and(came).and(inside.eq(STAGES)), "one comes while one goes");
  },
);

const portHarness = module(
  "PortOutcomesLedgerProof",
  () => ({
    ends: input(bit),
    refused: input(bit),
    verdict: input(Verdict),
    config: input(MatchConfig(portSizes)),
    isPeer: input(bit),
    total: output(bit),
    says: output(bit),
  }),
  io => {
    const match = matchOf(portSizes),
      { ends, verdict } = io;
    // What the tables say decides nothing here.
    tablesOf(match, io.config, unpack(PortTables(portSizes), constant(0, widthOf(PortTables(portSizes)))));
    const besides = lookUp(match, { ends, head: constant(0, matchHeadBytes * 8), refused: io.refused, verdict }),
      {
        there,
        verdict: own,
        known,
        wants,
        frameClass,
      } = outcomeOf(portSizes, match, besides, {
        users: unpack(EntryWrite("user"), constant(0, widthOf(EntryWrite("user")))),
        isPeer: io.isPeer,
      });
    assertAlways(there.eq(past(ends, KNOWN)), "a frame that ends has one outcome, and no other");
    assertAlways(match.outcome.valid.not().or(besides.valid), "a frame's verdict is there with its outcome");
    // One bit of it stands for all: they go the same way.
    assertAlways(there.not().or(own.tagged.eq(past(verdict.tagged, KNOWN))), "the verdict is the frame's own");
    io.total.set(there);
    io.says.set(pack(known).any().or(wants).or(frameClass.any()));
    cover(there.and(match.outcome.valid).and(ends), "one ends while others have their outcome");
  },
);

const fateHarness = module(
  "FateLedgerProof",
  () => ({
    there: input(bit),
    verdict: input(Verdict),
    outcome: input(Outcome(portSizes)),
    room: input(bit),
    accept: input(bit),
    frameClass: input(uint(classBits)),
    counted: output(uint(fates.length)),
  }),
  io => {
    const { there, verdict, outcome, room, accept } = io,
      { reason } = verdict,
      wants = node(wantsRoom(outcome), { name: "model_wants" }),
      refused = node(reason.is("none").not(), { name: "model_refused" }),
      isRefused = node(outcome.outcome.is("drop").and(outcome.reason.is("refused")), { name: "model_is_refused" });
    assumeAlways(there.not().or(refused.eq(isRefused)), "match drops what the judge refuses");
    assumeAlways(
      hasName(JudgeReason, pack(reason)).and(hasName(MatchDrop, pack(outcome.reason))),
      "reasons have names",
    );
    assumeAlways(io.frameClass.lt(queueClasses), "a class has a queue");
    const fate = fateOf({ valid: there, verdict, outcome, wants, room, accept, class: io.frameClass }),
      counts = fateBits(fate),
      of = (which: (name: FateName) => boolean): Bit =>
        orTree(counts.flatMap((c, i) => (which(nameAt(i)) ? [c.bit(0)] : []))),
      many = counts.reduce((sum: UInt, c) => sum.add(c.zext(sum.width)), constant(0, 5));
    assertAlways(many.eq(past(there, 1).zext(5)), "a frame counts once, and nothing else does");
    assertAlways(
      of(name => name.startsWith("queued")).eq(past(there.and(wants).and(room).and(accept), 1)),
      "a frame counts as queued when it is kept",
    );
    assertAlways(
      of(name => name.startsWith("full")).eq(past(there.and(wants).andNot(room), 1)),
      "a frame counts as one without room when it wants some",
    );
    refusals.forEach(r =>
      assertAlways(
        of(name => name === r).eq(past(there.and(reason.is(r)), 1)),
        `a frame that is refused counts so: ${r}`,
      ),
    );
    io.counted.set(cat(...counts).is(fates.length));
    cover(
      of(name => name === "queued0"),
      "one is queued",
    );
    cover(of(name => name === "unlinked").and(there), "one is not accepted while one comes");
    cover(
      of(name => name === "nowhere"),
      "one goes nowhere",
    );
  },
);

export const matchLedgerProofs: readonly Proof[] = [
  {
    module: "Match's ledger",
    harness: matchHarness(),
    own: true,
    faults: [
      {
        what: "one that comes while one goes is lost",
        from: "valid_1 <= key_valid",
        to: "valid_1 <= key_valid & ~outcome_valid_q",
      },
      { what: "an outcome that waits is written over", from: /moves = [^;]*;/, to: "moves = 1'b1;" },
      {
        what: "an outcome comes twice",
        from: "outcome_valid_q <= valid_3",
        to: "outcome_valid_q <= valid_3 | (outcome_valid_q & ~valid_2)",
      },
    ],
  },
  {
    module: "RxPort's outcomes, their ledger",
    harness: portHarness(),
    own: true,
    long: true,
    faults: [
      {
        what: "an outcome that comes while a frame ends is lost",
        from: "there <= match_outcome_valid",
        to: "there <= match_outcome_valid & ~ends",
      },
      {
        what: "a frame that wants no room has its outcome twice",
        from: "there <= match_outcome_valid",
        to: "there <= match_outcome_valid | (there & ~wants_room)",
      },
      {
        what: "a verdict is taken only when no frame ends",
        from: ".pop_ready (match_outcome_valid)",
        to: ".pop_ready (match_outcome_valid & ~ends)",
      },
    ],
  },
  {
    module: "a frame's fate, its ledger",
    harness: fateHarness(),
    own: true,
    faults: [
      {
        what: "a frame that is not accepted does not count",
        from: /fate_unlinked_and = [^;]*;/,
        to: "fate_unlinked_and = 1'b0;",
      },
      {
        what: "a frame without room counts as queued too",
        from: "(fate == fate_queued2)",
        to: "((fate == fate_queued2) | (fate == fate_full2))",
      },
      {
        what: "a frame's room is asked for when the next one is there",
        from: "~fate_q_room ?",
        to: "~room ?",
      },
      {
        what: "one that is refused counts as one that goes nowhere",
        from: "(verdict_reason == judge_reason_ttl) ? fate_ttl :",
        to: "",
      },
    ],
  },
];
