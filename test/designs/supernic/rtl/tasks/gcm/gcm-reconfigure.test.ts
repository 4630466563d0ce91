/** A region is programmed again and again: each bitstream has forgotten its launches, and no nonce comes twice. */
import { describe, expect, it } from "vitest";
import { deviceSizes, taskNamed } from "../../../../../../designs/supernic/build/index.ts";
import { makeParameters } from "../../../../../../designs/supernic/config/index.ts";
import { readSetup, TaskRows, taskWords } from "../../../../../../designs/supernic/software/index.ts";
import type { ConfigWord } from "../../../../../../designs/supernic/wire/index.ts";
import { type Dut, runBench } from "../../../../../../sim/index.ts";
import { findsFault, plant } from "../../../../../support/plant.ts";
import { type B, pathOf, PayloadRig } from "../../region/support/payload-rig.ts";
import { goodPacket } from "../aes/support/tunnel-rig.ts";
import { preparation, seals } from "./support/gcm-rig.ts";

const setup = readSetup(
  JSON.stringify({
    ...{ mac: "02:5a:00:00:00:ff", ip: "10.4.0.254", ports: [{}, {}], users: [{ name: "user" }] },
    regions: [{ chain: "seal", tasks: ["seal"] }],
    tunnels: [
      {
        name: "site",
        user: "user",
        vxlan: { dst: "02:5a:00:00:00:02", from: "192.0.2.1", to: "198.51.100.7", vni: 7 },
      },
    ],
    keys: [
      { name: "site", task: "seal", user: "user", number: 7, key: "00112233445566778899aabbccddeeff", tunnel: "site" },
    ],
    launch: 40,
  }),
  "setup",
  deviceSizes(makeParameters({ ports: 2, regions: 1, slots: 1 })),
  name => taskNamed(name).declared,
);
const nobodyWrites = { write: () => Promise.resolve() },
  packets = 12;
/** A bitstream after the other, each configured with the words that there are then. @throws when a nonce comes twice */
async function programmed(
  times: number,
  words: () => readonly ConfigWord[],
  dut: Dut<ReturnType<typeof pathOf>["ports"]> = pathOf([seals]),
) {
  const seen = new Set<string>();
  for (let n = 0; n < times; n++)
    await runBench(`seal, bitstream ${n}`, dut, { seed: 9 + n, wave: false, limitCycles: 20_000 }, async (b: B) => {
      const rig = new PayloadRig(b, [seals]);
      rig.onLeave = header => {
        const nonce = Buffer.from(header.slice(2, 14)).toString("hex");
        if (seen.has(nonce)) throw new Error(`nonce ${nonce} comes twice`);
        seen.add(nonce);
      };
      for (const { at, data } of words()) await rig.configure(0, at, data);
      await b.cycles(preparation);
      for (let i = 0; i < packets; i++) {
        const { payloadBytes: _, ...packet } = goodPacket(b.random, "encrypt", 0);
        await b.until(() => rig.canSend());
        rig.send([0], 30, { ...packet, user: setup.users[0]?.number ?? 0 });
      }
      await rig.end();
    });
  return seen;
}
const bringUp = () => taskWords("seal", setup);
/** The words of the bring-up, and then those of a task that comes back. */
const ofSoftware = (): (() => readonly ConfigWord[]) => {
  const rows = new TaskRows(setup, nobodyWrites);
  let first = true;
  return () => {
    const now = first ? bringUp() : rows.words("seal");
    first = false;
    return now;
  };
};

describe("no nonce twice", () => {
  it("over three bitstreams with one key", async () => {
    const seen = await programmed(3, ofSoftware());
    expect(seen.size).toBe(3 * packets);
  });
  it("software that begins its launches anew is found", () => findsFault(programmed(2, bringUp), /comes twice/));
  it("a counter that does not go on is found", () =>
    findsFault(programmed(1, ofSoftware(), plant(pathOf([seals]), /number <= number \+ 36'd1/, "number <= number"))));
  it("a counter that lacks its launch is found", () =>
    findsFault(programmed(2, ofSoftware(), plant(pathOf([seals]), /(\blaunch) <= [^;]*;/, "$1 <= 24'd0;"))));
});
