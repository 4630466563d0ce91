/** `mnemo serve rack` as a process: clients of the memory nodes through the sNIC, ping, tshark, hostile programs. */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { createSocket } from "node:dgram";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { root } from "../../../../../scripts/setup/paths.mjs";
import { Client } from "../../../../../designs/clio/client/index.ts";
import { realClock, UdpTransport } from "../../../../../designs/clio/rig/index.ts";
import { parseIpv4 } from "../../../../../designs/shared/wire/index.ts";
import { ctrlMessage, ctrlOpcode, ctrlPort, endsOf, openCtrl } from "../../../../../designs/supernic/wire/index.ts";
import { Random } from "../../../../../hdl-dsl/index.ts";
import { onlyHangsEnd } from "../../../../support/hang-limit.ts";
import { mnemo as inProcess } from "../../../../support/command-line.ts";
import { mnemoProcess, type Running } from "../../../../support/mnemo-process.ts";
import { cFolder, has, output, python } from "../../../clio/client/bindings/programs.ts";
import { noTap, pinged } from "../../../supernic/rig/serve/tap-there.ts";

onlyHangsEnd();

const net = `100.98.${process.pid & 255}`,
  address = `127.97.${(process.pid >> 8) & 255}.${1 + ((process.pid & 255) % 254)}`,
  device = `rk${process.pid % 1_000_000}`,
  example = "examples/rack-serve.json",
  folder = mkdtempSync(join(tmpdir(), "mnemo-rack-")),
  setup = join(folder, "setup.json"),
  capture = join(folder, "served.pcapng");
const missing = await noTap(device, `${net}.12`),
  hasTshark = spawnSync("tshark", ["--version"]).status === 0;
if (missing !== undefined) console.log(`what needs a TAP device is skipped: ${missing}`);
if (!hasTshark) console.log("what needs tshark is skipped: it is not on the PATH (Debian: apt install tshark)");

interface RackJson {
  readonly endpoints: { program: unknown }[];
}
let served: Running;
beforeAll(async () => {
  const rack = JSON.parse(
    readFileSync(join(root, example), "utf8").replaceAll("10.20.0.", `${net}.`).replaceAll("127.0.0.1", address),
  ) as RackJson;
  // Where there is a right to it, the second host is this machine's kernel.
  if (missing === undefined) rack.endpoints[1]!.program = { kind: "tap", device };
  writeFileSync(setup, JSON.stringify(rack));
  served = mnemoProcess("serve", "rack", "--setup", setup, "--capture", capture);
  const line = await served.firstLine,
    [first, second] = line.replaceAll(address, "127.0.0.1").split("; ");
  expect(first).toBe(
    "serving a rack of 1 sNIC and 2 memory nodes: host0 on UDP 127.0.0.1:1200 to mem0:1200, 127.0.0.1:1201 to mem1:1200, 127.0.0.1:1300 to snic0:1300",
  );
  expect(readFileSync(join(root, "docs/supernic/serve.md"), "utf8")).toContain(first);
  expect(second).toBe(
    missing === undefined
      ? `host1 on TAP device ${device} (this machine is ${net}.12/24): MAC 02:10:00:00:00:02. Ctrl-C ends.`
      : "host1 on UDP 127.0.0.1:7000. Ctrl-C ends.",
  );
});
afterAll(async () => {
  served.signal("SIGKILL");
  await served.ended;
  rmSync(folder, { recursive: true });
});

