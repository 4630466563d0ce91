/** `mnemo serve clio --nodes N` as a program of its own, and what it refuses. */
import { spawn } from "node:child_process";
import { expect, it } from "vitest";
import { Client, ClusterProcess } from "../../../../../designs/clio/client/index.ts";
import { formatIpv4, parseIpv4 } from "../../../../../designs/shared/wire/index.ts";
import { root } from "../../../../../scripts/setup/paths.mjs";
import { realClock, UdpTransport } from "../../../../../designs/clio/rig/index.ts";
import { clusterBuild } from "./served-cluster.ts";
import { mnemo } from "../../../../support/command-line.ts";
import { onlyHangsEnd } from "../../../../support/hang-limit.ts";

onlyHangsEnd();

// Addresses of this process's own, .20 and .21 of a network, with the controller at .9.
const network = `127.${100 + (process.pid & 1)}.${(process.pid >> 1) & 0xff}`,
  address = `${network}.20`;

it("serves two nodes and a controller: CLib has a region at each, and what was done is told at the end", async () => {
  const sets = Object.entries({ ...clusterBuild, ip: address }).flatMap(([k, v]) => ["--set", `${k}=${v}`]);
  const child = spawn(
    process.execPath,
    ["cli/mnemo.mjs", "serve", "clio", "--nodes", "2", "--sessions", "1", ...sets],
    { cwd: root, stdio: ["ignore", "pipe", "pipe"] },
  );
  let out = "",
    err = "";
  const first = new Promise<string>(resolve => {
    child.stdout.on("data", (d: Buffer) => {
      out += d.toString();
      if (out.includes("\n")) resolve(out.slice(0, out.indexOf("\n")));
    });
  });
  child.stderr.on("data", (d: Buffer) => {
    err += d.toString();
  });
  const ended = new Promise<number | null>(resolve => {
    child.on("close", resolve);
  });
  const ports = "native port 1200; published client's ports 1234 to 1234, more as sessions open";
  expect(await Promise.race([first, ended.then(code => `ended with ${code}: ${err}`)])).toBe(
    `serving 2 nodes on UDP on ${address}: ${ports}; UDP on ${network}.21: ${ports}; global controller ${network}.9 port 1200, monitor 10000. Ctrl-C ends.`,
  );

  const transport = await UdpTransport.open(),
    client = new Client({ transport, clock: realClock, timeoutNs: 60e9, targetDelayNs: 1e9, pageSize: 4096 });
  const p = await ClusterProcess.create(client, { ip: parseIpv4(`${network}.9`), port: 1200 }),
    t = p.thread();
  for (const region of [1, 2]) {
    const va = await t.ralloc(8192, { region });
    await t.rwrite(va + 4090n, Uint8Array.of(region, 2, 3, 4, 5, 6, 7, 8, 9, 10));
    expect(await t.rread(va + 4090n, 10)).toEqual(Uint8Array.of(region, 2, 3, 4, 5, 6, 7, 8, 9, 10));
  }
  expect(p.nodes.map(n => formatIpv4(n.ip)).sort()).toEqual([address, `${network}.21`]);
  await p.end();
  await transport.close();
  child.kill("SIGINT");
  expect([await ended, err]).toEqual([0, "building the model ...\n"]);
  const did = (ip: string): readonly unknown[] => [
    expect.stringMatching(new RegExp(`^${ip} served: \\d+ frames in, \\d+ out; \\d+ cycles `)),
    expect.stringMatching(new RegExp(`^${ip} counters: .*reads 2, writes 2, .*shootdowns 2`)),
  ];
  expect(out.split("\n").slice(1)).toEqual([
    ...did(address),
    ...did(`${network}.21`),
    expect.stringMatching(/^controller: \d+ frames in, 0 of 0 migrations done$/),
    "",
  ]);
});

it.each<[string[], RegExp]>([
  [["--nodes", "9"], /It must be a number of nodes, 1 to 8\./],
  [["--nodes", "0"], /It must be a number of nodes, 1 to 8\./],
  [
    ["--nodes", "2", "--tap", "mnemo9"],
    /^mnemo: --nodes 2 are served behind sockets only; leave --tap and --tap-address out, or serve one node\n$/,
  ],
  [
    ["--nodes", "2", "--port", "0"],
    /^mnemo: --port 0 asks for any free port of one address; --nodes 2 need the same at each, give its number\n$/,
  ],
  [
    ["--nodes", "2", "--monitor", "off"],
    /^mnemo: --monitor off leaves out the global controller, which --nodes 2 need; give it another address, or serve one node\n$/,
  ],
  [
    ["--nodes", "4", "--set", "ip=127.0.0.7"],
    /^mnemo: 127\.0\.0\.9 would be the address of the global controller \(--monitor\) and of a node \(127\.0\.0\.7 to 127\.0\.0\.10\); give one of them another\n$/,
  ],
  [
    ["--nodes", "2", "--monitor", "1200"],
    /^mnemo: --monitor port 1200 is the native port, which the global controller has, too; give the monitor another\n$/,
  ],
  [["--nodes", "2", "--set", "ip=192.0.2.77"], /^mnemo: ip = 192\.0\.2\.77 is no address of this machine; /],
])("%s: one sentence, exit code 2", async (args, message) => {
  const { code, out, err } = await mnemo(["serve", "clio", ...args]);
  expect({ code, out }).toEqual({ code: 2, out: "" });
  expect(err).toMatch(message);
  expect(err.trimEnd()).not.toContain("\n");
});
