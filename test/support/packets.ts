/** All of the wire formats under one name, for tests that build frames by hand. */
export * from "../../designs/shared/wire/index.ts";
export * from "../../designs/shared/go-back-n/wire/index.ts";
export * from "../../designs/clio/wire/index.ts";
