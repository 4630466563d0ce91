import { describe, expect, test } from "vitest";
import { GbnPeers } from "../../../../../designs/clio/rtl/transport/gbn-peers.ts";
import {
  decode,
  encodeInto,
  ethernetHeader,
  ipProtocol,
  ipv4Header,
  udpFrame,
  udpHeader,
} from "../../../../../designs/shared/wire/index.ts";
import { frameOffsets } from "../../../../../designs/clio/wire/index.ts";
import {
  AxisSink,
  AxisSource,
  type Bench,
  bernoulli,
  type Dut,
  never,
  type Pause,
  runBench,
} from "../../../../../sim/index.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { testOfResets } from "../../../../support/reset-any-time.ts";

type Ports = ReturnType<typeof GbnPeers>["ports"];
interface Peer {
  readonly ip: number;
  readonly port: number;
}
const sessions = 8,
  addresses = [0x0a0a0064, 0x0a0a0065],
  ports = [5000, 5001];
const node = { mac: 0x02c110000001n, ip: 0x0a0a0001, port: 1200 };

/** A frame of the node: to a session's tag, to management's, to a MAC, or no UDP. */
function makeFrame({ random }: Bench<Ports>): Uint8Array {
  const kind = random.between(0, 9),
    low = BigInt(random.between(0, sessions - 1)),
    ticket = BigInt(random.between(0, 0xffff)) << 16n,
    part = random.chance(0.3) ? 1n << 14n : 0n;
  const mac =
    kind === 9 ? 0x02c110001000n + low : 0x0247_0000_0000n | ticket | part | low | (kind === 8 ? 1n << 15n : 0n);
  const frame = udpFrame(
    node,
    { mac, ip: random.pick(addresses), port: random.pick(ports) },
    // Some are as short as a frame may be, and so of one beat.
    random.bytes(random.chance(0.3) ? random.between(18, 22) : random.between(18, 200)),
  );
  if (kind === 7) encodeInto(ipv4Header, { protocol: ipProtocol.icmp }, frame, frameOffsets.network);
  return frame;
}
/** Whether a reply goes to a former peer of its session. */
function isStale(frame: Uint8Array, peers: readonly (Peer | undefined)[]): boolean {
  const { dst } = decode(ethernetHeader, frame),
    ip = decode(ipv4Header, frame, frameOffsets.network),
    udp = decode(udpHeader, frame, frameOffsets.transport);
  if (dst >> 32n !== 0x0247n || ((dst >> 15n) & 1n) === 1n || ip.protocol !== ipProtocol.udp) return false;
  const peer = peers[Number(dst & BigInt(sessions - 1))];
  return peer === undefined || peer.ip !== ip.dst || peer.port !== udp.dstPort;
}

/** Frames of all kinds, while sessions come and go at any time. */
async function run(
  b: Bench<Ports>,
  [give, take]: readonly [Pause, Pause],
  count: number,
): Promise<{ readonly stale: number; readonly latency: number; readonly cycles: number; readonly beats: number }> {
  const { io, random } = b,
    source = new AxisSource(b.sim, io.rx, { pause: give }),
    sink = new AxisSink(b.sim, io.tx, { pause: take });
  const peers: (Peer | undefined)[] = Array.from({ length: sessions }, () => undefined);
  // The memory of a session means nothing after reset: no request has come over it.
  for (let s = 0; s < sessions; s++) {
    io.peer.en.value = 1;
    io.peer.session.value = s;
    io.peer.known.value = 0;
    await b.risingEdge();
  }
  io.peer.en.value = 0;
  await b.risingEdge();
  const frames = Array.from({ length: count }, () => ({ bytes: makeFrame(b), damaged: random.chance(0.1) }));
  const sent = frames.map(f => source.send(f.bytes, { user: Number(f.damaged), userAtEnd: true }));
  const expected: boolean[] = [];
  let first = true,
    pulses = 0,
    beats = 0;
  b.onEdge({
    sample: () => {
      if (io.peer.en.value === 1)
        peers[Number(io.peer.session.value)] =
          io.peer.known.value === 1 ? { ip: io.peer.ip.value, port: io.peer.port.value } : undefined;
      pulses += io.stale.value;
      if (io.rx.valid.value === 0 || io.rx.ready.value === 0) return;
      beats++;
      if (first) expected.push(isStale(frames[expected.length]!.bytes, peers));
      first = io.rx.payload.last.value === 1;
    },
  });
  b.spawn(async () => {
    for (;;) {
      io.peer.en.value = Number(random.chance(0.2));
      io.peer.session.value = random.between(0, sessions - 1);
      io.peer.known.value = Number(random.chance(0.8));
      io.peer.ip.value = random.pick(addresses);
      io.peer.port.value = random.pick(ports);
      await b.risingEdge();
    }
  });
  await b.until(() => sink.frames.length === count);
  await b.cycles(2);
  for (const [i, f] of sink.frames.entries()) {
    expect(Buffer.from(f.bytes).equals(Buffer.from(frames[i]!.bytes)), `bytes of frame ${i}`).toBe(true);
    expect(Number(f.user), `user of frame ${i}`).toBe(Number(frames[i]!.damaged || expected[i]!));
  }
  const stale = expected.filter((s, i) => s && !frames[i]!.damaged).length;
  expect(pulses, "stale replies counted").toBe(stale);
  return {
    stale,
    latency: sink.frames[0]!.start - sent[0]!.start!,
    cycles: sink.frames.at(-1)!.end - sink.frames[0]!.start + 1,
    beats,
  };
}
const bench = (dut: Dut<Ports>, pauses: readonly [Pause, Pause], count = 400): ReturnType<typeof run> =>
  runBench("GbnPeers", dut, { seed: 5, wave: false }, b => run(b, pauses, count));

testOfResets(GbnPeers({ beatBytes: 8, sessions }), {}, b => run(b, [bernoulli(0.3, 1), bernoulli(0.4, 2)], 100));

describe("GbnPeers", () => {
  test.each([8, 64])(
    "%i bytes: replies to who is no longer a session's peer are marked, nothing else; latency 1, every cycle a beat",
    async beatBytes => {
      const p = { beatBytes, sessions },
        straight = await bench(GbnPeers(p), [never, never]);
      expect(straight.stale).toBeGreaterThan(100);
      expect(straight.latency).toBe(1);
      expect(straight.cycles).toBe(straight.beats);
      expect((await bench(GbnPeers(p), [bernoulli(0.3, 1), bernoulli(0.4, 2)])).stale).toBeGreaterThan(100);
    },
  );
  test.each([
    ["a port that is not compared", /\| \(peer\[48:33\] != \{header\[295:288\], header\[303:296\]\}\)/, ""],
    ["a closed session that keeps its peer", /~peer\[0\]/, "1'b0"],
    [
      "the beats of a short frame counted on",
      /if \(rx_payload_last\)(?= index <=)/,
      "if (rx_payload_last & (index == 1))",
    ],
    ["management's replies marked, too", /& ~header\[39\]/, ""],
  ])("the bench sees %s", async (_what, from, to) => {
    const p = { beatBytes: 64, sessions };
    await findsFault(bench(plant(GbnPeers(p), from, to), [bernoulli(0.3, 1), never]), /user of frame/);
  });
});
