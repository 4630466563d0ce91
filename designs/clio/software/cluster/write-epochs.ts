import type { NodeConfig } from "../../config/index.ts";
import { type MemoryManager, regionBytes } from "../memory/memory-manager.ts";
import type { SlowPathTransport } from "../transport/transport.ts";
import { regionKey, type RegionName } from "./steps.ts";

/** Bytes read at a time, and between two rests. */
const piece = 65_536,
  pieceOfWork = 2 ** 22;

/**
 * FNV-1a over words of 32 bits, with the upper bits brought down after each; it only has to differ when the bytes do,
 * nearly always. `bytes` are whole words.
 */
function signature(bytes: Uint8Array, from: number): number {
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice(),
    words = new Uint32Array(aligned.buffer, aligned.byteOffset, aligned.length >> 2);
  let h = from;
  for (const w of words) {
    h = Math.imul(h ^ w, 0x0100_0193);
    h ^= h >>> 15;
  }
  return h >>> 0;
}

/**
 * When each region was written last, to the grain of a scan (paper §4.4.7: a rarely accessed region migrates). The page
 * table has no dirty bit. To withdraw the right to write and wait for faults would be an error to clients that know
 * nothing of migration. So the slow path reads the frames and compares signatures: a page that differs from the last
 * scan, or has a frame since, was written. The scan misses writes of the value already there, which make no difference,
 * and needs neither hardware nor help of the clients. A wrong choice costs time, never data. Cost: all frames of the
 * node are read once a scan (2 GB in 10 s: 0.2 GB/s, about 1 % of the memory's bandwidth). State: a number per page.
 */
export class WriteEpochs {
  private readonly config: NodeConfig;
  private readonly memory: MemoryManager;
  private readonly transport: Pick<SlowPathTransport, "readMemory">;
  private readonly pages = new Map<string, Map<number, number>>();
  private readonly writtenAt = new Map<string, number>();
  private epoch = 0;
  /** Bytes read since the last rest. */
  private sinceRest = 0;
  private readonly rest: () => Promise<void>;

  /** @param rest gives others their turn, every 4 MB */
  constructor(
    config: NodeConfig,
    memory: MemoryManager,
    transport: WriteEpochs["transport"],
    rest: () => Promise<void> = () => Promise.resolve(),
  ) {
    this.config = config;
    this.memory = memory;
    this.transport = transport;
    this.rest = rest;
  }

  /** Looks at these regions once. */
  async scan(regions: readonly RegionName[]): Promise<void> {
    this.epoch++;
    const there = new Set(regions.map(regionKey));
    for (const key of this.pages.keys())
      if (!there.has(key)) {
        this.pages.delete(key);
        this.writtenAt.delete(key);
      }
    for (const name of regions) await this.scanRegion(name);
  }

  /**
   * The region that was written longest ago; of several that were last written between the same scans, the one with
   * the most frames.
   */
  leastRecentlyWritten(regions: readonly RegionName[]): RegionName | undefined {
    const of = (n: RegionName): number => this.writtenAt.get(regionKey(n)) ?? 0,
      frames = (n: RegionName): number => this.pages.get(regionKey(n))?.size ?? 0;
    return [...regions].filter(n => frames(n) > 0).sort((a, b) => of(a) - of(b) || frames(b) - frames(a))[0];
  }

  private async scanRegion(name: RegionName): Promise<void> {
    const key = regionKey(name),
      known = this.pages.get(key) ?? new Map<number, number>(),
      found = new Map<number, number>();
    const perRegion = Math.max(1, regionBytes / this.config.pageSize),
      first = name.region * perRegion;
    let written = false;
    for (const { start, end } of this.memory.rangesBetween(name.pid, first, first + perRegion)) {
      for (let vpn = start; vpn < end; vpn++) {
        const frame = await this.memory.frameOf(name.pid, vpn);
        if (frame === undefined) continue;
        const now = await this.signatureOf(frame);
        if ((this.sinceRest += this.config.pageSize) >= pieceOfWork) {
          this.sinceRest = 0;
          await this.rest();
        }
        written ||= known.get(vpn) !== now;
        found.set(vpn, now);
      }
    }
    this.pages.set(key, found);
    if (written) this.writtenAt.set(key, this.epoch);
  }
  private async signatureOf(frame: number): Promise<number> {
    const { pageSize } = this.config;
    let h = 0x811c_9dc5;
    for (let at = 0; at < pageSize; at += piece)
      h = signature(await this.transport.readMemory(frame * pageSize + at, Math.min(piece, pageSize - at)), h);
    return h;
  }
}
