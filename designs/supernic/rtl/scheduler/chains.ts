import {
  type Bit,
  decode,
  encodeOnehot,
  type InstanceOf,
  lowestFlat,
  node,
  onehotMux,
  ram,
  reg,
  repeat,
  struct,
  uint,
  type UInt,
  type Val,
  when,
} from "../../../../hdl-dsl/index.ts";
import { chainEntries } from "../../wire/index.ts";
import type { DeviceSizes } from "../inside/index.ts";
import type { FlowTable } from "./flows/index.ts";
import type { TableWrite } from "./ports.ts";
import { flowGroups, groupBits } from "./records.ts";

const Chain = (p: DeviceSizes) => struct({ regions: uint(p.regions), group: uint(groupBits) });
/** Where a chain's packets may go. */
export interface ChainFound {
  readonly group: UInt;
  /** No region has it. */
  readonly nowhere: Bit;
  /** One region has it: this one. */
  readonly only: Bit;
  readonly region: UInt;
}

/**
 * The chains, and the marks. A chain that is written has the flows marked that are where it was; a mark, those of its
 * group. Until that counts nobody may ask (`open`). So no packet chooses by one instance set while its flow is not
 * marked for the other.
 */
export function chainTable(
  p: DeviceSizes,
  writes: {
    readonly chain: Val<ReturnType<typeof TableWrite<"chain">>>;
    readonly mark: Val<ReturnType<typeof TableWrite<"mark">>>;
  },
  flows: InstanceOf<typeof FlowTable>,
) {
  const { chain, mark } = writes,
    regions = chain.value.regions.trunc(p.regions),
    group = chain.value.group.is(groupBits);
  const table = ram(Chain(p), {
    depth: chainEntries,
    collision: "undefined",
    style: "distributed",
    name: "chains",
    init: [0],
  });
  table.write(chain.en, chain.index, { regions, group });
  const before = table.readAsync(chain.index);

  // A group that is to be marked, and where. A chain that was nowhere has no flow to mark, but its new regions have to
  // be known before a packet chooses.
  const marks = reg(uint(flowGroups), { init: 0, name: "marks" }),
    next = lowestFlat(marks),
    from = Array.from({ length: flowGroups }, (_, g) => reg(uint(p.regions), { init: 0, name: `marked_from_${g}` }));
  const asked = decode(mark.index, flowGroups).and(repeat(mark.en, flowGroups)),
    written = node(decode(group, flowGroups).and(repeat(chain.en, flowGroups)), { name: "written" }),
    done = node(next.and(repeat(flows.mark.ready, flowGroups)), { name: "marks_done" });
  marks.set(marks.andNot(done).or(asked).or(written));
  from.forEach((regionsOf, g) => {
    const was = before.regions.and(repeat(written.bit(g).and(before.group.eq(g)), p.regions));
    regionsOf.set(
      regionsOf
        .andNot(repeat(done.bit(g), p.regions))
        .or(repeat(asked.bit(g), p.regions))
        .or(was),
    );
    const instances = reg(uint(p.regions), { init: 0, name: `instances_${g}` });
    when(written.bit(g), () => instances.set(regions));
    flows.instances.at(g).set(instances);
  });
  flows.mark.valid.set(marks.any());
  flows.mark.payload.set({
    group: encodeOnehot(next),
    from: onehotMux(
      from.map((_, g) => next.bit(g)),
      from,
    ),
  });
  return {
    open: node(marks.any().not(), { name: "no_marks" }),
    find: (number: UInt): ChainFound => {
      const found = table.readAsync(number),
        first = lowestFlat(found.regions);
      return {
        group: found.group,
        nowhere: found.regions.any().not(),
        only: found.regions.andNot(first).any().not(),
        region: encodeOnehot(first),
      };
    },
  };
}
