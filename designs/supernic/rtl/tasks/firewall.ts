import {
  cat,
  constant,
  firstSet,
  module,
  mux,
  node,
  orTree,
  priority,
  reg,
  repeat,
  uint,
  type UInt,
  when,
} from "../../../../hdl-dsl/index.ts";
import {
  type Declared,
  firewallKeyBits,
  firewallKinds,
  firewallPlace,
  firewallRules,
  firewallTableRules,
  headerBytesFrom,
  ternaryChunkBits,
} from "../../wire/index.ts";
import { ternary } from "../match/index.ts";
import { asItWas, type Task, taskPorts, TaskVerdict } from "./interface.ts";
import { ipBytes, ipOf, wordAt } from "./ip.ts";
import { stages } from "./stages.ts";

const latency = 4,
  tables = firewallRules / firewallTableRules,
  srcPortAt = 34,
  dstPortAt = 36;
const declared: Declared = {
  name: "firewall",
  reads: ipBytes | headerBytesFrom(srcPortAt, 4),
  writes: 0n,
  growth: 0,
  leavesOut: 0,
  latency,
  interval: 1,
  holds: latency + 1,
  state: "none",
};

/**
 * A firewall of 256 ternary rules over user, addresses, protocol and ports; the first that matches decides. `arg` bit
 * 0: packets that meet no rule are dropped; bit 1: those without a plain IPv4 header are. Latency 4, initiation
 * interval 1. Rules are switched on and off 64 at a time: software writes a rule's words while it is off. Reset: all
 * rules are off.
 */
const Firewall = module("FirewallTask", taskPorts, io => {
  const { later } = stages(io, latency),
    packet = io.packet.payload,
    ip = ipOf(packet);
  const port = (at: number): UInt => wordAt(packet.header, at).and(repeat(packet.noL4.not(), 16)),
    key = cat(packet.user, ip.src, ip.dst, ip.protocol, port(srcPortAt), port(dstPortAt), packet.noL4.not());

  // 1: who matches, in parts. 2: the first of each table. 3: what the first of all says. 4: with the packet's own.
  const { valid, at, data } = io.config,
    kind = at.bits(firewallPlace.kind, 4),
    table = at.bits(firewallPlace.table, 2);
  const firsts = Array.from({ length: tables }, (_, t) => {
    const mine = node(valid.and(table.eq(t)), { name: `config_of_${t}` });
    const kept = (name: keyof typeof firewallKinds): UInt => {
      const bits = reg(uint(firewallTableRules), { init: 0, name: `${name}_${t}` });
      when(mine.and(kind.eq(firewallKinds[name])), () => bits.set(data));
      return bits;
    };
    const drops = kept("drops"),
      parts = ternary(`table_${t}`, key.is(firewallKeyBits), kept("enabled"), {
        en: mine.and(kind.eq(firewallKinds.words)),
        chunk: at.bits(firewallPlace.chunk, 5),
        at: at.bits(firewallPlace.address, ternaryChunkBits),
        word: data,
      }).map((part, i) => later(`part_${t}_${i}`, part));
    const first = firstSet(parts.reduce((a, b) => a.and(b))),
      any = later(`any_${t}`, first.any),
      index = later(`index_${t}`, first.index);
    return { any, drops: drops.shr(index).bit(0) };
  });
  const any = later("any", orTree(firsts.map(f => f.any))),
    chosen = firsts.reduceRight((rest: UInt, f) => mux(f.any, f.drops, rest), constant(0, 1)),
    drops = later("drops", chosen);
  const arg = later("args", packet.arg.trunc(2), 3),
    isIp = later("is_ip", ip.hasIp, 3);
  const dropped = later("dropped", priority([isIp.not(), arg.bit(1)], [any, drops.bit(0)], arg.bit(0)));
  io.answer.payload.set({
    tag: later("tags", packet.tag, latency, true),
    verdict: mux(dropped.bit(0), TaskVerdict.drop, TaskVerdict.forward),
    ...asItWas,
  });
});
export const firewall: Task = { declared, hardware: Firewall() };
