import { concat, encode, encodeInto, internetChecksum, ipv4Header, udpHeader } from "../../shared/wire/index.ts";
import { clockPeriod, makeSettings, type Settings } from "../config/index.ts";
import { accessBody, clioHeader, frameOffsets, opcode, vmFlag } from "../wire/index.ts";
import { clientEndpoint, FrameClient } from "./client.ts";

/** A frame of a scripted capture. */
export interface TimedFrame {
  /** Nanoseconds from the start. */
  readonly time: number;
  readonly frame: Uint8Array;
  /** Title: the frame and its required outcome, in words. */
  readonly title: string;
  /** Status name of the reply; `ARP`, `ICMP echo`; `none`: dropped or never answered. */
  readonly expect: string;
}

/** Addresses of the demo. */
const data = 0x4000_0000n,
  nowhere = 0x40_0000_0000n;
const text = (s: string): Uint8Array => new TextEncoder().encode(s);

const patched = (frame: Uint8Array, change: (f: Uint8Array) => void): Uint8Array => {
  change(frame);
  return frame;
};

/** The frames so far, and what they are made from. `fast` follows in 2 µs, `slow` in 20. */
function scriptOf({ config, runtime }: Settings) {
  const c = new FrameClient(clientEndpoint(0), runtime),
    out: TimedFrame[] = [],
    page = BigInt(config.pageSize),
    constants = data + 4n * page;
  let time = 0;
  const add = (gap: number, title: string, expect: string, frame: Uint8Array): void => {
    time += Math.ceil(gap / clockPeriod) * clockPeriod;
    out.push({ time, frame, title, expect });
  };
  const fast = (title: string, expect: string, frame: Uint8Array): void => add(2 * microsecond, title, expect, frame);
  const slow = (title: string, expect: string, frame: Uint8Array): void => add(20 * microsecond, title, expect, frame);
  return { c, out, page, constants, config, runtime, add, fast, slow };
}
type Script = ReturnType<typeof scriptOf>;
const microsecond = 1000;

/** A process, and its memory. */
function begins({ c, page, constants, add, fast, slow }: Script): void {
  add(0, "ARP: who has the node's address", "ARP", c.arp());
  fast("ping", "ICMP echo", c.ping(1, text("abcdefghijklmnopqrstuvwabcdefghi")));
  slow("create a process: it gets PID 1", "OK", c.createProcess("demo"));
  slow(
    "allocate two writable pages",
    "OK",
    c.allocate(1, { addr: data, len: 2n * page, vregion: 1n, vmFlags: vmFlag.write }),
  );
  slow("allocate a read-only page", "OK", c.allocate(1, { addr: constants, len: page }));
}

/** Accesses, right and wrong. */
function accesses({ c, page, constants, config, add, fast }: Script): void {
  // Past the slow path's turn-round, so that the first accesses find their pages.
  add(20 * microsecond, "read a page never touched: zeros (a page fault)", "OK", c.read(1, data, 64));
  fast("write 5 bytes", "OK", c.write(1, data, text("hello")));
  fast("read them back", "OK", c.read(1, data, 5));
  fast(
    "write across the page boundary (another fault)",
    "OK",
    c.write(
      1,
      data + page - 300n,
      Uint8Array.from({ length: 1000 }, (_, i) => i & 0xff),
    ),
  );
  fast("read across it", "OK", c.read(1, data + page - 300n, 1000));
  fast(
    "write as much as a frame holds, unaligned",
    "OK",
    c.write(
      1,
      data + 4099n,
      Uint8Array.from({ length: config.maxData }, (_, i) => (i * 7) & 0xff),
    ),
  );
  fast("read as much as a frame holds", "OK", c.read(1, data + 4099n, config.maxData));
  fast("write one byte without a reply", "none", c.write(1, data + 5n, text("!"), opcode.WRITE_NOREPLY));
  fast("read it", "OK", c.read(1, data, 6));
  fast("read where nothing is mapped", "INVALID", c.read(1, nowhere, 16));
  fast("read another process's address", "INVALID", c.read(2, data, 16));
  fast("write to the read-only page", "WRITE_PERM", c.write(1, constants, text("no")));
  fast("read the read-only page", "OK", c.read(1, constants, 16));
  fast("read from the last page into nothing", "INVALID", c.read(1, data + 2n * page - 8n, 16));
  fast("echo", "OK", c.request(opcode.PINGPONG, 1, text("ping-pong")));
}

