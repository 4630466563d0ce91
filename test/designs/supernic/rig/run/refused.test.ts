/** Inputs of `mnemo run supernic` that cannot be: one sentence with field, value and remedy, and nothing is lost. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { demoSetup } from "../../../../../designs/supernic/workload/index.ts";
import { writePcap, writePcapng } from "../../../../../sim/index.ts";
import { mnemo } from "../../../../support/command-line.ts";
import { shippedCapture, shippedSetup } from "./played.ts";

let folder = "";
const at = (name: string): string => join(folder, name);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mnemo-snic-refused-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** All files below the folder, with their bytes. */
const contents = (): Readonly<Record<string, string>> =>
  Object.fromEntries(
    readdirSync(folder, { withFileTypes: true }).map(e => [
      e.name,
      e.isDirectory() ? "a folder" : readFileSync(join(folder, e.name), "hex"),
    ]),
  );
const out = (): readonly string[] => ["--out", at("o.pcap")],
  setup = ["--setup", shippedSetup] as const;
/** One sentence, exit code 2, nothing on stdout; files stay as they are, and none is left behind. */
async function refused(args: readonly string[], sentence: string | RegExp): Promise<void> {
  const before = contents();
  const { code, out: said, err } = await mnemo(["run", "supernic", ...args]);
  const shown = err.replaceAll(folder, "DIR").replaceAll(shippedSetup, "SETUP").replaceAll(shippedCapture, "CAPTURE");
  expect([code, said]).toEqual([2, ""]);
  if (typeof sentence === "string") expect(shown).toBe(`mnemo: ${sentence}\n`);
  else expect(shown).toMatch(sentence);
  expect(shown.match(/\n/g)).toHaveLength(1);
  expect(contents()).toEqual(before);
}

describe("captures", () => {
  const asks = (input: string): readonly string[] => ["--in", input, ...out(), ...setup];
  it("none is named", () => refused([...out(), ...setup], "required option '--in <file>' not specified"));
  it("no file behind a port", () =>
    refused(asks("2="), "option '--in <file>' argument '2=' is invalid. It names no file."));
  it("an empty name", () => refused(asks(""), "option '--in <file>' argument '' is invalid. It names no file."));
  it("is not there", () => refused(asks(at("no.pcap")), "cannot open DIR/no.pcap: there is no such file or folder"));
  it("of several, one is not there", () =>
    refused(
      ["--in", shippedCapture, ...asks(`1=${at("no.pcap")}`)],
      "cannot open DIR/no.pcap: there is no such file or folder",
    ));
  it("is a folder", async () => {
    mkdirSync(at("captures"));
    await refused(asks(at("captures")), "cannot open DIR/captures: it is a folder; name a file");
  });
  it("is foreign", async () => {
    writeFileSync(at("notes.pcap"), "hello, world");
    await refused(
      asks(at("notes.pcap")),
      "DIR/notes.pcap is not a capture file: it starts with 0x68656c6c; give a pcap file as tcpdump or Wireshark writes it",
    );
  });
  it("is cut short", async () => {
    writeFileSync(at("cut.pcap"), readFileSync(shippedCapture).subarray(0, 24 + 16 + 64 + 16 + 10));
    await refused(
      asks(at("cut.pcap")),
      "DIR/cut.pcap is cut short in frame 2: 10 of its 350 bytes are there; copy or capture it again",
    );
  });
  it("is of pcapng, and cut short", async () => {
    writeFileSync(at("cut.pcapng"), writePcapng([{ timeNs: 0n, bytes: new Uint8Array(60) }], ["port 0"]).slice(0, -8));
    await refused(asks(at("cut.pcapng")), /^mnemo: DIR\/cut\.pcapng is damaged: .*; capture or copy it again\n$/);
  });
  it("a port that there is not", () =>
    refused(asks(`9=${shippedCapture}`), "--in 9=CAPTURE: the ports are 0 to 3; name one of these"));
  it("an interface that is no port", async () => {
    const names = ["a", "b", "c", "d", "e", "f"];
    writeFileSync(at("six.pcapng"), writePcapng([{ timeNs: 0n, bytes: new Uint8Array(60), interface: 5 }], names));
    await refused(
      asks(at("six.pcapng")),
      "DIR/six.pcapng: frame 1 is of interface 5, and the ports are 0 to 3; set ports=6",
    );
  });
  it("an interface that no device has", async () => {
    const names = Array.from({ length: 12 }, (_, i) => `port ${i}`);
    writeFileSync(at("many.pcapng"), writePcapng([{ timeNs: 0n, bytes: new Uint8Array(60), interface: 11 }], names));
    await refused(
      asks(at("many.pcapng")),
      "DIR/many.pcapng: frame 1 is of interface 11, and the ports are 0 to 3; a device has 9 at most: name a port for the file, as in --in 0=DIR/many.pcapng",
    );
  });
  it("a time that no capture of ours can tell", async () => {
    const late = [{ timeNs: 2n ** 32n * 1_000_000_000n, bytes: new Uint8Array(60) }];
    writeFileSync(at("late.pcapng"), writePcapng(late, ["port 0"]));
    await refused(
      asks(at("late.pcapng")),
      "DIR/late.pcapng: frame 1 is of a time that is not from 1970 to 2106; move the times: editcap -t",
    );
  });
  it("times that are years apart", async () => {
    const year = 366n * 86_400_000_000_000n;
    writeFileSync(
      at("apart.pcap"),
      writePcap([0n, year].map(timeNs => ({ timeNs, bytes: new Uint8Array(60).fill(2, 6, 12) }))),
    );
    await refused(
      asks(at("apart.pcap")),
      "--in: the last frame is 366 days behind the first, and a run has 365; move the times of a file: editcap -t",
    );
  });
  it("check sequences that Ethernet does not have", async () => {
    const file = writePcap([{ timeNs: 0n, bytes: new Uint8Array(60) }]);
    new DataView(file.buffer).setUint32(20, 0x1400_0001, true);
    writeFileSync(at("fcs.pcap"), file);
    await refused(
      asks(at("fcs.pcap")),
      "DIR/fcs.pcap tells of check sequences of 2 bytes, and Ethernet's have 4; capture it again without check sequences",
    );
  });
  it("cut at any byte: refused, or no frame is half", async () => {
    const whole = writePcapng([{ timeNs: 0n, bytes: new Uint8Array(60), interface: 9 }], ["port 0"]);
    for (let n = 0; n < whole.length; n += 7) {
      writeFileSync(at("cut.pcapng"), whole.subarray(0, n));
      // Behind the section, and behind the interface, nothing is missing: a capture without frames.
      if (n === 28) continue;
      await refused(
        asks(at("cut.pcapng")),
        /^mnemo: DIR\/cut\.pcapng (?:is damaged: .*; capture or copy it again|is not a capture file: .*; give .*)\n$/,
      );
    }
  });
  it("a stranger, where there is no uplink", async () => {
    const { uplink: _none, ...rest } = demoSetup;
    writeFileSync(at("setup.json"), JSON.stringify(rest));
    writeFileSync(at("x.pcap"), writePcap([{ timeNs: 0n, bytes: new Uint8Array(60).fill(0x22, 6, 12) }]));
    await refused(
      ["--in", at("x.pcap"), ...out(), "--setup", at("setup.json")],
      "DIR/x.pcap: frame 1 is from 22:22:22:22:22:22, and the setup knows no such station; add it, or set an uplink",
    );
  });
});

