import { expect, test } from "vitest";
import { SerialResponder, slip } from "../../../../designs/clio/board/index.ts";
import { ReferenceNode, MappedMemory } from "../../../../designs/clio/model/index.ts";
import { makeSettings } from "../../../../designs/clio/config/index.ts";
import { clioMessage, opcode, udpFrame, type Endpoint } from "../../../../designs/packets/index.ts";
import { runBench, type Bench } from "../../../../sim/index.ts";
import { bench } from "../../../bench.ts";
import { findsFault, plant } from "../../../support/plant.ts";

const divider = 4, frameBytes = 576;
const { config, runtime } = makeSettings({ mtuFrame: frameBytes });
const dut = () => SerialResponder({
  beatBytes: 8, slots: 2, frameBytes, maxData: config.maxData, clientPorts: config.clientPorts, blockBits: 352,
  mac: runtime.mac, ip: runtime.ip, nativePort: runtime.nativePort, clientPort: runtime.clientPort, divider,
});
type B = Bench<ReturnType<typeof dut>["ports"]>;

/** What RFC 1055 makes of a frame. */
const slipped = (frame: Uint8Array): number[] => [
  ...[...frame].flatMap(b => (b === slip.END ? [slip.ESC, slip.ESC_END] : b === slip.ESC ? [slip.ESC, slip.ESC_ESC] : [b])), slip.END,
];

/** A terminal at the other end of the line. */
function terminal(b: B) {
  const frames: number[][] = [];
  let current: number[] = [], escaped = false;
  b.spawn(async () => {
    for (;;) {
      await b.until(() => b.io.line_out.value === 0);
      await b.cycles(divider + (divider >> 1));
      let byte = 0;
      for (let i = 0; i < 8; i++) { byte |= b.io.line_out.value << i; await b.cycles(divider); }
      expect(b.io.line_out.value, "stop bit").toBe(1);
      if (byte === slip.END) { if (current.length > 0) frames.push(current); current = []; } else if (escaped) current.push(byte === slip.ESC_END ? slip.END : slip.ESC);
      else if (byte !== slip.ESC) current.push(byte);
      escaped = byte === slip.ESC;
    }
  });
  const bit = async (v: number): Promise<void> => { b.io.line_in.value = v; await b.cycles(divider); };
  const byte = async (v: number, stop = 1): Promise<void> => { await bit(0); for (let i = 0; i < 8; i++) await bit((v >> i) & 1); await bit(stop); };
  return { frames, byte, send: async (frame: Uint8Array): Promise<void> => { for (const v of slipped(frame)) await byte(v); } };
}

const client: Endpoint = { mac: 0x0200000000c0n, ip: 0x0a0000db, port: 7000 };
const node: Endpoint = { mac: runtime.mac, ip: runtime.ip, port: runtime.nativePort };
/** A PINGPONG whose bytes hold the line's own END and ESC, also side by side and at a beat's edge. */
const pingpong = (bytes: number): Uint8Array => udpFrame(client, node, clioMessage({ opcode: opcode.PINGPONG, pid: 1 },
  Uint8Array.from({ length: bytes }, (_, i) => [slip.END, slip.ESC, slip.ESC_END, slip.ESC_ESC, i & 255][i % 5] ?? 0)));

async function exchange(b: B): Promise<void> {
  b.io.line_in.value = 1;
  await b.cycles(40);
  const line = terminal(b), model = new ReferenceNode(config, runtime, new MappedMemory(config.usablePages));
  const wanted: number[][] = [];
  for (const length of [1, 7, 8, 9, 64]) {
    const frame = pingpong(length), said = model.receive(frame, false);
    if (said.kind !== "reply") throw new Error("the model does not answer");
    wanted.push([...said.frame]);
    await line.send(frame);
    // Nothing between two ENDs is no frame.
    await line.byte(slip.END);
  }
  await b.until(() => line.frames.length >= wanted.length);
  expect(line.frames).toEqual(wanted);
  expect(b.io.lost.value).toBe(0);
}

bench("PINGPONG over a serial line, END and ESC among the bytes, answered as the reference model says", dut(), { hangCycles: 20_000 }, exchange);

bench("a frame with a broken byte, or an escape that means nothing, is answered with NACK or not at all, and the next one as ever", dut(), { hangCycles: 20_000 }, async b => {
  b.io.line_in.value = 1;
  await b.cycles(40);
  const line = terminal(b), frame = pingpong(16), bytes = slipped(frame), model = new ReferenceNode(config, runtime, new MappedMemory(config.usablePages));
  const bad = model.receive(frame, true), good = model.receive(frame, false);
  if (bad.kind !== "reply" || good.kind !== "reply") throw new Error("the model does not answer");
  // Without its stop bit, and with an escape of nothing, in the payload: the frame's bytes are right but for that.
  for (const [i, v] of bytes.entries()) {
    if (i === bytes.length - 1) await line.byte(slip.ESC);
    await line.byte(v);
  }
  await line.send(frame);
  await b.until(() => line.frames.length >= 2);
  expect(line.frames).toEqual([[...bad.frame], [...good.frame]]);
});

test("a fault: an escape of the wrong byte", async () => {
  await findsFault(runBench("fault", plant(dut(), "is_end ? 8'd220", "is_end ? 8'd222"), { hangCycles: 20_000, wave: false }, exchange));
});
