//! Control laws: published ways of deciding, one a folder. What they share (instances, the model, bounds, JSON) stands
//! outside; none of them knows another.

pub mod coco;
pub mod numasfp;
pub mod octans;
pub mod sfc2cpu;