/** What is answered MALFORMED. */
function malformed({ c, config, fast }: Script): void {
  fast(
    "malformed: size larger than the frame",
    "MALFORMED",
    patched(c.read(1, data, 16), f => encodeInto(clioHeader, { size: 4000 }, f, frameOffsets.clio)),
  );
  fast("malformed: length 0", "MALFORMED", c.read(1, data, 0));
  fast("malformed: length over what fits a frame", "MALFORMED", c.read(1, data, config.maxData + 1));
  fast(
    "malformed: more length than data",
    "MALFORMED",
    c.request(opcode.WRITE, 1, encode(accessBody, { va: data, length: 100 }), text("short")),
  );
  fast("malformed: unknown opcode", "MALFORMED", c.request(0x5f, 1, new Uint8Array(12)));
  fast(
    "malformed: a shootdown may not come from the network",
    "MALFORMED",
    c.request(opcode.TLB_SHOOTDOWN, 1, encode(accessBody, { va: data, length: 1 })),
  );
}

/** What is dropped. */
function dropped({ c, runtime, fast }: Script): void {
  fast("dropped: cut off inside the UDP header", "none", c.read(1, data, 16).slice(0, 40));
  fast("dropped: cut off inside the Clio header", "none", c.read(1, data, 16).slice(0, 50));
  fast(
    "dropped: wrong IPv4 header checksum",
    "none",
    patched(c.read(1, data, 16), f => {
      f[frameOffsets.network + ipv4Header.at.checksum.byteOffset] = 0;
    }),
  );
  fast(
    "dropped: UDP and IPv4 lengths contradict each other",
    "none",
    patched(c.read(1, data, 16), f => encodeInto(udpHeader, { length: 30 }, f, frameOffsets.transport)),
  );
  fast(
    "dropped: another host's address",
    "none",
    patched(c.read(1, data, 16), f => {
      encodeInto(ipv4Header, { dst: runtime.ip + 1, checksum: 0 }, f, frameOffsets.network);
      encodeInto(
        ipv4Header,
        { checksum: internetChecksum(f, frameOffsets.network, frameOffsets.transport) },
        f,
        frameOffsets.network,
      );
    }),
  );
}

/** The key-value store, and the end. */
function ends({ c, page, add, fast, slow }: Script): void {
  fast("a good frame after them is served", "OK", c.read(1, data, 5));
  slow("create a key", "OK", c.kv(opcode.KV_CREATE, 0x223456789n, text("a value")));
  slow("read it", "OK", c.kv(opcode.KV_READ, 0x223456789n));
  slow("create it again", "FAIL", c.kv(opcode.KV_CREATE, 0x223456789n, text("another")));
  slow("free the second page", "OK", c.free(1, data + page, page));
  add(60 * microsecond, "read the freed page", "INVALID", c.read(1, data + page, 16));
  slow("ask for the counters", "OK", c.request(opcode.QUERY_STAT, 0));
  slow("end the process", "OK", c.freeProcess(1));
  add(60 * microsecond, "its memory is gone", "INVALID", c.read(1, data, 5));
  fast(
    "ping again, with a large packet",
    "ICMP echo",
    c.ping(2, concat(...Array.from({ length: 20 }, () => text("0123456789abcdef0123456789abcdef")))),
  );
}

/**
 * The capture that ships with the project. A client creates a process, allocates memory (some of it read-only), writes
 * and reads back, and crosses a page. The client touches unmapped and read-only pages, uses the key-value store,
 * pings, and sends frames that are wrong in several ways. Made for any settings' addresses and page size; by default
 * the default node's.
 */
export function demoCapture(settings: Settings = makeSettings()): TimedFrame[] {
  const script = scriptOf(settings);
  begins(script);
  accesses(script);
  malformed(script);
  dropped(script);
  ends(script);
  return script.out;
}
