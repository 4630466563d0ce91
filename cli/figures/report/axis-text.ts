import type { Axis } from "../form/schema.ts";

/** What stands on an axis, with its unit. */
export function axisText({ label, unit }: Axis): string { return unit === undefined ? label : `${label} (${unit})`; }
