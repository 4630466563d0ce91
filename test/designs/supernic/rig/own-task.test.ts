/** The task of docs/supernic/tasks.md in the whole device: frames go through it, and the model judges them. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { identity } from "../../../../designs/supernic/model/index.ts";
import type { PlayFrame } from "../../../../designs/supernic/rig/device/index.ts";
import { filler, udp } from "../../../../designs/supernic/workload/index.ts";
import { ipv4Bytes } from "../../../../designs/shared/wire/index.ts";
import { Random } from "../../../../sim/index.ts";
import { throughDevice } from "./support/ttl-device.ts";

const ttlAt = 22,
  checksumAt = 24,
  hosts = [1, 2].map(n => ({ mac: 0x025a_0000_0000n + BigInt(n), ip: 0x0a04_0000 + n })),
  count = 120;

/** UDP from a port's host to the other one, with this time to live and a checksum that fits it. */
function frameOf(port: number, ttl: number, bytes: number): Uint8Array {
  const [from, to] = [hosts[port], hosts[1 - port]];
  if (from === undefined || to === undefined) throw new RangeError(`there is no port ${port}`);
  const frame = udp(from, to, { from: 4_000, to: 4_001 }, filler(bytes)),
    before = frame[ttlAt] ?? 0,
    sum = ((frame[checksumAt] ?? 0) << 8) | (frame[checksumAt + 1] ?? 0);
  // RFC 1624: the word of the time to live changes by a multiple of 256.
  let next = (~sum & 0xffff) + (~(before << 8) & 0xffff) + (ttl << 8);
  while (next > 0xffff) next = (next & 0xffff) + (next >>> 16);
  frame[ttlAt] = ttl;
  frame.set([(~next >> 8) & 255, ~next & 255], checksumAt);
  return frame;
}
interface Sent {
  readonly port: number;
  readonly ttl: number;
  readonly bytes: number;
}
const sentBy = (seed: number): readonly Sent[] => {
  const r = new Random(seed);
  return Array.from({ length: count }, () => ({
    port: r.below(2),
    ttl: r.pick([0, 1, 2, 64, 255]),
    bytes: r.between(0, 400),
  }));
};
const played = (list: readonly Sent[]): readonly PlayFrame[] =>
  list.map(({ port, ttl, bytes }, i) => ({ timeNs: BigInt(i), port, bytes: frameOf(port, ttl, bytes) }));
/** Frames in any order; those that a port makes itself, to pause its neighbour, are no user's. */
const sorted = (list: readonly Uint8Array[]): readonly string[] =>
  list
    .map(b => Buffer.from(b).toString("hex"))
    .filter(hex => !hex.startsWith("0180c2000001"))
    .sort();

it("the page's device is this one", () => {
  const source = readFileSync(new URL("support/ttl-device.ts", import.meta.url), "utf8"),
    page = readFileSync(new URL("../../../../docs/supernic/tasks.md", import.meta.url), "utf8");
  const example = /\/\/ example\n([^]*)\/\/ end/.exec(source)?.[1] ?? "none";
  expect(page).toContain(example.trimEnd());
});
it("a frame is made as a host makes it", () => {
  const whole = frameOf(0, 64, 20);
  expect(whole.slice(14, 34)).toEqual(ipv4Bytes(hosts[0]?.ip ?? 0, hosts[1]?.ip ?? 0, 17, 28));
});

describe("a task of one's own in the whole device", () => {
  const sent = sentBy(7);
  it("all frames are as its model says: one less to live, or dropped by it", async () => {
    const { problems, out, played: fates, counters } = await throughDevice(played(sent));
    expect(problems).toEqual([]);
    const alive = sent.filter(f => f.ttl > 1),
      dead = count - alive.length;
    expect(dead).toBeGreaterThan(20);
    expect(fates.filter(f => f.outcome === "DAG hop > dropped by ttl")).toHaveLength(dead);
    expect(counters.middle["dropTask"]).toBe(dead);
    // Without the model: what leaves is what a host would have sent with one less.
    expect(sorted(out.map(f => f.bytes))).toEqual(sorted(alive.map(f => frameOf(f.port, f.ttl - 1, f.bytes))));
  });
  it("a model that says otherwise is told, frame by frame", async () => {
    const { problems } = await throughDevice(played(sent.slice(0, 20)), { ttl: identity });
    expect(problems.filter(p => /has 0x[0-9a-f]{2} at byte 22; it must be 0x/.test(p))).not.toEqual([]);
  });
  it("without a model, the scoreboard refuses the task", () =>
    expect(throughDevice(played(sent.slice(0, 1)), {})).rejects.toThrow(
      'the task "ttl" has no model; give the scoreboard one of that name',
    ));
});
