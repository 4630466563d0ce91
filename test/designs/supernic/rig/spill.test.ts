/** The whole device: a DAG whose chain has no region lies in a ring, and another user's frames behind it go on. */
import { describe, expect, it } from "vitest";
import { deviceSizes, taskNamed } from "../../../../designs/supernic/build/index.ts";
import { type BuildOptions, withDevice } from "../../../../designs/supernic/rig/device/index.ts";
import { type LiveChain, readSetup, type Setup } from "../../../../designs/supernic/software/index.ts";
import { bitstreams, parameters, Traffic, uids } from "./support/reconfigured.ts";

/** Both users in one class, so that their frames come by one class queue. */
const together: Setup = readSetup(
  JSON.stringify({
    mac: "02:5e:00:00:00:ff",
    ip: "10.2.0.254",
    ports: [{ control: true }, { control: true }],
    stations: [0, 1].map(port => ({
      name: `host${port}`,
      mac: `02:5e:00:00:00:0${port + 1}`,
      ip: `10.2.0.${port + 1}`,
      port,
    })),
    users: ["alice", "bob"].map((name, i) => ({
      name,
      class: 0,
      key: `6${i + 1}`.repeat(16),
      bytesPerEpoch: 4_000_000,
    })),
    regions: [
      { chain: "double", tasks: ["dummy"] },
      { chain: "double", tasks: ["dummy"] },
      { chain: "alone", tasks: ["checksum"] },
    ],
    dags: [
      { name: "double", user: "alice", uid: uids.double, stages: [[{ chain: "double" }]] },
      { name: "alone", user: "bob", uid: uids.alone, stages: [[{ chain: "alone", arg: 0 }]] },
    ],
  }),
  "setup",
  deviceSizes(parameters),
  name => taskNamed(name).declared,
);
const rings = { rings: 2, ringBytes: 2 ** 18, memoryBytes: 2 ** 20 };
const load = 0.4;
const chainOf = (t: Traffic, ...tasks: string[]): LiveChain => {
  const chain = t.managed.manager.chainFor(tasks, () => true);
  if (chain === undefined) throw new RangeError(`there is no chain for ${tasks.join("+")}`);
  return chain;
};
interface Seen {
  readonly problems: readonly string[];
  readonly waited: number;
  readonly counts: Record<"spilled" | "restored" | "lost" | "discarded", number>;
}
/** Bob's chain is stopped under load, and launched again; meanwhile alice's frames stand behind bob's. */
const stopped = (name: string, more: BuildOptions, toTheEnd = true): Promise<Seen> =>
  withDevice(
    name,
    together,
    parameters,
    { bitstreams, limitCycles: 60_000, wave: false, signals: true, backToBack: true, hold: 0, ...more },
    async device => {
      const t = new Traffic(device, together),
        { manager } = t.managed,
        both = [uids.double, uids.alone],
        chain = chainOf(t, "checksum");
      await t.at(load, 1000, both);
      const stops = manager.stop(chain);
      await t.at(load, 2000, both);
      await stops;
      await t.at(load, 1000, both);
      // Bob waits; whoever has sent nothing but alice's frames for a while has all of them.
      const before = t.scoreboard.outstanding;
      for (let i = 0; i < 40; i++) {
        t.send(uids.double);
        await device.bench.cycles(8);
      }
      await device.bench.cycles(300);
      const waited = t.scoreboard.outstanding - before;
      const none = { spilled: 0, restored: 0, lost: 0, discarded: 0 };
      if (!toTheEnd) return { problems: [], waited, counts: none };
      const launch = manager.launch(chain, "demand");
      await t.at(load, 4000, both);
      expect(await launch).toBe("running");
      await t.at(load, 1000, both);
      await device.bench.until(() => t.scoreboard.outstanding === 0);
      await t.rest();
      return {
        problems: [...t.scoreboard.finish(), ...(await t.wrong())],
        waited,
        counts: (await device.spill?.driver.counts()) ?? none,
      };
    },
  );

/** Whole devices of their own are built for it: MNEMO_LONG=1 runs it. */
describe.skipIf(process.env["MNEMO_LONG"] !== "1")("a device with rings for frames of DAGs that wait", () => {
  it("a DAG is stopped and launched under load: nothing is lost or overtakes, and nobody waits behind it", async () => {
    const { problems, waited, counts } = await stopped("rings", { sizes: { spill: rings } });
    expect(problems).toEqual([]);
    expect(waited, "frames of alice that wait").toBeLessThanOrEqual(0);
    expect(counts.spilled).toBeGreaterThan(100);
    expect(counts).toEqual({ ...counts, restored: counts.spilled, lost: 0, discarded: 0 });
  });
  it("without rings alice's frames wait behind bob's", async () => {
    const { waited } = await stopped("no rings", {}, false);
    expect(waited).toBeGreaterThan(20);
  });
});
