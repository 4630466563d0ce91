import "../../../examples/gallery/cache/test/cache.test.ts";
