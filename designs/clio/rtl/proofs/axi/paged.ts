/** Requests of up to two pages of 16 bytes, each two beats: what depends on real sizes is proved of `bursts`. */
export const paged = {
  slots: 2,
  beatBytes: 8,
  pageShift: 4,
  ppnBits: 1,
  pagesPerRequest: 2,
  addressBits: 5,
  idBits: 1,
  frameBytes: 128,
  windowBeats: 2,
  longest: 16,
} as const;
