import { mulberry32, Random } from "../../../hdl-dsl/index.ts";
import {
  broadcastMac,
  concat,
  encode,
  encodeInto,
  ethernetHeader,
  type FieldSet,
  internetChecksum,
  ipv4Header,
  type Layout,
  udpHeader,
  type Values,
} from "../../shared/wire/index.ts";
import type { NodeConfig, RuntimeSettings, Settings } from "../config/index.ts";
import { accessBody, clioHeader, frameOffsets, kvBody, opcode } from "../wire/index.ts";
import { clientEndpoint, FrameClient } from "./client.ts";

/** A frame that a fault or malice could send. */
export interface MalformedFrame {
  readonly frame: Uint8Array;
  /** The MAC marks its FCS bad. */
  readonly fcsBad: boolean;
  /** Mutation that was applied. */
  readonly mutation: Mutation;
}
export const mutations = [
  "cut",
  "grown",
  "flipped",
  "overwritten",
  "clio size",
  "access length",
  "ip length",
  "udp length",
  "ip header",
  "ethernet",
  "opcode",
  "address",
  "fcs",
  "noise",
] as const;
export type Mutation = (typeof mutations)[number];

/** Values that lengths are often wrong by. */
function oddLength(r: Random, right: number): number {
  return Math.max(
    0,
    Math.min(
      0xffff,
      r.pick([
        0,
        1,
        right - 1,
        right + 1,
        right * 2,
        7,
        8,
        15,
        16,
        19,
        20,
        27,
        28,
        1500,
        9000,
        0x7fff,
        0xffff,
        r.below(0x10000),
      ]),
    ),
  );
}

/** What faults are drawn from. */
interface Source {
  readonly config: NodeConfig;
  readonly runtime: RuntimeSettings;
  readonly r: Random;
}

/** Good requests of all kinds. */
function goodFrames({ config, runtime, r }: Source): () => Uint8Array {
  const client = new FrameClient(clientEndpoint(9), runtime, 0x7000_0000),
    page = BigInt(config.pageSize);
  const port = (): number => (r.chance(0.7) ? runtime.nativePort : runtime.clientPort + r.below(config.clientPorts));
  return () => {
    const va = 16n * page + BigInt(r.below(4096)),
      length = r.between(1, r.chance(0.3) ? config.maxData : 100);
    switch (r.below(9)) {
      case 0:
        return client.arp();
      case 1:
        return client.ping(r.below(0x10000), r.bytes(r.below(300)));
      case 2:
        return client.to(port(), opcode.PINGPONG, 1, r.bytes(r.below(200)));
      case 3:
        return client.to(
          port(),
          r.pick([opcode.KV_READ, opcode.KV_DELETE]),
          1,
          encode(kvBody, { keySize: 8, key: 7n }),
        );
      case 4:
      case 5:
        return client.to(port(), opcode.READ, 1, encode(accessBody, { va, length }));
      case 6:
        return client.write(1, va, r.bytes(length), opcode.WRITE_NOREPLY);
      default:
        return client.to(port(), opcode.WRITE, 1, encode(accessBody, { va, length }), r.bytes(length));
    }
  };
}

/** Sets fields of a header; one that the frame is too short for is left as it is. */
const set = <F extends FieldSet>(l: Layout<F>, at: number, f: Uint8Array, values: Partial<Values<F>>): void => {
  if (f.length >= at + l.bytes) encodeInto(l, values, f, at);
};
/** Puts the IPv4 checksum right. */
const fixIp = (f: Uint8Array): void => {
  set(ipv4Header, frameOffsets.network, f, { checksum: 0 });
  set(ipv4Header, frameOffsets.network, f, {
    checksum: internetChecksum(f, frameOffsets.network, frameOffsets.transport),
  });
};

type Of<M extends Mutation> = Extract<Mutation, M>;
/** Faults of the bytes, whatever they mean. */
type ByteFault = Of<"cut" | "grown" | "flipped" | "overwritten">;
/** Lengths that contradict the frame. */
type LengthFault = Of<"clio size" | "access length" | "ip length" | "udp length">;
/** Odd headers. */
type HeaderFault = Of<"ip header" | "ethernet" | "opcode" | "address">;

function withByteFault(fault: ByteFault, f: Uint8Array, { config, r }: Source): Uint8Array {
  switch (fault) {
    case "cut":
      return f.slice(0, r.between(1, f.length - 1));
    case "grown":
      return concat(f, r.bytes(r.between(1, r.chance(0.2) ? config.mtuFrame : 70)));
    case "flipped":
      for (let n = r.between(1, 4); n > 0; n--) {
        const at = r.below(f.length);
        f[at] = (f[at] ?? 0) ^ (1 << r.below(8));
      }
      return f;
    case "overwritten": {
      const at = r.below(f.length);
      f.set(r.bytes(Math.min(r.between(1, 16), f.length - at)), at);
      if (r.chance(0.5)) fixIp(f);
      return f;
    }
  }
}

