/** Replies to hits: the header is made here, the value comes from memory behind it. */
import {
  type Bit,
  bit,
  cat,
  constant,
  fifo,
  fsm,
  mux,
  node,
  reg,
  stream,
  type StreamIn,
  type StreamOut,
  uint,
  type UInt,
  type Val,
  when,
} from "../../../../../hdl-dsl/index.ts";
import { kvHits, kvLineBytes, kvOpcode, kvReply } from "../../../wire/index.ts";
import type { MadeBeat } from "../make.ts";
import { memoryAddressBits, MemoryAsk, type MemoryGot, memoryLengthBits } from "../memory.ts";
import { Hit, jobBits, type KvCacheParameters, Place } from "./records.ts";

/** Bytes from the IPv4 header on, and Clio's, of a reply without its value. */
const ipLength = 48,
  clioLength = 20;
const swap = (word: UInt): UInt => cat(word.bits(0, 8), word.bits(8, 8));
/** The first words of the IPv4 header of a reply: version and type of service, flags, time to live and protocol. */
const constantWords = 0x4500 + 0x4000 + 0x4011;

/** The sum of what does not depend on the value, of a request's addresses as they stand on the wire. */
export function sumOfAddresses(
  src: UInt,
  dst: UInt,
): { readonly pairs: readonly [UInt, UInt]; readonly add: (a: UInt, b: UInt) => UInt } {
  const words = (ip: UInt): UInt =>
    swap(ip.bits(0, 16))
      .zext(20)
      .add(swap(ip.bits(16, 16)).zext(20));
  return { pairs: [words(src), words(dst)], add: (a, b) => a.add(b).add(constantWords) };
}

/** The first 64 bytes of a reply, and in them two of the value. */
function headerOf(h: Val<typeof Hit>, total: UInt, checksum: UInt): UInt {
  const size = h.bytes.add(clioLength).is(16);
  const parts: readonly UInt[] = [
    // Back to whoever asked.
    cat(h.macs.bits(0, 48), h.macs.bits(48, 48)),
    constant(0x0008, 16),
    constant(0x0045, 16),
    swap(total),
    constant(0, 16),
    constant(0x0040, 16),
    constant(0x1140, 16),
    swap(checksum),
    h.ips.bits(32, 32),
    h.ips.bits(0, 32),
    h.ports.bits(16, 16),
    h.ports.bits(0, 16),
    swap(total.sub(20)),
    constant(0, 16),
    h.pid,
    h.tag,
    constant(kvReply(kvOpcode.read), 8),
    cat(h.flags, constant(0, 4)),
    h.seq,
    size,
    h.ids,
    h.user,
    constant(8, 8),
    h.bytes,
    h.first,
  ];
  return cat(...parts.toReversed());
}

/** Hits in their order. `room`: one more may come. */
export function repliesOf(
  p: KvCacheParameters,
  comes: Bit,
  hit: Val<typeof Hit>,
  place: { readonly line: UInt; readonly bytes: UInt },
  got: StreamIn<typeof MemoryGot>,
  make: StreamOut<typeof MadeBeat>,
) {
  const hits = stream(Hit, { name: "hit" }),
    places = stream(Place(p), { name: "hit_place" });
  for (const s of [hits, places]) s.valid.set(comes);
  hits.payload.set(hit);
  places.payload.set({ line: place.line.is(Math.log2(p.values)), bytes: place.bytes.is(11) });
  const heads = fifo(hits, kvHits, { name: "hits", style: "distributed" }),
    asking = fifo(places, kvHits, { name: "hit_places", style: "distributed" });
  const asks = stream(MemoryAsk, { name: "value_asks" });
  asks.valid.set(asking.valid);
  asks.payload.set({
    write: 0,
    address: asking.payload.line.zext(memoryAddressBits).shl(Math.log2(kvLineBytes)),
    lastByte: asking.payload.bytes.sub(1).trunc(memoryLengthBits),
  });
  asking.ready.set(asks.ready);

  const { bytes, sum } = heads.payload,
    total = reg(uint(16), { name: "total_length" }),
    sums = reg(uint(20), { name: "ip_sum" }),
    folded = reg(uint(17), { name: "ip_folded" }),
    checksum = reg(uint(16), { name: "ip_checksum" }),
    lastCount = reg(uint(7), { name: "last_count" }),
    ends = node(got.fire.and(got.payload.last), { name: "value_ends" });
  const phase = fsm(
    ["Length", "Sum", "Fold", "Fold2", "Head", "Body"],
    "Length",
    s => ({
      Length: () => {
        total.set(bytes.add(ipLength).is(16));
        lastCount.set(bytes.sub(3).trunc(6).zext(7).add(1));
        when(heads.valid, () => s.go("Sum"));
      },
      Sum: () => {
        sums.set(sum.add(total.zext(20)));
        s.go("Fold");
      },
      Fold: () => {
        folded.set(sums.trunc(16).zext(17).add(sums.shr(16).resize(17)));
        s.go("Fold2");
      },
      Fold2: () => {
        checksum.set(folded.trunc(16).add(folded.bit(16).zext(16)).not());
        s.go("Head");
      },
      Head: () => {
        when(make.ready, () => s.go("Body"));
      },
      Body: () => {
        when(ends, () => s.go("Length"));
      },
    }),
    { name: "reply" },
  );
  const body = node(phase.is("Body"), { name: "reply_body" }),
    { last, error, data } = got.payload,
    failed = node(error.ne("none"), { name: "value_failed" });
  make.valid.set(phase.is("Head").or(body.and(got.valid)));
  make.payload.set({
    data: mux(body, data, headerOf(heads.payload, total, checksum).is(512)),
    count: mux(body.and(last), lastCount, constant(64, 7)),
    last: body.and(last),
    bad: body.and(last).and(failed),
    port: heads.payload.port,
  });
  got.ready.set(body.and(make.ready));
  heads.ready.set(ends);
  const jobs = reg(uint(jobBits), { init: 0, name: "hits_under_way" });
  jobs.set(jobs.add(comes.zext(jobBits)).sub(ends.zext(jobBits)));
  const spoiled = reg(bit, { init: 0, name: "value_is_spoiled" });
  spoiled.set(ends.and(failed));
  return { asks, jobs, ends, spoiled, room: node(jobs.lt(kvHits), { name: "room_for_hit" }) };
}
