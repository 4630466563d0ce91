/** A port with a reliable link in the whole device: what the line loses, doubles and damages is made good. */
import { describe, expect, it } from "vitest";
import { deviceSizes, taskNamed } from "../../../../designs/supernic/build/index.ts";
import { makeParameters } from "../../../../designs/supernic/config/index.ts";
import { DeviceScoreboard, LinkLine, withoutLinkShim } from "../../../../designs/supernic/model/index.ts";
import { leftAtRest, unaccounted, withDevice } from "../../../../designs/supernic/rig/device/index.ts";
import { readSetup } from "../../../../designs/supernic/software/index.ts";
import { linkAnswer, linkKind, putShims } from "../../../../designs/supernic/wire/index.ts";
import { filler, shim, udp } from "../../../../designs/supernic/workload/index.ts";
import { Random } from "../../../../sim/index.ts";
import { type LineFaults, ReliablePeer } from "./support/reliable-peer.ts";
import { watchCensus } from "./support/worlds.ts";

const parameters = makeParameters({ ports: 2, contexts: 64, cells: 128, regions: 2, slots: 2, branches: 2, users: 4 });
const hosts = [0, 1].map(port => ({
    name: `host${port}`,
    mac: `02:5f:00:00:00:0${port + 1}`,
    ip: `10.3.0.${port + 1}`,
    port,
  })),
  [near, far] = [1, 2].map(n => ({ mac: 0x025f_0000_0000n + BigInt(n), ip: 0x0a03_0000 + n })) as [
    { readonly mac: bigint; readonly ip: number },
    { readonly mac: bigint; readonly ip: number },
  ];
/** Port 0 is plain, port 1 reliable. */
const setup = readSetup(
  JSON.stringify({
    mac: "02:5f:00:00:00:ff",
    ip: "10.3.0.254",
    ports: [{}, { reliable: true }],
    stations: hosts,
    users: [{ name: "user" }],
    regions: [["dummy", "delay(5,2)"], ["checksum"]],
    dags: [
      { name: "one", user: "user", uid: 0x401, stages: [[{ chain: "dummy+delay(5,2)" }]] },
      {
        name: "two",
        user: "user",
        uid: 0x402,
        stages: [[{ chain: "dummy+delay(5,2)", run: [0] }], [{ chain: "checksum" }]],
      },
    ],
  }),
  "setup",
  deviceSizes(parameters),
  name => taskNamed(name).declared,
);

async function run(seed: number, count: number, faults: LineFaults) {
  return withDevice(
    `reliable ${seed}`,
    setup,
    parameters,
    { limitCycles: 400_000, wave: false, signals: true },
    async device => {
      const { bench } = device,
        r = new Random(seed),
        scoreboard = new DeviceScoreboard(setup),
        census = watchCensus(device);
      let toDevice = 0;
      const peer = new ReliablePeer(r, faults, (frame, damaged) => {
        toDevice++;
        const sent = device.send(1, frame, { damaged });
        void bench.until(() => sent.end !== undefined).then(() => toDevice--);
      });
      peer.onFirst = frame => void scoreboard.enter(1, frame);
      peer.onFrame = frame => void scoreboard.leave(1, withoutLinkShim(frame));
      bench.onEdge({
        sample: () => {
          for (let left = device.take(); left; left = device.take())
            if (left.port === 1) peer.leaves(left.frame.bytes);
            else scoreboard.leave(left.port, left.frame.bytes);
          peer.cycle(toDevice < 2);
        },
      });
      const frame = (from: typeof near, to: typeof near): Uint8Array => {
        const plain = udp(
          from,
          to,
          { from: 5000 + r.below(5), to: r.below(60_000) },
          filler(r.chance(0.7) ? r.between(20, 90) : r.between(20, 1400)),
        );
        return r.chance(0.7) ? putShims(plain, { snic: shim(r.pick([0x401, 0x402])) }) : plain;
      };
      for (let i = 0; i < count; i++) {
        peer.send(frame(far, near));
        const out = frame(near, far);
        scoreboard.enter(0, out);
        device.send(0, out);
      }
      await bench.until(() => scoreboard.outstanding === 0 && peer.idle && !device.busy);
      for (;;) if ((await device.inside()).ports.every(p => p.queued + p.kept === 0)) break;
      await bench.cycles(300);
      const counters = await device.counters();
      return {
        counters,
        repeated: [peer.own.repeated, peer.device.repeated],
        problems: [
          ...census(),
          ...scoreboard.finish(),
          ...peer.own.problems,
          ...peer.device.problems,
          ...unaccounted(counters, await device.inside()),
          ...leftAtRest(bench.sim, parameters),
        ],
      };
    },
  );
}

describe("a reliable port", () => {
  it("over a line that does nothing to frames: none goes twice", async () => {
    const { problems, repeated } = await run(1, 40, { lose: 0, double: 0, damage: 0 });
    expect(problems).toEqual([]);
    expect(repeated).toEqual([0, 0]);
  });
  for (const seed of [2, 3])
    it(`over a line that loses, doubles and damages, seed ${seed}: each frame comes once, in order`, async () => {
      const { problems, repeated, counters } = await run(seed, 80, { lose: 0.06, double: 0.06, damage: 0.06 });
      expect(problems).toEqual([]);
      for (const n of repeated) expect(n).toBeGreaterThan(0);
      const { linkAhead = 0, linkBehind = 0, linkBad = 0 } = counters.ports[1] ?? {};
      for (const n of [linkAhead, linkBehind, linkBad]) expect(n).toBeGreaterThan(0);
    });
});

describe("what an end gives to the line", () => {
  const data = (sequence: number, ack = 0, bytes = 40): Uint8Array =>
    putShims(udp(near, far, { from: 1, to: 2 }, filler(bytes)), {
      link: { kind: linkKind.data, class: 0, flags: 0, sequence, ack },
    });
  let acked = 0;
  const told = (...frames: readonly Uint8Array[]): readonly string[] => {
    const line = new LinkLine("it", () => ({ sent: 2, acked }));
    for (const f of frames) line.send(f);
    return line.problems;
  };
  it("numbers in a row, and those that go again, are right", () => {
    expect(told(data(0), data(1), data(0, 1), data(1, 2), data(2, 2))).toEqual([]);
  });
  it("a row that goes again goes on behind what has been acknowledged", () => {
    const row = [data(0), data(1), data(2), data(0), data(2)];
    acked = 1;
    expect(told(...row)).toEqual(["it sends frame 2 behind frame 0"]);
    acked = 2;
    expect(told(...row)).toEqual([]);
    acked = 0;
  });
  it.each([
    ["a number is left out", [data(0), data(2)], "it sends frame 2 behind frame 0"],
    [
      "one that goes again leaves one out",
      [data(0), data(1), data(2), data(0), data(2)],
      "it sends frame 2 behind frame 0",
    ],
    ["other bytes with its number", [data(0), data(0, 0, 41)], "it sends frame 0 again with other bytes"],
    ["an ACK that falls", [data(0, 2), data(1, 1)], "it sends an ACK of 1 behind one of 2"],
    [
      "an ACK of what was not sent",
      [linkAnswer({ dst: 1n, src: 2n }, "ack", { class: 0, ack: 3 })],
      "it sends an ACK of 3 frames, and 2 were sent",
    ],
    ["a frame without a shim", [udp(near, far, { from: 1, to: 2 }, filler(9))], "it sends a frame without a link shim"],
  ] as const)("%s is told", (_, frames, sentence) => expect(told(...frames)).toContain(sentence));
});
