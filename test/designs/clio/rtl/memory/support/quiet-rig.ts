/** A `Translate` with frames enough that nobody gives to it, and pages in buckets of their own. */
import type { TranslateParameters } from "../../../../../../designs/clio/rtl/memory/translate.ts";
import type { Bench } from "../../../../../../sim/index.ts";
import { type AccessOf, type Page, type PageKind, type Ports, type RigOptions, TranslateRig } from "./translate-rig.ts";

export const small: TranslateParameters = {
  pageSize: 4096,
  physicalMemory: 2 ** 24,
  slotsFactor: 4,
  misses: 4,
  beatBytes: 64,
  addressBits: 24,
  idBits: 5,
  freePages: 8,
  slots: 16,
  tlbEntries: 16,
  pagesPerRequest: 2,
};
export function quiet(b: Bench<Ports>, p: TranslateParameters, o: RigOptions = {}): TranslateRig {
  const rig = new TranslateRig(b, p, { latency: 12, hold: 2, ...o });
  rig.pool.push(...Array.from({ length: rig.g.usablePages }, (_, i) => rig.g.firstPpn + i));
  rig.supply = 0;
  return rig;
}
/** Pages in different buckets, one by one. */
export function addMany(rig: TranslateRig, count: number, kind: PageKind): Page[] {
  const pages: Page[] = [];
  for (let n = 0n; pages.length < count; n++) {
    const page = rig.add(3, 5n + 2n * n, kind);
    if (page) pages.push(page);
  }
  return pages;
}
export const to = (rig: TranslateRig, page: Page, write = false): AccessOf => ({
  pid: page.pid,
  va: rig.addressOf(page, 8),
  length: 64,
  write,
});