describe("clients of the memory nodes, through the sNIC", () => {
  it("CLib: memory over two pages, atomics and keys at both nodes", async () => {
    const transport = await UdpTransport.open(),
      client = new Client({ transport, clock: realClock, timeoutNs: 60e9, targetDelayNs: 1e9 }),
      r = new Random(3);
    for (const port of [1200, 1201]) {
      const process = await client.createProcess({ ip: parseIpv4(address), port }),
        thread = process.thread(),
        page = 4 << 20;
      const va = await thread.ralloc(2 * page),
        data = r.bytes(9000);
      await thread.rwrite(va + BigInt(page - 3000), data);
      expect(await thread.rread(va + BigInt(page - 3000), data.length)).toEqual(data);
      for (let i = 0; i < 4; i++) expect(await thread.fetchAndAdd(va, 5n)).toBe(BigInt(5 * i));
      expect(await thread.kv.create(7n, data.subarray(0, 300))).toBe(true);
      expect(await thread.kv.create(7n, data.subarray(0, 9))).toBe(false);
      expect(await thread.kv.update(7n, data.subarray(300, 700))).toBe(true);
      expect(await thread.kv.read(7n)).toEqual(data.slice(300, 700));
      expect(await thread.kv.delete(7n)).toBe(true);
      expect(await thread.kv.read(7n)).toBeUndefined();
      await client.freeProcess(process);
    }
    expect(client.statistics).toMatchObject({ failed: 0 });
    await transport.close();
  });
  const words = join(root, "test/designs/rack/rig/serve");
  it.skipIf(!has("python3", "--version"))("the Python client, two at a time, one at each node", async () => {
    const program = join(words, "words.py");
    expect(await Promise.all([python(program, [address, "1200"]), python(program, [address, "1201"])])).toEqual([
      "done\n",
      "done\n",
    ]);
  });
  it.skipIf(!has("cc", "--version"))("the C client", async () => {
    const program = join(folder, "words");
    await output("cc", ["-I", cFolder, join(words, "words.c"), join(cFolder, "mnemosyne_clio.c"), "-o", program]);
    expect(await output(program, [address, "1201"])).toBe("done\n");
  });
  it("CTRL of the sNIC, at its socket: the ends are the endpoint with the program's port, and the sNIC", async () => {
    const socket = createSocket("udp4"),
      key = Buffer.from("6d656d6f727927732073656372657421", "hex");
    await new Promise<void>(resolve => {
      socket.bind(0, address, resolve);
    });
    const from = { ip: parseIpv4(`${net}.11`), port: socket.address().port },
      to = { ip: parseIpv4(`${net}.1`), port: ctrlPort },
      query = { opcode: ctrlOpcode.QUERY, user: 1, requestId: 1 };
    const answer = new Promise<Buffer>(resolve => {
      socket.once("message", resolve);
    });
    socket.send(ctrlMessage(key, endsOf(from, to), query, new Uint8Array()), 1300, address);
    expect(openCtrl(await answer, endsOf(to, from), () => key)?.header).toMatchObject({ reply: 1, status: 0 });
    socket.close();
  });
});

describe.skipIf(missing !== undefined)(
  `this machine behind a port${missing === undefined ? "" : ` (skipped: ${missing})`}`,
  () => {
    it("ping reaches both nodes and the sNIC", async () => {
      for (const last of [21, 22, 1]) expect(await pinged(`${net}.${last}`, 2)).toBe(2);
    });
    it("a client reaches a node by its own address", async () => {
      const transport = await UdpTransport.open(`${net}.12`),
        client = new Client({ transport, clock: realClock, timeoutNs: 60e9, targetDelayNs: 1e9 }),
        process = await client.createProcess({ ip: parseIpv4(`${net}.21`), port: 1200 }),
        thread = process.thread(),
        va = await thread.ralloc(4096);
      await thread.rwrite(va, Buffer.from("by its own address"));
      expect(Buffer.from(await thread.rread(va, 18)).toString()).toBe("by its own address");
      await client.freeProcess(process);
      await transport.close();
    });
  },
);

describe("hostile programs, and the end", () => {
  it("garbage, 60 KB, a flood, a client that dies: counted, and others go on", async () => {
    const socket = createSocket("udp4"),
      send = (data: Uint8Array, port: number): Promise<void> =>
        new Promise(resolve => {
          socket.send(data, port, address, () => resolve());
        });
    for (let n = 0; n <= 60; n++) await send(Buffer.alloc(n, 0x5a), 1200 + (n & 1));
    for (let n = 61; n <= 3000; n += 733) await send(Buffer.alloc(n, n), 1201);
    await send(Buffer.alloc(9001), 1200);
    await send(Buffer.alloc(60_000), 1300);
    socket.close();
    const flood = spawn(process.execPath, [
      "-e",
      `const s = require("dgram").createSocket("udp4"), b = Buffer.alloc(16); b[3] = 2; b[6] = 16;
       const next = () => s.send(b, 1200, "${address}", next); for (let i = 0; i < 8; i++) next();`,
    ]);
    await pause(500);
    flood.kill("SIGKILL");
    // A client that is killed with its requests out.
    const dying = spawn("python3", [join(root, "test/designs/rack/rig/serve/words.py"), address, "1200"], {
      env: { ...process.env, PYTHONPATH: join(root, "designs/clio/client/python"), PYTHONDONTWRITEBYTECODE: "1" },
      stdio: "ignore",
    });
    await pause(400);
    dying.kill("SIGKILL");
    const transport = await UdpTransport.open(),
      client = new Client({ transport, clock: realClock, timeoutNs: 60e9, targetDelayNs: 1e9 }),
      owner = await client.createProcess({ ip: parseIpv4(address), port: 1201 }),
      thread = owner.thread(),
      va = await thread.ralloc(4096);
    await thread.rwrite(va, Buffer.from("others go on"));
    expect(Buffer.from(await thread.rread(va, 12)).toString()).toBe("others go on");
    await client.freeProcess(owner);
    await transport.close();
  });

  it("SIGINT: all frames are accounted for, from place to place, and nothing is left inside", async () => {
    const from = performance.now();
    served.signal("SIGINT");
    const { code, stdout, stderr } = await served.ended;
    console.log(`ended ${(performance.now() - from).toFixed(0)} ms after SIGINT\n${stdout}`);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "building the models ...\n" });
    expect(stdout).toMatch(/served: \d+ frames in, \d+ out,.* 2 dropped, longer than a frame; /);
    // Requests go through the DAG, replies are switched.
    const [, processed, switched] = /snic0 +[\d,]+ +[\d,]+ +([\d,]+) +([\d,]+)/.exec(stdout) ?? [];
    expect(Number(processed?.replaceAll(",", ""))).toBeGreaterThan(60);
    expect(Number(switched?.replaceAll(",", ""))).toBeGreaterThan(30);
    expect(stdout).not.toContain("not in order");
  });
  it.skipIf(!hasTshark)("the capture has requests with a shim, and the nodes' messages by their fields", () => {
    const read = (filter: string, ...fields: string[]): readonly string[] =>
      execFileSync(
        "tshark",
        [
          ...["-X", "lua_script:generated/supernic.lua", "-X", "lua_script:generated/clio.lua", "-r", capture],
          ...["-Y", filter, "-T", "fields", "-e", "frame.interface_name", ...fields.flatMap(f => ["-e", f])],
        ],
        { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] },
      )
        .split("\n")
        .filter(line => line !== "");
    expect(read("supernic.snic.uid == 0x401", "ip.dst")).toContain(`host0\t${net}.21`);
    expect(read(`mnemo and ip.src == ${net}.22`).length).toBeGreaterThan(10);
  });
});

