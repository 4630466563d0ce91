/** Settings of builds that are linted beside the default one: the corners. */
export const matrix: readonly (readonly string[])[] = [
  ["ports=2", "regions=3", "slots=2", "chains=nat,delay(6,1)+dummy"],
  ["ports=3", "contexts=32", "cells=16", "users=1", "credits=4"],
  ["mtuFrame=9018", "linkBuffer=128KB"],
  ["ports=2", "contexts=32", "cells=16", "users=2", "regions=1", "slots=1", "chains=kv_lru(64)", "spill=true"],
];
