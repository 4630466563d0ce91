/** `mnemo serve rack` as a process whose sNIC is reprogrammed for the frames of two users, and its end meanwhile. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { expect, it } from "vitest";
import { dissectStack, headerOffsets, parseIpv4 } from "../../../../../designs/shared/wire/index.ts";
import { onlyHangsEnd } from "../../../../support/hang-limit.ts";
import { mnemoProcess } from "../../../../support/mnemo-process.ts";
import { FrameProgram } from "../../../supernic/rig/serve/frame-program.ts";

onlyHangsEnd();

const address = `127.103.${(process.pid >> 8) & 255}.${1 + ((process.pid & 255) % 254)}`,
  hosts = [0, 1].map(n => ({ mac: 0x021000000001n + BigInt(n), ip: parseIpv4(`10.20.0.${11 + n}`) })),
  macs = ["02:10:00:00:00:01", "02:10:00:00:00:02"];
const ports = { guarded: 4001, summed: 4002 };
const rack = {
  devices: [
    {
      name: "snic0",
      set: {
        ...{ ports: 2, regions: 1, slots: 1, branches: 1, contexts: 64, cells: 128, users: 4 },
        // A reprogramming of 250,000 cycles: more than the second that is left to what is under way.
        ...{ memory: "512MB", spillRing: "1MB", reprogramTime: "1ms", monitorPeriod: "20us" },
      },
      setup: {
        ...{ mac: "02:5c:00:00:00:01", ip: "10.20.0.1", spill: true, users: [{ name: "alice" }, { name: "bob" }] },
        regions: [{ chain: "guard", tasks: ["firewall"] }],
        bitstreams: [{ chain: "sums", tasks: ["checksum"] }],
        firewall: [{ action: "pass" }],
        dags: [
          { name: "guarded", user: "alice", uid: "0x0401", stages: [[{ chain: "guard" }]] },
          { name: "summed", user: "bob", uid: "0x0402", stages: [[{ chain: "sums" }]] },
        ],
        rules: [
          { dst: "ff:ff:ff:ff:ff:ff", etherType: "0x0806", action: "software" },
          ...(["guarded", "summed"] as const).map(dag => ({
            ...{ protocol: 17, toPort: ports[dag], ports: [0], action: { dag } },
          })),
        ],
      },
    },
  ],
  nodes: [],
  endpoints: [0, 1].map(n => ({
    ...{ name: `host${n}`, mac: macs[n], ip: `10.20.0.${11 + n}` },
    program: { kind: "frames", at: `${address}:${7000 + n}` },
  })),
  links: [{ between: ["host0", "snic0:0"] }, { between: ["host1", "snic0:1"] }],
};

it("frames wait for their region and come in order; SIGINT in the middle of the next swap", async () => {
  const folder = mkdtempSync(join(tmpdir(), "mnemo-rack-")),
    file = join(folder, "rack.json");
  writeFileSync(file, JSON.stringify(rack));
  const served = mnemoProcess("serve", "rack", "--setup", file);
  const programs: FrameProgram[] = [];
  try {
    expect(await served.firstLine).toMatch(/^serving a rack of 1 sNIC and 0 memory nodes: /);
    for (const [n, host] of hosts.entries())
      programs.push(await FrameProgram.open(host, { ip: address, port: 7000 + n }));
    const [from, to] = programs as [FrameProgram, FrameProgram];
    await to.askWhoHas(parseIpv4("10.20.0.1"));
    await to.next(f => dissectStack(f).arp !== undefined);
    // Bob's wait for their chain; alice's behind them pass them.
    const send = (dag: keyof typeof ports, number: number): Promise<void> =>
        from.sendDatagram(to.own, ports[dag], Buffer.alloc(40, number)),
      came: (number | undefined)[][] = [];
    for (let i = 0; i < 4; i++) {
      await send("summed", i);
      await send("guarded", i);
    }
    while (came.length < 8) {
      const f = await to.next(x => dissectStack(x).udp !== undefined);
      came.push([dissectStack(f).udp?.dstPort, f[headerOffsets.payload]]);
    }
    const of = (port: number) => came.filter(([p]) => p === port).map(([, number]) => number);
    expect([of(ports.summed), of(ports.guarded)]).toEqual([
      [0, 1, 2, 3],
      [0, 1, 2, 3],
    ]);
    for (let i = 4; i < 7; i++) await send("guarded", i);
    await pause(400);
    const before = performance.now();
    served.signal("SIGINT");
    const { code, stdout, stderr } = await served.ended;
    console.log(`ended ${(performance.now() - before).toFixed(0)} ms after SIGINT\n${stdout}`);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "building the models ...\n" });
    expect(stdout).toMatch(/^served: 12 frames in, 9 out; /m);
    expect(stdout).toContain("frames were still under way 1 s after the end was asked for, and were left");
    expect(stdout).not.toContain("not in order");
  } finally {
    served.signal("SIGKILL");
    await served.ended;
    for (const program of programs) await program.close();
    rmSync(folder, { recursive: true });
  }
});
