import { execFile } from "node:child_process";
import { createSocket } from "node:dgram";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import * as p from "../../../../support/packets.ts";
import { root } from "../../../../../scripts/setup/paths.mjs";
import { mnemoProcess } from "../../../../support/mnemo-process.ts";
import { mnemo as inProcess } from "../../../../support/command-line.ts";
import { onlyHangsEnd } from "../../../../support/hang-limit.ts";

onlyHangsEnd();

// An address of this process's own: the usual ports are free there whatever else runs.
const address = `127.96.${(process.pid >> 8) & 0xff}.${1 + ((process.pid & 0xff) % 254)}`;

/** One request to the native port. */
async function ask(payload: Uint8Array): Promise<Uint8Array> {
  const socket = createSocket("udp4");
  const reply = new Promise<Uint8Array>(resolve => {
    socket.once("message", m => resolve(new Uint8Array(m)));
  });
  socket.send(payload, 1200, address);
  try {
    return await reply;
  } finally {
    socket.close();
  }
}

describe("mnemo serve clio", () => {
  it("says where it is, answers, runs the page's first program as it stands, and ends cleanly on SIGINT", async () => {
    const folder = mkdtempSync(join(tmpdir(), "mnemo-serve-")),
      setup = join(folder, "setup.json");
    writeFileSync(
      setup,
      JSON.stringify({
        mappings: [{ pid: 9, address: "0x80000000", length: 4096, write: false }],
        memory: [{ pid: 9, address: "0x80000010", text: "prepared" }],
      }),
    );
    const served = mnemoProcess("serve", "clio", "--set", `ip=${address}`, "--sessions", "3", "--setup", setup);
    expect(await served.firstLine).toBe(
      `serving on UDP on ${address}: native port 1200; published client's ports 1234 to 1236, more as sessions open; monitor 10000. Ctrl-C ends.`,
    );
    const message = p.clioMessage({ opcode: p.opcode.PINGPONG, tag: 5 }, Uint8Array.of(1, 2, 3));
    expect(await ask(message)).toEqual(message);
    const prepared = await ask(
      p.clioMessage({ opcode: p.opcode.READ, pid: 9 }, p.encode(p.accessBody, { va: 0x8000_0010n, length: 8 })),
    );
    expect(Buffer.from(prepared.subarray(28)).toString()).toBe("prepared");

    const page = readFileSync(join(root, "docs/clio/serve.md"), "utf8"),
      program = /```js\n([\s\S]*?)```/.exec(page)?.[1] ?? "";
    try {
      writeFileSync(join(folder, "first.mjs"), program);
      const { stdout } = await promisify(execFile)(process.execPath, [join(folder, "first.mjs")], {
        env: { ...process.env, MNEMO_NODE: address },
      });
      expect(stdout).toBe("process 1, address 0x40000000, status 0: hello, far memory\n");
      expect(page).toContain(`It prints \`${stdout.trimEnd()}\``);
    } finally {
      rmSync(folder, { recursive: true });
    }

    // The port is taken now.
    expect(await inProcess(["serve", "clio", "--set", `ip=${address}`])).toEqual({
      code: 2,
      out: "",
      err: `mnemo: UDP port 1200 of ${address} is taken by another program; choose another with --port (0: any free one)\n`,
    });
    served.signal("SIGINT");
    const { code, stdout, stderr } = await served.ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: "building the model ...\n" });
    expect(stdout.split("\n")[1]).toMatch(
      /^served: 6 frames in, 6 out; \d+ cycles \(\d+\.\d us simulated\) in \d+\.\d\d s, asleep for \d+\.\d\d s$/,
    );
    expect(stdout).toContain("counters: rxFrames 6, txFrames 6, pingpongs 1, reads 2, writes 1");
  });

  it("takes any free port, says which, and ends cleanly on SIGTERM", async () => {
    const served = mnemoProcess(
      "serve",
      "clio",
      "--set",
      `ip=${address}`,
      "--port",
      "0",
      "--sessions",
      "0",
      "--monitor",
      "off",
    );
    expect(await served.firstLine).toMatch(
      /: native port \d+; published client's ports as sessions open\. Ctrl-C ends\.$/,
    );
    served.signal("SIGTERM");
    expect(await served.ended).toMatchObject({ code: 0, signal: null, stderr: "building the model ...\n" });
  });
});

