// Timer, 32 bits, prescaler of 16 bits, two compare channels with match pulses and pulse width levels.
module CompareTimer (
  input  wire        clk,
  input  wire        rst,
  input  wire        start,
  input  wire        stop,
  input  wire        one_shot,
  input  wire [15:0] prescale,
  input  wire [31:0] limit,
  input  wire [31:0] compare_0,
  input  wire [31:0] compare_1,
  output reg  [31:0] count,
  output reg         running,
  output wire        wrapped,
  output wire [1:0]  matched,
  output wire [1:0]  level
);
  reg [15:0] prescaler;
  reg level_0;
  reg level_1;

  wire step = running && prescaler >= prescale;
  wire at_limit = count >= limit;
  wire wrap = step && at_limit;

  assign wrapped = wrap;
  assign matched[0] = step && count == compare_0;
  assign matched[1] = step && count == compare_1;
  assign level = {level_1, level_0};

  always @(posedge clk)
    if (step || start)
      prescaler <= 16'd0;
    else
      prescaler <= prescaler + 16'd1;

  always @(posedge clk)
    if (rst)
      count <= 32'd0;
    else if (start || wrap)
      count <= 32'd0;
    else if (step)
      count <= count + 32'd1;

  always @(posedge clk)
    if (rst)
      running <= 1'b0;
    else if (stop)
      running <= 1'b0;
    else if (start)
      running <= 1'b1;
    else if (wrap && one_shot)
      running <= 1'b0;

  always @(posedge clk)
    if (rst) begin
      level_0 <= 1'b0;
      level_1 <= 1'b0;
    end
    else begin
      level_0 <= running && count < compare_0;
      level_1 <= running && count < compare_1;
    end
endmodule
