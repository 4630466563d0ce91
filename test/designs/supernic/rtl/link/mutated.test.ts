/** Frames that are not right, and right ones whose link shim says what it likes: the next good frame is served. */
import { expect } from "vitest";
import { linkAnswer, linkKind, pfcFrame, putShims } from "../../../../../designs/supernic/wire/index.ts";
import { bernoulli } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { mutated } from "../judge/support/frames.ts";
import { type LineFrame, macs, plainFrame } from "./support/hardware-end.ts";
import { dut, PortRig } from "./support/port-rig.ts";

/** Frames of the run; the long one has a million. */
const many = Number(process.env["MNEMO_LINK_FRAMES"] ?? 5_000),
  burst = 50;

/** A frame as the partner could send it, with numbers about those that are right; mostly another one then. */
function anyFrame(rig: PortRig): LineFrame {
  const r = rig.b.random,
    near = (n: number): number => (n + r.between(-3, 3) + 65536) % 65536;
  const sequence = r.chance(0.8) ? near(rig.end.model.expected) : r.between(0, 65535),
    ack = r.chance(0.8) ? near(rig.number(rig.end.numbered.length)) : r.between(0, 65535),
    kind = r.pick(["data", "data", "ack", "nack", "pfc"] as const);
  const link = { kind: linkKind.data, class: r.between(0, 7), flags: r.between(0, 255), sequence, ack };
  const bytes =
    kind === "data"
      ? putShims(plainFrame(r, r.between(14, 80)), { link })
      : kind === "pfc"
        ? pfcFrame(macs.dst, { [r.between(0, 7)]: r.between(0, 300) })
        : linkAnswer(macs, kind, { class: 0, ack });
  return { bytes: r.chance(0.6) ? mutated(r, bytes, 200) : bytes, bad: r.chance(0.2) };
}

/** What the partner sends is taken, and what he is sent he acknowledges; unless the link is or goes down. */
async function serves(rig: PortRig): Promise<boolean> {
  const { b, end } = rig,
    down = (): boolean => b.io.down.num === 1;
  end.taken.splice(0);
  if (down()) return false;
  rig.give(60);
  await b.until(() => down() || end.lanes.every(l => l.pending === 0));
  const last = end.numbered.length;
  await b.until(() => down() || rig.numbers.includes(last - 1));
  if (down()) return false;
  const link = { kind: linkKind.data, class: 0, flags: 0, sequence: end.model.expected, ack: rig.number(last) };
  end.comes({ bytes: putShims(plainFrame(b.random, 60), { link }), bad: false });
  await b.until(() => down() || end.idle);
  if (down()) return false;
  await rig.done();
  expect(end.taken).toHaveLength(1);
  return true;
}

bench(
  `${many} mutated frames: the next good one is served, and nothing leaks`,
  dut("small"),
  { seed: 1, limitCycles: 40 * many + 100_000, timeoutMs: 60_000 + 10 * many },
  async b => {
    const r = b.random,
      rig = new PortRig(b, "small", { reliable: true, mac: bernoulli(0.1, r.word()) });
    let served = 0,
      restarts = 0;
    for (let frames = 0; frames < many; frames += burst) {
      for (let i = 0; i < burst; i++) {
        if (r.chance(0.1)) rig.give(r.between(14, 192), { lane: r.chance(0.5) ? 0 : 1, marked: r.chance(0.1) });
        rig.end.comes(anyFrame(rig));
        await b.cycles(1);
      }
      await b.until(() => rig.end.coming === 0);
      await b.cycles(3);
      // The partner is himself again. A link that goes down now, of what it had before, is begun anew: once is enough.
      if (!(await serves(rig))) {
        await rig.restart();
        restarts++;
        if (!(await serves(rig))) throw new Error("the link is down again, and the partner does all that he should");
      }
      served++;
    }
    expect(served).toBe(Math.ceil(many / burst));
    expect(rig.end.counts.falseAck).toBeGreaterThan(0);
    expect(restarts).toBeLessThan(served);
  },
);
