import {
  type Bit,
  decode,
  encodeOnehot,
  type InstanceOf,
  lowestFlat,
  node,
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
import type { FlowTable } from "./flow-table.ts";
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
 * The chains, and the marks. A chain that is written, and a mark, have the flows of their group marked; meanwhile
 * nobody may ask (`open`). So no packet chooses by one instance set while its flow is not marked for the other.
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

  const marks = reg(uint(flowGroups), { init: 0, name: "marks" }),
    nextMark = lowestFlat(marks);
  const asked = decode(mark.index, flowGroups).and(repeat(mark.en, flowGroups)),
    written = decode(group, flowGroups).and(repeat(chain.en, flowGroups)),
    done = nextMark.and(repeat(flows.mark.ready, flowGroups));
  marks.set(marks.andNot(done).or(asked).or(written));
  flows.mark.valid.set(marks.any());
  flows.mark.payload.set(encodeOnehot(nextMark));
  for (let g = 0; g < flowGroups; g++) {
    const instances = reg(uint(p.regions), { init: 0, name: `instances_${g}` });
    when(written.bit(g), () => instances.set(regions));
    flows.instances.at(g).set(instances);
  }
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