describe("what cannot be is one sentence, exit code 2", () => {
  /** The example with one endpoint's program changed. */
  const refused = async (verb: "run" | "serve", i: number, program: object): Promise<string> => {
    const rack = JSON.parse(readFileSync(join(root, example), "utf8")) as RackJson;
    rack.endpoints[i]!.program = program;
    const file = join(folder, "wrong.json");
    writeFileSync(file, JSON.stringify(rack));
    const { code, out, err } = await inProcess([verb, "rack", "--setup", file]);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    return err.replace(file, "x.json");
  };
  const sockets = (at: string, to: string): object => ({ kind: "sockets", listen: [{ at, to }] });
  it.each<["run" | "serve", number, object, RegExp]>([
    [
      "run",
      0,
      sockets("127.0.0.1:1200", "mem0:1200"),
      /^mnemo: x\.json: endpoints\[0\]\.program\.kind = "sockets": a program of this machine is there; use mnemo serve rack, /,
    ],
    [
      "serve",
      1,
      { kind: "capture" },
      /^mnemo: x\.json: endpoints\[1\]\.program\.kind = "capture": mnemo serve takes "sockets", "frames" and "tap"; /,
    ],
    [
      "serve",
      0,
      sockets("127.0.0.1", "mem0:1200"),
      /listen\[0\]\.at = "127\.0\.0\.1": must be an address and a UDP port such as 127\.0\.0\.1:1200/,
    ],
    [
      "serve",
      0,
      sockets("127.0.0.1:1200", "mem9:1200"),
      /listen\[0\]\.to = "mem9:1200": it must be a station with a UDP port, such as snic0:1200; there are snic0, mem0, mem1, host0, host1/,
    ],
    [
      "serve",
      0,
      sockets("192.0.2.77:1200", "mem0:1200"),
      /^mnemo: ip = 192\.0\.2\.77 is no address of this machine; give one that is in the setup/,
    ],
    ["serve", 1, { kind: "tap", device: "a-much-too-long-name" }, /must be a device name of 1 to 15 characters/],
    ["serve", 1, { kind: "frames", at: "127.0.0.1:0" }, /must be an address and a UDP port/],
  ])("%s, endpoint %i: %o", async (verb, i, program, sentence) => {
    expect(await refused(verb, i, program)).toMatch(sentence);
  });
  it("frames of programs into a ring", async () => {
    const ring = JSON.parse(readFileSync(join(root, "examples/rack-ring.json"), "utf8")) as RackJson,
      file = join(folder, "ring.json");
    ring.endpoints[0] = { ...ring.endpoints[0], program: { kind: "frames", at: "127.0.0.1:7000" } };
    delete (ring.endpoints[0] as { dag?: string }).dag;
    writeFileSync(file, JSON.stringify(ring));
    expect((await inProcess(["serve", "rack", "--setup", file])).err).toMatch(
      /the links close a ring, where they would never end/,
    );
  });
});
