import {
  type Bit,
  cat,
  constant,
  fsm,
  instance,
  module,
  node,
  priority,
  reg,
  uint,
  type UInt,
  when,
} from "../../../../hdl-dsl/index.ts";
import { drfFormat as f } from "../../config/index.ts";
import { ago, counter, numberAgo } from "./arithmetic.ts";
import { DrfDivider } from "./divider.ts";
import { DrfLane } from "./lane.ts";
import { checkParameters, type DrfParameters, groupBitsOf, groupsOf, userBitsOf } from "./parameters.ts";
import { drfPorts } from "./ports.ts";
import { type Answer, type Division, inversesOf, leftOf } from "./prepare.ts";
import { askRates, giveRates } from "./rates.ts";
import { DrfRise } from "./rise.ts";
import { passesOf, pitchesOf, topsOf } from "./shares.ts";
import { askedOf, judgeUsers } from "./users.ts";

/** Who asks the divider. */
const askers = ["inverse", "pitch", "rate"] as const;
type Asker = (typeof askers)[number];
const markBits = 2;

/**
 * One divider for all: they ask at different times. An answer is kept for a cycle. Answers can be read before it is
 * said what is asked.
 */
function dividerOf() {
  const p = {
    aboveBits: f.inverseFraction + 1,
    belowBits: f.shareBits,
    quotientBits: f.shareBits,
    tagBits: markBits + askers.length,
  };
  const divider = instance("divider", DrfDivider(p)),
    { valid, tag, quotient, inexact } = divider.answer;
  const kept = {
    mark: numberAgo("answer_mark", tag.bits(0, markBits), 1),
    down: numberAgo("quotient", quotient, 1),
    up: numberAgo("quotient_up", quotient.add(inexact.zext(quotient.width)), 1),
  };
  const answerOf = (asker: Asker): Answer => ({
    valid: ago(`answers_${asker}`, valid.and(tag.bit(markBits + askers.indexOf(asker))), 1),
    ...kept,
  });
  const aboveOf = ({ above }: Division): UInt =>
      typeof above === "bigint" ? constant(above, p.aboveBits) : above.zext(p.aboveBits),
    belowOf = ({ below }: Division): UInt => below.zext(p.belowBits);
  const ask = ({ inverse, pitch, rate }: Readonly<Record<Asker, Division>>, mark: UInt): void => {
    const one = (of: (d: Division) => UInt): UInt =>
      priority([inverse.valid, of(inverse)], [pitch.valid, of(pitch)], of(rate));
    divider.ask.set({
      valid: inverse.valid.or(pitch.valid).or(rate.valid),
      tag: cat(rate.valid, pitch.valid, inverse.valid, mark).is(p.tagBits),
      above: one(aboveOf).is(p.aboveBits),
      below: one(belowOf).is(p.belowBits),
    });
  };
  return { inverse: answerOf("inverse"), pitch: answerOf("pitch"), rate: answerOf("rate"), ask };
}

/** The beats of a run, by user and group; `last` with the last one. */
function beatsOf(p: DrfParameters, fire: Bit) {
  const group = counter("beat_group", groupsOf(p), groupBitsOf(p)),
    user = counter("beat_user", p.users, userBitsOf(p));
  when(fire, () => {
    group.step();
    when(group.last, () => user.step());
  });
  return {
    valid: fire,
    user: user.value,
    group: group.value,
    last: node(fire.and(group.last).and(user.last), { name: "last_beat" }),
  };
}

/** The order of a run: its beats, what follows of them, the rising, the rates. */
function orderOf(on: {
  readonly lastBeat: Bit;
  readonly usesDone: Bit;
  readonly riseDone: Bit;
  readonly ratesDone: Bit;
}) {
  return fsm(
    ["Beats", "Prepare", "Rise", "Rates"],
    "Beats",
    s => ({
      Beats: () => {
        when(on.lastBeat, () => s.go("Prepare"));
      },
      Prepare: () => {
        when(on.usesDone, () => s.go("Rise"));
      },
      Rise: () => {
        when(on.riseDone, () => s.go("Rates"));
      },
      Rates: () => {
        when(on.ratesDone, () => s.go("Beats"));
      },
    }),
    { name: "order" },
  );
}

/**
 * Dominant resource fairness (paper §5.4.4; docs/supernic/drf.md): vectors, weights and demands of all users in, the
 * bytes of each in an epoch out, as the software's whole numbers have them.
 *
 * A run takes a beat for each user and group. Then it takes no beat until its last rate has left: what comes before
 * that waits. Latency from the last beat to the first rate: what prepares the levels, which is the same for all runs,
 * and a round for each step in which somebody stops. Rates leave one a cycle. Reset: no run is under way, and the
 * capacities stay.
 */
export const Drf = module(
  "Drf",
  (p: DrfParameters) => drfPorts(p),
  (io, p) => {
    checkParameters(p);
    const lanes = Array.from({ length: p.lanes }, (_, l) => instance(`lane_${l}`, DrfLane(p))),
      rise = instance("rise", DrfRise(p)),
      divider = dividerOf(),
      beat = beatsOf(p, io.vectors.fire);
    const { weight, demand, uses } = io.vectors.payload,
      asked = askedOf(p, { ...beat, weight, demand });
    lanes.forEach((lane, l) =>
      lane.beat.set({ valid: beat.valid, user: beat.user, group: beat.group, use: uses.at(l) }),
    );

    // Inverses of what is left, shares, the largest of each user, its pitch, and uses.
    const preparing = ago("preparing", beat.last, 1),
      left = leftOf(p, lanes, io.capacities, preparing),
      inverses = inversesOf(p, lanes, divider.inverse, beat.last);
    const pitched = counter("pitched", p.users, userBitsOf(p)),
      judged = reg(uint(p.users), { name: "judged_rises" });
    when(divider.pitch.valid, () => pitched.step());
    const pitch = pitchesOf(p, {
      clear: beat.last,
      answer: divider.pitch,
      user: pitched.value,
      weight: asked(pitched.value).weight,
      rises: judged.shr(pitched.value).bit(0),
    });
    const passes = passesOf(p, lanes, { clear: beat.last, inverses, pitch }),
      judge = judgeUsers(p, topsOf(p, lanes, passes.shares), asked, beat.last);
    judged.set(judge.rises);

    rise.clear.set(beat.last);
    rise.uses.set({ ...passes.uses, values: lanes.map(lane => lane.use) });
    rise.need.set(judge.need);
    rise.rises.set(judge.rises);
    rise.go.set(passes.done);

    const asking = askRates(p, rise.done, user => {
      rise.of.set(user.is(userBitsOf(p)));
      return { ...asked(user), top: judge.topOf(user), ...rise.outcome };
    });
    const given = giveRates(p, divider.rate, asking.bases, io.rates);
    divider.ask({ inverse: left.question, pitch: judge.question, rate: asking.question }, left.mark);
    const order = orderOf({
      lastBeat: beat.last,
      usesDone: passes.done,
      riseDone: rise.done,
      ratesDone: given.done,
    });
    io.vectors.ready.set(order.is("Beats"));
    io.busy.set(order.is("Beats").not());
  },
);
