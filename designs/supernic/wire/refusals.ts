/** Why a frame is refused where it comes in, in the order of the rules; the first that holds counts. */
export const refusals = [
  "fcs",
  "long",
  "short",
  "link",
  "version",
  "shim",
  "ttl",
  "order",
  "enclosed",
  "pfc",
  "peer",
] as const;
export type Refusal = (typeof refusals)[number];

/** What a frame is that comes in. */
export const judgedKinds = ["data", "pfc", "answer", "redirect", "onward"] as const;
export type JudgedKindName = (typeof judgedKinds)[number];
