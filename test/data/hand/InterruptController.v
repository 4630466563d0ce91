// Interrupt controller: 16 sources, level or edge, 3 bits of priority (0 never interrupts), threshold, claim and
// complete. The priority is decided a bit a clock.
module InterruptController (
  input  wire        clk,
  input  wire        rst,
  input  wire [15:0] lines,
  input  wire [15:0] edges,
  input  wire [15:0] enable,
  input  wire [2:0]  priorities_0,
  input  wire [2:0]  priorities_1,
  input  wire [2:0]  priorities_2,
  input  wire [2:0]  priorities_3,
  input  wire [2:0]  priorities_4,
  input  wire [2:0]  priorities_5,
  input  wire [2:0]  priorities_6,
  input  wire [2:0]  priorities_7,
  input  wire [2:0]  priorities_8,
  input  wire [2:0]  priorities_9,
  input  wire [2:0]  priorities_10,
  input  wire [2:0]  priorities_11,
  input  wire [2:0]  priorities_12,
  input  wire [2:0]  priorities_13,
  input  wire [2:0]  priorities_14,
  input  wire [2:0]  priorities_15,
  input  wire [2:0]  threshold,
  output reg         irq,
  output reg  [3:0]  best,
  input  wire        claim,
  input  wire        complete_valid,
  input  wire [3:0]  complete_source
);
  reg [15:0] lines_d;
  reg [15:0] pending;
  reg [15:0] in_service;

  wire taken = claim && irq;
  wire [15:0] claim_mask = taken ? 16'd1 << best : 16'd0;
  wire [15:0] done_mask = complete_valid ? 16'd1 << complete_source : 16'd0;
  wire [15:0] request = lines & ((edges & ~lines_d) | (~edges & ~in_service & ~claim_mask));

  always @(posedge clk)
    if (rst) begin
      lines_d <= 16'd0;
      pending <= 16'd0;
      in_service <= 16'd0;
    end
    else begin
      lines_d <= lines;
      pending <= (pending & ~claim_mask) | request;
      in_service <= (in_service & ~done_mask) | claim_mask;
    end

  wire [15:0] prio_2 = {
    priorities_15[2], priorities_14[2], priorities_13[2], priorities_12[2],
    priorities_11[2], priorities_10[2], priorities_9[2], priorities_8[2],
    priorities_7[2], priorities_6[2], priorities_5[2], priorities_4[2],
    priorities_3[2], priorities_2[2], priorities_1[2], priorities_0[2]
  };
  wire [15:0] prio_1 = {
    priorities_15[1], priorities_14[1], priorities_13[1], priorities_12[1],
    priorities_11[1], priorities_10[1], priorities_9[1], priorities_8[1],
    priorities_7[1], priorities_6[1], priorities_5[1], priorities_4[1],
    priorities_3[1], priorities_2[1], priorities_1[1], priorities_0[1]
  };
  wire [15:0] prio_0 = {
    priorities_15[0], priorities_14[0], priorities_13[0], priorities_12[0],
    priorities_11[0], priorities_10[0], priorities_9[0], priorities_8[0],
    priorities_7[0], priorities_6[0], priorities_5[0], priorities_4[0],
    priorities_3[0], priorities_2[0], priorities_1[0], priorities_0[0]
  };

  wire [15:0] active = pending & ~in_service & enable;
  wire found_2 = |(active & prio_2);
  reg [15:0] left_2;
  reg top_2;
  wire found_1 = |(left_2 & prio_1);
  reg [15:0] left_1;
  reg [1:0] top_1;
  wire found_0 = |(left_1 & prio_0);
  reg [15:0] left_0;
  reg [2:0] top_0;

  always @(posedge clk)
    if (rst) begin
      left_2 <= 16'd0;
      top_2 <= 1'b0;
      left_1 <= 16'd0;
      top_1 <= 2'd0;
      left_0 <= 16'd0;
      top_0 <= 3'd0;
    end
    else begin
      left_2 <= found_2 ? active & prio_2 : active;
      top_2 <= found_2;
      left_1 <= found_1 ? left_2 & prio_1 : left_2;
      top_1 <= {top_2, found_1};
      left_0 <= found_0 ? left_1 & prio_0 : left_1;
      top_0 <= {top_1, found_0};
    end

  // After a claim the choice holds the claimed source for three clocks.
  reg [1:0] blank;

  always @(posedge clk)
    if (rst)
      blank <= 2'd0;
    else if (taken)
      blank <= 2'd3;
    else if (blank != 2'd0)
      blank <= blank - 2'd1;

  always @(posedge clk)
    if (rst)
      irq <= 1'b0;
    else
      irq <= blank == 2'd0 && !taken && left_0 != 16'd0 && top_0 > threshold;

  integer i;
  reg [3:0] lowest;
  always @* begin
    lowest = 4'd0;
    for (i = 15; i >= 0; i = i - 1)
      if (left_0[i])
        lowest = i[3:0];
  end

  always @(posedge clk)
    if (rst)
      best <= 4'd0;
    else
      best <= lowest;
endmodule
