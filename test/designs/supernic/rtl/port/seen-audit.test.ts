/** What a reliable port tells its link of each frame: right ones, mutated ones, cut ones. */
import { describe, expect, test } from "vitest";
import { type JudgedFrame, judgeFrame } from "../../../../../designs/supernic/model/index.ts";
import { AxisSource, type Dut, runBench } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { mutated, rightFrame } from "../judge/support/frames.ts";
import { type B, dut, type Ports, sizes } from "./support/rx-rig.ts";

const port = { reliable: true, peer: true, class: 1 } as const;
/** These leave in doubt what the partner has sent: the link hears that the frame was bad. */
const doubtful: readonly string[] = ["fcs", "short", "link"];

function check({ reason, accepted }: JudgedFrame, seen: B["io"]["seen"]): void {
  const good = !doubtful.includes(reason);
  expect(seen.good.num, reason).toBe(good ? 1 : 0);
  if (!accepted) return;
  const { link } = accepted.taken,
    answer = accepted.kind === "answer";
  expect([seen.linked.num, seen.nack.num], reason).toEqual([link ? 1 : 0, link?.kind === 3 ? 1 : 0]);
  if (link) expect([seen.sequence.num, seen.ack.num]).toEqual([link.sequence, link.ack]);
  const kinds = accepted.kind === "pfc" || answer ? [accepted.kind] : ["data", "redirect", "onward"];
  expect(kinds).toContain(seen.kind.value);
  // Nothing is in the tables, and there is no uplink.
  const groups = ((accepted.bytes[0] ?? 0) & 1) === 1;
  if (!groups) expect(seen.wantsRoom.num).toBe(0);
}
async function told(b: B): Promise<void> {
  const { io, random } = b,
    { frameBytes } = sizes.small,
    rx = new AxisSource(b.sim, io.rx, { behindEnd: 0xa5 }),
    coming: JudgedFrame[] = [],
    reasons = new Set<string>();
  let pauses = 0;
  io.judged.reliable.value = io.judged.peer.value = 1;
  io.judged.class.value = port.class;
  io.config.mac.value = 0x020000000077n;
  io.accept.value = 0;
  b.onEdge({
    sample: () => {
      if (io.pfc.valid.num === 1) pauses--;
      if (io.seen.valid.num === 0) return;
      const judged = coming.shift();
      if (!judged) throw new Error("the link hears of a frame that nobody sent");
      check(judged, io.seen);
    },
  });
  for (let i = 0; i < 900; i++) {
    const right = rightFrame(random, random.between(14, 150), port),
      changed = random.chance(0.5) ? mutated(random, right, frameBytes) : right,
      bytes = random.chance(0.1) ? changed.slice(0, random.between(1, Math.min(30, changed.length))) : changed,
      bad = random.chance(0.05),
      judged = judgeFrame(bytes, bad, port, frameBytes);
    rx.send(bytes, { user: bad ? 1 : 0, userAtEnd: true });
    coming.push(judged);
    reasons.add(judged.reason);
    if (judged.accepted?.kind === "pfc") pauses++;
    await b.until(() => rx.pending < 3);
  }
  await b.until(() => coming.length === 0);
  await b.cycles(20);
  expect(pauses, "pauses that were not told, or were told of bad frames").toBe(0);
  for (const reason of ["none", ...doubtful]) expect([...reasons]).toContain(reason);
  expect(io.waiting.num).toBe(0);
}

describe("RxPort", () => {
  bench("tells the link of each frame what it is", dut("small"), { seed: 1 }, told);

  describe("a planted fault is found", () => {
    const look = (name: string, design: Dut<Ports>): Promise<unknown> =>
      runBench(name, design, { wave: false, hangCycles: 2_000, limitCycles: 60_000, seed: 4 }, told);
    test("and nothing without one", () => look("no fault", dut("small")));
    const faults: readonly (readonly [string, string | RegExp, string])[] = [
      [
        "a frame that is cut short is a good one",
        /doubt = [^;]*;/,
        "doubt = (verdict_reason == 4'd1) | (verdict_reason == 4'd4);",
      ],
      ["a NACK is an ACK", /seen_nack = [^;]*;/, "seen_nack = 1'b0;"],
      [
        "the number of the frame behind it",
        /seen_sequence = [^;]*;/,
        "seen_sequence = besides_pop_payload_link_sequence;",
      ],
    ];
    test.each(faults)("%s", async (name, from, to) => {
      await findsFault(look(name, plant(dut("small"), from, to)));
    });
  });
});