function withLengthFault(fault: LengthFault, f: Uint8Array, { r }: Source): Uint8Array {
  switch (fault) {
    case "clio size":
      set(clioHeader, frameOffsets.clio, f, { size: oddLength(r, f.length - frameOffsets.clio) });
      return f;
    case "access length":
      set(accessBody, frameOffsets.body, f, {
        length: r.chance(0.1)
          ? 0xffffffff - r.below(70)
          : oddLength(r, f.length - frameOffsets.body - accessBody.bytes),
      });
      return f;
    case "ip length":
      set(ipv4Header, frameOffsets.network, f, { totalLength: oddLength(r, f.length - ethernetHeader.bytes) });
      if (r.chance(0.8)) fixIp(f);
      return f;
    case "udp length": {
      const length = oddLength(r, f.length - frameOffsets.transport);
      set(udpHeader, frameOffsets.transport, f, { length });
      if (r.chance(0.5) && length + ipv4Header.bytes <= 0xffff) {
        set(ipv4Header, frameOffsets.network, f, { totalLength: length + ipv4Header.bytes });
        fixIp(f);
      }
      return f;
    }
  }
}

function withHeaderFault(fault: HeaderFault, f: Uint8Array, { config, runtime, r }: Source): Uint8Array {
  switch (fault) {
    case "ip header":
      set(
        ipv4Header,
        frameOffsets.network,
        f,
        r.pick([
          { version: r.below(16) },
          { ihl: r.below(16) },
          { moreFragments: 1 },
          { fragmentOffset: r.between(1, 0x1fff) },
          { protocol: r.below(256) },
          { dst: r.below(2 ** 32) },
          { protocol: 1 },
          { reservedFlag: 1 },
        ]),
      );
      if (r.chance(0.9)) fixIp(f);
      return f;
    case "ethernet":
      set(
        ethernetHeader,
        0,
        f,
        r.pick([
          { dst: broadcastMac },
          { dst: BigInt(r.below(2 ** 32)) },
          { etherType: r.below(0x10000) },
          { etherType: 0x0806 },
          { etherType: 0x0800 },
        ]),
      );
      return f;
    case "opcode":
      set(clioHeader, frameOffsets.clio, f, {
        opcode: r.pick([r.below(0x80), opcode.TLB_SHOOTDOWN, opcode.ATOMIC_CAS, 0x41, 0x51]),
      });
      return f;
    case "address": {
      const dst = r.chance(0.5)
        ? { dstPort: r.below(0x10000) }
        : {
            dstPort: r.pick([
              runtime.nativePort - 1,
              runtime.nativePort + 1,
              runtime.clientPort - 1,
              runtime.clientPort + config.clientPorts,
            ]),
          };
      set(udpHeader, frameOffsets.transport, f, dst);
      if (r.chance(0.3))
        set(accessBody, frameOffsets.body, f, { va: r.pick([2n ** 50n - 1n, 2n ** 50n, 2n ** 64n - 1n, 0n]) });
      return f;
    }
  }
}

function mutated(mutation: Mutation, f: Uint8Array, source: Source): Uint8Array {
  const { config, r } = source;
  switch (mutation) {
    case "cut":
    case "grown":
    case "flipped":
    case "overwritten":
      return withByteFault(mutation, f, source);
    case "clio size":
    case "access length":
    case "ip length":
    case "udp length":
      return withLengthFault(mutation, f, source);
    case "ip header":
    case "ethernet":
    case "opcode":
    case "address":
      return withHeaderFault(mutation, f, source);
    case "fcs":
      return r.chance(0.7) ? f : mutated(r.pick(["cut", "flipped", "clio size", "ip length", "ethernet"]), f, source);
    case "noise":
      return r.bytes(r.between(1, r.chance(0.1) ? config.mtuFrame + 64 : 128));
  }
}

/**
 * Seeded malformed frames without end (take as many as needed): good requests of all kinds, with a fault. The frame is
 * cut at any byte or grown, or has flipped bits, contradictory lengths, odd headers, bad FCS, or noise. Half of the odd
 * headers have the IPv4 checksum put right, to reach the checks behind it. Some come out harmless: the model knows what
 * must happen to each.
 */
export function* malformedFrames({ config, runtime }: Settings, seed: number): Generator<MalformedFrame, never> {
  const r = new Random(seed, mulberry32),
    source = { config, runtime, r },
    good = goodFrames(source);
  for (;;) {
    const mutation = r.pick(mutations);
    yield { frame: mutated(mutation, good(), source), fcsBad: mutation === "fcs" || r.chance(0.02), mutation };
  }
}
