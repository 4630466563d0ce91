// What engineers write beside what the emitter does: sizes and signs from context, resets that leave registers out.
module Idioms (
  input  wire        clk,
  input  wire        rst,
  input  wire [7:0]  a, b,
  input  wire signed [5:0] s, t,
  input  wire [3:0]  n,
  input  wire        go,
  output wire [15:0] sums,
  output wire [31:0] logic_bits,
  output wire [47:0] signs,
  output wire [31:0] chosen,
  output reg  [7:0]  held, kept,
  output reg  [15:0] bits,
  output wire [15:0] word,
  output wire [7:0]  below,
  output reg  [7:0]  late = 8'h5a,
  output wire [11:0] constants
);
  parameter WIDE = 12;
  localparam [3:0] LAST = 4'd13;
  localparam signed [5:0] LOW = -6'sd7;

  // A carry is kept by the width of the target.
  assign sums[8:0] = a + b;
  assign sums[15:9] = (a + b) >> 2;

  assign logic_bits[0] = a && b;
  assign logic_bits[1] = a || !b;
  assign logic_bits[2] = ~&a;
  assign logic_bits[3] = ~|b;
  assign logic_bits[4] = ^a ~^ ^b;
  assign logic_bits[5] = !(a == b) & a[n[2:0]];
  assign logic_bits[6] = a != {b[3:0], b[7:4]};
  assign {logic_bits[8], logic_bits[7]} = {go, ~go};
  assign logic_bits[16:9] = go ? a : s;
  assign logic_bits[22:17] = {2{go, n[1:0]}};
  assign logic_bits[31:23] = a * b;

`ifdef NOWHERE
  assign constants = 12'd0;
`else
  assign constants = (WIDE - 3) << 2 | 'h1;
`endif

  // An operand without a sign makes the whole expression unsigned.
  assign signs[7:0] = s + t;
  assign signs[15:8] = s + $unsigned(t);
  assign signs[23:16] = s >>> n[1:0];
  assign signs[31:24] = {s >>> n[1:0]} >> 1;
  assign signs[32] = s < t;
  assign signs[33] = s < a[5:0];
  assign signs[34] = $signed(a[5:0]) <= LOW;
  assign signs[35] = s > -3;
  assign signs[47:36] = s * t;

  assign chosen[7:0] = bits[n +: 4];
  assign chosen[15:8] = {a, b} >> {n[2:0], 1'b0};
  assign chosen[23:16] = (s >> n[1:0]) - t;
  assign chosen[31:24] = -a ^ ~s;

  // `kept` keeps its value while `rst` is 1.
  always @(posedge clk) begin
    if (rst) held <= 0;
    else begin
      if (go) held <= held + 1;
      else if (!n) held <= a; else held <= held ^ {b[0], b[7:1]};
      kept <= a + kept;
    end
  end

  integer i;
  always @(posedge clk)
    if (rst) bits <= {4{4'b1001}};
    else begin
      bits[n] <= go;
      for (i = 0; i < 3; i = i + 1) if (a[i]) bits[i * 2 +: 2] <= b[i +: 2];
      {bits[15], bits[14:12]} <= t[3:0];
    end

  always @(posedge clk)
    case (n)
      0, 4'd1: late <= a;
      LAST: begin
        late[7:4] <= b[3:0];
        late[0] <= 1'b1;
      end
      5: ;
      default: if (go) late <= late - 8'sd3;
    endcase

  reg [15:0] store [4:11];
  initial for (i = 4; i <= 11; i = i + 1) store[i] = 16'hbeef ^ i;
  wire [3:0] at = {1'b0, n[2:0]} + 4'd4;
  always @(posedge clk) begin
    if (go) begin
      if (a[0]) store[at][7:0] <= b;
      if (a[1]) store[at][15:8] <= a;
    end
    if (&n) store[at][11:4] <= 8'h77;
  end
  always @(posedge clk) begin
    if (b[7]) store[4][3:0] <= a[3:0];
    if (b[6]) store[5][7:4] <= a[7:4];
  end
  assign word = store[at];

  Below #(.STEP(3), .START(8'd9)) under (.rst(rst | go), .clk(clk), .d(a), .q(below));
endmodule

module Below #(parameter STEP = 1, START = 0) (clk, rst, d, q);
  input clk, rst;
  input [7:0] d;
  output [7:0] q;
  reg [7:0] q_q;
  assign q = q_q;
  // A reset that the design makes itself.
  always @(posedge clk) if (rst) q_q <= START; else q_q <= d + STEP;
endmodule
