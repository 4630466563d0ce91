import {
  bit,
  type Bit,
  fromBits,
  input,
  module,
  mux,
  node,
  orTree,
  output,
  reg,
  uint,
  type UInt,
  vec,
  when,
} from "../../../../hdl-dsl/index.ts";
import { EntryWrite } from "../inside/index.ts";
import { LoaderStatus, RegionStage, variantBits, wakingCycles } from "./records.ts";

export interface LoaderParameters {
  readonly regions: number;
  /** Cycles in which a region is reprogrammed, 1 or more. */
  readonly reprogramCycles: number;
  /** By region, the chain that is there after a reset, from 1; 0: none. */
  readonly first: readonly number[];
}
const ports = (p: LoaderParameters) => ({
  /** Software asks. */
  write: input(EntryWrite("region")),
  /** Of the decouplers, by region. */
  off: input(uint(p.regions)),
  empty: input(uint(p.regions)),
  /** The chain that each partition names. */
  names: input(vec(uint(variantBits), p.regions)),
  /** For the decouplers and the partitions, by region. */
  cut: output(uint(p.regions)),
  held: output(uint(p.regions)),
  quiesce: output(uint(p.regions)),
  noise: output(uint(p.regions)),
  loaded: output(vec(uint(variantBits), p.regions)),
  status: output(vec(LoaderStatus, p.regions)),
});

/** What all regions share: one is reprogrammed at a time. */
interface Engine {
  readonly busy: Bit;
  readonly done: Bit;
}

/** The states of a region, as docs/supernic/reconfigure.md has them. Gives whether its loading starts now. */
function regionStates(
  r: number,
  first: number,
  asks: { readonly write: Bit; readonly isolate: Bit; readonly quiesce: Bit; readonly load: Bit; readonly chain: UInt },
  seen: { readonly off: Bit; readonly empty: Bit; readonly names: UInt },
  engine: Engine,
) {
  const is = (name: string): string => `${name}_${r}`,
    stage = reg(RegionStage, { init: first === 0 ? "cut" : "waking", name: is("stage") }),
    isolate = reg(bit, { init: first === 0 ? 1 : 0, name: is("isolate") }),
    quiesce = reg(bit, { init: 0, name: is("quiesce") }),
    chain = reg(uint(variantBits), { init: first, name: is("chain") }),
    loaded = reg(uint(variantBits), { init: first, name: is("holds") }),
    wrong = reg(bit, { init: 0, name: is("wrong") }),
    refused = reg(bit, { init: 0, name: is("refused") }),
    awake = reg(uint(Math.log2(wakingCycles)), { init: 0, name: is("awake") });
  const may = node(stage.is("cut").and(isolate).and(seen.off).and(seen.empty).andNot(engine.busy), {
      name: is("may_load"),
    }),
    asked = node(asks.write.and(asks.load), { name: is("load_asked") }),
    starts = node(asked.and(may), { name: is("load_starts") }),
    right = node(seen.names.eq(loaded).and(loaded.any()), { name: is("names_right") });
  when(asks.write, () => {
    isolate.set(asks.isolate);
    quiesce.set(asks.quiesce);
  });
  when(asked, () => refused.set(may.not()));
  awake.set(mux(stage.is("waking"), awake.add(1), awake.and(0)));
  when(starts, () => {
    stage.set(RegionStage.loading);
    chain.set(asks.chain.is(variantBits));
    loaded.set(0);
    wrong.set(0);
  })
    .elseWhen(stage.is("on").or(stage.is("waking")).and(isolate), () => stage.set(RegionStage.cut))
    .elseWhen(stage.is("waking").and(awake.all()), () => {
      stage.set(mux(right, RegionStage.on, RegionStage.cut));
      wrong.set(right.not());
    })
    .elseWhen(stage.is("cut").andNot(isolate).andNot(wrong), () => stage.set(RegionStage.waking))
    .elseWhen(stage.is("loading").and(engine.done), () => {
      stage.set(RegionStage.cut);
      loaded.set(chain);
    });
  return { stage, chain, loaded, wrong, refused, quiesce, starts };
}

/**
 * The states of the regions that can be reprogrammed, and the one reprogramming that may go on at a time (paper
 * §5.4.3). Latency: what software writes counts in the next cycle. Reprogramming takes `reprogramCycles`; a load that
 * comes meanwhile, or to a region that is not cut and empty, is refused. Reset: each region wakes with its first chain.
 */
export const Loader = module(
  "Loader",
  ports,
  (io, p) => {
    const bits = Math.ceil(Math.log2(p.reprogramCycles + 1)),
      busy = reg(bit, { init: 0, name: "busy" }),
      left = reg(uint(bits), { init: 0, name: "cycles_left" }),
      done = node(busy.andNot(left.any()), { name: "done" });
    const { en, index, value } = io.write,
      all = Array.from({ length: p.regions }, (_, r) =>
        regionStates(
          r,
          p.first[r] ?? 0,
          {
            write: node(en.and(index.eq(r)), { name: `writes_${r}` }),
            isolate: value.isolate.bit(0),
            quiesce: value.quiesce.bit(0),
            load: value.load.bit(0),
            chain: value.chain,
          },
          { off: io.off.bit(r), empty: io.empty.bit(r), names: io.names.at(r) },
          { busy, done },
        ),
      );
    const starts = orTree(all.map(x => x.starts));
    when(starts, () => {
      busy.set(1);
      left.set(p.reprogramCycles - 1);
    })
      .elseWhen(done, () => busy.set(0))
      .elseWhen(left.any(), () => left.set(left.sub(1)));
    const by = (of: (x: (typeof all)[number]) => Bit): UInt => fromBits(all.map(of)).is(p.regions);
    io.cut.set(by(x => x.stage.is("on").not()));
    io.held.set(by(x => x.stage.is("cut").or(x.stage.is("loading"))));
    io.noise.set(by(x => x.stage.is("loading")));
    io.quiesce.set(by(x => x.quiesce));
    all.forEach(({ stage, chain, loaded, wrong, refused }, r) => {
      io.loaded.at(r).set(loaded);
      io.status.at(r).set({ stage, chain, wrong, refused });
    });
  },
  { nameOf: p => `Loader_r${p.regions}_t${p.reprogramCycles}_${p.first.join("_")}` },
);
