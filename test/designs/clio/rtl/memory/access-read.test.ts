import { describe, expect, test } from "vitest";
import { AccessRead } from "../../../../../designs/clio/rtl/memory/access-read.ts";
import { dataOffset } from "../../../../../designs/clio/rtl/records/records.ts";
import { bernoulli, bursts, runBench } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { offer } from "../../../../support/offer.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import {
  badPlaces,
  configurations,
  frameBeats,
  memoryBeats,
  nameOf,
  value,
  wholePage,
  widths,
} from "./memory-bench.ts";
import { one, randoms, run } from "./support/read-rig.ts";
import { testOfResets } from "../../../../support/reset-any-time.ts";

describe("AccessRead", () => {
  for (const p of configurations) {
    bench(
      `${nameOf(p)}: random reads under random back-pressure`,
      AccessRead(p),
      { seed: p.beatBytes + p.pageShift },
      async b => {
        let seed = b.random.word();
        await run(b, p, randoms(b, p, 150), {
          pause: () => (++seed % 2 ? bernoulli(0.3, seed) : bursts({ go: 20, pause: 10 }, seed)),
          jitter: 30,
          bad: wholePage(p, 40),
        });
      },
    );
  }
  for (const p of configurations)
    bench(`${nameOf(p)}: errors of single beats`, AccessRead(p), { seed: p.beatBytes }, async b => {
      let seed = b.random.word();
      const pages = [1, 2, 5, 40];
      await run(b, p, randoms(b, p, 150, pages), {
        pause: () => bernoulli(0.2, ++seed),
        jitter: 30,
        bad: badPlaces(b.random, p, pages, 6),
      });
    });
  for (const p of [widths(64, 22), widths(8, 12)]) {
    bench(`${nameOf(p)}: latency as stated`, AccessRead(p), {}, async b => {
      const t = await run(b, p, [one(b, p, 64, 2)], { latency: 20 });
      const [asked, r] = [t.requests[0] as number, t.r[0] as number];
      expect([t.ar[0], r, t.replies[0], t.data[0]]).toEqual([asked + 1, asked + 21, r + 1, r + 2]);
    });
    bench(
      `${nameOf(p)}: back to back, one beat per cycle whatever the memory's latency`,
      AccessRead(p),
      { seed: p.beatBytes },
      async b => {
        const requests = Array.from({ length: 60 }, () =>
          one(b, p, b.random.between(0, 3000), b.random.between(1, 1024)),
        );
        const t = await run(b, p, requests, { latency: 50 });
        // One cycle more for a read that lies alone (align.ts), a few for the last one to pass.
        const cycles = requests.reduce((n, r) => n + Math.max(frameBeats(r, p), memoryBeats(r, p)) + 1, 0);
        expect((t.data.at(-1) as number) - (t.r[0] as number)).toBeLessThanOrEqual(cycles + 3);
      },
    );
  }
  for (const length of [1024, 1466]) {
    bench(
      `512 bits: at least 97 % of the wire's beats for reads of ${length} bytes with a latency of 50`,
      AccessRead(widths(64, 22)),
      { seed: length },
      async b => {
        const p = widths(64, 22),
          n = 100,
          requests = Array.from({ length: n }, () => one(b, p, b.random.between(0, 3000), length));
        const t = await run(b, p, requests, { latency: 50, asNetTx: true });
        const wire = requests.reduce((all, r) => all + Math.floor(dataOffset / p.beatBytes) + frameBeats(r, p), 0);
        const used = (t.data.at(-1) as number) - (t.replies[0] as number);
        expect(used * 0.97).toBeLessThanOrEqual(wire);
      },
    );
  }
  bench(
    "512 bits: reads of one beat, one each cycle and a half: the latency of 50 is hidden",
    AccessRead(widths(64, 22)),
    {},
    async b => {
      const p = widths(64, 22),
        requests = Array.from({ length: 300 }, () => one(b, p, 64 * b.random.between(0, 30), 16));
      const t = await run(b, p, requests, { latency: 50 });
      // The bound on requests in flight, and no more.
      expect(t.mostInFlight).toBeGreaterThanOrEqual(p.outstanding);
      expect(t.mostInFlight).toBeLessThanOrEqual(p.outstanding + 4);
      expect((t.data.at(-1) as number) - (t.data[0] as number)).toBeLessThanOrEqual(
        Math.ceil((requests.length * 54) / p.outstanding),
      );
    },
  );
  testOfResets(AccessRead(widths(16, 12)), {}, b =>
    run(b, widths(16, 12), randoms(b, widths(16, 12), 60), {
      pause: () => bernoulli(0.3, b.random.word()),
      jitter: 30,
    }),
  );
  bench("a reset in the middle of a read leaves nothing behind", AccessRead(widths(16, 12)), {}, async b => {
    const p = widths(16, 12);
    b.io.ar.ready.value = 1;
    b.io.reply.ready.value = 1;
    b.io.data.ready.value = 1;
    await offer(b, b.io.request, value(one(b, p, 4096 - 40, 300), p, false));
    for (let i = 0; i < 4; i++) await offer(b, b.io.r, { data: i, id: 0, resp: 2, last: i === 2 ? 1 : 0 });
    b.sim.reset();
    b.io.r.valid.value = 0;
    b.io.request.valid.value = 0;
    await run(b, p, randoms(b, p, 40));
  });

  describe("a planted fault is found", () => {
    const p = widths(16, 12);
    const faults: readonly (readonly [string, string | RegExp, string])[] = [
      [
        "fault 7: bytes past the page come from the next physical page, not from the request's",
        /burst_next_ppns <= [^;]*;/,
        "burst_next_ppns <= burst_ppns + 1;",
      ],
      ["a memory error not told", /queue_push_payload_bad = [^;]*;/, "queue_push_payload_bad = 1'b0;"],
      [
        "only one kind of error is one",
        /input_payload_bad = \|r_payload_resp|align_input_payload_bad = [^;]*;/,
        "align_input_payload_bad = &r_payload_resp;",
      ],
      ["a reply given twice when the data wait", /reply_done <= [^;]*;/, "reply_done <= 1'b0;"],
      ["a beat queued twice when the reply waits", /data_done <= [^;]*;/, "data_done <= 1'b0;"],
      ["bursts longer than 4 KB allows", /burst_last = [^;]*;/, "burst_last = 1'b1;"],
    ];
    for (const [name, from, to] of faults) {
      test(name, async () => {
        await findsFault(
          runBench(
            name,
            plant(AccessRead(p), from, to),
            { wave: false, hangCycles: 1000, limitCycles: 50000 },
            async b => {
              let seed = 3;
              await run(b, p, randoms(b, p, 200), {
                pause: () => bernoulli(0.4, ++seed),
                bad: badPlaces(b.random, p, [1, 2, 5, 6, 40], 20),
              });
            },
          ),
        );
      });
    }
  });
});
