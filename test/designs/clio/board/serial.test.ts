import { expect, test } from "vitest";
import { slip } from "../../../../designs/clio/board/index.ts";
import { MappedMemory, ReferenceNode } from "../../../../designs/clio/model/index.ts";
import { clioMessage, opcode } from "../../../../designs/clio/wire/index.ts";
import { type Endpoint, udpFrame } from "../../../../designs/shared/wire/index.ts";
import { runBench } from "../../../../sim/index.ts";
import { bench } from "../../../bench.ts";
import { findsFault, plant } from "../../../support/plant.ts";
import { config, type LineBench, node, runtime, serialNode, slipped, terminal } from "./terminal.ts";

const client: Endpoint = { mac: 0x0200000000c0n, ip: 0x0a0000db, port: 7000 };
/** A PINGPONG whose bytes hold the line's own END and ESC, also side by side and at a beat's edge. */
const pingpong = (bytes: number): Uint8Array =>
  udpFrame(
    client,
    node,
    clioMessage(
      { opcode: opcode.PINGPONG, pid: 1 },
      Uint8Array.from(
        { length: bytes },
        (_, i) => [slip.END, slip.ESC, slip.ESC_END, slip.ESC_ESC, i & 255][i % 5] ?? 0,
      ),
    ),
  );

async function exchange(b: LineBench): Promise<void> {
  b.io.lineIn.value = 1;
  await b.cycles(40);
  const line = terminal(b),
    model = new ReferenceNode(config, runtime, new MappedMemory(config.usablePages));
  const wanted: number[][] = [];
  for (const length of [1, 7, 8, 9, 64]) {
    const frame = pingpong(length),
      said = model.receive(frame, false);
    if (said.kind !== "reply") throw new Error("the model does not answer");
    wanted.push([...said.frame]);
    await line.send(frame);
    // Nothing between two ENDs is no frame.
    await line.byte(slip.END);
    await b.until(() => line.frames.length >= wanted.length);
  }
  expect(line.frames).toEqual(wanted);
  expect(b.io.lost.value).toBe(0);
}

bench(
  "PINGPONG over a serial line, END and ESC among the bytes, answered as the reference model says",
  serialNode(),
  { hangCycles: 20_000 },
  exchange,
);

bench(
  "a frame with a broken byte, or an escape that means nothing, is answered with NACK or not at all, and the next one as ever",
  serialNode(),
  { hangCycles: 20_000 },
  async b => {
    b.io.lineIn.value = 1;
    await b.cycles(40);
    const line = terminal(b),
      frame = pingpong(16),
      bytes = slipped(frame),
      model = new ReferenceNode(config, runtime, new MappedMemory(config.usablePages));
    const bad = model.receive(frame, true),
      good = model.receive(frame, false);
    if (bad.kind !== "reply" || good.kind !== "reply") throw new Error("the model does not answer");
    // Without its stop bit, and with an escape of nothing, in the payload: the frame's bytes are right but for that.
    for (const [i, v] of bytes.entries()) {
      if (i === bytes.length - 1) await line.byte(slip.ESC);
      await line.byte(v);
    }
    await b.until(() => line.frames.length >= 1);
    await line.send(frame);
    await b.until(() => line.frames.length >= 2);
    expect(line.frames).toEqual([[...bad.frame], [...good.frame]]);
  },
);

test("a fault: an escape of the wrong byte", async () => {
  await findsFault(
    runBench(
      "fault",
      plant(serialNode(), "is_end ? 8'd220", "is_end ? 8'd222"),
      { hangCycles: 20_000, wave: false },
      exchange,
    ),
  );
});