describe("what cannot be is one sentence, exit code 2", () => {
  it.each<[string[], RegExp]>([
    [["--set", "ip=192.0.2.77"], /^mnemo: ip = 192\.0\.2\.77 is no address of this machine; /],
    [["--port", "70000"], /'--port <port>' argument '70000' is invalid\. It must be a UDP port, 0 to 65535\./],
    [
      ["--port", "1300", "--set", "nativePort=1200"],
      /^mnemo: --port and --set nativePort=\.\.\. are the same; give one of them\n$/,
    ],
    [["--sessions", "2000"], /It must be a number of sessions, 0 to 1024\./],
    [["--tap", "a-much-too-long-name"], /It must be a device name of 1 to 15 characters/],
    [["--tap-address", "10.0.0.1/24"], /^mnemo: --tap-address is this machine's end of a TAP device; /],
    [["--tap-address", "10.0.0.1/31"], /It must be an IPv4 address with a prefix length of 1 to 30/],
    [["--tap", "mnemo9", "--port", "0"], /^mnemo: --port 0 asks for a free port of this machine; /],
    [
      ["--tap", "mnemo9", "--set", "ip=10.1.1.9"],
      /^mnemo: 10\.1\.1\.9 would be the address of the node \(--set ip=\.\.\.\) and of the monitor \(--monitor\); give one of them another\n$/,
    ],
    // Not a TAP device, or no right to find out.
    [
      ["--tap", "lo"],
      /^mnemo: (?:the device lo is there already and is no TAP device; give another name with --tap|there is no right to .*: run as root .*|.*tun.*)\n$/,
    ],
    [["--monitor", "1235"], /^mnemo: --monitor 1235 is a port of the node \(1200, 1234 to 2257\); give another\n$/],
    [
      ["--monitor", "10.0.0.1"],
      /^mnemo: --monitor 10\.0\.0\.1: behind sockets the monitor has the node's address, 127\.0\.0\.1; give only its port\n$/,
    ],
    [["--monitor", "x:y"], /argument 'x:y' is invalid/],
  ])("%s", async (args, message) => {
    const { code, out, err } = await inProcess(["serve", "clio", ...args]);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toMatch(message);
    expect(err.trimEnd()).not.toContain("\n");
  });
});

describe("a set-up file that cannot be is one sentence, exit code 2", () => {
  it.each<[string, readonly string[], RegExp]>([
    ["{", [], /setup\.json is not JSON: /],
    ['{ "process": [] }', [], /: there is no field "process"; the fields are processes, mappings, memory, /],
    [
      '{ "mappings": [{ "pid": 0, "address": 0, "length": 1 }] }',
      [],
      /: mappings\[0\]\.pid = 0: must be a PID from 1 to 65535\n$/,
    ],
    [
      '{ "freePages": 1000000000 }',
      [],
      /^mnemo: freePages = 1000000000 is more than the \d+ pages that physicalMemory and pageSize leave; the nearest is \d+\n$/,
    ],
    [
      '{ "monitor": { "ip": "10.1.1.1", "mac": "02:00:00:00:00:09" } }',
      [],
      /: monitor\.ip = 10\.1\.1\.1: behind sockets the monitor has the node's address; leave the field out and give its port with --monitor, or serve a TAP device with --tap\n$/,
    ],
    ["{}", ["--nodes", "2"], /^mnemo: --setup \S+ prepares one node; leave it out with --nodes 2, /],
    ["{}", ["--set", "port=1"], /^mnemo: /],
  ])("%s %j", async (text, more, message) => {
    const folder = mkdtempSync(join(tmpdir(), "mnemo-serve-")),
      setup = join(folder, "setup.json");
    try {
      writeFileSync(setup, text);
      const { code, out, err } = await inProcess([
        "serve",
        "clio",
        "--set",
        `ip=${address}`,
        "--port",
        "0",
        "--setup",
        setup,
        ...more,
      ]);
      expect({ code, out }).toEqual({ code: 2, out: "" });
      expect(err).toMatch(message);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
  it("what the memory cannot hold is said before anything is served, and no port stays open", async () => {
    const folder = mkdtempSync(join(tmpdir(), "mnemo-serve-")),
      setup = join(folder, "setup.json");
    try {
      writeFileSync(setup, '{ "memory": [{ "pid": 3, "address": 4096, "text": "x" }] }');
      const args = ["serve", "clio", "--set", `ip=${address}`, "--setup", setup];
      for (let i = 0; i < 2; i++)
        expect(await inProcess(args)).toEqual({
          code: 2,
          out: "",
          err: 'building the model ...\nmnemo: setup: memory[0]: 0x1000 of PID 3 has no page; map it in "mappings", with physical pages left for it\n',
        });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
