//! Interlude, training: Adam, clipping, and the batch split over workers.
