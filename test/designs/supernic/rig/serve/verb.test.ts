/** `mnemo serve supernic` as a process: frames through its DAGs, CTRL, a TAP device, tshark, and hostile programs. */
import { execFile, execFileSync, spawn, spawnSync } from "node:child_process";
import { createSocket } from "node:dgram";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { root } from "../../../../../scripts/setup/paths.mjs";
import {
  decode,
  dissectStack,
  formatIpv4,
  headerOffsets,
  parseIpv4,
} from "../../../../../designs/shared/wire/index.ts";
import {
  ctrlMessage,
  ctrlOpcode,
  ctrlPort,
  ctrlStatus,
  endsOf,
  openCtrl,
  queryReplyBody,
} from "../../../../../designs/supernic/wire/index.ts";
import { onlyHangsEnd } from "../../../../support/hang-limit.ts";
import { mnemo as inProcess } from "../../../../support/command-line.ts";
import { mnemoProcess, type Running } from "../../../../support/mnemo-process.ts";
import { FrameProgram } from "./frame-program.ts";
import { noTap, pinged } from "./tap-there.ts";

onlyHangsEnd();

const run = promisify(execFile);
// Addresses of this process's own: whatever else runs, they are free (shared address space, RFC 6598, is not routed).
const net = `100.99.${process.pid & 255}`,
  address = `127.98.${(process.pid >> 8) & 255}.${1 + ((process.pid & 255) % 254)}`,
  device = `snt${process.pid % 1_000_000}`,
  small = ["ports=3", "regions=3", "slots=2", "branches=1", "contexts=64", "cells=128", "users=4"];
const page = readFileSync(join(root, "docs/supernic/serve.md"), "utf8"),
  example = readFileSync(join(root, "examples/supernic-serve.json"), "utf8");
const snic = { mac: 0x025c00000001n, ip: parseIpv4(`${net}.1`) },
  alice = { mac: 0x025c00000011n, ip: parseIpv4(`${net}.11`) },
  bob = { mac: 0x025c00000012n, ip: parseIpv4(`${net}.12`) },
  key = Buffer.from("616c696365277320736563726574", "hex");
const missing = await noTap(device, `${net}.13`),
  hasTshark = spawnSync("tshark", ["--version"]).status === 0;
if (missing !== undefined) console.log(`what needs a TAP device is skipped: ${missing}`);
if (!hasTshark) console.log("what needs tshark is skipped: it is not on the PATH (Debian: apt install tshark)");
const skipTap = missing === undefined ? "" : ` (skipped: ${missing})`;

const folder = mkdtempSync(join(tmpdir(), "mnemo-snic-")),
  setup = join(folder, "setup.json"),
  capture = join(folder, "served.pcapng");
let served: Running, a: FrameProgram, b: FrameProgram;
const portOf = (n: number) => ({ ip: address, port: 7000 + n });

beforeAll(async () => {
  writeFileSync(setup, example.replaceAll("10.20.0.", `${net}.`));
  const tap = missing === undefined ? ["--tap-port", `2=${device}`] : [];
  served = mnemoProcess(
    ...["serve", "supernic", "--setup", setup, "--set", ...small, "--udp", `${address}:7000`, "--capture", capture],
    ...tap,
  );
  const two =
    missing === undefined
      ? `TAP device ${device} (this machine is ${net}.13/24): station host, MAC 02:5c:00:00:00:13`
      : `UDP ${address}:7002`;
  expect(await served.firstLine).toBe(
    `serving the sNIC ${net}.1: port 0 on UDP ${address}:7000; port 1 on UDP ${address}:7001; port 2 on ${two}. Ctrl-C ends.`,
  );
  a = await FrameProgram.open(alice, portOf(0));
  b = await FrameProgram.open(bob, portOf(1));
  // The device learns nothing; the ports learn who is behind them.
  for (const program of [a, b]) {
    await program.askWhoHas(snic.ip);
    const { arp } = dissectStack(await program.next(isArp));
    expect([arp?.senderMac, arp?.senderIp]).toEqual([snic.mac, snic.ip]);
  }
});
afterAll(async () => {
  served.signal("SIGKILL");
  await served.ended;
  await a.close();
  await b.close();
  rmSync(folder, { recursive: true });
});
const isArp = (f: Uint8Array): boolean => dissectStack(f).arp !== undefined,
  isEcho = (f: Uint8Array): boolean => dissectStack(f).icmp !== undefined,
  isUdpTo =
    (port: number) =>
    (f: Uint8Array): boolean =>
      dissectStack(f).udp?.dstPort === port;
