import { describe, expect, it } from "vitest";
import { Random } from "../../../../hdl-dsl/index.ts";
import { type Sent, SnicSoftware } from "../../../../designs/supernic/software/index.ts";
import {
  balancerRowBody,
  bucketWord,
  ctrlHeader,
  ctrlMessage,
  type CtrlMessage,
  ctrlOpcode,
  ctrlPort,
  ctrlStatus,
  endsOf,
  ntConfig,
  openCtrl,
  queryReplyBody,
  type TableWrite,
} from "../../../../designs/supernic/wire/index.ts";
import {
  arpFrame,
  decode,
  dissectStack,
  encode,
  headerOffsets,
  icmpEchoFrame,
} from "../../../../designs/shared/wire/index.ts";
import { device, filler, type Host, patched, station, udp } from "../../../../designs/supernic/workload/index.ts";
import { demo } from "../support/demo.ts";

const setup = demo(),
  alice = station("alice"),
  bob = station("bob"),
  messageAt = headerOffsets.payload;
const keyOf = (user: number): Uint8Array | undefined => setup.users.find(u => u.number === user)?.key;
const key = (user: number): Uint8Array => keyOf(user)!;

interface Rig {
  readonly software: SnicSoftware;
  readonly writes: TableWrite[];
}
function rig(): Rig {
  const writes: TableWrite[] = [];
  const software = new SnicSoftware(setup, { write: async entry => void writes.push(entry) }, () => 0);
  return { software, writes };
}
const port = 7000,
  there = { ip: device.ip, port: ctrlPort },
  endsFrom = ({ ip }: Host) => endsOf({ ip, port }, there);
const framed = (message: Uint8Array, from = bob): Uint8Array =>
  udp(from, device, { from: port, to: ctrlPort }, message);
const asked = (user: number, header: Parameters<typeof ctrlMessage>[2], body?: Uint8Array): Uint8Array => {
  const from = user === 1 ? alice : bob;
  return framed(ctrlMessage(key(user), endsFrom(from), { user, ...header }, body), from);
};
/** The reply, which must be one frame to the port where the request came in. */
function replyIn(sent: readonly Sent[]): CtrlMessage {
  expect(sent.map(s => s.ports)).toEqual([[0]]);
  const { ipv4, udp: header } = dissectStack(sent[0]!.frame),
    ends = endsOf(there, { ip: ipv4!.dst, port });
  const reply = openCtrl(sent[0]!.frame.slice(messageAt, headerOffsets.transport + header!.length), ends, keyOf);
  expect(reply?.header.reply).toBe(1);
  return reply!;
}
const statusOf = async ({ software }: Rig, frame: Uint8Array): Promise<number> =>
  replyIn(await software.receive(frame, 0)).header.status;
const row = (bucket: number, mac = 0x02aan): Uint8Array =>
  ntConfig("balancer", bucket, encode(balancerRowBody, { mac }));

describe("CTRL", () => {
  it("QUERY tells the user's quotas and DAGs", async () => {
    const reply = replyIn(await rig().software.receive(asked(1, { opcode: ctrlOpcode.QUERY, requestId: 5 }), 0));
    expect(reply.header).toMatchObject({ status: ctrlStatus.OK, reply: 1, requestId: 5, user: 1 });
    expect(decode(queryReplyBody, reply.body)).toMatchObject({ contexts: 96, cells: 400, dags: 7, limited: 0 });
  });
  it("NT_CONFIG writes a row of the user's own into the task", async () => {
    const r = rig();
    expect(await statusOf(r, asked(2, { opcode: ctrlOpcode.NT_CONFIG, requestId: 1 }, row(9)))).toBe(ctrlStatus.OK);
    const word = bucketWord(9, { valid: true, user: 2, mac: 0x02aan });
    expect(r.writes).toEqual([{ table: "task", index: 1 * 8 + 1, value: BigInt(word.at) | (word.data << 16n) }]);
  });
  it.each([
    ["of another's row", 1, row(9), "DENIED"],
    ["of a row that nobody has", 2, row(100), "INVALID"],
    ["that is cut short", 2, row(9).slice(0, -1), "INVALID"],
    ["of an unknown task", 2, patched(row(9), 0, [9]), "INVALID"],
    ["without a body", 2, new Uint8Array(), "INVALID"],
  ] as const)("NT_CONFIG %s is refused, and writes nothing", async (_what, user, body, status) => {
    const r = rig();
    expect(await statusOf(r, asked(user, { opcode: ctrlOpcode.NT_CONFIG, requestId: 1 }, body))).toBe(
      ctrlStatus[status],
    );
    expect(r.writes).toEqual([]);
  });
  it.each(Object.entries(ctrlOpcode).filter(([name]) => !["QUERY", "NT_CONFIG"].includes(name)))(
    "%s: a peer's is DENIED, another's UNKNOWN",
    async (name, opcode) => {
      expect(await statusOf(rig(), asked(1, { opcode, requestId: 1 }))).toBe(
        name.startsWith("PEER") ? ctrlStatus.DENIED : ctrlStatus.UNKNOWN,
      );
    },
  );
  it("an opcode that there is not is UNKNOWN, a field that must be 0 INVALID", async () => {
    expect(await statusOf(rig(), asked(1, { opcode: 0x1f, requestId: 1 }))).toBe(ctrlStatus.UNKNOWN);
    expect(await statusOf(rig(), asked(1, { opcode: ctrlOpcode.QUERY, unused: 1 }))).toBe(ctrlStatus.INVALID);
    expect(await statusOf(rig(), asked(1, { opcode: ctrlOpcode.QUERY, status: 1 }))).toBe(ctrlStatus.INVALID);
  });
  it("a message with another's key, or a reply, has no answer", async () => {
    const { software } = rig();
    const forged = ctrlMessage(key(1), endsFrom(bob), { opcode: ctrlOpcode.QUERY, user: 2, requestId: 1 });
    expect(await software.receive(framed(forged), 0)).toEqual([]);
    expect(await software.receive(asked(1, { opcode: ctrlOpcode.QUERY, reply: 1 }), 0)).toEqual([]);
    expect(software.statistics).toMatchObject({ strangers: 2, done: 0 });
  });
});

