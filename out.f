ABC command line: "read_aiger model.aig; fold; strash; pdr -T 15".

Cannot open input file "model.aig". 
