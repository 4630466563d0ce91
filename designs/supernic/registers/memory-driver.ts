/** The memory of network tasks for programs, over its registers; its pages go their own way. */
import { type RegisterBus, registerDriver } from "../../../hdl-dsl/index.ts";
import { memoryMap } from "./memory-map.ts";

/** What pages' bytes go through. */
export interface PageStreams {
  readonly pageBytes: number;
  /** The bytes of a page that goes out. */
  take(): Promise<Uint8Array>;
  give(bytes: Uint8Array): Promise<void>;
}
const kinds = { zero: 0, out: 1, in: 2 } as const;
const bit = (b: boolean): number => (b ? 1 : 0);

/** The driver that the manager of memory needs (designs/supernic/software/memory). One call at a time. */
export function memoryDriverOf(bus: RegisterBus, pages: PageStreams) {
  const r = registerDriver(memoryMap, bus);
  const until = async (holds: () => Promise<boolean>): Promise<void> => {
    while (!(await holds()));
  };
  /** Asks for a move; the bytes go meanwhile. False: it went wrong. */
  const move = async <T>(kind: keyof typeof kinds, ppn: number, meanwhile: () => Promise<T>) => {
    await r.write({ moveKind: kinds[kind], movePpn: ppn });
    await r.write({ move: 1 });
    const result = await meanwhile();
    await until(async () => (await r.read("movedValid")) === 1 || (await r.read("moving")) === 0);
    const told = (await r.read("movedValid")) === 1,
      bad = told && (await r.read("movedBad")) === 1;
    if (told) await r.write({ moveSeen: 1 });
    return { ok: !bad, result };
  };
  return {
    pageBytes: pages.pageBytes,
    setWay: (way: number, space: number | undefined) =>
      r
        .write({ wayAt: way, waySpace: space ?? 0, wayValid: bit(space !== undefined) })
        .then(() => r.write({ setWay: 1 })),
    setSpace: (space: number, s: { readonly base: number; readonly limit: number; readonly write: boolean }) =>
      r
        .write({ spaceAt: space, spaceWrite: bit(s.write), spaceBase: s.base, spaceLimit: s.limit })
        .then(() => r.write({ setSpace: 1 })),
    setPage: async (
      page: number,
      v: {
        readonly valid: boolean;
        readonly present: boolean;
        readonly write: boolean;
        readonly remote: boolean;
        readonly ppn: number;
      },
    ): Promise<void> => {
      const [pageValid, pagePresent, pageWrite, pageRemote] = [v.valid, v.present, v.write, v.remote].map(bit);
      await r.write({
        pageAt: page,
        pagePpn: v.ppn,
        pageValid: pageValid ?? 0,
        pagePresent: pagePresent ?? 0,
        pageWrite: pageWrite ?? 0,
        pageRemote: pageRemote ?? 0,
      });
      await r.write({ setPage: 1 });
    },
    page: async (page: number) => {
      await r.write({ pageAt: page });
      return {
        valid: (await r.read("shownValid")) === 1,
        present: (await r.read("shownPresent")) === 1,
        write: (await r.read("shownWrite")) === 1,
        remote: (await r.read("shownRemote")) === 1,
        ppn: await r.read("shownPpn"),
        stamp: await r.read("shownStamp"),
      };
    },
    way: async (way: number) => {
      await r.write({ wayAt: way });
      return {
        waits: (await r.read("wayWaits")) === 1,
        remote: (await r.read("wayRemote")) === 1,
        page: await r.read("wayPage"),
        idle: (await r.read("wayIdle")) === 1,
        denied: await r.read("wayDenied"),
        failed: await r.read("wayFailed"),
      };
    },
    freePages: () => r.read("freePages"),
    epoch: () => r.read("epochNow"),
    fence: async (): Promise<void> => {
      await r.write({ fence: 1 });
      await until(async () => (await r.read("fenced")) === 1);
    },
    zero: async (ppn: number): Promise<boolean> => (await move("zero", ppn, () => Promise.resolve())).ok,
    pageOut: async (ppn: number): Promise<Uint8Array | undefined> => {
      const { ok, result } = await move("out", ppn, () => pages.take());
      return ok ? result : undefined;
    },
    pageIn: async (ppn: number, bytes: Uint8Array): Promise<boolean> =>
      (await move("in", ppn, () => pages.give(bytes))).ok,
  };
}
