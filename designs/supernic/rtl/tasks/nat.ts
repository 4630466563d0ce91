import {
  bit,
  cat,
  constant,
  gate,
  linearMap,
  module,
  mux,
  node,
  pack,
  reg,
  repeat,
  uint,
  type UInt,
  unpack,
  type Val,
  when,
  widthOf,
  wire,
} from "../../../../hdl-dsl/index.ts";
import { ipProtocol } from "../../../shared/wire/index.ts";
import {
  type Declared,
  flowHashBits,
  headerBytesFrom,
  natBindingsPart,
  natIndexBits,
  natKeeps,
  natKeyBits,
  natPlaces,
  natSet,
  natSets,
  natTimePart,
  tcpProtocol,
} from "../../wire/index.ts";
import { noFront, type Task, type TaskPacket, TaskVerdict } from "./interface.ts";
import { ipBytes, ipOf, swapped, wordAt } from "./ip.ts";
import { Binding, natTable, natTime } from "./nat-table.ts";
import { stages } from "./stages.ts";
import { askedState, asTaskWithState, stateTaskPorts, stateWord } from "./state.ts";
import { changeOf, foldOnce, foldTwice, transportChecksum } from "./translate.ts";

const latency = 6;
/** Bytes: checksum, source and destination of IPv4, both ports, checksums of UDP and TCP. */
const at = { ipSum: 24, src: 26, dst: 30, srcPort: 34, dstPort: 36, udpSum: 40, tcpSum: 50 } as const;
/** Bytes of the header that must be there to change its checksum. */
const least = { udp: at.udpSum + 2, tcp: at.tcpSum + 2 } as const;
const bytes = (from: number, count: number): bigint => headerBytesFrom(from, count);
const sums = bytes(at.ipSum, 2);
const declared: Declared = {
  name: "nat",
  reads: ipBytes | bytes(at.srcPort, 4) | bytes(at.udpSum, 2) | bytes(at.tcpSum, 2),
  writes: sums | bytes(at.src, 8) | bytes(at.srcPort, 4) | bytes(at.udpSum, 2) | bytes(at.tcpSum, 2),
  growth: 0,
  leavesOut: 0,
  latency,
  interval: 1,
  holds: latency + 1,
  state: "shared",
  keeps: natKeeps,
};
const Time = stateWord(natTimePart),
  setBits = Math.log2(natSets);
const halves = (address: UInt): readonly [UInt, UInt] => [address.bits(16, 16), address.bits(0, 16)];
/** 16 bits in network order, at their bytes. */
const placed = (word: UInt, byte: number): UInt =>
  swapped(word)
    .zext(512)
    .shl(8 * byte);

type Later = ReturnType<typeof stages>["later"];
type Packet = Val<typeof TaskPacket>;
type Found = ReturnType<typeof natTable>;

/** What is asked of the table, and what of the packet the later stages want (stage 1). */
function askedOf(packet: Packet, outside: UInt, later: Later) {
  const ip = ipOf(packet),
    inbound = packet.arg.bit(0),
    udp = ip.protocol.eq(ipProtocol.udp),
    srcPort = wordAt(packet.header, at.srcPort),
    dstPort = wordAt(packet.header, at.dstPort);
  const whole = mux(
      udp,
      packet.headBytes.ge(least.udp),
      packet.headBytes.ge(least.tcp).and(ip.protocol.eq(tcpProtocol.number)),
    ),
    toOutside = cat(dstPort.bits(natIndexBits, 4), ip.dst).eq(outside),
    fits = node(ip.hasIp.andNot(packet.noL4).and(whole).and(inbound.not().or(toOutside)), { name: "fits" });
  const key = cat(packet.user, udp, ip.src, srcPort).is(natKeyBits),
    hash = linearMap(key, flowHashBits, natSet);
  // The hash is the longest way of this stage: whether it counts is asked behind the register.
  const isIn = later("s1_inbound", inbound),
    one = {
      fits: later("s1_fits", fits),
      inbound: isIn,
      key: later("s1_key", key),
      set: mux(isIn, later("s1_port_set", dstPort.bits(2, 10)), later("s1_hash", hash)),
      way: later("s1_way", dstPort.trunc(2)),
    };
  return { packet, ip, inbound, udp, srcPort, dstPort, one };
}
type Asked = ReturnType<typeof askedOf>;