const dataOf = (f: Uint8Array): Uint8Array =>
  f.slice(headerOffsets.payload, headerOffsets.transport + (dissectStack(f).udp?.length ?? 0));
/** Alice's datagram goes through her DAG to bob. */
async function sentThrough(text: string): Promise<void> {
  await a.sendDatagram(bob, 4001, Buffer.from(text));
  expect(Buffer.from(dataOf(await b.next(isUdpTo(4001)))).toString()).toBe(text);
}

describe("mnemo serve supernic", () => {
  it("runs the page's program, and the page has the example's place and what it prints", async () => {
    const program = /```js\n([\s\S]*?)```/.exec(page)?.[1] ?? "",
      ip = (n: number): string =>
        Buffer.from(new Uint32Array([snic.ip + n]).reverse().buffer)
          .reverse()
          .toString("hex");
    writeFileSync(join(folder, "first.mjs"), program.replace("0a14000b", ip(10)).replace("0a140001", ip(0)));
    const { stdout } = await run(process.execPath, [join(folder, "first.mjs")], {
      env: { ...process.env, MNEMO_PORT: `${address}:7000` },
    });
    expect(stdout).toBe("10.20.0.1 is at 02:5c:00:00:00:01\n");
    expect(page).toContain(`It prints \`${stdout.trimEnd()}\``);
    expect(page).toContain(`--set ${small.join(" ")}`);
  });
  it("a DAG passes and drops, what is not of its rule is switched, software answers ping", async () => {
    await sentThrough("through the firewall");
    // The firewall drops port 9, and what is sent behind it comes.
    await a.sendDatagram(bob, 9, Buffer.from("dropped"));
    await sentThrough("behind it");
    expect(b.received.filter(isUdpTo(9))).toEqual([]);
    await b.sendDatagram(alice, 4002, Buffer.from("back"));
    expect(Buffer.from(dataOf(await a.next(isUdpTo(4002)))).toString()).toBe("back");
    await a.ping(snic, 1);
    expect(dissectStack(await a.next(isEcho)).icmp).toMatchObject({ type: 0, identifier: 7, sequence: 1 });
  });
  it("CTRL is reachable: QUERY with the user's key, and no answer without it", async () => {
    const from = { ip: alice.ip, port: 4000 },
      to = { ip: snic.ip, port: ctrlPort },
      query = { opcode: ctrlOpcode.QUERY, user: 1, requestId: 1 };
    await a.sendDatagram(snic, ctrlPort, ctrlMessage(Buffer.from("wrong"), endsOf(from, to), query, new Uint8Array()));
    await a.sendDatagram(snic, ctrlPort, ctrlMessage(key, endsOf(from, to), query, new Uint8Array()));
    const reply = openCtrl(dataOf(await a.next(isUdpTo(4000))), endsOf(to, from), () => key);
    expect(reply?.header).toMatchObject({ reply: 1, status: ctrlStatus.OK, requestId: 1 });
    expect(decode(queryReplyBody, reply?.body ?? new Uint8Array())).toMatchObject({ dags: 1, refused: 0 });
  });

  it.skipIf(missing !== undefined)(
    `a TAP device: ping, CTRL by a plain socket, tshark beside it${skipTap}`,
    async () => {
      const live = hasTshark ? await listening() : undefined;
      expect(await pinged(formatIpv4(snic.ip))).toBe(3);
      const socket = createSocket("udp4");
      await new Promise<void>(resolve => {
        socket.bind(0, `${net}.13`, resolve);
      });
      const from = { ip: parseIpv4(`${net}.13`), port: socket.address().port },
        to = { ip: snic.ip, port: ctrlPort },
        query = { opcode: ctrlOpcode.QUERY, user: 1, requestId: 2 };
      const answer = new Promise<Buffer>(resolve => {
        socket.once("message", resolve);
      });
      socket.send(ctrlMessage(key, endsOf(from, to), query, new Uint8Array()), ctrlPort, formatIpv4(snic.ip));
      expect(openCtrl(await answer, endsOf(to, from), () => key)?.header).toMatchObject({ reply: 1, status: 0 });
      socket.close();
      // The kernel knows the device by its software's answer, and a frame of alice's reaches this machine.
      const { stdout } = await run("ip", ["neighbour", "show", "dev", device]);
      expect(stdout).toContain(`${net}.1 lladdr 02:5c:00:00:00:01`);
      const heard = createSocket("udp4"),
        came = new Promise<Buffer>(resolve => {
          heard.once("message", resolve);
        });
      await new Promise<void>(resolve => {
        heard.bind(5000, `${net}.13`, resolve);
      });
      await a.sendDatagram({ mac: 0x025c00000013n, ip: from.ip }, 5000, Buffer.from("to the machine"));
      expect((await came).toString()).toBe("to the machine");
      heard.close();
      if (live !== undefined) expect(await live()).toMatch(/SNIC-CTRL/);
    },
  );

  it("hostile programs are counted, and the others go on", async () => {
    // Garbage of every length that is short, and then some of any; 60 KB; nothing.
    for (let n = 0; n <= 90; n++) await a.send(Buffer.alloc(n, 0x5a));
    for (let n = 100; n <= 3000; n += 293) await a.send(Buffer.alloc(n, n));
    await a.send(Buffer.alloc(9019));
    await a.send(Buffer.alloc(60_000));
    await sentThrough("beside garbage");
    // One floods and dies in the middle of it.
    const flood = spawn(process.execPath, [
      "-e",
      `const s = require("dgram").createSocket("udp4"), f = Buffer.alloc(64); f.write("025c00000012025c000000140800", "hex");
       const next = () => s.send(f, 7000, "${address}", next); for (let i = 0; i < 8; i++) next();`,
    ]);
    await pause(700);
    flood.kill("SIGKILL");
    b.received.splice(0);
    await b.sendDatagram(alice, 4002, Buffer.from("beside a flood"));
    for (let got = ""; got !== "beside a flood";) got = Buffer.from(dataOf(await a.next(isUdpTo(4002)))).toString();
  });

  it("sleeps while nobody sends; ends in order on SIGINT, and all frames are accounted for", async () => {
    for (let quiet = false; !quiet;) {
      const before = processorTime(served.pid);
      await pause(1000);
      quiet = processorTime(served.pid) - before < 0.1;
    }
    const from = performance.now();
    served.signal("SIGINT");
    const { code, stdout, stderr } = await served.ended;
    console.log(`ended ${(performance.now() - from).toFixed(0)} ms after SIGINT\n${stdout}`);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "building the model ...\n" });
    expect(stdout).toMatch(
      /served: \d+ frames in, \d+ out, \d+ lost for want of room.* 2 dropped, longer than a frame; /,
    );
    expect(stdout).toMatch(/port 0: .*inShort \d+/);
    expect(stdout).toMatch(/middle: .*dropTask 1,/);
    expect(stdout).toMatch(/software: ARP \d+, ping \d+, .*; CTRL done [12], repeated 0, refused 0, of strangers 1/);
    expect(stdout).not.toContain("not in order");
  });
  it.skipIf(!hasTshark)("the capture has every frame, and tshark knows their fields", () => {
    const read = (...args: string[]): readonly string[] =>
      execFileSync("tshark", ["-X", "lua_script:generated/supernic.lua", "-r", capture, ...args], {
        cwd: root,
        encoding: "utf8",
        stdio: ["ignore", "pipe", "ignore"],
      })
        .split("\n")
        .filter(line => line !== "");
    expect(read("-Y", "supernic.ctrl.opcode == 7 and supernic.ctrl.reply == 1").length).toBeGreaterThan(0);
    // By interfaces: alice's datagram at port 0, and a little later at port 1.
    const times = read(
      "-Y",
      `udp.dstport == 4001`,
      "-T",
      "fields",
      "-e",
      "frame.interface_name",
      "-e",
      "frame.time_epoch",
    );
    expect(times[0]).toMatch(/^port 0\t/);
    expect(times[1]).toMatch(/^port 1\t/);
  });
});

