import {
  bit,
  cat,
  connect,
  input,
  instance,
  liteSlavePorts,
  module,
  node,
  output,
  pack,
  reg,
  RegisterSlave,
  sink,
  source,
  struct,
  uint,
  type UInt,
  when,
} from "../../../../hdl-dsl/index.ts";
import { derived, type Parameters } from "../../config/index.ts";
import { counterNames, exCacheMap, registerAddressBits } from "../../registers/index.ts";
import { Traffic } from "../miss/engine/ports.ts";
import { Event, NodeWrite, Own, RangeWrite, RegionWrite } from "../records/miss-records.ts";
import { Events, Place } from "../records/records.ts";

const counterBits = 32;

/**
 * Registers of an ExCache on AXI4-Lite (docs/legoos.md, "Registers"). Latency: that of `RegisterSlave`, and a cycle for
 * what is counted. One eviction is ordered at a time; an event stays until it was seen. Counts wrap. Reset: registers
 * and counts are 0, nothing is ordered.
 */
export const ExCacheControl = module(
  "ExCacheControl",
  (p: Parameters) => ({
    ...liteSlavePorts(registerAddressBits),
    own: output(Own),
    regionWrite: output(struct({ valid: bit, entry: RegionWrite(p) })),
    nodeWrite: output(struct({ valid: bit, entry: NodeWrite(p) })),
    rangeWrite: output(struct({ valid: bit, entry: RangeWrite(p) })),
    evict: source(Place(p)),
    event: sink(Event(p)),
    events: input(Events),
    traffic: input(Traffic),
    busy: input(uint(p.misses)),
    idle: input(bit),
    ready: input(bit),
    failed: input(bit),
  }),
  (io, p) => {
    const { setBits, wayBits, lineBits, missBits, pageBits } = derived(p);
    const values = {
      identification: 0x41435845,
      version: 1,
      buildSets: setBits,
      buildWays: wayBits,
      buildLine: lineBits,
      buildMisses: missBits,
    };
    const r = instance("registers", RegisterSlave({ map: exCacheMap, values }));
    connect(io.sAw, r.sAw);
    connect(io.sW, r.sW);
    connect(r.sB, io.sB);
    connect(io.sAr, r.sAr);
    connect(r.sR, io.sR);

    io.own.set({ mac: cat(r.macHigh, r.macLow), ip: r.ip, port: r.port, firstId: r.firstId });
    const page = (high: UInt, low: UInt): UInt => cat(high, low).trunc(pageBits);
    const written = {
      node: reg(NodeWrite(p), { name: "node_entry" }),
      region: reg(RegionWrite(p), { name: "region_entry" }),
      range: reg(RangeWrite(p), { name: "range_entry" }),
    };
    // A cycle behind the pulse, with what stood then.
    written.node.set({
      index: r.peerAt.resize(derived(p).nodeBits),
      peer: { mac: cat(r.peerMacHigh, r.peerMacLow), ip: r.peerIp, port: r.peerPort },
    });
    written.region.set({
      index: r.regionAt.resize(Math.log2(p.regions)),
      keep: r.regionKeep,
      asid: r.regionAsid,
      region: r.regionNumber,
      node: r.regionNode.resize(derived(p).nodeBits),
      replicated: r.regionReplicated,
      secondary: r.regionSecondary.resize(derived(p).nodeBits),
    });
    written.range.set({
      index: r.rangeAt.resize(Math.max(1, Math.log2(p.ranges))),
      keep: r.rangeKeep,
      asid: r.rangeAsid,
      first: page(r.rangeFirstHigh, r.rangeFirstLow),
      last: page(r.rangeLastHigh, r.rangeLastLow),
      writable: r.rangeWritable,
      anonymous: r.rangeAnonymous,
      base: r.rangeBase.resize(Math.log2(p.localLines)),
    });
    const later = (b: UInt<1>, name: string) => {
      const kept = reg(bit, { init: 0, name });
      kept.set(b);
      return kept;
    };
    io.nodeWrite.set({ valid: later(r.setPeer, "sets_peer"), entry: written.node });
    io.regionWrite.set({ valid: later(r.setRegion, "sets_region"), entry: written.region });
    io.rangeWrite.set({ valid: later(r.setRange, "sets_range"), entry: written.range });

    const evicting = reg(bit, { init: 0, name: "evicting" }),
      place = reg(Place(p), { name: "place" });
    when(r.evict.andNot(evicting), () => {
      evicting.set(1);
      place.set({ index: r.evictSet.resize(setBits), way: r.evictWay.resize(wayBits) });
    }).elseWhen(io.evict.fire, () => evicting.set(0));
    io.evict.valid.set(evicting);
    io.evict.payload.set(place);

    const { kind, status, line } = io.event.payload;
    io.event.ready.set(r.eventSeen);
    r.eventValid.set(io.event.valid);
    r.eventKind.set(pack(kind));
    r.eventStatus.set(status);
    r.eventAsid.set(line.asid);
    const of = node(line.page.zext(41), { name: "event_page" });
    r.eventPageLow.set(of.bits(0, 32));
    r.eventPageHigh.set(of.bits(32, 9));

    r.isReady.set(io.ready);
    r.isIdle.set(io.idle);
    r.hasFailed.set(io.failed);
    r.isEvicting.set(evicting);
    r.misses.set(io.busy.zext(16));

    const happens = { ...io.events, ...io.traffic };
    for (const name of counterNames) {
      const count = reg(uint(counterBits), { init: 0, name: `${name}_count` });
      when(happens[name], () => count.set(count.add(1)));
      r[`count_${name}`].set(count);
    }
  },
  {
    nameOf: p =>
      `ExCacheControl_s${p.sets}_w${p.ways}_l${p.lineBytes}_m${p.misses}_r${p.regions}_d${p.nodes}_a${p.ranges}_c${p.localLines}`,
  },
);
