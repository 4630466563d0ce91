import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { mnemo } from "../../../../support/command-line.ts";

const capture = fileURLToPath(new URL("../../../../../captures/first.pcap", import.meta.url));
let folder = "";
const at = (name: string): string => join(folder, name);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mnemo-refused-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** One sentence, exit code 2, nothing on stdout, and no file left behind. */
async function refused(args: readonly string[], sentence: string): Promise<void> {
  const before = readdirSync(folder);
  const { code, out, err } = await mnemo(["run", "clio", ...args]);
  expect([code, out, err.replaceAll(folder, "DIR")]).toEqual([2, "", `mnemo: ${sentence}\n`]);
  expect(readdirSync(folder)).toEqual(before);
}

describe("a capture that is none", () => {
  it("is not there", () =>
    refused(
      ["--in", at("no.pcap"), "--out", at("o.pcap")],
      "cannot open DIR/no.pcap: there is no such file or folder",
    ));
  it("is text", async () => {
    writeFileSync(at("notes.pcap"), "hello, world");
    await refused(
      ["--in", at("notes.pcap"), "--out", at("o.pcap")],
      "DIR/notes.pcap is not a capture file: it starts with 0x68656c6c; give a pcap file as tcpdump or Wireshark writes it",
    );
  });
  it("is empty", async () => {
    writeFileSync(at("empty.pcap"), "");
    await refused(
      ["--in", at("empty.pcap"), "--out", at("o.pcap")],
      "DIR/empty.pcap is not a capture file: it has only 0 bytes; give a pcap file as tcpdump or Wireshark writes it",
    );
  });
  it("is cut short inside a frame", async () => {
    writeFileSync(at("cut.pcap"), readFileSync(capture).subarray(0, 24 + 16 + 60 + 16 + 10));
    await refused(
      ["--in", at("cut.pcap"), "--out", at("o.pcap")],
      "DIR/cut.pcap is cut short in frame 2: 10 of its 74 bytes are there; copy or capture it again",
    );
  });
});

describe("outputs that cannot be", () => {
  it("a folder", async () => {
    mkdirSync(at("replies"));
    await refused(["--in", capture, "--out", at("replies")], "cannot open DIR/replies: it is a folder; name a file");
  });
  it("in a folder that is a file", async () => {
    writeFileSync(at("file"), "");
    const { code, err } = await mnemo(["run", "clio", "--in", capture, "--out", at("file/o.pcap")]);
    expect(code).toBe(2);
    expect(err).toMatch(
      /^mnemo: cannot use .*file: a file of that name exists; name another folder, or remove the file\n$/,
    );
  });
  it("the input itself", () =>
    refused(["--in", capture, "--out", capture], `${capture} would overwrite ${capture}; give it another name`));
  it("two in one", async () => {
    const { code, err } = await mnemo([
      "run",
      "clio",
      "--in",
      capture,
      "--out",
      at("same.json"),
      "--stats",
      at("same.json"),
    ]);
    expect([code, err]).toEqual([
      2,
      `mnemo: ${at("same.json")} would overwrite ${at("same.json")}; give it another name\n`,
    ]);
  });
});

describe("frames of one sender", () => {
  it("no address", () =>
    refused(
      ["--in", capture, "--out", at("o.pcap"), "--from", "client"],
      '--from: an IPv4 address is four numbers of 0 to 255 with dots, such as 10.10.0.1, got "client"',
    ));
  it("nobody's", () =>
    refused(
      ["--in", capture, "--out", at("o.pcap"), "--from", "10.9.9.9"],
      `${capture} has no frame from 10.9.9.9; leave --from out to play all 41 frames`,
    ));
});

describe("setup files", () => {
  const cases: readonly (readonly [what: string, text: string, sentence: string])[] = [
    [
      "an unknown field",
      '{"proceses":[]}',
      'there is no field "proceses"; the fields are processes, mappings, memory, freePages, dramLatency, slowPathLatency, monitor',
    ],
    [
      "an unknown field inside",
      '{"processes":[{"pid":1,"name":"x"}]}',
      'processes[0]: there is no field "name"; the fields are pid',
    ],
    ["a PID out of range", '{"processes":[{"pid":70000}]}', "processes[0].pid = 70000: must be a PID from 1 to 65535"],
    [
      "an address that is none",
      '{"mappings":[{"pid":1,"address":"top","length":4096}]}',
      'mappings[0].address = "top": must be a whole number, or text in decimal or 0x hexadecimal',
    ],
    [
      "an address too high",
      '{"mappings":[{"pid":1,"address":"0x4000000000000","length":4096}]}',
      'mappings[0].address = "0x4000000000000": must be from 0 to 0x3ffffffffffff',
    ],
    [
      "a missing length",
      '{"mappings":[{"pid":1,"address":4096}]}',
      "mappings[0].length: must be a whole number, or text in decimal or 0x hexadecimal",
    ],
    ["contents without bytes", '{"memory":[{"pid":1,"address":0}]}', 'memory[0]: needs one of "hex" and "text"'],
    [
      "contents of odd digits",
      '{"memory":[{"pid":1,"address":0,"hex":"123"}]}',
      'memory[0].hex = "123": must be hexadecimal digits, two for each byte',
    ],
    [
      "a monitor without an address",
      '{"monitor":{"ip":"10.1.1","mac":"02:00:00:00:00:01"}}',
      'monitor.ip = "10.1.1": an IPv4 address is four numbers of 0 to 255 with dots, such as 10.10.0.1, got "10.1.1"',
    ],
  ];
  it.each(cases)("%s", async (_what, text, sentence) => {
    writeFileSync(at("setup.json"), text);
    await refused(["--in", capture, "--out", at("o.pcap"), "--setup", at("setup.json")], `DIR/setup.json: ${sentence}`);
  });
  it("text that is no JSON", async () => {
    writeFileSync(at("setup.json"), "processes: 1");
    const { code, err } = await mnemo([
      "run",
      "clio",
      "--in",
      capture,
      "--out",
      at("o.pcap"),
      "--setup",
      at("setup.json"),
    ]);
    expect(code).toBe(2);
    expect(err).toMatch(/^mnemo: .*setup\.json is not JSON: [^\n]+\n$/);
    expect(existsSync(at("o.pcap"))).toBe(false);
  });
  it("more pages than there are", async () => {
    writeFileSync(at("setup.json"), '{"freePages":100000}');
    const { code, err } = await mnemo([
      "run",
      "clio",
      "--in",
      capture,
      "--out",
      at("o.pcap"),
      "--setup",
      at("setup.json"),
    ]);
    expect(code).toBe(2);
    expect(err).toMatch(
      /^mnemo: freePages = 100000 is more than the (\d+) pages that physicalMemory and pageSize leave; the nearest is \1\n$/,
    );
  });
  it("latencies like any setting", async () => {
    writeFileSync(at("setup.json"), '{"dramLatency":0}');
    await refused(
      ["--in", capture, "--out", at("o.pcap"), "--setup", at("setup.json")],
      "dramLatency = 0: must be a whole number from 1 to 10000 cycles; the nearest is 1",
    );
  });
});
