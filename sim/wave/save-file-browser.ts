/** A page shows its waves itself: no other program is told how. */
export const writeSaveFile = (): void => undefined;
