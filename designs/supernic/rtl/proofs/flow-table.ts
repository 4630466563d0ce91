/**
 * No overtaking in a flow: a packet is sent to a region only while its flow has packets in no other, and a new packet
 * is not sent before those that wait. One flow is watched; packets of others come and go beside it.
 */
import {
  assertAlways,
  assumeAlways,
  bit,
  type Bit,
  changed,
  connect,
  cover,
  decode,
  input,
  instance,
  module,
  node,
  output,
  past,
  type Proof,
  reg,
  repeat,
  sink,
  uint,
  type UInt,
  vec,
  when,
} from "../../../../hdl-dsl/index.ts";
import { FlowAsk, FlowLeave, FlowMark, type FlowParameters, FlowTable } from "../scheduler/index.ts";

/** With one bit of a generation no mark of a group is counted while its flows are swept: benches look at that. */
const p: FlowParameters = { regions: 2, groups: 2, hashBits: 1, contexts: 2, generationBits: 1 },
  COUNT = 2,
  /** The flow that is watched: all entries of the table have the same hardware. */
  GROUP = 1,
  HASH = 0;

/** A number that grows by one, and wraps. */
function count(name: string, more: Bit): UInt<typeof COUNT> {
  const n = reg(uint(COUNT), { init: 0, name });
  n.set(n.add(more.zext(COUNT)));
  return n;
}

const harness = module(
  "FlowTableProof",
  () => ({
    ask: sink(FlowAsk(p)),
    leave: input(FlowLeave(p)),
    mark: sink(FlowMark(p)),
    instances: input(vec(uint(p.regions), p.groups)),
    goes: output(bit),
  }),
  io => {
    const dut = instance("dut", FlowTable(p)),
      { answer } = dut;
    connect(io.ask, dut.ask);
    dut.leave.set(io.leave);
    connect(io.mark, dut.mark);
    for (let g = 0; g < p.groups; g++) {
      dut.instances.at(g).set(io.instances.at(g));
      assumeAlways(io.instances.at(g).any(), `chain ${g} has an instance`);
    }
    io.goes.set(answer.goes);
    const run = reg(bit, { init: 0, name: "model_run" });
    run.set(1);
    const isWatched = (f: { readonly group: UInt; readonly hash: UInt }): Bit => f.group.eq(GROUP).and(f.hash.eq(HASH));

    // The flow's group has one chain. When its instances change, it is marked before anybody asks again.
    const { ask, leave } = io,
      instances = node(io.instances.at(GROUP), { name: "model_instances" }),
      isOther = node(changed(instances).and(run), { name: "model_is_other" }),
      dirty = reg(bit, { init: 0, name: "model_dirty" }),
      marked = node(io.mark.fire.and(io.mark.payload.group.eq(GROUP)), { name: "model_marked" });
    // Where the chain was; and a mark that is on its way does not become another one.
    const was = reg(uint(p.regions), { init: 0, name: "model_was" });
    was.set(was.andNot(repeat(marked, p.regions)).or(repeat(isOther, p.regions).and(past(instances, 1))));
    assumeAlways(
      marked.not().or(
        was
          .or(repeat(isOther, p.regions).and(past(instances, 1)))
          .andNot(io.mark.payload.from)
          .any()
          .not(),
      ),
      "a mark names all regions in which the chain was",
    );
    dirty.set(dirty.or(isOther).andNot(marked));
    const asksHere = ask.valid.and(ask.payload.flow.group.eq(GROUP));
    assumeAlways(asksHere.not().or(dirty.or(isOther).not()), "nobody asks until a chain that has changed is marked");
    assumeAlways(
      asksHere
        .and(ask.payload.pinned)
        .not()
        .or(instances.eq(decode(ask.payload.region.zext(1), p.regions))),
      "a packet is pinned to the only instance",
    );

    // The packet that is answered.
    const asked = past(ask.payload, 1),
      mine = node(answer.valid.and(isWatched(asked.flow)).andNot(asked.unordered), { name: "model_mine" }),
      goes = node(mine.and(answer.goes), { name: "model_goes" });
    // What the table counts, so that each of its counts has one here that is equal to it, bit by bit. As long as the
    // claims hold, all packets of the flow are in the region of the last one.
    const { region } = answer,
      leaves = node(leave.valid.and(isWatched(leave.flow)).andNot(leave.unordered), { name: "model_leaves" }),
      entered = count("model_entered", goes),
      left = count("model_left", leaves),
      isIn = reg(uint(region.width), { init: 0, name: "model_is_in" }),
      inside = node(entered.sub(left), { name: "model_inside" }),
      joins = node(mine.andNot(answer.goes).andNot(asked.again).andNot(asked.givesUp), { name: "model_joins" }),
      quits = node(mine.and(asked.again).and(answer.goes.or(asked.givesUp)), { name: "model_quits" }),
      waiting = reg(uint(COUNT), { init: 0, name: "model_waiting" }),
      all = node(inside.zext(COUNT + 1).add(waiting.zext(COUNT + 1)), { name: "model_all" });
    when(goes, () => isIn.set(region));
    waiting.set(waiting.add(joins.zext(COUNT)).sub(quits.zext(COUNT)));
    assumeAlways(leaves.not().or(inside.any().and(leave.region.eq(isIn))), "a packet of the flow that leaves is there");
    assumeAlways(mine.and(asked.again).not().or(waiting.any()), "who asks again has waited");
    assumeAlways(mine.and(asked.givesUp).not().or(asked.again), "who gives up has waited");
    assumeAlways(asked.unordered.not().or(asked.again.or(asked.givesUp).not()), "who never waits does not ask again");
    assumeAlways(mine.and(asked.again.not()).not().or(all.lt(p.contexts)), "there are no more packets than contexts");
    assertAlways(all.le(p.contexts), "no more packets are inside than contexts");
    assertAlways(
      goes.not().or(inside.any().not()).or(region.eq(isIn)),
      "a packet goes to a region when its flow is nowhere else",
    );
    assertAlways(goes.andNot(asked.again).not().or(waiting.any().not()), "nobody goes before those that wait");
    cover(goes.and(asked.again).and(past(io.mark.fire, 8)), "one that waited goes");
    cover(mine.andNot(answer.goes).and(inside.eq(1)), "one waits for another one to leave");
  },
);

