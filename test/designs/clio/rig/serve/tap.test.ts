import { execFile } from "node:child_process";
import { chmodSync, copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as p from "../../../../support/packets.ts";
import { makeSettings } from "../../../../../designs/clio/config/index.ts";
import { serve, type Served } from "../../../../../designs/clio/rig/serve/serve.ts";
import { ServeError, tapHelper, type TapPipe } from "../../../../../sim/index.ts";
import { openTap } from "../../../../../designs/clio/rig/serve/tap-network.ts";
import type { SimulatedNode } from "../../../../../designs/clio/rig/node/index.ts";
import { UdpClient } from "./served.ts";
import { onlyHangsEnd } from "../../../../support/hang-limit.ts";

onlyHangsEnd();

const run = promisify(execFile);

// A /29 of this process's own in the network for benchmarks (RFC 2544), which is not routed.
const base = 0xc6120000 | ((process.pid & 0x3fff) << 3);
const [nodeIp, hostIp, monitorIp] = [(base + 1) >>> 0, (base + 2) >>> 0, (base + 3) >>> 0];
const device = `mnemot${process.pid % 100000}`,
  settings = makeSettings({ ip: nodeIp });
const options = { device, address: hostIp, prefix: 29 };

/** Why this machine cannot run these tests. */
async function obstacle(): Promise<string | undefined> {
  try {
    await (await openTap(settings, options)).close();
  } catch (e) {
    if (e instanceof ServeError) return e.message;
    throw e;
  }
  try {
    await run("ping", ["-V"]);
  } catch {
    return "there is no ping on the PATH (Debian: apt install iputils-ping)";
  }
  return undefined;
}
const missing = await obstacle();
if (missing !== undefined) console.log(`the TAP device's tests are skipped: ${missing}`);

describe.skipIf(missing !== undefined)(
  `on a TAP device${missing === undefined ? "" : ` (skipped: ${missing})`}`,
  () => {
    let node: SimulatedNode, ended: Promise<Served | undefined>, network: TapPipe;
    let end: () => void = () => undefined;
    beforeAll(async () => {
      network = await openTap(settings, options);
      const stop = new Promise<void>(resolve => {
        end = resolve;
      });
      node = await new Promise((resolve, reject) => {
        ended = serve(settings, network, {
          monitor: { mac: 0x02c110000009n, ip: monitorIp, port: 10000 },
          stop,
          ready: resolve,
        });
        ended.catch(reject);
      });
    });
    afterAll(async () => {
      end();
      await ended;
      await network.close();
    });

    /** Echo replies that `ping` counts. */
    const pinged = async (ip: number, ...more: string[]): Promise<number> => {
      const { stdout } = await run("ping", ["-n", "-c", "3", "-i", "0.2", "-W", "5", ...more, p.formatIpv4(ip)]).catch(
        (e: unknown) => e as { stdout: string },
      );
      return Number(/(\d+) received/.exec(stdout)?.[1]);
    };

    it("ping is answered by the hardware, after its ARP", async () => {
      const before = await node.counters();
      expect(await pinged(nodeIp)).toBe(3);
      await node.settled();
      const after = await node.counters();
      expect(after.icmpReplies - before.icmpReplies).toBe(3n);
      expect(after.arpReplies - before.arpReplies).toBeGreaterThanOrEqual(1n);
      // The kernel knows the node by the hardware's answer.
      const { stdout } = await run("ip", ["neighbour", "show", "dev", device]);
      expect(stdout).toContain(`${p.formatIpv4(nodeIp)} lladdr ${p.formatMac(settings.runtime.mac)}`);
    });
    it("ping with as much as a frame holds", async () => {
      expect(await pinged(nodeIp, "-s", String(settings.config.mtuFrame - 42), "-M", "do")).toBe(3);
    });
    it("the monitor has an address of its own, and nobody else answers", async () => {
      expect(await pinged(monitorIp)).toBe(3);
      expect(await pinged(base + 4, "-c", "1", "-W", "1")).toBe(0);
    });
    it("a program's plain UDP socket reaches the native port and any session, through the kernel's own stack", async () => {
      const c = await UdpClient.open(p.formatIpv4(hostIp)),
        data = Uint8Array.from({ length: 999 }, (_, i) => i & 0xff);
      const ask = async (port: number, code: number, pid: number, ...body: Uint8Array[]) =>
        c.ask(nodeIp, port, p.clioMessage({ opcode: code, pid }, ...body));
      const pid = p.decode(
        p.createProcReplyBody,
        (await ask(1200, p.opcode.CREATE_PROC, 0, new Uint8Array(64))).body,
      ).newPid;
      const { addr } = p.decode(
        p.allocReplyBody,
        (await ask(1200, p.opcode.ALLOC, pid, p.encode(p.allocBody, { len: 1n, vmFlags: p.vmFlag.write }))).body,
      );
      expect(
        (await ask(1200, p.opcode.WRITE, pid, p.encode(p.accessBody, { va: addr, length: data.length }), data)).header
          .status,
      ).toBe(0);
      expect(
        (
          await ask(1234 + 1023, p.opcode.READ, pid, p.encode(p.accessBody, { va: addr, length: data.length }))
        ).body.slice(12),
      ).toEqual(data);
      // Its process IDs are the monitor's own.
      const { newPid } = p.decode(
        p.createProcReplyBody,
        (await c.ask(monitorIp, 10000, p.clioMessage({ opcode: p.opcode.CREATE_PROC }, new Uint8Array(64)))).body,
      );
      expect(newPid).toBeGreaterThanOrEqual(0x8000);
      await c.close();
    });
    it("the device is in use: one sentence", async () => {
      const refused = await openTap(settings, options).then(
        () => undefined,
        (e: unknown) => e,
      );
      expect(refused).toBeInstanceOf(ServeError);
      expect((refused as Error).message).toBe(
        `the device ${device} is in use by another program; give another name with --tap`,
      );
      await expect(openTap(settings, { ...options, device: "lo" })).rejects.toThrow(
        "the device lo is there already and is no TAP device",
      );
    });
  },
);

it.skipIf(missing !== undefined)("a device that was made goes with the service", async () => {
  const network = await openTap(settings, { ...options, device: `${device}b`.slice(0, 15) });
  await network.close();
  await expect(run("ip", ["link", "show", `${device}b`.slice(0, 15)])).rejects.toThrow("does not exist");
});

it.skipIf(missing !== undefined)("a device that is taken away ends the service with one sentence", async () => {
  const name = `${device}c`.slice(0, 15),
    network = await openTap(settings, { ...options, device: name });
  let ready: () => void = () => undefined;
  const started = new Promise<void>(resolve => {
    ready = resolve;
  });
  const ended = serve(settings, network, { stop: new Promise(() => undefined), ready: () => ready() }).then(
    () => undefined,
    (e: unknown) => e,
  );
  await started;
  await run("ip", ["link", "delete", name]);
  const error = await ended;
  expect(error).toBeInstanceOf(ServeError);
  expect((error as Error).message).toBe("the TAP device has gone: it was taken down while it was served");
  await network.close();
});

const root = process.getuid?.() === 0;
it.skipIf(missing !== undefined || !root)(
  `without the right to it: one sentence with the remedy${root ? "" : " (skipped: only root can become somebody without the right)"}`,
  async () => {
    // A world-readable place; the cache may be in a folder that only root can enter.
    const folder = mkdtempSync(join(tmpdir(), "mnemo-tap-")),
      program = join(folder, "tap_helper"),
      nobody = 65534;
    try {
      chmodSync(folder, 0o755);
      copyFileSync(await tapHelper(), program);
      chmodSync(program, 0o755);
      const refused = await run(program, [device, "1500", p.formatIpv4(hostIp), "29"], {
        uid: nobody,
        gid: nobody,
      }).then(
        () => undefined,
        (e: unknown) => e as { stdout: string; code: number },
      );
      expect(refused?.code).toBe(2);
      expect(refused?.stdout).toMatch(
        /^error there is no right to (open|use) .*: run as root \(CAP_NET_ADMIN\), or once as root `.*`\n$/,
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
);
