//! What section 10.1 has tested.

mod attention;
