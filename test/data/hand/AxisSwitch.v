// AXI-Stream switch, 4 inputs and 2 outputs of 4 bytes: frames stay whole, round robin at each output, a register at each.
module AxisSwitch (
  input  wire        clk,
  input  wire        rst,
  input  wire        from0_valid,
  output wire        from0_ready,
  input  wire [31:0] from0_payload_data,
  input  wire [3:0]  from0_payload_keep,
  input  wire        from0_payload_last,
  input  wire        from0_payload_dest,
  input  wire        from1_valid,
  output wire        from1_ready,
  input  wire [31:0] from1_payload_data,
  input  wire [3:0]  from1_payload_keep,
  input  wire        from1_payload_last,
  input  wire        from1_payload_dest,
  input  wire        from2_valid,
  output wire        from2_ready,
  input  wire [31:0] from2_payload_data,
  input  wire [3:0]  from2_payload_keep,
  input  wire        from2_payload_last,
  input  wire        from2_payload_dest,
  input  wire        from3_valid,
  output wire        from3_ready,
  input  wire [31:0] from3_payload_data,
  input  wire [3:0]  from3_payload_keep,
  input  wire        from3_payload_last,
  input  wire        from3_payload_dest,
  output wire        to0_valid,
  input  wire        to0_ready,
  output wire [31:0] to0_payload_data,
  output wire [3:0]  to0_payload_keep,
  output wire        to0_payload_last,
  output wire        to1_valid,
  input  wire        to1_ready,
  output wire [31:0] to1_payload_data,
  output wire [3:0]  to1_payload_keep,
  output wire        to1_payload_last,
  output wire [3:0]  dropped
);
  assign dropped = 4'd0;

  // Output 0: the input after the last one served comes first.
  reg busy_0;
  reg [3:0] owner_0;
  reg full_0;
  reg [36:0] held_0;
  wire [3:0] req_0 = {
    from3_valid & ~from3_payload_dest, from2_valid & ~from2_payload_dest,
    from1_valid & ~from1_payload_dest, from0_valid & ~from0_payload_dest
  };
  wire [3:0] above_0 = req_0 & ~(owner_0 | (owner_0 - 4'd1));
  wire [3:0] first_0 = above_0 != 4'd0 ? above_0 & -above_0 : req_0 & -req_0;
  wire [3:0] grant_0 = busy_0 ? owner_0 : first_0;
  wire valid_0 = |(grant_0 & req_0);
  wire room_0 = !full_0 || to0_ready;
  wire [36:0] beat_0 =
    ({37{grant_0[0]}} & {from0_payload_last, from0_payload_keep, from0_payload_data}) |
    ({37{grant_0[1]}} & {from1_payload_last, from1_payload_keep, from1_payload_data}) |
    ({37{grant_0[2]}} & {from2_payload_last, from2_payload_keep, from2_payload_data}) |
    ({37{grant_0[3]}} & {from3_payload_last, from3_payload_keep, from3_payload_data});

  always @(posedge clk)
    if (rst) begin
      busy_0 <= 1'b0;
      owner_0 <= 4'd1;
      full_0 <= 1'b0;
    end
    else begin
      if (valid_0) begin
        owner_0 <= grant_0;
        busy_0 <= !(room_0 && beat_0[36]);
      end
      if (room_0)
        full_0 <= valid_0;
    end

  always @(posedge clk)
    if (valid_0 && room_0)
      held_0 <= beat_0;

  assign to0_valid = full_0;
  assign to0_payload_data = held_0[31:0];
  assign to0_payload_keep = held_0[35:32];
  assign to0_payload_last = held_0[36];

  // Output 1: the input after the last one served comes first.
  reg busy_1;
  reg [3:0] owner_1;
  reg full_1;
  reg [36:0] held_1;
  wire [3:0] req_1 = {
    from3_valid & from3_payload_dest, from2_valid & from2_payload_dest,
    from1_valid & from1_payload_dest, from0_valid & from0_payload_dest
  };
  wire [3:0] above_1 = req_1 & ~(owner_1 | (owner_1 - 4'd1));
  wire [3:0] first_1 = above_1 != 4'd0 ? above_1 & -above_1 : req_1 & -req_1;
  wire [3:0] grant_1 = busy_1 ? owner_1 : first_1;
  wire valid_1 = |(grant_1 & req_1);
  wire room_1 = !full_1 || to1_ready;
  wire [36:0] beat_1 =
    ({37{grant_1[0]}} & {from0_payload_last, from0_payload_keep, from0_payload_data}) |
    ({37{grant_1[1]}} & {from1_payload_last, from1_payload_keep, from1_payload_data}) |
    ({37{grant_1[2]}} & {from2_payload_last, from2_payload_keep, from2_payload_data}) |
    ({37{grant_1[3]}} & {from3_payload_last, from3_payload_keep, from3_payload_data});

  always @(posedge clk)
    if (rst) begin
      busy_1 <= 1'b0;
      owner_1 <= 4'd1;
      full_1 <= 1'b0;
    end
    else begin
      if (valid_1) begin
        owner_1 <= grant_1;
        busy_1 <= !(room_1 && beat_1[36]);
      end
      if (room_1)
        full_1 <= valid_1;
    end

  always @(posedge clk)
    if (valid_1 && room_1)
      held_1 <= beat_1;

  assign to1_valid = full_1;
  assign to1_payload_data = held_1[31:0];
  assign to1_payload_keep = held_1[35:32];
  assign to1_payload_last = held_1[36];

  assign from0_ready = from0_payload_dest ? grant_1[0] && room_1 : grant_0[0] && room_0;
  assign from1_ready = from1_payload_dest ? grant_1[1] && room_1 : grant_0[1] && room_0;
  assign from2_ready = from2_payload_dest ? grant_1[2] && room_1 : grant_0[2] && room_0;
  assign from3_ready = from3_payload_dest ? grant_1[3] && room_1 : grant_0[3] && room_0;
endmodule
