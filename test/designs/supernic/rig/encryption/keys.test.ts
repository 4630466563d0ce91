/** Keys in a setup file: Node's AES-GCM opens what a run seals; keys that cannot be are refused in a sentence. */
import { createDecipheriv } from "node:crypto";
import { describe, expect, it } from "vitest";
import { deviceSizes, taskNamed } from "../../../../../designs/supernic/build/index.ts";
import { makeParameters } from "../../../../../designs/supernic/config/index.ts";
import { DeviceScoreboard } from "../../../../../designs/supernic/model/index.ts";
import { play, withDevice } from "../../../../../designs/supernic/rig/device/index.ts";
import { readSetup } from "../../../../../designs/supernic/software/index.ts";
import { filler, udp } from "../../../../../designs/supernic/workload/index.ts";
import { aesFrontBytes, aesNonceBytes, trailerBytes } from "../../../../../designs/supernic/wire/index.ts";

const parameters = makeParameters({
  ...{ ports: 2, contexts: 32, cells: 64, regions: 1, slots: 1, branches: 1, users: 4 },
});
const key = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
  seal = { name: "site", task: "seal", user: "user", number: 0xcafe, key, tunnel: "out" },
  open = { name: "back", task: "open", user: "user", number: 0xcafe, key, to: "right", from: "left" };
const file = {
  ...{ mac: "02:5a:00:00:00:ff", ip: "10.4.0.254", number: 3, ports: [{}, {}] },
  stations: [
    { name: "left", mac: "02:5a:00:00:00:01", ip: "10.4.0.1", port: 0 },
    { name: "right", mac: "02:5a:00:00:00:02", ip: "10.4.0.2", port: 1 },
  ],
  users: [{ name: "user" }, { name: "other" }],
  regions: [{ chain: "sealed", tasks: ["seal"] }],
  tunnels: [
    { name: "out", user: "user", vxlan: { dst: "02:5a:00:00:00:02", from: "192.0.2.1", to: "198.51.100.7", vni: 9 } },
    { name: "short", user: "user", bytes: "00".repeat(14) },
  ],
  ...{ keys: [seal], launch: 77 },
  dags: [{ name: "out", user: "user", uid: 0x401, stages: [[{ chain: "sealed", arg: "site" }]], egress: { port: 1 } }],
  rules: [{ protocol: 17, ports: [0], action: { dag: "out" } }],
};
const read = (more: object = {}) =>
  readSetup(JSON.stringify({ ...file, ...more }), "setup", deviceSizes(parameters), n => taskNamed(n).declared);

describe("keys of a setup", () => {
  const refused = (more: object, why: string): void => expect(() => read(more)).toThrow(why);
  it("one that cannot be is refused in a sentence", () => {
    refused({ keys: [{ ...seal, key: key.slice(2) }] }, "keys[0].key");
    refused({ keys: [{ ...seal, key: "secret" }] }, "must be hexadecimal digits, two for each byte");
    refused({ keys: [{ ...seal, number: 2 ** 32 }] }, "keys[0].number");
    refused({ keys: [{ ...seal, user: "nobody" }] }, 'keys[0].user = "nobody"');
    refused({ keys: [{ ...seal, tunnel: undefined }] }, "keys[0].tunnel: it is left out; name a tunnel of 50 bytes");
    refused({ keys: [{ ...seal, tunnel: "short" }] }, 'keys[0].tunnel = "short": it must be of the same user');
    refused({ launch: undefined }, "launch: it is left out, and keys[0] makes nonces");
    refused({ keys: [seal, { ...seal, name: "again" }] }, 'keys[1].task = "seal": the same as keys[0].task = "seal"');
    refused({ keys: [seal, { ...seal, name: "plain", task: "encrypt" }] }, "keys[1].key: the same as keys[0].key");
    refused({ keys: [{ ...open, to: undefined }], dags: [], rules: [] }, "keys[0].to: it is left out; name a station");
    refused({ keys: [{ ...open, from: "nobody" }], dags: [], rules: [] }, 'keys[0].from = "nobody"');
    refused({ dags: [{ ...file.dags[0], user: "other" }] }, "seal has no such key of user other");
    refused({ dags: [{ ...file.dags[0], stages: [[{ chain: "sealed", arg: 1 }]] }] }, "seal has no such key");
  });

  // A device is built for it: MNEMO_LONG=1 runs it.
  it.skipIf(process.env["MNEMO_LONG"] !== "1")(
    "what leaves is sealed: Node's AES-GCM opens it with the key, and each has a nonce of its own",
    async () => {
      const setup = read(),
        [left, right] = [1, 2].map(n => ({ mac: 0x025a_0000_0000n + BigInt(n), ip: 0x0a04_0000 + n }));
      if (left === undefined || right === undefined) throw new RangeError("there are two stations");
      const frames = [0, 1, 30, 64, 200, 1300].map((bytes, i) => ({
        ...{ timeNs: 0n, port: 0 },
        bytes: udp(left, right, { from: 4000 + i, to: 4001 }, filler(bytes)),
      }));
      const result = await withDevice("keys", setup, parameters, { wave: false, limitCycles: 200_000 }, device =>
        play(device, frames, { pace: "line-rate", scoreboard: new DeviceScoreboard(setup) }),
      );
      expect(result.problems).toEqual([]);
      expect(result.out).toHaveLength(frames.length);
      const nonces = result.out.map(({ bytes }, i) => {
        const nonce = bytes.slice(aesFrontBytes, aesFrontBytes + aesNonceBytes),
          text = bytes.slice(aesFrontBytes + aesNonceBytes, -trailerBytes),
          cipher = createDecipheriv("aes-256-gcm", Buffer.from(key, "hex"), nonce)
            .setAAD(nonce)
            .setAuthTag(bytes.slice(-trailerBytes));
        const plain = Buffer.concat([cipher.update(text), cipher.final()]);
        expect(plain.equals(Buffer.from(frames[i]?.bytes.slice(14) ?? []))).toBe(true);
        return Buffer.from(nonce).toString("hex");
      });
      expect(new Set(nonces).size).toBe(frames.length);
    },
  );
});
