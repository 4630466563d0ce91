import { describe, expect, test } from "vitest";
import { AccessWrite } from "../../../../../designs/clio/rtl/memory/access-write.ts";
import { bernoulli, bursts, legalMemories, runBench } from "../../../../../sim/index.ts";
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
import { one, randoms, run } from "./support/write-rig.ts";
import { testOfResets } from "../../../../support/reset-any-time.ts";

describe("AccessWrite", () => {
  for (const p of configurations) {
    bench(
      `${nameOf(p)}: random writes under random back-pressure`,
      AccessWrite(p),
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
    bench(`${nameOf(p)}: errors of single bursts`, AccessWrite(p), { seed: p.beatBytes }, async b => {
      let seed = b.random.word();
      const pages = [1, 2, 5, 40];
      await run(b, p, randoms(b, p, 150, pages), {
        pause: () => bernoulli(0.2, ++seed),
        jitter: 30,
        bad: badPlaces(b.random, p, pages, 6),
      });
    });
  for (const [like, ram] of Object.entries(legalMemories))
    bench(`a memory with ${like}`, AccessWrite(widths(64, 22)), {}, async b => {
      await run(b, widths(64, 22), randoms(b, widths(64, 22), 80), { ram });
    });
  for (const p of [widths(64, 22), widths(8, 12)]) {
    bench(
      `${nameOf(p)}: back to back, one beat per cycle, latency as stated`,
      AccessWrite(p),
      { seed: p.beatBytes },
      async b => {
        const L = 20,
          requests = Array.from({ length: 60 }, () => one(b, p, b.random.between(0, 3000), b.random.between(1, 1024)));
        const t = await run(b, p, [one(b, p, 64, 2), ...requests], { latency: L });
        expect(t.aw[0]).toBe((t.requests[0] as number) + 2);
        // The buffer's first beat comes the cycle after its job and waits a cycle here (the frame buffer's own comes a
        // cycle later). The beat is on the bus one cycle later.
        expect(t.w[0]).toBe((t.requests[0] as number) + 3);
        expect(t.answers[0]).toBe(t.b[0]);
        expect(t.b[0]).toBe((t.w[0] as number) + L);
        // One cycle more for a write that lies alone (align.ts).
        const cycles = requests.reduce((n, r) => n + Math.max(frameBeats(r, p), memoryBeats(r, p)) + 1, 0);
        const used = (t.w.at(-1) as number) - (t.w[0] as number);
        expect(used).toBeLessThanOrEqual(cycles);
      },
    );
    bench(
      `${nameOf(p)}: small writes, one each cycle and more outstanding than the memory is late`,
      AccessWrite(p),
      {},
      async b => {
        const requests = Array.from({ length: 200 }, (_, i) => one(b, p, (64 * i) % 2048, Math.min(2, p.beatBytes)));
        const t = await run(b, p, requests, { latency: 25 });
        expect((t.aw.at(-1) as number) - (t.aw[0] as number)).toBeLessThanOrEqual(requests.length + 2);
      },
    );
  }
  bench("waits when too many bursts are unanswered, loses nothing", AccessWrite(widths(64, 22)), {}, async b => {
    await run(b, widths(64, 22), randoms(b, widths(64, 22), 120, [1, 2]), { latency: 400 });
  });
  testOfResets(AccessWrite(widths(16, 12)), {}, b =>
    run(b, widths(16, 12), randoms(b, widths(16, 12), 60), {
      pause: () => bernoulli(0.3, b.random.word()),
      jitter: 30,
    }),
  );
  bench("a reset in the middle of a write leaves nothing behind", AccessWrite(widths(16, 12)), {}, async b => {
    const p = widths(16, 12),
      r = one(b, p, 4096 - 40, 300);
    b.io.bufferJob.ready.value = 1;
    b.io.aw.ready.value = 1;
    await offer(b, b.io.request, value(r, p, true));
    b.io.aw.ready.value = 0;
    await offer(b, b.io.buffer, { data: 1, last: 0 });
    await offer(b, b.io.buffer, { data: 2, last: 0 }, 4);
    b.sim.reset();
    b.io.buffer.valid.value = 0;
    b.io.request.valid.value = 0;
    await run(b, p, randoms(b, p, 40));
  });

  test("an answer of the memory to no burst is told", () =>
    findsFault(
      runBench("no burst", AccessWrite(widths(16, 12)), { wave: false }, async b => {
        b.io.b.valid.value = 1;
        await b.cycles(5);
      }),
      /belongs to a burst that was issued/,
    ));

  describe("a planted fault is found", () => {
    const p = widths(16, 12);
    const faults: readonly (readonly [string, string | RegExp, string])[] = [
      [
        "fault 9: a write answered before the memory has it",
        /assign ending_valid = b_valid & pending_pop_valid & [^;]*;/,
        "assign ending_valid = pending_pop_valid & ends;",
      ],
      [
        "answered after the first of two bursts",
        /assign ending_valid = b_valid & pending_pop_valid & [^;]*;/,
        "assign ending_valid = b_valid & pending_pop_valid;",
      ],
      [
        "fault 7: bytes past the page go on in the next physical page, not in the request's",
        /burst_next_ppns <= [^;]*;/,
        "burst_next_ppns <= burst_ppns + 1;",
      ],
      ["an error of a request's first burst forgotten", /failed = [^;]*;/, "failed = |b_payload_resp;"],
      [
        "WLAST at the end of the request only",
        /w_payload_last = [^;]*;/,
        "w_payload_last = align_output_payload_last;",
      ],
      ["only one kind of error is one", /failed_before \| \(?\|b_payload_resp\)?/, "failed_before | &b_payload_resp"],
      ["an error stays with the next write", /failed_before <= [^;]*;/, "failed_before <= failed;"],
      ["an error of a silent write is not counted", /events_unanswered = [^;]*;/, "events_unanswered = 1'b0;"],
      [
        "a write that failed is counted as written",
        /completes = b_valid & b_ready & ends & ~failed/,
        "completes = b_valid & b_ready & ends",
      ],
      [
        "a burst that failed is forgotten, its place too",
        /wire pending_pop_ready = /,
        "wire pending_pop_ready = ~(|b_payload_resp & ~ends) & ",
      ],
      ["strobes ignored", /assign output_payload_keep = [^;]*;/, "assign output_payload_keep = 16'hffff;"],
    ];
    for (const [name, from, to] of faults) {
      test(name, async () => {
        await findsFault(
          runBench(
            name,
            plant(AccessWrite(p), from, to),
            { wave: false, hangCycles: 1000, limitCycles: 50000 },
            async b => {
              await run(b, p, randoms(b, p, 80), {
                bad: [...wholePage(p, 40), ...badPlaces(b.random, p, [1, 2, 5], 6)],
              });
            },
          ),
        );
      });
    }
  });
});