export const flowTableProof: Proof = {
  module: `FlowTable, ${p.regions} regions, ${p.groups} groups of 2 flows`,
  harness: harness(),
  long: "minutes",
  by: "abc pdr",
  own: true,
  reach: 20,
  faults: [
    {
      what: "who asks just behind another one of its flow sees what was there before",
      from: "place_before_hit ? place_before_fwd",
      to: "1'b0 ? place_before_fwd",
    },
    {
      what: "a new packet goes before those that wait",
      from: "is_behind = (|place_waiting) & ~who_again",
      to: "is_behind = 1'b0",
    },
    {
      what: "a packet that has to wait takes the mark away",
      from: "is_held & ~counts & ~clearing",
      to: "is_held & ~asks & ~clearing",
    },
    { what: "a mark counts only when the sweep comes", from: "place_marked | (is_old & is_from)", to: "place_marked" },
    {
      what: "the sweep takes a flow's mark away",
      from: "is_held & ~counts & ~clearing",
      to: "is_held & ~counts & ~sweeping & ~clearing",
    },
    { what: "the sweep ends a flow early", from: "sweep_ends = sweeps & swept_hash", to: "sweep_ends = sweeps" },
    {
      what: "the sweep reads a flow as of the group that asks",
      from: "looked = sweeps ? swept_group : ask_payload_flow_group",
      to: "looked = ask_payload_flow_group",
    },
    { what: "packets ask before a mark counts", from: "rests = ~(|mark_taken)", to: "rests = 1'b1" },
    { what: "a mark is taken without a generation left", from: "& ~clearing & ~mark_is_full", to: "& ~clearing" },
    {
      what: "one leaves as one of its flow enters, and neither counts",
      from: "if (leaves | clearing)",
      to: "if ((leaves & ~counts) | clearing)",
    },
  ],
};
