import {
  bit,
  cat,
  constant,
  decode,
  firstSet,
  input,
  module,
  mux,
  node,
  orTree,
  priority,
  ram,
  reg,
  repeat,
  sink,
  source,
  struct,
  uint,
  type UInt,
  type Val,
  when,
} from "../../../../hdl-dsl/index.ts";
import { cutFields } from "../../../shared/frame/index.ts";
import { ethernetHeader, headerOffsets, ipv4Header } from "../../../shared/wire/index.ts";
import { type MatchActionName, ruleKeyBits, snicEtherType } from "../../wire/index.ts";
import {
  Action,
  MacEntry,
  MatchConfig,
  MatchDrop,
  MatchKey,
  MatchOutcome,
  type MatchParameters,
  Outcome,
  portBits,
  UidEntry,
  uidIndexBits,
} from "./records.ts";
import { allOf, ternary, TernaryWrite } from "./ternary.ts";

const macBits = 48;

/** What is still asked of a frame when its tables have been read. */
const Asked = struct({
  refused: bit,
  forLink: bit,
  redirect: bit,
  onward: bit,
  own: bit,
  group: bit,
  shimmed: bit,
  uid: uint(16),
});

/** The key of the rules, the MAC that is looked up, and what else counts. */
function partsOf({ head, refused, verdict }: Val<typeof MatchKey>, ownMac: UInt) {
  const ethernet = cutFields(ethernetHeader, head),
    ip = cutFields(ipv4Header, head.zext(64 * 8), headerOffsets.network),
    at = (headerOffsets.transport + 2) * 8;
  const hasIp = node(ethernet.etherType.eq(snicEtherType.ipv4), { name: "has_ip" }),
    hasPorts = verdict.noL4.not(),
    dstPort = cat(head.bits(at, 8), head.bits(at + 8, 8)).and(repeat(hasPorts, 16)),
    address = cat(ip.dst, ip.protocol).and(repeat(hasIp, 40));
  const redirect = node(verdict.kind.is("redirect"), { name: "is_redirect" });
  return {
    key: cat(ethernet.dst, ethernet.etherType, address, dstPort, hasIp, hasPorts).is(ruleKeyBits),
    // Who unwraps a redirect asks for its sender; who passes it on, for its receiver.
    mac: mux(redirect, ethernet.src, ethernet.dst),
    asked: {
      refused,
      forLink: verdict.kind.is("pfc", "answer"),
      redirect,
      onward: verdict.kind.is("onward"),
      own: ethernet.dst.eq(ownMac),
      // The lowest bit of the first byte.
      group: ethernet.dst.bit(40),
      shimmed: verdict.shimmed,
      uid: verdict.snic.uid,
    },
  };
}

/** What the tables said. */
interface Found {
  readonly asked: Val<typeof Asked>;
  readonly ruled: Val<typeof bit>;
  readonly action: Val<typeof Action>;
  readonly known: Val<typeof bit>;
  readonly mac: Val<typeof MacEntry>;
  readonly uid: UInt;
  readonly entry: Val<typeof UidEntry>;
  /** This port leads to a peer. */
  readonly fromPeer: Val<typeof bit>;
}

/** The order of docs/supernic/match.md. Wires only. */
function decide(p: MatchParameters, found: Found, config: Val<ReturnType<typeof MatchConfig>>) {
  const { asked, action, mac, entry, uid, fromPeer } = found;
  const byRule = (name: MatchActionName): Val<typeof bit> => found.ruled.and(action.action.eq(name));
  const hasUid = byRule("uid").or(asked.shimmed.andNot(found.ruled));
  const right = entry.valid.and(entry.allowed).and(entry.generation.eq(uid.bits(uidIndexBits, 6))),
    uidRight = node(right, { name: "uid_right" });

  // Switched: one port, or all that may have it.
  const one = (port: UInt): UInt => decode(port, p.ports),
    known = mux(found.known, one(mac.port), mux(config.hasUplink, one(config.uplink), constant(0, p.ports))),
    wanted = mux(
      byRule("port"),
      one(action.port),
      mux(asked.group.andNot(found.known), repeat(constant(1, 1), p.ports), known),
    );
  // What comes from a peer, and is for one station, goes on to the next peer: results, and messages of software.
  const passes = node(fromPeer.and(found.known).andNot(asked.group).andNot(byRule("port")), { name: "passes" }),
    closed = config.rings.andNot(repeat(passes, p.ports));
  const ports = node(wanted.andNot(closed.or(one(config.port))), { name: "switched_to" });
  const isPeer = node(found.known.and(mac.peer), { name: "is_peer" }),
    here = mac.port.eq(config.port),
    stranger = node(isPeer.and(here).and(asked.own).not(), { name: "is_stranger" }),
    lost = node(isPeer.andNot(here).not(), { name: "is_lost" });
  const drop = MatchOutcome.drop;
  const [outcome, reason] = [
    priority(
      [asked.refused, drop],
      [asked.forLink, MatchOutcome.link],
      [asked.redirect, mux(stranger, drop, MatchOutcome.unwrap)],
      [asked.onward, mux(lost, drop, MatchOutcome.onward)],
      [asked.own, mux(config.control, MatchOutcome.software, drop)],
      [byRule("software"), MatchOutcome.software],
      [byRule("peer"), MatchOutcome.redirect],
      [byRule("drop"), drop],
      [hasUid.andNot(uidRight), drop],
      [hasUid, mux(entry.here, MatchOutcome.core, MatchOutcome.redirect)],
      [ports.any(), MatchOutcome.ports],
      drop,
    ),
    priority(
      [asked.refused, MatchDrop.refused],
      [asked.forLink, MatchDrop.none],
      [asked.redirect, mux(stranger, MatchDrop.stranger, MatchDrop.none)],
      [asked.onward, mux(lost, MatchDrop.stranger, MatchDrop.none)],
      [asked.own, mux(config.control, MatchDrop.none, MatchDrop.control)],
      [orTree([byRule("software"), byRule("peer")]), MatchDrop.none],
      [byRule("drop"), MatchDrop.rule],
      [hasUid, mux(uidRight, MatchDrop.none, MatchDrop.uid)],
      [ports.any(), MatchDrop.none],
      MatchDrop.nowhere,
    ),
  ];
  return {
    outcome,
    reason,
    ports: mux(asked.onward, one(mac.port), ports),
    peer: priority(
      [asked.onward, mac.far.zext(portBits)],
      [byRule("peer"), action.port],
      [hasUid, entry.peer],
      passes.and(mac.peer).zext(portBits),
    ),
    // The frame's own, where no rule names one: a peer and software are told it, too.
    uid: priority([byRule("uid").andNot(asked.onward), uid], [asked.shimmed, asked.uid], constant(0, 16)),
    dag: entry.dag,
    user: entry.user,
    unordered: entry.unordered,
  };
}