/** The new address and port of a packet, and by how much its sums change (stage 3). */
function translated(asked: Asked, found: Found, outside: UInt, later: Later) {
  const { packet, ip, inbound, udp, srcPort, dstPort, one } = asked;
  const has = later("has", found.found),
    index = later("index", found.index),
    owner = later("owner", found.key),
    users = later("user", packet.user, 3),
    isUdp = later("udp", udp, 3),
    isIn = later("inbound", one.inbound, 2),
    isFit = later("fit", one.fits, 2);
  const address = later("address", mux(inbound, ip.dst, ip.src), 3),
    port = later("port", mux(inbound, dstPort, srcPort), 3);
  const own = owner.bits(49, 6).eq(users).and(owner.bit(48).eq(isUdp)),
    gets = node(has.and(isIn.not().or(own)), { name: "gets" }),
    newAddress = mux(isIn, owner.bits(16, 32), outside.bits(0, 32)),
    newPort = mux(isIn, owner.bits(0, 16), cat(outside.bits(32, 4), index).is(16));
  const addressChange = later("address_change", changeOf(halves(address), halves(newAddress))),
    portChange = later("port_change", changeOf([port], [newPort]));
  return { isUdp, isIn, isFit, gets, newAddress, newPort, addressChange, portChange };
}
type Translated = ReturnType<typeof translated>;

/** The sums (stage 4), their last carries (stage 5), and the answer (stage 6). */
function answerOf({ packet, udp }: Asked, three: Translated, later: Later) {
  const { isUdp, isIn, isFit, gets, newAddress, newPort, addressChange, portChange } = three;
  const ipSum = later("ip_sum", wordAt(packet.header, at.ipSum), 4),
    sum = later("sum", mux(udp, wordAt(packet.header, at.udpSum), wordAt(packet.header, at.tcpSum)), 4);
  const ipFolded = later("ip_folded", foldOnce(ipSum, addressChange)),
    folded = later("folded", foldOnce(sum, addressChange, portChange));
  const udps = later("udps", isUdp, 2),
    newIpSum = later("new_ip_sum", foldTwice(ipFolded)),
    newSum = later("new_sum", transportChecksum(folded, later("sum_before", sum), udps.is(1)));
  const isTcp = later("is_udp", udps).any().not(),
    goesIn = later("goes_in", isIn, 3).any(),
    changed = later("changed", isFit.and(gets), 3).any(),
    fitted = later("fitted", isFit, 3).any(),
    passes = later("passes", packet.arg.bit(1), latency).any(),
    out = { address: later("new_address", newAddress, 3), port: later("new_port", newPort, 3) };
  const [high, low] = halves(out.address);
  const header = [
    placed(newIpSum, at.ipSum),
    ...[at.src, at.dst].flatMap(from => [placed(high, from), placed(low, from + 2)]),
    placed(out.port, at.srcPort),
    placed(out.port, at.dstPort),
    placed(newSum, at.udpSum),
    placed(newSum, at.tcpSum),
  ].reduce((a, b) => a.or(b));
  const side = mux(
    goesIn,
    constant(bytes(at.dst, 4) | bytes(at.dstPort, 2), 64),
    constant(bytes(at.src, 4) | bytes(at.srcPort, 2), 64),
  );
  const transport = mux(isTcp, constant(bytes(at.tcpSum, 2), 64), constant(bytes(at.udpSum, 2), 64));
  return {
    tag: later("tags", packet.tag, latency, true),
    verdict: mux(changed.or(passes.andNot(fitted)), TaskVerdict.forward, TaskVerdict.drop),
    header,
    mask: mux(changed, side.or(transport).or(sums), 0),
    ...noFront,
  };
}