describe("at most once", () => {
  it("a request that comes twice is done once, and answered twice the same", async () => {
    const r = rig(),
      frame = asked(2, { opcode: ctrlOpcode.NT_CONFIG, requestId: 7 }, row(9));
    const first = await r.software.receive(frame, 0),
      second = await r.software.receive(frame, 0);
    expect(second).toEqual(first);
    expect(r.writes).toHaveLength(1);
    expect(r.software.statistics).toMatchObject({ done: 1, repeated: 1 });
  });
  it("what somebody has seen and sends again from elsewhere is a stranger's", async () => {
    const r = rig(),
      first = asked(2, { opcode: ctrlOpcode.NT_CONFIG, requestId: 7 }, row(9, 1n)),
      message = first.slice(messageAt);
    expect(await statusOf(r, first)).toBe(ctrlStatus.OK);
    expect(await statusOf(r, asked(2, { opcode: ctrlOpcode.NT_CONFIG, requestId: 8 }, row(9, 2n)))).toBe(ctrlStatus.OK);
    expect(await r.software.receive(framed(message, alice), 0)).toEqual([]);
    expect(await r.software.receive(udp(bob, device, { from: port + 1, to: ctrlPort }, message), 0)).toEqual([]);
    expect(r.software.statistics).toMatchObject({ strangers: 2, done: 2 });
    expect(r.writes).toHaveLength(2);
  });
  it("two clients of one machine count by themselves", async () => {
    const r = rig(),
      ask = (from: number, mac: bigint): Uint8Array => {
        const ends = endsOf({ ip: bob.ip, port: from }, there),
          header = { opcode: ctrlOpcode.NT_CONFIG, user: 2, requestId: 7 };
        return udp(bob, device, { from, to: ctrlPort }, ctrlMessage(key(2), ends, header, row(9, mac)));
      };
    for (const [from, mac] of [
      [port, 1n],
      [port + 1, 2n],
    ] as const)
      expect(await r.software.receive(ask(from, mac), 0)).toHaveLength(1);
    expect(r.writes).toHaveLength(2);
    expect(r.software.statistics).toMatchObject({ done: 2, repeated: 0, refused: 0 });
  });
  it("one requestId for two requests is done once: the other is EXPIRED", async () => {
    const r = rig(),
      ask = (bucket: number): Uint8Array => asked(2, { opcode: ctrlOpcode.NT_CONFIG, requestId: 7 }, row(bucket));
    expect(await statusOf(r, ask(9))).toBe(ctrlStatus.OK);
    expect(await statusOf(r, ask(10))).toBe(ctrlStatus.EXPIRED);
    expect(r.writes).toHaveLength(1);
  });
  it("over a line that loses and doubles, with retries: each request once", async () => {
    const r = rig(),
      random = new Random(3);
    let id = 0;
    for (let n = 0; n < 200; n++) {
      const original = ++id,
        mac = BigInt(n + 1);
      for (let attempt = 0, ended = false; !ended; attempt++) {
        const header = { requestId: attempt === 0 ? original : ++id, retryOf: attempt === 0 ? 0 : original },
          frame = asked(2, { opcode: ctrlOpcode.NT_CONFIG, ...header }, row(9, mac));
        for (let copies = random.below(3); copies > 0; copies--) {
          const answered = replyIn(await r.software.receive(frame, 0)).header;
          expect(answered.status).toBe(ctrlStatus.OK);
          ended ||= random.below(2) === 0;
        }
      }
    }
    // Each of the 200 values once, in their order: none is written again by a late copy.
    expect(r.writes.map(w => Number((w.value >> 16n) & 0xffffn))).toEqual(Array.from({ length: 200 }, (_, n) => n + 1));
  });
});

