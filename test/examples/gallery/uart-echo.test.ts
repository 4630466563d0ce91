import "../../../examples/gallery/uart-echo/test/uart-echo.test.ts";
import "../../../examples/gallery/uart-echo/board/hx8k.test.ts";
