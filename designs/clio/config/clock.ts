/** Nanoseconds of a clock cycle: 250 MHz (paper §4.5). */
export const clockPeriod = 4;
