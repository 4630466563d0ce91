import { expect, test } from "vitest";
import { MappedMemory, ReferenceNode } from "../../../../designs/clio/model/index.ts";
import { clearTable, LineTransport, SlowPath } from "../../../../designs/clio/software/index.ts";
import {
  accessBody,
  allocBody,
  allocReplyBody,
  clioMessage,
  createProcReplyBody,
  dissect,
  opcode,
  status,
  vmFlag,
} from "../../../../designs/clio/wire/index.ts";
import {
  arpFrame,
  broadcastMac,
  decode,
  encode,
  type Endpoint,
  icmpEchoFrame,
  udpFrame,
} from "../../../../designs/shared/wire/index.ts";
import { runBench } from "../../../../sim/index.ts";
import { bench } from "../../../bench.ts";
import { findsFault, plant } from "../../../support/plant.ts";
import { config, type LineBench, node, runtime, serialNode, terminal } from "./terminal.ts";

const { pageSize } = config;
const host: Endpoint = { mac: 0x0200000000b0n, ip: 0x0a0000b0, port: 6000 },
  client: Endpoint = { mac: 0x0200000000c0n, ip: 0x0a0000c0, port: 7000 };
/** Pages that the slow path may give out: few, so that they run out soon. */
const pages = 5;

/**
 * The slow path and a client at the other end of the line, and the reference model that knows what the node must say.
 */
async function boot(b: LineBench) {
  b.io.lineIn.value = 1;
  await b.cycles(40);
  const line = terminal(b),
    memory = new MappedMemory(pages),
    model = new ReferenceNode(config, runtime, memory);
  const delivered: Uint8Array[] = [];
  const transport = new LineTransport({
    config,
    runtime,
    host,
    time: () => b.sim.timeNs,
    deliver: frame => {
      delivered.push(frame);
    },
    exchange: async frame => {
      await line.send(frame);
      if (dissect(frame).clio?.opcode !== opcode.WRITE_NOREPLY) return line.next();
      await b.until(() => b.io.busy.value === 0);
      return new Uint8Array();
    },
  });
  await clearTable(transport, config);
  const slow = new SlowPath(transport, config, runtime, { observer: memory, pages });
  b.spawn(() => slow.run());
  await slow.ready;
  /** The body of the slow path's reply to a request, which must be OK. */
  const slowReply = async (frame: Uint8Array): Promise<Uint8Array> => {
    transport.offer(frame);
    await b.until(() => delivered.length > 0);
    const { clio, body } = dissect(delivered.shift() ?? new Uint8Array());
    expect(clio?.status).toBe(status.OK);
    return body ?? new Uint8Array();
  };
  const created = await slowReply(
      udpFrame(client, node, clioMessage({ opcode: opcode.CREATE_PROC }, new Uint8Array(64))),
    ),
    pid = decode(createProcReplyBody, created).newPid;
  const request = (code: number, ...parts: readonly Uint8Array[]): Uint8Array =>
    udpFrame(client, node, clioMessage({ opcode: code, pid }, ...parts));
  /**
   * Sends a frame and holds the reply against the model's; gives the reply's status. @param patience times to ask again
   * while pages that came back are being zeroed
   */
  const ask = async (frame: Uint8Array, patience = 0): Promise<number | undefined> => {
    const said = model.receive(frame);
    if (said.kind !== "reply") throw new Error("the model does not answer");
    let reply = await transport.pass(frame);
    for (let left = patience; left > 0 && dissect(reply).clio?.status === status.OUT_OF_MEMORY; left--)
      reply = await transport.pass(frame);
    expect([...reply]).toEqual([...said.frame]);
    return dissect(reply).clio?.status;
  };
  const access = (
    code: number,
    va: bigint,
    length: number,
    data: Uint8Array = new Uint8Array(),
    patience = 0,
  ): Promise<number | undefined> => ask(request(code, encode(accessBody, { va, length }), data), patience);
  const slowly = async (code: number, addr: bigint, len: bigint, vmFlags = 0n): Promise<bigint> =>
    decode(allocReplyBody, await slowReply(request(code, encode(allocBody, { addr, len, vmFlags })))).addr;
  return {
    transport,
    ask,
    request,
    silently: async (frame: Uint8Array): Promise<void> => {
      expect(model.receive(frame).kind).not.toBe("reply");
      await transport.pass(frame);
    },
    read: (va: bigint, length: number) => access(opcode.READ, va, length),
    write: (va: bigint, data: Uint8Array, patience = 0) => access(opcode.WRITE, va, data.length, data, patience),
    alloc: (count: number, flags: bigint = vmFlag.write) => slowly(opcode.ALLOC, 0n, BigInt(count * pageSize), flags),
    free: (addr: bigint, count: number) => slowly(opcode.FREE, addr, BigInt(count * pageSize)),
  };
}
const bytes = (n: number, seed: number): Uint8Array => Uint8Array.from({ length: n }, (_, i) => (i * 7 + seed) & 255);

