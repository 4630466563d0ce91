import {
  type Bit,
  cat,
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

  const marks = Array.from({ length: flowGroups }, (_, g) => reg(uint(p.regions), { init: 0, name: `marks_${g}` })),
    asks = node(cat(...marks.map(m => m.any()).reverse()), { name: "marks" }),
    next = lowestFlat(asks);
  for (let g = 0; g < flowGroups; g++) {
    const isWritten = node(chain.en.and(group.eq(g)), { name: `writes_${g}` }),
      asked = repeat(mark.en.and(mark.index.eq(g)), p.regions),
      was = before.regions.and(repeat(isWritten.and(before.group.eq(g)), p.regions)),
      done = repeat(next.bit(g).and(flows.mark.ready), p.regions);
    marks[g]?.set((marks[g] as UInt).andNot(done).or(asked).or(was));
    const instances = reg(uint(p.regions), { init: 0, name: `instances_${g}` });
    when(isWritten, () => instances.set(regions));
    flows.instances.at(g).set(instances);
  }
  flows.mark.valid.set(asks.any());
  flows.mark.payload.set({
    group: encodeOnehot(next),
    from: onehotMux(
      marks.map((_, g) => next.bit(g)),
      marks,
    ),
  });
  return {
    open: node(asks.any().not(), { name: "no_marks" }),
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