/** A value as it was before, in a register of this name. */
const delayed =
  (name: string, moves: Val<typeof bit>) =>
  (value: UInt, i: number): UInt => {
    const before = reg(uint(value.width), { name: `${name}_1_${i}` });
    when(moves, () => before.set(value));
    return before;
  };

/**
 * Match and action (paper §5.4): where a frame goes that the judge has seen, by rules, UIDs and MACs. Latency 4 cycles,
 * initiation interval 1. Full: while `outcome` waits all stages stand still, nothing is lost. Writes into the tables
 * are always taken, and count for frames that come from the next cycle on. Reset: no frame is under way; the tables
 * stay as they are, and UIDs begin as none. `config` must not change while frames are inside, but for its enables of
 * rules and MACs.
 */
export const Match = module(
  "Match",
  (p: MatchParameters) => ({
    key: sink(MatchKey),
    outcome: source(Outcome(p)),
    config: input(MatchConfig(p)),
    rules: input(TernaryWrite(p.rules, ruleKeyBits)),
    actions: input(struct({ en: bit, index: uint(Math.log2(p.rules)), value: Action })),
    macs: input(TernaryWrite(p.macs, macBits)),
    entries: input(struct({ en: bit, index: uint(Math.log2(p.macs)), value: MacEntry })),
    uids: input(struct({ en: bit, index: uint(uidIndexBits), value: UidEntry })),
  }),
  (io, p) => {
    const valid = Array.from({ length: 3 }, (_, i) => reg(bit, { init: 0, name: `valid_${i + 1}` })),
      outcomeValid = reg(bit, { init: 0 });
    const moves = node(outcomeValid.not().or(io.outcome.ready), { name: "moves" });
    io.key.ready.set(moves);
    when(moves, () => [...valid, outcomeValid].forEach((v, i) => v.set(valid[i - 1] ?? io.key.valid)));

    const actions = ram(Action, { depth: p.rules, collision: "old", style: "distributed", init: [0] }),
      entries = ram(MacEntry, { depth: p.macs, collision: "old", style: "distributed", init: [0] }),
      uids = ram(UidEntry, { depth: 2 ** uidIndexBits, collision: "old", style: "block", init: [0] });
    actions.write(io.actions.en, io.actions.index, io.actions.value);
    entries.write(io.entries.en, io.entries.index, io.entries.value);
    uids.write(io.uids.en, io.uids.index, io.uids.value);

    // 1: who matches.
    const parts = partsOf(io.key.payload, io.config.mac);
    const rules = ternary("rules", parts.key, io.config.rules, io.rules).map(delayed("rules", moves)),
      macs = ternary("macs", parts.mac, io.config.macs, io.macs).map(delayed("macs", moves)),
      asked1 = reg(Asked);
    // 2: the first of them; a carry chain would be too long.
    const first = firstSet(allOf(rules)),
      firstMac = firstSet(allOf(macs)),
      ruled2 = reg(bit),
      rule2 = reg(uint(first.index.width)),
      known2 = reg(bit),
      mac2 = reg(uint(firstMac.index.width)),
      asked2 = reg(Asked);
    // 3: what they say, and what is known of the UID.
    const action = actions.readAsync(rule2),
      uid = node(mux(ruled2, action.uid, asked2.uid), { name: "uid_2" }),
      found = {
        asked: reg(Asked),
        ruled: reg(bit),
        action: reg(Action),
        known: reg(bit),
        mac: reg(MacEntry),
        uid: reg(uint(16)),
      };
    const fromPeer = reg(bit, { init: 0, name: "from_peer" });
    fromPeer.set(decode(io.config.port, p.ports).and(io.config.rings).any());
    const entry = uids.readSync(uid.trunc(uidIndexBits), { en: moves, name: "uid_entry" });
    // 4: the outcome.
    const outcome = reg(Outcome(p));

    when(moves, () => {
      asked1.set(parts.asked);
      ruled2.set(first.any);
      rule2.set(first.index);
      known2.set(firstMac.any);
      mac2.set(firstMac.index);
      asked2.set(asked1);
      found.asked.set(asked2);
      found.ruled.set(ruled2);
      found.action.set(action);
      found.known.set(known2);
      found.mac.set(entries.readAsync(mac2));
      found.uid.set(uid);
      outcome.set(decide(p, { ...found, entry, fromPeer }, io.config));
    });
    io.outcome.valid.set(outcomeValid);
    io.outcome.payload.set(outcome);
  },
  { nameOf: p => `Match_p${p.ports}_r${p.rules}_m${p.macs}` },
);
