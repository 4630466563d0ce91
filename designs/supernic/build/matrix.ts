/** Settings of builds that are linted beside the default one: the corners. */
export const matrix: readonly (readonly string[])[] = [
  ["ports=2", "regions=3", "slots=2", "chains=nat,delay(6,1)+dummy"],
  ["ports=9", "regions=8", "slots=8", "branches=8"],
  ["ports=2", "contexts=16", "cells=64", "users=1", "credits=4"],
  ["mtuFrame=9018", "linkBuffer=128KB"],
];
