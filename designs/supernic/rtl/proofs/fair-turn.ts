/**
 * The turns of inlets and classes, as the merge takes heads: whoever asks until he is served waits for at most as many
 * others as there are heads. One head is watched, whichever it is; the others come and go as they like.
 */
import {
  assertAlways,
  assumeAlways,
  bit,
  cover,
  fromBits,
  input,
  module,
  node,
  output,
  past,
  type Proof,
  reg,
  toBits,
  uint,
  when,
} from "../../../../hdl-dsl/index.ts";
import { twoTurns } from "../inside/index.ts";

const GROUPS = 3,
  MEMBERS = 2,
  HEADS = GROUPS * MEMBERS,
  BITS = 3;

const harness = module(
  "TwoTurnsProof",
  () => ({ asks: input(uint(HEADS)), watched: input(uint(BITS)), granted: output(uint(HEADS)) }),
  io => {
    const asks = toBits(io.asks),
      { groups, members } = twoTurns(
        "dut",
        Array.from({ length: GROUPS }, (_, g) => asks.slice(g * MEMBERS, (g + 1) * MEMBERS)),
      );
    const grants = members.flatMap((row, g) => row.map(m => (groups[g] ?? m).and(m))),
      granted = node(fromBits(grants).is(HEADS), { name: "model_granted" });
    io.granted.set(granted);
    const started = reg(bit, { init: 0, name: "model_started" });
    started.set(1);
    assumeAlways(io.watched.lt(HEADS), "a head is watched");
    assumeAlways(started.not().or(io.watched.eq(past(io.watched, 1))), "one head is watched");

    assertAlways(granted.andNot(io.asks).any().not(), "who is served asks");
    assertAlways(granted.any().eq(io.asks.any()), "somebody is served when anybody asks");
    assertAlways(granted.and(granted.sub(1)).any().not(), "one is served at a time");
    const mine = node(io.asks.shr(io.watched).bit(0), { name: "model_asks" }),
      served = node(granted.shr(io.watched).bit(0), { name: "model_served" }),
      waits = reg(uint(BITS), { init: 0, name: "model_waits" });
    when(mine.not().or(served), () => waits.set(0)).elseWhen(waits.all().not(), () => waits.set(waits.add(1)));
    assertAlways(waits.lt(HEADS), "a head waits for at most all others, once each");
    cover(waits.eq(HEADS - 1).and(served), "a head waits for all others");
  },
);

export const twoTurnsProof: Proof = {
  module: `twoTurns, ${GROUPS} groups of ${MEMBERS}`,
  harness: harness(),
  faults: [
    { what: "a group keeps its turn", from: /dut_group_last <= \{[^;]*;/, to: "dut_group_last <= dut_group_last;" },
    {
      what: "a member's turn passes when its group is not served",
      from: /if \(dut_group_to_1\) dut_1_last/,
      to: "dut_1_last",
    },
  ],
};