async function memoryTrip(b: LineBench): Promise<void> {
  const { ask, silently, request, read, write, alloc, free, transport } = await boot(b);
  // As before: requests that need no memory.
  await ask(
    arpFrame(broadcastMac, {
      operation: 1,
      senderMac: client.mac,
      senderIp: client.ip,
      targetMac: 0n,
      targetIp: node.ip,
    }),
  );
  await ask(icmpEchoFrame(client, node, 7, 1, bytes(50, 1)));
  await ask(request(opcode.PINGPONG, bytes(20, 2)));

  // Not mapped; then mapped, and its frame taken at the first write, which crosses into the next page.
  expect(await read(BigInt(pageSize), 8)).toBe(status.INVALID);
  const own = await alloc(3);
  expect(await write(own + BigInt(pageSize) - 5n, bytes(21, 3))).toBe(status.OK);
  expect(await read(own + BigInt(pageSize) - 5n, 21)).toBe(status.OK);
  expect(await read(own + BigInt(pageSize) - 11n, 40)).toBe(status.OK);
  // The third page's first use is a read: zeros. The largest access, on no beat's edge.
  expect(await write(own + 3n, bytes(config.maxData, 4))).toBe(status.OK);
  expect(await read(own + 3n, config.maxData)).toBe(status.OK);
  expect(await read(own + BigInt(2 * pageSize), 16)).toBe(status.OK);
  // Past the last page: the whole of it is refused.
  expect(await write(own + BigInt(3 * pageSize) - 4n, bytes(8, 5))).toBe(status.INVALID);

  // To be read only.
  const fixed = await alloc(1, 0n);
  expect(await write(fixed, bytes(4, 6))).toBe(status.WRITE_PERM);
  expect(await read(fixed, 4)).toBe(status.OK);

  // No reply, and done all the same.
  await silently(request(opcode.WRITE_NOREPLY, encode(accessBody, { va: own, length: 6 }), bytes(6, 7)));
  expect(await read(own, 6)).toBe(status.OK);

  // Five pages are there, four are used: another one, and then none is left until some come back.
  const more = await alloc(2);
  expect(await write(more, bytes(4, 8))).toBe(status.OK);
  expect(await write(more + BigInt(pageSize), bytes(4, 9))).toBe(status.OUT_OF_MEMORY);
  // The TLB knows the page that goes.
  expect(await read(own, 8)).toBe(status.OK);
  await free(own, 3);
  expect(await read(own, 8)).toBe(status.INVALID);
  expect(await write(more + BigInt(pageSize), bytes(4, 10), 10)).toBe(status.OK);
  expect(await read(more + BigInt(pageSize), 64)).toBe(status.OK);

  // Operations that the narrowed build lacks.
  const atomic = await transport.pass(request(opcode.ATOMIC_TAS, encode(accessBody, { va: more, length: 8 })));
  expect(dissect(atomic).clio?.status).toBe(status.MALFORMED);
  expect(b.io.lost.value).toBe(0);
  transport.close();
}

// A line is slow, and while the last beat of a frame comes in nothing moves inside.
const options = { hangCycles: 200_000, limitCycles: 3_000_000 };

bench(
  "the board's node over its line: allocated by the slow path at the other end, written, read, refused, freed, as the reference model says",
  serialNode(),
  options,
  memoryTrip,
);

test("a fault: a shootdown leaves the page in the TLB", async () => {
  await findsFault(
    runBench(
      "fault",
      plant(serialNode(), /\.clear +\(\w+\)/, ".clear (1'b0)"),
      { ...options, wave: false },
      memoryTrip,
    ),
  );
});
