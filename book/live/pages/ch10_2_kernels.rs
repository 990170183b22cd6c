//! Section 10.2, kernels and widths, in the page.

live::page!(live::ch10_2_kernels::Kernels);
