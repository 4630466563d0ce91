/** A space that is renewed while one of its pages is on its way here. */
import { MemoryManager, type PageValues } from "../../../../../designs/supernic/software/memory/index.ts";

const none: PageValues = { valid: false, present: false, write: false, remote: false, ppn: 0 },
  frames = 4;

/** @returns what is not as the page says */
export async function wrongRenewal(): Promise<readonly string[]> {
  const log: string[] = [],
    table = new Map<number, PageValues>(),
    waits = { now: true },
    free = { pages: 0 };
  let arrives = (_bytes: Uint8Array): void => undefined;
  const driver = {
    pageBytes: 64,
    setWay: () => Promise.resolve(),
    setSpace: (_space: number, { limit }: { readonly limit: number }) =>
      Promise.resolve(void log.push(`limit ${limit}`)),
    setPage: (at: number, v: PageValues) => {
      const { present } = table.get(at) ?? none;
      if (present && !v.present) log.push(`page ${at} goes`);
      table.set(at, v);
      return Promise.resolve();
    },
    page: (at: number) => Promise.resolve({ ...(table.get(at) ?? none), stamp: 0 }),
    way: () => Promise.resolve({ waits: waits.now, remote: true, page: 0, idle: true, denied: 0, failed: 0 }),
    freePages: () => Promise.resolve(free.pages),
    epoch: () => Promise.resolve(0),
    fence: () => Promise.resolve(void log.push("fence")),
    zero: () => Promise.resolve(++free.pages > 0),
    pageOut: () => Promise.resolve(undefined),
    pageIn: () => Promise.resolve(true),
  };
  const remote = {
    capacity: 4,
    put: () => Promise.resolve(true),
    get: () => new Promise<Uint8Array | undefined>(done => (arrives = done)),
    drop: (key: string) => Promise.resolve(void log.push(`drop ${key}`)),
  };
  const manager = new MemoryManager({ driver, remote, pages: 8, spaces: 2, first: 0, frames, ready: 1 });
  const space = await manager.create({ user: 1, limit: 3, write: true });
  if (typeof space === "string") return [`refused: ${space}`];
  await manager.attach(0, space);
  // Page 0 is elsewhere and wanted, page 1 is here.
  table.set(0, { ...none, valid: true, write: true, remote: true });
  await manager.step();
  const before = manager.unused;
  table.set(1, { ...none, valid: true, write: true, present: true, ppn: 9 });
  log.splice(0);
  const now = await manager.renew(space);
  const done = log.splice(0).join(", ");
  waits.now = false;
  arrives(new Uint8Array(64));
  for (let i = 0; i < 20; i++) await Promise.resolve();
  await manager.step();
  const after = [0, 1, 2].map(at => table.get(at) ?? none);
  const wrong: string[] = [];
  if (done !== "limit 0, fence, drop 0.0, page 1 goes, limit 3") wrong.push(`the steps are ${done}`);
  if (after.some(p => p.present || p.remote || !p.valid || !p.write))
    wrong.push(`the pages are ${after.map(p => JSON.stringify(p)).join()}`);
  // That which was kept for page 0, and that of page 1.
  if (manager.unused !== before + 2) wrong.push(`${manager.unused} pages are nobody's, not ${before + 2}`);
  if (manager.moving !== 0) wrong.push("a page is on its way");
  if (now.number !== space.number || now.base !== space.base || now.limit !== 3) wrong.push("it is another space");
  if (manager.promised !== 3) wrong.push(`${manager.promised} pages are promised`);
  return wrong;
}
