import "../../../examples/gallery/uart-echo/test/uart-echo.test.ts";