describe("outputs", () => {
  const from = ["--in", shippedCapture, ...setup] as const;
  it("none is named", () => refused([...from], "required option '--out <file>' not specified"));
  it("of no known kind", () =>
    refused(
      [...from, "--out", at("o.txt")],
      "option '--out <file>' argument 'DIR/o.txt' is invalid. Its name must end in .pcap or .pcapng.",
    ));
  it("a folder", async () => {
    mkdirSync(at("o.pcap"));
    await refused([...from, ...out()], "cannot open DIR/o.pcap: it is a folder; name a file");
  });
  it("in a folder that is a file", async () => {
    writeFileSync(at("file"), "");
    await refused(
      [...from, "--out", at("file/o.pcap")],
      "cannot use DIR/file: a file of that name exists; name another folder, or remove the file",
    );
  });
  it("an input", async () => {
    writeFileSync(at("b.pcap"), readFileSync(shippedCapture));
    await refused(
      [...from, "--in", `2=${at("b.pcap")}`, "--out", at("b.pcap")],
      "DIR/b.pcap would overwrite DIR/b.pcap; give it another name",
    );
  });
  it("the setup", async () => {
    writeFileSync(at("setup.json"), JSON.stringify(demoSetup));
    await refused(
      ["--in", shippedCapture, "--setup", at("setup.json"), ...out(), "--stats", at("setup.json")],
      "DIR/setup.json would overwrite DIR/setup.json; give it another name",
    );
  });
  it("one of several cannot be: the others are not left behind", () =>
    refused([...from, ...out(), "--stats", join(shippedSetup, "s.json")], /^mnemo: cannot use SETUP: .*\n$/));
  it("a name that is too long, and one that would steer the terminal", async () => {
    await refused(
      [...from, "--out", at(`${"x".repeat(300)}.pcap`)],
      /^mnemo: cannot open DIR\/x+\.pcap: the name is too long; give it a shorter one\n$/,
    );
    await refused([...from, "--out", at("no\u001b[2J.txt")], /no\\x1b\[2J\.txt' is invalid\. Its name must end in/);
  });
  it.each([
    ["--stats", "s.txt", "Its name must end in .json."],
    ["--wave", "w.txt", "Its name must end in .vcd or .fst."],
    ["--pace", "fast", "It must be capture, line-rate or closed-loop."],
    ["--seed", "-1", "It must be a whole number from 0 to 4294967295."],
    ["--seed", "many", "It must be a whole number from 0 to 4294967295."],
  ])("%s %s", (option, value, remedy) =>
    refused(
      [...from, ...out(), option, value],
      new RegExp(`^mnemo: option '${option} <\\w+>' argument '${value}' is invalid\\. ${remedy}\n$`),
    ),
  );
  it.each(["--out", "--setup", "--stats", "--wave", "--pace", "--seed"])("%s twice", option => {
    const value =
      {
        "--out": at("a.pcap"),
        "--setup": shippedSetup,
        "--stats": at("a.json"),
        "--wave": at("a.vcd"),
        "--pace": "capture",
      }[option] ?? "1";
    return refused(
      [...from, ...out(), option, value, option, value],
      /argument '.*' is invalid\. It is given twice\.\n$/,
    );
  });
});

describe("setups", () => {
  const refusedSetup = async (text: string, sentence: string | RegExp, more: readonly string[] = []): Promise<void> => {
    writeFileSync(at("setup.json"), text);
    await refused(["--in", shippedCapture, ...out(), "--setup", at("setup.json"), ...more], sentence);
  };
  it("none is named", () =>
    refused(["--in", shippedCapture, ...out()], "required option '--setup <file>' not specified"));
  it("has a key that is none", () =>
    refusedSetup(
      JSON.stringify({
        ...demoSetup,
        keys: [{ name: "site", task: "seal", user: "left", number: 1, key: "00ff", tunnel: "none" }],
      }),
      'DIR/setup.json: keys[0].key = "00ff": must be a key of 16 bytes (AES-128) or 32 (AES-256), in hexadecimal digits',
    ));
  it("is not there", () =>
    refused(
      ["--in", shippedCapture, ...out(), "--setup", at("no.json")],
      "cannot open DIR/no.json: there is no such file or folder",
    ));
  it("is no JSON", () => refusedSetup("stations: []", /^mnemo: DIR\/setup\.json is not JSON: [^\n]+\n$/));
  it("is no JSON over several lines, with letters that steer a terminal", () =>
    refusedSetup('{\n"mac": \u001b[2J', /^mnemo: DIR\/setup\.json is not JSON: [^\n\u001b]+; mend it there\n$/));
  it("is a list", () => refusedSetup("[]", "DIR/setup.json: the file: expected object, received array"));
  it("lacks what must be there", () =>
    refusedSetup("{}", /^mnemo: DIR\/setup\.json: mac[^\n]*; ip[^\n]*; ports[^\n]*\n$/));
  it("has an unknown field", () =>
    refusedSetup(
      JSON.stringify({ ...demoSetup, statoins: [] }),
      /^mnemo: DIR\/setup\.json: there is no field "statoins"; the fields are mac, ip, [^\n]*stations[^\n]*\n$/,
    ));
  it("names a station that there is not", () =>
    refusedSetup(
      JSON.stringify({ ...demoSetup, balancers: [{ ...demoSetup.balancers[0], backends: ["web1", "web9"] }] }),
      /^mnemo: DIR\/setup\.json: balancers\[0\]\.backends\[1\] = "web9": [^\n]*web1[^\n]*\n$/,
    ));
  it("names a task that there is not", () =>
    refusedSetup(
      JSON.stringify({ ...demoSetup, regions: [["firewal"]] }),
      /^mnemo: DIR\/setup\.json: regions\[0\]\.tasks\[0\] = "firewal": there is no such task; the tasks are [^\n]*firewall[^\n]*\n$/,
    ));
  it("has a MAC that is none", () =>
    refusedSetup(JSON.stringify({ ...demoSetup, mac: "02:5c" }), /^mnemo: DIR\/setup\.json: mac = "02:5c": [^\n]+\n$/));
  it("has more ports than the device", () =>
    refusedSetup(
      JSON.stringify(demoSetup),
      "DIR/setup.json: ports: there are 4, and the device has 2; name each, or set ports=4",
      ["--set", "ports=2"],
    ));
  it("names a task after what every object has", () =>
    refusedSetup(
      JSON.stringify({ ...demoSetup, regions: [["constructor"]] }),
      /^mnemo: DIR\/setup\.json: regions\[0\]\.tasks\[0\] = "constructor": there is no such task; the tasks are /,
    ));
  it("has a user, and the device has none", () =>
    refusedSetup(
      JSON.stringify({ ...demoSetup, ports: [{}, {}], stations: [], peers: [], uplink: 0 }),
      /^mnemo: DIR\/setup\.json: users\[0\]\.number = 1: the device has no user but 0, who is nobody; set users=2\n$/,
      ["--set", "users=1", "--set", "ports=2"],
    ));
  it("has a key that anybody guesses", () =>
    refusedSetup(
      JSON.stringify({ ...demoSetup, users: [{ ...demoSetup.users[0], key: "00" }, demoSetup.users[1]] }),
      'DIR/setup.json: users[0].key = "00": must be a key of 8 bytes or more, in hexadecimal digits',
    ));
  it("a setting that cannot be", () =>
    refusedSetup(JSON.stringify(demoSetup), 'ports = "11": must be a whole number from 2 to 9; the nearest is 9', [
      "--set",
      "ports=11",
    ]));
});
