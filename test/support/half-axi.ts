/**
 * The channels that a block with half an AXI4 port does not have. They are never valid, so that the memory model can
 * stand behind the other half.
 */
const signal = (width: number) => ({
  name: "unused",
  width,
  value: 0,
  num: 0,
  big: 0n,
  bytes: new Uint8Array(Math.ceil(width / 8)),
});
const channel = (fields: Readonly<Record<string, number>>) => ({
  valid: signal(1),
  ready: signal(1),
  payload: Object.fromEntries(Object.entries(fields).map(([n, w]) => [n, signal(w)])),
});
const address = { addr: 48, id: 8, len: 8, size: 3, burst: 2 };

export const noWrites = (beatBytes: number) => ({
  aw: channel(address),
  w: channel({ data: beatBytes * 8, strb: beatBytes, last: 1 }),
  b: channel({ id: 8, resp: 2 }),
});
export const noReads = (beatBytes: number) => ({
  ar: channel(address),
  r: channel({ data: beatBytes * 8, id: 8, resp: 2, last: 1 }),
});
