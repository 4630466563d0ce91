/** Frames with a trailer behind their payload. */
import { describe, expect, it } from "vitest";
import { type Bench, bernoulli, bursts, runBench } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { DeparseRig, dut, type Ports } from "./support/deparse-rig.ts";

const design = () => dut(true);
async function traffic(b: Bench<Ports>, count: number, paused: boolean): Promise<DeparseRig> {
  const pauses = {
    from: bernoulli(0.2, b.random.word()),
    to: bursts({ go: 20, pause: 8 }, b.random.word()),
    late: bernoulli(0.3, b.random.word()),
  };
  const rig = new DeparseRig(b, { ...(paused ? pauses : {}), trailers: true });
  for (let i = 0; i < count; i++) rig.send(rig.random());
  await rig.end();
  return rig;
}
bench("every frame as the model has it, some with a trailer, some without", design(), { seed: 51 }, async b => {
  expect((await traffic(b, 300, false)).count).toBe(300);
});
bench("the same with pauses at every end", design(), { seed: 52 }, async b => {
  await traffic(b, 300, true);
});
bench("a trailer costs a cycle", design(), { seed: 53 }, async b => {
  const rig = new DeparseRig(b, { trailers: true }),
    begins = b.cycle;
  for (let i = 0; i < 40; i++) rig.send({ ...rig.plain(64 + 640), trailer: new Uint8Array(16).fill(i) });
  await rig.end();
  // Header, ten beats, trailer.
  expect(b.cycle - begins).toBeLessThan(40 * 12 + 40);
});
describe("a planted fault is found", () => {
  const finds = (name: string, from: string | RegExp, to: string) =>
    it(name, () =>
      findsFault(
        runBench(`trailer fault ${name}`, plant(design(), from, to), { seed: 54, wave: false, limitCycles: 5_000 }, b =>
          traffic(b, 120, true),
        ),
      ),
    );
  finds(
    "a trailer goes on into the next packet",
    /body_done <= [^;]*;/,
    "body_done <= body_done | (is_body & body_ends);",
  );
  finds(
    "the template's lengths forget the trailer",
    /(frame_bytes =[^;]*)packet_payload_rest_length/,
    "$1{1'b0, packet_payload_head_length}",
  );
  finds("of two beats the first counts as the last", /rest_ends <= [^;]*;/, "rest_ends <= rest_is_one_part;");
});
