import "../../../examples/gallery/systolic/test/systolic.test.ts";
