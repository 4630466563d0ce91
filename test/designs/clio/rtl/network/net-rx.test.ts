import { describe, expect, test } from "vitest";
import { counterNames } from "../../../../../designs/clio/config/index.ts";
import type { FilterSettings } from "../../../../../designs/clio/model/index.ts";
import { dropReasons } from "../../../../../designs/clio/rtl/network/drops.ts";
import { NetRx } from "../../../../../designs/clio/rtl/network/net-rx.ts";
import { udpFrame } from "../../../../../designs/shared/wire/index.ts";
import { bursts, type Dut, runBench } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { clientPorts, goodRead, own, randomRequest } from "./net-frames.ts";
import {
  netRxDut as dut,
  netRxBenches,
  type NetRxPorts,
  randomTraffic,
  netRxSlots as slots,
  Surroundings,
  withoutPrefix,
} from "./support/net-rx-rig.ts";
import { testOfResets } from "../../../../support/reset-any-time.ts";

describe("NetRx", () => {
  test("its drop reasons are the node's counters", () => {
    const names = counterNames
      .filter(n => n.startsWith("drop") && n !== "dropRule" && n !== "dropReply")
      .map(withoutPrefix);
    expect([...dropReasons].sort()).toEqual(names.sort());
  });

  for (const beatBytes of [8, 16, 32, 64]) {
    describe(`${beatBytes * 8} bits`, () => {
      for (const x of netRxBenches(beatBytes)) bench(x.name, dut(beatBytes), { seed: x.seed }, x.run);
    });
  }

  // A frame that is too short, or of another protocol, leaves fields as they were.
  const beside = { context_write_value_body: "", operands_write_value: "", request_payload: "" };
  for (const x of netRxBenches(16).slice(0, 1)) testOfResets(dut(16), { most: 1000, beside }, x.run);

  describe("other settings", () => {
    const elsewhere: FilterSettings = {
      ...own,
      ip: 0xfffffffe,
      mac: 0xfeffffffffffn,
      nativePort: 65535,
      clientPort: 64000,
      acceptAnyMac: true,
    };
    bench("any MAC, ports up to the last", dut(32), { seed: 5 }, async b => {
      const s = new Surroundings(b, { settings: elsewhere });
      for (let i = 0; i < 800; i++) {
        const port = b.random.pick([65535, 64000, 63999, 65023, 65024, 65022, 0, 1, 1200]);
        s.send(
          udpFrame(
            { mac: b.random.bits(48) & ~(1n << 40n), ip: b.random.between(1, 0xdfff_ffff), port: 7 },
            { mac: b.random.chance() ? b.random.bits(48) : elsewhere.mac, ip: elsewhere.ip, port },
            b.random.bytes(b.random.between(0, 60)),
          ),
        );
      }
      await s.finish();
      expect(s.events.filter(e => e.request).length).toBeGreaterThan(50);
    });
    const jumbo = NetRx({ beatBytes: 64, slots, frameBytes: 9018, clientPorts });
    bench("jumbo frames", jumbo, { seed: 5 }, async b => {
      const settings = { ...own, mtuFrame: 9018 };
      const s = new Surroundings(b, { settings });
      for (const n of [9018, 9019, 8000, 16384, 16385, 16448, 33000]) {
        s.send(randomRequest(b.random, n - 58));
        s.send(goodRead(b.random));
      }
      await s.finish();
    });
  });

  describe("a planted fault is found", () => {
    const run = (name: string, design: Dut<NetRxPorts>): Promise<unknown> =>
      runBench(name, design, { wave: false, hangCycles: 300, limitCycles: 60_000, seed: 2 }, async b => {
        await randomTraffic(b, 1500, { request: bursts({ go: 12, pause: 12 }, 4) });
      });
    test("and nothing without one", async () => {
      await run("no fault", dut(16));
    });
    const faults: readonly (readonly [string, string | RegExp, string])[] = [
      ["a last byte one lane off", /last_byte <= \{/, "last_byte <= 32'd1 + {"],
      ["a frame of two kinds of ports", /native \| client/, "native"],
      [
        "carries out of the checksum forgotten",
        /sum_joined_twos = \{.*\};/,
        "sum_joined_twos = {sum_joined_twos_xor[14:0], 1'b0};",
      ],
      ["one of two places' carries forgotten", /sum_first_fours_or\[15:14\]\}/, "sum_first_fours_or[15], 1'b0}"],
      ["of three words two are carried", /sum_second_twos_or =\s[^;]*;/, "sum_second_twos_or = sum_second_ones;"],
      ["the slot of the frame behind", /judged_request_slot <= slot;/, "judged_request_slot <= frame_slot;"],
      ["a frame written past its slot", /buffer_write_en = [^;]*;/, "buffer_write_en = taken;"],
      ["an FCS error forgotten", /bad <= rx_payload_user;/, "bad <= 1'b0;"],
      ["no wait for the stage behind", /assign rx_ready = room &/, "assign rx_ready ="],
      ["request IDs believed on the published client's ports", "<= header[374] & native;", "<= header[374];"],
      ["a retry under its own number", "header[375] ? header[463:432] : ", ""],
      ["operands a byte off", "operands_write_value = header[687:560]", "operands_write_value = header[679:552]"],
      ["frames that are too short pass", /broken <= \{/, "broken <= 36'hfffffffbf & {"],
      ["the node's own MAC address believed", /\(broken_joined == config_mac\)/, "1'b0"],
      ["a group's MAC address believed", /\| header\[48\]/, "| 1'b0"],
      ["the node's own IPv4 address believed", /\(header_joined == config_ip\)/, "1'b0"],
      ["a multicast IPv4 address believed", /\(header\[215:212\] == 4'he\)/, "1'b0"],
      ["a status overlooked", /request_reply <= is_reply;/, "request_reply <= is_reply & ~(|header[371:368]);"],
      ["a node's ports overlooked", /\) & from_node\);/, ") & 1'b0);"],
      ["processes of the node's own for everybody", /request_foreign <= [^;]*;/, "request_foreign <= 1'b0;"],
      ["a reply with a wrong FCS told so", /\| judged_request_reply\);/, ");"],
    ];
    for (const [name, from, to] of faults) {
      test(name, async () => {
        await findsFault(run(name, plant(dut(16), from, to)));
      });
    }
  });
});