describe("mutated CTRL frames", () => {
  const count = Number(process.env["MNEMO_FRAMES"] ?? 5000);
  it(`${count} of them: every answer is right, and the next good one is served`, async () => {
    const r = rig(),
      random = new Random(11);
    let requestId = 0,
      answered = 0;
    for (let n = 0; n < count; n++) {
      const isConfig = random.below(2) === 0,
        user = 1 + random.below(2),
        message = ctrlMessage(
          key(user),
          endsFrom(bob),
          { opcode: isConfig ? ctrlOpcode.NT_CONFIG : ctrlOpcode.QUERY, user, requestId: ++requestId },
          isConfig ? row(8 + random.below(8)) : new Uint8Array(),
        );
      const mutant = mutated(message, random),
        before = r.writes.length,
        sent = await r.software.receive(framed(mutant), 0),
        opened = openCtrl(mutant, endsFrom(bob), keyOf);
      // Who lacks the key gets nothing and changes nothing.
      if (opened === undefined || opened.header.reply === 1) {
        expect(sent).toEqual([]);
        expect(r.writes.length).toBe(before);
      } else {
        answered++;
        const { header } = replyIn(sent);
        expect([header.requestId, header.opcode, header.user]).toEqual([
          opened.header.requestId,
          opened.header.opcode,
          opened.header.user,
        ]);
        if (header.status !== ctrlStatus.OK) expect(r.writes.length).toBe(before);
      }
      if (n % 50 === 0)
        expect(await statusOf(r, asked(1, { opcode: ctrlOpcode.QUERY, requestId: ++requestId }))).toBe(ctrlStatus.OK);
    }
    expect(answered).toBeGreaterThan(count / 8);
    expect(r.writes.every(w => w.index === 9)).toBe(true);
  });
  /** A byte changed, bytes lost or added; often signed again, so that what is inside is looked at. */
  function mutated(message: Uint8Array, random: Random): Uint8Array {
    const out = message.slice(),
      size = out.length - 16;
    const at = random.below(random.below(2) === 0 ? ctrlHeader.bytes : out.length);
    out[at] = random.below(256);
    if (random.below(4) === 0) return out.slice(0, random.below(out.length));
    if (random.below(2) === 0) return out;
    const { opcode, status, user, reply, unused, requestId, retryOf } = decode(ctrlHeader, out);
    const sign = keyOf(user) ?? key(1);
    return ctrlMessage(
      sign,
      endsFrom(bob),
      { opcode, status, user, reply, unused, requestId, retryOf },
      out.slice(ctrlHeader.bytes, size),
    );
  }
});

describe("ARP and ping for the device", () => {
  const who = (targetIp: number): Uint8Array =>
    arpFrame(2n ** 48n - 1n, { operation: 1, senderMac: alice.mac, senderIp: alice.ip, targetMac: 0n, targetIp });
  it("answers ARP, and passes on what others are asked", async () => {
    const { software } = rig(),
      [reply] = await software.receive(who(device.ip), 0),
      other = who(bob.ip);
    expect(dissectStack(reply!.frame).arp).toMatchObject({ operation: 2, senderMac: device.mac, targetIp: alice.ip });
    // Not back, and not onto the ring.
    expect(await software.receive(other, 0)).toEqual([{ frame: other, ports: [1, 3] }]);
  });
  it("answers a ping; one with a wrong checksum, or cut short, not", async () => {
    const { software } = rig(),
      ping = icmpEchoFrame(alice, device, 7, 1, filler(56)),
      [reply] = await software.receive(ping, 0);
    expect(dissectStack(reply!.frame).icmp).toMatchObject({ type: 0, identifier: 7, sequence: 1 });
    expect(await software.receive(patched(ping, 60, [0]), 0)).toEqual([]);
    expect(await software.receive(ping.slice(0, 70), 0)).toEqual([]);
    expect(software.statistics).toMatchObject({ ping: 1, ignored: 2 });
  });
});
