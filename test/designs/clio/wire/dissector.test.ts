import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  accessBody,
  clioMessage,
  createProcReplyBody,
  dissectorLua,
  keyTrailer,
  opcode,
  opcodeName,
  operations,
  wireFormatReference,
} from "../../../../designs/clio/wire/index.ts";
import { concat, encode, udpFrame } from "../../../../designs/shared/wire/index.ts";
import { writePcap } from "../../../../sim/index.ts";

const hasTshark = spawnSync("tshark", ["--version"]).status === 0;
const capture = (name: string): string =>
  new URL(`../../../data/published-client-${name}.pcap`, import.meta.url).pathname;

describe.skipIf(!hasTshark)(`the Wireshark dissector${hasTshark ? "" : " (skipped: tshark is not installed)"}`, () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "mnemo-lua-"));
    writeFileSync(join(folder, "clio.lua"), dissectorLua());
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  const fields = (name: string, ...names: string[]): string[] => fieldsOf(capture(name), ...names);
  const fieldsOf = (path: string, ...names: string[]): string[] =>
    execFileSync(
      "tshark",
      [
        "-X",
        `lua_script:${join(folder, "clio.lua")}`,
        "-r",
        path,
        "-Y",
        "mnemo && !icmp",
        "-T",
        "fields",
        ...names.flatMap(n => ["-e", n]),
      ],
      { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] },
    )
      .trim()
      .split("\n");

  it("decodes the published client's KV traffic, requests and replies", () => {
    expect(
      fields(
        "kv",
        "mnemo.clio.opcode",
        "mnemo.clio.status",
        "mnemo.clio.size",
        "mnemo.kv.key",
        "mnemo.kv.valueSize",
        "mnemo.kvReply.valueSize",
      ),
    ).toEqual([
      "0x62\t0\t1052\t0x0000000223456789\t1024\t",
      "0x63\t0\t20\t\t\t1024",
      "0x60\t0\t28\t0x0000000223456789\t1000\t",
      "0x61\t0\t1044\t\t\t1024",
      "0x64\t0\t1028\t0x0000000223456789\t1000\t",
      "0x65\t0\t20\t\t\t1000",
    ]);
  });
  it("decodes joins and processes on the monitor's port", () => {
    const lines = fields(
      "context",
      "mnemo.clio.opcode",
      "mnemo.join.ipText",
      "mnemo.join.ip",
      "mnemo.join.udpPort",
      "mnemo.createProcReply.newPid",
    );
    expect(lines[0]?.trimEnd()).toBe("0x96\t10.77.0.1\t10.77.0.1\t10000");
    expect(lines.slice(2, 6).map(l => l.split("\t")[4] ?? "")).toEqual(["", "1", "", "2"]);
  });
  it("decodes WRITEs and READ replies with their data", () => {
    const lines = fields("read-write", "mnemo.clio.opcode", "mnemo.access.va", "mnemo.access.length", "mnemo.data");
    expect(lines[0]).toBe("0x50\t0x000000003e000000\t4\t00000000");
    expect(lines.filter(l => l.startsWith("0x41")).length).toBeGreaterThan(6);
  });
  it("shows a process's key: in the reply that gives it, and behind a request's end", () => {
    const here = { mac: 1n, ip: 1, port: 50_000 },
      node = { mac: 2n, ip: 2, port: 1200 },
      key = encode(keyTrailer, { key: 0x0123456789abcdefn }),
      given = concat(encode(createProcReplyBody, { newPid: 7 }), key),
      access = encode(accessBody, { va: 64n, length: 8 });
    const frames = [
      udpFrame(node, here, clioMessage({ opcode: 0x85 }, given)),
      udpFrame(here, node, concat(clioMessage({ opcode: opcode.READ, pid: 7 }, access), key)),
      udpFrame(here, node, clioMessage({ opcode: opcode.READ, pid: 7 }, access)),
    ];
    const path = join(folder, "keys.pcap");
    writeFileSync(path, writePcap(frames.map((bytes, i) => ({ bytes, timeNs: BigInt(1000 * i) }))));
    expect(fieldsOf(path, "mnemo.clio.opcode", "mnemo.createProcReply.newPid", "mnemo.key.key", "mnemo.data")).toEqual([
      "0x85\t7\t0x0123456789abcdef\t",
      "0x40\t\t0x0123456789abcdef\t",
      "0x40",
    ]);
  });
});

describe("the committed files", () => {
  const committed = (path: string): string => readFileSync(new URL(`../../../../${path}`, import.meta.url), "utf8");
  it("are what the schema gives", () => {
    expect(committed("generated/clio.lua")).toBe(dissectorLua());
    expect(committed("docs/clio/wire-format.md")).toBe(wireFormatReference());
  });
});

describe("the reference page", () => {
  it("has a row for every operation and a table for every body", () => {
    const page = wireFormatReference();
    for (const o of operations) {
      expect(page).toContain(`| ${o.code.toString(16).toUpperCase().padStart(2, "0")} | ${opcodeName(o.code)} |`);
      if (o.body) expect(page).toContain(`\`${o.body.name}\`, ${o.body.bytes} bytes`);
    }
    expect(page).toContain("| 4, bits 0-3 | status | 4 |");
  });
});