/** tshark on the TAP device. @returns what ends it and gives what it has decoded */
async function listening(): Promise<() => Promise<string>> {
  const args = ["-l", "-n", "-i", device, "-X", "lua_script:generated/supernic.lua"],
    child = spawn("tshark", args, { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
  let out = "",
    err = "";
  child.stdout.on("data", (d: Buffer) => (out += d.toString()));
  child.stderr.on("data", (d: Buffer) => (err += d.toString()));
  while (!/Capturing on/.test(err) && child.exitCode === null) await pause(50);
  await pause(300);
  return async () => {
    const ended = new Promise(resolve => child.on("close", resolve));
    await pause(500);
    child.kill("SIGINT");
    await ended;
    return out;
  };
}
/** Seconds of the processor that a process has used (Linux; elsewhere 0). */
function processorTime(pid: number | undefined): number {
  try {
    const [, , ...fields] = (readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1] ?? "").split(" ");
    return (Number(fields[9]) + Number(fields[10])) / 100;
  } catch {
    return 0;
  }
}

describe("what cannot be is one sentence, exit code 2", () => {
  const refused = async (...args: string[]): Promise<string> => {
    const { code, out, err } = await inProcess([
      ...["serve", "supernic", "--setup", "examples/supernic-serve.json", "--set", ...small],
      ...args,
    ]);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    return err;
  };
  it.each<[string[], RegExp]>([
    [
      ["--udp", "192.0.2.77:7000"],
      /^mnemo: ip = 192\.0\.2\.77 is no address of this machine; give one that is with --udp, /,
    ],
    [["--udp", "127.0.0.1"], /It must be an IPv4 address with a UDP port, such as 127\.0\.0\.1:7000\./],
    [["--udp", "127.0.0.1:65535"], /^mnemo: --udp: port 2 would be UDP port 65537; give 65533 or less\n$/],
    [["--tap-port", "mnemo0"], /It must be a port and a device, such as 0=mnemo0/],
    [["--tap-port", "0=mnemo0,10.0.0.1/31"], /It must be an IPv4 address with a prefix length of 1 to 30/],
    [["--tap-port", "3=mnemo0"], /^mnemo: --tap-port 3=mnemo0: the ports are 0 to 2; name one of these\n$/],
    [
      ["--tap-port", "0=mnemo0", "--tap-port", "0=mnemo1"],
      /^mnemo: --tap-port 0=mnemo1: port 0 has a TAP device; name another port\n$/,
    ],
    [["--capture", "x.pcap"], /Its name must end in \.pcapng\./],
    [["--capture", "examples/supernic-serve.json"], /Its name must end in \.pcapng\./],
  ])("%s", async (args, sentence) => {
    expect(await refused(...args)).toMatch(sentence);
  });
  it("a port that is taken, and a port without a station", async () => {
    const taken = createSocket("udp4");
    await new Promise<void>(resolve => {
      taken.bind(7101, address, resolve);
    });
    expect(await refused("--udp", `${address}:7100`)).toBe(
      `mnemo: UDP port 7101 of ${address} is taken by another program; choose others with --udp\n`,
    );
    taken.close();
    const lonely = join(folder, "lonely.json");
    writeFileSync(lonely, example.replace(/,\s*\{ "name": "host".*\}/, ""));
    const { err } = await inProcess([
      "serve",
      "supernic",
      "--setup",
      lonely,
      "--set",
      ...small,
      "--tap-port",
      "2=mnemo2",
    ]);
    expect(err).toMatch(/^mnemo: --tap-port 2=mnemo2: the setup has no station with an IPv4 address at port 2, /);
  });
});
