import { describe, expect, it } from "vitest";
import {
  ConfigError,
  counterNames,
  gbnTimeoutCycles,
  makeSettings,
  offloadsOf,
  ofPartition,
  parametersOf,
  parseSettings,
  settingsBehindTransport,
} from "../../../../designs/clio/config/index.ts";
import { clioNode } from "../../../../designs/clio/build/index.ts";

const refusal = (...args: string[]): string => {
  try {
    parseSettings(args);
  } catch (e) {
    if (e instanceof ConfigError) return e.message;
    throw e;
  }
  return "accepted";
};

describe("settings", () => {
  it("have the paper's defaults", () => {
    const { config, runtime } = parseSettings([]);
    expect(config).toMatchObject({
      dataWidth: 512,
      pageSize: 2 ** 22,
      physicalMemory: 2 ** 31,
      slotsFactor: 4,
      tlbEntries: 64,
      outstandingMisses: 16,
      freePageBuffer: 64,
      mtuFrame: 1536,
      vaBits: 50,
      vpnBits: 28,
      ppnBits: 9,
      physAddrBits: 31,
      beatBytes: 64,
      beatShift: 6,
      frameBeats: 24,
      maxData: 1466,
      maxPagesPerRequest: 2,
      tableBase: 0,
      tableBytes: 16384,
      firstPpn: 1,
      usablePages: 511,
    });
    expect(runtime).toEqual({
      mac: 0x02c110000001n,
      ip: 0x0a0a0001,
      nativePort: 1200,
      clientPort: 1234,
      acceptAnyMac: false,
      publishedWritable: true,
      dramLatency: 50,
      slowPathLatency: 2000,
      processPages: 0,
      hashKey: 0n,
    });
  });
  it("read sizes, times, addresses and switches as people write them", () => {
    const { config, runtime } = parseSettings([
      "pageSize=4KB",
      "physicalMemory = 64 GB",
      "mtuFrame=9018",
      "ip=10.77.0.2",
      "mac=02:00:00:00:00:02",
      "acceptAnyMac=true",
      "slowPathLatency=5us",
    ]);
    expect(config).toMatchObject({
      pageSize: 4096,
      physicalMemory: 2 ** 36,
      maxData: 8948,
      maxPagesPerRequest: 4,
      frameBeats: 141,
    });
    expect(runtime).toMatchObject({ ip: 0x0a4d0002, mac: 0x020000000002n, acceptAnyMac: true, slowPathLatency: 5000 });
  });
  it("cover every width and page size", () => {
    for (const dataWidth of [64, 128, 256, 512])
      for (const pageSize of ["4KB", "2MB", "4MB", "64MB", "1GB"])
        expect(makeSettings({ dataWidth, pageSize }).config.usablePages).toBeGreaterThan(0);
  });
  it("refuse in one sentence with the nearest legal value", () => {
    expect(refusal("dataWidth=1024")).toBe('dataWidth = "1024": must be 64, 128, 256 or 512; the nearest is 512');
    expect(refusal("pageSize=8MB")).toBe(
      'pageSize = "8MB": must be 4 KB, 2 MB, 4 MB, 64 MB or 1 GB; the nearest is 4 MB',
    );
    expect(refusal("physicalMemory=3GB")).toBe(
      'physicalMemory = "3GB": must be a power of two from 1 MB to 4 TB; the nearest is 4 GB',
    );
    expect(refusal("tlbEntries=1024")).toBe(
      'tlbEntries = "1024": must be a power of two from 16 to 128; the nearest is 128',
    );
    expect(refusal("mtuFrame=100")).toBe(
      'mtuFrame = "100": must be a whole number from 576 to 9018 bytes; the nearest is 576',
    );
    expect(refusal("mtuFrame=big")).toBe('mtuFrame = "big": must be a whole number from 576 to 9018 bytes');
    expect(refusal("ip=10.0.0")).toBe(
      'ip = "10.0.0": an IPv4 address is four numbers of 0 to 255 with dots, such as 10.10.0.1, got "10.0.0"',
    );
    expect(refusal("mac=03:00:00:00:00:01")).toBe(
      'mac = "03:00:00:00:00:01": is a group address; a node\'s own has an even first byte, the nearest is 02:00:00:00:00:01',
    );
    expect(refusal("pagesize=4MB")).toBe('there is no setting "pagesize"; did you mean pageSize?');
    expect(refusal("pageSize")).toBe('"pageSize" is no setting; write key=value, such as pageSize=4MB');
    expect(refusal("pageSize=4MB", "pageSize=2MB")).toBe('pageSize is set twice, to "4MB" and to "2MB"; give it once');
  });
  it("refuse combinations, naming the fields", () => {
    expect(refusal("pageSize=1GB", "physicalMemory=1GB")).toContain(
      "physicalMemory = 1073741824 holds no page of pageSize = 1073741824 beside the page table; the least physicalMemory is 2147483648",
    );
    expect(refusal("outstandingMisses=64", "requestSlots=32")).toBe(
      "outstandingMisses = 64 is more than requestSlots = 32 requests can need; the nearest is outstandingMisses = 32",
    );
    expect(refusal("outstandingMisses=64", "tlbEntries=32")).toBe(
      "outstandingMisses = 64 is more than tlbEntries = 32 can take in; the nearest is outstandingMisses = 32",
    );
    expect(refusal("nativePort=1300")).toBe(
      "nativePort = 1300 lies among the client ports 1234 to 2257 (clientPort, clientPorts); the nearest is nativePort = 1233",
    );
    expect(refusal("clientPort=65000")).toBe(
      "clientPort = 65000 with clientPorts = 1024 runs past port 65535; the nearest is clientPort = 64512",
    );
  });
  it("divide the node among partitions, or say why not", () => {
    const { config } = makeSettings({ partitions: 2, syncLanes: 1 });
    expect(ofPartition(config)).toMatchObject({
      requestSlots: 32,
      tlbEntries: 32,
      outstandingMisses: 8,
      freePageBuffer: 32,
      syncLanes: 1,
      fences: 2,
    });
    expect(parametersOf(config).partitions).toBe(2);
    expect("partitions" in parametersOf(makeSettings().config)).toBe(false);
    expect(refusal("partitions=3")).toBe('partitions = "3": must be 1, 2 or 4; the nearest is 4');
    expect(refusal("partitions=2", "dataWidth=256")).toBe(
      "partitions = 2 needs a frame's process ID in its first beat, and dataWidth = 256 is too narrow for that; set dataWidth = 512, or partitions = 1",
    );
    expect(refusal("partitions=2", "transport=gbn")).toBe(
      "partitions = 2 with transport = gbn is not built yet; set partitions = 1 or transport = none",
    );
    expect(refusal("partitions=2", "offloads=kv")).toBe(
      "partitions = 2 with offloads = kv is not built yet; set partitions = 1 or offloads = none",
    );
    expect(refusal("partitions=2", "processKeys=256")).toBe(
      "partitions = 2 with processKeys = 256 is not built yet; set partitions = 1 or processKeys = 0",
    );
    expect(refusal("processKeys=300")).toBe(
      'processKeys = "300": must be 0, 256, 1024, 4096, 16384 or 65536; the nearest is 256',
    );
    expect(refusal("activityRegions=64", "offloads=kv")).toBe(
      "activityRegions = 64 with offloads = kv is not built yet; set offloads = none or activityRegions = 0",
    );
    expect("activityRegions" in parametersOf(makeSettings().config)).toBe(false);
    expect(refusal("partitions=4", "tlbEntries=32")).toBe(
      "tlbEntries = 32 leaves less than 16 for each of partitions = 4; the nearest is tlbEntries = 64",
    );
  });

  it("have a transport or none: with Go-Back-N a request holds 8 bytes less, and the node behind it sees frames without its header", () => {
    const withGbn = parseSettings(["transport=gbn"]),
      behind = settingsBehindTransport(withGbn).config;
    expect(withGbn.config).toMatchObject({ transport: "gbn", gbnSessions: 1024, mtuFrame: 1536, maxData: 1458 });
    expect(behind).toMatchObject({ transport: "none", mtuFrame: 1528, maxData: 1458 });
    const plain = parseSettings([]);
    expect(settingsBehindTransport(plain)).toBe(plain);
    expect(refusal("transport=tcp")).toBe('transport = "tcp": must be none or gbn; the nearest is none');
    expect(refusal("transport=go-back-n")).toBe('transport = "go-back-n": must be none or gbn; the nearest is gbn');
    expect(refusal("transport=gbn", "gbnSessions=1000")).toBe(
      'gbnSessions = "1000": must be a power of two from 2 to 1024; the nearest is 1024',
    );
    expect(refusal("gbnSessions=64")).toBe(
      "gbnSessions = 64 has no meaning with transport = none; set transport = gbn too, or leave gbnSessions = 1024",
    );
    expect(refusal("gbnTimeout=4ms")).toBe(
      "gbnTimeout = 4000000 has no meaning with transport = none; set transport = gbn too, or leave gbnTimeout = 32768",
    );
    expect(refusal("transport=gbn", "gbnTimeout=1us")).toMatch(/^gbnTimeout = "1us": must be/);
    const cycles = (...args: string[]): number => gbnTimeoutCycles(parseSettings(["transport=gbn", ...args]).config);
    // Whole rounds of the timer over all sessions.
    expect([cycles(), cycles("gbnTimeout=4ms"), cycles("gbnTimeout=4ms", "gbnSessions=64")]).toEqual([
      8192, 1_000_448, 1_000_000,
    ]);
    expect(clioNode(withGbn.config).name).not.toBe(
      clioNode(parseSettings(["transport=gbn", "gbnTimeout=4ms"]).config).name,
    );
  });
  it("let QUERY_STAT's reply fit the smallest largest frame", () => {
    expect(58 + 4 + 8 * counterNames.length).toBeLessThanOrEqual(576);
  });
});

describe("offloads of a build", () => {
  it.each([
    ["none", []],
    ["all", ["chase", "kv", "mv", "df"]],
    ["kv, chase", ["kv", "chase"]],
  ])("%s", (text, expected) => {
    expect(offloadsOf(makeSettings({ offloads: text }).config)).toEqual(expected);
  });
  it.each([
    [
      "tree",
      /^offloads = "tree": must be none, all, or a list of chase, kv, mv or df with commas between; there is no "tree"$/,
    ],
    ["kv,kv", /^offloads = "kv,kv": has kv twice; name each once$/],
  ])("refuses %s", (text, message) => expect(() => makeSettings({ offloads: text })).toThrow(message));
  it("stand behind Go-Back-N: frames of 8 bytes less, and the same offloads", () => {
    const settings = makeSettings({ offloads: "kv,df", transport: "gbn" }),
      inside = settingsBehindTransport(settings).config;
    expect([offloadsOf(settings.config), offloadsOf(inside), inside.transport]).toEqual([
      ["kv", "df"],
      ["kv", "df"],
      "none",
    ]);
    expect([inside.mtuFrame, inside.maxData, settings.config.maxData]).toEqual([1528, 1458, 1458]);
  });
});