/**
 * NAT of TCP and UDP with 4,096 bindings (RFC 3022, RFC 4787: mapping independent of the endpoint). `arg` bit 0 is 0 on
 * the way out: the source becomes the address outside and a port whose low 12 bits are the binding's number. It is 1 on
 * the way in: the destination becomes the binding's again, of the same user and protocol only. A packet that gets no
 * binding or has none is dropped. Others are dropped, or with `arg` bit 1 pass as they are. Latency 6, initiation
 * interval 1; while a new epoch's sweep is under way, one cycle in 16 may be the sweep's. A new epoch counts for the
 * bindings from the second cycle behind its word on. Reset: all bindings are free,
 * after 1,024 cycles in which nothing is taken. State: as `natKeeps` says; a word is answered 3 cycles later, behind a
 * reset when all bindings have been cleared.
 */
const Nat = module("NatTask", stateTaskPorts, io => {
  const outside = reg(uint(36), { init: 0, name: "outside" });
  when(io.config.valid.and(io.config.at.eq(natPlaces.outside)), () => outside.set(io.config.data.trunc(36)));
  const time = natTime(io.config),
    forced = reg(uint(4), { init: 0, name: "sweep_waits" });
  const open = node(time.clearing.not().andNot(forced.all()), { name: "takes_packets" }),
    packets = gate(io.packet, open, { name: "open_packets" });
  const { moves, later, valid } = stages({ packet: packets, answer: io.answer, quiet: io.quiet }, latency);

  const asked = askedOf(packets.payload, outside, later),
    { one } = asked;
  const here = valid[0] ?? open,
    state = askedState(io.stateAsk),
    // What is asked counts only when all moves, which is known late.
    asksState = node(state.waits.andNot(here).andNot(time.clearing), { name: "asks_state" }),
    serves = node(asksState.and(moves), { name: "serves_state" }),
    sweeps = node(time.sweeping.andNot(here).andNot(asksState), { name: "sweeps" });
  // State: a binding by its number goes through the table as a packet's does, time is here.
  const isBinding = node(state.at.shr(Math.log2(natBindingsPart.first)).eq(1), { name: "is_binding" }),
    isTime = node(state.at.eq(natTimePart.first), { name: "is_time" }),
    put = unpack(Binding, state.data.trunc(widthOf(Binding))),
    putTime = unpack(Time, state.data.trunc(widthOf(Time)));
  const puts = node(asksState.and(state.write), { name: "puts_state" });
  state.done(serves);
  time.step(node(sweeps.and(moves), { name: "swept" }), { ...putTime, valid: puts.and(isTime).and(moves) });
  when(moves, () => {
    when(time.sweeping.and(here), () => forced.set(forced.add(1))).otherwise(() => forced.set(0));
  });
  // 2: the table answers.
  const found = natTable(
    {
      set: mux(here, one.set, mux(asksState, state.at.bits(2, setBits), time.at)),
      key: mux(here, one.key, put.key),
      way: mux(here, one.way, state.at.trunc(2)),
      inbound: one.inbound,
      sweeps,
      puts: puts.and(isBinding),
      put,
      valid: here.and(one.fits),
    },
    moves,
    time,
  );
  const served = reg(bit, { init: 0, name: "state_served" }),
    ofTime = reg(bit, { name: "state_of_time" }),
    ofTable = reg(bit, { name: "state_of_table" });
  served.set(serves);
  ofTime.set(isTime);
  ofTable.set(isBinding);
  const timeWord = wire(Time, { name: "time_word" });
  timeWord.set({ there: 1, epoch: time.epoch, life: time.life });
  io.stateSaid.valid.set(served);
  io.stateSaid.data.set(mux(ofTable, found.word.zext(64), pack(timeWord).zext(64).and(repeat(ofTime, 64))));
  io.answer.payload.set(answerOf(asked, translated(asked, found, outside, later), later));
});
export const nat: Task = { declared, hardware: asTaskWithState(Nat()) };
